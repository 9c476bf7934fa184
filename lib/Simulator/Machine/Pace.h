//===- Pace.h - when a CTA's instructions run ---------------------*- C++ -*-===//
//
// How long a CTA takes that has a multiprocessor to itself, where instructions wait for what
// others bring. A warp's instructions are in blocks, which end where it branches, waits or is
// joined. In a block an instruction starts once what it reads is there and its unit is free, in
// whatever order suits, as an assembler arranges them. A warp issues in order: at the end of a
// block all have started.
//
// Warps of a CTA have turns of some instructions here (turnOfWarp), so units are taken by clocks,
// not in turn: a warp that is simulated later may have clocks that others left free.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_SIMULATOR_PACE_H
#define TRITIUM_SIMULATOR_PACE_H

#include "tritium/Simulator/Counters.h"
#include "tritium/Simulator/Rates.h"

#include <deque>
#include <vector>

namespace tritium::sim {

struct FunctionCode;
struct Op;
struct Warp;

/// By each of the answers.
using Instants = std::array<double, kPaces>;
/// Each the later one.
void delay(Instants &at, const Instants &other);

/// What a register's value waits for.
struct SlotPace {
  std::array<float, kPaces> ready{};
  std::array<uint32_t, kPaces> cause{}; ///< Op::id
};

/// A unit that does one thing at a time.
class Unit {
public:
  /// Takes so many clocks, the first that are free from `from` on. Returns when the last one ends.
  double take(double from, double clocks);

private:
  size_t firstFree(size_t bucket);
  std::vector<float> used; ///< of each piece of time
  std::vector<uint32_t> next;
};

/// What an operation is to a Pace, known before it runs.
struct OpPace {
  enum Kind : uint8_t {
    Computes,
    Loads, ///< of memory or the caches, or of shared memory
    Copies,
    CommitsCopies,
    WaitsForCopies,
    Stores,     ///< of global memory
    Multiplies, ///< a wgmma
    CommitsProducts,
    WaitsForProducts,
  } kind = Computes;
  enum UnitKind : uint8_t { NoUnit, Integers, Specials, Doubles, Converters, Tensor, Banks };
  UnitKind unit = NoUnit;
  bool startsBlock = false, endsBlock = false;
  float issue = 0, busy = 0, latency = 0; ///< clocks
  float sharedBytes = 0;                  ///< that the operation itself reads
  uint32_t kept = 0;                      ///< groups that a wait lets be; ~0u: it waits for all
  std::vector<uint32_t> sources, results; ///< slots
  uint32_t guard = ~0u;                   ///< slot; ~0u: none

  bool waits() const { return kind == WaitsForCopies || kind == WaitsForProducts; }
};
std::vector<OpPace> pacesOf(const FunctionCode &code, const Rates &rates);

/// What an operation did in memory.
struct OpTraffic {
  uint64_t wavefronts = 0, sectors = 0, cached = 0, requests = 0, spreadAtomics = 0;
  static OpTraffic of(const Tally &tally);
  OpTraffic since(const OpTraffic &before) const;
};

/// Of the CTAs of a multiprocessor.
class Pace {
public:
  /// `busy`: what a multiprocessor has to do on average, of what this one has: they share the L2
  /// and memory.
  Pace(const Rates &rates, double busy);
  /// Another CTA's, which starts where one has left, if any has. Returns the number of the first.
  uint32_t addWarps(size_t count);
  /// A CTA has ended.
  void leave(size_t first, size_t count);
  size_t size() const { return ctas; }

  /// Before an operation that a warp comes to, whether or not any lane executes it.
  void meet(Warp &warp, const Op &op, const OpPace &pace);
  /// Behind one that was executed and does not end its block.
  void account(Warp &warp, const Op &op, const OpPace &pace, const OpTraffic &did);
  /// Behind a wait for copies or products.
  void waitForGroups(Warp &warp, const Op &op, const OpPace &pace);
  /// The warp goes on then.
  void waitUntil(Warp &warp, const Op &op, const Instants &when, double clocks);
  /// When a bulk copy that the warp starts brings its bytes: of so many rows, 128 bytes at most.
  Instants bulkLoad(const Warp &warp, double rows, double sectors);
  void bulkStore(const Warp &warp, double sectors);
  Instants now(const Warp &warp);
  Instants copied(const Warp &warp);
  Instants end() const;

private:
  struct WarpPace {
    double at = 0;        ///< where its block started
    double issued = 0;    ///< when the last instruction of the block does
    double ready = 0;     ///< when the last value comes that one of them reads
    uint32_t cause = ~0u; ///< what that comes from
    double copied = 0, multiplied = 0, stored = 0;
    std::deque<double> copyGroups, productGroups, products;
    /// When the last of so many instructions had started, each with those before it.
    std::vector<float> started;
    uint32_t place = 0; ///< of the oldest
  };
  struct Units {
    Unit issue, byKind[OpPace::Tensor + 1];
  };
  /// Of one answer.
  struct Side {
    std::vector<WarpPace> warps;
    std::array<Units, 4> parts; ///< a warp runs in one of them
    Unit banks, far, written, boxes;
    std::vector<double> free; ///< when places of CTAs became so
  };
  WarpPace &of(const Warp &warp, size_t side);
  Units &partOf(const Warp &warp, size_t side);
  void endBlock(Warp &warp, const Op &op, size_t side);
  double start(Warp &warp, const OpPace &pace, size_t side, uint32_t &cause);
  double farAnswer(size_t side, double from, const OpTraffic &did);
  double startBox(const Warp &warp, size_t side);
  void store(WarpPace &own, size_t side, double from, double sectors);

  const Rates &rates;
  std::array<Side, kPaces> sides;
  double latencies[kPaces], farBytes[kPaces], boxBytes[kPaces];
  size_t ctas = 0;
};

} // namespace tritium::sim

#endif // TRITIUM_SIMULATOR_PACE_H
