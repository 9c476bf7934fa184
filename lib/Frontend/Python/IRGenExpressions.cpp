//===- IRGenExpressions.cpp - names and expressions -----------------------===//

#include "Generator.h"

#include "tritium/Frontend/Sema/Builtins.h"
#include "tritium/Frontend/Sema/ConstantFold.h"

#include <algorithm>

using namespace tritium;
using namespace tritium::frontend;
using namespace tritium::frontend::python;
using namespace tritium::sema;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

void Generator::bind(std::string_view name, Value value, SourceRange at, bool isConstexpr) {
  Binding &binding = env[std::string(name)];
  binding = {std::move(value), at, static_cast<unsigned>(reads.size()), isConstexpr, nullptr};
  reads.push_back(false);
}

std::nullopt_t Generator::poisoned(const Binding &binding) {
  sema.error(binding.poison->message);
  for (const Diagnostic &extra : binding.poison->notes)
    note(extra.range, extra.message);
  return std::nullopt;
}

/// A poisoned binding is another one than before, or a loop would not see the change.
void Generator::poison(Binding &binding, std::string message,
                       std::initializer_list<std::pair<SourceRange, const char *>> notes) {
  auto poison = std::make_shared<Poison>();
  poison->message = std::move(message);
  for (const auto &[range, text] : notes)
    poison->notes.push_back({Severity::Note, "", range, text, {}});
  binding.poison = std::move(poison);
  binding.version = reads.size();
  reads.push_back(false);
}

void Generator::dropLastValues(const Environment &before, Environment &bindings) {
  for (auto &[name, binding] : bindings) {
    if (!binding.poison || !binding.poison->lastValue)
      continue;
    auto old = before.find(name);
    if (old != before.end() && old->second.version == binding.version)
      continue;
    auto plain = std::make_shared<Poison>(*binding.poison);
    plain->lastValue = nullptr;
    binding.poison = std::move(plain);
  }
}

std::nullopt_t Generator::undefined(std::string_view name) {
  std::vector<std::string> candidates;
  for (const auto &[local, binding] : env)
    candidates.push_back(local);
  for (const char *common : {"tl", "triton", "range", "min", "max", "abs", "len", "float", "int"})
    candidates.emplace_back(common);
  std::string message = "undefined name '" + std::string(name) + "'";
  std::string nearest = nearestName(name, candidates);
  if (!nearest.empty())
    message += "; did you mean '" + nearest + "'?";
  return sema.error(message);
}

/// Whether `name` means what a comprehension bound where the function was made, and is no more.
static bool isOfEndedComprehension(std::string_view name, const ComprehensionScope *madeIn) {
  for (; madeIn; madeIn = madeIn->outer.get())
    if (madeIn->names.all.contains(name))
      return madeIn->hasEnded;
  return false;
}

Result Generator::name(const ast::Name &name) {
  sema.setRange(name.range);
  // A nested function sees the names of those around it as they are when it is called.
  for (const Frame *in = frame; in; in = in->definedIn) {
    const Environment &names = in == frame ? env : *in->suspended;
    auto local = names.find(name.id);
    if (local == names.end()) {
      if (isOfEndedComprehension(name.id, in->madeIn.get()))
        return sema.error("'" + name.id +
                          "' is bound by a comprehension that has ended; a function that is made "
                          "in it keeps the value as a default: lambda ..., " +
                          name.id + "=" + name.id + ": ...");
      continue;
    }
    reads[local->second.version] = true;
    if (local->second.poison && local->second.poison->lastValue)
      return local->second.poison->lastValue();
    if (local->second.poison)
      return poisoned(local->second);
    return local->second.value;
  }
  if (frame->source->scope)
    if (auto external = frame->source->scope->lookup(name.id))
      return sema.fromExternal(*external, name.id);
  if (auto builtin = Sema::builtinName(name.id))
    return builtin;
  return undefined(name.id);
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

Result Generator::expression(const ast::Expr &expr) {
  Level level(*this);
  sema.setRange(expr.range);
  if (!checkLimits())
    return std::nullopt;
  switch (expr.kind) {
  case ast::ExprKind::Literal:
    return fromConstant(llvm::cast<ast::Literal>(expr).value);
  case ast::ExprKind::Ellipsis:
    return sema.error("'...' is only supported within a subscript");
  case ast::ExprKind::Name:
    return name(llvm::cast<ast::Name>(expr));
  case ast::ExprKind::Attribute: {
    auto &attribute = llvm::cast<ast::Attribute>(expr);
    auto base = expression(*attribute.base);
    sema.setRange(expr.range);
    return base ? sema.attribute(*base, attribute.name) : std::nullopt;
  }
  case ast::ExprKind::Subscript:
    return subscript(llvm::cast<ast::Subscript>(expr));
  case ast::ExprKind::Slice:
    return index(expr);
  case ast::ExprKind::Call:
    return call(llvm::cast<ast::Call>(expr));
  case ast::ExprKind::Unary: {
    auto &unary = llvm::cast<ast::Unary>(expr);
    auto operand = expression(*unary.operand);
    sema.setRange(expr.range);
    return operand ? sema.unary(unary.op, *operand) : std::nullopt;
  }
  case ast::ExprKind::Binary: {
    auto &binary = llvm::cast<ast::Binary>(expr);
    auto lhs = expression(*binary.lhs);
    auto rhs = lhs ? expression(*binary.rhs) : std::nullopt;
    sema.setRange(expr.range);
    return rhs ? sema.binary(binary.op, *lhs, *rhs) : std::nullopt;
  }
  case ast::ExprKind::BoolOp:
    return boolOp(llvm::cast<ast::BoolOp>(expr));
  case ast::ExprKind::Compare:
    return compare(llvm::cast<ast::Compare>(expr));
  case ast::ExprKind::Conditional:
    return conditional(llvm::cast<ast::Conditional>(expr));
  case ast::ExprKind::Tuple:
    return tuple(llvm::cast<ast::Tuple>(expr));
  case ast::ExprKind::Dict:
    return dict(llvm::cast<ast::Dict>(expr));
  case ast::ExprKind::Starred:
    return sema.error("'*' is only supported within a tuple or a call");
  case ast::ExprKind::Lambda:
    return closure(llvm::cast<ast::Lambda>(expr).function, expr.range);
  case ast::ExprKind::Comprehension:
    return comprehension(llvm::cast<ast::Comprehension>(expr));
  case ast::ExprKind::FString:
    return fstring(llvm::cast<ast::FString>(expr));
  case ast::ExprKind::Walrus:
    return walrus(llvm::cast<ast::Walrus>(expr));
  }
  return std::nullopt;
}

/// `...` stands for as many `:` as the tile has dimensions that are not named.
static bool expandEllipsis(const ast::Tuple &written, const Value &base, Tuple &indices) {
  auto isEllipsis = [](const ast::ExprPtr &element) {
    return element->kind == ast::ExprKind::Ellipsis;
  };
  auto at = std::find_if(written.elements.begin(), written.elements.end(), isEllipsis);
  auto *tensor = base.getIf<Tensor>();
  if (!tensor ||
      std::find_if(std::next(at), written.elements.end(), isEllipsis) != written.elements.end())
    return false;
  size_t named = 0;
  for (const Value &index : indices.elements)
    named += !index.isNone();
  size_t missing = tensor->shape().size() > named ? tensor->shape().size() - named : 0;
  indices.elements.insert(indices.elements.begin() + (at - written.elements.begin()), missing,
                          Value(Slice()));
  return true;
}

Result Generator::subscript(const ast::Subscript &expr) {
  auto base = expression(*expr.base);
  auto at = base ? indices(expr, *base) : std::nullopt;
  sema.setRange(expr.range);
  return at ? sema.subscript(*base, *at) : std::nullopt;
}

/// What stands between the brackets: an index, or a Tuple of several.
Result Generator::indices(const ast::Subscript &expr, const Value &base) {
  auto *several = llvm::dyn_cast<ast::Tuple>(expr.index.get());
  if (expr.index->kind == ast::ExprKind::Ellipsis)
    return Value(Tuple());
  if (!several || several->isList)
    return index(*expr.index);
  Tuple indices;
  bool hasEllipsis = false;
  for (const ast::ExprPtr &element : several->elements) {
    if (element->kind == ast::ExprKind::Ellipsis) {
      hasEllipsis = true;
      continue;
    }
    auto value = index(*element);
    if (!value)
      return std::nullopt;
    indices.elements.push_back(std::move(*value));
  }
  sema.setRange(expr.range);
  if (hasEllipsis && !expandEllipsis(*several, base, indices))
    return sema.error("'...' stands once within the subscript of a tile, found " + describe(base));
  return Value(std::move(indices));
}

/// An index: a slice or an expression.
Result Generator::index(const ast::Expr &expr) {
  auto *slice = llvm::dyn_cast<ast::Slice>(&expr);
  if (!slice)
    return expression(expr);
  Slice result;
  auto part = [&](const ast::ExprPtr &from, std::shared_ptr<const Value> &to) {
    if (!from)
      return true;
    auto value = expression(*from);
    if (value)
      to = std::make_shared<const Value>(std::move(*value));
    return value.has_value();
  };
  if (!part(slice->lower, result.begin) || !part(slice->upper, result.end) ||
      !part(slice->step, result.step))
    return std::nullopt;
  return Value(std::move(result));
}

/// A side that is known decides at compile time whether the next one is evaluated; from
/// the first run-time value on, all sides are.
Result Generator::boolOp(const ast::BoolOp &expr) {
  bool isAnd = expr.op == LogicalOp::And;
  auto result = expression(*expr.operands.front());
  for (size_t i = 1; result && i < expr.operands.size(); ++i) {
    if (!result->is<Tensor>()) {
      auto truth = sema.truth(*result);
      if (!truth)
        return std::nullopt;
      if (std::get<bool>(*truth) != isAnd)
        return result;
      result = expression(*expr.operands[i]);
      continue;
    }
    auto next = expression(*expr.operands[i]);
    sema.setRange(expr.range);
    result = next ? sema.logical(expr.op, *result, *next) : std::nullopt;
  }
  return result;
}

/// a < b < c is (a < b) & (b < c), with b evaluated once.
Result Generator::compare(const ast::Compare &expr) {
  auto lhs = expression(*expr.operands.front());
  Result all;
  for (size_t i = 0; i < expr.ops.size(); ++i) {
    auto rhs = lhs ? expression(*expr.operands[i + 1]) : std::nullopt;
    if (!rhs)
      return std::nullopt;
    sema.setRange(expr.range);
    auto one = sema.compare(expr.ops[i], *lhs, *rhs);
    if (!one)
      return std::nullopt;
    if (!all || asBool(*all) == true)
      all = std::move(one);
    else if (asBool(*one) == false)
      return one;
    else if (asBool(*one) != true)
      all = sema.binary(BinaryOp::BitAnd, *all, *one);
    if (!all || asBool(*all) == false)
      return all;
    lhs = std::move(rhs);
  }
  return all;
}

Result Generator::tuple(const ast::Tuple &expr) {
  Tuple result;
  for (const ast::ExprPtr &element : expr.elements) {
    auto *starred = llvm::dyn_cast<ast::Starred>(element.get());
    auto value = expression(starred ? *starred->value : *element);
    if (!value)
      return std::nullopt;
    if (!starred) {
      result.elements.push_back(std::move(*value));
      continue;
    }
    sema.setRange(starred->range);
    auto spread = sema.iterate(*value);
    if (!spread)
      return std::nullopt;
    result.elements.insert(result.elements.end(), spread->begin(), spread->end());
  }
  return Value(std::move(result));
}

/// Keys are known at compile time; of two that are equal the first stays, with the later value.
Result Generator::dict(const ast::Dict &expr) {
  Dict result;
  for (size_t i = 0; i < expr.keys.size(); ++i) {
    auto key = expression(*expr.keys[i]);
    auto value = key ? expression(*expr.values[i]) : std::nullopt;
    if (!value)
      return std::nullopt;
    auto known = asConstant(*key);
    if (!known || expr.keys[i]->kind == ast::ExprKind::Dict)
      return error(expr.keys[i]->range, "the key of a dictionary must be known at compile time, "
                                        "found " +
                                            describe(*key));
    auto old = llvm::find_if(
        result.entries, [&](const auto &entry) { return constantsEqual(entry.first, *known); });
    if (old != result.entries.end())
      old->second = std::move(*value);
    else
      result.entries.emplace_back(std::move(*known), std::move(*value));
  }
  return Value(std::move(result));
}

/// Its variables are its own; what ':=' binds in it is bound around it.
Result Generator::comprehension(const ast::Comprehension &expr) {
  auto scope = std::make_shared<ComprehensionScope>();
  scope->outer = frame->comprehension;
  for (const ast::ComprehensionLoop &loop : expr.loops)
    scope->names.addTarget(*loop.target, false);
  Environment outer = env;
  frame->comprehension = scope;
  Tuple result;
  bool isDone = comprehensionLoop(expr, 0, result);
  frame->comprehension = scope->outer;
  scope->hasEnded = true;
  if (!isDone)
    return std::nullopt;
  for (const std::string &name : scope->names.all) {
    env.erase(name);
    if (auto old = outer.find(name); old != outer.end())
      env.insert(*old);
  }
  return Value(std::move(result));
}

/// The loops from `level` on; false after an error.
bool Generator::comprehensionLoop(const ast::Comprehension &expr, size_t level, Tuple &result) {
  if (level == expr.loops.size()) {
    auto element = expression(*expr.element);
    if (element)
      result.elements.push_back(std::move(*element));
    return element.has_value();
  }
  const ast::ComprehensionLoop &loop = expr.loops[level];
  auto values = knownValues(*loop.iterable);
  if (!values)
    return false;
  auto isWanted = [&]() -> std::optional<bool> {
    for (const ast::ExprPtr &condition : loop.conditions) {
      auto test = expression(*condition);
      auto truth = test ? sema.truth(*test) : std::nullopt;
      if (!truth)
        return std::nullopt;
      auto *known = std::get_if<bool>(&*truth);
      if (!known)
        return error(condition->range, "the condition of a comprehension must be known at "
                                       "compile time, found " +
                                           describe(*test));
      if (!*known)
        return false;
    }
    return true;
  };
  for (Value &value : *values) {
    if (!assign(*loop.target, std::move(value), loop.target->range))
      return false;
    auto wanted = isWanted();
    if (!wanted || (*wanted && !comprehensionLoop(expr, level + 1, result)))
      return false;
  }
  return true;
}

Result Generator::fstring(const ast::FString &expr) {
  std::string text;
  for (const ast::FStringPart &part : expr.parts) {
    if (!part.value) {
      text += part.text;
      continue;
    }
    auto value = expression(*part.value);
    if (!value)
      return std::nullopt;
    sema.setRange(part.value->range);
    Value shown = *value;
    if (part.conversion && part.conversion != 's') {
      auto constant = asConstant(*value);
      shown = makeString(constant ? constant->repr() : sema.format(*value));
    }
    auto formatted = sema.format(shown, part.format);
    if (!formatted)
      return std::nullopt;
    text += *formatted;
  }
  return makeString(std::move(text));
}

Result Generator::walrus(const ast::Walrus &expr) {
  for (auto *scope = frame->comprehension.get(); scope; scope = scope->outer.get())
    if (scope->names.all.contains(expr.name))
      return error(expr.nameRange, "'" + expr.name +
                                       "' is the variable of a comprehension, which ':=' cannot "
                                       "bind; use another name");
  auto value = expression(*expr.value);
  if (value) {
    ast::Name target(expr.nameRange);
    target.id = expr.name;
    if (!assign(target, *value, expr.nameRange))
      return std::nullopt;
  }
  return value;
}
