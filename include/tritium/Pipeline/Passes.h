//===- Passes.h - the order of the compiler's passes ------------*- C++ -*-===//

#ifndef TRITIUM_PIPELINE_PASSES_H
#define TRITIUM_PIPELINE_PASSES_H

namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace tritium {

/// The dialects that ttir is made of.
void registerTileDialects(mlir::DialectRegistry &registry);

/// From what the front end builds to what the targets take: calls inlined, canonical,
/// invariants out of loops. Runs on a module.
void buildTileIRPipeline(mlir::OpPassManager &pm);

/// Tritium's own passes and named pipelines (`tritium-ttir`), for tools.
void registerTritiumPasses();

} // namespace tritium

#endif // TRITIUM_PIPELINE_PASSES_H
