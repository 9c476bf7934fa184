//===- Swizzle.h - where elements go in shared memory -----------*- C++ -*-===//
//
// Shared memory has 32 banks of 4 bytes. A warp's access is served in phases of 128 bytes;
// lanes of one phase that touch different 128-byte rows ("segments") of one bank wait for
// each other. A layout of shared memory is a map from elements to offsets; whether a warp's
// access is free of conflicts can be read off the composition with the register layout.
//
// Worked example. 8x8 elements of 16 bytes, one row a segment. Lanes that write a row fill
// the eight 16-byte columns of a segment: free. Lanes that read a column all want the same
// column of eight segments: eight-way conflict. With offset = (row, col ^ row) a column's
// elements lie in eight different columns, and rows are only permuted: both are free. As
// bases: col bit i -> offset bit i; row bit i -> offset bits 3 + i and i.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LAYOUT_SWIZZLE_H
#define TRITIUM_LAYOUT_SWIZZLE_H

#include "tritium/Layout/LinearLayout.h"

namespace tritium {

/// Name of the input of maps from flat elements.
inline constexpr llvm::StringLiteral kElement = "element";

/// A one-to-one map from flat elements to offsets (in elements) such that writing a tile from
/// registers in layout `a` and reading it in layout `b` takes as few passes over the banks and
/// as few instructions as can be. `storesMatrices`, `loadsMatrices`: there are stmatrix and
/// ldmatrix.
///
/// Let V be the lowest offset bits, up to 16 bytes: register bases that both sides share, then
/// some of one side, or the row of a matrix. The lanes that are served together span a space
/// on each side. The bits that choose the segment must leave each of these spaces untouched:
/// elements in neither are taken first, then sums x + y of an x in one and a y in the other,
/// which lie in neither: that is the XOR of a swizzle. Each V that is likely is tried.
LinearLayout conflictFreeOffsets(const LinearLayout &a, const LinearLayout &b,
                                 unsigned elementBytes, bool storesMatrices = false,
                                 bool loadsMatrices = false);

/// What a warp takes to access a tile at these offsets, in elements.
struct SharedAccess {
  unsigned instructions, wavefronts;
};
SharedAccess accessOf(const LinearLayout &placesToOffsets, unsigned elementBytes, bool byMatrix);

/// Offsets in bytes instead of elements.
LinearLayout inBytes(const LinearLayout &map, unsigned elementBytes);

/// Row-major offsets (the last of `order` slowest) of a tile, in which chunks of `vector`
/// elements along the fastest dimension are XORed with (row / perPhase) % maxPhase.
LinearLayout swizzledOffsets(llvm::ArrayRef<unsigned> dimBits, llvm::ArrayRef<int32_t> order,
                             unsigned vector, unsigned perPhase, unsigned maxPhase);

/// Of a map from places to offsets: log2 of the longest aligned run of offsets that one
/// lane holds.
unsigned runBits(const LinearLayout &placesToOffsets);

/// How many times more phases than needed one warp takes for an access of `vectorBytes` a
/// lane, minus one: 0 is free of conflicts. Counted on the banks, not derived.
unsigned bankConflicts(const LinearLayout &placesToOffsets, unsigned elementBytes,
                       unsigned vectorBytes);

} // namespace tritium

#endif // TRITIUM_LAYOUT_SWIZZLE_H
