//===- TileConversion.cpp - how tiles change layouts and combine ----------===//

#include "tritium/Layout/TileConversion.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tritium {

/// Every lane holds what it needs.
static bool staysInLanes(const TileLayout &from, const TileLayout &to) {
  for (StringRef name : {kLane, kWarp}) {
    ArrayRef<uint64_t> a = from.core().bases(name), b = to.core().bases(name);
    if (a.size() != b.size())
      return false;
    for (auto [x, y] : zip(a, b))
      if (from.core().unflatten(x) != to.core().unflatten(y))
        return false;
  }
  SmallVector<Coordinates> held;
  for (unsigned r = 0; r < from.registers(); ++r)
    held.push_back(from.offset(r));
  sort(held);
  for (unsigned r = 0; r < to.registers(); ++r)
    if (!binary_search(held, to.offset(r)))
      return false;
  return true;
}

/// `core` with registers for all of `extents`, powers of two.
static LinearLayout extended(const LinearLayout &core, ArrayRef<int64_t> extents) {
  SmallVector<unsigned, 4> bits;
  for (int64_t extent : extents)
    bits.push_back(Log2_64(extent));
  LinearLayout result({}, bits);
  SmallVector<LinearLayout::Input, 3> inputs(core.getInputs());
  for (LinearLayout::Input &input : inputs) {
    for (uint64_t &base : input.bases)
      base = result.flatten(core.unflatten(base));
    if (input.name == kRegister)
      for (unsigned d = core.rank(); d-- > 0;)
        for (unsigned bit = core.dimBits()[d]; bit < bits[d]; ++bit)
          input.bases.push_back(uint64_t(1) << (result.shiftOf(d) + bit));
  }
  return LinearLayout(inputs, bits);
}

std::vector<Coordinates> panelStarts(ArrayRef<int64_t> extents, ArrayRef<int64_t> panel) {
  uint64_t count = 1;
  for (auto [extent, part] : zip_equal(extents, panel))
    count *= divideCeil(extent, part);
  std::vector<Coordinates> starts;
  for (uint64_t i = 0; i < count; ++i) {
    Coordinates start(extents.size());
    uint64_t rest = i;
    for (size_t d = extents.size(); d-- > 0;) {
      uint64_t along = divideCeil(extents[d], panel[d]);
      start[d] = rest % along * panel[d];
      rest /= along;
    }
    starts.push_back(std::move(start));
  }
  return starts;
}

/// The core is longer than the panel along some dimension.
static bool exceedsPanel(const TileLayout &tile, ArrayRef<int64_t> panel) {
  for (unsigned d = 0; d < tile.rank(); ++d)
    if (tile.core().extent(d) > panel[d])
      return true;
  return false;
}

bool coversPanels(const TileLayout &tile, ArrayRef<int64_t> panel) {
  for (unsigned d = 0; d < tile.rank(); ++d)
    if (uint64_t(tile.core().extent(d) * tile.repeats()[d]) != alignTo(tile.extents()[d], panel[d]))
      return false;
  // Registers may lead from panel to panel, lanes and warps may not.
  return !exceedsPanel(tile, panel) || layoutOfPart(tile, panel);
}

TileLayout layoutOfPanel(const TileLayout &tile, ArrayRef<int64_t> panel) {
  if (!exceedsPanel(tile, panel))
    return TileLayout(extended(tile.core(), panel), panel);
  return TileLayout(extended(layoutOfPart(tile, panel)->core(), panel), panel);
}

std::optional<TileLayout> layoutOfPart(const TileLayout &tile, ArrayRef<int64_t> part) {
  SmallVector<unsigned, 4> bits;
  for (auto [d, extent] : enumerate(part)) {
    if (!isPowerOf2_64(extent) || tile.extents()[d] % extent)
      return std::nullopt;
    bits.push_back(std::min(tile.core().dimBits()[d], Log2_64(extent)));
  }
  LinearLayout core({}, bits);
  SmallVector<LinearLayout::Input, 3> inputs;
  for (const LinearLayout::Input &input : tile.core().getInputs()) {
    LinearLayout::Input kept{input.name, {}};
    for (uint64_t base : input.bases) {
      Coordinates place(tile.core().unflatten(base));
      bool isInside =
          all_of(zip_equal(place, part), [](auto x) { return std::get<0>(x) < std::get<1>(x); });
      // What leads from part to part.
      bool isAcross = all_of(zip_equal(place, part),
                             [](auto x) { return std::get<0>(x) % std::get<1>(x) == 0; });
      if (isInside)
        kept.bases.push_back(core.flatten(place));
      else if (!isAcross || input.name != kRegister)
        return std::nullopt;
    }
    inputs.push_back(std::move(kept));
  }
  return TileLayout(LinearLayout(inputs, bits), part);
}

std::optional<Panels> panelsOf(const TileLayout &from, const TileLayout &to, unsigned elementBits) {
  constexpr uint64_t kWidestAccess = 16;
  SmallVector<int64_t, 4> extents;
  uint64_t elements = 1;
  for (auto [d, extent] : enumerate(from.extents())) {
    int64_t power = extent & -extent;
    if (from.core().extent(d) > power || to.core().extent(d) > power)
      return std::nullopt;
    extents.push_back(power);
    elements *= power;
  }
  Panels panels{layoutOfPanel(from, extents), layoutOfPanel(to, extents),
                panelStarts(from.extents(), extents)};
  if (panels.starts.size() > 1 && elements * (elementBits / 8) % kWidestAccess)
    return std::nullopt;
  return panels;
}

/// In cycles of a multiprocessor for a warp, as measured on an H200: a shuffle or a word of
/// shared memory takes one, a select a third. What shuffles save beside that is a barrier and
/// the way to memory and back; where work is equal they are as fast, also for a warp alone.
static bool isWorth(const ShufflePlan &plan, unsigned panels, unsigned elementBits) {
  constexpr unsigned kBarrier = 2;
  unsigned times = panels * std::max(1u, elementBits / 32);
  return times * (3 * plan.shuffles() + plan.selects()) <=
         3 * (times * 2 * plan.words() + kBarrier);
}

TileConversion planConversion(const TileLayout &from, const TileLayout &to, unsigned elementBits) {
  if (staysInLanes(from, to))
    return {TileConversion::Registers, {}, {}};
  auto panels = panelsOf(from, to, elementBits);
  if (!panels)
    return {TileConversion::Shared, {}, {}};
  auto plan = planShuffles(panels->from.core(), panels->to.core(), elementBits);
  if (!plan || !isWorth(*plan, panels->starts.size(), elementBits))
    return {TileConversion::Shared, {}, std::move(panels)};
  return {TileConversion::Shuffles, std::move(*plan), std::move(panels)};
}

ReductionPlan planReduction(const TileLayout &src, unsigned axis) {
  ReductionPlan plan;
  for (auto [name, bits] : {std::pair(kLane, &plan.laneBits), std::pair(kWarp, &plan.warpBits)})
    for (auto [i, base] : enumerate(src.core().bases(name))) {
      Coordinates image = src.core().unflatten(base);
      if (image[axis] == 0)
        continue;
      bits->push_back(i);
      for (unsigned d = 0; d < src.rank(); ++d)
        plan.isSeparable &= d == axis || image[d] == 0;
    }
  // Bits that make copies of axis elements would be combined twice.
  plan.isSeparable &= [&] {
    Span span;
    for (const LinearLayout::Input &input : src.core().getInputs())
      for (uint64_t base : input.bases)
        if (base && !span.insert(base))
          return false;
    return true;
  }();
  return plan;
}

int64_t ScanPlan::part() const {
  for (auto [i, bit] : enumerate(bits))
    if (bit.input == kWarp)
      return int64_t(1) << i;
  return PowerOf2Ceil(extent);
}

ScanPlan planScan(const TileLayout &src, unsigned axis) {
  ScanPlan plan;
  plan.extent = src.extents()[axis];
  plan.bits.resize(src.core().dimBits()[axis]);
  for (StringRef name : {kRegister, kLane, kWarp})
    for (auto [i, base] : enumerate(src.core().bases(name))) {
      Coordinates image = src.core().unflatten(base);
      if (image[axis] == 0)
        continue;
      ScanPlan::Bit &bit = plan.bits[Log2_64(image[axis])];
      plan.isPossible &= bit.input.empty() && isPowerOf2_64(image[axis]) &&
                         llvm::count_if(image, [](int64_t x) { return x != 0; }) == 1;
      bit = {name, unsigned(i)};
    }
  unsigned lanes = 0;
  bool hasWarps = false;
  for (const ScanPlan::Bit &bit : plan.bits) {
    plan.isPossible &= !bit.input.empty();
    if (bit.input == kLane) {
      plan.isPossible &= !hasWarps && bit.number >= lanes;
      lanes = bit.number + 1;
    }
    hasWarps |= bit.input == kWarp;
  }
  return plan;
}

} // namespace tritium
