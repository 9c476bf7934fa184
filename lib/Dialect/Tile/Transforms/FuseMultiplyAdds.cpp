//===- FuseMultiplyAdds.cpp - tt-fuse-multiply-adds -----------------------===//
//
// Where a product feeds a sum, the two become one operation with one rounding:
//
//   a * b + c    fma(a, b, c)
//   a * b - c    fma(a, b, -c)
//   c - a * b    fma(-a, b, c)
//
// of 32 and 64 bits, the product in the block of the sum. Of two products that is fused which
// nobody else uses, or else the first.
//
// It is decided here, for good, and not by LLVM or an assembler: what follows may compute a value
// in several places (for another layout, for a part of a row that a mask rules out, in a second
// loop over the row), for other users from place to place, and `x == tl.max(x)` must hold in all.
//
//===----------------------------------------------------------------------===//

#include "tritium/Dialect/Tile/IR/Tile.h"
#include "tritium/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tritium::tt {

#define GEN_PASS_DEF_FUSEMULTIPLYADDS
#include "tritium/Dialect/Tile/Transforms/Passes.h.inc"

namespace {
arith::MulFOp productBeside(Operation *op, Value operand) {
  auto product = operand.getDefiningOp<arith::MulFOp>();
  return product && product->getBlock() == op->getBlock() ? product : arith::MulFOp();
}

void fuse(Operation *op) {
  Type element = elementType(op->getResult(0).getType());
  Value left = op->getOperand(0), right = op->getOperand(1);
  // A number less itself is zero, of products, too.
  if (!(element.isF32() || element.isF64()) || left == right)
    return;
  bool isDifference = isa<arith::SubFOp>(op);
  OpBuilder b(op);
  auto negated = [&](Value x) { return b.create<arith::NegFOp>(op->getLoc(), x).getResult(); };
  arith::MulFOp first = productBeside(op, left), second = productBeside(op, right);
  if (first && second && second->hasOneUse() && !first->hasOneUse())
    first = {};
  Value x, y, addend;
  if (first) {
    x = first.getLhs(), y = first.getRhs();
    addend = isDifference ? negated(right) : right;
  } else if (second) {
    x = isDifference ? negated(second.getLhs()) : second.getLhs(), y = second.getRhs();
    addend = left;
  } else {
    return;
  }
  op->replaceAllUsesWith(b.create<math::FmaOp>(op->getLoc(), x, y, addend));
  op->erase();
}

struct FuseMultiplyAddsPass : impl::FuseMultiplyAddsBase<FuseMultiplyAddsPass> {
  void runOnOperation() override {
    SmallVector<Operation *> products;
    getOperation()->walk([&](Operation *op) {
      if (isa<arith::AddFOp, arith::SubFOp>(op))
        fuse(op);
      else if (isa<arith::MulFOp>(op))
        products.push_back(op);
    });
    for (Operation *product : llvm::reverse(products))
      if (product->use_empty())
        product->erase();
  }
};
} // namespace

} // namespace tritium::tt
