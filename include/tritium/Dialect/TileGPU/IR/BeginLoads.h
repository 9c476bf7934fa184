//===- BeginLoads.h - loads that begin together -----------------*- C++ -*-===//

#ifndef TRITIUM_DIALECT_TILEGPU_IR_BEGINLOADS_H
#define TRITIUM_DIALECT_TILEGPU_IR_BEGINLOADS_H

#include "llvm/ADT/StringRef.h"

namespace tritium::ttg {

/// An i32 on a tt.load: it, and as many of the block's loads of tiles in front of it, have begun
/// before anything is computed of what they load.
constexpr llvm::StringLiteral kBeginsBehind = "ttg.begins_behind";

} // namespace tritium::ttg

#endif // TRITIUM_DIALECT_TILEGPU_IR_BEGINLOADS_H
