//===- ControlFlow.cpp - structured control flow to branches --------------===//
//
// Conditions and bounds of the program are scalars, which all threads of it agree on, so
// that a barrier may stand anywhere but in a detour, which lanes take by themselves.
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "tritium/Analysis/IntegerRanges.h"
#include "tritium/Kernel/LaunchABI.h"

using namespace mlir;

namespace tritium::ttg {

namespace {
class ControlFlowLowering : public LoweringContext {
public:
  explicit ControlFlowLowering(const LoweringContext &context) : LoweringContext(context) {}

  LogicalResult lowerFor(scf::ForOp loop);
  LogicalResult lowerWhile(scf::WhileOp loop);
  LogicalResult lowerIf(scf::IfOp branch);
  Value numProgramsAlong(unsigned axis);
  Value placeOf(Value number, unsigned axis);
  Value programIdOf(ttg::ProgramIdOp op);
  Value nextProgram(ttg::NextProgramOp op);
  /// Registers of all values, one after the other.
  Registers flatten(ValueRange values);
  /// A block behind the current one with an argument for everything that flatten(values) is,
  /// which become the registers of `names`. More goes to its end.
  Block *blockFor(ValueRange values, ValueRange names);
};
} // namespace

/// Four bytes of an operand of a dot are one word to the instruction that loads them and to the
/// one that multiplies them: they go from block to block as such, and not as four registers.
static bool goesAsWords(Value value) {
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  return tile && isa<DotOperandEncodingAttr>(tile.getEncoding()) &&
         tt::scalarBits(tile.getElementType()) == 8 && layoutOf(tile).registers() % 4 == 0;
}

Registers ControlFlowLowering::flatten(ValueRange list) {
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

Block *ControlFlowLowering::blockFor(ValueRange like, ValueRange names) {
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

LogicalResult ControlFlowLowering::lowerFor(scf::ForOp loop) {
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

LogicalResult ControlFlowLowering::lowerWhile(scf::WhileOp loop) {
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

LogicalResult ControlFlowLowering::lowerIf(scf::IfOp branch) {
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

Value ControlFlowLowering::numProgramsAlong(unsigned axis) {
  return grid.empty() ? gridExtent(axis) : grid[axis];
}

/// Extents are at least 1, as there is a program. Of a grid of one dimension nothing is divided.
Value ControlFlowLowering::placeOf(Value number, unsigned axis) {
  Value rest = number;
  for (unsigned before = 0; before < axis; ++before)
    rest = b.create<LLVM::UDivOp>(loc, rest, grid[before]);
  if (axis == 2)
    return rest;
  Value extent = grid[axis];
  Value isBeyond = cmp(LLVM::ICmpPredicate::uge, rest, extent);
  auto inside = [&]() -> SmallVector<Value> {
    return {b.create<LLVM::URemOp>(loc, rest, extent).getResult()};
  };
  return branchAround(isBeyond, {rest}, inside)[0];
}

Value ControlFlowLowering::programIdOf(ttg::ProgramIdOp op) {
  Value number = scalar(op.getNumber());
  return programIdAlong(
      op.getAxis(), [&](unsigned axis) { return placeOf(number, axis); },
      [&](unsigned axis) { return grid[axis]; });
}

/// The first lane takes it, for all. Counters of all streams lie side by side; one that has counted
/// to the last number is 0 again.
Value ControlFlowLowering::nextProgram(ttg::NextProgramOp op) {
  if (!module.lookupSymbol(kProgramCountersSymbol)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto counters = LLVM::LLVMArrayType::get(b.getI32Type(), kProgramCounters);
    auto zeros = DenseElementsAttr::get(RankedTensorType::get({kProgramCounters}, b.getI32Type()),
                                        b.getI32IntegerAttr(0));
    b.create<LLVM::GlobalOp>(loc, counters, /*isConstant=*/false, LLVM::Linkage::Internal,
                             kProgramCountersSymbol, zeros, /*alignment=*/4, /*addrSpace=*/1);
  }
  Value hasCounter =
      cmp(LLVM::ICmpPredicate::ne, counter, i32(static_cast<int32_t>(kNoProgramCounter)));
  auto take = [&]() -> SmallVector<Value> {
    Value counters = b.create<LLVM::AddressOfOp>(loc, pointerType(1), kProgramCountersSymbol);
    Value last = sub(scalar(op.getCount()), i32(1));
    return {intrinsic("llvm.nvvm.atomic.load.inc.32.p1", b.getI32Type(),
                      {gep(counters, b.getI32Type(), counter), last})};
  };
  Value taken = branchAround(both(equals(lane, 0), hasCounter), {scalar(op.getNumber())}, take)[0];
  return add(shuffleIndex(taken, i32(0)), numberOfRunners());
}

void populateControlFlowPatterns(LoweringPatterns &patterns, const LoweringContext &context) {
  auto family = std::make_shared<ControlFlowLowering>(context);
  patterns.add<scf::ForOp>([=](scf::ForOp op) { return family->lowerFor(op); });
  patterns.add<scf::WhileOp>([=](scf::WhileOp op) { return family->lowerWhile(op); });
  patterns.add<scf::IfOp>([=](scf::IfOp op) { return family->lowerIf(op); });
  // Their operands are taken by the operation around them.
  patterns.add<scf::YieldOp, scf::ConditionOp>([](Operation *) { return success(); });
  patterns.add<tt::ReturnOp>([=](Operation *) {
    family->b.create<LLVM::ReturnOp>(family->loc, ValueRange());
    return success();
  });
  patterns.add<tt::GetProgramIdOp>([=](tt::GetProgramIdOp op) {
    family->set(op, {family->programIdAlong(op.getAxis())});
    return success();
  });
  patterns.add<tt::GetNumProgramsOp>([=](tt::GetNumProgramsOp op) {
    family->set(op, {family->numProgramsAlong(op.getAxis())});
    return success();
  });
  patterns.add<ttg::CTAIdOp>([=](ttg::CTAIdOp op) {
    family->set(op, {family->numberOfRunner()});
    return success();
  });
  patterns.add<ttg::NumCTAsOp>([=](ttg::NumCTAsOp op) {
    family->set(op, {family->numberOfRunners()});
    return success();
  });
  patterns.add<ttg::ProgramIdOp>([=](ttg::ProgramIdOp op) {
    family->set(op, {family->programIdOf(op)});
    return success();
  });
  patterns.add<ttg::NextProgramOp>([=](ttg::NextProgramOp op) {
    family->set(op, {family->nextProgram(op)});
    return success();
  });
}

} // namespace tritium::ttg
