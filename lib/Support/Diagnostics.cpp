//===- Diagnostics.cpp - sources, locations, diagnostics ------------------===//

#include "tritium/Support/Diagnostics.h"

#include <algorithm>
#include <iterator>

using namespace tritium;

//===----------------------------------------------------------------------===//
// SourceManager
//===----------------------------------------------------------------------===//

uint32_t SourceManager::addFile(std::string name, std::string text, int firstLine,
                                int columnOffset) {
  std::vector<uint32_t> lineStarts{0};
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n')
      lineStarts.push_back(static_cast<uint32_t>(i + 1));
  files.push_back(
      {std::move(name), std::move(text), firstLine, columnOffset, std::move(lineStarts)});
  return static_cast<uint32_t>(files.size() - 1);
}

std::string_view SourceManager::text(uint32_t file) const { return files[file].text; }

std::string_view SourceManager::name(uint32_t file) const { return files[file].name; }

/// Columns count characters, not bytes: continuation bytes of UTF-8 add nothing.
static int characters(std::string_view text) {
  return static_cast<int>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

LineColumn SourceManager::lineColumn(SourceLoc loc) const {
  const File &file = files[loc.file];
  uint32_t offset = std::min<uint32_t>(loc.offset, file.text.size());
  auto next = std::upper_bound(file.lineStarts.begin(), file.lineStarts.end(), offset);
  size_t line = next - file.lineStarts.begin() - 1;
  std::string_view before(file.text.data() + file.lineStarts[line], offset - file.lineStarts[line]);
  return {file.firstLine + static_cast<int>(line), file.columnOffset + characters(before) + 1};
}

std::string_view SourceManager::lineText(SourceLoc loc) const {
  const File &file = files[loc.file];
  uint32_t offset = std::min<uint32_t>(loc.offset, file.text.size());
  auto next = std::upper_bound(file.lineStarts.begin(), file.lineStarts.end(), offset);
  uint32_t begin = *(next - 1);
  size_t end = file.text.find('\n', begin);
  if (end == std::string::npos)
    end = file.text.size();
  std::string_view line(file.text.data() + begin, end - begin);
  if (!line.empty() && line.back() == '\r')
    line.remove_suffix(1);
  return line;
}

//===----------------------------------------------------------------------===//
// DiagnosticEngine
//===----------------------------------------------------------------------===//

Diagnostic &DiagnosticEngine::error(SourceRange range, std::string message, std::string kind) {
  ++errors;
  diagnostics.push_back({Severity::Error, std::move(kind), range, std::move(message), {}});
  return diagnostics.back();
}

Diagnostic &DiagnosticEngine::warning(SourceRange range, std::string message) {
  diagnostics.push_back({Severity::Warning, "", range, std::move(message), {}});
  return diagnostics.back();
}

std::vector<Diagnostic> DiagnosticEngine::rollback(size_t count) {
  std::vector<Diagnostic> taken;
  if (count < diagnostics.size())
    taken.assign(std::make_move_iterator(diagnostics.begin() + count),
                 std::make_move_iterator(diagnostics.end()));
  diagnostics.resize(diagnostics.size() - taken.size());
  for (const Diagnostic &diagnostic : taken)
    errors -= diagnostic.severity == Severity::Error;
  return taken;
}

static std::string_view severityName(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "error";
  case Severity::Warning:
    return "warning";
  case Severity::Note:
    break;
  }
  return "note";
}

/// The line under the source line: a caret below the first character of the range and
/// tildes below the rest of it that is on this line. Tabs stay tabs so that it lines up.
static std::string caretLine(std::string_view line, size_t begin, size_t end) {
  std::string text;
  begin = std::min(begin, line.size());
  for (size_t i = 0; i < begin; ++i)
    if ((line[i] & 0xC0) != 0x80)
      text += line[i] == '\t' ? '\t' : ' ';
  text += '^';
  for (size_t i = begin + 1; i < std::min(end, line.size()); ++i)
    if ((line[i] & 0xC0) != 0x80)
      text += '~';
  return text;
}

std::string DiagnosticEngine::render(const Diagnostic &diagnostic) const {
  std::string text;
  const SourceRange &range = diagnostic.range;
  if (range.begin.isValid()) {
    LineColumn at = sources.lineColumn(range.begin);
    text.append(sources.name(range.begin.file));
    text += ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": ";
  }
  text.append(severityName(diagnostic.severity));
  text += ": " + diagnostic.message + "\n";
  if (range.begin.isValid()) {
    std::string_view line = sources.lineText(range.begin);
    std::string_view file = sources.text(range.begin.file);
    size_t lineBegin = line.data() - file.data();
    size_t begin = std::min<size_t>(range.begin.offset, file.size()) - lineBegin;
    bool hasEnd = range.end.file == range.begin.file && range.end.offset > range.begin.offset;
    size_t end = hasEnd ? range.end.offset - lineBegin : begin + 1;
    text.append(line);
    text += "\n" + caretLine(line, begin, end) + "\n";
  }
  for (const Diagnostic &note : diagnostic.notes)
    text += render(note);
  return text;
}

std::string DiagnosticEngine::render() const {
  std::string text;
  for (const Diagnostic &diagnostic : diagnostics)
    text += render(diagnostic);
  return text;
}
