//===- Memory.h - the addresses that a kernel sees --------------*- C++ -*-===//

#ifndef TRITIUM_SIMULATOR_MEMORY_H
#define TRITIUM_SIMULATOR_MEMORY_H

#include "Shadow.h"

#include <string>
#include <vector>

namespace tritium::sim {

// Windows of the generic address space, above every address of a host.
inline constexpr uint64_t sharedWindow = uint64_t(1) << 56;
inline constexpr uint64_t localWindow = uint64_t(2) << 56;
inline constexpr uint64_t parameterWindow = uint64_t(3) << 56;
inline constexpr uint64_t functionWindow = uint64_t(4) << 56;
inline constexpr uint64_t windowMask = ~(uint64_t(0xff) << 56);
/// Where variables of the module begin.
inline constexpr uint64_t variableBase = uint64_t(0x6e) << 40;

/// A stretch of global or constant memory.
struct Range {
  uint64_t address = 0, bytes = 0;
  uint8_t *data = nullptr;
  bool writable = true;
  bool isArgument = true;
  bool isRead = false, isWritten = false; ///< by what was counted
  std::string name;
  Shadow shadow;
};

/// Sorted by address; the last hit is tried first.
class AddressSpace {
public:
  Range *find(uint64_t address) {
    if (address - last->address < last->bytes)
      return last;
    return search(address);
  }
  /// The range that begins at or below the address, for messages; null if there is none.
  Range *below(uint64_t address);
  void add(Range range) { ranges.push_back(std::move(range)); }
  /// False: two ranges overlap.
  bool arrange();
  std::vector<Range> ranges;

private:
  Range *search(uint64_t address);
  Range nothing;
  Range *last = &nothing;
};

/// Where an access went.
struct Located {
  Range *range = nullptr; ///< global memory; null for the others
  Shadow *shadow = nullptr;
  uint64_t offset = 0;            ///< in the shadow's memory
  uint8_t *definedness = nullptr; ///< a byte of memory each; null: always defined
};

} // namespace tritium::sim

#endif // TRITIUM_SIMULATOR_MEMORY_H
