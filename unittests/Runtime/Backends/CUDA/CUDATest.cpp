//===- CUDATest.cpp - kernels on a fake GPU, through the C interface ------===//

#include "CUDATest.h"

#include <atomic>
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
