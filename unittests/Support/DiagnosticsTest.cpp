//===- DiagnosticsTest.cpp - rendering of diagnostics ---------------------===//

#include "tritium/Support/Diagnostics.h"

#include <gtest/gtest.h>

using namespace tritium;

namespace {
SourceRange range(uint32_t file, uint32_t begin, uint32_t end) {
  return {{file, begin}, {file, end}};
}

TEST(Diagnostics, CaretUnderTheRange) {
  SourceManager sources;
  uint32_t file = sources.addFile("k.py", "def f(x):\n  y = x + z\n", 7);
  DiagnosticEngine engine(sources);
  engine.error(range(file, 16, 21), "undefined name 'z'");
  EXPECT_TRUE(engine.hasErrors());
  EXPECT_EQ(engine.render(), "k.py:8:7: error: undefined name 'z'\n"
                             "  y = x + z\n"
                             "      ^~~~~\n");
}

TEST(Diagnostics, NotesFollowTheirError) {
  SourceManager sources;
  uint32_t file = sources.addFile("k.py", "a\nb");
  DiagnosticEngine engine(sources);
  Diagnostic &error = engine.error(range(file, 2, 3), "first");
  error.notes.push_back({Severity::Note, "", range(file, 0, 1), "second", {}});
  EXPECT_EQ(engine.render(), "k.py:2:1: error: first\nb\n^\nk.py:1:1: note: second\na\n^\n");
}

TEST(Diagnostics, ARangeOverLinesStopsAtTheFirst) {
  SourceManager sources;
  uint32_t file = sources.addFile("k.py", "f(a,\n  b)\n");
  DiagnosticEngine engine(sources);
  engine.warning(range(file, 0, 9), "w");
  EXPECT_FALSE(engine.hasErrors());
  EXPECT_EQ(engine.render(), "k.py:1:1: warning: w\nf(a,\n^~~~\n");
}

TEST(Diagnostics, ColumnsCountCharactersAndKeepTabs) {
  SourceManager sources;
  uint32_t file = sources.addFile("k.py", "\t# \xC3\xA9 x", 1, 4);
  DiagnosticEngine engine(sources);
  engine.error(range(file, 6, 7), "here");
  EXPECT_EQ(engine.render(), "k.py:1:10: error: here\n\t# \xC3\xA9 x\n\t    ^\n");
}

TEST(Diagnostics, RollbackForgetsTheLaterOnes) {
  SourceManager sources;
  DiagnosticEngine engine(sources);
  engine.warning({}, "first");
  engine.error({}, "second");
  auto taken = engine.rollback(1);
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].message, "second");
  EXPECT_FALSE(engine.hasErrors());
  EXPECT_EQ(engine.render(), "warning: first\n");
}

TEST(Diagnostics, PositionsBeyondTheTextAreItsEnd) {
  SourceManager sources;
  uint32_t file = sources.addFile("k.py", "ab\r\n");
  DiagnosticEngine engine(sources);
  engine.error(range(file, 99, 100), "end");
  engine.error({}, "nowhere");
  EXPECT_EQ(engine.render(), "k.py:2:1: error: end\n\n^\nerror: nowhere\n");
  EXPECT_EQ(sources.lineText({file, 0}), "ab");
}

TEST(Diagnostics, FixItsStandUnderTheirPlaces) {
  SourceManager sources;
  uint32_t file = sources.addFile("k.tc", "\tint a = b c = d\n}\n");
  DiagnosticEngine engine(sources);
  Diagnostic &error = engine.error(range(file, 10, 10), "expected ';'");
  error.fixIts.push_back({range(file, 16, 16), ";"});
  error.fixIts.push_back({range(file, 10, 10), ";"});
  error.fixIts.push_back({range(file, 17, 17), "on the next line"});
  EXPECT_EQ(engine.render(), "k.tc:1:11: error: expected ';'\n"
                             "\tint a = b c = d\n"
                             "\t         ^\n"
                             "\t         ;     ;\n");
}

TEST(Diagnostics, OverlappingFixItsAreLeftOut) {
  SourceManager sources;
  uint32_t file = sources.addFile("k.tc", "ab");
  DiagnosticEngine engine(sources);
  Diagnostic &error = engine.error(range(file, 0, 2), "wrong");
  error.fixIts = {{range(file, 0, 1), "long"}, {range(file, 1, 2), "x"}};
  EXPECT_EQ(engine.render(), "k.tc:1:1: error: wrong\nab\n^~\nlong\n");
}

TEST(Diagnostics, MacrosAreNamedFromTheOutside) {
  SourceManager sources;
  uint32_t file = sources.addFile("k.tc", "#define IN(v) v + p\n#define OUT 1 * IN(2)\nOUT;\n");
  uint32_t in = sources.addExpansion({"OUT", range(file, 36, 41), 0});
  uint32_t first = sources.addExpansion({"IN", range(file, 14, 15), in});
  uint32_t last = sources.addExpansion({"IN", range(file, 18, 19), in});
  DiagnosticEngine engine(sources);
  engine.error({{file, 42, first}, {file, 45, last}}, "sum");
  EXPECT_EQ(engine.render(), "k.tc:3:1: error: sum\n"
                             "OUT;\n"
                             "^~~\n"
                             "k.tc:2:17: note: expanded from macro 'OUT'\n"
                             "#define OUT 1 * IN(2)\n"
                             "                ^~~~~\n"
                             "k.tc:1:15: note: expanded from macro 'IN'\n"
                             "#define IN(v) v + p\n"
                             "              ^~~~~\n");
}

TEST(Diagnostics, AMacroThatIsDefinedInNoFileIsStillNamed) {
  SourceManager sources;
  uint32_t file = sources.addFile("k.tc", "N");
  uint32_t expansion = sources.addExpansion({"N", {}, 0});
  DiagnosticEngine engine(sources);
  engine.error({{file, 0, expansion}, {file, 1, expansion}}, "bad");
  EXPECT_EQ(engine.render(), "k.tc:1:1: error: bad\nN\n^\nnote: expanded from macro 'N'\n");
}

TEST(Diagnostics, ALongChainOfMacrosIsCut) {
  SourceManager sources;
  uint32_t file = sources.addFile("k.tc", "N");
  uint32_t expansion = 0;
  for (int i = 0; i < 9; ++i)
    expansion = sources.addExpansion({"M" + std::to_string(i), {}, expansion});
  DiagnosticEngine engine(sources);
  engine.error({{file, 0, expansion}, {file, 1, expansion}}, "bad");
  EXPECT_EQ(engine.render(), "k.tc:1:1: error: bad\nN\n^\n"
                             "note: expanded from macro 'M0'\n"
                             "note: expanded from macro 'M1'\n"
                             "note: expanded from macro 'M2'\n"
                             "note: (3 more macros between these)\n"
                             "note: expanded from macro 'M6'\n"
                             "note: expanded from macro 'M7'\n"
                             "note: expanded from macro 'M8'\n");
}

TEST(Diagnostics, FilesThatIncludeAreNamedFromTheOutside) {
  SourceManager sources;
  uint32_t main = sources.addFile("k.tc", "\n#include \"a.h\"\n");
  uint32_t first = sources.addFile("a.h", "#include \"b.h\"\n");
  uint32_t second = sources.addFile("b.h", "x\n");
  sources.setIncluder(first, {main, 1});
  sources.setIncluder(second, {first, 0});
  DiagnosticEngine engine(sources);
  engine.error(range(second, 0, 1), "bad");
  EXPECT_EQ(engine.render(), "In file included from k.tc:2:\n"
                             "In file included from a.h:1:\n"
                             "b.h:1:1: error: bad\nx\n^\n");
}
} // namespace
