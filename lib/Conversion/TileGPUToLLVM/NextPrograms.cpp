//===- NextPrograms.cpp - what later programs load ------------------------===//
//
// A program that loads a row, reduces it and stores it waits for memory once, with little in
// flight, and programs beside it on a multiprocessor do not always make up for that. So it
// asks for what the program that takes its place will load, to be brought to L2:
//
//   row = load(f(program), mask)
//   @(program + K < programs and mask)  prefetch.global.L2 [f(program + K)]
//
// with K the number of programs that run at once on all multiprocessors. That is done for
// vectors of 8 bytes or more in kernels whose programs take their turns so (Occupancy.cpp), and
// for loads that every program comes to, so that no address is touched that would not be anyway.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;

namespace tritium::ttg {

namespace {
constexpr unsigned kLeastBytes = 8;
constexpr int kMaxDepth = 24;

/// Of the largest GPU of an architecture; a matter of speed only.
unsigned multiprocessors(unsigned capability) {
  return capability >= 90 ? 132 : capability >= 89 ? 128 : capability >= 86 ? 84 : 108;
}

/// No branch but those between versions of the kernel is around it.
bool isInEveryProgram(Operation *op) {
  for (Operation *parent = op->getParentOp(); !isa<tt::FuncOp>(parent);
       parent = parent->getParentOp())
    if (!parent->hasAttr(kVersions))
      return false;
  return true;
}

/// Values as another program computes them.
class Elsewhere {
public:
  Elsewhere(OpBuilder &b, Block *entry) : b(b), entry(entry) {}

  void map(Value here, Value there) { mapping.map(here, there); }

  /// Known, without memory and other lanes.
  bool knows(Value value, int depth = kMaxDepth) const {
    if (mapping.contains(value))
      return true;
    if (auto argument = dyn_cast<BlockArgument>(value))
      return argument.getOwner() == entry;
    Operation *op = value.getDefiningOp();
    return isa<LLVM::ConstantOp, NVVM::ThreadIdXOp>(op) ||
           (depth &&
            isa<LLVM::GEPOp, LLVM::AddOp, LLVM::SubOp, LLVM::MulOp, LLVM::ShlOp, LLVM::LShrOp,
                LLVM::AShrOp, LLVM::AndOp, LLVM::OrOp, LLVM::XOrOp, LLVM::SExtOp, LLVM::ZExtOp,
                LLVM::TruncOp, LLVM::ICmpOp>(op) &&
            llvm::all_of(op->getOperands(), [&](Value x) { return knows(x, depth - 1); }));
  }

  /// The same value if it does not depend on the program.
  Value get(Value value) {
    Operation *op = value.getDefiningOp();
    if (mapping.contains(value) || !op || op->getNumOperands() == 0)
      return mapping.lookupOrDefault(value);
    bool differs = false;
    for (Value operand : op->getOperands())
      differs |= get(operand) != operand;
    Value result = differs ? b.clone(*op, mapping)->getResult(0) : value;
    mapping.map(value, result);
    return result;
  }

private:
  OpBuilder &b;
  Block *entry;
  IRMapping mapping;
};
} // namespace

void Lowering::prefetchForNext(tt::LoadOp op, ArrayRef<std::pair<Value, Value>> vectors,
                               unsigned bytes) {
  bool reduces = false;
  op->getBlock()->walk([&](tt::ReduceOp) { reduces = true; });
  if (programs < 2 || options.capability < 80 || bytes < kLeastBytes || op.getIsVolatile() ||
      !programId[0] || !reduces || !isInEveryProgram(op) || layout(op).hasPadding())
    return;
  Elsewhere there(b, entry);
  Value next = add(programId[0], i32(programs * multiprocessors(options.capability)));
  there.map(programId[0], next);
  for (Value other : {programId[1], programId[2]})
    if (other)
      there.map(other, other);
  for (auto [address, predicate] : vectors)
    if (!there.knows(address) || (predicate && !there.knows(predicate)) ||
        there.get(address) == address)
      return;
  Value exists =
      cmp(LLVM::ICmpPredicate::ult, next, b.create<NVVM::GridDimXOp>(loc, b.getI32Type()));
  for (auto [address, predicate] : vectors)
    assembly({}, "@$1 prefetch.global.L2 [$0];", "l,b",
             {there.get(address), both(exists, predicate ? there.get(predicate) : Value())});
}

} // namespace tritium::ttg
