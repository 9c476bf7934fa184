//===- SavedBuffers.cpp - memory that trial runs may change ---------------===//

#include "SavedBuffers.h"

#include <algorithm>
#include <cstring>
#include <new>

using namespace tritium::runtime;

static void *address(uint64_t value) { return reinterpret_cast<void *>(value); }

void SavedBuffers::add(uint64_t begin, uint64_t end, BeforeRun action) {
  if (begin >= end)
    return;
  // A range that is zeroed stays apart: its neighbours' content must survive.
  if (action == BeforeRun::Zero) {
    ranges.push_back({begin, end, action, nullptr});
    return;
  }
  for (auto it = ranges.begin(); it != ranges.end();) {
    if (it->action == BeforeRun::Zero || it->end <= begin || end <= it->begin) {
      ++it;
      continue;
    }
    begin = std::min(begin, it->begin);
    end = std::max(end, it->end);
    action = std::max(action, it->action);
    it = ranges.erase(it);
  }
  ranges.push_back({begin, end, action, nullptr});
}

bool SavedBuffers::save() {
  // Zeroing comes after what overlaps it has been put back.
  std::sort(ranges.begin(), ranges.end(),
            [](const Range &a, const Range &b) { return a.action < b.action; });
  for (Range &range : ranges) {
    range.copy.reset(new (std::nothrow) std::byte[range.end - range.begin]);
    if (!range.copy)
      return false;
    std::memcpy(range.copy.get(), address(range.begin), range.end - range.begin);
  }
  return true;
}

void SavedBuffers::beforeRun() const {
  for (const Range &range : ranges) {
    if (range.action == BeforeRun::Restore)
      std::memcpy(address(range.begin), range.copy.get(), range.end - range.begin);
    else if (range.action == BeforeRun::Zero)
      std::memset(address(range.begin), 0, range.end - range.begin);
  }
}

void SavedBuffers::restore() const {
  for (const Range &range : ranges)
    std::memcpy(address(range.begin), range.copy.get(), range.end - range.begin);
}
