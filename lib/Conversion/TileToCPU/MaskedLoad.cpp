//===- MaskedLoad.cpp - loads of some elements of a vector ----------------===//
//
// With AVX alone a masked load is one instruction a register, and the mask is a vector of
// sign bits. LLVM 19 gets its own masked loads wrong there: where it splits one and finds that
// no element of a part is loaded, it may load that whole part, from memory that need not be
// there. So the instruction is asked for by its name.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;

namespace tritium::cpu {

namespace {

/// Lanes first .. first + count - 1 of a vector; behind its end those of `filler`, a vector of
/// the same type.
Value part(OpBuilder &b, Location loc, Value vector, Value filler, int64_t first, int64_t count) {
  if (first == 0 && count == cast<VectorType>(vector.getType()).getNumElements())
    return vector;
  return b.create<vector::ShuffleOp>(loc, vector, filler,
                                     llvm::to_vector(llvm::seq<int64_t>(first, first + count)));
}

} // namespace

bool Lowering::hasSignMaskedLoads(Type element) const {
  bool isAVX = target.isX86 && target.vectorBits == 256;
  return isAVX && llvm::is_contained({32u, 64u}, element.getIntOrFloatBitWidth());
}

Value Lowering::loadRegister(VectorType type, Value address, Value signs) {
  unsigned bits = type.getElementTypeBitWidth();
  int64_t lanes = type.getNumElements();
  Type floating = bits == 32 ? b.getF32Type() : b.getF64Type();
  std::string name = bits == 32 ? "llvm.x86.avx.maskload.ps" : "llvm.x86.avx.maskload.pd";
  if (lanes * bits == 256)
    name += ".256";
  Value loaded = b.create<LLVM::CallIntrinsicOp>(loc, VectorType::get(lanes, floating),
                                                 b.getStringAttr(name), ValueRange{address, signs})
                     .getResult(0);
  if (type == loaded.getType())
    return loaded;
  return b.create<arith::BitcastOp>(loc, type, loaded);
}

Value Lowering::maskedLoad(VectorType type, Value address, Value mask, Value other,
                           unsigned alignment) {
  Type element = type.getElementType();
  if (!hasSignMaskedLoads(element))
    return b.create<LLVM::MaskedLoadOp>(loc, type, address, mask, ValueRange{other}, alignment);
  unsigned bits = element.getIntOrFloatBitWidth();
  int64_t width = type.getNumElements();
  int64_t lanes = width * bits <= 128 ? 128 / bits : 256 / bits;
  DenseElementsAttr known;
  matchPattern(mask, m_Constant(&known));
  // All at once: parts of a mask would be packed and unpacked.
  Type integer = b.getIntegerType(bits);
  Value signs = b.create<arith::ExtSIOp>(loc, VectorType::get(width, integer), mask);
  Value none = zeroOf(integer, width);
  Value loaded = zeroOf(element, width);
  for (int64_t at = 0; at < width; at += lanes) {
    int64_t count = std::min(lanes, width - at);
    auto wanted = [&](bool value) {
      return known && llvm::all_of(llvm::seq(at, at + count),
                                   [&](int64_t i) { return known.getValues<bool>()[i] == value; });
    };
    if (wanted(false))
      continue;
    Value from = gep(address, i64(at * bits / 8));
    Value piece;
    if (wanted(true)) {
      piece = b.create<LLVM::LoadOp>(loc, VectorType::get(count, element), from, alignment);
    } else {
      piece =
          loadRegister(VectorType::get(lanes, element), from, part(b, loc, signs, none, at, lanes));
      piece = part(b, loc, piece, piece, 0, count);
    }
    loaded = count == width ? piece
                            : b.create<vector::InsertStridedSliceOp>(
                                  loc, piece, loaded, ArrayRef<int64_t>{at}, ArrayRef<int64_t>{1});
  }
  // The instruction answers zero for what it does not load.
  if (matchPattern(other, m_PosZeroFloat()) || matchPattern(other, m_Zero()))
    return loaded;
  return b.create<arith::SelectOp>(loc, mask, loaded, other);
}

} // namespace tritium::cpu
