//===- Passes.h - transformations of the ttng dialect -----------*- C++ -*-===//

#ifndef TRITIUM_DIALECT_TILENVGPU_TRANSFORMS_PASSES_H
#define TRITIUM_DIALECT_TILENVGPU_TRANSFORMS_PASSES_H

#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"

#include "mlir/Pass/Pass.h"

namespace tritium::ttng {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tritium/Dialect/TileNVGPU/Transforms/Passes.h.inc"

} // namespace tritium::ttng

#endif // TRITIUM_DIALECT_TILENVGPU_TRANSFORMS_PASSES_H
