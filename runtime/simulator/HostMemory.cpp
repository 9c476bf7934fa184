//===- HostMemory.cpp - the memory of this process ------------------------===//

#include "HostMemory.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <fstream>

using namespace tritium::runtime;

std::vector<simulator::Memory> simulator::mergeOverlapping(llvm::ArrayRef<Memory> memory) {
  std::vector<Memory> sorted;
  for (const Memory &each : memory)
    if (each.begin < each.end)
      sorted.push_back(each);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Memory &a, const Memory &b) { return a.begin < b.begin; });
  std::vector<Memory> merged;
  for (Memory &each : sorted)
    if (!merged.empty() && each.begin < merged.back().end) {
      Memory &last = merged.back();
      last.end = std::max(last.end, each.end);
      last.isWritable |= each.isWritable;
      last.name += ", " + each.name;
    } else {
      merged.push_back(std::move(each));
    }
  return merged;
}

std::vector<simulator::Memory> simulator::otherMemory(llvm::ArrayRef<Memory> known) {
  std::vector<Memory> found;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    uint64_t begin, end;
    char access[5];
    // The kernel's own pages cannot all be read.
    if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %4s", &begin, &end, access) != 3 ||
        access[0] != 'r' || line.find("[v") != std::string::npos)
      continue;
    bool isWritable = access[1] == 'w';
    auto add = [&](uint64_t from, uint64_t to) {
      if (from < to)
        found.push_back({from, to, isWritable, "the host's memory"});
    };
    for (const Memory &hole : known) {
      if (hole.end <= begin || hole.begin >= end)
        continue;
      add(begin, hole.begin);
      begin = std::max(begin, hole.end);
    }
    add(begin, end);
  }
  return found;
}
