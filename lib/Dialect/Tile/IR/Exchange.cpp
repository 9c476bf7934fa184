//===- Exchange.cpp - gathers that exchange elements ----------------------===//

#include "tritium/Dialect/Tile/IR/Exchange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tritium::tt {

std::optional<int64_t> exchangedBits(GatherOp op) {
  int64_t bits = 0, dim = op.getAxis();
  Value index = op.getIndex();
  while (true) {
    if (auto range = index.getDefiningOp<MakeRangeOp>()) {
      bool isInside = range.getStart() == 0 && bits < shapeOf(range.getType())[0];
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
