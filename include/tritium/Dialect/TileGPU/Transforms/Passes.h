//===- Passes.h - transformations of the ttg dialect ------------*- C++ -*-===//

#ifndef TRITIUM_DIALECT_TILEGPU_TRANSFORMS_PASSES_H
#define TRITIUM_DIALECT_TILEGPU_TRANSFORMS_PASSES_H

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/Pass/Pass.h"

namespace tritium::ttg {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tritium/Dialect/TileGPU/Transforms/Passes.h.inc"

} // namespace tritium::ttg

#endif // TRITIUM_DIALECT_TILEGPU_TRANSFORMS_PASSES_H
