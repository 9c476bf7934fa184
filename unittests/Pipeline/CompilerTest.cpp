//===- CompilerTest.cpp - from a kernel's text to ttir and code -----------===//

#include "tritium/Pipeline/Compiler.h"
#include "tritium/Interpreter/Interpreter.h"

#include <gtest/gtest.h>

#include <thread>

using namespace tritium;
using frontend::External;

namespace {
/// `tl`, `triton`, and nothing else.
struct LanguageScope : frontend::Scope {
  std::optional<External> lookup(std::string_view name) override {
    if (name == "tl")
      return External{External::Module{"triton.language", nullptr}};
    if (name == "triton")
      return External{External::Module{"triton", nullptr}};
    return std::nullopt;
  }
};

const char *kAdd = R"(@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.load(y_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, x + y, mask=mask)
)";

frontend::FunctionSource source(const char *name, std::string text) {
  return {.name = name,
          .file = "add.py",
          .firstLine = 10,
          .text = std::move(text),
          .scope = std::make_shared<LanguageScope>()};
}

ArgumentSpec runtime(const char *type, int64_t divisibility = 1) {
  ArgumentSpec spec;
  spec.type = *DType::parse(type);
  spec.divisibility = divisibility;
  return spec;
}

ArgumentSpec constexprInt(int64_t value) {
  ArgumentSpec spec;
  spec.isConstexpr = true;
  spec.value = Constant{Constant::Int(value)};
  return spec;
}

std::vector<ArgumentSpec> addArguments() {
  return {runtime("*fp32", 16), runtime("*fp32", 16), runtime("*fp32", 16), runtime("u32"),
          constexprInt(64)};
}

CompileOptions interpreted() {
  CompileOptions options;
  options.target = Target(kInterpreter);
  return options;
}

uint64_t address(std::vector<float> &data) { return reinterpret_cast<uint64_t>(data.data()); }
} // namespace

// What a kernel does through descriptors counts as what it does through their bases, also where a
// loop carries them.
TEST(Compiler, PointersOfDescriptors) {
  const char *text = R"(@triton.jit
def k(x_ptr, y_ptr, z_ptr, rows_ptr, n, B: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [n], [1], [B])
    y = tl.make_tensor_descriptor(y_ptr, [n], [1], [B])
    z = tl.make_tensor_descriptor(z_ptr, [n], [1], [B])
    rows = tl.make_tensor_descriptor(rows_ptr, [n, B], [B, 1], [1, B])
    for i in range(n):
        y.store([i], x.load([i]))
        x, y = y, x
    z.atomic_add([0], x.load([0]))
    rows.scatter(tl.zeros([B, B], tl.float32), tl.arange(0, B), 0)
)";
  CompileError error;
  std::vector<ArgumentSpec> arguments(4, runtime("*fp32", 16));
  arguments.push_back(runtime("i32"));
  arguments.push_back(constexprInt(16));
  auto kernel = compileKernel(source("k", text), arguments, interpreted(), error);
  ASSERT_TRUE(kernel) << error.rendered;
  EXPECT_NE(kernel->stages["ttir"].find("tt.descriptor_reduce fadd"), std::string::npos);
  auto use = [&](size_t i) {
    const ParameterInfo &parameter = kernel->metadata.parameters[i];
    return std::pair(parameter.isRead, parameter.isWritten);
  };
  for (size_t i = 0; i < 3; ++i)
    EXPECT_EQ(use(i), std::pair(true, true)) << i;
  EXPECT_EQ(use(3), std::pair(false, true));
  EXPECT_FALSE(kernel->metadata.hasIndirectPointers);
}

TEST(Compiler, AddRunsInTheInterpreter) {
  CompileError error;
  auto kernel = compileKernel(source("add", kAdd), addArguments(), interpreted(), error);
  ASSERT_TRUE(kernel) << error.rendered;
  EXPECT_EQ(kernel->metadata.name, "add");
  ASSERT_EQ(kernel->metadata.parameters.size(), 4u);
  EXPECT_EQ(kernel->metadata.parameters[0].name, "x_ptr");
  EXPECT_TRUE(kernel->metadata.parameters[0].isRead);
  EXPECT_FALSE(kernel->metadata.parameters[0].isWritten);
  EXPECT_TRUE(kernel->metadata.parameters[2].isWritten);
  EXPECT_EQ(kernel->metadata.parameters[3].type.signature(), "u32");
  EXPECT_FALSE(kernel->metadata.hasIndirectPointers);

  std::vector<float> x(100, 1), y(100, 2), out(100);
  InterpreterOptions options;
  for (auto *data : {&x, &y, &out})
    options.buffers.push_back({address(*data), data->size() * 4, data == &out});
  uint32_t grid[3] = {2, 1, 1};
  std::vector<uint64_t> args{address(x), address(y), address(out), 100};
  EXPECT_EQ(interpret(kernel->stages["ttir"], args, grid, options), "");
  EXPECT_EQ(out, std::vector<float>(100, 3));
  // The line of the load in the user's file.
  args[3] = 101;
  EXPECT_NE(interpret(kernel->stages["ttir"], args, grid, options).find("at add.py:15"),
            std::string::npos);
}

TEST(Compiler, TtirGoesIn) {
  CompileError error;
  auto kernel = compileKernel(source("add", kAdd), addArguments(), interpreted(), error);
  ASSERT_TRUE(kernel) << error.rendered;
  auto again = compileTileIR(kernel->stages["ttir"], "add.ttir", interpreted(), error);
  ASSERT_TRUE(again) << error.rendered;
  EXPECT_EQ(again->stages["ttir"], kernel->stages["ttir"]);
  EXPECT_EQ(again->metadata.parameters[1].name, "y_ptr");
}

TEST(Compiler, UserErrorsHaveTheirPlace) {
  CompileError error;
  EXPECT_FALSE(compileKernel(source("k", "def k(x):\n    y = x + undefined_name\n"),
                             {runtime("i32")}, interpreted(), error));
  EXPECT_EQ(error.kind, "CompilationError");
  EXPECT_EQ(error.file, "add.py");
  EXPECT_EQ(error.line, 11);
  EXPECT_EQ(error.column, 13);
  EXPECT_NE(error.rendered.find("undefined_name"), std::string::npos) << error.rendered;
  EXPECT_NE(error.rendered.find('^'), std::string::npos) << error.rendered;
}

TEST(Compiler, BadTileIR) {
  CompileError error;
  EXPECT_FALSE(compileTileIR("tt.func @k(", "k.ttir", interpreted(), error));
  EXPECT_EQ(error.kind, "CompilationError");
  EXPECT_FALSE(error.message.empty());
  error = {};
  EXPECT_FALSE(compileTileIR("", "k.ttir", interpreted(), error));
  EXPECT_NE(error.message.find("one kernel"), std::string::npos);
  error = {};
  EXPECT_FALSE(
      compileTileIR("tt.func @k(%x: tensor<4xf32>) { tt.return }", "k.ttir", interpreted(), error));
  EXPECT_TRUE(error.message.starts_with("k.ttir:1:1: error: ")) << error.message;
  EXPECT_NE(error.message.find("func_c2"), std::string::npos) << error.message;
}

TEST(Compiler, TargetThatNobodyCompilesFor) {
  static constexpr TargetKind kind{"tpu", "tpu:NN", true, false, true};
  CompileError error;
  CompileOptions options;
  options.target = Target(kind, 5);
  EXPECT_FALSE(compileKernel(source("add", kAdd), addArguments(), options, error));
  EXPECT_EQ(error.message, "nothing compiles for the target tpu:5; there are: cpu[:NAME], "
                           "interpret, cuda:NN, sim:NN");
}

TEST(Compiler, Signature) {
  CompileError error;
  auto signature = readSignature(
      source("k", "def k(x, n: 'i32', B: tl.constexpr = 4, T: tl.constexpr = tl.float16):\n"
                  "    pass\n"),
      error);
  ASSERT_TRUE(signature) << error.rendered;
  EXPECT_EQ(signature->name, "k");
  ASSERT_EQ(signature->parameters.size(), 4u);
  EXPECT_FALSE(signature->parameters[0].isConstexpr);
  EXPECT_TRUE(signature->parameters[2].isConstexpr);
  EXPECT_EQ(signature->parameters[2].defaultValue, Constant{Constant::Int(4)});
  EXPECT_EQ(signature->parameters[3].defaultValue->repr(), Constant{*DType::parse("fp16")}.repr());
  EXPECT_FALSE(readSignature(source("k", "def k(:\n"), error));
  EXPECT_EQ(error.line, 10);
}

TEST(Compiler, Fingerprint) {
  CompileOptions options;
  options.target = Target::cpu("haswell");
  std::string haswell = compilerFingerprint(options);
  EXPECT_EQ(haswell, compilerFingerprint(options));
  options.target = Target::cpu("skylake-avx512");
  EXPECT_NE(haswell, compilerFingerprint(options));
}

// Every call has its own context.
TEST(Compiler, Threads) {
  std::vector<std::thread> threads;
  std::vector<std::string> texts(4);
  for (auto &text : texts)
    threads.emplace_back([&text] {
      for (int i = 0; i < 5; ++i) {
        CompileError error;
        auto kernel = compileKernel(source("add", kAdd), addArguments(), interpreted(), error);
        text = kernel ? kernel->stages["ttir"] : error.rendered;
      }
    });
  for (auto &thread : threads)
    thread.join();
  for (auto &text : texts)
    EXPECT_EQ(text, texts[0]);
}

TEST(Compiler, EveryStageForTheCPU) {
  CompileOptions options;
  options.target = Target::cpu("haswell");
  options.keepStages = {"llir", "asm"};
  CompileError error;
  auto kernel = compileKernel(source("add", kAdd), addArguments(), options, error);
  ASSERT_TRUE(kernel) << error.rendered;
  EXPECT_EQ(kernel->stages["obj"].substr(0, 4), "\x7f"
                                                "ELF");
  EXPECT_NE(kernel->stages["llir"].find("define"), std::string::npos);
  EXPECT_NE(kernel->stages["asm"].find(kernel->metadata.entry), std::string::npos);
  EXPECT_EQ(kernel->metadata.cpu, "haswell");
  EXPECT_FALSE(kernel->metadata.entry.empty());
  options.target = Target::cpu("no-such-cpu");
  EXPECT_FALSE(compileKernel(source("add", kAdd), addArguments(), options, error));
  EXPECT_EQ(error.kind, "CompilationError");
  EXPECT_NE(error.message.find("no-such-cpu"), std::string::npos);
}
