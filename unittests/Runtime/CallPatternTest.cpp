//===- CallPatternTest.cpp ------------------------------------------------===//

#include "CallPattern.h"
#include "Arguments.h"

#include "gtest/gtest.h"

#include <bit>

using namespace tritium;
using namespace tritium::runtime;
using namespace tritium::runtime::samples;

namespace {

tritium_argument array(uint64_t address, DTypeKind kind, int device) {
  tritium_argument argument = pointer(address, kind);
  argument.memory = device < 0 ? TRITIUM_HOST_MEMORY : TRITIUM_CUDA_MEMORY;
  argument.device = device < 0 ? 0 : static_cast<uint8_t>(device);
  return argument;
}

/// Arguments at and around every limit at which a class ends.
std::vector<tritium_argument> interestingArguments() {
  static tritium_value values[6] = {};
  values[1].kind = values[2].kind = TRITIUM_STRING;
  values[1].as.string = {"relu", 4};
  values[2].as.string = {"gelu", 4};
  values[3].kind = values[4].kind = TRITIUM_DTYPE;
  values[3].as.dtype = fromDType({DTypeKind::Float16});
  values[4].as.dtype = fromDType({DTypeKind::Float32});
  values[5].kind = TRITIUM_OBJECT;
  values[5].as.string = {"Mode['FAST']", 12};
  std::vector<tritium_argument> arguments = {{}};
  arguments.push_back(argument(TRITIUM_ARG_VALUE, 0));
  arguments.back().value = &values[5];
  arguments.push_back(arguments.back());
  arguments.back().is_constexpr = 1;
  for (int64_t value : {INT64_C(0),
                        INT64_C(1),
                        INT64_C(2),
                        INT64_C(16),
                        INT64_C(17),
                        INT64_C(-1),
                        INT64_C(-16),
                        INT64_C(127),
                        INT64_C(128),
                        INT64_C(255),
                        INT64_C(256),
                        INT64_C(2147483632),
                        INT64_C(2147483647),
                        INT64_C(2147483648),
                        INT64_C(-2147483648),
                        INT64_C(-2147483649),
                        INT64_C(4294967295),
                        INT64_C(4294967296),
                        INT64_MAX,
                        INT64_MIN})
    arguments.push_back(number(value));
  for (uint64_t value : {UINT64_MAX, UINT64_MAX - 15})
    arguments.push_back(argument(TRITIUM_ARG_UINT, value));
  for (double value : {0.0, 1.0, 2.5})
    arguments.push_back(real(value));
  arguments.push_back(argument(TRITIUM_ARG_BOOL, 0));
  arguments.push_back(argument(TRITIUM_ARG_BOOL, 1));
  for (uint64_t address : {4096, 4112, 4100})
    for (DTypeKind kind : {DTypeKind::Float32, DTypeKind::Int32, DTypeKind::Float16})
      for (int device : {-1, 0, 1})
        arguments.push_back(array(address, kind, device));
  for (const tritium_value &value : values) {
    arguments.push_back(argument(TRITIUM_ARG_VALUE, 0));
    arguments.back().value = &value;
  }
  return arguments;
}

struct Classified {
  llvm::SmallVector<ArgumentClass> classes;
  llvm::SmallVector<const tritium_argument *> bound;
  Key key;
  bool isValid = false;
};

Classified classify(const Signature &signature, const std::vector<tritium_argument> &call) {
  Classified result;
  CompileError error;
  result.isValid =
      signature.classify(call.data(), call.size(), result.classes, result.bound, result.key, error);
  return result;
}

std::optional<CallPattern> patternOf(const Signature &signature,
                                     const std::vector<tritium_argument> &call) {
  Classified known = classify(signature, call);
  return CallPattern::of(signature, call.data(), call.size(), nullptr, 0, known.classes,
                         known.bound);
}

bool fits(const CallPattern &pattern, const std::vector<tritium_argument> &call) {
  int device;
  return pattern.fits(call.data(), call.size(), nullptr, 0, device);
}

TEST(CallPattern, CallsThatFitHaveTheSameKey) {
  const char *noValue[] = {"v"}, *noAlignment[] = {"a"};
  tritium_kernel_config config = {};
  config.do_not_specialize = noValue;
  config.do_not_specialize_count = 1;
  config.do_not_specialize_on_alignment = noAlignment;
  config.do_not_specialize_on_alignment_count = 1;
  KernelParameter withDefault{"d"};
  withDefault.defaultValue = Constant{static_cast<Constant::Int>(7)};
  std::vector<KernelParameter> parameters = {{"x"}, {"c", true}, {"v"}, {"a"}, withDefault};
  for (const char *type : {"tl.int1", "tl.int8", "tl.uint8", "tl.int16", "tl.uint16", "tl.int32",
                           "tl.uint32", "tl.int64", "tl.uint64", "tl.float32", "'*fp32'"})
    parameters.push_back({"t", false, type});
  std::vector<tritium_argument> arguments = interestingArguments();
  for (const KernelParameter &parameter : parameters) {
    Signature signature({"k", {parameter}}, &config);
    for (const tritium_argument &first : arguments) {
      Classified known = classify(signature, {first});
      if (!known.isValid)
        continue;
      std::optional<CallPattern> pattern = patternOf(signature, {first});
      ASSERT_TRUE(pattern);
      EXPECT_TRUE(fits(*pattern, {first}));
      for (const tritium_argument &second : arguments) {
        Classified other = classify(signature, {second});
        bool hasSameKey = other.isValid && other.key == known.key;
        bool isAlike = first.kind == second.kind && first.memory == second.memory &&
                       first.type.kind == second.type.kind &&
                       first.is_constexpr == second.is_constexpr;
        EXPECT_EQ(fits(*pattern, {second}), hasSameKey && isAlike)
            << parameter.name << ' ' << parameter.annotation << ": " << int(first.kind) << ' '
            << first.bits << " and " << int(second.kind) << ' ' << second.bits;
      }
    }
  }
}

TEST(CallPattern, EqualClassesFit) {
  Signature signature({"k", {{"x"}, {"n"}, {"f"}, {"B", true}}}, nullptr);
  auto call = [](uint64_t address, int64_t n, double f, int64_t block, int device = 0) {
    return std::vector{array(address, DTypeKind::Float32, device), number(n), real(f),
                       number(block)};
  };
  std::optional<CallPattern> pattern = patternOf(signature, call(4096, 99, 1.5, 64));
  ASSERT_TRUE(pattern);
  EXPECT_TRUE(pattern->isOnDevice());
  EXPECT_TRUE(fits(*pattern, call(65536, -3, 0.0, 64)));
  EXPECT_TRUE(fits(*pattern, call(65536, -3, 0.0, 64, 1)));
  EXPECT_FALSE(fits(*pattern, call(65536, -3, 0.0, 64, -1)));
  EXPECT_FALSE(fits(*pattern, call(65540, -3, 0.0, 64)));
  EXPECT_FALSE(fits(*pattern, call(65536, 1, 0.0, 64)));
  EXPECT_FALSE(fits(*pattern, call(65536, 32, 0.0, 64)));
  EXPECT_FALSE(fits(*pattern, call(65536, INT64_C(1) << 40 | 1, 0.0, 64)));
  EXPECT_FALSE(fits(*pattern, call(65536, -3, 0.0, 65)));
  int device;
  std::vector<tritium_argument> other = call(65536, -3, 0.0, 64, 5);
  EXPECT_TRUE(pattern->fits(other.data(), other.size(), nullptr, 0, device));
  EXPECT_EQ(device, 5);
}

TEST(CallPattern, ArraysOfTwoPlaces) {
  Signature signature({"k", {{"x"}, {"y"}}}, nullptr);
  auto call = [](int first, int second) {
    return std::vector{array(4096, DTypeKind::Float32, first),
                       array(8192, DTypeKind::Float32, second)};
  };
  EXPECT_FALSE(patternOf(signature, call(0, -1)));
  std::optional<CallPattern> pattern = patternOf(signature, call(0, 0));
  ASSERT_TRUE(pattern);
  EXPECT_FALSE(fits(*pattern, call(0, 1)));
}

TEST(CallPattern, AbsentArgumentsAndOptions) {
  KernelParameter eps{"eps"};
  eps.defaultValue = Constant{0.5};
  Signature signature({"k", {{"n"}, eps}}, nullptr);
  std::vector<tritium_argument> call = {number(3), {}};
  Classified known = classify(signature, call);
  tritium_option warps = {};
  warps.name = "num_warps";
  warps.value.kind = TRITIUM_INT;
  warps.value.as.integer.low = 8;
  auto pattern = CallPattern::of(signature, call.data(), 2, &warps, 1, known.classes, known.bound);
  ASSERT_TRUE(pattern);
  EXPECT_EQ(std::bit_cast<double>(pattern->argument(call.data(), 1).bits), 0.5);
  EXPECT_EQ(&pattern->argument(call.data(), 0), &call[0]);
  int device;
  EXPECT_TRUE(pattern->fits(call.data(), 2, &warps, 1, device));
  EXPECT_FALSE(pattern->fits(call.data(), 2, nullptr, 0, device));
  tritium_option other = warps;
  other.value.as.integer.low = 4;
  EXPECT_FALSE(pattern->fits(call.data(), 2, &other, 1, device));
  other = warps;
  other.name = "num_stages";
  EXPECT_FALSE(pattern->fits(call.data(), 2, &other, 1, device));
  other = warps;
  other.value.kind = TRITIUM_BOOL;
  EXPECT_FALSE(pattern->fits(call.data(), 2, &other, 1, device));
  call[1] = real(0.5);
  EXPECT_FALSE(pattern->fits(call.data(), 2, &warps, 1, device));
}

} // namespace
