//===- DiagnosticTest.cpp - what a user reads (conformance 12) ------------===//

#include "Kernel.h"

using namespace tritium::testing;

namespace {
/// `body` stands on line 2 and on of a kernel with some parameters.
std::string inKernel(const std::string &body) {
  return "__global__ void k(float *p, half *h, int n) {\n" + body + "\n}\n";
}

void expectError(const std::string &text, const std::string &expected, const Defines &defines = {},
                 bool debug = false) {
  std::string errors = errorsOf(text, defines, debug);
  EXPECT_NE(errors.find(expected), std::string::npos)
      << text << "\nexpected: " << expected << "\nfound:\n"
      << errors;
}

void expectErrorIn(const std::string &body, const std::string &expected) {
  expectError(inKernel(body), expected);
}
} // namespace

TEST(Elements, Diagnostics) {
  const std::string tile = "  int t[8] = 0 ... 8;\n";
  expectErrorIn(tile + "  *p = t[8];",
                "kernel.tc:3:8: error: subscript constexpr 8 is out of range "
                "for dimension 0, which has 8 elements");
  expectErrorIn(tile + "  t[n:] = 1;", "a bound of a slice must be an integer constant expression, "
                                       "found a value that is known only at run time");
  expectErrorIn(tile + "  t[4:4] = 1;",
                "this slice of dimension 0, which has 8 elements, is empty");
  expectErrorIn(tile + "  t[1.5] = 1;", "a tile is subscripted with integers");
  expectErrorIn(tile + "  t[0:4] = 0 ... 3;", "cannot assign int32[3] to elements of shape [4]");
  expectErrorIn(tile + "  t[+] = 1;", "an axis cannot be reduced or moved where elements are");
  expectErrorIn(tile + "  (t + 1)[0] = 1;", "only the elements of a variable can be assigned to");
  expectErrorIn(tile + "  t[0] = p;", "cannot assign to elements of type 'int'");
  expectErrorIn("  n[0] = 1;", "only tiles have elements to assign to, found 'int'");
  expectErrorIn("  p[0] = 1;", "to access memory write *(p + i)");
  expectErrorIn("  const int t[8] = 0;\n  t[0] = 1;", "'t' is const and cannot be assigned to");
  expectErrorIn("  int t[8, 4] = 0;\n  *p = t[1];", "too few subscripts: 'int[8, 4]' has 2 axes");
  expectErrorIn("  int t[8, 4] = 0;\n  *p = t[1, +];", "an axis cannot be reduced or moved");
}

TEST(Conformance12Diagnostics, PointerAndScalarSubscript) {
  expectErrorIn("  *p = p[:];", "kernel.tc:2:8: error: only tiles can be subscripted, found "
                                "'float*'; to access memory write *(p + i)");
  expectErrorIn("  *p = n[newaxis];", "only tiles can be subscripted, found 'int'");
}

TEST(Conformance12Diagnostics, SubscriptsNameEveryAxis) {
  expectErrorIn("  int t[8] = 0;\n  *p = t[:, :][+];", "too many subscripts: 'int[8]' has 1 axis");
  expectErrorIn("  int t[8, 4] = 0;\n  *p = t[+];", "too few subscripts: 'int[8, 4]' has 2 axes");
  expectErrorIn("  int t[8, 4] = 0;\n  *p = t[^0, ^0][+, +];",
                "a permutation must address every axis of 'int[8, 4]' once, found axis 0 again");
}

TEST(Conformance12Diagnostics, TileAsCondition) {
  expectErrorIn("  int t[8] = 0 ... 8;\n  if (t < n) *p = 1;",
                "kernel.tc:3:7: error: a condition must be a scalar, found 'bool[8]'");
  expectErrorIn("  int t[8] = 0 ... 8;\n  while (t) *p = 1;", "found 'int[8]'");
  expectErrorIn("  int t[8] = 0 ... 8;\n  for (; t;) *p = 1;", "found 'int[8]'");
}

TEST(Conformance12Diagnostics, RunTimeRangeBound) {
  expectErrorIn("  *(p + 0 ... n) = 1;",
                "kernel.tc:2:15: error: the end of a range must be an integer constant expression, "
                "found a value that is known only at run time");
  expectErrorIn("  *(p + 4 ... 4) = 1;", "the end of a range must be greater than its start");
  expectErrorIn("  *(p + 0 ... 1.5f) = 1;",
                "must be an integer constant expression, found 'float'");
}

TEST(Conformance12Diagnostics, OperandsOfMatmul) {
  std::string tiles = "  float a[16, 8] = 0;\n  half b[8, 16] = 0;\n  float c[4, 16] = 0;\n";
  expectErrorIn(tiles + "  a @ b;", "kernel.tc:5:3: error: the operands of '@' must have one "
                                    "element type, found 'float[16, 8]' and 'half[8, 16]'");
  expectErrorIn(tiles + "  a @ c;", "axis 1 of the left operand with axis 0 of the right one, "
                                    "which are 8 and 4");
  expectErrorIn(tiles + "  a @ n;", "'@' needs two tiles of rank 2, or of one higher rank");
}

TEST(Conformance12Diagnostics, TwoDimensionalCArray) {
  EXPECT_NE(errorsOf(inKernel("  float x[16][8] = 0;")), "");
}

TEST(Conformance12Diagnostics, MissingSemicolon) {
  expectErrorIn("  int x = n\n  *p = x;", "error: expected ';'");
}

TEST(Diagnostics, NamesThatLookLikeMacros) {
  expectErrorIn("  int x = TZ;", "kernel.tc:2:11: error: use of undeclared identifier 'TZ'; if it "
                                 "is a macro, define it: -DTZ=...");
  expectErrorIn("  float x = INFINITY;", "-DINFINITY=F32_INFINITY");
  expectErrorIn("  int count = 3;\n  *p = coun;", "did you mean 'count'?");
}

TEST(Diagnostics, Calls) {
  expectErrorIn("  foo(1);", "'foo' is neither a function of this file nor a built-in");
  expectErrorIn("  *p = get_program_id();", "'get_program_id' takes 1 argument, found 0");
  expectErrorIn("  *p = get_program_id(n);", "must be an integer constant expression");
  expectErrorIn("  *p = get_program_id(3);", "must be 0, 1 or 2, found 3");
  expectErrorIn("  int t[4] = 0;\n  *p = __sum(t, 1);",
                "'__sum' has axis 1, which 'int[4]' does not");
  expectErrorIn("  int t[4] = 0;\n  *p = __reshape(t, 2, 3)[+, +];", "cannot reshape [4]");
  expectErrorIn("  *p = exp(p);", "'exp' needs a number, found 'float*'");
  expectErrorIn("  atomic_add(n, 1);", "needs a pointer as its first argument, found 'int'");
  expectErrorIn("  *p = n > 0 ? atomic_add(p, 1) : 0;", "within an arm of '?:'");
  expectErrorIn("  int x = n > 0 ? n++ : 0;", "within an arm of '?:'");
  std::string callee = "int f(int a, int b) { return a + b; }\n";
  expectError(callee + inKernel("  *p = f(1);"), "'f' takes 2 arguments, found 1");
  expectError(callee + inKernel("  *p = f(1, 2, 3);"), "kernel.tc:1:5: note: the function is");
  expectError(callee + inKernel("  *p = f(1, p);"), "cannot initialise parameter 'b'");
  expectError("void g(float *p) { *p = 1; }\n" + inKernel("  *p = g(p);"), "returns void");
}

TEST(Diagnostics, RecursionShowsTheChain) {
  expectError("float g(float x) { return f(x); }\n"
              "float f(float x) { return g(x) + 1; }\n" +
                  inKernel("  *p = f(n);"),
              "recursion is not supported: f -> g -> f");
}

TEST(Diagnostics, ErrorsInFunctionsShowTheCalls) {
  expectError("float f(float x) { return x[:]; }\n" + inKernel("  *p = f(n);"),
              "kernel.tc:3:8: note: 'f' is called here");
}

TEST(Diagnostics, Pointers) {
  expectErrorIn("  *n = 1;", "kernel.tc:2:3: error: '*' needs a pointer or a tile of pointers, "
                             "found 'int'");
  expectErrorIn("  p = n;", "cannot assign to 'p' of type 'float*' with a value of type 'int'");
  expectErrorIn("  p = h;", "write a cast if that is meant");
  expectErrorIn("  *p = &n;", "'&' is not part of Triton-C");
  expectErrorIn("  int t[8] = 0;\n  *p = t;", "only a tile of one element converts to a scalar");
  expectErrorIn("  p * 2;", "invalid operands to '*': 'float*' and 'int'");
  expectErrorIn("  p % 2.0f;", "invalid operands");
  expectError("__global__ void k(const float *p) { *p = 1; }", "store through a pointer to const");
}

TEST(Diagnostics, OwnInitialiser) {
  expectErrorIn("  int x = x + 1;", "'x' is used in its own initialiser");
}

TEST(Diagnostics, RedefinitionInOneScope) {
  expectErrorIn("  int x = 1;\n  if (n) return;\n  int x = 2;",
                "kernel.tc:4:7: error: redefinition "
                "of 'x'");
  expectErrorIn("  float n = 1;", "redefinition of 'n'");
  EXPECT_EQ(errorsOf(inKernel("  { float n = 1; }\n  for (int n = 0; n < 3; ++n) { int n = 4; }\n"
                              "  if (n) { int p = 1; }")),
            "");
}

TEST(Diagnostics, SeveralErrorsAreReported) {
  std::string errors = errorsOf(inKernel("  int a = q1;\n  int b = q2;\n  if (q3) { b = q4; }\n"));
  for (const char *name : {"'q1'", "'q2'", "'q3'", "'q4'"})
    EXPECT_NE(errors.find(name), std::string::npos) << errors;
}

TEST(Diagnostics, JumpsAndReturns) {
  expectErrorIn("  break;", "'break' is not in a loop");
  expectErrorIn("  return 1;", "void function 'k' cannot return a value");
  expectError("int f() { return; }\n" + inKernel("  *p = f();"), "must return a value of type");
  expectError("int k(float *p) { return 1; }", "");
}

TEST(Diagnostics, StaticAssertions) {
  expectErrorIn("  _Static_assert(TM % 16 == 0, \"TM must be a multiple of 16\");", "TM");
  expectError(inKernel("  _Static_assert(TM % 16 == 0, \"TM must be a multiple of 16\");"),
              "static assertion failed: TM must be a multiple of 16", {{"TM", "24"}});
  expectError("_Static_assert(sizeof(TYPE) == 2, \"halves only\");\n" + inKernel(""),
              "kernel.tc:1:1: error: static assertion failed: halves only", {{"TYPE", "float"}});
  EXPECT_EQ(errorsOf(inKernel("  _Static_assert(TM % 16 == 0, \"no\");"), {{"TM", "32"}}), "");
}

TEST(Diagnostics, DeepAndExplodingKernelsEnd) {
  std::string text;
  text += "int f0(int x) { return x; }\n";
  for (int i = 1; i < 40; ++i) {
    std::string callee = "f" + std::to_string(i - 1);
    text +=
        "int f" + std::to_string(i) + "(int x) { return " + callee + "(x) + " + callee + "(x); }\n";
  }
  expectError(text + inKernel("  *p = f39(n);"), "the kernel expands to more than");
}

TEST(Diagnostics, DeeplyNestedCallsEndInAnErrorOrCompile) {
  std::string text = "int f0(int x) { return x; }\n", minus;
  for (int i = 0; i < 120; ++i)
    minus += "- ";
  for (int i = 1; i < 20; ++i)
    text += "int f" + std::to_string(i) + "(int x) { return " + minus + "f" +
            std::to_string(i - 1) + "(x); }\n";
  expectError(text + inKernel("  *p = f19(n);"), "this is nested too deeply");
  EXPECT_EQ(errorsOf(text + inKernel("  *p = f4(n);")), "");
}

TEST(Diagnostics, MacrosAreShownWhereTheyAreUsed) {
  expectError("#define BAD (n[:])\n" + inKernel("  *p = BAD;"), "kernel.tc:3:8: error: only tiles");
}

TEST(Conformance12Diagnostics, ConstVariables) {
  expectErrorIn("  const int x = n;\n  x = 4;\n  *p = x;",
                "kernel.tc:3:3: error: 'x' is const and cannot be assigned to");
  expectErrorIn("  const int x = n;\n  x = 4;\n  *p = x;",
                "kernel.tc:2:13: note: it is declared here");
  expectErrorIn("  const float t[8] = *(p + 0 ... 8);\n  t += 1;", "'t' is const");
  expectErrorIn("  int const x = n;\n  ++x;", "kernel.tc:3:5: error: 'x' is const");
  expectErrorIn("  const int x = n;\n  x--;", "'x' is const");
  expectErrorIn("  for (const int i = 0; i < n; i++) *p = i;", "'i' is const");
  expectErrorIn("  const int i = 0;\n  while (i < n) { *p = i; i += 1; }", "'i' is const");
  expectErrorIn("  const int x = n;\n  @(n > 3) x = 4;", "'x' is const");
  expectErrorIn("  float *const q = p;\n  q = p + 1;", "'q' is const");
  expectErrorIn("  const int a = 1, b = 2;\n  b = a;", "'b' is const");
  expectError("void k(const int n) { n = 3; }", "'n' is const");
  expectError("int f(const int a) { a = 2; return a; }\nvoid k(int *p) { *p = f(1); }",
              "'a' is const");
  // What is pointed to is const, or another variable of the declaration is.
  EXPECT_EQ(errorsOf(inKernel("  const float *q = p;\n  q = q + 1;\n  *p = *q;")), "");
  EXPECT_EQ(errorsOf(inKernel("  float *const q = p, *r = p;\n  r = q + 1;\n  *q = *r;")), "");
  EXPECT_EQ(errorsOf(inKernel("  { const int x = 1; *p = x; }\n  int x = 2; x += 1; *p = x;")), "");
}
