//===- MutationTest.cpp - each barrier and each wait is needed ------------===//
//
// Kernels as ttg-place-barriers leaves them. They run as they are; without one of their barriers
// or waits the interpreter reports it, or a result changes.
//
//===----------------------------------------------------------------------===//

#include "Mutants.h"

#include "Machine.h"

#include <gtest/gtest.h>

#include <sstream>

using namespace tritium::testing;

tritium::testing::Outcome tritium::testing::runMutant(const std::string &text) {
  Outcome outcome{std::vector<float>(4096), std::vector<float>(4096), std::vector<int32_t>(4), ""};
  for (int i = 0; i < 4096; ++i)
    outcome.x[i] = float(i * 37 % 64) / 8;
  InterpreterOptions options;
  options.buffers = {range(outcome.x), range(outcome.y), range(outcome.counter)};
  std::string error;
  auto program = loadProgram(text, error);
  EXPECT_TRUE(program) << error;
  if (!program)
    return outcome;
  std::vector<uint64_t> args{pointer(outcome.x), pointer(outcome.y), pointer(outcome.counter)};
  args.resize(program->parameters.size());
  uint32_t grid[3] = {2, 1, 1};
  outcome.error = interpret(*program, args, grid, options);
  return outcome;
}

/// Lines that hold one of the operations.
static std::vector<size_t> findLines(const std::vector<std::string> &lines,
                                     const std::vector<std::string> &operations) {
  std::vector<size_t> found;
  for (size_t i = 0; i < lines.size(); ++i)
    for (const std::string &name : operations)
      if (lines[i].find(name) != std::string::npos)
        found.push_back(i);
  return found;
}

void tritium::testing::expectAllNeeded(const std::string &text,
                                       const std::vector<std::string> &operations, size_t count) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  Outcome expected = runMutant(text);
  ASSERT_EQ(expected.error, "");
  std::vector<size_t> found = findLines(lines, operations);
  EXPECT_EQ(found.size(), count);
  for (size_t without : found) {
    std::string mutant;
    for (size_t i = 0; i < lines.size(); ++i)
      mutant += i == without ? "\n" : lines[i] + "\n";
    EXPECT_FALSE(runMutant(mutant) == expected)
        << "nobody notices that line " << without << " is gone: " << lines[without];
  }
}

namespace {
const std::vector<std::string> kWaiting = {"ttg.barrier", "ttg.async_wait"};

const char *kHead = R"(
#row = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
#wide = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
#one = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#m = #ttg.shared<{vec = 4, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#plain = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#flat = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @k(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: !tt.ptr<i32>) {
)";
} // namespace

// In each round of a loop a tile is loaded by rows and stored by columns. The second barrier
// keeps the next round's rows off what others still read.
TEST(Mutants, Transposition) {
  expectAllNeeded(std::string(kHead) + R"(
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %w = arith.constant dense<64> : tensor<16x1xi32, #row>
  %step = arith.constant dense<1024> : tensor<16x64xi32, #row>
  %r = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #row}>>
  %re = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #row}>> -> tensor<16x1xi32, #row>
  %rw = arith.muli %re, %w : tensor<16x1xi32, #row>
  %rb = tt.broadcast %rw : tensor<16x1xi32, #row> -> tensor<16x64xi32, #row>
  %c = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #row}>>
  %ce = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #row}>> -> tensor<1x64xi32, #row>
  %cb = tt.broadcast %ce : tensor<1x64xi32, #row> -> tensor<16x64xi32, #row>
  %first = arith.addi %rb, %cb : tensor<16x64xi32, #row>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<16x64x!tt.ptr<f32>, #row>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<16x64x!tt.ptr<f32>, #column>
  %last = scf.for %i = %c0 to %c3 step %c1 iter_args(%o = %first) -> (tensor<16x64xi32, #row>) : i32 {
    %p = tt.addptr %xs, %o : tensor<16x64x!tt.ptr<f32>, #row>, tensor<16x64xi32, #row>
    %v = tt.load %p : tensor<16x64x!tt.ptr<f32>, #row>
    ttg.barrier
    %mem = ttg.local_alloc init(%v : tensor<16x64xf32, #row>) {offset = 0 : i32} : !ttg.memdesc<16x64xf32, #m>
    ttg.barrier
    %t = ttg.local_load %mem : !ttg.memdesc<16x64xf32, #m> -> tensor<16x64xf32, #column>
    %oc = ttg.convert_layout %o : tensor<16x64xi32, #row> -> tensor<16x64xi32, #column>
    %q = tt.addptr %ys, %oc : tensor<16x64x!tt.ptr<f32>, #column>, tensor<16x64xi32, #column>
    tt.store %q, %t : tensor<16x64x!tt.ptr<f32>, #column>
    %next = arith.addi %o, %step : tensor<16x64xi32, #row>
    scf.yield %next : tensor<16x64xi32, #row>
  }
  tt.return
}})",
                  kWaiting, 2);
}

// A softmax of a row of 512 over four warps: two reductions, each through memory that the other
// uses, too.
TEST(Mutants, Softmax) {
  auto reduction = [](const std::string &in, const std::string &out, const std::string &op,
                      const char *before) {
    return std::string(before) + "  %p" + out + R"( = "ttg.warp_reduce"(%)" + in +
           R"() <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = )" +
           op + R"( %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<1x512xf32, #wide>) -> tensor<1x4xf32, #wide>
  %m)" + out +
           " = ttg.local_alloc init(%p" + out +
           R"( : tensor<1x4xf32, #wide>) {offset = 0 : i32} : !ttg.memdesc<1x4xf32, #flat>
  ttg.barrier
  %q)" + out +
           " = ttg.local_load %m" + out +
           R"( : !ttg.memdesc<1x4xf32, #flat> -> tensor<1x4xf32, #wide>
  %r)" + out +
           R"( = "tt.reduce"(%q)" + out + R"() <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = )" +
           op + R"( %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<1x4xf32, #wide>) -> tensor<1xf32, #ttg.slice<{dim = 1, parent = #wide}>>
  %e)" + out +
           " = tt.expand_dims %r" + out +
           R"( {axis = 1 : i32} : tensor<1xf32, #ttg.slice<{dim = 1, parent = #wide}>> -> tensor<1x1xf32, #wide>
  %)" + out +
           " = tt.broadcast %e" + out + R"( : tensor<1x1xf32, #wide> -> tensor<1x512xf32, #wide>
)";
  };
  expectAllNeeded(std::string(kHead) + R"(
  %c = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #ttg.slice<{dim = 0, parent = #wide}>>
  %ce = tt.expand_dims %c {axis = 0 : i32} : tensor<512xi32, #ttg.slice<{dim = 0, parent = #wide}>> -> tensor<1x512xi32, #wide>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1x512x!tt.ptr<f32>, #wide>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1x512x!tt.ptr<f32>, #wide>
  %xp = tt.addptr %xs, %ce : tensor<1x512x!tt.ptr<f32>, #wide>, tensor<1x512xi32, #wide>
  %yp = tt.addptr %ys, %ce : tensor<1x512x!tt.ptr<f32>, #wide>, tensor<1x512xi32, #wide>
  %v = tt.load %xp : tensor<1x512x!tt.ptr<f32>, #wide>
)" + reduction("v", "max", "arith.maxnumf", "") +
                      R"(
  %d = arith.subf %v, %max : tensor<1x512xf32, #wide>
  %x2 = math.exp2 %d : tensor<1x512xf32, #wide>
)" + reduction("x2", "sum", "arith.addf", "  ttg.barrier\n") +
                      R"(
  %r = arith.divf %x2, %sum : tensor<1x512xf32, #wide>
  tt.store %yp, %r : tensor<1x512x!tt.ptr<f32>, #wide>
  tt.return
}})",
                  kWaiting, 3);
}

// Three buffers: copies run two rounds ahead. The barrier at the head of a round is there for both:
// what others have copied, and the buffer that the round's copy overwrites.
TEST(Mutants, PipelinedDot) {
  std::string copy = R"(tensor<16x16x!tt.ptr<f32>, #row> -> !ttg.memdesc<16x16xf32, #m, mutable>
    ttg.async_commit_group
)";
  expectAllNeeded(std::string(kHead) + R"(
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c6 = arith.constant 6 : i32
  %w = arith.constant dense<16> : tensor<16x1xi32, #row>
  %step = arith.constant dense<256> : tensor<16x16xi32, #row>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #column>
  %r = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #row}>>
  %re = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #row}>> -> tensor<16x1xi32, #row>
  %rw = arith.muli %re, %w : tensor<16x1xi32, #row>
  %rb = tt.broadcast %rw : tensor<16x1xi32, #row> -> tensor<16x16xi32, #row>
  %c = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #row}>>
  %ce = tt.expand_dims %c {axis = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #row}>> -> tensor<1x16xi32, #row>
  %cb = tt.broadcast %ce : tensor<1x16xi32, #row> -> tensor<16x16xi32, #row>
  %o = arith.addi %rb, %cb : tensor<16x16xi32, #row>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>, #row>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>, #column>
  %p0 = tt.addptr %xs, %o : tensor<16x16x!tt.ptr<f32>, #row>, tensor<16x16xi32, #row>
  %p1 = tt.addptr %p0, %step : tensor<16x16x!tt.ptr<f32>, #row>, tensor<16x16xi32, #row>
  %p2 = tt.addptr %p1, %step : tensor<16x16x!tt.ptr<f32>, #row>, tensor<16x16xi32, #row>
  %ring = ttg.local_alloc {offset = 0 : i32} : !ttg.memdesc<3x16x16xf32, #m, mutable>
  %b0 = ttg.memdesc_index %ring[%c0] : !ttg.memdesc<3x16x16xf32, #m, mutable> -> !ttg.memdesc<16x16xf32, #m, mutable>
  ttg.async_copy_global_to_local %p0, %b0 : )" +
                      copy + R"(
  %b1 = ttg.memdesc_index %ring[%c1] : !ttg.memdesc<3x16x16xf32, #m, mutable> -> !ttg.memdesc<16x16xf32, #m, mutable>
  ttg.async_copy_global_to_local %p1, %b1 : )" +
                      copy + R"(
  %acc, %pl = scf.for %i = %c0 to %c6 step %c1 iter_args(%sum = %zero, %p = %p2) -> (tensor<16x16xf32, #column>, tensor<16x16x!tt.ptr<f32>, #row>) : i32 {
    ttg.async_wait {num = 1 : i32}
    ttg.barrier
    %ahead = arith.addi %i, %c2 : i32
    %in = arith.remsi %ahead, %c3 : i32
    %isIn = arith.cmpi slt, %ahead, %c6 : i32
    %mask = tt.splat %isIn : i1 -> tensor<16x16xi1, #row>
    %bi = ttg.memdesc_index %ring[%in] : !ttg.memdesc<3x16x16xf32, #m, mutable> -> !ttg.memdesc<16x16xf32, #m, mutable>
    ttg.async_copy_global_to_local %p, %bi mask %mask : tensor<16x16xi1, #row> : )" +
                      copy + R"(
    %out = arith.remsi %i, %c3 : i32
    %bo = ttg.memdesc_index %ring[%out] : !ttg.memdesc<3x16x16xf32, #m, mutable> -> !ttg.memdesc<16x16xf32, #m, mutable>
    %l = ttg.local_load %bo : !ttg.memdesc<16x16xf32, #m, mutable> -> tensor<16x16xf32, #ttg.dot_op<{opIdx = 0, parent = #column, kWidth = 1}>>
    %rr = ttg.local_load %bo : !ttg.memdesc<16x16xf32, #m, mutable> -> tensor<16x16xf32, #ttg.dot_op<{opIdx = 1, parent = #column, kWidth = 1}>>
    %d = tt.dot %l, %rr, %sum : tensor<16x16xf32, #ttg.dot_op<{opIdx = 0, parent = #column, kWidth = 1}>> * tensor<16x16xf32, #ttg.dot_op<{opIdx = 1, parent = #column, kWidth = 1}>> -> tensor<16x16xf32, #column>
    %pn = tt.addptr %p, %step : tensor<16x16x!tt.ptr<f32>, #row>, tensor<16x16xi32, #row>
    scf.yield %d, %pn : tensor<16x16xf32, #column>, tensor<16x16x!tt.ptr<f32>, #row>
  }
  %oc = ttg.convert_layout %o : tensor<16x16xi32, #row> -> tensor<16x16xi32, #column>
  %yp = tt.addptr %ys, %oc : tensor<16x16x!tt.ptr<f32>, #column>, tensor<16x16xi32, #column>
  tt.store %yp, %acc : tensor<16x16x!tt.ptr<f32>, #column>
  tt.return
}})",
                  kWaiting, 2);
}

// A ticket for all threads, and values that go from thread to thread through global memory.
TEST(Mutants, AtomicsAndGlobalMemory) {
  expectAllNeeded(std::string(kHead) + R"(
  %c1 = arith.constant 1 : i32
  %o = tt.atomic_rmw add, relaxed, gpu, %n, %c1 {ttg.result_of_one} : (!tt.ptr<i32>, i32) -> i32
  %mem = ttg.local_alloc init(%o : i32) {offset = 0 : i32} : !ttg.memdesc<1xi32, #plain>
  ttg.barrier
  %ticket = ttg.local_load %mem : !ttg.memdesc<1xi32, #plain> -> i32
  %f = arith.sitofp %ticket : i32 to f32
  %v = tt.splat %f : f32 -> tensor<128xf32, #one>
  %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #one>
  %last = arith.constant dense<127> : tensor<128xi32, #one>
  %back = arith.subi %last, %i : tensor<128xi32, #one>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #one>
  %yp = tt.addptr %ys, %i : tensor<128x!tt.ptr<f32>, #one>, tensor<128xi32, #one>
  %yb = tt.addptr %ys, %back : tensor<128x!tt.ptr<f32>, #one>, tensor<128xi32, #one>
  tt.store %yp, %v : tensor<128x!tt.ptr<f32>, #one>
  ttg.barrier
  %u = tt.load %yb : tensor<128x!tt.ptr<f32>, #one>
  ttg.barrier
  %z = arith.addf %u, %v : tensor<128xf32, #one>
  tt.store %yp, %z : tensor<128x!tt.ptr<f32>, #one>
  tt.return
}})",
                  kWaiting, 3);
}
