//===- ScratchArena.h - per-thread scratch memory ---------------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_BACKENDS_CPU_SCRATCHARENA_H
#define TRITIUM_RUNTIME_BACKENDS_CPU_SCRATCHARENA_H

#include <cstddef>

namespace tritium::runtime {

/// Memory for what runs on the calling thread. It is the same each time until more is asked for,
/// so it stays in the cache. What runs inside of that (a host's handler may launch a kernel in
/// the middle of another) gets memory of its own.
class ThreadScratch {
public:
  explicit ThreadScratch(size_t bytes);
  ~ThreadScratch();
  ThreadScratch(const ThreadScratch &) = delete;
  ThreadScratch &operator=(const ThreadScratch &) = delete;

  /// At least so many bytes, 64-byte aligned, contents undefined. Null if the system has no more.
  void *memory() const { return start; }

private:
  void *start = nullptr;
  size_t own = 0; ///< bytes that are mapped for this alone
};

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_BACKENDS_CPU_SCRATCHARENA_H
