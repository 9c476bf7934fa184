//===- Wait.cpp - waiting for a GPU, until interrupted --------------------===//

#include "Wait.h"
#include "Interrupt.h"

#include "tritium/Support/Threads.h"

#include <condition_variable>
#include <memory>
#include <mutex>

using namespace tritium;
using namespace tritium::runtime;
using namespace tritium::runtime::cuda;

namespace {
struct Call {
  std::mutex mutex;
  std::condition_variable ended;
  std::optional<Result> result;
};
} // namespace

std::optional<Result> cuda::waitFor(const Device &device, std::function<Result()> blocking) {
  Interruptible work;
  auto call = std::make_shared<Call>();
  try {
    startThread([call, &device, blocking] {
      CurrentContext current(device);
      Result result = blocking();
      std::lock_guard lock(call->mutex);
      call->result = result;
      call->ended.notify_one();
    }).detach();
  } catch (const std::system_error &) {
    CurrentContext current(device);
    return blocking();
  }
  std::unique_lock lock(call->mutex);
  while (!call->result && !work.isStopped()) {
    call->ended.wait_for(lock, std::chrono::milliseconds(20));
    lock.unlock();
    work.poll();
    lock.lock();
  }
  return work.isStopped() ? std::nullopt : call->result;
}

std::optional<Result> cuda::waitForStream(const Device &device, Stream stream) {
  return waitFor(device, [&device, stream] { return device.api->cuStreamSynchronize(stream); });
}
