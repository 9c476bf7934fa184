//===- Compare.cpp - comparisons of integers that are constants apart -----===//
//
// Of registers x + a and y + b, where a and b are constants, the comparison x + a < y + b is
// a - b < y - x: a difference for all of them, and one comparison with a constant for each, in the
// place of additions and a comparison, of two registers each if they have 64 bits.
//
// Of a difference of 64 bits those 32 are compared that are nearest to it.
//
//===----------------------------------------------------------------------===//

#include "Distance.h"
#include "Elementwise.h"

using namespace mlir;

namespace tritium::ttg {

using ICmp = LLVM::ICmpPredicate;

namespace {
/// Registers whose two sides are each a constant from those of the first one.
struct Apart {
  Value x, y; ///< of the first one
  struct Member {
    unsigned reg;
    int64_t threshold; ///< what y - x is compared with
  };
  SmallVector<Member> members;
};

/// For x < y the comparison of y - x with the threshold, and so on.
std::optional<ICmp> ofDifference(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::slt:
    return ICmp::sgt;
  case arith::CmpIPredicate::sle:
    return ICmp::sge;
  case arith::CmpIPredicate::sgt:
    return ICmp::slt;
  case arith::CmpIPredicate::sge:
    return ICmp::sle;
  default:
    return std::nullopt;
  }
}

std::optional<int64_t> apart(Value from, Value to) {
  return from == to ? std::optional<int64_t>(0) : distance(from, to);
}

/// In groups of at least `least` registers; none if there are smaller ones.
std::vector<Apart> groupsOf(ArrayRef<Value> xs, ArrayRef<Value> ys, size_t least) {
  std::vector<Apart> groups;
  auto join = [&](Apart &group, unsigned reg) {
    auto x = apart(group.x, xs[reg]);
    auto y = x ? apart(group.y, ys[reg]) : std::nullopt;
    if (!y || !llvm::isInt<30>(*x) || !llvm::isInt<30>(*y))
      return false;
    group.members.push_back({reg, *x - *y});
    return true;
  };
  for (unsigned reg = 0; reg < xs.size(); ++reg) {
    if (llvm::any_of(groups, [&](Apart &group) { return join(group, reg); }))
      continue;
    if ((groups.size() + 1) * least > xs.size())
      return {};
    groups.push_back({xs[reg], ys[reg], {{reg, 0}}});
  }
  bool areLarge =
      llvm::all_of(groups, [&](const Apart &group) { return group.members.size() >= least; });
  return areLarge ? groups : std::vector<Apart>();
}
} // namespace

bool ElementwiseLowering::lowerApart(arith::CmpIOp op) {
  Type type = tt::elementType(op.getLhs().getType());
  bool isWide = type.isInteger(64);
  auto predicate = ofDifference(op.getPredicate());
  if (!predicate || (!isWide && !type.isInteger(32)) || !tt::isTile(op.getType()) ||
      layout(op).hasPadding())
    return false;
  // With y - x there is no number that does not fit. Where y may lie below all of x, it can be held
  // to where the comparison has come to its last answer.
  IntegerRange left = axes.ranges().get(op.getLhs()), right = axes.ranges().get(op.getRhs());
  bool isStrict = *predicate == ICmp::sgt || *predicate == ICmp::sle;
  int64_t least = left.low;
  bool isHeld = false;
  if (isWide) {
    // Then sums modulo 2^64, whose distances are known, are those of integers.
    if (!llvm::all_of(ArrayRef<int64_t>{left.low, left.high, right.low, right.high},
                      [](int64_t bound) { return llvm::isInt<62>(bound); }))
      return false;
  } else {
    least -= isStrict ? 0 : 1;
    auto fits = [](int64_t number) { return llvm::isInt<32>(number); };
    isHeld = !fits(right.low - left.high);
    if (isHeld && (!fits(least) || !llvm::all_equal(get(op.getRhs()))))
      return false;
    if (!fits((isHeld ? std::max(right.low, least) : right.low) - left.high) ||
        !fits(right.high - left.low))
      return false;
  }
  std::vector<Apart> groups = groupsOf(get(op.getLhs()), get(op.getRhs()), isWide ? 8 : 4);
  if (groups.empty())
    return false;
  Registers result(get(op.getLhs()).size());
  for (const Apart &group : groups) {
    Value y = group.y;
    if (isHeld) {
      OperationState state(loc, "llvm.intr.smax", {y, i32(least)}, {y.getType()});
      y = b.create(state)->getResult(0);
    }
    Value rest = sub(y, group.x);
    if (isWide) // In words of LLVM's own, it would compare 64 bits again.
      rest = assembly(b.getI32Type(), "cvt.sat.s32.s64 $0, $1;", "=r,l", {rest},
                      /*hasSideEffects=*/false);
    for (auto [reg, threshold] : group.members)
      result[reg] = cmp(*predicate, rest, i32(threshold));
  }
  set(op, std::move(result));
  return true;
}

} // namespace tritium::ttg
