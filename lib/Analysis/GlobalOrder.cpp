//===- GlobalOrder.cpp - accesses of global memory in program order -------===//
//
// A kernel is one program, but its threads run on their own: what one has stored another
// may load too early. Threads need not wait where each only accesses its own elements
// through one and the same tile of pointers that holds no address twice.
//
//===----------------------------------------------------------------------===//

#include "tritium/Analysis/GlobalOrder.h"

#include "tritium/Analysis/Disjoint.h"
#include "tritium/Analysis/Distinct.h"
#include "tritium/Analysis/PointerBases.h"
#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

using namespace mlir;

namespace tritium::ttg {

namespace {
bool isAtomic(Operation *op) { return cast<tt::MemoryAccess>(op).isAtomic(); }
bool writes(Operation *op) { return cast<tt::MemoryAccess>(op).writes(); }

/// The order of two atomics does not show in what they leave in memory.
bool commute(Operation *first, Operation *second) {
  auto a = dyn_cast<tt::AtomicRMWOp>(first), b = dyn_cast<tt::AtomicRMWOp>(second);
  return a && b && a.getRmwOp() == b.getRmwOp() && a.getRmwOp() != tt::RMWOp::XCHG &&
         a->use_empty() && b->use_empty();
}

/// Other threads' earlier accesses are over when this atomic is seen by other programs.
bool releases(Operation *op) {
  auto order = cast<tt::MemoryAccess>(op).getAtomicOrder();
  return order == tt::MemSemantic::RELEASE || order == tt::MemSemantic::ACQUIRE_RELEASE;
}

/// An atomic that may end a critical section.
bool mayUnlock(Operation *op) {
  if (!releases(op) || tt::isTile(op->getOperand(0).getType()))
    return false;
  auto rmw = dyn_cast<tt::AtomicRMWOp>(op);
  return !rmw || rmw.getRmwOp() == tt::RMWOp::XCHG;
}

/// What lies at one element's address lies at no other's.
bool holdsNoAddressTwice(Value ptr) {
  IntegerRanges ranges;
  Strides strides(ranges);
  return distinctAddresses(ptr, strides);
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
  if (isAtomic(first) && isAtomic(second) && commute(first, second))
    return false;
  // Of atomics each element's is done by one thread.
  bool isElementwise = hasNoCopies(a) || (isAtomic(first) && isAtomic(second)) ||
                       (isa<tt::StoreOp>(first) && isa<tt::StoreOp>(second));
  if (a == b && !earlier && isElementwise && holdsNoAddressTwice(a))
    return false;
  return (mayAlias || mayShareBase(a, b)) && !neverMeet(second, first, earlier);
}

} // namespace tritium::ttg
