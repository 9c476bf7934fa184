//===- Diagnose.cpp - diagnostics of the front end as one error -----------===//

#include "Diagnose.h"

#include "tritium/Support/Settings.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

namespace tritium {

void fillError(const SourceManager &sources, const DiagnosticEngine &diagnostics,
               CompileError &error) {
  error.rendered = diagnostics.render();
  for (const Diagnostic &diagnostic : diagnostics.all()) {
    if (diagnostic.severity != Severity::Error)
      continue;
    error.kind = diagnostic.kind;
    error.message = diagnostic.message;
    if (diagnostic.range.begin.isValid()) {
      LineColumn place = sources.lineColumn(diagnostic.range.begin);
      error.file = sources.name(diagnostic.range.begin.file);
      error.line = place.line;
      error.column = place.column;
    }
    return;
  }
  error.kind = "InternalError";
  error.message = "a bug in the compiler: the front end failed without an error";
}

void collectWarnings(const SourceManager &sources, const DiagnosticEngine &diagnostics,
                     std::vector<Remark> &remarks) {
  for (const Diagnostic &diagnostic : diagnostics.all()) {
    if (diagnostic.severity != Severity::Warning)
      continue;
    Remark remark{"frontend", "warning", diagnostic.message, "", 0, 0, {}, ""};
    remark.rendered = diagnostics.render(diagnostic);
    if (diagnostic.range.begin.isValid()) {
      LineColumn place = sources.lineColumn(diagnostic.range.begin);
      remark.file = sources.name(diagnostic.range.begin.file);
      remark.line = place.line;
      remark.column = place.column;
    }
    remarks.push_back(std::move(remark));
  }
}

/// The line that a remark stands at, as the user has it; nothing if that cannot be found.
static std::optional<std::string> lineOf(const frontend::FunctionSource &source,
                                         const Remark &remark) {
  if (!remark.line)
    return std::nullopt;
  llvm::StringRef text = source.text;
  int line = remark.line - source.firstLine, indent = source.columnOffset;
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  if (remark.file != source.file || line < 0 || line > text.count('\n')) {
    auto opened = llvm::MemoryBuffer::getFile(remark.file, /*IsText=*/true);
    if (!opened)
      return std::nullopt;
    buffer = std::move(*opened);
    text = buffer->getBuffer();
    line = remark.line - 1;
    indent = 0;
  }
  for (; line > 0; --line)
    text = text.split('\n').second;
  return std::string(indent, ' ') + text.split('\n').first.rtrim('\r').str();
}

void renderRemarks(const frontend::FunctionSource &source, std::vector<Remark> &remarks) {
  for (Remark &remark : remarks) {
    if (!remark.rendered.empty())
      continue;
    std::string text = "remark: " + remark.message + " [" + remark.pass + "]\n";
    if (remark.line)
      text = remark.file + ":" + std::to_string(remark.line) + ":" + std::to_string(remark.column) +
             ": " + text;
    if (std::optional<std::string> line = lineOf(source, remark)) {
      // The caret below the character of that number; tabs stay tabs.
      text += *line + "\n";
      int column = 1;
      for (char c : *line) {
        bool isFirst = (c & 0xC0) != 0x80;
        if (isFirst && column++ == remark.column)
          break;
        if (isFirst)
          text += c == '\t' ? '\t' : ' ';
      }
      text += "^\n";
    }
    remark.rendered = text;
  }
}

void printRemarks(const std::vector<Remark> &remarks) {
  std::string value = settings::MLIRDiagnostics.text();
  if (value.empty())
    return;
  llvm::SmallVector<llvm::StringRef> wanted;
  llvm::StringRef(value).split(wanted, ',');
  std::string text;
  for (const Remark &remark : remarks) {
    llvm::StringRef group = remark.kind == "warning"  ? "warnings"
                            : remark.kind == "missed" ? "remarks"
                                                      : "applied";
    if (llvm::is_contained(wanted, group))
      text += remark.rendered;
  }
  llvm::errs() << text;
}

} // namespace tritium
