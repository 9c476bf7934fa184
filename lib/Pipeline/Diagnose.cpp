//===- Diagnose.cpp - diagnostics of the front end as one error -----------===//

#include "Diagnose.h"

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
    Remark remark{"frontend", "warning", diagnostic.message, "", 0, 0, {}};
    if (diagnostic.range.begin.isValid()) {
      LineColumn place = sources.lineColumn(diagnostic.range.begin);
      remark.file = sources.name(diagnostic.range.begin.file);
      remark.line = place.line;
      remark.column = place.column;
    }
    remarks.push_back(std::move(remark));
  }
}

} // namespace tritium
