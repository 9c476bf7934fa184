//===- CUDAProgramsTest.cpp - which CTAs a launch for a grid starts ------------===//

#include "CUDATest.h"

using testing::HasSubstr;

namespace {

constexpr const char *kLoopOverPrograms = R"(
module attributes {ttg.target = #ttg.target<compute = 80>, "ttg.num-warps" = 4 : i32} {
  tt.func @programs(%x: !tt.ptr<f32>) attributes {ttg.persistent} {
    %one = arith.constant 1.0 : f32
    %n = tt.get_num_programs 0 : i32
    %first = ttg.cta_id : i32
    %step = ttg.num_ctas : i32
    scf.for %p = %first to %n step %step : i32 {
      %q = tt.addptr %x, %p : !tt.ptr<f32>, i32
      tt.store %q, %one : !tt.ptr<f32>
    }
    tt.return
  }
})";

// As many CTAs as run at once, along x; the extents of the grid stand behind the arguments.
TEST_F(CUDA, LoopOverPrograms) {
  compile(kLoopOverPrograms);
  std::array<uint32_t, 3> seen = {};
  state->run = [&](const fake::Launch &launch) {
    for (size_t axis = 0; axis < 3; ++axis)
      seen[axis] = *static_cast<uint32_t *>(launch.parameters[1 + axis]);
  };
  state->blocksAtOnce = 3;
  auto launchOf = [&](std::array<uint32_t, 3> grid) {
    tritium_argument arguments[] = {array(data, 16, 0)};
    Failure failure;
    state->launches.clear();
    tritium_compiled_launch_on(compiled, arguments, 1, grid.data(), nullptr, &failure.error);
    return failure.message();
  };
  EXPECT_EQ(launchOf({500, 6, 7}), "");
  ASSERT_EQ(state->launches.size(), 1u);
  EXPECT_THAT(state->launches[0].grid, testing::ElementsAre(3 * 100, 1, 1)); // multiprocessors
  EXPECT_THAT(seen, testing::ElementsAre(500, 6, 7));
  EXPECT_EQ(launchOf({5, 2, 1}), "");
  EXPECT_THAT(state->launches[0].grid, testing::ElementsAre(10, 1, 1));
  EXPECT_THAT(seen, testing::ElementsAre(5, 2, 1));
  // Asked once.
  EXPECT_EQ(state->calls["cuOccupancyMaxActiveBlocksPerMultiprocessor"], 1);
  EXPECT_THAT(launchOf({65536, 32768, 1}),
              HasSubstr("the grid (65536, 32768, 1) has more programs than a kernel that loops "
                        "over them counts, 2147483647; pass persistent=False"));
}

constexpr const char *kProgramsByCounter = R"(
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 1 : i32} {
  tt.func @programs(%x: !tt.ptr<f32>) attributes {ttg.persistent, ttg.program_counter} {
    %one = arith.constant 1.0 : f32
    %n = tt.get_num_programs 0 : i32
    %first = ttg.cta_id : i32
    %last = scf.while (%p = %first) : (i32) -> (i32) {
      %more = arith.cmpi ult, %p, %n : i32
      scf.condition(%more) %p : i32
    } do {
    ^bb0(%p: i32):
      %q = tt.addptr %x, %p : !tt.ptr<f32>, i32
      tt.store %q, %one : !tt.ptr<f32>
      %next = ttg.next_program %p of %n : i32
      scf.yield %next : i32
    }
    tt.return
  }
})";

// Each stream has a counter of its own. A launch that has none starts a CTA for each program.
TEST_F(CUDA, ProgramsByCounter) {
  compile(kProgramsByCounter);
  state->blocksAtOnce = 3;
  uint32_t counter = 0;
  state->run = [&](const fake::Launch &launch) {
    counter = *static_cast<uint32_t *>(launch.parameters[4]);
  };
  auto launchOn = [&](uintptr_t stream) {
    tritium_argument arguments[] = {array(data, 16, 0)};
    std::array<uint32_t, 3> grid = {500, 6, 7};
    Failure failure;
    state->launches.clear();
    tritium_compiled_launch_on(compiled, arguments, 1, grid.data(),
                               reinterpret_cast<void *>(stream), &failure.error);
    EXPECT_EQ(failure.message(), "");
    EXPECT_EQ(state->launches.size(), 1u);
    return state->launches.empty() ? 0 : state->launches[0].grid[0];
  };
  constexpr uint32_t none = UINT32_MAX, few = 3 * 100, all = 500 * 6 * 7;
  EXPECT_EQ(launchOn(0), few);
  uint32_t first = counter;
  EXPECT_NE(first, none);
  EXPECT_EQ(launchOn(0x1000), few);
  EXPECT_NE(counter, none);
  EXPECT_NE(counter, first);
  EXPECT_EQ(launchOn(0), few);
  EXPECT_EQ(counter, first);
  // Of a graph several instances may run at once.
  state->isCapturing = true;
  EXPECT_EQ(launchOn(0), all);
  EXPECT_EQ(counter, none);
  state->isCapturing = false;
  for (const char *call : {"cuStreamIsCapturing", "cuStreamGetId"}) {
    state->failures[call] = 1;
    EXPECT_EQ(launchOn(0), all);
    EXPECT_EQ(counter, none);
  }
  // As many streams as there are counters.
  for (uintptr_t i = 2; i < 256; ++i) {
    EXPECT_EQ(launchOn(0x1000 * i), few);
    EXPECT_LT(counter, 256u);
  }
  EXPECT_EQ(launchOn(0x1000 * 256), all);
  EXPECT_EQ(counter, none);
  EXPECT_EQ(launchOn(0x1000), few);
}

// Such a launch may begin before the one in front of it has ended.
TEST_F(CUDA, DependentLaunchesHaveNoCounter) {
  tritium_option dependent = {"launch_pdl", {}};
  dependent.value.kind = TRITIUM_BOOL;
  dependent.value.as.boolean = 1;
  compile(kProgramsByCounter, {dependent});
  uint32_t counter = 0;
  state->run = [&](const fake::Launch &launch) {
    counter = *static_cast<uint32_t *>(launch.parameters[4]);
  };
  tritium_argument arguments[] = {array(data, 16, 0)};
  std::array<uint32_t, 3> grid = {700, 1, 1};
  Failure failure;
  tritium_compiled_launch_on(compiled, arguments, 1, grid.data(), nullptr, &failure.error);
  EXPECT_EQ(failure.message(), "");
  EXPECT_EQ(counter, UINT32_MAX);
  ASSERT_EQ(state->launches.size(), 1u);
  EXPECT_EQ(state->launches[0].grid[0], 700u);
}

constexpr const char *kProgramsPerCTA = R"(
#l = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#s = #ttg.shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {ttg.target = #ttg.target<compute = 80>, "ttg.num-warps" = 1 : i32} {
  tt.func @packed(%x: !tt.ptr<i32>) attributes {ttg.persistent, ttg.programs_per_cta = 8 : i32} {
    %n = tt.get_num_programs 0 : i32
    %first = ttg.cta_id : i32
    %step = ttg.num_ctas : i32
    scf.for %p = %first to %n step %step : i32 {
      %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #l>
      %m = ttg.local_alloc init(%r : tensor<64xi32, #l>) {offset = 0 : i32} : !ttg.memdesc<64xi32, #s>
      ttg.barrier
      tt.store %x, %p : !tt.ptr<i32>
    } {ttg.programs}
    tt.return
  }
})";

// Threads and shared memory of all programs of a CTA; as many CTAs as have them all, whatever runs
// at once, but where the loop has to count them.
TEST_F(CUDA, ProgramsPerCTA) {
  compile(kProgramsPerCTA);
  state->blocksAtOnce = 3;
  auto launchOf = [&](std::array<uint32_t, 3> grid) {
    tritium_argument arguments[] = {array(data, 16, 0)};
    Failure failure;
    state->launches.clear();
    tritium_compiled_launch_on(compiled, arguments, 1, grid.data(), nullptr, &failure.error);
    return failure.message();
  };
  for (auto [programs, ctas] :
       {std::pair(100000u, 12500u), {301u, 38u}, {7u, 1u}, {1u << 29, 3 * 100u}}) {
    EXPECT_EQ(launchOf({programs, 1, 1}), "");
    ASSERT_EQ(state->launches.size(), 1u);
    EXPECT_THAT(state->launches[0].grid, testing::ElementsAre(ctas, 1, 1));
    EXPECT_THAT(state->launches[0].block, testing::ElementsAre(8 * 32, 1, 1));
    EXPECT_EQ(state->launches[0].sharedBytes, 8 * 256u);
  }
}

} // namespace
