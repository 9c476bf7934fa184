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
} // namespace
