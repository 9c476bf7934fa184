//===- ConversionTest.cpp - arguments as a C declaration wants them -------===//

#include "Conversion.h"
#include "Arguments.h"

#include "gtest/gtest.h"

#include <bit>
#include <cmath>
#include <limits>

using namespace tritium;
using namespace tritium::runtime;
using namespace tritium::runtime::samples;

namespace {

KernelParameter declared(const char *type, const char *spelling) {
  KernelParameter parameter;
  parameter.name = "p";
  parameter.annotation = spelling;
  parameter.type = DType::parse(type);
  return parameter;
}

tritium_argument array(const char *type) { return pointer(4096, DType::parse(type)->kind); }

/// The converted argument, or the message.
struct Outcome {
  tritium_argument value = {};
  std::string message;
  double number() const { return std::bit_cast<double>(value.bits); }
};

Outcome convert(const KernelParameter &parameter, const tritium_argument &argument) {
  Outcome outcome;
  CompileError error;
  if (!convertArgument("k", parameter, argument, outcome.value, error))
    outcome.message = error.message;
  return outcome;
}

TEST(ConversionTest, FloatsRound) {
  for (const char *type : {"fp16", "bf16", "fp32", "fp64"}) {
    Outcome three = convert(declared(type, "T"), number(-3));
    EXPECT_EQ(three.value.kind, TRITIUM_ARG_FLOAT);
    EXPECT_EQ(three.number(), -3) << type;
    EXPECT_TRUE(std::isnan(convert(declared(type, "T"), real(std::nan(""))).number()));
    EXPECT_TRUE(std::isinf(
        convert(declared(type, "T"), real(std::numeric_limits<double>::infinity())).number()));
  }
  EXPECT_EQ(convert(declared("fp16", "half"), real(0.1)).number(), 0.0999755859375);
  EXPECT_EQ(convert(declared("fp32", "float"), real(0.1)).number(), double(0.1f));
  EXPECT_EQ(convert(declared("fp64", "double"), real(0.1)).number(), 0.1);
  // Just above the middle of two halves: by way of float it would round to the even one.
  EXPECT_EQ(convert(declared("fp16", "half"), real(1 + std::exp2(-11) + std::exp2(-40))).number(),
            1 + std::exp2(-10));
  EXPECT_EQ(convert(declared("fp16", "half"), real(1e6)).message,
            "kernel 'k': parameter 'p' is half, but got 1000000, which is out of its range");
  EXPECT_NE(convert(declared("fp32", "float"), real(1e300)).message, "");
  EXPECT_NE(convert(declared("fp32", "float"), array("fp32")).message, "");
}

TEST(ConversionTest, IntegersKeepTheirValue) {
  struct {
    const char *type;
    int64_t low, high;
  } cases[] = {{"i8", -128, 127},
               {"u8", 0, 255},
               {"i16", -32768, 32767},
               {"u16", 0, 65535},
               {"i32", INT32_MIN, INT32_MAX},
               {"u32", 0, UINT32_MAX},
               {"i1", 0, 1}};
  for (auto [type, low, high] : cases) {
    for (int64_t value : {low, high}) {
      Outcome kept = convert(declared(type, "T"), number(value));
      EXPECT_EQ(kept.message, "") << type;
      EXPECT_EQ(static_cast<int64_t>(kept.value.bits), value) << type;
      EXPECT_EQ(static_cast<int64_t>(
                    convert(declared(type, "T"), real(static_cast<double>(value))).value.bits),
                value);
    }
    for (int64_t value : {low - 1, high + 1})
      EXPECT_NE(convert(declared(type, "T"), number(value)).message, "") << type << value;
  }
  EXPECT_EQ(convert(declared("i32", "int"), real(2.5)).message,
            "kernel 'k': parameter 'p' is int, but got 2.5: pass a whole number");
  for (double value : {std::nan(""), HUGE_VAL, -1e19, 2e19, 9223372036854775808.0})
    EXPECT_NE(convert(declared("i64", "long"), real(value)).message, "") << value;
  EXPECT_EQ(convert(declared("u64", "unsigned long"), real(9223372036854775808.0)).value.kind,
            TRITIUM_ARG_UINT);
  tritium_argument flag = number(1);
  flag.kind = TRITIUM_ARG_BOOL;
  EXPECT_EQ(convert(declared("i32", "int"), flag).value.bits, 1u);
  EXPECT_NE(convert(declared("i32", "int"), array("i32")).message, "");
}

TEST(ConversionTest, Pointers) {
  KernelParameter floats = declared("*fp32", "float*");
  Outcome kept = convert(floats, array("fp32"));
  EXPECT_EQ(kept.message, "");
  EXPECT_EQ(kept.value.begin, 4096u);
  EXPECT_EQ(kept.value.bytes, 64u);
  Outcome address = convert(floats, number(4100));
  EXPECT_EQ(address.value.kind, TRITIUM_ARG_POINTER);
  EXPECT_EQ(address.value.bits, 4100u);
  EXPECT_EQ(address.value.bytes, TRITIUM_UNKNOWN_EXTENT);
  Outcome null = convert(floats, number(0));
  EXPECT_EQ(null.message, "");
  EXPECT_EQ(null.value.bytes, 0u);
  EXPECT_EQ(convert(floats, array("i32")).message,
            "kernel 'k': parameter 'p' is float*, but got an array of int32");
  EXPECT_NE(convert(floats, array("fp64")).message, "");
  EXPECT_NE(convert(floats, number(-1)).message, "");
  EXPECT_NE(convert(floats, real(1)).message, "");
  EXPECT_NE(convert(declared("*fp16", "half*"), array("bf16")).message, "");
  // Signs and bool do not matter in memory.
  EXPECT_EQ(convert(declared("*u32", "unsigned*"), array("i32")).message, "");
  EXPECT_EQ(convert(declared("*i1", "bool*"), array("u8")).message, "");
  EXPECT_NE(convert(declared("*i1", "bool*"), array("i32")).message, "");
}

TEST(ConversionTest, Promises) {
  KernelParameter whole = declared("i32", "int"), pointer = declared("*fp32", "float*");
  whole.multipleOf = 8;
  pointer.aligned = 32;
  CompileError error;
  EXPECT_TRUE(checkPromises("k", whole, number(-16), error));
  EXPECT_FALSE(checkPromises("k", whole, number(12), error));
  EXPECT_EQ(error.message,
            "kernel 'k': parameter 'p' is promised to be a multiple of 8, but got 12");
  tritium_argument aligned = array("fp32");
  EXPECT_TRUE(checkPromises("k", pointer, aligned, error));
  aligned.bits += 16;
  EXPECT_FALSE(checkPromises("k", pointer, aligned, error));
  EXPECT_EQ(error.message, "kernel 'k': parameter 'p' is promised to be aligned to 32 bytes, but "
                           "its address is 0x1010");
}

} // namespace
