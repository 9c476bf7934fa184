//===- WarpGroup.h - what the files of wgmma share --------------*- C++ -*-===//

#ifndef TRITIUM_SIMULATOR_FAMILIES_WARPGROUP_H
#define TRITIUM_SIMULATOR_FAMILIES_WARPGROUP_H

#include "../Machine/Access.h"
#include "Arithmetic.h"

#include <bitset>

namespace tritium::sim {

inline constexpr unsigned groupRows = 64, mostGroupColumns = 256, mostGroupDepth = 32;

/// What the list of a wgmma.mma_async says: [types of A, B, D, k, n, flags, the numbers of
/// registers of D and A, and these registers].
struct ProductForm {
  enum Flag : uint32_t { Saturates = 1, Negates = 2, TransposesA = 4, TransposesB = 8 };
  static constexpr unsigned head = 8;
  ptx::Type ta, tb, td;
  unsigned k, n, flags, nd, na; ///< na: 0 if A is in shared memory
  const uint32_t *rd, *ra;

  explicit ProductForm(const Op &op)
      : ta(ptx::Type(op.list[0])), tb(ptx::Type(op.list[1])), td(ptx::Type(op.list[2])),
        k(op.list[3]), n(op.list[4]), flags(op.list[5]), nd(op.list[6]), na(op.list[7]),
        rd(op.list + head), ra(rd + nd) {}
  /// Products of one shape may follow each other on the same accumulators without a fence.
  bool hasShapeOf(const ProductForm &other) const {
    return k == other.k && n == other.n && td == other.td;
  }
};

/// A matrix in shared memory as a descriptor has it: pieces of 16 bytes. Its lines are the rows
/// of A or the columns of B. If k is the contiguous dimension, a piece is 16 bytes along k of
/// one line; if the matrix is transposed, eight lines of one k.
struct SharedMatrix {
  static constexpr uint32_t pieceBytes = 16;
  uint32_t start, leading, stride; ///< bytes
  uint32_t swizzle;                ///< 0, 32, 64 or 128: bytes of a row that is permuted
  uint32_t baseOffset;
  bool isTransposed;
  bool hasUnknownBits;

  SharedMatrix(uint64_t descriptor, bool isTransposed);
  /// What is wrong with it for so many lines in memory of this size, or Trap for nothing.
  struct Problem {
    FaultKind kind = FaultKind::Trap;
    std::string text;
    uint32_t address = 0;
  };
  bool check(unsigned lines, uint64_t sharedBytes, Problem &problem) const;
  /// Where the piece of line `outer`, 16 bytes number `inner` along k, begins; if transposed, of
  /// k `outer`, lines from 8 * `inner`.
  uint32_t address(unsigned outer, unsigned inner) const;
  /// Calls f(address, outer, inner) for each piece of lines [first, first + lines); both are
  /// multiples of 8.
  template <typename F> void visit(unsigned first, unsigned lines, F &&f) const {
    unsigned outers = isTransposed ? 16 : first + lines, inner = isTransposed ? first / 8 : 0;
    unsigned inners = isTransposed ? (first + lines) / 8 : 2;
    for (unsigned outer = isTransposed ? 0 : first; outer < outers; ++outer)
      for (unsigned i = inner; i < inners; ++i)
        f(address(outer, i), outer, i);
  }

private:
  uint32_t linear(unsigned outer, unsigned inner) const;
  bool fitsPlainly(unsigned lines, uint64_t sharedBytes) const;
};

/// A and B as numbers, and which of their lines depend on what nothing has written.
struct Factors {
  double a[groupRows * mostGroupDepth];                    ///< [row][k]
  alignas(64) double b[mostGroupDepth * mostGroupColumns]; ///< [k][column]
  std::bitset<groupRows> lostRows;
  std::bitset<mostGroupColumns> lostColumns;
  uint32_t origin; ///< of the last of what is lost
};

void readFactors(const Cta &cta, const GroupProduct &product, Factors &factors);
/// Reads the operands, writes the accumulators of all four warps.
void computeProduct(const Cta &cta, const GroupProduct &product);

/// The warp issues the product: its reads of shared memory begin.
void beginReads(Warp &warp, GroupProduct &product);
/// It is computed: the reads of all warps end.
void endReads(Machine &machine, WarpGroup &group, GroupProduct &product);
/// The warp has waited for it.
void learnProduct(Warp &warp, const WarpGroup &group, const GroupProduct &product);

/// Registers of a product at its issue, and when its wait is over.
void issueRegisters(Warp &warp, const Op &op);
void retireRegisters(Frame &frame, const Op &op);

} // namespace tritium::sim

#endif // TRITIUM_SIMULATOR_FAMILIES_WARPGROUP_H
