//===- TextTest.cpp - documents on a terminal, complete and not -----------===//

#include "tritium/Explain/Explain.h"

#include <gtest/gtest.h>

using namespace llvm;
using tritium::explain::render;

namespace {

json::Value documentOf(StringRef text) { return cantFail(json::parse(text)); }

/// One of each kind of field.
const char *const whole = R"({
  "format": "tritium-explain", "version": 1, "kernel": "k", "target": "cuda:90", "code_for": "sm_90a",
  "options": {"num_warps": 8}, "files": ["k.py"],
  "lines": [{"file": 0, "line": 7, "text": "x", "ops": [0], "remarks": [0], "counters": {"barriers": 3},
             "share": {"value": 0.5, "grade": "estimated"}}],
  "ops": [{"id": 0}], "remarks": [{"kind": "missed", "message": "one byte a lane"}],
  "groups": [{"name": "load", "warps": 4, "registers": 24}], "conversions": [{"op": 0, "way": "shuffles"}],
  "loops": [{"first": 12, "last": 34, "simulated": {"value": 5.5}, "least": {"value": 4}, "ports": [{"name": "P5", "clocks": 4}],
             "lines": [{"file": 0, "line": 7, "clocks": 3}, {"file": 0, "line": 8, "clocks": 0}]},
            {"first": 50, "last": 51, "not_estimated": "it calls", "lines": [{"file": 0, "line": 9}]}],
  "loops_not_read": "line 3",
  "resources": {"warps": {"value": 8, "grade": "decided"}},
  "launch": {"grid": [1, 2, 3], "arguments": []},
  "counters": {"ctas": 2, "grid": 6, "occupancy": [{"ctas": 2, "warps": 16}]},
  "model": {"bound": "issue", "waves": 1.5, "resources": [{"name": "issue", "clocks": 9}],
            "microseconds": {"best": 1, "expected": 2, "worst": 3}},
  "hints": [{"title": "num_warps=4", "certainty": "tried", "gain": {"expected": 1.5}, "reason": "issue",
             "place": {"line": 7}}]
})";

TEST(Text, ShowsEachKindOfField) {
  std::string text = render(*documentOf(whole).getAsObject(), false);
  for (const char *shown :
       {"k  cuda:90", "grid 1 2 3, of 6 CTAs 2", "bound by issue: issue 9", "warps 8", "2 CTAs, 16",
        "load of 4 warps with 24 registers", "1 by shuffles", "1.50x  num_warps=4",
        "  12-34      5.5, at least 4 (P5); line 7: 3\n",
        "  50-51      not estimated: it calls; line 9\n", "not known: line 3", " 50% |   7 ! x",
        "3 barriers", "! one byte a lane"})
    EXPECT_NE(text.find(shown), std::string::npos) << shown << "\n" << text;
  EXPECT_EQ(text.find("version"), std::string::npos);
}

/// `change` for each value inside, however deep.
void forEachValue(json::Value &value, function_ref<void(json::Value &)> change) {
  if (json::Object *object = value.getAsObject())
    for (auto &[name, inner] : *object) {
      change(inner);
      forEachValue(inner, change);
    }
  if (json::Array *list = value.getAsArray())
    for (json::Value &inner : *list) {
      change(inner);
      forEachValue(inner, change);
    }
}

TEST(Text, FieldsMayBeAbsentOrOfAnotherType) {
  unsigned rendered = 0;
  for (const char *other :
       {"null", "-1", "1e99", "\"x\"", "[]", "[null, 5, [0], {}]", "{}", "true"}) {
    json::Value document = documentOf(whole);
    forEachValue(document, [&](json::Value &value) {
      json::Value kept = std::move(value);
      value = documentOf(other);
      EXPECT_FALSE(render(*document.getAsObject(), true).empty());
      value = std::move(kept);
      ++rendered;
    });
  }
  EXPECT_GT(rendered, 500u);
  EXPECT_EQ(render({}, true).substr(0, 43), "This document is of version unknown; this p");
}

TEST(Text, SaysThatADocumentIsOfAnotherVersion) {
  json::Value document = documentOf(whole);
  (*document.getAsObject())["version"] = 2;
  std::string text = render(*document.getAsObject(), false);
  EXPECT_EQ(text.find("This document is of version 2; this program reads version 1."), 0u) << text;
  EXPECT_NE(text.find("one byte a lane"), std::string::npos);
}

} // namespace
