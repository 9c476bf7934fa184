//===- ControlFlowTest.cpp - conditions, branches, loops ------------------===//

#include "SemaTestUtil.h"

using namespace tritium;
using namespace tritium::sema;

namespace {
class ControlFlow : public SemaTest {
protected:
  /// Both values after unification, or "" after an error.
  std::string unify(Value a, Value b) {
    auto here = builder.saveInsertionPoint();
    if (!sema.unify(a, here, b, here, "x"))
      return "";
    EXPECT_TRUE(sema.sameType(a, b));
    return type(a) + " " + type(b);
  }
};
} // namespace

TEST_F(ControlFlow, Truth) {
  auto known = [&](Value value) {
    auto truth = sema.truth(value);
    return truth && std::holds_alternative<bool>(*truth) && std::get<bool>(*truth);
  };
  EXPECT_TRUE(known(makeInt(2)));
  EXPECT_FALSE(known(makeInt(0)));
  EXPECT_FALSE(known(Value()));
  EXPECT_FALSE(known(Tuple{}));
  EXPECT_TRUE(known(makeString("x")));
  for (Value value : {tensor("i32"), tensor("fp32"), tensor("i1"), tensor("i32", {1, 1})}) {
    auto truth = sema.truth(value);
    ASSERT_TRUE(truth && std::holds_alternative<mlir::Value>(*truth));
    EXPECT_TRUE(std::get<mlir::Value>(*truth).getType().isInteger(1));
  }
  EXPECT_EQ(errors(), "");
  EXPECT_FALSE(sema.truth(tensor("i1", {8})));
  EXPECT_EQ(errors(), "a condition must be a scalar, found int1[8]; use tl.where to choose element "
                      "by element, or reduce it first\n");
}

TEST_F(ControlFlow, Unify) {
  EXPECT_EQ(unify(makeInt(1), makeInt(1)), "constexpr 1 constexpr 1");
  EXPECT_EQ(unify(makeInt(1), makeInt(2)), "i32 i32");
  EXPECT_EQ(unify(makeInt(1), makeInt(int64_t(1) << 40)), "i64 i64");
  EXPECT_EQ(unify(makeFloat(1), makeFloat(1e300)), "fp64 fp64");
  EXPECT_EQ(unify(makeInt(0), tensor("i64")), "i64 i64");
  EXPECT_EQ(unify(tensor("fp16"), makeFloat(0)), "fp16 fp16");
  EXPECT_EQ(unify(tensor("fp32"), makeInt(0)), "fp32 fp32");
  EXPECT_EQ(unify(Tuple{{makeInt(0), tensor("i8")}, {}}, Tuple{{tensor("i64"), makeInt(3)}, {}}),
            "(int64, int8) (int64, int8)");
  EXPECT_EQ(errors(), "");
  EXPECT_EQ(unify(tensor("fp32"), tensor("fp16")), "");
  EXPECT_EQ(errors(), "'x' has different types on two paths: float32 and float16; give it one "
                      "type on every path\n");
  EXPECT_EQ(unify(tensor("i32", {4}), makeInt(0)), "");
  EXPECT_NE(errors(), "");
  EXPECT_EQ(unify(makeInt(1), makeFloat(2.5)), "");
  EXPECT_EQ(errors(), "'x' has different types on two paths: int32 (constexpr 1) and float32 "
                      "(constexpr 2.5); give it one type on every path\n");
  EXPECT_EQ(unify(makeBool(true), makeInt(2)), "");
  EXPECT_NE(errors(), "");
  EXPECT_EQ(unify(Value(), tensor("i32")), "");
  EXPECT_NE(errors(), "");
  EXPECT_EQ(unify(tensor("i32"), makeFloat(1.5)), "");
  EXPECT_NE(errors(), "");
}

TEST_F(ControlFlow, LoopCarried) {
  auto carried = [&](Value value, Value like) {
    return type(sema.convertLike(value, like, "acc"));
  };
  EXPECT_EQ(carried(makeInt(0), tensor("fp32")), "fp32");
  EXPECT_EQ(carried(tensor("i32"), tensor("i32")), "i32");
  EXPECT_EQ(type(sema.materialize(Tuple{{makeInt(1), makeString("s"), makeFloat(2)}, {}})),
            "(int32, constexpr 's', float32)");
  EXPECT_EQ(errors(), "");
  EXPECT_EQ(carried(tensor("fp32"), tensor("i32")), "");
  EXPECT_EQ(errors(), "the type of 'acc' changes in the loop: it enters as int32 and becomes "
                      "float32; give it its final type before the loop, or convert with "
                      ".to(tl.int32)\n");
  EXPECT_EQ(carried(tensor("fp32", {4}), tensor("i32")), "");
  EXPECT_NE(errors().find("tl.zeros([4], tl.float32)"), std::string::npos);
}

TEST_F(ControlFlow, LoopBounds) {
  EXPECT_TRUE(sema.loopBound(makeInt(3), "end"));
  EXPECT_TRUE(sema.loopBound(tensor("u64"), "end"));
  EXPECT_FALSE(sema.loopBound(makeFloat(3), "end"));
  EXPECT_EQ(errors(), "the end of a loop must be an integer scalar, found constexpr 3.0\n");
  EXPECT_FALSE(sema.loopBound(tensor("i32", {4}), "end"));
  errors();
}

TEST_F(ControlFlow, LogicalOperators) {
  EXPECT_EQ(type(sema.logical(LogicalOp::And, tensor("i32"), tensor("fp32"))), "i1");
  EXPECT_EQ(type(sema.logical(LogicalOp::Or, tensor("i1"), makeBool(true))), "i1");
  EXPECT_EQ(type(sema.unary(UnaryOp::Not, tensor("i32", {4}))), "i1[4]");
  EXPECT_EQ(diagnostics.all().size(), 0u);
  EXPECT_EQ(type(sema.logical(LogicalOp::Or, tensor("i1", {4}), tensor("i1"))), "i1[4]");
  EXPECT_EQ(diagnostics.all().back().severity, Severity::Warning);
}

TEST_F(ControlFlow, Subscripts) {
  Tuple five;
  for (int i = 0; i < 5; ++i)
    five.elements.push_back(makeInt(i));
  auto part = [](std::optional<int> i) {
    return i ? std::make_shared<const Value>(makeInt(*i)) : nullptr;
  };
  auto slice = [&](std::optional<int> begin, std::optional<int> end, std::optional<int> step) {
    return sema.format(*sema.subscript(five, Slice{part(begin), part(end), part(step)}));
  };
  using std::nullopt;
  // Each expectation is what CPython 3.11 gives for (0, 1, 2, 3, 4)[begin:end:step].
  EXPECT_EQ(slice(nullopt, nullopt, nullopt), "(0, 1, 2, 3, 4)");
  EXPECT_EQ(slice(1, -1, nullopt), "(1, 2, 3)");
  EXPECT_EQ(slice(-100, 100, 2), "(0, 2, 4)");
  EXPECT_EQ(slice(nullopt, nullopt, -1), "(4, 3, 2, 1, 0)");
  EXPECT_EQ(slice(nullopt, -100, -2), "(4, 2, 0)");
  EXPECT_EQ(slice(3, 0, -1), "(3, 2, 1)");
  EXPECT_EQ(slice(-2, nullopt, -1), "(3, 2, 1, 0)");
  EXPECT_EQ(slice(4, 2, nullopt), "()");
  EXPECT_EQ(slice(100, 1, -3), "(4,)");
  EXPECT_EQ(sema.format(*sema.subscript(five, makeInt(-1))), "4");
  EXPECT_FALSE(sema.subscript(five, makeInt(5)));
  EXPECT_FALSE(sema.subscript(five, tensor("i32")));
  EXPECT_FALSE(sema.subscript(five, Slice{nullptr, nullptr, part(0)}));
  errors();
}

TEST_F(ControlFlow, Formats) {
  auto format = [&](Value value, const char *spec) {
    return sema.format(value, spec).value_or("error");
  };
  // Each expectation is what CPython 3.11 prints.
  EXPECT_EQ(format(makeInt(42), "5d"), "   42");
  EXPECT_EQ(format(makeInt(-42), "05"), "-0042");
  EXPECT_EQ(format(makeInt(1234567), ","), "1,234,567");
  EXPECT_EQ(format(makeInt(255), "#x"), "0xff");
  EXPECT_EQ(format(makeInt(5), "b"), "101");
  EXPECT_EQ(format(makeInt(5), ".1f"), "5.0");
  EXPECT_EQ(format(makeInt(5), "+"), "+5");
  EXPECT_EQ(format(makeFloat(0.5), ".3f"), "0.500");
  EXPECT_EQ(format(makeFloat(0.5), ""), "0.5");
  EXPECT_EQ(format(makeFloat(0.125), ".1%"), "12.5%");
  EXPECT_EQ(format(makeFloat(1e9), ".2e"), "1.00e+09");
  EXPECT_EQ(format(makeString("ab"), "5"), "ab   ");
  EXPECT_EQ(format(makeString("ab"), "*^5"), "*ab**");
  EXPECT_EQ(format(makeString("ab"), "x"), "error");
  EXPECT_EQ(format(makeInt(1), "99999"), "error");
  errors();
}
