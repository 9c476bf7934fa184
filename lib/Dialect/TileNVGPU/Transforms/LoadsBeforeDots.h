//===- LoadsBeforeDots.h - factors are loaded before dots --------*- C++ -*-===//
//
//   %s = ttng.warp_group_dot %k, %q, %zero           %f = ttg.local_load %factors
//   %f = ttg.local_load %factors               ->    %s = ttng.warp_group_dot %k, %q, %zero
//   %t = ttng.warp_group_dot_wait %s                 %t = ttng.warp_group_dot_wait %s
//   .. = arith.subf %t, %f                           .. = arith.subf %t, %f
//
// With both operands in shared memory, an instruction of 64 columns reads it at its full rate, 128
// bytes a clock. What threads load from there meanwhile comes when the last dot under way is over,
// not when the first one is, whose result waits for it.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_DIALECT_TILENVGPU_TRANSFORMS_LOADSBEFOREDOTS_H
#define TRITIUM_LIB_DIALECT_TILENVGPU_TRANSFORMS_LOADSBEFOREDOTS_H

#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"

namespace tritium::ttng {

/// Puts loads from shared memory behind `dot`, the first of its block, in front of it: of one
/// number a row or column, if both operands of the dot are in shared memory, as far as nothing
/// between them may write and a thread has the registers.
void loadBefore(WarpGroupDotOp dot);

} // namespace tritium::ttng

#endif // TRITIUM_LIB_DIALECT_TILENVGPU_TRANSFORMS_LOADSBEFOREDOTS_H
