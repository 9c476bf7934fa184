//===- Boxes.h - how TMA sees a tile in shared memory ----------*- C++ -*-===//
//
// TMA moves boxes: rows of a box lie one behind the other in shared memory. Where rows are 32, 64
// or 128 bytes, it can exchange their chunks of 16 bytes, so that what is read along columns has no
// bank conflicts: bits 4 and above of an address are XORed with those from 7 on,
//
//   rows of   chunk c of row r lies at   pattern repeats after
//   128       c ^ r % 8                  1024 bytes
//   64        c ^ r / 2 % 4               512 bytes
//   32        c ^ r / 4 % 2               256 bytes
//
// A tile with longer rows is several boxes side by side, panels, one behind the other in memory.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_DIALECT_TILENVGPU_IR_BOXES_H
#define TRITIUM_DIALECT_TILENVGPU_IR_BOXES_H

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

namespace tritium::ttng {

/// The boxes that a tile in memory consists of, side by side along its last dimension.
struct Boxes {
  llvm::SmallVector<int64_t, 5> shape; ///< of each, in elements
  int64_t count = 1;
  int64_t bytes = 0;     ///< of each
  unsigned swizzle = 0;  ///< bytes of the rows in which chunks are exchanged; 0: they are not
  int64_t alignment = 0; ///< that the memory's address needs, in bytes
};

/// Rows of a tile that each of so many warps has, if all have as many, and what the swizzle repeats
/// is no warp's in part.
std::optional<int64_t> rowsOfWarp(ttg::MemDescType memory, int64_t warps);

/// A thread of the first warp holds no rows of the tile but the first `rows`, of the next one none
/// but the next, and so on.
bool areRowsOfWarps(const TileLayout &layout, int64_t rows);

/// Nothing if the layout of one buffer is none that TMA can read and write.
std::optional<Boxes> boxesOf(ttg::MemDescType memory);

} // namespace tritium::ttng

#endif // TRITIUM_DIALECT_TILENVGPU_IR_BOXES_H
