//===- Debug.cpp - device_assert ------------------------------------------===//

#include "Lowering.h"

using namespace mlir;

namespace tritium::ttg {

/// A constant string in global memory.
Value Lowering::stringConstant(StringRef text) {
  std::string name = "tritium_str_" + std::to_string(static_cast<uint64_t>(llvm::hash_value(text)));
  std::string bytes = text.str() + '\0';
  if (!module.lookupSymbol<LLVM::GlobalOp>(name)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    b.create<LLVM::GlobalOp>(loc, LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size()),
                             /*isConstant=*/true, LLVM::Linkage::Internal, name,
                             b.getStringAttr(bytes));
  }
  return b.create<LLVM::AddressOfOp>(loc, pointerType(0), name);
}

/// `__assertfail` of the driver prints the message and stops the grid with an error.
LogicalResult Lowering::lowerAssert(tt::AssertOp op) {
  Value holds;
  const Registers &conditions = get(op.getCondition());
  bool isTile = tt::isTile(op.getCondition().getType());
  for (unsigned r = 0; r < conditions.size(); ++r) {
    Value each = conditions[r];
    if (isTile) {
      const TileLayout &layout = this->layout(op.getCondition());
      if (Value inside = isInside(layout, threadCoordinates(op.getCondition()), r))
        each = ior(each, ixor(inside, boolean(true)));
    }
    holds = both(holds, each);
  }
  std::string file = "unknown";
  unsigned line = 0;
  if (auto place = op.getLoc()->findInstanceOf<FileLineColLoc>()) {
    file = place.getFilename().str();
    line = place.getLine();
  }
  constexpr StringLiteral callee = "__assertfail";
  Type ptr = pointerType(0);
  if (!module.lookupSymbol(callee)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    b.create<LLVM::LLVMFuncOp>(
        loc, callee,
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                    {ptr, ptr, b.getI32Type(), ptr, b.getI64Type()}));
  }
  Block *failed = newBlock(), *next = newBlock();
  b.create<LLVM::CondBrOp>(loc, holds, next, failed);
  b.setInsertionPointToStart(failed);
  b.create<LLVM::CallOp>(loc, TypeRange(), callee,
                         ValueRange{stringConstant(op.getMessage()), stringConstant(file),
                                    i32(line), stringConstant(kernel.getName()), i64(1)});
  b.create<LLVM::BrOp>(loc, next);
  b.setInsertionPointToStart(next);
  return success();
}

} // namespace tritium::ttg
