//===- ConvertLayout.h - tiles from one layout to another ------*- C++ -*-===//

#ifndef TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_CONVERTLAYOUT_H
#define TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_CONVERTLAYOUT_H

#include "LoweringContext.h"

namespace tritium::ttg {

/// ConvertLayout.cpp, and Shuffle.cpp for what goes from lane to lane.
class ConvertLayoutLowering : public LoweringContext {
public:
  explicit ConvertLayoutLowering(const LoweringContext &context) : LoweringContext(context) {}

  mlir::LogicalResult lowerConvert(ConvertLayoutOp op);

private:
  /// By `by`, registers of a panel after another.
  Registers convertPanels(const Panels &panels, const TileLayout &from, const TileLayout &to,
                          llvm::ArrayRef<Value> registers,
                          llvm::function_ref<Registers(llvm::ArrayRef<Value>)> by);
  Registers shuffleTile(const ShufflePlan &plan, Type element, llvm::ArrayRef<Value> registers);
};

} // namespace tritium::ttg

#endif // TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_CONVERTLAYOUT_H
