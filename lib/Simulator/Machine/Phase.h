//===- Phase.h - phases of mbarriers, and the copies of them ----*- C++ -*-===//

#ifndef TRITIUM_SIMULATOR_PHASE_H
#define TRITIUM_SIMULATOR_PHASE_H

#include "Machine.h"

namespace tritium::sim {

// What is waited for like an mbarrier and is none.
inline constexpr uint32_t clusterBarrierAddress = ~0u;
inline constexpr uint32_t registerPoolAddress = ~1u;

/// What warps of the CTA wait for at an address.
MBarrier &phaseOf(Cta &cta, uint32_t address);
/// Those that wait look again.
void wakeAll(MBarrier &barrier);
/// The state of an mbarrier in words.
std::string describe(const MBarrier &barrier);
/// The phase is over: its copies arrive, and who waits goes on. By the lane, which arrives or
/// waits.
void completePhase(Warp &warp, const Op &op, unsigned lane, MBarrier &barrier);
/// After a change: completes the phase if it is over and need not wait for a wait.
void settle(Warp &warp, const Op &op, unsigned lane, MBarrier &barrier);
/// The lanes have waited for the phase before the one under way.
void passPhase(Warp &warp, const Op &op, uint32_t lanes, MBarrier &barrier);
/// The split that runs waits for the end of the phase under way; then it runs op again.
void blockOnPhase(Warp &warp, const Op &op, MBarrier &barrier);

/// The mbarrier that an operand of the lane names. Null after a report: there is none, or its
/// initialisation is not visible.
MBarrier *findBarrier(Warp &warp, const Op &op, ptx::Space space, uint64_t address, unsigned lane);
/// fence.mbarrier_init by the active lanes.
void fenceInitialisation(Warp &warp, const Op &op);

/// cp.async of a lane, the first `count` that it has issued, are over.
void arriveCopies(Warp &warp, unsigned lane, uint32_t count, const Completion &done);
// BulkCopy.cpp
void arriveLoad(Cta &cta, BulkCopy &copy, const Completion &done);
/// What it reads and writes is its own no longer.
void endCopy(Machine &machine, BulkCopy &copy, const Completion &done);

} // namespace tritium::sim

#endif // TRITIUM_SIMULATOR_PHASE_H
