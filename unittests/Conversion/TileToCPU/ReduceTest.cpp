//===- ReduceTest.cpp - reductions on every axis --------------------------===//

#include "Differential.h"

#include <gtest/gtest.h>

using namespace tritium;

namespace {

/// Loads a 3-D tile [A, B, C], reduces it along AXIS, stores the result densely.
std::string reduce3D(std::array<int, 3> shape, int axis, const std::string &combiner) {
  auto s = [](int v) { return std::to_string(v); };
  std::string tile = s(shape[0]) + "x" + s(shape[1]) + "x" + s(shape[2]) + "x";
  int numel = shape[0] * shape[1] * shape[2];
  std::string flat = s(numel) + "x";
  std::string out;
  for (int d = 0; d < 3; ++d)
    if (d != axis)
      out += s(shape[d]) + "x";
  int outNumel = numel / shape[axis];
  std::string outFlat = s(outNumel) + "x";
  return "tt.func @r(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>) {\n"
         "%i = tt.make_range {start = 0 : i32, end = " +
         s(numel) + " : i32} : tensor<" + flat +
         "i32>\n"
         "%xs = tt.splat %x : !tt.ptr<f32> -> tensor<" +
         flat +
         "!tt.ptr<f32>>\n"
         "%xp = tt.addptr %xs, %i : tensor<" +
         flat + "!tt.ptr<f32>>, tensor<" + flat +
         "i32>\n"
         "%v = tt.load %xp : tensor<" +
         flat +
         "!tt.ptr<f32>>\n"
         "%t = tt.reshape %v : tensor<" +
         flat + "f32> -> tensor<" + tile +
         "f32>\n"
         "%q = arith.mulf %t, %t : tensor<" +
         tile +
         "f32>\n"
         "%r = \"tt.reduce\"(%q) <{axis = " +
         s(axis) +
         " : i32}> ({\n"
         "^bb0(%a: f32, %b: f32):\n" +
         combiner +
         "\n"
         "tt.reduce.return %c : f32 }) : (tensor<" +
         tile + "f32>) -> tensor<" + out +
         "f32>\n"
         "%f = tt.reshape %r : tensor<" +
         out + "f32> -> tensor<" + outFlat +
         "f32>\n"
         "%j = tt.make_range {start = 0 : i32, end = " +
         s(outNumel) + " : i32} : tensor<" + outFlat +
         "i32>\n"
         "%os = tt.splat %o : !tt.ptr<f32> -> tensor<" +
         outFlat +
         "!tt.ptr<f32>>\n"
         "%op = tt.addptr %os, %j : tensor<" +
         outFlat + "!tt.ptr<f32>>, tensor<" + outFlat +
         "i32>\n"
         "tt.store %op, %f : tensor<" +
         outFlat +
         "!tt.ptr<f32>>\n"
         "tt.return }";
}

TEST(CPUReduce, EveryAxisOf3DTiles) {
  for (std::array<int, 3> shape :
       {std::array<int, 3>{4, 8, 16}, {3, 5, 7}, {2, 1, 100}, {1, 33, 1}, {17, 2, 3}})
    for (int axis : {0, 1, 2})
      for (const char *combiner :
           {"%c = arith.addf %a, %b : f32", "%c = arith.maxnumf %a, %b : f32",
            // Not one of the known combiners: a + b in two steps.
            "%n = arith.negf %b : f32\n%c = arith.subf %a, %n : f32"}) {
        SCOPED_TRACE(std::to_string(shape[0]) + "x" + std::to_string(shape[1]) + "x" +
                     std::to_string(shape[2]) + " axis " + std::to_string(axis) + " " + combiner);
        int numel = shape[0] * shape[1] * shape[2];
        runBoth(reduce3D(shape, axis, combiner),
                {TestArgument::floats(numel), TestArgument::floats(numel / shape[axis], 1e-5, 2)});
      }
}

// Row maximum with its index, ties to the left.
const char *kArgMax = R"(
tt.func @argmax(%x: !tt.ptr<i32>, %v: !tt.ptr<i32>, %i: !tt.ptr<i32>) {
  %r = tt.make_range {start = 0 : i32, end = N : i32} : tensor<Nxi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<Nx!tt.ptr<i32>>
  %xp = tt.addptr %xs, %r : tensor<Nx!tt.ptr<i32>>, tensor<Nxi32>
  %a = tt.load %xp : tensor<Nx!tt.ptr<i32>>
  %m:2 = "tt.reduce"(%a, %r) <{axis = 0 : i32}> ({
  ^bb0(%v0: i32, %i0: i32, %v1: i32, %i1: i32):
    %gt = arith.cmpi sgt, %v0, %v1 : i32
    %eq = arith.cmpi eq, %v0, %v1 : i32
    %lt = arith.cmpi slt, %i0, %i1 : i32
    %tie = arith.andi %eq, %lt : i1
    %first = arith.ori %gt, %tie : i1
    %vv = arith.select %first, %v0, %v1 : i32
    %ii = arith.select %first, %i0, %i1 : i32
    tt.reduce.return %vv, %ii : i32, i32
  }) : (tensor<Nxi32>, tensor<Nxi32>) -> (i32, i32)
  tt.store %v, %m#0 : !tt.ptr<i32>
  tt.store %i, %m#1 : !tt.ptr<i32>
  tt.return
})";

TEST(CPUReduce, ArgMax) {
  for (const char *n : {"1", "2", "5", "64", "100", "1000"}) {
    SCOPED_TRACE(n);
    std::string text = kArgMax;
    for (size_t at = 0; (at = text.find("<Nx", at)) != std::string::npos;)
      text.replace(at + 1, 1, n);
    text.replace(text.find("end = N"), 7, std::string("end = ") + n);
    runBoth(text, {TestArgument::ints(std::stoi(n), 4, 0, 7), TestArgument::ints(1, 4, 0, 1),
                   TestArgument::ints(1, 4, 0, 1)});
  }
}

} // namespace
