//===- TileLayout.h - a layout of any extents -------------------*- C++ -*-===//
//
// Linear maps reach 2^k elements. A tile of any extents is a linear core, whose dimensions
// are powers of two, repeated an integer number of times along each dimension in registers
// of the same lane: XOR inside of the core, addition outside.
//
//   extent 96, core 32: three repeats.      register 5 of a lane with two core registers
//   extent 781, core 128: seven repeats,    is core register 1 of repeat 2.
//   of which the last is partly padding.
//
// Padding are elements at coordinates >= extent: they are never loaded nor stored and take
// no part in reductions. The core is never larger than the extent, so the first repeat
// holds no padding: every lane has a true element in its first register.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LAYOUT_TILELAYOUT_H
#define TRITIUM_LAYOUT_TILELAYOUT_H

#include "tritium/Layout/LinearLayout.h"

namespace tritium {

using Coordinates = llvm::SmallVector<int64_t, 4>;

class TileLayout {
public:
  TileLayout() = default;
  /// `core` has inputs register, lane and warp. Register bits that make copies are dropped.
  TileLayout(LinearLayout core, llvm::ArrayRef<int64_t> extents);

  const LinearLayout &core() const { return linear; }
  llvm::ArrayRef<int64_t> extents() const { return shape; }
  llvm::ArrayRef<int64_t> repeats() const { return counts; }
  unsigned rank() const { return shape.size(); }

  unsigned lanes() const { return 1u << linear.inputBits(kLane); }
  unsigned warps() const { return 1u << linear.inputBits(kWarp); }
  /// Registers of one lane, padding included.
  unsigned registers() const { return offsets.size(); }
  /// Where register `r` lies relative to register 0 of its lane. The parts of register and
  /// of lane and warp have no bits in common inside of a core when registersAreApart().
  const Coordinates &offset(unsigned r) const { return offsets[r]; }
  bool registersAreApart() const;
  /// The element at a place.
  Coordinates at(unsigned reg, unsigned lane, unsigned warp) const;

  /// Along `dim`, whether some lane has padding in register `r`.
  bool mayBePadding(unsigned reg, unsigned dim) const;
  bool hasPadding() const;

  /// The longest run 2^k of elements along `dim` that lie in registers of one lane, start
  /// at a multiple of 2^k, and never are padding in part.
  unsigned contiguous(unsigned dim) const;
  /// Registers in groups of `width` neighbours along `dim`, each group in order.
  llvm::SmallVector<llvm::SmallVector<unsigned, 8>> vectors(unsigned dim, unsigned width) const;

  bool operator==(const TileLayout &other) const {
    return linear == other.linear && shape == other.shape;
  }

private:
  LinearLayout linear;
  llvm::SmallVector<int64_t, 4> shape, counts;
  std::vector<Coordinates> offsets;
};

/// Builds the core of a layout bit by bit: each input bit takes the next bit of a dimension,
/// or makes a copy where the dimension has no more.
class CoreBuilder {
public:
  /// `threadsOrRegisters[d]`: elements along d that the inputs to be added cover; the core
  /// takes that many, and all registers needed beyond where the extent is a power of two.
  CoreBuilder(llvm::ArrayRef<int64_t> extents, llvm::ArrayRef<int64_t> covered);
  /// The next `count` (a power of two) steps of input `name` go along `dim`.
  CoreBuilder &add(llvm::StringRef name, unsigned dim, int64_t count);
  /// The next `count` steps of input `name` make copies.
  CoreBuilder &addCopies(llvm::StringRef name, int64_t count);
  /// Registers for what is left of the core, dimensions in `order`.
  LinearLayout finish(llvm::ArrayRef<int32_t> order);

private:
  LinearLayout::Input &input(llvm::StringRef name);
  llvm::SmallVector<unsigned, 4> bits, used;
  llvm::SmallVector<LinearLayout::Input, 3> inputs;
};

} // namespace tritium

#endif // TRITIUM_LAYOUT_TILELAYOUT_H
