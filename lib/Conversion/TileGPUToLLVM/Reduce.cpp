//===- Reduce.cpp - reductions --------------------------------------------===//
//
// In three steps, each only as far as the axis reaches: registers of a lane; lanes of a
// warp, by shuffles along the bits that lie on the axis; warps, by one exchange through
// shared memory:
//
//   every warp writes its partial results    scratch[warp along the axis][result]
//   barrier
//   lanes that hold the same results read one warp's each and combine them by shuffles;
//   if there are fewer such lanes than warps, every lane reads all
//
// A reduction over 128 elements by four warps is five shuffles, one exchange, two shuffles.
// All lanes then hold the result, which is what the slice layout of it says.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include <map>

using namespace mlir;

namespace tritium::ttg {

namespace {
/// The bits of `index` at the positions `bits`, moved together.
Value gather(Emitter &e, Value index, ArrayRef<unsigned> bits) {
  Value result = e.i32(0);
  for (auto [i, bit] : llvm::enumerate(bits))
    result = e.ior(result, e.shl(e.iand(e.shr(index, bit), e.i32(1)), i));
  return result;
}

uint64_t maskOf(ArrayRef<unsigned> bits) {
  uint64_t mask = 0;
  for (unsigned bit : bits)
    mask |= uint64_t(1) << bit;
  return mask;
}
} // namespace

LogicalResult Lowering::lowerReduce(tt::ReduceOp op) {
  unsigned axis = op.getAxis(), count = op.getSrcs().size();
  const TileLayout &src = layout(op.getSrcs()[0]);
  ReductionPlan plan = planReduction(src, axis);
  if (!plan.isSeparable)
    return unsupported(op, "a reduction whose lanes lie across the axis");
  auto combined = [&](ArrayRef<Value> x, ArrayRef<Value> y) {
    return combine(op.getCombineOp(), x, y);
  };
  auto selected = [&](Value condition, Registers x, ArrayRef<Value> y) {
    if (condition)
      for (auto [a, z] : llvm::zip(x, y))
        a = select(condition, a, z);
    return x;
  };

  // Registers. The key of a group is where its result lies.
  SmallVector<Value, 4> thread(threadCoordinates(op.getSrcs()[0]));
  auto keyOf = [&](unsigned r) {
    Coordinates key = src.offset(r);
    key.erase(key.begin() + axis);
    return key;
  };
  Partials groups;
  auto add = [&](const Coordinates &key, ArrayRef<Value> x, Value inside) -> LogicalResult {
    auto [it, isNew] = groups.try_emplace(key, x);
    if (isNew)
      return success();
    Registers sum = combined(it->second, x);
    if (sum.empty())
      return failure();
    it->second = selected(inside, sum, it->second);
    return success();
  };
  SlotSink sink{op, {}, {}};
  sink.take = [&](ArrayRef<unsigned> registers) -> LogicalResult {
    for (unsigned r : registers) {
      Registers x;
      for (Value operand : op.getSrcs())
        x.push_back(get(operand)[r]);
      Value inside;
      if (src.mayBePadding(r, axis))
        inside = cmp(LLVM::ICmpPredicate::slt, coordinate(src, thread, r, axis),
                     i32(src.extents()[axis]));
      if (failed(add(keyOf(r), x, inside)))
        return failure();
    }
    return success();
  };
  if (const SlotMask *mask = slots.maskOf(op)) {
    sink.leaveOut = [&](const Slot &slot) -> LogicalResult {
      for (ArrayRef<unsigned> strand : slot.strands) {
        llvm::DenseMap<Value, Value> known;
        Registers x, sum;
        for (Value operand : op.getSrcs())
          x.push_back(fillOf(operand, *mask, strand, known));
        // n of the same by doubling.
        for (size_t n = strand.size(); n; n >>= 1) {
          if (n & 1)
            sum = sum.empty() ? x : combined(sum, x);
          if (n > 1)
            x = combined(x, x);
        }
        if (failed(add(keyOf(strand[0]), sum, Value())))
          return failure();
      }
      return success();
    };
    sink.partials = &groups;
    if (failed(emitPostponed(&sink)))
      return failure();
  } else if (failed(sink.take(llvm::to_vector(llvm::seq(0u, src.registers()))))) {
    return failure();
  }

  // Lanes.
  for (unsigned bit : plan.laneBits)
    for (auto &[key, x] : groups) {
      Registers other;
      for (Value v : x)
        other.push_back(shuffleXor(v, 1 << bit));
      x = combined(x, other);
    }

  if (!plan.warpBits.empty())
    exchangePartials(op, plan, src, groups);

  for (unsigned i = 0; i < count; ++i) {
    Value result = op->getResult(i);
    Registers registers;
    if (!tt::isTile(result.getType())) {
      registers.push_back(groups.begin()->second[i]);
    } else {
      const TileLayout &dst = layout(result);
      for (unsigned r = 0; r < dst.registers(); ++r) {
        auto it = groups.find(dst.offset(r));
        if (it == groups.end())
          return op->emitError() << "a bug in the compiler: the layout of the result of a "
                                    "reduction does not fit its operand's";
        registers.push_back(it->second[i]);
      }
    }
    set(result, std::move(registers));
  }
  return success();
}

void Lowering::exchangePartials(tt::ReduceOp op, const ReductionPlan &plan, const TileLayout &src,
                                Partials &groups) {
  unsigned axis = op.getAxis(), partials = 1u << plan.warpBits.size();
  uint64_t results = 1;
  for (unsigned d = 0; d < src.rank(); ++d)
    if (d != axis)
      results *= src.core().extent(d) * src.repeats()[d];
  SmallVector<Value, 4> thread(threadCoordinates(op.getSrcs()[0]));
  // The number of a result among all, row-major.
  auto numberOf = [&](const Coordinates &key) {
    Value index;
    for (unsigned d = 0, k = 0; d < src.rank(); ++d) {
      if (d == axis)
        continue;
      int64_t c = key[k++], inside = c % src.core().extent(d);
      Value x = src.registersAreApart() || !inside
                    ? offset(thread[d], c)
                    : offset(ixor(thread[d], i32(inside)), c - inside);
      index = index ? add(mul(index, i32(src.core().extent(d) * src.repeats()[d])), x) : x;
    }
    return index ? index : i32(0);
  };
  // Lanes that hold copies after the shuffles: those along the axis and those that were
  // copies from the start.
  SmallVector<unsigned> sameLanes;
  for (auto [i, base] : llvm::enumerate(src.core().bases(kLane)))
    if (base == 0 || llvm::is_contained(plan.laneBits, i))
      sameLanes.push_back(i);
  uint64_t warpCopies = src.core().freeMask(kWarp);
  Value writes;
  if (!sameLanes.empty())
    writes = equals(iand(lane, i32(maskOf(sameLanes))), 0);
  if (warpCopies)
    writes = both(writes, equals(iand(warp, i32(warpCopies)), 0));
  bool byShuffles = sameLanes.size() >= plan.warpBits.size();
  ArrayRef<unsigned> readers =
      ArrayRef(sameLanes).take_front(byShuffles ? plan.warpBits.size() : 0);

  Value partial = gather(*this, warp, plan.warpBits);
  Value mine = byShuffles ? gather(*this, lane, readers) : Value();
  SmallVector<uint64_t> begins;
  uint64_t begin = 0;
  for (Value operand : op.getSrcs()) {
    begins.push_back(begin);
    begin +=
        llvm::alignTo(results * partials * tt::scalarBytes(tt::elementType(operand.getType())), 16);
  }
  auto address = [&](unsigned i, Value row, Value number) {
    Type element = lowered(tt::elementType(op.getSrcs()[i].getType()));
    Type stored = element.isInteger(1) ? intType(8) : element;
    Value index = results == 1 ? row : add(mul(row, i32(results)), number);
    return gep(sharedAddress(op, begins[i]), stored, index);
  };
  for (auto &[key, x] : groups) {
    Value number = numberOf(key);
    for (auto [i, v] : llvm::enumerate(x))
      storeShared(writes, address(i, partial, number), v.getType().isInteger(1) ? zext(v, 8) : v);
  }
  barrier();
  auto read = [&](unsigned i, Value row, Value number) -> Value {
    Type element = lowered(tt::elementType(op.getSrcs()[i].getType()));
    if (element.isInteger(1))
      return trunc(loadShared(address(i, row, number), intType(8)), 1);
    return loadShared(address(i, row, number), element);
  };
  for (auto &[key, x] : groups) {
    Value number = numberOf(key);
    if (byShuffles) {
      for (unsigned i = 0; i < x.size(); ++i)
        x[i] = read(i, mine, number);
      for (unsigned bit : readers) {
        Registers other;
        for (Value v : x)
          other.push_back(shuffleXor(v, 1 << bit));
        x = combine(op.getCombineOp(), x, other);
      }
      continue;
    }
    for (unsigned p = 0; p < partials; ++p) {
      Registers other;
      for (unsigned i = 0; i < x.size(); ++i)
        other.push_back(read(i, i32(p), number));
      x = p == 0 ? other : combine(op.getCombineOp(), x, other);
    }
  }
}

} // namespace tritium::ttg
