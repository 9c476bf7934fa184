//===- MacroBudget.cpp - bounds on what macros make -----------------------===//

#include "MacroBudget.h"

#include "clang/Lex/MacroArgs.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/Preprocessor.h"

using namespace tritium::frontend::tritonc;

static constexpr uint64_t kMaxTokens = 1 << 20;
static constexpr uint64_t kMaxDirectiveTokens = 500;
/// Calls of macros in the arguments of calls of macros.
static constexpr unsigned kMaxDepth = 50;

void tritium::frontend::tritonc::cutOff(clang::Preprocessor &preprocessor) {
  auto *lexer = static_cast<clang::Lexer *>(preprocessor.getCurrentFileLexer());
  lexer->seek(lexer->getBuffer().size(), /*IsAtStartOfLine=*/false);
}

void MacroBudget::remove(const clang::Token &name) {
  if (exceeded.isInvalid())
    exceeded = name.getLocation();
  clang::IdentifierInfo *id = name.getIdentifierInfo();
  if (id && id->hasMacroDefinition())
    preprocessor.appendMacroDirective(id, new (preprocessor.getPreprocessorAllocator())
                                              clang::UndefMacroDirective(name.getLocation()));
}

/// How often the parameters' tokens come in the macro's body.
static uint64_t usesOf(const clang::MacroInfo &macro, unsigned parameter) {
  uint64_t count = 0;
  for (const clang::Token &token : macro.tokens())
    if (const clang::IdentifierInfo *id = token.getIdentifierInfo())
      count += macro.getParameterNum(id) == static_cast<int>(parameter);
  return count;
}

void MacroBudget::expand(const clang::Token &name, const clang::MacroInfo &macro,
                         const clang::MacroArgs *arguments) {
  uint64_t made = 1 + macro.getNumTokens();
  if (arguments) {
    // The arguments belong to this call alone, and nothing has read them yet.
    auto &own = const_cast<clang::MacroArgs &>(*arguments);
    for (unsigned i = 0; i < own.getNumMacroArguments(); ++i) {
      if (depth > kMaxDepth || exceeded.isValid()) {
        const_cast<clang::Token *>(own.getUnexpArgument(i))->setKind(clang::tok::eof);
        remove(name);
        continue;
      }
      uint64_t uses = usesOf(macro, i);
      if (!uses)
        continue;
      ++depth;
      auto &expanded =
          const_cast<std::vector<clang::Token> &>(own.getPreExpArgument(i, preprocessor));
      --depth;
      made += uses * expanded.size();
      if (tokens + made > kMaxTokens)
        expanded.erase(expanded.begin(), expanded.end() - 1);
    }
  }
  tokens += made;
  if (preprocessor.isParsingIfOrElifDirective())
    inDirective += made;
  if (exceeded.isValid() || tokens > kMaxTokens || inDirective > kMaxDirectiveTokens)
    remove(name);
}
