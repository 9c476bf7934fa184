//===- ParseModule.cpp - the top level of a kernel file -------------------===//
//
// A kernel file is a host program as well: it may hold any Python. Only what kernels can
// refer to is read; every other statement is skipped by its tokens, and the names that
// it binds become Opaque.
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

using namespace tritium;
using namespace tritium::frontend;
using namespace tritium::frontend::ast;
using namespace tritium::frontend::python;

void Parser::skipLine() {
  while (!at(TokenKind::Newline) && !at(TokenKind::End))
    ++pos;
  if (at(TokenKind::Newline))
    ++pos;
}

void Parser::skipStatement() {
  skipLine();
  if (!at(TokenKind::Indent))
    return;
  unsigned open = 0;
  do {
    if (at(TokenKind::Indent))
      ++open;
    else if (at(TokenKind::Dedent))
      --open;
    ++pos;
  } while (open != 0 && !at(TokenKind::End));
}

void Parser::opaque(Module &module, std::string name, SourceRange range, std::string reason) {
  ModuleItem item;
  item.kind = ModuleItem::Opaque;
  item.range = range;
  item.name = std::move(name);
  item.reason = std::move(reason);
  module.items.push_back(std::move(item));
}

bool Parser::dottedName(std::string &name) {
  if (!at(TokenKind::Name))
    return unexpected("a name") != nullptr;
  name.append(spelled(token()));
  ++pos;
  while (at(".") && at(TokenKind::Name, 1)) {
    name.append(".").append(spelled(token(1)));
    pos += 2;
  }
  return true;
}

/// import a.b as c, d
bool Parser::importStatement(Module &module) {
  do {
    ++pos; // `import` or the comma
    ModuleItem item;
    item.kind = ModuleItem::Import;
    SourceLoc begin = here();
    if (!dottedName(item.module))
      return false;
    item.name = item.module.substr(0, item.module.find('.'));
    if (accept("as") && !expectName(item.name, item.range, "a name after 'as'"))
      return false;
    item.range = rangeFrom(begin);
    module.items.push_back(std::move(item));
  } while (at(","));
  return true;
}

/// from .a.b import c as d, e
bool Parser::fromImport(Module &module) {
  SourceLoc begin = here();
  ++pos;
  std::string path;
  while (at(".") || at("..."))
    path.append(spelled(tokens[pos++]));
  if (!at("import") && !dottedName(path))
    return false;
  if (!expect("import", "after the module's name"))
    return false;
  bool parenthesised = accept("(");
  do {
    if (parenthesised && at(")"))
      break;
    ModuleItem item;
    item.kind = ModuleItem::FromImport;
    item.module = path;
    if (accept("*")) {
      item.imported = item.name = "*";
    } else {
      if (!expectName(item.imported, item.range, "a name to import"))
        return false;
      item.name = item.imported;
      if (accept("as") && !expectName(item.name, item.range, "a name after 'as'"))
        return false;
    }
    item.range = rangeFrom(begin);
    module.items.push_back(std::move(item));
  } while (accept(","));
  return !parenthesised || expect(")", "to close '('");
}

/// Decorators, then a function or a class.
void Parser::definition(Module &module, bool conditional) {
  ModuleItem item;
  SourceLoc begin = here();
  while (accept("@")) {
    std::string name;
    while (at(TokenKind::Name) || at("."))
      name.append(spelled(tokens[pos++]));
    item.decorators.push_back(std::move(name));
    size_t arguments = pos;
    skipLine();
    for (; arguments + 2 < pos; ++arguments)
      item.isNoinline |= spelled(tokens[arguments]) == "noinline" &&
                         spelled(tokens[arguments + 1]) == "=" &&
                         spelled(tokens[arguments + 2]) == "True";
  }
  bool isAsync = accept("async");
  bool isClass = at("class");
  if ((!isClass && !at("def")) || !at(TokenKind::Name, 1)) {
    skipStatement();
    return;
  }
  item.name = spelled(token(1));
  SourceRange nameRange = rangeOf(token(1));
  skipStatement();
  size_t last = pos - 1;
  while (last > 0 &&
         (tokens[last].kind == TokenKind::Newline || tokens[last].kind == TokenKind::Dedent))
    --last;
  if (isClass || isAsync || conditional) {
    std::string reason = conditional ? "a function that is defined under a condition"
                         : isClass   ? "a class"
                                     : "an async function";
    return opaque(module, std::move(item.name), nameRange, std::move(reason));
  }
  item.kind = ModuleItem::Function;
  item.range = {begin, {file, tokens[last].end}};
  module.items.push_back(std::move(item));
}

/// The names that a target binds, in order.
static void boundNames(const Expr &target, std::vector<const Name *> &names) {
  if (auto *name = llvm::dyn_cast<Name>(&target))
    names.push_back(name);
  else if (auto *starred = llvm::dyn_cast<Starred>(&target))
    boundNames(*starred->value, names);
  else if (auto *tuple = llvm::dyn_cast<Tuple>(&target))
    for (const ExprPtr &element : tuple->elements)
      boundNames(*element, names);
}

static bool hasStarred(const Tuple &targets) {
  return std::any_of(targets.elements.begin(), targets.elements.end(),
                     [](const ExprPtr &element) { return element->kind == ExprKind::Starred; });
}

/// The expression that all of [begin, end) is; null if it is none.
ExprPtr Parser::subexpression(size_t begin, size_t end) {
  std::vector<Token> part(tokens.begin() + begin, tokens.begin() + end);
  part.push_back({TokenKind::End, tokens[end].begin, tokens[end].begin});
  return Parser(sources, file, diagnostics, std::move(part), depth).wholeExpression();
}

/// name = value, also with an annotation, several targets, or tuples of equal length. A
/// value that is no kernel expression (a dict, a lambda, ...) makes its names opaque.
void Parser::assignment(Module &module, bool conditional) {
  size_t begin = pos;
  std::vector<size_t> equals;
  for (unsigned brackets = 0; !at(TokenKind::Newline) && !at(TokenKind::End); ++pos) {
    if (at("(") || at("[") || at("{"))
      ++brackets;
    else if (at(")") || at("]") || at("}"))
      --brackets;
    else if (!brackets && at(";"))
      break;
    else if (!brackets && at("="))
      equals.push_back(pos);
  }
  size_t end = pos++;

  BinaryOp op;
  if (tokens[begin].kind == TokenKind::Name && tokens[begin + 1].kind == TokenKind::Operator &&
      augmentedOperator(spelled(tokens[begin + 1]), op))
    return opaque(module, std::string(spelled(tokens[begin])), rangeOf(tokens[begin]),
                  "a name that is changed after its definition");
  if (equals.empty())
    return;

  // An `=` whose left side is no target belongs to the value, as in a lambda.
  std::vector<ExprPtr> targets;
  size_t valueBegin = begin;
  for (size_t equal : equals) {
    bool isAnnotated = valueBegin == begin && is(tokens[begin + 1], ":");
    ExprPtr target = subexpression(valueBegin, isAnnotated ? begin + 1 : equal);
    if (!target || !checkTarget(*target))
      break;
    targets.push_back(std::move(target));
    valueBegin = equal + 1;
  }
  for (const ExprPtr &target : targets) {
    std::vector<const Name *> names;
    boundNames(*target, names);
    ExprPtr value = subexpression(valueBegin, end);
    if (value && value->kind == ExprKind::Lambda)
      value = nullptr;
    auto *targetTuple = llvm::dyn_cast<Tuple>(target.get());
    auto *tuple = llvm::dyn_cast_or_null<Tuple>(value.get());
    bool matches =
        !targetTuple || (tuple && tuple->elements.size() == names.size() &&
                         targetTuple->elements.size() == names.size() && !hasStarred(*targetTuple));
    for (size_t i = 0; i < names.size(); ++i) {
      if (conditional || !value || !matches) {
        std::string reason = conditional ? "a value that is assigned under a condition"
                             : value     ? "an element of a tuple that is not written out"
                                         : "a value that the compiler cannot compute";
        opaque(module, names[i]->id, names[i]->range, std::move(reason));
        continue;
      }
      ModuleItem item;
      item.kind = ModuleItem::Assign;
      item.range = names[i]->range;
      item.name = names[i]->id;
      item.value = targetTuple ? std::move(tuple->elements[i]) : std::move(value);
      module.items.push_back(std::move(item));
      if (!targetTuple)
        break;
    }
  }
}

/// if, try, for, while, with: imports inside count, other names become opaque. What runs
/// only as the main program is skipped.
void Parser::compound(Module &module) {
  bool isMain = at("if") && at(TokenKind::Name, 1) && spelled(token(1)) == "__name__";
  bool isDefining = (at("if") && !isMain) || at("try") || at("else") || at("elif") ||
                    at("except") || at("finally") || at("with");
  if (!isDefining)
    return skipStatement();
  skipLine();
  if (!at(TokenKind::Indent))
    return;
  ++pos;
  while (!at(TokenKind::Dedent) && !at(TokenKind::End))
    moduleStatement(module, /*conditional=*/true);
  if (at(TokenKind::Dedent))
    ++pos;
}

/// Always goes forward. A statement that is not understood is skipped.
void Parser::moduleStatement(Module &module, bool conditional) {
  constexpr std::string_view kCompound[] = {"if",      "elif", "else", "try",   "except",
                                            "finally", "with", "for",  "while", "async"};
  auto isCompound = [&] {
    return std::any_of(std::begin(kCompound), std::end(kCompound),
                       [&](std::string_view keyword) { return at(keyword); });
  };
  size_t start = pos;
  if (at("import") || at("from")) {
    if (at("from"))
      fromImport(module);
    else
      importStatement(module);
    skipLine();
  } else if (at("@") || at("def") || at("class") || (at("async") && at("def", 1))) {
    definition(module, conditional);
  } else if (isCompound()) {
    compound(module);
  } else if (at(TokenKind::Name) || at("(") || at("[")) {
    assignment(module, conditional);
  } else {
    skipStatement();
  }
  if (pos == start)
    ++pos;
}

std::unique_ptr<Module> Parser::module() {
  auto module = std::make_unique<Module>();
  while (!at(TokenKind::End))
    moduleStatement(*module, /*conditional=*/false);
  return module;
}
