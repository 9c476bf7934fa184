//===- KernelClocks.h - what the clocks in a kernel count -------*- C++ -*-===//

#ifndef TRITIUM_KERNEL_KERNELCLOCKS_H
#define TRITIUM_KERNEL_KERNELCLOCKS_H

#include <cstdint>
#include <string>
#include <vector>

namespace tritium {

/// A part of a kernel's text: the lines from `line` to `last` of `file`, without those of parts
/// inside. `name`: of a scope, behind those of the scopes around it, "tile/load", or the first of
/// several names and "..."; empty: a line. A part without lines is all the rest.
struct ClockedPart {
  std::string name, file;
  int line = 0, last = 0;

  bool operator==(const ClockedPart &) const = default;
};

/// Warps of a CTA that run code of their own.
struct ClockedGroup {
  std::string name;
  unsigned warps = 0;

  bool operator==(const ClockedGroup &) const = default;
};

/// Of code that has clocks, what kClocksSymbol (LaunchABI.h) counts.
struct KernelClocks {
  std::vector<ClockedPart> parts;   ///< empty: the code has no clocks; the first one is the rest
  std::vector<ClockedGroup> groups; ///< from the first warp on; empty: all warps run the same

  /// How many words each copy of the table has, with CTAs of `warps`.
  uint64_t wordsOfCopy(unsigned warps) const { return (parts.size() + 1) * 2 * warps; }
};

} // namespace tritium

#endif // TRITIUM_KERNEL_KERNELCLOCKS_H
