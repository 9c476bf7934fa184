//===- WidenOffsets.cpp - tt-widen-offsets --------------------------------===//
//
// An index has one meaning: sums, differences and products of i32 that make up the offset
// of an addptr do not wrap, and a comparison of what is made of them sees the same numbers.
// Written out, both are computed in i64:
//
//   %r = arith.muli %row, %stride : tensor<64xi32>
//   %o = arith.addi %r, %col : tensor<64xi32>
//   %m = arith.cmpi slt, %o, %n : tensor<64xi32>
//   %p = tt.addptr %base, %o : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
//
//   %row64 = arith.extsi %row : tensor<64xi32> to tensor<64xi64>   (also stride, col, n)
//   %r64 = arith.muli %row64, %stride64 : tensor<64xi64>
//   %o64 = arith.addi %r64, %col64 : tensor<64xi64>
//   %m = arith.cmpi slt, %o64, %n64 : tensor<64xi64>
//   %p = tt.addptr %base, %o64 : tensor<64x!tt.ptr<f32>>, tensor<64xi64>
//
// The indices of blocks, and the extents and strides of the arrays that they are in, are offsets,
// too. What an offset carries through a loop or a branch is carried in i64. Everything else
// (quotients, shifts, loaded values, what is stored) is taken as it is at its own width.
// Unsigned comparisons are left alone: the offset is a signed number.
//
// It runs first, before anything folds constants at the width that the offsets have.
//
//===----------------------------------------------------------------------===//

#include "tritium/Analysis/IntegerRanges.h"
#include "tritium/Dialect/Tile/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tritium::tt {

#define GEN_PASS_DEF_WIDENOFFSETS
#include "tritium/Dialect/Tile/Transforms/Passes.h.inc"

namespace {
/// Deeper expressions are extended as they are.
constexpr int kMaxDepth = 500;

unsigned widthOf(Value value) { return getElementTypeOrSelf(value).getIntOrFloatBitWidth(); }
bool isInt32(Value value) { return getElementTypeOrSelf(value).isInteger(32); }
Type widened(Type type) { return withElement(type, IntegerType::get(type.getContext(), 64)); }

bool isArithmetic(Operation *op) { return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op); }
/// The same number with a hint of its own.
bool isHinted(Operation *op) {
  return isa<BitcastOp>(op) && op->getOperand(0).getType() == op->getResult(0).getType();
}

/// The operation that `value` is computed by, if it can be done in i64 instead.
Operation *widenable(Value value) {
  Operation *op = value.getDefiningOp();
  Type element = getElementTypeOrSelf(value);
  if (!op || !(element.isInteger(32) || element.isInteger(64)))
    return nullptr;
  bool extends = isa<arith::ExtSIOp>(op) && isInt32(op->getOperand(0));
  return isArithmetic(op) || isa<DataMovement>(op) || isHinted(op) || extends ? op : nullptr;
}

/// Values that control flow defines from the operands `sources`, all of one type.
struct Carried {
  SmallVector<Value, 2> values;
  SmallVector<OpOperand *, 2> sources;
};

/// What carries `value` through a loop or out of a branch; nothing if it is not carried.
std::optional<Carried> carrierOf(Value value) {
  auto fromFor = [](scf::ForOp loop, unsigned i) {
    return Carried{
        {loop.getRegionIterArg(i), loop.getResult(i)},
        {&loop.getInitArgsMutable()[i], &loop.getBody()->getTerminator()->getOpOperand(i)}};
  };
  // What a round decides goes on, or out of the loop.
  auto fromCondition = [](scf::WhileOp loop, unsigned i) {
    return Carried{{loop.getAfterArguments()[i], loop.getResult(i)},
                   {&loop.getConditionOp().getArgsMutable()[i]}};
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    unsigned i = argument.getArgNumber();
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      return i == 0 ? std::nullopt : std::optional(fromFor(loop, i - 1));
    auto loop = dyn_cast<scf::WhileOp>(parent);
    if (!loop)
      return std::nullopt;
    if (argument.getOwner() == loop.getAfterBody())
      return fromCondition(loop, i);
    return Carried{{argument}, {&loop->getOpOperand(i), &loop.getYieldOp()->getOpOperand(i)}};
  }
  unsigned i = cast<OpResult>(value).getResultNumber();
  Operation *op = value.getDefiningOp();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return fromFor(loop, i);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return fromCondition(loop, i);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return Carried{{value},
                   {&branch.thenYield()->getOpOperand(i), &branch.elseYield()->getOpOperand(i)}};
  return std::nullopt;
}

/// The operands that say where an operation accesses memory, in elements.
MutableArrayRef<OpOperand> offsetsOf(Operation *op) {
  // Behind the pointer or the descriptor; behind them may be a tile that is written.
  MutableArrayRef<OpOperand> operands = op->getOpOperands();
  return llvm::TypeSwitch<Operation *, MutableArrayRef<OpOperand>>(op)
      .Case<AddPtrOp, MakeTensorDescriptorOp>([&](auto) { return operands.drop_front(); })
      .Case<DescriptorLoadOp, DescriptorStoreOp, DescriptorReduceOp>(
          [&](auto op) { return operands.slice(1, op.getIndices().size()); })
      .Case<DescriptorGatherOp, DescriptorScatterOp>([&](auto) { return operands.slice(1, 2); })
      .Default([](Operation *) { return MutableArrayRef<OpOperand>(); });
}

/// What the offsets of a function are made of.
class Closure {
public:
  /// True if i32 arithmetic takes part in `offset`, around loops too.
  bool add(Value offset) {
    llvm::SmallPtrSet<Value, 16> seen;
    llvm::SmallVector<Value> found;
    bool wraps = visit(offset, seen, found);
    if (wraps)
      carried.insert(found.begin(), found.end());
    return wraps;
  }

  /// One value of each Carried on the way.
  llvm::SetVector<Value> carried;

private:
  static bool visit(Value root, llvm::SmallPtrSetImpl<Value> &seen, SmallVectorImpl<Value> &found) {
    bool wraps = false;
    SmallVector<Value> worklist{root};
    while (!worklist.empty()) {
      Value value = worklist.pop_back_val();
      if (!seen.insert(value).second)
        continue;
      if (Operation *op = widenable(value)) {
        wraps |= isArithmetic(op) && isInt32(value);
        llvm::append_range(worklist, numbersOf(op));
      } else if (std::optional<Carried> carrier =
                     isInt32(value) ? carrierOf(value) : std::nullopt) {
        found.push_back(carrier->values.front());
        for (OpOperand *source : carrier->sources)
          worklist.push_back(source->get());
      }
    }
    return wraps;
  }
};

/// Does the work on one function.
class FunctionWidener {
public:
  explicit FunctionWidener(FuncOp func) : func(func) {}

  void run() {
    Closure closure;
    SmallVector<OpOperand *> wrapping;
    func.walk([&](Operation *op) {
      for (OpOperand &offset : offsetsOf(op))
        if (closure.add(offset.get()))
          wrapping.push_back(&offset);
    });
    if (wrapping.empty())
      return;
    SmallVector<arith::ExtSIOp> sources;
    for (Value value : closure.carried)
      carryWide(*carrierOf(value), sources);
    for (OpOperand *offset : wrapping)
      offset->set(widener.widen(offset->get()));
    for (arith::ExtSIOp op : sources)
      op.replaceAllUsesWith(widener.widen(op.getIn()));
    widenComparisons();
    eraseDead();
  }

private:
  /// Lets control flow carry i64. Those who want i32 find it cut off again.
  void carryWide(const Carried &carrier, SmallVectorImpl<arith::ExtSIOp> &sources) {
    OpBuilder b(func.getContext());
    for (OpOperand *source : carrier.sources) {
      b.setInsertionPoint(source->getOwner());
      Value narrow = source->get();
      sources.push_back(
          b.create<arith::ExtSIOp>(narrow.getLoc(), widened(narrow.getType()), narrow));
      source->set(sources.back());
    }
    for (Value value : carrier.values) {
      Type type = value.getType();
      value.setType(widened(type));
      b.setInsertionPointAfterValue(value);
      auto narrow = b.create<arith::TruncIOp>(value.getLoc(), type, value);
      value.replaceAllUsesExcept(narrow, narrow);
      widener.define(narrow, value);
      offsets.insert(narrow);
    }
  }

  void widenComparisons() {
    for (auto [narrow, wide] : widener.known())
      if (Operation *op = narrow.getDefiningOp(); op && isArithmetic(op) && isInt32(narrow))
        offsets.insert(narrow);
    SmallVector<arith::CmpIOp> comparisons;
    func.walk([&](arith::CmpIOp op) {
      bool isUnsigned = op.getPredicate() >= arith::CmpIPredicate::ult;
      Type element = getElementTypeOrSelf(op.getLhs());
      if (!isUnsigned && (element.isInteger(32) || element.isInteger(64)) &&
          (isOffset(op.getLhs()) || isOffset(op.getRhs())))
        comparisons.push_back(op);
    });
    for (arith::CmpIOp op : comparisons)
      for (OpOperand &operand : op->getOpOperands())
        operand.set(widener.widen(operand.get()));
  }

  /// `root` is made of what is computed in i64 for an address.
  bool isOffset(Value root) {
    llvm::SmallPtrSet<Value, 16> seen;
    SmallVector<Value> worklist{root};
    while (!worklist.empty()) {
      Value value = worklist.pop_back_val();
      if (!seen.insert(value).second)
        continue;
      if (offsets.contains(value))
        return true;
      if (Operation *op = widenable(value))
        llvm::append_range(worklist, numbersOf(op));
    }
    return false;
  }

  /// The narrow operations that nothing else uses.
  void eraseDead() {
    SmallVector<Operation *> operations;
    func.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isArithmetic(op) || isa<DataMovement, arith::ExtSIOp, arith::TruncIOp>(op))
        operations.push_back(op);
    });
    for (Operation *op : llvm::reverse(operations))
      if (isOpTriviallyDead(op))
        op->erase();
  }

  FuncOp func;
  OffsetWidener widener;
  llvm::DenseSet<Value> offsets; ///< values of i32 that stand for a number of 64 bits
};
} // namespace

Value OffsetWidener::widen(Value value) { return widen(value, 0); }

Value OffsetWidener::widen(Value value, int depth) {
  if (Value known = wide.lookup(value))
    return known;
  MLIRContext *context = value.getContext();
  Operation *op = depth < kMaxDepth ? widenable(value) : nullptr;
  OpBuilder b(context);
  b.setInsertionPointAfterValue(value);
  Value result;
  if (op && isa<arith::ExtSIOp>(op)) {
    result = widen(op->getOperand(0), depth + 1);
  } else if (op) {
    IRMapping operands;
    for (Value operand : numbersOf(op))
      operands.map(operand, widen(operand, depth + 1));
    result = b.clone(*op, operands)->getResult(0);
    result.setType(widened(value.getType()));
  } else if (widthOf(value) == 64) {
    result = value;
  } else {
    result = b.create<arith::ExtSIOp>(value.getLoc(), widened(value.getType()), value);
  }
  return wide[value] = result;
}

void widenOffsets(FuncOp func) { FunctionWidener(func).run(); }

namespace {
struct WidenOffsetsPass : impl::WidenOffsetsBase<WidenOffsetsPass> {
  void runOnOperation() override {
    getOperation()->walk([](FuncOp func) {
      if (!func.isExternal())
        widenOffsets(func);
    });
  }
};
} // namespace

} // namespace tritium::tt
