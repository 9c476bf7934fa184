//===- ControlFlow.cpp - loops and branches that carry tiles --------------===//
//
// Scalars stay loop-carried values. What tiles are carried in, and when it is assigned, the
// plan says (PlanRegion.cpp).
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "tritium/Analysis/WaitLoops.h"

using namespace mlir;

namespace tritium::cpu {

static bool isTileValue(Value v) { return isa<RankedTensorType>(v.getType()); }

static Type scalarType(Type type) {
  return isa<tt::PointerType>(type) ? LLVM::LLVMPointerType::get(type.getContext())
                                    : evalType(type);
}

void Lowering::copyBuffer(const Buffer &from, const Buffer &to) {
  int64_t rows = 1;
  for (int64_t d : ArrayRef(from.shape).drop_back())
    rows *= d;
  // Both are padded alike, so the tiles are copied as bytes.
  int64_t bytes = rows * from.rowStride * tt::scalarBytes(from.element);
  b.create<LLVM::MemcpyOp>(loc, bufferBase(to), bufferBase(from), i64(bytes), /*isVolatile=*/false);
}

void Lowering::emitRegionBody(const StepList &steps, Block *block,
                              llvm::function_ref<void()> terminator) {
  OpBuilder::InsertionGuard guard(b);
  MemoScope scope(*this);
  if (!block->empty() && block->back().hasTrait<OpTrait::IsTerminator>())
    block->back().erase();
  b.setInsertionPointToEnd(block);
  emitSteps(steps);
  terminator();
}

void Lowering::enterRound(scf::ForOp op, Value index, ValueRange carried) {
  Type type = op.getInductionVar().getType();
  if (index.getType() != type)
    index = b.create<arith::TruncIOp>(loc, type, index);
  // Of the rounds that are emitted twice, the second one has values of its own.
  for (Operation &inner : *op.getBody())
    for (Value result : inner.getResults())
      scalars.erase(result);
  scalars[op.getInductionVar()] = index;
  unsigned next = 0;
  for (Value argument : op.getRegionIterArgs())
    if (!isTileValue(argument))
      scalars[argument] = carried[next++];
}

SmallVector<Value> Lowering::yieldedScalars(scf::ForOp op) {
  SmallVector<Value> yields;
  for (Value v : op.getYieldedValues())
    if (!isTileValue(v))
      yields.push_back(scalar(v));
  return yields;
}

SmallVector<Value> Lowering::emitRounds(const Step &planned, scf::ForOp op, Rounds range,
                                        ValueRange inits, bool polls) {
  loc = op.getLoc();
  auto loopOp = b.create<scf::ForOp>(loc, range.lower, range.upper, range.step, inits);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loopOp.getBody());
    enterRound(op, loopOp.getInductionVar(), loopOp.getRegionIterArgs());
  }
  emitRegionBody(planned.blocks.front(), loopOp.getBody(), [&] {
    loc = op.getLoc();
    for (auto [from, to] : planned.copies)
      copyBuffer(*from, *to);
    if (polls)
      emitPoll();
    b.create<scf::YieldOp>(loc, yieldedScalars(op));
  });
  return SmallVector<Value>(loopOp.getResults());
}

void Lowering::emitFor(const Step &planned, scf::ForOp op) {
  Location forLoc = op.getLoc();
  emitSteps(planned.before);
  SmallVector<Value> scalarInits;
  for (Value init : op.getInitArgs())
    if (!isTileValue(init))
      scalarInits.push_back(scalar(init));

  loc = forLoc;
  // In 64 bits the index reaches its bound without wrapping, however near to the end of its type
  // the bound is.
  Type type = op.getInductionVar().getType();
  bool isNarrow = type.isInteger() && type.getIntOrFloatBitWidth() < 64;
  auto wide = [&](Value bound) -> Value {
    Value value = scalar(bound);
    return isNarrow ? b.create<arith::ExtSIOp>(loc, b.getI64Type(), value) : value;
  };
  Rounds range{wide(op.getLowerBound()), wide(op.getUpperBound()), wide(op.getStep())};
  bool polls = !isShort(op);
  remarkRounds(planned, op);
  SmallVector<Value> results;
  if (planned.rounds) {
    results = emitRoundsAtOnce(planned, op, range, scalarInits);
  } else if (polls && isNarrow && isBrief(*op.getBody())) {
    // Bounds of 32 bits leave room for a last stretch that ends behind them.
    Value stride = b.create<arith::MulIOp>(loc, range.step, i64(kRoundsBetweenPolls));
    auto stretches = b.create<scf::ForOp>(loc, range.lower, range.upper, stride, scalarInits);
    OpBuilder::InsertionGuard guard(b);
    if (scalarInits.empty())
      stretches.getBody()->getTerminator()->erase();
    b.setInsertionPointToEnd(stretches.getBody());
    Value lower = stretches.getInductionVar();
    Value upper = minSigned(range.upper, b.create<arith::AddIOp>(loc, lower, stride));
    SmallVector<Value> inner = emitRounds(planned, op, {lower, upper, range.step},
                                          stretches.getRegionIterArgs(), /*polls=*/false);
    loc = forLoc;
    emitPoll();
    b.create<scf::YieldOp>(loc, inner);
    results.assign(stretches.result_begin(), stretches.result_end());
  } else {
    results = emitRounds(planned, op, range, scalarInits, polls);
  }
  unsigned next = 0;
  for (Value result : op.getResults())
    if (!isTileValue(result))
      scalars[result] = results[next++];
  if (planned.rounds && planned.rounds->epilogue)
    emitWholeEpilogue(*planned.rounds->epilogue, results.back());
}

void Lowering::emitIf(const Step &step, scf::IfOp op) {
  Location ifLoc = op.getLoc();
  SmallVector<Type> types;
  for (Value result : op.getResults())
    if (!isTileValue(result))
      types.push_back(scalarType(result.getType()));
  loc = ifLoc;
  bool hasElse = !op.getElseRegion().empty();
  auto branch = b.create<scf::IfOp>(loc, types, scalar(op.getCondition()), hasElse);
  auto emit = [&](unsigned number, Block *source, Block *target) {
    emitRegionBody(step.blocks[number], target, [&] {
      SmallVector<Value> yields;
      for (Value v : source->getTerminator()->getOperands())
        if (!isTileValue(v))
          yields.push_back(scalar(v));
      b.create<scf::YieldOp>(ifLoc, yields);
    });
  };
  emit(0, op.thenBlock(), branch.thenBlock());
  if (hasElse)
    emit(1, op.elseBlock(), branch.elseBlock());
  unsigned next = 0;
  for (Value result : op.getResults())
    if (!isTileValue(result))
      scalars[result] = branch.getResult(next++);
}

void Lowering::emitWhile(const Step &step, scf::WhileOp op) {
  Location whileLoc = op.getLoc();
  emitSteps(step.before);
  SmallVector<Value> inits;
  for (Value init : op.getInits())
    if (!isTileValue(init))
      inits.push_back(scalar(init));
  SmallVector<Type> resultTypes;
  for (Value result : op.getResults())
    if (!isTileValue(result))
      resultTypes.push_back(scalarType(result.getType()));
  loc = whileLoc;
  // A loop that waits counts its rounds, in one more value behind its own.
  bool waits = waitsForMemory(op);
  if (waits) {
    inits.push_back(constant(b.getI32Type(), 0));
    resultTypes.push_back(b.getI32Type());
  }
  auto loopOp = b.create<scf::WhileOp>(loc, resultTypes, inits);
  auto makeBlock = [&](Region &region, Block::BlockArgListType args) {
    SmallVector<Type> types;
    for (Value arg : args)
      if (!isTileValue(arg))
        types.push_back(scalarType(arg.getType()));
    if (waits)
      types.push_back(b.getI32Type());
    OpBuilder::InsertionGuard guard(b);
    Block *block = b.createBlock(&region, {}, types, SmallVector<Location>(types.size(), loc));
    unsigned next = 0;
    for (Value arg : args)
      if (!isTileValue(arg))
        scalars[arg] = block->getArgument(next++);
    return block;
  };
  auto scalarsOf = [&](ValueRange values) {
    SmallVector<Value> out;
    for (Value v : values)
      if (!isTileValue(v))
        out.push_back(scalar(v));
    return out;
  };
  auto condition = op.getConditionOp();
  Block *before = makeBlock(loopOp.getBefore(), op.getBeforeArguments());
  emitRegionBody(step.blocks[0], before, [&] {
    SmallVector<Value> forwarded = scalarsOf(condition.getArgs());
    if (waits)
      forwarded.push_back(before->getArguments().back());
    b.create<scf::ConditionOp>(whileLoc, scalar(condition.getCondition()), forwarded);
  });
  Block *after = makeBlock(loopOp.getAfter(), op.getAfterArguments());
  auto yield = op.getYieldOp();
  emitRegionBody(step.blocks[1], after, [&] {
    SmallVector<Value> carried = scalarsOf(yield.getOperands());
    loc = whileLoc;
    emitPoll();
    if (waits) {
      carried.push_back(add(after->getArguments().back(), constant(b.getI32Type(), 1)));
      emitWait(whileLoc, carried.back());
    }
    b.create<scf::YieldOp>(whileLoc, carried);
  });
  unsigned next = 0;
  for (Value result : op.getResults())
    if (!isTileValue(result))
      scalars[result] = loopOp.getResult(next++);
}

} // namespace tritium::cpu
