//===- ControlFlow.cpp - loops and branches that carry tiles --------------===//
//
// Scalars stay loop-carried values. Every tile that a loop carries, or that a branch or
// loop gives, has a buffer; yielding assigns it. The values of one yield are assigned
// as if at once: what still reads an old tile is first assigned to a temporary.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "tritium/Analysis/WaitLoops.h"

using namespace mlir;

namespace tritium::cpu {

static bool isTileValue(Value v) { return isa<RankedTensorType>(v.getType()); }

void Lowering::assignTile(Value value, Buffer *buffer) {
  auto type = cast<RankedTensorType>(value.getType());
  Step step{Step::Phase};
  step.shape.assign(type.getShape().begin(), type.getShape().end());
  step.lanesDim = preferredDim(value, likely);
  step.transposed = step.lanesDim != type.getRank() - 1 && type.getDimSize(type.getRank() - 1) > 1;
  step.roots.push_back({Root::Assign, nullptr, value, buffer});
  emitPhase(step);
}

void Lowering::copyBuffer(const Buffer &from, const Buffer &to) {
  int64_t rows = 1;
  for (int64_t d : ArrayRef(from.shape).drop_back())
    rows *= d;
  // Both are padded alike, so the tiles are copied as bytes.
  int64_t bytes = rows * from.rowStride * tt::scalarBytes(from.element);
  b.create<LLVM::MemcpyOp>(loc, bufferBase(to), bufferBase(from), i64(bytes), /*isVolatile=*/false);
}

void Lowering::emitRegionBody(Block &source, Block *block, ArrayRef<Root> results,
                              llvm::function_ref<void()> terminator) {
  OpBuilder::InsertionGuard guard(b);
  MemoScope scope(*this);
  if (!block->empty() && block->back().hasTrait<OpTrait::IsTerminator>())
    block->back().erase();
  b.setInsertionPointToEnd(block);
  emitBlock(source, results);
  terminator();
}

/// The iteration arguments of `loop` that `value` is computed from without passing
/// through memory. `identity` is cleared if one is read at another index.
static void collectArgs(Value value, scf::ForOp loop, llvm::SmallSetVector<Value, 4> &args,
                        bool &identity) {
  SmallVector<std::pair<Value, bool>> worklist{{value, true}};
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    auto [v, same] = worklist.pop_back_val();
    if (!seen.insert(v).second)
      continue;
    if (auto arg = dyn_cast<BlockArgument>(v)) {
      if (arg.getOwner() == loop.getBody()) {
        args.insert(v);
        identity &= same;
      }
      continue;
    }
    Operation *op = v.getDefiningOp();
    if (!isVirtual(v) || op->getBlock() != loop.getBody())
      continue;
    bool keeps = same && !isa<tt::TransOp, tt::BroadcastOp, tt::ExpandDimsOp, tt::ReshapeOp>(op);
    for (Value operand : op->getOperands())
      if (isTileValue(operand))
        worklist.push_back({operand, keeps});
  }
}

void Lowering::emitFor(scf::ForOp op) {
  Location forLoc = op.getLoc();
  unsigned count = op.getInitArgs().size();
  SmallVector<Buffer *> carried(count, nullptr);
  SmallVector<Value> scalarInits;
  for (unsigned i = 0; i < count; ++i) {
    Value init = op.getInitArgs()[i];
    if (!isTileValue(init)) {
      scalarInits.push_back(scalar(init));
      continue;
    }
    carried[i] = allocate(cast<RankedTensorType>(init.getType()), /*dense=*/false);
    assignTile(init, carried[i]);
  }
  for (unsigned i = 0; i < count; ++i)
    if (carried[i]) {
      buffers[op.getRegionIterArgs()[i]] = carried[i];
      buffers[op.getResult(i)] = carried[i];
    }

  // What each yielded tile still needs of the old ones.
  SmallVector<llvm::SmallSetVector<Value, 4>> needs(count);
  SmallVector<bool> identity(count, true);
  for (unsigned i = 0; i < count; ++i)
    if (carried[i]) {
      bool same = true;
      collectArgs(op.getYieldedValues()[i], op, needs[i], same);
      identity[i] = same;
    }
  SmallVector<Root> results;
  SmallVector<std::pair<Buffer *, Buffer *>> copies;
  for (unsigned i = 0; i < count; ++i) {
    Value yielded = op.getYieldedValues()[i], arg = op.getRegionIterArgs()[i];
    if (!carried[i] || yielded == arg)
      continue;
    bool direct = identity[i];
    for (unsigned j = 0; j < count; ++j)
      direct &= j == i || !needs[j].contains(arg);
    Buffer *destination = carried[i];
    if (!direct) {
      destination = allocate(cast<RankedTensorType>(yielded.getType()), /*dense=*/false);
      copies.push_back({destination, carried[i]});
    }
    results.push_back({Root::Assign, nullptr, yielded, destination});
  }

  loc = forLoc;
  // In 64 bits the index reaches its bound without wrapping, however near to the end of its type
  // the bound is.
  Type type = op.getInductionVar().getType();
  bool isNarrow = type.isInteger() && type.getIntOrFloatBitWidth() < 64;
  auto wide = [&](Value bound) -> Value {
    Value value = scalar(bound);
    return isNarrow ? b.create<arith::ExtSIOp>(loc, b.getI64Type(), value) : value;
  };
  Value lower = wide(op.getLowerBound()), upper = wide(op.getUpperBound());
  Value step = wide(op.getStep());
  bool polls = !isShort(op);
  // Bounds of 32 bits leave room for a last stretch that ends behind them.
  scf::ForOp stretches;
  OpBuilder::InsertionGuard stretchGuard(b);
  if (polls && isNarrow && isBrief(*op.getBody())) {
    Value stride = b.create<arith::MulIOp>(loc, step, i64(kRoundsBetweenPolls));
    stretches = b.create<scf::ForOp>(loc, lower, upper, stride, scalarInits);
    if (scalarInits.empty())
      stretches.getBody()->getTerminator()->erase();
    b.setInsertionPointToEnd(stretches.getBody());
    lower = stretches.getInductionVar();
    upper = minSigned(upper, b.create<arith::AddIOp>(loc, lower, stride));
    scalarInits.assign(stretches.getRegionIterArgs().begin(), stretches.getRegionIterArgs().end());
    polls = false;
  }
  auto loopOp = b.create<scf::ForOp>(loc, lower, upper, step, scalarInits);
  Value index = loopOp.getInductionVar();
  if (isNarrow)
    index = OpBuilder::atBlockBegin(loopOp.getBody()).create<arith::TruncIOp>(loc, type, index);
  scalars[op.getInductionVar()] = index;
  unsigned next = 0;
  for (unsigned i = 0; i < count; ++i)
    if (!carried[i])
      scalars[op.getRegionIterArgs()[i]] = loopOp.getRegionIterArgs()[next++];
  emitRegionBody(*op.getBody(), loopOp.getBody(), results, [&] {
    loc = forLoc;
    for (auto [from, to] : copies)
      copyBuffer(*from, *to);
    if (polls)
      emitPoll();
    SmallVector<Value> yields;
    for (Value v : op.getYieldedValues())
      if (!isTileValue(v))
        yields.push_back(scalar(v));
    b.create<scf::YieldOp>(loc, yields);
  });
  if (stretches) {
    loc = forLoc;
    b.setInsertionPointToEnd(stretches.getBody());
    emitPoll();
    b.create<scf::YieldOp>(loc, loopOp.getResults());
    loopOp = stretches;
  }
  next = 0;
  for (unsigned i = 0; i < count; ++i)
    if (!carried[i])
      scalars[op.getResult(i)] = loopOp.getResult(next++);
}

void Lowering::emitIf(scf::IfOp op) {
  Location ifLoc = op.getLoc();
  SmallVector<Type> types;
  for (Value result : op.getResults()) {
    if (auto type = dyn_cast<RankedTensorType>(result.getType()))
      buffers[result] = allocate(type, /*dense=*/false);
    else if (isa<tt::PointerType>(result.getType()))
      types.push_back(LLVM::LLVMPointerType::get(b.getContext()));
    else
      types.push_back(evalType(result.getType()));
  }
  loc = ifLoc;
  bool hasElse = !op.getElseRegion().empty();
  auto branch = b.create<scf::IfOp>(loc, types, scalar(op.getCondition()), hasElse);
  auto emit = [&](Block *source, Block *target) {
    auto yield = cast<scf::YieldOp>(source->getTerminator());
    SmallVector<Root> results;
    for (auto [result, v] : llvm::zip(op.getResults(), yield.getOperands()))
      if (isTileValue(v))
        results.push_back({Root::Assign, nullptr, v, buffers.lookup(result)});
    emitRegionBody(*source, target, results, [&] {
      SmallVector<Value> yields;
      for (Value v : yield.getOperands())
        if (!isTileValue(v))
          yields.push_back(scalar(v));
      b.create<scf::YieldOp>(ifLoc, yields);
    });
  };
  emit(op.thenBlock(), branch.thenBlock());
  if (hasElse)
    emit(op.elseBlock(), branch.elseBlock());
  unsigned next = 0;
  for (Value result : op.getResults())
    if (!isTileValue(result))
      scalars[result] = branch.getResult(next++);
}

void Lowering::emitWhile(scf::WhileOp op) {
  Location whileLoc = op.getLoc();
  auto scalarType = [&](Type type) -> Type {
    return isa<tt::PointerType>(type) ? LLVM::LLVMPointerType::get(b.getContext()) : evalType(type);
  };
  SmallVector<Value> inits;
  for (auto [init, arg] : llvm::zip(op.getInits(), op.getBeforeArguments())) {
    if (!isTileValue(init)) {
      inits.push_back(scalar(init));
      continue;
    }
    buffers[arg] = allocate(cast<RankedTensorType>(init.getType()), /*dense=*/false);
    assignTile(init, buffers[arg]);
  }
  SmallVector<Type> resultTypes;
  for (auto [result, arg] : llvm::zip(op.getResults(), op.getAfterArguments())) {
    if (auto type = dyn_cast<RankedTensorType>(result.getType())) {
      buffers[arg] = allocate(type, /*dense=*/false);
      buffers[result] = buffers[arg];
    } else {
      resultTypes.push_back(scalarType(result.getType()));
    }
  }
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
  auto tileRoots = [&](ValueRange values, Block::BlockArgListType targets) {
    SmallVector<Root> roots;
    for (auto [v, target] : llvm::zip(values, targets))
      if (isTileValue(v))
        roots.push_back({Root::Assign, nullptr, v, buffers.lookup(target)});
    return roots;
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
  emitRegionBody(
      *op.getBeforeBody(), before, tileRoots(condition.getArgs(), op.getAfterArguments()), [&] {
        SmallVector<Value> forwarded = scalarsOf(condition.getArgs());
        if (waits)
          forwarded.push_back(before->getArguments().back());
        b.create<scf::ConditionOp>(whileLoc, scalar(condition.getCondition()), forwarded);
      });
  Block *after = makeBlock(loopOp.getAfter(), op.getAfterArguments());
  auto yield = op.getYieldOp();
  emitRegionBody(
      *op.getAfterBody(), after, tileRoots(yield.getOperands(), op.getBeforeArguments()), [&] {
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
