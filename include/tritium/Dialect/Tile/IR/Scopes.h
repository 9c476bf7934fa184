//===- Scopes.h - the named parts of a kernel's text ------------*- C++ -*-===//

#ifndef TRITIUM_DIALECT_TILE_IR_SCOPES_H
#define TRITIUM_DIALECT_TILE_IR_SCOPES_H

#include "llvm/ADT/StringRef.h"

namespace tritium::tt {

/// On a module: each `tl.scope` of its kernel's text, a dictionary with its `name`, its `file`, the
/// `line` and `column` where it begins, and its `last` line. They make no code.
inline constexpr llvm::StringLiteral kScopes = "tt.scopes";

} // namespace tritium::tt

#endif // TRITIUM_DIALECT_TILE_IR_SCOPES_H
