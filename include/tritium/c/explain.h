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

/* What is explained of a compiled kernel. A zeroed one is good. */
typedef struct tritium_explanation {
  /* Of a launch whose work is counted, with a GPU's code on a simulated one: one argument for each
     run-time parameter, with its memory on the host, which is as before afterwards. A grid of
     zeros: there is no launch. Of a large grid some programs are run. */
  const tritium_argument *arguments;
  size_t count;
  uint32_t grid[3];
  int keeps_options; /* 1: no changes are tried on the launch */
  /* The launch's grid where integer constants of the kernel have these values, for tiles of other
     extents that are tried; answers 0 if there is none. Null: the grid depends on no constant. */
  int (*grid_for)(void *user, const char *const *names, const int64_t *values, size_t count,
                  uint32_t grid[3]);
  void *user;
  /* The GPU that the estimates are for, "H100" or "H200", also of code for older ones. Null: the
     newest of the target. */
  const char *gpu;
} tritium_explanation;

/* Explains a compiled kernel, or, with a launch, the code that it runs. `what` may be null. Null
   after an error. To be released. */
TRITIUM_API tritium_explained *tritium_compiled_explain(tritium_compiled *compiled,
                                                        const tritium_explanation *what,
                                                        tritium_error *error);
/* The same for what a launch of the kernel on these arguments would run; `arguments`, `count` and
   `grid` of `what` are not read. `target`: "cuda:90" and the like, for arrays in host memory; null:
   wherever the launch would run. */
TRITIUM_API tritium_explained *
tritium_kernel_explain(tritium_kernel *kernel, const tritium_argument *arguments, size_t count,
                       const tritium_option *options, size_t option_count, const uint32_t grid[3],
                       const char *target, const tritium_explanation *what, tritium_error *error);
/* What tritium_explained_json answered, of any version; errors name it by `name`. Of another
   version the text and the page show what they know and say so. Null after an error. To be
   released. */
TRITIUM_API tritium_explained *tritium_explanation_read(const char *json, const char *name,
                                                        tritium_error *error);

/* As one JSON object, whose schema is docs/explain.schema.json. Lives as long as `explained`. */
TRITIUM_API const char *tritium_explained_json(const tritium_explained *explained);
/* The same for a terminal of 80 columns; `all`: lines too on which there is nothing to say. */
TRITIUM_API const char *tritium_explained_text(const tritium_explained *explained, int all);
/* The same as a page of HTML that needs no other file. */
TRITIUM_API const char *tritium_explained_html(const tritium_explained *explained);
TRITIUM_API void tritium_explained_release(tritium_explained *explained);

/* What is different between two explanations. */
typedef struct tritium_compared tritium_compared;

/* `a` and `b`: what tritium_explained_json answered, of any program and time; errors name them by
   `a_name` and `b_name`. By the model, `b` may take `slowdown` times as long as `a` and is not
   worse; 0: 1.03 times. Null after an error. To be released. */
TRITIUM_API tritium_compared *tritium_explanations_compare(const char *a, const char *a_name,
                                                           const char *b, const char *b_name,
                                                           double slowdown, tritium_error *error);
/* As one JSON object, docs/explain.md. Lives as long as `compared`. */
TRITIUM_API const char *tritium_compared_json(const tritium_compared *compared);
/* The same for a terminal of 80 columns. */
TRITIUM_API const char *tritium_compared_text(const tritium_compared *compared);
TRITIUM_API void tritium_compared_release(tritium_compared *compared);

#ifdef __cplusplus
}
#endif
/* NOLINTEND(readability-identifier-naming) */

#endif /* TRITIUM_C_EXPLAIN_H */
