//===- GlobalOrder.cpp - accesses of global memory in program order -------===//
//
// A kernel is one program, but its threads run on their own: what one has stored another
// may load too early. Threads need not wait where each only accesses its own elements
// through one and the same tile of pointers.
//
//===----------------------------------------------------------------------===//

#include "Shared.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tritium::ttg {

namespace {
/// The arguments that a pointer may come from. False: also from elsewhere.
bool collectBases(Value ptr, llvm::SmallPtrSetImpl<Value> &bases,
                  llvm::SmallPtrSetImpl<Value> &seen) {
  if (!seen.insert(ptr).second)
    return true;
  auto follow = [&](Value next) { return collectBases(next, bases, seen); };
  if (auto argument = dyn_cast<BlockArgument>(ptr)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (isa<tt::FuncOp>(parent)) {
      bases.insert(ptr);
      return true;
    }
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      unsigned i = argument.getArgNumber() - 1;
      return follow(loop.getInitArgs()[i]) && follow(loop.getYieldedValues()[i]);
    }
    return false;
  }
  return llvm::TypeSwitch<Operation *, bool>(ptr.getDefiningOp())
      .Case<tt::AddPtrOp, tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp, tt::ReshapeOp,
            tt::TransOp, tt::BitcastOp, ConvertLayoutOp>(
          [&](auto op) { return follow(op->getOperand(0)); })
      .Case([&](arith::SelectOp op) {
        return follow(op.getTrueValue()) && follow(op.getFalseValue());
      })
      .Case([&](scf::ForOp loop) {
        unsigned i = cast<OpResult>(ptr).getResultNumber();
        return follow(loop.getInitArgs()[i]) && follow(loop.getYieldedValues()[i]);
      })
      .Case([&](scf::IfOp branch) {
        unsigned i = cast<OpResult>(ptr).getResultNumber();
        return follow(branch.thenYield().getOperand(i)) && follow(branch.elseYield().getOperand(i));
      })
      .Default([](Operation *) { return false; });
}

bool mayMeet(Value a, Value b) {
  llvm::SmallPtrSet<Value, 4> basesA, basesB, seenA, seenB;
  if (!collectBases(a, basesA, seenA) || !collectBases(b, basesB, seenB))
    return true;
  return llvm::any_of(basesA, [&](Value base) { return basesB.contains(base); });
}

bool isAtomic(Operation *op) { return isa<tt::AtomicRMWOp, tt::AtomicCASOp>(op); }
bool writes(Operation *op) { return isa<tt::StoreOp>(op) || isAtomic(op); }

/// The order of two atomics does not show in what they leave in memory.
bool commute(Operation *first, Operation *second) {
  auto a = dyn_cast<tt::AtomicRMWOp>(first), b = dyn_cast<tt::AtomicRMWOp>(second);
  return a && b && a.getRmwOp() == b.getRmwOp() && a.getRmwOp() != tt::RMWOp::XCHG &&
         a->use_empty() && b->use_empty();
}

/// Other threads' earlier accesses are over when this atomic is seen by other programs.
bool releases(Operation *op) {
  auto sem = [](Operation *op) {
    if (auto rmw = dyn_cast<tt::AtomicRMWOp>(op))
      return rmw.getSem();
    return cast<tt::AtomicCASOp>(op).getSem();
  };
  return isAtomic(op) &&
         (sem(op) == tt::MemSemantic::RELEASE || sem(op) == tt::MemSemantic::ACQUIRE_RELEASE);
}

/// An atomic that may end a critical section.
bool mayUnlock(Operation *op) {
  if (!releases(op) || tt::isTile(op->getOperand(0).getType()))
    return false;
  auto rmw = dyn_cast<tt::AtomicRMWOp>(op);
  return !rmw || rmw.getRmwOp() == tt::RMWOp::XCHG;
}

/// Every element is accessed by one thread only.
bool hasNoCopies(Value ptr) {
  auto type = dyn_cast<RankedTensorType>(ptr.getType());
  if (!type)
    return false;
  TileLayout layout = layoutOf(type);
  return !layout.core().freeMask(kLane) && !layout.core().freeMask(kWarp);
}
} // namespace

bool mustWaitFor(Operation *second, Operation *first, bool earlier, bool mayAlias) {
  if (releases(second) && (isa<tt::StoreOp>(first) || mayUnlock(second)) && !isAtomic(first))
    return true;
  if (!writes(first) && !writes(second))
    return false;
  Value a = first->getOperand(0), b = second->getOperand(0);
  // What writes a scalar is done by the first thread.
  if (writes(first) && writes(second) && !tt::isTile(a.getType()) && !tt::isTile(b.getType()))
    return false;
  // Of atomics each element's is done by one thread.
  if (isAtomic(first) && isAtomic(second) && (commute(first, second) || (a == b && !earlier)))
    return false;
  if (a == b && !earlier &&
      (hasNoCopies(a) || (isa<tt::StoreOp>(first) && isa<tt::StoreOp>(second))))
    return false;
  return (mayAlias || mayMeet(a, b)) && !neverMeet(second, first, earlier);
}

} // namespace tritium::ttg
