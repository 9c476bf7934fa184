//===- ControlFlow.cpp - structured control flow to branches --------------===//
//
// Conditions and bounds of the program are scalars, which all threads of it agree on, so
// that a barrier may stand anywhere but in a detour, which lanes take by themselves.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "tritium/Analysis/IntegerRanges.h"

using namespace mlir;

namespace tritium::ttg {

/// Four bytes of an operand of a dot are one word to the instruction that loads them and to the
/// one that multiplies them: they go from block to block as such, and not as four registers.
static bool goesAsWords(Value value) {
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  return tile && isa<DotOperandEncodingAttr>(tile.getEncoding()) &&
         tt::scalarBits(tile.getElementType()) == 8 && layoutOf(tile).registers() % 4 == 0;
}

Registers Lowering::flatten(ValueRange list) {
  Registers flat;
  for (Value value : list) {
    if (!goesAsWords(value)) {
      flat.append(get(value));
      continue;
    }
    SmallVector<Value> bytes;
    for (Value part : get(value))
      bytes.push_back(toMemory(part, tt::elementType(value.getType())));
    flat.append(pack(bytes, 32));
  }
  return flat;
}

Block *Lowering::newBlock() {
  OpBuilder::InsertionGuard guard(b);
  Region *region = entry->getParent();
  return b.createBlock(region, region->end());
}

Block *Lowering::blockFor(ValueRange like, ValueRange names) {
  Block *block = newBlock();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(block);
  for (auto [value, name] : llvm::zip(like, names)) {
    Registers registers;
    if (goesAsWords(value)) {
      for (size_t i = 0; i < get(value).size(); i += 4)
        for (Value byte : unpack(block->addArgument(b.getI32Type(), loc), 8))
          registers.push_back(fromMemory(byte, tt::elementType(value.getType())));
    } else {
      for (Value part : get(value))
        registers.push_back(block->addArgument(part.getType(), loc));
    }
    set(name, std::move(registers));
  }
  return block;
}

SmallVector<Value> Lowering::branchAround(Value condition, ArrayRef<Value> values,
                                          llvm::function_ref<SmallVector<Value>()> emit) {
  Block *origin = b.getInsertionBlock(), *detour = newBlock();
  b.setInsertionPointToStart(detour);
  SmallVector<Value> made = emit(), results;
  Block *join = newBlock();
  for (Value value : values)
    results.push_back(join->addArgument(value.getType(), loc));
  b.create<LLVM::BrOp>(loc, made, join);
  b.setInsertionPointToEnd(origin);
  b.create<LLVM::CondBrOp>(loc, condition, detour, ValueRange(), join, ValueRange(values));
  b.setInsertionPointToStart(join);
  return results;
}

LogicalResult Lowering::lowerFor(scf::ForOp loop) {
  Value lower = scalar(loop.getLowerBound()), upper = scalar(loop.getUpperBound()),
        step = scalar(loop.getStep());
  // Behind the last iteration the index may pass the end of its type. As an unsigned number it
  // does not if the loop starts at 0 or above; otherwise it stops at its bound.
  bool startsAtZero = IntegerRanges().get(loop.getLowerBound()).low >= 0;
  if (startsAtZero)
    upper = select(cmp(LLVM::ICmpPredicate::sgt, upper, constant(upper.getType(), 0)), upper,
                   constant(upper.getType(), 0));
  Block *header = blockFor(loop.getInitArgs(), loop.getRegionIterArgs());
  Value index = header->insertArgument(0u, lower.getType(), loc);
  set(loop.getInductionVar(), {index});
  Registers start{lower};
  start.append(flatten(loop.getInitArgs()));
  b.create<LLVM::BrOp>(loc, start, header);

  b.setInsertionPointToEnd(header);
  Block *body = newBlock(), *exit = newBlock();
  Value more =
      cmp(startsAtZero ? LLVM::ICmpPredicate::ult : LLVM::ICmpPredicate::slt, index, upper);
  b.create<LLVM::CondBrOp>(loc, more, body, exit);
  for (auto [result, arg] : llvm::zip(loop.getResults(), loop.getRegionIterArgs()))
    set(result, get(arg));

  b.setInsertionPointToStart(body);
  if (failed(lowerBlock(*loop.getBody())))
    return failure();
  loc = loop.getLoc();
  Registers next{add(index, step)};
  if (!startsAtZero) {
    Value isLeft = cmp(LLVM::ICmpPredicate::ugt, sub(upper, index), step);
    next[0] = select(isLeft, next[0], upper);
  }
  next.append(flatten(loop.getYieldedValues()));
  b.create<LLVM::BrOp>(loc, next, header);
  exit->moveBefore(exit->getParent(), exit->getParent()->end());
  b.setInsertionPointToStart(exit);
  return success();
}

LogicalResult Lowering::lowerWhile(scf::WhileOp loop) {
  Block *before = blockFor(loop.getInits(), loop.getBeforeArguments());
  b.create<LLVM::BrOp>(loc, flatten(loop.getInits()), before);
  b.setInsertionPointToEnd(before);
  if (failed(lowerBlock(*loop.getBeforeBody())))
    return failure();
  loc = loop.getLoc();
  scf::ConditionOp condition = loop.getConditionOp();
  Block *after = newBlock(), *exit = newBlock();
  b.create<LLVM::CondBrOp>(loc, scalar(condition.getCondition()), after, exit);
  for (auto [value, arg, result] :
       llvm::zip(condition.getArgs(), loop.getAfterArguments(), loop.getResults())) {
    set(arg, get(value));
    set(result, get(value));
  }
  b.setInsertionPointToStart(after);
  if (failed(lowerBlock(*loop.getAfterBody())))
    return failure();
  loc = loop.getLoc();
  b.create<LLVM::BrOp>(loc, flatten(loop.getYieldOp().getOperands()), before);
  exit->moveBefore(exit->getParent(), exit->getParent()->end());
  b.setInsertionPointToStart(exit);
  return success();
}

LogicalResult Lowering::lowerIf(scf::IfOp branch) {
  Block *yes = newBlock();
  Block *no = branch.elseBlock() ? newBlock() : nullptr;
  Block *origin = b.getInsertionBlock();
  Location at = loc;
  Block *join = nullptr;
  for (Block *source : {branch.thenBlock(), branch.elseBlock()}) {
    if (!source)
      continue;
    b.setInsertionPointToStart(source == branch.thenBlock() ? yes : no);
    if (failed(lowerBlock(*source)))
      return failure();
    loc = at;
    ValueRange yielded = source->getTerminator()->getOperands();
    if (!join)
      join = blockFor(yielded, branch.getResults());
    b.create<LLVM::BrOp>(loc, flatten(yielded), join);
  }
  b.setInsertionPointToEnd(origin);
  b.create<LLVM::CondBrOp>(loc, scalar(branch.getCondition()), yes, no ? no : join);
  join->moveBefore(join->getParent(), join->getParent()->end());
  b.setInsertionPointToEnd(join);
  return success();
}

} // namespace tritium::ttg
