//===- MemoryNodes.cpp - cores that are near the same memory --------------===//

#include "MemoryNodes.h"

#include "llvm/ADT/StringRef.h"

#include <fstream>

using namespace tritium::runtime;

/// The numbers in a file like "0-3,8,10-11"; none if there is no such file.
static cpu_set_t readList(const std::string &path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  llvm::StringRef text = line;
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  while (!text.empty()) {
    auto [part, rest] = text.split(',');
    auto [low, high] = part.split('-');
    unsigned first, last;
    if (!low.getAsInteger(10, first) && !(high.empty() ? low : high).getAsInteger(10, last))
      for (unsigned cpu = first; cpu <= last && cpu < CPU_SETSIZE; ++cpu)
        CPU_SET(cpu, &cpus);
    text = rest;
  }
  return cpus;
}

std::vector<cpu_set_t> tritium::runtime::memoryNodes(const std::string &folder) {
  std::vector<cpu_set_t> nodes;
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
    return nodes;
  cpu_set_t online = readList(folder + "/online");
  for (int number = 0; number < CPU_SETSIZE; ++number) {
    if (!CPU_ISSET(number, &online))
      continue;
    cpu_set_t node = readList(folder + "/node" + std::to_string(number) + "/cpulist");
    CPU_AND(&node, &node, &allowed);
    if (CPU_COUNT(&node))
      nodes.push_back(node);
  }
  return nodes;
}
