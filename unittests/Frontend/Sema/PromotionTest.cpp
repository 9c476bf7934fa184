//===- PromotionTest.cpp - the types of operators -------------------------===//

#include "SemaTestUtil.h"

using namespace tritium;
using namespace tritium::sema;

namespace {
using Promotion = SemaTest;
struct Row {
  const char *lhs, *rhs, *sum, *quotient;
};
} // namespace

TEST_F(Promotion, TwoTensors) {
  const Row kRows[] = {
      {"i32", "bf16", "bf16", "fp32"},  {"fp32", "fp16", "fp32", "fp32"},
      {"fp64", "fp16", "fp64", "fp64"}, {"fp64", "i8", "fp64", "fp64"},
      {"fp16", "bf16", "fp16", "fp32"}, {"fp16", "fp16", "fp16", "fp32"},
      {"bf16", "bf16", "bf16", "fp32"}, {"fp16", "i64", "fp16", "fp32"},
      {"i1", "fp16", "fp16", "fp32"},   {"i32", "i32", "i32", "fp32"},
      {"i8", "i16", "i16", "fp32"},     {"i32", "i64", "i64", "fp32"},
      {"u8", "u32", "u32", "fp32"},     {"i1", "i8", "i8", "fp32"},
      {"i1", "u16", "u16", "fp32"},     {"i64", "fp64", "fp64", "fp64"},
      {"i1", "i1", "i1", "fp32"},
  };
  for (const Row &row : kRows)
    for (bool swap : {false, true}) {
      Value l = tensor(swap ? row.rhs : row.lhs), r = tensor(swap ? row.lhs : row.rhs);
      EXPECT_EQ(type(sema.binary(BinaryOp::Add, l, r)), row.sum) << row.lhs << " + " << row.rhs;
      EXPECT_EQ(type(sema.binary(BinaryOp::TrueDiv, l, r)), row.quotient)
          << row.lhs << " / " << row.rhs;
    }
  EXPECT_EQ(errors(), "");
}

TEST_F(Promotion, MixedSigns) {
  const char *kRows[][3] = {{"i32", "u32", "u32"},
                            {"i8", "u32", "u32"},
                            {"i64", "u32", "i64"},
                            {"i16", "u8", "i16"},
                            {"i64", "u64", "u64"}};
  for (auto &row : kRows) {
    EXPECT_EQ(type(sema.binary(BinaryOp::Mul, tensor(row[0]), tensor(row[1]))), row[2]);
    EXPECT_EQ(type(sema.binary(BinaryOp::BitAnd, tensor(row[1]), tensor(row[0]))), row[2]);
    EXPECT_EQ(errors(), "");
    for (BinaryOp op : {BinaryOp::TrueDiv, BinaryOp::FloorDiv, BinaryOp::Mod}) {
      EXPECT_EQ(sema.binary(op, tensor(row[0]), tensor(row[1])), std::nullopt);
      EXPECT_NE(errors().find("which differ in signedness"), std::string::npos);
    }
  }
  // bool has no sign.
  EXPECT_EQ(type(sema.binary(BinaryOp::FloorDiv, tensor("i32"), tensor("i1"))), "i32");
}

TEST_F(Promotion, EightBitFloats) {
  auto where = [&](const char *x, const char *y) {
    return type(lib("where", {tensor("i1"), tensor(x), tensor(y)}));
  };
  EXPECT_EQ(where("fp8e5", "fp8e4nv"), "fp16");
  EXPECT_EQ(where("fp8e5", "fp8e5"), "fp8e5");
  EXPECT_EQ(where("bf16", "fp8e5"), "fp32");
  EXPECT_EQ(where("fp16", "fp8e4nv"), "fp16");
  EXPECT_EQ(errors(), "");
  EXPECT_EQ(sema.binary(BinaryOp::Add, tensor("fp8e5"), tensor("i32")), std::nullopt);
  EXPECT_EQ(errors(), "TypeError: '+' cannot combine float8e5 and int32; convert one of them "
                      "with .to()\n");
}

TEST_F(Promotion, Constants) {
  const std::tuple<const char *, Value, const char *, const char *> kRows[] = {
      {"u8", makeInt(3), "u8", "fp32"},
      {"i16", makeFloat(4.0), "fp32", "fp32"},
      {"i16", makeFloat(1e300), "fp64", "fp64"},
      {"fp16", makeInt(3), "fp16", "fp32"},
      {"fp16", makeFloat(0.1), "fp16", "fp32"},
      {"bf16", makeFloat(1e300), "bf16", "fp32"},
      {"i1", makeInt(3), "i32", "fp32"},
      {"i1", makeInt(3000000000), "u32", "fp32"},
      {"i1", makeInt(-3000000000), "i64", "fp32"},
      {"i64", makeBool(true), "i64", "fp32"},
      {"fp64", makeFloat(0.1), "fp64", "fp64"},
      {"i64", makeInt(5), "i64", "fp32"},
  };
  for (const auto &[dtype, constant, sum, quotient] : kRows) {
    EXPECT_EQ(type(sema.binary(BinaryOp::Add, tensor(dtype), constant)), sum) << dtype;
    EXPECT_EQ(type(sema.binary(BinaryOp::Sub, constant, tensor(dtype))), sum) << dtype;
    EXPECT_EQ(type(sema.binary(BinaryOp::TrueDiv, tensor(dtype), constant)), quotient) << dtype;
  }
  EXPECT_EQ(errors(), "");
}

TEST_F(Promotion, ConstantsOutOfRange) {
  EXPECT_FALSE(sema.binary(BinaryOp::Add, tensor("u8"), makeInt(256)));
  EXPECT_EQ(errors(), "ValueError: the constant 256 is out of the range of uint8 (0 to 255)\n");
  EXPECT_FALSE(sema.binary(BinaryOp::Mul, makeInt(-1), tensor("u32")));
  EXPECT_EQ(errors(), "ValueError: the constant -1 is out of the range of uint32 (0 to "
                      "4294967295)\n");
  EXPECT_FALSE(sema.compare(CompareOp::Lt, tensor("i8"), makeInt(128)));
  EXPECT_EQ(errors(), "ValueError: the constant 128 is out of the range of int8 (-128 to 127)\n");
  EXPECT_TRUE(sema.binary(BinaryOp::Add, tensor("u64"), makeInt((Constant::Int(1) << 64) - 1)));
  EXPECT_FALSE(sema.toTensor(makeInt(Constant::Int(1) << 64)));
  EXPECT_EQ(errors(), "ValueError: the constant 18446744073709551616 does not fit 64 bits\n");
}

TEST_F(Promotion, ToTensor) {
  auto of = [&](Value value) {
    auto t = sema.toTensor(value);
    return t ? t->dtype.signature() : "";
  };
  EXPECT_EQ(of(makeBool(true)), "i1");
  EXPECT_EQ(of(makeInt(INT32_MAX)), "i32");
  EXPECT_EQ(of(makeInt(INT64_C(1) << 31)), "u32");
  EXPECT_EQ(of(makeInt(INT64_C(1) << 32)), "i64");
  EXPECT_EQ(of(makeInt(INT64_MIN)), "i64");
  EXPECT_EQ(of(makeInt(Constant::Int(1) << 63)), "u64");
  EXPECT_EQ(of(makeFloat(0.0)), "fp32");
  EXPECT_EQ(of(makeFloat(INFINITY)), "fp32");
  EXPECT_EQ(of(makeFloat(NAN)), "fp32");
  EXPECT_EQ(of(makeFloat(1e-40)), "fp64");
  EXPECT_EQ(of(makeFloat(1e39)), "fp64");
  EXPECT_EQ(errors(), "");
}

TEST_F(Promotion, OperatorsThatNeedIntegers) {
  for (BinaryOp op : {BinaryOp::FloorDiv, BinaryOp::BitAnd, BinaryOp::BitOr, BinaryOp::BitXor,
                      BinaryOp::Shl, BinaryOp::Shr}) {
    EXPECT_FALSE(sema.binary(op, tensor("fp32"), tensor("i32")));
    EXPECT_NE(errors().find("needs integers, found float32 and int32"), std::string::npos);
  }
  EXPECT_FALSE(sema.unary(UnaryOp::Invert, tensor("fp32")));
  EXPECT_EQ(errors(), "TypeError: unary '~' needs an integer, found float32\n");
  EXPECT_FALSE(sema.binary(BinaryOp::Pow, tensor("i32"), makeInt(-1)));
  EXPECT_NE(errors().find("'**' takes integers to known powers of at least 1"), std::string::npos);
}

TEST_F(Promotion, LeftOperandDecidesRightShift) {
  auto fillsWithSign = [&](const char *left, const char *right) {
    auto shifted = sema.binary(BinaryOp::Shr, tensor(left), tensor(right));
    mlir::Operation *op = shifted->get<Tensor>().value.getDefiningOp();
    return type(shifted) + (mlir::isa<mlir::arith::ShRSIOp>(op) ? " signed" : " unsigned");
  };
  EXPECT_EQ(fillsWithSign("i32", "u32"), "u32 signed");
  EXPECT_EQ(fillsWithSign("i8", "u64"), "u64 signed");
  EXPECT_EQ(fillsWithSign("u32", "i32"), "u32 unsigned");
  EXPECT_EQ(fillsWithSign("i32", "i32"), "i32 signed");
  EXPECT_EQ(errors(), "");
}

TEST_F(Promotion, Arange) {
  EXPECT_EQ(type(lib("arange", {makeInt(3), makeInt(784)})), "i32[781]");
  EXPECT_EQ(type(lib("arange", {makeInt(512)})), "i32[512]");
  EXPECT_EQ(errors(), "");
}

TEST_F(Promotion, Broadcasting) {
  auto shapeOf = [&](llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b) {
    return type(sema.binary(BinaryOp::Add, tensor("i32", a), tensor("i32", b)));
  };
  EXPECT_EQ(shapeOf({4, 1}, {1, 8}), "i32[4, 8]");
  EXPECT_EQ(shapeOf({8}, {4, 8}), "i32[4, 8]");
  EXPECT_EQ(shapeOf({}, {3, 5, 7}), "i32[3, 5, 7]");
  EXPECT_EQ(shapeOf({5, 1}, {3, 1, 7}), "i32[3, 5, 7]");
  EXPECT_EQ(errors(), "");
  EXPECT_EQ(shapeOf({64}, {32}), "");
  EXPECT_EQ(errors(), "cannot broadcast shapes [64] and [32]: aligned at the right, each pair of "
                      "extents must agree or have a 1\n");
  EXPECT_EQ(shapeOf({4, 8}, {4}), "");
  EXPECT_NE(errors(), "");
  EXPECT_EQ(shapeOf({1024, 1}, {1, 2048}), "");
  EXPECT_NE(errors().find("at most 1048576 elements"), std::string::npos);
}

TEST_F(Promotion, Pointers) {
  Value pointer = tensor("*fp32"), tile = tensor("*fp32", {4});
  EXPECT_EQ(type(sema.binary(BinaryOp::Add, pointer, tensor("i32"))), "*fp32");
  EXPECT_EQ(type(sema.binary(BinaryOp::Add, tensor("i64", {8}), pointer)), "*fp32[8]");
  EXPECT_EQ(type(sema.binary(BinaryOp::Sub, tile, makeInt(3))), "*fp32[4]");
  EXPECT_EQ(type(sema.binary(BinaryOp::Add, tile, tensor("i1"))), "*fp32[4]");
  EXPECT_EQ(type(sema.compare(CompareOp::Eq, pointer, tile)), "i1[4]");
  EXPECT_EQ(type(sema.compare(CompareOp::IsNot, pointer, Value())), "constexpr True");
  EXPECT_EQ(type(sema.compare(CompareOp::Eq, pointer, Value())), "constexpr False");
  EXPECT_EQ(errors(), "");
  EXPECT_FALSE(sema.binary(BinaryOp::Add, pointer, pointer));
  EXPECT_EQ(errors(), "TypeError: '+' cannot combine two pointers, pointer<float32> and "
                      "pointer<float32>\n");
  EXPECT_FALSE(sema.binary(BinaryOp::Mul, pointer, makeInt(2)));
  EXPECT_FALSE(sema.binary(BinaryOp::Add, pointer, tensor("fp32")));
  EXPECT_FALSE(sema.binary(BinaryOp::Sub, makeInt(4), pointer));
  EXPECT_NE(errors(), "");
}

// Offsets are sign-extended by addptr, so unsigned ones become wide enough before.
TEST_F(Promotion, UnsignedOffsets) {
  sema.binary(BinaryOp::Add, tensor("*i8"), tensor("u32"));
  std::string text = ir();
  EXPECT_NE(text.find("arith.extui %arg1 : i32 to i64"), std::string::npos) << text;
  EXPECT_NE(text.find("!tt.ptr<i8>, i64"), std::string::npos) << text;
  sema.binary(BinaryOp::Add, tensor("*i8"), tensor("u8"));
  text = ir();
  EXPECT_NE(text.find("arith.extui %arg3 : i8 to i32"), std::string::npos) << text;
  sema.binary(BinaryOp::Sub, tensor("*i8"), tensor("i32"));
  EXPECT_NE(ir().find("arith.extsi %arg5 : i32 to i64"), std::string::npos) << ir();
}
