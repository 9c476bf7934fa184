//===- Diagnose.h - diagnostics of the front end as one error ---*- C++ -*-===//

#ifndef TRITIUM_LIB_PIPELINE_DIAGNOSE_H
#define TRITIUM_LIB_PIPELINE_DIAGNOSE_H

#include "tritium/Pipeline/Compiler.h"
#include "tritium/Support/Diagnostics.h"

namespace tritium {

/// The first error of `diagnostics`, with the rendering of all.
void fillError(const SourceManager &sources, const DiagnosticEngine &diagnostics,
               CompileError &error);

/// Adds the warnings as remarks of the pass "frontend".
void collectWarnings(const SourceManager &sources, const DiagnosticEngine &diagnostics,
                     std::vector<Remark> &remarks);

/// Fills `rendered`. Lines of the kernel's text are taken from there, those of others from
/// their files, if these can be read.
void renderRemarks(const frontend::FunctionSource &source, std::vector<Remark> &remarks);

} // namespace tritium

#endif // TRITIUM_LIB_PIPELINE_DIAGNOSE_H
