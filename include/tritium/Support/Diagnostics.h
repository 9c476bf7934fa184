//===- Diagnostics.h - sources, locations, diagnostics ----------*- C++ -*-===//

#ifndef TRITIUM_SUPPORT_DIAGNOSTICS_H
#define TRITIUM_SUPPORT_DIAGNOSTICS_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tritium {

/// A position in a source: index of the file in its SourceManager, byte offset. Text that a
/// macro made stands where the outermost macro's name is used.
struct SourceLoc {
  uint32_t file = ~0u;
  uint32_t offset = 0;
  uint32_t expansion = 0; ///< see SourceManager::addExpansion; 0: not made by a macro
  bool isValid() const { return file != ~0u; }
};

/// [begin, end) within one file.
struct SourceRange {
  SourceLoc begin, end;
};

/// Where a token that a macro made is written in the macro's definition.
struct MacroExpansion {
  std::string macro;
  SourceRange spelling; ///< invalid if the definition is in no file
  /// The token of another macro's definition that became this macro's name; 0: a file's.
  uint32_t parent = 0;
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

  /// `file` is read because of an include directive there.
  void setIncluder(uint32_t file, SourceLoc at) { files[file].includer = at; }
  SourceLoc includer(uint32_t file) const { return files[file].includer; }

  /// The number to put into SourceLoc::expansion.
  uint32_t addExpansion(MacroExpansion expansion);
  const MacroExpansion &expansion(uint32_t index) const { return expansions[index - 1]; }

private:
  struct File {
    std::string name, text;
    int firstLine, columnOffset;
    std::vector<uint32_t> lineStarts;
    SourceLoc includer;
  };
  std::vector<File> files;
  std::vector<MacroExpansion> expansions;
};

enum class Severity { Error, Warning, Note };

/// A change of the text that would remove an error.
struct FixIt {
  SourceRange range; ///< empty: an insertion
  std::string replacement;
};

struct Diagnostic {
  Severity severity = Severity::Error;
  std::string kind; ///< see CompileError::kind
  SourceRange range;
  std::string message;
  std::vector<Diagnostic> notes;
  std::vector<FixIt> fixIts;
};

/// Collects diagnostics of one compilation and renders them with carets.
class DiagnosticEngine {
public:
  explicit DiagnosticEngine(const SourceManager &sources) : sources(sources) {}
  Diagnostic &error(SourceRange range, std::string message, std::string kind = "CompilationError");
  Diagnostic &warning(SourceRange range, std::string message);
  /// The notes of what was reported last.
  std::vector<Diagnostic> &lastNotes() { return diagnostics.back().notes; }
  bool hasErrors() const { return errors != 0; }
  const std::vector<Diagnostic> &all() const { return diagnostics; }
  /// Takes back all diagnostics after the first `count`, as if never reported.
  std::vector<Diagnostic> rollback(size_t count);
  /// `file:line:column: error: message`, the line, a caret line, the text that fix-its
  /// put there, the macros that made the range, and the notes.
  std::string render() const;
  std::string render(const Diagnostic &diagnostic) const;

private:
  void renderMacros(const SourceRange &range, std::string &text) const;

  const SourceManager &sources;
  std::vector<Diagnostic> diagnostics;
  unsigned errors = 0;
};

} // namespace tritium

#endif // TRITIUM_SUPPORT_DIAGNOSTICS_H
