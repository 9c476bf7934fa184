//===- ClangSources.h - clang's locations as ours ---------------*- C++ -*-===//

#ifndef TRITIUM_LIB_FRONTEND_TRITONC_CLANGSOURCES_H
#define TRITIUM_LIB_FRONTEND_TRITONC_CLANGSOURCES_H

#include "IncludeFiles.h"

#include "tritium/Support/Diagnostics.h"

#include "clang/Basic/SourceManager.h"

#include "llvm/ADT/DenseMap.h"

#include <map>

namespace clang {
class LangOptions;
} // namespace clang

namespace tritium::frontend::tritonc {

/// Translates the locations of one preprocessing run. Files come into our SourceManager when a
/// location in them is first asked for.
class ClangSources {
public:
  ClangSources(SourceManager &ours, const IncludeFiles &includes)
      : ours(ours), includes(includes) {}

  /// Before anything else. `clangs` outlives this object.
  void start(const clang::SourceManager &clangs, const clang::LangOptions &options) {
    manager = &clangs;
    language = &options;
  }
  /// `id` is text of ours: `file`, which begins `skipped` bytes into it. What stands
  /// before that is invisible: a macro defined there leaves no trace.
  void addFile(clang::FileID id, uint32_t file, const SeparatedText &text, uint32_t skipped = 0);

  /// The range of a token, with the macros that made it.
  SourceRange range(clang::SourceLocation begin, unsigned length);
  /// The same for the token that begins there.
  SourceRange tokenRange(clang::SourceLocation begin);
  /// The macro definition at a location is ours, not the user's.
  bool isHidden(clang::SourceLocation definition) const;

private:
  struct File {
    uint32_t file = ~0u, skipped = 0;
    const SeparatedText *text = nullptr;
  };
  /// One use of a macro: where it is expanded.
  struct Use {
    SourceRange range;
    std::string macro;
  };

  SourceManager &ours;
  const IncludeFiles &includes;
  const clang::SourceManager *manager = nullptr;
  const clang::LangOptions *language = nullptr;
  llvm::DenseMap<clang::FileID, File> files;
  std::map<clang::FileID, Use> uses;
  unsigned depth = 0;

  File fileOf(clang::FileID id);
  SourceRange fileRange(clang::SourceLocation begin, unsigned length);
  SourceRange range(clang::SourceLocation begin, clang::SourceLocation last, unsigned length);
  const Use &useOf(clang::SourceLocation loc);
};

} // namespace tritium::frontend::tritonc

#endif // TRITIUM_LIB_FRONTEND_TRITONC_CLANGSOURCES_H
