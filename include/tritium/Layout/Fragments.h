//===- Fragments.h - what ldmatrix and stmatrix can move --------*- C++ -*-===//
//
// ldmatrix reads up to four 8x8 matrices of 16-bit elements. Lane l gives the address of
// row l % 8 of matrix l / 8, 16 bytes; lane l gets bytes 4 (l % 4) .. + 3 of row l / 4 of
// every matrix. With .trans it gets the elements (2 (l % 4), l / 4) and (2 (l % 4) + 1,
// l / 4) instead. stmatrix writes what ldmatrix reads.
//
// Whether a tile can be read like this is a property of the map from places to byte
// offsets: the bits that choose a byte within 16 must be exactly
//
//   plain    the lowest register bits up to 4 bytes, then lane bits 0 and 1
//   .trans   lane bits 2, 3, 4                       (elements of 2 bytes)
//
// and every other bit must lead to a multiple of 16.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LAYOUT_FRAGMENTS_H
#define TRITIUM_LAYOUT_FRAGMENTS_H

#include "tritium/Layout/LinearLayout.h"

namespace tritium {

struct MatrixLoad {
  bool transposed = false;
  unsigned matrices = 1;    ///< of one instruction: 1, 2 or 4
  unsigned elementsPerWord; ///< of a 32-bit result
  /// Byte offset of the row that a lane gives the address of: inputs lane and warp as usual;
  /// a register is one instruction.
  LinearLayout addresses;
  /// Of n = (i * matrices + j) * elementsPerWord + e for instruction i, matrix j, element e:
  /// the bit of the register's number that bit b of n is.
  llvm::SmallVector<unsigned, 8> registerBits;

  unsigned instructions() const { return 1u << addresses.inputBits(kRegister); }
  unsigned registerOf(unsigned instruction, unsigned matrix, unsigned element) const;
};

/// How ldmatrix can read (stmatrix write) a tile whose places lie at these byte offsets; nothing if
/// it cannot. Bits of the register's number that are in `late` choose among instructions rather
/// than among the matrices of one, and do so last: without them a lane has what the first
/// instructions read.
std::optional<MatrixLoad> planMatrixLoad(const LinearLayout &placesToBytes, unsigned elementBytes,
                                         uint64_t late = 0);

} // namespace tritium

#endif // TRITIUM_LAYOUT_FRAGMENTS_H
