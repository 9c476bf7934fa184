//===- Compare.h - two explanations side by side ----------------*- C++ -*-===//

#ifndef TRITIUM_EXPLAIN_COMPARE_H
#define TRITIUM_EXPLAIN_COMPARE_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <string>

namespace tritium::explain {

inline constexpr const char *kComparisonFormat = "tritium-explain-diff";

/// The document that `text`, of the file `name`, has, of any version; an error if it is none.
llvm::Expected<llvm::json::Object> readAnyVersion(llvm::StringRef text, llvm::StringRef name);

/// The same of this program's version; an error if it is of another.
llvm::Expected<llvm::json::Object> readDocument(llvm::StringRef text, llvm::StringRef name);

/// What is different in `b`, as docs/explain.md says. Lines are paired by what they say, those that
/// were edited by where they stand between lines that were not. Fields that one of the documents
/// lacks are not compared. It is worse if it takes more than `slowdown` times as long by the model,
/// spills more, has more barriers, or if a line accesses memory in smaller pieces.
llvm::json::Object compare(const llvm::json::Object &a, const llvm::json::Object &b,
                           double slowdown);

/// What a terminal of 80 columns shows of it.
std::string renderComparison(const llvm::json::Object &comparison);

} // namespace tritium::explain

#endif // TRITIUM_EXPLAIN_COMPARE_H
