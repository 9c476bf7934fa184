//===- IRGenRanges.cpp - for over range, tl.range, tl.static_range --------===//
//
//   for k in range(0, n, s):   scf.for %k = %c0 to %n step %s : i32 { ... }
//
// scf.for counts upwards. With a negative step the loop runs from the stop to the start
// by the step's magnitude, and the index is start + stop - counter: it starts at start,
// goes down by the step, and ends above stop, whether or not the step divides the range.
// A step whose sign is not known selects between the two at run time; a step of zero
// then runs no iteration.
//
//===----------------------------------------------------------------------===//

#include "LoopState.h"

#include "tritium/Dialect/Tile/IR/Tile.h"
#include "tritium/Frontend/Sema/Builtins.h"

#include <algorithm>

using namespace tritium;
using namespace tritium::frontend;
using namespace tritium::frontend::python;
using namespace tritium::sema;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

namespace {
constexpr std::string_view kOptions[] = {
    "num_stages", "loop_unroll_factor", "disallow_acc_multi_buffer",
    "flatten",    "warp_specialize",    "disable_licm"};
} // namespace

/// range(stop), range(start, stop), range(start, stop, step); tl.range also has options.
std::optional<Generator::Range> Generator::rangeArguments(std::string_view callee,
                                                          const ast::Call &call) {
  Arguments evaluated;
  if (!arguments(call, evaluated))
    return std::nullopt;
  sema.setRange(call.range);
  bool isPlain = callee == "builtins.range";
  std::string shown = isPlain ? "range" : "tl." + std::string(callee);
  std::vector<std::optional<Value>> bounds(3);
  std::vector<std::pair<std::string_view, Value>> options;
  if (evaluated.positional.size() > (callee == "range" ? 9u : 3u))
    return sema.error("'" + shown + "' takes start, stop and step, found " +
                      std::to_string(evaluated.positional.size()) + " arguments");
  for (size_t i = 0; i < evaluated.positional.size(); ++i) {
    if (i < 3)
      bounds[i] = evaluated.positional[i];
    else
      options.emplace_back(kOptions[i - 3], evaluated.positional[i]);
  }
  for (auto &[name, value] : evaluated.keywords) {
    constexpr std::string_view kBounds[] = {"arg1", "arg2", "step"};
    auto *bound = std::find(std::begin(kBounds), std::end(kBounds), name);
    auto *option = std::find(std::begin(kOptions), std::end(kOptions), name);
    if (!isPlain && bound != std::end(kBounds) && !bounds[bound - kBounds])
      bounds[bound - kBounds] = value;
    else if (callee == "range" && option != std::end(kOptions))
      options.emplace_back(*option, value);
    else
      return sema.error("'" + shown + "' has no parameter '" + name + "', or it is given twice");
  }
  if (!bounds[0])
    return sema.error("'" + shown + "' needs at least one argument");

  Range result;
  result.range = call.range;
  bool hasStart = bounds[1] && !bounds[1]->isNone();
  result.start = hasStart ? *bounds[0] : makeInt(0);
  result.stop = hasStart ? *bounds[1] : *bounds[0];
  result.step = bounds[2] && !bounds[2]->isNone() ? *bounds[2] : makeInt(1);
  std::pair<Value *, std::string_view> named[] = {
      {&result.start, "start"}, {&result.stop, "stop"}, {&result.step, "step"}};
  for (auto &[value, what] : named) {
    auto checked = sema.loopBound(*value, what);
    if (!checked)
      return std::nullopt;
    *value = std::move(*checked);
  }
  if (asInt(result.step) == Constant::Int{0})
    return sema.error("the step of a loop must not be 0");
  for (auto &[name, value] : options) {
    if (value.isNone())
      continue;
    auto number = asInt(value);
    if (!number || *number < INT32_MIN || *number > INT32_MAX)
      return sema.error("option '" + std::string(name) +
                        "' of tl.range must be an integer that is "
                        "known at compile time, found " +
                        describe(value));
    bool isFlag = asBool(value).has_value();
    if (isFlag && *number == 0)
      continue;
    mlir::Attribute attribute = isFlag ? mlir::Attribute(builder.getUnitAttr())
                                       : builder.getI32IntegerAttr(static_cast<int32_t>(*number));
    result.attributes.push_back(builder.getNamedAttr("tt." + std::string(name), attribute));
  }
  return result;
}

/// Calls `visit` with each index of a range that is known; false after an error.
bool Generator::eachIndex(const Range &range, llvm::function_ref<bool(Value)> visit) {
  auto start = asInt(range.start), stop = asInt(range.stop), step = asInt(range.step);
  if (!start || !stop || !step) {
    const Value &unknown = !start ? range.start : !stop ? range.stop : range.step;
    error(range.range, "the bounds of this range must be known at compile time, found " +
                           describe(unknown) + "; use tl.range in a 'for' for a run-time loop");
    return false;
  }
  for (Constant::Int i = *start; *step > 0 ? i < *stop : i > *stop; i += *step) {
    sema.setRange(range.range);
    if (!checkLimits() || !visit(makeInt(i)))
      return false;
  }
  return true;
}

Outcome Generator::staticRange(const ast::For &stmt, const Range &range) {
  if (mayLeave(stmt.body)) {
    std::vector<Value> values;
    bool isKnown = eachIndex(range, [&](Value index) {
      values.push_back(std::move(index));
      return true;
    });
    return isKnown ? unrolled(stmt, values) : Outcome::failed();
  }
  bool isDone = eachIndex(range, [&](Value index) {
    return assign(*stmt.target, std::move(index), stmt.target->range) &&
           !run(stmt.body, nullptr).isFailed();
  });
  return isDone ? Outcome() : Outcome::failed();
}

/// The values of something that is iterated over at compile time: a range or a tuple.
std::optional<std::vector<Value>> Generator::knownValues(const ast::Expr &iterable) {
  if (auto *call = llvm::dyn_cast<ast::Call>(&iterable);
      call && call->callee->kind != ast::ExprKind::Call) {
    auto callee = expression(*call->callee);
    if (!callee)
      return std::nullopt;
    if (isIteratorClass(*callee)) {
      auto range = rangeArguments(callee->get<Library>().name, *call);
      std::vector<Value> values;
      bool isDone = range && eachIndex(*range, [&](Value index) {
                      values.push_back(std::move(index));
                      return true;
                    });
      return isDone ? std::optional(std::move(values)) : std::nullopt;
    }
  }
  auto value = expression(iterable);
  sema.setRange(iterable.range);
  return value ? sema.iterate(*value) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Run-time loops
//===----------------------------------------------------------------------===//

/// int32, or int64 if a bound does not fit. Unsigned bounds of 32 bits count in int64.
std::optional<DType> Generator::rangeType(const Range &range) {
  DType type{DTypeKind::Int32};
  for (const Value *value : {&range.start, &range.stop, &range.step}) {
    if (auto known = asInt(*value)) {
      if (*known < INT64_MIN || *known > INT64_MAX)
        return error(range.range, "a bound of this loop does not fit int64");
      if (*known < INT32_MIN || *known > INT32_MAX)
        type.kind = DTypeKind::Int64;
      continue;
    }
    DType own = value->get<Tensor>().dtype;
    if (own.kind == DTypeKind::UInt64)
      return error(range.range, "a loop cannot count in uint64; convert its bounds with "
                                ".to(tl.int64)");
    if (own.kind == DTypeKind::Int64 || own.kind == DTypeKind::UInt32)
      type.kind = DTypeKind::Int64;
  }
  return type;
}

std::optional<Generator::Counting> Generator::countingOf(const Range &range, DType type,
                                                         mlir::Location loc) {
  using namespace mlir::arith;
  auto scalar = [&](const Value &value) -> std::optional<Tensor> {
    if (auto *tensor = value.getIf<Tensor>())
      return sema.cast(*tensor, type);
    return sema.constant(value.get<Constant>(), type);
  };
  auto start = scalar(range.start), stop = scalar(range.stop);
  auto known = asInt(range.step);
  std::optional<Tensor> step =
      known ? sema.constant(makeInt(*known < 0 ? -*known : *known).get<Constant>(), type)
            : scalar(range.step);
  if (!start || !stop || !step)
    return std::nullopt;

  Counting result{*start, *stop, start->value, stop->value, step->value};
  mlir::Value &low = result.low, &high = result.high, &by = result.by, &isUp = result.isUp;
  result.isDown = known && *known < 0;
  if (result.isDown) {
    std::swap(low, high);
  } else if (!known && !by.getDefiningOp<tt::GetNumProgramsOp>()) {
    auto constantLike = [&](int64_t value) -> mlir::Value {
      return builder.create<ConstantOp>(loc, builder.getIntegerAttr(by.getType(), value));
    };
    mlir::Value zero = constantLike(0);
    isUp = builder.create<CmpIOp>(loc, CmpIPredicate::sgt, by, zero);
    mlir::Value isZero = builder.create<CmpIOp>(loc, CmpIPredicate::eq, by, zero);
    mlir::Value down = builder.create<SubIOp>(loc, zero, by);
    low = builder.create<SelectOp>(loc, isUp, start->value, stop->value);
    high = builder.create<SelectOp>(loc, isUp, stop->value, start->value);
    high = builder.create<SelectOp>(loc, isZero, low, high);
    by = builder.create<SelectOp>(loc, isUp, by, down);
    by = builder.create<SelectOp>(loc, isZero, constantLike(1), by);
  }
  return result;
}

mlir::Value Generator::indexOf(const Counting &counting, mlir::Value counter, mlir::Location loc) {
  using namespace mlir::arith;
  if (!counting.isDown && !counting.isUp)
    return counter;
  mlir::Value sum = builder.create<AddIOp>(loc, counting.start.value, counting.stop.value);
  mlir::Value index = builder.create<SubIOp>(loc, sum, counter);
  if (counting.isUp)
    index = builder.create<SelectOp>(loc, counting.isUp, counter, index);
  return index;
}

mlir::scf::ForOp Generator::narrowed(mlir::scf::ForOp shell, const LoopState &state,
                                     llvm::ArrayRef<mlir::Value> yields,
                                     llvm::SmallVectorImpl<mlir::Value> &results) {
  llvm::SmallVector<mlir::Value> inits, kept, arguments(state.inits);
  llvm::SmallVector<unsigned> slots = state.changed();
  for (unsigned slot : slots) {
    inits.push_back(state.inits[slot]);
    kept.push_back(yields[slot]);
  }
  mlir::Location loc = shell.getLoc();
  builder.setInsertionPoint(shell);
  auto final = builder.create<mlir::scf::ForOp>(loc, shell.getLowerBound(), shell.getUpperBound(),
                                                shell.getStep(), inits);
  final.getBody()->clear();
  results.assign(state.inits.begin(), state.inits.end());
  for (auto [i, slot] : llvm::enumerate(slots)) {
    arguments[slot] = final.getRegionIterArg(i);
    results[slot] = final.getResult(i);
  }
  arguments.insert(arguments.begin(), final.getInductionVar());
  moveBody(shell, final.getBody(), arguments, kept);
  builder.setInsertionPointToEnd(final.getBody());
  builder.create<mlir::scf::YieldOp>(loc, kept);
  builder.setInsertionPointAfter(final);
  return final;
}

/// The counter of the last round is `next` less the step; where the loop runs to its end,
/// low + (high - low - 1) / by * by.
void Generator::bindLastIndex(const ast::For &stmt, const Counting &counting, DType type,
                              mlir::Value next) {
  auto *target = llvm::dyn_cast<ast::Name>(stmt.target.get());
  AssignedNames body;
  body.addBlock(stmt.body, false);
  auto found = target ? env.find(target->id) : env.end();
  if (found == env.end() || !found->second.poison || body.all.contains(target->id))
    return;
  poison(found->second,
         "'" + target->id + "' has no value here: the loop that binds it may not run", {});
  auto last = std::make_shared<Poison>(*found->second.poison);
  last->lastValue = [this, counting, type, next]() -> Value {
    using namespace mlir::arith;
    mlir::Location loc = sema.loc();
    if (next) {
      mlir::Value counter = builder.create<SubIOp>(loc, next, counting.by);
      return Tensor{indexOf(counting, counter, loc), type};
    }
    mlir::Value one =
        builder.create<ConstantOp>(loc, builder.getIntegerAttr(counting.low.getType(), 1));
    mlir::Value length = builder.create<SubIOp>(loc, counting.high, counting.low);
    length = builder.create<SubIOp>(loc, length, one);
    mlir::Value rounds = builder.create<DivSIOp>(loc, length, counting.by);
    mlir::Value most = builder.create<MulIOp>(loc, rounds, counting.by);
    mlir::Value counter = builder.create<AddIOp>(loc, counting.low, most);
    return Tensor{indexOf(counting, counter, loc), type};
  };
  found->second.poison = std::move(last);
}

Outcome Generator::rangeLoop(const ast::For &stmt, const Range &range) {
  auto type = rangeType(range);
  if (!type)
    return Outcome::failed();
  mlir::Location loc = location(stmt.range);
  auto counting = countingOf(range, *type, loc);
  if (!counting)
    return Outcome::failed();
  AssignedNames assigned;
  assigned.addTarget(*stmt.target, false);
  assigned.addBlock(stmt.body, false);
  Exit after;
  bool isDone = withCarried(assigned, [&](LoopState &state) {
    auto loop = builder.create<mlir::scf::ForOp>(loc, counting->low, counting->high, counting->by,
                                                 state.inits);
    mlir::Block *body = loop.getBody();
    body->clear();
    builder.setInsertionPointToEnd(body);
    mlir::Value index = indexOf(*counting, loop.getInductionVar(), loc);
    enterBody(state, llvm::SmallVector<mlir::Value>(loop.getRegionIterArgs()));
    Exit exit;
    if (!assign(*stmt.target, Tensor{index, *type}, stmt.target->range) ||
        !loopBody(stmt.body, state.names(), exit))
      return false;
    llvm::SmallVector<mlir::Value> yields, results;
    if (!leaveBody(state, yields) || !canReturnFrom(loop, exit))
      return false;
    if (asInt(exit.code) == Constant::Int(ExitKind::Continue)) {
      narrowed(loop, state, yields, results)
          ->setDiscardableAttrs(builder.getDictionaryAttr(range.attributes));
      afterLoop(state, results);
      bindLastIndex(stmt, *counting, *type, nullptr);
      return true;
    }
    LeftLoop left = leavingLoop(loop, state, yields, exit, &*counting);
    afterLoop(state, left.results);
    bindLastIndex(stmt, *counting, *type, left.next);
    after = std::move(left.exit);
    return true;
  });
  return isDone ? leftLoop(after) : Outcome::failed();
}
