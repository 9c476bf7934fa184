//===- Html.cpp - what the compiler did, as a page ------------------------===//
//
// The document goes into the page deflated and in base64, whose letters mean nothing to HTML; the
// page's script (Page/) shows it. Only what is seen without scripts is written here.
//
//===----------------------------------------------------------------------===//

#include "tritium/Explain/Html.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tritium::explain {
namespace {

#include "Page.inc"

/// What a browser may load for the page: its own text.
constexpr StringRef kPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

void writeRemark(const json::Value &number, const json::Array *remarks, raw_ostream &out) {
  std::optional<int64_t> i = number.getAsInteger();
  if (!i || !remarks || *i < 0 || static_cast<size_t>(*i) >= remarks->size())
    return;
  if (const json::Object *remark = (*remarks)[*i].getAsObject()) {
    bool isApplied = remark->getString("kind") == "applied";
    out << (isApplied ? "      ✓ " : "      ▲ ");
    printHTMLEscaped(remark->getString("message").value_or(""), out);
    out << '\n';
  }
}

/// The lines, each with the remarks on it.
void writeLines(const json::Object &document, raw_ostream &out) {
  const json::Array *lines = document.getArray("lines");
  if (!lines)
    return;
  for (const json::Value &value : *lines) {
    const json::Object *line = value.getAsObject();
    if (!line)
      continue;
    out << llvm::format_decimal(line->getInteger("line").value_or(0), 5) << ' ';
    printHTMLEscaped(line->getString("text").value_or(""), out);
    out << '\n';
    if (const json::Array *numbers = line->getArray("remarks"))
      for (const json::Value &number : *numbers)
        writeRemark(number, document.getArray("remarks"), out);
  }
}

/// The document as bytes of zlib in base64.
void writePacked(const json::Object &document, raw_ostream &out) {
  static_assert(LLVM_ENABLE_ZLIB, "LLVM without zlib");
  std::string text;
  raw_string_ostream(text) << json::Value(json::Object(document));
  SmallVector<uint8_t, 0> packed;
  compression::zlib::compress(arrayRefFromStringRef(text), packed,
                              compression::zlib::BestSizeCompression);
  out << "<script type=\"text/plain\" id=\"packed\" data-bytes=\"" << text.size() << "\">"
      << encodeBase64(packed) << "</script>\n";
}

} // namespace

std::string page(const json::Object &document) {
  std::string html;
  raw_string_ostream out(html);
  StringRef kernel = document.getString("kernel").value_or("");
  out << "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      << "<meta http-equiv=\"Content-Security-Policy\" content=\"" << kPolicy << "\">"
      << "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>";
  printHTMLEscaped(kernel, out);
  out << " · tritium explain</title>\n<style>\n" << kStyle << "</style></head>\n<body><h1>";
  printHTMLEscaped(kernel, out);
  out << "</h1><p>";
  printHTMLEscaped(document.getString("target").value_or(""), out);
  out << "</p><pre>\n";
  if (std::optional<StringRef> error = document.getString("error")) {
    out << "It does not compile: ";
    printHTMLEscaped(*error, out);
    out << '\n';
  }
  writeLines(document, out);
  out << "</pre>\n";
  writePacked(document, out);
  out << "<script>\n" << kScript << "</script></body></html>\n";
  return html;
}

} // namespace tritium::explain
