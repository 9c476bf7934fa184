//===- TritonCFuzzer.cpp - Triton-C's preprocessor and parser -------------===//
//
// Any bytes either parse or give an error, and every tree and diagnostic can be printed.
// Lines at the beginning of the form -DNAME=text are definitions.
//
//===----------------------------------------------------------------------===//

#include "tritium/Frontend/TritonC/Parser.h"

#include <cstdlib>

using namespace tritium;
using namespace tritium::frontend::tritonc;

static SourceUnit unitOf(std::string_view input) {
  SourceUnit unit;
  unit.file = "(fuzz)";
  while (input.starts_with("-D")) {
    std::string_view line = input.substr(2, input.find('\n') - 2);
    input.remove_prefix(std::min(input.size(), line.size() + 3));
    size_t equals = line.find('=');
    unit.defines.emplace_back(line.substr(0, equals),
                              equals == line.npos ? "1" : line.substr(equals + 1));
  }
  unit.text = input;
  return unit;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SourceUnit source = unitOf({reinterpret_cast<const char *>(data), size});
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  auto tokens = preprocess(source, sources, diagnostics);
  if (!tokens) {
    if (!diagnostics.hasErrors())
      abort();
    diagnostics.render();
    return 0;
  }
  auto unit = parse(*tokens, source, diagnostics);
  if (!unit && !diagnostics.hasErrors())
    abort();
  if (unit) {
    for (const auto &function : unit->functions)
      dump(*function);
    findKernel(*unit, "", source, diagnostics);
  }
  diagnostics.render();
  return 0;
}
