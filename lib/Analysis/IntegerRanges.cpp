//===- IntegerRanges.cpp - what values integers can have ------------------===//

#include "tritium/Analysis/IntegerRanges.h"

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tritium {

namespace {
/// Deeper expressions can be anything.
constexpr int kMaxDepth = 200;
constexpr int64_t kMaxPrograms = 2147483647, kMaxProgramsYZ = 65535;

unsigned widthOf(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  return element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
}

std::optional<IntegerRange> ofConstant(Value value) {
  APInt scalar;
  if (matchPattern(value, m_ConstantInt(&scalar)) && scalar.getBitWidth() <= 64)
    return IntegerRange{scalar.getSExtValue(), scalar.getSExtValue()};
  DenseIntElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || elements.empty() || widthOf(value) > 64)
    return std::nullopt;
  if (elements.isSplat()) {
    int64_t only = elements.getSplatValue<APInt>().getSExtValue();
    return IntegerRange{only, only};
  }
  IntegerRange range{INT64_MAX, INT64_MIN};
  for (const APInt &element : elements) {
    range.low = std::min(range.low, element.getSExtValue());
    range.high = std::max(range.high, element.getSExtValue());
  }
  return range;
}

} // namespace

IntegerRange IntegerRanges::get(Value value, int depth) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  IntegerRange range = IntegerRange::ofWidth(widthOf(value));
  if (depth < kMaxDepth)
    range = evaluate(value, depth + 1).value_or(range);
  known[value] = range;
  return range;
}

std::optional<IntegerRange> IntegerRanges::evaluate(Value value, int depth) {
  using Result = std::optional<IntegerRange>;
  unsigned bits = widthOf(value);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast_or_null<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument != loop.getInductionVar())
      return std::nullopt;
    return range::loopIndex(get(loop.getLowerBound(), depth), get(loop.getUpperBound(), depth),
                            get(loop.getStep(), depth), bits);
  }
  if (Result constant = ofConstant(value))
    return constant;
  Operation *op = value.getDefiningOp();
  auto operand = [&](unsigned i) { return get(op->getOperand(i), depth); };
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case(
          [&](tt::MakeRangeOp op) { return IntegerRange{op.getStart(), int64_t(op.getEnd()) - 1}; })
      .Case([&](tt::GetProgramIdOp op) {
        return IntegerRange{0, (op.getAxis() == 0 ? kMaxPrograms : kMaxProgramsYZ) - 1};
      })
      .Case([&](tt::GetNumProgramsOp op) {
        return IntegerRange{1, op.getAxis() == 0 ? kMaxPrograms : kMaxProgramsYZ};
      })
      .Case<tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp, tt::ReshapeOp, tt::TransOp,
            ttg::ConvertLayoutOp>([&](auto) { return operand(0); })
      .Case<arith::ExtSIOp>(
          [&](auto op) { return widthOf(op.getIn()) == 1 ? Result() : Result(operand(0)); })
      .Case<arith::ExtUIOp>([&](auto op) -> Result {
        unsigned from = widthOf(op.getIn());
        IntegerRange x = operand(0);
        if (from > 1 && x.low >= 0)
          return x;
        return from < 64 ? Result(IntegerRange{0, (int64_t(1) << from) - 1}) : Result();
      })
      .Case<arith::TruncIOp>([&](auto) { return range::fitting(operand(0), bits); })
      .Case<arith::AddIOp>([&](auto) { return range::sum(operand(0), operand(1), bits); })
      .Case<arith::SubIOp>([&](auto) { return range::difference(operand(0), operand(1), bits); })
      .Case<arith::MulIOp>([&](auto) { return range::product(operand(0), operand(1), bits); })
      .Case<arith::ShLIOp>([&](auto) -> Result {
        IntegerRange x = operand(0), y = operand(1);
        if (y.low != y.high || y.low < 0 || y.low >= std::min(bits, 63u))
          return std::nullopt;
        int64_t factor = int64_t(1) << y.low;
        return range::product(x, {factor, factor}, bits);
      })
      .Case<arith::DivSIOp>([&](auto) { return range::quotient(operand(0), operand(1)); })
      .Case<arith::RemSIOp>([&](auto) { return range::remainder(operand(0), operand(1)); })
      .Case<arith::AndIOp>([&](auto) -> Result {
        IntegerRange x = operand(0), y = operand(1);
        if (bits == 1 || (x.low < 0 && y.low < 0))
          return std::nullopt;
        int64_t most = x.low < 0 ? y.high : y.low < 0 ? x.high : std::min(x.high, y.high);
        return IntegerRange{0, most};
      })
      .Case<arith::MinSIOp>([&](auto) { return range::minimum(operand(0), operand(1)); })
      .Case<arith::MaxSIOp>([&](auto) { return range::maximum(operand(0), operand(1)); })
      .Case<arith::SelectOp>([&](auto) {
        IntegerRange x = operand(1), y = operand(2);
        return IntegerRange{std::min(x.low, y.low), std::max(x.high, y.high)};
      })
      .Default([](Operation *) { return std::nullopt; });
}

} // namespace tritium
