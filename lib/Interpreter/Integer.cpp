//===- Integer.cpp - integer arithmetic, comparisons, constants -----------===//
//
// Arithmetic wraps. What arith leaves undefined has a value here, the same on every
// machine: x / 0 is 0 and x % 0 is x; the least integer / -1 wraps to itself; a shift
// by the width or more gives 0, or the sign for an arithmetic one.
//
//===----------------------------------------------------------------------===//

#include "Loops.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tritium::interpreter {

namespace {
using I = int64_t;
using U = uint64_t;

I divideSigned(I x, I y) { return y == 0 ? 0 : y == -1 ? I(U(0) - U(x)) : x / y; }
I remainderSigned(I x, I y) { return y == 0 ? x : y == -1 ? 0 : x % y; }
U divideUnsigned(U x, U y) { return y == 0 ? 0 : x / y; }
I floorDivide(I x, I y) {
  I quotient = divideSigned(x, y);
  return y != 0 && remainderSigned(x, y) != 0 && (x < 0) != (y < 0) ? quotient - 1 : quotient;
}
I ceilDivide(I x, I y) {
  I quotient = divideSigned(x, y);
  return y != 0 && remainderSigned(x, y) != 0 && (x < 0) == (y < 0) ? quotient + 1 : quotient;
}

void buildComparison(Builder &b, arith::CmpIOp op) {
  unsigned bits = Builder::elementOf(op.getLhs().getType()).bits;
  auto compareSigned = [&](auto f) {
    addBinary(b, op, [=](Slot x, Slot y) -> Slot {
      return f(signedValue(x, bits), signedValue(y, bits));
    });
  };
  switch (op.getPredicate()) {
  case arith::CmpIPredicate::eq:
    return addBinary(b, op, [](U x, U y) -> Slot { return x == y; });
  case arith::CmpIPredicate::ne:
    return addBinary(b, op, [](U x, U y) -> Slot { return x != y; });
  case arith::CmpIPredicate::slt:
    return compareSigned([](I x, I y) { return x < y; });
  case arith::CmpIPredicate::sle:
    return compareSigned([](I x, I y) { return x <= y; });
  case arith::CmpIPredicate::sgt:
    return compareSigned([](I x, I y) { return x > y; });
  case arith::CmpIPredicate::sge:
    return compareSigned([](I x, I y) { return x >= y; });
  case arith::CmpIPredicate::ult:
    return addBinary(b, op, [](U x, U y) -> Slot { return x < y; });
  case arith::CmpIPredicate::ule:
    return addBinary(b, op, [](U x, U y) -> Slot { return x <= y; });
  case arith::CmpIPredicate::ugt:
    return addBinary(b, op, [](U x, U y) -> Slot { return x > y; });
  case arith::CmpIPredicate::uge:
    return addBinary(b, op, [](U x, U y) -> Slot { return x >= y; });
  }
}

void buildSelect(Builder &b, arith::SelectOp op) {
  Tile condition = b.get(op.getCondition()), x = b.get(op.getTrueValue()),
       y = b.get(op.getFalseValue()), r = b.define(op.getResult());
  // One condition may choose between whole tiles.
  int64_t stride = condition.count == 1 ? 0 : 1;
  b.add([=](Machine &m) {
    const Slot *cs = m.at(condition), *xs = m.at(x), *ys = m.at(y);
    Slot *rs = m.at(r);
    for (int64_t i = 0; i < r.count; ++i)
      rs[i] = cs[i * stride] ? xs[i] : ys[i];
  });
}

Slot constantSlot(Element element, Attribute attr) {
  if (auto integer = dyn_cast<IntegerAttr>(attr))
    return integer.getValue().getZExtValue() & element.mask();
  return writeFloat(element, cast<FloatAttr>(attr).getValueAsDouble());
}

void buildConstant(Builder &b, arith::ConstantOp op) {
  Element element = Builder::elementOf(op.getType());
  std::vector<Slot> values;
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements)
    values.push_back(constantSlot(element, op.getValue()));
  else if (elements.isSplat())
    values.push_back(constantSlot(element, elements.getSplatValue<Attribute>()));
  else
    for (Attribute value : elements.getValues<Attribute>())
      values.push_back(constantSlot(element, value));
  b.defineConstant(op, std::move(values));
}

/// The low and the high half of a product, or a sum and its carry.
template <typename F> void buildExtended(Builder &b, Operation *op, F f) {
  Tile x = b.get(op->getOperand(0)), y = b.get(op->getOperand(1)), low = b.define(op->getResult(0)),
       high = b.define(op->getResult(1));
  b.add([=](Machine &m) {
    for (int64_t i = 0; i < low.count; ++i) {
      auto wide = static_cast<unsigned __int128>(f(m.at(x)[i], m.at(y)[i]));
      m.at(low)[i] = static_cast<U>(wide) & low.element.mask();
      m.at(high)[i] = static_cast<U>(wide >> low.element.bits) & high.element.mask();
    }
  });
}

/// The width of the operands; 64 where they are no integers.
unsigned operandBits(Operation *op) {
  if (op->getNumOperands() && tt::elementType(op->getOperand(0).getType()).isIntOrIndex())
    return Builder::elementOf(op->getOperand(0).getType()).bits;
  return 64;
}

/// The results have the operands' width.
bool buildArithmetic(Builder &b, Operation *op) {
  return TypeSwitch<Operation *, bool>(op)
      .Case([&](arith::AddIOp op) {
        return addUnsigned(b, op, [](U x, U y) { return x + y; }), true;
      })
      .Case([&](arith::SubIOp op) {
        return addUnsigned(b, op, [](U x, U y) { return x - y; }), true;
      })
      .Case([&](arith::MulIOp op) {
        return addUnsigned(b, op, [](U x, U y) { return x * y; }), true;
      })
      .Case([&](arith::AndIOp op) {
        return addUnsigned(b, op, [](U x, U y) { return x & y; }), true;
      })
      .Case(
          [&](arith::OrIOp op) { return addUnsigned(b, op, [](U x, U y) { return x | y; }), true; })
      .Case([&](arith::XOrIOp op) {
        return addUnsigned(b, op, [](U x, U y) { return x ^ y; }), true;
      })
      .Case([&](arith::DivSIOp op) { return addSigned(b, op, divideSigned), true; })
      .Case([&](arith::RemSIOp op) { return addSigned(b, op, remainderSigned), true; })
      .Case([&](arith::FloorDivSIOp op) { return addSigned(b, op, floorDivide), true; })
      .Case([&](arith::CeilDivSIOp op) { return addSigned(b, op, ceilDivide), true; })
      .Case([&](arith::DivUIOp op) { return addUnsigned(b, op, divideUnsigned), true; })
      .Case([&](arith::RemUIOp op) {
        return addUnsigned(b, op, [](U x, U y) { return y == 0 ? x : x % y; }), true;
      })
      .Case([&](arith::CeilDivUIOp op) {
        return addUnsigned(b, op, [](U x, U y) { return y == 0 ? 0 : x / y + (x % y != 0); }), true;
      })
      .Case([&](arith::MaxSIOp op) {
        return addSigned(b, op, [](I x, I y) { return std::max(x, y); }), true;
      })
      .Case([&](arith::MinSIOp op) {
        return addSigned(b, op, [](I x, I y) { return std::min(x, y); }), true;
      })
      .Case([&](arith::MaxUIOp op) {
        return addUnsigned(b, op, [](U x, U y) { return std::max(x, y); }), true;
      })
      .Case([&](arith::MinUIOp op) {
        return addUnsigned(b, op, [](U x, U y) { return std::min(x, y); }), true;
      })
      .Default([](Operation *) { return false; });
}

/// By an amount that may be the width or more.
bool buildShift(Builder &b, Operation *op) {
  unsigned bits = operandBits(op);
  return TypeSwitch<Operation *, bool>(op)
      .Case([&](arith::ShLIOp op) {
        return addUnsigned(b, op, [=](U x, U y) { return y >= bits ? 0 : x << y; }), true;
      })
      .Case([&](arith::ShRUIOp op) {
        return addUnsigned(b, op, [=](U x, U y) { return y >= bits ? 0 : x >> y; }), true;
      })
      .Case([&](arith::ShRSIOp op) {
        return addSigned(b, op,
                         [=](I x, I y) {
                           bool inside = y >= 0 && y < I(bits);
                           return x >> (inside ? y : I(bits) - 1);
                         }),
               true;
      })
      .Default([](Operation *) { return false; });
}

/// What needs more bits than the operands have.
bool buildWide(Builder &b, Operation *op) {
  unsigned bits = operandBits(op);
  auto wideSigned = [bits](U x) { return static_cast<__int128>(signedValue(x, bits)); };
  return TypeSwitch<Operation *, bool>(op)
      .Case([&](tt::MulhiUIOp op) {
        return addUnsigned(b, op,
                           [=](U x, U y) {
                             return static_cast<U>(static_cast<unsigned __int128>(x) * y >> bits);
                           }),
               true;
      })
      .Case([&](arith::MulUIExtendedOp op) {
        return buildExtended(b, op, [](U x, U y) { return (unsigned __int128)x * y; }), true;
      })
      .Case([&](arith::MulSIExtendedOp op) {
        return buildExtended(b, op, [=](U x, U y) { return wideSigned(x) * wideSigned(y); }), true;
      })
      .Case([&](arith::AddUIExtendedOp op) {
        return buildExtended(b, op, [](U x, U y) { return (unsigned __int128)x + y; }), true;
      })
      .Default([](Operation *) { return false; });
}

/// Of one operand, by its bits.
bool buildBits(Builder &b, Operation *op) {
  unsigned bits = operandBits(op);
  return TypeSwitch<Operation *, bool>(op)
      .Case([&](math::AbsIOp op) {
        return addUnary(b, op,
                        [bits, mask = Builder::elementOf(op.getType()).mask()](Slot x) {
                          return (signedValue(x, bits) < 0 ? U(0) - x : x) & mask;
                        }),
               true;
      })
      .Case([&](math::CountLeadingZerosOp op) {
        return addUnary(b, op,
                        [bits](Slot x) -> Slot { return std::countl_zero(x) - (64 - bits); }),
               true;
      })
      .Case([&](math::CountTrailingZerosOp op) {
        return addUnary(b, op,
                        [bits](Slot x) -> Slot { return x ? U(std::countr_zero(x)) : bits; }),
               true;
      })
      .Case([&](math::CtPopOp op) {
        return addUnary(b, op, [](Slot x) -> Slot { return std::popcount(x); }), true;
      })
      .Default([](Operation *) { return false; });
}
} // namespace

bool buildInteger(Builder &b, Operation *op) {
  return TypeSwitch<Operation *, bool>(op)
      .Case([&](arith::ConstantOp op) { return buildConstant(b, op), true; })
      .Case([&](ub::PoisonOp op) { return b.defineConstant(op, {0}), true; })
      .Case([&](arith::CmpIOp op) { return buildComparison(b, op), true; })
      .Case([&](arith::SelectOp op) { return buildSelect(b, op), true; })
      .Default([&](Operation *op) {
        return buildArithmetic(b, op) || buildShift(b, op) || buildWide(b, op) || buildBits(b, op);
      });
}

} // namespace tritium::interpreter
