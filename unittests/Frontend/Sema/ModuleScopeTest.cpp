//===- ModuleScopeTest.cpp - the names of a kernel file -------------------===//

#include "tritium/Frontend/Python/ModuleScope.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

using namespace tritium;
using namespace tritium::frontend;
namespace fs = std::filesystem;

namespace {
/// A folder of kernel files that is gone afterwards.
class Folder {
public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "tritium-scope-XXXXXX").string();
    path = mkdtemp(pattern.data());
  }
  ~Folder() { fs::remove_all(path); }
  std::string write(const std::string &name, const std::string &text) const {
    fs::create_directories((path / name).parent_path());
    std::ofstream(path / name) << text;
    return path / name;
  }

private:
  fs::path path;
};

std::shared_ptr<ModuleScope> parse(const std::string &text) {
  std::string error;
  auto scope = ModuleScope::parse(text, "kernels.py", error);
  EXPECT_EQ(error, "");
  return scope;
}

/// A name's constant as Python prints it; else what kind of thing it is.
std::string show(ModuleScope &scope, const std::string &name) {
  auto external = scope.lookup(name);
  if (!external)
    return "undefined";
  if (auto *constant = std::get_if<Constant>(&external->value))
    return constant->repr();
  if (auto *library = std::get_if<External::Library>(&external->value))
    return library->name;
  if (auto *module = std::get_if<External::Module>(&external->value))
    return "module " + module->library;
  if (auto *function = std::get_if<std::shared_ptr<FunctionSource>>(&external->value))
    return "function " + (*function)->name;
  return "unusable: " + std::get<External::Unusable>(external->value).reason;
}
} // namespace

TEST(ModuleScope, Imports) {
  auto scope = parse(R"(
import triton
import tritium.language as tl
import triton.language.math as tm
from triton.language import load, float32 as f, math
from triton import cdiv, autotune
import math as m
import torch
from torch import nn
)");
  EXPECT_EQ(show(*scope, "triton"), "module triton");
  EXPECT_EQ(show(*scope, "tl"), "module triton.language");
  EXPECT_EQ(show(*scope, "tm"), "module triton.language.math");
  EXPECT_EQ(show(*scope, "load"), "triton.language.load");
  EXPECT_EQ(show(*scope, "f"), "triton.language.float32");
  EXPECT_EQ(show(*scope, "math"), "module triton.language.math");
  EXPECT_EQ(show(*scope, "cdiv"), "triton.cdiv");
  EXPECT_EQ(show(*scope, "m"), "module math");
  EXPECT_EQ(show(*scope, "autotune"), "unusable: 'autotune' of 'triton' is for the host only");
  EXPECT_EQ(show(*scope, "torch").substr(0, 20), "unusable: it is impo");
  EXPECT_EQ(show(*scope, "nn").substr(0, 20), "unusable: it is impo");
  EXPECT_EQ(show(*scope, "nothing"), "undefined");
}

TEST(ModuleScope, Constants) {
  auto scope = parse(R"(
import triton.language as tl
import math
A = 16
B = A * 4 + 1
C: tl.constexpr = tl.constexpr(B // 2)
D = tl.float16
E = (A, -B, "x", None, True)
F = float("-inf")
G = 1 if A > 8 else 2
H = 2 * math.pi
I = int(True)
X = open("file")
Y = X + 1
Z = {1: 2}
A = 32
J = A
)");
  EXPECT_EQ(show(*scope, "A"), "32");
  EXPECT_EQ(show(*scope, "B"), "65");
  EXPECT_EQ(show(*scope, "C"), "32");
  EXPECT_EQ(show(*scope, "D"), "triton.language.float16");
  EXPECT_EQ(show(*scope, "E"), "(16, -65, 'x', None, True)");
  EXPECT_EQ(show(*scope, "F"), "-inf");
  EXPECT_EQ(show(*scope, "G"), "1");
  EXPECT_EQ(show(*scope, "H"), "6.283185307179586");
  EXPECT_EQ(show(*scope, "I"), "1");
  EXPECT_EQ(show(*scope, "J"), "32");
  for (const char *name : {"X", "Y", "Z"})
    EXPECT_EQ(show(*scope, name).substr(0, 9), "unusable:") << name;
}

TEST(ModuleScope, Functions) {
  auto scope = parse(R"(import triton
def host():
    return 1

@triton.autotune(
    configs=[],
    key=['n'])
@triton.jit
def kernel(x, n):
    return x + n  # last

@triton.jit(noinline=True)
def other(): pass

@triton.constexpr_function
def compute(n):
    return n
)");
  EXPECT_EQ(scope->functionNames(), (std::vector<std::string>{"kernel", "other"}));
  auto kernel = scope->function("kernel");
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->firstLine, 5);
  EXPECT_EQ(kernel->text.substr(0, 16), "@triton.autotune");
  EXPECT_NE(kernel->text.find("return x + n"), std::string::npos);
  EXPECT_EQ(kernel->text.find("noinline"), std::string::npos);
  EXPECT_EQ(kernel->scope, scope);
  EXPECT_FALSE(kernel->noinline_);
  EXPECT_TRUE(scope->function("other")->noinline_);
  EXPECT_EQ(scope->function("kernel"), kernel) << "one function has one source";
  EXPECT_EQ(scope->function("host"), nullptr);
  EXPECT_NE(show(*scope, "host").find("mark it with @triton.jit"), std::string::npos);
  EXPECT_NE(show(*scope, "compute").find("runs in Python"), std::string::npos);
}

TEST(ModuleScope, NothingOutlivesItsUse) {
  std::weak_ptr<ModuleScope> weak;
  std::shared_ptr<FunctionSource> kernel;
  {
    auto scope = parse("import triton\n@triton.jit\ndef kernel(): pass\n");
    weak = scope;
    kernel = scope->function("kernel");
  }
  EXPECT_FALSE(weak.expired()) << "a function keeps the scope of its names";
  kernel.reset();
  EXPECT_TRUE(weak.expired());
}

TEST(ModuleScope, OtherFiles) {
  Folder folder;
  folder.write("helpers.py", "import triton\nSIZE = 8\n@triton.jit\ndef f(x): return x\n");
  folder.write("pkg/deep.py", "from ..helpers import SIZE\nDOUBLE = SIZE * 2\n");
  folder.write("pkg/__init__.py", "NAME = 'pkg'\n");
  folder.write("broken.py", "def (:\n");
  folder.write("circle.py", "import main\nC = 1\n");
  std::string path = folder.write("main.py", R"(
import helpers
import helpers as h
import pkg
from helpers import f, SIZE as S, missing
from pkg.deep import *
from . import helpers as again
import circle
T = helpers.SIZE + 1
)");
  std::string error;
  auto scope = ModuleScope::load(path, error);
  ASSERT_TRUE(scope) << error;
  EXPECT_EQ(show(*scope, "helpers"), "module ");
  EXPECT_EQ(show(*scope, "h"), "module ");
  EXPECT_EQ(show(*scope, "again"), "module ");
  EXPECT_EQ(show(*scope, "pkg"), "module ");
  EXPECT_EQ(show(*scope, "f"), "function f");
  EXPECT_EQ(show(*scope, "S"), "8");
  EXPECT_EQ(show(*scope, "T"), "9");
  EXPECT_EQ(show(*scope, "DOUBLE"), "16");
  EXPECT_EQ(show(*scope, "missing"), "unusable: 'helpers' does not define 'missing'");
  auto circle = std::get<External::Module>(scope->lookup("circle")->value);
  auto main = circle.scope->lookup("main");
  ASSERT_TRUE(main);
  EXPECT_NE(std::get<External::Unusable>(main->value).reason.find("in a circle"),
            std::string::npos);
}

TEST(ModuleScope, FilesThatCannotBeRead) {
  std::string error;
  EXPECT_FALSE(ModuleScope::load("/nowhere/kernel.py", error));
  EXPECT_EQ(error, "cannot read '/nowhere/kernel.py'");
  EXPECT_FALSE(ModuleScope::load("/", error));
}
