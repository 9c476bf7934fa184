//===- Math.cpp - transcendental functions --------------------------------===//
//
// Computed in f64 by the C library and rounded once to the element type.
//
//===----------------------------------------------------------------------===//

#include "Loops.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tritium::interpreter {

namespace {
using Unary = double (*)(double);
using Binary = double (*)(double, double);

Unary unaryFunction(StringRef name) {
  return llvm::StringSwitch<Unary>(name)
      .Case("math.exp", std::exp)
      .Case("math.exp2", std::exp2)
      .Case("math.expm1", std::expm1)
      .Case("math.log", std::log)
      .Case("math.log2", std::log2)
      .Case("math.log10", std::log10)
      .Case("math.log1p", std::log1p)
      .Case("math.sin", std::sin)
      .Case("math.cos", std::cos)
      .Case("math.tan", std::tan)
      .Case("math.asin", std::asin)
      .Case("math.acos", std::acos)
      .Case("math.atan", std::atan)
      .Case("math.sinh", std::sinh)
      .Case("math.cosh", std::cosh)
      .Case("math.tanh", std::tanh)
      .Case("math.erf", std::erf)
      .Case("math.sqrt", std::sqrt)
      .Case("math.cbrt", std::cbrt)
      .Case("math.rsqrt", [](double x) { return 1.0 / std::sqrt(x); })
      .Default(nullptr);
}

Binary binaryFunction(StringRef name) {
  return llvm::StringSwitch<Binary>(name)
      .Case("math.powf", std::pow)
      .Case("math.atan2", std::atan2)
      .Default(nullptr);
}
} // namespace

bool buildMath(Builder &b, Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (Unary f = unaryFunction(name)) {
    Element element = Builder::elementOf(op->getResult(0).getType());
    addUnary(b, op, [=](Slot x) { return writeFloat(element, f(readFloat(element, x))); });
    return true;
  }
  if (Binary f = binaryFunction(name)) {
    Element element = Builder::elementOf(op->getResult(0).getType());
    addBinary(b, op, [=](Slot x, Slot y) {
      return writeFloat(element, f(readFloat(element, x), readFloat(element, y)));
    });
    return true;
  }
  return false;
}

} // namespace tritium::interpreter
