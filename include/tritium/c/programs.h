/*===- programs.h - Triton-C with definitions, and tuning ---------*- C -*-===*/

#ifndef TRITIUM_C_PROGRAMS_H
#define TRITIUM_C_PROGRAMS_H

#include "tritium/c/kernels.h"

/* NOLINTBEGIN(readability-identifier-naming) */
#ifdef __cplusplus
extern "C" {
#endif

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
  const char *reason; /* why the configuration has no times; null: it has */
} tritium_timing;

typedef struct tritium_tuned tritium_tuned;

/* Compiles the candidates in parallel threads, runs them by turns, and finds the fastest.
   Memory that they write is as before afterwards, but for reset_to_zero, which is zero.
   Times are kept in the cache directory. The environment variable TRITIUM_TUNING says
   otherwise: `first` (the first that compiles), `recorded` (as the record says, else the
   first), `always` (measure, whatever is recorded). Candidates that do not compile or run
   are dropped, and so are, but for `always`, those that the assembler knows to be slow (registers
   spilled, products of warp groups that wait for one another) where others are not; if none is
   left, the error lists every reason. */
TRITIUM_API tritium_tuned *tritium_tune(const tritium_tuning *tuning, tritium_error *error);
TRITIUM_API void tritium_tuned_release(tritium_tuned *tuned);
TRITIUM_API size_t tritium_tuned_best(const tritium_tuned *tuned);
/* "only", "first", "recorded" or "measured". */
TRITIUM_API const char *tritium_tuned_source(const tritium_tuned *tuned);
/* Whether the grid has a zero: nothing was measured, and a call with programs chooses anew. */
TRITIUM_API int tritium_tuned_is_for_this_call_only(const tritium_tuned *tuned);
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

/* What is suspicious: a definition that the text has no use for. Or "". */
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
  /* Of the first launch: which definition neither the text nor the grid function looked at, as long
     as the program lives; or null. */
  const char *warning;
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

#ifdef __cplusplus
}
#endif
/* NOLINTEND(readability-identifier-naming) */

#endif /* TRITIUM_C_PROGRAMS_H */
