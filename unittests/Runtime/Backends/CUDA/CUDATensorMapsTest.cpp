//===- CUDATensorMapsTest.cpp - tensor maps of launches ------------------------===//

#include "CUDATest.h"

using testing::HasSubstr;

namespace {

constexpr const char *kCopyBox = R"(
#bar = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#m = #ttg.shared<{vec = 4, perPhase = 1, maxPhase = 8, order = [1, 0]}>
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32} {
  tt.func @copy(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32 {tt.name = "n"}) {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %rows = arith.constant 8 : i64
    %n64 = arith.extsi %n : i32 to i64
    %bar = ttg.local_alloc {offset = 0 : i32} : !ttg.memdesc<1xi64, #bar, mutable>
    %mem = ttg.local_alloc {alignment = 1024 : i32, offset = 1024 : i32} : !ttg.memdesc<8x32xf32, #m, mutable>
    ttng.mbarrier_init %bar, 1 : !ttg.memdesc<1xi64, #bar, mutable>
    ttg.barrier
    ttng.mbarrier_expect %bar, 1024 : !ttg.memdesc<1xi64, #bar, mutable>
    ttng.tma_load %x[%c0, %c0] shape [%rows, %n64] strides [%n64, %one], %mem, %bar : !tt.ptr<f32>, !ttg.memdesc<8x32xf32, #m, mutable>, !ttg.memdesc<1xi64, #bar, mutable>
    ttng.mbarrier_wait %bar, %c0 : !ttg.memdesc<1xi64, #bar, mutable>
    ttng.tma_store %mem, %y[%c0, %c0] shape [%rows, %n64] strides [%n64, %one] : !ttg.memdesc<8x32xf32, #m, mutable>, !tt.ptr<f32>
    tt.return
  }
})";

/// Launches `copy` from `x` to `y`; the maps as the fake driver makes them, without the zeros
/// behind.
std::vector<std::vector<uint64_t>> mapsOfLaunch(fake::State *state, tritium_compiled *compiled,
                                                float *x, float *y, int n, std::string &error,
                                                int device = 0) {
  std::vector<std::vector<uint64_t>> maps;
  state->run = [&](const fake::Launch &launch) {
    for (int i : {3, 4}) {
      auto *words = static_cast<uint64_t *>(launch.parameters[i]);
      EXPECT_EQ(reinterpret_cast<uint64_t>(words) % 64, 0u);
      maps.emplace_back(words, words + 8);
    }
  };
  tritium_argument arguments[] = {array(x, 256, device), array(y, 256, device), number(n)};
  Failure failure;
  std::array<uint32_t, 3> grid = {1, 1, 1};
  tritium_compiled_launch_on(compiled, arguments, 3, grid.data(), nullptr, &failure.error);
  error = failure.message();
  state->run = nullptr;
  return maps;
}

// UINT32, 128-byte swizzle, address; extent and box of each dimension; stride.
TEST_F(CUDA, TensorMapsArePassed) {
  compile(kCopyBox);
  alignas(16) float x[260] = {}, y[256] = {};
  std::string error;
  auto expected = [](float *array, uint64_t n) {
    return std::vector<uint64_t>{2, 3, reinterpret_cast<uint64_t>(array), n, 32, 8, 8, n * 4};
  };
  EXPECT_THAT(mapsOfLaunch(state, compiled, x, y, 28, error),
              testing::ElementsAre(expected(x, 28), expected(y, 28)));
  EXPECT_EQ(error, "");
  EXPECT_EQ(state->calls["cuTensorMapEncodeTiled"], 2);
  // The same ones again, and others in turn, are kept.
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(mapsOfLaunch(state, compiled, x, y, 28, error),
                testing::ElementsAre(expected(x, 28), expected(y, 28)));
    EXPECT_THAT(mapsOfLaunch(state, compiled, x + 4, y, 32, error),
                testing::ElementsAre(expected(x + 4, 32), expected(y, 32)));
  }
  EXPECT_EQ(state->calls["cuTensorMapEncodeTiled"], 4);
  // More than are kept: each is right.
  for (int round = 0; round < 2; ++round)
    for (int n = 4; n <= 64; n += 4)
      EXPECT_THAT(mapsOfLaunch(state, compiled, x, y, n, error),
                  testing::ElementsAre(expected(x, uint64_t(n)), expected(y, uint64_t(n))));
}

TEST_F(CUDA, ManyTensorMaps) {
  constexpr int count = 6;
  std::string parameters, stores;
  for (int i = 0; i < count; ++i) {
    std::string name = "%p" + std::to_string(i);
    parameters += (i ? ", " : "") + name + ": !tt.ptr<f32>";
    stores += "ttng.tma_store %mem, " + name +
              "[%c0] shape [%n] strides [%one] : !ttg.memdesc<32xf32, #m, mutable>, !tt.ptr<f32>\n";
  }
  compile(R"(
#m = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32} {
  tt.func @fill()" +
          parameters + R"() {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %n = arith.constant 32 : i64
    %mem = ttg.local_alloc {alignment = 128 : i32, offset = 0 : i32} : !ttg.memdesc<32xf32, #m, mutable>
)" + stores +
          "tt.return\n}\n}");
  alignas(16) float data[count][32] = {};
  std::vector<tritium_argument> arguments;
  for (auto &row : data)
    arguments.push_back(array(row, 32, 0));
  std::vector<uint64_t> addresses, expected;
  state->run = [&](const fake::Launch &launch) {
    for (int i = 0; i < count; ++i) {
      auto *words = static_cast<uint64_t *>(launch.parameters[count + i]);
      EXPECT_EQ(reinterpret_cast<uint64_t>(words) % 64, 0u);
      addresses.push_back(words[2]);
      expected.push_back(reinterpret_cast<uint64_t>(data[i]));
    }
  };
  Failure failure;
  std::array<uint32_t, 3> grid = {1, 1, 1};
  tritium_compiled_launch_on(compiled, arguments.data(), count, grid.data(), nullptr,
                             &failure.error);
  EXPECT_EQ(failure.message(), "");
  EXPECT_EQ(addresses.size(), size_t(count));
  EXPECT_EQ(addresses, expected);
}

// A map that cannot be made is no launch.
TEST_F(CUDA, TensorsThatNoMapDescribes) {
  compile(kCopyBox);
  alignas(16) float x[260] = {}, y[256] = {};
  std::string error, start = "kernel 'copy': the kernel copies boxes of the tensor at 'arg0': its ";
  EXPECT_THAT(mapsOfLaunch(state, compiled, x + 1, y, 28, error), testing::IsEmpty());
  EXPECT_EQ(error, start + "address must be a multiple of 16, and is " +
                       std::to_string(reinterpret_cast<uint64_t>(x + 1)));
  EXPECT_THAT(mapsOfLaunch(state, compiled, x, y, 30, error), testing::IsEmpty());
  EXPECT_EQ(error, start + "strides must be multiples of 4 elements (16 bytes), positive and less "
                           "than 2^40 bytes, and one is 30");
  state->failures["cuTensorMapEncodeTiled"] = 1;
  EXPECT_THAT(mapsOfLaunch(state, compiled, x, y, 28, error), testing::IsEmpty());
  EXPECT_THAT(error, HasSubstr("kernel 'copy': the tensor at 'arg0' cannot be described to the GPU "
                               "(cuTensorMapEncodeTiled): it did not work"));
  EXPECT_EQ(state->launches.size(), 0u);
  EXPECT_EQ(mapsOfLaunch(state, compiled, x, y, 28, error).size(), 2u);
  EXPECT_EQ(error, "");
}

// The host's arrays are copied to the GPU: maps are of the copies.
TEST_F(CUDA, TensorMapsOfCopies) {
  compile(kCopyBox);
  alignas(16) float x[256] = {}, y[256] = {};
  std::string error;
  auto maps = mapsOfLaunch(state, compiled, x, y, 32, error, -1);
  EXPECT_EQ(error, "");
  ASSERT_EQ(maps.size(), 2u);
  EXPECT_NE(maps[0][2], reinterpret_cast<uint64_t>(x));
  EXPECT_NE(maps[1][2], maps[0][2]);
  EXPECT_EQ(state->calls["cuMemcpyDtoHAsync_v2"], 1); // what is written comes back
}

} // namespace
