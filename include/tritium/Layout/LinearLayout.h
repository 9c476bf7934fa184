//===- LinearLayout.h - linear maps over bits -------------------*- C++ -*-===//
//
// A layout says where the elements of a tile live. Tritium writes it as a function from a
// place in the machine (register r of lane l of warp w) to an element's index (row, col).
// The direction matters: several places may hold a copy of one element, but a place holds
// one element, so places -> elements is a function and its inverse is not.
//
// The functions that hardware likes are linear over F2, the field of one bit: the image
// of a place is the XOR of the images of its set bits. It is enough to store the images
// of 1, 2, 4, ... of each input, the "bases".
//
// Worked example. A warp of 4 lanes holds a 4x4 tile, two neighbouring columns a lane:
//
//            col 0     1     2     3
//   row 0   l0 r0 l0 r1 l1 r0 l1 r1      register: 1 -> (0,1)
//   row 1   l2 r0 l2 r1 l3 r0 l3 r1      lane:     1 -> (0,2), 2 -> (1,0)
//   row 2   l0 r2 l0 r3 l1 r2 l1 r3      register: 2 -> (2,0)
//   row 3   l2 r2 l2 r3 l3 r2 l3 r3
//
//   register 3 of lane 3 = (0,1) ^ (2,0) ^ (0,2) ^ (1,0) = (3,3).
//
// What the algebra gives:
//
//   * Products build layouts of small parts: `a * b` puts b's bits above a's, in inputs of
//     the same name and in the same output dimensions. identity("register", 1 bit, col) *
//     identity("lane", 1 bit, col) * identity("lane", 1 bit, row) is the upper half above.
//   * `outer.compose(inner)` feeds inner's elements to outer. If outer maps elements to
//     addresses, the composition says which address each lane touches: vector widths and
//     bank conflicts are read off its bases.
//   * To convert tile x from layout A to layout B, ask for each place of B which place of A
//     holds the same element: A.compose(C) == B, solved for C by invertAndCompose. Where C
//     keeps the warp, lanes exchange by shuffles; where it keeps the lane too, registers
//     are renamed; otherwise shared memory is needed.
//   * Bits that do not matter are visible: a lane bit whose image is 0, or the XOR of
//     earlier images, makes copies (freeMask). Only the copy with those bits 0 may store.
//   * divideLeft asks whether a layout begins with a small one, such as the fragment that
//     an instruction moves.
//
// A swizzle is a linear map as well: row-major offsets with `col ^= row` are bases
// row 1 -> offset (1 row) ^ (1 col). Nothing else in the compiler knows about swizzles.
//
// Outputs are packed into one integer, dimension 0 in the lowest bits: "flat" elements.
// Inputs are packed in the same way. The header works with at most 64 bits of each.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LAYOUT_LINEARLAYOUT_H
#define TRITIUM_LAYOUT_LINEARLAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tritium {

/// Names of inputs. A layout may have any of them.
inline constexpr llvm::StringLiteral kRegister = "register";
inline constexpr llvm::StringLiteral kLane = "lane";
inline constexpr llvm::StringLiteral kWarp = "warp";
inline constexpr llvm::StringLiteral kOffset = "offset";

class LinearLayout {
public:
  /// An input: its name and the image of each of its bits, as flat elements.
  struct Input {
    llvm::StringRef name; ///< one of the constants above
    llvm::SmallVector<uint64_t, 8> bases;
    bool operator==(const Input &other) const { return name == other.name && bases == other.bases; }
  };

  LinearLayout() = default;
  /// `outputBits[d]`: bits of dimension d.
  LinearLayout(llvm::SmallVector<Input, 3> inputs, llvm::SmallVector<unsigned, 4> outputBits)
      : inputs(std::move(inputs)), outputBits(std::move(outputBits)) {}

  /// `bits` bits of input `name` count along dimension `dim` of `rank`.
  static LinearLayout identity(llvm::StringRef name, unsigned bits, unsigned dim, unsigned rank);
  /// `bits` bits of input `name` that do not matter.
  static LinearLayout zeros(llvm::StringRef name, unsigned bits, unsigned rank);

  //===--- looking ---===//

  unsigned rank() const { return outputBits.size(); }
  llvm::ArrayRef<unsigned> dimBits() const { return outputBits; }
  int64_t extent(unsigned dim) const { return int64_t(1) << outputBits[dim]; }
  llvm::ArrayRef<Input> getInputs() const { return inputs; }
  /// Images of the bits of an input; empty if the layout does not have it.
  llvm::ArrayRef<uint64_t> bases(llvm::StringRef name) const;
  unsigned inputBits(llvm::StringRef name) const { return bases(name).size(); }
  unsigned totalInputBits() const;
  unsigned totalOutputBits() const;
  bool operator==(const LinearLayout &) const = default;

  /// The flat element at a place given as one index an input, in the order of getInputs().
  uint64_t apply(llvm::ArrayRef<uint64_t> place) const;
  /// The part of the flat element that one input contributes.
  uint64_t applyPart(llvm::StringRef name, uint64_t index) const;

  /// Packs and unpacks coordinates.
  uint64_t flatten(llvm::ArrayRef<int64_t> coordinates) const;
  llvm::SmallVector<int64_t, 4> unflatten(uint64_t element) const;
  /// Where dimension `dim` begins in a flat element.
  unsigned shiftOf(unsigned dim) const;

  //===--- algebra ---===//

  /// `high`'s bits above this layout's, input by input and dimension by dimension.
  LinearLayout operator*(const LinearLayout &high) const;

  /// place of `inner` -> this(inner(place)). Inner's outputs are this layout's inputs, in
  /// order, with the same numbers of bits.
  LinearLayout compose(const LinearLayout &inner) const;

  /// The smallest C with this(C(x)) == target(x): for each place x of `target`, a place of
  /// this layout that holds the same element. Bits of C that are free are 0, so copies are
  /// read from the first place that holds them. The outputs of C are this layout's inputs
  /// in order. Nothing if `target` reaches elements that this layout does not hold.
  std::optional<LinearLayout> invertAndCompose(const LinearLayout &target) const;

  /// The inverse of a one-to-one layout over all its elements, as a map from flat elements
  /// (one input, kOffset) to the packed inputs (one output dimension a input).
  std::optional<LinearLayout> invert() const;

  /// R with *this == tile * R, if there is one.
  std::optional<LinearLayout> divideLeft(const LinearLayout &tile) const;

  /// The same inputs, with the outputs regarded as one dimension of all bits.
  LinearLayout flattenOutputs() const;

  /// Bits of an input that only make copies: their images are 0 or the XOR of images of
  /// lower bits and of inputs that stand before it.
  uint64_t freeMask(llvm::StringRef name) const;

  /// Independent images: log2 of the number of elements that are reached.
  unsigned imageBits() const;
  bool isOneToOne() const { return imageBits() == totalInputBits(); }
  bool coversAll() const { return imageBits() == totalOutputBits(); }

  /// "register=[(0,1),(2,0)] lane=[(0,2),(1,0)]"
  std::string toString() const;

private:
  llvm::SmallVector<Input, 3> inputs;
  llvm::SmallVector<unsigned, 4> outputBits;
};

/// An incremental basis of a space over F2.
class Span {
public:
  Span() = default;
  explicit Span(llvm::ArrayRef<uint64_t> vectors) {
    for (uint64_t v : vectors)
      insert(v);
  }
  /// Adds a vector; false if it was in the span already.
  bool insert(uint64_t vector);
  bool contains(uint64_t vector) const { return reduce(vector) == 0; }
  unsigned dimension() const { return rows.size(); }

private:
  uint64_t reduce(uint64_t vector) const;
  llvm::SmallVector<uint64_t, 16> rows; ///< descending leading bits
};

} // namespace tritium

#endif // TRITIUM_LAYOUT_LINEARLAYOUT_H
