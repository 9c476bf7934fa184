//===- SkipOnes.h - products by factors that are one ------------*- C++ -*-===//

#ifndef TRITIUM_DIALECT_TILEGPU_IR_SKIPONES_H
#define TRITIUM_DIALECT_TILEGPU_IR_SKIPONES_H

#include "llvm/ADT/StringRef.h"

namespace tritium::ttg {

/// On an arith.mulf of tiles of f32: a warp all of whose second operands are one does not multiply.
constexpr llvm::StringLiteral kSkipOnes = "ttg.skip_ones";

} // namespace tritium::ttg

#endif // TRITIUM_DIALECT_TILEGPU_IR_SKIPONES_H
