//===- Errors.cpp - errors and types of the C interface -------------------===//

#include "Internal.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace tritium;

static const char *copyText(const char *text) {
  size_t size = std::strlen(text) + 1;
  char *copy = static_cast<char *>(std::malloc(size));
  if (!copy)
    return nullptr;
  std::memcpy(copy, text, size);
  return copy;
}

void capi::report(const CompileError &from, tritium_error *to) noexcept {
  if (!to)
    return;
  tritium_error_clear(to);
  to->kind = copyText(from.kind.empty() ? "InternalError" : from.kind.c_str());
  to->message = copyText(from.message.c_str());
  to->file = copyText(from.file.c_str());
  to->line = from.line;
  to->column = from.column;
  to->rendered = copyText(from.rendered.empty() ? from.message.c_str() : from.rendered.c_str());
}

/// Without anything that could throw.
static void report(const char *kind, const char *message, const char *detail, tritium_error *to) {
  if (!to)
    return;
  tritium_error_clear(to);
  char text[512];
  std::snprintf(text, sizeof text, "%s%s", message, detail);
  to->kind = copyText(kind);
  to->message = copyText(text);
  to->file = copyText("");
  to->rendered = copyText(text);
}

void capi::reportException(tritium_error *to) noexcept {
  try {
    throw;
  } catch (const std::bad_alloc &) {
    ::report("OutOfMemory", "out of memory", "", to);
  } catch (const std::exception &exception) {
    ::report("InternalError", "bug in Tritium: ", exception.what(), to);
  } catch (...) {
    ::report("InternalError", "bug in Tritium: unknown exception", "", to);
  }
}

void tritium_error_clear(tritium_error *error) {
  if (!error)
    return;
  for (const char *text : {error->kind, error->message, error->file, error->rendered})
    std::free(const_cast<char *>(text));
  *error = {};
}

int tritium_dtype_parse(const char *text, tritium_dtype *type) {
  return capi::guarded(nullptr, 1, [&] {
    std::optional<DType> parsed = DType::parse(text);
    if (!parsed)
      return 1;
    *type = runtime::fromDType(*parsed);
    return 0;
  });
}
