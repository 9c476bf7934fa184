//===- MemoryTest.cpp - accesses, bounds, atomics -------------------------===//

#include "Run.h"

#include <gtest/gtest.h>

using namespace tritium::testing;

namespace {
const char *kPointers = R"(
  %i = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
)";
} // namespace

TEST(Memory, MaskAndOther) {
  std::vector<float> x{1, 2, 3}, y(4, -1);
  std::string error =
      run("%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32", std::string(kPointers) + R"(
  %ns = tt.splat %n : i32 -> tensor<4xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<4xi32>
  %o = arith.constant dense<7.0> : tensor<4xf32>
  %v = tt.load %xp, %m, %o : tensor<4x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %i : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
  tt.store %yp, %v : tensor<4x!tt.ptr<f32>>)",
          {pointer(x), pointer(y), 3}, {range(x), range(y)});
  EXPECT_EQ(error, "");
  EXPECT_EQ(y, (std::vector<float>{1, 2, 3, 7}));
}

// The message says which program, which lane, where, and what is near.
TEST(Memory, LoadOutOfBounds) {
  std::vector<float> x{1, 2, 3};
  std::string error =
      run("%x: !tt.ptr<f32> {tt.name = \"x_ptr\"}",
          std::string(kPointers) + "%v = tt.load %xp : tensor<4x!tt.ptr<f32>> loc(\"k.py\":12:7)",
          {pointer(x)}, {range(x)});
  EXPECT_NE(error.find("kernel 'k', program (0, 0, 0): load of 4 bytes at 0x"), std::string::npos)
      << error;
  EXPECT_NE(
      error.find("by lane [3] is outside every argument; nearest: argument 'x_ptr' (12 bytes"),
      std::string::npos)
      << error;
  EXPECT_NE(error.find("as element 3 of 3, at k.py:12:7"), std::string::npos) << error;
}

TEST(Memory, BeforeTheFirstElement) {
  std::vector<float> x{1, 2, 3};
  std::string error = run("%x: !tt.ptr<f32>", R"(
  %c = arith.constant -1 : i32
  %p = tt.addptr %x, %c : !tt.ptr<f32>, i32
  %v = tt.load %p : !tt.ptr<f32>)",
                          {pointer(x)}, {range(x)});
  EXPECT_NE(error.find("as element -1 of 3"), std::string::npos) << error;
}

// An access that is half inside is refused.
TEST(Memory, PartlyInside) {
  std::vector<char> bytes(6);
  std::string error = run("%x: !tt.ptr<f32>", R"(
  %c = arith.constant 1 : i32
  %p = tt.addptr %x, %c : !tt.ptr<f32>, i32
  %v = tt.load %p : !tt.ptr<f32>)",
                          {pointer(bytes)}, {range(bytes)});
  EXPECT_NE(error.find("outside every argument"), std::string::npos) << error;
}

TEST(Memory, ReadOnly) {
  std::vector<float> x{1, 2, 3};
  std::string error = run("%x: !tt.ptr<f32> {tt.name = \"x_ptr\"}", R"(
  %c = arith.constant 1.0 : f32
  tt.store %x, %c : !tt.ptr<f32>)",
                          {pointer(x)}, {range(x, false)});
  EXPECT_NE(error.find("store of 4 bytes"), std::string::npos) << error;
  EXPECT_NE(error.find("read-only memory: argument 'x_ptr'"), std::string::npos) << error;
  EXPECT_EQ(x[0], 1);
}

// Offsets are signed; the sum of a 64-bit address and a negative offset does not wrap.
TEST(Memory, NegativeOffsets) {
  std::vector<int16_t> x{10, 20, 30}, y(1);
  std::string error = run("%x: !tt.ptr<i16>, %y: !tt.ptr<i16>", R"(
  %c = arith.constant -2 : i8
  %p = tt.addptr %x, %c : !tt.ptr<i16>, i8
  %v = tt.load %p : !tt.ptr<i16>
  tt.store %y, %v : !tt.ptr<i16>)",
                          {pointer(x) + 4, pointer(y)}, {range(x), range(y)});
  EXPECT_EQ(error, "");
  EXPECT_EQ(y[0], 10);
}

TEST(Memory, ProgramsOfTheGrid) {
  std::vector<int32_t> x(6);
  std::string text = R"(tt.func @k(%x: !tt.ptr<i32>) {
  %a = tt.get_program_id 0 : i32
  %b = tt.get_program_id 1 : i32
  %n = tt.get_num_programs 0 : i32
  %r = arith.muli %b, %n : i32
  %o = arith.addi %r, %a : i32
  %p = tt.addptr %x, %o : !tt.ptr<i32>, i32
  tt.store %p, %o : !tt.ptr<i32>
  tt.return
})";
  tritium::InterpreterOptions options;
  options.buffers = {range(x)};
  uint32_t grid[3] = {3, 2, 1};
  EXPECT_EQ(tritium::interpret(text, {pointer(x)}, grid, options), "");
  EXPECT_EQ(x, (std::vector<int32_t>{0, 1, 2, 3, 4, 5}));
}

TEST(Memory, PointersInMemory) {
  std::vector<float> x{1, 2, 3}, y(1);
  std::vector<uint64_t> table{pointer(x) + 8};
  std::string error = run("%t: !tt.ptr<!tt.ptr<f32>>, %y: !tt.ptr<f32>", R"(
  %p = tt.load %t : !tt.ptr<!tt.ptr<f32>>
  %v = tt.load %p : !tt.ptr<f32>
  tt.store %y, %v : !tt.ptr<f32>)",
                          {pointer(table), pointer(y)}, {range(table), range(x), range(y)});
  EXPECT_EQ(error, "");
  EXPECT_EQ(y[0], 3);
}

// Two lanes with one address are both applied; the old value is returned.
TEST(Atomic, AddDuplicates) {
  std::vector<float> x{1}, old(2);
  std::string error = run("%x: !tt.ptr<f32>, %y: !tt.ptr<f32>", R"(
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<2x!tt.ptr<f32>>
  %v = arith.constant dense<[10.0, 100.0]> : tensor<2xf32>
  %o = tt.atomic_rmw fadd, acq_rel, gpu, %xs, %v : (tensor<2x!tt.ptr<f32>>, tensor<2xf32>) -> tensor<2xf32>
  %i = tt.make_range {start = 0 : i32, end = 2 : i32} : tensor<2xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<2x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %i : tensor<2x!tt.ptr<f32>>, tensor<2xi32>
  tt.store %yp, %o : tensor<2x!tt.ptr<f32>>)",
                          {pointer(x), pointer(old)}, {range(x), range(old)});
  EXPECT_EQ(error, "");
  EXPECT_EQ(x[0], 111);
  EXPECT_EQ(old, (std::vector<float>{1, 11}));
}

TEST(Atomic, IntegerOperations) {
  auto apply = [](const std::string &op, int32_t before, int32_t value) {
    std::vector<int32_t> x{before};
    std::string error =
        run("%x: !tt.ptr<i32>, %v: i32",
            "%o = tt.atomic_rmw " + op + ", relaxed, gpu, %x, %v : (!tt.ptr<i32>, i32) -> i32",
            {pointer(x), uint32_t(value)}, {range(x)});
    EXPECT_EQ(error, "");
    return x[0];
  };
  EXPECT_EQ(apply("add", INT32_MAX, 1), INT32_MIN);
  EXPECT_EQ(apply("and", 6, 3), 2);
  EXPECT_EQ(apply("or", 6, 3), 7);
  EXPECT_EQ(apply("xor", 6, 3), 5);
  EXPECT_EQ(apply("max", -1, 1), 1);
  EXPECT_EQ(apply("umax", -1, 1), -1);
  EXPECT_EQ(apply("min", -1, 1), -1);
  EXPECT_EQ(apply("umin", -1, 1), 1);
  EXPECT_EQ(apply("exch", 5, 9), 9);
}

TEST(Atomic, CompareAndSwap) {
  std::vector<int32_t> x{5, 0, 0};
  std::string error = run("%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %z: !tt.ptr<i32>", R"(
  %five = arith.constant 5 : i32
  %nine = arith.constant 9 : i32
  %a = tt.atomic_cas acq_rel, gpu, %x, %five, %nine : (!tt.ptr<i32>, i32, i32) -> i32
  %b = tt.atomic_cas acq_rel, gpu, %x, %five, %five : (!tt.ptr<i32>, i32, i32) -> i32
  tt.store %y, %a : !tt.ptr<i32>
  tt.store %z, %b : !tt.ptr<i32>)",
                          {pointer(x), pointer(x) + 4, pointer(x) + 8}, {range(x)});
  EXPECT_EQ(error, "");
  EXPECT_EQ(x, (std::vector<int32_t>{9, 5, 9}));
}

// 65536 * 65536 + 2 elements of one byte from an address so far below: the product does
// not wrap. As a value it does.
// The tile IR is taken as it is: tt-widen-offsets has made offsets wide before.
TEST(Memory, OffsetsWrapAtTheirWidth) {
  std::vector<int8_t> x{10, 20, 30}, y(1);
  std::vector<int32_t> z(1);
  std::string error =
      run("%x: !tt.ptr<i8>, %y: !tt.ptr<i8>, %z: !tt.ptr<i32>, %n: i32", R"(
  %two = arith.constant 2 : i32
  %m = arith.muli %n, %n : i32
  %o = arith.addi %m, %two : i32
  %p = tt.addptr %x, %o : !tt.ptr<i8>, i32
  %v = tt.load %p : !tt.ptr<i8>
  tt.store %y, %v : !tt.ptr<i8>
  tt.store %z, %o : !tt.ptr<i32>)",
          {pointer(x), pointer(y), pointer(z), 65536}, {range(x), range(y), range(z)});
  EXPECT_EQ(error, "");
  EXPECT_EQ(y[0], 30);
  EXPECT_EQ(z[0], 2);
}
