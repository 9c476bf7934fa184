//===- HtmlTest.cpp - pages of documents, complete and not ----------------===//

#include "tritium/Explain/Html.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/Compression.h"

#include <gtest/gtest.h>

using namespace llvm;

namespace {

/// The document that a page carries.
json::Value documentOf(StringRef page) {
  StringRef rest = page.split("id=\"packed\" data-bytes=\"").second;
  size_t size = 0;
  EXPECT_FALSE(rest.split('"').first.getAsInteger(10, size));
  std::vector<char> packed;
  EXPECT_FALSE(errorToBool(decodeBase64(rest.split('>').second.split("</script>").first, packed)));
  SmallVector<uint8_t, 0> text;
  EXPECT_FALSE(errorToBool(compression::zlib::decompress(
      arrayRefFromStringRef(StringRef(packed.data(), packed.size())), text, size)));
  return cantFail(json::parse(toStringRef(text)));
}

json::Object kernelOf(StringRef text, StringRef message) {
  return json::Object{
      {"kernel", "k"},
      {"target", "cuda:90"},
      {"lines", json::Array{json::Object{
                    {"file", 0}, {"line", 7}, {"text", text}, {"remarks", json::Array{0}}}}},
      {"remarks", json::Array{json::Object{{"kind", "missed"}, {"message", message}}}}};
}

TEST(Html, TextOfAKernelIsNoMarkup) {
  std::string hostile = "x = \"</script><script>alert(1)</script><!-- é ☃ ]]>\"";
  json::Object document = kernelOf(hostile, "<b>slow</b>");
  std::string page = tritium::explain::page(document);
  EXPECT_EQ(documentOf(page), json::Value(json::Object(document)));
  // The document and the page's own script are all that there is of scripts.
  EXPECT_EQ(StringRef(page).count("<script"), 2u);
  EXPECT_EQ(StringRef(page).count("</script"), 2u);
  EXPECT_EQ(page.find("<b>slow"), std::string::npos);
}

TEST(Html, LinesAndRemarksAreThereWithoutScripts) {
  std::string page = tritium::explain::page(kernelOf("x = é", "one byte a lane"));
  StringRef seen = StringRef(page).split("<body>").second.split("<script").first;
  EXPECT_TRUE(seen.contains("    7 x = é\n      ▲ one byte a lane\n")) << seen.str();
}

TEST(Html, FieldsMayBeAbsentOrOfAnotherVersion) {
  EXPECT_EQ(documentOf(tritium::explain::page(json::Object())), json::Value(json::Object{}));
  json::Object strange{{"version", 0},
                       {"kernel", 3},
                       {"lines", json::Array{nullptr, json::Object{}}},
                       {"remarks", "none"}};
  EXPECT_EQ(documentOf(tritium::explain::page(strange)), json::Value(json::Object(strange)));
  json::Object outside = kernelOf("x", "y");
  outside["remarks"] = json::Array{};
  EXPECT_EQ(documentOf(tritium::explain::page(outside)), json::Value(json::Object(outside)));
}

TEST(Html, WhatRepeatsCostsLittleAndNothingIsLoaded) {
  std::string ptx;
  for (int i = 0; i < 20000; ++i)
    ptx += "add.s32 %r" + std::to_string(i) + ", %r1, %r2;\n";
  std::string page = tritium::explain::page(json::Object{{"stages", json::Object{{"ptx", ptx}}}});
  EXPECT_LT(page.size(), 300u << 10);
  EXPECT_LT(tritium::explain::page(json::Object()).size(), 40u << 10);
  for (StringRef word : {"src=", "href=", "url(", "import ", "fetch("})
    EXPECT_EQ(page.find(word), std::string::npos) << word.str();
}

} // namespace
