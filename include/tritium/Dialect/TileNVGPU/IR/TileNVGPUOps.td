//===- TileNVGPUOps.td - operations of the ttng dialect --------*- tablegen -*-===//

#ifndef TRITIUM_TILENVGPU_OPS_TD
#define TRITIUM_TILENVGPU_OPS_TD

include "tritium/Dialect/TileNVGPU/IR/TileNVGPUDialect.td"
include "tritium/Dialect/TileGPU/IR/TileGPUOpInterfaces.td"
include "tritium/Dialect/TileGPU/IR/TileGPUTypes.td"
include "tritium/Dialect/Tile/IR/TileInterfaces.td"
include "tritium/Dialect/Tile/IR/TileTypes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class TileNVGPU_Op<string mnemonic, list<Trait> traits = []>
    : Op<TileNVGPU_Dialect, mnemonic, traits>;
/// Orders accesses, so that none is moved over it.
class TileNVGPU_SyncOp<string mnemonic, list<Trait> traits = []>
    : TileNVGPU_Op<mnemonic, !listconcat(traits, [MemoryEffects<[MemRead, MemWrite]>])>;

//===----------------------------------------------------------------------===//
// Barriers in memory
//===----------------------------------------------------------------------===//

class TileNVGPU_MBarrierOp<string mnemonic> : TileNVGPU_SyncOp<"mbarrier_" # mnemonic> {
  let hasVerifier = 1;
}

def TileNVGPU_MBarrierInitOp : TileNVGPU_MBarrierOp<"init"> {
  let summary = "makes a barrier of 8 bytes of shared memory";
  let description = [{
    The barrier is in phase 0. A phase is over when `count` arrivals have come and all bytes that
    were expected are there; then the next one begins. Others may use it behind a barrier after
    this.

    - (mbarrier_c1) a barrier is mutable memory of one i64;
    - (mbarrier_init_c2) the count is 1 to 1048575.

    ```mlir
    ttng.mbarrier_init %bar, 1 : !ttg.memdesc<1xi64, #shared1, mutable>
    ```
  }];
  let arguments = (ins TileGPU_MemDesc:$barrier, I32Attr:$count);
  let assemblyFormat = "$barrier `,` $count attr-dict `:` type($barrier)";
}

def TileNVGPU_MBarrierInvalidateOp : TileNVGPU_MBarrierOp<"invalidate"> {
  let summary = "ends a barrier, whose memory is ordinary again";
  let description = [{
    Nobody waits for it, and no copy is on its way to it.

    - (mbarrier_c1) a barrier is mutable memory of one i64.

    ```mlir
    ttng.mbarrier_invalidate %bar : !ttg.memdesc<1xi64, #shared1, mutable>
    ```
  }];
  let arguments = (ins TileGPU_MemDesc:$barrier);
  let assemblyFormat = "$barrier attr-dict `:` type($barrier)";
}

def TileNVGPU_MBarrierExpectOp : TileNVGPU_MBarrierOp<"expect"> {
  let summary = "arrives once, and says how many bytes the phase waits for";
  let description = [{
    `bytes` are those that `ttng.tma_load` brings with this barrier in this phase.

    - (mbarrier_c1) a barrier is mutable memory of one i64;
    - (mbarrier_expect_c2) bytes are positive.

    ```mlir
    ttng.mbarrier_expect %bar, 16384 : !ttg.memdesc<1xi64, #shared1, mutable>
    ```
  }];
  let arguments = (ins TileGPU_MemDesc:$barrier, I32Attr:$bytes);
  let assemblyFormat = "$barrier `,` $bytes attr-dict `:` type($barrier)";
}

def TileNVGPU_MBarrierArriveOp : TileNVGPU_MBarrierOp<"arrive"> {
  let summary = "the group arrives at a barrier, `count` times";
  let description = [{
    What all threads of the group have accessed before is done for who waits for this phase. Each
    warp arrives for itself if the count is a multiple of the group's warps; otherwise they meet
    before. `releases` are buffers that the group reads no more, so that who waits may write there.

    - (mbarrier_c1) a barrier is mutable memory of one i64;
    - (mbarrier_arrive_c2) the count is positive.

    ```mlir
    ttng.mbarrier_arrive %bar, 1 : !ttg.memdesc<1xi64, #shared1, mutable>
    ttng.mbarrier_arrive %bar, 4 releases(%x : !ttg.memdesc<64xf32, #shared1, mutable>) : !ttg.memdesc<1xi64, #shared1, mutable>
    ```
  }];
  let arguments = (ins TileGPU_MemDesc:$barrier, I32Attr:$count,
                       Variadic<TileGPU_MemDesc>:$releases);
  let assemblyFormat = [{
    $barrier `,` $count (`releases` `(` $releases^ `:` type($releases) `)`)? attr-dict
    `:` type($barrier)
  }];
}

def TileNVGPU_MBarrierWaitOp : TileNVGPU_MBarrierOp<"wait"> {
  let summary = "waits until a phase is over";
  let description = [{
    `parity` is the phase's number modulo 2. Only the phase that goes on and the one before can be
    told apart: of a new barrier the wait for parity 1 is over at once. Behind it stands what was
    done before the arrivals of that phase, and what its copies have brought.

    - (mbarrier_c1) a barrier is mutable memory of one i64;
    - (mbarrier_wait_c2) of a barrier that is made here, others than who waits arrive in phase 0,
      or the waiting group does before; a wait in a branch or loop may never be come to.

    ```mlir
    ttng.mbarrier_wait %bar, %parity : !ttg.memdesc<1xi64, #shared1, mutable>
    ```
  }];
  let arguments = (ins TileGPU_MemDesc:$barrier, I32:$parity);
  let assemblyFormat = "$barrier `,` $parity attr-dict `:` type($barrier)";
}

//===----------------------------------------------------------------------===//
// Copies of boxes
//===----------------------------------------------------------------------===//

def TileNVGPU_LoadBoxOp : TileNVGPU_Op<"load_box", [AttrSizedOperandSegments]> {
  let summary = "reads a box of a tensor";
  let description = [{
    The tensor and the box are those of `ttng.tma_load`. A load of a pipelined loop that
    `ttg-expand-pipeline` makes a copy by TMA. With `roundsToTF32` elements are operands of dots that
    multiply tf32 alone, and rounded on the way (`ttng.round_to_tf32`).

    - (tma_c1) shape, strides and offsets have one number for each of 1 to 5 dimensions: those of the
      result, and in front of them any number of others, of which the box has one index;
    - (tma_c2) the pointee is the result's element;
    - (tma_c6) the last stride is the constant 1;
    - (tma_c7) when it runs, rows begin at multiples of 16 bytes from where the tensor's rows begin;
    - (tma_c8) elements that are rounded to tf32 are f32.

    ```mlir
    %one = arith.constant 1 : i64
    %x = ttng.load_box %p[%i, %j] shape [%m, %n] strides [%s, %one] : !tt.ptr<f16> -> tensor<128x64xf16, #blocked>
    ```
  }];
  let arguments = (ins Arg<Tile_Ptr, "", [MemRead]>:$base, Variadic<I64>:$shape,
                       Variadic<I64>:$strides, Variadic<I32>:$offsets,
                       UnitAttr:$roundsToTF32);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $base `[` $offsets `]` `shape` `[` $shape `]` `strides` `[` $strides `]`
    attr-dict `:` type($base) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TileNVGPU_TMALoadOp : TileNVGPU_Op<"tma_load", [AttrSizedOperandSegments]> {
  let summary = "starts a copy of a box of a tensor to shared memory";
  let description = [{
    The tensor begins at `base`; element (i, j) of it lies at i * strides[0] + j * strides[1]
    elements from there. The box has the extents of `dst` and begins at `offsets`; what lies outside
    of `shape` becomes 0. All bytes of the box, those too, count at `barrier`. One thread of the
    group starts the copy: what others of the group have accessed there lies behind a barrier. With
    `roundsToTF32` elements are rounded on the way (`ttng.round_to_tf32`).

    - (tma_c1) shape, strides and offsets have one number for each of 1 to 5 dimensions: those of the
      tile in memory, and in front of them any number of others, of which the box has one index;
    - (tma_c2) the pointee is the memory's element;
    - (tma_c3) no extent of the box is greater than 256, and rows are multiples of 16 bytes;
    - (tma_c4) the destination is mutable, and the barrier is mutable memory of one i64;
    - (tma_c5) the tile lies in rows, or in panels of rows of 128, 64 or 32 bytes whose chunks of 16
      bytes are exchanged as TMA does (Boxes.h);
    - (tma_c6) the last stride is the constant 1;
    - (tma_c7) when it runs, rows begin at multiples of 16 bytes from where the tensor's rows begin;
    - (tma_c8) elements that are rounded to tf32 are f32.

    For a GPU, `base`, `shape` and `strides` must be known at the launch: arguments, constants,
    or arithmetic of them. The launch makes a tensor map of them, a hidden parameter of the kernel.
    A launch whose base or strides are no multiples of 16 bytes cannot run such code.

    ```mlir
    %one = arith.constant 1 : i64
    ttng.tma_load %p[%i, %j] shape [%m, %n] strides [%s, %one], %dst, %bar : !tt.ptr<f16>, !ttg.memdesc<128x64xf16, #shared, mutable>, !ttg.memdesc<1xi64, #shared1, mutable>
    ```
  }];
  let arguments = (ins Arg<Tile_Ptr, "", [MemRead]>:$base, Variadic<I64>:$shape,
                       Variadic<I64>:$strides, Variadic<I32>:$offsets,
                       Arg<TileGPU_MemDesc, "", [MemWrite]>:$dst,
                       Arg<TileGPU_MemDesc, "", [MemRead, MemWrite]>:$barrier,
                       UnitAttr:$roundsToTF32);
  let assemblyFormat = [{
    $base `[` $offsets `]` `shape` `[` $shape `]` `strides` `[` $strides `]` `,` $dst `,` $barrier
    attr-dict `:` type($base) `,` type($dst) `,` type($barrier)
  }];
  let hasVerifier = 1;
}

def TileNVGPU_TMAStoreOp : TileNVGPU_Op<"tma_store", [AttrSizedOperandSegments]> {
  let summary = "starts a copy from shared memory to a box of a tensor";
  let description = [{
    As `ttng.tma_load`, the other way round; what lies outside of the tensor is not written. The
    copy belongs to the group that the next `ttng.tma_store_commit` closes. Until a wait for it the
    source must not be written, and others cannot see what it brings.

    - (tma_c1) shape, strides and offsets have one number for each of 1 to 5 dimensions: those of the
      tile in memory, and in front of them any number of others, of which the box has one index;
    - (tma_c2) the pointee is the memory's element;
    - (tma_c3) no extent of the box is greater than 256, and rows are multiples of 16 bytes;
    - (tma_c5), (tma_c6) as there;
    - (tma_c7) when it runs, no offset is less than 0, and rows begin, and are cut off by the
      tensor's end, at multiples of 16 bytes from where the tensor's rows begin: of 16 bytes all are
      written or none;
    - (tma_c9) with `by_warp` each warp of the group stores rows of its own, as many as the others,
      one warp's behind the other's, when all lanes of the warp have come: the source is of two
      dimensions, and a warp has a multiple of 8 rows.

    ```mlir
    %one = arith.constant 1 : i64
    ttng.tma_store %src, %p[%i, %j] shape [%m, %n] strides [%s, %one] : !ttg.memdesc<128x64xf16, #shared, mutable>, !tt.ptr<f16>
    ```
  }];
  let arguments = (ins Arg<TileGPU_MemDesc, "", [MemRead]>:$src,
                       Arg<Tile_Ptr, "", [MemWrite]>:$base, Variadic<I64>:$shape,
                       Variadic<I64>:$strides, Variadic<I32>:$offsets, UnitAttr:$by_warp);
  let assemblyFormat = [{
    $src `,` $base `[` $offsets `]` `shape` `[` $shape `]` `strides` `[` $strides `]`
    attr-dict `:` type($src) `,` type($base)
  }];
  let hasVerifier = 1;
}

def TileNVGPU_TMAStoreCommitOp : TileNVGPU_SyncOp<"tma_store_commit"> {
  let summary = "closes a group of stores";
  let description = [{
    Those that the warp group has started since the last one.

    ```mlir
    ttng.tma_store_commit
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def TileNVGPU_TMAStoreWaitOp : TileNVGPU_SyncOp<"tma_store_wait"> {
  let summary = "waits until at most `pendings` groups of stores are on their way";
  let description = [{
    What the others have brought is there, and their sources may be written, by the thread that
    started them; by others of the group behind a barrier. With `reads` only the latter. With
    `by_warp` the lanes of each warp meet behind it.

    ```mlir
    ttng.tma_store_wait {pendings = 1 : i32, reads}
    ttng.tma_store_wait {by_warp, pendings = 1 : i32, reads}
    ttng.tma_store_wait {pendings = 0 : i32}
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$pendings, UnitAttr:$reads,
                       UnitAttr:$by_warp);
  let assemblyFormat = "attr-dict";
}

def TileNVGPU_FenceAsyncProxyOp
    : TileNVGPU_SyncOp<"fence_async_proxy", [TileGPU_ProxyFence]> {
  let summary = "what the group has written to shared memory is there for TMA and dots";
  let description = [{
    It stands between the writes and the barrier behind which `ttng.tma_store` or
    `ttng.warp_group_dot` read them.

    ```mlir
    ttg.local_store %x, %m : tensor<64xf32, #blocked>, !ttg.memdesc<64xf32, #shared1, mutable>
    ttng.fence_async_proxy
    ttg.barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// What later programs load
//===----------------------------------------------------------------------===//

def TileNVGPU_L2Cache : Resource<"::tritium::ttg::L2Cache">;

def TileNVGPU_PrefetchRunOp
    : TileNVGPU_Op<"prefetch_run", [MemoryEffects<[MemWrite<TileNVGPU_L2Cache>]>]> {
  let summary = "brings neighbours in memory to the second-level cache";
  let description = [{
    Those are `count` elements from `ptr` on; none if it is not positive. Nothing is read: what stands
    in memory when a later load comes counts. One thread of the group asks for all of them at once,
    but for what shares 16 bytes with something in front of the first or behind the last.

    ```mlir
    ttng.prefetch_run %p, %n : !tt.ptr<f16>
    ```
  }];
  let arguments = (ins Tile_Ptr:$ptr, I32:$count);
  let assemblyFormat = "$ptr `,` $count attr-dict `:` type($ptr)";
}

//===----------------------------------------------------------------------===//
// Dots of a warp group
//===----------------------------------------------------------------------===//

def TileNVGPU_RoundToTF32Op
    : TileNVGPU_Op<"round_to_tf32", [Pure, Tile_Elementwise, SameOperandsAndResultType]> {
  let summary = "rounds f32 to the bits that tensor cores multiply";
  let description = [{
    To the nearest number with a significand of 11 bits; of two that are as near, to either. A
    `ttng.warp_group_dot` does not look at the other bits of its operands. A machine that multiplies
    whole f32, as the interpreter does, need not round.

    - (round_to_tf32_c1) elements are f32.

    ```mlir
    %y = ttng.round_to_tf32 %x : tensor<64x32xf32, #blocked>
    ```
  }];
  let arguments = (ins Tile_Tensor:$operand);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def TileNVGPU_WarpGroupDotOp
    : TileNVGPU_Op<"warp_group_dot", [AllTypesMatch<["c", "result"]>,
                                      DeclareOpInterfaceMethods<TileGPU_AsyncReader>]> {
  let summary = "starts d = a * b + c on tensor cores (wgmma)";
  let description = [{
    The result is that of `tt.dot`; it is there after a `ttng.warp_group_dot_wait` for it. Before, it
    may only be the accumulator of another such dot. Operands in shared memory are read as late as
    that wait, and must not be written before. Of f8, sums of at most `mostImprecise` products along
    K, but of 32 at least, are added up in the tensor core and then to the result; of all if it is 0.

    - (warp_group_dot_c1) a is MxK in shared memory or in registers, b is KxN in shared memory, c and
      the result are MxN;
    - (warp_group_dot_c2) elements of a and b are f16, bf16, f32 or f8, of one width, and the
      result's are f32, or f16 of f16 and f8; or they are i8, and the result's i32;
    - (warp_group_dot_c3) M is a multiple of 64, N of 8 and K of 32 bytes;
    - (warp_group_dot_c4) the warps that run it are a multiple of 4;
    - (warp_group_dot_c5) `mostImprecise` is of f8, `isUnsigned` of i8.

    For a GPU, operands in memory lie in panels (Panels.h), along K unless elements have 16 bits, and
    the result has a mma layout of version 3. Operands of f32 have been rounded to tf32: the lower
    bits are cut off.

    ```mlir
    %d = ttng.warp_group_dot %a, %b, %c : !ttg.memdesc<128x64xf16, #shared> * !ttg.memdesc<64x128xf16, #shared_t> -> tensor<128x128xf32, #mma>
    %e = ttng.warp_group_dot_wait %d : tensor<128x128xf32, #mma> {pendings = 0 : i32}
    ```
  }];
  let arguments = (ins Arg<AnyTypeOf<[Tile_Tensor, TileGPU_MemDesc]>, "", [MemRead]>:$a,
                       Arg<TileGPU_MemDesc, "", [MemRead]>:$b, Tile_Tensor:$c,
                       DefaultValuedAttr<I32Attr, "0">:$mostImprecise, UnitAttr:$isUnsigned);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $c attr-dict `:` type($a) `*` type($b) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TileNVGPU_WarpGroupDotWaitOp : TileNVGPU_SyncOp<"warp_group_dot_wait", [
    TileGPU_AsyncReadWait, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "waits until at most `pendings` dots of the group go on";
  let description = [{
    The results are the operands, of which those are there whose dots are over. Tiles that no dot
    makes go through it, too, to be computed in front of it and used behind it: a tile that becomes
    the left operand of the next dot, in the registers of this one's, or sums of rows.

    ```mlir
    %e = ttng.warp_group_dot_wait %d : tensor<128x128xf32, #mma> {pendings = 1 : i32}
    ```
  }];
  let arguments = (ins Variadic<Tile_Tensor>:$tiles,
                       ConfinedAttr<I32Attr, [IntNonNegative]>:$pendings);
  let results = (outs Variadic<Tile_Tensor>:$results);
  let assemblyFormat = "($tiles^ `:` type($tiles))? attr-dict";
}

def TileNVGPU_KeepOperandOp : TileNVGPU_SyncOp<"keep_operand"> {
  let summary = "a left operand is in registers up to here";
  let description = [{
    It stands at the end of each loop whose iterations multiply what is computed in front of it.
    ptxas takes registers that nothing but products of warp groups reads for free behind the last
    product of an iteration, and puts other values there, which the next iteration multiplies.

    ```mlir
    ttng.keep_operand %q : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    ```
  }];
  let arguments = (ins Tile_Tensor:$tile);
  let assemblyFormat = "$tile `:` type($tile) attr-dict";
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

def TileNVGPU_ClusterArriveOp : TileNVGPU_SyncOp<"cluster_arrive"> {
  let summary = "the CTA comes to the barrier of its cluster and goes on";
  let description = [{
    What it has accessed before is done for those who wait, unless it is `relaxed`.

    - (cluster_c1) it stands in no warp group: all threads of the CTA come.

    ```mlir
    ttng.cluster_arrive
    ttng.cluster_wait
    ```
  }];
  let arguments = (ins UnitAttr:$relaxed);
  let assemblyFormat = "(`relaxed` $relaxed^)? attr-dict";
  let hasVerifier = 1;
}

def TileNVGPU_ClusterWaitOp : TileNVGPU_SyncOp<"cluster_wait"> {
  let summary = "waits until all CTAs of the cluster have arrived";
  let description = [{
    After a `ttng.cluster_arrive` of this CTA.

    - (cluster_c1) it stands in no warp group: all threads of the CTA come.

    ```mlir
    ttng.cluster_arrive relaxed
    ttng.cluster_wait
    ```
  }];
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def TileNVGPU_ClusterRankOp : TileNVGPU_Op<"cluster_rank", [Pure]> {
  let summary = "the number of the CTA in its cluster";
  let description = [{
    From 0 to the number of CTAs of a program (`ttg.num-ctas`), less one.

    ```mlir
    %r = ttng.cluster_rank : i32
    ```
  }];
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def TileNVGPU_ClusterGatherOp : TileNVGPU_SyncOp<"cluster_gather"> {
  let summary = "what each CTA of the cluster has, in the order of their ranks";
  let description = [{
    The first dimension of the result counts CTAs; all of them get the same. ttg-plan-exchanges
    makes of it a `ttng.cluster_store`, the barrier of the cluster, and a load.

    - (cluster_c1) it stands in no warp group: all threads of the CTA come;
    - (cluster_gather_c2) the result has the element type of the source, and as shape the number of
      CTAs of a program (`ttg.num-ctas`) and behind it the source's.

    ```mlir
    %y = ttng.cluster_gather %x : f32 -> tensor<4xf32, #blocked>
    ```
  }];
  let arguments = (ins Tile_Any:$src);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def TileNVGPU_ClusterStoreOp : TileNVGPU_Op<"cluster_store"> {
  let summary = "writes to the shared memory of all CTAs of the cluster";
  let description = [{
    In the memory `dst` of each CTA, the slice whose number is the rank of this one becomes `src`. It
    is there behind the barrier of the cluster: `ttng.cluster_arrive`, not relaxed, of all CTAs, and
    `ttng.cluster_wait`.

    - (cluster_c1) it stands in no warp group: all threads of the CTA come;
    - (cluster_store_c2) the memory is mutable, row-major, has the element type of the source, and as
      shape the number of CTAs of a program (`ttg.num-ctas`) and behind it the source's.

    ```mlir
    ttng.cluster_store %x, %m : f32 -> !ttg.memdesc<4xf32, #shared1, mutable>
    ```
  }];
  let arguments = (ins Tile_Any:$src, Arg<TileGPU_MemDesc, "", [MemWrite]>:$dst);
  let assemblyFormat = "$src `,` $dst attr-dict `:` type($src) `->` type($dst)";
  let hasVerifier = 1;
}

#endif
