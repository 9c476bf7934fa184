//===- Staging.cpp - host arrays for one launch on a GPU ------------------===//

#include "Staging.h"
#include "Interrupt.h"
#include "Signature.h"
#include "Wait.h"

#include "tritium/Support/Threads.h"

#include <algorithm>
#include <utility>

using namespace tritium;
using namespace tritium::runtime;
using namespace tritium::runtime::cuda;

namespace {
constexpr uint64_t kAlignment = 256; // of what cuMemAlloc gives
}

Staging::~Staging() {
  CurrentContext current(device);
  for (const Range &range : ranges)
    if (range.allocation)
      device.api->cuMemFree(range.allocation);
}

void Staging::add(uint64_t begin, uint64_t end, bool isWritten) {
  ranges.push_back({begin, end, isWritten});
}

bool Staging::copyIn(const std::string &kernel, CompileError &error) {
  std::sort(ranges.begin(), ranges.end(),
            [](const Range &a, const Range &b) { return a.begin < b.begin; });
  std::vector<Range> merged;
  for (const Range &range : ranges)
    if (!merged.empty() && range.begin < merged.back().end) {
      merged.back().end = std::max(merged.back().end, range.end);
      merged.back().isWritten |= range.isWritten;
    } else {
      merged.push_back(range);
    }
  ranges = std::move(merged);
  CurrentContext current(device);
  for (Range &range : ranges) {
    uint64_t offset = range.begin % kAlignment, bytes = range.end - range.begin;
    Result result =
        device.api->cuMemAlloc(&range.allocation, offset + std::max<uint64_t>(bytes, 1));
    range.copy = range.allocation + offset;
    if (result == Success && bytes)
      result = device.api->cuMemcpyHtoDAsync(
          range.copy, reinterpret_cast<const void *>(range.begin), bytes, nullptr);
    if (result == Success)
      continue;
    error = driverError(device, result,
                        "kernel '" + kernel + "': " + std::to_string(bytes) +
                            " bytes cannot be copied to the GPU");
    return false;
  }
  return true;
}

uint64_t Staging::translate(uint64_t address) const {
  for (const Range &range : ranges)
    if (address >= range.begin && (address < range.end || address == range.begin))
      return range.copy + (address - range.begin);
  return address;
}

/// To free what the kernel works on is to wait for it, so a thread of its own does.
void Staging::abandon() {
  std::vector<Address> allocations;
  for (Range &range : ranges)
    allocations.push_back(std::exchange(range.allocation, 0));
  try {
    startThread([&device = device, allocations] {
      CurrentContext current(device);
      for (Address allocation : allocations)
        if (allocation)
          device.api->cuMemFree(allocation);
    }).detach();
  } catch (const std::system_error &) {
    // The memory is lost; the host is not.
  }
}

bool Staging::copyOut(const std::string &kernel, CompileError &error) {
  std::optional<Result> waited = waitForStream(device, nullptr);
  if (!waited) {
    abandon();
    error = interruptedError(kernel);
    return false;
  }
  CurrentContext current(device);
  Result result = *waited;
  for (const Range &range : ranges)
    if (result == Success && range.isWritten && range.end > range.begin)
      result = device.api->cuMemcpyDtoHAsync(reinterpret_cast<void *>(range.begin), range.copy,
                                             range.end - range.begin, nullptr);
  if (result == Success)
    result = device.api->cuStreamSynchronize(nullptr);
  if (result == Success)
    return true;
  error = driverError(device, result, "kernel '" + kernel + "' failed");
  return false;
}
