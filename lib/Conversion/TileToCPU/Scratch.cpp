//===- Scratch.cpp - tiles in scratch memory ------------------------------===//

#include "Lowering.h"

using namespace mlir;

namespace tritium::cpu {

Value Lowering::bufferBase(const Buffer &buffer) {
  return b.create<LLVM::GEPOp>(loc, scratch.getType(), b.getI8Type(), scratch,
                               ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(buffer.offset)});
}

Value Lowering::linearIndex(const Buffer &buffer, const Index &index) {
  Value linear = i64(0);
  int64_t stride = 1;
  for (int64_t d = buffer.shape.size() - 1; d >= 0; --d) {
    Value place = index.dims[d].index;
    if (&buffer == partBuffer)
      place = sub(place, origin[d]);
    linear = add(linear, mul(place, stride));
    stride = d == static_cast<int64_t>(buffer.shape.size()) - 1 ? buffer.rowStride
                                                                : stride * buffer.shape[d];
  }
  return linear;
}

int64_t Lowering::laneStride(const Buffer &buffer, const Index &index) {
  int64_t stride = 1;
  for (int64_t d = buffer.shape.size() - 1; d >= 0; --d) {
    if (index.dims[d].kind == DimIndex::Lanes)
      return stride;
    stride = d == static_cast<int64_t>(buffer.shape.size()) - 1 ? buffer.rowStride
                                                                : stride * buffer.shape[d];
  }
  return 0;
}

Value Lowering::elementAddress(const Buffer &buffer, Value linear) {
  Value base = bufferBase(buffer);
  return b.create<LLVM::GEPOp>(loc, base.getType(), storageType(buffer.element), base,
                               ArrayRef<LLVM::GEPArg>{linear});
}

Chunk Lowering::readBuffer(const Buffer &buffer, const Index &index) {
  Value address = elementAddress(buffer, linearIndex(buffer, index));
  int64_t stride = laneStride(buffer, index);
  unsigned bytes = tt::scalarBytes(buffer.element);
  Type storage = storageType(buffer.element);
  auto decoded = [&](Value stored) { return decodeStorage(stored, buffer.element); };
  if (stride == 0)
    return Chunk::uniform(decoded(b.create<LLVM::LoadOp>(loc, storage, address, bytes)));
  auto type = VectorType::get(index.width, storage);
  if (stride == 1) {
    if (index.valid == index.width)
      return Chunk::vector(decoded(b.create<LLVM::LoadOp>(loc, type, address, bytes)));
    Value mask = firstLanes(index.valid, index.width);
    return Chunk::vector(
        decoded(maskedLoad(type, address, mask, zeroOf(storage, index.width), bytes)));
  }
  Value offsets = lanes(b.getI64Type(), index.width, stride * bytes);
  auto pointers = LLVM::getFixedVectorType(address.getType(), index.width);
  Value addresses =
      b.create<LLVM::GEPOp>(loc, pointers, b.getI8Type(), address, ArrayRef<LLVM::GEPArg>{offsets});
  return Chunk::vector(decoded(
      b.create<LLVM::masked_gather>(loc, type, addresses, firstLanes(index.valid, index.width),
                                    ValueRange{zeroOf(storage, index.width)}, bytes)));
}

/// The codes of bf16 that `value` is rounded to. Whole registers are by AVX512_BF16, which is there
/// where products read bf16: what is below 2^-126 becomes zero.
Value Lowering::roundedForProducts(Value value) {
  auto type = dyn_cast<VectorType>(value.getType());
  int64_t width = type ? type.getNumElements() : 1;
  if (width % 16 != 0)
    return encodeStorage(roundTo(value, b.getBF16Type()), b.getBF16Type());
  auto part = [&](int64_t first, int64_t count) -> Value {
    auto order = llvm::to_vector(llvm::seq<int64_t>(first, first + count));
    return b.create<vector::ShuffleOp>(loc, value, value, order);
  };
  if (width > 32) {
    Value low = roundedForProducts(part(0, width / 2));
    Value high = roundedForProducts(part(width / 2, width / 2));
    return b.create<vector::ShuffleOp>(loc, low, high,
                                       llvm::to_vector(llvm::seq<int64_t>(0, width)));
  }
  StringRef name = width == 16 ? "llvm.x86.avx512bf16.cvtneps2bf16.512"
                               : "llvm.x86.avx512bf16.cvtne2ps2bf16.512";
  SmallVector<Value> operands{value};
  if (width == 32)
    operands = {part(16, 16), part(0, 16)};
  auto rounded = b.create<LLVM::CallIntrinsicOp>(loc, VectorType::get(width, b.getBF16Type()),
                                                 b.getStringAttr(name), operands);
  return b.create<LLVM::BitcastOp>(loc, VectorType::get(width, b.getI16Type()),
                                   rounded.getResult(0));
}

void Lowering::writeBuffer(const Buffer &buffer, const Index &index, const Chunk &value,
                           bool rounds) {
  Value address = elementAddress(buffer, linearIndex(buffer, index));
  int64_t stride = laneStride(buffer, index);
  unsigned bytes = tt::scalarBytes(buffer.element);
  bool isMask = value.kind == Chunk::Prefix ||
                (value.v && getElementTypeOrSelf(value.v.getType()).isInteger(1));
  Value v = asValue(value, isMask ? b.getI1Type() : buffer.element, index);
  if (isMask)
    v = b.create<arith::ExtUIOp>(loc, shaped(buffer.element, index.hasLanes() ? index.width : 1),
                                 v);
  else if (rounds)
    v = roundedForProducts(v);
  else
    v = encodeStorage(v, buffer.element);
  if (stride == 0) {
    b.create<LLVM::StoreOp>(loc, v, address, bytes);
  } else if (stride == 1) {
    if (index.valid == index.width)
      b.create<LLVM::StoreOp>(loc, v, address, bytes);
    else
      b.create<LLVM::MaskedStoreOp>(loc, v, address, firstLanes(index.valid, index.width), bytes);
  } else {
    Value offsets = lanes(b.getI64Type(), index.width, stride * bytes);
    auto pointers = LLVM::getFixedVectorType(address.getType(), index.width);
    Value addresses = b.create<LLVM::GEPOp>(loc, pointers, b.getI8Type(), address,
                                            ArrayRef<LLVM::GEPArg>{offsets});
    b.create<LLVM::masked_scatter>(loc, v, addresses, firstLanes(index.valid, index.width), bytes);
  }
}

} // namespace tritium::cpu
