/*===- process.h - GPUs, threads, settings, the cache -------------*- C -*-===*/

#ifndef TRITIUM_C_PROCESS_H
#define TRITIUM_C_PROCESS_H

#include "tritium/c/values.h"

/* NOLINTBEGIN(readability-identifier-naming) */
#ifdef __cplusplus
extern "C" {
#endif

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
  const char *type;   /* "flag", "integer", "number", "text"; "chosen": a flag, or the name of the
                         one kernel that is meant; "class": a class of Python, MODULE:CLASS */
  const char *usual;  /* what holds while it is not set, as text; ~: the home directory */
  const char *effect; /* "code": changes what is compiled; "kernel": for what; "run": neither;
                         "nothing": taken without an effect, for the reason in `doc` */
  const char *knob;   /* group and attribute of tritium.knobs, "cache.dir"; "": none */
  const char *doc;    /* one line */
  int for_users;      /* 0: for who works on the compiler, or on its speed */
} tritium_setting;

/* The number of settings, and one of them. */
TRITIUM_API size_t tritium_setting_count(void);
TRITIUM_API tritium_setting tritium_setting_at(size_t index);

/* What the kernels on GPUs that were compiled with TRITIUM_CLOCKS=scopes or =lines have counted
   since the last call, as JSON: a list with, for each compiled form of a kernel that ran, "kernel",
   "target": its name, and what it was compiled for "warps":            of a CTA "runs": how many
   warps ran, of all launches "nanoseconds":      how long they took, by the GPU's time; added up
     "groups":           where warps of a CTA run code of their own, the "name" and the number of
                         "warps" of each group, from warp 0 on
     "parts":            the scopes or lines, with the rest in front: "name", "file", first "line"
                         and "last", and for each warp of a CTA the "clocks" in it, without those in
                         parts inside of it, and the "times" that it came there.
   Waits for what is queued. The text lives until the next call in this thread. Null with an error
   if a device fails. */
TRITIUM_API const char *tritium_take_clocks(tritium_error *error);

/* A function of the kernel language's library, for documentation and editors. */
typedef struct tritium_builtin {
  const char *name;      /* "load", "libdevice.sin", "tensor_descriptor.store", "builtins.len" */
  const char *signature; /* Python's parameter list, "(pointer, mask=None)" */
  const char *types;     /* of the device library: a word for each choice of types, a letter for
                            each argument: i int32, u uint32, l int64, L uint64, f float32,
                            d float64; else "" */
  int is_method;         /* also a method of tiles, which are its first parameter */
} tritium_builtin;

/* The number of such functions, and one of them, sorted by name. */
TRITIUM_API size_t tritium_builtin_count(void);
TRITIUM_API tritium_builtin tritium_builtin_at(size_t index);

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

#endif /* TRITIUM_C_PROCESS_H */
