//===- Swizzle.cpp - where elements go in shared memory -------------------===//

#include "tritium/Layout/Swizzle.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <map>
#include <set>

using namespace llvm;

namespace tritium {

namespace {
constexpr unsigned kRowBytes = 128, kBankBytes = 4, kMaxVectorBytes = 16;

using Vectors = SmallVector<uint64_t, 16>;

Span spanOf(std::initializer_list<ArrayRef<uint64_t>> lists) {
  Span span;
  for (ArrayRef<uint64_t> list : lists)
    for (uint64_t v : list)
      span.insert(v);
  return span;
}

/// The bases of the lanes that are served in one phase, without what V already spans.
Vectors tileOf(const LinearLayout &layout, ArrayRef<uint64_t> common, unsigned vectorBytes) {
  ArrayRef<uint64_t> lanes = layout.bases(kLane);
  unsigned dropped = vectorBytes > kBankBytes ? Log2_32(vectorBytes / kBankBytes) : 0;
  lanes = lanes.drop_back(std::min<size_t>(dropped, lanes.size()));
  Span span(common);
  Vectors tile;
  for (uint64_t lane : lanes)
    if (span.insert(lane))
      tile.push_back(lane);
  return tile;
}
} // namespace

LinearLayout conflictFreeOffsets(const LinearLayout &a, const LinearLayout &b,
                                 unsigned elementBytes) {
  unsigned bits = a.totalOutputBits();
  // V: the lowest offset bits.
  unsigned most = Log2_32(std::max(1u, kMaxVectorBytes / elementBytes));
  unsigned least = elementBytes < kBankBytes ? Log2_32(kBankBytes / elementBytes) : 0;
  Vectors common;
  Span taken;
  for (uint64_t base : a.bases(kRegister))
    if (common.size() < most && is_contained(b.bases(kRegister), base) && taken.insert(base))
      common.push_back(base);
  // Less than a bank: filled up from the registers of either side.
  for (const LinearLayout *side : {&a, &b})
    for (uint64_t base : side->bases(kRegister))
      if (common.size() < least && taken.insert(base))
        common.push_back(base);
  unsigned vectorBytes = elementBytes << common.size();
  Vectors tileA = tileOf(a, common, vectorBytes), tileB = tileOf(b, common, vectorBytes);

  unsigned bankBits =
      std::min<unsigned>(Log2_32(kRowBytes / vectorBytes), bits - unsigned(common.size()));
  unsigned segmentBits = bits - common.size() - bankBits;
  Vectors segments;
  auto isFree = [&](uint64_t v) {
    return !spanOf({common, tileA, segments}).contains(v) &&
           !spanOf({common, tileB, segments}).contains(v);
  };
  // What lies in neither tile.
  for (unsigned i = 0; i < bits && segments.size() < segmentBits; ++i)
    if (!spanOf({common, tileA, tileB, segments}).contains(uint64_t(1) << i))
      segments.push_back(uint64_t(1) << i);
  // Sums of one that is only in the first and one that is only in the second.
  Span spanA = spanOf({common, tileA}), spanB = spanOf({common, tileB});
  Vectors onlyA, onlyB;
  copy_if(tileA, std::back_inserter(onlyA), [&](uint64_t v) { return !spanB.contains(v); });
  copy_if(tileB, std::back_inserter(onlyB), [&](uint64_t v) { return !spanA.contains(v); });
  for (auto [x, y] : zip(onlyA, onlyB))
    if (segments.size() < segmentBits && isFree(x ^ y))
      segments.push_back(x ^ y);
  // What is still missing costs conflicts.
  Span all = spanOf({common, segments});
  for (unsigned i = 0; i < bits && segments.size() < segmentBits; ++i)
    if (all.insert(uint64_t(1) << i))
      segments.push_back(uint64_t(1) << i);
  Vectors banks;
  all = spanOf({common, segments});
  auto addBank = [&](uint64_t v) {
    if (banks.size() < bankBits && all.insert(v))
      banks.push_back(v);
  };
  for (uint64_t v : tileA)
    addBank(v);
  for (uint64_t v : tileB)
    addBank(v);
  for (unsigned i = 0; i < bits; ++i)
    addBank(uint64_t(1) << i);

  // Offset bits -> elements; the inverse is what is wanted.
  LinearLayout::Input offsets{kOffset, {}};
  for (ArrayRef<uint64_t> list : {ArrayRef(common), ArrayRef(banks), ArrayRef(segments)})
    offsets.bases.append(list.begin(), list.end());
  LinearLayout elementsOf({offsets}, {bits});
  LinearLayout result = *elementsOf.invertAndCompose(LinearLayout::identity(kElement, bits, 0, 1));
  return result;
}

LinearLayout swizzledOffsets(ArrayRef<unsigned> dimBits, ArrayRef<int32_t> order, unsigned vector,
                             unsigned perPhase, unsigned maxPhase) {
  unsigned total = 0;
  SmallVector<unsigned> shifts(dimBits.size());
  for (int32_t d : order) {
    shifts[d] = total;
    total += dimBits[d];
  }
  LinearLayout::Input elements{kElement, {}};
  for (auto [d, bits] : enumerate(dimBits))
    for (unsigned i = 0; i < bits; ++i) {
      uint64_t offset = uint64_t(1) << (shifts[d] + i);
      // The second dimension counts the rows that are swizzled.
      uint64_t row = uint64_t(1) << i;
      if (order.size() > 1 && int32_t(d) == order[1])
        offset ^= ((row / perPhase) % maxPhase) * vector;
      elements.bases.push_back(offset);
    }
  return LinearLayout({elements}, {total});
}

unsigned runBits(const LinearLayout &placesToOffsets) {
  unsigned run = 0;
  while (is_contained(placesToOffsets.bases(kRegister), uint64_t(1) << run))
    ++run;
  for (; run > 0; --run) {
    uint64_t low = (uint64_t(1) << run) - 1;
    bool clean = true;
    for (const LinearLayout::Input &input : placesToOffsets.getInputs())
      for (uint64_t base : input.bases)
        clean &=
            (base & low) == 0 || (input.name == kRegister && base <= low && isPowerOf2_64(base));
    if (clean)
      break;
  }
  return run;
}

unsigned bankConflicts(const LinearLayout &placesToOffsets, unsigned elementBytes,
                       unsigned vectorBytes) {
  unsigned perPhase = 32 / std::max(1u, vectorBytes / kBankBytes), worst = 0;
  for (unsigned phase = 0; phase < 32; phase += perPhase) {
    std::map<unsigned, std::set<uint64_t>> rows;
    for (unsigned lane = phase; lane < phase + perPhase; ++lane) {
      uint64_t address = placesToOffsets.applyPart(kLane, lane) * elementBytes;
      address -= address % vectorBytes;
      for (unsigned byte = 0; byte < std::max(vectorBytes, kBankBytes); byte += kBankBytes)
        rows[(address + byte) / kBankBytes % 32].insert((address + byte) / kRowBytes);
    }
    for (auto &[bank, segments] : rows)
      worst = std::max<unsigned>(worst, segments.size() - 1);
  }
  return worst;
}

} // namespace tritium
