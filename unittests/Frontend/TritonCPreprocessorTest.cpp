//===- TritonCPreprocessorTest.cpp - tokens of Triton-C -------------------===//
//
// The numbers in names of tests are those of the language's conformance list.
//
//===----------------------------------------------------------------------===//

#include "TritonCTestUtil.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

using namespace tritium;
using namespace tritium::frontend::tritonc;

namespace {
TEST(TritonCPreprocessor, Conformance1NumbersEndBeforeRanges) {
  EXPECT_EQ(tokens("0...32"), "0 ... 32");
  EXPECT_EQ(tokens("0...TM", {{"TM", "64"}}), "0 ... 64");
  EXPECT_EQ(tokens("N...8 N ...M", {{"M", "4"}}), "N ... 8 N ... 4");
  EXPECT_EQ(tokens("1.5e+3 .5 0x1p-3f 1. 2...x1 1.5...2"),
            "1.5e+3 .5 0x1p-3f 1. 2 ... x1 1.5 ... 2");
  EXPECT_EQ(tokens("x1...3 \"0...1\" '0' /* 0...1 */ // 0...1\n"), "x1 ... 3 \"0...1\" '0'");
  EXPECT_EQ(tokens("#define R(n) 0...n\nR(8) R(T)", {{"T", "0...2"}}), "0 ... 8 0 ... 0 ... 2");
  EXPECT_EQ(tokens("p*TM+0...TM", {{"TM", "16"}}), "p * 16 + 0 ... 16");
}

TEST(TritonCPreprocessor, Conformance1Punctuators) {
  EXPECT_EQ(tokens("*?(m)p * ? (m) p a @b a@ ^b x[:, newaxis]"),
            "* ? ( m ) p * ? ( m ) p a @ b a @ ^ b x [ : , newaxis ]");
  EXPECT_EQ(tokens("x[:>y]"), "x [ : > y ]");
  EXPECT_EQ(tokens("a <<= b >>= c -= d ^= e"), "a <<= b >>= c -= d ^= e");
}
} // namespace
