//===- AxisRules.cpp - what one operation does to axis infos --------------===//
//
// Constants, operations that move elements, values that come on two ways, hints. Notation:
// AxisLine.h.
//
//===----------------------------------------------------------------------===//

#include "AxisRules.h"

#include "AxisLine.h"

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;

namespace tritium::axis {

AxisInfo unknown(Type type) {
  int64_t rank = rankOf(type);
  return {SmallVector<int64_t>(rank, 1), SmallVector<int64_t>(rank, 1),
          SmallVector<int64_t>(rank, 1), std::nullopt};
}

AxisInfo uniform(Type type, int64_t value) {
  AxisInfo info = unknown(type);
  for (int64_t d = 0; d < info.rank(); ++d) {
    info.divisibility[d] = powerOfTwoDivisor(value);
    info.constancy[d] = extentOf(type, d);
  }
  info.constant = value;
  return info;
}

namespace {
/// Reshaping keeps row-major order, so runs along the last dimension stay runs as long
/// as they do not reach over its end.
AxisInfo reshaped(tt::ReshapeOp op, const AxisInfo &x) {
  Type from = op.getSrc().getType(), to = op.getType();
  AxisInfo info = unknown(to);
  int64_t unit = pointeeBytes(to), s = rankOf(from) - 1, t = rankOf(to) - 1;
  info.divisibility.assign(t + 1, divisor(x, from, unit));
  bool isUniform = true;
  for (int64_t d = 0; d <= s; ++d)
    isUniform &= x.constancy[d] >= extentOf(from, d);
  if (isUniform)
    for (int64_t d = 0; d <= t; ++d)
      info.constancy[d] = extentOf(to, d);
  if (op.getAllowReorder() || isUniform)
    return info;
  // Runs must end with both rows, the old and the new.
  int64_t both = std::gcd(extentOf(from, s), extentOf(to, t));
  Line last = lineOf(x, s, extentOf(from, s));
  info.contiguity[t] = std::gcd(last.c, both);
  info.divisibility[t] = std::max(info.divisibility[t], divisorAt(last, info.contiguity[t], unit));
  info.constancy[t] = std::gcd(last.k, both);
  return info;
}

/// Dimensions keep their runs; along others lie copies, or any elements of the source.
AxisInfo moved(tt::DataMovement op, const AxisInfo &x) {
  Type from = op.getSource().getType(), to = op->getResult(0).getType();
  AxisInfo info = unknown(to);
  for (auto [d, source] : llvm::enumerate(op.getSourceDims())) {
    bool keeps = source >= 0;
    info.contiguity[d] = keeps ? x.contiguity[source] : 1;
    info.divisibility[d] = keeps ? x.divisibility[source] : divisor(x, from, pointeeBytes(to));
    info.constancy[d] = keeps ? x.constancy[source] : source == tt::kRepeats ? extentOf(to, d) : 1;
  }
  info.constant = x.constant;
  return info;
}

AxisInfo range(tt::MakeRangeOp op) {
  AxisInfo info = unknown(op.getType());
  info.contiguity[0] = extentOf(op.getType(), 0);
  info.divisibility[0] = powerOfTwoDivisor(int32_t(op.getStart()));
  return info;
}

AxisInfo constantInfo(arith::ConstantOp op) {
  APInt value;
  if (matchPattern(op.getOperation(), m_ConstantInt(&value)) && value.getBitWidth() > 1)
    return uniform(op.getType(), value.getSExtValue());
  AxisInfo info = unknown(op.getType());
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements || elements.isSplat())
    for (int64_t d = 0; d < info.rank(); ++d)
      info.constancy[d] = extentOf(op.getType(), d);
  return info;
}
} // namespace

AxisInfo join(const AxisInfo &a, const AxisInfo &b, Type type) {
  AxisInfo info = unknown(type);
  int64_t unit = pointeeBytes(type);
  for (int64_t d = 0; d < info.rank(); ++d) {
    int64_t extent = extentOf(type, d);
    Line x = lineOf(a, d, extent), y = lineOf(b, d, extent);
    int64_t c = std::gcd(x.c, y.c);
    info.contiguity[d] = lengthOf(c, extent);
    info.divisibility[d] = std::gcd(divisorAt(x, c, unit), divisorAt(y, c, unit));
    info.constancy[d] = lengthOf(std::gcd(x.k, y.k), extent);
  }
  if (a.constant == b.constant)
    info.constant = a.constant;
  return info;
}

AxisInfo transfer(Operation *op, Lookup get, IntegerRanges &ranges) {
  Type type = op->getResult(0).getType();
  if (auto constant = foldConstant(op, get))
    return uniform(type, *constant);
  if (Value same = ttg::sameTile(op->getResult(0)))
    return get(same);
  AxisInfo info =
      TypeSwitch<Operation *, AxisInfo>(op)
          .Case([&](arith::ConstantOp op) { return constantInfo(op); })
          .Case([&](tt::MakeRangeOp op) { return range(op); })
          .Case([&](tt::ReshapeOp op) { return reshaped(op, get(op.getSrc())); })
          .Case([&](tt::DataMovement op) { return moved(op, get(op.getSource())); })
          .Case([&](tt::LoadOp op) {
            return op.getIsVolatile() ? unknown(type) : transferElementwise(op, get, ranges);
          })
          .Default([&](Operation *op) {
            return tt::isElementwise(op) && op->getNumOperands() != 0
                       ? transferElementwise(op, get, ranges)
                       : unknown(type);
          });
  // What divides every element also divides those at the starts of runs.
  int64_t q = divisor(info, type, pointeeBytes(type));
  for (int64_t &other : info.divisibility)
    other = std::max(other, q);
  return info;
}

void applyHint(AxisInfo &info, Type type, StringRef name, Attribute hint) {
  for (int64_t d = 0; d < info.rank(); ++d) {
    int64_t value = 1, extent = extentOf(type, d);
    if (auto single = dyn_cast<IntegerAttr>(hint))
      value = info.rank() == 1 ? single.getInt() : 1;
    else if (auto list = dyn_cast<DenseI32ArrayAttr>(hint))
      value = d < list.size() ? list[d] : 1;
    if (name == "tt.divisibility") {
      info.divisibility[d] = std::max(info.divisibility[d], powerOfTwoDivisor(value));
    } else if (name == "tt.constancy") {
      info.constancy[d] = std::max(info.constancy[d], std::min(value, extent));
    } else if (value > info.contiguity[d]) {
      info.divisibility[d] = divisorAt(lineOf(info, d, extent), value, pointeeBytes(type));
      info.contiguity[d] = std::min(value, extent);
    }
  }
}

} // namespace tritium::axis
