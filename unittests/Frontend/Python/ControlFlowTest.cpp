//===- ControlFlowTest.cpp - control flow of kernels, by running them -----===//
//
// Each kernel runs in the interpreter; what it stores must be what Python would.
//
//===----------------------------------------------------------------------===//

#include "IRGenTestUtil.h"

#include "tritium/Interpreter/Interpreter.h"

using namespace tritium;
using namespace tritium::frontend;

namespace {
/// Runs `kernel(out, a, b)` with a body, which stores to out[0..6), initially -1.
/// Functions may follow the body in `functions`. Returns out, or the error.
std::string run(std::string_view body, int a, int b, const std::string &functions = "") {
  std::string text = "@triton.jit\ndef kernel(out, a, b):\n  ";
  for (char c : body) {
    text += c;
    if (c == '\n')
      text += "  ";
  }
  text += "\n" + functions;
  Generated kernel = generate(text, {arg("*i32"), arg("i32"), arg("i32")});
  if (kernel.ir.empty())
    return kernel.errors;
  int32_t out[6];
  std::fill(std::begin(out), std::end(out), -1);
  InterpreterOptions options;
  options.buffers = {{reinterpret_cast<uint64_t>(out), sizeof out, true}};
  uint32_t grid[3] = {1, 1, 1};
  std::string error = interpret(
      kernel.ir,
      {reinterpret_cast<uint64_t>(out), static_cast<uint32_t>(a), static_cast<uint32_t>(b)}, grid,
      options);
  if (!error.empty())
    return error + kernel.ir;
  std::string result;
  for (int32_t value : out)
    result += (result.empty() ? "" : " ") + std::to_string(value);
  return result;
}

//===----------------------------------------------------------------------===//
// if
//===----------------------------------------------------------------------===//

TEST(If, NamesTakeTheValueOfTheSideThatRan) {
  const char *body = "x = 1\nif a > b:\n  x = a\n  y = 10\nelif a == b:\n  x = 5\n  y = 20\n"
                     "else:\n  y = 30\ntl.store(out, x)\ntl.store(out + 1, y)";
  EXPECT_EQ(run(body, 7, 3), "7 10 -1 -1 -1 -1");
  EXPECT_EQ(run(body, 3, 3), "5 20 -1 -1 -1 -1");
  EXPECT_EQ(run(body, 2, 3), "1 30 -1 -1 -1 -1");
}

TEST(If, BothSidesMayHaveEffects) {
  const char *body = "if a:\n  tl.store(out, 1)\nelse:\n  tl.store(out + 1, 2)\nif b:\n  "
                     "tl.store(out + 2, 3)";
  EXPECT_EQ(run(body, 1, 1), "1 -1 3 -1 -1 -1");
  EXPECT_EQ(run(body, 0, 0), "-1 2 -1 -1 -1 -1");
}

TEST(If, ConstantConditionsDropTheDeadSide) {
  EXPECT_EQ(run("N: tl.constexpr = 3\nif N == 3:\n  x = a\nelse:\n  x = undefined_name + 'a'\n"
                "if not N:\n  tl.store(b, b)\nelif N is None: nonsense()\n"
                "tl.store(out, x)",
                4, 0),
            "4 -1 -1 -1 -1 -1");
}

TEST(If, ConditionalExpressions) {
  const char *body = "tl.store(out, a if a > b else b)\n"
                     "tl.store(out + 1, 1 if a > b else 2)\n"
                     "tl.store(out + 2, (a // b) if b != 0 else -7)\n"
                     "tl.store(out + 3, 8 if True else undefined)";
  EXPECT_EQ(run(body, 9, 4), "9 1 2 8 -1 -1");
  EXPECT_EQ(run(body, 0, 4), "4 2 0 8 -1 -1");
  EXPECT_EQ(run(body, -3, 0), "0 2 -7 8 -1 -1");
}

TEST(If, TuplesMergeElementByElement) {
  const char *body = "if a > b:\n  t = (a, 1)\nelse:\n  t = (b, 1)\nx, y = t\ntl.store(out, x)\n"
                     "tl.store(out + 1, y)\ntl.static_assert(t[1] == 1)";
  EXPECT_EQ(run(body, 2, 6), "6 1 -1 -1 -1 -1");
}

//===----------------------------------------------------------------------===//
// return
//===----------------------------------------------------------------------===//

TEST(Return, AKernelMayEndEarly) {
  const char *body = "tl.store(out, 1)\nif a > b:\n  return\ntl.store(out + 1, 2)\n"
                     "if a == b:\n  tl.store(out + 2, 3)\n  return\nelse:\n  tl.store(out + 3, 4)\n"
                     "tl.store(out + 4, 5)";
  EXPECT_EQ(run(body, 2, 1), "1 -1 -1 -1 -1 -1");
  EXPECT_EQ(run(body, 1, 1), "1 2 3 -1 -1 -1");
  EXPECT_EQ(run(body, 0, 1), "1 2 -1 4 5 -1");
}

TEST(Return, NestedConditionsFallThrough) {
  const char *body = "x = 0\nif a > 0:\n  x = 1\n  if b > 0:\n    tl.store(out, 10)\n    return\n"
                     "  x = 2\n  if b == 0:\n    x = 3\ntl.store(out + 1, x)\nif x == 3: return\n"
                     "tl.store(out + 2, x + 5)";
  EXPECT_EQ(run(body, 1, 1), "10 -1 -1 -1 -1 -1");
  EXPECT_EQ(run(body, 1, 0), "-1 3 -1 -1 -1 -1");
  EXPECT_EQ(run(body, 1, -1), "-1 2 7 -1 -1 -1");
  EXPECT_EQ(run(body, 0, 1), "-1 0 5 -1 -1 -1");
}

TEST(Return, FunctionsMayReturnFromAnywhere) {
  std::string functions = R"(
@triton.jit
def pick(a, b):
    if a > 10:
        if b > 10:
            return a + b
        a = a - 1
        if b > 5:
            return a
    elif a < 0:
        return -1
    c = a * 2
    if c > b:
        return c
    return b
)";
  const char *body = "tl.store(out, pick(a, b))";
  auto expected = [](int a, int b) {
    if (a > 10) {
      if (b > 10)
        return a + b;
      a = a - 1;
      if (b > 5)
        return a;
    } else if (a < 0) {
      return -1;
    }
    int c = a * 2;
    return c > b ? c : b;
  };
  for (int a : {-5, 0, 3, 11, 20})
    for (int b : {-3, 2, 7, 11, 50})
      EXPECT_EQ(run(body, a, b, functions), std::to_string(expected(a, b)) + " -1 -1 -1 -1 -1")
          << a << " " << b;
}

TEST(Return, ConstantsUnifyWithTensorsAndTuplesReturn) {
  std::string functions = "@triton.jit\ndef f(a):\n  if a > 3:\n    return 1, a\n  return a, 5\n";
  EXPECT_EQ(run("x, y = f(a)\ntl.store(out, x); tl.store(out + 1, y)", 4, 0, functions),
            "1 4 -1 -1 -1 -1");
  EXPECT_EQ(run("x, y = f(a)\ntl.store(out, x); tl.store(out + 1, y)", 2, 0, functions),
            "2 5 -1 -1 -1 -1");
}

TEST(Return, PointersAndTilesUnderARunTimeFlag) {
  std::string functions = R"(
@triton.jit
def f(p, a, b):
    if a > 0:
        if b > 0:
            return p + 1, tl.arange(0, 4)
        p = p + 2
        t = tl.arange(0, 4) * 2
    else:
        t = tl.arange(0, 4) * 3
    return p, t
)";
  const char *body = "p, t = f(out, a, b)\ntl.store(p, tl.sum(t))";
  EXPECT_EQ(run(body, 1, 1, functions), "-1 6 -1 -1 -1 -1");
  EXPECT_EQ(run(body, 1, 0, functions), "-1 -1 12 -1 -1 -1");
  EXPECT_EQ(run(body, 0, 0, functions), "18 -1 -1 -1 -1 -1");
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// What Python's range gives, as the digits of a number of base 3.
int digits(int start, int stop, int step) {
  int value = 0;
  for (int i = start; step > 0 ? i < stop : i > stop; i += step)
    value = value * 3 + (i < 0 ? -i : i);
  return value;
}

TEST(Loops, RangesCountAsInPython) {
  for (int start : {0, 2, 7, -3})
    for (int stop : {0, 5, 9, -4})
      for (int step : {1, 2, 3, -1, -2, -3}) {
        std::string expected = std::to_string(digits(start, stop, step)) + " -1 -1 -1 -1 -1";
        std::string body = "n = 0\nfor i in range(a, b, " + std::to_string(step) +
                           "):\n  n = n * 3 + tl.abs(i)\ntl.store(out, n)";
        EXPECT_EQ(run(body, start, stop), expected) << start << " " << stop << " " << step;
        std::string known = "n = 0\nfor i in range(" + std::to_string(start) + ", " +
                            std::to_string(stop) +
                            ", a):\n  n = n * 3 + tl.abs(i)\n"
                            "tl.store(out, n)";
        EXPECT_EQ(run(known, step, 0), expected) << start << " " << stop << " " << step;
        std::string unrolled = "n = 0\nfor i in tl.static_range(" + std::to_string(start) + ", " +
                               std::to_string(stop) + ", " + std::to_string(step) +
                               "):\n  n = n * 3 + abs(i)\ntl.store(out, n)";
        EXPECT_EQ(run(unrolled, 0, 0), expected) << start << " " << stop << " " << step;
      }
}

TEST(Loops, AStepOfZeroAtRunTimeRunsNothing) {
  EXPECT_EQ(run("n = 0\nfor i in range(0, 5, a):\n  n += 1\ntl.store(out, n)", 0, 0),
            "0 -1 -1 -1 -1 -1");
}

TEST(Loops, NestedLoopsAndSwaps) {
  EXPECT_EQ(run("n = 0\nx = 1\ny = 2\nfor i in range(a):\n  for j in tl.range(i, b):\n    n += j\n"
                "  x, y = y, x\ntl.store(out, n); tl.store(out + 1, x); tl.store(out + 2, y)",
                3, 4),
            "17 2 1 -1 -1 -1");
  EXPECT_EQ(run("x = a\ny = b\nz = 9\nfor i in range(5):\n  z = y\n  y = x\n  x = i\n"
                "tl.store(out, x); tl.store(out + 1, y); tl.store(out + 2, z)",
                3, 4),
            "4 3 2 -1 -1 -1");
}

TEST(Loops, NoIterationKeepsTheValues) {
  EXPECT_EQ(run("x = 3\nfor i in range(a):\n  x = i\ntl.store(out, x)", 0, 0), "3 -1 -1 -1 -1 -1");
  EXPECT_EQ(run("x = 3\nwhile x < a:\n  x += 1\ntl.store(out, x)", 0, 0), "3 -1 -1 -1 -1 -1");
}

TEST(Loops, While) {
  EXPECT_EQ(run("i = 0\nn = 1\nwhile n < a:\n  n = n * 2\n  i += 1\ntl.store(out, i)\n"
                "tl.store(out + 1, n)",
                100, 0),
            "7 128 -1 -1 -1 -1");
  EXPECT_EQ(run("i = 0\nwhile (i := i + 1) < a:\n  tl.store(out + i, i)\ntl.store(out, i)", 3, 0),
            "3 1 2 -1 -1 -1");
  EXPECT_EQ(run("n = 0\nwhile tl.condition(n < a, disable_licm=True):\n  n += 2\n"
                "tl.store(out, n)",
                3, 0),
            "4 -1 -1 -1 -1 -1");
  EXPECT_EQ(run("while False:\n  undefined()\ntl.store(out, 2)", 3, 0), "2 -1 -1 -1 -1 -1");
}

TEST(Loops, ConstantsThatAnUndecidedIfMayChangeAreCarried) {
  const char *body = "k = 0\nfor i in range(a):\n  if i == b:\n    k = i + 10\ntl.store(out, k)";
  EXPECT_EQ(run(body, 5, 3), "13 -1 -1 -1 -1 -1");
  EXPECT_EQ(run(body, 5, 7), "0 -1 -1 -1 -1 -1");
}

TEST(Loops, ConstantsThatOnlyADeadBranchBindsStayConstants) {
  EXPECT_EQ(run("N: tl.constexpr = 4\nstage = 1\nfor i in range(a):\n  if stage == 2:\n"
                "    stage = 3\n  t = tl.arange(0, N * stage)\n  tl.store(out + i, tl.sum(t))",
                2, 0),
            "6 6 -1 -1 -1 -1");
}

TEST(Loops, UnrolledLoopsOverRangesAndTuples) {
  EXPECT_EQ(run("n = 0\nfor i in tl.static_range(3):\n  tl.static_assert(i < 3)\n  n += i * a\n"
                "tl.store(out, n)\nfor x, w in ((a, 1), (b, 2)):\n  tl.store(out + w, x)",
                5, 6),
            "15 5 6 -1 -1 -1");
  EXPECT_EQ(run("t = (a, b, 3)\nu = tuple([x * 2 for x in t])\ntl.store(out, u[0])\n"
                "tl.store(out + 1, u[-1])\nv = [i for i in (1, 2, 3, 4) if i % 2 == 0]\n"
                "tl.store(out + 2, v[0] * 10 + v[1])\ntl.store(out + 3, len(v))",
                5, 6),
            "10 6 24 2 -1 -1");
  EXPECT_EQ(run("s = [i * a for i in range(1, 4)]\ntl.store(out, s[0] + s[1] + s[2])", 5, 6),
            "30 -1 -1 -1 -1 -1");
}

TEST(Loops, LoopsKeepTheirOptions) {
  Generated kernel = generate("def kernel(n):\n  for i in tl.range(0, n, 2, num_stages=3, "
                              "loop_unroll_factor=4, flatten=True, warp_specialize=False):\n"
                              "    tl.device_print('x', i)\n",
                              {arg("i32")});
  EXPECT_EQ(kernel.errors, "");
  EXPECT_TRUE(kernel.has("{tt.flatten, tt.loop_unroll_factor = 4 : i32, tt.num_stages = 3 : i32}"))
      << kernel.ir;
}

TEST(Loops, WideBoundsCountInInt64) {
  Generated kernel = generate("def kernel(n):\n  for i in range(0, n, 4):\n"
                              "    tl.device_print('x', i)\n",
                              {arg("i64")});
  EXPECT_TRUE(kernel.has(": i64")) << kernel.ir << kernel.errors;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

TEST(Calls, KeywordsDefaultsAndStars) {
  std::string functions = R"(
@triton.jit
def f(x, y=3, *, z: tl.constexpr = W, w=tl.constexpr(2)):
    return x * 1000 + y * 100 + z * 10 + w

@triton.jit
def rest(first, *others, **named):
    return first + others[0] * named['scale'] + len(others)

@triton.jit
def through(*args, **kwargs):
    return rest(*args, **kwargs)
)";
  std::string text = functions;
  size_t at = text.find('W');
  text.replace(at, 1, "7");
  EXPECT_EQ(run("tl.store(out, f(a))\ntl.store(out + 1, f(a, w=b, y=0))\n"
                "t = (a, b)\ntl.store(out + 2, f(*t, z=1))\n"
                "tl.store(out + 3, through(1, b, 5, scale=10))",
                1, 4, text),
            "1372 1074 1412 43 -1 -1");
}

TEST(Calls, CalleesDoNotSeeTheCallersNames) {
  std::string functions = "def f(x):\n  return hidden\n";
  EXPECT_NE(run("hidden = 1\ntl.store(out, f(a))", 1, 1, functions).find("undefined name 'hidden'"),
            std::string::npos);
}

TEST(Calls, FunctionsAreValues) {
  std::string functions = "def twice(f, x):\n  return f(f(x))\n\ndef inc(x):\n  return x + 1\n";
  EXPECT_EQ(run("g = inc\ntl.store(out, twice(g, a))", 1, 1, functions), "3 -1 -1 -1 -1 -1");
}

TEST(Calls, ACalleeMayReturnFromWithinTheCallersLoop) {
  std::string functions = "def f(i):\n  if i > 2:\n    return 0\n  return i\n";
  EXPECT_EQ(run("n = 0\nfor i in range(a):\n  n += f(i)\ntl.store(out, n)", 6, 0, functions),
            "3 -1 -1 -1 -1 -1");
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

TEST(Expressions, ChainedComparisonsEvaluateTheMiddleOnce) {
  const char *body = "tl.store(out, (0 < a < b).to(tl.int32))\n"
                     "tl.store(out + 1, (a < b < 3).to(tl.int32))\n"
                     "if 1 < 2 < 3: tl.store(out + 2, 7)\n"
                     "tl.store(out + 3, 5 if 3 < 2 < undefined else 6)";
  EXPECT_EQ(run(body, 1, 2), "1 1 7 6 -1 -1");
  EXPECT_EQ(run(body, 1, 5), "1 0 7 6 -1 -1");
}

TEST(Expressions, AndOrShortCircuitOnConstants) {
  EXPECT_EQ(run("x = None\ny = x or 4\nz = 0 and undefined\nw = 3 or undefined\n"
                "tl.store(out, y); tl.store(out + 1, z); tl.store(out + 2, w)\n"
                "if a > 0 and b > 0: tl.store(out + 3, 1)\nif a > 5 or not b > 5: "
                "tl.store(out + 4, 2)",
                1, 1),
            "4 0 3 1 2 -1");
}

TEST(Expressions, WalrusFStringsAndPrinting) {
  std::string text = "def kernel(n, B: tl.constexpr):\n  if (k := B * 2) > 3:\n"
                     "    tl.static_print(f'{B=} {k:>4}|{\"a\"!r}', k)\n"
                     "  name = f'n{B}'\n  tl.static_assert(name == 'n8', f'is {name}')\n";
  Generated kernel = generate(text, {arg("i32"), constant(8)});
  EXPECT_EQ(kernel.errors, "");
  EXPECT_EQ(kernel.printed, "B=8   16|'a' 16\n");
}

TEST(Expressions, EllipsisInSubscripts) {
  Generated kernel = generate("def kernel(p):\n  t = tl.zeros((4, 8), tl.float32)\n"
                              "  tl.static_assert(t[..., None].shape[2] == 1)\n"
                              "  tl.static_assert(t[None, ...].shape[0] == 1)\n",
                              {arg("*fp32")});
  EXPECT_EQ(kernel.errors, "");
}

TEST(Expressions, AssertsAreCompiledInWhenDebugging) {
  std::string text = "def kernel(n):\n  assert n > 0, 'positive'\n";
  EXPECT_TRUE(generate(text, {arg("i32")}, {}, true).has("tt.assert"));
  EXPECT_FALSE(generate(text, {arg("i32")}, {}, false).has("tt.assert"));
}
} // namespace
