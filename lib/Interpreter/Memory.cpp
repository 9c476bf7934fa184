//===- Memory.cpp - pointer arithmetic, loads, stores, atomics ------------===//
//
// Lanes access memory one after another in row-major order, so of two stores to one
// address the later lane's value stays. A load whose mask is false and that has no
// `other` gives 0.
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "Loops.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tritium::interpreter {

Slot updated(tt::RMWOp op, Element element, Slot old, Slot value) {
  unsigned bits = element.bits;
  switch (op) {
  case tt::RMWOp::AND:
    return old & value;
  case tt::RMWOp::OR:
    return old | value;
  case tt::RMWOp::XOR:
    return old ^ value;
  case tt::RMWOp::ADD:
    return (old + value) & element.mask();
  case tt::RMWOp::FADD:
    if (element.kind == Kind::F64)
      return slotOf(fromSlot<double>(old) + fromSlot<double>(value));
    return writeFloat(element, fromSlot<float>(old) + fromSlot<float>(value));
  case tt::RMWOp::MAX:
    return signedValue(old, bits) > signedValue(value, bits) ? old : value;
  case tt::RMWOp::MIN:
    return signedValue(old, bits) < signedValue(value, bits) ? old : value;
  case tt::RMWOp::UMAX:
    return std::max(old, value);
  case tt::RMWOp::UMIN:
    return std::min(old, value);
  case tt::RMWOp::XCHG:
    return value;
  }
  return value;
}

namespace {
void buildLoad(Builder &b, tt::LoadOp op) {
  Access access(b, op, op.getPtr(), op.getMask(), "load", /*writes=*/false);
  std::optional<Tile> other;
  if (op.getOther())
    other = b.get(op.getOther());
  Tile r = b.define(op.getResult());
  b.add([=](Machine &m) {
    Slot *rs = m.at(r);
    access.begin(m);
    for (int64_t i = 0; i < r.count && !m.stopped; ++i) {
      void *address = access.lane(m, i);
      rs[i] = address ? access.read(address) : other ? m.at(*other)[i] : 0;
    }
  });
}

void buildStore(Builder &b, tt::StoreOp op) {
  Access access(b, op, op.getPtr(), op.getMask(), "store", /*writes=*/true);
  Tile value = b.get(op.getValue());
  b.add([=](Machine &m) {
    const Slot *values = m.at(value);
    access.begin(m);
    for (int64_t i = 0; i < value.count && !m.stopped; ++i)
      if (void *address = access.lane(m, i))
        access.write(address, values[i]);
  });
}

void buildAddPtr(Builder &b, tt::AddPtrOp op) {
  auto type = cast<tt::PointerType>(tt::elementType(op.getPtr().getType()));
  uint64_t bytes = tt::scalarBytes(type.getPointeeType());
  unsigned bits = Builder::elementOf(op.getOffset().getType()).bits;
  addBinary(b, op, [=](Slot pointer, Slot offset) {
    return pointer + static_cast<uint64_t>(signedValue(offset, bits)) * bytes;
  });
}

/// Of a result that only the thread has which ran the atomic, others can have but a copy.
void checkResultOfOne(Builder &b, Operation *op) {
  if (!op->hasAttr(ttg::kResultOfOne))
    return;
  for (Operation *user : op->getUsers())
    if (!isa<ttg::LocalAllocOp, ttg::LocalStoreOp>(user))
      b.reject(user, "an operand of " + user->getName().getStringRef().str() +
                         " is the result of an atomic that only one thread has (" +
                         ttg::kResultOfOne.str() +
                         "); it must go through ttg.local_alloc and ttg.local_load");
}

void buildAtomicRMW(Builder &b, tt::AtomicRMWOp op) {
  checkResultOfOne(b, op);
  Access access(b, op, op.getPtr(), op.getMask(), "atomic access", /*writes=*/true);
  // The order of two does not show in what they leave in memory.
  if (op->use_empty() && op.getRmwOp() != tt::RMWOp::XCHG)
    access.atomic = 1 + static_cast<uint32_t>(op.getRmwOp());
  Tile value = b.get(op.getValue()), r = b.define(op.getResult());
  b.add([=, kind = op.getRmwOp()](Machine &m) {
    access.begin(m);
    for (int64_t i = 0; i < r.count && !m.stopped; ++i) {
      void *address = access.lane(m, i);
      Slot old = m.at(r)[i] = address ? access.read(address) : 0;
      if (address)
        access.write(address, updated(kind, access.element, old, m.at(value)[i]));
    }
  });
}

void buildAtomicCAS(Builder &b, tt::AtomicCASOp op) {
  checkResultOfOne(b, op);
  Access access(b, op, op.getPtr(), {}, "atomic access", /*writes=*/true);
  Tile expected = b.get(op.getCmp()), value = b.get(op.getValue()), r = b.define(op.getResult());
  b.add([=](Machine &m) {
    access.begin(m);
    for (int64_t i = 0; i < r.count && !m.stopped; ++i) {
      void *address = access.lane(m, i);
      if (!address)
        return;
      Slot old = m.at(r)[i] = access.read(address);
      if (toBits(access.element, old) == toBits(access.element, m.at(expected)[i]))
        access.write(address, m.at(value)[i]);
    }
  });
}
} // namespace

bool buildMemory(Builder &b, Operation *op) {
  return TypeSwitch<Operation *, bool>(op)
      .Case([&](tt::AddPtrOp op) { return buildAddPtr(b, op), true; })
      .Case([&](tt::LoadOp op) { return buildLoad(b, op), true; })
      .Case([&](tt::StoreOp op) { return buildStore(b, op), true; })
      .Case([&](tt::AtomicRMWOp op) { return buildAtomicRMW(b, op), true; })
      .Case([&](tt::AtomicCASOp op) { return buildAtomicCAS(b, op), true; })
      .Default([](Operation *) { return false; });
}

} // namespace tritium::interpreter
