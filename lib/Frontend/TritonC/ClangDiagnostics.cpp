//===- ClangDiagnostics.cpp - clang's diagnostics as ours -----------------===//

#include "ClangDiagnostics.h"

#include "clang/Basic/DiagnosticLex.h"

#include "llvm/ADT/SmallString.h"

using namespace tritium;
using namespace tritium::frontend::tritonc;

std::string ClangDiagnostics::missingFile(const clang::Diagnostic &diagnostic) const {
  std::string text = "'" + diagnostic.getArgStdStr(0) + "' is not found; ";
  if (folders.empty())
    return text + "an include needs a search path (-I), or a kernel that is read from a file";
  text += "looked in";
  for (const std::string &folder : folders)
    text += (&folder == folders.data() ? " '" : ", '") + folder + "'";
  return text + "; -I adds a folder";
}

void ClangDiagnostics::HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                                        const clang::Diagnostic &diagnostic) {
  using Level = clang::DiagnosticsEngine::Level;
  if (level == Level::Ignored || level == Level::Remark || stop)
    return;
  clang::SourceLocation at = diagnostic.getLocation();
  SourceRange range = sources.tokenRange(at);
  bool isHidden = at.isValid() && !range.begin.isValid();
  llvm::SmallString<128> formatted;
  diagnostic.FormatDiagnostic(formatted);
  std::string message = formatted.str().str();

  if (level == Level::Note) {
    if (!isHidden && isShown)
      ours.lastNotes().push_back({Severity::Note, "", range, std::move(message), {}, {}});
    return;
  }
  isShown = false;
  if (level == Level::Warning && isHidden)
    return;
  isShown = true;

  switch (diagnostic.getID()) {
  case clang::diag::ext_embedded_directive:
    // C leaves open what it does, and clang tells of the macros in it only when they are
    // expanded, too late for a bound.
    stop.set(at, "a directive cannot stand among the arguments of a macro's call");
    cutOff(*preprocessor);
    return;
  case clang::diag::err_pp_include_too_deep:
    stop.set(at, "files include each other too deeply; '#pragma once' ends a cycle");
    return;
  case clang::diag::err_pp_file_not_found:
    message = missingFile(diagnostic);
    break;
  default:
    break;
  }
  Diagnostic &report = level == Level::Warning ? ours.warning(range, std::move(message))
                                               : ours.error(range, std::move(message));
  for (const clang::FixItHint &hint : diagnostic.getFixItHints()) {
    SourceRange removed = sources.tokenRange(hint.RemoveRange.getBegin());
    if (!hint.RemoveRange.isValid() || removed.begin.expansion)
      continue;
    removed.end = hint.RemoveRange.isTokenRange()
                      ? sources.tokenRange(hint.RemoveRange.getEnd()).end
                      : sources.tokenRange(hint.RemoveRange.getEnd()).begin;
    if (removed.begin.isValid() && removed.end.file == removed.begin.file)
      report.fixIts.push_back({removed, hint.CodeToInsert});
  }
}
