//===- ParseFunction.cpp - functions; the parser's entry points -----------===//

#include "ParserImpl.h"

#include <utility>

using namespace tritium;
using namespace tritium::frontend;
using namespace tritium::frontend::ast;
using namespace tritium::frontend::python;

bool Parser::parameter(std::vector<Parameter> &parameters, bool &afterStar, bool isAnnotated) {
  Parameter parameter;
  if (accept("*")) {
    if (afterStar)
      return error(rangeOf(tokens[pos - 1]), "a second '*' in the parameters") != nullptr;
    afterStar = true;
    if (at(","))
      return true;
    parameter.kind = Parameter::VarArgs;
  } else if (accept("**")) {
    parameter.kind = Parameter::VarKeywords;
  } else if (afterStar) {
    parameter.kind = Parameter::KeywordOnly;
  }
  if (!expectName(parameter.name, parameter.range, "the name of a parameter"))
    return false;
  for (const Parameter &other : parameters)
    if (other.name == parameter.name)
      return error(parameter.range, "parameter '" + parameter.name + "' is named twice") != nullptr;
  if (isAnnotated && accept(":")) {
    parameter.annotation = expression();
    if (!parameter.annotation)
      return false;
  }
  if (accept("=")) {
    if (parameter.kind == Parameter::VarArgs || parameter.kind == Parameter::VarKeywords)
      return error(parameter.range, "this parameter cannot have a default") != nullptr;
    parameter.defaultValue = expression();
    if (!parameter.defaultValue)
      return false;
  } else if (parameter.kind == Parameter::Normal && !parameters.empty() &&
             parameters.back().defaultValue) {
    return error(parameter.range, "a parameter without a default follows one that has a default") !=
           nullptr;
  }
  parameters.push_back(std::move(parameter));
  return true;
}

bool Parser::parameters(std::vector<Parameter> &parameters, std::string_view end) {
  bool afterStar = false, afterKeywords = false;
  std::string wanted = "or '" + std::string(end) + "' in the parameters";
  while (!at(end)) {
    if (afterKeywords)
      return error(rangeOf(token()), "nothing may follow the '**' parameter") != nullptr;
    if (accept("/")) {
      if (parameters.empty() || afterStar)
        return error(rangeOf(tokens[pos - 1]), "'/' must follow a positional parameter") != nullptr;
      for (Parameter &earlier : parameters)
        earlier.kind = Parameter::PositionalOnly;
    } else if (!parameter(parameters, afterStar, end == ")")) {
      return false;
    }
    afterKeywords = !parameters.empty() && parameters.back().kind == Parameter::VarKeywords;
    if (!at(end) && !expect(",", wanted))
      return false;
  }
  ++pos;
  return true;
}

std::unique_ptr<Function> Parser::definition() {
  if (at("async"))
    return unsupported(rangeOf(token()), "an async function", "write a plain function instead");
  if (!at("def"))
    return unexpected("'def'");
  ++pos;
  auto node = std::make_unique<Function>();
  if (!expectName(node->name, node->nameRange, "the function's name") ||
      !expect("(", "after the function's name") || !parameters(node->parameters, ")"))
    return nullptr;
  if (accept("->") && !expression())
    return nullptr;
  unsigned around = std::exchange(loops, 0);
  bool wasInWith = std::exchange(isInWith, false);
  bool isRead = suite(node->body, "the function's header");
  loops = around;
  isInWith = wasInWith;
  return isRead ? std::move(node) : nullptr;
}

std::unique_ptr<Function> Parser::function() {
  while (at("@")) {
    skipLine();
    if (at(TokenKind::End))
      return unexpected("a function after its decorators");
  }
  std::unique_ptr<Function> node = definition();
  if (!node)
    return nullptr;
  while (at(TokenKind::Newline))
    ++pos;
  if (!at(TokenKind::End))
    return unexpected("the end of the function");
  return node;
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

static bool tokenizeFile(const SourceManager &sources, uint32_t file, DiagnosticEngine &diagnostics,
                         std::vector<Token> &tokens) {
  std::string_view text = sources.text(file);
  if (text.size() >= UINT32_MAX / 2) {
    diagnostics.error({}, "the source text is too long");
    return false;
  }
  return tokenize(sources, file, 0, static_cast<uint32_t>(text.size()), false, diagnostics, tokens);
}

std::unique_ptr<Function> python::parseFunction(const SourceManager &sources, uint32_t file,
                                                DiagnosticEngine &diagnostics) {
  std::vector<Token> tokens;
  if (!tokenizeFile(sources, file, diagnostics, tokens))
    return nullptr;
  return Parser(sources, file, diagnostics, std::move(tokens)).function();
}

ExprPtr python::parseExpression(const SourceManager &sources, uint32_t file,
                                DiagnosticEngine &diagnostics) {
  std::vector<Token> tokens;
  if (!tokenizeFile(sources, file, diagnostics, tokens))
    return nullptr;
  return Parser(sources, file, diagnostics, std::move(tokens)).wholeExpression();
}

std::unique_ptr<Module> python::parseModule(const SourceManager &sources, uint32_t file,
                                            DiagnosticEngine &diagnostics) {
  std::vector<Token> tokens;
  if (!tokenizeFile(sources, file, diagnostics, tokens))
    return nullptr;
  // What is no statement of a kernel is no error here.
  DiagnosticEngine ignored(sources);
  return Parser(sources, file, ignored, std::move(tokens)).module();
}
