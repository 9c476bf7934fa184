//===- IRGenLoops.cpp - what loops carry; while; loops over tuples --------===//
//
//   while i < n:      %r = scf.while (%i = %i0) : (i32) -> i32 {
//     i += 1            %c = arith.cmpi slt, %i, %n ; scf.condition(%c) %i : i32
//                     } do { ^bb0(%i: i32): ... scf.yield %i1 : i32 }
//
// A name that the body binds and that has a value before the loop is carried: it keeps
// its type. Numbers that are known before the loop become tensors for this. A number
// that the body binds only under an `if` may well stay what it is (the `if` may be
// decided at compile time), so the loop is first generated as if it did, and once more
// with the number carried if it did not.
//
//===----------------------------------------------------------------------===//

#include "LoopState.h"

#include "tritium/Frontend/Sema/Builtins.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace tritium;
using namespace tritium::frontend;
using namespace tritium::frontend::python;
using namespace tritium::sema;

//===----------------------------------------------------------------------===//
// Carried names
//===----------------------------------------------------------------------===//

std::vector<std::string> Generator::LoopState::names() const {
  std::vector<std::string> result;
  for (const Carried &entry : carried)
    result.push_back(entry.name);
  return result;
}

llvm::SmallVector<unsigned> Generator::LoopState::changed() const {
  llvm::SmallVector<unsigned> result;
  for (const Carried &entry : carried)
    if (entry.isChanged && !entry.final.poison)
      for (unsigned slot = entry.firstSlot; slot < entry.firstSlot + entry.slots; ++slot)
        result.push_back(slot);
  return result;
}

void python::moveBody(mlir::scf::ForOp shell, mlir::Block *to,
                      llvm::ArrayRef<mlir::Value> arguments,
                      llvm::MutableArrayRef<mlir::Value> values) {
  mlir::Block *body = shell.getBody();
  to->getOperations().splice(to->end(), body->getOperations());
  for (mlir::Value &value : values)
    if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(value);
        argument && argument.getOwner() == body)
      value = arguments[argument.getArgNumber()];
  for (auto [argument, replacement] : llvm::zip_equal(body->getArguments(), arguments))
    argument.replaceAllUsesWith(replacement);
  shell.erase();
}

/// Lists what may be carried and converts the values with which it enters the loop.
bool Generator::collectCarried(const AssignedNames &assigned, bool isOptimistic, LoopState &state) {
  state.before = env;
  state.range = sema.range();
  for (const std::string &name : assigned.all) {
    auto found = env.find(name);
    if (found == env.end() || found->second.poison)
      continue;
    Carried entry;
    entry.name = name;
    const Value &value = found->second.value;
    llvm::SmallVector<mlir::Value> runTime;
    flatten(value, runTime);
    entry.isFixed = isOptimistic && runTime.empty() && !assigned.always.contains(name);
    if (entry.isFixed || found->second.isConstexpr) {
      entry.init = value;
    } else {
      auto init = sema.materialize(value);
      if (!init)
        return false;
      entry.init = std::move(*init);
    }
    size_t first = state.inits.size();
    flatten(entry.init, state.inits);
    entry.firstSlot = first;
    entry.slots = state.inits.size() - first;
    state.carried.push_back(std::move(entry));
  }
  return true;
}

/// Binds the carried names to the loop's arguments.
void Generator::enterBody(LoopState &state, llvm::ArrayRef<mlir::Value> arguments) {
  env = state.before;
  for (Carried &entry : state.carried) {
    Binding &before = state.before[entry.name];
    if (entry.slots != 0) {
      llvm::ArrayRef<mlir::Value> own = arguments.slice(entry.firstSlot, entry.slots);
      bind(entry.name, rebuild(entry.init, own), before.at, before.isConstexpr);
    } else {
      bind(entry.name, before.value, before.at, before.isConstexpr);
    }
    entry.version = reads.size() - 1;
  }
}

/// At the end of the body: what every carried name has become, in its type. A name whose
/// type changes is an error if the body reads what it was before, else it is poisoned.
bool Generator::leaveBody(LoopState &state, llvm::SmallVectorImpl<mlir::Value> &yields) {
  for (Carried &entry : state.carried) {
    entry.final = env[entry.name];
    entry.isChanged = entry.final.version != entry.version;
    if (!entry.isChanged) {
      flatten(entry.final.value, yields);
      continue;
    }
    size_t mark = diagnostics.all().size();
    sema.setRange(entry.final.at);
    Result converted;
    if (entry.final.poison)
      poisoned(entry.final);
    else
      converted = sema.convertLike(entry.final.value, entry.init, entry.name);
    if (converted) {
      size_t before = yields.size();
      flatten(*converted, yields);
      entry.final.value = std::move(*converted);
      if (entry.slots == 0 && yields.size() == before)
        entry.isChanged = false; // bound again to the same known value
      continue;
    }
    if (entry.isFixed) {
      state.mustRepeat = true;
      return false;
    }
    if (!entry.final.poison)
      note(state.before[entry.name].at, "'" + entry.name + "' gets its first value here");
    if (reads[entry.version])
      return false;
    std::vector<Diagnostic> taken = diagnostics.rollback(mark);
    poison(entry.final, taken.front().message,
           {{entry.final.at, "it is bound here"}, {state.before[entry.name].at, "and here"}});
    // The slots stay what they were.
    llvm::SmallVector<mlir::Value> old;
    flatten(entry.init, old);
    yields.append(old.begin(), old.end());
  }
  return true;
}

/// Binds the names after the loop: what was carried to its results. Names that only the
/// body binds are undefined.
void Generator::afterLoop(LoopState &state, llvm::ArrayRef<mlir::Value> results) {
  Environment inside = std::move(env);
  dropLastValues(state.before, inside);
  env = std::move(state.before);
  for (const Carried &entry : state.carried) {
    reads[env[entry.name].version] = reads[env[entry.name].version] || reads[entry.version];
    if (!entry.isChanged)
      continue;
    if (entry.final.poison) {
      env[entry.name] = entry.final;
      continue;
    }
    llvm::ArrayRef<mlir::Value> own = results.slice(entry.firstSlot, entry.slots);
    bind(entry.name, rebuild(entry.init, own), entry.final.at);
  }
  for (auto &[name, binding] : inside) {
    auto [at, isNew] = env.try_emplace(name, binding);
    bool isOld = !isNew && at->second.version == binding.version;
    if (!isNew && !isOld && at->second.poison && at->second.poison->lastValue)
      at->second = binding; // a loop's variable, bound again in here
    else if (!isNew || binding.poison)
      continue;
    if (at->second.poison)
      continue;
    poison(at->second,
           "'" + name +
               "' may be undefined here: it is bound only inside of a loop, which may "
               "not run; bind it before the loop",
           {{binding.at, "it is bound here"}});
  }
  sema.setRange(state.range);
}

bool Generator::withCarried(const AssignedNames &assigned,
                            llvm::function_ref<bool(LoopState &)> attempt) {
  Environment before = env;
  SourceRange range = sema.range();
  mlir::Block *block = builder.getInsertionBlock();
  mlir::Operation *last = block->empty() ? nullptr : &block->back();
  size_t mark = diagnostics.all().size(), printedBefore = sema.printed().size();
  for (bool isOptimistic : {true, false}) {
    LoopState state;
    if (collectCarried(assigned, isOptimistic, state) && attempt(state))
      return true;
    bool hasFixed = std::any_of(state.carried.begin(), state.carried.end(),
                                [](const Carried &entry) { return entry.isFixed; });
    if (!isOptimistic || !hasFixed)
      return false;
    // Takes back the attempt.
    while (!block->empty() && &block->back() != last)
      block->back().erase();
    builder.setInsertionPointToEnd(block);
    diagnostics.rollback(mark);
    sema.printed().resize(printedBefore);
    env = before;
    sema.setRange(range);
  }
  return false;
}

//===----------------------------------------------------------------------===//
// while
//===----------------------------------------------------------------------===//

/// `while condition` or `while tl.condition(condition, disable_licm=...)`.
Result Generator::loopCondition(const ast::Expr &test) {
  auto *call = llvm::dyn_cast<ast::Call>(&test);
  if (!call || call->callee->kind == ast::ExprKind::Call)
    return expression(test);
  auto callee = expression(*call->callee);
  if (!callee)
    return std::nullopt;
  auto *library = callee->getIf<Library>();
  if (!library || library->name != "condition")
    return expression(test);
  Arguments evaluated;
  if (!arguments(*call, evaluated))
    return std::nullopt;
  std::vector<Value> conditions = evaluated.positional;
  bool isKnown = conditions.size() <= 2;
  if (conditions.size() > 1)
    conditions.resize(1);
  for (auto &[name, value] : evaluated.keywords) {
    isKnown &= name == "arg1" || name == "disable_licm";
    if (name == "arg1")
      conditions.push_back(value);
  }
  if (conditions.size() != 1 || !isKnown)
    return error(test.range, "tl.condition needs the condition as its first argument, and may have "
                             "one more: tl.condition(arg1, disable_licm=False)");
  return conditions.front();
}

Outcome Generator::whileStatement(const ast::While &stmt) {
  AssignedNames inTest, assigned;
  inTest.addExpression(*stmt.test, false);
  for (const std::string &name : inTest.all) {
    if (env.contains(name))
      continue;
    error(stmt.test->range, "'" + name +
                                "' is bound only in the condition of this loop; bind it "
                                "before the loop");
    return Outcome::failed();
  }
  assigned.addExpression(*stmt.test, false);
  assigned.addBlock(stmt.body, false);
  sema.setRange(stmt.range);
  Exit after;
  bool isEndless = false;
  bool isDone = withCarried(assigned, [&](LoopState &state) {
    return mayLeave(stmt.body) ? leavingWhile(stmt, state, after, isEndless)
                               : plainWhile(stmt, state);
  });
  return isDone ? leftLoop(after, isEndless) : Outcome::failed();
}

bool Generator::endlessLoop(const ast::While &stmt) {
  error(stmt.test->range, "this condition is always true, so the loop would never end");
  return false;
}

/// What a loop leaves may be of no use to anybody, and it may have no other effects: still the
/// program must not go on where the loop does not end. Something stands in it that is not known to
/// be without effects. (A function of elements has none; whether it is called, nobody may tell.)
void Generator::keepLoop(mlir::Operation *loop) {
  for (mlir::Operation *around = loop->getParentOp(); around; around = around->getParentOp())
    if (llvm::isa<tt::Combining, tt::MapElementwiseOp>(around))
      return;
  if (!mlir::wouldOpBeTriviallyDead(loop))
    return;
  builder.setInsertionPointToStart(&llvm::cast<mlir::scf::WhileOp>(loop).getBefore().front());
  mlir::Value always = builder.create<mlir::arith::ConstantIntOp>(loop->getLoc(), 1, 1);
  builder.create<tt::AssumeOp>(loop->getLoc(), always);
}

/// A loop that only its condition ends.
bool Generator::plainWhile(const ast::While &stmt, LoopState &state) {
  mlir::Location loc = location(stmt.range);
  llvm::SmallVector<mlir::Type> types(mlir::ValueRange(state.inits).getTypes());
  llvm::SmallVector<mlir::Location> locations(types.size(), loc);
  auto loop = builder.create<mlir::scf::WhileOp>(loc, types, state.inits);
  mlir::Block *test = builder.createBlock(&loop.getBefore(), {}, types, locations);
  mlir::Block *body = builder.createBlock(&loop.getAfter(), {}, types, locations);

  auto arguments = [](mlir::Block *block) {
    return llvm::SmallVector<mlir::Value>(block->args_begin(), block->args_end());
  };
  builder.setInsertionPointToEnd(test);
  enterBody(state, arguments(test));
  auto condition = loopCondition(*stmt.test);
  sema.setRange(stmt.test->range);
  auto truth = condition ? sema.truth(*condition) : std::nullopt;
  if (!truth)
    return false;
  if (auto *known = std::get_if<bool>(&*truth)) {
    if (*known)
      return endlessLoop(stmt);
    builder.setInsertionPointAfter(loop);
    loop.erase();
    env = std::move(state.before);
    return true;
  }
  llvm::SmallVector<mlir::Value> forwarded;
  if (!leaveBody(state, forwarded))
    return false;
  builder.create<mlir::scf::ConditionOp>(loc, std::get<mlir::Value>(*truth), forwarded);
  std::vector<Carried> afterTest = state.carried;

  builder.setInsertionPointToEnd(body);
  enterBody(state, arguments(body));
  if (run(stmt.body, nullptr).isFailed())
    return false;
  // The condition reads what the body leaves.
  for (size_t i = 0; i < afterTest.size(); ++i)
    if (reads[afterTest[i].version])
      reads[state.carried[i].version] = true;
  llvm::SmallVector<mlir::Value> yields;
  if (!leaveBody(state, yields))
    return false;
  builder.create<mlir::scf::YieldOp>(loc, yields);
  // The results are what the condition forwards.
  for (size_t i = 0; i < afterTest.size(); ++i) {
    state.carried[i].isChanged |= afterTest[i].isChanged;
    if (!state.carried[i].final.poison)
      state.carried[i].final.poison = afterTest[i].final.poison;
  }
  keepLoop(loop);
  builder.setInsertionPointAfter(loop);
  afterLoop(state, llvm::SmallVector<mlir::Value>(loop.getResults()));
  return true;
}

/// The names that only the body of an endless loop binds: they have a value where each `break` of
/// it finds them bound.
static std::vector<std::string> boundInside(const ast::While &stmt, const Environment &before) {
  AssignedNames assigned;
  assigned.addBlock(stmt.body, false);
  std::vector<std::string> names;
  for (const std::string &name : assigned.all)
    if (auto found = before.find(name); found == before.end() || found->second.poison)
      names.push_back(name);
  return names;
}

/// `while test: body` is `while True: if not test: break; body`.
bool Generator::leavingWhile(const ast::While &stmt, LoopState &state, Exit &after,
                             bool &isEndless) {
  mlir::Location loc = location(stmt.range);
  auto number = [&](int64_t value) -> mlir::Value {
    return builder.create<mlir::arith::ConstantIntOp>(loc, value, 32);
  };
  auto shell = builder.create<mlir::scf::ForOp>(loc, number(0), number(1), number(1), state.inits);
  shell.getBody()->clear();
  builder.setInsertionPointToEnd(shell.getBody());
  enterBody(state, llvm::SmallVector<mlir::Value>(shell.getRegionIterArgs()));
  auto condition = loopCondition(*stmt.test);
  sema.setRange(stmt.test->range);
  auto truth = condition ? sema.truth(*condition) : std::nullopt;
  if (!truth)
    return false;
  auto *known = std::get_if<bool>(&*truth);
  if (known && !*known) {
    builder.setInsertionPointAfter(shell);
    shell.erase();
    env = std::move(state.before);
    return true;
  }
  Exit exit;
  std::vector<std::string> last;
  if (known)
    last = boundInside(stmt, state.before);
  auto body = [&](const Rest *end) {
    if (known)
      return run(stmt.body, end);
    bool consumed = false;
    return branches(
        std::get<mlir::Value>(*truth), [&] { return run(stmt.body, end); },
        [&] { return leave(ExitKind::Break, std::nullopt, stmt.test->range); }, nullptr, consumed);
  };
  bool isDone = loopBody(state.names(), exit, body, last);
  llvm::SmallVector<mlir::Value> yields;
  if (!isDone || !leaveBody(state, yields) || !canReturnFrom(shell, exit))
    return false;
  if (asInt(exit.code) == Constant::Int(ExitKind::Continue))
    return endlessLoop(stmt);
  std::vector<std::pair<std::string, SourceRange>> bound;
  llvm::SmallVector<Value> values;
  for (const std::string &name : last)
    if (auto found = env.find(name); found != env.end() && !found->second.poison) {
      if (holdsFrom(shell, found->second.value)) {
        poison(found->second,
               "'" + name + "' is " + describe(found->second.value) +
                   ", which holds a value of the loop that binds it and cannot leave that; use it "
                   "there",
               {{found->second.at, "it is bound here"}});
        continue;
      }
      bound.emplace_back(name, found->second.at);
      values.push_back(found->second.value);
    }
  LeftLoop left = leavingLoop(shell, state, yields, exit, nullptr, values);
  afterLoop(state, left.results);
  for (auto [entry, value] : llvm::zip_equal(bound, left.last))
    bind(entry.first, value, entry.second);
  for (const std::string &name : last)
    if (!env.contains(name))
      poison(env[name],
             "'" + name +
                 "' may be undefined here: a 'break' leaves the loop that binds it before it is "
                 "bound; bind it before the loop",
             {});
  after = std::move(left.exit);
  isEndless = known != nullptr;
  return true;
}

//===----------------------------------------------------------------------===//
// for
//===----------------------------------------------------------------------===//

/// One copy of the body for each value.
Outcome Generator::unrolled(const ast::For &stmt, llvm::ArrayRef<Value> values) {
  if (mayLeave(stmt.body)) {
    AssignedNames assigned;
    assigned.addTarget(*stmt.target, false);
    assigned.addBlock(stmt.body, false);
    std::vector<std::string> names(assigned.all.begin(), assigned.all.end());
    return unrolledFrom(stmt, values, names);
  }
  for (const Value &value : values) {
    sema.setRange(stmt.range);
    if (!assign(*stmt.target, value, stmt.target->range) || run(stmt.body, nullptr).isFailed())
      return Outcome::failed();
  }
  return {};
}

Outcome Generator::forStatement(const ast::For &stmt) {
  auto *call = llvm::dyn_cast<ast::Call>(stmt.iterable.get());
  if (call && call->callee->kind == ast::ExprKind::Call)
    call = nullptr;
  auto callee = call ? expression(*call->callee) : std::nullopt;
  if (call && !callee)
    return Outcome::failed();
  if (callee && isIteratorClass(*callee)) {
    const std::string &name = callee->get<Library>().name;
    auto range = rangeArguments(name, *call);
    if (!range)
      return Outcome::failed();
    sema.setRange(stmt.range);
    return name == "static_range" ? staticRange(stmt, *range) : rangeLoop(stmt, *range);
  }
  auto values = knownValues(*stmt.iterable);
  return values ? unrolled(stmt, *values) : Outcome::failed();
}
