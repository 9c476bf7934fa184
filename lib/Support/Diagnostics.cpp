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
      {std::move(name), std::move(text), firstLine, columnOffset, std::move(lineStarts), {}});
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

uint32_t SourceManager::addExpansion(MacroExpansion expansion) {
  expansions.push_back(std::move(expansion));
  return static_cast<uint32_t>(expansions.size());
}

//===----------------------------------------------------------------------===//
// DiagnosticEngine
//===----------------------------------------------------------------------===//

Diagnostic &DiagnosticEngine::error(SourceRange range, std::string message, std::string kind) {
  ++errors;
  diagnostics.push_back({Severity::Error, std::move(kind), range, std::move(message), {}, {}});
  return diagnostics.back();
}

Diagnostic &DiagnosticEngine::warning(SourceRange range, std::string message) {
  diagnostics.push_back({Severity::Warning, "", range, std::move(message), {}, {}});
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

/// Blanks as wide as `text`. Tabs stay tabs so that what follows lines up.
static std::string blanks(std::string_view text) {
  std::string out;
  for (char c : text)
    if ((c & 0xC0) != 0x80)
      out += c == '\t' ? '\t' : ' ';
  return out;
}

/// The line under the source line: a caret below the first character of the range and
/// tildes below the rest of it that is on this line.
static std::string caretLine(std::string_view line, size_t begin, size_t end) {
  begin = std::min(begin, line.size());
  std::string text = blanks(line.substr(0, begin)) + '^';
  for (size_t i = begin + 1; i < std::min(end, line.size()); ++i)
    if ((line[i] & 0xC0) != 0x80)
      text += '~';
  return text;
}

/// The line under the caret: what the fix-its of `line`, which begins at `at`, put there. Empty
/// if there are none. One that would overlap the text before it is left out.
static std::string fixItLine(const std::vector<FixIt> &fixIts, SourceLoc at,
                             std::string_view line) {
  std::vector<const FixIt *> sorted;
  for (const FixIt &fixIt : fixIts) {
    const SourceLoc &begin = fixIt.range.begin;
    if (begin.file == at.file && begin.offset >= at.offset &&
        begin.offset <= at.offset + line.size() && !fixIt.replacement.empty() &&
        fixIt.replacement.find('\n') == std::string::npos)
      sorted.push_back(&fixIt);
  }
  std::sort(sorted.begin(), sorted.end(), [](const FixIt *a, const FixIt *b) {
    uint32_t first = a->range.begin.offset, second = b->range.begin.offset;
    return first != second ? first < second : a < b;
  });
  std::string text;
  int width = 0;
  for (const FixIt *fixIt : sorted) {
    std::string before = blanks(line.substr(0, fixIt->range.begin.offset - at.offset));
    if (static_cast<int>(before.size()) < width)
      continue;
    text += before.substr(width) + fixIt->replacement;
    width = static_cast<int>(before.size()) + characters(fixIt->replacement);
  }
  return text;
}

/// Where the end of a range is spelled if it was made by the same macros as its beginning,
/// and else where the beginning's token ends.
static SourceLoc spellingEnd(const SourceManager &sources, uint32_t begin, uint32_t end) {
  const MacroExpansion &first = sources.expansion(begin);
  auto depth = [&](uint32_t index) {
    int count = 0;
    for (; index; index = sources.expansion(index).parent)
      ++count;
    return count;
  };
  while (end && depth(end) > depth(begin))
    end = sources.expansion(end).parent;
  if (!end || depth(end) != depth(begin))
    return first.spelling.end;
  const MacroExpansion &last = sources.expansion(end);
  bool same = last.macro == first.macro && last.spelling.end.file == first.spelling.begin.file &&
              last.spelling.end.offset > first.spelling.begin.offset;
  return same ? last.spelling.end : first.spelling.end;
}

/// The largest number of macros that are named below a diagnostic.
constexpr size_t kMacroNotes = 6;

/// One note for each macro, the outermost first.
void DiagnosticEngine::renderMacros(const SourceRange &range, std::string &text) const {
  std::vector<uint32_t> chain;
  for (uint32_t at = range.begin.expansion; at; at = sources.expansion(at).parent)
    chain.push_back(at);
  for (auto at = chain.rbegin(); at != chain.rend(); ++at) {
    size_t before = at - chain.rbegin();
    if (chain.size() > kMacroNotes && before == kMacroNotes / 2) {
      size_t skipped = chain.size() - kMacroNotes;
      text += "note: (" + std::to_string(skipped) + " more macros between these)\n";
      at += skipped;
    }
    const MacroExpansion &expansion = sources.expansion(*at);
    SourceRange spelling = expansion.spelling;
    if (spelling.begin.isValid())
      spelling.end = spellingEnd(sources, *at, range.end.expansion);
    text += render({Severity::Note, "", spelling, "expanded from macro '" + expansion.macro + "'"});
  }
}

/// The largest number of files that are named above a diagnostic.
constexpr size_t kIncluders = 6;

/// One line for each file that includes the next one, the outermost first.
static std::string includers(const SourceManager &sources, SourceLoc at) {
  std::vector<SourceLoc> chain;
  while (at.isValid() && (at = sources.includer(at.file)).isValid())
    chain.push_back(at);
  std::string text;
  for (size_t i = chain.size(); i-- > 0;) {
    if (chain.size() > kIncluders && i == chain.size() - kIncluders / 2 - 1) {
      size_t skipped = chain.size() - kIncluders;
      text += "(" + std::to_string(skipped) + " more files between these)\n";
      i -= skipped;
    }
    text += "In file included from " + std::string(sources.name(chain[i].file)) + ":" +
            std::to_string(sources.lineColumn(chain[i]).line) + ":\n";
  }
  return text;
}

std::string DiagnosticEngine::render(const Diagnostic &diagnostic) const {
  std::string text;
  const SourceRange &range = diagnostic.range;
  if (diagnostic.severity != Severity::Note)
    text = includers(sources, range.begin);
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
    SourceLoc lineAt{range.begin.file, static_cast<uint32_t>(lineBegin)};
    std::string fixIts = fixItLine(diagnostic.fixIts, lineAt, line);
    if (!fixIts.empty())
      text += fixIts + "\n";
    renderMacros(range, text);
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
