/*===- tritium.h - the C interface of Tritium ---------------------*- C -*-===*\
|*                                                                            *|
|* Compiles tile kernels and runs them. Everything that a host can do goes    *|
|* through these functions; tritium.hpp and the Python package are built on   *|
|* them.                                                                      *|
|*                                                                            *|
|* Rules that hold for all of them:                                           *|
|* - Every function may be called from any thread.                            *|
|* - A function that can fail takes a `tritium_error *` (which may be null)   *|
|*   and returns null or a non-zero status on failure. No exception leaves;   *|
|*   one that a function of the host throws ends the call with an error.      *|
|* - Strings are UTF-8. Strings and arrays that a function takes are copied   *|
|*   unless it says otherwise; what it returns lives as long as the object    *|
|*   that it was asked of, also if it is asked again.                         *|
|* - Handles are reference counted: `_create` and `_retain` add one,          *|
|*   `_release` takes one away; null may be released.                         *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TRITIUM_TRITIUM_H
#define TRITIUM_TRITIUM_H

/* Errors, element types, compile-time values. */
#include "tritium/c/values.h"
/* Kernels: from their text to launches. */
#include "tritium/c/kernels.h"
/* Triton-C with definitions, and tuning. */
#include "tritium/c/programs.h"
/* What became of each line of a kernel. */
#include "tritium/c/explain.h"
/* GPUs, threads, settings, the cache. */
#include "tritium/c/process.h"
/* Interpreted programs that stop. */
#include "tritium/c/debugger.h"

#endif /* TRITIUM_TRITIUM_H */
