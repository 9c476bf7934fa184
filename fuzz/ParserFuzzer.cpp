//===- ParserFuzzer.cpp - the Python parser under libFuzzer ---------------===//
//
// Any bytes either parse or give an error, as a function, an expression and a module,
// and every tree and diagnostic can be printed.
//
//===----------------------------------------------------------------------===//

#include "tritium/Frontend/Python/Parser.h"

#include <cstdlib>

using namespace tritium;
using namespace tritium::frontend;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SourceManager sources;
  uint32_t file = sources.addFile("k.py", std::string(reinterpret_cast<const char *>(data), size));

  DiagnosticEngine ofFunction(sources);
  if (auto function = python::parseFunction(sources, file, ofFunction))
    ast::dump(*function);
  else if (!ofFunction.hasErrors())
    abort();
  ofFunction.render();

  DiagnosticEngine ofExpression(sources);
  if (auto expression = python::parseExpression(sources, file, ofExpression))
    ast::dump(*expression);
  else if (!ofExpression.hasErrors())
    abort();

  DiagnosticEngine ofModule(sources);
  if (!python::parseModule(sources, file, ofModule) && !ofModule.hasErrors())
    abort();
  return 0;
}
