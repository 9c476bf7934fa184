//===- ComputeOps.td - dot, reductions, counts, hints, debugging -*- tablegen -*-===//

#ifndef TRITIUM_TILE_COMPUTE_OPS_TD
#define TRITIUM_TILE_COMPUTE_OPS_TD


def Tile_DotOp : Tile_Op<"dot", [Pure, AllTypesMatch<["c", "result"]>]> {
  let summary = "c + a * b, a matrix product of tiles";
  let description = [{
    a is [.., M, K], b is [.., K, N], c and the result [.., M, N], with one optional
    batch dimension. Products are accumulated in the element type of c. Of f8, a tensor core may add
    up maxNumImpreciseAcc products along K, or as few as it can, with less precision; all if it is 0.

    - (dot_c1) all operands have rank 2, or all have rank 3;
    - (dot_c2) batch, M, N and K agree;
    - (dot_c3) a and b have one element type (any two f8 types also match);
    - (dot_c4) float operands have a float result, i8 operands an i32 result.

    ```mlir
    %d = tt.dot %a, %b, %c {inputPrecision = 1 : i32} : tensor<64x32xf32> * tensor<32x16xf32> -> tensor<64x16xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$a, Tile_Tensor:$b, Tile_Tensor:$c,
      DefaultValuedAttr<Tile_InputPrecision, "::tritium::tt::InputPrecision::IEEE">:$inputPrecision,
      DefaultValuedAttr<I32Attr, "0">:$maxNumImpreciseAcc,
      UnitAttr:$isUnsigned);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$a `,` $b `,` $c attr-dict `:` type($a) `*` type($b) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_ReduceOp : Tile_Op<"reduce", [Pure, SameVariadicOperandSize, Tile_Combining,
    SingleBlockImplicitTerminator<"ReduceReturnOp">, RecursiveMemoryEffects]> {
  let summary = "combines the elements along an axis";
  let description = [{
    The region takes 2n scalars, the n partial results of one side and then the n of
    the other, and returns n. It is associative and commutative; the order of
    combination is unspecified. A reduction of a 1-D tile gives scalars.

    - (reduce_c1) all operands have one shape, and axis is one of its dimensions;
    - (reduce_c2) result i has operand i's element type and the shape without axis;
    - (reduce_c3) the region's arguments and what it returns are those element types.

    ```mlir
    %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<64x128xf32>) -> tensor<64xf32>
    ```
  }];
  let arguments = (ins Variadic<Tile_Tensor>:$srcs, I32Attr:$axis);
  let results = (outs Variadic<Tile_Any>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$srcs, "int":$axis)>];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Tile_ReduceReturnOp : Tile_Op<"reduce.return", [Pure, Terminator, ReturnLike]> {
  let summary = "the combined values of a reduction";
  let description = [{
    The terminator of the region of `tt.reduce` (and `ttg.warp_reduce`): one value an operand.

    ```mlir
    %first:2 = "tt.reduce"(%x, %at) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %ia: i32, %b: f32, %ib: i32):
      %more = arith.cmpf ogt, %a, %b : f32
      %v = arith.select %more, %a, %b : f32
      %k = arith.select %more, %ia, %ib : i32
      tt.reduce.return %v, %k : f32, i32
    }) : (tensor<64xf32>, tensor<64xi32>) -> (f32, i32)
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$results);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}

def Tile_ScanOp : Tile_Op<"scan", [Pure, Tile_Combining,
    SingleBlockImplicitTerminator<"ScanReturnOp">, RecursiveMemoryEffects]> {
  let summary = "at each place along an axis what all up to there combine to";
  let description = [{
    The region takes 2n scalars, what n elements that come first combine to and then what those do
    that follow them, and returns n. It is associative, and need not be commutative: elements stay
    in their order, and how they are grouped is unspecified. With `reverse` the order is that from
    the end of the axis: an element is combined with those behind it, which come first.

    - (scan_c1) all operands have one shape, and axis is one of its dimensions;
    - (scan_c2) results have the types of the operands;
    - (scan_c3) the region's arguments and what it returns are their element types.

    ```mlir
    %s = "tt.scan"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tt.scan.return %t : f32
    }) : (tensor<64x128xf32>) -> tensor<64x128xf32>
    ```
  }];
  let arguments = (ins Variadic<Tile_Tensor>:$srcs, I32Attr:$axis, UnitAttr:$reverse);
  let results = (outs Variadic<Tile_Tensor>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
  let hasFolder = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Tile_ScanReturnOp : Tile_Op<"scan.return", [Pure, Terminator, ReturnLike]> {
  let summary = "the combined values of a scan";
  let description = [{
    The terminator of the region of `tt.scan` (and `ttg.warp_scan`, `ttg.join_scans`): one value an
    operand.

    ```mlir
    %y:2 = "tt.scan"(%slope, %shift) <{axis = 0 : i32, reverse}> ({
    ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
      %ac = arith.mulf %a, %c : f32
      %bc = arith.mulf %b, %c : f32
      %e = arith.addf %bc, %d : f32
      tt.scan.return %ac, %e : f32, f32
    }) : (tensor<64xf32>, tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>)
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$results);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}

def Tile_HistogramOp : Tile_Op<"histogram", [Pure]> {
  let summary = "how often each number occurs in a tile";
  let description = [{
    Element i of the result is how many elements of the operand, taken without sign, are i. Those
    that are not less than the extent of the result count nowhere.

    - (histogram_c1) operand and result are 1-D tiles of i32.

    ```mlir
    %h = tt.histogram %x : tensor<1000xi32> -> tensor<256xi32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$src);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_MulhiUIOp : Tile_Op<"mulhiui", [Pure, Tile_Elementwise, SameOperandsAndResultType]> {
  let summary = "the high half of an unsigned product";
  let description = [{
    Of the product of two n-bit numbers without sign, in 2n bits, the upper n.

    ```mlir
    %h = tt.mulhiui %x, %y : tensor<64xi32>
    ```
  }];
  let arguments = (ins Tile_IntLike:$x, Tile_IntLike:$y);
  let results = (outs Tile_IntLike:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($result)";
}

def Tile_AssumeOp : Tile_Op<"assume", []> {
  let summary = "a condition that the compiler may rely on";
  let description = [{
    Nothing is checked. Where hints are checked, an assertion stands before it.

    ```mlir
    tt.assume %ok
    ```
  }];
  let arguments = (ins I1:$condition);
  let assemblyFormat = "$condition attr-dict";
}

def Tile_PrintOp : Tile_Op<"print", [MemoryEffects<[MemWrite, MemRead]>]> {
  let summary = "prints scalars or tiles at run time, one line an element";
  let description = [{
    Of a tile each element is a line, with its coordinates; `hex` shows bits. Whether integers have a
    sign, the type does not say: `isSigned` has one entry an operand.

    ```mlir
    tt.print "x: " {hex = false, isSigned = array<i1: true>} : %x : tensor<64xi32>
    ```
  }];
  let arguments = (ins StrAttr:$prefix, BoolAttr:$hex, Variadic<Tile_Any>:$args, DenseBoolArrayAttr:$isSigned);
  let assemblyFormat = "$prefix attr-dict (`:` $args^ `:` type($args))?";
}

def Tile_AssertOp : Tile_Op<"assert", [MemoryEffects<[MemWrite, MemRead]>]> {
  let summary = "stops the launch with a message where a condition is false";
  let description = [{
    A failure may report a value: 64 bits of a number of `kind`, those of a float64 for a float.
    `message` then ends in what has the value; of an element of a tile of `shape`, its number in
    row-major order stands before the value.
    - (assert_c1) a report is a value, or, with a shape, an element's number and a value;
    - (assert_c2) with a report the condition is a scalar.

    ```mlir
    tt.assert %ok, "a multiple of 16: element" reports %i, %v {shape = array<i64: 8, 8>} : i1
    ```
  }];
  let arguments = (ins Tile_BoolLike:$condition, StrAttr:$message, Variadic<I64>:$report,
      DefaultValuedAttr<Tile_ReportKind, "::tritium::tt::ReportKind::SIGNED">:$kind,
      DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$shape);
  let builders = [OpBuilder<(ins "::mlir::Value":$condition, "::llvm::StringRef":$message), [{
    build($_builder, $_state, condition, message, ::mlir::ValueRange());
  }]>];
  let assemblyFormat = "$condition `,` $message (`reports` $report^)? attr-dict `:` type($condition)";
  let hasVerifier = 1;
}

def Tile_CheckHintOp : Tile_Op<"check_hint", [MemoryEffects<[MemWrite, MemRead]>]> {
  let summary = "stops the launch where a hint does not hold";
  let description = [{
    The front end puts it where a kernel states a hint, in code that checks hints; the pass
    tt-check-hints makes it an assertion. `message` says which hint does not hold.
    - (check_hint_c1) one value a dimension, one for a scalar, each positive;
    - (check_hint_c2) divisibility and contiguity are of integers and pointers.

    ```mlir
    tt.check_hint divisibility [16] of %x, "tl.multiple_of(x, 16) does not hold" {isSigned = true} : tensor<64xi32>
    ```
  }];
  let arguments = (ins Tile_HintKind:$kind, DenseI64ArrayAttr:$values, Tile_Any:$x,
                       StrAttr:$message, BoolAttr:$isSigned);
  let assemblyFormat = "$kind $values `of` $x `,` $message attr-dict `:` type($x)";
  let hasVerifier = 1;
}

#endif
