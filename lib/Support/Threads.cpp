//===- Threads.cpp - work spread over threads -----------------------------===//

#include "tritium/Support/Threads.h"

#include "llvm/Support/Threading.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <system_error>
#include <vector>

void tritium::onAllCores(size_t count, const std::function<void(size_t)> &work,
                         const std::function<void()> &poll) {
  size_t cores = llvm::hardware_concurrency().compute_thread_count();
  std::atomic<size_t> next{0}, ended{0};
  auto workOn = [&] {
    for (size_t i = next++; i < count; i = next++)
      work(i);
    ++ended;
  };
  std::vector<std::thread> threads;
  threads.reserve(std::min(count, cores));
  try {
    while (threads.size() < std::min(count, cores))
      threads.push_back(startThread(workOn));
  } catch (const std::system_error &) {
    if (threads.empty()) {
      workOn();
      return;
    }
  }
  while (ended < threads.size()) {
    poll();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (std::thread &thread : threads)
    thread.join();
}
