//===- Passes.td - transformations of the tt dialect -----------*- tablegen -*-===//

#ifndef TRITIUM_TILE_TRANSFORMS_PASSES_TD
#define TRITIUM_TILE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def Canonicalize : Pass<"tt-canonicalize"> {
  let summary = "MLIR's canonicalizer, where a number wins over none";
  let description = [{
    Maxima and minima of a NaN and an infinity, or another constant, are not folded to NaN.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def CheckHints : Pass<"tt-check-hints"> {
  let summary = "turns checks of hints into assertions";
  let description = [{
    A `tt.check_hint` becomes the arithmetic that finds the first element of which the hint does
    not hold, and a `tt.assert` that reports it.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::tritium::tt::TileDialect"];
}

def DescriptorsToPointers : Pass<"tt-descriptors-to-pointers"> {
  let summary = "turns blocks of arrays into tiles of pointers and masks";
  let description = [{
    Accesses through tensor descriptors become loads, stores and atomics of pointers, under masks
    of what lies within the array.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tritium::tt::TileDialect"];
}

def ScalarizeLoopOffsets : Pass<"tt-scalarize-loop-offsets"> {
  let summary = "carries a scalar offset through loops instead of a tile";
  let description = [{
    A tile of pointers or integers that every iteration of an `scf.for` moves by one
    amount for all elements becomes a tile outside of the loop and a carried scalar.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tritium::tt::TileDialect"];
}

def SinkCarriedLoads : Pass<"tt-sink-carried-loads"> {
  let summary = "loads a tile in the iteration that uses it";
  let description = [{
    A loop that loads the next iteration's tile and carries it, as a kernel does that is
    pre-fetched by hand, carries the scalars of the address instead and loads at the top.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tritium::tt::TileDialect"];
}

def WidenOffsets : Pass<"tt-widen-offsets"> {
  let summary = "computes the offsets of pointers in 64 bits";
  let description = [{
    Additions, subtractions and products of i32 that lead to the offset of an `addptr`
    are done in i64, where they do not wrap.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tritium::tt::TileDialect"];
}

def UnrollLoops : Pass<"tt-unroll-loops"> {
  let summary = "unrolls short loops of known trip count";
  let description = [{
    A loop without products or other loops in it, of at most 16 iterations, becomes its
    iterations.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def JoinLoops : Pass<"tt-join-loops"> {
  let summary = "joins two loops of dots that differ in what stands between these";
  let description = [{
    A loop that goes on where the one in front of it ends, with the same loads and dots, becomes
    one with it, in which what differs is in a branch.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def SplitK : Pass<"tt-split-k", "::mlir::ModuleOp"> {
  let summary = "programs that add up over a loop share it out to several";
  let description = [{
    Of a kernel with one loop that adds up, each program becomes several parts, which take a part of
    the iterations each. They store their sums in memory that the launch has for them; the last of
    them to do so adds these up and goes on behind the loop. The launch has two more arguments then,
    behind the others, and as many programs more along the third dimension of the grid
    (`tt.split_k`).
  }];
  let options = [Option<"parts", "parts", "int64_t", "2", "parts of a program, 2 to 64">,
                 Option<"warps", "warps", "int64_t", "4", "warps of a program">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::tritium::tt::TileDialect"];
}

def StreamK : Pass<"tt-stream-k", "::mlir::ModuleOp"> {
  let summary = "programs that add up over a loop may share their rounds out";
  let description = [{
    Of a kernel with one loop that adds up, a program does the rounds that `tt.program_share` says.
    If these are some of them, it stores their sums in memory that the launch has for them; the last
    of a program's parts to do so adds these up and goes on behind the loop. The launch has two more
    arguments then, behind the others (`tt.stream_k`).
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::tritium::tt::TileDialect"];
}

def FoldRanges : Pass<"tt-fold-ranges"> {
  let summary = "decides comparisons by what their operands can be";
  let description = [{
    A mask that ranges of integers show to be always true, or always false, becomes a
    constant.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def RoughExponentials : Pass<"tt-rough-exponentials"> {
  let summary = "marks exponentials whose last bits nobody keeps";
  let description = [{
    Weights of a softmax that are rounded to 16 bits are `tt.rough`: an error of some 2^-18 of the
    exponential is no matter.
  }];
}

def FuseMultiplyAdds : Pass<"tt-fuse-multiply-adds"> {
  let summary = "rounds a product that feeds a sum once, with the sum";
  let description = [{
    A product that only sums and differences of 32 or 64 bits read becomes `math.fma` with each.
    No later stage fuses what is not fused here, but what a sum along a dimension adds up.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def NarrowOffsets : Pass<"tt-narrow-offsets"> {
  let summary = "computes offsets of pointers in 32 bits where that is proved to suffice";
  let description = [{
    The offset of an `addptr` whose i64 arithmetic cannot leave the range of i32 is
    computed in i32, without wrap.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tritium::tt::TileDialect"];
}

def LoadRunsOnce : Pass<"tt-load-runs-once"> {
  let summary = "loads runs of one address once, where operands of dots are computed of them";
  let description = [{
    A load of a loop whose pointers, mask and other values are the same in runs along a dimension
    becomes a load of the first of each run, which is then repeated.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tritium::tt::TileDialect"];
}

def Combine : Pass<"tt-combine"> {
  let summary = "merges neighbouring tile operations";
  let description = [{
    A product that is added to a tile accumulates into it; arithmetic on uniform tiles
    becomes scalar; a select behind a load under the same mask becomes its `other`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tritium::tt::TileDialect"];
}

#endif
