//===- Helpers.cpp - constants, index arithmetic, types -------------------===//

#include "Lowering.h"

using namespace mlir;

namespace tritium::cpu {

Value Lowering::i64(int64_t value) { return b.create<arith::ConstantIntOp>(loc, value, 64); }

Value Lowering::constant(Type element, int64_t value) {
  if (isa<FloatType>(element))
    return b.create<arith::ConstantOp>(loc, b.getFloatAttr(element, static_cast<double>(value)));
  return b.create<arith::ConstantOp>(loc, b.getIntegerAttr(element, value));
}

Value Lowering::zeroOf(Type element, int64_t width) {
  return b.create<arith::ConstantOp>(loc, cast<TypedAttr>(b.getZeroAttr(shaped(element, width))));
}

static std::optional<int64_t> known(Value v) {
  IntegerAttr attr;
  if (matchPattern(v, m_Constant(&attr)))
    return attr.getValue().getSExtValue();
  return std::nullopt;
}

Value Lowering::add(Value x, Value y) {
  auto a = known(x), c = known(y);
  if (a && c)
    return i64(*a + *c);
  if (a == 0)
    return y;
  if (c == 0)
    return x;
  return b.create<arith::AddIOp>(loc, x, y);
}

Value Lowering::sub(Value x, Value y) {
  auto a = known(x), c = known(y);
  if (a && c)
    return i64(*a - *c);
  if (c == 0)
    return x;
  return b.create<arith::SubIOp>(loc, x, y);
}

Value Lowering::mul(Value x, Value y) {
  auto a = known(x), c = known(y);
  if (a && c)
    return i64(*a * *c);
  if (a == 0 || c == 0)
    return i64(0);
  if (a == 1)
    return y;
  if (c == 1)
    return x;
  return b.create<arith::MulIOp>(loc, x, y);
}

Value Lowering::minSigned(Value x, Value y) { return b.create<arith::MinSIOp>(loc, x, y); }

Type Lowering::shaped(Type element, int64_t width) {
  return width == 1 ? element : Type(VectorType::get(width, element));
}

Value Lowering::lanes(Type element, int64_t width, int64_t stride) {
  SmallVector<Attribute> values;
  for (int64_t l = 0; l < width; ++l)
    values.push_back(b.getIntegerAttr(
        element, APInt(element.getIntOrFloatBitWidth(), l * stride, /*isSigned=*/true)));
  return b.create<arith::ConstantOp>(
      loc, DenseElementsAttr::get(VectorType::get(width, element), values));
}

Value Lowering::splat(Value scalar, int64_t width) {
  if (width == 1)
    return scalar;
  return b.create<vector::BroadcastOp>(loc, VectorType::get(width, scalar.getType()), scalar);
}

Value Lowering::firstLanes(int64_t valid, int64_t width) {
  SmallVector<bool> bits(width, false);
  std::fill_n(bits.begin(), valid, true);
  return b.create<arith::ConstantOp>(
      loc, DenseElementsAttr::get(VectorType::get(width, b.getI1Type()), bits));
}

Value Lowering::gep(Value base, Value byteOffset) {
  if (known(byteOffset) == 0)
    return base;
  return b.create<LLVM::GEPOp>(loc, base.getType(), b.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{byteOffset});
}

func::FuncOp Lowering::sharedFunction(StringRef name, unsigned pointers, unsigned numbers,
                                      llvm::function_ref<void(Block::BlockArgListType)> body) {
  if (auto known = module.lookupSymbol<func::FuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(module.getBody());
  SmallVector<Type> types(pointers, LLVM::LLVMPointerType::get(b.getContext()));
  types.append(numbers, b.getI64Type());
  auto func = b.create<func::FuncOp>(loc, name, b.getFunctionType(types, {}));
  func.setPrivate();
  func->setAttr("llvm.linkage", LLVM::LinkageAttr::get(b.getContext(), LLVM::Linkage::Internal));
  for (unsigned i = 0; i < pointers; ++i)
    func.setArgAttr(i, "llvm.noalias", b.getUnitAttr());
  Block *block = func.addEntryBlock();
  b.setInsertionPointToStart(block);
  body(block->getArguments());
  b.setInsertionPointToEnd(block);
  b.create<func::ReturnOp>(loc);
  return func;
}

SmallVector<Value> Lowering::loop(Value lower, Value bound, int64_t step, ValueRange carried,
                                  llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto loopOp = b.create<scf::ForOp>(loc, lower, bound, i64(step), carried);
  OpBuilder::InsertionGuard guard(b);
  MemoScope scope(*this);
  Block *block = loopOp.getBody();
  if (carried.empty())
    block->getTerminator()->erase();
  b.setInsertionPointToEnd(block);
  SmallVector<Value> next = body(loopOp.getInductionVar(), loopOp.getRegionIterArgs());
  b.create<scf::YieldOp>(loc, next);
  return SmallVector<Value>(loopOp.getResults());
}

void Lowering::forPieces(int64_t extent, int64_t step,
                         llvm::function_ref<void(Value, int64_t)> body) {
  int64_t full = extent / step * step;
  if (full == step)
    body(i64(0), step);
  else if (full > 0)
    loop(i64(0), i64(full), step, {}, [&](Value i, ValueRange) -> SmallVector<Value> {
      body(i, step);
      return {};
    });
  if (full < extent)
    body(i64(full), extent - full);
}

} // namespace tritium::cpu
