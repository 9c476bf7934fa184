//===- Errors.cpp - errors and types of the C interface -------------------===//

#include "Internal.h"

#include <cstdlib>
#include <cstring>

using namespace tritium;

static const char *copyText(const std::string &text) {
  char *copy = static_cast<char *>(std::malloc(text.size() + 1));
  if (!copy)
    return nullptr;
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

void capi::report(const CompileError &from, tritium_error *to) {
  if (!to)
    return;
  tritium_error_clear(to);
  to->kind = copyText(from.kind.empty() ? "InternalError" : from.kind);
  to->message = copyText(from.message);
  to->file = copyText(from.file);
  to->line = from.line;
  to->column = from.column;
  to->rendered = copyText(from.rendered.empty() ? from.message : from.rendered);
}

void tritium_error_clear(tritium_error *error) {
  if (!error)
    return;
  for (const char *text : {error->kind, error->message, error->file, error->rendered})
    std::free(const_cast<char *>(text));
  *error = {};
}

int tritium_dtype_parse(const char *text, tritium_dtype *type) {
  std::optional<DType> parsed = DType::parse(text);
  if (!parsed)
    return 1;
  *type = runtime::fromDType(*parsed);
  return 0;
}
