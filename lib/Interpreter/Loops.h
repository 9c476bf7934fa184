//===- Loops.h - steps that go over the elements of tiles -------*- C++ -*-===//

#ifndef TRITIUM_LIB_INTERPRETER_LOOPS_H
#define TRITIUM_LIB_INTERPRETER_LOOPS_H

#include "Builder.h"

namespace tritium::interpreter {

/// The signed value of an integer element.
inline int64_t signedValue(Slot slot, unsigned bits) {
  unsigned unused = 64 - bits;
  return static_cast<int64_t>(slot << unused) >> unused;
}

/// result[i] = f(x[i]), slot to slot.
template <typename F> void addUnary(Builder &b, mlir::Operation *op, F f) {
  Tile x = b.get(op->getOperand(0)), r = b.define(op->getResult(0));
  b.add([=](Machine &m) {
    const Slot *xs = m.at(x);
    Slot *rs = m.at(r);
    for (int64_t i = 0; i < r.count; ++i)
      rs[i] = f(xs[i]);
  });
}

/// result[i] = f(x[i], y[i]), slot to slot.
template <typename F> void addBinary(Builder &b, mlir::Operation *op, F f) {
  Tile x = b.get(op->getOperand(0)), y = b.get(op->getOperand(1)), r = b.define(op->getResult(0));
  b.add([=](Machine &m) {
    const Slot *xs = m.at(x), *ys = m.at(y);
    Slot *rs = m.at(r);
    for (int64_t i = 0; i < r.count; ++i)
      rs[i] = f(xs[i], ys[i]);
  });
}

/// Integers: f takes zero-extended values; the result wraps.
template <typename F> void addUnsigned(Builder &b, mlir::Operation *op, F f) {
  uint64_t mask = Builder::elementOf(op->getResult(0).getType()).mask();
  addBinary(b, op, [=](Slot x, Slot y) -> Slot { return f(x, y) & mask; });
}

/// Integers: f takes sign-extended values; the result wraps.
template <typename F> void addSigned(Builder &b, mlir::Operation *op, F f) {
  Element element = Builder::elementOf(op->getOperand(0).getType());
  uint64_t mask = Builder::elementOf(op->getResult(0).getType()).mask();
  unsigned bits = element.bits;
  addBinary(b, op, [=](Slot x, Slot y) -> Slot {
    return static_cast<uint64_t>(f(signedValue(x, bits), signedValue(y, bits))) & mask;
  });
}

/// Floats: f computes in the element type, narrow ones in f32 and then rounded.
template <typename F> void addFloatUnary(Builder &b, mlir::Operation *op, F f) {
  Element element = Builder::elementOf(op->getResult(0).getType());
  if (element.kind == Kind::F64)
    return addUnary(b, op, [=](Slot x) { return slotOf(double(f(fromSlot<double>(x)))); });
  if (element.kind == Kind::F32)
    return addUnary(b, op, [=](Slot x) { return slotOf(float(f(fromSlot<float>(x)))); });
  Format format = formatOf(element.kind);
  addUnary(b, op, [=](Slot x) { return slotOf(roundTo(format, float(f(fromSlot<float>(x))))); });
}

template <typename F> void addFloatBinary(Builder &b, mlir::Operation *op, F f) {
  Element element = Builder::elementOf(op->getResult(0).getType());
  if (element.kind == Kind::F64)
    return addBinary(b, op, [=](Slot x, Slot y) {
      return slotOf(double(f(fromSlot<double>(x), fromSlot<double>(y))));
    });
  if (element.kind == Kind::F32)
    return addBinary(b, op, [=](Slot x, Slot y) {
      return slotOf(float(f(fromSlot<float>(x), fromSlot<float>(y))));
    });
  Format format = formatOf(element.kind);
  addBinary(b, op, [=](Slot x, Slot y) {
    return slotOf(roundTo(format, float(f(fromSlot<float>(x), fromSlot<float>(y)))));
  });
}

} // namespace tritium::interpreter

#endif // TRITIUM_LIB_INTERPRETER_LOOPS_H
