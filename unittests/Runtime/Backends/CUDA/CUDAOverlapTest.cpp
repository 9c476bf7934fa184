//===- CUDAOverlapTest.cpp - launches that start while others end ---------===//

#include "CUDATest.h"

namespace {

std::string kernelThat(const std::string &begins) {
  return R"(
module attributes {ttg.target = #ttg.target<compute = 90>, "ttg.num-warps" = 4 : i32} {
  tt.func @store(%x: !tt.ptr<f32>) {
    %one = arith.constant 1.0 : f32
    )" + begins +
         R"(
    tt.store %x, %one : !tt.ptr<f32>
    tt.return
  }
})";
}

constexpr const char *kWait = "tt.grid_dependency wait";

tritium_option flag(const char *name, bool value) {
  tritium_option option = {name, {}};
  option.value.kind = TRITIUM_BOOL;
  option.value.as.boolean = value;
  return option;
}

using Attributes = std::map<int, uint32_t>;
constexpr int kCooperative = 2, kSerialization = 6;

class CUDAOverlap : public CUDA {
protected:
  /// Those of a launch.
  Attributes attributesOf(const std::string &text, std::vector<tritium_option> options = {}) {
    compile(text, std::move(options));
    tritium_argument arguments[] = {array(data, 16, 0)};
    std::array<uint32_t, 3> grid = {4, 1, 1};
    Failure failure;
    state->launches.clear();
    tritium_compiled_launch_on(compiled, arguments, 1, grid.data(), nullptr, &failure.error);
    EXPECT_EQ(failure.message(), "");
    return state->launches.size() == 1 ? state->launches[0].attributes : Attributes{{-1, 0}};
  }
};

TEST_F(CUDAOverlap, OfKernelsThatWait) {
  Attributes none, overlaps = {{kSerialization, 1}};
  EXPECT_EQ(attributesOf(kernelThat(kWait)), overlaps);
  EXPECT_EQ(attributesOf(kernelThat("")), none);
  EXPECT_EQ(attributesOf(kernelThat("tt.grid_dependency launch_dependents")), none);
  std::string late = "tt.store %x, %one : !tt.ptr<f32>\n    ";
  EXPECT_EQ(attributesOf(kernelThat(late + kWait)), none);
}

TEST_F(CUDAOverlap, AsTheLaunchSays) {
  EXPECT_EQ(attributesOf(kernelThat(kWait), {flag("launch_pdl", false)}), Attributes());
  EXPECT_EQ(attributesOf(kernelThat(""), {flag("launch_pdl", true)}),
            (Attributes{{kSerialization, 1}}));
  EXPECT_EQ(attributesOf(kernelThat(kWait), {flag("launch_cooperative_grid", true)}),
            (Attributes{{kCooperative, 1}}));
}

TEST_F(CUDAOverlap, IsInTheMetadata) {
  for (const char *begins : {kWait, ""}) {
    compile(kernelThat(begins));
    bool waits =
        std::string(tritium_compiled_metadata(compiled)).find("\"waits_for_launches\":true") !=
        std::string::npos;
    EXPECT_EQ(waits, *begins != 0);
  }
}

} // namespace
