//===- IRGenStatements.cpp - statements -----------------------------------===//

#include "Generator.h"

#include "tritium/Frontend/Sema/Stops.h"

using namespace tritium;
using namespace tritium::frontend;
using namespace tritium::frontend::python;
using namespace tritium::sema;

//===----------------------------------------------------------------------===//
// Lists of statements
//===----------------------------------------------------------------------===//

Outcome Generator::finish(const Rest *rest) {
  if (!rest)
    return {};
  if (rest->end == Rest::Function)
    return leave(ExitKind::Return, Value(), {});
  if (rest->end == Rest::LoopBody)
    return leave(ExitKind::Continue, std::nullopt, {});
  return run(rest->statements, rest->next);
}

Outcome Generator::resume(Outcome outcome, const Rest *rest) {
  switch (outcome.kind) {
  case Outcome::Failed:
  case Outcome::Leaves:
    return outcome;
  case Outcome::Falls:
    return finish(rest);
  case Outcome::Maybe:
    break;
  }
  if (!rest)
    return outcome;
  // flag is true: control has left, keep the exit. Else go on.
  bool consumed = false;
  Outcome left{Outcome::Leaves, {}, outcome.exit};
  return branches(outcome.flag, [&] { return left; }, [&] { return Outcome(); }, rest, consumed);
}

Outcome Generator::run(llvm::ArrayRef<ast::StmtPtr> statements, const Rest *rest) {
  for (size_t i = 0; i < statements.size(); ++i) {
    const ast::Stmt &stmt = *statements[i];
    Level level(*this);
    sema.setRange(stmt.range);
    if (!checkLimits())
      return Outcome::failed();
    if (hasLines)
      beginLine(stmt);
    Rest after{statements.drop_front(i + 1), rest};
    bool consumed = false;
    Outcome outcome = statement(stmt, after, consumed);
    if (consumed || outcome.isFailed() || outcome.leaves())
      return outcome;
    if (outcome.kind == Outcome::Maybe)
      return resume(std::move(outcome), &after);
  }
  return finish(rest);
}

/// A text or `...` that stands for itself, which does nothing.
static bool isComment(const ast::Stmt &stmt) {
  auto *expression = llvm::dyn_cast<ast::ExprStmt>(&stmt);
  return expression && (expression->value->kind == ast::ExprKind::Literal ||
                        expression->value->kind == ast::ExprKind::Ellipsis);
}

void Generator::beginLine(const ast::Stmt &stmt) {
  if (isComment(stmt))
    return;
  std::vector<build::Variable> variables;
  for (const auto &[name, binding] : env)
    if (!binding.poison)
      variables.emplace_back(name, binding.value);
  build::line(sema, frame->source->name, variables);
}

/// A statement that may leave its list; `consumed`: so did what follows it.
Outcome Generator::statement(const ast::Stmt &stmt, const Rest &after, bool &consumed) {
  switch (stmt.kind) {
  case ast::StmtKind::If:
    return ifStatement(llvm::cast<ast::If>(stmt), after, consumed);
  case ast::StmtKind::For:
    return forStatement(llvm::cast<ast::For>(stmt));
  case ast::StmtKind::While:
    return whileStatement(llvm::cast<ast::While>(stmt));
  case ast::StmtKind::Return:
    return returnStatement(llvm::cast<ast::Return>(stmt));
  case ast::StmtKind::Break:
    return leave(ExitKind::Break, std::nullopt, stmt.range);
  case ast::StmtKind::Continue:
    return leave(ExitKind::Continue, std::nullopt, stmt.range);
  default:
    return simpleStatement(stmt) ? Outcome() : Outcome::failed();
  }
}

/// A statement that runs to its end.
bool Generator::simpleStatement(const ast::Stmt &stmt) {
  switch (stmt.kind) {
  case ast::StmtKind::Expression: {
    if (isComment(stmt))
      return true;
    auto value = expression(*llvm::cast<ast::ExprStmt>(stmt).value);
    if (value && value->is<sema::Scope>())
      sema.error("tl.scope marks nothing by itself; write with tl.scope(\"" +
                 value->get<sema::Scope>().name + "\"): and what belongs to it behind that");
    return value && !value->is<sema::Scope>();
  }
  case ast::StmtKind::Assign: {
    auto &assignment = llvm::cast<ast::Assign>(stmt);
    auto value = expression(*assignment.value);
    if (!value)
      return false;
    for (const ast::ExprPtr &target : assignment.targets)
      if (!assign(*target, *value, target->range))
        return false;
    return true;
  }
  case ast::StmtKind::AugAssign:
    return augmentedAssign(llvm::cast<ast::AugAssign>(stmt));
  case ast::StmtKind::AnnAssign:
    return annotatedAssign(llvm::cast<ast::AnnAssign>(stmt));
  case ast::StmtKind::FunctionDef: {
    auto &function = llvm::cast<ast::FunctionDef>(stmt).function;
    auto value = closure(function, stmt.range);
    if (value)
      bind(function->name, std::move(*value), function->nameRange);
    return value.has_value();
  }
  case ast::StmtKind::Assert:
    return assertStatement(llvm::cast<ast::Assert>(stmt));
  case ast::StmtKind::Raise:
    error(stmt.range,
          "'raise' is not supported in a kernel where it is reached; use tl.static_assert or "
          "tl.device_assert instead",
          "UnsupportedLanguageConstruct");
    return false;
  default:
    return true; // pass
  }
}

Outcome Generator::returnStatement(const ast::Return &stmt) {
  Result value = stmt.value ? expression(*stmt.value) : Result(Value());
  if (!value)
    return Outcome::failed();
  if (frame->self && !value->isNone()) {
    error(stmt.range, "__init__ returns nothing, found " + describe(*value) +
                          "; set the fields of '" + *frame->self + "' instead");
    return Outcome::failed();
  }
  if (frame->isKernel && !value->isNone()) {
    error(stmt.range, "a kernel returns nothing, found " + describe(*value) +
                          "; write results to memory with tl.store instead");
    return Outcome::failed();
  }
  return leave(ExitKind::Return, std::move(*value), stmt.range);
}

//===----------------------------------------------------------------------===//
// Assignments
//===----------------------------------------------------------------------===//

/// Whether a value that a name declared constexpr gets is one. A value of the run time goes by the
/// name as it is, with a warning, as it does by tl.constexpr(value).
bool Generator::isKnown(const Value &value, std::string_view name, SourceRange at) {
  llvm::SmallVector<mlir::Value> runTime;
  flatten(value, runTime);
  if (runTime.empty())
    return true;
  sema.setRange(at);
  sema.warning("'" + std::string(name) +
               "' is declared tl.constexpr, which does not make a value known at compile time: "
               "this is " +
               describe(value) + ", and stays a run-time value");
  return false;
}

bool Generator::assign(const ast::Expr &target, Value value, SourceRange at, bool isConstexpr) {
  switch (target.kind) {
  case ast::ExprKind::Name: {
    const std::string &name = llvm::cast<ast::Name>(target).id;
    isConstexpr |= frame->declaredConstexpr.erase(name) != 0;
    isConstexpr = isConstexpr && isKnown(value, name, at);
    auto existing = env.find(name);
    // The same statement may run again in an unrolled loop; a plain assignment takes the name over.
    if (existing != env.end() && existing->second.isConstexpr && isConstexpr &&
        existing->second.at.begin.offset != at.begin.offset) {
      SourceRange first = existing->second.at;
      error(at, "'" + name +
                    "' is declared tl.constexpr and cannot be bound again; use another "
                    "name");
      note(first, "it is bound here");
      return false;
    }
    bind(name, std::move(value), at, isConstexpr);
    return true;
  }
  case ast::ExprKind::Tuple:
    return unpack(llvm::cast<ast::Tuple>(target), value, at, isConstexpr);
  case ast::ExprKind::Subscript:
    if (auto to = elements(llvm::cast<ast::Subscript>(target)))
      return assignElements(*to, std::move(value), at);
    return false;
  default:
    return assignField(llvm::cast<ast::Attribute>(target), value, at);
  }
}

/// `self.name = value` in the __init__ of an aggregate.
bool Generator::assignField(const ast::Attribute &target, const Value &value, SourceRange at) {
  auto base = expression(*target.base);
  if (!base)
    return false;
  auto *aggregate = asAggregate(*base);
  auto *object = llvm::dyn_cast<ast::Name>(target.base.get());
  if (!aggregate || !object || !frame->self || object->id != *frame->self) {
    error(target.range,
          aggregate ? "the fields of an aggregate are set in its __init__ alone; "
                      "tl.aggregate_replace(x, " +
                          target.name + "=...) makes another one"
                    : "assignment to an attribute is not supported in a kernel; bind a name "
                      "instead",
          "UnsupportedLanguageConstruct");
    return false;
  }
  sema.setRange(at);
  auto next = sema.withField(*base, target.name, value);
  if (!next)
    return false;
  bind(object->id, std::move(*next), at);
  return true;
}

std::optional<Generator::Elements> Generator::elements(const ast::Subscript &target) {
  auto *inner = llvm::dyn_cast<ast::Subscript>(target.base.get());
  std::optional<Elements> result = inner ? elements(*inner) : Elements{target.base.get(), {}};
  if (!result)
    return std::nullopt;
  Result base;
  if (!inner) {
    base = expression(*target.base);
    auto *name = llvm::dyn_cast<ast::Name>(target.base.get());
    if (base && name && !env.contains(name->id))
      return error(target.range, "'" + name->id +
                                     "' belongs to the function around this one; return the tile "
                                     "with its new elements instead");
    if (base && base->is<Tensor>() && target.base->kind != ast::ExprKind::Name)
      return error(target.range, "only elements of a tile that has a name can be assigned to");
  } else {
    const auto &[tile, index] = result->steps.back();
    auto copies = [](const Value &value) {
      auto *tensor = value.getIf<Tensor>();
      return tensor && !tensor->isScalar();
    };
    auto *several = index.getIf<Tuple>();
    if (copies(index) || (several && llvm::any_of(several->elements, copies)))
      return error(inner->range, "this is a copy of elements, as in NumPy; an assignment to the "
                                 "elements of a copy would be lost");
    sema.setRange(inner->range);
    base = sema.subscript(tile, index);
  }
  auto index = base ? indices(target, *base) : std::nullopt;
  if (!index)
    return std::nullopt;
  sema.setRange(target.range);
  result->steps.push_back({std::move(*base), std::move(*index)});
  return result;
}

/// `x` is bound to a new tile.
bool Generator::assignElements(const Elements &to, Value value, SourceRange at) {
  for (const auto &[tile, index] : llvm::reverse(to.steps)) {
    auto next = sema.assignSubscript(tile, index, value);
    if (!next)
      return false;
    value = std::move(*next);
  }
  return assign(*to.name, std::move(value), at);
}

static bool isStarred(const ast::ExprPtr &target) { return target->kind == ast::ExprKind::Starred; }

/// Makes a tuple of those elements that the starred target takes.
bool Generator::unpackStarred(const ast::Tuple &target, std::vector<Value> &elements,
                              SourceRange at) {
  size_t others = target.elements.size() - 1;
  if (elements.size() < others) {
    error(at, "cannot unpack " + std::to_string(elements.size()) + " values into " +
                  std::to_string(others) + " names and a starred one");
    return false;
  }
  auto star = llvm::find_if(target.elements, isStarred);
  auto first = elements.begin() + (star - target.elements.begin());
  auto last = first + (elements.size() - others);
  Tuple rest{{first, last}, {}};
  elements.insert(elements.erase(first, last), Value(std::move(rest)));
  return true;
}

bool Generator::unpack(const ast::Tuple &target, const Value &value, SourceRange at,
                       bool isConstexpr) {
  sema.setRange(at);
  if (value.is<Tensor>() || value.is<Constant>()) {
    error(at, "cannot unpack " + describe(value) + " into " +
                  std::to_string(target.elements.size()) + " names; a tuple is needed");
    return false;
  }
  auto elements = sema.iterate(value);
  if (!elements)
    return false;
  if (llvm::any_of(target.elements, isStarred) && !unpackStarred(target, *elements, at))
    return false;
  if (elements->size() != target.elements.size()) {
    error(at, "cannot unpack " + std::to_string(elements->size()) + " values into " +
                  std::to_string(target.elements.size()) + " names");
    return false;
  }
  for (size_t i = 0; i < elements->size(); ++i) {
    auto *starred = llvm::dyn_cast<ast::Starred>(target.elements[i].get());
    const ast::Expr &element = starred ? *starred->value : *target.elements[i];
    if (!assign(element, std::move((*elements)[i]), element.range, isConstexpr))
      return false;
  }
  return true;
}

bool Generator::annotatedAssign(const ast::AnnAssign &stmt) {
  const std::string &name = llvm::cast<ast::Name>(*stmt.target).id;
  bool isConstexpr = isConstexprAnnotation(stmt.annotation.get());
  if (!stmt.value) {
    if (isConstexpr)
      frame->declaredConstexpr.insert(name);
    return true;
  }
  auto value = expression(*stmt.value);
  return value && assign(*stmt.target, std::move(*value), stmt.target->range, isConstexpr);
}

bool Generator::augmentedAssign(const ast::AugAssign &stmt) {
  // What chooses the elements is evaluated once.
  std::optional<Elements> to;
  Result current;
  if (auto *subscript = llvm::dyn_cast<ast::Subscript>(stmt.target.get())) {
    to = elements(*subscript);
    current = to ? sema.subscript(to->steps.back().first, to->steps.back().second) : std::nullopt;
  } else {
    current = expression(*stmt.target);
  }
  auto operand = current ? expression(*stmt.value) : std::nullopt;
  if (!operand)
    return false;
  sema.setRange(stmt.range);
  auto result = sema.binary(stmt.op, *current, *operand);
  if (!result)
    return false;
  return to ? assignElements(*to, std::move(*result), stmt.target->range)
            : assign(*stmt.target, std::move(*result), stmt.target->range);
}

bool Generator::assertStatement(const ast::Assert &stmt) {
  auto test = expression(*stmt.test);
  if (!test)
    return false;
  Arguments arguments;
  arguments.positional.push_back(std::move(*test));
  if (stmt.message) {
    auto message = expression(*stmt.message);
    if (!message)
      return false;
    arguments.positional.push_back(std::move(*message));
  }
  sema.setRange(stmt.range);
  return sema.callLibrary("device_assert", arguments).has_value();
}
