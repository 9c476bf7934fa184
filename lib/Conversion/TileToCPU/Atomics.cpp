//===- Atomics.cpp - atomic read-modify-write and compare-and-swap --------===//
//
// Atomics are applied lane by lane, so their phases have no lanes. Floats that the
// hardware cannot add are updated in a compare-and-swap loop.
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

Value Lowering::casLoop(Value address, Type bits, llvm::function_ref<Value(Value)> update) {
  unsigned bytes = tt::scalarBytes(bits);
  Value first = b.create<LLVM::LoadOp>(loc, bits, address, bytes, /*isVolatile=*/false,
                                       /*isNonTemporal=*/false, /*isInvariant=*/false,
                                       LLVM::AtomicOrdering::monotonic);
  auto loopOp = b.create<scf::WhileOp>(loc, TypeRange{bits}, ValueRange{first});
  OpBuilder::InsertionGuard guard(b);
  Block *before = b.createBlock(&loopOp.getBefore(), {}, bits, loc);
  Value expected = before->getArgument(0);
  Value swapped =
      b.create<LLVM::AtomicCmpXchgOp>(loc, address, expected, update(expected),
                                      LLVM::AtomicOrdering::acq_rel, LLVM::AtomicOrdering::acquire);
  Value found = b.create<LLVM::ExtractValueOp>(loc, swapped, 0);
  Value done = b.create<LLVM::ExtractValueOp>(loc, swapped, 1);
  Value again = b.create<arith::XOrIOp>(loc, done, constant(b.getI1Type(), 1));
  b.create<scf::ConditionOp>(loc, again, ValueRange{found});
  Block *after = b.createBlock(&loopOp.getAfter(), {}, bits, loc);
  b.create<scf::YieldOp>(loc, after->getArgument(0));
  return loopOp.getResult(0);
}

Value Lowering::emitRMW(tt::RMWOp kind, Value address, Value value, Type pointee,
                        tt::MemSemantic sem) {
  Type bits = b.getIntegerType(tt::scalarBytes(pointee) * 8);
  bool narrow = tt::isTileFloat(pointee) && tt::scalarBits(pointee) < 32;
  if (kind == tt::RMWOp::FADD && narrow) {
    Value old = casLoop(address, bits, [&](Value stored) -> Value {
      Value sum = b.create<arith::AddFOp>(loc, math().decode(stored, pointee), value);
      return math().encode(sum, pointee);
    });
    return math().decode(old, pointee);
  }
  auto rmw = [&](LLVM::AtomicBinOp op, Value operand) -> Value {
    return b.create<LLVM::AtomicRMWOp>(loc, op, address, operand, ordering(sem));
  };
  switch (kind) {
  case tt::RMWOp::FADD:
    return rmw(LLVM::AtomicBinOp::fadd, value);
  case tt::RMWOp::XCHG: {
    Value stored = encodeStorage(value, pointee);
    if (stored.getType() != bits)
      stored = b.create<arith::BitcastOp>(loc, bits, stored);
    Value old = rmw(LLVM::AtomicBinOp::xchg, stored);
    Type storage = storageType(pointee);
    if (old.getType() != storage)
      old = b.create<arith::BitcastOp>(loc, storage, old);
    return decodeStorage(old, pointee);
  }
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
  Type bits = b.getIntegerType(tt::scalarBytes(pointee) * 8);
  auto toBits = [&](Value v) -> Value {
    Value stored = encodeStorage(v, pointee);
    return stored.getType() == bits ? stored : b.create<arith::BitcastOp>(loc, bits, stored);
  };
  Value swapped = b.create<LLVM::AtomicCmpXchgOp>(loc, address, toBits(expected), toBits(desired),
                                                  ordering(sem), failureOrdering(sem));
  Value old = b.create<LLVM::ExtractValueOp>(loc, swapped, 0);
  Type storage = storageType(pointee);
  if (old.getType() != storage)
    old = b.create<arith::BitcastOp>(loc, storage, old);
  return decodeStorage(old, pointee);
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
