//===- Shuffle.cpp - conversions within a warp ----------------------------===//

#include "tritium/Layout/Shuffle.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tritium {

namespace {
constexpr unsigned kWordBits = 32;

using Vectors = SmallVector<uint64_t, 8>;

/// The XOR of the vectors that `bits` chooses.
uint64_t sumOf(ArrayRef<uint64_t> vectors, uint64_t bits) {
  uint64_t sum = 0;
  for (auto [i, v] : enumerate(vectors))
    if (bits >> i & 1)
      sum ^= v;
  return sum;
}

/// A place in a warp.
struct Place {
  uint64_t reg = 0, lane = 0;
  bool isNone() const { return reg == 0 && lane == 0; }
};
Place operator^(Place a, Place b) { return {a.reg ^ b.reg, a.lane ^ b.lane}; }

/// From lanes that read to the places that they read, one lane bit after the other: a linear
/// map in which lanes that read one lane read one register of it.
class Readers {
public:
  bool admits(Place place) const {
    Place rest = reduce(place);
    return rest.lane || rest.isNone();
  }
  bool isNew(Place place) const { return reduce(place).lane; }
  void add(Place place) {
    Place rest = reduce(place);
    if (rest.lane)
      rows.insert(upper_bound(rows, rest, [](Place a, Place b) { return a.lane > b.lane; }), rest);
  }
  /// The register that is offered, a linear function of the lane; 0 for lanes nobody reads.
  uint64_t offered(uint64_t lane) const { return reduce({0, lane}).reg; }

private:
  Place reduce(Place place) const {
    for (const Place &row : rows)
      if (place.lane & bit_floor(row.lane))
        place = place ^ row;
    return place;
  }
  SmallVector<Place, 5> rows; ///< descending leading bits of the lane
};

/// What all combinations of `generators` add to a place, with the result's registers that
/// stand for them.
struct Offset {
  Place place;
  uint64_t round;
};

/// The images of bits of lanes and warps as few choices.
SmallVector<ShufflePlan::Choice, 4> choicesOf(ArrayRef<uint64_t> ofLanes,
                                              ArrayRef<uint64_t> ofWarps) {
  Vectors basis;
  Span span;
  for (ArrayRef<uint64_t> list : {ofLanes, ofWarps})
    for (uint64_t image : list)
      if (span.insert(image))
        basis.push_back(image);
  SmallVector<ShufflePlan::Choice, 4> choices;
  for (uint64_t image : basis)
    choices.push_back({0, 0, image});
  for (bool isWarp : {false, true})
    for (auto [bit, image] : enumerate(isWarp ? ofWarps : ofLanes)) {
      uint64_t parts = 0;
      while (sumOf(basis, parts) != image)
        ++parts;
      for (auto [i, choice] : enumerate(choices))
        if (parts >> i & 1)
          (isWarp ? choice.warps : choice.lanes) |= uint64_t(1) << bit;
    }
  return choices;
}
} // namespace

uint64_t ShufflePlan::firstOf(uint64_t r) const {
  uint64_t first = r;
  for (uint64_t e = 0; e < uint64_t(1) << packedTo.size(); ++e)
    first = std::min(first, r ^ sumOf(packedTo, e));
  return first;
}

bool ShufflePlan::readsOwnLane() const {
  unsigned shift = reads.dimBits()[0];
  for (auto [i, base] : enumerate(reads.bases(kLane)))
    if (base != uint64_t(1) << (shift + i))
      return false;
  return all_of(reads.bases(kWarp), [](uint64_t base) { return base == 0; });
}

unsigned ShufflePlan::shuffles() const {
  if (!readsOwnLane())
    return words();
  unsigned count = 0;
  for (uint64_t r = 0; r < uint64_t(1) << reads.inputBits(kRegister); ++r)
    count += firstOf(r) == r && laneOffset(r) != 0;
  return count;
}

namespace {
/// Finds a plan step by step; each member is what a step has found.
class ShufflePlanner {
public:
  ShufflePlanner(const LinearLayout &from, const LinearLayout &to)
      : from(from), to(to), registers(from.inputBits(kRegister)), lanes(from.bases(kLane).size()),
        outputs(from.dimBits()) {}

  std::optional<ShufflePlan> plan(unsigned elementBits) {
    if (!solve())
      return std::nullopt;
    findMoving();
    findOffsets();
    if (!settleAll(/*copiesLast=*/false) && !settleAll(/*copiesLast=*/true))
      return std::nullopt;
    ShufflePlan plan = assemble();
    pack(plan, elementBits);
    return plan;
  }

private:
  bool solve();
  void findMoving();
  void findOffsets();
  bool settleAll(bool copiesLast);
  void settle(function_ref<bool(unsigned, const Offset &)> accept);
  ShufflePlan assemble() const;
  void pack(ShufflePlan &plan, unsigned elementBits);

  Place placeOf(uint64_t flat) const {
    return {flat & ((uint64_t(1) << registers) - 1), flat >> registers};
  }
  /// Where the element is that a register, lane or warp of the result wants.
  Place place(StringRef name, uint64_t index) const {
    return placeOf(solved->applyPart(name, index));
  }

  const LinearLayout &from, &to;
  unsigned registers, lanes;
  SmallVector<unsigned, 4> outputs;
  SmallVector<LinearLayout::Input, 3> wanted{{kRegister, {}}, {kLane, {}}, {kWarp, {}}};
  LinearLayout held; ///< by the registers and lanes of one warp
  std::optional<LinearLayout> solved;
  /// Registers of the result that come from other lanes, and combinations that do not.
  Vectors moving, together;
  /// Places with the same elements, and what rounds can be exchanged for each other.
  SmallVector<Offset, 32> offsets{{Place(), 0}};
  Readers readers;
  SmallVector<std::optional<Offset>, 5> chosen; ///< by bit of the lane
};

/// C: the warp stays, so warps ask for what is left of their difference.
bool ShufflePlanner::solve() {
  wanted[0].bases.append(to.bases(kRegister).begin(), to.bases(kRegister).end());
  wanted[1].bases.append(to.bases(kLane).begin(), to.bases(kLane).end());
  for (auto [a, b] : zip(from.bases(kWarp), to.bases(kWarp)))
    wanted[2].bases.push_back(a ^ b);
  LinearLayout::Input heldByRegisters{kRegister, {}}, heldByLanes{kLane, {}};
  heldByRegisters.bases.append(from.bases(kRegister).begin(), from.bases(kRegister).end());
  heldByLanes.bases.append(from.bases(kLane).begin(), from.bases(kLane).end());
  held = LinearLayout({heldByRegisters, heldByLanes}, outputs);
  solved = held.invertAndCompose(LinearLayout(wanted, outputs));
  return solved.has_value();
}

void ShufflePlanner::findMoving() {
  Span span;
  for (unsigned i = 0; i < to.inputBits(kRegister); ++i) {
    uint64_t bit = uint64_t(1) << i;
    uint64_t lane = place(kRegister, bit).lane;
    if (span.insert(lane)) {
      moving.push_back(bit);
      continue;
    }
    for (uint64_t parts = 0;; ++parts)
      if (uint64_t sum = sumOf(moving, parts); place(kRegister, sum).lane == lane) {
        together.push_back(bit ^ sum);
        break;
      }
  }
}

void ShufflePlanner::findOffsets() {
  auto extend = [&](Place place, uint64_t round) {
    for (size_t i = 0, size = offsets.size(); i < size; ++i)
      offsets.push_back({offsets[i].place ^ place, offsets[i].round ^ round});
  };
  // The fewer registers differ the better, so copies come first.
  uint64_t copies = held.freeMask(kLane);
  for (unsigned i = 0; i < lanes; ++i)
    if (copies >> i & 1) {
      LinearLayout same({{kLane, {from.bases(kLane)[i]}}}, outputs);
      extend(Place{0, uint64_t(1) << i} ^ placeOf(held.invertAndCompose(same)->applyPart(kLane, 1)),
             0);
    }
  for (uint64_t round : moving)
    extend(place(kRegister, round), round);
}

void ShufflePlanner::settle(function_ref<bool(unsigned, const Offset &)> accept) {
  for (unsigned j = 0; j < lanes; ++j)
    for (const Offset &offset : offsets) {
      if (chosen[j])
        break;
      Offset choice{place(kLane, uint64_t(1) << j) ^ offset.place, offset.round};
      if (!accept(j, choice))
        continue;
      readers.add(choice.place);
      chosen[j] = choice;
    }
}

/// One choice a lane bit, those that cost least first. Lanes that copies could do without
/// may be wanted by others: if so, copies take what is left.
bool ShufflePlanner::settleAll(bool copiesLast) {
  // Bits of the result that only make copies can read anything that brings the same.
  uint64_t free = LinearLayout({wanted[0], wanted[1]}, outputs).freeMask(kLane);
  readers = Readers();
  chosen.assign(lanes, std::nullopt);
  auto isOwn = [&](unsigned j, const Offset &choice) {
    return choice.place.lane == uint64_t(1) << j && readers.isNew(choice.place);
  };
  settle([&](unsigned j, const Offset &choice) {
    bool costsNothing = choice.place.reg == 0 && choice.round == 0;
    return isOwn(j, choice) && costsNothing && !(copiesLast && free >> j & 1);
  });
  settle([&](unsigned j, const Offset &choice) { return isOwn(j, choice) && !(free >> j & 1); });
  settle([&](unsigned j, const Offset &choice) {
    return readers.isNew(choice.place) && !(free >> j & 1);
  });
  settle(isOwn);
  settle([&](unsigned, const Offset &choice) { return readers.admits(choice.place); });
  return all_of(chosen, [](const auto &choice) { return choice.has_value(); });
}

ShufflePlan ShufflePlanner::assemble() const {
  Vectors before, after, beforeWarp;
  LinearLayout::Input reg{kRegister, {}}, lane{kLane, {}}, warp{kWarp, {}};
  for (unsigned i = 0; i < lanes; ++i) {
    before.push_back(readers.offered(uint64_t(1) << i));
    after.push_back(chosen[i]->round);
    lane.bases.push_back(chosen[i]->place.lane << registers);
  }
  for (unsigned i = 0; i < to.inputBits(kRegister); ++i) {
    Place read = place(kRegister, uint64_t(1) << i);
    reg.bases.push_back((read.reg ^ readers.offered(read.lane)) | read.lane << registers);
  }
  for (unsigned i = 0; i < to.bases(kWarp).size(); ++i) {
    Place read = place(kWarp, uint64_t(1) << i);
    beforeWarp.push_back(read.reg ^ readers.offered(read.lane));
    warp.bases.push_back(read.lane << registers);
  }
  ShufflePlan plan;
  plan.before = choicesOf(before, beforeWarp);
  plan.after = choicesOf(after, {});
  plan.reads = LinearLayout({reg, lane, warp}, {registers, lanes});
  return plan;
}

/// Chooses the registers that share a word: neighbours make the best ones.
void ShufflePlanner::pack(ShufflePlan &plan, unsigned elementBits) {
  llvm::sort(together, [&](uint64_t a, uint64_t b) {
    return std::pair(place(kRegister, a).reg + a, a) < std::pair(place(kRegister, b).reg + b, b);
  });
  for (uint64_t bits = elementBits; bits < kWordBits && plan.packedTo.size() < together.size();
       bits *= 2) {
    uint64_t to = together[plan.packedTo.size()];
    plan.packedFrom.push_back(place(kRegister, to).reg);
    plan.packedTo.push_back(to);
  }
}
} // namespace

std::optional<ShufflePlan> planShuffles(const LinearLayout &from, const LinearLayout &to,
                                        unsigned elementBits) {
  if (from.dimBits() != to.dimBits() || from.bases(kLane).size() != to.bases(kLane).size() ||
      from.bases(kWarp).size() != to.bases(kWarp).size())
    return std::nullopt;
  return ShufflePlanner(from, to).plan(elementBits);
}

} // namespace tritium
