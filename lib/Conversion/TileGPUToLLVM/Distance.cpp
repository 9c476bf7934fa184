//===- Distance.cpp - addresses that are a constant apart -----------------===//
//
// A pointer is read as a sum of other values, each times a constant, and a constant:
//
//   getelementptr(%p, f16, sext(%row + 8) * 128)  =  %p + 256 %row + 2048
//
// modulo 2^64, as pointers are. Arithmetic in fewer bits counts if it does not wrap.
//
//===----------------------------------------------------------------------===//

#include "Distance.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace {
/// What one more in the only index of `gep` adds to it, in bytes; 0 if it has several.
uint64_t unitOf(LLVM::GEPOp gep) {
  Type element = gep.getElemType();
  bool isOne = element.isIntOrFloat() && gep.getRawConstantIndices().size() == 1;
  return isOne ? element.getIntOrFloatBitWidth() / 8 : 0;
}

constexpr int kMaxDepth = 32, kMaxParts = 256;

class Sum {
public:
  void add(Value value, uint64_t factor, int depth = 0) {
    if (depth > kMaxDepth || ++parts > kMaxParts || !split(value, factor, depth + 1))
      terms[value] += factor;
  }

  std::optional<int64_t> minus(const Sum &other) const {
    for (auto [value, factor] : terms)
      if (other.terms.lookup(value) != factor)
        return std::nullopt;
    for (auto [value, factor] : other.terms)
      if (terms.lookup(value) != factor)
        return std::nullopt;
    return static_cast<int64_t>(constant - other.constant);
  }

private:
  /// Adds the parts of `value` in its stead; false if it is not a sum.
  bool split(Value value, uint64_t factor, int depth) {
    APInt number;
    if (matchPattern(value, m_ConstantInt(&number)) && number.getBitWidth() <= 64) {
      constant += factor * static_cast<uint64_t>(number.getSExtValue());
      return true;
    }
    Operation *op = value.getDefiningOp();
    if (auto gep = dyn_cast_or_null<LLVM::GEPOp>(op))
      return splitPointer(gep, factor, depth);
    if (auto wide = dyn_cast_or_null<LLVM::SExtOp>(op)) {
      add(wide.getArg(), factor, depth);
      return true;
    }
    if (!isa_and_nonnull<LLVM::AddOp, LLVM::SubOp, LLVM::MulOp, LLVM::ShlOp>(op) ||
        !value.getType().isInteger() || !cannotWrap(op))
      return false;
    Value x = op->getOperand(0), y = op->getOperand(1);
    if (isa<LLVM::AddOp, LLVM::SubOp>(op)) {
      add(x, factor, depth);
      add(y, isa<LLVM::SubOp>(op) ? -factor : factor, depth);
      return true;
    }
    if (!matchPattern(y, m_ConstantInt(&number))) {
      if (isa<LLVM::ShlOp>(op) || !matchPattern(x, m_ConstantInt(&number)))
        return false;
      std::swap(x, y);
    }
    if (isa<LLVM::ShlOp>(op) && number.uge(value.getType().getIntOrFloatBitWidth()))
      return false;
    add(x,
        factor * (isa<LLVM::ShlOp>(op) ? uint64_t(1) << number.getZExtValue()
                                       : static_cast<uint64_t>(number.getSExtValue())),
        depth);
    return true;
  }

  bool splitPointer(LLVM::GEPOp gep, uint64_t factor, int depth) {
    uint64_t bytes = unitOf(gep);
    if (!bytes)
      return false;
    add(gep.getBase(), factor, depth);
    if (gep.getDynamicIndices().empty())
      constant += factor * bytes * static_cast<int64_t>(gep.getRawConstantIndices()[0]);
    else
      add(gep.getDynamicIndices()[0], factor * bytes, depth);
    return true;
  }

  static bool cannotWrap(Operation *op) {
    if (op->getResult(0).getType().isInteger(64))
      return true;
    auto flags = dyn_cast<LLVM::IntegerOverflowFlagsInterface>(op);
    return flags && bitEnumContainsAny(flags.getOverflowFlags(), LLVM::IntegerOverflowFlags::nsw);
  }

  llvm::SmallMapVector<Value, uint64_t, 8> terms;
  uint64_t constant = 0;
  int parts = 0;
};
} // namespace

std::optional<int64_t> tritium::ttg::distance(Value from, Value to) {
  Sum a, b;
  a.add(from, 1);
  b.add(to, 1);
  return b.minus(a);
}

std::pair<Value, int32_t> tritium::ttg::splitOffset(Value pointer) {
  auto gep = pointer.getDefiningOp<LLVM::GEPOp>();
  if (!gep || !gep.getDynamicIndices().empty() || !unitOf(gep))
    return {pointer, 0};
  int64_t offset = int64_t(unitOf(gep)) * gep.getRawConstantIndices()[0];
  if (!llvm::isInt<24>(offset))
    return {pointer, 0};
  return {gep.getBase(), static_cast<int32_t>(offset)};
}
