//===- DotWaits.h - where the wait for a dot stands -------------*- C++ -*-===//
//
//   %s = ttng.warp_group_dot %q, %k, %zero
//   %d = ttng.warp_group_dot %p, %v, %acc
//   copies to buffers that neither of them reads
//   %t = ttng.warp_group_dot_wait %s {pendings = 1}
//   .. = math.exp2 %t
//   %e = ttng.warp_group_dot_wait %d {pendings = 0}
//
// What does not need the result goes on beside the dot: the wait stands in front of what does, or
// of what may write where the dot reads, and leaves in flight the dots that have begun since.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_DIALECT_TILENVGPU_TRANSFORMS_DOTWAITS_H
#define TRITIUM_LIB_DIALECT_TILENVGPU_TRANSFORMS_DOTWAITS_H

#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"

namespace tritium::ttng {

/// Puts the wait for `dot` into its block; uses of the result become uses of the wait's. Dots of
/// warp groups behind it that are not converted yet are counted as if they were.
void placeWait(WarpGroupDotOp dot);

/// Once all dots of a block are converted: joins waits of which one is over when the other is, and
/// lets what is computed beside a dot go through the wait for it.
void settleWaits(mlir::Block &block);

} // namespace tritium::ttng

#endif // TRITIUM_LIB_DIALECT_TILENVGPU_TRANSFORMS_DOTWAITS_H
