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
  bool isTaken = false;
  ~Arena() {
    if (memory)
      munmap(memory, capacity);
  }
};

thread_local Arena arena;

/// Maps at least `bytes`, and answers how many; 0 if the system has no more.
size_t map(size_t bytes, void *&memory) {
  size_t granule = bytes >= hugePage ? hugePage : size_t(64) << 10;
  size_t wanted = (bytes + granule - 1) / granule * granule;
  if (wanted < bytes)
    return 0;
  void *mapped = mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    return 0;
  if (wanted >= hugePage)
    madvise(mapped, wanted, MADV_HUGEPAGE);
  memory = mapped;
  return wanted;
}

bool grow(size_t bytes) {
  void *memory = nullptr;
  size_t capacity = map(bytes, memory);
  if (!capacity)
    return false;
  if (arena.memory)
    munmap(arena.memory, arena.capacity);
  arena.memory = memory;
  arena.capacity = capacity;
  return true;
}

} // namespace

tritium::runtime::ThreadScratch::ThreadScratch(size_t bytes) {
  if (arena.isTaken) [[unlikely]] {
    own = map(bytes, start);
  } else if (bytes <= arena.capacity || grow(bytes)) [[likely]] {
    start = arena.memory;
    arena.isTaken = true;
  }
}

tritium::runtime::ThreadScratch::~ThreadScratch() {
  if (own)
    munmap(start, own);
  else if (start)
    arena.isTaken = false;
}
