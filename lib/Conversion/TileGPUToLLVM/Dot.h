//===- Dot.h - matrix products ---------------------------------*- C++ -*-===//

#ifndef TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_DOT_H
#define TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_DOT_H

#include "LocalMemory.h"

namespace tritium::ttg {

/// Dot.cpp, and Mma.cpp for those on tensor cores.
class DotLowering : public LoweringContext {
public:
  DotLowering(const LoweringContext &context, std::shared_ptr<DotWork> work)
      : LoweringContext(context), work(std::move(work)) {}

  mlir::LogicalResult lowerDot(tt::DotOp op);

private:
  mlir::LogicalResult lowerMma(tt::DotOp op);

  std::shared_ptr<DotWork> work;
};

} // namespace tritium::ttg

#endif // TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_DOT_H
