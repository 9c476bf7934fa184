//===- TileGPUOps.td - operations of the ttg dialect -----------*- tablegen -*-===//

#ifndef TRITIUM_TILEGPU_OPS_TD
#define TRITIUM_TILEGPU_OPS_TD

include "tritium/Dialect/TileGPU/IR/TileGPUDialect.td"
include "tritium/Dialect/TileGPU/IR/TileGPUAttrs.td"
include "tritium/Dialect/TileGPU/IR/TileGPUTypes.td"
include "tritium/Dialect/Tile/IR/TileTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class TileGPU_Op<string mnemonic, list<Trait> traits = []> : Op<TileGPU_Dialect, mnemonic, traits>;

def TileGPU_ConvertLayoutOp : TileGPU_Op<"convert_layout", [Pure]> {
  let summary = "the same tile in another layout";
  let description = [{
    - (convert_layout_c1) shape and element type stay, and both sides have a layout.

    ```mlir
    %y = ttg.convert_layout %x : tensor<64xf32, #blocked> -> tensor<64xf32, #blocked1>
    ```
  }];
  let arguments = (ins Tile_Tensor:$src);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

def TileGPU_LocalAllocOp : TileGPU_Op<"local_alloc", [MemoryEffects<[MemAlloc]>]> {
  let summary = "reserves shared memory";
  let description = [{
    What it holds is undefined. It lives until its last use.

    ```mlir
    %m = ttg.local_alloc : !ttg.memdesc<3x128x64xf16, #shared>
    ```
  }];
  let results = (outs TileGPU_MemDesc:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def TileGPU_MemDescIndexOp : TileGPU_Op<"memdesc_index", [Pure]> {
  let summary = "one buffer of several";
  let description = [{
    `ahead` promises which one it is: buffers are taken in turn, one an iteration of the loop
    that reads them, and this is the one of that many iterations later (or earlier). Accesses
    of different ones need no barrier between them.

    - (memdesc_index_c1) the result is the operand without its number of buffers.
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
      layout of the result are permuted by it.
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

def TileGPU_LocalLoadOp : TileGPU_Op<"local_load", []> {
  let summary = "a tile from shared memory to registers";
  let description = [{
    With `offsets` a part of what lies there, from that element on.

    - (local_load_c1) shape and element type agree, and the result has a layout;
    - (local_load_c2) a part lies inside, at multiples of its extents.
  }];
  let arguments = (ins Arg<TileGPU_MemDesc, "", [MemRead]>:$src,
                       OptionalAttr<DenseI64ArrayAttr>:$offsets);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Type":$type, "::mlir::Value":$src), [{
    build($_builder, $_state, type, src, ::mlir::DenseI64ArrayAttr());
  }]>];
  let hasVerifier = 1;
}

def TileGPU_LocalStoreOp : TileGPU_Op<"local_store", []> {
  let summary = "a tile from registers to shared memory";
  let description = [{
    - (local_store_c1) shape and element type agree, and the operand has a layout.
  }];
  let arguments = (ins Tile_Tensor:$src, Arg<TileGPU_MemDesc, "", [MemWrite]>:$dst);
  let assemblyFormat = "$src `,` $dst attr-dict `:` type($src) `,` type($dst)";
  let hasVerifier = 1;
}

def TileGPU_AsyncCopyGlobalToLocalOp : TileGPU_Op<"async_copy_global_to_local", []> {
  let summary = "starts a copy from global to shared memory (cp.async)";
  let description = [{
    Elements whose mask is false become 0. The copy belongs to the group that the next
    `async_commit_group` closes; the elements are there for all threads after an
    `async_wait` for that group.

    - (async_copy_c1) pointers, mask and destination have one shape;
    - (async_copy_c2) the pointee is the destination's element.
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
  let assemblyFormat = "attr-dict";
}

def TileGPU_AsyncWaitOp : TileGPU_Op<"async_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until at most `num` groups are still on their way, for all threads";
  let description = "A barrier of the program is part of it.";
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$num);
  let assemblyFormat = "attr-dict";
}

#endif
