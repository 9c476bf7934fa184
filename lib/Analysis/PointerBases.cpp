//===- PointerBases.cpp - which arguments a pointer comes from ------------===//

#include "tritium/Analysis/PointerBases.h"

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tritium;

namespace {
/// The arguments that a pointer may come from. False: also from elsewhere.
bool collectBases(Value ptr, llvm::SmallPtrSetImpl<Value> &bases,
                  llvm::SmallPtrSetImpl<Value> &seen) {
  if (!seen.insert(ptr).second)
    return true;
  auto follow = [&](Value next) { return collectBases(next, bases, seen); };
  if (auto argument = dyn_cast<BlockArgument>(ptr)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (isa<tt::FuncOp>(parent)) {
      bases.insert(ptr);
      return true;
    }
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      unsigned i = argument.getArgNumber() - 1;
      return follow(loop.getInitArgs()[i]) && follow(loop.getYieldedValues()[i]);
    }
    return false;
  }
  return llvm::TypeSwitch<Operation *, bool>(ptr.getDefiningOp())
      .Case<tt::AddPtrOp, tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp, tt::ReshapeOp,
            tt::TransOp, tt::BitcastOp, ttg::ConvertLayoutOp>(
          [&](auto op) { return follow(op->getOperand(0)); })
      .Case([&](arith::SelectOp op) {
        return follow(op.getTrueValue()) && follow(op.getFalseValue());
      })
      .Case([&](scf::ForOp loop) {
        unsigned i = cast<OpResult>(ptr).getResultNumber();
        return follow(loop.getInitArgs()[i]) && follow(loop.getYieldedValues()[i]);
      })
      .Case([&](scf::IfOp branch) {
        unsigned i = cast<OpResult>(ptr).getResultNumber();
        return follow(branch.thenYield().getOperand(i)) && follow(branch.elseYield().getOperand(i));
      })
      .Default([](Operation *) { return false; });
}
} // namespace

bool tritium::mayShareBase(Value a, Value b) {
  llvm::SmallPtrSet<Value, 4> basesA, basesB, seenA, seenB;
  if (!collectBases(a, basesA, seenA) || !collectBases(b, basesB, seenB))
    return true;
  return llvm::any_of(basesA, [&](Value base) { return basesB.contains(base); });
}
