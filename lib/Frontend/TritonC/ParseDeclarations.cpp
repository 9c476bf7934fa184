//===- ParseDeclarations.cpp - declarators, parameters, declarations ------===//

#include "ParserImpl.h"

namespace tritium::frontend::tritonc {

/// `* const * __constant__`. `isConst`: the type up to here is const; then, the whole is.
bool Parser::parsePointers(Type &type, bool &isConst, Attributes *attributes) {
  bool pointsToConst = isConst;
  while (isAt("*")) {
    if (!type.shape.empty() || type.element.pointerDepth == kMaxPointerDepth) {
      error(peek().range,
            type.shape.empty()
                ? "a type has at most " + std::to_string(kMaxPointerDepth) + " levels of pointers"
                : "there are no pointers to tiles: 'T *p[16]' is a tile of pointers");
      return false;
    }
    take();
    if (++type.element.pointerDepth == 1)
      type.element.isConst = pointsToConst;
    isConst = false;
    while (peek().kind == Token::Identifier && isQualifier(peek().text)) {
      std::string_view qualifier = take().text;
      type.isConstantSpace |= qualifier == "__constant__";
      isConst |= qualifier == "const";
      if (attributes && qualifier.find("restrict") != qualifier.npos)
        attributes->isNoAlias = true;
    }
  }
  return true;
}

bool Parser::parseShape(std::vector<int64_t> &shape) {
  SourceRange opening = take().range;
  int64_t elements = 1;
  bool hasBraces = accept("{");
  if (isAt("]")) {
    error(since(opening), "a tile needs an extent for each axis: 'float x[16, 8]'");
    return false;
  }
  do {
    SourceRange at = peek().range;
    auto extent = parseConstant("the extent of a tile");
    if (!extent)
      return false;
    if (*extent < 1) {
      error(at, "the extent of a tile must be at least 1, found " + std::to_string(*extent));
      return false;
    }
    if (*extent > kMaxElements / elements) {
      error(since(opening), "a tile has at most " + std::to_string(kMaxElements) + " elements");
      return false;
    }
    elements *= *extent;
    shape.push_back(*extent);
  } while (accept(","));
  return (!hasBraces || expectClosing("}", opening)) && expectClosing("]", opening);
}

bool Parser::parseParameters(std::vector<Variable> &parameters) {
  SourceRange opening = take().range;
  if (isAt("void") && isAt(")", 1))
    take();
  while (!isAt(")")) {
    if (!isSpecifier(/*isFileScope=*/false) && peek().kind != Token::Identifier) {
      error(peek().range, "expected a parameter, found " + found());
      return false;
    }
    auto specifiers = parseSpecifiers(/*isFileScope=*/false);
    auto declarator =
        specifiers ? parseDeclarator(*specifiers, /*isParameter=*/true) : std::nullopt;
    if (!declarator)
      return false;
    if (declarator->type.isVoid()) {
      error(declarator->range, "a parameter cannot be void");
      return false;
    }
    Variable variable;
    variable.name = std::move(declarator->name);
    variable.nameRange = declarator->nameRange;
    variable.type = std::move(declarator->type);
    variable.attributes = declarator->attributes;
    variable.isConst = declarator->isConst;
    parameters.push_back(std::move(variable));
    if (!accept(","))
      break;
  }
  return expectClosing(")", opening);
}

std::optional<Declarator> Parser::parseDeclarator(const Specifiers &specifiers, bool isParameter) {
  Declarator result;
  SourceRange first = peek().range;
  result.type = specifiers.type;
  result.attributes = specifiers.attributes;
  result.isConst = specifiers.isConst;
  if (!parsePointers(result.type, result.isConst, &result.attributes))
    return std::nullopt;
  // `float (x)[4]`; a `*` within would make a pointer to a tile or to a function.
  unsigned parentheses = 0;
  while (accept("(")) {
    ++parentheses;
    if (isAt("*")) {
      error(peek().range, "there are no pointers to tiles or functions: 'T *p[16]' is a tile of "
                          "pointers");
      return std::nullopt;
    }
  }
  result.nameRange = peek().range;
  if (peek().kind == Token::Identifier && !isKeyword(peek().text)) {
    result.name = take().text;
  } else if (!isParameter) {
    error(peek().range, "expected a name, found " + found());
    return std::nullopt;
  }
  for (; parentheses > 0; --parentheses)
    if (!expectClosing(")", first))
      return std::nullopt;
  if (!parseAttributes(result.attributes))
    return std::nullopt;
  if (isAt("(")) {
    result.isFunction = true;
    Scope scope(*this);
    if (!parseParameters(result.parameters) || !parseAttributes(result.attributes))
      return std::nullopt;
  } else if (isAt("[")) {
    if (!result.type.shape.empty()) {
      error(peek().range, "a tile's elements are numbers or pointers, not tiles");
      return std::nullopt;
    }
    SourceRange brackets = peek().range;
    if (!parseShape(result.type.shape))
      return std::nullopt;
    if (isAt("[")) {
      error(peek().range,
            "a tile is declared with one pair of brackets: '" + result.name + "[d0, d1]'");
      SourceRange between{previous().range.begin, peek().range.end};
      if (errors <= kMaxErrors && !between.begin.expansion && !between.end.expansion)
        lastError->fixIts.push_back({between, ", "});
      return std::nullopt;
    }
    if (result.type.isVoid() || result.type.element.kind == DTypeKind::Void) {
      error(brackets, "a tile's elements are numbers or pointers, not void");
      return std::nullopt;
    }
    if (!parseAttributes(result.attributes))
      return std::nullopt;
  }
  result.range = since(first);
  return result;
}

/// A type without a name, in a cast: `float[TN]`, `int __constant__*`.
std::optional<Type> Parser::parseTypeName() {
  auto specifiers = parseSpecifiers(/*isFileScope=*/false);
  if (!specifiers)
    return std::nullopt;
  Type type = specifiers->type;
  bool isConst = specifiers->isConst;
  if (!parsePointers(type, isConst, nullptr))
    return std::nullopt;
  if (isAt("[")) {
    if (!type.shape.empty() || type.isVoid()) {
      error(peek().range, "a tile's elements are numbers or pointers, not tiles or void");
      return std::nullopt;
    }
    if (!parseShape(type.shape))
      return std::nullopt;
  }
  return type;
}

ExprPtr Parser::parseInitializer(const Type &type) {
  const Type *outer = initialized;
  initialized = &type;
  SourceRange opening = peek().range;
  bool isList = accept("{");
  ExprPtr value = isAt("}") && isList
                      ? error(peek().range, "an initialiser in braces has one value")
                      : parseAssignment();
  initialized = outer;
  if (!isList)
    return value;
  if (value) {
    accept(",");
    if (accept("}"))
      return value;
    if (isAtEnd())
      expectClosing("}", opening);
    else
      error(peek().range, "a tile is initialised by one value, which is repeated");
  }
  skipBraces();
  return nullptr;
}

/// A declaration within a function.
std::unique_ptr<DeclStmt> Parser::parseDeclaration() {
  auto stmt = std::make_unique<DeclStmt>(peek().range);
  auto specifiers = parseSpecifiers(/*isFileScope=*/false);
  if (!specifiers)
    return nullptr;
  while (!isAt(";")) {
    auto declarator = parseDeclarator(*specifiers, /*isParameter=*/false);
    if (!declarator)
      return nullptr;
    if (specifiers->isTypedef) {
      if (!defineTypedef(*declarator))
        return nullptr;
    } else if (declarator->isFunction) {
      if (isAt("{"))
        return error(declarator->nameRange, "a function cannot be defined within a function"),
               nullptr;
    } else {
      if (declarator->type.isVoid())
        return error(declarator->nameRange, "a variable cannot be void"), nullptr;
      Variable variable;
      variable.name = declarator->name;
      variable.nameRange = declarator->nameRange;
      variable.type = declarator->type;
      variable.attributes = declarator->attributes;
      variable.isConst = declarator->isConst;
      declare(variable.name, variable.nameRange);
      if (accept("=") && !(variable.init = parseInitializer(variable.type)))
        return nullptr;
      if (!parseAttributes(variable.attributes))
        return nullptr;
      stmt->variables.push_back(std::move(variable));
    }
    if (!accept(","))
      break;
  }
  stmt->range = since(stmt->range);
  return expect(";", "a declaration") ? std::move(stmt) : nullptr;
}

} // namespace tritium::frontend::tritonc
