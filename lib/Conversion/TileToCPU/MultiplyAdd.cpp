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
  auto dot = [&](StringRef name, int64_t inLane, Type element) {
    auto groups = VectorType::get(inLane * lanes, element);
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
  case DotForm::BF16Blocks:
    return dot("llvm.aarch64.neon.bfmmla", 2, b.getBF16Type());
  case DotForm::SignedBlocks:
    return dot("llvm.aarch64.neon.smmla.v4i32.v16i8", 4, b.getI8Type());
  case DotForm::UnsignedBlocks:
    return dot("llvm.aarch64.neon.ummla.v4i32.v16i8", 4, b.getI8Type());
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

StringRef tritium::cpu::instructionOf(const TargetInfo &target, DotForm form) {
  switch (form) {
  case DotForm::BF16Pairs:
    return target.isX86 ? "VDPBF16PS" : "BFDOT";
  case DotForm::WordPairs:
    return "PMADDWD";
  case DotForm::SignedQuads:
  case DotForm::UnsignedQuads:
    return "VPDPBUSD";
  case DotForm::SignedDots:
    return "SDOT";
  case DotForm::UnsignedDots:
    return "UDOT";
  case DotForm::BF16Blocks:
    return "BFMMLA";
  case DotForm::SignedBlocks:
    return "SMMLA";
  case DotForm::UnsignedBlocks:
    return "UMMLA";
  case DotForm::Single:
  case DotForm::HalfParts:
  case DotForm::FloatParts:
    return "";
  }
  llvm_unreachable("form of a product");
}

/// The first `valid` bytes from a pointer on, as an integer: behind the last element of a row
/// memory may end.
static Value loadWord(OpBuilder &b, Location loc, IntegerType type, Value pointer, int64_t valid,
                      unsigned alignment) {
  Value word;
  for (int64_t at = 0, size; at < valid; at += size) {
    size = llvm::bit_floor(uint64_t(std::min<int64_t>(valid - at, type.getWidth() / 8)));
    Value place = at ? b.create<LLVM::GEPOp>(loc, pointer.getType(), b.getI8Type(), pointer,
                                             ArrayRef<LLVM::GEPArg>{int32_t(at)}, /*inbounds=*/true)
                     : pointer;
    Value part = b.create<LLVM::LoadOp>(loc, b.getIntegerType(8 * size), place, alignment);
    if (part.getType() != type)
      part = b.create<arith::ExtUIOp>(loc, type, part);
    if (at)
      part = b.create<arith::ShLIOp>(loc, part,
                                     b.create<arith::ConstantIntOp>(loc, 8 * at, type).getResult());
    word = word ? b.create<arith::OrIOp>(loc, word, part).getResult() : part;
  }
  return word;
}

Value tritium::cpu::emitGroups(OpBuilder &b, Location loc, DotForm form, int64_t lanes,
                               ArrayRef<Value> rows, int64_t valid) {
  int64_t bits = 32 * rows.size(), bytes = bits / 8 / groupOf(form);
  auto type = VectorType::get(32 * lanes / bits, b.getIntegerType(bits));
  Value groups;
  for (auto [i, row] : llvm::enumerate(rows)) {
    Value word = loadWord(b, loc, b.getIntegerType(bits), row, valid * bytes, bytes);
    groups = i ? b.create<vector::InsertOp>(loc, word, groups, int64_t(i)).getResult()
               : b.create<vector::BroadcastOp>(loc, type, word).getResult();
  }
  if (!hasStartRow(form))
    return groups;
  Value signs = b.create<arith::ConstantOp>(
      loc, DenseElementsAttr::get(type, APInt::getSplat(32, APInt(8, 0x80))));
  return b.create<arith::XOrIOp>(loc, groups, signs);
}

Value tritium::cpu::emitByteDot(OpBuilder &b, Location loc, Value sums, Value withoutSign,
                                Value withSign) {
  auto type = cast<VectorType>(sums.getType());
  return call(b, loc, type,
              "llvm.x86.avx512.vpdpbusd." + std::to_string(32 * type.getNumElements()),
              {sums, withoutSign, withSign});
}
