//===- ScratchArena.cpp - per-thread scratch memory -----------------------===//

#include "ScratchArena.h"

#include <sys/mman.h>

namespace {

constexpr size_t hugePage = size_t(2) << 20;

/// Mapped, not allocated: a large arena then sits on huge pages where the kernel has
/// some, and untouched pages cost nothing.
struct Arena {
  void *memory = nullptr;
  size_t capacity = 0;
  ~Arena() {
    if (memory)
      munmap(memory, capacity);
  }
};

thread_local Arena arena;

void *grow(size_t bytes) {
  size_t granule = bytes >= hugePage ? hugePage : size_t(64) << 10;
  size_t wanted = (bytes + granule - 1) / granule * granule;
  if (wanted < bytes)
    return nullptr;
  void *memory = mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return nullptr;
  if (wanted >= hugePage)
    madvise(memory, wanted, MADV_HUGEPAGE);
  if (arena.memory)
    munmap(arena.memory, arena.capacity);
  arena.memory = memory;
  arena.capacity = wanted;
  return memory;
}

} // namespace

void *tritium::runtime::threadScratch(size_t bytes) {
  if (bytes <= arena.capacity) [[likely]]
    return arena.memory;
  return grow(bytes);
}
