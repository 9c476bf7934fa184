//===- MacroBudget.cpp - bounds on what macros make -----------------------===//

#include "MacroBudget.h"

#include "clang/Lex/MacroArgs.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/Preprocessor.h"

#include "llvm/ADT/DenseMap.h"

using namespace tritium::frontend::tritonc;

static constexpr uint64_t kMaxTokens = 1 << 19;
/// See MacroBudget::joined.
static constexpr uint64_t kMaxBytes = 1 << 24;
static constexpr uint64_t kMaxDirectiveTokens = 500;
/// Calls of macros in the arguments of calls of macros.
static constexpr unsigned kMaxDepth = 50;

void tritium::frontend::tritonc::cutOff(clang::Preprocessor &preprocessor) {
  auto *lexer = static_cast<clang::Lexer *>(preprocessor.getCurrentFileLexer());
  lexer->seek(lexer->getBuffer().size(), /*IsAtStartOfLine=*/false);
}

void MacroBudget::remove(const clang::Token &name) {
  stop.set(name.getLocation(), "macros make too much text here, or nest too deeply");
  clang::IdentifierInfo *id = name.getIdentifierInfo();
  if (id && id->hasMacroDefinition())
    preprocessor.appendMacroDirective(id, new (preprocessor.getPreprocessorAllocator())
                                              clang::UndefMacroDirective(name.getLocation()));
}

const MacroBudget::Body &MacroBudget::bodyOf(const clang::MacroInfo &macro) {
  auto [found, isNew] = bodies.try_emplace(&macro);
  Body &body = found->second;
  if (!isNew)
    return body;
  llvm::DenseMap<const clang::IdentifierInfo *, unsigned> numbers;
  for (const clang::IdentifierInfo *parameter : macro.params())
    numbers.try_emplace(parameter, numbers.size());
  body.uses.resize(macro.getNumParams());
  for (const clang::Token &token : macro.tokens()) {
    body.pastes += token.is(clang::tok::hashhash);
    body.joins |= token.isOneOf(clang::tok::hash, clang::tok::hashhash);
    auto parameter = numbers.find(token.getIdentifierInfo());
    if (parameter != numbers.end())
      ++body.uses[parameter->second];
  }
  return body;
}

/// Bounds the bytes that clang copies for the tokens that `#` and `##` make. It moves the rest of a
/// string for each character that it escapes.
uint64_t MacroBudget::joined(const Body &body, const clang::MacroArgs &arguments) {
  if (!body.joins)
    return 0;
  uint64_t bytes = 0, longest = 0;
  for (unsigned i = 0; i < body.uses.size(); ++i) {
    uint64_t length = 0;
    for (const clang::Token *token = arguments.getUnexpArgument(i); token->isNot(clang::tok::eof);
         ++token) {
      length += token->getLength() + 1;
      longest = std::max<uint64_t>(longest, token->getLength());
    }
    bytes += body.uses[i] * length;
  }
  return 2 * bytes + bytes * bytes / 64 + body.pastes * body.pastes * longest;
}

void MacroBudget::expand(const clang::Token &name, const clang::MacroInfo &macro,
                         const clang::MacroArgs *arguments) {
  uint64_t made = 1 + macro.getNumTokens();
  if (arguments) {
    const Body &body = bodyOf(macro);
    bytes += joined(body, *arguments);
    // The arguments belong to this call alone, and nothing has read them yet.
    auto &own = const_cast<clang::MacroArgs &>(*arguments);
    for (unsigned i = 0; i < body.uses.size(); ++i) {
      if (depth > kMaxDepth || bytes > kMaxBytes || stop) {
        const_cast<clang::Token *>(own.getUnexpArgument(i))->setKind(clang::tok::eof);
        remove(name);
        continue;
      }
      uint64_t uses = body.uses[i];
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
  if (stop || tokens > kMaxTokens || inDirective > kMaxDirectiveTokens)
    remove(name);
}
