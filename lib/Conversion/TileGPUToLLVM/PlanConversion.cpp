//===- PlanConversion.cpp - how a tile changes its layout -----------------===//

#include "Shared.h"

using namespace mlir;

namespace tritium::ttg {

/// Every lane holds what it needs.
static bool staysInLanes(const TileLayout &from, const TileLayout &to) {
  for (StringRef name : {kLane, kWarp}) {
    ArrayRef<uint64_t> a = from.core().bases(name), b = to.core().bases(name);
    if (a.size() != b.size())
      return false;
    for (auto [x, y] : llvm::zip(a, b))
      if (from.core().unflatten(x) != to.core().unflatten(y))
        return false;
  }
  llvm::SmallVector<Coordinates> held;
  for (unsigned r = 0; r < from.registers(); ++r)
    held.push_back(from.offset(r));
  llvm::sort(held);
  for (unsigned r = 0; r < to.registers(); ++r)
    if (!llvm::binary_search(held, to.offset(r)))
      return false;
  return true;
}

/// `core` with registers for all of `extents`, powers of two.
static LinearLayout extended(const LinearLayout &core, ArrayRef<int64_t> extents) {
  SmallVector<unsigned, 4> bits;
  for (int64_t extent : extents)
    bits.push_back(llvm::Log2_64(extent));
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

std::optional<Panels> panelsOf(const TileLayout &from, const TileLayout &to, unsigned elementBits) {
  constexpr uint64_t kWidestAccess = 16;
  Panels panels;
  SmallVector<int64_t, 4> extents;
  uint64_t elements = 1, count = 1;
  for (auto [d, extent] : llvm::enumerate(from.extents())) {
    int64_t power = extent & -extent;
    if (from.core().extent(d) > power || to.core().extent(d) > power)
      return std::nullopt;
    extents.push_back(power);
    elements *= power;
    count *= extent / power;
  }
  panels.bytes = elements * (elementBits / 8);
  if (count > 1 && panels.bytes % kWidestAccess)
    return std::nullopt;
  for (uint64_t panel = 0; panel < count; ++panel) {
    Coordinates start(extents.size());
    uint64_t rest = panel;
    for (size_t d = extents.size(); d-- > 0;) {
      uint64_t along = from.extents()[d] / extents[d];
      start[d] = rest % along * extents[d];
      rest /= along;
    }
    panels.starts.push_back(std::move(start));
  }
  panels.from = TileLayout(extended(from.core(), extents), extents);
  panels.to = TileLayout(extended(to.core(), extents), extents);
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

Conversion planConversion(const TileLayout &from, const TileLayout &to, unsigned elementBits) {
  if (staysInLanes(from, to))
    return {Conversion::Registers, {}, {}};
  auto panels = panelsOf(from, to, elementBits);
  if (!panels)
    return {Conversion::Shared, {}, {}};
  auto plan = planShuffles(panels->from.core(), panels->to.core(), elementBits);
  if (!plan || !isWorth(*plan, panels->starts.size(), elementBits))
    return {Conversion::Shared, {}, std::move(panels)};
  return {Conversion::Shuffles, std::move(*plan), std::move(panels)};
}

} // namespace tritium::ttg
