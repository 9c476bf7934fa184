//===- Diagnostics.h - sources, locations, diagnostics ----------*- C++ -*-===//

#ifndef TRITIUM_SUPPORT_DIAGNOSTICS_H
#define TRITIUM_SUPPORT_DIAGNOSTICS_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tritium {

/// A position in a source: index of the file in its SourceManager, byte offset.
struct SourceLoc {
  uint32_t file = ~0u;
  uint32_t offset = 0;
  bool isValid() const { return file != ~0u; }
};

/// [begin, end) within one file.
struct SourceRange {
  SourceLoc begin, end;
};

/// Line and column, both from 1, in the file as the user has it.
struct LineColumn {
  int line = 0, column = 0;
};

class SourceManager {
public:
  /// `firstLine` and `columnOffset`: where the text stands in the user's file.
  uint32_t addFile(std::string name, std::string text, int firstLine = 1, int columnOffset = 0);
  std::string_view text(uint32_t file) const;
  std::string_view name(uint32_t file) const;
  LineColumn lineColumn(SourceLoc loc) const;
  /// The source line that holds `loc`, without its newline.
  std::string_view lineText(SourceLoc loc) const;

private:
  struct File {
    std::string name, text;
    int firstLine, columnOffset;
    std::vector<uint32_t> lineStarts;
  };
  std::vector<File> files;
};

enum class Severity { Error, Warning, Note };

struct Diagnostic {
  Severity severity = Severity::Error;
  std::string kind; ///< see CompileError::kind
  SourceRange range;
  std::string message;
  std::vector<Diagnostic> notes;
};

/// Collects diagnostics of one compilation and renders them with carets.
class DiagnosticEngine {
public:
  explicit DiagnosticEngine(const SourceManager &sources) : sources(sources) {}
  Diagnostic &error(SourceRange range, std::string message, std::string kind = "CompilationError");
  Diagnostic &warning(SourceRange range, std::string message);
  bool hasErrors() const { return errors != 0; }
  const std::vector<Diagnostic> &all() const { return diagnostics; }
  /// Takes back all diagnostics after the first `count`, as if never reported.
  std::vector<Diagnostic> rollback(size_t count);
  /// `file:line:column: error: message`, the line, a caret line, and the notes.
  std::string render() const;
  std::string render(const Diagnostic &diagnostic) const;

private:
  const SourceManager &sources;
  std::vector<Diagnostic> diagnostics;
  unsigned errors = 0;
};

} // namespace tritium

#endif // TRITIUM_SUPPORT_DIAGNOSTICS_H
