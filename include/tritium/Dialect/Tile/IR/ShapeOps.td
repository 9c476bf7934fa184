//===- ShapeOps.td - making and reshaping tiles ----------------*- tablegen -*-===//

#ifndef TRITIUM_TILE_SHAPE_OPS_TD
#define TRITIUM_TILE_SHAPE_OPS_TD

def Tile_MakeRangeOp : Tile_Op<"make_range", [Pure]> {
  let summary = "the integers [start, end) as a 1-D tile";
  let description = [{
    Constraints:
    - (make_range_c1) the result is a 1-D tile of i32;
    - (make_range_c2) end > start;
    - (make_range_c3) the extent is end - start.

    ```mlir
    %r = tt.make_range {start = 0 : i32, end = 781 : i32} : tensor<781xi32>
    ```
  }];
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_SplatOp : Tile_Op<"splat", [Pure, DeclareOpInterfaceMethods<Tile_DataMovement>]> {
  let summary = "a tile whose every element is one scalar";
  let description = [{
    - (splat_c1) the element type of the result is the operand's type.

    ```mlir
    %t = tt.splat %x : f32 -> tensor<64x32xf32>
    ```
  }];
  let arguments = (ins Tile_Scalar:$src);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure, DeclareOpInterfaceMethods<Tile_DataMovement>]> {
  let summary = "repeats a tile along dimensions of extent 1";
  let description = [{
    - (broadcast_c1) rank and element type stay;
    - (broadcast_c2) each dimension keeps its extent or was 1.

    ```mlir
    %t = tt.broadcast %x : tensor<64x1xf32> -> tensor<64x32xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$src);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tile_ExpandDimsOp : Tile_Op<"expand_dims", [Pure,
    DeclareOpInterfaceMethods<Tile_DataMovement>]> {
  let summary = "inserts a dimension of extent 1";
  let description = [{
    - (expand_dims_c1) 0 <= axis <= rank of the operand;
    - (expand_dims_c2) the result's shape is the operand's with 1 inserted at axis.

    ```mlir
    %t = tt.expand_dims %x {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$src, I32Attr:$axis);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tile_ReshapeOp : Tile_Op<"reshape", [Pure,
    DeclareOpInterfaceMethods<Tile_DataMovement, ["changesThreads"]>]> {
  let summary = "the same elements in row-major order under another shape";
  let description = [{
    - (reshape_c1) element type and number of elements stay.
    With `allow_reorder` the compiler may choose any order of the elements.

    ```mlir
    %t = tt.reshape %x : tensor<64x32xf32> -> tensor<2048xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$src, UnitAttr:$allow_reorder);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$src (`allow_reorder` $allow_reorder^)? attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tile_TransOp : Tile_Op<"trans", [Pure, DeclareOpInterfaceMethods<Tile_DataMovement>]> {
  let summary = "permutes the dimensions";
  let description = [{
    Dimension i of the result is dimension order[i] of the operand.
    - (trans_c1) order is a permutation of 0 .. rank-1;
    - (trans_c2) the result's shape and element type follow from it.

    ```mlir
    %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x32xf32> -> tensor<32x64xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$src, DenseI32ArrayAttr:$order);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tile_GatherOp : Tile_Op<"gather", [Pure, DeclareOpInterfaceMethods<Tile_DataMovement>]> {
  let summary = "elements along an axis that a tile of indices names";
  let description = [{
    Along the axis, an element of the result is the source's at the index that stands in its place;
    along the others the one at its own. Indices are signed. For one outside of the source's extent
    it is undefined which element it is; no memory but the source's is read.

    - (gather_c1) source and index have one rank, and axis is one of its dimensions;
    - (gather_c2) along all dimensions but axis their extents agree;
    - (gather_c3) indices have 32 or 64 bits;
    - (gather_c4) the result has the index's shape and the source's elements.

    ```mlir
    %y = tt.gather %x[%i] along 1 : tensor<16x64xf16>[tensor<16x8xi32>] -> tensor<16x8xf16>
    ```
  }];
  let arguments = (ins Tile_Tensor:$src, Tile_Tensor:$index, I32Attr:$axis);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $src `[` $index `]` `along` $axis attr-dict `:` type($src) `[` type($index) `]` `->`
    type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

#endif
