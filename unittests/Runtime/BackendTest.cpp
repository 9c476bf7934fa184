//===- BackendTest.cpp - another vendor's GPU -----------------------------===//
//
// A back end that nothing in the tree names: what a new folder of runtime/backends adds, but for
// code. It takes part wherever machines are listed, and says clearly what it cannot do.
//
//===----------------------------------------------------------------------===//

#include "NoMemory.h"

#include "Backend.h"
#include "Kernel.h"
#include "Signature.h"
#include "TargetCompiler.h"

#include "gmock/gmock.h"

#include <cstdlib>

using namespace tritium;
using namespace tritium::runtime;
using testing::HasSubstr;

namespace {

constexpr TargetKind kStub{"stub", "stub:NN", true, false, true};
constexpr uint8_t kStubMemory = 77;

/// Half of the work: there is a target, and no code for it yet.
class StubCompiler final : public TargetCompiler {
public:
  StubCompiler() : TargetCompiler(kStub) {}
  bool fromTileIR(Session &, mlir::ModuleOp, const CompileOptions &options, CompiledKernel &kernel,
                  CompileError &error) const override {
    return refuse(error, "kernel '" + kernel.metadata.name + "': there is no code generator for " +
                             options.target.str() +
                             " yet; run it on the CPU (TRITIUM_BACKEND=cpu)");
  }
};

class StubDevice final : public NoMemory {
public:
  StubDevice() { machine = Target(kStub, 7); }
  std::string identity() const override { return "stub"; }
  const char *errorKind() const override { return "StubError"; }
};

class StubBackend final : public Backend {
public:
  StubBackend() : Backend(kStub) {}
  std::unique_ptr<Executable> load(const LoadRequest &, CompileError &error) const override {
    error = launchError("InternalError", "there is no code to load");
    return nullptr;
  }
  llvm::ArrayRef<const char *> stages() const override { return {}; }
  uint8_t memory() const override { return kStubMemory; }
  DeviceMemory *device(int ordinal, const std::string &, CompileError &error) const override {
    static StubDevice only;
    if (ordinal != 0)
      error = launchError("StubError", "there is no stub " + std::to_string(ordinal));
    return ordinal == 0 ? &only : nullptr;
  }
};

class OtherVendor : public testing::Test {
protected:
  static void SetUpTestSuite() {
    static const StubCompiler compiler;
    static const StubBackend backend;
    addTargetCompiler(compiler);
    addBackend(backend);
  }
  void SetUp() override { unsetenv("TRITIUM_BACKEND"); }
  void TearDown() override { unsetenv("TRITIUM_BACKEND"); }

  llvm::IntrusiveRefCntPtr<Kernel> make(CompileError &error) {
    frontend::FunctionSource source;
    source.language = frontend::Language::TritonC;
    source.name = "k";
    source.file = "k.tc";
    source.text = "__global__ void k(float *x) { *(x + 0 ... 16) = 1; }";
    return Kernel::create(std::move(source), nullptr, error);
  }

  /// A launch on an array of the memory, on its device of that number.
  CompileError launch(uint8_t memory, uint8_t device) {
    CompileError error;
    auto kernel = make(error);
    if (!kernel)
      return error;
    tritium_argument x = {};
    x.kind = TRITIUM_ARG_POINTER;
    x.type = fromDType(*DType::parse("fp32"));
    x.memory = memory;
    x.device = device;
    x.bits = x.begin = reinterpret_cast<uint64_t>(data);
    x.bytes = sizeof data;
    const uint32_t grid[3] = {1, 1, 1};
    Variant *used = nullptr;
    EXPECT_EQ(kernel->launch({&x, 1, nullptr, 0}, grid, used, error), error.message.empty());
    return error;
  }

  float data[16] = {};
};

} // namespace

TEST_F(OtherVendor, IsOfferedAsATarget) {
  std::string message;
  std::optional<Target> target = Target::parse("stub:7", message);
  ASSERT_TRUE(target) << message;
  EXPECT_TRUE(target->is(kStub) && target->isGPU());
  EXPECT_FALSE(Target::parse("none:7", message));
  EXPECT_THAT(message, HasSubstr("cuda:NN, sim:NN, stub:NN"));
  setenv("TRITIUM_BACKEND", "none", 1);
  CompileError error;
  EXPECT_FALSE(make(error));
  EXPECT_THAT(error.message, HasSubstr("sim:sm_90, stub"));
}

TEST_F(OtherVendor, RefusesToCompile) {
  const char *reason = "kernel 'k': there is no code generator for stub:7 yet; run it on the CPU";
  EXPECT_THAT(launch(kStubMemory, 0).message, HasSubstr(reason));
  CompileError error;
  auto kernel = make(error);
  ArgumentSpec x;
  x.type = *DType::parse("*fp32");
  EXPECT_FALSE(kernel->specialize({x}, nullptr, 0, Target(kStub, 7), error));
  EXPECT_THAT(error.message, HasSubstr(reason));
  // Host arrays go to its device, if the environment says so.
  setenv("TRITIUM_BACKEND", "stub", 1);
  EXPECT_THAT(launch(TRITIUM_HOST_MEMORY, 0).message, HasSubstr(reason));
}

TEST_F(OtherVendor, ItsDevicesAreFound) {
  EXPECT_EQ(launch(kStubMemory, 3).message, "there is no stub 3");
  EXPECT_THAT(launch(kStubMemory + 1, 0).message, HasSubstr("memory that no back end has"));
}

TEST_F(OtherVendor, TheOthersRunAsBefore) {
  EXPECT_EQ(launch(TRITIUM_HOST_MEMORY, 0).message, "");
  EXPECT_EQ(data[15], 1);
  setenv("TRITIUM_BACKEND", "sim:sm_80", 1);
  data[15] = 0;
  EXPECT_EQ(launch(TRITIUM_HOST_MEMORY, 0).message, "");
  EXPECT_EQ(data[15], 1);
}

// Details are read by the back end that is named; one that it does not know is no name.
TEST(Backends, Names) {
  Target target;
  CompileError error;
  for (const char *name : {"cpu", "interpret", "cuda", "sim", "sim:sm_90", "sim:75"})
    EXPECT_TRUE(backendNamed(name, target, error)) << name;
  EXPECT_EQ(target, Target(kSimulator, 75));
  for (const char *name : {"", "cpu:haswell", "interpret:1", "cuda:80", "sim:sm_60", "simulator"}) {
    EXPECT_FALSE(backendNamed(name, target, error)) << name;
    EXPECT_THAT(error.message, HasSubstr("there are: cpu, interpret, cuda, sim:sm_75, sim:sm_80, "
                                         "sim:sm_86, sim:sm_89, sim:sm_90"));
  }
}
