//===- BoxOfLoad.h - a load as one of a box of a tensor ---------*- C++ -*-===//

#ifndef TRITIUM_LIB_DIALECT_TILENVGPU_TRANSFORMS_BOXOFLOAD_H
#define TRITIUM_LIB_DIALECT_TILENVGPU_TRANSFORMS_BOXOFLOAD_H

#include "AffineTiles.h"

#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"

namespace tritium::ttng {

/// The box that a load reads.
class BoxOfLoad {
public:
  BoxOfLoad(tt::LoadOp load, AffineReader &reader)
      : load(load), reader(reader), shape(tt::shapeOf(load.getType())) {}

  /// Empty if it is one; otherwise why not.
  std::string find();
  /// The load, in front of it.
  LoadBoxOp build();
  /// Neighbours in memory are neighbours along the first dimension.
  bool isTransposed() const { return fastest == 0; }

private:
  /// One dimension of the tensor.
  struct Axis {
    Polynomial start, stride;
    std::optional<Polynomial> size = std::nullopt; ///< none: nothing is masked off
    bool isLeftOpen = false;                       ///< indices below 0 are masked off
  };

  /// A mask is true where begin <= r + moving < end.
  struct Bounds {
    Polynomial moving;
    std::optional<Polynomial> begin, end;

    bool isAny() const { return begin || end; }
  };

  llvm::SmallVector<const Axis *> inOrder() const;
  bool isKnownAtLaunch(const Polynomial &number) const;
  std::string findAxes(const AffineTile &tile);
  std::string findBounds();
  bool addBound(const AffineTile &condition);
  bool splitOrigin(Polynomial origin);
  bool isPlain(const Polynomial::Term &term);
  void addLeading(const Polynomial::Term &term);
  std::string buildOffsets();

  tt::LoadOp load;
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

#endif // TRITIUM_LIB_DIALECT_TILENVGPU_TRANSFORMS_BOXOFLOAD_H
