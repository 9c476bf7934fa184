//===- Clocks.h - clocks in a kernel's code ---------------------*- C++ -*-===//

#ifndef TRITIUM_TARGET_NVPTX_CLOCKS_H
#define TRITIUM_TARGET_NVPTX_CLOCKS_H

#include "tritium/Kernel/KernelClocks.h"

#include "llvm/ADT/ArrayRef.h"

namespace mlir {
namespace LLVM {
class LLVMFuncOp;
}
} // namespace mlir

namespace tritium::nvptx {

/// The lines that the instructions of `kernel` come from, each as a part, with the rest in front.
std::vector<ClockedPart> linesOf(mlir::LLVM::LLVMFuncOp kernel);

/// Has each warp of `kernel`, which is launched with `warps` a CTA, count the clocks that it spends
/// in each of `parts` (KernelClocks), of which the first one is the rest. An instruction belongs to
/// the smallest part that has its line.
void insertClocks(mlir::LLVM::LLVMFuncOp kernel, llvm::ArrayRef<ClockedPart> parts, unsigned warps);

} // namespace tritium::nvptx

#endif // TRITIUM_TARGET_NVPTX_CLOCKS_H
