//===- DescriptorOps.td - blocks of arrays in memory -----------*- tablegen -*-===//
//
// An element of a block belongs to the array where its index lies in [0, extent) in every
// dimension. Indices, extents and strides are i64 and count elements; index and offset of an
// element of a block are exact sums, which do not wrap.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_TILE_DESCRIPTOR_OPS_TD
#define TRITIUM_TILE_DESCRIPTOR_OPS_TD

/// The tile that moves is the descriptor's block.
class Tile_MovesBlock<string tile>
    : TypesMatchWith<"the tile must be the descriptor's block", "desc", tile,
                     "::tritium::tt::blockMovedBy($_self)">;
/// The rows that are named are those of the tile that moves.
class Tile_NamesRows<string tile>
    : TypesMatchWith<"there must be one i64 for each row of the tile", tile, "rows",
                     "::tritium::tt::rowNumbersOf($_self)">;

def Tile_MakeTensorDescriptorOp : Tile_Op<"make_tensor_descriptor", [Pure, SameVariadicOperandSize,
    TypesMatchWith<"the base must point to the elements", "result", "base", "::tritium::tt::baseOf($_self)">]> {
  let summary = "describes an array that is accessed in blocks";
  let description = [{
    `base` points to the element at index zero. Strides are free: what a target's copy engine
    demands of them it has to see in the operands (a last stride that is the constant 1, the hint
    `tt.divisibility` on the others).

    - (make_tensor_descriptor_c1) there is one extent and one stride for each dimension of the block.

    ```mlir
    %d = tt.make_tensor_descriptor %p, [%m, %n], [%stride, %one] : !tt.tensordesc<128x64xf16>
    ```
  }];
  let arguments = (ins Tile_Ptr:$base, Variadic<I64>:$shape, Variadic<I64>:$strides);
  let results = (outs Tile_TensorDesc:$result);
  let assemblyFormat = [{
    $base `,` `[` $shape `]` `,` `[` $strides `]` attr-dict `:` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Tile_DescriptorLoadOp : Tile_Op<"descriptor_load", [
    Tile_MemoryAccess, Tile_MovesBlock<"result">,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "reads one block of an array";
  let description = [{
    The element at position `r` of the block is the array's at `indices + r`, or padding where
    that lies outside of the array. Along a dimension that is `in_bounds` nothing is checked: the
    kernel says that the block lies within the array.

    - (descriptor_load_c1) there is one index for each dimension of the block;
    - (descriptor_load_c2) `in_bounds` has one element for each dimension, if it is there.

    ```mlir
    %v = tt.descriptor_load %d[%i, %j] in_bounds = [false, true] : !tt.tensordesc<128x64xf16>
    ```
  }];
  let arguments = (ins Tile_TensorDesc:$desc, Variadic<I64>:$indices,
      OptionalAttr<DenseBoolArrayAttr>:$in_bounds,
      DefaultValuedAttr<Tile_CacheModifier, "::tritium::tt::CacheModifier::NONE">:$cache,
      DefaultValuedAttr<Tile_EvictionPolicy, "::tritium::tt::EvictionPolicy::NORMAL">:$evict,
      UnitAttr:$isVolatile);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $desc `[` $indices `]` (`in_bounds` `=` $in_bounds^)? (`cache` `=` $cache^)?
    (`evict` `=` $evict^)? (`volatile` $isVolatile^)? attr-dict `:` qualified(type($desc))
  }];
  let hasVerifier = 1;
}

def Tile_DescriptorStoreOp : Tile_Op<"descriptor_store", [
    Tile_MemoryAccess, Tile_MovesBlock<"value">]> {
  let summary = "writes one block of an array";
  let description = [{
    Elements of the block that lie outside of the array are not written. `in_bounds` as in
    `tt.descriptor_load`.

    - (descriptor_store_c1) there is one index for each dimension of the block;
    - (descriptor_store_c2) `in_bounds` has one element for each dimension, if it is there.

    ```mlir
    tt.descriptor_store %d[%i, %j], %v : !tt.tensordesc<128x64xf16>
    ```
  }];
  let arguments = (ins Arg<Tile_TensorDesc, "", [MemWrite]>:$desc, Variadic<I64>:$indices,
      Tile_Tensor:$value, OptionalAttr<DenseBoolArrayAttr>:$in_bounds,
      DefaultValuedAttr<Tile_CacheModifier, "::tritium::tt::CacheModifier::NONE">:$cache,
      DefaultValuedAttr<Tile_EvictionPolicy, "::tritium::tt::EvictionPolicy::NORMAL">:$evict);
  let assemblyFormat = [{
    $desc `[` $indices `]` `,` $value (`in_bounds` `=` $in_bounds^)? (`cache` `=` $cache^)?
    (`evict` `=` $evict^)? attr-dict `:` qualified(type($desc))
  }];
  let hasVerifier = 1;
}

def Tile_DescriptorReduceOp : Tile_Op<"descriptor_reduce", [Tile_MovesBlock<"value">,
    DeclareOpInterfaceMethods<Tile_MemoryAccess, ["getAtomicOrder"]>]> {
  let summary = "combines one block of an array with a tile, element by element";
  let description = [{
    Each element of the array becomes what the operation makes of it and the tile's, atomically,
    in no defined order. Elements of the block that lie outside of the array are left out.

    - (descriptor_reduce_c1) there is one index for each dimension of the block;
    - (descriptor_reduce_c2) `fadd` needs floats; `add and or xor umax umin` need integers;
      `max min` take signed integers and floats of 16 bits or more, of which -0 is less than 0 and a NaN beyond
      the infinity of its sign; there is no `exch`.

    ```mlir
    tt.descriptor_reduce fadd, %d[%i, %j], %v : !tt.tensordesc<128x64xf32>
    ```
  }];
  let arguments = (ins Tile_RMWOp:$kind, Arg<Tile_TensorDesc, "", [MemRead, MemWrite]>:$desc,
                       Variadic<I64>:$indices, Tile_Tensor:$value);
  let assemblyFormat = "$kind `,` $desc `[` $indices `]` `,` $value attr-dict `:` qualified(type($desc))";
  let hasVerifier = 1;
}

def Tile_DescriptorGatherOp : Tile_Op<"descriptor_gather", [
    Tile_MemoryAccess, Tile_NamesRows<"result">]> {
  let summary = "reads rows of an array of two dimensions that a tile names";
  let description = [{
    Row `r` of the result is the array's row `rows[r]`, from `column` on; elements outside of the
    array are padding.

    - (descriptor_gather_c1) the descriptor's block is one row, `1xC`;
    - (descriptor_gather_c2) the result has C columns and the descriptor's elements.

    ```mlir
    %v = tt.descriptor_gather %d[%rows, %j] : !tt.tensordesc<1x64xf16> -> tensor<32x64xf16>
    ```
  }];
  let arguments = (ins Arg<Tile_TensorDesc, "", [MemRead]>:$desc, Tile_Tensor:$rows, I64:$column);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $desc `[` $rows `,` $column `]` attr-dict `:` qualified(type($desc)) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_DescriptorScatterOp : Tile_Op<"descriptor_scatter", [
    Tile_MemoryAccess, Tile_NamesRows<"value">]> {
  let summary = "writes rows of an array of two dimensions that a tile names";
  let description = [{
    Elements outside of the array are not written. Which of two rows with one number is left in
    memory is unspecified.

    - (descriptor_scatter_c1) the descriptor's block is one row, `1xC`;
    - (descriptor_scatter_c2) the value has C columns and the descriptor's elements.

    ```mlir
    tt.descriptor_scatter %d[%rows, %j], %v : !tt.tensordesc<1x64xf16>, tensor<32x64xf16>
    ```
  }];
  let arguments = (ins Arg<Tile_TensorDesc, "", [MemWrite]>:$desc, Tile_Tensor:$rows, I64:$column,
                       Tile_Tensor:$value);
  let assemblyFormat = [{
    $desc `[` $rows `,` $column `]` `,` $value attr-dict `:` qualified(type($desc)) `,` type($value)
  }];
  let hasVerifier = 1;
}

#endif
