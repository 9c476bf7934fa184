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

#include <stddef.h>
#include <stdint.h>

/* Names as C has them. NOLINTBEGIN(readability-identifier-naming) */
#ifdef __cplusplus
extern "C" {
#endif

#define TRITIUM_API __attribute__((visibility("default")))

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

/* An element type, or a pointer to one. `kind` numbers the types void, int1, int8,
   int16, int32, int64, uint8, uint16, uint32, uint64, float8e5, float8e4nv, float16,
   bfloat16, float32, float64 from 0. */
typedef struct tritium_dtype {
  uint8_t kind;
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
  TRITIUM_TUPLE
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

/* A host function over compile-time values. Returns 0 and calls
   tritium_call_set_result, or returns non-zero after tritium_call_set_error. */
typedef struct tritium_call tritium_call;
typedef int (*tritium_host_function)(void *user, const tritium_value *arguments, size_t count,
                                     tritium_call *call);
TRITIUM_API void tritium_call_set_result(tritium_call *call, const tritium_value *value);
TRITIUM_API void tritium_call_set_error(tritium_call *call, const char *message);

TRITIUM_API void tritium_external_set_constant(tritium_external *, const tritium_value *value);
TRITIUM_API void tritium_external_set_function(tritium_external *, const tritium_source *source);
/* A module of the language, by its path: "triton", "triton.language", "math", ... */
TRITIUM_API void tritium_external_set_library_module(tritium_external *, const char *path);
/* Another module; `scope` answers for its attributes and is taken over. */
TRITIUM_API void tritium_external_set_module(tritium_external *, tritium_scope scope);
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
  TRITIUM_ARG_TUPLE,   /* items: a tuple of arguments */
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
  uint64_t bits;
  /* Pointer: the memory [begin, begin + bytes) that the kernel may reach through it;
     bytes may be TRITIUM_UNKNOWN_EXTENT, which overlaps everything. A launch runs code that
     assumes that a written argument overlaps no other, whenever that is so. */
  uint64_t begin, bytes;
  const tritium_value *value;
  const struct tritium_argument *items; /* as many as `bits` says */
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

/* What one parameter is compiled for. */
typedef struct tritium_specialization {
  int is_constexpr;
  tritium_value value;  /* constexpr */
  tritium_dtype type;   /* otherwise */
  int64_t divisibility; /* otherwise: value or address is a multiple of this */
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
   its last line. A launch that such code was not compiled for is an error. */
TRITIUM_API tritium_compiled *tritium_compile_ttir(const char *ttir, const tritium_option *options,
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
   made here has to look at, in the order of the header's numbers), scratch_bytes, options, remarks,
   printed, cached, compile_ms; for a GPU also num_warps, num_ctas, shared (bytes of a CTA),
   n_regs and n_spills (32-bit registers of a thread, once ptxas or the driver has told). */
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

/*===-- GPUs --------------------------------------------------------------===*/

/* The number of CUDA devices; 0 where there is no driver. */
TRITIUM_API int tritium_cuda_device_count(void);
/* The device whose context is current in this thread, or 0. */
TRITIUM_API int tritium_cuda_current_device(void);

typedef struct tritium_cuda_properties {
  char name[128];
  int driver_version; /* 13000 for CUDA 13.0 */
  int capability;     /* 90 for 9.0 */
  int multiprocessors, warp_size;
  int max_threads, max_registers, max_shared_bytes; /* of a CTA */
  uint32_t max_grid[3];
} tritium_cuda_properties;
TRITIUM_API int tritium_cuda_device_properties(int device, tritium_cuda_properties *properties,
                                               tritium_error *error);
/* Waits for all that is queued on the device. */
TRITIUM_API int tritium_cuda_synchronize(int device, tritium_error *error);

/*===-- Tuning ------------------------------------------------------------===*/

/* One configuration of a kernel, with the launch that it is tried on. */
typedef struct tritium_candidate {
  tritium_kernel *kernel;
  const tritium_argument *arguments; /* as for tritium_kernel_launch */
  size_t count;
  const tritium_option *options;
  size_t option_count;
  uint32_t grid[3];
  const char *label; /* the configuration as text: what records know it by */
} tritium_candidate;

/* One run of a candidate, inside `measure`. */
typedef struct tritium_trial tritium_trial;

typedef struct tritium_tuning {
  const tritium_candidate *candidates;
  size_t count;
  const char *key; /* the values that the choice is made for, as text */
  /* Names of parameters whose memory is zeroed, or put back, before each run. Memory
     that a kernel both writes and reads is put back without being named. */
  const char *const *reset_to_zero;
  size_t reset_to_zero_count;
  const char *const *restore_value;
  size_t restore_value_count;
  /* For how long each candidate runs before and while it is measured; 0: as it needs. */
  double warmup_ms, rep_ms;
  /* 1: kernels that write through pointers that they load may run more than once, though
     that memory is not put back. 0: where there are such, nothing is measured. */
  int may_repeat_indirect_writes;
  int ignore_record; /* 1: neither read nor write what is kept on disk */
  /* Called around each run; each may be null. A non-zero answer ends the tuning with an
     error of the kind "Stopped". `failure`: of the run, or null. */
  void *user;
  int (*before)(void *user, size_t candidate);
  int (*after)(void *user, size_t candidate, const tritium_error *failure);
  /* Measures a candidate instead of the tuner's own clock: calls tritium_trial_run as
     often as it likes and fills `times` (milliseconds; the first is compared). */
  int (*measure)(void *user, size_t candidate, tritium_trial *trial, double times[3]);
} tritium_tuning;

typedef struct tritium_timing {
  int is_known;
  double times[3];    /* milliseconds: the least, the 20 % and the 80 % quantile */
  const char *reason; /* why the configuration was dropped; null: it was not */
} tritium_timing;

typedef struct tritium_tuned tritium_tuned;

/* Compiles the candidates in parallel threads, runs them by turns, and finds the fastest.
   Memory that they write is as before afterwards, but for reset_to_zero, which is zero.
   Times are kept in the cache directory. The environment variable TRITIUM_TUNING says
   otherwise: `first` (the first that compiles), `recorded` (as the record says, else the
   first), `always` (measure, whatever is recorded). Candidates that do not compile or run
   are dropped; if none is left, the error lists every reason. */
TRITIUM_API tritium_tuned *tritium_tune(const tritium_tuning *tuning, tritium_error *error);
TRITIUM_API void tritium_tuned_release(tritium_tuned *tuned);
TRITIUM_API size_t tritium_tuned_best(const tritium_tuned *tuned);
/* "only", "first", "recorded" or "measured". */
TRITIUM_API const char *tritium_tuned_source(const tritium_tuned *tuned);
/* Why nothing was measured where one would expect it; or "". */
TRITIUM_API const char *tritium_tuned_note(const tritium_tuned *tuned);
/* How long compiling and measuring took; 0 where it was not done. */
TRITIUM_API void tritium_tuned_seconds(const tritium_tuned *tuned, double *compile,
                                       double *measure);
TRITIUM_API tritium_timing tritium_tuned_timing(const tritium_tuned *tuned, size_t candidate);
TRITIUM_API int tritium_trial_run(tritium_trial *trial, tritium_error *error);

/*===-- Triton-C: kernels with definitions --------------------------------===*/

/* A macro. The value is its text; `[a, b]` is a list of values to choose from, and null
   means 1. */
typedef struct tritium_define {
  const char *name, *value;
  const char *const *values; /* not null: the values to choose from, instead */
  size_t value_count;
} tritium_define;

/* Definitions to try together. They replace those of the same name. */
typedef struct tritium_define_set {
  const tritium_define *defines;
  size_t count;
  int num_warps; /* 0: not said */
} tritium_define_set;

typedef struct tritium_program_source {
  const char *text; /* null: the content of `file` */
  const char *file; /* the path; with a text: what diagnostics show */
  const char *name; /* of the kernel; null: the first of the text */
  const tritium_define *defines;
  size_t define_count;
  const char *const *include_paths; /* for #include; none: it is an error */
  size_t include_path_count;
  const int *num_warps; /* values of the option to choose from */
  size_t num_warps_count;
  const tritium_define_set *sets; /* each is tried */
  size_t set_count;
  /* Names of parameters whose values choose anew. None: those marked __retune; without
     such, all integers. */
  const char *const *key;
  size_t key_count;
} tritium_program_source;

/* A kernel of a text with every choice of its macros: lists make several, and launches
   take the fastest, found by tuning, of which the same holds as of tritium_tune. */
typedef struct tritium_program tritium_program;

/* Reads the text; compiles nothing. `config` may be null. */
TRITIUM_API tritium_program *tritium_program_create(const tritium_program_source *source,
                                                    const tritium_kernel_config *config,
                                                    tritium_error *error);
TRITIUM_API void tritium_program_retain(tritium_program *program);
TRITIUM_API void tritium_program_release(tritium_program *program);
TRITIUM_API const char *tritium_program_name(const tritium_program *program);
/* The kernels of the same text: its __global__ functions or, if it has none, those that
   return void. */
TRITIUM_API size_t tritium_program_kernel_count(const tritium_program *program);
TRITIUM_API const char *tritium_program_kernel_name(const tritium_program *program, size_t index);

/* What is suspicious: a definition that the text has no use for. Or "". (Launches refuse
   it, unless the grid function asks for it.) */
TRITIUM_API const char *tritium_program_warning(const tritium_program *program);

typedef struct tritium_declaration {
  const char *name, *type; /* the type as written: "float*" */
  tritium_dtype dtype;
} tritium_declaration;

TRITIUM_API size_t tritium_program_parameter_count(const tritium_program *program);
TRITIUM_API tritium_declaration tritium_program_parameter(const tritium_program *program,
                                                          size_t index);
/* Tables in constant memory; `dtype` is that of their elements. */
TRITIUM_API size_t tritium_program_table_count(const tritium_program *program);
TRITIUM_API tritium_declaration tritium_program_table(const tritium_program *program, size_t index);
/* Gives a table its content, which is copied, for the launches that follow. */
TRITIUM_API int tritium_program_fill_table(tritium_program *program, const char *name,
                                           const void *data, size_t bytes, tritium_error *error);

/* The choices: every combination of the lists' values. */
TRITIUM_API size_t tritium_program_choice_count(const tritium_program *program);
/* What tells the choice from the others, "TM=64, num_warps=4". */
TRITIUM_API const char *tritium_program_choice_label(const tritium_program *program, size_t choice);
/* The text of a definition, or of num_warps, under a choice; null: there is none. */
TRITIUM_API const char *tritium_program_choice_value(const tritium_program *program, size_t choice,
                                                     const char *name);

/* The options that a grid is computed from. */
typedef struct tritium_chosen tritium_chosen;
/* The text of a definition, or of num_warps; null: there is none. */
TRITIUM_API const char *tritium_chosen_text(const tritium_chosen *chosen, const char *name);
/* The same as an integer. Returns 0 if it is one. */
TRITIUM_API int tritium_chosen_integer(const tritium_chosen *chosen, const char *name,
                                       int64_t *value);
/* Fills `grid` (which holds 1, 1, 1). A non-zero answer ends the launch with an error of
   the kind "Stopped". */
typedef int (*tritium_grid_function)(void *user, const tritium_chosen *chosen, uint32_t grid[3]);

typedef struct tritium_launched {
  size_t choice;
  tritium_compiled *compiled; /* with a reference; null after a failure */
  tritium_tuned *tuned;       /* if this launch made the choice; to be released */
} tritium_launched;

/* Runs the kernel under the choice for these arguments, on a GPU on `stream` (see
   tritium_kernel_launch_on). `arguments`: one for each parameter, converted to its declared type
   (numbers of any kind that keep their value; arrays, addresses as integers, and 0 for pointers).
   With TRITON_DEBUG=1 the promises of attributes (__aligned, __multipleof, __readonly) are checked.
   `launched` may be null. */
TRITIUM_API int tritium_program_launch(tritium_program *program, const tritium_argument *arguments,
                                       size_t count, const tritium_option *options,
                                       size_t option_count, tritium_grid_function grid, void *user,
                                       void *stream, tritium_launched *launched,
                                       tritium_error *error);
/* Runs the kernel on a simulated GPU, as tritium_kernel_simulate does, under the choice that
   was made for these arguments, or else the first: nothing is measured. `choice` receives its
   number; it may be null, and so may `how`. */
TRITIUM_API tritium_simulated *
tritium_program_simulate(tritium_program *program, const tritium_argument *arguments, size_t count,
                         const tritium_option *options, size_t option_count,
                         tritium_grid_function grid, void *user, const tritium_simulation *how,
                         size_t *choice, tritium_error *error);
/* Compiles a choice ahead of time. `divisibility`: what each value or address is a
   multiple of; those left out are of 1. `cpu`: null: as the config says. */
TRITIUM_API tritium_compiled *tritium_program_specialize(tritium_program *program, size_t choice,
                                                         const int64_t *divisibility, size_t count,
                                                         const tritium_option *options,
                                                         size_t option_count, const char *cpu,
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

/*===-- The process -------------------------------------------------------===*/

/* Threads that a launch uses, the caller included. 0: TRITIUM_NUM_THREADS, or one for
   each core that the process may run on. Takes effect for the next launch. */
TRITIUM_API void tritium_set_num_threads(int count);
TRITIUM_API int tritium_num_threads(void);
/* Ends what runs now in any thread on the host: launches, simulations, tuning, and waits for a
   GPU, on which the kernel itself goes on. Each returns soon, with an error of the kind
   "Interrupted"; what it has written stays written. What begins later is not ended. A kernel
   that is being compiled is compiled to its end first. May be called from any thread and from
   a signal handler. */
TRITIUM_API void tritium_cancel(void);
/* `check` is called where such work lasts: on the thread that asked for it, after 50 to 100 ms
   and about every 50 ms then. An answer other than 0 ends that work as tritium_cancel does, and
   no other. `user` goes to the call. Null: nobody is asked, as at first. To be set before
   anything runs. */
TRITIUM_API void tritium_set_interrupt_check(int (*check)(void *user), void *user);
/* What device_print writes goes here instead of to standard output; null resets. */
TRITIUM_API void tritium_set_printer(void (*print)(void *user, const char *text, size_t size),
                                     void *user);

/* An environment variable that Tritium heeds. Hosts and the compiler read the same table. */
typedef struct tritium_setting {
  const char *variable;
  const char *type;   /* "flag", "integer", "number", "text", or "chosen": a flag, or the name of
                         the one kernel that is meant */
  const char *usual;  /* what holds while it is not set, as text; ~: the home directory */
  const char *effect; /* "code": changes what is compiled; "kernel": for what; "run": neither */
  const char *knob;   /* group and attribute of tritium.knobs, "cache.dir"; "": none */
  const char *doc;    /* one line */
  int for_users;      /* 0: for who works on the compiler, or on its speed */
} tritium_setting;

/* The number of settings, and one of them. */
TRITIUM_API size_t tritium_setting_count(void);
TRITIUM_API tritium_setting tritium_setting_at(size_t index);

/* The version of the library, "0.1.0". */
TRITIUM_API const char *tritium_version(void);
/* LLVM's name of this machine's CPU. */
TRITIUM_API const char *tritium_host_cpu(void);

/* One entry of the cache on disk. */
typedef struct tritium_cache_entry {
  const char *key;    /* hash, as in the file name */
  const char *kernel; /* name of the kernel */
  const char *target;
  const char *path;
  uint64_t bytes;
  int64_t modified; /* seconds since 1970 */
  int intact;       /* 0: damaged */
} tritium_cache_entry;

/* The directory of the cache, as the environment says now. Lives until the next call in this
   thread. */
TRITIUM_API const char *tritium_cache_path(void);
/* Calls `visit` for each entry, the newest first. Returns the number of entries. */
TRITIUM_API size_t tritium_cache_list(void (*visit)(void *user, const tritium_cache_entry *entry),
                                      void *user);
/* Removes all entries and records of tuning, or those of one kernel. Returns how many. */
TRITIUM_API size_t tritium_cache_clear(const char *kernel);

#ifdef __cplusplus
}
#endif
/* NOLINTEND(readability-identifier-naming) */

#endif /* TRITIUM_TRITIUM_H */
