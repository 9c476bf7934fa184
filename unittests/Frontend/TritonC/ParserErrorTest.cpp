//===- ParserErrorTest.cpp - what the parser of Triton-C reports ----------===//
//
// Conformance item 12, as far as syntax goes.
//
//===----------------------------------------------------------------------===//

#include "ParserTestUtil.h"

using namespace tritium;
using namespace tritium::frontend::tritonc;

namespace {
/// The first line of what is reported for a function's body, whose first line is line 2.
std::string firstError(std::string text) {
  std::string all = body(std::move(text));
  return all.substr(0, all.find('\n'));
}

TEST(TritonCParserError, MissingSemicolon) {
  EXPECT_EQ(body("int x = 1\nint y = 2;"),
            "k.tc:2:10: error: expected ';' after a declaration, found 'int'\n"
            "int x = 1\n"
            "         ^\n"
            "         ;\n");
  // The tutorial's text: what follows could go on as a product.
  EXPECT_EQ(body("int off[32] = id * 32 + (0 ... 32)\n*(c + off) = *(a + off) + *(b + off)"),
            "k.tc:2:35: error: expected ';' after an expression, found '*'\n"
            "int off[32] = id * 32 + (0 ... 32)\n"
            "                                  ^\n"
            "                                  ;\n"
            "k.tc:3:37: error: expected ';' after an expression, found '}'\n"
            "*(c + off) = *(a + off) + *(b + off)\n"
            "                                    ^\n"
            "                                    ;\n");
}

TEST(TritonCParserError, WhatIsNotInTheLanguage) {
  EXPECT_EQ(firstError("float x[16][8];"),
            "k.tc:2:12: error: a tile is declared with one pair of brackets: 'x[d0, d1]'");
  EXPECT_EQ(firstError("goto end;"),
            "k.tc:2:1: error: there is no 'goto' in Triton-C; use loops with "
            "'break' and 'continue'");
  EXPECT_EQ(firstError("switch (x) {}"),
            "k.tc:2:1: error: there is no 'switch' in Triton-C; use 'if' "
            "and 'else if'");
  EXPECT_EQ(firstError("struct s x;"),
            "k.tc:2:1: error: there is no 'struct' in Triton-C: types are "
            "numbers, pointers and tiles of them");
  EXPECT_EQ(firstError("float (*p)[4];"), "k.tc:2:8: error: there are no pointers to tiles or "
                                          "functions: 'T *p[16]' is a tile of pointers");
  EXPECT_EQ(firstError("x.y;"), "k.tc:2:2: error: there are no structures in Triton-C");
  EXPECT_EQ(firstError("a * ?(m)p;"),
            "k.tc:2:5: error: '?' cannot start an operand; a load under a "
            "mask is '*?(mask) pointer'");
  EXPECT_EQ(firstError("x[1:2:3:4];"),
            "k.tc:2:8: error: a slice has three parts, 'first:end:step'");
  EXPECT_EQ(firstError("x[1::2:4];"), "k.tc:2:7: error: a slice has three parts, 'first:end:step'");
  EXPECT_EQ(firstError("x[-];"),
            "k.tc:2:3: error: '-' does not reduce; the reductions are '+', 'max' and 'min'");
}

TEST(TritonCParserError, Extents) {
  EXPECT_EQ(firstError("float c[TM];"),
            "k.tc:2:9: error: the extent of a tile must be an integer "
            "constant, found 'TM'; if it is a macro, define it with -DTM=...");
  EXPECT_EQ(firstError("float c[n + 1];"),
            "k.tc:2:9: error: the extent of a tile must be an integer constant, found 'n'");
  EXPECT_EQ(firstError("float c[4, 0];"),
            "k.tc:2:12: error: the extent of a tile must be at least 1, found 0");
  EXPECT_EQ(firstError("float c[1 / 0];"),
            "k.tc:2:11: error: the extent of a tile divides by zero");
  EXPECT_EQ(firstError("float c[1 << 64];"),
            "k.tc:2:11: error: a shift of 'int' must be from 0 to 31 bits, found 64");
  EXPECT_EQ(firstError("float c[];"),
            "k.tc:2:8: error: a tile needs an extent for each axis: 'float x[16, 8]'");
}

TEST(TritonCParserError, UnknownTypes) {
  EXPECT_EQ(firstError("TYPE x = 3;"),
            "k.tc:2:1: error: unknown type 'TYPE'; if it is a macro, define it with -DTYPE=...");
  EXPECT_EQ(parsed("void f(TYPE *x) {}").substr(0, 37), "k.tc:1:8: error: unknown type 'TYPE';");
}

TEST(TritonCParserError, NumbersAndLists) {
  EXPECT_EQ(firstError("x = 1.5h;"),
            "k.tc:2:5: error: '1.5h' is not a number; a float ends in 'f', and "
            "there is no suffix for half");
  EXPECT_EQ(firstError("x = 99999999999999999999;"),
            "k.tc:2:5: error: '99999999999999999999' does not fit in 64 bits");
  EXPECT_EQ(firstError("int r[2] = {1, 2};"),
            "k.tc:2:16: error: a tile is initialised by one value, which is repeated");
}

TEST(TritonCParserError, GoesOnAfterAnError) {
  std::string all = body("x = ;\nint a b;\ny[;\nz = 1;");
  EXPECT_NE(all.find("k.tc:2:5: error: expected an expression, found ';'"), std::string::npos)
      << all;
  EXPECT_NE(all.find("k.tc:3:6: error: expected ';'"), std::string::npos) << all;
  EXPECT_NE(all.find("k.tc:4:3: error: expected an expression"), std::string::npos) << all;
  EXPECT_EQ(all.find("k.tc:5:"), std::string::npos) << all;
}

TEST(TritonCParserError, Attributes) {
  EXPECT_NE(
      parsed("void f(int *a __aligned(12)) {}").find("an alignment is a power of two, found 12"),
      std::string::npos);
  EXPECT_NE(parsed("void f(int a __multipleof(0)) {}").find("'multipleof' needs a positive number"),
            std::string::npos);
  EXPECT_NE(parsed("void f(int a __attribute__((packed))) {}").find("unknown attribute 'packed'"),
            std::string::npos);
}

/// The lines of what is reported that have a position.
std::string errors(std::string text) {
  std::string all = parsed(std::move(text)), lines;
  for (size_t at = 0; at < all.size();) {
    size_t end = std::min(all.find('\n', at), all.size());
    if (all.compare(at, 5, "k.tc:") == 0)
      lines += all.substr(at + 5, end - at - 4);
    at = end + 1;
  }
  return lines;
}

TEST(TritonCParserError, AHeaderLeavesItsBodyToBeRead) {
  EXPECT_EQ(errors("void f() { for (int i = ; i < 4; i++) { x = ; } y = ; }"),
            "1:25: error: expected an expression, found ';'\n"
            "1:45: error: expected an expression, found ';'\n"
            "1:53: error: expected an expression, found ';'\n");
  EXPECT_EQ(
      errors("void f() { if (x == ) { y = 1; } else { z = ; } while () w = ; do ; while (); }"),
      "1:21: error: expected an expression, found ')'\n"
      "1:45: error: expected an expression, found ';'\n"
      "1:56: error: expected an expression, found ')'\n"
      "1:62: error: expected an expression, found ';'\n"
      "1:76: error: expected an expression, found ')'\n");
  EXPECT_EQ(errors("void f() { if (x { y = ; } z = ; }"),
            "1:18: error: expected ')', found '{'\n"
            "1:15: note: it closes what opens here\n"
            "1:24: error: expected an expression, found ';'\n"
            "1:32: error: expected an expression, found ';'\n");
  EXPECT_EQ(errors("void f() { if x) y = 1; }\nint f("),
            "1:14: error: expected '(' after 'if', found 'x'\n"
            "1:16: error: expected ';' after an expression, found ')'\n"
            "2:7: error: expected a parameter, found the end of the file\n");
}

TEST(TritonCParserError, RedefinitionInOneScope) {
  EXPECT_EQ(errors("void f(int a) { int a; { int a; } for (int a;;) { int a; } }"),
            "1:21: error: redefinition of 'a' in the same scope\n"
            "1:12: note: the other definition is here\n");
  EXPECT_EQ(errors("void f(int a, float a) {}\nvoid f() {}\ntypedef int f;"),
            "1:21: error: redefinition of 'a' in the same scope\n"
            "1:12: note: the other definition is here\n"
            "2:6: error: redefinition of 'f' in the same scope\n"
            "1:6: note: the other definition is here\n"
            "3:13: error: redefinition of 'f' in the same scope\n"
            "1:6: note: the other definition is here\n");
}

TEST(TritonCParserError, BoundsOfTypes) {
  EXPECT_EQ(errors("void f(float " + std::string(256, '*') + "x) {}"),
            "1:22: error: a type has at most 8 levels of pointers\n");
  EXPECT_EQ(errors("typedef float row[4]; void f(row *x) {}"),
            "1:34: error: there are no pointers to tiles: 'T *p[16]' is a tile of pointers\n");
  EXPECT_EQ(errors("void f() { float x[65536, 65536]; (void[4])x; }"),
            "1:19: error: a tile has at most 2147483647 elements\n"
            "1:40: error: a tile's elements are numbers or pointers, not tiles or void\n");
  EXPECT_EQ(errors("__constant__ int *t = alloc_const int[65536, 65536];"),
            "1:38: error: a tile has at most 2147483647 elements\n");
  EXPECT_EQ(errors("__global__ float f() {}"), "1:18: error: a kernel returns 'void', found "
                                               "'float'\n");
}

TEST(TritonCParserError, TwoBracketsBecomeOne) {
  EXPECT_EQ(body("float x[16][8];"), "k.tc:2:12: error: a tile is declared with one pair of "
                                     "brackets: 'x[d0, d1]'\n"
                                     "float x[16][8];\n"
                                     "           ^\n"
                                     "          , \n");
}

TEST(TritonCParserError, ConstantsKeepTheirTypes) {
  EXPECT_EQ(firstError("float c[2147483647 + 1];"),
            "k.tc:2:9: error: the extent of a tile does not fit in 32 bits; it is an 'int'");
  EXPECT_EQ(firstError("float c[0xFFFFFFFF + 1];"),
            "k.tc:2:9: error: the extent of a tile must be at least 1, found 0");
  EXPECT_EQ(firstError("float c[(-1 > 0u) + (char)259 + min(5, max(2, 3)) - 1];"),
            "(decl (float[6] c))");
  EXPECT_EQ(firstError("float c[1 << 31];"),
            "k.tc:2:9: error: the extent of a tile does not fit in 32 bits; it is an 'int'");
  EXPECT_EQ(firstError("float c[f(4)];"),
            "k.tc:2:9: error: the extent of a tile must be an integer constant");
}

TEST(TritonCParserError, PrefixAttributesAreChecked) {
  EXPECT_EQ(
      errors("void f(align(-16) int *p, multiple_of(0) int n, restrict align(2 * 8) int *q) {}"),
      "1:14: error: an alignment is a power of two, found -16\n");
  EXPECT_EQ(
      parsed("void f(multiple_of(2 * 8) int n, int *restrict p) { multiple_of(4 + 4) int d; }"),
      "(function f void ((int n multipleof:16) (int* p noalias)) "
      "{(decl (int d multipleof:8))})");
}

TEST(TritonCParserError, StopsAfterTwenty) {
  std::string text = "void f() {";
  for (int i = 0; i < 100; ++i)
    text += "x = ;\n";
  std::string all = errors(text + "}");
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 20);
}

TEST(TritonCParserError, BracesOfListsAndTypesAreSkipped) {
  EXPECT_EQ(errors("void f() { int a[2] = {1, 2}; int b = {}; int c = {;}; x = ; }"),
            "1:27: error: a tile is initialised by one value, which is repeated\n"
            "1:40: error: an initialiser in braces has one value\n"
            "1:52: error: expected an expression, found ';'\n"
            "1:60: error: expected an expression, found ';'\n");
  EXPECT_EQ(
      errors("typedef struct s { struct { int y; } x; } S;\nvoid f() { enum { A } e; x = ; }"),
      "1:9: error: there is no 'struct' in Triton-C: types are numbers, pointers and tiles "
      "of them\n"
      "2:12: error: there is no 'enum' in Triton-C: types are numbers, pointers and tiles "
      "of them\n"
      "2:30: error: expected an expression, found ';'\n");
  EXPECT_EQ(errors("void f() { x[:, ]; int a = {1"),
            "1:17: error: expected a subscript after ','\n"
            "1:30: error: expected '}', found the end of the file\n"
            "1:28: note: it closes what opens here\n"
            "1:30: error: expected '}', found the end of the file\n"
            "1:10: note: it closes what opens here\n");
}
} // namespace
