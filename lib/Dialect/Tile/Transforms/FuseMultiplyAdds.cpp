//===- FuseMultiplyAdds.cpp - tt-fuse-multiply-adds -----------------------===//
//
// Where products feed sums, the two become one operation with one rounding:
//
//   a * b + c    fma(a, b, c)
//   a * b - c    fma(a, b, -c)
//   c - a * b    fma(-a, b, c)
//
// of 32 and 64 bits, if nothing but sums and differences reads the product. One that others read
// is computed in any case, so that a sum costs no less fused; and `p - tl.max(p)` is zero somewhere
// as long as both are of the same numbers. Of two products the second is fused.
//
// It is decided here, for good, and not by LLVM or an assembler: what follows may compute a value
// in several places (for another layout, for a part of a row that a mask rules out, in a second
// loop over the row), for other users from place to place, and `x == tl.max(x)` must hold in all.
//
//===----------------------------------------------------------------------===//

#include "tritium/Dialect/Tile/IR/Tile.h"
#include "tritium/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tritium::tt {

#define GEN_PASS_DEF_FUSEMULTIPLYADDS
#include "tritium/Dialect/Tile/Transforms/Passes.h.inc"

namespace {
/// A sum or a difference of two values.
bool adds(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp>(op) && op->getOperand(0) != op->getOperand(1);
}

bool feedsSums(arith::MulFOp product) {
  Type element = elementType(product.getType());
  return (element.isF32() || element.isF64()) && llvm::all_of(product->getUsers(), adds);
}

void fuse(Operation *op, arith::MulFOp product) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  auto negated = [&](Value x) { return b.create<arith::NegFOp>(loc, x).getResult(); };
  bool isDifference = isa<arith::SubFOp>(op), isSecond = op->getOperand(1) == product;
  Value x = product.getLhs(), addend = op->getOperand(isSecond ? 0 : 1);
  if (isDifference && isSecond)
    x = negated(x);
  else if (isDifference)
    addend = negated(addend);
  op->replaceAllUsesWith(b.create<math::FmaOp>(loc, x, product.getRhs(), addend));
  op->erase();
}

struct FuseMultiplyAddsPass : impl::FuseMultiplyAddsBase<FuseMultiplyAddsPass> {
  void runOnOperation() override {
    // Found ahead of all changes, so that their order does not matter.
    llvm::SetVector<Operation *> products;
    SmallVector<Operation *> sums;
    getOperation()->walk([&](Operation *op) {
      if (auto product = dyn_cast<arith::MulFOp>(op); product && feedsSums(product))
        products.insert(product);
      else if (adds(op))
        sums.push_back(op);
    });
    for (Operation *op : sums)
      for (unsigned i : {1, 0})
        if (Operation *product = op->getOperand(i).getDefiningOp(); products.contains(product)) {
          fuse(op, cast<arith::MulFOp>(product));
          break;
        }
    for (Operation *product : llvm::reverse(products))
      if (product->use_empty())
        product->erase();
  }
};
} // namespace

} // namespace tritium::tt
