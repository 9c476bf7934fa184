//===- TileNVGPU.h - the ttng dialect: what only NVIDIA has -----*- C++ -*-===//
//
// See TileNVGPUDialect.td for the two proxies of memory and TileNVGPUOps.td for the operations.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_DIALECT_TILENVGPU_IR_TILENVGPU_H
#define TRITIUM_DIALECT_TILENVGPU_IR_TILENVGPU_H

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/Interfaces/InferTypeOpInterface.h"

#include "tritium/Dialect/TileNVGPU/IR/TileNVGPUDialect.h.inc"

#define GET_OP_CLASSES
#include "tritium/Dialect/TileNVGPU/IR/TileNVGPUOps.h.inc"

#endif // TRITIUM_DIALECT_TILENVGPU_IR_TILENVGPU_H
