//===- Emitter.cpp - short spellings for LLVM operations ------------------===//

#include "Emitter.h"

#include "mlir/IR/Matchers.h"

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

/// The word of which `elements` are the parts, if it is one.
static Value wordOf(ArrayRef<Value> elements, Type word) {
  Value vector;
  for (auto [i, element] : llvm::enumerate(elements)) {
    auto part = element.getDefiningOp<LLVM::ExtractElementOp>();
    APInt position;
    if (!part || !matchPattern(part.getPosition(), m_ConstantInt(&position)) || position != i ||
        (vector && part.getVector() != vector))
      return {};
    vector = part.getVector();
  }
  auto cast = vector.getDefiningOp<LLVM::BitcastOp>();
  return cast && cast.getArg().getType() == word ? cast.getArg() : Value();
}

SmallVector<Value> Emitter::pack(ArrayRef<Value> elements, unsigned wordBits) {
  unsigned bits = elements[0].getType().getIntOrFloatBitWidth(), each = wordBits / bits;
  if (each <= 1)
    return SmallVector<Value>(elements);
  SmallVector<Value> words;
  for (size_t i = 0; i < elements.size(); i += each) {
    // LLVM does not see this for bytes.
    if (Value word = wordOf(elements.slice(i, each), intType(wordBits))) {
      words.push_back(word);
      continue;
    }
    // Of zeros, so that no undefined bits pass through registers on the way.
    Value vector = b.create<LLVM::ZeroOp>(loc, VectorType::get(each, intType(bits)));
    for (unsigned k = 0; k < each; ++k)
      vector = b.create<LLVM::InsertElementOp>(loc, vector, elements[i + k], i32(k));
    words.push_back(bitcast(vector, intType(wordBits)));
  }
  return words;
}

SmallVector<Value> Emitter::unpack(Value word, unsigned elementBits) {
  unsigned each = word.getType().getIntOrFloatBitWidth() / elementBits;
  if (each <= 1)
    return {word};
  Value vector = bitcast(word, VectorType::get(each, intType(elementBits)));
  SmallVector<Value> elements;
  for (unsigned k = 0; k < each; ++k)
    elements.push_back(b.create<LLVM::ExtractElementOp>(loc, vector, i32(k)));
  return elements;
}

std::string Emitter::readNever(ArrayRef<size_t> operands, NotRun how) {
  std::string text = "{ .reg .pred p; .reg .b32 lane; mov.u32 lane, %laneid; "
                     "setp.gt.u32 p, lane, 31; ";
  bool isBranch = how != NotRun::ByPredicate;
  if (isBranch)
    text += "@!p bra READ; ";
  // Each at a place of its own, or ptxas leaves out all but the last.
  int64_t place = 0;
  while (!operands.empty()) {
    bool isVector = isBranch && how != NotRun::ByBranchOfWords && operands.size() >= 4;
    ArrayRef<size_t> stored = operands.take_front(isVector ? 4 : 1);
    std::string list;
    for (size_t operand : stored)
      list += (list.empty() ? "$" : ", $") + std::to_string(operand);
    text += std::string(isBranch ? "" : "@p ") + "st.shared" + (isVector ? ".v4" : "") +
            ".b32 [lane+" + std::to_string(place) + "], " + (isVector ? "{" + list + "}" : list) +
            "; ";
    operands = operands.drop_front(stored.size());
    place += 4 * int64_t(stored.size());
  }
  return text + (how == NotRun::ByBranchToTheEnd ? "trap; " : "") + (isBranch ? "READ: } " : "} ");
}

Value Emitter::anyOf(ArrayRef<Value> conditions) {
  Value any;
  for (Value x : conditions)
    any = any ? ior(any, x) : x;
  return any;
}
} // namespace tritium::ttg
