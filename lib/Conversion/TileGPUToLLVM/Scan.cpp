//===- Scan.cpp - scans ---------------------------------------------------===//
//
// From the lowest bit of the axis to the highest, by what tells elements apart there:
//
//   registers   of a run of neighbours that a lane holds: one after another. From there on
//               runs are combined, of which each lane knows what its own combine to;
//   lanes       shuffles, as many as there are bits, one more for what stands in front of a
//               lane's run, and one for what all combine to;
//   registers   again, of runs that are further apart: one after another.
//
// In the end what stands in front of each run is combined with its elements. Warps come where the
// parts of ttg.warp_scan end: those are scanned by a tt.scan of registers, and ttg.join_scans
// takes from it what stands in front of its part.
//
// With `reverse` the last element comes first, and padding in front of it: it takes no part.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "Reduce.h"

#include "tritium/Analysis/CombineCalls.h"

using namespace mlir;

namespace tritium::ttg {

namespace {
/// What combines, where.
struct Axis {
  Operation *op;
  const TileLayout &layout;
  unsigned number;
  bool reverse;
  ScanPlan plan;
  unsigned end; ///< bits that are scanned
  SmallVector<Value, 4> thread;

  int64_t extent() const { return layout.extents()[number]; }
  /// Bits from `bit` on, up to the end, of one kind of input.
  unsigned alike(unsigned bit) const {
    unsigned count = 0;
    while (bit + count < end && plan.bits[bit + count].input == plan.bits[bit].input)
      ++count;
    return count;
  }
};

/// Neighbours along the axis as one lane sees them: 2^k elements, the first of which, where the
/// axis begins, lies in a register of it.
struct Run {
  unsigned reg;
  Registers total;
};

/// What stands in front of a run, if `present` (null: always); nothing if empty.
struct Prefix {
  Registers values;
  Value present;
};

class ScanLowering : public CombineLowering {
public:
  explicit ScanLowering(const LoweringContext &context) : CombineLowering(context) {}

  LogicalResult lowerScan(tt::ScanOp op);
  LogicalResult lowerWarpScan(WarpScanOp op);
  LogicalResult lowerJoin(JoinScansOp op);

private:
  using Totals = std::map<Coordinates, Registers>;

  Axis axisOf(tt::Combining op, bool reverse, int64_t length);
  /// Scans the rows of the operands. What the parts of each combine to goes to `totals`, if any.
  LogicalResult scanRows(const Axis &axis, ResultRange results, Totals *totals);
  std::vector<Prefix> prefixesOf(const Axis &axis, ArrayRef<Run> runs, unsigned bit,
                                 Totals *totals);
  std::vector<Prefix> alongRegisters(const Axis &axis, ArrayRef<Run> runs, unsigned bit,
                                     unsigned count, Totals *totals);
  std::vector<Prefix> alongLanes(const Axis &axis, ArrayRef<Run> runs, unsigned bit, unsigned count,
                                 Totals *totals);
  Prefix inFrontOf(const Axis &axis, int64_t part, llvm::function_ref<Registers(int64_t)> scanned);

  /// Whether there are elements from the coordinate of `run` on, its low bits changed by `change`.
  Value isInside(const Axis &axis, const Run &run, llvm::function_ref<Value(Value)> change);
  Value isInside(const Axis &axis, const Run &run, unsigned bit) {
    return isInside(axis, run, [&](Value at) { return lowBitsCleared(at, bit); });
  }
  Value lowBitsCleared(Value at, unsigned bit) { return bit ? iand(at, i32(-1 << bit)) : at; }

  /// `x` and what stands in front of it.
  Registers withPrefix(const Axis &axis, const Prefix &prefix, const Registers &x);
  Prefix joined(const Axis &axis, const Prefix &outer, const Prefix &inner);
  /// The same, always present if what combines has a neutral element.
  Prefix settled(const Axis &axis, Prefix prefix);
  Registers shuffled(const Registers &x, Value lane);
  Registers selected(Value condition, const Registers &x, const Registers &y);

  bool hasFailed = false;
};
} // namespace

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Registers ScanLowering::shuffled(const Registers &x, Value lane) {
  Registers result;
  for (Value value : x)
    result.push_back(shuffleIndex(value, lane));
  return result;
}

Registers ScanLowering::selected(Value condition, const Registers &x, const Registers &y) {
  Registers result;
  for (auto [a, c] : llvm::zip(x, y))
    result.push_back(select(condition, a, c));
  return result;
}

Prefix ScanLowering::settled(const Axis &axis, Prefix prefix) {
  Operation *combiner = cast<tt::Combining>(axis.op).getCombiner();
  Type type = tt::elementType(axis.op->getOperand(0).getType());
  if (!prefix.present || !combiner || lowered(type) != type)
    return prefix;
  TypedAttr neutral = tt::neutralElement(combiner, type);
  if (!neutral)
    return prefix;
  return {selected(prefix.present, prefix.values, {constant(neutral)}), {}};
}

Registers ScanLowering::withPrefix(const Axis &axis, const Prefix &prefix, const Registers &x) {
  if (prefix.values.empty())
    return x;
  if (prefix.present && isCombinedByCalls(cast<tt::Combining>(axis.op)))
    return Registers(branchAround(prefix.present, x, [&] {
      Registers sum = combine(axis.op->getRegion(0), prefix.values, x);
      hasFailed |= sum.empty();
      const Registers &made = sum.empty() ? x : sum;
      return SmallVector<Value>(made.begin(), made.end());
    }));
  Prefix front = settled(axis, prefix);
  Registers sum = combine(axis.op->getRegion(0), front.values, x);
  hasFailed |= sum.empty();
  return front.present ? selected(front.present, sum, x) : sum;
}

Prefix ScanLowering::joined(const Axis &axis, const Prefix &outer, const Prefix &inner) {
  if (outer.values.empty())
    return inner;
  if (inner.values.empty())
    return outer;
  Registers sum = withPrefix(axis, outer, inner.values);
  if (!inner.present)
    return {sum, {}};
  return {selected(inner.present, sum, outer.values),
          outer.present ? ior(inner.present, outer.present) : Value()};
}

Value ScanLowering::isInside(const Axis &axis, const Run &run,
                             llvm::function_ref<Value(Value)> change) {
  if (!axis.reverse || !axis.layout.mayBePadding(run.reg, axis.number))
    return {};
  Value at = change(coordinate(axis.layout, axis.thread, run.reg, axis.number));
  return cmp(LLVM::ICmpPredicate::slt, at, i32(axis.extent()));
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// For each run what stands in front of it, of all that is scanned. `bit`: log2 of its length.
std::vector<Prefix> ScanLowering::prefixesOf(const Axis &axis, ArrayRef<Run> runs, unsigned bit,
                                             Totals *totals) {
  if (bit < axis.end) {
    unsigned count = axis.alike(bit);
    return axis.plan.bits[bit].input == kLane ? alongLanes(axis, runs, bit, count, totals)
                                              : alongRegisters(axis, runs, bit, count, totals);
  }
  // What repeats the core lies in registers behind all others.
  if (!totals)
    return alongRegisters(axis, runs, bit, 32, nullptr);
  for (const Run &run : runs) {
    Coordinates at = axis.layout.offset(run.reg);
    at[axis.number] >>= bit;
    (*totals)[at] = run.total;
  }
  return std::vector<Prefix>(runs.size());
}

/// Runs of one lane are combined 2^count at a time; there may be less.
std::vector<Prefix> ScanLowering::alongRegisters(const Axis &axis, ArrayRef<Run> runs, unsigned bit,
                                                 unsigned count, Totals *totals) {
  std::vector<Prefix> inner(runs.size());
  std::vector<Run> outer;
  size_t each = std::min<uint64_t>(uint64_t(1) << count, runs.size());
  for (auto [i, run] : llvm::enumerate(runs)) {
    if (i % each == 0) {
      outer.push_back(run);
      continue;
    }
    inner[i] = {outer.back().total, isInside(axis, runs[i - 1], bit)};
    outer.back().total = withPrefix(axis, inner[i], run.total);
    if (axis.reverse)
      outer.back().reg = run.reg;
  }
  if (outer.size() == 1 && !totals)
    return inner;
  std::vector<Prefix> fronts = prefixesOf(axis, outer, bit + count, totals);
  for (auto [i, prefix] : llvm::enumerate(inner))
    prefix = joined(axis, fronts[i / each], prefix);
  return inner;
}

std::vector<Prefix> ScanLowering::alongLanes(const Axis &axis, ArrayRef<Run> runs, unsigned bit,
                                             unsigned count, Totals *totals) {
  int32_t all = 0;
  for (unsigned j = bit; j < bit + count; ++j)
    all |= 1 << axis.plan.bits[j].number;
  std::vector<Run> outer;
  std::vector<Prefix> inner;
  for (const Run &run : runs) {
    Registers sum = run.total;
    int32_t lower = 0;
    for (unsigned j = bit; j < bit + count; ++j) {
      // The half that comes second takes what the last lane of the first half has.
      int32_t step = 1 << axis.plan.bits[j].number;
      Value from = axis.reverse ? ior(iand(lane, i32(~lower)), i32(step))
                                : iand(ior(lane, i32(lower)), i32(~step));
      Value isSecond = equals(iand(lane, i32(step)), axis.reverse ? 0 : step);
      Value inside = isInside(
          axis, run, [&](Value at) { return ior(lowBitsCleared(at, j + 1), i32(1 << j)); });
      sum = withPrefix(axis, {shuffled(sum, from), both(isSecond, inside)}, sum);
      lower |= step;
    }
    // The lane before this one, by the bits that count.
    Value others = iand(lane, i32(~all)), before, isNotFirst;
    if (axis.reverse) {
      before = iand(add(ior(lane, i32(~all)), i32(1)), i32(all));
      isNotFirst = cmp(LLVM::ICmpPredicate::ne, iand(lane, i32(all)), i32(all));
    } else {
      before = iand(sub(iand(lane, i32(all)), i32(1)), i32(all));
      isNotFirst = cmp(LLVM::ICmpPredicate::ne, iand(lane, i32(all)), i32(0));
    }
    Value inside = isInside(
        axis, run, [&](Value at) { return add(lowBitsCleared(at, bit), i32(int64_t(1) << bit)); });
    inner.push_back(settled(axis, {shuffled(sum, ior(others, before)), both(isNotFirst, inside)}));
    bool isLast = bit + count == axis.end && runs.size() == 1 && !totals;
    if (!isLast)
      outer.push_back({run.reg, shuffled(sum, axis.reverse ? others : ior(lane, i32(all)))});
  }
  if (outer.empty())
    return inner;
  std::vector<Prefix> fronts = prefixesOf(axis, outer, bit + count, totals);
  for (auto [front, prefix] : llvm::zip(fronts, inner))
    prefix = joined(axis, front, prefix);
  return inner;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

Axis ScanLowering::axisOf(tt::Combining op, bool reverse, int64_t length) {
  Value tile = op.getSrcs()[0];
  const TileLayout &tileLayout = layout(tile);
  ScanPlan plan = planScan(tileLayout, op.getAxis());
  unsigned end = std::min<unsigned>(plan.bits.size(), llvm::Log2_64_Ceil(length));
  return {op,
          tileLayout,
          op.getAxis(),
          reverse,
          std::move(plan),
          end,
          SmallVector<Value, 4>(threadCoordinates(tile))};
}

/// Registers along the axis, as the scan comes to them, for each place of the other dimensions.
static std::vector<SmallVector<unsigned>> rowsOf(const Axis &axis) {
  std::map<Coordinates, SmallVector<unsigned>> rows;
  for (unsigned r = 0; r < axis.layout.registers(); ++r) {
    Coordinates at = axis.layout.offset(r);
    at[axis.number] = 0;
    rows[at].push_back(r);
  }
  std::vector<SmallVector<unsigned>> result;
  for (auto &[at, row] : rows) {
    llvm::sort(row, [&](unsigned x, unsigned y) {
      return (axis.layout.offset(x)[axis.number] < axis.layout.offset(y)[axis.number]) !=
             axis.reverse;
    });
    result.push_back(std::move(row));
  }
  return result;
}

LogicalResult ScanLowering::scanRows(const Axis &axis, ResultRange results, Totals *totals) {
  unsigned bit = axis.end && axis.plan.bits[0].input == kRegister ? axis.alike(0) : 0;
  SmallVector<Registers> scanned(results.size(), Registers(axis.layout.registers()));
  hasFailed = false;
  for (const SmallVector<unsigned> &row : rowsOf(axis)) {
    bool isAll = bit == axis.end && !totals;
    size_t each = isAll ? row.size() : size_t(1) << bit;
    std::vector<Run> runs;
    SmallVector<Registers> sums;
    for (auto [i, r] : llvm::enumerate(row)) {
      Registers x = elements(cast<tt::Combining>(axis.op), axis.thread, r);
      if (i % each != 0)
        x = withPrefix(axis, {sums.back(), isInside(axis, {row[i - 1], {}}, 0u)}, x);
      sums.push_back(x);
      if ((i + 1) % each == 0)
        runs.push_back({axis.reverse ? r : row[i + 1 - each], x});
    }
    std::vector<Prefix> fronts(runs.size());
    if (!isAll)
      fronts = prefixesOf(axis, runs, bit, totals);
    for (auto [i, r] : llvm::enumerate(row)) {
      Registers x = withPrefix(axis, fronts[i / each], sums[i]);
      if (hasFailed)
        return failure();
      for (auto [list, value] : llvm::zip(scanned, x))
        list[r] = value;
    }
  }
  for (auto [result, list] : llvm::zip(results, scanned))
    set(result, std::move(list));
  return success();
}

LogicalResult ScanLowering::lowerScan(tt::ScanOp op) {
  Axis axis = axisOf(op, op.getReverse(), tt::kMaxTileElements);
  if (!axis.plan.isPossible || axis.plan.part() < axis.extent())
    return op->emitError() << "a scan across warps goes through shared memory; run "
                              "ttg-plan-exchanges first";
  return scanRows(axis, op->getResults(), nullptr);
}

LogicalResult ScanLowering::lowerWarpScan(WarpScanOp op) {
  Axis axis = axisOf(op, op.getReverse(), op.getPart());
  if (!axis.plan.isPossible || axis.plan.part() != op.getPart())
    return op->emitError() << "each part of " << op.getPart()
                           << " elements must lie in one warp, in a layout that goes from "
                              "registers to lanes";
  Totals totals;
  if (failed(scanRows(axis, op.getScanned(), &totals)))
    return failure();
  for (auto [i, result] : llvm::enumerate(op.getTotals())) {
    Registers registers;
    for (unsigned r = 0; r < layout(result).registers(); ++r) {
      auto it = totals.find(layout(result).offset(r));
      if (it == totals.end())
        return op->emitError() << "the layout of the totals does not follow from the operand's";
      registers.push_back(it->second[i]);
    }
    set(result, std::move(registers));
  }
  return success();
}

/// What stands in front of the part that a warp has where warp 0 has `part`.
Prefix ScanLowering::inFrontOf(const Axis &axis, int64_t part,
                               llvm::function_ref<Registers(int64_t)> scanned) {
  SmallVector<ScanPlan::Bit> warpBits;
  SmallVector<int64_t> parts{part};
  int32_t all = 0;
  for (unsigned bit = axis.end; bit < axis.plan.bits.size(); ++bit)
    if (axis.plan.bits[bit].input == kWarp) {
      warpBits.push_back(axis.plan.bits[bit]);
      all |= 1 << axis.plan.bits[bit].number;
      for (int64_t other : SmallVector<int64_t>(parts))
        parts.push_back(other + (int64_t(1) << (bit - axis.end)));
    }
  int64_t count = llvm::divideCeil(axis.extent(), int64_t(1) << axis.end);
  Prefix prefix;
  SmallVector<Registers> fronts;
  for (auto [i, own] : llvm::enumerate(parts)) {
    int64_t before = axis.reverse ? own + 1 : own - 1;
    bool isFirst = own == (axis.reverse ? count - 1 : 0);
    if (isFirst) {
      int32_t warps = 0;
      for (auto [j, bit] : llvm::enumerate(warpBits))
        warps |= (i >> j & 1) << bit.number;
      prefix.present = cmp(LLVM::ICmpPredicate::ne, iand(warp, i32(all)), i32(warps));
    }
    fronts.push_back(before >= 0 && before < count ? scanned(before) : Registers());
  }
  // Where nothing is, anything will do.
  for (const ScanPlan::Bit &bit : warpBits) {
    Value isSet = cmp(LLVM::ICmpPredicate::ne, iand(warp, i32(1 << bit.number)), i32(0));
    for (size_t i = 0; i + 1 < fronts.size(); i += 2) {
      const Registers &low = fronts[i], &high = fronts[i + 1];
      fronts[i / 2] = low.empty() ? high : high.empty() ? low : selected(isSet, high, low);
    }
    fronts.truncate(fronts.size() / 2);
  }
  prefix.values = fronts.front();
  return settled(axis, prefix);
}

LogicalResult ScanLowering::lowerJoin(JoinScansOp op) {
  Axis axis = axisOf(op, op.getReverse(), op.getPart());
  const TileLayout &from = layout(op.getPrefixes()[0]);
  std::map<Coordinates, unsigned> places = byPlace(from);
  std::map<Coordinates, Prefix> prefixes;
  SmallVector<Registers> results(op.getResults().size());
  bool fits = axis.plan.isPossible && axis.plan.part() == op.getPart();
  hasFailed = false;
  for (unsigned r = 0; fits && r < axis.layout.registers(); ++r) {
    Coordinates at = axis.layout.offset(r);
    at[axis.number] >>= axis.end;
    auto [it, isNew] = prefixes.try_emplace(at);
    if (isNew)
      it->second = inFrontOf(axis, at[axis.number], [&](int64_t part) {
        Coordinates place = at;
        place[axis.number] = part;
        auto found = places.find(place);
        fits &= found != places.end();
        Registers values;
        for (Value prefix : op.getPrefixes())
          values.push_back(get(prefix)[fits ? found->second : 0]);
        return values;
      });
    Registers x;
    for (Value operand : op.getSrcs())
      x.push_back(get(operand)[r]);
    x = withPrefix(axis, it->second, x);
    if (hasFailed)
      return failure();
    for (auto [list, value] : llvm::zip(results, x))
      list.push_back(value);
  }
  if (!fits)
    return op->emitError() << "the parts in front of a thread's must lie in its registers";
  for (auto [result, list] : llvm::zip(op.getResults(), results))
    set(result, std::move(list));
  return success();
}

void populateScanPatterns(LoweringPatterns &patterns, const LoweringContext &context) {
  auto family = std::make_shared<ScanLowering>(context);
  patterns.add<tt::ScanOp>([=](tt::ScanOp op) { return family->lowerScan(op); });
  patterns.add<WarpScanOp>([=](WarpScanOp op) { return family->lowerWarpScan(op); });
  patterns.add<JoinScansOp>([=](JoinScansOp op) { return family->lowerJoin(op); });
}

} // namespace tritium::ttg
