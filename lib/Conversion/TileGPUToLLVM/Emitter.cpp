//===- Emitter.cpp - short spellings for LLVM operations ------------------===//

#include "Emitter.h"

using namespace mlir;

namespace tritium::ttg {

/// A shuffle moves 32 bits: narrower values are widened, wider ones go in two halves.
Value Emitter::shuffle(Value x, Value offset, NVVM::ShflKind kind) {
  auto move = [&](Value word) -> Value {
    return b.create<NVVM::ShflOp>(loc, word.getType(), i32(-1), word, offset, i32(31), kind,
                                  UnitAttr());
  };
  Type type = x.getType();
  if (isa<LLVM::LLVMPointerType>(type)) {
    Value bits = b.create<LLVM::PtrToIntOp>(loc, b.getI64Type(), x);
    return b.create<LLVM::IntToPtrOp>(loc, type, shuffle(bits, offset, kind));
  }
  unsigned width = type.getIntOrFloatBitWidth();
  if (width == 32)
    return move(x);
  Value bits = bitcast(x, intType(width));
  if (width < 32)
    return bitcast(trunc(move(zext(bits, 32)), width), type);
  Value low = move(trunc(bits, 32)), high = move(trunc(shr(bits, 32), 32));
  return bitcast(ior(zext(low, 64), shl(zext(high, 64), 32)), type);
}

Value Emitter::shuffleXor(Value x, int mask) { return shuffle(x, i32(mask), NVVM::ShflKind::bfly); }
Value Emitter::shuffleIndex(Value x, Value lane) { return shuffle(x, lane, NVVM::ShflKind::idx); }

} // namespace tritium::ttg
