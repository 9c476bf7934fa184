//===- Float.cpp - float arithmetic and comparisons -----------------------===//
//
// IEEE 754 round-to-nearest in the element type, no contraction. For + - * / and sqrt
// on narrow floats, f32 and then rounding equals one rounding (24 >= 2 * 11 + 2).
//
//===----------------------------------------------------------------------===//

#include "Loops.h"

#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;

namespace tritium::interpreter {

namespace {
/// -0 orders before +0.
template <typename T> T larger(T x, T y) { return x > y || (x == y && std::signbit(y)) ? x : y; }
template <typename T> T smaller(T x, T y) { return x < y || (x == y && std::signbit(x)) ? x : y; }
struct Maximum { // NaN if either is NaN
  template <typename T> T operator()(T x, T y) const {
    return x != x ? x : y != y ? y : larger(x, y);
  }
};
struct Minimum {
  template <typename T> T operator()(T x, T y) const {
    return x != x ? x : y != y ? y : smaller(x, y);
  }
};
struct MaxNum { // the other one if one is NaN
  template <typename T> T operator()(T x, T y) const {
    return x != x ? y : y != y ? x : larger(x, y);
  }
};
struct MinNum {
  template <typename T> T operator()(T x, T y) const {
    return x != x ? y : y != y ? x : smaller(x, y);
  }
};

/// Every predicate is a set of the four outcomes of a comparison.
enum Outcome : unsigned { Less = 1, Equal = 2, Greater = 4, Unordered = 8 };

unsigned outcomesOf(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  switch (predicate) {
  case P::AlwaysFalse:
    return 0;
  case P::OEQ:
    return Equal;
  case P::OGT:
    return Greater;
  case P::OGE:
    return Greater | Equal;
  case P::OLT:
    return Less;
  case P::OLE:
    return Less | Equal;
  case P::ONE:
    return Less | Greater;
  case P::ORD:
    return Less | Equal | Greater;
  case P::UEQ:
    return Unordered | Equal;
  case P::UGT:
    return Unordered | Greater;
  case P::UGE:
    return Unordered | Greater | Equal;
  case P::ULT:
    return Unordered | Less;
  case P::ULE:
    return Unordered | Less | Equal;
  case P::UNE:
    return Unordered | Less | Greater;
  case P::UNO:
    return Unordered;
  case P::AlwaysTrue:
    return Unordered | Less | Equal | Greater;
  }
  return 0;
}

void buildComparison(Builder &b, arith::CmpFOp op) {
  unsigned wanted = outcomesOf(op.getPredicate());
  auto compare = [&](auto zero) {
    using T = decltype(zero);
    addBinary(b, op, [wanted](Slot xs, Slot ys) -> Slot {
      T x = fromSlot<T>(xs), y = fromSlot<T>(ys);
      unsigned outcome = (x < y) * Less | (x == y) * Equal | (x > y) * Greater;
      return (wanted & (outcome ? outcome : Unordered)) != 0;
    });
  };
  if (Builder::elementOf(op.getLhs().getType()).kind == Kind::F64)
    compare(double());
  else
    compare(float());
}

void buildFma(Builder &b, math::FmaOp op) {
  Tile x = b.get(op.getA()), y = b.get(op.getB()), z = b.get(op.getC()),
       r = b.define(op.getResult());
  b.add([=](Machine &m) {
    const Slot *xs = m.at(x), *ys = m.at(y), *zs = m.at(z);
    Slot *rs = m.at(r);
    bool isDouble = r.element.kind == Kind::F64;
    for (int64_t i = 0; i < r.count; ++i)
      rs[i] = isDouble
                  ? slotOf(std::fma(fromSlot<double>(xs[i]), fromSlot<double>(ys[i]),
                                    fromSlot<double>(zs[i])))
                  : writeFloat(r.element, std::fma(fromSlot<float>(xs[i]), fromSlot<float>(ys[i]),
                                                   fromSlot<float>(zs[i])));
  });
}
} // namespace

bool buildFloat(Builder &b, Operation *op) {
  return TypeSwitch<Operation *, bool>(op)
      .Case([&](arith::AddFOp op) {
        return addFloatBinary(b, op, [](auto x, auto y) { return x + y; }), true;
      })
      .Case([&](arith::SubFOp op) {
        return addFloatBinary(b, op, [](auto x, auto y) { return x - y; }), true;
      })
      .Case([&](arith::MulFOp op) {
        return addFloatBinary(b, op, [](auto x, auto y) { return x * y; }), true;
      })
      .Case([&](arith::DivFOp op) {
        return addFloatBinary(b, op, [](auto x, auto y) { return x / y; }), true;
      })
      .Case([&](arith::RemFOp op) {
        return addFloatBinary(b, op, [](auto x, auto y) { return std::fmod(x, y); }), true;
      })
      .Case([&](arith::MaximumFOp op) { return addFloatBinary(b, op, Maximum()), true; })
      .Case([&](arith::MinimumFOp op) { return addFloatBinary(b, op, Minimum()), true; })
      .Case([&](arith::MaxNumFOp op) { return addFloatBinary(b, op, MaxNum()), true; })
      .Case([&](arith::MinNumFOp op) { return addFloatBinary(b, op, MinNum()), true; })
      .Case([&](arith::NegFOp op) { return addFloatUnary(b, op, [](auto x) { return -x; }), true; })
      .Case([&](arith::CmpFOp op) { return buildComparison(b, op), true; })
      .Case([&](math::FmaOp op) { return buildFma(b, op), true; })
      .Case([&](math::AbsFOp op) {
        return addFloatUnary(b, op, [](auto x) { return std::fabs(x); }), true;
      })
      .Case([&](math::CopySignOp op) {
        return addFloatBinary(b, op, [](auto x, auto y) { return std::copysign(x, y); }), true;
      })
      .Case([&](math::FloorOp op) {
        return addFloatUnary(b, op, [](auto x) { return std::floor(x); }), true;
      })
      .Case([&](math::CeilOp op) {
        return addFloatUnary(b, op, [](auto x) { return std::ceil(x); }), true;
      })
      .Case([&](math::TruncOp op) {
        return addFloatUnary(b, op, [](auto x) { return std::trunc(x); }), true;
      })
      .Case([&](math::RoundOp op) {
        return addFloatUnary(b, op, [](auto x) { return std::round(x); }), true;
      })
      .Case([&](math::RoundEvenOp op) {
        return addFloatUnary(b, op, [](auto x) { return std::nearbyint(x); }), true;
      })
      .Default([](Operation *) { return false; });
}

} // namespace tritium::interpreter
