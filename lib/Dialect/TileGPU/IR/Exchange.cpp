//===- Exchange.cpp - gathers within warps --------------------------------===//

#include "tritium/Dialect/TileGPU/IR/Exchange.h"

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

using namespace mlir;

namespace tritium::ttg {

std::optional<WarpExchange> planWarpExchange(tt::GatherOp op, int64_t bits) {
  auto src = cast<RankedTensorType>(op.getSrc().getType()),
       dst = cast<RankedTensorType>(op.getType());
  if (src.getShape() != dst.getShape() ||
      !sameLayout(src.getEncoding(), dst.getEncoding(), dst.getShape()))
    return std::nullopt;
  TileLayout layout = layoutOf(dst);
  const LinearLayout &core = layout.core();
  // Beyond the core it is addition that tells places, not XOR.
  if (core.extent(op.getAxis()) != dst.getDimSize(op.getAxis()))
    return std::nullopt;
  WarpExchange exchange;
  for (; bits; bits &= bits - 1) {
    uint64_t flipped = (uint64_t(bits) & -uint64_t(bits)) << core.shiftOf(op.getAxis());
    auto find = [&](StringRef name, uint64_t &flips) {
      ArrayRef<uint64_t> bases = core.bases(name);
      auto found = llvm::find(bases, flipped);
      flips |= found == bases.end() ? 0 : uint64_t(1) << (found - bases.begin());
      return found != bases.end();
    };
    if (!find(kRegister, exchange.registers) && !find(kLane, exchange.lanes))
      return std::nullopt;
  }
  return exchange;
}

} // namespace tritium::ttg
