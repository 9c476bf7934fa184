//===- PointerUse.cpp - what a kernel does through its pointers -----------===//
//
// Every pointer has a set of origins: arguments, and one bit for anything else. The
// sets only grow, and the function is walked until they stay.
//
//===----------------------------------------------------------------------===//

#include "tritium/Analysis/PointerUse.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tritium {

namespace {
class Origins {
public:
  explicit Origins(tt::FuncOp func) : elsewhere(func.getNumArguments()) {
    for (BlockArgument argument : func.getArguments())
      origins[argument] = only(argument.getArgNumber());
    do {
      changed = false;
      func.getBody().walk([&](Operation *op) { visit(op); });
    } while (changed);
  }

  llvm::BitVector of(Value pointer) const {
    auto it = origins.find(pointer);
    return it != origins.end() ? it->second : only(elsewhere);
  }
  unsigned elsewhereBit() const { return elsewhere; }

private:
  llvm::BitVector only(unsigned bit) const {
    llvm::BitVector bits(elsewhere + 1);
    bits.set(bit);
    return bits;
  }

  static bool isPointer(Value value) {
    return isa<tt::PointerType>(tt::elementType(value.getType()));
  }

  void add(Value to, const llvm::BitVector &bits) {
    llvm::BitVector &have = origins.try_emplace(to, elsewhere + 1).first->second;
    if (bits.test(have)) {
      have |= bits;
      changed = true;
    }
  }

  void flow(Value from, Value to) {
    auto it = origins.find(from);
    if (isPointer(to) && it != origins.end())
      add(to, llvm::BitVector(it->second));
  }
  void flowAll(ValueRange from, ValueRange to) {
    for (auto [source, target] : llvm::zip(from, to))
      flow(source, target);
  }

  void visit(Operation *op) {
    TypeSwitch<Operation *>(op)
        .Case<tt::AddPtrOp, tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp, tt::TransOp,
              tt::ReshapeOp, tt::BitcastOp>(
            [&](auto op) { flow(op->getOperand(0), op->getResult(0)); })
        .Case([&](arith::SelectOp op) {
          flow(op.getTrueValue(), op.getResult());
          flow(op.getFalseValue(), op.getResult());
        })
        .Case([&](scf::ForOp loop) {
          flowAll(loop.getInitArgs(), loop.getRegionIterArgs());
          flowAll(loop.getYieldedValues(), loop.getRegionIterArgs());
          flowAll(loop.getRegionIterArgs(), loop.getResults());
        })
        .Case([&](scf::WhileOp loop) {
          flowAll(loop.getInits(), loop.getBeforeArguments());
          flowAll(loop.getYieldOp().getOperands(), loop.getBeforeArguments());
          flowAll(loop.getConditionOp().getArgs(), loop.getAfterArguments());
          flowAll(loop.getConditionOp().getArgs(), loop.getResults());
        })
        .Case([&](scf::IfOp branch) {
          if (branch.elseBlock() && branch.getNumResults()) {
            flowAll(branch.thenYield().getOperands(), branch.getResults());
            flowAll(branch.elseYield().getOperands(), branch.getResults());
          }
        })
        .Default([&](Operation *op) {
          for (Value result : op->getResults())
            if (isPointer(result))
              add(result, only(elsewhere));
        });
  }

  unsigned elsewhere;
  llvm::DenseMap<Value, llvm::BitVector> origins;
  bool changed = false;
};
} // namespace

PointerUse findPointerUse(tt::FuncOp func) {
  Origins origins(func);
  llvm::BitVector read(func.getNumArguments() + 1), written = read;
  func.walk([&](Operation *op) {
    if (!isa<tt::LoadOp, tt::StoreOp, tt::AtomicRMWOp, tt::AtomicCASOp>(op))
      return;
    llvm::BitVector bits = origins.of(op->getOperand(0));
    if (!isa<tt::StoreOp>(op))
      read |= bits;
    if (!isa<tt::LoadOp>(op))
      written |= bits;
  });
  unsigned elsewhere = origins.elsewhereBit();
  PointerUse use{read, written, read.test(elsewhere) || written.test(elsewhere),
                 written.test(elsewhere)};
  use.read.resize(elsewhere);
  use.written.resize(elsewhere);
  return use;
}

} // namespace tritium
