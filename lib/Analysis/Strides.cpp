//===- Strides.cpp - how far neighbours of a tile are apart ---------------===//
//
// Sums, differences and products are taken modulo 2^width, where they need no premise. Each
// rule that needs one states it; the ranges of the operands must prove it.
//
//===----------------------------------------------------------------------===//

#include "tritium/Analysis/Strides.h"

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tritium {

namespace {
/// Of deeper expressions nothing is known.
constexpr int kMaxDepth = 200;

using Stride = std::optional<int64_t>;
using Wide = __int128;

/// 0: neither an integer nor a pointer.
unsigned widthOf(Value value) {
  Type element = tt::elementType(value.getType());
  if (isa<tt::PointerType>(element) || element.isIndex())
    return 64;
  return isa<IntegerType>(element) ? element.getIntOrFloatBitWidth() : 0;
}

/// `value` in the low `bits`, sign-extended.
int64_t wrapped(int64_t value, unsigned bits) {
  return bits == 0 || bits >= 64
             ? value
             : static_cast<int64_t>(uint64_t(value) << (64 - bits)) >> (64 - bits);
}
int64_t wrappingSum(int64_t a, int64_t b) { return int64_t(uint64_t(a) + uint64_t(b)); }
int64_t wrappingProduct(int64_t a, int64_t b) { return int64_t(uint64_t(a) * uint64_t(b)); }

int64_t extentOf(Value value, int64_t dim) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getDimSize(dim) : 1;
}

/// The dimension of the source of a movement that `dim` of its result is; nothing where there is
/// no one such.
std::optional<int64_t> sourceDim(Operation *op, int64_t dim) {
  auto movement = dyn_cast<tt::DataMovement>(op);
  int64_t from = movement ? movement.getSourceDims()[dim] : tt::kAnywhere;
  return from < 0 ? std::nullopt : std::optional(from);
}

int64_t pointeeBytes(Value pointer) {
  return tt::scalarBytes(
      cast<tt::PointerType>(tt::elementType(pointer.getType())).getPointeeType());
}
} // namespace

bool Strides::isNonNegative(Value value) {
  return hypothesis == Straight || ranges.get(value).low >= 0;
}

/// All elements lie in less than half of what the type can hold, so that two differences that are
/// equal modulo 2^width are equal.
bool Strides::isWithinHalf(Value value) {
  IntegerRange range = ranges.get(value);
  return Wide(range.high) - range.low < Wide(1) << (widthOf(value) - 1);
}

/// All elements of a quotient or remainder lie between the same two multiples of one divisor, or
/// below all divisors: the remainder is the dividend less a constant.
bool Strides::hasOneQuotient(Operation *division) {
  IntegerRange x = ranges.get(division->getOperand(0)), y = ranges.get(division->getOperand(1));
  // From there on signed and unsigned division are the same.
  if (x.low < 0 || y.low <= 0)
    return false;
  return x.high < y.low || (y.low == y.high && x.low / y.low == x.high / y.low);
}

//===----------------------------------------------------------------------===//
// Constant strides
//===----------------------------------------------------------------------===//

Stride Strides::modular(Value value, int64_t dim, int depth) {
  value = ttg::behindLayouts(value);
  if (extentOf(value, dim) == 1)
    return 0;
  Operation *op = value.getDefiningOp();
  if (!op || depth > kMaxDepth)
    return std::nullopt;
  if (auto found = modulars.find({value, dim}); found != modulars.end())
    return found->second;
  Stride stride = evaluate(op, dim, depth + 1);
  if (stride)
    stride = wrapped(*stride, widthOf(value));
  modulars[{value, dim}] = stride;
  return stride;
}

/// An offset of any width is sign-extended: premise: narrower ones have an exact stride.
Stride Strides::offsetStride(Value offset, int64_t dim, int depth) {
  return widthOf(offset) == 64 ? modular(offset, dim, depth) : exact(offset, dim, depth);
}

/// The stride of value * factor. Premise: factor is one constant, or value does not change.
Stride Strides::scaled(Value value, Value factor, int64_t dim, int depth) {
  Stride stride = modular(value, dim, depth);
  if (!stride)
    return std::nullopt;
  IntegerRange by = ranges.get(factor);
  if (by.low == by.high)
    return wrappingProduct(*stride, by.low);
  return *stride == 0 && modular(factor, dim, depth) == 0 ? Stride(0) : std::nullopt;
}

Stride Strides::evaluate(Operation *op, int64_t dim, int depth) {
  auto operand = [&](unsigned i) { return modular(op->getOperand(i), dim, depth); };
  auto sum = [&](Stride x, Stride y, int64_t factor) -> Stride {
    if (!x || !y)
      return std::nullopt;
    return wrappingSum(*x, wrappingProduct(*y, factor));
  };
  auto isUniform = [&](Value v) { return modular(v, dim, depth) == 0; };
  return llvm::TypeSwitch<Operation *, Stride>(op)
      .Case([&](tt::MakeRangeOp) { return 1; })
      .Case([&](arith::ConstantOp op) {
        auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
        return elements && elements.isSplat() ? Stride(0) : std::nullopt;
      })
      .Case([&](tt::DataMovement op) -> Stride {
        int64_t from = op.getSourceDims()[dim];
        if (from >= 0)
          return modular(op.getSource(), from, depth);
        return from == tt::kRepeats ? Stride(0) : std::nullopt;
      })
      .Case([&](tt::AddPtrOp op) {
        return sum(operand(0), offsetStride(op.getOffset(), dim, depth), pointeeBytes(op.getPtr()));
      })
      .Case([&](arith::AddIOp) { return sum(operand(0), operand(1), 1); })
      .Case([&](arith::SubIOp) { return sum(operand(0), operand(1), -1); })
      .Case([&](arith::MulIOp op) {
        Stride stride = scaled(op.getLhs(), op.getRhs(), dim, depth);
        return stride ? stride : scaled(op.getRhs(), op.getLhs(), dim, depth);
      })
      // Premise: one amount, below the width.
      .Case([&](arith::ShLIOp op) -> Stride {
        IntegerRange by = ranges.get(op.getRhs());
        Stride x = operand(0);
        if (x == 0 && isUniform(op.getRhs()))
          return 0;
        if (!x || by.low != by.high || by.low < 0 || by.low >= widthOf(op.getLhs()))
          return std::nullopt;
        return wrappingProduct(*x, int64_t(uint64_t(1) << by.low));
      })
      // Premise: the operand does not wrap between neighbours.
      .Case([&](arith::ExtSIOp op) { return exact(op.getIn(), dim, depth); })
      // Premise: it does not, and is not negative anywhere, where both extensions are one.
      .Case([&](arith::ExtUIOp op) -> Stride {
        Stride x = exact(op.getIn(), dim, depth);
        return x == 0 || isNonNegative(op.getIn()) ? x : std::nullopt;
      })
      .Case<arith::TruncIOp>([&](auto) { return operand(0); })
      // Premise: no bits are taken together or apart.
      .Case<tt::BitcastOp, tt::IntToPtrOp, tt::PtrToIntOp>([&](auto op) -> Stride {
        unsigned from = widthOf(op->getOperand(0)), to = widthOf(op->getResult(0));
        return (from && from == to) || operand(0) == 0 ? operand(0) : std::nullopt;
      })
      // Premise: all elements have one quotient.
      .Case<arith::RemSIOp, arith::RemUIOp>([&](auto op) -> Stride {
        bool isStraight = hypothesis == Straight ? isUniform(op.getRhs())
                                                 : straight.contains(op) || hasOneQuotient(op);
        if (isStraight)
          return operand(0);
        return isUniform(op.getLhs()) && isUniform(op.getRhs()) ? Stride(0) : std::nullopt;
      })
      .Case<arith::DivSIOp, arith::DivUIOp>([&](auto op) -> Stride {
        bool same = hasOneQuotient(op) || (isUniform(op.getLhs()) && isUniform(op.getRhs()));
        return same ? Stride(0) : std::nullopt;
      })
      // Premise: one choice for all elements, between tiles of one stride.
      .Case([&](arith::SelectOp op) -> Stride {
        Stride x = operand(1);
        return x && x == operand(2) && isUniform(op.getCondition()) ? x : std::nullopt;
      })
      // Premise: no operand changes.
      .Default([&](Operation *op) -> Stride {
        bool same = tt::isElementwise(op) && llvm::all_of(op->getOperands(), isUniform);
        return same ? Stride(0) : std::nullopt;
      });
}

Stride Strides::exact(Value value, int64_t dim, int depth) {
  value = ttg::behindLayouts(value);
  Stride stride = modular(value, dim, depth);
  unsigned bits = widthOf(value);
  if (!stride || *stride == 0 || hypothesis == Straight)
    return stride;
  // Counted modulo 2^64 only: nothing is said of where an object lies.
  if (isa<tt::PointerType>(tt::elementType(value.getType())))
    return std::nullopt;
  // Two elements are less far apart than the next number that is the stride modulo 2^width.
  IntegerRange range = ranges.get(value);
  Wide distance = *stride < 0 ? -Wide(*stride) : Wide(*stride);
  Operation *op = value.getDefiningOp();
  if (Wide(range.high) - range.low < (Wide(1) << bits) - distance || straight.contains(op))
    return stride;
  if (!op || depth > kMaxDepth)
    return std::nullopt;
  if (auto found = exacts.find({value, dim}); found != exacts.end())
    return found->second;
  return exacts[{value, dim}] = evaluateWithoutWrap(op, dim, depth + 1);
}

/// Where the ranges of the result say nothing. Premise: the operation keeps the differences of an
/// operand, or is marked not to wrap.
Stride Strides::evaluateWithoutWrap(Operation *op, int64_t dim, int depth) {
  if (auto source = sourceDim(op, dim))
    return exact(op->getOperand(0), *source, depth);
  if (isa<arith::ExtSIOp, arith::ExtUIOp>(op))
    return modular(op->getResult(0), dim, depth);
  if (isa<arith::RemSIOp, arith::RemUIOp>(op) && hasOneQuotient(op))
    return exact(op->getOperand(0), dim, depth);
  auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op);
  if (!flags || !flags.hasNoSignedWrap() || !isa<arith::AddIOp, arith::SubIOp>(op))
    return std::nullopt;
  Stride x = exact(op->getOperand(0), dim, depth), y = exact(op->getOperand(1), dim, depth);
  int64_t result;
  if (!x || !y ||
      (isa<arith::AddIOp>(op) ? llvm::AddOverflow(*x, *y, result)
                              : llvm::SubOverflow(*x, *y, result)))
    return std::nullopt;
  return result;
}

Value Strides::culprit(Value value, int64_t dim) {
  while (Operation *op = (value = ttg::behindLayouts(value)).getDefiningOp()) {
    if (auto source = sourceDim(op, dim)) {
      value = op->getOperand(0);
      dim = *source;
      continue;
    }
    // Operands of other operations need not have the dimension.
    if (!tt::isElementwise(op))
      break;
    auto lost = llvm::find_if(op->getOperands(), [&](Value v) {
      return isa<RankedTensorType>(v.getType()) && !modular(v, dim);
    });
    if (lost == op->operand_end())
      break;
    value = *lost;
  }
  return value;
}

//===----------------------------------------------------------------------===//
// Strides of the run
//===----------------------------------------------------------------------===//

bool Strides::isLinear(Value value, int64_t dim, int depth) {
  value = ttg::behindLayouts(value);
  if (extentOf(value, dim) == 1 || modular(value, dim, depth))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || depth > kMaxDepth)
    return false;
  if (auto found = linears.find({value, dim}); found != linears.end())
    return found->second;
  return linears[{value, dim}] = evaluateLinear(op, dim, depth + 1);
}

bool Strides::evaluateLinear(Operation *op, int64_t dim, int depth) {
  auto linear = [&](unsigned i) { return isLinear(op->getOperand(i), dim, depth); };
  auto isUniform = [&](Value v) { return modular(v, dim, depth) == 0; };
  // Premise: what is extended lies in half of what its type can hold.
  auto extended = [&](Value v) { return isLinear(v, dim, depth) && isWithinHalf(v); };
  if (auto source = sourceDim(op, dim))
    return isLinear(op->getOperand(0), *source, depth);
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](tt::AddPtrOp op) {
        return linear(0) && (widthOf(op.getOffset()) == 64 ? linear(1) : extended(op.getOffset()));
      })
      .Case<arith::AddIOp, arith::SubIOp>([&](auto) { return linear(0) && linear(1); })
      // Premise: one factor is the same for all.
      .Case([&](arith::MulIOp op) {
        return linear(0) && linear(1) && (isUniform(op.getLhs()) || isUniform(op.getRhs()));
      })
      .Case([&](arith::ShLIOp op) { return linear(0) && isUniform(op.getRhs()); })
      .Case([&](arith::ExtSIOp op) { return extended(op.getIn()); })
      .Case([&](arith::ExtUIOp op) { return extended(op.getIn()) && isNonNegative(op.getIn()); })
      .Case<arith::TruncIOp>([&](auto) { return linear(0); })
      .Default([](Operation *) { return false; });
}

} // namespace tritium
