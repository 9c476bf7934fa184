//===- DotRotation.h - dots that go on into the next iteration --*- C++ -*-===//
//
// Of a loop
//
//   for .. iter_args(%sum)
//     %s = tt.dot %q, %k
//     %p, %f = .. of %s
//     %c = .. of %sum, %f
//     %d = tt.dot %p, %v, %c
//     yield %d
//
// the second dot can begin beside the first one of the next iteration, and go on while the next %p
// is computed: nothing but what depends on %sum needs it before.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_DOTROTATION_H
#define TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_DOTROTATION_H

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

#include <optional>

namespace tritium::ttg {

struct DotRotation {
  tt::DotOp first, second;
  unsigned carried; ///< number of the sum among what the loop carries
  /// What depends on the sum in an iteration, the second dot among it.
  llvm::SmallPtrSet<mlir::Operation *, 8> behind;

  /// None if the loop is not of this form, all of it in registers and layouts of warp groups.
  static std::optional<DotRotation> find(mlir::scf::ForOp loop);

  /// Registers of a thread that both results and the left operand between them take.
  int64_t words();
  /// How many of them there can be.
  int64_t mostWords();
};

} // namespace tritium::ttg

#endif // TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_DOTROTATION_H
