//===- CUDASplitKTest.cpp - memory that parts of programs share -----------===//

#include "CUDATest.h"

#include <cstring>
#include <set>
#include <utility>

using testing::HasSubstr;

namespace {

constexpr const char *kSplit = R"(
tt.func @total(%x: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c9 = arith.constant 9 : i32
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %i = %c0 to %c9 step %c1 iter_args(%s = %zero) -> (f32) : i32 {
    %p = tt.addptr %x, %i : !tt.ptr<f32>, i32
    %v = tt.load %p : !tt.ptr<f32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  tt.store %x, %sum : !tt.ptr<f32>
  tt.return
})";

class SplitK : public CUDA {
protected:
  void SetUp() override {
    CUDA::SetUp();
    compileParts({});
    state->run = [&](const fake::Launch &launch) {
      sums = *static_cast<char **>(launch.parameters[1]);
      arrivals = *static_cast<uint32_t **>(launch.parameters[2]);
      if (!sums)
        return;
      isZero = true;
      for (size_t program = 0; program < programs; ++program)
        isZero &= arrivals[program] == 0;
      // There is as much as is said.
      std::memset(sums, 1, programs * 3 * 128);
    };
  }

  void compileParts(std::vector<tritium_option> options) {
    tritium_option parts = {"split_k", {}};
    parts.value.kind = TRITIUM_INT;
    parts.value.as.integer.low = 3;
    options.push_back(parts);
    compile(kSplit, options);
  }

  std::string launchOn(uintptr_t stream, std::array<uint32_t, 3> grid) {
    programs = size_t(grid[0]) * grid[1] * grid[2];
    tritium_argument arguments[] = {array(data, 16, 0)};
    Failure failure;
    state->launches.clear();
    tritium_compiled_launch_on(compiled, arguments, 1, grid.data(),
                               reinterpret_cast<void *>(stream), &failure.error);
    return failure.message();
  }

  char *sums = nullptr;
  uint32_t *arrivals = nullptr;
  bool isZero = false;
  size_t programs = 0;
};

// A grid has the parts along its third dimension; launches on a stream share its memory, which
// grows, and those on others have their own.
TEST_F(SplitK, StreamsHaveMemory) {
  EXPECT_EQ(launchOn(0x100, {5, 6, 7}), "");
  ASSERT_EQ(state->launches.size(), 1u);
  EXPECT_THAT(state->launches[0].grid, testing::ElementsAre(5, 6, 21));
  EXPECT_TRUE(isZero);
  char *first = sums;
  EXPECT_EQ(state->allocated, 3u); // with the pool
  EXPECT_EQ(launchOn(0x100, {5, 1, 1}), "");
  EXPECT_EQ(sums, first);
  EXPECT_EQ(state->calls["cuMemAllocAsync"], 2);
  EXPECT_EQ(launchOn(0x200, {5, 6, 7}), "");
  EXPECT_NE(sums, first);
  EXPECT_TRUE(isZero);
  EXPECT_EQ(state->allocated, 5u);
  EXPECT_EQ(launchOn(0x100, {500, 6, 7}), "");
  EXPECT_TRUE(isZero);
  EXPECT_EQ(state->allocated, 5u);
  EXPECT_EQ(launchOn(0x100, {5, 6, 65535}),
            "kernel 'total': the grid (5, 6, 65535), with split_k=3 (5, 6, 196605), is over the "
            "limits of Fake H100, (2147483647, 65535, 65535); let each program do more");
}

// What is allocated in a graph belongs to it; its numbers are of a pool of zeros, unless there is
// none yet. Memory of a stream stays as it is.
TEST_F(SplitK, CapturedLaunchesHaveTheirOwn) {
  EXPECT_EQ(launchOn(0x300, {5, 6, 7}), "");
  char *ofStream = sums;
  size_t before = state->allocated;
  state->isCapturing = true;
  state->calls["cuMemsetD8Async"] = 0;
  std::set<uint32_t *> numbers;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(launchOn(0x300, {5, 6, 7}), "");
    EXPECT_NE(sums, ofStream);
    EXPECT_TRUE(isZero);
    numbers.insert(arrivals);
  }
  EXPECT_EQ(numbers.size(), 3u);
  EXPECT_EQ(state->calls["cuMemsetD8Async"], 0);
  // More than the pool has.
  EXPECT_EQ(launchOn(0x300, {5, 60000, 7}), "");
  EXPECT_TRUE(isZero);
  EXPECT_EQ(state->calls["cuMemsetD8Async"], 1);
  EXPECT_EQ(state->allocated, before);
  state->isCapturing = false;
  EXPECT_EQ(launchOn(0x300, {5, 6, 7}), "");
  EXPECT_EQ(sums, ofStream);
}

// One that may begin before the launch in front of it has ended: each has its own, which is freed
// behind it.
TEST_F(SplitK, LaunchesThatOverlapHaveTheirOwn) {
  tritium_compiled_release(std::exchange(compiled, nullptr));
  tritium_option dependent = {"launch_pdl", {}};
  dependent.value.kind = TRITIUM_BOOL;
  dependent.value.as.integer.low = 1;
  compileParts({dependent});
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(launchOn(0x500, {5, 6, 7}), "");
    EXPECT_TRUE(isZero);
    EXPECT_EQ(state->calls["cuMemAllocAsync"], i);
    EXPECT_EQ(state->calls["cuMemFreeAsync"], i);
    EXPECT_EQ(state->calls["cuMemsetD8Async"], i);
  }
  EXPECT_EQ(state->allocated, 0u);
}

TEST_F(SplitK, ManyStreams) {
  for (uintptr_t i = 1; i <= 300; ++i) {
    EXPECT_EQ(launchOn(0x1000 * i, {2, 1, 1}), "");
    EXPECT_TRUE(isZero);
  }
  EXPECT_LE(state->allocated, 1 + 2 * 256u);
}

TEST_F(SplitK, NoMemory) {
  state->failures["cuMemAllocAsync"] = 2;
  EXPECT_THAT(launchOn(0x400, {5, 6, 7}),
              HasSubstr("out of resource: memory for the sums of split_k=3 parts, required: "));
  EXPECT_TRUE(state->launches.empty());
  EXPECT_EQ(launchOn(0x400, {5, 6, 7}), "");
  EXPECT_TRUE(isZero);
  EXPECT_THAT(launchOn(0x400, {2147483647, 65535, 21845}),
              HasSubstr("out of resource: memory for the sums of"));
}

// Of a launch that starts all CTAs that run at once, the programs that are left over have parts,
// and memory is for these.
class StreamK : public SplitK {
protected:
  void SetUp() override {
    CUDA::SetUp();
    state->blocksAtOnce = 3;
    tritium_option share = {"stream_k", {}};
    share.value.kind = TRITIUM_BOOL;
    share.value.as.integer.low = 1;
    compile(kSplit, {share});
    state->run = [&](const fake::Launch &launch) {
      sums = *static_cast<char **>(launch.parameters[1]);
      arrivals = *static_cast<uint32_t **>(launch.parameters[2]);
      for (size_t axis = 0; axis < 3; ++axis)
        extents[axis] = *static_cast<uint32_t *>(launch.parameters[3 + axis]);
      isZero = true;
      for (size_t place = 0; place < places; ++place)
        isZero &= arrivals[place] == 0;
      if (sums)
        std::memset(sums, 1, places * 128);
    };
  }

  static constexpr size_t kCTAs = 3 * 100; ///< of the fake GPU
  size_t places = 0;
  std::array<uint32_t, 3> extents = {};
};

TEST_F(StreamK, WhatIsLeftOverHasParts) {
  places = 60 * 5;
  EXPECT_EQ(launchOn(0x100, {5, 6, 2}), "");
  ASSERT_EQ(state->launches.size(), 1u);
  EXPECT_THAT(state->launches[0].grid, testing::ElementsAre(kCTAs, 1, 1));
  EXPECT_THAT(extents, testing::ElementsAre(5, 6, 2));
  EXPECT_TRUE(sums && isZero);
  places = 7 * 8;
  EXPECT_EQ(launchOn(0x100, {907, 1, 1}), "");
  EXPECT_THAT(state->launches[0].grid, testing::ElementsAre(kCTAs, 1, 1));
  EXPECT_TRUE(sums && isZero);
  // Nothing is left over, or too much, and nobody looks at memory.
  places = 0;
  for (uint32_t programs : {900, 500}) {
    EXPECT_EQ(launchOn(0x200, {programs, 1, 1}), "");
    EXPECT_EQ(sums, nullptr);
  }
  EXPECT_THAT(launchOn(0x200, {65536, 65535, 1}), HasSubstr("pass stream_k=False"));
}

TEST_F(StreamK, NoMemory) {
  state->failures["cuMemAllocAsync"] = 2;
  EXPECT_THAT(launchOn(0x400, {5, 6, 2}),
              HasSubstr("memory for the sums of programs that are shared out (stream_k), required: "
                        "38400 bytes; use smaller tiles"));
}

} // namespace
