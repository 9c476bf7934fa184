//===- Pace.cpp - when a CTA's instructions run ---------------------------===//

#include "Pace.h"
#include "Machine.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace tritium::sim;

void tritium::sim::delay(Instants &at, const Instants &other) {
  for (size_t i = 0; i < kPaces; ++i)
    at[i] = std::max(at[i], other[i]);
}

//===-- Units -------------------------------------------------------------===//

static constexpr double width = 8; ///< clocks of a piece of time
/// A piece has no room where less is left: sums of fractions are not exact.
static constexpr float nothing = 1e-3f;

size_t Unit::firstFree(size_t bucket) {
  size_t found = bucket;
  while (found < next.size() && next[found] != found)
    found = next[found];
  // All on the way point there.
  while (bucket < next.size() && next[bucket] != bucket) {
    size_t after = next[bucket];
    next[bucket] = uint32_t(found);
    bucket = after;
  }
  return found;
}

double Unit::take(double from, double clocks) {
  double end = from;
  size_t bucket = size_t(from / width);
  while (clocks > 0) {
    bucket = firstFree(bucket);
    if (size_t known = used.size(); known <= bucket) {
      used.resize(bucket + 1);
      next.resize(bucket + 1);
      std::iota(next.begin() + known, next.end(), uint32_t(known));
    }
    double part = std::min(clocks, width - used[bucket]);
    double begin = std::max({from, double(bucket) * width, end});
    // What was taken before has the beginning of the piece.
    end = std::max(begin, std::min(double(bucket) * width + used[bucket], begin + width)) + part;
    used[bucket] += float(part);
    clocks -= part;
    if (used[bucket] >= width - nothing)
      next[bucket] = uint32_t(bucket + 1);
  }
  return end;
}

//===-- A CTA -------------------------------------------------------------===//

OpTraffic OpTraffic::of(const Tally &tally) {
  return {tally.wavefronts, tally.sectors, tally.cachedSectors, tally.l2Requests,
          tally.spreadAtomics};
}
OpTraffic OpTraffic::since(const OpTraffic &before) const {
  return {wavefronts - before.wavefronts, sectors - before.sectors, cached - before.cached,
          requests - before.requests, spreadAtomics - before.spreadAtomics};
}

Pace::Pace(const Rates &rates, double busy)
    : rates(rates), latencies{latency::l2, latency::memory, latency::memory},
      farBytes{std::min(rates.l2Bytes / busy, mostL2Bytes),
               std::min(rates.memoryBytes / busy, mostL2Bytes), farBytes[kFromL2]},
      boxBytes{boxesOfL2 * rates.l2Bytes / busy, farBytes[kFromMemory], boxBytes[kFromL2]} {}

uint32_t Pace::addWarps(size_t count) {
  size_t first = sides[0].warps.size();
  ++ctas;
  for (Side &side : sides) {
    double start = latency::startOfCTA * double(ctas);
    if (auto place = std::min_element(side.free.begin(), side.free.end());
        place != side.free.end()) {
      start = std::max(start, *place);
      side.free.erase(place);
    }
    WarpPace made;
    made.started.assign(latency::window, float(start));
    made.at = made.issued = made.ready = start;
    side.warps.resize(first + count, made);
  }
  return uint32_t(first);
}

void Pace::leave(size_t first, size_t count) {
  for (Side &side : sides) {
    double end = 0;
    for (size_t i = first; i < first + count; ++i)
      end = std::max({end, side.warps[i].at, side.warps[i].stored});
    side.free.push_back(end);
  }
}

Pace::WarpPace &Pace::of(const Warp &warp, size_t side) {
  return sides[side].warps[warp.cta.firstWarp + warp.index];
}
Pace::Units &Pace::partOf(const Warp &warp, size_t side) {
  return sides[side].parts[(warp.cta.firstWarp + warp.index) % sides[side].parts.size()];
}

/// All instructions of the block have started.
void Pace::endBlock(Warp &warp, const Op &op, size_t side) {
  WarpPace &own = of(warp, side);
  if (own.ready > own.at && own.cause != none)
    warp.machine.tallies[own.cause].waits[side] += own.ready - own.at;
  own.at = std::max({own.at, own.issued, own.ready});
  own.issued = own.ready = own.at;
  own.cause = none;
}

/// When what the operation reads is there; no earlier than its block.
double Pace::start(Warp &warp, const OpPace &pace, size_t side, uint32_t &cause) {
  WarpPace &own = of(warp, side);
  double ready = own.at;
  cause = none;
  auto waitFor = [&](uint32_t slot, double clocks) {
    const SlotPace &value = warp.frame->paces[slot >> 7];
    if (value.ready[side] + clocks > ready)
      ready = value.ready[side] + clocks, cause = value.cause[side];
  };
  for (uint32_t slot : pace.sources)
    waitFor(slot, 0);
  if (pace.guard != none)
    waitFor(pace.guard, latency::guard);
  if (ready > own.ready)
    own.ready = ready, own.cause = cause;
  return ready;
}

void Pace::meet(Warp &warp, const Op &op, const OpPace &pace) {
  if (!pace.startsBlock && !pace.endsBlock)
    return;
  for (size_t side = 0; side < kPaces; ++side) {
    if (pace.startsBlock)
      endBlock(warp, op, side);
    if (!pace.endsBlock)
      continue;
    uint32_t cause;
    WarpPace &own = of(warp, side);
    double from = start(warp, pace, side, cause);
    Unit &issue = partOf(warp, side).issue;
    own.issued = std::max(own.issued, issue.take(from, pace.issue));
    endBlock(warp, op, side);
    own.at += pace.latency;
  }
}

/// When the L2 or memory has sent what the first cache has not.
double Pace::farAnswer(size_t side, double from, const OpTraffic &did) {
  double far = std::max(double(did.sectors - did.cached), sectorsOfRequest * double(did.requests));
  return sides[side].far.take(from, 32 * far / farBytes[side]) + latencies[side];
}

/// Memory takes what is stored, whatever has what is loaded.
void Pace::store(WarpPace &own, size_t side, double from, double sectors) {
  Unit &unit = side == kFromMemory ? sides[side].far : sides[side].written;
  own.stored = std::max(own.stored, unit.take(from, 32 * sectors / farBytes[kFromMemory]));
}

void Pace::account(Warp &warp, const Op &op, const OpPace &pace, const OpTraffic &did) {
  for (size_t side = 0; side < kPaces; ++side) {
    WarpPace &own = of(warp, side);
    Units &part = partOf(warp, side);
    uint32_t cause;
    float latest;
    double from = start(warp, pace, side, cause);
    bool isFull =
        pace.kind == OpPace::Multiplies && own.products.size() >= latency::mostGroupProducts;
    if (isFull)
      from = std::max(from, own.products[own.products.size() - latency::mostGroupProducts]);
    from = std::max(from, double(own.started[own.place]));
    double issued = part.issue.take(from, pace.issue);
    double begun = std::max(issued - pace.issue, from), done = issued;
    latest = std::max(own.started[(own.place + own.started.size() - 1) % own.started.size()],
                      float(begun));
    own.started[own.place] = latest;
    own.place = uint32_t((own.place + 1) % own.started.size());
    if (pace.unit == OpPace::Banks) {
      double requests = did.sectors
                            ? std::max(clocksOfRequest, double(did.sectors) / rates.l1Sectors)
                            : pace.busy;
      double passes =
          std::max(double(did.wavefronts), clocksOfSpreadAtomic * double(did.spreadAtomics));
      done = sides[side].banks.take(begun, std::max(requests, passes));
    } else if (pace.unit != OpPace::NoUnit) {
      done = part.byKind[pace.unit].take(begun, pace.busy);
      if (pace.sharedBytes > 0)
        done = std::max(done, sides[side].banks.take(begun, pace.sharedBytes / rates.sharedBytes));
    }
    // What waits for its unit waits there, up to a number.
    bool isQueued = pace.kind != OpPace::Multiplies;
    own.issued = std::max(own.issued, isQueued ? std::max(begun, done - latency::queue) : begun);
    // A bulk copy has taken its clocks: bulkLoad().
    bool isFar = did.sectors > did.cached && pace.unit == OpPace::Banks;
    if (pace.kind == OpPace::Stores)
      store(own, side, done, double(did.sectors));
    else
      done = isFar ? farAnswer(side, done, did) : done + pace.latency;
    switch (pace.kind) {
    case OpPace::Copies:
      own.copied = std::max(own.copied, done);
      break;
    case OpPace::CommitsCopies:
      own.copyGroups.push_back(own.copied);
      break;
    case OpPace::Multiplies:
      own.products.push_back(done);
      own.multiplied = std::max(own.multiplied, done);
      if (own.products.size() > latency::mostGroupProducts)
        own.products.pop_front();
      break;
    case OpPace::CommitsProducts:
      own.productGroups.push_back(own.multiplied);
      break;
    default:
      break;
    }
    // A value is late for what it waited for itself, if it is there soon after that.
    constexpr double soon = 12;
    uint32_t blamed = cause != none && done - from < soon ? cause : op.id;
    for (uint32_t slot : pace.results) {
      SlotPace &value = warp.frame->paces[slot >> 7];
      value.ready[side] = float(done);
      value.cause[side] = blamed;
    }
  }
}

void Pace::waitForGroups(Warp &warp, const Op &op, const OpPace &pace) {
  Instants until{};
  for (size_t side = 0; side < kPaces; ++side) {
    WarpPace &own = of(warp, side);
    bool areCopies = pace.kind == OpPace::WaitsForCopies;
    std::deque<double> &groups = areCopies ? own.copyGroups : own.productGroups;
    if (pace.kept == ~0u) {
      until[side] = own.copied;
      groups.clear();
    }
    while (groups.size() > pace.kept) {
      until[side] = std::max(until[side], groups.front());
      groups.pop_front();
    }
  }
  waitUntil(warp, op, until, 0);
}

void Pace::waitUntil(Warp &warp, const Op &op, const Instants &when, double clocks) {
  for (size_t side = 0; side < kPaces; ++side) {
    WarpPace &own = of(warp, side);
    double then = std::max(own.at, when[side]) + clocks;
    warp.machine.tallies[op.id].waits[side] += then - own.at;
    own.at = own.issued = own.ready = then;
  }
}

/// When the warp has started another copy of a box.
double Pace::startBox(const Warp &warp, size_t side) {
  WarpPace &own = of(warp, side);
  own.issued = std::max(own.at, own.issued) + latency::boxes;
  return own.issued;
}

Instants Pace::bulkLoad(const Warp &warp, double rows, double sectors) {
  Instants made;
  for (size_t side = 0; side < kPaces; ++side) {
    double copied = sides[side].boxes.take(startBox(warp, side), latency::rowOfBox * rows);
    copied = sides[side].far.take(copied, 32 * sectors / boxBytes[side]);
    made[side] = copied + latencies[side];
  }
  return made;
}

void Pace::bulkStore(const Warp &warp, double sectors) {
  for (size_t side = 0; side < kPaces; ++side)
    store(of(warp, side), side, startBox(warp, side), sectors);
}

Instants Pace::now(const Warp &warp) {
  Instants made;
  for (size_t side = 0; side < kPaces; ++side)
    made[side] = of(warp, side).at;
  return made;
}

Instants Pace::copied(const Warp &warp) {
  Instants made;
  for (size_t side = 0; side < kPaces; ++side)
    made[side] = std::max(of(warp, side).at, of(warp, side).copied);
  return made;
}

Instants Pace::end() const {
  Instants made{};
  for (size_t side = 0; side < kPaces; ++side)
    for (const WarpPace &warp : sides[side].warps)
      made[side] = std::max({made[side], warp.at, warp.stored});
  return made;
}

//===-- A launch ----------------------------------------------------------===//

uint64_t Machine::ofMultiprocessor() const {
  unsigned architecture = launch.architecture ? launch.architecture : newestArchitecture;
  uint64_t many = multiprocessorsOf(architecture), all = launch.grid.count();
  uint64_t places = std::max(occupancy(architecture).ctas, 1u), whole = all / (many * places);
  // Turns of all places, and what is left.
  return whole * places + (all - whole * many * places + many - 1) / many;
}

std::unique_ptr<Pace> Machine::newPace() const {
  unsigned architecture = launch.architecture ? launch.architecture : newestArchitecture;
  double average = double(launch.grid.count()) / double(multiprocessorsOf(architecture));
  return std::make_unique<Pace>(*launch.rates,
                                average / double(std::max<uint64_t>(ofMultiprocessor(), 1)));
}

size_t Machine::sideBySide() const {
  unsigned architecture = launch.architecture ? launch.architecture : newestArchitecture;
  uint64_t places = std::max(occupancy(architecture).ctas, 1u);
  return std::clamp<uint64_t>(ofMultiprocessor(), 1, places);
}

void Machine::notePath() {
  if (!pace || !pace->size())
    return;
  Counters &counters = result.counters;
  // What is cut short says less.
  if (pace->size() >= counters.pathCTAs) {
    if (pace->size() > counters.pathCTAs)
      paths = 0;
    counters.pathCTAs = pace->size();
    Instants end = pace->end();
    ++paths;
    for (size_t i = 0; i < end.size(); ++i)
      counters.path[i] += (end[i] - counters.path[i]) / paths;
    delay(counters.longestPath, end);
  }
  pace = newPace();
}
