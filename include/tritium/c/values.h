/*===- values.h - errors, element types, compile-time values ------*- C -*-===*/

#ifndef TRITIUM_C_VALUES_H
#define TRITIUM_C_VALUES_H

#include <stddef.h>
#include <stdint.h>

#define TRITIUM_API __attribute__((visibility("default")))

/* NOLINTBEGIN(readability-identifier-naming) */
#ifdef __cplusplus
extern "C" {
#endif

/*===-- Errors ------------------------------------------------------------===*/

/* Filled on failure. Start with a zeroed one; release with tritium_error_clear. */
typedef struct tritium_error {
  const char *kind;     /* "CompilationError", "CompileTimeAssertionFailure",
                           "UnsupportedLanguageConstruct", "InterpreterError",
                           "DeviceAssertion", "ArgumentError", "OptionError", "GridError",
                           "CUDAError", "SimulatorError", "PTXASError", "OutOfResources",
                           "AutotunerError", "OutOfMemory", "Stopped", "InternalError" */
  const char *message;  /* one line */
  const char *file;     /* source file, or "" */
  int line, column;     /* from 1; 0 if unknown */
  const char *rendered; /* what a terminal shows: message, source line, caret, notes */
} tritium_error;

TRITIUM_API void tritium_error_clear(tritium_error *error);

/*===-- Values and element types ------------------------------------------===*/

typedef enum tritium_dtype_kind {
  TRITIUM_VOID,
  TRITIUM_INT1,
  TRITIUM_INT8,
  TRITIUM_INT16,
  TRITIUM_INT32,
  TRITIUM_INT64,
  TRITIUM_UINT8,
  TRITIUM_UINT16,
  TRITIUM_UINT32,
  TRITIUM_UINT64,
  TRITIUM_FLOAT8E5,
  TRITIUM_FLOAT8E4NV,
  TRITIUM_FLOAT8E4B8,
  TRITIUM_FLOAT8E4B15,
  TRITIUM_FLOAT8E5B16,
  TRITIUM_FLOAT16,
  TRITIUM_BFLOAT16,
  TRITIUM_FLOAT32,
  TRITIUM_FLOAT64
} tritium_dtype_kind;

/* An element type, or a pointer to one. */
typedef struct tritium_dtype {
  uint8_t kind;          /* a tritium_dtype_kind */
  uint8_t pointer_depth; /* 0: a value, 1: pointer to it, ... */
  uint8_t is_const;      /* a pointer that may not be stored through */
} tritium_dtype;

/* Parses "fp32", "*bf16", "i32", "float32", ... Returns 0 if it is a type. */
TRITIUM_API int tritium_dtype_parse(const char *text, tritium_dtype *type);

typedef enum tritium_value_kind {
  TRITIUM_NONE,
  TRITIUM_BOOL,
  TRITIUM_INT,
  TRITIUM_FLOAT,
  TRITIUM_STRING,
  TRITIUM_DTYPE,
  TRITIUM_TUPLE,
  TRITIUM_OBJECT /* string: the name of an object of the host */
} tritium_value_kind;

/* A compile-time value. */
typedef struct tritium_value {
  tritium_value_kind kind;
  union {
    int boolean;
    struct {
      uint64_t low; /* two's complement, 128 bits */
      int64_t high;
    } integer;
    double number;
    struct {
      const char *data;
      size_t size;
    } string;
    tritium_dtype dtype;
    struct {
      const struct tritium_value *items;
      size_t count;
    } tuple;
  } as;
} tritium_value;

#ifdef __cplusplus
}
#endif
/* NOLINTEND(readability-identifier-naming) */

#endif /* TRITIUM_C_VALUES_H */
