//===- DebugLines.h - line tables for PTX -----------------------*- C++ -*-===//

#ifndef TRITIUM_LIB_TARGET_NVPTX_DEBUGLINES_H
#define TRITIUM_LIB_TARGET_NVPTX_DEBUGLINES_H

namespace mlir {
class ModuleOp;
}

namespace tritium::nvptx {

/// Gives every function of a module in the LLVM dialect a debug scope, so that the
/// locations in it become .loc lines and nothing more: any other kind of debug
/// information would make ptxas compile without optimisation.
void attachDebugLines(mlir::ModuleOp module);

} // namespace tritium::nvptx

#endif // TRITIUM_LIB_TARGET_NVPTX_DEBUGLINES_H
