/* Runs a kernel's object code, which is in a shared library, on arguments in a file; test_cpus.py
   builds it. Half of the programs run in a second thread.

     run_object LIBRARY ENTRY ARGUMENTS RESULTS

   ARGUMENTS, in 64-bit numbers: bytes of scratch memory; the grid's extents; how many arguments;
   for each a kind (0: a scalar, 1: an array) and the scalar's bits or the array's bytes. Then the
   arrays. RESULTS: the arrays. */

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef void Entry(const uint64_t *slots, void *scratch, int64_t begin, int64_t end,
                   const uint32_t *grid, const void *host);

enum { kMost = 32 };
static Entry *entry;
static uint64_t scratchBytes, slots[kMost], bytes[kMost];
static uint32_t grid[3];
static int64_t programs;

static void *check(void *what, const char *message) {
  if (!what) {
    fprintf(stderr, "%s\n", message);
    exit(1);
  }
  return what;
}

static uint64_t number(FILE *file) {
  uint64_t value;
  check(fread(&value, 8, 1, file) == 1 ? &value : 0, "the arguments end early");
  return value;
}

static void *run(void *half) {
  int64_t begin = half ? programs / 2 : 0, end = half ? programs : programs / 2;
  void *scratch = check(aligned_alloc(64, (scratchBytes / 64 + 1) * 64), "no memory");
  entry(slots, scratch, begin, end, grid, 0);
  free(scratch);
  return 0;
}

int main(int argc, char **argv) {
  (void)argc;
  void *library = dlopen(argv[1], RTLD_NOW);
  check(library, dlerror());
  *(void **)&entry = check(dlsym(library, argv[2]), "no such entry");
  FILE *in = check(fopen(argv[3], "rb"), "no arguments");
  scratchBytes = number(in);
  programs = 1;
  for (int i = 0; i < 3; ++i)
    programs *= grid[i] = number(in);
  uint64_t count = number(in), kinds[kMost];
  for (uint64_t i = 0; i < count; ++i) {
    kinds[i] = number(in);
    slots[i] = bytes[i] = number(in);
  }
  for (uint64_t i = 0; i < count; ++i)
    if (kinds[i]) {
      void *memory = check(aligned_alloc(64, (bytes[i] / 64 + 1) * 64), "no memory");
      check(fread(memory, 1, bytes[i], in) == bytes[i] ? memory : 0, "an array ends early");
      slots[i] = (uint64_t)memory;
    }
  pthread_t second;
  check(pthread_create(&second, 0, run, &second) ? 0 : &second, "no thread");
  run(0);
  pthread_join(second, 0);
  FILE *out = check(fopen(argv[4], "wb"), "no results");
  for (uint64_t i = 0; i < count; ++i)
    if (kinds[i])
      fwrite((void *)slots[i], 1, bytes[i], out);
  return fclose(out);
}
