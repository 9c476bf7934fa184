//===- BoxOfTile.h - an access as one of a box of a tensor ------*- C++ -*-===//

#ifndef TRITIUM_LIB_DIALECT_TILENVGPU_TRANSFORMS_BOXOFTILE_H
#define TRITIUM_LIB_DIALECT_TILENVGPU_TRANSFORMS_BOXOFTILE_H

#include "AffineTiles.h"

#include "tritium/Analysis/AxisInfo.h"
#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"

namespace tritium::ttng {

/// The box that a tile of pointers of one or two dimensions, under a mask, is: what the mask leaves
/// out is what the ends of the tensor cut off, no more and no less.
class BoxOfTile {
public:
  BoxOfTile(tt::MemoryAccess access, AffineReader &reader)
      : access(access), reader(reader), shape(tt::shapeOf(access.getAccessed().getType())) {}

  /// Empty if it is one; otherwise why not.
  std::string find();

  /// What operations of boxes have in common.
  struct Operands {
    mlir::Value base;
    llvm::SmallVector<mlir::Value> shape, strides, offsets;
  };
  /// In front of the access.
  Operands build();
  /// Of a box that has been found: where it begins and what lies between rows are known to be
  /// multiples of 16 bytes.
  bool isAligned(const AxisInfoAnalysis &axes) const;
  /// Its rows are known to begin at multiples of 16 bytes of the tensor's, as a GPU wants of all
  /// boxes.
  bool beginsAtChunk(const AxisInfoAnalysis &axes) const;
  /// What cuts its rows off, if anything does, ends there, too.
  bool endsAtChunk(const AxisInfoAnalysis &axes) const;
  /// What lies in front of the tensor is masked off.
  bool mayBeginInFront() const;
  /// Something that a launch does not know is taken from an index, which may be less than 0 then.
  bool countsDown() const;
  /// Both lie in one tensor, and share no element of it.
  bool isApartFrom(const BoxOfTile &other) const;
  /// Neighbours in memory are neighbours along the first dimension.
  bool isTransposed() const { return axes.size() == 2 && fastest == 0; }

private:
  /// One dimension of the tensor.
  struct Axis {
    Polynomial start, stride;
    std::optional<Polynomial> size = std::nullopt; ///< none: nothing is masked off
    /// Indices below 0 are masked off, and may be met. Of a store each launch sees to it that
    /// there are none, unless they look as if there should be some.
    bool isLeftOpen = false;

    bool operator==(const Axis &) const = default;
  };

  /// A mask is true where begin <= r + moving < end.
  struct Bounds {
    Polynomial moving;
    std::optional<Polynomial> begin, end;

    bool isAny() const { return begin || end; }
  };

  static constexpr uint64_t kChunkBytes = 16; ///< of which TMA moves whole ones

  llvm::SmallVector<unsigned, 2> slowestFirst() const; ///< dimensions of the tile
  llvm::SmallVector<const Axis *> inOrder() const;
  bool isStored();
  bool isRefused();
  bool areChunks(const Polynomial &elements, const AxisInfoAnalysis &axes) const;
  Polynomial origin() const;
  bool isKnownAtLaunch(const Polynomial &number) const;
  std::string findAxes(const AffineTile &tile);
  std::string findBounds();
  /// Takes in where the tile is what its addresses say.
  std::string findEnds(llvm::ArrayRef<AffineTile> where);
  bool addBound(const AffineTile &condition);
  bool splitOrigin(Polynomial origin);
  bool isPlain(const Polynomial::Term &term);
  void addLeading(const Polynomial::Term &term);
  std::string buildOffsets();

  tt::MemoryAccess access;
  AffineReader &reader;
  llvm::ArrayRef<int64_t> shape;
  mlir::Value base;
  unsigned fastest = 1;
  std::vector<Axis> axes, leading;
  Bounds bounds[2];
  Polynomial start; ///< of the tensor, behind the base
  llvm::SmallVector<mlir::Value> offsets;
};

} // namespace tritium::ttng

#endif // TRITIUM_LIB_DIALECT_TILENVGPU_TRANSFORMS_BOXOFTILE_H
