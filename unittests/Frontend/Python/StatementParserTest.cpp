//===- StatementParserTest.cpp - statements of the Python front end -------===//

#include "ParserTestUtil.h"

using namespace tritium;
using namespace tritium::frontend;

namespace {
TEST(Statements, Assignments) {
  EXPECT_EQ(body("a = b = c"), "{(= a b c)}");
  EXPECT_EQ(body("a, b = c, d"), "{(= (tuple a b) (tuple c d))}");
  EXPECT_EQ(body("(a, (b, c)) = d"), "{(= (tuple a (tuple b c)) d)}");
  EXPECT_EQ(body("a += 1; b //= 2; c **= 3; d <<= 4; e @= f"),
            "{(+= a 1) (//= b 2) (**= c 3) (<<= d 4) (@= e f)}");
  EXPECT_EQ(body("a: tl.constexpr = 1"), "{(: a (.constexpr tl) 1)}");
  EXPECT_EQ(body("a: int"), "{(: a int _)}");
  EXPECT_EQ(body("x[i] = v"), "{(= ([] x i) v)}");
}

TEST(Statements, Compound) {
  EXPECT_EQ(body("if a:\n  b\nelif c:\n  d\nelse:\n  e"), "{(if a {b} {(if c {d} {e})})}");
  EXPECT_EQ(body("if a: b; c\nd"), "{(if a {b c}) d}");
  EXPECT_EQ(body("for i in range(3):\n  pass"), "{(for i (call range 3) {pass})}");
  EXPECT_EQ(body("for i, j in t: i"), "{(for (tuple i j) t {i})}");
  EXPECT_EQ(body("while a < b:\n  a += 1"), "{(while (cmp a < b) {(+= a 1)})}");
  EXPECT_EQ(body("if (n := f()) > 1:\n  n"), "{(if (cmp (:= n (call f)) > 1) {n})}");
}

TEST(Statements, Simple) {
  EXPECT_EQ(body("return"), "{(return _)}");
  EXPECT_EQ(body("return a, b"), "{(return (tuple a b))}");
  EXPECT_EQ(body("assert a, 'b'"), "{(assert a 'b')}");
  EXPECT_EQ(body("raise a from b"), "{(raise a b)}");
  EXPECT_EQ(body("\"doc\"\npass"), "{'doc' pass}");
  EXPECT_EQ(body("match = 1\nmatch(x)"), "{(= match 1) (call match x)}");
}

TEST(Statements, LinesAndIndentation) {
  EXPECT_EQ(function("def f(a,\n  b):  # c\n\n  x = (a +\n# comment\nb)\n  y = a + \\\n b\n"),
            "(def f (a b) {(= x (+ a b)) (= y (+ a b))})");
  EXPECT_EQ(function("def f():\r\n\tif a:\r\n\t\tb\r\n\tc"), "(def f () {(if a {b}) c})");
  EXPECT_EQ(function("def f(): pass"), "(def f () {pass})");
  EXPECT_EQ(function("def f():\n    a\n  b\n"), "3:1: this indentation matches no outer block");
  EXPECT_EQ(function("def f():\n  a\n    b\n"), "3:1: unexpected indentation");
  EXPECT_EQ(function("def f():\na\n"),
            "2:1: expected an indented block after the function's header, found 'a'");
  EXPECT_EQ(body("a = \\ b"), "2:7: '\\' must be the last character of its line");
}

TEST(Functions, Parameters) {
  EXPECT_EQ(function("@triton.jit\n@x(a, [1,\n 2])\ndef f(a, b: tl.constexpr = 1, *, c=2, **M) -> "
                     "int:\n  pass\n"),
            "(def f (a b:(.constexpr tl)=1 kw:c=2 **M) {pass})");
  EXPECT_EQ(function("def f(a, /, b, *r): pass"), "(def f (/a b *r) {pass})");
  EXPECT_EQ(function("def f(a, a): pass"), "1:10: parameter 'a' is named twice");
  EXPECT_EQ(function("def f(a=1, b): pass"),
            "1:12: a parameter without a default follows one that has a default");
  EXPECT_EQ(function("def f(**m, a): pass"), "1:12: nothing may follow the '**' parameter");
  EXPECT_EQ(function("def f(1): pass"), "1:7: expected the name of a parameter, found '1'");
  EXPECT_EQ(function("async def f(): pass"),
            "1:1: an async function is not supported in a kernel; write a plain function instead");
  EXPECT_EQ(function("x = 1"), "1:1: expected 'def', found 'x'");
  EXPECT_EQ(function(""), "1:1: expected 'def', found the end of the text");
  EXPECT_EQ(function("def f(): pass\nx"), "2:1: expected the end of the function, found 'x'");
}

TEST(Statements, SyntaxErrors) {
  EXPECT_EQ(body("a = = b"), "2:7: expected an expression, found '='");
  EXPECT_EQ(body("f() = 1"), "2:3: this cannot be assigned to");
  EXPECT_EQ(body("a, b += 1"), "2:3: a tuple cannot be the target of an augmented assignment");
  EXPECT_EQ(body("a.b: int = 1"), "2:3: only a name can be annotated");
  EXPECT_EQ(body("if a\n  b"), "2:7: expected ':' after 'if', found the end of the line");
  EXPECT_EQ(body("a b"), "2:5: expected an operator or the end of the line, found 'b'");
  EXPECT_EQ(body("else: a"), "2:3: expected an expression, found 'else'");
}

TEST(Statements, UnsupportedOnesSayWhatToWrite) {
  struct {
    const char *text, *error;
  } cases[] = {
      {"try:\n  a\nexcept:\n  b", "'try' is not supported in a kernel; nothing in a kernel raises; "
                                  "test the condition with 'if' instead"},
      {"yield a", "'yield' is not supported in a kernel; return a tuple instead"},
      {"async for a in b: c",
       "'async' is not supported in a kernel; write a plain loop or function instead"},
      {"del a", "'del' is not supported in a kernel; names end with their function; leave it out"},
      {"import a", "'import' is not supported in a kernel; import at module level instead"},
      {"from a import b", "'import' is not supported in a kernel; import at module level instead"},
      {"global a", "'global' is not supported in a kernel; pass the value as an argument and "
                   "return it instead"},
      {"nonlocal a", "'nonlocal' is not supported in a kernel; pass the value as an argument and "
                     "return it instead"},
      {"class A: pass",
       "a class is not supported in a kernel; define it outside of the kernel instead"},
      {"match a:\n  case 1: b",
       "'match' is not supported in a kernel; use if, elif and else instead"},
      {"*a = c", "'*' is not allowed here; it stands in a tuple or a call"},
  };
  for (auto &test : cases)
    EXPECT_EQ(body(test.text), std::string("2:3: ") + test.error);
}

TEST(Statements, ElseOfLoops) {
  EXPECT_EQ(body("for i in a:\n  b\nelse:\n  c"), "{(for i a {b}) c}");
}

TEST(Statements, NothingLeavesAWith) {
  EXPECT_EQ(body("with a:\n  return b"),
            "3:5: 'return' within a 'with' block is not supported in a kernel; bind a name there "
            "and return it behind the block instead");
  EXPECT_EQ(body("for i in a:\n  with b: break"),
            "3:13: 'break' out of a 'with' block is not supported in a kernel; put the 'with' "
            "around the loop instead");
}

TEST(Statements, NestedFunctions) {
  EXPECT_EQ(body("@jit\ndef g(x): return x\ny"), "{(def g (x) {(return x)}) y}");
  EXPECT_EQ(body("*a, *b = c"), "2:7: a second starred target in one assignment");
  EXPECT_EQ(body("for i in a:\n  def g(): break"), "3:14: 'break' is not in a loop");
  EXPECT_EQ(body("*a, b = c"), "{(= (tuple (star a) b) c)}");
}

TEST(Statements, JumpsStandInLoops) {
  EXPECT_EQ(body("for i in a:\n  if b: break\n  continue"),
            "{(for i a {(if b {break}) continue})}");
  EXPECT_EQ(body("break"), "2:3: 'break' is not in a loop");
  EXPECT_EQ(body("while a: b\nif c:\n  continue"), "4:5: 'continue' is not in a loop");
}

TEST(Statements, UnsupportedErrorsHaveTheirKind) {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  uint32_t file = sources.addFile("k.py", "def f():\n  yield\n");
  EXPECT_FALSE(python::parseFunction(sources, file, diagnostics));
  EXPECT_EQ(diagnostics.all().front().kind, python::kUnsupported);
}

TEST(Statements, DeepNestingIsAnErrorAndNoCrash) {
  std::string nested = "def f():\n";
  for (int i = 1; i < 2000; ++i)
    nested += std::string(i, ' ') + "if a:\n";
  EXPECT_NE(function(nested).find("nested too deeply"), std::string::npos);
  std::string chain = "if a: b\n";
  for (int i = 0; i < 5000; ++i)
    chain += "elif a: b\n";
  EXPECT_NE(body(chain).find("nested too deeply"), std::string::npos);
}
} // namespace
