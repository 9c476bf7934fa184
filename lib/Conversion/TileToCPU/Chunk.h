//===- Chunk.h - a register-sized part of a tile ----------------*- C++ -*-===//
//
// The lowering never holds a whole tile in registers. It asks for the value of a tile
// at an Index: every dimension but one is a scalar, the remaining one is a run of
// `width` lanes. The answer is a Chunk, in the cheapest of four forms.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_CONVERSION_TILETOCPU_CHUNK_H
#define TRITIUM_LIB_CONVERSION_TILETOCPU_CHUNK_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace tritium::cpu {

/// Where along one dimension of a tile.
struct DimIndex {
  enum Kind : uint8_t {
    Scalar,  ///< at `index` (i64)
    Lanes,   ///< at `index` .. `index` + width - 1
    Pending, ///< somewhere: the loop over this dimension is not yet open
  };
  Kind kind = Scalar;
  mlir::Value index;
};

/// A position in a tile: one DimIndex a dimension, at most one of them Lanes.
struct Index {
  llvm::SmallVector<DimIndex, 3> dims;
  int64_t width = 1; ///< lanes; 1 if no dimension is Lanes
  int64_t valid = 1; ///< lanes below this are inside the tile
  bool hasLanes() const {
    return llvm::any_of(dims, [](const DimIndex &d) { return d.kind == DimIndex::Lanes; });
  }
  int64_t lanesDim() const {
    return llvm::find_if(dims, [](const DimIndex &d) { return d.kind == DimIndex::Lanes; }) -
           dims.begin();
  }
  bool hasPending() const {
    return llvm::any_of(dims, [](const DimIndex &d) { return d.kind == DimIndex::Pending; });
  }
};

/// The value of a tile at an Index.
struct Chunk {
  enum Kind : uint8_t {
    Uniform, ///< every lane is `v`, a scalar
    Affine,  ///< lane l is `v` + l * stride modulo 2^width, v a scalar integer
    Prefix,  ///< i1: lanes l < `v` are true; v is i64 and may be outside [0, width]
    Vector,  ///< `v` is a vector of `width` lanes
  };
  Kind kind = Uniform;
  mlir::Value v;
  int64_t stride = 0;
  /// Pointers: `base` is an !llvm.ptr that all lanes share and v counts bytes from it;
  /// without a base v is an address. v is i64.
  mlir::Value base;

  static Chunk uniform(mlir::Value v) { return {Uniform, v}; }
  static Chunk affine(mlir::Value v, int64_t stride) {
    return stride ? Chunk{Affine, v, stride} : uniform(v);
  }
  static Chunk prefix(mlir::Value count) { return {Prefix, count}; }
  static Chunk vector(mlir::Value v) { return {Vector, v}; }
};

} // namespace tritium::cpu

#endif // TRITIUM_LIB_CONVERSION_TILETOCPU_CHUNK_H
