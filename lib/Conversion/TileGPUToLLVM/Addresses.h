//===- Addresses.h - where registers of a tile lie in memory ----*- C++ -*-===//

#ifndef TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_ADDRESSES_H
#define TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_ADDRESSES_H

#include "LoweringContext.h"

namespace tritium::ttg {

/// Addresses of registers by a map from places to byte offsets.
class Addresses {
  using Value = mlir::Value;

public:
  /// `start` is the offset of a part, in bytes.
  Addresses(Emitter &e, Value base, LinearLayout placesToBytes, Value lane, Value warp,
            uint64_t start = 0)
      : e(e), base(base), map(std::move(placesToBytes)), start(start) {
    for (const LinearLayout::Input &input : map.getInputs())
      if (input.name != kRegister)
        for (uint64_t offset : input.bases)
          threadBits |= offset;
    Value parts[] = {partOf(e, lane, map, kLane, 0), partOf(e, warp, map, kWarp, 0)};
    thread = !parts[0] ? parts[1] : !parts[1] ? parts[0] : e.ixor(parts[0], parts[1]);
    if (!thread)
      thread = e.i32(0);
  }

  Value of(unsigned reg) {
    uint64_t offset = map.applyPart(kRegister, reg) ^ start, mixed = offset & threadBits;
    Value &address = starts[mixed];
    if (!address) {
      Value sum = mixed ? e.ixor(thread, e.i32(mixed)) : thread;
      address = e.gep(base, e.intType(8), sum);
    }
    return e.gep(address, e.intType(8), int32_t(offset - mixed));
  }

private:
  Emitter &e;
  Value base, thread;
  LinearLayout map;
  uint64_t start, threadBits = 0;
  std::map<uint64_t, Value> starts;
};

/// Registers in groups of 2^`bits` neighbouring offsets, in order.
llvm::SmallVector<llvm::SmallVector<unsigned, 8>> runsOf(const LinearLayout &map, unsigned bits);

} // namespace tritium::ttg

#endif // TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_ADDRESSES_H
