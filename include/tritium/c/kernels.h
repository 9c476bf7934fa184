/*===- kernels.h - kernels: from their text to launches -----------*- C -*-===*/

#ifndef TRITIUM_C_KERNELS_H
#define TRITIUM_C_KERNELS_H

#include "tritium/c/values.h"

/* NOLINTBEGIN(readability-identifier-naming) */
#ifdef __cplusplus
extern "C" {
#endif

/*===-- Source text and the names in it -----------------------------------===*/

/* Receives what a name stands for, inside a scope's lookup. */
typedef struct tritium_external tritium_external;

/* Answers what the names outside a function mean. */
typedef struct tritium_scope {
  void *user;
  /* Calls one tritium_external_set_* and returns 1, or returns 0 if `name` is not
     defined. Called while compiling, on the compiling thread. */
  int (*lookup)(void *user, const char *name, tritium_external *result);
  /* Called once, when the scope is no longer needed. May be null. */
  void (*release)(void *user);
} tritium_scope;

/* The text of one function. */
typedef struct tritium_source {
  const char *name;  /* as written after `def` */
  const char *file;  /* path that diagnostics show */
  int first_line;    /* line in `file` of the first line of `text` */
  int column_offset; /* columns that dedenting removed from each line */
  const char *text;  /* decorators, `def` line and body */
  int is_noinline;
  const void *identity; /* sources with the same one are one function; null: unknown */
  tritium_scope scope;  /* taken over, also on failure */
} tritium_source;

/* A host function over compile-time values, the last of which have names. Returns 0 and calls
   tritium_call_set_result, or returns non-zero after tritium_call_set_error. */
typedef struct tritium_call tritium_call;
typedef int (*tritium_host_function)(void *user, const tritium_value *arguments, size_t count,
                                     const char *const *names, size_t named, tritium_call *call);
TRITIUM_API void tritium_call_set_result(tritium_call *call, const tritium_value *value);
TRITIUM_API void tritium_call_set_error(tritium_call *call, const char *message);

TRITIUM_API void tritium_external_set_constant(tritium_external *, const tritium_value *value);
TRITIUM_API void tritium_external_set_function(tritium_external *, const tritium_source *source);
/* A module of the language, by its path: "triton", "triton.language", "math", ... */
TRITIUM_API void tritium_external_set_library_module(tritium_external *, const char *path);
/* Another module (`name` is null), or any other object, known to the host by its name: values of
   the kind TRITIUM_OBJECT stand for it, and a kernel's scope is asked for "<object>" and the name.
   `scope`, which is taken over, answers for its attributes, and for "<items>" (a tuple of what
   iterating over it gives), "<truth>" (a bool) and "<isinstance>" (of a class: a host function of
   one value). */
TRITIUM_API void tritium_external_set_module(tritium_external *, const char *name,
                                             tritium_scope scope);
/* A function or type of the language: "triton.language.load", "builtins.min", ... */
TRITIUM_API void tritium_external_set_library(tritium_external *, const char *qualified_name);
TRITIUM_API void tritium_external_set_host_function(tritium_external *, const char *name,
                                                    tritium_host_function function, void *user,
                                                    void (*release)(void *user));
/* Defined, but of no use in a kernel, for this reason. */
TRITIUM_API void tritium_external_set_unusable(tritium_external *, const char *reason);

/*===-- Kernels -----------------------------------------------------------===*/

/* A kernel's text with all of its compiled variants. */
typedef struct tritium_kernel tritium_kernel;
/* One variant: the kernel compiled for one choice of types and constants. */
typedef struct tritium_compiled tritium_compiled;

typedef enum tritium_argument_kind {
  TRITIUM_ARG_ABSENT,  /* not given: the parameter's default */
  TRITIUM_ARG_POINTER, /* bits: address; type: what it points to */
  TRITIUM_ARG_INT,     /* bits: int64 */
  TRITIUM_ARG_UINT,    /* bits: uint64, above the range of int64 */
  TRITIUM_ARG_BOOL,    /* bits: 0 or 1 */
  TRITIUM_ARG_FLOAT,   /* bits: those of a double */
  TRITIUM_ARG_VALUE,   /* value: a compile-time value */
  TRITIUM_ARG_TUPLE,   /* items: a tuple of arguments; value: null, or a tuple of their names */
  /* items: a tensor descriptor, as what tl.make_tensor_descriptor takes, in its order: a
     pointer, a tuple of ints (shape), a tuple of ints (strides, in elements), and two
     compile-time values, a tuple (block shape) and a string (padding). */
  TRITIUM_ARG_DESCRIPTOR
} tritium_argument_kind;

#define TRITIUM_UNKNOWN_EXTENT UINT64_MAX

typedef enum tritium_memory {
  TRITIUM_HOST_MEMORY,
  TRITIUM_CUDA_MEMORY /* of the GPU that `device` numbers */
} tritium_memory;

typedef struct tritium_argument {
  uint8_t kind;      /* tritium_argument_kind */
  uint8_t read_only; /* pointer: the memory may not be written */
  tritium_dtype type;
  uint8_t memory; /* pointer: tritium_memory. A call with CUDA memory runs on its GPU */
  uint8_t device; /* pointer to CUDA memory: the GPU's number, from 0 */
  /* Value: the caller says that it is one (tl.constexpr(v)), whatever the parameter is. Objects
     of the host that are no functions are refused without, for parameters that are not constexpr.
   */
  uint8_t is_constexpr;
  uint64_t bits; /* as the kind says; of a tuple or a descriptor: how many items */
  /* Pointer: the memory [begin, begin + bytes) that the kernel may reach through it;
     bytes may be TRITIUM_UNKNOWN_EXTENT, which overlaps everything. A launch runs code that
     assumes that a written argument overlaps no other, whenever that is so. */
  uint64_t begin, bytes;
  const tritium_value *value;
  const struct tritium_argument *items;
  /* Pointer to a part of a larger allocation from which the kernel may reach into other
     parts: all memory that it may reach. Overlap is then asked of this memory, while what
     the interpreter and the simulator let pass is still [begin, begin + bytes) of all
     arguments. 0 bytes: nothing beyond that. */
  uint64_t allocation_begin, allocation_bytes;
} tritium_argument;

/* A named option of a launch: num_warps, num_stages, debug, ... */
typedef struct tritium_option {
  const char *name;
  tritium_value value;
} tritium_option;

/* How a kernel treats all of its launches. Zero means: as the environment says. Where
   neither says anything, a launch runs where its arrays are. TRITIUM_BACKEND=cpu,
   interpret or cuda decides for all; cuda copies host arrays to the GPU and back. */
typedef struct tritium_kernel_config {
  const char *cpu; /* null: "native" or TRITIUM_CPU; a name of LLVM's otherwise */
  int interpret;   /* 1: run in the interpreter; -1: never, and not on a GPU because
                      TRITIUM_BACKEND says so; 0: TRITON_INTERPRET, TRITIUM_BACKEND */
  int debug;       /* 1: check device_assert and hints; -1: do not; 0: TRITON_DEBUG */
  /* Names of parameters whose value, or whose alignment, is not specialised on. */
  const char *const *do_not_specialize;
  size_t do_not_specialize_count;
  const char *const *do_not_specialize_on_alignment;
  size_t do_not_specialize_on_alignment_count;
} tritium_kernel_config;

/* Reads the signature of `source`; compiles nothing. `config` may be null. */
TRITIUM_API tritium_kernel *tritium_kernel_create(const tritium_source *source,
                                                  const tritium_kernel_config *config,
                                                  tritium_error *error);
TRITIUM_API void tritium_kernel_retain(tritium_kernel *kernel);
TRITIUM_API void tritium_kernel_release(tritium_kernel *kernel);

typedef struct tritium_parameter {
  const char *name;
  int is_constexpr;
  const char *annotation;             /* as written, or "" */
  const tritium_value *default_value; /* null: none */
} tritium_parameter;

TRITIUM_API const char *tritium_kernel_name(const tritium_kernel *kernel);
TRITIUM_API size_t tritium_kernel_parameter_count(const tritium_kernel *kernel);
TRITIUM_API const tritium_parameter *tritium_kernel_parameter(const tritium_kernel *kernel,
                                                              size_t index);
/* Forgets the compiled variants, e.g. because a constant that they used has changed. */
TRITIUM_API void tritium_kernel_invalidate(tritium_kernel *kernel);
/* Explains why `name` is no parameter or option, naming the nearest one. */
TRITIUM_API void tritium_kernel_unknown_name(const tritium_kernel *kernel, const char *name,
                                             tritium_error *error);

/* Runs the kernel on every point of `grid`, compiling first if no variant fits. On the
   host it returns when all have finished; on a GPU when the launch is queued, on the
   default stream. `arguments`: one for each parameter, in order. `variant`, if not null,
   receives the variant that ran, without a reference: it lives as long as the kernel, also
   after tritium_kernel_invalidate. */
TRITIUM_API int tritium_kernel_launch(tritium_kernel *kernel, const tritium_argument *arguments,
                                      size_t count, const tritium_option *options,
                                      size_t option_count, const uint32_t grid[3],
                                      tritium_compiled **variant, tritium_error *error);
/* The same, queued on a stream of the GPU that the arguments are on: a CUstream (or
   cudaStream_t); null is the default stream. Without effect on the host. A failure of a
   kernel that is already queued shows in a later call; with the option `debug` or
   TRITON_DEBUG=1 each launch waits for its end, and reports its own. */
TRITIUM_API int tritium_kernel_launch_on(tritium_kernel *kernel, const tritium_argument *arguments,
                                         size_t count, const tritium_option *options,
                                         size_t option_count, const uint32_t grid[3], void *stream,
                                         tritium_compiled **variant, tritium_error *error);
/* How tritium_kernel_simulate runs a kernel. A zeroed one is good. */
typedef struct tritium_simulation {
  const char *arch;    /* "sm_75", "sm_80" (also if null), "sm_86", "sm_89", "sm_90" */
  const char *checks;  /* "races", "undefined", both with a comma between, "none"; null: all.
                          Accesses, barriers and lanes are always checked */
  uint64_t seed;       /* not 0: warps and CTAs take turns at random, by this seed */
  uint64_t step_limit; /* warp instructions before the launch is given up; 0: 2000000000 */
} tritium_simulation;

/* What a simulated kernel did, as text and as JSON; see docs/simulator.md. */
typedef struct tritium_simulated tritium_simulated;
TRITIUM_API const char *tritium_simulated_text(const tritium_simulated *simulated);
TRITIUM_API const char *tritium_simulated_json(const tritium_simulated *simulated);
TRITIUM_API void tritium_simulated_release(tritium_simulated *simulated);

/* Runs the kernel on a simulated GPU, wherever a launch would run: the arrays, which are in
   host memory, change as by a launch. Null after an error, such as a fault that the checks
   find ("SimulatorError"). `how` may be null. To be released. */
TRITIUM_API tritium_simulated *
tritium_kernel_simulate(tritium_kernel *kernel, const tritium_argument *arguments, size_t count,
                        const tritium_option *options, size_t option_count, const uint32_t grid[3],
                        const tritium_simulation *how, tritium_error *error);

/* Compiles for these arguments (only types, alignment and constants matter) and runs
   nothing. Returns a variant with a reference. */
TRITIUM_API tritium_compiled *tritium_kernel_compile(tritium_kernel *kernel,
                                                     const tritium_argument *arguments,
                                                     size_t count, const tritium_option *options,
                                                     size_t option_count, tritium_error *error);

/* What one parameter, or an item of a tuple, is compiled for. */
typedef struct tritium_specialization {
  int is_constexpr;
  tritium_value value;  /* constexpr; of a tuple with names: a tuple of these */
  tritium_dtype type;   /* otherwise */
  int64_t divisibility; /* otherwise: value or address is a multiple of this */
  /* Not null: a tuple of `item_count` arguments or, with `is_descriptor`, a tensor descriptor as
     what TRITIUM_ARG_DESCRIPTOR has. */
  const struct tritium_specialization *items;
  size_t item_count;
  int is_descriptor;
} tritium_specialization;

/* Compiles one explicit specialisation, ahead of time, for `target`: LLVM's name of a CPU
   (null: this one), "cuda:90" for a GPU of compute capability 9.0, which need not be
   there, or "sim:90" for the simulation of one. */
TRITIUM_API tritium_compiled *tritium_kernel_specialize(tritium_kernel *kernel,
                                                        const tritium_specialization *parameters,
                                                        size_t count, const tritium_option *options,
                                                        size_t option_count, const char *target,
                                                        tritium_error *error);
/* Compiles textual tile IR, tile IR with layouts (for a GPU), or a module in the LLVM and NVVM
   dialects, with one kernel in it; or LLVM IR or PTX that tritium_compiled_stage has given, with
   its last line. A launch that such code was not compiled for is an error. Errors and remarks call
   the text `file`, or "ttir" if that is null. */
TRITIUM_API tritium_compiled *tritium_compile_ttir(const char *ttir, const char *file,
                                                   const tritium_option *options,
                                                   size_t option_count, const char *target,
                                                   tritium_error *error);

TRITIUM_API void tritium_compiled_retain(tritium_compiled *compiled);
TRITIUM_API void tritium_compiled_release(tritium_compiled *compiled);
/* The text or bytes of a stage: "ttir", "llir", "asm", "obj", or for a GPU "ttir", "ttgir",
   "llir", "ptx", "cubin" (if there is a ptxas); for both "header", a C header with what the code
   takes for granted of a launch, a check of it, and a function that launches. Stages that were
   not kept are produced on demand. */
TRITIUM_API const char *tritium_compiled_stage(tritium_compiled *compiled, const char *stage,
                                               size_t *size, tritium_error *error);
/* JSON: name, entry, target, cpu, hash, parameters, launch_rules (what a launch that is not
   made here has to look at, in the order of the header's numbers), tensor_maps (what the hidden
   parameters of a GPU's copies of boxes are made of, in the steps of launch_rules), scratch_bytes,
   options, remarks, printed, cached, compile_ms; for a GPU also num_warps, num_ctas, shared (bytes
   of a CTA), n_regs and n_spills (32-bit registers of a thread, once ptxas or the driver has
   told). */
TRITIUM_API const char *tritium_compiled_metadata(const tritium_compiled *compiled);
/* What the compiler remarks on the kernel, as text with the lines of the source: what it has
   missed, and with `all` what it has done, too. Lives as long as `compiled`. */
TRITIUM_API const char *tritium_compiled_remarks(const tritium_compiled *compiled, int all);
/* Runs this variant. `arguments`: one for each run-time parameter of the variant. */
TRITIUM_API int tritium_compiled_launch(tritium_compiled *compiled,
                                        const tritium_argument *arguments, size_t count,
                                        const uint32_t grid[3], tritium_error *error);
TRITIUM_API int tritium_compiled_launch_on(tritium_compiled *compiled,
                                           const tritium_argument *arguments, size_t count,
                                           const uint32_t grid[3], void *stream,
                                           tritium_error *error);

/*===-- Kernel files, for hosts without Python ----------------------------===*/

typedef struct tritium_module tritium_module;

/* Reads a file of kernels. */
TRITIUM_API tritium_module *tritium_module_load(const char *path, tritium_error *error);
TRITIUM_API void tritium_module_release(tritium_module *module);
TRITIUM_API size_t tritium_module_kernel_count(const tritium_module *module);
TRITIUM_API const char *tritium_module_kernel_name(const tritium_module *module, size_t index);
TRITIUM_API tritium_kernel *tritium_module_kernel(tritium_module *module, const char *name,
                                                  const tritium_kernel_config *config,
                                                  tritium_error *error);

#ifdef __cplusplus
}
#endif
/* NOLINTEND(readability-identifier-naming) */

#endif /* TRITIUM_C_KERNELS_H */
