//===- RoughExponentials.cpp - tt-rough-exponentials ----------------------===//
//
// Weights of a softmax that are kept in 16 bits need no exponential to the last bits of 32:
//
//   %m = reduce max %x
//   %e = math.exp (%x - splat %m)            {tt.rough}
//   %s = reduce sum %e
//   %w = truncf (%e / splat %s)              to f16, bf16 or 8 bits
//
// The sum is 1 at least, since the greatest of %x gives 1; otherwise it is NaN with or without the
// mark. All terms are positive, so nothing cancels: a relative error of %e of some 2^-18 is at most
// twice that in the quotient, and of a unit in the last place of 16 bits a hundredth. Terms too
// small to be normal may be zero: their quotients lie below 2^-126, which is zero in 16 bits but
// for subnormal bf16, and as results of narrow exponentials are.
//
// Only uses as above are allowed. How rough an exponential is decides the target.
//
// Whatever becomes of them, divisors that are such sums have a normal reciprocal: `tt.normal`.
// Where what they divide is the very tile that was summed, that lies between 0 and 1, too:
// `tt.weight`.
//
//===----------------------------------------------------------------------===//

#include "tritium/Dialect/Tile/IR/Tile.h"
#include "tritium/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tritium::tt {

#define GEN_PASS_DEF_ROUGHEXPONENTIALS
#include "tritium/Dialect/Tile/Transforms/Passes.h.inc"

namespace {
/// A reduction of one tile by one operation.
template <typename... Ops> ReduceOp reductionBy(Operation *op) {
  auto reduce = dyn_cast_or_null<ReduceOp>(op);
  if (!reduce || reduce->getNumOperands() != 1)
    return {};
  Block &body = reduce->getRegion(0).front();
  bool isOne = llvm::hasSingleElement(body.without_terminator()) && isa<Ops...>(body.front()) &&
               body.front().getOperand(0) != body.front().getOperand(1) &&
               llvm::all_of(body.front().getOperands(), llvm::IsaPred<BlockArgument>) &&
               body.getTerminator()->getOperand(0) == body.front().getResult(0);
  return isOne ? reduce : ReduceOp();
}

/// The reduction of which `value` has each result where its operand has what it was reduced from.
Operation *repeatedReduction(Value value) {
  if (auto broadcast = value.getDefiningOp<BroadcastOp>())
    value = broadcast.getSrc();
  if (auto splat = value.getDefiningOp<SplatOp>())
    return splat.getSrc().getDefiningOp();
  auto expand = value.getDefiningOp<ExpandDimsOp>();
  auto reduce = expand ? expand.getSrc().getDefiningOp<ReduceOp>() : ReduceOp();
  return reduce && reduce.getAxis() == expand.getAxis() ? reduce : nullptr;
}

/// The value is a divisor, perhaps after it has been repeated, and nothing else; adds the
/// divisions.
bool onlyDivides(Value value, SmallVectorImpl<Operation *> &divisions) {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<SplatOp, BroadcastOp, ExpandDimsOp>(user))
      return onlyDivides(user->getResult(0), divisions);
    if (!isa<arith::DivFOp>(user) || use.getOperandNumber() != 1)
      return false;
    divisions.push_back(user);
    return true;
  });
}

bool onlyNarrows(Operation *op) {
  return llvm::all_of(op->getUsers(), [](Operation *user) {
    return isa<arith::TruncFOp>(user) &&
           scalarBits(elementType(user->getResult(0).getType())) <= 16;
  });
}

/// The dimension along which the greatest of each row is 1, or NaN; nothing if there is none.
std::optional<unsigned> axisOfWeights(math::ExpOp exp) {
  auto difference = exp.getOperand().getDefiningOp<arith::SubFOp>();
  if (!difference || !elementType(exp.getType()).isF32())
    return std::nullopt;
  ReduceOp greatest =
      reductionBy<arith::MaxNumFOp, arith::MaximumFOp>(repeatedReduction(difference.getRhs()));
  if (!greatest || greatest->getOperand(0) != difference.getLhs())
    return std::nullopt;
  return greatest.getAxis();
}

/// The exponentials of which the divisor is the sum of a row, 1 at least and at most its length, or
/// NaN; null if it is none.
math::ExpOp exponentialsIn(arith::DivFOp division) {
  ReduceOp sum = reductionBy<arith::AddFOp>(repeatedReduction(division.getRhs()));
  auto exp = sum ? sum->getOperand(0).getDefiningOp<math::ExpOp>() : math::ExpOp();
  return exp && axisOfWeights(exp) == sum.getAxis() ? exp : math::ExpOp();
}

/// The exponential is one of weights as above.
bool mayBeRough(math::ExpOp exp) {
  std::optional<unsigned> axis = axisOfWeights(exp);
  if (!axis)
    return false;
  SmallVector<Operation *> divisions, quotients;
  bool hasSum = false;
  for (OpOperand &use : exp->getUses()) {
    if (ReduceOp sum = reductionBy<arith::AddFOp>(use.getOwner())) {
      if (sum.getAxis() != *axis || !onlyDivides(sum->getResult(0), divisions))
        return false;
      hasSum = true;
    } else if (isa<arith::DivFOp>(use.getOwner()) && use.getOperandNumber() == 0) {
      quotients.push_back(use.getOwner());
    } else {
      return false;
    }
  }
  // Each is divided by the sum, and the sum divides nothing else.
  return hasSum &&
         llvm::all_of(
             quotients,
             [&](Operation *op) { return llvm::is_contained(divisions, op) && onlyNarrows(op); }) &&
         llvm::all_of(divisions, [&](Operation *op) { return llvm::is_contained(quotients, op); });
}

struct RoughExponentialsPass : impl::RoughExponentialsBase<RoughExponentialsPass> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      auto exp = dyn_cast<math::ExpOp>(op);
      auto division = dyn_cast<arith::DivFOp>(op);
      if (exp && mayBeRough(exp))
        exp->setAttr("tt.rough", UnitAttr::get(exp.getContext()));
      math::ExpOp summed = division ? exponentialsIn(division) : math::ExpOp();
      if (!summed)
        return;
      auto mark = UnitAttr::get(division.getContext());
      division->setAttr("tt.normal", mark);
      if (division.getLhs() == summed.getResult())
        division->setAttr("tt.weight", mark);
    });
  }
};
} // namespace

} // namespace tritium::tt
