//===- Atomics.cpp - atomic read-modify-write and compare-and-swap --------===//
//
// Atomics are applied lane by lane, so their phases have no lanes. Floats, which few CPUs add so,
// are added to in a compare-and-swap loop.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;

namespace tritium::cpu {

static LLVM::AtomicOrdering ordering(tt::MemSemantic sem) {
  switch (sem) {
  case tt::MemSemantic::RELAXED:
    return LLVM::AtomicOrdering::monotonic;
  case tt::MemSemantic::ACQUIRE:
    return LLVM::AtomicOrdering::acquire;
  case tt::MemSemantic::RELEASE:
    return LLVM::AtomicOrdering::release;
  case tt::MemSemantic::ACQUIRE_RELEASE:
    return LLVM::AtomicOrdering::acq_rel;
  }
  llvm_unreachable("memory order");
}

/// A failed compare-and-swap stores nothing, so it cannot release.
static LLVM::AtomicOrdering failureOrdering(tt::MemSemantic sem) {
  bool acquires = sem == tt::MemSemantic::ACQUIRE || sem == tt::MemSemantic::ACQUIRE_RELEASE;
  return acquires ? LLVM::AtomicOrdering::acquire : LLVM::AtomicOrdering::monotonic;
}

Value Lowering::casLoop(Value address, Type bits, tt::MemSemantic sem,
                        llvm::function_ref<Value(Value)> update) {
  unsigned bytes = tt::scalarBytes(bits);
  Value first = b.create<LLVM::LoadOp>(loc, bits, address, bytes, /*isVolatile=*/false,
                                       /*isNonTemporal=*/false, /*isInvariant=*/false,
                                       LLVM::AtomicOrdering::monotonic);
  auto loopOp = b.create<scf::WhileOp>(loc, TypeRange{bits}, ValueRange{first});
  OpBuilder::InsertionGuard guard(b);
  Block *before = b.createBlock(&loopOp.getBefore(), {}, bits, loc);
  Value expected = before->getArgument(0);
  Value swapped = b.create<LLVM::AtomicCmpXchgOp>(loc, address, expected, update(expected),
                                                  ordering(sem), failureOrdering(sem));
  Value found = b.create<LLVM::ExtractValueOp>(loc, swapped, 0);
  Value done = b.create<LLVM::ExtractValueOp>(loc, swapped, 1);
  Value again = b.create<arith::XOrIOp>(loc, done, constant(b.getI1Type(), 1));
  b.create<scf::ConditionOp>(loc, again, ValueRange{found});
  Block *after = b.createBlock(&loopOp.getAfter(), {}, bits, loc);
  b.create<scf::YieldOp>(loc, after->getArgument(0));
  return loopOp.getResult(0);
}

/// What stands in memory for a value of the type, as an integer: what hardware compares and swaps.
Value Lowering::bitsOf(Value value, Type pointee) {
  Type bits = b.getIntegerType(tt::scalarBytes(pointee) * 8);
  Value stored = encodeStorage(value, pointee);
  return stored.getType() == bits ? stored : b.create<arith::BitcastOp>(loc, bits, stored);
}

Value Lowering::valueOf(Value bits, Type pointee) {
  Type storage = storageType(pointee);
  return decodeStorage(
      bits.getType() == storage ? bits : b.create<arith::BitcastOp>(loc, storage, bits), pointee);
}

Value Lowering::emitRMW(tt::RMWOp kind, Value address, Value value, Type pointee,
                        tt::MemSemantic sem) {
  auto rmw = [&](LLVM::AtomicBinOp op, Value operand) -> Value {
    return b.create<LLVM::AtomicRMWOp>(loc, op, address, operand, ordering(sem));
  };
  switch (kind) {
  case tt::RMWOp::FADD:
    // No atomicrmw: of that LLVM 19 makes a loop for an AArch64 without LSE which ignores whether
    // the exclusive store has failed, and sums are lost.
    return valueOf(casLoop(address, b.getIntegerType(tt::scalarBytes(pointee) * 8), sem,
                           [&](Value stored) {
                             Value sum =
                                 b.create<arith::AddFOp>(loc, valueOf(stored, pointee), value);
                             return bitsOf(roundTo(sum, pointee), pointee);
                           }),
                   pointee);
  case tt::RMWOp::XCHG:
    return valueOf(rmw(LLVM::AtomicBinOp::xchg, bitsOf(value, pointee)), pointee);
  case tt::RMWOp::AND:
    return rmw(LLVM::AtomicBinOp::_and, value);
  case tt::RMWOp::OR:
    return rmw(LLVM::AtomicBinOp::_or, value);
  case tt::RMWOp::XOR:
    return rmw(LLVM::AtomicBinOp::_xor, value);
  case tt::RMWOp::ADD:
    return rmw(LLVM::AtomicBinOp::add, value);
  case tt::RMWOp::MAX:
    return rmw(LLVM::AtomicBinOp::max, value);
  case tt::RMWOp::MIN:
    return rmw(LLVM::AtomicBinOp::min, value);
  case tt::RMWOp::UMAX:
    return rmw(LLVM::AtomicBinOp::umax, value);
  case tt::RMWOp::UMIN:
    return rmw(LLVM::AtomicBinOp::umin, value);
  }
  llvm_unreachable("atomic operation");
}

Value Lowering::emitCAS(Value address, Value expected, Value desired, Type pointee,
                        tt::MemSemantic sem) {
  Value swapped = b.create<LLVM::AtomicCmpXchgOp>(loc, address, bitsOf(expected, pointee),
                                                  bitsOf(desired, pointee), ordering(sem),
                                                  failureOrdering(sem));
  return valueOf(b.create<LLVM::ExtractValueOp>(loc, swapped, 0), pointee);
}

void Lowering::emitAtomic(Operation *op, const Index &index) {
  auto rmw = dyn_cast<tt::AtomicRMWOp>(op);
  auto cas = dyn_cast<tt::AtomicCASOp>(op);
  Value ptr = op->getOperand(0), result = op->getResult(0);
  Type pointee = cast<tt::PointerType>(tt::elementType(ptr.getType())).getPointeeType();
  auto at = [&](Value v) { return isa<RankedTensorType>(v.getType()) ? index : Index(); };
  auto value = [&](Value v) {
    return asValue(evaluate(v, at(v)), evalType(tt::elementType(v.getType())), {});
  };
  auto apply = [&]() -> Value {
    Value address = scalarAddress(evaluate(ptr, at(ptr)));
    if (rmw)
      return emitRMW(rmw.getRmwOp(), address, value(rmw.getValue()), pointee, rmw.getSem());
    return emitCAS(address, value(cas.getCmp()), value(cas.getValue()), pointee, cas.getSem());
  };
  Value old;
  if (rmw && rmw.getMask()) {
    Value mask = asValue(evaluate(rmw.getMask(), at(rmw.getMask())), b.getI1Type(), {});
    auto branch = b.create<scf::IfOp>(loc, TypeRange{evalType(pointee)}, mask, true);
    OpBuilder::InsertionGuard guard(b);
    {
      MemoScope scope(*this);
      b.setInsertionPointToEnd(branch.thenBlock());
      b.create<scf::YieldOp>(loc, apply());
    }
    b.setInsertionPointToEnd(branch.elseBlock());
    b.create<scf::YieldOp>(loc, zeroOf(evalType(pointee), 1));
    old = branch.getResult(0);
  } else {
    old = apply();
  }
  if (!isa<RankedTensorType>(result.getType()))
    scalars[result] = old;
  else if (!result.use_empty())
    writeBuffer(*plan.home(result), index, Chunk::uniform(old));
}

} // namespace tritium::cpu
