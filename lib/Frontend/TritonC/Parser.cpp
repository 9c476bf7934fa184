//===- Parser.cpp - tokens, errors, recovery ------------------------------===//

#include "ParserImpl.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace tritium::frontend::tritonc {

static constexpr std::string_view kTooDeep = "this is nested too deeply for the compiler";

bool isKeyword(std::string_view text) {
  return llvm::StringSwitch<bool>(llvm::StringRef(text))
      .Cases("auto", "break", "case", "char", "const", "continue", "default", "do", "double", true)
      .Cases("else", "enum", "extern", "float", "for", "goto", "half", "if", "inline", "int", true)
      .Cases("long", "restrict", "return", "short", "signed", "sizeof", "static", "struct", true)
      .Cases("switch", "typedef", "union", "unsigned", "void", "volatile", "while", "newaxis", true)
      .Cases("bitcast", "bool", "_Bool", "__global__", "__constant__", "__attribute__", true)
      .Cases("_Static_assert", "static_assert", "_Alignas", "_Alignof", "_Atomic", "_Complex", true)
      .Cases("_Generic", "_Imaginary", "_Noreturn", "_Thread_local", true)
      .Default(false);
}

Parser::Parser(llvm::ArrayRef<Token> tokens, const SourceUnit &source,
               DiagnosticEngine &diagnostics)
    : tokens(tokens), source(source), diagnostics(diagnostics) {
  scopes.emplace_back();
}

const Token &Parser::peek(size_t ahead) const {
  return tokens[std::min(position + ahead, tokens.size() - 1)];
}

const Token &Parser::previous() const { return tokens[position == 0 ? 0 : position - 1]; }

Token Parser::take() {
  Token token = peek();
  if (token.kind != Token::End)
    ++position;
  return token;
}

bool Parser::isAt(std::string_view text, size_t ahead) const {
  const Token &token = peek(ahead);
  return (token.kind == Token::Punctuator || token.kind == Token::Identifier) && token.text == text;
}

bool Parser::accept(std::string_view text) {
  if (!isAt(text))
    return false;
  take();
  return true;
}

std::nullptr_t Parser::error(SourceRange range, std::string message) {
  ++errors;
  if (errors <= kMaxErrors)
    lastError = &diagnostics.error(range, std::move(message));
  return nullptr;
}

void Parser::note(SourceRange range, std::string message) {
  if (errors <= kMaxErrors)
    lastError->notes.push_back({Severity::Note, "", range, std::move(message), {}, {}});
}

std::string Parser::found() const {
  return isAtEnd() ? "the end of the file" : "'" + std::string(peek().text) + "'";
}

bool Parser::expect(std::string_view text, std::string_view what) {
  if (accept(text))
    return true;
  SourceLoc end = previous().range.end;
  error({end, end},
        "expected '" + std::string(text) + "' after " + std::string(what) + ", found " + found());
  if (errors <= kMaxErrors && end.expansion == 0)
    lastError->fixIts.push_back({{end, end}, std::string(text)});
  return false;
}

bool Parser::expectClosing(std::string_view text, SourceRange opening) {
  if (accept(text))
    return true;
  error(peek().range, "expected '" + std::string(text) + "', found " + found());
  note(opening, "it closes what opens here");
  return false;
}

SourceRange Parser::since(const SourceRange &first) const {
  SourceLoc end = previous().range.end;
  // A macro's text may begin in one file and end in another.
  return end.file == first.begin.file && end.offset >= first.begin.offset
             ? SourceRange{first.begin, end}
             : first;
}

bool Parser::checkAssignable(const Expr &target) {
  if (!llvm::isa<Binary, Range, Conditional, Number, Call>(target))
    return true;
  if (lineStartOperator != 0 && lineStartOperator < position &&
      target.range.begin.offset <= tokens[lineStartOperator].range.begin.offset) {
    position = resumeAt = lineStartOperator;
    expect(";", "an expression");
    return false;
  }
  error(target.range, "this cannot be assigned to: '=' needs a variable, or '*pointer'");
  return false;
}

void Parser::skipStatement() {
  if (resumeAt != 0) {
    position = std::exchange(resumeAt, 0);
    return;
  }
  unsigned braces = 0;
  for (; !isAtEnd(); take()) {
    if (isAt("{")) {
      ++braces;
    } else if (isAt("}")) {
      if (braces == 0)
        return;
      if (--braces == 0) {
        take();
        return;
      }
    } else if (isAt(";") && braces == 0) {
      take();
      return;
    }
  }
}

void Parser::skipBraces() {
  for (unsigned open = 1; open > 0 && !isAtEnd(); take())
    open += isAt("{") ? 1 : isAt("}") ? -1 : 0;
}

std::nullptr_t Parser::skipped() {
  resumeAt = position;
  return nullptr;
}

void Parser::skipHeader(size_t open, bool isFor) {
  resumeAt = 0;
  if (tokens[open].text != "(")
    return;
  unsigned parentheses = 0, semicolons = 0;
  for (position = open; !isAtEnd() && !isAt("{") && !isAt("}"); take()) {
    parentheses += isAt("(");
    if (isAt(")") && --parentheses == 0) {
      take();
      return;
    }
    if (isAt(";") && ++semicolons > (isFor ? 2 : 0))
      return;
  }
}

bool Parser::checkDepth(SourceRange at) {
  if (depth <= kMaxHeight)
    return true;
  error(at, std::string(kTooDeep));
  return false;
}

ExprPtr Parser::finish(ExprPtr expr, std::initializer_list<const Expr *> children) {
  unsigned height = 0;
  for (const Expr *child : children)
    if (child)
      height = std::max<unsigned>(height, child->height);
  if (height >= kMaxHeight)
    return error(expr->range, std::string(kTooDeep));
  expr->height = height + 1;
  return expr;
}

StmtPtr Parser::finish(StmtPtr stmt, std::initializer_list<const Stmt *> children) {
  unsigned height = 0;
  for (const Stmt *child : children)
    if (child)
      height = std::max<unsigned>(height, child->height);
  stmt->height = height + 1;
  return stmt;
}

const Type *Parser::findTypedef(std::string_view name) const {
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
    if (auto found = scope->find(name); found != scope->end())
      return found->second.type ? &*found->second.type : nullptr;
  return nullptr;
}

bool Parser::isHidden(std::string_view name) const {
  return llvm::any_of(scopes, [&](const auto &scope) { return scope.contains(name); });
}

void Parser::declare(const std::string &name, SourceRange range) {
  auto [entry, isNew] = scopes.back().try_emplace(name, Declared{std::nullopt, range});
  if (isNew)
    return;
  error(range, "redefinition of '" + name + "' in the same scope");
  note(entry->second.range, "the other definition is here");
}

std::unique_ptr<Unit> parse(const PreprocessedUnit &tokens, const SourceUnit &source,
                            DiagnosticEngine &diagnostics) {
  return Parser(tokens.tokens, source, diagnostics).parseUnit();
}

const Function *findKernel(const Unit &unit, std::string_view name, const SourceUnit &source,
                           DiagnosticEngine &diagnostics) {
  auto fail = [&](SourceRange range, std::string message) {
    diagnostics.error(range, std::move(message));
    return nullptr;
  };
  const Function *kernel = nullptr;
  if (!name.empty()) {
    kernel = unit.find(name);
  } else {
    for (const auto &function : unit.functions)
      if (function->isGlobal && !kernel)
        kernel = function.get();
    for (const auto &function : unit.functions)
      if (function->result.isVoid() && !kernel)
        kernel = function.get();
  }
  if (!kernel) {
    std::string names;
    for (const auto &function : unit.functions)
      if (function->result.isVoid())
        names += (names.empty() ? "'" : ", '") + function->name + "'";
    std::string message = name.empty()
                              ? "'" + source.file + "' defines no kernel"
                              : "'" + source.file + "' has no kernel '" + std::string(name) + "'";
    return fail({}, message + (names.empty() ? ": a kernel is a function that returns void"
                                             : "; its kernels are " + names));
  }
  if (!kernel->result.isVoid())
    return fail(kernel->nameRange, "a kernel returns void, '" + kernel->name + "' returns '" +
                                       spelling(kernel->result) + "'");
  for (const Variable &parameter : kernel->parameters)
    if (!parameter.type.shape.empty())
      return fail(parameter.nameRange,
                  "a parameter of a kernel cannot be a tile: pass a pointer, and "
                  "load the tile '" +
                      parameter.name + "' in the kernel");
  return kernel;
}

} // namespace tritium::frontend::tritonc
