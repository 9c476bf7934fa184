//===- MemoryNodes.h - cores that are near the same memory ------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_MEMORYNODES_H
#define TRITIUM_RUNTIME_MEMORYNODES_H

#include <sched.h>
#include <string>
#include <vector>

namespace tritium::runtime {

/// The CPUs of each node of a machine whose memory is not uniform (NUMA), of those that the calling
/// thread may run on; nodes with none are left out. Empty where the system does not tell.
/// `folder`: where it tells.
std::vector<cpu_set_t> memoryNodes(const std::string &folder = "/sys/devices/system/node");

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_MEMORYNODES_H
