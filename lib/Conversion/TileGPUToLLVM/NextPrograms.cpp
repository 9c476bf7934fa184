//===- NextPrograms.cpp - what later programs load ------------------------===//
//
//   row = load(f(program), mask) {ttg.prefetch_for = K}
//   @(program + K < programs and mask)  prefetch.global.L2 [f(program + K)]
//
// Addresses and masks of another program are what this one's are made of, once more.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;

namespace tritium::ttg {

namespace {
constexpr int kMaxDepth = 24;

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

void Lowering::prefetchForNext(tt::LoadOp op, ArrayRef<std::pair<Value, Value>> vectors) {
  auto programs = op->getAttrOfType<IntegerAttr>(kPrefetchFor);
  if (!programs)
    return;
  Elsewhere there(b, entry);
  Value next = add(programIdAlong(0), i32(programs.getInt()));
  there.map(programIdAlong(0), next);
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
