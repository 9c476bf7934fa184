//===- ClangDiagnostics.cpp - clang's diagnostics as ours -----------------===//

#include "ClangDiagnostics.h"

#include "clang/Lex/LexDiagnostic.h"

using namespace tritium;
using namespace tritium::frontend::tritonc;

/// The most errors, and warnings, that one run reports.
static constexpr unsigned kMaxReported = 20;

std::string ClangDiagnostics::missingFile(const clang::Diagnostic &info) const {
  std::string text = "'" + info.getArgStdStr(0) + "' is not found; ";
  if (folders.empty())
    return text + "an include needs a search path, or a kernel that is read from a file";
  text += "looked in";
  for (const std::string &folder : folders)
    text += (&folder == folders.data() ? " '" : ", '") + folder + "'";
  return text + "; add the folder that holds it to the search paths";
}

void ClangDiagnostics::HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                                        const clang::Diagnostic &info) {
  using Level = clang::DiagnosticsEngine::Level;
  if (level == Level::Ignored || level == Level::Remark)
    return;
  llvm::SmallString<128> formatted;
  info.FormatDiagnostic(formatted);
  std::string message = formatted.str().str();
  SourceRange range = map.tokenRange(info.getLocation());

  if (level == Level::Note) {
    if (isLastReported)
      engine.lastNotes().push_back({Severity::Note, "", range, std::move(message)});
    return;
  }
  bool isError = level >= Level::Error;
  unsigned &count = isError ? errors : warnings;
  isLastReported = ++count <= kMaxReported;
  if (!isLastReported)
    return;
  if (info.getID() == clang::diag::err_pp_file_not_found)
    message = missingFile(info);
  Diagnostic &diagnostic =
      isError ? engine.error(range, std::move(message)) : engine.warning(range, std::move(message));
  for (const clang::FixItHint &hint : info.getFixItHints()) {
    if (hint.isNull() || !hint.InsertFromRange.isInvalid() || !hint.RemoveRange.isValid())
      continue;
    SourceRange removed = map.tokenRange(hint.RemoveRange.getBegin());
    if (hint.RemoveRange.isCharRange())
      removed.end = map.range(hint.RemoveRange.getEnd(), 0).begin;
    diagnostic.fixIts.push_back({removed, hint.CodeToInsert});
  }
}

void ClangDiagnostics::error(clang::SourceLocation at, std::string message) {
  ++errors;
  isLastReported = true;
  engine.error(map.tokenRange(at), std::move(message));
}
