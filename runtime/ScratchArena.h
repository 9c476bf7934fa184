//===- ScratchArena.h - per-thread scratch memory ---------------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_SCRATCHARENA_H
#define TRITIUM_RUNTIME_SCRATCHARENA_H

#include <cstddef>

namespace tritium::runtime {

/// At least `bytes` of memory of the calling thread, 64-byte aligned, contents
/// undefined; the same memory on each call until more is asked for, so it stays in the
/// cache. Null if the system has no more.
void *threadScratch(size_t bytes);

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_SCRATCHARENA_H
