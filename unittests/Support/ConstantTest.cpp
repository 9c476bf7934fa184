//===- ConstantTest.cpp - element types and compile-time values -----------===//

#include "tritium/Support/Constant.h"

#include <gtest/gtest.h>

#include <limits>

using namespace tritium;

namespace {
Constant of(decltype(Constant::value) value) { return {std::move(value)}; }

TEST(DType, SignatureRoundTrips) {
  for (int kind = 0; kind <= static_cast<int>(DTypeKind::Float64); ++kind) {
    for (uint8_t depth = 0; depth < 3; ++depth) {
      for (bool isConst : {false, true}) {
        DType type{static_cast<DTypeKind>(kind), depth, isConst && depth > 0};
        auto parsed = DType::parse(type.signature());
        ASSERT_TRUE(parsed) << type.signature();
        EXPECT_EQ(*parsed, type) << type.signature();
      }
    }
  }
}

TEST(DType, Spellings) {
  EXPECT_EQ((DType{DTypeKind::Float32, 1, true}).signature(), "*kfp32");
  EXPECT_EQ((DType{DTypeKind::BFloat16, 2, false}).signature(), "**bf16");
  EXPECT_EQ(DType::parse("float32"), (DType{DTypeKind::Float32}));
  EXPECT_EQ(DType::parse("u1"), (DType{DTypeKind::Int1}));
  EXPECT_EQ((DType{DTypeKind::Float8E4NV}).languageName(), "float8e4nv");
  EXPECT_EQ((DType{DTypeKind::Int1}).bits(), 1u);
  EXPECT_EQ((DType{DTypeKind::Int8, 1}).bits(), 64u);
}

TEST(DType, RejectsWhatIsNoType) {
  for (std::string_view text : {"", "*", "k", "*k", "fp33", "i32 ", "f", "**********fp32"})
    EXPECT_FALSE(DType::parse(text)) << text;
}

TEST(Constant, ReprIsPythons) {
  EXPECT_EQ(of(Constant::None{}).repr(), "None");
  EXPECT_EQ(of(true).repr(), "True");
  EXPECT_EQ(of(Constant::Int{0}).repr(), "0");
  EXPECT_EQ(of(Constant::Int{-17}).repr(), "-17");
  EXPECT_EQ(of(Constant::Int{std::numeric_limits<uint64_t>::max()}).repr(), "18446744073709551615");
  EXPECT_EQ(of(Constant::Int{std::numeric_limits<int64_t>::min()}).repr(), "-9223372036854775808");
  EXPECT_EQ(of(std::string("it's")).repr(), "\"it's\"");
  EXPECT_EQ(of(std::string("a\n\\'\"\x01")).repr(), "'a\\n\\\\\\'\"\\x01'");
  EXPECT_EQ(of(DType{DTypeKind::Float16}).repr(), "triton.language.float16");
  EXPECT_EQ(of(Constant::Tuple{of(Constant::Int{1})}).repr(), "(1,)");
  EXPECT_EQ(of(Constant::Tuple{of(Constant::Int{1}), of(false)}).repr(), "(1, False)");
  EXPECT_EQ(of(Constant::Tuple{}).repr(), "()");
  EXPECT_EQ(of(Constant::Object{"Mode.FAST"}).repr(), "Mode.FAST");
}

TEST(Constant, ReprOfFloats) {
  EXPECT_EQ(of(1.0).repr(), "1.0");
  EXPECT_EQ(of(-0.0).repr(), "-0.0");
  EXPECT_EQ(of(0.1).repr(), "0.1");
  EXPECT_EQ(of(0.0001).repr(), "0.0001");
  EXPECT_EQ(of(0.00001).repr(), "1e-05");
  EXPECT_EQ(of(1e15).repr(), "1000000000000000.0");
  EXPECT_EQ(of(1e16).repr(), "1e+16");
  EXPECT_EQ(of(1.5e300).repr(), "1.5e+300");
  EXPECT_EQ(of(123456.789).repr(), "123456.789");
  EXPECT_EQ(of(std::numeric_limits<double>::infinity()).repr(), "inf");
  EXPECT_EQ(of(std::numeric_limits<double>::quiet_NaN()).repr(), "nan");
}
} // namespace
