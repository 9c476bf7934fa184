//===- IRGenExits.cpp - break, continue, and return within loops ----------===//
//
//   for i in range(n):     %r:4 = scf.while (true, %low, %s0, continue) {
//     if c: break            scf.condition(%live) ...
//     s += 1               } do { ^bb0(%live, %i, %s, %code):
//                            %exit:2 = scf.if %c { break, %s } else { continue, %s + 1 }
//                            %goes = %exit#0 == continue and %high - %i > %by
//                            scf.yield %goes, %i + %by, %exit#1, %exit#0 }
//
// A body in which something may leave is generated so that each of its paths ends in an
// exit, the end of the body being a `continue`. An exit has a code and the names that
// outlive it; where paths meet, so do these. If the code turns out to be `continue` on
// every path, the loop stays what it would have been. Else its body moves into an
// scf.while, which also ends when the code is another. A return's value is carried with
// the code, and after the loop control leaves with it if the code says so.
//
//===----------------------------------------------------------------------===//

#include "LoopState.h"

#include "tritium/Frontend/Sema/Builtins.h"

using namespace tritium;
using namespace tritium::frontend;
using namespace tritium::frontend::python;
using namespace tritium::sema;
using namespace mlir::arith;

/// Control leaves here, out of the innermost loop whose body may be left, or the function.
Outcome Generator::leave(ExitKind kind, std::optional<Value> result, SourceRange at) {
  Exit exit;
  exit.result = std::move(result);
  exit.at = at;
  if (kind == ExitKind::Return && frame->self) {
    const Binding &self = env.find(*frame->self)->second; // a parameter: it stays bound
    if (self.poison) {
      poisoned(self);
      return Outcome::failed();
    }
    exit.result = self.value;
  }
  if (frame->loop) {
    exit.code = makeInt(static_cast<int>(kind));
    exit.kinds = 1u << static_cast<unsigned>(kind);
    for (const std::string &name : frame->loop->names)
      if (auto found = env.find(name); found != env.end())
        exit.names[name] = found->second;
    if (kind == ExitKind::Break)
      for (const std::string &name : frame->loop->last)
        if (auto found = env.find(name); found != env.end())
          exit.names[name] = found->second;
  }
  return {Outcome::Leaves, {}, std::move(exit)};
}

bool Generator::loopBody(llvm::ArrayRef<std::string> names, Exit &exit,
                         llvm::function_ref<Outcome(const Rest *)> body,
                         llvm::ArrayRef<std::string> last) {
  LoopContext context{names, last, frame->loop};
  frame->loop = &context;
  Rest end{{}, nullptr, Rest::LoopBody};
  Outcome outcome = body(&end);
  frame->loop = context.outer;
  if (outcome.isFailed())
    return false;
  exit = std::move(outcome.exit);
  for (const std::string &name : llvm::concat<const std::string>(names, last)) {
    if (auto found = exit.names.find(name); found != exit.names.end())
      env[name] = std::move(found->second);
    else if (auto old = env.find(name); old != env.end())
      env.erase(old);
  }
  exit.names.clear();
  return true;
}

bool Generator::loopBody(llvm::ArrayRef<ast::StmtPtr> body, llvm::ArrayRef<std::string> names,
                         Exit &exit) {
  if (mayLeave(body))
    return loopBody(names, exit, [&](const Rest *end) { return run(body, end); });
  exit.code = makeInt(static_cast<int>(ExitKind::Continue));
  return !run(body, nullptr).isFailed();
}

mlir::Value Generator::isExit(const Value &code, ExitKind kind) {
  mlir::Location loc = sema.loc();
  mlir::Value actual = sema.toTensor(code)->value;
  mlir::Value wanted = builder.create<ConstantIntOp>(loc, static_cast<int>(kind), 32);
  return builder.create<CmpIOp>(loc, CmpIPredicate::eq, actual, wanted);
}

/// After a loop: a return in it leaves the loop around it as well, or the function.
Outcome Generator::leftLoop(const Exit &exit, bool isEndless) {
  if (!exit.result)
    return {};
  Outcome outcome = leave(ExitKind::Return, exit.result, exit.at);
  if (isEndless && !exit.mayBreak())
    return outcome;
  outcome.kind = Outcome::Maybe;
  outcome.flag = isExit(exit.code, ExitKind::Return);
  return outcome;
}

/// The copies of the body for `values`. Behind one that may have left at run time, the others
/// stand under the condition that it has not.
Outcome Generator::unrolledFrom(const ast::For &stmt, llvm::ArrayRef<Value> values,
                                llvm::ArrayRef<std::string> names) {
  Level level(*this);
  for (; !values.empty(); values = values.drop_front()) {
    sema.setRange(stmt.range);
    if (!checkLimits())
      return Outcome::failed();
    Exit exit;
    bool isDone = loopBody(names, exit, [&](const Rest *end) {
      bool isBound = assign(*stmt.target, values.front(), stmt.target->range);
      return isBound ? run(stmt.body, end) : Outcome::failed();
    });
    if (!isDone)
      return Outcome::failed();
    auto known = asInt(exit.code);
    if (known == Constant::Int(ExitKind::Continue))
      continue;
    if (known == Constant::Int(ExitKind::Break))
      return {};
    if (known)
      return leave(ExitKind::Return, std::move(exit.result), exit.at);
    sema.setRange(stmt.range);
    bool consumed = false;
    return branches(
        isExit(exit.code, ExitKind::Continue),
        [&] { return unrolledFrom(stmt, values.drop_front(), names); },
        [&] { return leftLoop(exit); }, nullptr, consumed);
  }
  return {};
}

/// In the body: whether the loop goes on, kept[0], also asks for the counter, whose next value is
/// kept[1].
static void countOn(mlir::OpBuilder &builder, mlir::Location loc, const auto &counting,
                    mlir::Value counter, llvm::MutableArrayRef<mlir::Value> kept) {
  // The counter is below the end, so their distance is exact as an unsigned number.
  mlir::Value distance = builder.create<SubIOp>(loc, counting.high, counter);
  mlir::Value goesOn = builder.create<CmpIOp>(loc, CmpIPredicate::ugt, distance, counting.by);
  kept[0] = builder.create<AndIOp>(loc, kept[0], goesOn);
  kept[1] = builder.create<AddIOp>(loc, counter, counting.by);
}

/// The scf.while that stands for `shell`. Without `counting` only the body ends it; then `last` is
/// what leaves it with a break.
Generator::LeftLoop Generator::leavingLoop(mlir::scf::ForOp shell, const LoopState &state,
                                           llvm::ArrayRef<mlir::Value> yields, const Exit &exit,
                                           const Counting *counting, llvm::ArrayRef<Value> last) {
  mlir::Location loc = shell.getLoc();
  // In the body: what is carried besides the names.
  llvm::SmallVector<mlir::Value> kept{isExit(exit.code, ExitKind::Continue)}, returned, leaving;
  for (const Value &value : last)
    flatten(value, leaving);
  auto code = sema.toTensor(exit.code);
  std::optional<Value> result = exit.result ? sema.materialize(*exit.result) : std::nullopt;
  if (result)
    flatten(*result, returned);

  builder.setInsertionPoint(shell);
  llvm::SmallVector<mlir::Value> inits{builder.create<ConstantIntOp>(loc, 1, 1)};
  if (counting) {
    inits[0] = builder.create<CmpIOp>(loc, CmpIPredicate::slt, counting->low, counting->high);
    inits.push_back(counting->low);
    kept.push_back(nullptr);
  }
  const unsigned firstName = inits.size();
  llvm::SmallVector<unsigned> slots = state.changed();
  for (unsigned slot : slots) {
    inits.push_back(state.inits[slot]);
    kept.push_back(yields[slot]);
  }
  const unsigned firstLast = inits.size();
  auto carryOut = [&](mlir::Value value) {
    inits.push_back(placeholder(loc, value.getType()));
    kept.push_back(value);
  };
  llvm::for_each(leaving, carryOut);
  if (result) {
    inits.push_back(builder.create<ConstantIntOp>(loc, static_cast<int>(ExitKind::Continue), 32));
    kept.push_back(code->value);
    llvm::for_each(returned, carryOut);
  }

  llvm::SmallVector<mlir::Type> types(mlir::ValueRange(inits).getTypes());
  llvm::SmallVector<mlir::Location> locations(types.size(), loc);
  auto loop = builder.create<mlir::scf::WhileOp>(loc, types, inits);
  mlir::Block *test = builder.createBlock(&loop.getBefore(), {}, types, locations);
  builder.create<mlir::scf::ConditionOp>(loc, test->getArgument(0), test->getArguments());
  mlir::Block *body = builder.createBlock(&loop.getAfter(), {}, types, locations);

  LeftLoop left;
  llvm::SmallVector<mlir::Value> arguments(state.inits);
  left.results.assign(state.inits.begin(), state.inits.end());
  for (auto [i, slot] : llvm::enumerate(slots)) {
    arguments[slot] = body->getArgument(firstName + i);
    left.results[slot] = loop.getResult(firstName + i);
  }
  mlir::Value counter = counting ? body->getArgument(1) : shell.getLowerBound();
  arguments.insert(arguments.begin(), counter);
  if (counting)
    kept[1] = counter;
  moveBody(shell, body, arguments, kept);
  builder.setInsertionPointToEnd(body);
  if (counting) {
    countOn(builder, loc, *counting, counter, kept);
    left.next = loop.getResult(1);
  }
  builder.create<mlir::scf::YieldOp>(loc, kept);
  if (!counting)
    keepLoop(loop);
  builder.setInsertionPointAfter(loop);

  llvm::SmallVector<mlir::Value> results(loop.getResults().drop_front(firstLast));
  llvm::ArrayRef<mlir::Value> rest = results;
  for (const Value &value : last)
    left.last.push_back(rebuild(value, rest));
  if (result) {
    left.exit.code = Tensor{rest.front(), code->dtype};
    rest = rest.drop_front();
    left.exit.result = rebuild(*result, rest);
    left.exit.at = exit.at;
    left.exit.kinds = exit.kinds;
  }
  return left;
}
