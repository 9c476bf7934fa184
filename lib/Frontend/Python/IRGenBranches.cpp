//===- IRGenBranches.cpp - if and conditional expressions -----------------===//
//
//   if c: x = a          %x = scf.if %c -> (T) { scf.yield %a } else { scf.yield %b }
//   else: x = b
//
//   if c: return         scf.if %c { } else { ...what follows... }
//
// A condition that is known while compiling leaves only the side that is taken; the
// other one is not looked at.
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include "tritium/Dialect/Tile/IR/Tile.h"

using namespace tritium;
using namespace tritium::frontend;
using namespace tritium::frontend::python;
using namespace tritium::sema;

namespace {
/// One side of an scf.if while it is being built.
struct SideState {
  mlir::Block *block = nullptr;
  mlir::OpBuilder::InsertPoint end;
  Environment env;
  Outcome outcome;
  llvm::SmallVector<mlir::Value> yields;

  bool returns() const { return outcome.kind == Outcome::Returns; }
};

/// A value that the scf.if gives to a name, or to the function's result.
struct Export {
  const std::string *name; ///< null: the result
  Value like;
  SourceRange at;
};
} // namespace

/// An scf.if while it is being built: first its sides, then what they hand on.
struct Generator::Branching {
  Generator &generator;
  mlir::Location loc;
  mlir::scf::IfOp ifOp; ///< without results
  Environment before, after;
  SideState sides[2];
  std::vector<Export> exports;
  Outcome outcome;

  bool bothReturn() const { return sides[0].returns() && sides[1].returns(); }
  bool oneReturns() const { return sides[0].returns() != sides[1].returns(); }
  /// The side that goes on, if one returns.
  int open() const { return sides[0].returns() ? 1 : 0; }

  bool generateSides(Side thenSide, Side elseSide);
  bool continueOpenSide(const Rest *rest);
  void mergeNames();
  void takeOpenNames();
  void joinNames();
  bool mergeReturns();
  mlir::scf::IfOp withResults();
  void bindResults(llvm::ArrayRef<mlir::Value> results);

private:
  void give(const std::string *name, const Value *a, const Value *b, SourceRange at);
  void giveFlag();
};

/// Any value of a type, for a path on which it is never used.
static mlir::Value placeholder(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type) {
  mlir::Type element = tt::elementType(type);
  if (llvm::isa<tt::PointerType>(element)) {
    mlir::Type integer = tt::withElement(type, builder.getI64Type());
    mlir::Value zero = builder.create<mlir::arith::ConstantOp>(loc, builder.getZeroAttr(integer));
    return builder.create<tt::IntToPtrOp>(loc, type, zero);
  }
  return builder.create<mlir::arith::ConstantOp>(loc, builder.getZeroAttr(type));
}

/// A method that is bound to a run-time value holds it where no scf.if can hand it on.
static bool holdsHidden(const Value &value) {
  if (auto *tuple = value.getIf<Tuple>())
    return llvm::any_of(tuple->elements, holdsHidden);
  if (value.is<Slice>())
    return true;
  auto *method = value.getIf<BoundMethod>();
  return method && (method->self->is<Tensor>() || blockedArray(*method->self));
}

static std::string onePath(std::string_view name) {
  return "'" + std::string(name) +
         "' may be undefined here: it is bound on one path only; bind it before the 'if' or on "
         "every path";
}

/// A return without a position is the end of the function, which returns None.
void Generator::mismatchedReturns(const Outcome &a, const Outcome &b) {
  std::string what = "the returns of '" + frame->source->name +
                     "' have different types: " + describe(a.result) + " and " +
                     describe(b.result) + "; return one type on every path";
  bool isEndA = !a.returnedAt.begin.isValid(), isEndB = !b.returnedAt.begin.isValid();
  if (isEndA || isEndB)
    what += " (one path reaches the end of the function, which returns None)";
  error(isEndB ? a.returnedAt : b.returnedAt, std::move(what));
  if (!isEndA && !isEndB)
    note(a.returnedAt, "the other return is here");
}

bool Generator::Branching::generateSides(Side thenSide, Side elseSide) {
  before = generator.env;
  sides[0].block = ifOp.thenBlock();
  sides[1].block = ifOp.elseBlock();
  for (int i = 0; i < 2; ++i) {
    generator.builder.setInsertionPointToEnd(sides[i].block);
    if (i == 1)
      generator.env = before;
    sides[i].outcome = i == 0 ? thenSide() : elseSide();
    if (sides[i].outcome.isFailed())
      return false;
    sides[i].end = generator.builder.saveInsertionPoint();
    sides[i].env = std::move(generator.env);
  }
  for (SideState &side : sides)
    generator.dropLastValues(before, side.env);
  return true;
}

/// What follows the `if`, inside the side that does not return.
bool Generator::Branching::continueOpenSide(const Rest *rest) {
  SideState &side = sides[open()];
  generator.builder.restoreInsertionPoint(side.end);
  generator.env = std::move(side.env);
  side.outcome = generator.resume(std::move(side.outcome), rest);
  if (side.outcome.isFailed())
    return false;
  side.end = generator.builder.saveInsertionPoint();
  side.env = std::move(generator.env);
  generator.dropLastValues(before, side.env);
  return true;
}

/// Both sides yield their value of a name, or of the result if `name` is null; a side without
/// one yields anything.
void Generator::Branching::give(const std::string *name, const Value *a, const Value *b,
                                SourceRange at) {
  const Value &like = a ? *a : *b;
  if (name && (holdsHidden(like) || (b && holdsHidden(*b)))) {
    return generator.poison(after[*name],
                            "'" + *name + "' is " + describe(like) +
                                ", which cannot leave the 'if' that binds it; call it there",
                            {{at, "it is bound here"}});
  }
  llvm::SmallVector<mlir::Value> values[2];
  if (a)
    flatten(*a, values[0]);
  if (b)
    flatten(*b, values[1]);
  for (int i = 0; i < 2; ++i) {
    if ((i == 0 ? a : b) == nullptr) {
      generator.builder.restoreInsertionPoint(sides[i].end);
      for (mlir::Value other : values[1 - i])
        values[i].push_back(placeholder(generator.builder, loc, other.getType()));
      sides[i].end = generator.builder.saveInsertionPoint();
    }
    sides[i].yields.append(values[i].begin(), values[i].end());
  }
  exports.push_back({name, like, at});
}

/// The names' values: where one side returns, the other's count.
void Generator::Branching::mergeNames() {
  if (oneReturns())
    takeOpenNames();
  else if (bothReturn())
    after = std::move(before);
  else
    joinNames();
}

void Generator::Branching::takeOpenNames() {
  bool isElse = open() == 1;
  after = sides[open()].env;
  for (auto &[name, binding] : after) {
    auto old = before.find(name);
    bool isNew = old == before.end() || old->second.version != binding.version;
    if (isNew && !binding.poison)
      give(&name, isElse ? nullptr : &binding.value, isElse ? &binding.value : nullptr, binding.at);
  }
}

void Generator::Branching::joinNames() {
  for (auto &[name, a] : sides[0].env) {
    auto found = sides[1].env.find(name);
    if (found == sides[1].env.end()) {
      after[name] = a;
      if (!a.poison)
        generator.poison(after[name], onePath(name), {{a.at, "it is bound here"}});
      continue;
    }
    Binding &b = found->second;
    Binding &merged = after[name] = a;
    if (a.version == b.version || a.poison)
      continue;
    if (b.poison) {
      merged = b;
      continue;
    }
    size_t mark = generator.diagnostics.all().size();
    if (!generator.sema.unify(a.value, sides[0].end, b.value, sides[1].end, name)) {
      generator.poison(merged, generator.diagnostics.rollback(mark).front().message,
                       {{a.at, "it is bound here"}, {b.at, "and here"}});
      continue;
    }
    merged.value = a.value;
    auto atName = after.find(name);
    give(&atName->first, &a.value, &b.value, a.at);
  }
  for (auto &[name, b] : sides[1].env)
    if (auto [at, isNew] = after.try_emplace(name, b); isNew && !b.poison)
      generator.poison(at->second, onePath(name), {{b.at, "it is bound here"}});
}

/// The function's result, and whether it has returned.
bool Generator::Branching::mergeReturns() {
  auto &[a, b] = sides;
  if (!a.outcome.mayReturn() && !b.outcome.mayReturn())
    return true;
  outcome.kind = bothReturn() ? Outcome::Returns : Outcome::Maybe;
  const SideState &first = a.outcome.mayReturn() ? a : b;
  outcome.returnedAt = first.outcome.returnedAt;
  bool both = a.outcome.mayReturn() && b.outcome.mayReturn();
  size_t mark = generator.diagnostics.all().size();
  if (both &&
      !generator.sema.unify(a.outcome.result, a.end, b.outcome.result, b.end, "the result")) {
    generator.diagnostics.rollback(mark);
    generator.mismatchedReturns(a.outcome, b.outcome);
    return false;
  }
  give(nullptr, a.outcome.mayReturn() ? &a.outcome.result : nullptr,
       b.outcome.mayReturn() ? &b.outcome.result : nullptr, outcome.returnedAt);
  if (outcome.kind == Outcome::Maybe)
    giveFlag();
  return true;
}

void Generator::Branching::giveFlag() {
  for (SideState &side : sides) {
    generator.builder.restoreInsertionPoint(side.end);
    mlir::Value flag = side.outcome.flag;
    if (!flag)
      flag = generator.builder.create<mlir::arith::ConstantIntOp>(loc, side.returns(), 1);
    side.end = generator.builder.saveInsertionPoint();
    side.yields.push_back(flag);
  }
}

/// The scf.if again, with its results.
mlir::scf::IfOp Generator::Branching::withResults() {
  mlir::OpBuilder &builder = generator.builder;
  for (SideState &side : sides) {
    builder.restoreInsertionPoint(side.end);
    builder.create<mlir::scf::YieldOp>(loc, side.yields);
  }
  mlir::scf::IfOp finalOp = ifOp;
  if (!sides[0].yields.empty()) {
    builder.setInsertionPoint(ifOp);
    finalOp = builder.create<mlir::scf::IfOp>(loc, mlir::ValueRange(sides[0].yields).getTypes(),
                                              ifOp.getCondition(), false, false);
    finalOp.getThenRegion().takeBody(ifOp.getThenRegion());
    finalOp.getElseRegion().takeBody(ifOp.getElseRegion());
    ifOp.erase();
  } else if (llvm::hasSingleElement(*sides[1].block)) {
    sides[1].block->erase();
  }
  builder.setInsertionPointAfter(finalOp);
  return finalOp;
}

void Generator::Branching::bindResults(llvm::ArrayRef<mlir::Value> results) {
  llvm::ArrayRef<mlir::Value> values = results;
  for (const Export &given : exports) {
    Value value = rebuild(given.like, values);
    if (!given.name) {
      outcome.result = std::move(value);
      continue;
    }
    Binding &binding = after[*given.name];
    binding.value = std::move(value);
    binding.version = generator.reads.size();
    generator.reads.push_back(false);
  }
  if (outcome.kind == Outcome::Maybe)
    outcome.flag = results.back();
}

Outcome Generator::branches(mlir::Value condition, Side thenSide, Side elseSide, const Rest *rest,
                            bool &consumed) {
  SourceRange range = sema.range();
  mlir::Location loc = sema.loc();
  auto ifOp = builder.create<mlir::scf::IfOp>(loc, mlir::TypeRange(), condition, true, true);
  Branching branching{*this, loc, ifOp};
  if (!branching.generateSides(thenSide, elseSide))
    return Outcome::failed();
  consumed = branching.bothReturn();
  if (rest && branching.oneReturns()) {
    if (!branching.continueOpenSide(rest))
      return Outcome::failed();
    consumed = true;
  }
  sema.setRange(range);
  branching.mergeNames();
  if (!branching.mergeReturns())
    return Outcome::failed();
  llvm::SmallVector<mlir::Value> results(branching.withResults().getResults());
  branching.bindResults(results);
  env = std::move(branching.after);
  return std::move(branching.outcome);
}

Outcome Generator::ifStatement(const ast::If &stmt, const Rest &rest, bool &consumed) {
  auto test = expression(*stmt.test);
  sema.setRange(stmt.test->range);
  auto truth = test ? sema.truth(*test) : std::nullopt;
  if (!truth)
    return Outcome::failed();
  bool mayReturn = containsReturn(stmt.body) || containsReturn(stmt.orelse);
  if (auto *known = std::get_if<bool>(&*truth)) {
    llvm::ArrayRef<ast::StmtPtr> side = *known ? stmt.body : stmt.orelse;
    consumed = containsReturn(side);
    return run(side, consumed ? &rest : nullptr);
  }
  sema.setRange(stmt.range);
  return branches(
      std::get<mlir::Value>(*truth), [&] { return run(stmt.body, nullptr); },
      [&] { return run(stmt.orelse, nullptr); }, mayReturn ? &rest : nullptr, consumed);
}

Result Generator::conditional(const ast::Conditional &expr) {
  auto test = expression(*expr.test);
  sema.setRange(expr.test->range);
  auto truth = test ? sema.truth(*test) : std::nullopt;
  if (!truth)
    return std::nullopt;
  if (auto *known = std::get_if<bool>(&*truth))
    return expression(*known ? *expr.body : *expr.orelse);
  // The value travels as a name that no kernel can have.
  static constexpr std::string_view kValue = "(value)";
  auto side = [&](const ast::Expr &value) {
    auto result = expression(value);
    if (!result)
      return Outcome::failed();
    bind(kValue, std::move(*result), value.range);
    return Outcome();
  };
  sema.setRange(expr.range);
  bool consumed = false;
  Outcome outcome = branches(
      std::get<mlir::Value>(*truth), [&] { return side(*expr.body); },
      [&] { return side(*expr.orelse); }, nullptr, consumed);
  if (outcome.isFailed())
    return std::nullopt;
  Binding merged = std::move(env.find(kValue)->second);
  env.erase(env.find(kValue));
  if (!merged.poison)
    return merged.value;
  std::string message = merged.poison->message;
  size_t at = message.find(" has different types");
  error(expr.range,
        "this conditional expression" +
            (at == std::string::npos ? std::string(" has no value") : message.substr(at)));
  return std::nullopt;
}
