//===- DotTest.cpp - matrix products --------------------------------------===//

#include "Differential.h"

#include <gtest/gtest.h>

using namespace tritium;

namespace {

/// out = a [m,k] * b [k,n] + sum over three steps, operands loaded row-major or, if
/// `transposed`, b from memory as [n,k].
std::string dotKernel(int m, int n, int k, const std::string &element, const std::string &acc,
                      bool transposed) {
  auto s = [](int v) { return std::to_string(v); };
  auto range = [&](const std::string &name, int extent) {
    return "%" + name + " = tt.make_range {start = 0 : i32, end = " + s(extent) +
           " : i32} : tensor<" + s(extent) + "xi32>\n";
  };
  auto tilePtr = [&](const std::string &name, const std::string &base, int rows, int cols,
                     const std::string &r, const std::string &c, int rowStride, int colStride,
                     const std::string &e) {
    std::string shape = s(rows) + "x" + s(cols) + "x", p = "%" + name;
    return p + "r = tt.expand_dims %" + r + " {axis = 1 : i32} : tensor<" + s(rows) +
           "xi32> -> tensor<" + s(rows) + "x1xi32>\n" + p + "c = tt.expand_dims %" + c +
           " {axis = 0 : i32} : tensor<" + s(cols) + "xi32> -> tensor<1x" + s(cols) + "xi32>\n" +
           p + "rs = arith.constant dense<" + s(rowStride) + "> : tensor<" + s(rows) + "x1xi32>\n" +
           p + "cs = arith.constant dense<" + s(colStride) + "> : tensor<1x" + s(cols) + "xi32>\n" +
           p + "rm = arith.muli " + p + "r, " + p + "rs : tensor<" + s(rows) + "x1xi32>\n" + p +
           "cm = arith.muli " + p + "c, " + p + "cs : tensor<1x" + s(cols) + "xi32>\n" + p +
           "rb = tt.broadcast " + p + "rm : tensor<" + s(rows) + "x1xi32> -> tensor<" + shape +
           "i32>\n" + p + "cb = tt.broadcast " + p + "cm : tensor<1x" + s(cols) +
           "xi32> -> tensor<" + shape + "i32>\n" + p + "o = arith.addi " + p + "rb, " + p +
           "cb : tensor<" + shape + "i32>\n" + p + "s = tt.splat %" + base + " : !tt.ptr<" + e +
           "> -> tensor<" + shape + "!tt.ptr<" + e + ">>\n" + p + " = tt.addptr " + p + "s, " + p +
           "o : tensor<" + shape + "!tt.ptr<" + e + ">>, tensor<" + shape + "i32>\n";
  };
  std::string mk = s(m) + "x" + s(k) + "x", kn = s(k) + "x" + s(n) + "x",
              mn = s(m) + "x" + s(n) + "x";
  std::string zero = acc == "i32" ? "0" : "0.0";
  return "tt.func @dot(%a: !tt.ptr<" + element + ">, %b: !tt.ptr<" + element + ">, %o: !tt.ptr<" +
         acc + ">) {\n" + range("m", m) + range("n", n) + range("k", k) +
         tilePtr("ap", "a", m, k, "m", "k", k, 1, element) +
         tilePtr("bp", "b", k, n, "k", "n", transposed ? 1 : n, transposed ? k : 1, element) +
         tilePtr("op", "o", m, n, "m", "n", n, 1, acc) + "%z = arith.constant dense<" + zero +
         "> : tensor<" + mn + acc +
         ">\n"
         "%c0 = arith.constant 0 : i32\n%c1 = arith.constant 1 : i32\n%c3 = arith.constant 3 : "
         "i32\n"
         "%r = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %z) -> (tensor<" +
         mn + acc +
         ">) : i32 {\n"
         "%x = tt.load %ap : tensor<" +
         mk + "!tt.ptr<" + element +
         ">>\n"
         "%y = tt.load %bp : tensor<" +
         kn + "!tt.ptr<" + element +
         ">>\n"
         "%d = tt.dot %x, %y, %acc : tensor<" +
         mk + element + "> * tensor<" + kn + element + "> -> tensor<" + mn + acc +
         ">\n"
         "scf.yield %d : tensor<" +
         mn + acc +
         ">\n}\n"
         "tt.store %op, %r : tensor<" +
         mn + "!tt.ptr<" + acc + ">>\ntt.return }";
}

TEST(CPUDot, Float32OverShapes) {
  for (bool transposed : {false, true})
    for (auto [m, n, k] : {std::array{16, 16, 16},
                           {64, 64, 32},
                           {1, 1, 1},
                           {3, 5, 7},
                           {13, 33, 17},
                           {8, 100, 9},
                           {64, 16, 64}}) {
      SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k) +
                   (transposed ? " transposed" : ""));
      runBoth(dotKernel(m, n, k, "f32", "f32", transposed),
              {TestArgument::floats(m * k), TestArgument::floats(k * n, 0, 2),
               TestArgument::floats(m * n, 1e-5, 3)});
    }
}

TEST(CPUDot, Int8) {
  for (bool transposed : {false, true})
    for (auto [m, n, k] : {std::array{16, 16, 16}, {5, 9, 70}})
      runBoth(dotKernel(m, n, k, "i8", "i32", transposed),
              {TestArgument::ints(m * k, 1, -128, 128), TestArgument::ints(k * n, 1, -128, 128, 2),
               TestArgument::ints(m * n, 4, 0, 1)});
}

} // namespace
