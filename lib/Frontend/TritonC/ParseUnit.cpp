//===- ParseUnit.cpp - declarations at file scope -------------------------===//

#include "ParserImpl.h"

namespace tritium::frontend::tritonc {

std::unique_ptr<Unit> Parser::parseUnit() {
  auto unit = std::make_unique<Unit>();
  while (!isAtEnd()) {
    size_t start = position;
    if (accept(";"))
      continue;
    if (isAt("_Static_assert") || isAt("static_assert")) {
      if (auto assertion = parseStaticAssert())
        unit->assertions.push_back(std::move(assertion));
      else
        skipStatement();
      continue;
    }
    unsigned before = errors;
    parseExternal(*unit);
    if (errors != before)
      skipStatement();
    // A `}` without its `{` stops the skipping of statements.
    if (position == start)
      take();
  }
  return errors == 0 ? std::move(unit) : nullptr;
}

bool Parser::defineTypedef(const Declarator &declarator) {
  const Type *old = nullptr;
  if (auto found = scopes.back().find(declarator.name); found != scopes.back().end()) {
    if (!found->second.type) {
      declare(declarator.name, declarator.nameRange);
      return false;
    }
    old = &*found->second.type;
  }
  if (old && !(*old == declarator.type)) {
    error(declarator.nameRange, "'" + declarator.name + "' is the type '" + spelling(*old) +
                                    "' already, not '" + spelling(declarator.type) + "'");
    return false;
  }
  scopes.back()[declarator.name] = {declarator.type, declarator.nameRange};
  return true;
}

void Parser::parseExternal(Unit &unit) {
  if (!isSpecifier(/*isFileScope=*/true)) {
    error(peek().range, "expected a function or a declaration, found " + found());
    return;
  }
  auto specifiers = parseSpecifiers(/*isFileScope=*/true);
  if (!specifiers || accept(";"))
    return;
  if (specifiers->isTunable && peek().kind != Token::Identifier) {
    // The host has defined the constant as a macro: its value stands for its name.
    skipStatement();
    return;
  }
  do {
    auto declarator = parseDeclarator(*specifiers, /*isParameter=*/false);
    if (!declarator)
      return;
    if (specifiers->isTypedef) {
      if (!defineTypedef(*declarator))
        return;
    } else if (declarator->isFunction) {
      if (isAt("{")) {
        // Whatever is wrong in a function, what follows its body is another declaration.
        unsigned before = errors;
        parseFunction(unit, *specifiers, std::move(*declarator));
        if (errors != before)
          skipped();
        return;
      }
      // A prototype says nothing that its definition, or the library, does not.
    } else if (specifiers->isTunable) {
      if (!parseTunable(unit, *declarator))
        return;
    } else if (!specifiers->isExtern && !parseConstantTable(unit, *declarator)) {
      return;
    }
  } while (accept(","));
  expect(";", "a declaration");
}

bool Parser::parseFunction(Unit &unit, const Specifiers &specifiers, Declarator declarator) {
  functions.insert(declarator.name);
  declare(declarator.name, declarator.nameRange);
  if (specifiers.isGlobal && !declarator.type.isVoid())
    error(declarator.nameRange,
          "a kernel returns 'void', found '" + spelling(declarator.type) + "'");
  auto function = std::make_unique<Function>();
  function->name = std::move(declarator.name);
  function->nameRange = declarator.nameRange;
  function->result = std::move(declarator.type);
  function->isGlobal = specifiers.isGlobal;
  function->parameters = std::move(declarator.parameters);
  Scope scope(*this);
  for (const Variable &parameter : function->parameters) {
    if (parameter.name.empty()) {
      error(parameter.nameRange, "a parameter of a function that is defined needs a name");
      continue;
    }
    declare(parameter.name, parameter.nameRange);
  }
  function->body = parseBraces();
  if (!function->body)
    return false;
  unit.functions.push_back(std::move(function));
  return true;
}

/// `const tunable int TM = {16, 32};`, or without a list if the host defines it.
bool Parser::parseTunable(Unit &unit, const Declarator &declarator) {
  Tunable tunable{declarator.name, declarator.nameRange, {}};
  if (accept("=")) {
    SourceRange opening = peek().range;
    bool isList = accept("{");
    do {
      if (isList && isAt("}"))
        break;
      auto value = parseConstant("a value of a tunable constant");
      if (!value)
        return false;
      tunable.values.push_back(*value);
    } while (isList && accept(","));
    if (isList && !expectClosing("}", opening))
      return false;
  }
  if (!tunable.values.empty())
    constants[tunable.name] = tunable.values.front();
  unit.tunables.push_back(std::move(tunable));
  return true;
}

/// `char __constant__* NAME = calloc(bytes);` or `__constant__ int* NAME = alloc_const
/// int[n];`.
bool Parser::parseConstantTable(Unit &unit, const Declarator &declarator) {
  constexpr std::string_view kOnly =
      "only tables in constant memory are declared at file scope: 'int __constant__* NAME = "
      "calloc(BYTES);'; for a constant use '#define'";
  if (!declarator.type.isConstantSpace || declarator.type.element.pointerDepth != 1 ||
      !declarator.type.shape.empty() || !accept("=")) {
    error(declarator.nameRange, std::string(kOnly));
    return false;
  }
  ConstantTable table{declarator.name, declarator.nameRange, DType{declarator.type.element.kind},
                      0};
  std::optional<int64_t> bytes;
  SourceRange opening = peek(1).range;
  if (accept("calloc")) {
    if (!expect("(", "'calloc'") || !(bytes = parseConstant("the size of a table")) ||
        !expectClosing(")", opening))
      return false;
  } else if (accept("alloc_const")) {
    auto type = parseTypeName();
    if (!type)
      return false;
    bytes = type->element.bits() / 8;
    for (int64_t extent : type->shape)
      *bytes *= extent;
  } else {
    error(peek().range, std::string(kOnly));
    return false;
  }
  if (*bytes < 1 || *bytes > (int64_t(1) << 30)) {
    error(declarator.nameRange,
          "the size of a table must be from 1 byte to 1 GiB, found " + std::to_string(*bytes));
    return false;
  }
  table.bytes = *bytes;
  declare(table.name, table.nameRange);
  unit.tables.push_back(std::move(table));
  return true;
}

} // namespace tritium::frontend::tritonc
