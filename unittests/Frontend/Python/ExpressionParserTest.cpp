//===- ExpressionParserTest.cpp - expressions of the Python front end -----===//

#include "ParserTestUtil.h"

using namespace tritium;
using namespace tritium::frontend;

namespace {
TEST(Expressions, PrecedenceAndAssociativity) {
  EXPECT_EQ(expr("a + b * c"), "(+ a (* b c))");
  EXPECT_EQ(expr("a - b - c"), "(- (- a b) c)");
  EXPECT_EQ(expr("a ** b ** c"), "(** a (** b c))");
  EXPECT_EQ(expr("-a ** b"), "(- (** a b))");
  EXPECT_EQ(expr("a ** -b"), "(** a (- b))");
  EXPECT_EQ(expr("a | b ^ c & d << e + f"), "(| a (^ b (& c (<< d (+ e f)))))");
  EXPECT_EQ(expr("a // b % c @ d / e"), "(/ (@ (% (// a b) c) d) e)");
  EXPECT_EQ(expr("~a + +b"), "(+ (~ a) (+ b))");
  EXPECT_EQ(expr("not a == b"), "(not (cmp a == b))");
  EXPECT_EQ(expr("a or b and not c or d"), "(or a (and b (not c)) d)");
  EXPECT_EQ(expr("(a or b) or c"), "(or (or a b) c)");
  EXPECT_EQ(expr("a if b else c if d else e"), "(? b a (? d c e))");
}

TEST(Expressions, Comparisons) {
  EXPECT_EQ(expr("a < b <= c"), "(cmp a < b <= c)");
  EXPECT_EQ(expr("a is not None"), "(cmp a is not None)");
  EXPECT_EQ(expr("a is b"), "(cmp a is b)");
  EXPECT_EQ(expr("a not in b"), "(cmp a not in b)");
  EXPECT_EQ(expr("a | b < c"), "(cmp (| a b) < c)");
}

TEST(Expressions, CallsAttributesSubscripts) {
  EXPECT_EQ(expr("tl.load(p + o, mask=m, other=0.0)"),
            "(call (.load tl) (+ p o) mask=m other=0.0)");
  EXPECT_EQ(expr("f(*a, b, **c)"), "(call f *a b **c)");
  EXPECT_EQ(expr("f(x for x in t if x)"), "(call f (comp x x t if x))");
  EXPECT_EQ(expr("f(a,)"), "(call f a)");
  EXPECT_EQ(expr("x[:, None]"), "([] x (tuple (slice _ _ _) None))");
  EXPECT_EQ(expr("x[..., 1:2:3, ::-1]"), "([] x (tuple ... (slice 1 2 3) (slice _ _ (- 1))))");
  EXPECT_EQ(expr("x[a,]"), "([] x (tuple a))");
  EXPECT_EQ(expr("kernel[(1,)](x).y"), "(.y (call ([] kernel (tuple 1)) x))");
}

TEST(Expressions, DisplaysAndComprehensions) {
  EXPECT_EQ(expr("()"), "(tuple)");
  EXPECT_EQ(expr("(a)"), "a");
  EXPECT_EQ(expr("(a,)"), "(tuple a)");
  EXPECT_EQ(expr("a, *b"), "(tuple a (star b))");
  EXPECT_EQ(expr("[a, b,]"), "(list a b)");
  EXPECT_EQ(expr("[i + 1 for i, j in t if i if j]"), "(listcomp (+ i 1) (tuple i j) t if i if j)");
  EXPECT_EQ(expr("(y := f(x))"), "(:= y (call f x))");
}

TEST(Expressions, Numbers) {
  EXPECT_EQ(expr("1_000"), "1000");
  EXPECT_EQ(expr("0xFF_ff"), "65535");
  EXPECT_EQ(expr("0b1_01"), "5");
  EXPECT_EQ(expr("0o17"), "15");
  EXPECT_EQ(expr("00"), "0");
  EXPECT_EQ(expr("18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(expr("1."), "1.0");
  EXPECT_EQ(expr(".5e-1"), "0.05");
  EXPECT_EQ(expr("1_0e1_0"), "100000000000.0");
  EXPECT_EQ(expr("1e999"), "inf");
  EXPECT_EQ(expr("18446744073709551616"), "1:1: this integer does not fit into 64 bits");
  EXPECT_EQ(expr("0x"), "1:1: a number needs digits after its base prefix");
  EXPECT_EQ(expr("017"), "1:1: a decimal number may not start with 0; octal is written 0o17");
  EXPECT_EQ(expr("1_"), "1:1: invalid number");
  EXPECT_EQ(expr("1x"), "1:1: invalid number");
  EXPECT_EQ(expr("2j"), "1:1: a complex number is not supported in a kernel; carry the real and "
                        "the imaginary part in two names instead");
}

TEST(Expressions, Strings) {
  EXPECT_EQ(expr("'a' \"b\" r'\\n'"), "'ab\\\\n'");
  EXPECT_EQ(expr("'''a\n'b'''"), "\"a\\n'b\"");
  EXPECT_EQ(expr("'\\x41\\101\\u00e9\\\n'"), "'AA\xC3\xA9'");
  EXPECT_EQ(expr("'\\q'"), "'\\\\q'");
  EXPECT_EQ(expr("''"), "''");
  EXPECT_EQ(expr("'a"), "1:1: unterminated string");
  EXPECT_EQ(expr("'\\x4'"), "1:2: invalid escape in a string");
  EXPECT_EQ(expr("b'a'"), "1:1: a bytes literal is not supported in a kernel; write a string or "
                          "integers instead");
}

TEST(Expressions, FStrings) {
  EXPECT_EQ(expr("f'a{x + 1}b'"), "(f 'a' (+ x 1) 'b')");
  EXPECT_EQ(expr("f'{{{x!r:>8}}}'"), "(f '{' x!r:>8 '}')");
  EXPECT_EQ(expr("f'{x=}'"), "(f 'x=' x!r)");
  EXPECT_EQ(expr("f'{x == y}'"), "(f (cmp x == y))");
  EXPECT_EQ(expr("f'{d[\"a:b\"]}' 'c'"), "(f ([] d 'a:b') 'c')");
  EXPECT_EQ(expr("'a' f'b'"), "(f 'ab')");
  EXPECT_EQ(expr("f'{}'"), "1:3: an f-string has an empty expression");
  EXPECT_EQ(expr("f'{x'"), "1:3: '{' of an f-string is never closed");
  EXPECT_EQ(expr("f'}'"), "1:3: '}' in an f-string must be doubled");
  EXPECT_EQ(expr("f'{x!z}'"), "1:3: an f-string knows the conversions !r, !s and !a");
  EXPECT_EQ(expr("f'{x y}'"), "1:6: expected an operator or the end, found 'y'");
}

TEST(Expressions, SyntaxErrors) {
  EXPECT_EQ(expr("a +"), "1:4: expected an expression, found the end of the line");
  EXPECT_EQ(expr("(a"), "1:1: '(' is never closed");
  EXPECT_EQ(expr("a]"), "1:2: unmatched ']'");
  EXPECT_EQ(expr("(a]"), "1:3: ']' closes '('");
  EXPECT_EQ(expr("a b"), "1:3: expected an operator or the end, found 'b'");
  EXPECT_EQ(expr("a ? b"), "1:3: unexpected character '?'");
  EXPECT_EQ(expr("a if b"), "1:7: expected 'else' of this conditional expression, found the end "
                            "of the line");
  EXPECT_EQ(expr("f(a=1, a=2)"), "1:8: argument 'a' is given twice");
  EXPECT_EQ(expr("f(a=1, b)"), "1:8: a positional argument follows a keyword argument");
  EXPECT_EQ(expr("x[]"), "1:3: a subscript needs an index");
  EXPECT_EQ(expr("*a"), "1:1: '*' is not allowed here; it stands in a tuple or a call");
}

TEST(Expressions, UnsupportedOnesSayWhatToWrite) {
  EXPECT_EQ(expr("{1, 2}"), "1:1: a set is not supported in a kernel; use a tuple instead");
  EXPECT_EQ(expr("{a: b for a in c}"), "1:1: a comprehension of a dict is not supported in a "
                                       "kernel; write its entries instead");
  EXPECT_EQ(expr("{**a}"), "1:2: '**' in a dict display is not supported in a kernel; write its "
                           "entries instead");
  EXPECT_EQ(expr("await x"), "1:1: 'await' is not supported in a kernel; call the function "
                             "directly instead");
  EXPECT_EQ(expr("(yield x)"), "1:2: 'yield' is not supported in a kernel; return a tuple instead");
}

TEST(Expressions, Dicts) {
  EXPECT_EQ(expr("{}"), "(dict)");
  EXPECT_EQ(expr("{1: a, (b, c): {2: d},}"), "(dict 1: a (tuple b c): (dict 2: d))");
}

TEST(Expressions, LambdasAndComprehensions) {
  EXPECT_EQ(expr("lambda x, *y, z=1: x"), "(def <lambda> (x *y kw:z=1) {(return x)})");
  EXPECT_EQ(expr("f(lambda: 1, 2)"), "(call f (def <lambda> () {(return 1)}) 2)");
  EXPECT_EQ(expr("[x for x in a for y in b if y if x]"), "(listcomp x x a for y b if y if x)");
  EXPECT_EQ(expr("lambda x x: x"), "1:10: expected ',' or ':' in the parameters, found 'x'");
}

TEST(Expressions, DeepNestingIsAnErrorAndNoCrash) {
  EXPECT_EQ(expr(std::string(100000, '(')), "1:201: brackets are nested too deeply");
  EXPECT_EQ(expr(std::string(100000, '-') + "a"), "1:400: this is nested too deeply");
  std::string sum = "a";
  for (int i = 0; i < 100000; ++i)
    sum += " + a";
  EXPECT_EQ(expr(sum), "1:1: this expression is nested too deeply; split it with names");
  std::string nots, ternaries, dots = "a", powers = "a";
  for (int i = 0; i < 100000; ++i) {
    nots += "not ";
    ternaries += "a if b else ";
    dots += ".a";
    powers += "**a";
  }
  for (const std::string &text : {nots + "a", ternaries + "a", dots, powers})
    EXPECT_NE(expr(text).find("nested too deeply"), std::string::npos);
  std::string many = "f(";
  for (int i = 0; i < 10000; ++i)
    many += "a,";
  EXPECT_EQ(expr(many + ")").substr(0, 11), "(call f a a");
}

TEST(Expressions, RangesCoverTheText) {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  uint32_t file = sources.addFile("k.py", "f(a, (b + c)) * d.e[1]");
  auto tree = python::parseExpression(sources, file, diagnostics);
  ASSERT_TRUE(tree);
  auto text = [&](const ast::Expr &e) {
    return std::string(
        sources.text(file).substr(e.range.begin.offset, e.range.end.offset - e.range.begin.offset));
  };
  auto &product = llvm::cast<ast::Binary>(*tree);
  EXPECT_EQ(text(product), "f(a, (b + c)) * d.e[1]");
  EXPECT_EQ(text(*product.lhs), "f(a, (b + c))");
  EXPECT_EQ(text(*llvm::cast<ast::Call>(*product.lhs).arguments[1].value), "(b + c)");
  EXPECT_EQ(text(*product.rhs), "d.e[1]");
  EXPECT_EQ(text(*llvm::cast<ast::Subscript>(*product.rhs).base), "d.e");
}
} // namespace
