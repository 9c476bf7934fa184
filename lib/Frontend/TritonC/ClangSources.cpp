//===- ClangSources.cpp - clang's locations as ours -----------------------===//

#include "ClangSources.h"

#include "clang/Lex/Lexer.h"

using namespace tritium;
using namespace tritium::frontend::tritonc;

/// The most macros around a token of which the location keeps a trace.
static constexpr unsigned kMaxMacroDepth = 100;

void ClangSources::addFile(clang::FileID id, uint32_t file, const SeparatedText &text,
                           uint32_t skipped) {
  files[id] = {file, skipped, &text};
}

bool ClangSources::isHidden(clang::SourceLocation definition) const {
  auto [id, offset] = manager->getDecomposedLoc(definition);
  auto found = files.find(id);
  return found != files.end() && offset < found->second.skipped;
}

ClangSources::File ClangSources::fileOf(clang::FileID id) {
  auto found = files.find(id);
  if (found != files.end())
    return found->second;
  File file;
  if (auto entry = manager->getFileEntryRefForID(id)) {
    if (const IncludeFiles::Entry *text = includes.find(entry->getName())) {
      file.file = ours.addFile(entry->getName().str(), text->text);
      file.text = &text->separated;
    }
  }
  files[id] = file;
  if (file.text) {
    clang::SourceLocation from = manager->getIncludeLoc(id);
    if (from.isValid())
      ours.setIncluder(file.file, fileRange(manager->getFileLoc(from), 0).begin);
  }
  return file;
}

SourceRange ClangSources::fileRange(clang::SourceLocation begin, unsigned length) {
  auto [id, offset] = manager->getDecomposedLoc(begin);
  File file = fileOf(id);
  if (!file.text || offset < file.skipped)
    return {};
  SourceRange range;
  range.begin.file = range.end.file = file.file;
  range.begin.offset = file.text->original(offset - file.skipped);
  range.end.offset = file.text->original(offset - file.skipped + length);
  return range;
}

const ClangSources::Use &ClangSources::useOf(clang::SourceLocation loc) {
  clang::FileID id = manager->getFileID(loc);
  auto found = uses.find(id);
  if (found != uses.end())
    return found->second;
  clang::CharSourceRange expansion = manager->getImmediateExpansionRange(loc);
  clang::SourceLocation last = expansion.getEnd();
  clang::SourceLocation name = manager->getSpellingLoc(expansion.getBegin());
  unsigned length = clang::Lexer::MeasureTokenLength(name, *manager, *language);
  Use use;
  use.macro = std::string(manager->getCharacterData(name), length);
  // A call ends with its parenthesis.
  use.range = range(expansion.getBegin(), last, last == expansion.getBegin() ? length : 1);
  return uses[id] = std::move(use);
}

SourceRange ClangSources::range(clang::SourceLocation begin, unsigned length) {
  return range(begin, begin, length);
}

SourceRange ClangSources::range(clang::SourceLocation begin, clang::SourceLocation last,
                                unsigned length) {
  // What was an argument stands where it was written.
  auto written = [&](clang::SourceLocation loc) {
    while (loc.isMacroID() && manager->isMacroArgExpansion(loc))
      loc = manager->getImmediateSpellingLoc(loc);
    return loc;
  };
  bool isOne = begin == last;
  begin = written(begin);
  last = isOne ? begin : written(last);

  if (begin.isFileID()) {
    SourceRange range = fileRange(begin, isOne ? length : 0);
    if (!isOne) {
      SourceRange end = fileRange(manager->getFileLoc(last), length);
      range.end = end.end.file == range.begin.file && range.begin.offset < end.end.offset
                      ? end.end
                      : range.begin;
    }
    return range;
  }
  if (depth > kMaxMacroDepth)
    return fileRange(manager->getFileLoc(begin), 0);

  ++depth;
  Use use = useOf(begin);
  --depth;
  SourceRange spelling = fileRange(manager->getSpellingLoc(begin), isOne ? length : 0);
  if (!spelling.begin.isValid())
    return use.range;
  if (!isOne && manager->getFileID(last) == manager->getFileID(begin))
    spelling.end = fileRange(manager->getSpellingLoc(last), length).end;
  uint32_t expansion = ours.addExpansion({use.macro, spelling, use.range.begin.expansion});
  use.range.begin.expansion = use.range.end.expansion = expansion;
  return use.range;
}

SourceRange ClangSources::tokenRange(clang::SourceLocation begin) {
  if (begin.isInvalid())
    return {};
  return range(
      begin, clang::Lexer::MeasureTokenLength(manager->getSpellingLoc(begin), *manager, *language));
}
