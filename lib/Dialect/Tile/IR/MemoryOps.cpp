//===- MemoryOps.cpp - pointers, loads, stores, atomics -------------------===//

#include "tritium/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tritium::tt;

namespace {
/// What is read or written through `ptr`: its pointee in its shape.
Type pointeeLike(Type ptr) {
  return withElement(ptr, cast<PointerType>(elementType(ptr)).getPointeeType());
}
Type boolLike(Type ptr) { return withElement(ptr, IntegerType::get(ptr.getContext(), 1)); }

LogicalResult verifyMask(Operation *op, StringRef constraint, Value mask, Type ptr) {
  if (mask && mask.getType() != boolLike(ptr))
    return op->emitOpError() << "(" << constraint << ") the mask must be " << boolLike(ptr)
                             << ", found " << mask.getType();
  return success();
}

LogicalResult verifyAccess(Operation *op, StringRef constraint, StringRef what, Type found,
                           Type ptr) {
  if (found != pointeeLike(ptr))
    return op->emitOpError() << "(" << constraint << ") the " << what << " must be "
                             << pointeeLike(ptr) << ", found " << found;
  return success();
}

/// A constant mask: true, false, or unknown.
std::optional<bool> constantMask(Value mask) {
  DenseElementsAttr elements;
  IntegerAttr scalar;
  if (matchPattern(mask, m_Constant(&elements)) && elements.isSplat())
    return elements.getSplatValue<bool>();
  if (matchPattern(mask, m_Constant(&scalar)))
    return !scalar.getValue().isZero();
  return std::nullopt;
}

template <typename EnumAttrT>
ParseResult parseEnum(OpAsmParser &parser, OperationState &result, StringRef keyword,
                      StringRef attrName, std::optional<EnumAttrT> (*symbolize)(StringRef)) {
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  StringRef word;
  auto loc = parser.getCurrentLocation();
  if (parser.parseEqual() || parser.parseKeyword(&word))
    return failure();
  auto value = symbolize(word);
  if (!value)
    return parser.emitError(loc) << "unknown " << keyword << " '" << word << "'";
  result.addAttribute(attrName,
                      parser.getBuilder().getI32IntegerAttr(static_cast<int32_t>(*value)));
  return success();
}

template <typename Op> void printHints(OpAsmPrinter &p, Op op) {
  if (op.getCache() != CacheModifier::NONE)
    p << " cache = " << stringifyCacheModifier(op.getCache());
  if (op.getEvict() != EvictionPolicy::NORMAL)
    p << " evict = " << stringifyEvictionPolicy(op.getEvict());
}
} // namespace

LogicalResult AddPtrOp::verify() {
  if (shapeOf(getPtr().getType()) != shapeOf(getOffset().getType()) ||
      isa<RankedTensorType>(getPtr().getType()) != isa<RankedTensorType>(getOffset().getType()))
    return emitOpError() << "(addptr_c1) pointer and offset must have one shape, found "
                         << getPtr().getType() << " and " << getOffset().getType();
  return success();
}

OpFoldResult AddPtrOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(adaptor.getOffset(), m_Zero()))
    return getPtr();
  return {};
}

LogicalResult IntToPtrOp::verify() {
  if (shapeOf(getSrc().getType()) != shapeOf(getType()) ||
      !elementType(getSrc().getType()).isInteger(64))
    return emitOpError() << "(int_to_ptr_c1) the operand must be i64 in the shape of the result";
  return success();
}

LogicalResult PtrToIntOp::verify() {
  if (shapeOf(getSrc().getType()) != shapeOf(getType()) || !elementType(getType()).isInteger(64))
    return emitOpError() << "(ptr_to_int_c1) the result must be i64 in the shape of the operand";
  return success();
}

LogicalResult BitcastOp::verify() {
  Type src = getSrc().getType(), dst = getType();
  if (shapeOf(src) != shapeOf(dst) || isa<RankedTensorType>(src) != isa<RankedTensorType>(dst))
    return emitOpError() << "(bitcast_c1) shapes must agree, found " << src << " -> " << dst;
  Type from = elementType(src), to = elementType(dst);
  if (isa<PointerType>(from) != isa<PointerType>(to) || scalarBits(from) != scalarBits(to))
    return emitOpError() << "(bitcast_c2) element widths must agree, found " << from << " -> "
                         << to;
  return success();
}

// An identity that carries a hint stays: the hint holds of its result only.
OpFoldResult BitcastOp::fold(FoldAdaptor) {
  bool isIdentity = getSrc().getType() == getType();
  return isIdentity && (*this)->getDiscardableAttrs().empty() ? OpFoldResult(getSrc())
                                                              : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// load
//===----------------------------------------------------------------------===//

void LoadOp::build(OpBuilder &builder, OperationState &state, Value ptr, Value mask, Value other,
                   CacheModifier cache, EvictionPolicy evict, bool isVolatile) {
  build(builder, state, pointeeLike(ptr.getType()), ptr, mask, other, cache, evict, isVolatile);
}

LogicalResult LoadOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands,
                                       DictionaryAttr, OpaqueProperties, RegionRange,
                                       SmallVectorImpl<Type> &types) {
  types.push_back(pointeeLike(operands[0].getType()));
  return success();
}

void LoadOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getPtrMutable());
  if (getIsVolatile())
    effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult LoadOp::verify() {
  Type ptr = getPtr().getType();
  if (failed(verifyAccess(*this, "load_c1", "result", getType(), ptr)) ||
      failed(verifyMask(*this, "load_c2", getMask(), ptr)))
    return failure();
  if (!getOther())
    return success();
  if (!getMask())
    return emitOpError() << "(load_c3) 'other' needs a mask";
  return verifyAccess(*this, "load_c3", "'other'", getOther().getType(), ptr);
}

ParseResult LoadOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand, 3> operands;
  if (parser.parseOperandList(operands) ||
      parseEnum(parser, result, "cache", "cache", &symbolizeCacheModifier) ||
      parseEnum(parser, result, "evict", "evict", &symbolizeEvictionPolicy))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("volatile")))
    result.addAttribute("isVolatile", parser.getBuilder().getBoolAttr(true));
  Type ptr;
  auto loc = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(ptr))
    return failure();
  if (operands.empty() || operands.size() > 3 || !isa<PointerType>(elementType(ptr)))
    return parser.emitError(loc) << "expected pointer[, mask[, other]] : pointer type";
  Type types[] = {ptr, boolLike(ptr), pointeeLike(ptr)};
  for (auto [operand, type] : llvm::zip(operands, types))
    if (parser.resolveOperand(operand, type, result.operands))
      return failure();
  int32_t n = operands.size();
  result.addAttribute("operandSegmentSizes",
                      parser.getBuilder().getDenseI32ArrayAttr({1, n > 1, n > 2}));
  result.addTypes(pointeeLike(ptr));
  return success();
}

void LoadOp::print(OpAsmPrinter &p) {
  p << ' ' << getOperands();
  printHints(p, *this);
  if (getIsVolatile())
    p << " volatile";
  p.printOptionalAttrDict((*this)->getAttrs(),
                          {"operandSegmentSizes", "cache", "evict", "isVolatile"});
  p << " : " << getPtr().getType();
}

void LoadOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  // A mask that is always true is no mask; under one that is always false nothing
  // is read.
  patterns.add(+[](LoadOp op, PatternRewriter &rewriter) {
    std::optional<bool> mask = op.getMask() ? constantMask(op.getMask()) : std::nullopt;
    if (!mask || (!*mask && (!op.getOther() || op.getIsVolatile())))
      return failure();
    if (*mask)
      rewriter.replaceOpWithNewOp<LoadOp>(op, op.getPtr(), Value(), Value(), op.getCache(),
                                          op.getEvict(), op.getIsVolatile());
    else
      rewriter.replaceOp(op, op.getOther());
    return success();
  });
}

//===----------------------------------------------------------------------===//
// store and atomics
//===----------------------------------------------------------------------===//

LogicalResult StoreOp::verify() {
  if (failed(verifyAccess(*this, "store_c1", "value", getValue().getType(), getPtr().getType())))
    return failure();
  return verifyMask(*this, "store_c2", getMask(), getPtr().getType());
}

ParseResult StoreOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand, 3> operands;
  Type ptr;
  auto loc = parser.getCurrentLocation();
  if (parser.parseOperandList(operands) ||
      parseEnum(parser, result, "cache", "cache", &symbolizeCacheModifier) ||
      parseEnum(parser, result, "evict", "evict", &symbolizeEvictionPolicy) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(ptr))
    return failure();
  if (operands.size() < 2 || operands.size() > 3 || !isa<PointerType>(elementType(ptr)))
    return parser.emitError(loc) << "expected pointer, value[, mask] : pointer type";
  Type types[] = {ptr, pointeeLike(ptr), boolLike(ptr)};
  for (auto [operand, type] : llvm::zip(operands, types))
    if (parser.resolveOperand(operand, type, result.operands))
      return failure();
  return success();
}

void StoreOp::print(OpAsmPrinter &p) {
  p << ' ' << getOperands();
  printHints(p, *this);
  p.printOptionalAttrDict((*this)->getAttrs(), {"cache", "evict"});
  p << " : " << getPtr().getType();
}

void StoreOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(+[](StoreOp op, PatternRewriter &rewriter) {
    std::optional<bool> mask = op.getMask() ? constantMask(op.getMask()) : std::nullopt;
    if (!mask)
      return failure();
    if (*mask)
      rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
    else
      rewriter.eraseOp(op);
    return success();
  });
}

std::optional<MemSemantic> AtomicRMWOp::getAtomicOrder() { return getSem(); }
std::optional<MemSemantic> AtomicCASOp::getAtomicOrder() { return getSem(); }

LogicalResult AtomicRMWOp::verify() {
  Type ptr = getPtr().getType();
  if (failed(verifyAccess(*this, "atomic_rmw_c1", "value", getValue().getType(), ptr)) ||
      failed(verifyAccess(*this, "atomic_rmw_c1", "result", getType(), ptr)) ||
      failed(verifyMask(*this, "atomic_rmw_c2", getMask(), ptr)))
    return failure();
  Type element = elementType(getType());
  bool isFloat = isTileFloat(element), isInt = isTileInt(element);
  bool ok = getRmwOp() == RMWOp::XCHG || (getRmwOp() == RMWOp::FADD ? isFloat : isInt);
  if (!ok)
    return emitOpError() << "(atomic_rmw_c3) '" << stringifyRMWOp(getRmwOp())
                         << "' does not apply to " << element;
  return success();
}

LogicalResult AtomicCASOp::verify() {
  Type ptr = getPtr().getType();
  if (failed(verifyAccess(*this, "atomic_cas_c1", "compared value", getCmp().getType(), ptr)) ||
      failed(verifyAccess(*this, "atomic_cas_c1", "value", getValue().getType(), ptr)) ||
      failed(verifyAccess(*this, "atomic_cas_c1", "result", getType(), ptr)))
    return failure();
  unsigned bits = scalarBits(elementType(getType()));
  if (bits < 8)
    return emitOpError() << "(atomic_cas_c2) the element must have 8, 16, 32 or 64 bits, found "
                         << bits;
  return success();
}

// Floats of one sign are ordered as their bits: upwards as signed integers when the new value is
// not negative, downwards as unsigned ones when it is.
Value tritium::tt::buildFloatAtomic(OpBuilder &b, Location loc, bool isMax, Value ptr, Value value,
                                    Value mask, MemSemantic semantic, MemScope scope) {
  Type integer = b.getIntegerType(scalarBits(elementType(value.getType())));
  Type bitsType = withElement(value.getType(), integer);
  Value bits = b.create<BitcastOp>(loc, bitsType, value);
  Value address =
      b.create<BitcastOp>(loc, withElement(ptr.getType(), PointerType::get(integer)), ptr);
  Value zero = b.create<arith::ConstantOp>(loc, bitsType, b.getZeroAttr(bitsType));
  Value isNegative = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, bits, zero);
  Value isPositive = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, bits, zero);
  auto active = [&](Value chosen) -> Value {
    return mask ? b.create<arith::AndIOp>(loc, mask, chosen) : chosen;
  };
  Value positiveMask = active(isPositive), negativeMask = active(isNegative);
  auto emit = [&](RMWOp op, Value chosen) -> Value {
    return b.create<AtomicRMWOp>(loc, bitsType, op, address, bits, chosen, semantic, scope);
  };
  Value positive = emit(isMax ? RMWOp::MAX : RMWOp::MIN, positiveMask);
  Value negative = emit(isMax ? RMWOp::UMIN : RMWOp::UMAX, negativeMask);
  Value old = b.create<arith::SelectOp>(loc, isPositive, positive, negative);
  return b.create<BitcastOp>(loc, value.getType(), old);
}
