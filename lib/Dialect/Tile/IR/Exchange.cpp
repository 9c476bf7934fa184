//===- Exchange.cpp - gathers that exchange elements ----------------------===//

#include "tritium/Dialect/Tile/IR/Exchange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/bit.h"

using namespace mlir;

namespace tritium::tt {

std::optional<int64_t> exchangedBits(GatherOp op) {
  int64_t bits = 0, dim = op.getAxis();
  Value index = op.getIndex();
  while (true) {
    if (auto range = index.getDefiningOp<MakeRangeOp>()) {
      // With whole groups of what trades places, no place is beyond the last.
      int64_t extent = shapeOf(range.getType())[0],
              group = bits ? 2 * llvm::bit_floor(uint64_t(bits)) : 1;
      bool isInside = range.getStart() == 0 && extent % group == 0 &&
                      extent <= op.getSrc().getType().getDimSize(op.getAxis());
      return isInside ? std::optional(bits) : std::nullopt;
    }
    if (auto movement = index.getDefiningOp<DataMovement>()) {
      SmallVector<int64_t> dims = movement.getSourceDims();
      if (dim = dims[dim]; dim < 0)
        return std::nullopt;
      index = movement.getSource();
      continue;
    }
    APInt number;
    auto flips = index.getDefiningOp<arith::XOrIOp>();
    if (!flips || !matchPattern(flips.getRhs(), m_ConstantInt(&number)) || number.isNegative())
      return std::nullopt;
    bits ^= number.getSExtValue();
    index = flips.getLhs();
  }
}

} // namespace tritium::tt
