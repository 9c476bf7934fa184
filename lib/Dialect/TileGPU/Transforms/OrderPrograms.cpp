//===- OrderPrograms.cpp - ttg-order-programs -----------------------------===//
//
// Marks kernels of which later programs have more to do than earlier ones, as in causal attention,
// where a loop ends with the program's own rows:
//
//   tt.func @kernel(..) attributes {ttg.last_first = array<i32: 0>, ttg.longest_of = 512 : i32}
//
// Their ids count down: the programs that begin first are the longest, and those that begin last,
// when other multiprocessors are done, are short. Where rows of the grid have programs of all
// lengths, those of the last rows begin together, the longest of each first. Programs may run in
// any order, so that no more than a guess is needed of how long they are. Which way a bound grows
// is read from what computes it, with arguments taken for positive numbers.
//
//===----------------------------------------------------------------------===//

#include "ProgramDependence.h"

#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileGPU/IR/TileGPU.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"
#include "tritium/Support/EmitRemark.h"
#include "tritium/Target/GPU/GPUModel.h"
#include "tritium/Target/GPU/Strategy.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tritium::ttg {

#define GEN_PASS_DEF_ORDERPROGRAMS
#include "tritium/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
/// Where a number goes from one program to the next.
enum class Trend : uint8_t { Same, Up, Down, Any };

Trend opposite(Trend trend) {
  return trend == Trend::Up ? Trend::Down : trend == Trend::Down ? Trend::Up : trend;
}

/// Of a number that grows with both.
Trend both(Trend a, Trend b) {
  return a == b || b == Trend::Same ? a : a == Trend::Same ? b : Trend::Any;
}

/// Of scalars, along one dimension of the grid.
class Trends {
public:
  explicit Trends(uint32_t axis) : axis(axis) {}

  Trend of(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return isa<tt::FuncOp>(value.getParentBlock()->getParentOp()) ? Trend::Same : Trend::Any;
    auto [known, isNew] = trends.try_emplace(value, Trend::Any);
    if (!isNew)
      return known->second;
    Trend trend = compute(op);
    return trends[value] = trend;
  }

private:
  Trend compute(Operation *op) {
    if (auto id = dyn_cast<tt::GetProgramIdOp>(op))
      return id.getAxis() == axis ? Trend::Up : Trend::Same;
    auto operand = [&](unsigned i) { return of(op->getOperand(i)); };
    // The least of positive numbers and one that is not.
    if (isa<arith::MinSIOp>(op) && llvm::any_of(op->getOperands(), isNotPositive))
      return Trend::Same;
    if (isa<arith::AddIOp, arith::MinSIOp, arith::MaxSIOp>(op))
      return both(operand(0), operand(1));
    if (isa<arith::SubIOp>(op))
      return both(operand(0), opposite(operand(1)));
    if (isa<arith::MulIOp>(op))
      return isNegative(op->getOperand(0)) || isNegative(op->getOperand(1))
                 ? opposite(both(operand(0), operand(1)))
                 : both(operand(0), operand(1));
    if (isa<arith::DivSIOp, arith::DivUIOp, arith::CeilDivSIOp, arith::FloorDivSIOp>(op))
      return both(operand(0), opposite(operand(1)));
    if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp>(op))
      return operand(0);
    bool isSame = op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
                  llvm::all_of(op->getOperands(), [&](Value x) { return of(x) == Trend::Same; });
    return isSame ? Trend::Same : Trend::Any;
  }

  static bool isNotPositive(Value value) {
    APInt number;
    return matchPattern(value, m_ConstantInt(&number)) && !number.isStrictlyPositive();
  }

  static bool isNegative(Value value) {
    APInt number;
    return matchPattern(value, m_ConstantInt(&number)) && number.isNegative();
  }

  uint32_t axis;
  llvm::DenseMap<Value, Trend> trends;
};

/// Later programs along `axis` go through longer loops, none of which is shorter.
bool growsAlong(tt::FuncOp kernel, uint32_t axis) {
  Trends trends(axis);
  bool grows = false, shrinks = false;
  kernel.walk([&](scf::ForOp loop) {
    Trend from = trends.of(loop.getLowerBound()), to = trends.of(loop.getUpperBound());
    // Of a loop whose ends both move the length may be the same.
    grows |= from == Trend::Same && to == Trend::Up;
    shrinks |= (from == Trend::Up && to == Trend::Same) || to == Trend::Down;
  });
  return grows && !shrinks;
}

struct OrderProgramsPass : impl::OrderProgramsBase<OrderProgramsPass> {
  using OrderProgramsBase::OrderProgramsBase;

  void runOnOperation() override {
    if (!getAnalysis<LayoutsHold>())
      return signalPassFailure();
    for (auto kernel : getOperation().getOps<tt::FuncOp>())
      if (!kernel.isExternal() && kernel.isKernel() && !kernel->hasAttr(kPersistent))
        order(kernel);
  }

private:
  void order(tt::FuncOp kernel) {
    SmallVector<int32_t> axes;
    for (int32_t axis = 0; axis < 3; ++axis)
      if (growsAlong(kernel, axis))
        axes.push_back(axis);
    if (axes.empty())
      return;
    if (Operation *op = findDependence(kernel))
      return remarkMissed(op->getLoc(), "program-order",
                          "the longest programs come last: this may depend on other programs, or "
                          "on which CTA it is");
    Builder b(kernel);
    kernel->setAttr(kLastFirst, b.getDenseI32ArrayAttr(axes));
    if (axes.front() == 0 && !llvm::is_contained(axes, 1))
      kernel->setAttr(kLongestOf,
                      b.getI32IntegerAttr(llvm::bit_floor(strategy::kLongestPerMultiprocessor *
                                                          gpuModel(kernel).multiprocessors)));
    remarkApplied(kernel.getLoc(), "program-order",
                  "the last programs come first, since they have the longest loops");
  }
};
} // namespace

} // namespace tritium::ttg
