//===- Reduce.cpp - reductions, scans, histograms and dot -----------------===//

#include "Loops.h"

#include "tritium/Layout/TileConversion.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tritium::interpreter {

namespace {
/// Elements before, along and after the axis of a reduction.
struct AxisShape {
  int64_t outer = 1, extent = 1, inner = 1;
  AxisShape(ArrayRef<int64_t> shape, int64_t axis) {
    for (auto [d, n] : llvm::enumerate(shape))
      (int64_t(d) < axis ? outer : int64_t(d) == axis ? extent : inner) *= n;
  }
  int64_t results() const { return outer * inner; }
};

/// Elements [first, first + count) of the results, taken at `k` along the axis.
void copySlice(const Slot *from, Slot *to, AxisShape axis, int64_t k, int64_t first,
               int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    int64_t o = (first + i) / axis.inner, n = (first + i) % axis.inner;
    to[i] = from[(o * axis.extent + k) * axis.inner + n];
  }
}

/// The way back: elements of a slice to where they lie in the tile.
void pasteSlice(const Slot *from, Slot *to, AxisShape axis, int64_t k, int64_t first,
                int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    int64_t o = (first + i) / axis.inner, n = (first + i) % axis.inner;
    to[(o * axis.extent + k) * axis.inner + n] = from[i];
  }
}

/// The region of `op`: the left scalars become what they and the right ones combine to. All results
/// along the axis are combined at once, each a lane of the region's scalars, unless the region has
/// control flow of its own.
struct Combiner {
  AxisShape axis;
  int64_t lanes;
  SmallVector<Tile> left, right;
  std::shared_ptr<const Body> body;

  Combiner(Builder &b, tt::Combining op)
      : axis(tt::shapeOf(op.getSrcs()[0].getType()), op.getAxis()) {
    Block &block = op.getCombineOp().front();
    bool branches = llvm::any_of(
        block, [](Operation &o) { return o.getNumRegions() != 0 || isa<tt::CallOp>(o); });
    lanes = branches ? 1 : axis.results();
    for (auto [i, argument] : llvm::enumerate(block.getArguments())) {
      Tile tile = b.allocate(Builder::elementOf(argument.getType()), lanes);
      b.bind(argument, tile);
      (i < op.getSrcs().size() ? left : right).push_back(tile);
    }
    body = b.buildBlock(block, lanes, [&](Operation *terminator) {
      SmallVector<Tile> combined;
      for (Value value : terminator->getOperands())
        combined.push_back(b.get(value));
      b.addParallelCopy(combined, left);
    });
  }

  void release(Builder &b) {
    for (Tile tile : llvm::concat<Tile>(left, right))
      b.release(tile);
  }
};

template <typename Range> SmallVector<Tile> tilesOf(Builder &b, Range &&values) {
  return llvm::map_to_vector(values, [&](Value value) { return b.get(value); });
}

SmallVector<Tile> defined(Builder &b, ValueRange results) {
  return llvm::map_to_vector(results, [&](Value result) { return b.define(result); });
}

/// Numbers along the axis that are combined, in order, one list a part of it.
using Parts = std::vector<std::vector<int64_t>>;

/// Combines from the left: ((x0 . x1) . x2) ... What each part combines to goes to `totals`, whose
/// axis counts parts, and what all up to each element do to `scanned`; either may be empty.
void buildParts(Builder &b, tt::Combining op, Parts parts, ValueRange scanned, ValueRange totals) {
  SmallVector<Tile> sources = tilesOf(b, op.getSrcs());
  SmallVector<Tile> scans = defined(b, scanned), results = defined(b, totals);
  Combiner combiner(b, op);
  AxisShape axis = combiner.axis, to = axis;
  to.extent = parts.size();
  b.add([=, parts = std::move(parts)](Machine &m) {
    for (size_t part = 0; part < parts.size(); ++part)
      for (int64_t first = 0; first < axis.results(); first += combiner.lanes) {
        bool isFirst = true;
        for (int64_t k : parts[part]) {
          ArrayRef<Tile> side = isFirst ? combiner.left : combiner.right;
          for (auto [source, slice] : llvm::zip(sources, side))
            copySlice(m.at(source), m.at(slice), axis, k, first, combiner.lanes);
          if (!std::exchange(isFirst, false))
            combiner.body->run(m);
          if (m.stopped)
            return;
          for (auto [slice, scan] : llvm::zip(combiner.left, scans))
            pasteSlice(m.at(slice), m.at(scan), axis, k, first, combiner.lanes);
        }
        for (auto [slice, result] : llvm::zip(combiner.left, results))
          pasteSlice(m.at(slice), m.at(result), to, part, first, combiner.lanes);
      }
  });
  combiner.release(b);
}

/// All places along the axis, in parts of `length`.
Parts partsOf(tt::Combining op, int64_t length, bool reverse = false) {
  int64_t extent = tt::shapeOf(op.getSrcs()[0].getType())[op.getAxis()];
  Parts parts(llvm::divideCeil(extent, length));
  for (int64_t k = 0; k < extent; ++k)
    parts[k / length].push_back(k);
  if (reverse)
    for (std::vector<int64_t> &part : parts)
      std::reverse(part.begin(), part.end());
  return parts;
}

Parts allOf(tt::Combining op, bool reverse = false) {
  return partsOf(op, tt::kMaxTileElements, reverse);
}

void buildWarpScan(Builder &b, ttg::WarpScanOp op) {
  TileLayout layout = ttg::layoutOf(cast<RankedTensorType>(op.getSrcs()[0].getType()));
  ScanPlan plan = planScan(layout, op.getAxis());
  if (!plan.isPossible || plan.part() != op.getPart())
    return b.reject(op, "ttg.warp_scan of parts that do not lie in one warp each");
  buildParts(b, op, partsOf(op, op.getPart(), op.getReverse()), op.getScanned(), op.getTotals());
}

void buildJoin(Builder &b, ttg::JoinScansOp op) {
  SmallVector<Tile> sources = tilesOf(b, op.getSrcs()), prefixes = tilesOf(b, op.getPrefixes());
  SmallVector<Tile> results = defined(b, op.getResults());
  Combiner combiner(b, op);
  Parts parts = partsOf(op, op.getPart());
  AxisShape axis = combiner.axis, from = axis;
  from.extent = parts.size();
  int64_t before = op.getReverse() ? 1 : -1;
  b.add([=, parts = std::move(parts)](Machine &m) {
    for (int64_t part = 0; part < from.extent; ++part)
      for (int64_t k : parts[part])
        for (int64_t first = 0; first < axis.results(); first += combiner.lanes) {
          bool isFirst = part + before < 0 || part + before == from.extent;
          for (auto [source, slice] : llvm::zip(sources, isFirst ? combiner.left : combiner.right))
            copySlice(m.at(source), m.at(slice), axis, k, first, combiner.lanes);
          if (!isFirst) {
            for (auto [prefix, slice] : llvm::zip(prefixes, combiner.left))
              copySlice(m.at(prefix), m.at(slice), from, part + before, first, combiner.lanes);
            combiner.body->run(m);
          }
          if (m.stopped)
            return;
          for (auto [slice, result] : llvm::zip(combiner.left, results))
            pasteSlice(m.at(slice), m.at(result), axis, k, first, combiner.lanes);
        }
  });
  combiner.release(b);
}

/// What the warps with each number along the axis hold. The number is what is left of a warp's
/// bits when those go that change nothing along the axis.
std::optional<Parts> partsOfWarps(ttg::WarpReduceOp op) {
  TileLayout layout = ttg::layoutOf(cast<RankedTensorType>(op.getSrcs()[0].getType()));
  unsigned axis = op.getAxis();
  SmallVector<unsigned> bits;
  for (auto [i, base] : llvm::enumerate(layout.core().bases(kWarp)))
    if (layout.core().unflatten(base)[axis] != 0)
      bits.push_back(i);
  std::vector<int64_t> partOf(layout.extents()[axis], -1);
  for (unsigned warp = 0; warp < layout.warps(); ++warp) {
    int64_t part = 0;
    for (auto [i, bit] : llvm::enumerate(bits))
      part |= int64_t(warp >> bit & 1) << i;
    for (unsigned lane = 0; lane < layout.lanes(); ++lane)
      for (unsigned r = 0; r < layout.registers(); ++r) {
        int64_t k = layout.at(r, lane, warp)[axis];
        if (k >= layout.extents()[axis])
          continue;
        if (partOf[k] >= 0 && partOf[k] != part)
          return {}; // two warps along the axis would combine it
        partOf[k] = part;
      }
  }
  Parts parts(size_t(1) << bits.size());
  for (auto [k, part] : llvm::enumerate(partOf))
    parts[part].push_back(k);
  return parts;
}

void buildWarpReduction(Builder &b, ttg::WarpReduceOp op) {
  std::optional<Parts> parts = partsOfWarps(op);
  int64_t extent = tt::shapeOf(op.getResults()[0].getType())[op.getAxis()];
  if (!parts)
    return b.reject(op, "ttg.warp_reduce along an axis of which several warps hold the same "
                        "elements; tt.reduce must do it");
  if (int64_t(parts->size()) != extent)
    return b.reject(op, "the axis of the result of ttg.warp_reduce counts warps: it must be " +
                            std::to_string(parts->size()) + ", found " + std::to_string(extent));
  buildParts(b, op, std::move(*parts), {}, op.getResults());
}

/// c + a * b over values of type T in the order of k, c first.
template <typename T, typename Read, typename Write>
Step dotStep(int64_t batches, int64_t rows, int64_t columns, int64_t depth, Tile a, Tile b, Tile c,
             Tile r, Read read, Write write) {
  return [=](Machine &m) {
    std::vector<T> line(columns), right(depth * columns);
    for (int64_t batch = 0; batch < batches; ++batch) {
      const Slot *as = m.at(a) + batch * rows * depth, *bs = m.at(b) + batch * depth * columns,
                 *cs = m.at(c) + batch * rows * columns;
      Slot *rs = m.at(r) + batch * rows * columns;
      for (int64_t i = 0; i < depth * columns; ++i)
        right[i] = read(b.element, bs[i]);
      for (int64_t row = 0; row < rows; ++row) {
        for (int64_t j = 0; j < columns; ++j)
          line[j] = read(c.element, cs[row * columns + j]);
        for (int64_t k = 0; k < depth; ++k) {
          T left = read(a.element, as[row * depth + k]);
          for (int64_t j = 0; j < columns; ++j)
            line[j] += left * right[k * columns + j];
        }
        for (int64_t j = 0; j < columns; ++j)
          rs[row * columns + j] = write(r.element, line[j]);
      }
    }
  };
}

void buildHistogram(Builder &b, tt::HistogramOp op) {
  Tile x = b.get(op.getSrc()), r = b.define(op);
  b.add([=](Machine &m) {
    Slot *counts = m.at(r);
    std::fill_n(counts, r.count, 0);
    for (int64_t i = 0; i < x.count; ++i)
      if (Slot bin = m.at(x)[i]; bin < Slot(r.count))
        ++counts[bin];
  });
}

void buildDotProduct(Builder &builder, tt::DotOp op) {
  ArrayRef<int64_t> shape = op.getType().getShape();
  int64_t rank = shape.size();
  DotExtents extents{rank == 3 ? shape[0] : 1, shape[rank - 2], shape[rank - 1],
                     op.getA().getType().getShape()[rank - 1]};
  Tile a = builder.get(op.getA()), b = builder.get(op.getB()), c = builder.get(op.getC());
  addDot(builder, extents, a, b, c, builder.define(op.getResult()), op.getIsUnsigned());
}
} // namespace

/// Floats accumulate in f32 (f64 for f64 operands or result), narrow results are
/// rounded at the end. Integers accumulate in i32 and wrap.
void addDot(Builder &builder, DotExtents extents, Tile a, Tile b, Tile c, Tile r, bool isUnsigned) {
  auto [batches, rows, columns, depth] = extents;
  if (!r.element.isFloat())
    return builder.add(dotStep<uint32_t>(
        batches, rows, columns, depth, a, b, c, r,
        [=](Element e, Slot x) {
          return static_cast<uint32_t>(isUnsigned ? x : uint64_t(signedValue(x, e.bits)));
        },
        [](Element, uint32_t x) { return Slot(x); }));
  auto write = [](Element e, double x) { return writeFloat(e, x); };
  if (r.element.kind == Kind::F64)
    return builder.add(
        dotStep<double>(batches, rows, columns, depth, a, b, c, r, readFloat, write));
  builder.add(dotStep<float>(
      batches, rows, columns, depth, a, b, c, r,
      [](Element e, Slot x) { return static_cast<float>(readFloat(e, x)); }, write));
}

bool buildReduce(Builder &b, Operation *op) {
  return TypeSwitch<Operation *, bool>(op)
      .Case(
          [&](tt::ReduceOp op) { return buildParts(b, op, allOf(op), {}, op.getResults()), true; })
      .Case([&](tt::ScanOp op) {
        return buildParts(b, op, allOf(op, op.getReverse()), op.getResults(), {}), true;
      })
      .Case([&](ttg::WarpScanOp op) { return buildWarpScan(b, op), true; })
      .Case([&](ttg::JoinScansOp op) { return buildJoin(b, op), true; })
      .Case([&](ttg::WarpReduceOp op) { return buildWarpReduction(b, op), true; })
      .Case([&](tt::HistogramOp op) { return buildHistogram(b, op), true; })
      .Case([&](tt::DotOp op) { return buildDotProduct(b, op), true; })
      .Default([](Operation *) { return false; });
}

} // namespace tritium::interpreter
