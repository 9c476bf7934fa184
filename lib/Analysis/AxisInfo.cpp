//===- AxisInfo.cpp - contiguity, divisibility, constancy -----------------===//
//
// One forward walk. A loop-carried value starts as what it is before the loop and is
// joined with what an iteration yields until nothing changes; runs only become shorter
// and divisors smaller, so that takes few rounds.
//
//===----------------------------------------------------------------------===//

#include "tritium/Analysis/AxisInfo.h"

#include "AxisLine.h"
#include "AxisRules.h"

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;

namespace tritium {

using namespace axis;

namespace {
class Walker {
public:
  Walker(llvm::DenseMap<Value, AxisInfo> &infos, const Hypotheses &hypotheses,
         IntegerRanges &ranges)
      : infos(infos), ranges(ranges), divisors(hypotheses.multiples) {}

  void visitFunction(tt::FuncOp func) {
    if (func.isExternal())
      return;
    collectAssumptions(func);
    for (BlockArgument argument : func.getArguments()) {
      AxisInfo info = unknown(argument.getType());
      if (Attribute hint = func.getArgAttr(argument.getArgNumber(), "tt.divisibility"))
        applyHint(info, argument.getType(), "tt.divisibility", hint);
      set(argument, std::move(info));
    }
    visitBlock(func.getBody().front());
  }

private:
  const AxisInfo &get(Value value) {
    auto [it, inserted] = infos.try_emplace(value);
    if (inserted)
      it->second = unknown(value.getType());
    return it->second;
  }

  void set(Value value, AxisInfo info) {
    if (Operation *op = value.getDefiningOp())
      for (NamedAttribute attr : op->getDiscardableAttrs())
        if (StringRef name = attr.getName().getValue();
            name == "tt.contiguity" || name == "tt.divisibility" || name == "tt.constancy")
          applyHint(info, value.getType(), name, attr.getValue());
    if (int64_t known = divisors.lookup(value))
      for (int64_t &q : info.divisibility)
        q = std::max(q, known);
    infos[value] = std::move(info);
  }

  /// Joins `info` into what `value` is so far; true if that changes it.
  bool widen(Value value, const AxisInfo &info) {
    AxisInfo joined = join(get(value), info, value.getType());
    if (joined == infos[value])
      return false;
    infos[value] = std::move(joined);
    return true;
  }

  /// `assume(x % n == 0)` in the entry block holds of every x that it dominates, and a
  /// program in which it does not hold has no meaning.
  void collectAssumptions(tt::FuncOp func) {
    for (auto assume : func.getBody().front().getOps<tt::AssumeOp>()) {
      auto compare = assume.getCondition().getDefiningOp<arith::CmpIOp>();
      if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq ||
          !matchPattern(compare.getRhs(), m_Zero()))
        continue;
      Operation *rem = compare.getLhs().getDefiningOp();
      APInt divisor;
      if (isa_and_nonnull<arith::RemSIOp, arith::RemUIOp>(rem) &&
          matchPattern(rem->getOperand(1), m_ConstantInt(&divisor)))
        divisors[rem->getOperand(0)] = std::max(divisors.lookup(rem->getOperand(0)),
                                                powerOfTwoDivisor(divisor.getSExtValue()));
    }
  }

  void visitBlock(Block &block) {
    for (Operation &op : block)
      visit(&op);
  }

  void visit(Operation *op) {
    TypeSwitch<Operation *>(op)
        .Case([&](scf::ForOp loop) { visitFor(loop); })
        .Case([&](scf::WhileOp loop) { visitWhile(loop); })
        .Case([&](scf::IfOp branch) { visitIf(branch); })
        .Case([&](ttg::SkipMaskedOp skip) {
          visitBlock(skip.getBody().front());
          for (OpResult result : skip->getResults())
            set(result, AxisInfo(get(ttg::sameTile(result))));
        })
        .Default([&](Operation *op) { visitOther(op); });
  }

  void visitOther(Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        visitBlock(block);
    if (op->getNumResults() == 1 && op->getNumRegions() == 0) {
      set(op->getResult(0),
          transfer(op, [&](Value v) -> const AxisInfo & { return known(v); }, ranges));
      return;
    }
    for (Value result : op->getResults())
      set(result, unknown(result.getType()));
  }

  /// Never inserts, so that references stay valid while an operation is looked at.
  const AxisInfo &known(Value value) {
    auto it = infos.find(value);
    return it != infos.end() ? it->second : unknownOf(value);
  }
  const AxisInfo &unknownOf(Value value) {
    return *spare.emplace_back(std::make_unique<AxisInfo>(unknown(value.getType())));
  }

  void visitFor(scf::ForOp loop) {
    AxisInfo index = unknown(loop.getInductionVar().getType());
    index.divisibility[0] =
        std::gcd(get(loop.getLowerBound()).divisibility[0], get(loop.getStep()).divisibility[0]);
    set(loop.getInductionVar(), std::move(index));
    for (auto [argument, init] : llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs()))
      set(argument, AxisInfo(get(init)));
    for (bool changed = true; changed;) {
      changed = false;
      visitBlock(*loop.getBody());
      for (auto [argument, yielded] : llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues()))
        changed |= widen(argument, AxisInfo(get(yielded)));
    }
    for (auto [result, argument] : llvm::zip(loop.getResults(), loop.getRegionIterArgs()))
      set(result, AxisInfo(get(argument)));
  }

  void visitWhile(scf::WhileOp loop) {
    for (auto [argument, init] : llvm::zip(loop.getBeforeArguments(), loop.getInits()))
      set(argument, AxisInfo(get(init)));
    scf::ConditionOp condition = loop.getConditionOp();
    for (bool changed = true; changed;) {
      changed = false;
      visitBlock(*loop.getBeforeBody());
      for (auto [argument, value] : llvm::zip(loop.getAfterArguments(), condition.getArgs()))
        set(argument, AxisInfo(get(value)));
      visitBlock(*loop.getAfterBody());
      for (auto [argument, yielded] :
           llvm::zip(loop.getBeforeArguments(), loop.getYieldOp().getOperands()))
        changed |= widen(argument, AxisInfo(get(yielded)));
    }
    for (auto [result, value] : llvm::zip(loop.getResults(), condition.getArgs()))
      set(result, AxisInfo(get(value)));
  }

  void visitIf(scf::IfOp branch) {
    visitBlock(*branch.thenBlock());
    if (!branch.elseBlock())
      return;
    visitBlock(*branch.elseBlock());
    for (auto [result, yes, no] : llvm::zip(branch.getResults(), branch.thenYield().getOperands(),
                                            branch.elseYield().getOperands())) {
      AxisInfo first = get(yes);
      set(result, join(first, get(no), result.getType()));
    }
  }

  llvm::DenseMap<Value, AxisInfo> &infos;
  IntegerRanges &ranges;
  llvm::DenseMap<Value, int64_t> divisors; ///< by hypothesis or assumption
  std::vector<std::unique_ptr<AxisInfo>> spare;
};

constexpr int64_t kSharedRanks = 8;

/// All ones for the ranks that occur, shared by all analyses.
const AxisInfo &unknownOfRank(int64_t rank) {
  static const auto table = [] {
    std::vector<AxisInfo> infos;
    for (int64_t r = 0; r <= kSharedRanks; ++r) {
      SmallVector<int64_t> ones(r, 1);
      infos.push_back({ones, ones, ones, std::nullopt});
    }
    return infos;
  }();
  return table[std::min(rank, kSharedRanks)];
}
} // namespace

AxisInfoAnalysis::AxisInfoAnalysis(tt::FuncOp func, const Hypotheses &hypotheses)
    : bounds(std::make_unique<IntegerRanges>(hypotheses)) {
  Walker(infos, hypotheses, *bounds).visitFunction(func);
}

const AxisInfo &AxisInfoAnalysis::get(Value value) const {
  auto it = infos.find(value);
  return it != infos.end() ? it->second : unknownOfRank(rankOf(value.getType()));
}

} // namespace tritium
