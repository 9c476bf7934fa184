//===- ClangDiagnostics.h - clang's diagnostics as ours ---------*- C++ -*-===//

#ifndef TRITIUM_LIB_FRONTEND_TRITONC_CLANGDIAGNOSTICS_H
#define TRITIUM_LIB_FRONTEND_TRITONC_CLANGDIAGNOSTICS_H

#include "ClangSources.h"
#include "MacroBudget.h"

#include "clang/Basic/Diagnostic.h"

#include <string>
#include <vector>

namespace tritium::frontend::tritonc {

/// Hands on what clang reports about the user's text.
class ClangDiagnostics : public clang::DiagnosticConsumer {
public:
  /// `folders`: where included files are searched, for the message that one is missing.
  ClangDiagnostics(ClangSources &sources, DiagnosticEngine &ours, Stop &stop,
                   std::vector<std::string> folders)
      : sources(sources), ours(ours), stop(stop), folders(std::move(folders)) {}

  void start(clang::Preprocessor &run) { preprocessor = &run; }
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic &diagnostic) override;

private:
  clang::Preprocessor *preprocessor = nullptr;
  ClangSources &sources;
  DiagnosticEngine &ours;
  Stop &stop;
  std::vector<std::string> folders;
  /// The report before this one is the engine's last, and notes belong to it.
  bool isShown = false;

  std::string missingFile(const clang::Diagnostic &diagnostic) const;
};

} // namespace tritium::frontend::tritonc

#endif // TRITIUM_LIB_FRONTEND_TRITONC_CLANGDIAGNOSTICS_H
