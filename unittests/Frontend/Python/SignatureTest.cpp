//===- SignatureTest.cpp - parameters of kernels; locations in the IR -----===//

#include "IRGenTestUtil.h"

using namespace tritium;
using namespace tritium::frontend;

namespace {
/// One line a parameter, or the error.
std::string signature(const std::string &text) {
  auto scope = std::make_shared<TestScope>();
  scope->constants["W"] = {Constant::Int{7}};
  scope->read(text);
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  auto read = python::readSignature(*scope->functions.at("kernel"), sources, diagnostics);
  EXPECT_EQ(!read, diagnostics.hasErrors());
  std::string out = read ? read->name : diagnostics.render();
  if (read)
    for (const KernelParameter &parameter : read->parameters)
      out += "\n" + parameter.name + " '" + parameter.annotation + "'" +
             (parameter.isConstexpr ? " constexpr" : "") +
             (parameter.defaultValue ? " = " + parameter.defaultValue->repr() : "");
  scope->clear();
  return out;
}

TEST(Signature, AnnotationsAndDefaults) {
  EXPECT_EQ(signature("@jit\ndef kernel(x, y: tl.int64, z: \"*fp32\", a: tl.constexpr, "
                      "b: 'tl.constexpr' = -3, c: constexpr = W * 2, d=None, e=tl.float32, "
                      "f=(1, 'a'), **META):\n  break\n  pass\n"),
            "k.py:3:3: error: 'break' is not in a loop\n  break\n  ^~~~~\n"
            "k.py:1:1: note: while compiling kernel 'kernel'\n@jit\n^\n");
  EXPECT_EQ(signature("@jit\ndef kernel(x, y: tl.int64, z: \"*fp32\", a: tl.constexpr, "
                      "b: 'tl.constexpr' = -3, c: constexpr = W * 2, d=None, e=tl.float32, "
                      "f=(1, 'a'), **META):\n  pass\n"),
            "kernel\nx ''\ny 'tl.int64'\nz '\"*fp32\"'\na 'tl.constexpr' constexpr\n"
            "b ''tl.constexpr'' constexpr = -3\nc 'constexpr' constexpr = 14\nd '' = None\n"
            "e '' = triton.language.float32\nf '' = (1, 'a')\n**META '' constexpr");
}

TEST(Signature, DefaultsMustBeConstants) {
  EXPECT_EQ(signature("def kernel(x=tl.zeros((4,), tl.float32)):\n  pass\n"),
            "k.py:1:14: error: the default of 'x' is not a constant: found float32[4]\n"
            "def kernel(x=tl.zeros((4,), tl.float32)):\n"
            "             ^~~~~~~~~~~~~~~~~~~~~~~~~~\n"
            "k.py:1:5: note: while compiling kernel 'kernel'\n"
            "def kernel(x=tl.zeros((4,), tl.float32)):\n    ^~~~~~\n");
  EXPECT_NE(signature("def kernel(x=nothing):\n  pass\n").find("undefined name 'nothing'"),
            std::string::npos);
  EXPECT_NE(signature("def kernel(*x):\n  pass\n").find("cannot have a '*' parameter"),
            std::string::npos);
}

TEST(Locations, NameTheLineAndTheCall) {
  auto scope = std::make_shared<TestScope>();
  scope->read("def kernel(p):\n  x = f(1.5)\n  tl.store(p, x)\n\n"
              "def f(x):\n  return tl.exp(x + tl.program_id(0))\n");
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::string printed;
  auto module = python::generate(context, *scope->functions.at("kernel"), {arg("*fp32")}, sources,
                                 diagnostics, {}, printed);
  ASSERT_TRUE(module) << diagnostics.render();
  std::string ir;
  llvm::raw_string_ostream out(ir);
  module->print(out, mlir::OpPrintingFlags().enableDebugInfo(true, false).useLocalScope());
  EXPECT_NE(ir.find("math.exp %"), std::string::npos) << ir;
  EXPECT_NE(ir.find("loc(callsite(\"k.py\":6:10 at \"k.py\":2:7))"), std::string::npos) << ir;
  EXPECT_NE(ir.find("loc(\"k.py\":3:3)"), std::string::npos) << ir;
  scope->clear();
}
} // namespace
