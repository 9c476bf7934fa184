//===- Cluster.h - CTAs that reach each other's shared memory ---*- C++ -*-===//

#ifndef TRITIUM_SIMULATOR_CLUSTER_H
#define TRITIUM_SIMULATOR_CLUSTER_H

#include "Machine.h"

namespace tritium::sim {

/// CTAs that run at the same time.
struct Cluster {
  std::vector<Cta *> ctas; ///< by rank

  /// The barrier stands among the mbarriers of the first one.
  Cta &first() const { return *ctas.front(); }
  bool isOfOne() const { return ctas.size() == 1; }
  bool isOver() const;
};

/// Addresses of shared memory of other CTAs, as mapa makes them, begin with the rank, from 1.
inline constexpr unsigned rankShift = 24;
inline uint32_t addressAt(uint32_t rank, uint32_t address) {
  return (rank + 1) << rankShift | (address & ((1u << rankShift) - 1));
}

/// The CTA that `address`, an offset in the window of shared memory, is of, and the offset in its
/// memory. Null after a report: it has none, or need not be there yet or any more.
Cta *findVisited(Warp &warp, const Op &op, unsigned lane, uint64_t &address);
/// The CTA has ended, and accesses of others to its memory come before that.
void checkVisitors(Warp &last);

/// What other CTAs learn of a warp whose `lanes` release, and what it learns of them.
Known knownElsewhere(Warp &warp, uint32_t lanes);
void learnElsewhere(Warp &warp, const Known &from);

} // namespace tritium::sim

#endif // TRITIUM_SIMULATOR_CLUSTER_H
