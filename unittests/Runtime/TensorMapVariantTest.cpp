//===- TensorMapVariantTest.cpp - launches that have no tensor map --------===//
//
// A back end whose code copies a box, unless it must fit every launch.
//
//===----------------------------------------------------------------------===//

#include "NoMemory.h"

#include "Backend.h"
#include "Kernel.h"
#include "Signature.h"
#include "TargetCompiler.h"

#include "gmock/gmock.h"

using namespace tritium;
using namespace tritium::runtime;

namespace {

constexpr TargetKind kBoxes{"boxes", "boxes:NN", true, false, true};
constexpr uint8_t kBoxesMemory = 78;

class BoxCompiler final : public TargetCompiler {
public:
  BoxCompiler() : TargetCompiler(kBoxes) {}
  bool fromTileIR(Session &, mlir::ModuleOp, const CompileOptions &options, CompiledKernel &kernel,
                  CompileError &) const override {
    if (options.isUnconditional)
      return true;
    TensorMapParameter &map = kernel.metadata.tensorMaps.emplace_back();
    map.elementBytes = 4;
    map.box = {16};
    map.shape = {{{ScalarStep::Argument, 32, 1}}};
    return true;
  }
};

class BoxDevice final : public NoMemory {
public:
  BoxDevice() { machine = Target(kBoxes, 9); }
  std::string identity() const override { return "boxes"; }
  const char *errorKind() const override { return "BoxError"; }
};

/// Tensor maps of the code that ran last.
size_t mapsOfLast = 0;

class BoxExecutable final : public Executable {
public:
  explicit BoxExecutable(size_t maps) : maps(maps) {}
  bool launch(const Launch &, CompileError &) override {
    mapsOfLast = maps;
    return true;
  }

private:
  size_t maps;
};

class BoxBackend final : public Backend {
public:
  BoxBackend() : Backend(kBoxes) {}
  std::unique_ptr<Executable> load(const LoadRequest &request, CompileError &) const override {
    return std::make_unique<BoxExecutable>(request.compiled.metadata.tensorMaps.size());
  }
  llvm::ArrayRef<const char *> stages() const override { return {}; }
  uint8_t memory() const override { return kBoxesMemory; }
  DeviceMemory *device(int, const std::string &, CompileError &) const override {
    static BoxDevice only;
    return &only;
  }
};

} // namespace

TEST(TensorMapVariant, OtherCodeWithoutMaps) {
  static const BoxCompiler compiler;
  static const BoxBackend backend;
  addTargetCompiler(compiler);
  addBackend(backend);
  frontend::FunctionSource source;
  source.language = frontend::Language::TritonC;
  source.name = "k";
  source.file = "k.tc";
  source.text = "__global__ void k(float *x, int n) { *(x + 0 ... 16) = n; }";
  CompileError error;
  auto kernel = Kernel::create(std::move(source), nullptr, error);
  ASSERT_TRUE(kernel) << error.message;
  alignas(16) float data[20] = {};
  auto mapsOfLaunch = [&](float *begin, int n) {
    tritium_argument arguments[2] = {};
    arguments[0].kind = TRITIUM_ARG_POINTER;
    arguments[0].type = fromDType(*DType::parse("fp32"));
    arguments[0].memory = kBoxesMemory;
    arguments[0].bits = arguments[0].begin = reinterpret_cast<uint64_t>(begin);
    arguments[0].bytes = 64;
    arguments[1].kind = TRITIUM_ARG_INT;
    arguments[1].bits = static_cast<uint64_t>(n);
    const uint32_t grid[3] = {1, 1, 1};
    Variant *used = nullptr;
    mapsOfLast = 99;
    EXPECT_TRUE(kernel->launch({arguments, 2, nullptr, 0}, grid, used, error)) << error.message;
    return mapsOfLast;
  };
  EXPECT_EQ(mapsOfLaunch(data, 10), 1u);
  EXPECT_EQ(mapsOfLaunch(data + 1, 10), 0u); // 4 bytes beyond a multiple of 16
  EXPECT_EQ(mapsOfLaunch(data, -3), 0u);     // no extent
  EXPECT_EQ(mapsOfLaunch(data + 4, 11), 1u);
}
