//===- TileGPUOps.td - operations of the ttg dialect -----------*- tablegen -*-===//

#ifndef TRITIUM_TILEGPU_OPS_TD
#define TRITIUM_TILEGPU_OPS_TD

include "tritium/Dialect/TileGPU/IR/TileGPUDialect.td"
include "tritium/Dialect/TileGPU/IR/TileGPUAttrs.td"
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

#endif
