//===- Disjoint.cpp - accesses that never meet ----------------------------===//
//
// The addresses of a tile of pointers as a sum of scalars and a window:
//
//   base + pid * 1024 + iv * 128 + [0, 127]        (in elements)
//
// Two accesses with the same scalars do not meet if their windows do not overlap. One access in
// two iterations of a loop does not if what an iteration adds is at least as long as the window.
// So a loop that writes one tile after the other needs no barrier.
//
//===----------------------------------------------------------------------===//

#include "tritium/Analysis/Disjoint.h"

#include "tritium/Analysis/IntegerRanges.h"
#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tritium {

namespace {
constexpr int kMaxDepth = 64;
/// Beyond this a window is as good as unknown, and sums of windows do not wrap.
constexpr int64_t kFar = int64_t(1) << 48;

struct Address {
  llvm::SmallMapVector<Value, int64_t, 4> scalars; ///< with their factors
  int64_t low = 0, high = 0;                       ///< the window, both ends included

  bool isSmall() const { return low > -kFar && high < kFar; }
};

class AddressReader {
public:
  /// False if nothing is known.
  bool read(Value value, int64_t factor, Address &address, int depth = 0) {
    if (depth > kMaxDepth || std::abs(factor) >= (int64_t(1) << 31))
      return false;
    Operation *op = value.getDefiningOp();
    auto follow = [&](unsigned operand, int64_t by) {
      return read(op->getOperand(operand), by, address, depth + 1);
    };
    if (Value source = ttg::movedFrom(value))
      return read(source, factor, address, depth + 1);
    if (isa_and_nonnull<tt::AddPtrOp>(op))
      return follow(0, factor) && follow(1, factor);
    if (isa_and_nonnull<arith::ExtSIOp>(op))
      return follow(0, factor);
    if (!isa<tt::PointerType>(tt::elementType(value.getType()))) {
      IntegerRange range = ranges.get(value);
      bool isConstant = range.low == range.high;
      if (!isConstant && isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op) && cannotWrap(op))
        return follow(0, factor) && follow(1, isa<arith::SubIOp>(op) ? -factor : factor);
      if (!isConstant && isa_and_nonnull<arith::MulIOp>(op) && cannotWrap(op))
        for (unsigned i : {0u, 1u}) {
          IntegerRange by = ranges.get(op->getOperand(i));
          if (by.low == by.high && std::abs(by.low) < (int64_t(1) << 31))
            return follow(1 - i, factor * by.low);
        }
      // Constants, and what else differs between elements.
      if (isConstant || tt::isTile(value.getType())) {
        __int128 low = __int128(factor) * (factor < 0 ? range.high : range.low);
        __int128 high = __int128(factor) * (factor < 0 ? range.low : range.high);
        if (low <= -kFar || high >= kFar)
          return false;
        address.low += int64_t(low);
        address.high += int64_t(high);
        return address.isSmall();
      }
    }
    if (tt::isTile(value.getType()))
      return false;
    address.scalars[value] += factor;
    return true;
  }

private:
  /// Offsets are computed in 64 bits, where they do not, or in 32 where it is proved.
  static bool cannotWrap(Operation *op) {
    if (tt::elementType(op->getResult(0).getType()).getIntOrFloatBitWidth() == 64)
      return true;
    auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op);
    return flags && flags.hasNoSignedWrap();
  }

  IntegerRanges ranges;
};

/// What an iteration of `loop` adds to a scalar; nothing if that is not known.
std::optional<int64_t> stepOf(Value scalar, scf::ForOp loop, AddressReader &reader) {
  if (scalar == loop.getInductionVar()) {
    APInt step;
    if (!matchPattern(loop.getStep(), m_ConstantInt(&step)))
      return std::nullopt;
    return step.getSExtValue();
  }
  if (loop.isDefinedOutsideOfLoop(scalar))
    return 0;
  auto argument = dyn_cast<BlockArgument>(scalar);
  if (!argument || argument.getOwner() != loop.getBody())
    return std::nullopt;
  Address next;
  if (!reader.read(loop.getYieldedValues()[argument.getArgNumber() - 1], 1, next) ||
      next.scalars.size() != 1 || next.scalars.front() != std::pair(scalar, int64_t(1)) ||
      next.low != next.high)
    return std::nullopt;
  return next.low;
}
} // namespace

bool neverMeet(Operation *second, Operation *first, bool earlier) {
  // Offsets count elements, of one size on both sides: one of the scalars is the pointer, which no
  // cast is looked through for.
  AddressReader reader;
  Address a, b;
  if (!reader.read(first->getOperand(0), 1, a) || !reader.read(second->getOperand(0), 1, b))
    return false;
  // A scalar that one of them lacks has the factor 0 there.
  auto hasFactorsOf = [](const Address &x, const Address &y) {
    return llvm::all_of(y.scalars, [&](const auto &scalar) {
      return x.scalars.lookup(scalar.first) == scalar.second;
    });
  };
  if (!hasFactorsOf(a, b) || !hasFactorsOf(b, a))
    return false;
  if (!earlier)
    return a.high < b.low || b.high < a.low;
  // A body that skips registers stands for its operations.
  auto around = [](Operation *op) {
    Operation *parent = op->getParentOp();
    return isa<ttg::SkipMaskedOp>(parent) ? parent->getParentOp() : parent;
  };
  auto loop = dyn_cast<scf::ForOp>(around(first));
  if (!loop || around(second) != loop || loop->getParentOfType<LoopLikeOpInterface>())
    return false;
  __int128 added = 0;
  for (auto [scalar, factor] : a.scalars) {
    std::optional<int64_t> step = stepOf(scalar, loop, reader);
    if (!step || std::abs(*step) >= (int64_t(1) << 31))
      return false;
    added += __int128(factor) * *step;
  }
  int64_t window = std::max(a.high, b.high) - std::min(a.low, b.low) + 1;
  return added >= window || -added >= window;
}

} // namespace tritium
