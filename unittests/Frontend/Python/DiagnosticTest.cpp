//===- DiagnosticTest.cpp - what the front end says about wrong kernels ---===//

#include "IRGenTestUtil.h"

using namespace tritium;
using namespace tritium::frontend;

namespace {
/// The errors and notes of `kernel(p, n, B)` without the source lines, one a line; the
/// last note, which names the kernel, is checked and left out.
std::string errors(std::string text) {
  Generated result = generate(text, {arg("*fp32"), arg("i32"), constant(16)});
  EXPECT_EQ(result.ir, "");
  std::string lines;
  llvm::StringRef rest = result.errors;
  bool namesKernel = false;
  while (!rest.empty()) {
    auto [line, next] = rest.split('\n');
    rest = next;
    namesKernel |= line.ends_with("note: while compiling kernel 'kernel'");
    if (line.consume_front("k.py:") && !line.contains("while compiling"))
      lines += (lines.empty() ? "" : "\n") + line.str();
  }
  EXPECT_TRUE(namesKernel) << result.errors;
  return lines;
}

/// The same for a kernel with this body.
std::string inKernel(std::string_view body, const std::string &functions = "") {
  std::string text = "def kernel(p, n, B: tl.constexpr):\n  ";
  for (char c : body) {
    text += c;
    if (c == '\n')
      text += "  ";
  }
  return errors(text + "\n" + functions);
}

TEST(Diagnostics, Names) {
  EXPECT_EQ(inKernel("x = tl.lod(p)"),
            "2:7: error: the module 'triton.language' has no 'lod' that kernels can use; did "
            "you mean 'load'?");
  EXPECT_EQ(inKernel("blok = 3\nx = block"),
            "3:7: error: undefined name 'block'; did you mean 'blok'?");
  EXPECT_EQ(inKernel("x = unusable"),
            "2:7: error: 'unusable' cannot be used in a kernel: it is a list");
}

TEST(Diagnostics, Merges) {
  EXPECT_EQ(inKernel("if n > 0:\n  x = 1\ntl.store(p, x)"),
            "4:15: error: 'x' may be undefined here: it is bound on one path only; bind it "
            "before the 'if' or on every path\n3:5: note: it is bound here");
  EXPECT_EQ(inKernel("if n > 0:\n  x = 1.0\nelse:\n  x = tl.arange(0, B)\ntl.store(p, x)"),
            "6:15: error: 'x' has different types on two paths: float32 (constexpr 1.0) and "
            "int32[16]; give it one type on every path\n3:5: note: it is bound here\n5:5: note: "
            "and here");
  EXPECT_EQ(inKernel("for i in range(n):\n  x = i\ntl.store(p, x)"),
            "4:15: error: 'x' may be undefined here: it is bound only inside of a loop, which "
            "may not run; bind it before the loop\n3:5: note: it is bound here");
  EXPECT_EQ(inKernel("x = 1 if n > 0 else tl.arange(0, 4)"),
            "2:7: error: this conditional expression has different types on two paths: "
            "int32 (constexpr 1) and int32[4]; give it one type on every path");
}

TEST(Diagnostics, Branches) {
  EXPECT_EQ(inKernel("if tl.arange(0, 4) > 1:\n  pass"),
            "2:6: error: a condition must be a scalar, found int1[4]; use tl.where to choose "
            "element by element, or reduce it first");
  EXPECT_EQ(inKernel("tl.static_assert(B == 3, f'B is {B}')"),
            "2:3: error: static assertion failed: B is 16");
}

TEST(Diagnostics, Loops) {
  EXPECT_EQ(inKernel("acc = 0\nfor i in range(n):\n  acc += tl.load(p)\ntl.store(p, acc)"),
            "4:5: error: the type of 'acc' changes in the loop: it enters as int32 and becomes "
            "float32; give it its final type before the loop, or convert with .to(tl.int32)\n"
            "2:3: note: 'acc' gets its first value here");
  EXPECT_EQ(inKernel("acc = 0.0\nfor i in range(n):\n  acc += tl.arange(0, B)\ntl.store(p, acc)"),
            "4:5: error: the type of 'acc' changes in the loop: it enters as float32 and "
            "becomes float32[16]; give it its final type before the loop, for example with "
            "tl.zeros([16], tl.float32)\n2:3: note: 'acc' gets its first value here");
  EXPECT_EQ(inKernel("x = tl.arange(0, 4)\nfor i in range(n):\n  x = tl.sum(tl.arange(0, 4))\n"
                     "tl.store(p, x)"),
            "5:15: error: the type of 'x' changes in the loop: it enters as int32[4] and "
            "becomes int32; give it its final type before the loop, or convert with "
            ".to(tl.int32)\n4:5: note: it is bound here\n2:3: note: and here");
  EXPECT_EQ(inKernel("while True:\n  n += 1"),
            "2:9: error: this condition is always true, so the loop would never end");
  EXPECT_EQ(inKernel("for i in n:\n  pass"),
            "2:12: error: cannot iterate over int32; loops go over range, tl.range, "
            "tl.static_range and tuples");
  EXPECT_EQ(inKernel("for i in range(1.5):\n  pass"),
            "2:12: error: the stop of a loop must be an integer scalar, found constexpr 1.5");
  EXPECT_EQ(inKernel("for i in range(0, n, 0):\n  pass"),
            "2:12: error: the step of a loop must not be 0");
  EXPECT_EQ(inKernel("for i in tl.static_range(n):\n  pass"),
            "2:12: error: the bounds of this range must be known at compile time, found "
            "int32; use tl.range in a 'for' for a run-time loop");
  EXPECT_EQ(inKernel("for i in tl.range(0, n, nun_stages=3):\n  pass"),
            "2:12: error: 'tl.range' has no parameter 'nun_stages', or it is given twice");
  EXPECT_EQ(inKernel("for i in tl.static_range(10000000):\n  pass"),
            "2:12: error: the kernel expands to more than 3000000 operations; use a run-time "
            "loop instead of unrolling");
}

TEST(Diagnostics, Returns) {
  EXPECT_EQ(inKernel("for i in range(n):\n  return i"),
            "3:5: error: a kernel returns nothing, found int32; write results to memory with "
            "tl.store instead");
  EXPECT_EQ(inKernel("return n"),
            "2:3: error: a kernel returns nothing, found int32; write results to memory with "
            "tl.store instead");
  EXPECT_EQ(inKernel("f(n)", "def f(x):\n  if x > 0:\n    return 1\n  return tl.arange(0, 4)\n"),
            "6:3: error: the returns of 'f' have different types: constexpr 1 and int32[4]; "
            "return one type on every path\n5:5: note: the other return is here\n"
            "2:3: note: 'f' is called here");
  EXPECT_EQ(inKernel("f(n)", "def f(x):\n  if x > 0:\n    return 1\n"),
            "5:5: error: the returns of 'f' have different types: constexpr 1 and None; return "
            "one type on every path (one path reaches the end of the function, which returns "
            "None)\n2:3: note: 'f' is called here");
}

TEST(Diagnostics, Calls) {
  EXPECT_EQ(inKernel("f(n)", "def f(x):\n  g(x)\ndef g(x):\n  f(x)\n"),
            "6:3: error: recursion is not supported in a kernel: f -> g -> f; use a loop "
            "instead\n4:3: note: 'g' is called here\n2:3: note: 'f' is called here");
  EXPECT_EQ(inKernel("f(n)", "def f(x):\n  y = g(x, 1)\ndef g(x, y):\n  return x + undefined\n"),
            "6:14: error: undefined name 'undefined'\n4:7: note: 'g' is called here\n"
            "2:3: note: 'f' is called here");
  EXPECT_EQ(inKernel("f(n)", "def f(x, y):\n  pass\n"),
            "2:3: error: argument 'y' of 'f' is missing; it is f(x, y)\n"
            "3:5: note: the function is defined here");
  EXPECT_EQ(inKernel("f(n, 1, 2)", "def f(x, y):\n  pass\n"),
            "2:3: error: 'f' takes 2 positional arguments, but 3 are given; it is f(x, y)\n"
            "3:5: note: the function is defined here");
  EXPECT_EQ(inKernel("f(n, z=2)", "def f(x, y=1):\n  pass\n"),
            "2:3: error: 'f' has no parameter 'z'; it is f(x, y=...)\n"
            "3:5: note: the function is defined here");
  EXPECT_EQ(inKernel("f(n, x=2)", "def f(x, y=1):\n  pass\n"),
            "2:3: error: argument 'x' of 'f' is given twice; it is f(x, y=...)\n"
            "3:5: note: the function is defined here");
  EXPECT_EQ(inKernel("f(n)", "def f(x):\n  g = lambda: y\n  g()\n"),
            "4:15: error: undefined name 'y'\n5:3: note: '<lambda>' is called here\n"
            "2:3: note: 'f' is called here");
}

TEST(Diagnostics, Assignments) {
  EXPECT_EQ(inKernel("x: tl.constexpr = n\ny = tl.arange(0, x)"),
            "2:3: warning: 'x' is declared tl.constexpr, which does not make a value known at "
            "compile time: this is int32, and stays a run-time value\n3:7: error: the end of "
            "tl.arange must be an integer that is known at compile time, found int32; pass it as a "
            "tl.constexpr parameter");
  EXPECT_EQ(inKernel("x: tl.constexpr = 1\nx: tl.constexpr = 2"),
            "3:3: error: 'x' is declared tl.constexpr and cannot be bound again; use another "
            "name\n2:3: note: it is bound here");
  EXPECT_EQ(inKernel("a, b = (1, 2, 3)"), "2:3: error: cannot unpack 3 values into 2 names");
  EXPECT_EQ(inKernel("a, b = n"),
            "2:3: error: cannot unpack int32 into 2 names; a tuple is needed");
  EXPECT_EQ(inKernel("p[0] = n"),
            "2:3: error: a scalar has no elements to assign to; tl.store writes to memory");
  EXPECT_EQ(inKernel("p.x = n"),
            "2:3: error: assignment to an attribute is not supported in a kernel; bind a name "
            "instead");
}

TEST(Diagnostics, Expressions) {
  EXPECT_EQ(inKernel("x = tl.reduce(tl.arange(0, 4), 0, f)", "def f(a, b):\n  return a + c\n"),
            "4:14: error: undefined name 'c'\n2:7: note: 'f' is called here");
  EXPECT_EQ(inKernel("f = tl.arange(0, 4).sum\nif n:\n  f = tl.arange(0, 8).sum\nf()"),
            "5:3: error: 'f' has different types on two paths: the method 'sum' and the method "
            "'sum'; give it one type on every path\n4:5: note: it is bound here\n"
            "2:3: note: and here");
  EXPECT_EQ(inKernel("x = n\nwhile x < 5:\n  x = x + 1.5"),
            "4:5: error: the type of 'x' changes in the loop: it enters as int32 and becomes "
            "float32; give it its final type before the loop, or convert with .to(tl.int32)\n"
            "2:3: note: 'x' gets its first value here");
  EXPECT_EQ(inKernel("f(**n)", "def f():\n  pass\n"),
            "2:5: error: '**' spreads a dictionary, such as the keyword arguments that the "
            "function got by '**', found "
            "int32");
  EXPECT_EQ(inKernel("x = [i for i in (1, 2) if n]"),
            "2:29: error: the condition of a comprehension must be known at compile time, "
            "found int32");
  EXPECT_EQ(inKernel("x = [(i := i + 1) for i in (1, 2)]"),
            "2:9: error: 'i' is the variable of a comprehension, which ':=' cannot bind; use "
            "another name");
  EXPECT_EQ(inKernel("f(n)", "def f(x, y=undefined_default):\n  pass\n"),
            "3:12: error: undefined name 'undefined_default'\n2:3: note: 'f' is called here");
  EXPECT_EQ(inKernel("x = print\nn()"), "3:3: error: int32 cannot be called");
}

TEST(Diagnostics, DeepCallsAndHugeExpansionsEnd) {
  std::string chain = "def f0(x):\n  return x\n";
  for (int i = 1; i < 3000; ++i) {
    std::string n = std::to_string(i);
    chain += "def f" + n + "(x):\n  return f" + std::to_string(i - 1) + "(x)\n";
  }
  EXPECT_NE(inKernel("f2999(n)", chain).find("the kernel is nested too deeply here"),
            std::string::npos);
  std::string doubling = "def g0(x):\n  return x + 1\n";
  for (int i = 1; i < 40; ++i) {
    std::string n = std::to_string(i), m = std::to_string(i - 1);
    doubling += "def g" + n + "(x):\n  return g" + m + "(x) + g" + m + "(x)\n";
  }
  EXPECT_NE(inKernel("g39(1)", doubling).find("expands to more than"), std::string::npos);
}

TEST(Diagnostics, SyntaxErrorsOfKernels) {
  EXPECT_EQ(inKernel("x = = 1"), "2:7: error: expected an expression, found '='");
  EXPECT_EQ(inKernel("try:\n  pass\nfinally:\n  pass"),
            "2:3: error: 'try' is not supported in a kernel; nothing in a kernel raises; test "
            "the condition with 'if' instead");
}

TEST(Diagnostics, ArgumentsOfKernels) {
  EXPECT_EQ(errors("def kernel(p, n):\n  pass\n"),
            "1:5: error: kernel 'kernel' has 2 parameters, but 3 arguments are specified");
  EXPECT_EQ(errors("def kernel(p, n: tl.constexpr, B):\n  pass\n"),
            "1:15: error: parameter 'n' of kernel 'kernel' is tl.constexpr, but a run-time "
            "argument is specified: int32");
  EXPECT_EQ(errors("def kernel(p, n, *B):\n  pass\n"),
            "1:19: error: a kernel cannot have a '*' parameter; name every parameter");
  EXPECT_EQ(errors("def kernel(p, n, **B):\n  pass\n"),
            "1:20: error: a '**' parameter of a kernel takes named constants");
}
} // namespace
