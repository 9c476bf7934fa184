//===- Placeholder.h - values that nobody uses ------------------*- C++ -*-===//

#ifndef TRITIUM_DIALECT_TILE_IR_PLACEHOLDER_H
#define TRITIUM_DIALECT_TILE_IR_PLACEHOLDER_H

#include "llvm/ADT/StringRef.h"

namespace tritium::tt {

/// On an int_to_ptr that stands for a pointer on a path that has none: no memory is accessed
/// through it, nor through what arithmetic makes of it.
inline constexpr llvm::StringLiteral kPlaceholder = "tt.placeholder";

} // namespace tritium::tt

#endif // TRITIUM_DIALECT_TILE_IR_PLACEHOLDER_H
