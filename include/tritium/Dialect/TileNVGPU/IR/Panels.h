//===- Panels.h - how wgmma sees a tile in shared memory -------*- C++ -*-===//
//
// wgmma reads operands in panels (ttg::panelLayout): rows of 32, 64 or 128 bytes one below the
// other, whose chunks of 16 bytes are exchanged by the number of the row. Along k or, of elements
// of 16 bits, across it, either may be what neighbours in memory are neighbours along.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_DIALECT_TILENVGPU_IR_PANELS_H
#define TRITIUM_DIALECT_TILENVGPU_IR_PANELS_H

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

#include <optional>

namespace tritium::ttng {

struct Panels {
  unsigned fastest;  ///< dimension of neighbours in memory
  unsigned rowBytes; ///< 32, 64 or 128

  /// Nothing if a buffer of `memory` does not lie so.
  static std::optional<Panels> of(ttg::MemDescType memory);
  /// Nothing, too, if an instruction cannot read them along dimension `depth`.
  static std::optional<Panels> along(unsigned depth, ttg::MemDescType memory);
  /// What the address must be a multiple of, in bytes: the exchange goes by bits of addresses.
  uint64_t alignment() const { return 8 * rowBytes; }
};

} // namespace tritium::ttng

#endif // TRITIUM_DIALECT_TILENVGPU_IR_PANELS_H
