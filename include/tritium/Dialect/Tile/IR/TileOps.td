//===- TileOps.td - operations of the tt dialect ---------------*- tablegen -*-===//

#ifndef TRITIUM_TILE_OPS_TD
#define TRITIUM_TILE_OPS_TD

include "tritium/Dialect/Tile/IR/TileDialect.td"
include "tritium/Dialect/Tile/IR/TileEnums.td"
include "tritium/Dialect/Tile/IR/TileTypes.td"
include "tritium/Dialect/Tile/IR/TileInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/CastInterfaces.td"

class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<Tile_Dialect, mnemonic, traits>;

include "tritium/Dialect/Tile/IR/FuncOps.td"
include "tritium/Dialect/Tile/IR/ShapeOps.td"
include "tritium/Dialect/Tile/IR/MemoryOps.td"
include "tritium/Dialect/Tile/IR/DescriptorOps.td"
include "tritium/Dialect/Tile/IR/ComputeOps.td"
include "tritium/Dialect/Tile/IR/ElementOps.td"

#endif
