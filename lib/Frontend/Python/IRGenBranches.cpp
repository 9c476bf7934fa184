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

#include "tritium/Dialect/Tile/IR/Placeholder.h"
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

  bool leaves() const { return outcome.leaves(); }
};

/// A value that the scf.if hands on.
struct Export {
  Value *to;
  Binding *binding; ///< whose value it is; null: none's
  Value like;
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

  bool bothLeave() const { return sides[0].leaves() && sides[1].leaves(); }
  bool oneLeaves() const { return sides[0].leaves() != sides[1].leaves(); }
  /// The side that goes on, if one leaves.
  int open() const { return sides[0].leaves() ? 1 : 0; }

  bool generateSides(Side thenSide, Side elseSide);
  bool continueOpenSide(const Rest *rest);
  void mergeNames();
  void takeOpenNames();
  /// A name that only one side has means nothing afterwards; unless the other side, which does not
  /// need its names, may yield anything for it.
  void joinNames(Environment &a, Environment &b, Environment &joined, bool isNeededA = true,
                 bool isNeededB = true);
  bool mergeExits();
  mlir::scf::IfOp withResults();
  void bindResults(llvm::ArrayRef<mlir::Value> results);

private:
  void end(int side);
  void joinName(const std::string &name, Binding &a, Binding &b, Binding &joined);
  void giveName(const std::string &name, Binding &to, const Value *a, const Value *b);
  void give(Value &to, Binding *binding, const Value *a, const Value *b);
  bool mergeResults(Exit &a, Exit &b);
  void giveFlag();
};

/// Any value of a type, for a path on which it is never used.
mlir::Value Generator::placeholder(mlir::Location loc, mlir::Type type) {
  mlir::Type element = tt::elementType(type);
  if (llvm::isa<tt::PointerType>(element)) {
    mlir::Type integer = tt::withElement(type, builder.getI64Type());
    mlir::Value zero = builder.create<mlir::arith::ConstantOp>(loc, builder.getZeroAttr(integer));
    auto pointer = builder.create<tt::IntToPtrOp>(loc, type, zero);
    pointer->setAttr(tt::kPlaceholder, builder.getUnitAttr());
    return pointer;
  }
  if (auto descriptor = llvm::dyn_cast<tt::TensorDescType>(type)) {
    // Of an array without elements.
    auto block = descriptor.getBlockType();
    mlir::Value base = placeholder(loc, tt::PointerType::get(block.getElementType()));
    mlir::Value zero = builder.create<mlir::arith::ConstantIntOp>(loc, 0, 64);
    llvm::SmallVector<mlir::Value> zeros(block.getRank(), zero);
    return builder.create<tt::MakeTensorDescriptorOp>(loc, type, base, zeros, zeros);
  }
  return builder.create<mlir::arith::ConstantOp>(loc, builder.getZeroAttr(type));
}

/// A method holds what it is bound to, a function its defaults and a slice its bounds, where no
/// operation hands them on.
bool Generator::holdsFrom(mlir::Operation *op, const Value &value) {
  auto isInside = [&](mlir::Value held) {
    return op->isAncestor(held.getParentRegion()->getParentOp());
  };
  auto holds = [&](const Value &part) {
    llvm::SmallVector<mlir::Value> runTime;
    flatten(part, runTime);
    return llvm::any_of(runTime, isInside) || holdsFrom(op, part);
  };
  if (auto *tuple = value.getIf<Tuple>())
    return llvm::any_of(tuple->elements, [&](const Value &part) { return holdsFrom(op, part); });
  if (auto *dict = value.getIf<Dict>())
    return llvm::any_of(dict->entries,
                        [&](const auto &entry) { return holdsFrom(op, entry.second); });
  if (auto *method = value.getIf<BoundMethod>())
    return holds(*method->self);
  if (auto *slice = value.getIf<Slice>())
    return llvm::any_of(llvm::ArrayRef({slice->begin, slice->end, slice->step}),
                        [&](const auto &bound) { return bound && holds(*bound); });
  if (auto *function = value.getIf<Function>())
    if (auto found = parsed.find(function->source.get()); found != parsed.end())
      return llvm::any_of(found->second.defaults,
                          [&](const auto &entry) { return holds(entry.second); });
  return false;
}

bool Generator::canReturnFrom(mlir::Operation *op, const Exit &exit) {
  if (!exit.result || !holdsFrom(op, *exit.result))
    return true;
  error(exit.at, "this returns " + describe(*exit.result) +
                     ", which holds a value of the 'if' or the loop around it and cannot leave "
                     "that; call it there");
  return false;
}

static std::string onePath(std::string_view name) {
  return "'" + std::string(name) +
         "' may be undefined here: it is bound on one path only; bind it before the 'if' or on "
         "every path";
}

/// A return without a position is the end of the function, which returns None.
void Generator::mismatchedReturns(const Exit &a, const Exit &b) {
  std::string what = "the returns of '" + frame->source->name +
                     "' have different types: " + describe(*a.result) + " and " +
                     describe(*b.result) +
                     (frame->self ? "; set all fields on every path, each in one type"
                                  : "; return one type on every path");
  bool isEndA = !a.at.begin.isValid(), isEndB = !b.at.begin.isValid();
  if ((isEndA || isEndB) && !frame->self)
    what += " (one path reaches the end of the function, which returns None)";
  error(isEndB ? a.at : b.at, std::move(what));
  if (!isEndA && !isEndB)
    note(a.at, "the other return is here");
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
    end(i);
  }
  return true;
}

/// Keeps where a side ends and what its names are there.
void Generator::Branching::end(int side) {
  sides[side].end = generator.builder.saveInsertionPoint();
  sides[side].env = std::move(generator.env);
  generator.dropLastValues(before, sides[side].env);
  generator.dropLastValues(before, sides[side].outcome.exit.names);
}

/// What follows the `if`, inside the side that does not leave.
bool Generator::Branching::continueOpenSide(const Rest *rest) {
  int index = open();
  SideState &side = sides[index];
  generator.builder.restoreInsertionPoint(side.end);
  generator.env = std::move(side.env);
  side.outcome = generator.resume(std::move(side.outcome), rest);
  if (side.outcome.isFailed())
    return false;
  end(index);
  return true;
}

/// Both sides yield their value for `to`; a side without one yields anything.
void Generator::Branching::give(Value &to, Binding *binding, const Value *a, const Value *b) {
  llvm::SmallVector<mlir::Value> values[2];
  if (a)
    flatten(*a, values[0]);
  if (b)
    flatten(*b, values[1]);
  for (int i = 0; i < 2; ++i) {
    if ((i == 0 ? a : b) == nullptr) {
      generator.builder.restoreInsertionPoint(sides[i].end);
      for (mlir::Value other : values[1 - i])
        values[i].push_back(generator.placeholder(loc, other.getType()));
      sides[i].end = generator.builder.saveInsertionPoint();
    }
    sides[i].yields.append(values[i].begin(), values[i].end());
  }
  exports.push_back({&to, binding, a ? *a : *b});
}

void Generator::Branching::giveName(const std::string &name, Binding &to, const Value *a,
                                    const Value *b) {
  const Value &like = a ? *a : *b;
  if (!generator.holdsFrom(ifOp, like) && !(b && generator.holdsFrom(ifOp, *b)))
    return give(to.value, &to, a, b);
  generator.poison(to,
                   "'" + name + "' is " + describe(like) +
                       ", which holds a value of the 'if' that binds it and cannot leave that; "
                       "use it there",
                   {{to.at, "it is bound here"}});
}

/// The names' values: where one side leaves, the other's count.
void Generator::Branching::mergeNames() {
  if (oneLeaves())
    takeOpenNames();
  else if (bothLeave())
    after = std::move(before);
  else
    joinNames(sides[0].env, sides[1].env, after);
}

void Generator::Branching::takeOpenNames() {
  bool isElse = open() == 1;
  after = sides[open()].env;
  for (auto &[name, binding] : after) {
    auto old = before.find(name);
    bool isNew = old == before.end() || old->second.version != binding.version;
    Value value = binding.value;
    if (isNew && !binding.poison)
      giveName(name, binding, isElse ? nullptr : &value, isElse ? &value : nullptr);
  }
}

/// A name that both sides have.
void Generator::Branching::joinName(const std::string &name, Binding &a, Binding &b,
                                    Binding &joined) {
  joined = a;
  if (a.version == b.version || a.poison)
    return;
  if (b.poison) {
    joined = b;
    return;
  }
  size_t mark = generator.diagnostics.all().size();
  if (!generator.sema.unify(a.value, sides[0].end, b.value, sides[1].end, name)) {
    generator.poison(joined, generator.diagnostics.rollback(mark).front().message,
                     {{a.at, "it is bound here"}, {b.at, "and here"}});
    return;
  }
  joined.value = a.value;
  giveName(name, joined, &a.value, &b.value);
}

void Generator::Branching::joinNames(Environment &a, Environment &b, Environment &joined,
                                     bool isNeededA, bool isNeededB) {
  for (auto &[name, binding] : a) {
    if (auto found = b.find(name); found != b.end())
      joinName(name, binding, found->second, joined[name]);
    else if (joined[name] = binding; !isNeededB && !binding.poison)
      giveName(name, joined[name], &binding.value, nullptr);
  }
  for (auto &[name, binding] : b)
    if (joined.try_emplace(name, binding).second && !isNeededA && !binding.poison)
      giveName(name, joined[name], nullptr, &binding.value);
  for (auto &[name, binding] : joined)
    if (!binding.poison && ((isNeededA && !a.contains(name)) || (isNeededB && !b.contains(name))))
      generator.poison(binding, onePath(name), {{binding.at, "it is bound here"}});
}

/// Where control leaves, if either side leaves: with what code, names and result.
bool Generator::Branching::mergeExits() {
  auto &[a, b] = sides;
  if (!a.outcome.mayLeave() && !b.outcome.mayLeave())
    return true;
  for (const SideState &side : sides)
    if (side.outcome.mayLeave() && !generator.canReturnFrom(ifOp, side.outcome.exit))
      return false;
  outcome.kind = bothLeave() ? Outcome::Leaves : Outcome::Maybe;
  Exit &first = (a.outcome.mayLeave() ? a : b).outcome.exit;
  Exit &second = b.outcome.exit;
  Exit &exit = outcome.exit;
  exit.at = first.at;
  exit.kinds = a.outcome.exit.kinds | b.outcome.exit.kinds;
  if (a.outcome.mayLeave() && b.outcome.mayLeave()) {
    generator.sema.unify(first.code, a.end, second.code, b.end, "the way out");
    give(exit.code, nullptr, &first.code, &second.code);
    joinNames(first.names, second.names, exit.names, first.mayBreak(), second.mayBreak());
    if (!mergeResults(first, second))
      return false;
  } else {
    bool isElse = &first == &second;
    auto giveOne = [&](Value &to, Binding *binding, const Value &value) {
      give(to, binding, isElse ? nullptr : &value, isElse ? &value : nullptr);
    };
    giveOne(exit.code, nullptr, first.code);
    exit.names = first.names;
    for (auto &[name, binding] : exit.names)
      if (auto old = before.find(name);
          !binding.poison && (old == before.end() || old->second.version != binding.version))
        giveName(name, binding, isElse ? nullptr : &first.names[name].value,
                 isElse ? &first.names[name].value : nullptr);
    if (first.result)
      giveOne(exit.result.emplace(), nullptr, *first.result);
  }
  if (outcome.kind == Outcome::Maybe)
    giveFlag();
  return true;
}

bool Generator::Branching::mergeResults(Exit &a, Exit &b) {
  if (!a.result && !b.result)
    return true;
  size_t mark = generator.diagnostics.all().size();
  if (a.result && b.result &&
      !generator.sema.unify(*a.result, sides[0].end, *b.result, sides[1].end, "the result")) {
    generator.diagnostics.rollback(mark);
    generator.mismatchedReturns(a, b);
    return false;
  }
  if (!a.result)
    outcome.exit.at = b.at;
  give(outcome.exit.result.emplace(), nullptr, a.result ? &*a.result : nullptr,
       b.result ? &*b.result : nullptr);
  return true;
}

void Generator::Branching::giveFlag() {
  for (SideState &side : sides) {
    generator.builder.restoreInsertionPoint(side.end);
    mlir::Value flag = side.outcome.flag;
    if (!flag)
      flag = generator.builder.create<mlir::arith::ConstantIntOp>(loc, side.leaves(), 1);
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
    *given.to = rebuild(given.like, values);
    if (!given.binding)
      continue;
    given.binding->version = generator.reads.size();
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
  consumed = branching.bothLeave();
  if (rest && branching.oneLeaves()) {
    if (!branching.continueOpenSide(rest))
      return Outcome::failed();
    consumed = true;
  }
  sema.setRange(range);
  branching.mergeNames();
  if (!branching.mergeExits())
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
  bool isExit = mayLeave(stmt.body) || mayLeave(stmt.orelse);
  if (auto *known = std::get_if<bool>(&*truth)) {
    llvm::ArrayRef<ast::StmtPtr> side = *known ? stmt.body : stmt.orelse;
    consumed = mayLeave(side);
    return run(side, consumed ? &rest : nullptr);
  }
  sema.setRange(stmt.range);
  return branches(
      std::get<mlir::Value>(*truth), [&] { return run(stmt.body, nullptr); },
      [&] { return run(stmt.orelse, nullptr); }, isExit ? &rest : nullptr, consumed);
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
