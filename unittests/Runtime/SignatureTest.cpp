//===- SignatureTest.cpp --------------------------------------------------===//

#include "Arguments.h"

#include "gtest/gtest.h"

using namespace tritium;
using namespace tritium::runtime;
using namespace tritium::runtime::samples;

namespace {

Constant integer(Constant::Int value) { return {value}; }

struct Outcome {
  std::vector<ArgumentSpec> specs;
  Key key;
  CompileError error;
};

Outcome classify(const Signature &signature, std::vector<tritium_argument> arguments) {
  Outcome outcome;
  llvm::SmallVector<ArgumentClass> classes;
  llvm::SmallVector<const tritium_argument *> bound;
  if (signature.classify(arguments.data(), arguments.size(), classes, bound, outcome.key,
                         outcome.error)) {
    llvm::ArrayRef<ArgumentClass> nextClass = classes;
    llvm::ArrayRef<const tritium_argument *> next = bound;
    while (!next.empty())
      outcome.specs.push_back(Signature::spec(nextClass, next));
  }
  return outcome;
}

/// One parameter, one argument.
ArgumentSpec specOf(KernelParameter parameter, tritium_argument argument,
                    const tritium_kernel_config *config = nullptr) {
  Outcome outcome = classify(Signature({"k", {parameter}}, config), {argument});
  EXPECT_EQ(outcome.specs.size(), 1u) << outcome.error.message;
  return outcome.specs.empty() ? ArgumentSpec() : outcome.specs[0];
}
std::string errorOf(KernelParameter parameter, tritium_argument argument) {
  return classify(Signature({"k", {parameter}}, nullptr), {argument}).error.message;
}

TEST(Signature, SpecialisesIntegers) {
  ArgumentSpec one = specOf({"n"}, number(1));
  EXPECT_TRUE(one.isConstexpr);
  EXPECT_EQ(one.value, integer(1));
  EXPECT_EQ(specOf({"n"}, number(3)).type.kind, DTypeKind::Int32);
  EXPECT_EQ(specOf({"n"}, number(3)).divisibility, 1);
  EXPECT_EQ(specOf({"n"}, number(32)).divisibility, 16);
  EXPECT_EQ(specOf({"n"}, number(0)).divisibility, 16);
  EXPECT_EQ(specOf({"n"}, number(int64_t(1) << 31)).type.kind, DTypeKind::Int64);
  EXPECT_EQ(specOf({"n"}, number(-(int64_t(1) << 31))).type.kind, DTypeKind::Int32);
  tritium_argument large = number(-1);
  large.kind = TRITIUM_ARG_UINT;
  EXPECT_EQ(specOf({"n"}, large).type.kind, DTypeKind::UInt64);
}

TEST(Signature, SpecialisesTheRest) {
  EXPECT_EQ(specOf({"x"}, pointer(4096)).divisibility, 16);
  EXPECT_EQ(specOf({"x"}, pointer(4100)).divisibility, 1);
  EXPECT_EQ(specOf({"x"}, pointer(4096)).type, (DType{DTypeKind::Float32, 1}));
  EXPECT_TRUE(specOf({"x", false, "tl.const"}, pointer(4096)).type.isConst);
  EXPECT_EQ(specOf({"f"}, real(1.0)).type.kind, DTypeKind::Float32);
  tritium_argument flag = {};
  flag.kind = TRITIUM_ARG_BOOL;
  flag.bits = 1;
  EXPECT_EQ(specOf({"b"}, flag).type.kind, DTypeKind::Int1);
  tritium_value none = {};
  tritium_argument nothing = {};
  nothing.kind = TRITIUM_ARG_VALUE;
  nothing.value = &none;
  EXPECT_TRUE(specOf({"p"}, nothing).isConstexpr);
  EXPECT_TRUE(specOf({"p"}, nothing).value.isNone());
}

TEST(Signature, ObjectsAreRunTimeValuesOfNoParameter) {
  tritium_value value = {};
  value.kind = TRITIUM_OBJECT;
  value.as.string = {"Mode['FAST']", 12};
  tritium_argument object = {};
  object.kind = TRITIUM_ARG_VALUE;
  object.value = &value;
  EXPECT_NE(errorOf({"m"}, object).find("as a run-time value"), std::string::npos);
  EXPECT_EQ(errorOf({"m", true}, object), "");
  object.is_constexpr = 1;
  EXPECT_EQ(errorOf({"m"}, object), "");
  object.is_constexpr = 0;
  value.as.string = {"function f", 10};
  EXPECT_EQ(errorOf({"m"}, object), "");
}

TEST(Signature, AnnotationsFixTypes) {
  EXPECT_EQ(specOf({"n", false, "tl.int64"}, number(1)).type.kind, DTypeKind::Int64);
  EXPECT_FALSE(specOf({"n", false, "tl.int64"}, number(1)).isConstexpr);
  EXPECT_EQ(specOf({"n", false, "'u8'"}, number(255)).type.kind, DTypeKind::UInt8);
  EXPECT_EQ(specOf({"f", false, "tl.float64"}, real(1)).type.kind, DTypeKind::Float64);
  EXPECT_EQ(specOf({"f", false, "tl.float32"}, number(2)).type.kind, DTypeKind::Float32);
  // An annotation of Python's own says nothing.
  EXPECT_EQ(specOf({"n", false, "int"}, number(3)).type.kind, DTypeKind::Int32);
  EXPECT_NE(errorOf({"n", false, "'u8'"}, number(256)).find("256"), std::string::npos);
  EXPECT_NE(errorOf({"n", false, "tl.int32"}, real(1)).find("a float"), std::string::npos);
  EXPECT_NE(errorOf({"x", false, "'*fp32'"}, number(1)).find("an int"), std::string::npos);
  EXPECT_NE(errorOf({"x", false, "'*fp32'"}, pointer(64, DTypeKind::Float64)).find("fp64"),
            std::string::npos);
}

TEST(Signature, DoNotSpecialize) {
  const char *names[] = {"n"};
  tritium_kernel_config config = {};
  config.do_not_specialize = names;
  config.do_not_specialize_count = 1;
  EXPECT_FALSE(specOf({"n"}, number(1), &config).isConstexpr);
  EXPECT_EQ(specOf({"n"}, number(16), &config).divisibility, 1);
  config = {};
  config.do_not_specialize_on_alignment = names;
  config.do_not_specialize_on_alignment_count = 1;
  EXPECT_TRUE(specOf({"n"}, number(1), &config).isConstexpr);
  EXPECT_EQ(specOf({"n"}, number(16), &config).divisibility, 1);
}

/// Keys are equal exactly if the specialisations are.
TEST(Signature, KeysTellVariantsApart) {
  Signature signature({"k", {{"a"}, {"B", true}}}, nullptr);
  std::vector<tritium_argument> values = {
      number(1), number(2), number(3),   number(16),  number(32),  number(-1),
      real(1),   real(2),   pointer(64), pointer(68), pointer(80), pointer(64, DTypeKind::Int32)};
  for (const tritium_argument &x : values)
    for (const tritium_argument &y : values) {
      Outcome first = classify(signature, {x, number(4)});
      Outcome second = classify(signature, {y, number(4)});
      const ArgumentSpec &a = first.specs[0], &b = second.specs[0];
      bool same = a.isConstexpr == b.isConstexpr && a.value == b.value && a.type == b.type &&
                  a.divisibility == b.divisibility;
      EXPECT_EQ(first.key == second.key, same);
    }
  EXPECT_NE(classify(signature, {number(2), number(4)}).key,
            classify(signature, {number(2), number(5)}).key);
  // A constexpr 1, 1.0 and True are three things.
  tritium_argument flag = number(1);
  flag.kind = TRITIUM_ARG_BOOL;
  EXPECT_NE(classify(signature, {number(2), number(1)}).key,
            classify(signature, {number(2), flag}).key);
}

TEST(Signature, DefaultsAndMissing) {
  KernelParameter size{"B", true, "tl.constexpr", integer(8)};
  Outcome outcome = classify(Signature({"k", {{"n"}, size}}, nullptr), {number(5)});
  ASSERT_EQ(outcome.specs.size(), 2u);
  EXPECT_EQ(outcome.specs[1].value, integer(8));
  outcome = classify(Signature({"k", {{"n"}, {"B", true}}}, nullptr), {number(5)});
  EXPECT_EQ(outcome.error.message, "kernel 'k': missing argument 'B' (a constexpr)");
  outcome = classify(Signature({"k", {{"n"}}}, nullptr), {number(5), number(6)});
  EXPECT_NE(outcome.error.message.find("takes 1 arguments, but got 2"), std::string::npos);
}

TEST(Signature, Slots) {
  EXPECT_EQ(argumentSlot(number(-1), {DTypeKind::Int32}), ~uint64_t(0));
  EXPECT_EQ(argumentSlot(real(1.5), {DTypeKind::Float32}), 0x3fc00000u);
  EXPECT_EQ(argumentSlot(number(2), {DTypeKind::Float32}), 0x40000000u);
  EXPECT_EQ(argumentSlot(real(1.5), {DTypeKind::Float64}), 0x3ff8000000000000u);
  EXPECT_EQ(argumentSlot(real(1.5), {DTypeKind::BFloat16}), 0x3fc00000u);
  EXPECT_EQ(argumentSlot(pointer(4096), {DTypeKind::Float32, 1}), 4096u);
}

TEST(Signature, Options) {
  Signature signature({"k", {{"x"}, {"BLOCK_SIZE", true}}}, nullptr);
  CompileOptions options;
  CompileError error;
  tritium_option option = {"num_warps", {}};
  option.value.kind = TRITIUM_INT;
  option.value.as.integer = {8, 0};
  EXPECT_TRUE(signature.applyOptions(&option, 1, options, error));
  EXPECT_EQ(options.extra["num_warps"], integer(8));
  option.value.as.integer = {6, 0};
  EXPECT_FALSE(signature.applyOptions(&option, 1, options, error));
  EXPECT_NE(error.message.find("power of two, but got 6"), std::string::npos);
  option = {"BLOCKSIZE", option.value};
  EXPECT_FALSE(signature.applyOptions(&option, 1, options, error));
  EXPECT_NE(error.message.find("did you mean 'BLOCK_SIZE'?"), std::string::npos);
  option = {"debug", {}};
  option.value.kind = TRITIUM_BOOL;
  option.value.as.boolean = 1;
  EXPECT_TRUE(signature.applyOptions(&option, 1, options, error));
  EXPECT_TRUE(options.debug);
}

} // namespace
