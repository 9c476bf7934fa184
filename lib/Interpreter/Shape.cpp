//===- Shape.cpp - making and reshaping tiles, the launch grid ------------===//

#include "Gather.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tritium::interpreter {

namespace {
/// result[i] = x[source[i]].
void addGather(Builder &b, Tile x, Tile r, std::vector<int32_t> source) {
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

/// Row-major order stays where dimensions do not tell an element's place.
void buildMovement(Builder &b, tt::DataMovement op) {
  Tile x = b.get(op.getSource()), r = b.define(op->getResult(0));
  SmallVector<int64_t> dims = op.getSourceDims();
  if (!op.isAlongDims())
    return b.addCopy(x, r);
  if (llvm::all_of(dims, [](int64_t d) { return d == tt::kRepeats; }))
    return b.add([=](Machine &m) { std::fill_n(m.at(r), r.count, *m.at(x)); });
  SmallVector<int64_t> from = rowMajorStrides(tt::shapeOf(op.getSource().getType())), strides;
  for (int64_t d : dims)
    strides.push_back(d < 0 ? 0 : from[d]);
  std::vector<int32_t> source = sourceIndices(tt::shapeOf(op->getResult(0).getType()), strides);
  if (llvm::equal(source, llvm::seq<int32_t>(0, source.size())))
    return b.addCopy(x, r);
  addGather(b, x, r, std::move(source));
}

void buildGather(Builder &b, tt::GatherOp op) {
  Gather gather(b, op, op.getSrc().getType().getShape());
  Tile x = b.get(op.getSrc()), r = b.define(op);
  b.add([=](Machine &m) {
    for (int64_t i = 0; i < r.count; ++i) {
      std::optional<int64_t> place = gather.place(m, i);
      if (!place)
        return;
      m.at(r)[i] = m.at(x)[*place];
    }
  });
}

void buildRange(Builder &b, tt::MakeRangeOp op) {
  std::vector<Slot> values;
  for (uint32_t v = op.getStart(); v != static_cast<uint32_t>(op.getEnd()); ++v)
    values.push_back(v);
  b.defineConstant(op, std::move(values));
}

/// Where no CTA has been given a share, each program has all rounds.
void buildWholeProgram(Builder &b, tt::ProgramShareOp op) {
  Tile rounds = b.get(op.getRounds());
  std::array<Tile, 5> results;
  for (auto [result, value] : llvm::zip(results, op.getResults()))
    result = b.define(value);
  b.add([=](Machine &m) {
    const std::array<Slot, 5> values = {0, *m.at(rounds), 0, 0, 1};
    for (auto [result, value] : llvm::zip(results, values))
      *m.at(result) = value;
  });
}
} // namespace

bool buildShape(Builder &b, Operation *op) {
  return TypeSwitch<Operation *, bool>(op)
      .Case([&](tt::MakeRangeOp op) { return buildRange(b, op), true; })
      .Case([&](tt::GatherOp op) { return buildGather(b, op), true; })
      .Case([&](tt::DataMovement op) { return buildMovement(b, op), true; })
      .Case([&](tt::GetProgramIdOp op) {
        Tile r = b.define(op);
        b.add([r, axis = op.getAxis()](Machine &m) { std::fill_n(m.at(r), r.count, m.pid[axis]); });
        return true;
      })
      .Case([&](ttg::CTAIdOp op) {
        Tile r = b.define(op);
        b.add([r](Machine &m) { *m.at(r) = m.pid[0]; });
        return true;
      })
      .Case([&](ttg::NumCTAsOp op) {
        Tile r = b.define(op);
        b.add([r](Machine &m) { *m.at(r) = ctasFor(m.grid); });
        return true;
      })
      .Case([&](ttg::NextProgramOp op) {
        // As in a launch without a counter: CTAs are run one after the other.
        Tile number = b.get(op.getNumber()), r = b.define(op);
        b.add([number, r](Machine &m) {
          *m.at(r) = (*m.at(number) + ctasFor(m.grid)) & 0xffffffffu;
        });
        return true;
      })
      .Case([&](ttg::ProgramIdOp op) {
        Tile number = b.get(op.getNumber()), r = b.define(op);
        b.add([number, r, axis = op.getAxis()](Machine &m) {
          uint64_t rest = *m.at(number) & 0xffffffffu;
          for (uint32_t before = 0; before < axis; ++before)
            rest /= m.grid[before];
          *m.at(r) = axis < 2 ? rest % m.grid[axis] : rest;
        });
        return true;
      })
      .Case([&](tt::ProgramShareOp op) { return buildWholeProgram(b, op), true; })
      .Case([&](tt::GetNumProgramsOp op) {
        Tile r = b.define(op);
        b.add(
            [r, axis = op.getAxis()](Machine &m) { std::fill_n(m.at(r), r.count, m.grid[axis]); });
        return true;
      })
      .Default([](Operation *) { return false; });
}

} // namespace tritium::interpreter
