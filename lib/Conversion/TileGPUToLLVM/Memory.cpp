//===- Memory.cpp - loads and stores --------------------------------------===//
//
// Registers that hold neighbours in memory move together, up to 16 bytes, as far as layout,
// alignment and mask allow. An access under a mask is one predicated instruction in inline
// assembly, because LLVM would branch around it; one without is a plain LLVM access.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include <numeric>

using namespace mlir;

namespace tritium::ttg {

namespace {
constexpr unsigned kMaxVectorBytes = 16;

StringRef suffix(tt::CacheModifier cache) {
  switch (cache) {
  case tt::CacheModifier::NONE:
    return "";
  case tt::CacheModifier::CA:
    return ".ca";
  case tt::CacheModifier::CG:
    return ".cg";
  case tt::CacheModifier::CS:
    return ".cs";
  case tt::CacheModifier::CV:
    return ".cv";
  case tt::CacheModifier::WB:
    return ".wb";
  case tt::CacheModifier::WT:
    return ".wt";
  }
  llvm_unreachable("unknown cache modifier");
}

/// A cache operator and an eviction priority exclude each other in PTX.
template <typename Op> std::string hintsOf(Op op) {
  if (op.getCache() != tt::CacheModifier::NONE)
    return suffix(op.getCache()).str();
  switch (op.getEvict()) {
  case tt::EvictionPolicy::NORMAL:
    return "";
  case tt::EvictionPolicy::FIRST:
    return ".L1::evict_first";
  case tt::EvictionPolicy::LAST:
    return ".L1::evict_last";
  }
  llvm_unreachable("unknown eviction policy");
}

StringRef letterOf(unsigned bits) { return bits == 64 ? "l" : bits == 32 ? "r" : "h"; }

/// "{$0, $1}" or "$0" for `count` operands from `first`.
std::string operandList(unsigned first, unsigned count) {
  std::string text = count > 1 ? "{" : "";
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", $" : "$") + std::to_string(first + i);
  return text + (count > 1 ? "}" : "");
}

std::string vectorSuffix(unsigned count) { return count == 1 ? "" : ".v" + std::to_string(count); }

/// How a run of elements is cut into registers of PTX.
struct Words {
  unsigned bits, count;
  Words(unsigned elements, unsigned elementBits) {
    unsigned total = elements * elementBits;
    bits = elementBits == 64 ? 64 : std::min(total, 32u);
    count = total / bits;
  }
};
} // namespace

Value Lowering::toMemory(Value x, Type element) {
  if (isa<tt::PointerType>(element))
    return b.create<LLVM::PtrToIntOp>(loc, b.getI64Type(), x);
  if (element.isInteger(1))
    return zext(x, 8);
  return bitcast(x, intType(tt::scalarBits(element)));
}

Value Lowering::fromMemory(Value bits, Type element) {
  if (isa<tt::PointerType>(element))
    return b.create<LLVM::IntToPtrOp>(loc, pointerType(1), bits);
  if (element.isInteger(1))
    return cmp(LLVM::ICmpPredicate::ne, bits, constant(bits.getType(), 0));
  return bitcast(bits, lowered(element));
}

SmallVector<Value> Lowering::pack(ArrayRef<Value> elements, unsigned wordBits) {
  unsigned bits = elements[0].getType().getIntOrFloatBitWidth(), each = wordBits / bits;
  if (each <= 1)
    return SmallVector<Value>(elements);
  SmallVector<Value> words;
  for (size_t i = 0; i < elements.size(); i += each) {
    Value vector = undef(VectorType::get(each, intType(bits)));
    for (unsigned k = 0; k < each; ++k)
      vector = b.create<LLVM::InsertElementOp>(loc, vector, elements[i + k], i32(k));
    words.push_back(bitcast(vector, intType(wordBits)));
  }
  return words;
}

SmallVector<Value> Lowering::unpack(Value word, unsigned elementBits) {
  unsigned each = word.getType().getIntOrFloatBitWidth() / elementBits;
  if (each <= 1)
    return {word};
  Value vector = bitcast(word, VectorType::get(each, intType(elementBits)));
  SmallVector<Value> elements;
  for (unsigned k = 0; k < each; ++k)
    elements.push_back(b.create<LLVM::ExtractElementOp>(loc, vector, i32(k)));
  return elements;
}

SmallVector<SmallVector<unsigned, 8>> Lowering::accessGroups(Value ptr, Value mask) {
  const TileLayout &layout = this->layout(ptr);
  const AxisInfo &info = axes.get(ptr);
  unsigned bytes =
      tt::scalarBytes(cast<tt::PointerType>(tt::elementType(ptr.getType())).getPointeeType());
  unsigned best = 1, bestDim = 0;
  for (unsigned d = 0; d < layout.rank(); ++d) {
    int64_t width = std::gcd<int64_t>(info.contiguity[d], layout.contiguous(d));
    width = std::min<int64_t>(width, std::max<int64_t>(1, info.divisibility[d] / bytes));
    width = std::min<int64_t>(width, kMaxVectorBytes / bytes);
    if (mask)
      width = std::gcd(width, axes.get(mask).constancy[d]);
    if (width > best) {
      best = width;
      bestDim = d;
    }
  }
  return layout.vectors(bestDim, best);
}

LogicalResult Lowering::lowerLoad(tt::LoadOp op) {
  Value ptr = op.getPtr(), mask = op.getMask(), other = op.getOther();
  Type element = tt::elementType(op.getType());
  bool isTile = tt::isTile(ptr.getType());
  SmallVector<SmallVector<unsigned, 8>> groups{{0}};
  if (isTile)
    groups = accessGroups(ptr, mask);
  unsigned elementBits = 8 * tt::scalarBytes(element);
  Words words(groups[0].size(), elementBits);
  std::string hints = hintsOf(op);
  Registers result(get(ptr).size());
  for (ArrayRef<unsigned> group : groups) {
    Value predicate = mask ? get(mask)[group[0]] : Value();
    if (isTile)
      predicate = both(predicate, isInside(layout(ptr), threadCoordinates(ptr), group[0]));
    Value address = get(ptr)[group[0]];
    SmallVector<Value> loaded;
    if (!predicate && hints.empty() && !op.getIsVolatile()) {
      Type type = intType(words.bits);
      if (words.count > 1)
        type = VectorType::get(words.count, type);
      Value whole = b.create<LLVM::LoadOp>(loc, type, address, group.size() * elementBits / 8);
      for (unsigned w = 0; w < words.count; ++w)
        loaded.push_back(words.count == 1
                             ? whole
                             : b.create<LLVM::ExtractElementOp>(loc, whole, i32(w)).getResult());
    } else {
      // Registers of 8 bits do not exist.
      unsigned registerBits = std::max(words.bits, 16u);
      std::string bits = std::to_string(words.bits);
      std::string text, constraints;
      SmallVector<Value> operands{address};
      unsigned next = words.count + 1;
      for (unsigned w = 0; w < words.count; ++w)
        constraints += ("=&" + letterOf(registerBits) + ",").str();
      constraints += "l";
      if (predicate) {
        operands.push_back(predicate);
        constraints += ",b";
        std::string guard = "@$" + std::to_string(next++) + " ";
        SmallVector<Value> fallback;
        if (other) {
          for (unsigned r : group)
            fallback.push_back(toMemory(get(other)[r], element));
          fallback = pack(fallback, words.bits);
        }
        for (unsigned w = 0; w < words.count; ++w) {
          text += "mov.b" + std::to_string(registerBits) + " $" + std::to_string(w) + ", ";
          if (!other) {
            text += "0;\n";
            continue;
          }
          text += "$" + std::to_string(next++) + ";\n";
          operands.push_back(words.bits == 8 ? zext(fallback[w], 16) : fallback[w]);
          constraints += ("," + letterOf(registerBits)).str();
        }
        text += guard;
      }
      text += (op.getIsVolatile() ? "ld.volatile.global" : "ld.global" + hints) +
              vectorSuffix(words.count) + ".b" + bits + " " + operandList(0, words.count) + ", [$" +
              std::to_string(words.count) + "];";
      Type type = intType(registerBits);
      if (words.count > 1)
        type =
            LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(words.count, type));
      Value whole = assembly(type, text, constraints, operands);
      for (unsigned w = 0; w < words.count; ++w)
        loaded.push_back(trunc(words.count == 1 ? whole : extract(whole, w), words.bits));
    }
    unsigned i = 0;
    for (Value word : loaded)
      for (Value bits : unpack(word, elementBits))
        result[group[i++]] = fromMemory(bits, element);
  }
  set(op, std::move(result));
  return success();
}

LogicalResult Lowering::lowerStore(tt::StoreOp op) {
  Value ptr = op.getPtr(), mask = op.getMask();
  Type element = tt::elementType(op.getValue().getType());
  bool isTile = tt::isTile(ptr.getType());
  SmallVector<SmallVector<unsigned, 8>> groups{{0}};
  if (isTile)
    groups = accessGroups(ptr, mask);
  unsigned elementBits = 8 * tt::scalarBytes(element);
  Words words(groups[0].size(), elementBits);
  std::string hints = hintsOf(op);
  // Of copies of an element one is written.
  Value writes = isTile ? isFirstCopy(layout(ptr)) : isThreadZero();
  for (ArrayRef<unsigned> group : groups) {
    Value predicate = both(writes, mask ? get(mask)[group[0]] : Value());
    if (isTile)
      predicate = both(predicate, isInside(layout(ptr), threadCoordinates(ptr), group[0]));
    Value address = get(ptr)[group[0]];
    SmallVector<Value> stored;
    for (unsigned r : group)
      stored.push_back(toMemory(get(op.getValue())[r], element));
    stored = pack(stored, words.bits);
    if (!predicate && hints.empty()) {
      Value whole = stored[0];
      if (words.count > 1) {
        whole = undef(VectorType::get(words.count, intType(words.bits)));
        for (unsigned w = 0; w < words.count; ++w)
          whole = b.create<LLVM::InsertElementOp>(loc, whole, stored[w], i32(w));
      }
      b.create<LLVM::StoreOp>(loc, whole, address, group.size() * elementBits / 8);
      continue;
    }
    SmallVector<Value> operands{address};
    std::string constraints = "l", text;
    for (Value word : stored) {
      operands.push_back(words.bits == 8 ? zext(word, 16) : word);
      constraints += ("," + letterOf(words.bits)).str();
    }
    if (predicate) {
      text = "@$" + std::to_string(operands.size()) + " ";
      operands.push_back(predicate);
      constraints += ",b";
    }
    text += "st.global" + hints + vectorSuffix(words.count) + ".b" + std::to_string(words.bits) +
            " [$0], " + operandList(1, words.count) + ";";
    assembly({}, text, constraints, operands);
  }
  return success();
}

} // namespace tritium::ttg
