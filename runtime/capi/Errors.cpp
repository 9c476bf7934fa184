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

// The C interface numbers element types as the compiler does.
#define TRITIUM_SAME_KIND(c, kind)                                                                 \
  static_assert(TRITIUM_##c == static_cast<tritium_dtype_kind>(DTypeKind::kind));
TRITIUM_SAME_KIND(VOID, Void)
TRITIUM_SAME_KIND(INT1, Int1)
TRITIUM_SAME_KIND(INT8, Int8)
TRITIUM_SAME_KIND(INT16, Int16)
TRITIUM_SAME_KIND(INT32, Int32)
TRITIUM_SAME_KIND(INT64, Int64)
TRITIUM_SAME_KIND(UINT8, UInt8)
TRITIUM_SAME_KIND(UINT16, UInt16)
TRITIUM_SAME_KIND(UINT32, UInt32)
TRITIUM_SAME_KIND(UINT64, UInt64)
TRITIUM_SAME_KIND(FLOAT8E5, Float8E5)
TRITIUM_SAME_KIND(FLOAT8E4NV, Float8E4NV)
TRITIUM_SAME_KIND(FLOAT8E4B8, Float8E4B8)
TRITIUM_SAME_KIND(FLOAT8E4B15, Float8E4B15)
TRITIUM_SAME_KIND(FLOAT8E5B16, Float8E5B16)
TRITIUM_SAME_KIND(FLOAT16, Float16)
TRITIUM_SAME_KIND(BFLOAT16, BFloat16)
TRITIUM_SAME_KIND(FLOAT32, Float32)
TRITIUM_SAME_KIND(FLOAT64, Float64)
#undef TRITIUM_SAME_KIND

int tritium_dtype_parse(const char *text, tritium_dtype *type) {
  return capi::guarded(nullptr, 1, [&] {
    std::optional<DType> parsed = DType::parse(text);
    if (!parsed)
      return 1;
    *type = runtime::fromDType(*parsed);
    return 0;
  });
}
