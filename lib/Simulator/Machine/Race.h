//===- Race.h - what accesses of lanes and of the async proxy have in common -----===//

#ifndef TRITIUM_SIMULATOR_RACE_H
#define TRITIUM_SIMULATOR_RACE_H

#include "Machine.h"

namespace tritium::sim {

/// Whether the earlier access happens before what this lane does now.
bool ordered(const Warp &warp, unsigned lane, const Access &earlier);
/// A lane of `read` that does not happen before what this lane does now, or -1.
int unorderedLane(const Warp &warp, unsigned lane, const Read &read);
/// Remembers a read of a cell.
void noteRead(const Warp &warp, const Op &op, unsigned lane, bool isShared, Cell &cell);
Access accessOf(const Read &read, unsigned lane);
/// Of a word of global memory, keeps the reads of one CTA and a few of others.
void forgetDistantReads(std::vector<Read> &reads, uint32_t cta);
/// at: offset of the first byte of the two accesses' common cell.
void reportRace(Warp &warp, const Op &op, unsigned lane, const Access &other,
                const Located &located, uint64_t at, bool write, bool otherWrote);
/// Of a cell with a read by the async proxy under way: that read.
void reportBarrierAccess(Warp &warp, const Op &op, unsigned lane, uint64_t at);
Access asyncReaderOf(const Warp &warp, const Located &located, uint64_t at);

} // namespace tritium::sim

#endif // TRITIUM_SIMULATOR_RACE_H
