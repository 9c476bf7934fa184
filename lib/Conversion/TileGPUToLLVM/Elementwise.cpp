//===- Elementwise.cpp - one operation on one element ---------------------===//
//
// Semantics are those of the interpreter: division never traps, a shift by the width or
// more gives zero or the sign.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"

#include "Distance.h"
#include "Families.h"

#include "tritium/Dialect/TileGPU/IR/SkipOnes.h"
#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tritium::ttg {

namespace {
using ICmp = LLVM::ICmpPredicate;
using FCmp = LLVM::FCmpPredicate;

ICmp predicateOf(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return ICmp::eq;
  case arith::CmpIPredicate::ne:
    return ICmp::ne;
  case arith::CmpIPredicate::slt:
    return ICmp::slt;
  case arith::CmpIPredicate::sle:
    return ICmp::sle;
  case arith::CmpIPredicate::sgt:
    return ICmp::sgt;
  case arith::CmpIPredicate::sge:
    return ICmp::sge;
  case arith::CmpIPredicate::ult:
    return ICmp::ult;
  case arith::CmpIPredicate::ule:
    return ICmp::ule;
  case arith::CmpIPredicate::ugt:
    return ICmp::ugt;
  case arith::CmpIPredicate::uge:
    return ICmp::uge;
  }
  llvm_unreachable("unknown predicate");
}

FCmp predicateOf(arith::CmpFPredicate predicate) {
  static const std::pair<arith::CmpFPredicate, FCmp> table[] = {
      {arith::CmpFPredicate::AlwaysFalse, FCmp::_false},
      {arith::CmpFPredicate::OEQ, FCmp::oeq},
      {arith::CmpFPredicate::OGT, FCmp::ogt},
      {arith::CmpFPredicate::OGE, FCmp::oge},
      {arith::CmpFPredicate::OLT, FCmp::olt},
      {arith::CmpFPredicate::OLE, FCmp::ole},
      {arith::CmpFPredicate::ONE, FCmp::one},
      {arith::CmpFPredicate::ORD, FCmp::ord},
      {arith::CmpFPredicate::UEQ, FCmp::ueq},
      {arith::CmpFPredicate::UGT, FCmp::ugt},
      {arith::CmpFPredicate::UGE, FCmp::uge},
      {arith::CmpFPredicate::ULT, FCmp::ult},
      {arith::CmpFPredicate::ULE, FCmp::ule},
      {arith::CmpFPredicate::UNE, FCmp::une},
      {arith::CmpFPredicate::UNO, FCmp::uno},
      {arith::CmpFPredicate::AlwaysTrue, FCmp::_true},
  };
  for (auto [from, to] : table)
    if (from == predicate)
      return to;
  llvm_unreachable("unknown predicate");
}

/// The LLVM operation that does the same to one element, with the type of the first
/// operand as result.
StringRef sameType(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([](arith::AddIOp) { return "llvm.add"; })
      .Case([](arith::SubIOp) { return "llvm.sub"; })
      .Case([](arith::MulIOp) { return "llvm.mul"; })
      .Case([](arith::AndIOp) { return "llvm.and"; })
      .Case([](arith::OrIOp) { return "llvm.or"; })
      .Case([](arith::XOrIOp) { return "llvm.xor"; })
      .Case([](arith::MaxSIOp) { return "llvm.intr.smax"; })
      .Case([](arith::MinSIOp) { return "llvm.intr.smin"; })
      .Case([](arith::MaxUIOp) { return "llvm.intr.umax"; })
      .Case([](arith::MinUIOp) { return "llvm.intr.umin"; })
      .Case([](arith::AddFOp) { return "llvm.fadd"; })
      .Case([](arith::SubFOp) { return "llvm.fsub"; })
      .Case([](arith::MulFOp) { return "llvm.fmul"; })
      .Case([](arith::NegFOp) { return "llvm.fneg"; })
      .Case([](arith::MaxNumFOp) { return "llvm.intr.maxnum"; })
      .Case([](arith::MinNumFOp) { return "llvm.intr.minnum"; })
      .Case([](arith::MaximumFOp) { return "llvm.intr.maximum"; })
      .Case([](arith::MinimumFOp) { return "llvm.intr.minimum"; })
      .Default([](Operation *) { return ""; });
}

bool isFloat8(Type type) { return tt::isTileFloat(type) && tt::scalarBits(type) == 8; }
} // namespace

/// Two casts to 16 bits in one instruction, whose result is a pair as tensor cores and stores
/// take it; casts to and from 8 bits, of which there are instructions for pairs alone.
bool ElementwiseLowering::canCastPairs(Operation *op) {
  if (!isa<arith::TruncFOp, arith::ExtFOp>(op))
    return false;
  Type from = tt::elementType(op->getOperand(0).getType()),
       to = tt::elementType(op->getResult(0).getType());
  auto hasInstructions = [&](Type narrow, Type wide) {
    return gpu.convertsFloat8 && (narrow.isFloat8E4M3FN() || narrow.isFloat8E5M2()) &&
           (wide.isF32() || wide.isF16() || wide.isBF16());
  };
  if (isFloat8(from) || isFloat8(to))
    return isFloat8(from) ? hasInstructions(from, to) : hasInstructions(to, from);
  return from.isF32() && (to.isF16() || to.isBF16()) && gpu.castsPairs;
}

/// What is too large becomes infinity where there is one, as in all other casts: the instruction
/// takes the largest number instead.
std::pair<Value, Value> ElementwiseLowering::emitEncodedPair(Type to, Value low, Value high) {
  low = low.getType().isF32() ? low : fpext(low, b.getF32Type());
  high = high.getType().isF32() ? high : fpext(high, b.getF32Type());
  StringRef format = to.isFloat8E5M2() ? "e5m2" : "e4m3";
  Value both = assembly(b.getI16Type(), ("cvt.rn.satfinite." + format + "x2.f32 $0, $1, $2;").str(),
                        "=h,f,f", {high, low}, /*hasSideEffects=*/false);
  Value first = trunc(both, 8), second = trunc(shr(both, 8), 8);
  if (!to.isFloat8E5M2())
    return {first, second};
  constexpr double roundsUp = 61440; // half way from the largest, 57344, to the next, 65536
  constexpr int64_t infinity = 0x7c, sign = 0x80;
  auto corrected = [&](Value code, Value x) {
    Value magnitude = intrinsic("llvm.fabs", b.getF32Type(), {x});
    Value isBeyond = b.create<LLVM::FCmpOp>(loc, LLVM::FCmpPredicate::oge, magnitude,
                                            number(b.getF32Type(), roundsUp));
    Value infinite =
        ior(iand(code, constant(b.getI8Type(), sign)), constant(b.getI8Type(), infinity));
    return select(isBeyond, infinite, code);
  };
  return {corrected(first, low), corrected(second, high)};
}

std::pair<Value, Value> ElementwiseLowering::emitDecodedPair(Type from, Type to, Value low,
                                                             Value high) {
  auto halves = [&]() -> std::pair<Value, Value> {
    Value first = zext(low, 16), second = zext(high, 16);
    if (from.isFloat8E5M2()) // the upper half of an f16
      return {shl(first, 8), shl(second, 8)};
    Value both = assembly(b.getI32Type(), "cvt.rn.f16x2.e4m3x2 $0, $1;", "=r,h",
                          {ior(first, shl(second, 8))}, /*hasSideEffects=*/false);
    return {trunc(both, 16), trunc(shr(both, 16), 16)};
  };
  auto [first, second] = halves();
  auto inType = [&](Value bits) {
    Value half = bitcast(bits, b.getF16Type());
    if (to.isF16())
      return half;
    Value wide = fpext(half, b.getF32Type());
    return to.isF32() ? wide : fptrunc(wide, to);
  };
  return {inType(first), inType(second)};
}

std::pair<Value, Value> ElementwiseLowering::emitCastPair(Operation *op, Value low, Value high) {
  Type from = tt::elementType(op->getOperand(0).getType()),
       to = tt::elementType(op->getResult(0).getType());
  if (isFloat8(from))
    return emitDecodedPair(from, to, low, high);
  if (isFloat8(to))
    return emitEncodedPair(to, low, high);
  StringRef name = to.isF16() ? "llvm.nvvm.ff2f16x2.rn" : "llvm.nvvm.ff2bf16x2.rn";
  Value both = intrinsic(name, VectorType::get(2, to), {high, low});
  return {b.create<LLVM::ExtractElementOp>(loc, both, i32(0)),
          b.create<LLVM::ExtractElementOp>(loc, both, i32(1))};
}

/// A tile of pointers that moves as a whole moves its first one; others that are a constant
/// behind that are so afterwards. They take no registers.
LogicalResult ElementwiseLowering::lowerMove(tt::AddPtrOp op) {
  const Registers &pointers = get(op.getPtr());
  Registers result;
  for (auto [r, pointer] : llvm::enumerate(pointers)) {
    std::optional<int64_t> behind = r ? distance(pointers[0], pointer) : std::nullopt;
    result.push_back(behind && llvm::isInt<24>(*behind)
                         ? gep(result[0], intType(8), static_cast<int32_t>(*behind))
                         : emitScalar(op, {pointer, get(op.getOffset())[0]}));
  }
  set(op, std::move(result));
  return success();
}

/// With kSkipOnes.
void ElementwiseLowering::lowerProducts(arith::MulFOp op) {
  Registers numbers = get(op.getLhs()), factors = get(op.getRhs());
  llvm::SmallSetVector<Value, 8> distinct(factors.begin(), factors.end());
  auto differ = llvm::map_to_vector(distinct, [&](Value factor) -> Value {
    return b.create<LLVM::FCmpOp>(loc, LLVM::FCmpPredicate::une, factor,
                                  number(factor.getType(), 1));
  });
  SmallVector<Value> products = branchAround(anyLane(anyOf(differ)), numbers, [&] {
    return llvm::map_to_vector(llvm::zip_equal(numbers, factors), [&](auto pair) {
      return emitScalar(op, {std::get<0>(pair), std::get<1>(pair)});
    });
  });
  set(op, Registers(products.begin(), products.end()));
}

LogicalResult ElementwiseLowering::prepareElementwise(Operation *op) {
  Value result = op->getResult(0);
  Type element = tt::elementType(result.getType());
  if (!tt::isTileInt(element) && !tt::isTileFloat(element) && !isa<tt::PointerType>(element))
    return unsupported(op, "'" + op->getName().getStringRef() + "'");
  unsigned count = tt::isTile(result.getType()) ? layout(result).registers() : 1;
  if (auto division = dyn_cast<arith::DivFOp>(op); division && !op->hasAttr("tt.exact"))
    shareReciprocals(get(division.getRhs()), count, op->hasAttr("tt.normal"));
  set(result, Registers(count));
  return success();
}

LogicalResult ElementwiseLowering::emitElementwise(Operation *op, ArrayRef<unsigned> registers) {
  Value result = op->getResult(0);
  auto operandOf = [&](unsigned i, unsigned r) {
    const Registers &all = get(op->getOperand(i));
    return all[all.size() == 1 ? 0 : r];
  };
  if (auto division = dyn_cast<arith::DivFOp>(op); division && !registers.empty()) {
    auto it = reciprocals.find(operandOf(1, registers[0]));
    if (it != reciprocals.end() &&
        llvm::all_of(registers, [&](unsigned r) { return operandOf(1, r) == it->first; })) {
      auto quotients = divideAll(
          llvm::map_to_vector(registers, [&](unsigned r) { return operandOf(0, r); }), it->second);
      for (auto [r, x] : llvm::zip_equal(registers, quotients))
        values[result][r] = x;
      return success();
    }
  }
  bool inPairs = canCastPairs(op);
  for (size_t i = 0; i < registers.size(); ++i) {
    unsigned r = registers[i];
    if (inPairs && i + 1 < registers.size() && registers[i + 1] == r + 1) {
      auto [low, high] = emitCastPair(op, operandOf(0, r), operandOf(0, r + 1));
      values[result][r] = low;
      values[result][r + 1] = high;
      ++i;
      continue;
    }
    SmallVector<Value> operands;
    for (unsigned k = 0; k < op->getNumOperands(); ++k)
      operands.push_back(operandOf(k, r));
    Value x = emitScalar(op, operands);
    if (!x)
      return failure();
    values[result][r] = x;
  }
  return success();
}

LogicalResult ElementwiseLowering::lowerElementwise(Operation *op) {
  if (auto move = dyn_cast<tt::AddPtrOp>(op);
      move && tt::isTile(op->getResult(0).getType()) && llvm::all_equal(get(move.getOffset())))
    return lowerMove(move);
  if (auto compare = dyn_cast<arith::CmpIOp>(op); compare && lowerApart(compare))
    return success();
  // All lanes come to operations on tiles, not to those on scalars in the regions of others.
  if (auto product = dyn_cast<arith::MulFOp>(op); product && product->hasAttr(kSkipOnes) &&
                                                  tt::isTile(product.getType()) &&
                                                  tt::elementType(product.getType()).isF32()) {
    lowerProducts(product);
    return success();
  }
  if (failed(prepareElementwise(op)))
    return failure();
  LogicalResult result =
      emitElementwise(op, llvm::to_vector(llvm::seq(0u, unsigned(get(op->getResult(0)).size()))));
  reciprocals.clear();
  return result;
}

Value ElementwiseLowering::emitCast(Operation *op, Value x) {
  Type from = tt::elementType(op->getOperand(0).getType());
  Type to = tt::elementType(op->getResult(0).getType()), type = lowered(to);
  if (isFloat8(from)) {
    Value wide = emitFloat8(x, from, /*encodes=*/false);
    return !wide || to.isF32()                    ? wide
           : to.isF64()                           ? fpext(wide, to)
           : tt::isTileFloat(to) && !isFloat8(to) ? fptrunc(wide, to)
           : isFloat8(to)                         ? emitFloat8(wide, to, /*encodes=*/true)
           : isa<arith::FPToSIOp>(op) ? b.create<LLVM::FPToSIOp>(loc, type, wide).getResult()
                                      : b.create<LLVM::FPToUIOp>(loc, type, wide).getResult();
  }
  if (isFloat8(to) && tt::isTileFloat(from))
    return emitFloat8(tt::scalarBits(from) >= 32 ? x : fpext(x, b.getF32Type()), to,
                      /*encodes=*/true);
  if (isFloat8(to)) {
    (void)unsupported(op, "a conversion of integers to 8-bit floats");
    return {};
  }
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](arith::ExtFOp) { return fpext(x, type); })
      .Case([&](arith::TruncFOp) { return fptrunc(x, type); })
      .Case([&](arith::ExtSIOp) { return b.create<LLVM::SExtOp>(loc, type, x); })
      .Case([&](arith::ExtUIOp) { return b.create<LLVM::ZExtOp>(loc, type, x); })
      .Case([&](arith::TruncIOp) { return b.create<LLVM::TruncOp>(loc, type, x); })
      .Case([&](arith::SIToFPOp) { return b.create<LLVM::SIToFPOp>(loc, type, x); })
      .Case([&](arith::UIToFPOp) { return b.create<LLVM::UIToFPOp>(loc, type, x); })
      .Case([&](arith::FPToSIOp) { return b.create<LLVM::FPToSIOp>(loc, type, x); })
      .Case([&](arith::FPToUIOp) { return b.create<LLVM::FPToUIOp>(loc, type, x); });
}

Value ElementwiseLowering::emitIntDivision(Operation *op, Value x, Value y) {
  bool isSigned = isa<arith::DivSIOp, arith::RemSIOp>(op);
  bool isRem = isa<arith::RemSIOp, arith::RemUIOp>(op);
  auto divide = [&](Value n, Value d) {
    if (isSigned)
      return isRem ? binary<LLVM::SRemOp>(n, d) : binary<LLVM::SDivOp>(n, d);
    return isRem ? binary<LLVM::URemOp>(n, d) : binary<LLVM::UDivOp>(n, d);
  };
  APInt known;
  if (matchPattern(y, m_ConstantInt(&known)) && !known.isZero() && !known.isAllOnes())
    return divide(x, y);
  Type type = x.getType();
  Value zero = constant(type, 0), one = constant(type, 1);
  Value isZero = equals(y, 0), divisor = select(isZero, one, y), isMinusOne;
  if (isSigned) {
    isMinusOne = equals(y, -1);
    divisor = select(isMinusOne, one, divisor);
  }
  Value result = divide(x, divisor);
  if (isRem)
    return select(isZero, x, result);
  if (isSigned)
    result = select(isMinusOne, sub(zero, x), result);
  return select(isZero, zero, result);
}

Value ElementwiseLowering::emitShift(Operation *op, Value x, Value y) {
  auto shift = [&](Value amount) {
    return isa<arith::ShLIOp>(op)    ? binary<LLVM::ShlOp>(x, amount)
           : isa<arith::ShRSIOp>(op) ? binary<LLVM::AShrOp>(x, amount)
                                     : binary<LLVM::LShrOp>(x, amount);
  };
  unsigned bits = x.getType().getIntOrFloatBitWidth();
  APInt known;
  if (matchPattern(y, m_ConstantInt(&known)) && known.ult(bits))
    return shift(y);
  Value inside = cmp(ICmp::ult, y, constant(y.getType(), bits));
  Value result = shift(select(inside, y, constant(y.getType(), bits - 1)));
  return isa<arith::ShRSIOp>(op) ? result : select(inside, result, constant(x.getType(), 0));
}

Value ElementwiseLowering::emitCompare(Operation *op, Value x, Value y) {
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return cmp(predicateOf(compare.getPredicate()), x, y);
  return b.create<LLVM::FCmpOp>(loc, predicateOf(cast<arith::CmpFOp>(op).getPredicate()), x, y);
}

Value ElementwiseLowering::emitScalar(Operation *op, ValueRange operands) {
  Value x = operands.empty() ? Value() : operands[0];
  Type element = tt::elementType(op->getResult(0).getType()), type = lowered(element);
  bool onFloat8 = isFloat8(element) && !isa<tt::BitcastOp, arith::SelectOp>(op);
  if (StringRef name = sameType(op); !name.empty() && !onFloat8) {
    OperationState state(loc, name, operands, {type});
    Operation *lowered = b.create(state);
    if (auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op);
        flags && flags.hasNoSignedWrap())
      cast<LLVM::IntegerOverflowFlagsInterface>(lowered).setOverflowFlags(
          LLVM::IntegerOverflowFlags::nsw);
    return lowered->getResult(0);
  }
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp,
            arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp>(
          [&](auto op) { return emitCast(op, x); })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(
          [&](auto op) { return emitIntDivision(op, x, operands[1]); })
      .Case<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(
          [&](auto op) { return emitShift(op, x, operands[1]); })
      .Case<arith::CmpIOp, arith::CmpFOp>([&](auto op) { return emitCompare(op, x, operands[1]); })
      .Case([&](arith::SelectOp) { return select(x, operands[1], operands[2]); })
      .Case([&](arith::DivFOp op) {
        return emitFloatDivision(x, operands[1], op->hasAttr("tt.exact"));
      })
      .Case([&](arith::RemFOp op) -> Value {
        Type f32 = b.getF32Type();
        if (element.isF32() || element.isF64())
          return emitRemainder(x, operands[1]);
        if (tt::scalarBits(element) == 16)
          return fptrunc(emitRemainder(fpext(x, f32), fpext(operands[1], f32)), type);
        (void)unsupported(op, "a remainder of 8-bit floats");
        return {};
      })
      .Case([&](ttng::RoundToTF32Op) -> Value {
        if (gpu.multipliesOtherFloats)
          return bitcast(roundToTF32(x), type);
        (void)unsupported(op, "rounding to tf32, which begins with compute capability 8.0");
        return {};
      })
      .Case<arith::BitcastOp, tt::BitcastOp>([&](auto) { return bitcast(x, type); })
      .Case([&](tt::IntToPtrOp) { return b.create<LLVM::IntToPtrOp>(loc, type, x); })
      .Case([&](tt::PtrToIntOp) { return b.create<LLVM::PtrToIntOp>(loc, type, x); })
      .Case([&](tt::AddPtrOp) {
        Type pointee = cast<tt::PointerType>(element).getPointeeType();
        Type unit =
            isa<tt::PointerType>(pointee) ? b.getI64Type() : intType(8 * tt::scalarBytes(pointee));
        Value index = operands[1];
        // A GEP takes the index as signed.
        return gep(x, unit, index);
      })
      .Case([&](tt::MulhiUIOp) -> Value {
        unsigned bits = tt::scalarBits(element);
        Value product = mul(zext(x, 2 * bits), zext(operands[1], 2 * bits));
        return trunc(shr(product, bits), bits);
      })
      .Default([&](Operation *op) -> Value {
        if (isa<math::MathDialect>(op->getDialect()) && !onFloat8)
          return emitMath(op, operands);
        (void)unsupported(op, "'" + op->getName().getStringRef() + "' on " +
                                  (onFloat8 ? "8-bit floats" : "this type"));
        return {};
      });
}

void populateElementwisePatterns(LoweringPatterns &patterns, const LoweringContext &context) {
  auto family = std::make_shared<ElementwiseLowering>(context);
  auto lower = [family](Operation *op) -> LogicalResult {
    if (op->getNumResults() != 1 || op->getNumRegions() != 0)
      return family->unsupported(op, "'" + op->getName().getStringRef() + "'");
    return family->lowerElementwise(op);
  };
  patterns.addDialect<arith::ArithDialect>(lower);
  patterns.addDialect<math::MathDialect>(lower);
  patterns.add<tt::AddPtrOp, tt::BitcastOp, tt::IntToPtrOp, tt::PtrToIntOp, tt::MulhiUIOp,
               ttng::RoundToTF32Op>(lower);
  // Between other operations, the math library builds some of LLVM's own.
  patterns.addDialect<LLVM::LLVMDialect>([family](Operation *op) -> LogicalResult {
    if (op->getNumResults() != 1)
      return family->unsupported(op, "'" + op->getName().getStringRef() + "'");
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, family->scalar(operand));
    family->set(op->getResult(0), {family->b.clone(*op, mapping)->getResult(0)});
    return success();
  });
}

} // namespace tritium::ttg
