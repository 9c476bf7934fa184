//===- CUDATest.cpp - kernels on a fake GPU, through the C interface ------===//

#include "FakeDriver.h"

#include "tritium/tritium.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <memory>
#include <thread>

using testing::HasSubstr;

namespace {

constexpr const char *kScale = R"(
module attributes {"ttg.shared" = %SHARED% : i32, "ttg.num-warps" = %WARPS% : i32} {
  llvm.func @scale(%x: !llvm.ptr<1>, %n: i32, %f: f32) {
    llvm.return
  }
})";

std::string scaleModule(int shared = 0, int warps = 4) {
  std::string text = kScale;
  text.replace(text.find("%SHARED%"), 8, std::to_string(shared));
  text.replace(text.find("%WARPS%"), 7, std::to_string(warps));
  return text;
}

tritium_argument number(int64_t value) {
  tritium_argument argument = {};
  argument.kind = TRITIUM_ARG_INT;
  argument.bits = static_cast<uint64_t>(value);
  return argument;
}

tritium_argument array(float *data, size_t count, int device) {
  tritium_argument argument = {};
  argument.kind = TRITIUM_ARG_POINTER;
  tritium_dtype_parse("fp32", &argument.type);
  argument.memory = device < 0 ? TRITIUM_HOST_MEMORY : TRITIUM_CUDA_MEMORY;
  argument.device = static_cast<uint8_t>(device < 0 ? 0 : device);
  argument.bits = argument.begin = reinterpret_cast<uint64_t>(data);
  argument.bytes = count * sizeof(float);
  return argument;
}

tritium_argument real(double value) {
  tritium_argument argument = {};
  argument.kind = TRITIUM_ARG_FLOAT;
  argument.bits = std::bit_cast<uint64_t>(value);
  return argument;
}

struct Failure {
  tritium_error error = {};
  ~Failure() { tritium_error_clear(&error); }
  std::string message() const { return error.message ? error.message : ""; }
  std::string kind() const { return error.kind ? error.kind : ""; }
};

class CUDA : public testing::Test {
protected:
  static void SetUpTestSuite() {
    setenv("TRITON_LIBCUDA_PATH", TRITIUM_FAKE_DRIVER, 1);
    setenv("TRITON_CACHE_DIR", "", 1);
    setenv("TRITON_HOME", "/nonexistent", 1);
    void *library = dlopen(TRITIUM_FAKE_DRIVER, RTLD_NOW);
    auto find = reinterpret_cast<fake::State *(*)()>(dlsym(library, "fakeDriverState"));
    state = find();
  }

  void SetUp() override {
    int version = state->driverVersion;
    *state = fake::State();
    state->driverVersion = version;
  }
  void TearDown() override { tritium_compiled_release(compiled); }

  void compile(const std::string &text, std::vector<tritium_option> options = {},
               const char *target = "cuda:90") {
    Failure failure;
    tritium_compiled_release(compiled);
    compiled = tritium_compile_ttir(text.c_str(), nullptr, options.data(), options.size(), target,
                                    &failure.error);
    ASSERT_TRUE(compiled) << failure.message();
  }

  /// Launches `scale` on `data` of a device; the error's message.
  std::string launch(std::array<uint32_t, 3> grid = {4, 1, 1}, int device = 0,
                     void *stream = nullptr) {
    tritium_argument arguments[] = {array(data, 16, device), number(16), real(2.5)};
    Failure failure;
    tritium_compiled_launch_on(compiled, arguments, 3, grid.data(), stream, &failure.error);
    kind = failure.kind();
    return failure.message();
  }

  static fake::State *state;
  tritium_compiled *compiled = nullptr;
  float data[16] = {};
  std::string kind;
};

fake::State *CUDA::state = nullptr;

TEST_F(CUDA, LaunchReachesTheDriver) {
  compile(scaleModule(1000, 8));
  auto *stream = reinterpret_cast<void *>(0x77);
  struct Seen {
    uint64_t pointer;
    uint32_t n;
    float f;
  } seen = {};
  state->run = [&](const fake::Launch &launch) {
    seen = {*static_cast<uint64_t *>(launch.parameters[0]),
            *static_cast<uint32_t *>(launch.parameters[1]),
            *static_cast<float *>(launch.parameters[2])};
  };
  EXPECT_EQ(launch({5, 6, 7}, 0, stream), "");
  ASSERT_EQ(state->launches.size(), 1u);
  const fake::Launch &made = state->launches[0];
  EXPECT_EQ(made.grid[0], 5u);
  EXPECT_EQ(made.grid[1], 6u);
  EXPECT_EQ(made.grid[2], 7u);
  EXPECT_EQ(made.block[0], 256u);
  EXPECT_EQ(made.sharedBytes, 1000u);
  EXPECT_EQ(made.stream, stream);
  EXPECT_EQ(made.function, "scale");
  EXPECT_TRUE(made.attributes.empty());
  EXPECT_EQ(seen.pointer, reinterpret_cast<uint64_t>(data));
  EXPECT_EQ(seen.n, 16u);
  EXPECT_EQ(seen.f, 2.5f);
  // Loaded once, and nothing waits.
  EXPECT_EQ(launch(), "");
  EXPECT_EQ(state->calls["cuModuleLoadDataEx"], 1);
  EXPECT_EQ(state->calls["cuStreamSynchronize"], 0);
}

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

// Threads and shared memory of all programs of a CTA; as many CTAs as have them all, whatever runs at
// once, but where the loop has to count them.
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
  for (auto [programs, ctas] : {std::pair(100000u, 12500u), {301u, 38u}, {7u, 1u}, {1u << 29, 3 * 100u}}) {
    EXPECT_EQ(launchOf({programs, 1, 1}), "");
    ASSERT_EQ(state->launches.size(), 1u);
    EXPECT_THAT(state->launches[0].grid, testing::ElementsAre(ctas, 1, 1));
    EXPECT_THAT(state->launches[0].block, testing::ElementsAre(8 * 32, 1, 1));
    EXPECT_EQ(state->launches[0].sharedBytes, 8 * 256u);
  }
}

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

TEST_F(CUDA, EachDeviceHasItsModuleAndContext) {
  compile(scaleModule(), {}, "cuda:80");
  EXPECT_EQ(launch({1, 1, 1}, 0), "");
  EXPECT_EQ(launch({1, 1, 1}, 1), "");
  EXPECT_EQ(state->calls["cuModuleLoadDataEx"], 2);
  ASSERT_EQ(state->launches.size(), 2u);
  EXPECT_NE(state->launches[0].context, state->launches[1].context);
}

TEST_F(CUDA, MuchSharedMemoryIsOptedInto) {
  compile(scaleModule(100000));
  EXPECT_EQ(launch(), "");
  EXPECT_EQ(state->attributes[8], 100000);
}

TEST_F(CUDA, TooMuchSharedMemory) {
  compile(scaleModule(232449));
  EXPECT_THAT(launch(), HasSubstr("shared memory, required: 232449, limit: 232448"));
  EXPECT_EQ(kind, "OutOfResources");
  EXPECT_TRUE(state->launches.empty());
  EXPECT_EQ(state->calls["cuModuleLoadDataEx"], 0);
  // Static shared memory counts, too.
  compile(scaleModule(232000));
  state->staticShared = 1000;
  EXPECT_THAT(launch(), HasSubstr("required: 233000"));
}

TEST_F(CUDA, TooManyRegisters) {
  compile(scaleModule(0, 32));
  state->registers = 65;
  EXPECT_THAT(launch(), HasSubstr("registers, required: 66560, limit: 65536"));
  EXPECT_EQ(kind, "OutOfResources");
  state->registers = 64;
  EXPECT_EQ(launch(), "");
  state->failures["cuLaunchKernelEx"] = 701;
  EXPECT_THAT(launch(), HasSubstr("out of resource"));
}

TEST_F(CUDA, GridLimits) {
  compile(scaleModule());
  EXPECT_EQ(launch({2147483647, 65535, 1}), "");
  EXPECT_THAT(launch({1, 65536, 1}), HasSubstr("(2147483647, 65535, 65535)"));
  EXPECT_EQ(kind, "GridError");
  EXPECT_THAT(launch({2147483648u, 1, 1}),
              HasSubstr("(2147483648, 1, 1) has a dimension over 2147483647"));
  size_t launches = state->launches.size();
  EXPECT_EQ(launch({0, 1, 1}), "");
  EXPECT_EQ(state->launches.size(), launches);
}

TEST_F(CUDA, ClustersAndAttributes) {
  tritium_option ctas = {"num_ctas", {}}, cooperative = {"launch_cooperative_grid", {}};
  ctas.value.kind = TRITIUM_INT;
  ctas.value.as.integer.low = 2;
  cooperative.value.kind = TRITIUM_BOOL;
  cooperative.value.as.boolean = 1;
  compile(scaleModule(), {ctas, cooperative});
  EXPECT_EQ(launch({3, 1, 1}), "");
  ASSERT_EQ(state->launches.size(), 1u);
  EXPECT_EQ(state->launches[0].grid[0], 6u);
  EXPECT_EQ(state->launches[0].attributes, (std::map<int, uint32_t>{{2, 1}, {4, 2}}));
  EXPECT_THAT(launch({1073741824, 1, 1}), HasSubstr("over the limits"));
}

TEST_F(CUDA, AsynchronousErrorsNameTheKernels) {
  compile(scaleModule());
  EXPECT_EQ(launch(), "");
  state->failures["cuLaunchKernelEx"] = 700;
  std::string message = launch();
  EXPECT_THAT(message, HasSubstr("an illegal memory access"));
  EXPECT_THAT(message, HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
  EXPECT_THAT(message, HasSubstr("the latest kernels are 'scale'"));
  EXPECT_EQ(kind, "CUDAError");
}

TEST_F(CUDA, DebugWaitsAndNamesTheKernel) {
  tritium_option debug = {"debug", {}};
  debug.value.kind = TRITIUM_BOOL;
  debug.value.as.boolean = 1;
  compile(scaleModule(), {debug});
  EXPECT_EQ(launch(), "");
  EXPECT_EQ(state->calls["cuStreamSynchronize"], 1);
  state->failures["cuStreamSynchronize"] = 700;
  EXPECT_THAT(launch(), HasSubstr("kernel 'scale' failed: an illegal memory access"));
}

/// A wait that blocks until it is let go.
struct Block {
  std::atomic<bool> isWaiting{false}, isOver{false};
  void operator()() {
    isWaiting = true;
    while (!isOver)
      std::this_thread::yield();
  }
};

TEST_F(CUDA, AWaitIsEndedFromOutside) {
  tritium_option debug = {"debug", {}};
  debug.value.kind = TRITIUM_BOOL;
  debug.value.as.boolean = 1;
  compile(scaleModule(), {debug});
  for (bool isLaunch : {true, false}) {
    auto block = std::make_shared<Block>();
    state->wait = [block] { (*block)(); };
    std::thread other([block] {
      while (!block->isWaiting)
        std::this_thread::yield();
      tritium_cancel();
    });
    Failure failure;
    if (isLaunch) {
      EXPECT_THAT(launch(), HasSubstr("kernel 'scale' was interrupted"));
      EXPECT_EQ(kind, "Interrupted");
    } else {
      EXPECT_NE(tritium_cuda_synchronize(0, &failure.error), 0);
      EXPECT_EQ(failure.kind(), "Interrupted");
    }
    other.join();
    state->wait = nullptr;
    block->isOver = true;
  }
  EXPECT_EQ(launch(), "");
}

TEST_F(CUDA, LoadingFails) {
  compile(scaleModule());
  state->failures["cuModuleLoadDataEx"] = 222;
  EXPECT_THAT(launch(), HasSubstr("the driver (CUDA 13.0) is too old for this PTX"));
  state->failures["cuModuleLoadDataEx"] = 218;
  EXPECT_THAT(launch(), HasSubstr("the driver says: the log"));
  EXPECT_EQ(launch(), ""); // the next attempt is a fresh one
}

TEST_F(CUDA, HostArraysAreCopiedThereAndBack) {
  compile(scaleModule());
  std::fill(data, data + 16, 3.f);
  state->run = [&](const fake::Launch &launch) {
    auto *x = *static_cast<float **>(launch.parameters[0]);
    EXPECT_NE(x, data);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(x) % 64, reinterpret_cast<uintptr_t>(data) % 64);
    for (int i = 0; i < 16; ++i)
      x[i] *= *static_cast<float *>(launch.parameters[2]);
  };
  EXPECT_EQ(launch({1, 1, 1}, -1), "");
  for (float x : data)
    EXPECT_EQ(x, 7.5f);
  EXPECT_EQ(state->allocated, 0u);
  state->failures["cuMemAlloc_v2"] = 2;
  EXPECT_THAT(launch({1, 1, 1}, -1), HasSubstr("cannot be copied to the GPU"));
  EXPECT_EQ(kind, "OutOfMemory");
}

/// Addresses behind an array without elements are not its own.
TEST_F(CUDA, AnEmptyHostArrayInFrontOfAnother) {
  compile(R"(
module attributes {"ttg.shared" = 0 : i32, "ttg.num-warps" = 4 : i32} {
  llvm.func @two(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) {
    llvm.return
  }
})");
  std::fill(data, data + 16, 3.f);
  state->run = [&](const fake::Launch &launch) {
    auto *y = *static_cast<float **>(launch.parameters[1]);
    EXPECT_EQ(y[11], 3.f);
    y[11] = 5;
  };
  tritium_argument arguments[] = {array(data, 0, -1), array(data + 4, 12, -1)};
  Failure failure;
  std::array<uint32_t, 3> grid = {1, 1, 1};
  tritium_compiled_launch_on(compiled, arguments, 2, grid.data(), nullptr, &failure.error);
  EXPECT_EQ(failure.message(), "");
  EXPECT_EQ(data[15], 5);
}

TEST_F(CUDA, NoSuchDevice) {
  compile(scaleModule());
  EXPECT_THAT(launch({1, 1, 1}, 5), HasSubstr("there is no CUDA device 5; there are 2"));
}

TEST_F(CUDA, StagesAndMetadata) {
  compile(scaleModule(512));
  Failure failure;
  size_t size = 0;
  const char *ptx = tritium_compiled_stage(compiled, "ptx", &size, &failure.error);
  ASSERT_TRUE(ptx);
  EXPECT_THAT(ptx, HasSubstr(".entry scale("));
  EXPECT_FALSE(tritium_compiled_stage(compiled, "asm", &size, &failure.error));
  EXPECT_THAT(failure.message(), HasSubstr("ttir, ttgir, llir, ptx, cubin"));
  EXPECT_EQ(launch(), "");
  std::string metadata = tritium_compiled_metadata(compiled);
  EXPECT_THAT(metadata, HasSubstr("\"shared\":512"));
  EXPECT_THAT(metadata, HasSubstr("\"num_warps\":4"));
  EXPECT_THAT(metadata, HasSubstr("\"target\":\"cuda:90\""));
}

TEST_F(CUDA, Properties) {
  EXPECT_EQ(tritium_cuda_device_count(), 2);
  tritium_cuda_properties properties;
  Failure failure;
  ASSERT_EQ(tritium_cuda_device_properties(1, &properties, &failure.error), 0);
  EXPECT_STREQ(properties.name, "Fake A100");
  EXPECT_EQ(properties.capability, 80);
  EXPECT_EQ(properties.max_shared_bytes, 166912);
  EXPECT_NE(tritium_cuda_device_properties(9, &properties, &failure.error), 0);
}

} // namespace
