/*===- explain.h - what the compiler did, and what it costs -------*- C -*-===*/

#ifndef TRITIUM_C_EXPLAIN_H
#define TRITIUM_C_EXPLAIN_H

#include "tritium/c/kernels.h"

/* NOLINTBEGIN(readability-identifier-naming) */
#ifdef __cplusplus
extern "C" {
#endif

/* What became of each line of a kernel: docs/explain.md. */
typedef struct tritium_explained tritium_explained;

/* Explains a compiled kernel. Null after an error. To be released. */
TRITIUM_API tritium_explained *tritium_compiled_explain(tritium_compiled *compiled,
                                                        tritium_error *error);
/* As one JSON object, whose schema is docs/explain.schema.json. Lives as long as `explained`. */
TRITIUM_API const char *tritium_explained_json(const tritium_explained *explained);
TRITIUM_API void tritium_explained_release(tritium_explained *explained);

#ifdef __cplusplus
}
#endif
/* NOLINTEND(readability-identifier-naming) */

#endif /* TRITIUM_C_EXPLAIN_H */
