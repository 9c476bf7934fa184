//===- Swizzle.cpp - where elements go in shared memory -------------------===//

#include "tritium/Layout/Swizzle.h"

#include "tritium/Layout/Fragments.h"

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

/// How one side accesses memory.
struct Side {
  const LinearLayout &layout;
  bool byMatrix; ///< ldmatrix or stmatrix may be used
};

/// Lowest offset bits, and the bits of a place that are served together with them.
struct Start {
  Vectors low;
  Vectors tiles[2]; ///< of each side, with what of `low` one access takes
};

/// What one side accesses at a time if its offsets begin with `low`: the vector of a lane and
/// the lanes that are served in one phase.
Vectors tileOf(const LinearLayout &layout, ArrayRef<uint64_t> low, unsigned elementBytes) {
  ArrayRef<uint64_t> registers = layout.bases(kRegister), lanes = layout.bases(kLane);
  Vectors tile;
  for (uint64_t v : low) {
    if (!is_contained(registers, v))
      break;
    tile.push_back(v);
  }
  unsigned bytes = elementBytes << tile.size();
  unsigned dropped = bytes > kBankBytes ? Log2_32(bytes / kBankBytes) : 0;
  lanes = lanes.drop_back(std::min<size_t>(dropped, lanes.size()));
  tile.append(lanes.begin(), lanes.end());
  return tile;
}

/// A one-to-one map from elements to offsets that begins with start.low and leaves the tiles
/// of both sides within a segment, as far as there are vectors for it.
LinearLayout offsetsFrom(const Start &start, unsigned bits, unsigned elementBytes) {
  const Vectors &low = start.low, &tileA = start.tiles[0], &tileB = start.tiles[1];
  unsigned vectorBytes = elementBytes << low.size();
  unsigned bankBits = std::min<unsigned>(Log2_32(std::max(1u, kRowBytes / vectorBytes)),
                                         bits - unsigned(low.size()));
  unsigned segmentBits = bits - low.size() - bankBits;
  Vectors segments;
  auto isFree = [&](uint64_t v) {
    return !spanOf({low, tileA, segments}).contains(v) &&
           !spanOf({low, tileB, segments}).contains(v);
  };
  // What lies in neither tile.
  for (unsigned i = 0; i < bits && segments.size() < segmentBits; ++i)
    if (!spanOf({low, tileA, tileB, segments}).contains(uint64_t(1) << i))
      segments.push_back(uint64_t(1) << i);
  // Sums of one that is only in the first and one that is only in the second.
  Span spanA = spanOf({low, tileA}), spanB = spanOf({low, tileB});
  Vectors onlyA, onlyB;
  copy_if(tileA, std::back_inserter(onlyA), [&](uint64_t v) { return !spanB.contains(v); });
  copy_if(tileB, std::back_inserter(onlyB), [&](uint64_t v) { return !spanA.contains(v); });
  for (auto [x, y] : zip(onlyA, onlyB))
    if (segments.size() < segmentBits && isFree(x ^ y))
      segments.push_back(x ^ y);
  // What is still missing costs conflicts.
  Span all = spanOf({low, segments});
  for (unsigned i = 0; i < bits && segments.size() < segmentBits; ++i)
    if (all.insert(uint64_t(1) << i))
      segments.push_back(uint64_t(1) << i);
  Vectors banks;
  all = spanOf({low, segments});
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
  for (ArrayRef<uint64_t> list : {ArrayRef(low), ArrayRef(banks), ArrayRef(segments)})
    offsets.bases.append(list.begin(), list.end());
  LinearLayout elementsOf({offsets}, {bits});
  return *elementsOf.invertAndCompose(LinearLayout::identity(kElement, bits, 0, 1));
}

/// Ways to begin: what both sides have in common, then what one of them has beside that, as
/// far as 16 bytes; or the rows of the matrices that one side moves.
SmallVector<Start, 8> waysToStart(ArrayRef<Side> sides, unsigned elementBytes) {
  unsigned most = Log2_32(std::max(1u, kMaxVectorBytes / elementBytes));
  unsigned word = elementBytes < kBankBytes ? Log2_32(kBankBytes / elementBytes) : 0;
  Span taken;
  Vectors common;
  auto take = [](Vectors &into, Span &taken, ArrayRef<uint64_t> from, unsigned size) {
    for (uint64_t v : from)
      if (into.size() < size && taken.insert(v))
        into.push_back(v);
  };
  for (uint64_t v : sides[0].layout.bases(kRegister))
    if (is_contained(sides[1].layout.bases(kRegister), v))
      take(common, taken, {v}, most);
  SmallVector<Start, 8> starts;
  auto add = [&](const Vectors &low) {
    Start start{low, {}};
    for (unsigned s : {0, 1})
      start.tiles[s] = tileOf(sides[s].layout, low, elementBytes);
    starts.push_back(std::move(start));
  };
  for (unsigned size : {word, most})
    for (unsigned s : {0, 1}) {
      Vectors low = common;
      Span all = taken;
      take(low, all, sides[s].layout.bases(kRegister), size);
      take(low, all, sides[1 - s].layout.bases(kRegister), word);
      add(low);
    }
  for (unsigned s : {0, 1}) {
    ArrayRef<uint64_t> registers = sides[s].layout.bases(kRegister),
                       lanes = sides[s].layout.bases(kLane);
    if (!sides[s].byMatrix || lanes.size() != 5 || registers.size() < word)
      continue;
    auto addMatrix = [&](std::initializer_list<ArrayRef<uint64_t>> row, const Vectors &rows) {
      Vectors low;
      Span all;
      for (ArrayRef<uint64_t> list : row)
        take(low, all, list, most);
      if (low.size() != most)
        return;
      add(low);
      starts.back().tiles[s] = rows;
    };
    addMatrix({registers.take_front(word), lanes.take_front(2)}, Vectors(lanes.drop_front(2)));
    if (elementBytes == 2)
      addMatrix({lanes.drop_front(2)}, {registers[0], lanes[0], lanes[1]});
  }
  return starts;
}
} // namespace

LinearLayout inBytes(const LinearLayout &map, unsigned bytes) {
  SmallVector<LinearLayout::Input, 3> inputs(map.getInputs());
  for (LinearLayout::Input &input : inputs)
    for (uint64_t &base : input.bases)
      base *= bytes;
  return LinearLayout(inputs, {map.totalOutputBits() + Log2_32(bytes)});
}

SharedAccess accessOf(const LinearLayout &placesToOffsets, unsigned elementBytes, bool byMatrix) {
  LinearLayout bytes = inBytes(placesToOffsets, elementBytes);
  // Of places that are served together: how many there are for a bank.
  auto passes = [](ArrayRef<uint64_t> places, unsigned vectorBytes) {
    Span all, banks;
    for (uint64_t place : places) {
      uint64_t unit = place / std::max(vectorBytes, kBankBytes);
      all.insert(unit);
      banks.insert(unit % (kRowBytes / std::max(vectorBytes, kBankBytes)));
    }
    return 1u << (all.dimension() - banks.dimension());
  };
  if (auto matrices = byMatrix ? planMatrixLoad(bytes, elementBytes) : std::nullopt) {
    ArrayRef<uint64_t> rows = matrices->addresses.bases(kLane).take_front(3);
    return {matrices->instructions(),
            matrices->instructions() * matrices->matrices * passes(rows, kMaxVectorBytes)};
  }
  unsigned run = std::min(runBits(placesToOffsets), Log2_32(kMaxVectorBytes / elementBytes));
  unsigned vectorBytes = elementBytes << run;
  unsigned phases = std::max(1u, vectorBytes / kBankBytes);
  ArrayRef<uint64_t> lanes = bytes.bases(kLane);
  lanes = lanes.drop_back(std::min<size_t>(Log2_32(phases), lanes.size()));
  unsigned instructions = 1u << (placesToOffsets.inputBits(kRegister) - run);
  return {instructions, instructions * phases * passes(lanes, vectorBytes)};
}

LinearLayout conflictFreeOffsets(const LinearLayout &a, const LinearLayout &b,
                                 unsigned elementBytes, bool storesMatrices, bool loadsMatrices) {
  Side sides[] = {{a, storesMatrices}, {b, loadsMatrices}};
  std::optional<LinearLayout> best;
  unsigned least = 0;
  for (const Start &start : waysToStart(sides, elementBytes)) {
    LinearLayout offsets = offsetsFrom(start, a.totalOutputBits(), elementBytes);
    unsigned cost = 0;
    for (const Side &side : sides) {
      SharedAccess access =
          accessOf(offsets.compose(side.layout.flattenOutputs()), elementBytes, side.byMatrix);
      cost += access.wavefronts + access.instructions;
    }
    if (best && cost >= least)
      continue;
    best = std::move(offsets);
    least = cost;
  }
  return *best;
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
