//===- VectorMathLibm.cpp - f64 functions by libm -------------------------===//

#include "tritium/Conversion/Math/VectorMath.h"

using namespace mlir;
using namespace tritium::cpu;

Value VectorMath::callLibm(StringRef name, Value x) {
  Type f64 = b.getF64Type();
  auto module = b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  if (!SymbolTable::lookupSymbolIn(module, name)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    b.create<LLVM::LLVMFuncOp>(module.getLoc(), name, LLVM::LLVMFunctionType::get(f64, {f64}));
  }
  auto call = [&](Value lane) -> Value {
    return b.create<LLVM::CallOp>(loc, TypeRange{f64}, name, ValueRange{lane}).getResult();
  };
  auto vector = dyn_cast<VectorType>(x.getType());
  if (!vector)
    return call(x);
  Value result = b.create<arith::ConstantOp>(loc, b.getZeroAttr(vector));
  for (int64_t lane = 0; lane < vector.getDimSize(0); ++lane)
    result = b.create<vector::InsertOp>(loc, call(b.create<vector::ExtractOp>(loc, x, lane)),
                                        result, lane);
  return result;
}
