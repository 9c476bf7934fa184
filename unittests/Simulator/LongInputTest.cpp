//===- LongInputTest.cpp - PTX of absurd length or depth ------------------===//
//
// Each file repeats one piece so often that a recursion over it would overflow the stack.
//
//===----------------------------------------------------------------------===//

#include "SimTest.h"

using namespace tritium::sim;
using namespace tritium::sim::test;

namespace {

constexpr size_t often = 400'000;

std::string repeated(const std::string &piece, size_t count = often) {
  std::string text;
  text.reserve(piece.size() * count);
  for (size_t i = 0; i < count; ++i)
    text += piece;
  return text;
}

/// What is wrong with the module, or "".
std::string errorOf(const std::string &text) {
  std::vector<ptx::Error> errors;
  auto program = Program::load(text, errors);
  EXPECT_EQ(program == nullptr, !errors.empty());
  return errors.empty() ? "" : errors[0].message;
}

std::string module(const std::string &directives) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n" + directives;
}

TEST(LongInput, InitialValues) {
  std::string deep = ".global .b32 x[4] = " + repeated("{");
  EXPECT_EQ(errorOf(module(deep + ";")), "initial values are nested more than 32 deep");
  auto nested = [&](size_t braces) {
    return module(".global .b32 x[4] = " + repeated("{", braces) + "1" + repeated("}", braces) +
                  ";\n");
  };
  EXPECT_EQ(errorOf(nested(32)), "");
  EXPECT_EQ(errorOf(nested(33)), "initial values are nested more than 32 deep");
  // Long, but not deep.
  EXPECT_EQ(errorOf(module(".global .b32 x[] = {" + repeated("{1},") + "1};")), "");
  EXPECT_NE(errorOf(module(".global .b32 x" + repeated("[2]") + ";")), "");
}

class Repeated : public testing::TestWithParam<const char *> {};

TEST_P(Repeated, InABodyIsAnError) {
  std::string piece = GetParam();
  EXPECT_NE(errorOf(kernel(repeated(piece))), "");
  EXPECT_NE(errorOf(kernel("mov.b32 %r1, " + repeated(piece) + ";")), "");
  EXPECT_NE(errorOf(kernel("ld.global.b32 %r1, [%d0" + repeated(piece) + "];")), "");
  EXPECT_NE(errorOf(kernel("call " + repeated(piece) + ";")), "");
}

INSTANTIATE_TEST_SUITE_P(LongInput, Repeated,
                         testing::Values("{", "(", "[", "-", "!", "@", "@!", "%r1|", "+1", "<",
                                         "a:a", "{}}", "{.reg .b32 %x;"));

TEST(LongInput, LongButPlain) {
  EXPECT_EQ(errorOf(kernel(repeated(";"))), "");
  EXPECT_EQ(errorOf(kernel(repeated("{}"))), "");
  EXPECT_EQ(errorOf(kernel(repeated("/* */"))), "");
  EXPECT_EQ(errorOf(kernel(".reg .b32 " + repeated("x") + ";")), "");
  EXPECT_EQ(errorOf(kernel("call" + repeated(".uni") + ";")), "");
}

/// A chain of functions, each of which calls the next.
TEST(LongInput, ManyFunctions) {
  constexpr int count = 20'000;
  std::string text = ".func f" + std::to_string(count) + "() { ret; }\n";
  for (int i = count - 1; i >= 0; --i)
    text +=
        ".func f" + std::to_string(i) + "() { call f" + std::to_string(i + 1) + ", (); ret; }\n";
  SimRun run(kernel("call f0, ();", text));
  std::vector<uint32_t> data(4);
  Result result = run.buffer(data).run();
  ASSERT_EQ(result.faults.size(), 1u);
  EXPECT_EQ(result.faults[0].message, "calls are nested too deeply: a thread's stack overflows");
}

/// Frames of calls count as memory of the launch.
TEST(LongInput, RecursionWithManyRegisters) {
  SimRun run(kernel(
      "call f, ();", ".func f() {\n.reg .b32 %r<100001>;\n" + [] {
        std::string text;
        for (int i = 1; i <= 100'000; ++i)
          text += "mov.b32 %r" + std::to_string(i) + ", 1;\n";
        return text;
      }() + "call f, ();\nret;\n}\n"));
  run.launch.memoryLimit = 100 << 20;
  std::vector<uint32_t> data(4);
  Result result = run.buffer(data).run();
  ASSERT_EQ(result.faults.size(), 1u);
  EXPECT_EQ(result.faults[0].message, "calls are nested too deeply: a thread's stack overflows");
  EXPECT_LT(result.counters.total.warpInstructions, 2'000'000u);
}

} // namespace
