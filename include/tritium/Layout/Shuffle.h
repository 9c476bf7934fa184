//===- Shuffle.h - conversions within a warp --------------------*- C++ -*-===//
//
// A shuffle gives every lane one 32-bit word of another lane: each lane offers one of its
// registers and names the lane that it reads. If every element of a tile lies in the same
// warp before and after a conversion, shuffles can do it.
//
// Let C(r, l) = (register, lane) be the place that holds the element that register r of lane l
// shall get. Which registers belong to one shuffle is free, so each round may serve another
// register in every lane:
//
//   before   register x of the round is register x ^ F(lane) of the tile, F linear;
//   shuffle  round r reads register reads(r) of lane  reads(r) ^ reads(lane);
//   after    register r of the result is what round r ^ P(lane) has brought.
//
// Choosing a register by lane is one select a word for each independent image of F and of P.
// F and P follow from a choice, for each lane bit j, of P(j) such that no lane must offer two
// registers at a time: the lanes that C(P(j), j) leads to are independent. Where source lanes
// hold copies there is a choice of the lane as well; a lane reads itself if it can, which
// makes the rounds that stay in the lane no shuffle at all.
//
// Worked example. Four lanes transpose 4x4 elements, a row a lane. C(r, l) = (l, r). With
// P(l) = l, round r reads of lane l ^ r, and lane l offers register l ^ r: F is the identity.
// Round 0 stays in the lane, so three shuffles and two selects a word on either side do it.
//
// Elements of less than 32 bits are packed into words along registers that stay together.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LAYOUT_SHUFFLE_H
#define TRITIUM_LAYOUT_SHUFFLE_H

#include "tritium/Layout/LinearLayout.h"

namespace tritium {

struct ShufflePlan {
  /// Threads whose number has an odd number of the bits `lanes` and `warps` together take
  /// register x ^ registers for x.
  struct Choice {
    uint64_t lanes = 0, warps = 0, registers;
  };
  llvm::SmallVector<Choice, 4> before, after;
  /// Inputs register (the round), lane and warp, outputs register and lane. Which register is
  /// offered depends on the round only.
  LinearLayout reads;
  /// Of a word: element e is register x ^ XOR of packedFrom (packedTo) over the bits of e.
  llvm::SmallVector<uint64_t, 2> packedFrom, packedTo;

  /// The first register of the word that holds register `r` of the result.
  uint64_t firstOf(uint64_t r) const;
  uint64_t sourceRegister(uint64_t round) const {
    return reads.applyPart(kRegister, round) & (reads.extent(0) - 1);
  }
  uint64_t laneOffset(uint64_t round) const {
    return reads.applyPart(kRegister, round) >> reads.dimBits()[0];
  }
  /// Every lane offers what it reads if the round's laneOffset is 0.
  bool readsOwnLane() const;
  unsigned words() const { return 1u << (reads.inputBits(kRegister) - packedTo.size()); }
  unsigned shuffles() const;
  unsigned selects() const { return words() * (before.size() + after.size()); }
};

/// How to convert a tile from layout `from` to layout `to` by shuffles; nothing if an element
/// must change its warp, or if some lanes would have to offer more registers than each gets.
/// Neither has copies in registers.
std::optional<ShufflePlan> planShuffles(const LinearLayout &from, const LinearLayout &to,
                                        unsigned elementBits);

} // namespace tritium

#endif // TRITIUM_LAYOUT_SHUFFLE_H
