//===- Distinct.cpp - tiles of pointers that hold no address twice --------===//
//
// Premises, with the strides s[d] in bytes modulo 2^64 and the extents n[d], from the least
// stride to the greatest:
//
//   s[d] >= pointee + sum over the lesser e of s[e] * (n[e] - 1)     no element reaches the next
//   pointee + sum over all of s[d] * (n[d] - 1) <= 2^63              none comes round
//
//===----------------------------------------------------------------------===//

#include "tritium/Analysis/Distinct.h"

using namespace mlir;

namespace tritium {

bool distinctAddresses(Value pointers, Strides &strides) {
  auto type = dyn_cast<RankedTensorType>(pointers.getType());
  if (!type)
    return true;
  using Wide = __int128;
  SmallVector<std::pair<Wide, Wide>> dims; // stride and extent
  for (auto [d, extent] : llvm::enumerate(type.getShape())) {
    if (extent == 1)
      continue;
    std::optional<int64_t> stride = strides.modular(pointers, d);
    if (!stride)
      return false;
    dims.push_back({*stride < 0 ? -Wide(*stride) : Wide(*stride), extent});
  }
  llvm::sort(dims);
  Wide reach = tt::scalarBytes(cast<tt::PointerType>(type.getElementType()).getPointeeType());
  for (auto [stride, extent] : dims) {
    if (stride < reach)
      return false;
    reach += stride * (extent - 1);
    if (reach > Wide(1) << 63)
      return false;
  }
  return true;
}

} // namespace tritium
