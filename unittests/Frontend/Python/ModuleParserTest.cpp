//===- ModuleParserTest.cpp - the top level of kernel files ---------------===//

#include "ParserTestUtil.h"

using namespace tritium;
using namespace tritium::frontend;
using ast::ModuleItem;

namespace {
/// One line an item.
std::string module(std::string text) {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  uint32_t file = sources.addFile("k.py", std::move(text));
  auto module = python::parseModule(sources, file, diagnostics);
  if (!module)
    return onlyError(sources, diagnostics);
  EXPECT_TRUE(diagnostics.all().empty());
  std::string out;
  for (const ModuleItem &item : module->items) {
    switch (item.kind) {
    case ModuleItem::Import:
      out += "import " + item.module + " as " + item.name;
      break;
    case ModuleItem::FromImport:
      out += "from " + item.module + " import " + item.imported + " as " + item.name;
      break;
    case ModuleItem::Assign:
      out += item.name + " = " + ast::dump(*item.value);
      break;
    case ModuleItem::Function:
      out += "def " + item.name;
      for (const std::string &decorator : item.decorators)
        out += " @" + decorator;
      out += " [" +
             std::string(sources.text(file).substr(
                 item.range.begin.offset, item.range.end.offset - item.range.begin.offset)) +
             "]";
      break;
    case ModuleItem::Opaque:
      out += item.name + ": " + item.reason;
      break;
    }
    out += "\n";
  }
  return out;
}

TEST(Modules, Imports) {
  EXPECT_EQ(
      module("import triton\nimport triton.language as tl, os.path\n"
             "from triton import jit, cdiv as c\nfrom . import x\nfrom ..a.b import (y,\n z,)\n"
             "from m import *\n"),
      "import triton as triton\nimport triton.language as tl\nimport os.path as os\n"
      "from triton import jit as jit\nfrom triton import cdiv as c\n"
      "from . import x as x\nfrom ..a.b import y as y\nfrom ..a.b import z as z\n"
      "from m import * as *\n");
}

TEST(Modules, Assignments) {
  EXPECT_EQ(module("A = 1; B = A + 2\nC: tl.constexpr = tl.constexpr(3)\nD = E = 4\n"
                   "F, G = 5, 6\n"),
            "A = 1\nB = (+ A 2)\nC = (call (.constexpr tl) 3)\nD = 4\nE = 4\nF = 5\nG = 6\n");
  EXPECT_EQ(module("A = {1, 2}\nB, C = f()\nD = lambda a=1: a\nE = 1\nE += 1\nx.y = 2\nf(a=1)\n"),
            "A: a value that the compiler cannot compute\n"
            "B: an element of a tuple that is not written out\n"
            "C: an element of a tuple that is not written out\n"
            "D: a value that the compiler cannot compute\n"
            "E = 1\nE: a name that is changed after its definition\n");
  EXPECT_EQ(module("A, *B = 1, 2\n"), "A: an element of a tuple that is not written out\n"
                                      "B: an element of a tuple that is not written out\n");
}

TEST(Modules, Functions) {
  EXPECT_EQ(module("@triton.autotune(configs=[{'a': lambda: 1}],\n key=[])\n@triton.jit\n"
                   "def f(x):\n  # c\n  y\n\n  z\n\n# end\ndef g(): pass\nasync def h(): pass\n"
                   "class K:\n  def m(self): pass\n"),
            "def f @triton.autotune @triton.jit [@triton.autotune(configs=[{'a': lambda: 1}],\n "
            "key=[])\n@triton.jit\ndef f(x):\n  # c\n  y\n\n  z]\n"
            "def g [def g(): pass]\nh: an async function\nK: a class\n");
}

TEST(Modules, ConditionsAndTheMainProgram) {
  EXPECT_EQ(module("try:\n  import triton\nexcept ImportError:\n  triton = None\n"
                   "if a:\n  def f(): pass\nelse:\n  X = 1\n"
                   "if __name__ == '__main__':\n  Y = 1\nfor i in range(3):\n  Z = 1\nW = 2\n"),
            "import triton as triton\ntriton: a value that is assigned under a condition\n"
            "f: a function that is defined under a condition\n"
            "X: a value that is assigned under a condition\nW = 2\n");
}

TEST(Modules, AnyHostCodeIsSkipped) {
  EXPECT_EQ(module("\"\"\"doc\"\"\"\nwith open('x') as f:\n  print(f'{f[\"a\"]}', 3j)\n"
                   "@property\ndel x\nmatch y:\n  case 1: pass\nraise X\nassert a\n"
                   "while True:\n  break\n(a, b)[0] = 1\n*p, q = r\nS = 1\n"),
            "S = 1\n");
}

TEST(Modules, WhatIsNoPythonIsAnError) {
  EXPECT_EQ(module("x = (1\n"), "1:5: '(' is never closed");
}
} // namespace
