//===- TileDialect.td - the tt dialect -------------------------*- tablegen -*-===//

#ifndef TRITIUM_TILE_DIALECT_TD
#define TRITIUM_TILE_DIALECT_TD

include "mlir/IR/OpBase.td"

def Tile_Dialect : Dialect {
  let name = "tt";
  let cppNamespace = "::tritium::tt";
  let summary = "Tile programs: what a kernel means, without layout";
  let description = [{
    A kernel is a single-threaded program over tiles. A tile is a ranked tensor
    with static, positive extents; its elements are integers, floats or pointers
    (`!tt.ptr<T>`). Rank 0 does not occur: a scalar is a value of the element type.

    Element-wise computation uses `arith` and `math`, control flow uses `scf`.
    Integers are signless; the front end chooses signed or unsigned operations.

    Facts about values travel as discardable attributes: `tt.divisibility`,
    `tt.contiguity` and `tt.constancy` (an integer per dimension, or one integer
    on a scalar or a function argument).
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect"];
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{ void registerTypes(); }];
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
}

#endif
