//===- Guard.cpp - the code of scalar conditions --------------------------===//

#include "Lowering.h"

using namespace mlir;

namespace tritium::cpu {

Value Lowering::compare(arith::CmpIPredicate predicate, Value x, Value y) {
  return b.create<arith::CmpIOp>(loc, predicate, x, y);
}

SmallVector<Value> Lowering::emitScalarCode(const ScalarCode &code) {
  using Term = ScalarCode::Term;
  SmallVector<Value> values;
  for (const Term &term : code.terms) {
    auto operand = [&](unsigned i) { return values[term.operands[i]]; };
    auto emit = [&]() -> Value {
      switch (term.kind) {
      case Term::Constant:
        return i64(term.constant);
      case Term::Scalar:
        return scalarI64(term.value);
      case Term::Flag:
        return scalar(term.value);
      case Term::Add:
        return add(operand(0), operand(1));
      case Term::Sub:
        return sub(operand(0), operand(1));
      case Term::Mul:
        return mul(operand(0), operand(1));
      case Term::Remainder:
        return b.create<arith::RemSIOp>(loc, operand(0), operand(1));
      case Term::Select:
        return b.create<arith::SelectOp>(loc, operand(0), operand(1), operand(2));
      case Term::Compare:
        return compare(term.predicate, operand(0), operand(1));
      case Term::And:
        return b.create<arith::AndIOp>(loc, operand(0), operand(1));
      }
      llvm_unreachable("term");
    };
    values.push_back(emit());
  }
  return values;
}

} // namespace tritium::cpu
