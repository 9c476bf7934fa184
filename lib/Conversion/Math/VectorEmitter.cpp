//===- VectorEmitter.cpp - arithmetic on lanes, emitted as IR -------------===//

#include "VectorEmitter.h"

using namespace mlir;
using namespace tritium::cpu;

Type VectorEmitter::typeLike(Type element, Value shape) const {
  if (auto vector = dyn_cast<VectorType>(shape.getType()))
    return VectorType::get(vector.getShape(), element);
  return element;
}

int64_t VectorEmitter::lanes(Value x) {
  auto vector = dyn_cast<VectorType>(x.getType());
  return vector ? vector.getDimSize(0) : 0;
}

Value VectorEmitter::constant(TypedAttr value, Value shape) {
  Type type = typeLike(value.getType(), shape);
  if (auto vector = dyn_cast<VectorType>(type))
    value = DenseElementsAttr::get(vector, ArrayRef<Attribute>(value));
  return b.create<arith::ConstantOp>(loc, value);
}

Value VectorEmitter::f32(double value, Value shape) {
  return constant(b.getF32FloatAttr(float(value)), shape);
}
Value VectorEmitter::f64(double value, Value shape) {
  return constant(b.getF64FloatAttr(value), shape);
}
Value VectorEmitter::i32(int64_t value, Value shape) {
  return constant(b.getI32IntegerAttr(int32_t(value)), shape);
}
Value VectorEmitter::i64(int64_t value, Value shape) {
  return constant(b.getI64IntegerAttr(value), shape);
}

Value VectorEmitter::add(Value x, Value y) { return b.create<arith::AddFOp>(loc, x, y); }
Value VectorEmitter::sub(Value x, Value y) { return b.create<arith::SubFOp>(loc, x, y); }
Value VectorEmitter::mul(Value x, Value y) { return b.create<arith::MulFOp>(loc, x, y); }

Value VectorEmitter::mulAdd(Value x, Value y, Value z) {
  if (target.hasFMA)
    return b.create<math::FmaOp>(loc, x, y, z);
  return add(mul(x, y), z);
}

Value VectorEmitter::polynomial(Value x, ArrayRef<float> coefficients) {
  Value sum = f32(coefficients.back(), x);
  for (float c : llvm::reverse(coefficients.drop_back()))
    sum = mulAdd(sum, x, f32(c, x));
  return sum;
}

Value VectorEmitter::iadd(Value x, Value y) { return b.create<arith::AddIOp>(loc, x, y); }
Value VectorEmitter::isub(Value x, Value y) { return b.create<arith::SubIOp>(loc, x, y); }
Value VectorEmitter::imul(Value x, Value y) { return b.create<arith::MulIOp>(loc, x, y); }
Value VectorEmitter::iand(Value x, Value y) { return b.create<arith::AndIOp>(loc, x, y); }
Value VectorEmitter::ior(Value x, Value y) { return b.create<arith::OrIOp>(loc, x, y); }
Value VectorEmitter::ixor(Value x, Value y) { return b.create<arith::XOrIOp>(loc, x, y); }
Value VectorEmitter::umin(Value x, Value y) { return b.create<arith::MinUIOp>(loc, x, y); }

static Value amountLike(VectorEmitter &e, Value x, int64_t amount) {
  return getElementTypeOrSelf(x).isInteger(64) ? e.i64(amount, x) : e.i32(amount, x);
}
Value VectorEmitter::shl(Value x, int64_t amount) {
  return b.create<arith::ShLIOp>(loc, x, amountLike(*this, x, amount));
}
Value VectorEmitter::shr(Value x, int64_t amount) {
  return b.create<arith::ShRUIOp>(loc, x, amountLike(*this, x, amount));
}
Value VectorEmitter::sra(Value x, int64_t amount) {
  return b.create<arith::ShRSIOp>(loc, x, amountLike(*this, x, amount));
}

Value VectorEmitter::cmp(FP predicate, Value x, Value y) {
  return b.create<arith::CmpFOp>(loc, predicate, x, y);
}
Value VectorEmitter::cmp(IP predicate, Value x, Value y) {
  return b.create<arith::CmpIOp>(loc, predicate, x, y);
}
Value VectorEmitter::select(Value condition, Value x, Value y) {
  return b.create<arith::SelectOp>(loc, condition, x, y);
}
Value VectorEmitter::atMost(Value x, double bound) {
  Value c = f32(bound, x);
  return select(cmp(FP::OLT, c, x), c, x);
}
Value VectorEmitter::atLeast(Value x, double bound) {
  Value c = f32(bound, x);
  return select(cmp(FP::OGT, c, x), c, x);
}

Value VectorEmitter::bitcast(Value x, Type element) {
  return b.create<arith::BitcastOp>(loc, typeLike(element, x), x);
}
Value VectorEmitter::bits(Value x) {
  return bitcast(x, b.getIntegerType(getElementTypeOrSelf(x).getIntOrFloatBitWidth()));
}
Value VectorEmitter::asF32(Value x) { return bitcast(x, b.getF32Type()); }
Value VectorEmitter::abs(Value x) { return b.create<math::AbsFOp>(loc, x); }
Value VectorEmitter::withSign(Value magnitude, Value sign) {
  return b.create<math::CopySignOp>(loc, magnitude, sign);
}
Value VectorEmitter::zext(Value x, Type element) {
  return b.create<arith::ExtUIOp>(loc, typeLike(element, x), x);
}
Value VectorEmitter::trunc(Value x, Type element) {
  return b.create<arith::TruncIOp>(loc, typeLike(element, x), x);
}
Value VectorEmitter::toF64(Value x) {
  return b.create<arith::ExtFOp>(loc, typeLike(b.getF64Type(), x), x);
}
Value VectorEmitter::toF32(Value x) {
  Type type = typeLike(b.getF32Type(), x);
  if (isa<IntegerType>(getElementTypeOrSelf(x)))
    return b.create<arith::SIToFPOp>(loc, type, x);
  return b.create<arith::TruncFOp>(loc, type, x);
}

VectorEmitter::Rounded VectorEmitter::roundProduct(Value x, double factor) {
  // Adding 1.5 * 2^23 leaves the rounded value in the low bits of the sum.
  Value magic = f32(0x1.8p23, x);
  Value sum = factor == 1 ? add(x, magic) : mulAdd(x, f32(factor, x), magic);
  return {sub(sum, magic), isub(bits(sum), i32(0x4b400000, x))};
}

bool VectorEmitter::isAVX512Shape(Value x) const {
  return target.hasAVX512 && lanes(x) > 0 && lanes(x) % 16 == 0;
}

Value VectorEmitter::scalarI16(int64_t value) {
  return b.create<LLVM::ConstantOp>(loc, b.getI16Type(), value);
}
Value VectorEmitter::scalarI32(int64_t value) {
  return b.create<LLVM::ConstantOp>(loc, b.getI32Type(), value);
}

Value VectorEmitter::intrinsic16(StringRef name, ArrayRef<Value> xs,
                                 llvm::function_ref<void(SmallVectorImpl<Value> &)> tail) {
  int64_t count = lanes(xs.front());
  auto type = VectorType::get(16, b.getF32Type());
  SmallVector<Value> pieces;
  for (int64_t first = 0; first < count; first += 16) {
    auto mask = llvm::to_vector(llvm::seq<int64_t>(first, first + 16));
    SmallVector<Value> arguments;
    for (Value x : xs)
      arguments.push_back(count == 16 ? x : b.create<vector::ShuffleOp>(loc, x, x, mask));
    tail(arguments);
    pieces.push_back(
        b.create<LLVM::CallIntrinsicOp>(loc, type, b.getStringAttr(name), arguments).getResult(0));
  }
  while (pieces.size() > 1) {
    // An odd piece waits for a later round, so that every round joins equal lengths.
    SmallVector<Value> joined;
    for (size_t i = 0; i + 1 < pieces.size(); i += 2) {
      auto mask = llvm::to_vector(llvm::seq<int64_t>(0, lanes(pieces[i]) + lanes(pieces[i + 1])));
      joined.push_back(b.create<vector::ShuffleOp>(loc, pieces[i], pieces[i + 1], mask));
    }
    if (pieces.size() % 2)
      joined.push_back(pieces.back());
    pieces = std::move(joined);
  }
  return pieces.front();
}
