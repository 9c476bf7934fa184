//===- Memory.cpp - loads, stores, atomics --------------------------------===//
//
// An access is one vector load or store where the pointers count up by the element's
// size, a scalar access where all pointers are one, and a gather or scatter otherwise.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tritium::cpu {

Value Lowering::decodeStorage(Value stored, Type element) {
  if (tt::isTileFloat(element) && tt::scalarBits(element) < 32)
    return math().decode(stored, element);
  if (element.isInteger(1)) {
    int64_t width =
        isa<VectorType>(stored.getType()) ? cast<VectorType>(stored.getType()).getNumElements() : 1;
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, stored,
                                   zeroOf(b.getI8Type(), width));
  }
  return stored;
}

/// What the bf16 `value` was decoded from; null if it was not.
static Value decodedFrom(Value value) {
  auto number = value.getDefiningOp<arith::BitcastOp>();
  auto shifted = number ? number.getIn().getDefiningOp<arith::ShLIOp>() : nullptr;
  auto wide = shifted ? shifted.getLhs().getDefiningOp<arith::ExtUIOp>() : nullptr;
  llvm::APInt by;
  if (!wide || !getElementTypeOrSelf(wide.getIn()).isInteger(16) ||
      !matchPattern(shifted.getRhs(), m_ConstantInt(&by)) || by != 16)
    return {};
  return wide.getIn();
}

Value Lowering::encodeStorage(Value value, Type element) {
  if (element.isBF16()) {
    if (Value stored = decodedFrom(value))
      return stored;
    // The value is representable: its upper half is the number, also of a NaN.
    int64_t width =
        isa<VectorType>(value.getType()) ? cast<VectorType>(value.getType()).getNumElements() : 1;
    Value bits = b.create<arith::BitcastOp>(loc, shaped(b.getI32Type(), width), value);
    Value upper = b.create<arith::ShRUIOp>(loc, bits, splat(constant(b.getI32Type(), 16), width));
    return b.create<arith::TruncIOp>(loc, shaped(b.getI16Type(), width), upper);
  }
  if (tt::isTileFloat(element) && tt::scalarBits(element) < 32)
    return math().encode(value, element);
  if (element.isInteger(1)) {
    int64_t width =
        isa<VectorType>(value.getType()) ? cast<VectorType>(value.getType()).getNumElements() : 1;
    return b.create<arith::ExtUIOp>(loc, shaped(b.getI8Type(), width), value);
  }
  return value;
}

Value Lowering::scalarAddress(const Chunk &ptr) {
  if (ptr.base)
    return gep(ptr.base, ptr.v);
  return b.create<LLVM::IntToPtrOp>(loc, LLVM::LLVMPointerType::get(b.getContext()), ptr.v);
}

Value Lowering::addressVector(const Chunk &ptr, int64_t width) {
  auto pointers = LLVM::getFixedVectorType(LLVM::LLVMPointerType::get(b.getContext()), width);
  Chunk offsets = ptr;
  offsets.base = {};
  Value v = asVector(offsets, b.getI64Type(), width);
  if (!ptr.base)
    return b.create<LLVM::IntToPtrOp>(loc, pointers, v);
  return b.create<LLVM::GEPOp>(loc, pointers, b.getI8Type(), ptr.base, ArrayRef<LLVM::GEPArg>{v});
}

bool Lowering::isUnitStride(const Chunk &ptr, Type pointee) {
  return ptr.kind == Chunk::Affine && ptr.stride == static_cast<int64_t>(tt::scalarBytes(pointee));
}

Value Lowering::maskVector(const Chunk *mask, const Index &index) {
  bool whole = index.valid == index.width;
  if (!mask)
    return firstLanes(index.valid, index.width);
  if (mask->kind == Chunk::Prefix && !whole)
    return asVector(Chunk::prefix(minSigned(mask->v, i64(index.valid))), b.getI1Type(),
                    index.width);
  Value v = asVector(*mask, b.getI1Type(), index.width);
  return whole ? v
               : b.create<arith::AndIOp>(loc, v, firstLanes(index.valid, index.width)).getResult();
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

Chunk Lowering::emitLoad(tt::LoadOp op, const Index &index) {
  Type pointee = pointeeOf(op.getPtr());
  std::optional<Chunk> mask;
  if (op.getMask() && !isAssumed(op.getMask(), index))
    mask = evaluate(op.getMask(), index);
  const Chunk *maskPtr = mask ? &*mask : nullptr;
  return loadAt(op, evaluate(op.getPtr(), index), maskPtr, index, pointee);
}

Chunk Lowering::loadAt(tt::LoadOp op, const Chunk &ptr, const Chunk *mask, const Index &index,
                       Type pointee) {
  Type element = evalType(pointee), storage = storageType(pointee);
  unsigned bytes = tt::scalarBytes(pointee);
  auto other = [&](const Index &at) -> Value {
    int64_t width = at.hasLanes() ? at.width : 1;
    if (!op.getOther())
      return zeroOf(element, width);
    return asValue(evaluate(op.getOther(), index), element, at);
  };
  if (ptr.kind == Chunk::Uniform) {
    bool maskUniform = !mask || mask->kind == Chunk::Uniform || !index.hasLanes();
    auto loadScalar = [&]() -> Value {
      Value v = b.create<LLVM::LoadOp>(loc, storage, scalarAddress(ptr), bytes, op.getIsVolatile());
      return decodeStorage(v, pointee);
    };
    if (!mask)
      return Chunk::uniform(loadScalar());
    Value any;
    if (maskUniform)
      any = asValue(*mask, b.getI1Type(), {});
    else
      any = b.create<vector::ReductionOp>(loc, vector::CombiningKind::OR, maskVector(mask, index));
    bool otherUniform = !op.getOther() || !index.hasLanes() ||
                        evaluate(op.getOther(), index).kind == Chunk::Uniform;
    if (maskUniform && otherUniform) {
      Value fallback = other({});
      auto branch = b.create<scf::IfOp>(loc, TypeRange{element}, any, true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToEnd(branch.thenBlock());
      b.create<scf::YieldOp>(loc, loadScalar());
      b.setInsertionPointToEnd(branch.elseBlock());
      b.create<scf::YieldOp>(loc, fallback);
      return Chunk::uniform(branch.getResult(0));
    }
    Value fallback = other(index);
    auto branch = b.create<scf::IfOp>(loc, TypeRange{element}, any, true);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToEnd(branch.thenBlock());
      b.create<scf::YieldOp>(loc, loadScalar());
      b.setInsertionPointToEnd(branch.elseBlock());
      b.create<scf::YieldOp>(loc, zeroOf(element, 1));
    }
    return Chunk::vector(b.create<arith::SelectOp>(
        loc, maskVector(mask, index), splat(branch.getResult(0), index.width), fallback));
  }

  auto type = VectorType::get(index.width, storage);
  bool direct = storage == element;
  bool whole = !mask && index.valid == index.width;
  Value loaded;
  if (isUnitStride(ptr, pointee)) {
    Value address = scalarAddress(ptr);
    if (whole)
      loaded = b.create<LLVM::LoadOp>(loc, type, address, bytes, op.getIsVolatile());
    else
      loaded = maskedLoad(type, address, maskVector(mask, index),
                          direct && mask ? other(index) : zeroOf(storage, index.width), bytes);
  } else {
    loaded = b.create<LLVM::masked_gather>(
        loc, type, addressVector(ptr, index.width), maskVector(mask, index),
        ValueRange{direct && mask ? other(index) : zeroOf(storage, index.width)}, bytes);
    remarkElements(op, index);
  }
  if (direct)
    return Chunk::vector(loaded);
  Value value = decodeStorage(loaded, pointee);
  // The code of zero is loaded where the mask is not set.
  if (mask && op.getOther() && !isPositiveZero(op.getOther()))
    value = b.create<arith::SelectOp>(loc, maskVector(mask, index), value, other(index));
  return Chunk::vector(value);
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

void Lowering::emitStore(tt::StoreOp op, const Chunk &chunk, const Index &index,
                         bool fetchesLaterRows) {
  Type pointee = pointeeOf(op.getPtr());
  std::optional<Chunk> mask;
  if (op.getMask() && !isAssumed(op.getMask(), index))
    mask = evaluate(op.getMask(), index);
  const Chunk *maskPtr = mask ? &*mask : nullptr;
  Value value = encodeStorage(asValue(chunk, evalType(pointee), index), pointee);
  Chunk ptr = evaluate(op.getPtr(), index);
  if (index.hasLanes() && !isUnitStride(ptr, pointee))
    remarkElements(op, index);
  if (fetchesLaterRows && index.hasLanes())
    fetchLaterRow(op, index);
  if (isStreaming && plan.streamedStores.contains(op) && isUnitStride(ptr, pointee))
    return storePastCache(scalarAddress(ptr), value, tt::scalarBytes(pointee));
  storeAt(ptr, value, maskPtr, index, pointee);
}

/// The rows of a result stand far apart, and the product kept the caches busy, so each
/// store would wait for its line. Asks for the lines of a later row. The last rows ask for
/// memory behind the tile, which does no harm as long as nothing has to be read to tell where
/// that is.
void Lowering::fetchLaterRow(tt::StoreOp op, const Index &index) {
  constexpr int64_t rowsAhead = 8;
  Type pointee = pointeeOf(op.getPtr());
  Index later = index;
  for (DimIndex &dim : later.dims)
    if (dim.kind == DimIndex::Scalar)
      dim.index = add(dim.index, i64(rowsAhead));
  Chunk ptr = evaluate(op.getPtr(), later);
  if (!isUnitStride(ptr, pointee))
    return;
  Value address = scalarAddress(ptr);
  for (int64_t at = 0; at < index.width * tt::scalarBytes(pointee); at += kCacheLine)
    b.create<LLVM::Prefetch>(loc, gep(address, i64(at)), /*rw=*/1, /*hint=*/3, /*cache=*/1);
}

/// Stores `value` register by register, the first lanes first. LLVM would pick any order for
/// the registers of one store; where each lies in two lines of the cache, any other order
/// costs a third of the bandwidth beyond the first cache.
void Lowering::storeInOrder(Value value, Value address, unsigned alignment, bool isStreamed) {
  auto type = cast<VectorType>(value.getType());
  int64_t width = type.getNumElements(), lanes = target.vectorBits / type.getElementTypeBitWidth();
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  for (int64_t at = 0; at < width; at += lanes) {
    Value piece = value;
    if (width > lanes)
      piece = b.create<vector::ExtractStridedSliceOp>(
          loc, value, ArrayRef<int64_t>{at}, ArrayRef<int64_t>{lanes}, ArrayRef<int64_t>{1});
    b.create<LLVM::StoreOp>(loc, piece, at ? gep(address, i64(at * bytes)) : address, alignment,
                            /*isVolatile=*/false, isStreamed);
  }
}

void Lowering::storeAt(const Chunk &ptr, Value value, const Chunk *mask, const Index &index,
                       Type pointee) {
  unsigned bytes = tt::scalarBytes(pointee);
  if (!index.hasLanes()) {
    if (!mask) {
      b.create<LLVM::StoreOp>(loc, value, scalarAddress(ptr), bytes);
      return;
    }
    auto branch = b.create<scf::IfOp>(loc, asValue(*mask, b.getI1Type(), index), false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    b.create<LLVM::StoreOp>(loc, value, scalarAddress(ptr), bytes);
    return;
  }
  if (isUnitStride(ptr, pointee)) {
    if (!mask && index.valid == index.width)
      storeInOrder(value, scalarAddress(ptr), bytes, /*isStreamed=*/false);
    else
      b.create<LLVM::MaskedStoreOp>(loc, value, scalarAddress(ptr), maskVector(mask, index), bytes);
    return;
  }
  b.create<LLVM::masked_scatter>(loc, value, addressVector(ptr, index.width),
                                 maskVector(mask, index), bytes);
}

} // namespace tritium::cpu
