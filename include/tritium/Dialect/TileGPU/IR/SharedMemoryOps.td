//===- SharedMemoryOps.td - tiles in shared memory -------------*- tablegen -*-===//

#ifndef TRITIUM_TILEGPU_SHAREDMEMORY_OPS_TD
#define TRITIUM_TILEGPU_SHAREDMEMORY_OPS_TD

def TileGPU_BarrierOp : TileGPU_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "no thread passes before all have come";
  let description = [{
    All threads that stand in the enclosing warp group, or all of the program. What they accessed
    before it is done for those behind it. `hazard` says what it is there for, as
    `ttg-place-barriers` found it.

    ```mlir
    ttg.barrier {hazard = "read after write, shared memory [0, 512)"}
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$hazard);
  let assemblyFormat = "attr-dict";
}

def TileGPU_LocalAllocOp : TileGPU_Op<"local_alloc", []> {
  let summary = "reserves shared memory";
  let description = [{
    It holds `init`, as if a `local_store` had written it, and then nothing else may; or what it
    holds is undefined, and it is mutable. It lives until its last use, or, if it is allocated in
    one of several warp groups, as long as those run. `offset` is where it begins in the program's
    shared memory, in bytes, as `ttg-allocate-shared-memory` decides.

    - (local_alloc_c1) with a value the result is not mutable, without one it is;
    - (local_alloc_c2) shape and element type of value and memory agree, the value has a layout;
      a scalar is one element;
    `alignment` is what the address must be a multiple of, 16 if it is not there: what hardware
    exchanges by bits of addresses needs more.

    - (local_alloc_c3) the offset is a multiple of the alignment and not negative;
    - (local_alloc_c4) the alignment is a power of two from 16 to 1024.

    ```mlir
    %m = ttg.local_alloc : !ttg.memdesc<3x128x64xf16, #shared, mutable>
    %n = ttg.local_alloc init(%x : tensor<64xf32, #blocked>) : !ttg.memdesc<64xf32, #shared1>
    ```
  }];
  let arguments = (ins Optional<Tile_Any>:$init, OptionalAttr<I32Attr>:$offset,
                       OptionalAttr<I32Attr>:$alignment);
  let results = (outs Res<TileGPU_MemDesc, "", [MemAlloc, MemWrite]>:$result);
  let assemblyFormat = [{
    (`init` `(` $init^ `:` type($init) `)`)? attr-dict `:` type($result)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Type":$type), [{
      build($_builder, $_state, type, ::mlir::Value(), ::mlir::IntegerAttr(),
            ::mlir::IntegerAttr());
    }]>,
    OpBuilder<(ins "::mlir::Type":$type, "::mlir::Value":$init), [{
      build($_builder, $_state, type, init, ::mlir::IntegerAttr(), ::mlir::IntegerAttr());
    }]>
  ];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Of all buffers.
    uint64_t getBytes() { return getType().getTileBytes() * getType().getNumBuffers(); }
    /// What the offset is a multiple of.
    uint64_t getLeastAlignment() { return getAlignment().value_or(kSharedAlignment); }
  }];
}

def TileGPU_MemDescIndexOp : TileGPU_Op<"memdesc_index", [Pure]> {
  let summary = "one buffer of several";
  let description = [{
    `ahead` promises which one it is: buffers are taken in turn, one an iteration of the loop
    that reads them, and this is the one of that many iterations later (or earlier). Accesses
    of different ones need no barrier between them.

    - (memdesc_index_c1) the result is the operand without its number of buffers.

    ```mlir
    %b = ttg.memdesc_index %ring[%i] {ahead = 1 : i32} : !ttg.memdesc<3x128x64xf16, #shared, mutable> -> !ttg.memdesc<128x64xf16, #shared, mutable>
    ```
  }];
  let arguments = (ins TileGPU_MemDesc:$src, I32:$index, OptionalAttr<I32Attr>:$ahead);
  let results = (outs TileGPU_MemDesc:$result);
  let assemblyFormat = "$src `[` $index `]` attr-dict `:` type($src) `->` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Value":$src, "::mlir::Value":$index,
                                 CArg<"std::optional<int>", "std::nullopt">:$ahead)>];
  let hasVerifier = 1;
}

def TileGPU_MemDescTransOp : TileGPU_Op<"memdesc_trans", [Pure]> {
  let summary = "the same memory as the transposed tile";
  let description = [{
    Dimension i of the result is dimension `order[i]` of the operand.
    - (memdesc_trans_c1) the operand is one buffer, order is a permutation, and shape and
      layout of the result are permuted by it;
    - (memdesc_trans_c2) of more than two dimensions it is one panel.

    ```mlir
    %t = ttg.memdesc_trans %b {order = array<i32: 1, 0>} : !ttg.memdesc<128x64xf16, #shared> -> !ttg.memdesc<64x128xf16, #shared_t>
    ```
  }];
  let arguments = (ins TileGPU_MemDesc:$src, DenseI32ArrayAttr:$order);
  let results = (outs TileGPU_MemDesc:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// What the result of a transposition of `type` is.
    static ::tritium::ttg::MemDescType transposed(::tritium::ttg::MemDescType type,
                                                  ::llvm::ArrayRef<int32_t> order);
  }];
}

def TileGPU_MemDescReshapeOp : TileGPU_Op<"memdesc_reshape", [Pure]> {
  let summary = "the same memory as a tile of another shape";
  let description = [{
    - (memdesc_reshape_c1) both have as many elements, and the layout in which elements lie one
      after another, the last dimension fastest.

    ```mlir
    %r = ttg.memdesc_reshape %b : !ttg.memdesc<64xf32, #shared1> -> !ttg.memdesc<4x16xf32, #shared_plain>
    ```
  }];
  let arguments = (ins TileGPU_MemDesc:$src);
  let results = (outs TileGPU_MemDesc:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def TileGPU_LocalLoadOp : TileGPU_Op<"local_load", []> {
  let summary = "a tile from shared memory to registers";
  let description = [{
    With `offsets` a part of what lies there, from that element on.

    - (local_load_c1) shape and element type agree, and the result has a layout; a scalar is one
      element;
    - (local_load_c2) a part lies inside, at multiples of its extents, of memory of one panel.

    ```mlir
    %x = ttg.local_load %m : !ttg.memdesc<64xf32, #shared1> -> tensor<64xf32, #blocked>
    %y = ttg.local_load %m {offsets = array<i64: 32>} : !ttg.memdesc<64xf32, #shared1> -> tensor<32xf32, #blocked>
    ```
  }];
  let arguments = (ins Arg<TileGPU_MemDesc, "", [MemRead]>:$src,
                       OptionalAttr<DenseI64ArrayAttr>:$offsets);
  let results = (outs Tile_Any:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Type":$type, "::mlir::Value":$src), [{
    build($_builder, $_state, type, src, ::mlir::DenseI64ArrayAttr());
  }]>];
  let hasVerifier = 1;
}

def TileGPU_LocalGatherOp : TileGPU_Op<"local_gather", []> {
  let summary = "elements of a tile in shared memory that a tile of indices names";
  let description = [{
    As `tt.gather`, of a source that lies in shared memory: a thread reads what it needs of it.

    - (local_gather_c1) rank, extents and element types are those of a `tt.gather`, and indices have
      32 bits or 64;
    - (local_gather_c2) index and result have one layout;
    - (local_gather_c3) elements lie one after another, the last dimension fastest.

    ```mlir
    %y = ttg.local_gather %m[%i] along 0 : !ttg.memdesc<64xf32, #shared1>[tensor<128xi32, #blocked>] -> tensor<128xf32, #blocked>
    ```
  }];
  let arguments = (ins Arg<TileGPU_MemDesc, "", [MemRead]>:$src, Tile_Tensor:$index, I32Attr:$axis);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $src `[` $index `]` `along` $axis attr-dict `:` type($src) `[` type($index) `]` `->`
    type($result)
  }];
  let hasVerifier = 1;
}

def TileGPU_LocalStoreOp : TileGPU_Op<"local_store", []> {
  let summary = "a tile from registers to shared memory";
  let description = [{
    With `offsets` the part of the tile from that element on that has the extents of the memory.

    - (local_store_c1) shape and element type agree, and the operand has a layout;
    - (local_store_c2) the memory is mutable;
    - (local_store_c3) a part lies inside, at multiples of its extents, and threads hold elements of
      each such part in the same way.

    ```mlir
    ttg.local_store %x, %m : tensor<64xf32, #blocked>, !ttg.memdesc<64xf32, #shared1, mutable>
    ttg.local_store %y, %n {offsets = array<i64: 128>} : tensor<256xf32, #blocked>, !ttg.memdesc<128xf32, #shared1, mutable>
    ```
  }];
  let arguments = (ins Tile_Tensor:$src, Arg<TileGPU_MemDesc, "", [MemWrite]>:$dst,
                       OptionalAttr<DenseI64ArrayAttr>:$offsets);
  let builders = [OpBuilder<(ins "::mlir::Value":$src, "::mlir::Value":$dst), [{
    build($_builder, $_state, src, dst, ::mlir::DenseI64ArrayAttr());
  }]>];
  let assemblyFormat = "$src `,` $dst attr-dict `:` type($src) `,` type($dst)";
  let hasVerifier = 1;
}

def TileGPU_LocalCountOp : TileGPU_Op<"local_count", []> {
  let summary = "counts elements in shared memory";
  let description = [{
    Adds one to the element of the memory that each element of `index`, taken without sign, names.
    One that is not less than the memory's extent names none. Threads add in any order, and those of
    several such operations may add at the same time.

    - (local_count_c1) the indices are i32 and have a layout;
    - (local_count_c2) the memory is mutable;
    - (local_count_c3) it is one dimension of i32, one after another.

    ```mlir
    ttg.local_count %x, %m : tensor<1024xi32, #blocked>, !ttg.memdesc<256xi32, #shared1, mutable>
    ```
  }];
  let arguments = (ins Tile_Tensor:$index, Arg<TileGPU_MemDesc, "", [MemRead, MemWrite]>:$memory);
  let assemblyFormat = "$index `,` $memory attr-dict `:` type($index) `,` type($memory)";
  let hasVerifier = 1;
}

def TileGPU_AsyncCopyGlobalToLocalOp : TileGPU_Op<"async_copy_global_to_local", [Tile_MemoryAccess]> {
  let summary = "starts a copy from global to shared memory (cp.async)";
  let description = [{
    Elements whose mask is false become 0. The copy belongs to the group that the next
    `async_commit_group` closes; the elements that a thread copies are there for it after an
    `async_wait` for that group, and for all threads behind a barrier after that.

    - (async_copy_c1) pointers, mask and destination have one shape;
    - (async_copy_c2) the pointee is the destination's element;
    - (async_copy_c3) the destination is mutable;
    - (async_copy_c4) the destination is whole panels of its layout, each of which is as many
      elements of threads.

    ```mlir
    ttg.async_copy_global_to_local %p, %m mask %k : tensor<64xi1, #blocked> : tensor<64x!tt.ptr<f32>, #blocked> -> !ttg.memdesc<64xf32, #shared1, mutable>
    ```
  }];
  let arguments = (ins Arg<Tile_PtrLike, "", [MemRead]>:$ptr,
                       Arg<TileGPU_MemDesc, "", [MemWrite]>:$dst, Optional<Tile_BoolLike>:$mask);
  let assemblyFormat = [{
    $ptr `,` $dst (`mask` $mask^ `:` type($mask))? attr-dict `:` type($ptr) `->` type($dst)
  }];
  let hasVerifier = 1;
}

def TileGPU_AsyncCommitGroupOp : TileGPU_Op<"async_commit_group", [MemoryEffects<[MemWrite]>]> {
  let summary = "closes a group of asynchronous copies, which may be empty";
  let description = [{
    What each thread has started to copy since the last one is a group. Groups arrive in order.

    ```mlir
    ttg.async_commit_group
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def TileGPU_AsyncWaitOp : TileGPU_Op<"async_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until at most `num` groups of the thread's copies are on their way";
  let description = [{
    Each thread waits for its own copies. Others see what they brought behind a barrier.

    ```mlir
    ttg.async_wait {num = 1 : i32}
    ttg.barrier
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$num);
  let assemblyFormat = "attr-dict";
}

#endif
