//===- Preprocessor.h - a Triton-C file as tokens ---------------*- C++ -*-===//
//
// Macros, conditionals and includes by clang's preprocessor: the implicit prelude, the
// `-D` definitions, then the file. No clang type leaves this interface.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_FRONTEND_TRITONC_PREPROCESSOR_H
#define TRITIUM_FRONTEND_TRITONC_PREPROCESSOR_H

#include "tritium/Support/Diagnostics.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tritium::frontend::tritonc {

/// A file with what decides what it means.
struct SourceUnit {
  std::string file; ///< path shown in diagnostics; relative includes start in its folder
  std::string text;
  /// NAME -> text, in order. Each has one value: lists are expanded before.
  std::vector<std::pair<std::string, std::string>> defines;
  std::vector<std::string> includePaths;
};

struct Token {
  enum Kind : uint8_t { Identifier, Number, Character, String, Punctuator, End } kind = End;
  bool isBlankBefore = false;
  bool isLineStart = false;
  SourceRange range; ///< where it stands in the file; macros: see SourceLoc::expansion
  std::string_view text;
};

/// A file that was read, for cache keys.
struct ReadFile {
  std::string path, text;
};

struct PreprocessedUnit {
  std::vector<Token> tokens; ///< the last one is End
  std::vector<ReadFile> included;
  /// The names that the text tested or expanded, of those in SourceUnit::defines.
  std::vector<std::string> usedDefines;
  /// Owns the tokens' text.
  std::vector<std::unique_ptr<std::string>> storage;
};

/// Nothing after an error, which has been reported. Warnings do not stop it.
std::optional<PreprocessedUnit> preprocess(const SourceUnit &unit, SourceManager &sources,
                                           DiagnosticEngine &diagnostics);

} // namespace tritium::frontend::tritonc

#endif // TRITIUM_FRONTEND_TRITONC_PREPROCESSOR_H
