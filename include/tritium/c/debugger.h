/*===- debugger.h - programs that stop ----------------------------*- C -*-===*/

#ifndef TRITIUM_C_DEBUGGER_H
#define TRITIUM_C_DEBUGGER_H

#include "tritium/c/values.h"

/* NOLINTBEGIN(readability-identifier-naming) */
#ifdef __cplusplus
extern "C" {
#endif

/* Interpreted programs stop at breakpoint() in their text, before the statements that a debugger
   names, and where they fail. All of it lives until the call that it is handed to returns. */

/* A variable, or a part of one: "x", "pair[0]", "block.offsets[1]". */
typedef struct tritium_stopped_value {
  const char *name;
  const char *type; /* in the language's words: "float32", "pointer<float32>" */
  const char *text; /* of what is known at compile time, as Python writes it; else null, and: */
  int kind;         /* of the elements: 0 signed, 1 unsigned, 2 float, 3 pointer */
  int bits;         /* of an element in `data`; floats of less than 32 are widened to float32 */
  int rank;         /* 0: a scalar */
  const int64_t *shape;
  const void *data; /* in row-major order; elements of less than 8 bits have a byte */
  size_t bytes;
  const char *present; /* for each element, whether it was loaded; null: all are there */
} tritium_stopped_value;

typedef struct tritium_stopped_frame {
  const char *function, *file;
  int line, column;
  const tritium_stopped_value *values;
  size_t count;
} tritium_stopped_frame;

/* Memory behind an argument. */
typedef struct tritium_stopped_buffer {
  const char *name;
  uint64_t address, bytes;
} tritium_stopped_buffer;

typedef enum tritium_stop_reason {
  TRITIUM_STOP_LINE,
  TRITIUM_STOP_BREAKPOINT, /* of the kernel's text */
  TRITIUM_STOP_FAILURE     /* an access out of bounds, an assertion: it cannot go on */
} tritium_stop_reason;

typedef struct tritium_stop {
  tritium_stop_reason reason;
  const char *message; /* of a failure; else "" */
  const char *kernel;
  uint32_t pid[3], grid[3];
  const int64_t *index;                /* of the element that failed */
  int rank;                            /* its coordinates; 0: none has */
  const tritium_stopped_frame *frames; /* the kernel, then the functions that it calls */
  size_t frame_count;
  const tritium_stopped_buffer *buffers;
  size_t buffer_count;
} tritium_stop;

/* How a program goes on. Steps end with it. */
typedef enum tritium_resume {
  TRITIUM_RESUME_RUN,
  TRITIUM_RESUME_STEP, /* to the next statement */
  TRITIUM_RESUME_NEXT, /* to the next one of this function, or of its caller */
  TRITIUM_RESUME_OUT,  /* to the next one of the caller */
  TRITIUM_RESUME_QUIT  /* the launch ends, with an error of the kind "Interrupted" */
} tritium_resume;

/* `stopped` is called on a thread that runs programs, which waits meanwhile. Null: programs do not
   stop, as at first. `for_all` not 0: kernels that are made from now on can stop at every statement
   and where they fail; else those can whose text has a breakpoint. */
TRITIUM_API void tritium_set_debugger(tritium_resume (*stopped)(void *user,
                                                                const tritium_stop *stop),
                                      void *user, int for_all);

/* A statement before which programs stop. */
typedef struct tritium_breakpoint {
  const char *file;
  int line;
  int pid[3]; /* only this program; -1: any */
} tritium_breakpoint;
/* Replaces all of them. */
TRITIUM_API void tritium_set_breakpoints(const tritium_breakpoint *all, size_t count);
/* The next program stops at its next statement; `pid` as above. */
TRITIUM_API void tritium_stop_next(const int pid[3]);

#ifdef __cplusplus
}
#endif
/* NOLINTEND(readability-identifier-naming) */

#endif /* TRITIUM_C_DEBUGGER_H */
