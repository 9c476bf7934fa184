//===- Memory.cpp - the addresses that a kernel sees ----------------------===//

#include "Memory.h"

#include <algorithm>

using namespace tritium::sim;

bool AddressSpace::arrange() {
  std::sort(ranges.begin(), ranges.end(),
            [](const Range &a, const Range &b) { return a.address < b.address; });
  for (size_t i = 0; i + 1 < ranges.size(); ++i)
    if (ranges[i].bytes && ranges[i].address + ranges[i].bytes > ranges[i + 1].address)
      return false;
  return true;
}

Range *AddressSpace::below(uint64_t address) {
  auto after = std::upper_bound(ranges.begin(), ranges.end(), address,
                                [](uint64_t a, const Range &range) { return a < range.address; });
  return after == ranges.begin() ? nullptr : &*std::prev(after);
}

Range *AddressSpace::search(uint64_t address) {
  Range *range = below(address);
  if (!range || address - range->address >= range->bytes)
    return nullptr;
  return last = range;
}

void Shadow::refine(Page &page) {
  std::vector<Cell> fine(pageBytes);
  for (uint64_t i = 0; i < pageBytes; ++i)
    fine[i] = page.cells[i / 4];
  page.cells = std::move(fine);
  page.fine = true;
}

void Known::join(const Known &other) {
  if (warps.size() < other.warps.size())
    warps.resize(other.warps.size());
  for (size_t i = 0; i < other.warps.size(); ++i)
    warps[i] = std::max(warps[i], other.warps[i]);
  for (auto [thread, time] : other.threads)
    learnThread(thread, time);
  others.join(other.others);
}

void Known::learn(uint32_t party, uint32_t time) {
  if (warps.size() <= party)
    warps.resize(party + 1);
  warps[party] = std::max(warps[party], time);
}

void Known::learnThread(uint16_t thread, uint32_t time) {
  if (warps.size() <= thread / 32)
    warps.resize(thread / 32 + 1);
  std::erase_if(threads,
                [&](const auto &known) { return known.second <= warps[known.first / 32]; });
  if (time <= warps[thread / 32])
    return;
  for (auto &[known, when] : threads)
    if (known == thread) {
      when = std::max(when, time);
      return;
    }
  threads.push_back({thread, time});
}
