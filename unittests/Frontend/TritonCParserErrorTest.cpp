//===- TritonCParserErrorTest.cpp - what the parser of Triton-C reports ---===//
//
// Conformance item 12, as far as syntax goes.
//
//===----------------------------------------------------------------------===//

#include "TritonCTestUtil.h"

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
  EXPECT_EQ(firstError("x[0:4];"),
            "k.tc:2:4: error: slices of tiles are not part of Triton-C; ':' alone keeps an axis");
  EXPECT_EQ(firstError("x.y;"), "k.tc:2:2: error: there are no structures in Triton-C");
  EXPECT_EQ(firstError("a * ?(m)p;"),
            "k.tc:2:5: error: '?' cannot start an operand; a load under a "
            "mask is '*?(mask) pointer'");
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
            "k.tc:2:11: error: a shift must be from 0 to 63 bits, found 64");
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
} // namespace
