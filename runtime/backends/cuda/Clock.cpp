//===- Clock.cpp - times on a GPU -----------------------------------------===//

#include "Clock.h"

using namespace tritium;
using namespace tritium::runtime;
using namespace tritium::runtime::cuda;

namespace {
constexpr size_t kColdBytes = 128 << 20; ///< twice the largest cache there is
}

Clock::Clock(const Device &device) : device(device) {
  CurrentContext current(device);
  // Work on other streams ends before anything is measured.
  device.api->cuCtxSynchronize();
  for (Event &event : events)
    device.api->cuEventCreate(&event, 0);
  if (device.api->cuMemAlloc(&cold, kColdBytes) != Success)
    cold = 0;
}

Clock::~Clock() {
  CurrentContext current(device);
  device.api->cuCtxSynchronize();
  for (Event event : events)
    device.api->cuEventDestroy(event);
  if (cold)
    device.api->cuMemFree(cold);
}

void Clock::start() {
  CurrentContext current(device);
  if (cold)
    device.api->cuMemsetD8Async(cold, 0, kColdBytes, nullptr);
  device.api->cuEventRecord(events[0], nullptr);
}

bool Clock::stop(double &seconds, const std::string &kernel, CompileError &error) {
  CurrentContext current(device);
  float milliseconds = 0;
  Result result = device.api->cuEventRecord(events[1], nullptr);
  if (result == Success)
    result = device.api->cuEventSynchronize(events[1]);
  if (result == Success)
    result = device.api->cuEventElapsedTime(&milliseconds, events[0], events[1]);
  seconds = static_cast<double>(milliseconds) * 1e-3;
  if (result == Success)
    return true;
  error = driverError(device, result, "kernel '" + kernel + "' failed");
  return false;
}
