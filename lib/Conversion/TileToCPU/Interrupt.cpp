//===- Interrupt.cpp - where a kernel looks whether it is to end ----------===//
//
// At the end of each round of a loop, and of each program, a kernel reads a word of its host's
// (TritiumHostCalls::attention). A loop that waits for memory to change tells its host so every
// 64 rounds, which may then run other programs. Polls.h says what becomes of both.
//
// A loop of a few rounds over tiles ends soon enough by itself. Where a round, or a program, is a
// few instructions, 64 of them go between two polls, in a loop of their own.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "Polls.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tritium::cpu {

/// Loads field `number` of the host's calls.
static Value hostField(OpBuilder &b, Location loc, Value host, int32_t number) {
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  Value address =
      b.create<LLVM::GEPOp>(loc, ptr, b.getI8Type(), host, ArrayRef<LLVM::GEPArg>{8 * number});
  return b.create<LLVM::LoadOp>(loc, ptr, address, 8);
}

/// The address of the word; without a host, of one that stays 0.
void Lowering::emitAttention() {
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  constexpr llvm::StringLiteral quiet = "tritium.quiet";
  if (!module.lookupSymbol(quiet)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    b.create<LLVM::GlobalOp>(loc, b.getI32Type(), /*isConstant=*/false, LLVM::Linkage::Internal,
                             quiet, b.getI32IntegerAttr(0));
  }
  Value null = b.create<LLVM::ZeroOp>(loc, ptr);
  auto isSet = [&](Value pointer) -> Value {
    return b.create<LLVM::ICmpOp>(loc, LLVM::ICmpPredicate::ne, pointer, null);
  };
  auto branch = b.create<scf::IfOp>(loc, TypeRange{ptr}, isSet(host), /*else=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(branch.thenBlock());
    b.create<scf::YieldOp>(loc, hostField(b, loc, host, 3));
    b.setInsertionPointToEnd(branch.elseBlock());
    b.create<scf::YieldOp>(loc, null);
  }
  Value word = branch.getResult(0);
  attention = b.create<arith::SelectOp>(loc, isSet(word), word,
                                        b.create<LLVM::AddressOfOp>(loc, ptr, quiet));
}

void Lowering::emitPoll() { createPoll(b, loc, module, attention, host); }

bool Lowering::isShort(scf::ForOp loop) {
  constexpr int64_t fewRounds = 16;
  IntegerAttr lower, upper, step;
  if (!matchPattern(loop.getLowerBound(), m_Constant(&lower)) ||
      !matchPattern(loop.getUpperBound(), m_Constant(&upper)) ||
      !matchPattern(loop.getStep(), m_Constant(&step)))
    return false;
  bool hasLoop = false;
  loop.getBody()->walk([&](Operation *op) { hasLoop |= isa<scf::ForOp, scf::WhileOp>(op); });
  // Bounds may be as far apart as their type allows.
  auto rounds = (static_cast<__int128>(upper.getInt()) - lower.getInt()) /
                std::max<int64_t>(step.getInt(), 1);
  return !hasLoop && rounds <= fewRounds;
}

bool Lowering::isBrief(Block &body) {
  constexpr int64_t fewElements = 4096;
  int64_t elements = 0;
  WalkResult end = body.walk([&](Operation *op) {
    if (isa<LoopLikeOpInterface, tt::DotOp, tt::PrintOp>(op))
      return WalkResult::interrupt();
    int64_t largest = 1;
    for (Value operand : op->getOperands())
      if (auto tile = dyn_cast<RankedTensorType>(operand.getType()))
        largest = std::max(largest, tile.getNumElements());
    elements += largest;
    return elements > fewElements ? WalkResult::interrupt() : WalkResult::advance();
  });
  return !end.wasInterrupted();
}

void Lowering::emitWait(Location where, Value rounds) {
  metadata.mayWait = true;
  FileLineColLoc place = userLocation(where);
  Value file = stringConstant(place ? place.getFilename().getValue() : StringRef());
  Value line = constant(b.getI32Type(), place ? place.getLine() : 0);
  createWait(b, loc, module, host,
             {file, line, programIds[0], programIds[1], programIds[2], rounds});
}

} // namespace tritium::cpu
