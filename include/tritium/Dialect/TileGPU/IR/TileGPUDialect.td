//===- TileGPUDialect.td - the ttg dialect ---------------------*- tablegen -*-===//

#ifndef TRITIUM_TILEGPU_DIALECT_TD
#define TRITIUM_TILEGPU_DIALECT_TD

include "mlir/IR/OpBase.td"

def TileGPU_Dialect : Dialect {
  let name = "ttg";
  let cppNamespace = "::tritium::ttg";
  let summary = "Tile programs whose every tile has a layout";
  let description = [{
    The operations of `tt`, `arith`, `math` and `scf` on tiles whose type carries a layout
    as its encoding: which register of which lane of which warp holds which element. What
    `ttg` adds are conversions between layouts, and shared memory.

    A module says `"ttg.num-warps" = n : i32`, a power of two; a warp has 32 lanes. It says which
    GPU it is for: `ttg.target = #ttg.target<compute = 90>`.
  }];
  let dependentDialects = ["::tritium::tt::TileDialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

#endif
