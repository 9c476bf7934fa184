//===- PassValidationTest.cpp - passes keep what kernels compute ----------===//
//
// Every kernel is run by the interpreter as the front end built it, and again after
// each pass of the pipelines for tiles and for GPUs. tt-combine, ttg-spread-programs and
// ttg-plan-exchanges may change the order of a sum; all other passes must keep every bit. Of the
// last IR each barrier and each wait is needed.
//
//===----------------------------------------------------------------------===//

#include "RandomKernel.h"
#include "StoreValues.h"

#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"
#include "tritium/Frontend/Python/IRGen.h"
#include "tritium/Frontend/Python/ModuleScope.h"
#include "tritium/Interpreter/Interpreter.h"
#include "tritium/Pipeline/Passes.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <random>

using namespace mlir;
using namespace tritium;

namespace {
using Floats = std::vector<float>;

/// A kernel with everything that it needs to run.
struct Case {
  std::string file, kernel;
  std::vector<Floats> buffers;                            ///< pointer parameters, in order
  std::vector<std::pair<const char *, uint64_t>> scalars; ///< type, slot; after the pointers
  std::vector<Constant> constants;                        ///< constexprs, after the scalars
  uint32_t grid[3];
  /// Barriers and waits that it has and does not need: those between accesses of which the compiler
  /// cannot know that they never meet, and for copies that nobody reads.
  size_t spare = 0;
  std::vector<const char *> pointers = {}; ///< their types, if not all are *fp32
  int capability = 80;                     ///< with 90 there are warp groups
  bool isPersistent = false;               ///< CTAs loop over programs
  bool isPacked = false;                   ///< short programs share a CTA
  int ctas = 0;                            ///< of a program; 0: the compiler chooses
};

std::string print(Operation *op) {
  std::string text;
  llvm::raw_string_ostream out(text);
  op->print(out, OpPrintingFlags().enableDebugInfo());
  return text;
}

/// Runs `ttir` on `buffers`. Barriers are needed once they are placed.
std::string runOn(std::vector<Floats> &buffers, const Case &test, const std::string &ttir,
                  bool hasBarriers) {
  InterpreterOptions options;
  options.checkRaces = hasBarriers;
  std::vector<uint64_t> args;
  for (Floats &buffer : buffers) {
    args.push_back(reinterpret_cast<uint64_t>(buffer.data()));
    options.buffers.push_back({args.back(), buffer.size() * 4, true});
  }
  for (auto [type, slot] : test.scalars)
    args.push_back(slot);
  return interpret(ttir, args, test.grid, options);
}

/// The buffers after a run of `ttir` on a copy of them.
std::vector<Floats> runCase(const Case &test, const std::string &ttir, bool hasBarriers = false) {
  std::vector<Floats> buffers = test.buffers;
  EXPECT_EQ(runOn(buffers, test, ttir, hasBarriers), "") << ttir;
  return buffers;
}

/// Without one of its barriers and waits the kernel is refused, or it computes something else.
void checkBarriers(const Case &test, ModuleOp module, const std::vector<Floats> &expected) {
  std::vector<std::string> unnoticed;
  for (size_t without = 0;; ++without) {
    OwningOpRef<ModuleOp> mutant(module.clone());
    SmallVector<Operation *> waiting;
    mutant->walk([&](Operation *op) {
      if (isa<ttg::BarrierOp, ttg::AsyncWaitOp, ttg::AsyncReadWait, ttng::ClusterWaitOp>(op))
        waiting.push_back(op);
    });
    if (without == waiting.size())
      break;
    std::string gone = print(waiting[without]);
    waiting[without]->replaceAllUsesWith(waiting[without]->getOperands());
    waiting[without]->erase();
    std::vector<Floats> buffers = test.buffers;
    std::string error = runOn(buffers, test, print(*mutant), /*hasBarriers=*/true);
    if (error.empty() && buffers == expected)
      unnoticed.push_back(gone);
  }
  EXPECT_EQ(unnoticed.size(), test.spare)
      << test.kernel
      << ": nobody notices that they are gone: " << ::testing::PrintToString(unnoticed);
}

/// Calls `check` with the module after every pass.
struct AfterEachPass : PassInstrumentation {
  std::function<void(StringRef, const std::string &)> check;
  explicit AfterEachPass(std::function<void(StringRef, const std::string &)> check)
      : check(std::move(check)) {}
  void runAfterPass(Pass *pass, Operation *op) override { check(pass->getArgument(), print(op)); }
};

void checkPasses(ModuleOp module, int capability,
                 std::function<void(StringRef, const std::string &)> check,
                 bool isPersistent = false, bool isPacked = false, int ctas = 0) {
  PassManager pm(module.getContext());
  buildTileIRPipeline(pm);
  GPUPipelineOptions gpu;
  gpu.isSpecific = capability == 90;
  gpu.numWarps = gpu.isSpecific ? 4 : 2;
  gpu.capability = capability;
  gpu.numStages = 3;
  gpu.alwaysPersistent = isPersistent;
  gpu.packPrograms = isPacked;
  gpu.numCTAs = ctas;
  buildTileGPUPipeline(pm, gpu);
  pm.addInstrumentation(std::make_unique<AfterEachPass>(std::move(check)));
  ASSERT_TRUE(succeeded(pm.run(module)));
}

void expectClose(const Floats &found, const Floats &expected, float tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    if (std::bit_cast<uint32_t>(found[i]) != std::bit_cast<uint32_t>(expected[i]))
      ASSERT_LE(std::fabs(found[i] - expected[i]), tolerance * (1 + std::fabs(expected[i])))
          << "element " << i;
}

/// Threads or warps each sum what they have before they exchange it, or products that are summed
/// are not rounded.
bool changesSums(StringRef pass) {
  return pass == "tt-fuse-multiply-adds" || pass == "tt-combine" || pass == "ttg-spread-programs" ||
         pass == "ttg-plan-exchanges" || pass == "ttg-optimize-thread-locality";
}

/// Of the last IR an operation is expected.
void checkCase(const Case &test, StringRef operation = "") {
  std::string message;
  auto scope = frontend::ModuleScope::load(TRITIUM_SOURCE_DIR "/examples/" + test.file, message);
  ASSERT_TRUE(scope) << message;
  auto source = scope->function(test.kernel);
  ASSERT_TRUE(source);
  std::vector<ArgumentSpec> arguments;
  auto runtime = [&](const char *type, int64_t divisibility) {
    arguments.push_back({false, {}, *DType::parse(type), divisibility});
  };
  for (size_t i = 0; i < test.buffers.size(); ++i)
    runtime(test.pointers.empty() ? "*fp32" : test.pointers[i], 16);
  for (auto [type, slot] : test.scalars)
    runtime(type, 1);
  for (const Constant &constant : test.constants)
    arguments.push_back({true, constant, {}, 1});

  MLIRContext context(MLIRContext::Threading::DISABLED);
  SourceManager sources;
  tritium::DiagnosticEngine diagnostics(sources);
  std::string printed;
  // For the interpreter all precisions are one; passes for GPUs have more to do in this one.
  frontend::python::GenerateOptions generate;
  generate.defaultInputPrecision = "tf32";
  auto module = frontend::python::generate(context, *source, arguments, sources, diagnostics,
                                           generate, printed);
  ASSERT_TRUE(module) << diagnostics.render();
  std::vector<Floats> expected = runCase(test, print(*module));
  bool computes = false;
  for (size_t i = 0; i < expected.size(); ++i)
    computes |= expected[i] != test.buffers[i];
  EXPECT_TRUE(computes) << "the kernel writes nothing";
  bool hasBarriers = false;
  auto check = [&](StringRef pass, const std::string &ttir) {
    SCOPED_TRACE(test.kernel + " after " + pass.str());
    hasBarriers |= pass == "ttg-place-barriers";
    std::vector<Floats> found = runCase(test, ttir, hasBarriers);
    for (size_t i = 0; i < found.size(); ++i)
      expectClose(found[i], expected[i], changesSums(pass) ? 1e-5f : 0);
    expected = std::move(found);
  };
  checkPasses(*module, test.capability, check, test.isPersistent, test.isPacked, test.ctas);
  EXPECT_TRUE(StringRef(print(*module)).contains(operation));
  checkBarriers(test, *module, expected);
}

Floats randomFloats(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  Floats values(count);
  for (float &value : values)
    value = normal(random);
  return values;
}

/// Pairs of halves, from -1 to 1.
Floats randomHalves(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  Floats pairs(count / 2);
  auto half = [&] { return 0x3000 | (random() & 0x8bff); };
  for (float &pair : pairs)
    pair = std::bit_cast<float>(uint32_t(half() | half() << 16));
  return pairs;
}

Constant number(int64_t value) { return Constant{Constant::Int(value)}; }
Constant boolean(bool value) { return Constant{value}; }
uint64_t bits(float value) { return std::bit_cast<uint32_t>(value); }
} // namespace

TEST(PassValidation, VectorAdd) {
  checkCase({"vector_add.py",
             "add_kernel",
             {randomFloats(1000, 1), randomFloats(1000, 2), Floats(1000)},
             {{"i32", 1000}},
             {number(192)},
             {6, 1, 1}});
}

TEST(PassValidation, Softmax) {
  checkCase({"softmax.py",
             "softmax_kernel",
             {Floats(3 * 37), randomFloats(3 * 37, 1)},
             {{"i32", 37}, {"i32", 37}, {"i32", 37}},
             {number(48)},
             {3, 1, 1}});
  checkCase({"softmax.py",
             "softmax_grid_stride_kernel",
             {Floats(5 * 37), randomFloats(5 * 37, 1)},
             {{"i32", 37}, {"i32", 37}, {"i32", 5}, {"i32", 37}},
             {number(48), number(2)},
             {2, 1, 1},
             /*spare=*/1});
}

// A warp loops over programs. The barrier of each of three versions keeps what one program reads
// apart from what the next one writes, as the compiler sees it.
TEST(PassValidation, PackedPrograms) {
  checkCase({"softmax.py",
             "softmax_kernel",
             {Floats(7 * 37), randomFloats(7 * 37, 1)},
             {{"i32", 37}, {"i32", 37}, {"i32", 37}},
             {number(48)},
             {7, 1, 1},
             /*spare=*/3,
             {},
             /*capability=*/90,
             /*isPersistent=*/false,
             /*isPacked=*/true},
            "ttg.programs_per_cta = 8");
}

// Four CTAs have a quarter of each row. Ten waits are those of two versions for other pitches.
TEST(PassValidation, SpreadPrograms) {
  checkCase({"softmax.py",
             "softmax_kernel",
             {Floats(2 * 1000), randomFloats(2 * 1000, 1)},
             {{"i32", 1000}, {"i32", 1000}, {"i32", 1000}},
             {number(1024)},
             {2, 1, 1},
             /*spare=*/10,
             {},
             /*capability=*/90,
             /*isPersistent=*/false,
             /*isPacked=*/false,
             /*ctas=*/4},
            "ttng.cluster_store");
}

// A row of 600 in a tile of 1024: most of the upper half is skipped. Four barriers are those of the
// version for other pitches.
TEST(PassValidation, MaskedRegisters) {
  checkCase({"softmax.py",
             "softmax_kernel",
             {Floats(2 * 600), randomFloats(2 * 600, 1)},
             {{"i32", 600}, {"i32", 600}, {"i32", 600}},
             {number(1024)},
             {2, 1, 1},
             /*spare=*/4},
            "ttg.skip_masked");
}

// Five and six programs on two CTAs. Of dropout a barrier is not needed that keeps what one program
// reads apart from what the next one writes, as the compiler sees it.
TEST(PassValidation, LoopOverPrograms) {
  checkCase({"dropout.py",
             "dropout_kernel",
             {randomFloats(600, 1), Floats(600)},
             {{"i32", 600}, {"fp32", bits(0.5f)}, {"i32", 123}},
             {number(128)},
             {5, 1, 1},
             /*spare=*/1,
             {},
             /*capability=*/80,
             /*isPersistent=*/true},
            "ttg.programs");
  checkCase({"../unittests/Pipeline/tiles.py",
             "tiles",
             {randomHalves(192 * 256, 1), randomHalves(256 * 128, 2), Floats(192 * 128)},
             {},
             {number(128), number(256)},
             {2, 3, 1},
             /*spare=*/0,
             {"*fp16", "*fp16", "*fp32"},
             /*capability=*/90,
             /*isPersistent=*/true},
            "ttng.tma_load");
}

TEST(PassValidation, LayerNorm) {
  checkCase({"layer_norm.py",
             "layer_norm_kernel",
             {randomFloats(4 * 61, 1), Floats(4 * 61), randomFloats(61, 2), randomFloats(61, 3),
              Floats(4), Floats(4)},
             {{"i32", 61}, {"i32", 61}, {"fp32", bits(1e-5f)}},
             {number(64)},
             {4, 1, 1}});
}

TEST(PassValidation, Matmul) {
  for (const char *activation : {"", "leaky_relu"})
    checkCase({"matmul.py",
               "matmul",
               {randomFloats(33 * 45, 1), randomFloats(45 * 21, 2), Floats(33 * 21)},
               {{"i32", 33}, {"i32", 21}, {"i32", 45}},
               {number(16), number(16), number(16), number(2), Constant{std::string(activation)}},
               {6, 1, 1},
               /*spare=*/1});
}

TEST(PassValidation, Dropout) {
  checkCase({"dropout.py",
             "dropout_kernel",
             {randomFloats(500, 1), Floats(500)},
             {{"i32", 500}, {"fp32", bits(0.5f)}, {"i32", 123}},
             {number(128)},
             {4, 1, 1}});
}

TEST(PassValidation, Attention) {
  for (bool causal : {false, true})
    checkCase({"attention.py",
               "attention_kernel",
               {randomFloats(2 * 37 * 16, 1), randomFloats(2 * 37 * 16, 2),
                randomFloats(2 * 37 * 16, 3), Floats(2 * 37 * 16)},
               {{"fp32", bits(0.25f)}, {"i32", 37}},
               {number(16), number(16), number(16), boolean(causal)},
               {3, 2, 1},
               /*spare=*/1});
}

// Dots of warp groups, one of which goes on into the next iteration. Where there are iterations
// enough for all that is in the kernel, two barriers are not needed: that before the copy of the
// first iteration, which goes to a buffer that nobody has read, and the one in front of the loop,
// which is there for launches whose first iteration does not exist, as the analysis sees it.
TEST(PassValidation, TwoDots) {
  struct {
    uint64_t columns;
    int64_t extent; ///< along k of both dots
    size_t spare;
  } sizes[] = {{0, 16, 9}, {16, 16, 5}, {64, 16, 2}, {192, 48, 2}};
  for (auto [columns, extent, spare] : sizes)
    checkCase(
        {"../unittests/Pipeline/two_dots.py",
         "two_dots",
         {randomHalves(64 * extent, 1), randomHalves(std::max<int64_t>(64, columns) * extent, 2),
          randomHalves(std::max<int64_t>(64, columns) * extent, 3), Floats(64 * extent)},
         {{"i32", columns}},
         {number(extent), number(extent)},
         {1, 1, 1},
         spare,
         {"*fp16", "*fp16", "*fp16", "*fp32"},
         /*capability=*/90},
        "pendings = 1");
}

// Random integer kernels that store all that they compute.
TEST(PassValidation, RandomKernels) {
  for (uint32_t seed = 1000; seed < 1060 && !HasFatalFailure(); ++seed) {
    DialectRegistry registry;
    registerTileDialects(registry);
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    auto module = parseSourceString<ModuleOp>(tritium::testing::RandomKernel(seed).text(),
                                              ParserConfig(&context));
    ASSERT_TRUE(module);
    int64_t total;
    tritium::testing::storeAll(*module->getOps<tt::FuncOp>().begin(), total);
    std::vector<int64_t> stored(total);
    bool hasBarriers = false;
    auto run = [&](const std::string &ttir) {
      InterpreterOptions options;
      options.checkRaces = hasBarriers;
      options.buffers = {{reinterpret_cast<uint64_t>(stored.data()), stored.size() * 8, true}};
      uint32_t grid[3] = {3, 1, 1};
      std::fill(stored.begin(), stored.end(), 0);
      EXPECT_EQ(interpret(ttir,
                          {reinterpret_cast<uint64_t>(stored.data()), 4096, 48, uint32_t(-5), 12},
                          grid, options),
                "")
          << ttir;
      return stored;
    };
    std::vector<int64_t> expected = run(print(*module));
    checkPasses(*module, /*capability=*/80, [&](StringRef pass, const std::string &ttir) {
      hasBarriers |= pass == "ttg-place-barriers";
      EXPECT_EQ(run(ttir), expected) << "seed " << seed << " after " << pass.str();
    });
  }
}
