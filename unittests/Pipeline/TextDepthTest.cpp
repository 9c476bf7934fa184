//===- TextDepthTest.cpp - texts of modules that nest too deeply ----------===//

#include "TextDepth.h"

#include "tritium/Pipeline/Compiler.h"

#include <gtest/gtest.h>

using namespace tritium;

namespace {

std::string repeated(const std::string &piece, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text += piece;
  return text;
}

TEST(TextDepth, CountsWhatTheParserDescendsInto) {
  EXPECT_EQ(lineNestedTooDeeply(""), std::nullopt);
  for (const char *piece : {"(", "[", "{", "<", "- "}) {
    EXPECT_EQ(lineNestedTooDeeply("\n\n" + repeated(piece, kMaxTextDepth)), std::nullopt) << piece;
    EXPECT_EQ(lineNestedTooDeeply("\n\n" + repeated(piece, kMaxTextDepth + 1)), 3u) << piece;
  }
  EXPECT_EQ(lineNestedTooDeeply(repeated("({[<", kMaxTextDepth)), 1u);
}

TEST(TextDepth, LeavesOutWhatDoesNotNest) {
  for (const char *piece :
       {"()", "<{[]}>", "-> ", ">= ", "<= ", "\"((\\\"((\" ", "// ((( \" \n", "- 1 "})
    EXPECT_EQ(lineNestedTooDeeply(repeated(piece, 10 * kMaxTextDepth)), std::nullopt) << piece;
  EXPECT_EQ(lineNestedTooDeeply("\"" + repeated("(", 2 * kMaxTextDepth)), std::nullopt);
  EXPECT_EQ(lineNestedTooDeeply("//" + repeated("(", 2 * kMaxTextDepth)), std::nullopt);
}

class DeepText : public testing::TestWithParam<std::pair<const char *, const char *>> {};

/// An error at any depth: by the parser where it may be, by the limit where it may not.
TEST_P(DeepText, IsAnError) {
  auto [before, piece] = GetParam();
  for (size_t count : {size_t(kMaxTextDepth - 10), size_t(400'000)}) {
    CompileError error;
    EXPECT_EQ(compileTileIR(before + repeated(piece, count), "k.ttir", CompileOptions(), error),
              nullptr);
    EXPECT_EQ(error.kind, "CompilationError");
    if (count > kMaxTextDepth)
      EXPECT_NE(error.rendered.find("k.ttir:1: error: brackets are nested more than 1000 deep"),
                std::string::npos)
          << error.rendered;
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, DeepText,
                         testing::Values(std::pair("module attributes {a = ", "["),
                                         std::pair("tt.func @k(%a: ", "tuple<"),
                                         std::pair("tt.func @k(%a: ", "!tt.ptr<"),
                                         std::pair("", "module {"),
                                         std::pair("module { } loc(", "fused["),
                                         std::pair("module { } loc(", "callsite(\"a\" at "),
                                         std::pair("#m = affine_map<(d0) -> (", "("),
                                         std::pair("#m = affine_map<(d0) -> (", "-"),
                                         std::pair("func.func @k() -> ", "(")));

} // namespace
