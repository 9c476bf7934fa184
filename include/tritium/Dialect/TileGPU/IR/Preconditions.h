//===- Preconditions.h - what passes on layouts rely on ---------*- C++ -*-===//
//
// Verifiers see one operation at a time. What holds for a whole module between
// convert-tt-to-ttg and the lowering, passes check before they begin, so that IR
// that somebody wrote or changed by hand is refused at its line.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_DIALECT_TILEGPU_IR_PRECONDITIONS_H
#define TRITIUM_DIALECT_TILEGPU_IR_PRECONDITIONS_H

#include "tritium/Support/Settings.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/AnalysisManager.h"

namespace tritium::ttg {

/// Every tile of every kernel has a layout of registers, for the warps that the module says, and
/// operations that move no element between threads have operands and results in layouts that fit.
/// Otherwise an error stands at the first that has not.
llvm::LogicalResult checkLayouts(mlir::ModuleOp module);

/// checkLayouts as an analysis, which a sequence of passes makes once: each of them keeps what it
/// checks. The lowering makes it again, and with TRITIUM_VERIFY each pass.
class LayoutsHold {
public:
  explicit LayoutsHold(mlir::Operation *module)
      : hold(succeeded(checkLayouts(mlir::cast<mlir::ModuleOp>(module)))) {}

  explicit operator bool() const { return hold; }
  bool isInvalidated(const mlir::AnalysisManager::PreservedAnalyses &) const {
    return settings::Verify.isOn();
  }

private:
  bool hold;
};

/// No registers are skipped yet: a pass that changes layouts comes before
/// ttg-skip-masked-registers.
llvm::LogicalResult checkNothingSkipped(mlir::ModuleOp module);

/// No tile has a layout, functions neither take nor return tiles, and a program can have
/// `warps` warps.
llvm::LogicalResult checkNoLayouts(mlir::ModuleOp module, int warps);

} // namespace tritium::ttg

#endif // TRITIUM_DIALECT_TILEGPU_IR_PRECONDITIONS_H
