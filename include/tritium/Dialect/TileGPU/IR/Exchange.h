//===- Exchange.h - gathers within warps ------------------------*- C++ -*-===//
//
// Where a gather exchanges elements whose places differ in known bits, a layout without repeats
// along the axis says which registers and lanes trade theirs.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_DIALECT_TILEGPU_IR_EXCHANGE_H
#define TRITIUM_DIALECT_TILEGPU_IR_EXCHANGE_H

#include "tritium/Dialect/Tile/IR/Exchange.h"

namespace tritium::ttg {

/// On a tt.gather whose elements stay in their warps: the bits of the place that differ.
constexpr llvm::StringLiteral kExchangedBits = "ttg.exchanged_bits";

/// What differs between who has an element and who gets it: bits of registers' and lanes' numbers.
struct WarpExchange {
  uint64_t registers = 0, lanes = 0;
};

/// Who trades with whom where places along the axis of `op` differ in `bits`; nothing if source and
/// result have other layouts, or elements go to other warps.
std::optional<WarpExchange> planWarpExchange(tt::GatherOp op, int64_t bits);

} // namespace tritium::ttg

#endif // TRITIUM_DIALECT_TILEGPU_IR_EXCHANGE_H
