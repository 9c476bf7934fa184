//===- TileLayout.cpp - a layout of any extents ---------------------------===//

#include "tritium/Layout/TileLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>
#include <map>

using namespace llvm;

namespace tritium {

/// Without register bits that make copies.
static LinearLayout withoutCopies(const LinearLayout &core) {
  uint64_t copies = core.freeMask(kRegister);
  SmallVector<LinearLayout::Input, 3> inputs(core.getInputs());
  for (LinearLayout::Input &input : inputs) {
    if (input.name != kRegister)
      continue;
    SmallVector<uint64_t, 8> kept;
    for (auto [i, base] : enumerate(input.bases))
      if (!(copies >> i & 1))
        kept.push_back(base);
    input.bases = std::move(kept);
  }
  return LinearLayout(std::move(inputs), SmallVector<unsigned, 4>(core.dimBits()));
}

TileLayout::TileLayout(LinearLayout core, ArrayRef<int64_t> extents)
    : linear(withoutCopies(core)), shape(extents) {
  assert(linear.rank() == shape.size());
  unsigned total = 1;
  for (auto [d, extent] : enumerate(shape)) {
    assert(linear.extent(d) <= extent && "the first repeat holds no padding");
    counts.push_back(divideCeil(extent, linear.extent(d)));
    total *= counts.back();
  }
  unsigned inner = 1u << linear.inputBits(kRegister);
  offsets.reserve(total * inner);
  // Repeats count like digits, the last dimension fastest.
  for (unsigned repeat = 0; repeat < total; ++repeat) {
    Coordinates start(rank());
    unsigned rest = repeat;
    for (unsigned d = rank(); d-- > 0; rest /= counts[d])
      start[d] = (rest % counts[d]) * linear.extent(d);
    for (unsigned r = 0; r < inner; ++r) {
      Coordinates at = linear.unflatten(linear.applyPart(kRegister, r));
      for (auto [a, s] : zip(at, start))
        a += s;
      offsets.push_back(std::move(at));
    }
  }
}

bool TileLayout::registersAreApart() const {
  uint64_t registers = 0, threads = 0;
  for (const LinearLayout::Input &input : linear.getInputs())
    for (uint64_t base : input.bases)
      (input.name == kRegister ? registers : threads) |= base;
  return (registers & threads) == 0;
}

Coordinates TileLayout::at(unsigned reg, unsigned lane, unsigned warp) const {
  Coordinates thread =
      linear.unflatten(linear.applyPart(kLane, lane) ^ linear.applyPart(kWarp, warp));
  Coordinates result = offsets[reg];
  for (auto [d, x] : enumerate(result)) {
    int64_t inside = x % linear.extent(d);
    x = x - inside + (inside ^ thread[d]);
  }
  return result;
}

bool TileLayout::mayBePadding(unsigned reg, unsigned dim) const {
  // The largest coordinate of the register: all bits that lanes and warps can set.
  uint64_t threads = 0;
  for (const LinearLayout::Input &input : linear.getInputs())
    if (input.name != kRegister)
      for (uint64_t base : input.bases)
        threads |= linear.unflatten(base)[dim];
  return (offsets[reg][dim] | int64_t(threads)) >= shape[dim];
}

bool TileLayout::hasPadding() const {
  for (auto [d, extent] : enumerate(shape))
    if (counts[d] * linear.extent(d) != extent)
      return true;
  return false;
}

unsigned TileLayout::contiguous(unsigned dim) const {
  ArrayRef<uint64_t> bases = linear.bases(kRegister);
  unsigned shift = linear.shiftOf(dim);
  // A run that an integer repeat continues would need the extent of the core to be held
  // by one lane, and is not a power of two longer anyway.
  unsigned width = 1;
  while (width * 2 <= linear.extent(dim) && shape[dim] % (width * 2) == 0 &&
         is_contained(bases, uint64_t(width) << shift))
    width *= 2;
  // The rest of the layout must leave the low bits alone, or runs start elsewhere.
  while (width > 1) {
    bool clean = true;
    for (const LinearLayout::Input &input : linear.getInputs())
      for (uint64_t base : input.bases) {
        uint64_t low = (base >> shift) & (width - 1);
        bool isStep = input.name == kRegister && base == low << shift && isPowerOf2_64(low);
        clean &= low == 0 || isStep;
      }
    if (clean)
      break;
    width /= 2;
  }
  return width;
}

SmallVector<SmallVector<unsigned, 8>> TileLayout::vectors(unsigned dim, unsigned width) const {
  std::map<Coordinates, unsigned> groupOf;
  SmallVector<SmallVector<unsigned, 8>> groups;
  for (unsigned r = 0; r < registers(); ++r) {
    Coordinates key = offsets[r];
    unsigned position = key[dim] % width;
    key[dim] -= position;
    auto [it, isNew] = groupOf.try_emplace(key, groups.size());
    if (isNew)
      groups.emplace_back(width);
    groups[it->second][position] = r;
  }
  return groups;
}

//===----------------------------------------------------------------------===//
// CoreBuilder
//===----------------------------------------------------------------------===//

CoreBuilder::CoreBuilder(ArrayRef<int64_t> extents, ArrayRef<int64_t> covered)
    : used(extents.size(), 0) {
  for (auto [extent, cover] : zip(extents, covered)) {
    uint64_t size = isPowerOf2_64(extent)
                        ? extent
                        : std::min<uint64_t>(PowerOf2Ceil(cover), bit_floor<uint64_t>(extent));
    bits.push_back(Log2_64(size));
  }
  for (StringRef name : {kRegister, kLane, kWarp})
    inputs.push_back({name, {}});
}

LinearLayout::Input &CoreBuilder::input(StringRef name) {
  return *find_if(inputs, [&](const LinearLayout::Input &i) { return i.name == name; });
}

CoreBuilder &CoreBuilder::add(StringRef name, unsigned dim, int64_t count) {
  unsigned shift = 0;
  for (unsigned d = 0; d < dim; ++d)
    shift += bits[d];
  for (; count > 1; count /= 2) {
    bool fits = used[dim] < bits[dim];
    input(name).bases.push_back(fits ? uint64_t(1) << (shift + used[dim]++) : 0);
  }
  return *this;
}

CoreBuilder &CoreBuilder::addCopies(StringRef name, int64_t count) {
  for (; count > 1; count /= 2)
    input(name).bases.push_back(0);
  return *this;
}

LinearLayout CoreBuilder::finish(ArrayRef<int32_t> order) {
  for (int32_t d : order)
    add(kRegister, d, int64_t(1) << (bits[d] - used[d]));
  return LinearLayout(inputs, bits);
}

} // namespace tritium
