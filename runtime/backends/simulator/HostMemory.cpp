//===- HostMemory.cpp - the memory of this process ------------------------===//

#include "HostMemory.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <tuple>

using namespace tritium::runtime;

void simulator::placeAtFixedAddresses(llvm::MutableArrayRef<Memory> memory) {
  constexpr uint64_t firstAddress = 0x7f0000000000, distance = uint64_t(1) << 36, most = 512;
  std::vector<size_t> sorted(memory.size());
  std::iota(sorted.begin(), sorted.end(), size_t(0));
  llvm::sort(sorted, [&](size_t a, size_t b) {
    return std::tie(memory[a].begin, a) < std::tie(memory[b].begin, b);
  });
  struct Group {
    uint64_t begin, end;
    std::vector<size_t> members;
    size_t first; ///< the least of them
  };
  std::vector<Group> groups;
  for (size_t i : sorted) {
    if (groups.empty() || memory[i].begin > groups.back().end)
      groups.push_back({memory[i].begin, memory[i].end, {}, i});
    Group &group = groups.back();
    group.end = std::max(group.end, memory[i].end);
    group.first = std::min(group.first, i);
    group.members.push_back(i);
  }
  llvm::sort(groups, [](const Group &a, const Group &b) { return a.first < b.first; });
  uint64_t address = firstAddress;
  for (const Group &group : groups) {
    for (size_t i : group.members)
      memory[i].offset = address + group.begin % 16 - group.begin;
    address += ((group.end - group.begin + most) / distance + 1) * distance;
  }
}

std::vector<simulator::Memory> simulator::mergeOverlapping(llvm::ArrayRef<Memory> memory) {
  struct Numbered {
    Memory memory;
    size_t number; ///< the least of those that it is made of
  };
  std::vector<Numbered> sorted;
  for (const auto &[number, each] : llvm::enumerate(memory))
    if (each.begin < each.end)
      sorted.push_back({each, number});
  llvm::stable_sort(
      sorted, [](const Numbered &a, const Numbered &b) { return a.memory.begin < b.memory.begin; });
  std::vector<Numbered> merged;
  for (Numbered &each : sorted)
    if (!merged.empty() && each.memory.begin < merged.back().memory.end) {
      Numbered &last = merged.back();
      last.memory.end = std::max(last.memory.end, each.memory.end);
      last.memory.isWritable |= each.memory.isWritable;
      last.memory.name += ", " + each.memory.name;
      last.number = std::min(last.number, each.number);
    } else {
      merged.push_back(std::move(each));
    }
  llvm::sort(merged, [](const Numbered &a, const Numbered &b) { return a.number < b.number; });
  std::vector<Memory> result;
  for (Numbered &each : merged)
    result.push_back(std::move(each.memory));
  return result;
}

std::vector<simulator::Memory> simulator::otherMemory(std::vector<Memory> known, bool isCopy) {
  llvm::sort(known, [](const Memory &a, const Memory &b) { return a.begin < b.begin; });
  std::vector<Memory> found;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    uint64_t begin, end;
    char access[5];
    // The kernel's own pages cannot all be read.
    if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %4s", &begin, &end, access) != 3 ||
        access[0] != 'r' || line.find("[v") != std::string::npos)
      continue;
    bool isWritable = access[1] == 'w' && !(isCopy && access[3] == 's');
    auto add = [&](uint64_t from, uint64_t to) {
      if (from < to)
        found.push_back({from, to, isWritable, "the host's memory", noParameter});
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
