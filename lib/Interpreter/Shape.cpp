//===- Shape.cpp - making and reshaping tiles, the launch grid ------------===//

#include "Loops.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tritium::interpreter {

namespace {
/// result[i] = x[source[i]].
void addGather(Builder &b, Operation *op, std::vector<int32_t> source) {
  Tile x = b.get(op->getOperand(0)), r = b.define(op->getResult(0));
  b.add([x, r, source = std::move(source)](Machine &m) {
    const Slot *xs = m.at(x);
    Slot *rs = m.at(r);
    for (int64_t i = 0; i < r.count; ++i)
      rs[i] = xs[source[i]];
  });
}

/// The source element of every result element, where a step along dimension d of the
/// result moves by strides[d] in the source.
std::vector<int32_t> sourceIndices(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides) {
  std::vector<int32_t> source(1, 0);
  for (auto [extent, stride] : llvm::zip(shape, strides)) {
    std::vector<int32_t> next;
    next.reserve(source.size() * extent);
    for (int32_t base : source)
      for (int64_t i = 0; i < extent; ++i)
        next.push_back(base + static_cast<int32_t>(i * stride));
    source = std::move(next);
  }
  return source;
}

SmallVector<int64_t> rowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * shape[d];
  return strides;
}

void buildBroadcast(Builder &b, tt::BroadcastOp op) {
  ArrayRef<int64_t> from = op.getSrc().getType().getShape();
  SmallVector<int64_t> strides = rowMajorStrides(from);
  for (auto [stride, extent] : llvm::zip(strides, from))
    stride = extent == 1 ? 0 : stride;
  addGather(b, op, sourceIndices(op.getType().getShape(), strides));
}

void buildTrans(Builder &b, tt::TransOp op) {
  SmallVector<int64_t> from = rowMajorStrides(op.getSrc().getType().getShape()), strides;
  for (int32_t d : op.getOrder())
    strides.push_back(from[d]);
  addGather(b, op, sourceIndices(op.getType().getShape(), strides));
}

void buildRange(Builder &b, tt::MakeRangeOp op) {
  std::vector<Slot> values;
  for (uint32_t v = op.getStart(); v != static_cast<uint32_t>(op.getEnd()); ++v)
    values.push_back(v);
  b.defineConstant(op, std::move(values));
}
} // namespace

bool buildShape(Builder &b, Operation *op) {
  return TypeSwitch<Operation *, bool>(op)
      .Case([&](tt::MakeRangeOp op) { return buildRange(b, op), true; })
      .Case([&](tt::SplatOp op) {
        Tile x = b.get(op.getSrc()), r = b.define(op);
        b.add([=](Machine &m) { std::fill_n(m.at(r), r.count, *m.at(x)); });
        return true;
      })
      .Case<tt::ExpandDimsOp, tt::ReshapeOp>([&](auto op) {
        Tile x = b.get(op.getSrc());
        return b.addCopy(x, b.define(op)), true;
      })
      .Case([&](tt::BroadcastOp op) { return buildBroadcast(b, op), true; })
      .Case([&](tt::TransOp op) { return buildTrans(b, op), true; })
      .Case([&](tt::GetProgramIdOp op) {
        Tile r = b.define(op);
        b.add([r, axis = op.getAxis()](Machine &m) { *m.at(r) = m.pid[axis]; });
        return true;
      })
      .Case([&](tt::GetNumProgramsOp op) {
        Tile r = b.define(op);
        b.add([r, axis = op.getAxis()](Machine &m) { *m.at(r) = m.grid[axis]; });
        return true;
      })
      .Default([](Operation *) { return false; });
}

} // namespace tritium::interpreter
