//===- PrivateArrays.cpp - copies of what launches may write --------------===//

#include "PrivateArrays.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

using namespace tritium;
using namespace tritium::runtime;

namespace {
/// Pointers between which a kernel may go, and the memory that they have together.
struct Group {
  llvm::SmallVector<size_t> members;
  uint64_t begin = UINT64_MAX, end = 0, allocationEnd = 0;
  bool mayBeWritten = false;
};
} // namespace

static std::vector<Group> groupsOf(llvm::ArrayRef<BoundArgument> arguments,
                                   const KernelMetadata &metadata) {
  llvm::SmallVector<size_t> pointers;
  for (size_t i = 0; i < arguments.size(); ++i)
    if (metadata.parameters[i].type.isPointer() && arguments[i].slot)
      pointers.push_back(i);
  llvm::stable_sort(pointers, [&](size_t a, size_t b) {
    return arguments[a].allocationBegin < arguments[b].allocationBegin;
  });
  std::vector<Group> groups;
  for (size_t i : pointers) {
    const BoundArgument &argument = arguments[i];
    if (groups.empty() || argument.allocationBegin >= groups.back().allocationEnd)
      groups.emplace_back();
    Group &group = groups.back();
    group.members.push_back(i);
    group.begin = std::min(group.begin, argument.begin);
    group.end = std::max(group.end, argument.end);
    group.allocationEnd = std::max(group.allocationEnd, argument.allocationEnd);
    group.mayBeWritten |= !argument.isReadOnly;
  }
  return groups;
}

uint64_t PrivateArrays::bytesFor(llvm::ArrayRef<BoundArgument> arguments,
                                 const KernelMetadata &metadata) {
  uint64_t bytes = 0;
  for (const Group &group : groupsOf(arguments, metadata))
    if (group.mayBeWritten)
      bytes += group.end - group.begin;
  return bytes;
}

PrivateArrays::PrivateArrays(llvm::ArrayRef<BoundArgument> arguments,
                             const KernelMetadata &metadata)
    : moved(arguments.begin(), arguments.end()) {
  // More than code, or a box of a tensor, asks about.
  constexpr uint64_t alignment = 4096;
  for (const Group &group : groupsOf(arguments, metadata)) {
    if (!group.mayBeWritten)
      continue;
    uint64_t size = group.end - group.begin;
    auto &copy = copies.emplace_back(new std::byte[size + alignment]);
    auto start = reinterpret_cast<uint64_t>(copy.get());
    uint64_t begin = start + (group.begin - start) % alignment;
    std::memcpy(reinterpret_cast<void *>(begin), reinterpret_cast<const void *>(group.begin), size);
    for (size_t i : group.members) {
      BoundArgument &argument = moved[i];
      uint64_t distance = begin - group.begin;
      argument.slot += distance;
      argument.begin += distance;
      argument.end += distance;
      argument.allocationBegin = begin;
      argument.allocationEnd = begin + size;
    }
  }
}
