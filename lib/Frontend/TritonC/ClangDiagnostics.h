//===- ClangDiagnostics.h - clang's diagnostics as ours ---------*- C++ -*-===//

#ifndef TRITIUM_LIB_FRONTEND_TRITONC_CLANGDIAGNOSTICS_H
#define TRITIUM_LIB_FRONTEND_TRITONC_CLANGDIAGNOSTICS_H

#include "ClangSources.h"

#include "clang/Basic/Diagnostic.h"

#include <string>
#include <vector>

namespace tritium::frontend::tritonc {

/// Reports what clang finds into our engine.
class ClangDiagnostics : public clang::DiagnosticConsumer {
public:
  /// `folders`: where included files are looked for, for messages.
  ClangDiagnostics(ClangSources &map, DiagnosticEngine &engine, std::vector<std::string> folders)
      : map(map), engine(engine), folders(std::move(folders)) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic &info) override;
  bool hasErrors() const { return errors != 0; }
  void error(clang::SourceLocation at, std::string message);

private:
  ClangSources &map;
  DiagnosticEngine &engine;
  std::vector<std::string> folders;
  unsigned errors = 0, warnings = 0;
  bool isLastReported = false;

  std::string missingFile(const clang::Diagnostic &info) const;
};

} // namespace tritium::frontend::tritonc

#endif // TRITIUM_LIB_FRONTEND_TRITONC_CLANGDIAGNOSTICS_H
