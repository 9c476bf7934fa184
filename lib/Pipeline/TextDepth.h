//===- TextDepth.h - how deeply the text of a module nests ------*- C++ -*-===//

#ifndef TRITIUM_LIB_PIPELINE_TEXTDEPTH_H
#define TRITIUM_LIB_PIPELINE_TEXTDEPTH_H

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace tritium {

/// MLIR's parser descends with each bracket and each sign of its text, and looks at no limit: a
/// text that somebody has written may nest this deeply. What the compiler prints stays below
/// half of it, as the front ends have limits of their own.
inline constexpr unsigned kMaxTextDepth = 1000;

/// The line, from 1, at which `text` nests more deeply; nothing if it does nowhere.
std::optional<unsigned> lineNestedTooDeeply(llvm::StringRef text);

} // namespace tritium

#endif // TRITIUM_LIB_PIPELINE_TEXTDEPTH_H
