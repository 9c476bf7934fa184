//===- SavedBuffers.cpp - memory that trial runs may change ---------------===//

#include "SavedBuffers.h"
#include "Backend.h"

#include <algorithm>
#include <cstring>
#include <new>

using namespace tritium::runtime;

static void *address(uint64_t value) { return reinterpret_cast<void *>(value); }

void SavedBuffers::add(uint64_t begin, uint64_t end, BeforeRun action, const DeviceMemory *device) {
  if (begin >= end)
    return;
  // A range that is zeroed stays apart: its neighbours' content must survive.
  if (action == BeforeRun::Zero) {
    ranges.push_back({begin, end, action, device, nullptr});
    return;
  }
  for (auto it = ranges.begin(); it != ranges.end();) {
    if (it->device != device || it->action == BeforeRun::Zero || it->end <= begin ||
        end <= it->begin) {
      ++it;
      continue;
    }
    begin = std::min(begin, it->begin);
    end = std::max(end, it->end);
    action = std::max(action, it->action);
    it = ranges.erase(it);
  }
  ranges.push_back({begin, end, action, device, nullptr});
}

bool SavedBuffers::save() {
  // Zeroing comes after what overlaps it has been put back.
  std::sort(ranges.begin(), ranges.end(),
            [](const Range &a, const Range &b) { return a.action < b.action; });
  for (Range &range : ranges) {
    size_t bytes = range.end - range.begin;
    range.copy.reset(new (std::nothrow) std::byte[bytes]);
    if (!range.copy)
      return false;
    if (!range.device)
      std::memcpy(range.copy.get(), address(range.begin), bytes);
    else if (!range.device->copyToHost(range.copy.get(), range.begin, bytes))
      return false;
  }
  return true;
}

bool SavedBuffers::Range::write(const std::byte *from) const {
  if (device)
    return device->copyToDevice(begin, from, end - begin);
  std::memcpy(address(begin), from, end - begin);
  return true;
}

bool SavedBuffers::beforeRun() const {
  bool isDone = true;
  for (const Range &range : ranges) {
    if (range.action == BeforeRun::Restore)
      isDone &= range.write(range.copy.get());
    else if (range.action == BeforeRun::Zero)
      isDone &= zeroMemory(range.begin, range.end, range.device);
  }
  return isDone;
}

bool SavedBuffers::restore() const {
  bool isDone = true;
  for (const Range &range : ranges)
    isDone &= range.write(range.copy.get());
  return isDone;
}

bool tritium::runtime::zeroMemory(uint64_t begin, uint64_t end, const DeviceMemory *device) {
  if (!device) {
    std::memset(address(begin), 0, end - begin);
    return true;
  }
  std::vector<std::byte> zeros(end - begin);
  return device->copyToDevice(begin, zeros.data(), zeros.size());
}
