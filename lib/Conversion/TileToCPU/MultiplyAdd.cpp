//===- MultiplyAdd.cpp - one step of a product on registers ---------------===//

#include "MultiplyAdd.h"

using namespace mlir;
using namespace tritium::cpu;

static Value call(OpBuilder &b, Location loc, Type type, StringRef name, ValueRange operands) {
  return b.create<LLVM::CallIntrinsicOp>(loc, type, b.getStringAttr(name), operands).getResult(0);
}

/// The sums of the two products of each lane; bytes do not overflow them.
static Value productsOfWords(OpBuilder &b, Location loc, VectorType type, Value x, Value y) {
  int64_t lanes = type.getNumElements();
  auto words = VectorType::get(2 * lanes, b.getI16Type());
  StringRef name = lanes == 4   ? "llvm.x86.sse2.pmadd.wd"
                   : lanes == 8 ? "llvm.x86.avx2.pmadd.wd"
                                : "llvm.x86.avx512.pmaddw.d.512";
  return call(b, loc, type, name,
              {b.create<LLVM::BitcastOp>(loc, words, x), b.create<LLVM::BitcastOp>(loc, words, y)});
}

Value tritium::cpu::emitMultiplyAdd(OpBuilder &b, Location loc, const TargetInfo &target,
                                    DotForm form, Value x, Value y, Value sum) {
  auto type = cast<VectorType>(sum.getType());
  int64_t lanes = type.getNumElements();
  // Of operands that consist of other elements than the sums.
  auto dot = [&](StringRef name, int64_t group, Type element) {
    auto groups = VectorType::get(group * lanes, element);
    return call(b, loc, type, name,
                {sum, b.create<LLVM::BitcastOp>(loc, groups, x),
                 b.create<LLVM::BitcastOp>(loc, groups, y)});
  };
  switch (form) {
  case DotForm::BF16Pairs:
    return dot(target.isX86 ? "llvm.x86.avx512bf16.dpbf16ps.512"
                            : "llvm.aarch64.neon.bfdot.v4f32.v8bf16",
               2, b.getBF16Type());
  case DotForm::WordPairs:
    return b.create<arith::AddIOp>(loc, sum, productsOfWords(b, loc, type, x, y));
  case DotForm::SignedDots:
    return dot("llvm.aarch64.neon.sdot.v4i32.v16i8", 4, b.getI8Type());
  case DotForm::UnsignedDots:
    return dot("llvm.aarch64.neon.udot.v4i32.v16i8", 4, b.getI8Type());
  case DotForm::SignedQuads:
    return emitByteDot(b, loc, sum, x, y);
  case DotForm::UnsignedQuads:
    return emitByteDot(b, loc, sum, y, x);
  default:
    break;
  }
  if (isa<IntegerType>(type.getElementType()))
    return b.create<arith::AddIOp>(loc, sum, b.create<arith::MulIOp>(loc, x, y));
  if (target.hasFMA)
    return b.create<math::FmaOp>(loc, x, y, sum);
  return b.create<arith::AddFOp>(loc, sum, b.create<arith::MulFOp>(loc, x, y));
}

Value tritium::cpu::emitByteDot(OpBuilder &b, Location loc, Value sums, Value withoutSign,
                                Value withSign) {
  auto type = cast<VectorType>(sums.getType());
  return call(b, loc, type,
              "llvm.x86.avx512.vpdpbusd." + std::to_string(32 * type.getNumElements()),
              {sums, withoutSign, withSign});
}
