//===- PointerBases.cpp - which arguments a pointer comes from ------------===//

#include "tritium/Analysis/PointerBases.h"

#include "tritium/Dialect/Tile/IR/Placeholder.h"
#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tritium {

namespace {
bool isArgument(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && isa<tt::FuncOp>(argument.getOwner()->getParentOp());
}

/// What `pointer`, or a tensor descriptor, is made of by arithmetic and shape operations, which
/// keep its bases.
Value withoutOffsets(Value pointer) {
  while (Operation *op = pointer.getDefiningOp()) {
    if (Value source = ttg::movedFrom(pointer))
      pointer = source;
    else if (isa<tt::AddPtrOp, tt::BitcastOp, tt::MakeTensorDescriptorOp>(op))
      pointer = op->getOperand(0);
    else
      break;
  }
  return pointer;
}

/// The pointers that an integer holds the address of: an address itself, or an element of a tile of
/// them that a reduction takes over unchanged.
LogicalResult collectAddresses(Value integer, SmallVectorImpl<Value> &sources) {
  Operation *op = integer.getDefiningOp();
  if (auto reduce = dyn_cast_if_present<tt::ReduceOp>(op)) {
    Block &combine = reduce->getRegion(0).front();
    unsigned number = cast<OpResult>(integer).getResultNumber();
    auto taken = dyn_cast<BlockArgument>(combine.getTerminator()->getOperand(number));
    if (!taken || taken.getOwner() != &combine)
      return failure();
    return collectAddresses(reduce->getOperand(taken.getArgNumber() % reduce->getNumOperands()),
                            sources);
  }
  auto address = dyn_cast_if_present<tt::PtrToIntOp>(op);
  if (!address)
    return failure();
  sources.push_back(address->getOperand(0));
  return success();
}

/// The values that a block argument may be.
LogicalResult collectSources(BlockArgument argument, SmallVectorImpl<Value> &sources) {
  unsigned number = argument.getArgNumber();
  return llvm::TypeSwitch<Operation *, LogicalResult>(argument.getOwner()->getParentOp())
      .Case([&](scf::ForOp loop) {
        if (number == 0)
          return failure();
        sources.append({loop.getInitArgs()[number - 1], loop.getYieldedValues()[number - 1]});
        return success();
      })
      .Case([&](scf::WhileOp loop) {
        if (argument.getOwner() == loop.getBeforeBody())
          sources.append({loop.getInits()[number], loop.getYieldOp().getOperand(number)});
        else
          sources.push_back(loop.getConditionOp().getArgs()[number]);
        return success();
      })
      .Default([](Operation *) { return failure(); });
}

/// The pointers that a result of an operation may be.
LogicalResult collectSources(OpResult result, SmallVectorImpl<Value> &sources) {
  unsigned number = result.getResultNumber();
  return llvm::TypeSwitch<Operation *, LogicalResult>(result.getOwner())
      .Case([&](arith::SelectOp op) {
        sources.append({op.getTrueValue(), op.getFalseValue()});
        return success();
      })
      .Case([&](tt::IntToPtrOp op) {
        // Nothing is reached through what stands for a pointer where there is none.
        if (op->hasAttr(tt::kPlaceholder))
          return success();
        return collectAddresses(op->getOperand(0), sources);
      })
      .Case([&](tt::GatherOp op) {
        sources.push_back(op.getSrc());
        return success();
      })
      .Case([&](ttg::LocalGatherOp op) {
        auto memory = op->getOperand(0).getDefiningOp<ttg::LocalAllocOp>();
        if (!memory || !memory.getInit() ||
            !llvm::all_of(memory->getUsers(), llvm::IsaPred<ttg::LocalGatherOp>))
          return failure();
        sources.push_back(memory.getInit());
        return success();
      })
      .Case([&](scf::ForOp loop) {
        sources.append({loop.getInitArgs()[number], loop.getYieldedValues()[number]});
        return success();
      })
      .Case([&](scf::WhileOp loop) {
        sources.push_back(loop.getConditionOp().getArgs()[number]);
        return success();
      })
      .Case([&](scf::IfOp branch) {
        sources.append(
            {branch.thenYield().getOperand(number), branch.elseYield().getOperand(number)});
        return success();
      })
      .Default([](Operation *) { return failure(); });
}
} // namespace

PointerBases basesOf(Value pointer) {
  PointerBases bases;
  llvm::SmallPtrSet<Value, 8> seen;
  SmallVector<Value> worklist{pointer};
  while (!worklist.empty()) {
    Value value = withoutOffsets(worklist.pop_back_val());
    if (!seen.insert(value).second)
      continue;
    auto argument = dyn_cast<BlockArgument>(value);
    if (isArgument(value))
      bases.arguments.insert(value);
    else if (failed(argument ? collectSources(argument, worklist)
                             : collectSources(cast<OpResult>(value), worklist)))
      bases.elsewhere = true;
  }
  return bases;
}

bool mayShareBase(Value a, Value b) {
  a = withoutOffsets(a);
  b = withoutOffsets(b);
  // Most are: this is asked of every two accesses.
  if (isArgument(a) && isArgument(b))
    return a == b;
  PointerBases x = basesOf(a), y = basesOf(b);
  return x.elsewhere || y.elsewhere ||
         llvm::any_of(x.arguments, [&](Value base) { return y.arguments.contains(base); });
}

} // namespace tritium
