//===- AssemblyLinesTest.cpp - where inline assembly comes from -----------===//

#include "tritium/Kernel/AssemblyLines.h"

#include <gtest/gtest.h>

using namespace tritium;

namespace {
/// Lines 4 to 6 are the author's.
const std::string ptx = "mov.u32 %r1, 0;\n"          // 1
                        "\t// begin inline asm\n"    // 2
                        "\t// written at k.py:7:5\n" // 3
                        "\tnonsense %r2, %r1;\n"     // 4
                        "\tadd.u32 %r2, %r1, 1\n"    // 5
                        "\t// end inline asm\n"      // 6
                        "\tst.global [%rd1], %r2;\n" // 7
                        "\tret;\n"                   // 8
                        "}\n"                        // 9
                        "\t// begin inline asm\n"    // 10
                        "\tgriddepcontrol.wait;\n"   // 11
                        "\t// end inline asm\n";     // 12
} // namespace

TEST(AssemblyLines, CommentIsOneLineThatNamesNoRegister) {
  EXPECT_EQ(assemblyAt("a/k.py", 7, 5), "// written at a/k.py:7:5\n\t");
  EXPECT_EQ(assemblyAt("a$\nb\xc3\xbc%.py", 1, 2), "// written at a%24%0Ab%C3%BC%25.py:1:2\n\t");
  EXPECT_EQ(placeOfAssembly(assemblyAt("a$\nb\xc3\xbc%.py", 1, 2) + "nonsense;", 2),
            "a$\nb\xc3\xbc%.py:1:2");
  // What nobody has encoded stays.
  EXPECT_EQ(placeOfAssembly("// written at 100%.py%2:1:2\n", 1), "100%.py%2:1:2");
}

TEST(AssemblyLines, PlaceOfEachLine) {
  EXPECT_EQ(placeOfAssembly(ptx, 1), "");
  EXPECT_EQ(placeOfAssembly(ptx, 2), "");
  for (unsigned line : {3u, 4u, 5u, 6u})
    EXPECT_EQ(placeOfAssembly(ptx, line), "k.py:7:5") << line;
  // A mistake in the last instruction shows behind it.
  EXPECT_EQ(placeOfAssembly(ptx, 7), "k.py:7:5");
  EXPECT_EQ(placeOfAssembly(ptx, 9), "");
  // The compiler's own.
  EXPECT_EQ(placeOfAssembly(ptx, 11), "");
  EXPECT_EQ(placeOfAssembly(ptx, 12), "");
  EXPECT_EQ(placeOfAssembly(ptx, 1000), "");
  EXPECT_EQ(placeOfAssembly("", 1), "");
}

TEST(AssemblyLines, FirstErrorInAnAuthorsAssembly) {
  EXPECT_EQ(assemblyError("ptxas /tmp/a.ptx, line 1; error   : Mine\n"
                          "ptxas /tmp/a.ptx, line 4; error   : Not a name: 'nonsense'\n"
                          "ptxas fatal   : Ptx assembly aborted due to errors\n",
                          ptx),
            "k.py:7:5: error: the assembler does not take this assembly: Not a name: 'nonsense'");
  EXPECT_EQ(assemblyError("ptxas /tmp/a.ptx, line 11; error   : Mine\n", ptx), "");
  EXPECT_EQ(assemblyError("ptxas fatal   : no lines\n", ptx), "");
  EXPECT_EQ(assemblyError("", ptx), "");
}
