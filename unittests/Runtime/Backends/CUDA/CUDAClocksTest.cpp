//===- CUDAClocksTest.cpp - clocks of kernels with marks -------------------===//

#include "CUDATest.h"

using testing::HasSubstr;

namespace {

constexpr const char *kScoped = R"(
module attributes {tt.scopes = [{name = "out", file = "k.py", line = 3 : i32, column = 1 : i32,
                                 last = 4 : i32}]} {
  tt.func @scoped(%x: !tt.ptr<f32>, %f: f32) {
    tt.store %x, %f : !tt.ptr<f32> loc("k.py":4:1)
    tt.return
  }
})";

// What a launch adds to the table is answered once, with the parts' names.
TEST_F(CUDA, ClocksAreTakenOnce) {
  auto taken = [&] {
    Failure failure;
    const char *text = tritium_take_clocks(&failure.error);
    return text ? std::string(text) : failure.message();
  };
  setenv("TRITIUM_CLOCKS", "scopes", 1);
  compile(kScoped);
  unsetenv("TRITIUM_CLOCKS");
  state->run = [&](const fake::Launch &) {
    // Of 4 warps two parts, and the time, are pairs; copies of all that follow.
    auto *table = reinterpret_cast<uint64_t *>(state->recordAddress);
    for (size_t copy : {0, 31}) {
      uint64_t *warp = table + copy * 4 * 6 + 2 * 6; // the third one
      warp[0] += 5;
      warp[2] += 100;
      warp[3] += 1;
      warp[4] += 70;
      warp[5] += 1;
    }
  };
  EXPECT_EQ(taken(), "[]");
  tritium_argument arguments[] = {array(data, 16, 0), real(2.5)};
  std::array<uint32_t, 3> grid = {1, 1, 1};
  Failure failure;
  tritium_compiled_launch_on(compiled, arguments, 2, grid.data(), nullptr, &failure.error);
  EXPECT_EQ(failure.message(), "");
  state->failures["cuMemcpyDtoHAsync_v2"] = 719;
  EXPECT_THAT(taken(), HasSubstr("the clocks of kernel 'scoped' cannot be read"));
  std::string text = taken();
  EXPECT_THAT(text, HasSubstr(R"("kernel":"scoped","nanoseconds":140)"));
  EXPECT_THAT(text, HasSubstr(R"({"clocks":[0,0,200,0],"file":"k.py","last":4,"line":3,)"
                              R"("name":"out","times":[0,0,2,0]})"));
  EXPECT_THAT(text, HasSubstr(R"({"clocks":[0,0,10,0],"file":"","last":0,"line":0,"name":"")"));
  EXPECT_THAT(text, HasSubstr(R"("runs":2)"));
  EXPECT_EQ(taken(), "[]");
  // What nobody has taken outlives the code.
  tritium_compiled_launch_on(compiled, arguments, 2, grid.data(), nullptr, &failure.error);
  tritium_compiled_release(compiled);
  compiled = nullptr;
  EXPECT_THAT(taken(), HasSubstr(R"("runs":2)"));
  EXPECT_EQ(state->allocated, 0u);
  EXPECT_EQ(taken(), "[]");
}

} // namespace
