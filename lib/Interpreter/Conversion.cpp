//===- Conversion.cpp - conversions between element types -----------------===//
//
// A float that no integer of the target type equals after truncation becomes the
// nearest one that the type has; NaN becomes 0.
//
//===----------------------------------------------------------------------===//

#include "Loops.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tritium::interpreter {

namespace {
Slot toSigned(double x, Element to) {
  double limit = std::ldexp(1.0, to.bits - 1);
  if (x != x)
    return 0;
  int64_t value = x >= limit    ? static_cast<int64_t>(to.mask() >> 1)
                  : x <= -limit ? static_cast<int64_t>(~(to.mask() >> 1))
                                : static_cast<int64_t>(x);
  return static_cast<uint64_t>(value) & to.mask();
}

Slot toUnsigned(double x, Element to) {
  if (!(x > 0)) // NaN too
    return 0;
  return x >= std::ldexp(1.0, to.bits) ? to.mask() : static_cast<uint64_t>(x);
}

/// An integer for rounding to a float: beyond 53 bits the lost ones are ored into the
/// last, so that the second rounding is the only one.
double toDouble(uint64_t magnitude, bool negative, Element to) {
  if (to.kind != Kind::F64 && magnitude >> 53)
    magnitude = (magnitude | ((magnitude & 0x7ff) ? 0x800 : 0)) & ~uint64_t(0x7ff);
  double value = static_cast<double>(magnitude);
  return negative ? -value : value;
}
} // namespace

bool buildConversion(Builder &b, Operation *op) {
  if (op->getNumOperands() != 1 || op->getNumResults() != 1)
    return false;
  Element from = Builder::elementOf(op->getOperand(0).getType()),
          to = Builder::elementOf(op->getResult(0).getType());
  auto resizeSigned = [=](Slot x) -> Slot {
    return static_cast<uint64_t>(signedValue(x, from.bits)) & to.mask();
  };
  auto resizeUnsigned = [=](Slot x) { return x & to.mask(); };
  auto resizeFloat = [=](Slot x) { return writeFloat(to, readFloat(from, x)); };
  auto reinterpret = [=](Slot x) { return fromBits(to, toBits(from, x)); };

  return TypeSwitch<Operation *, bool>(op)
      .Case<arith::ExtSIOp, arith::IndexCastOp>(
          [&](auto op) { return addUnary(b, op, resizeSigned), true; })
      .Case<arith::ExtUIOp, arith::TruncIOp, arith::IndexCastUIOp>(
          [&](auto op) { return addUnary(b, op, resizeUnsigned), true; })
      .Case<arith::ExtFOp, arith::TruncFOp>(
          [&](auto op) { return addUnary(b, op, resizeFloat), true; })
      .Case<arith::BitcastOp, tt::BitcastOp, tt::IntToPtrOp, tt::PtrToIntOp>(
          [&](auto op) { return addUnary(b, op, reinterpret), true; })
      .Case([&](arith::SIToFPOp op) {
        return addUnary(b, op,
                        [=](Slot x) {
                          int64_t value = signedValue(x, from.bits);
                          uint64_t magnitude =
                              value < 0 ? uint64_t(0) - uint64_t(value) : uint64_t(value);
                          return writeFloat(to, toDouble(magnitude, value < 0, to));
                        }),
               true;
      })
      .Case([&](arith::UIToFPOp op) {
        return addUnary(b, op, [=](Slot x) { return writeFloat(to, toDouble(x, false, to)); }),
               true;
      })
      .Case([&](arith::FPToSIOp op) {
        return addUnary(b, op, [=](Slot x) { return toSigned(readFloat(from, x), to); }), true;
      })
      .Case([&](arith::FPToUIOp op) {
        return addUnary(b, op, [=](Slot x) { return toUnsigned(readFloat(from, x), to); }), true;
      })
      .Default([](Operation *) { return false; });
}

} // namespace tritium::interpreter
