//===- Shuffle.cpp - tiles from lane to lane ------------------------------===//
//
// Carries out a ShufflePlan. What a round offers and what a register takes are looked up when
// they are needed, so that no select is emitted for what nobody reads:
//
//   offered(x, i)   register x after the first i choices by lane of what to offer
//   taken(r, i)     register r after the first i choices of what to take
//
//===----------------------------------------------------------------------===//

#include "ConvertLayout.h"

using namespace mlir;

namespace tritium::ttg {

namespace {
using Words = std::map<std::pair<uint64_t, size_t>, Value>;

/// The XOR of the vectors that `bits` chooses.
uint64_t sumOf(ArrayRef<uint64_t> vectors, uint64_t bits) {
  uint64_t sum = 0;
  for (auto [i, v] : llvm::enumerate(vectors))
    if (bits >> i & 1)
      sum ^= v;
  return sum;
}

/// Whether an odd number of the bits `mask` of `index` is set; null if there are none.
Value isOdd(Emitter &e, Value index, uint64_t mask) {
  Value sum;
  for (; mask; mask &= mask - 1) {
    Value bit = e.shr(index, llvm::countr_zero(mask));
    sum = sum ? e.ixor(sum, bit) : bit;
  }
  return sum ? e.cmp(LLVM::ICmpPredicate::ne, e.iand(sum, e.i32(1)), e.i32(0)) : Value();
}

/// Words after choices; `word` is what they are without.
Value choose(Emitter &e, Words &known, ArrayRef<ShufflePlan::Choice> choices,
             ArrayRef<Value> conditions, uint64_t x, llvm::function_ref<Value(uint64_t)> word) {
  Value &value = known[{x, choices.size()}];
  if (value)
    return value;
  if (choices.empty())
    return value = word(x);
  auto rest = [&](uint64_t x) {
    return choose(e, known, choices.drop_back(), conditions.drop_back(), x, word);
  };
  Value other = rest(x ^ choices.back().registers), same = rest(x);
  return known[{x, choices.size()}] = e.select(conditions.back(), other, same);
}
} // namespace

Registers ConvertLayoutLowering::shuffleTile(const ShufflePlan &plan, Type element,
                                             ArrayRef<Value> registers) {
  unsigned perWord = 1u << plan.packedTo.size();
  unsigned results = 1u << plan.reads.inputBits(kRegister);

  auto conditions = [&](ArrayRef<ShufflePlan::Choice> choices) {
    SmallVector<Value> list;
    for (const ShufflePlan::Choice &choice : choices) {
      Value ofLane = isOdd(*this, lane, choice.lanes), ofWarp = isOdd(*this, warp, choice.warps);
      list.push_back(!ofLane ? ofWarp : !ofWarp ? ofLane : ixor(ofLane, ofWarp));
    }
    return list;
  };
  SmallVector<Value> before = conditions(plan.before), after = conditions(plan.after);
  bool isOwn = plan.readsOwnLane();
  Value reader;
  if (!isOwn) {
    Value parts[] = {partOf(*this, lane, plan.reads, kLane, 1),
                     partOf(*this, warp, plan.reads, kWarp, 1)};
    reader = !parts[0] ? parts[1] : !parts[1] ? parts[0] : ixor(parts[0], parts[1]);
    if (!reader)
      reader = i32(0);
  }

  Words offered, taken;
  auto packed = [&](uint64_t x) {
    SmallVector<Value> elements;
    for (unsigned e = 0; e < perWord; ++e)
      elements.push_back(toMemory(registers[x ^ sumOf(plan.packedFrom, e)], element));
    unsigned bits = elements[0].getType().getIntOrFloatBitWidth() * perWord;
    return pack(elements, bits).front();
  };
  auto brought = [&](uint64_t round) -> Value {
    Value word = choose(*this, offered, plan.before, before, plan.sourceRegister(round), packed);
    uint64_t offset = plan.laneOffset(round);
    if (!isOwn)
      return shuffleIndex(word, offset ? ixor(reader, i32(offset)) : reader);
    return offset ? shuffleXor(word, offset) : word;
  };
  Registers result(results);
  for (uint64_t r = 0; r < results; ++r) {
    if (plan.firstOf(r) != r)
      continue;
    Value word = choose(*this, taken, plan.after, after, r, brought);
    unsigned bits = word.getType().getIntOrFloatBitWidth() / perWord;
    for (auto [e, part] : llvm::enumerate(unpack(word, bits)))
      result[r ^ sumOf(plan.packedTo, e)] = fromMemory(part, element);
  }
  return result;
}

} // namespace tritium::ttg
