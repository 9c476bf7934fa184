//===- CompareTest.cpp - documents side by side, complete and not ---------===//

#include "tritium/Explain/Compare.h"

#include <gtest/gtest.h>

using namespace llvm;
using tritium::explain::compare;
using tritium::explain::renderComparison;

namespace {

json::Object parsed(StringRef text) { return *cantFail(json::parse(text)).getAsObject(); }

json::Object linesOf(std::initializer_list<StringRef> texts) {
  json::Array lines;
  for (StringRef text : texts)
    lines.push_back(json::Object{
        {"file", 0}, {"line", static_cast<int64_t>(lines.size()) + 1}, {"text", text}});
  return json::Object{{"lines", std::move(lines)}};
}

/// "2-3" for each pair of lines that is shown.
std::string pairsOf(const json::Object &comparison) {
  std::string made;
  for (const json::Value &each : *comparison.getArray("lines")) {
    const json::Object &line = *each.getAsObject();
    for (const char *side : {"a", "b"}) {
      const json::Object *found = line.getObject(side);
      made += (side[0] == 'a' ? " " : "-") +
              (found ? std::to_string(*found->getInteger("line")) : std::string("none"));
    }
  }
  return made;
}

TEST(Compare, LinesArePairedByText) {
  json::Object a = linesOf({"a", "b", "c", "d"});
  EXPECT_EQ(pairsOf(compare(a, linesOf({"a", "b", "c", "d"}), 1)), "");
  EXPECT_EQ(pairsOf(compare(a, linesOf({"a", "new", "b", "c", "d"}), 1)), " none-2");
  EXPECT_EQ(pairsOf(compare(a, linesOf({"a", "d"}), 1)), " 2-none 3-none");
  EXPECT_EQ(pairsOf(compare(a, linesOf({"a", "B", "c", "D", "e"}), 1)), " 2-2 4-4 none-5");
  // Where a line stands is not what it says: it may move into a loop.
  EXPECT_EQ(pairsOf(compare(a, linesOf({"a", "b", "  c", "d"}), 1)), " 3-3");
}

TEST(Compare, FieldsMayBeAbsentOrOfAnotherType) {
  for (
      const char *text :
      {"{}", R"({"lines": 3, "barriers": {}, "resources": [], "model": 1, "counters": ""})",
       R"({"lines": [null, {}, {"line": "x", "remarks": [-1, 9, "a"], "counters": {"atomics": ""}}],
            "remarks": [null], "barriers": [{"kind": "threads", "op": 77}, {}, 5],
            "ops": [{"place": 3}], "signature": [1, {}], "options": 5, "counters": {"ctas": 0},
            "model": {"microseconds": {"expected": "x"}, "resources": [1, {}]},
            "resources": {"spill_bytes": {"value": "many"}, "x": 1}})"}) {
    json::Object strange = parsed(text);
    json::Object comparison = compare(strange, linesOf({"a"}), 1);
    EXPECT_TRUE(comparison.getArray("worse")->empty()) << text;
    EXPECT_FALSE(renderComparison(comparison).empty());
    EXPECT_FALSE(renderComparison(strange).empty());
    compare(strange, strange, 1);
  }
}

TEST(Compare, CountsAreOfTheWholeGrid) {
  json::Object a = parsed(R"({"counters": {"grid": 8, "ctas": 2}, "lines": [
      {"file": 0, "line": 1, "text": "x", "counters": {"global_sectors": 10}}]})");
  json::Object b = parsed(R"({"counters": {"grid": 8, "ctas": 8}, "lines": [
      {"file": 0, "line": 1, "text": "x", "counters": {"global_sectors": 40}}]})");
  EXPECT_EQ(pairsOf(compare(a, b, 1)), "");
}

} // namespace
