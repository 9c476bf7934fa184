//===- Signature.cpp - a kernel's parameters from its text ----------------===//

#include "Diagnose.h"

#include "tritium/Frontend/Python/IRGen.h"
#include "tritium/Frontend/TritonC/IRGen.h"

namespace tritium {

std::optional<KernelSignature> readSignature(const frontend::FunctionSource &source,
                                             CompileError &error) {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  auto signature = source.language == frontend::Language::TritonC
                       ? frontend::tritonc::readSignature(source, sources, diagnostics)
                       : frontend::python::readSignature(source, sources, diagnostics);
  if (!signature)
    fillError(sources, diagnostics, error);
  return signature;
}

} // namespace tritium
