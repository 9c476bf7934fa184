//===- Memory.cpp - pointer arithmetic, loads, stores, atomics ------------===//
//
// Lanes access memory one after another in row-major order, so of two stores to one
// address the later lane's value stays. A load whose mask is false and that has no
// `other` gives 0.
//
//===----------------------------------------------------------------------===//

#include "Loops.h"
#include "MemoryAccess.h"

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

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
/// The accesses of one operation through pointers: where, and whether.
struct Access : MemoryAccess {
  Tile pointer;
  std::optional<Tile> mask;

  Access(Builder &b, Operation *op, Value ptr, Value maskValue)
      : MemoryAccess(op, cast<tt::PointerType>(tt::elementType(ptr.getType())).getPointeeType(),
                     tt::shapeOf(ptr.getType())),
        pointer(b.get(ptr)) {
    if (maskValue)
      mask = b.get(maskValue);
  }

  /// What lane `i` accesses; null if it is masked out, or forbidden, in which case the machine
  /// has stopped.
  void *lane(Machine &m, int64_t i, const char *what, bool write) const {
    return mask && !m.at(*mask)[i] ? nullptr : at(m, m.at(pointer)[i], i, what, write);
  }
};

/// What is masked out becomes 0.
void buildCopy(Builder &b, ttg::AsyncCopyGlobalToLocalOp op) {
  Access access(b, op, op.getPtr(), op.getMask());
  Tile memory = b.get(op.getDst());
  b.add([=, places = placesIn(op.getDst().getType(), tt::shapeOf(op.getPtr().getType()), {})](
            Machine &m) {
    Slot *to = m.frame.data() + *m.at(memory);
    for (size_t i = 0; i < places.size() && !m.stopped; ++i) {
      void *address = access.lane(m, i, "copy", false);
      to[places[i]] = address ? access.read(address) : 0;
    }
  });
}

void buildLoad(Builder &b, tt::LoadOp op) {
  Access access(b, op, op.getPtr(), op.getMask());
  std::optional<Tile> other;
  if (op.getOther())
    other = b.get(op.getOther());
  Tile r = b.define(op.getResult());
  b.add([=](Machine &m) {
    Slot *rs = m.at(r);
    for (int64_t i = 0; i < r.count && !m.stopped; ++i) {
      void *address = access.lane(m, i, "load", false);
      rs[i] = address ? access.read(address) : other ? m.at(*other)[i] : 0;
    }
  });
}

void buildStore(Builder &b, tt::StoreOp op) {
  Access access(b, op, op.getPtr(), op.getMask());
  Tile value = b.get(op.getValue());
  b.add([=](Machine &m) {
    const Slot *values = m.at(value);
    for (int64_t i = 0; i < value.count && !m.stopped; ++i)
      if (void *address = access.lane(m, i, "store", true))
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

void buildAtomicRMW(Builder &b, tt::AtomicRMWOp op) {
  Access access(b, op, op.getPtr(), op.getMask());
  Tile value = b.get(op.getValue()), r = b.define(op.getResult());
  b.add([=, kind = op.getRmwOp()](Machine &m) {
    for (int64_t i = 0; i < r.count && !m.stopped; ++i) {
      void *address = access.lane(m, i, "atomic access", true);
      Slot old = m.at(r)[i] = address ? access.read(address) : 0;
      if (address)
        access.write(address, updated(kind, access.element, old, m.at(value)[i]));
    }
  });
}

void buildAtomicCAS(Builder &b, tt::AtomicCASOp op) {
  Access access(b, op, op.getPtr(), {});
  Tile expected = b.get(op.getCmp()), value = b.get(op.getValue()), r = b.define(op.getResult());
  b.add([=](Machine &m) {
    for (int64_t i = 0; i < r.count && !m.stopped; ++i) {
      void *address = access.lane(m, i, "atomic access", true);
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
      .Case([&](ttg::AsyncCopyGlobalToLocalOp op) { return buildCopy(b, op), true; })
      .Case([&](tt::AtomicRMWOp op) { return buildAtomicRMW(b, op), true; })
      .Case([&](tt::AtomicCASOp op) { return buildAtomicCAS(b, op), true; })
      .Default([](Operation *) { return false; });
}

} // namespace tritium::interpreter
