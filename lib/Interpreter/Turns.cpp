//===- Turns.cpp - threads of the host that take turns --------------------===//

#include "Turns.h"

#include "tritium/Support/Threads.h"

#include <system_error>
#include <vector>

using namespace tritium::interpreter;

bool Turns::run(size_t count, llvm::function_ref<void(size_t)> body) {
  current = nobody;
  isOff = false;
  std::vector<std::thread> threads;
  try {
    while (threads.size() < count)
      threads.push_back(startThread([this, body, self = threads.size()] {
        await(self);
        if (!isOff)
          body(self);
      }));
    handTo(0);
  } catch (const std::system_error &) {
    std::lock_guard lock(mutex);
    isOff = true;
    changed.notify_all();
  }
  for (std::thread &thread : threads)
    thread.join();
  return !isOff;
}

void Turns::handTo(size_t next) {
  std::lock_guard lock(mutex);
  current = next;
  changed.notify_all();
}

void Turns::await(size_t self) {
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return current == self || isOff; });
}
