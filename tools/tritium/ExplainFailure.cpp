//===- ExplainFailure.cpp - what is known of a kernel without code --------===//
//
// The document of a kernel that does not compile: the error, the lines, and the stage that it
// reached, tile IR, with its operations.
//
//===----------------------------------------------------------------------===//

#include "ExplainRequest.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace tritium;
using namespace tritium::tool;

namespace json = llvm::json;

/// What is said of the kernel's tile IR, as the interpreter takes it, which asks for no more;
/// nothing where there is none.
static std::optional<json::Object> explainTileIR(CompileRequest request) try {
  if (isTritonC(request.file) || !request.from.empty())
    return std::nullopt;
  request.emit = "ttir";
  request.target = Target();
  request.options.clear();
  CompiledHandle compiled = compileRequest(request);
  tritium_error error = {};
  ExplainedHandle explained(tritium_compiled_explain(compiled.get(), nullptr, &error));
  if (!explained)
    throw Error(error);
  llvm::Expected<json::Value> parsed = json::parse(tritium_explained_json(explained.get()));
  if (parsed)
    return std::move(*parsed->getAsObject());
  llvm::consumeError(parsed.takeError());
  return std::nullopt;
} catch (const Error &) {
  return std::nullopt;
}

/// The document of a source of which there is no IR: its lines.
static json::Object listSource(const std::string &path) {
  json::Array lines;
  std::string source = readFile(path);
  llvm::StringRef rest = source;
  for (int64_t number = 1; !rest.empty(); ++number) {
    auto [line, behind] = rest.split('\n');
    lines.push_back(
        json::Object{{"file", 0}, {"line", number}, {"text", json::fixUTF8(line.rtrim())}});
    rest = behind;
  }
  json::Object made{{"format", "tritium-explain"},
                    {"version", 1},
                    {"code_for", ""},
                    {"options", json::Object()},
                    {"signature", json::Array()},
                    {"files", json::Array{json::fixUTF8(path)}},
                    {"lines", std::move(lines)},
                    {"resources", json::Object()},
                    {"stages", json::Object()}};
  for (const char *name : {"ops", "layouts", "buffers", "barriers", "schedule", "remarks"})
    made[name] = json::Array();
  return made;
}

/// "FILE:LINE:COLUMN: error: MESSAGE" at the beginning of an error, as a remark on that line.
static void addRemark(json::Object &document, llvm::StringRef error, llvm::StringRef path) {
  int64_t line = 0, column = 0;
  if (!error.consume_front(path) || !error.consume_front(":") || error.consumeInteger(10, line) ||
      !error.consume_front(":") || error.consumeInteger(10, column))
    return;
  error.consume_front(": error: ");
  json::Array &remarks = *document.getArray("remarks");
  for (json::Value &each : *document.getArray("lines")) {
    json::Object &known = *each.getAsObject();
    if (known.getInteger("file") != 0 || known.getInteger("line") != line)
      continue;
    if (!known.getArray("remarks"))
      known["remarks"] = json::Array();
    known.getArray("remarks")->push_back(int64_t(remarks.size()));
    remarks.push_back(
        json::Object{{"pass", "compile"},
                     {"code", "error"},
                     {"kind", "missed"},
                     {"message", json::fixUTF8(error.split('\n').first)},
                     {"arguments", json::Object()},
                     {"place", json::Object{{"file", 0}, {"line", line}, {"column", column}}}});
    return;
  }
}

ExplainedHandle tool::explainFailure(const ExplainRequest &request, const std::string &error) {
  const std::string &path =
      request.compile.from.empty() ? request.compile.file : request.compile.from;
  std::optional<json::Object> known = explainTileIR(request.compile);
  json::Object document = known ? std::move(*known) : listSource(path);
  document["error"] = json::fixUTF8(error);
  document["code_for"] = "";
  document["resources"] = json::Object();
  document["target"] = request.compile.target.str();
  if (!document.get("kernel"))
    document["kernel"] = json::fixUTF8(request.compile.kernel);
  addRemark(document, error, path);
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(std::move(document));
  tritium_error failure = {};
  ExplainedHandle read(tritium_explanation_read(text.c_str(), "the explanation", &failure));
  if (!read)
    throw Error(failure);
  return read;
}
