//===- SessionTest.cpp - failures, dumps and timing of a compilation ------===//

#include "Session.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace mlir;
using namespace tritium;

namespace {
const char *kModule =
    "tt.func @k(%x: i32) {\n  %y = arith.addi %x, %x {here} : i32\n  tt.return\n}";

/// A pass with a bug: it says something, removes an operation, and fails.
struct BrokenPass : PassWrapper<BrokenPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BrokenPass)
  StringRef getArgument() const final { return "tt-broken"; }
  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      if (op->hasAttr("here")) {
        op->emitError("cannot go on");
        op->erase();
      }
    });
    signalPassFailure();
  }
};

struct NamedPass : PassWrapper<NamedPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NamedPass)
  StringRef getArgument() const final { return "tt-named"; }
  void runOnOperation() override {}
};

std::string runNamed(const char *variable, const char *value) {
  ::testing::internal::CaptureStderr();
  setenv(variable, value, 1);
  {
    CompileError error;
    Session session("k", error);
    auto module = parseSourceString<ModuleOp>(kModule, ParserConfig(&session.context()));
    EXPECT_TRUE(session.runPasses(
        *module, "Stage", [](OpPassManager &pm) { pm.addPass(std::make_unique<NamedPass>()); }));
  }
  unsetenv(variable);
  return ::testing::internal::GetCapturedStderr();
}
} // namespace

// A failing pass is named, what it said is passed on, and its input is written to a file.
TEST(Session, FailingPass) {
  CompileError error;
  Session session("k", error);
  auto module = parseSourceString<ModuleOp>(kModule, ParserConfig(&session.context()), "k.mlir");
  ASSERT_TRUE(module);
  ::testing::internal::CaptureStderr();
  EXPECT_FALSE(session.runPasses(
      *module, "Stage", [](OpPassManager &pm) { pm.addPass(std::make_unique<BrokenPass>()); }));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(error.kind, "InternalError");
  EXPECT_EQ(error.message, "a bug in the compiler: pass 'tt-broken' failed on kernel 'k': "
                           "k.mlir:2:8: error: cannot go on");
  size_t at = error.rendered.find("reproducer: ");
  ASSERT_NE(at, std::string::npos) << error.rendered;
  std::string path = error.rendered.substr(at + 12);
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_NE(text.str().find("here"), std::string::npos) << text.str();
  std::filesystem::remove(path);
}

TEST(Session, DumpsBeforeAndAfterEachPass) {
  for (const char *value : {"1", "k"}) {
    std::string text = runNamed("MLIR_ENABLE_DUMP", value);
    EXPECT_NE(text.find("IR Dump Before"), std::string::npos) << text;
    EXPECT_NE(text.find("IR Dump After"), std::string::npos) << text;
    EXPECT_NE(text.find("(tt-named)"), std::string::npos) << text;
  }
  EXPECT_EQ(runNamed("MLIR_ENABLE_DUMP", "0"), "");
  EXPECT_EQ(runNamed("MLIR_ENABLE_DUMP", "other_kernel"), "");
}

TEST(Session, Timing) {
  std::string text = runNamed("MLIR_ENABLE_TIMING", "1");
  EXPECT_NE(text.find("Stage"), std::string::npos) << text;
  EXPECT_NE(text.find("NamedPass"), std::string::npos) << text;
}
