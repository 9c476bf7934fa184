//===- BulkCopy.h - bulk copies, of boxes of tensors too --------*- C++ -*-===//

#ifndef TRITIUM_SIMULATOR_BULKCOPY_H
#define TRITIUM_SIMULATOR_BULKCOPY_H

#include "../Machine/Phase.h"
#include "Arithmetic.h"

#include "tritium/Simulator/TensorMap.h"

namespace tritium::sim {

/// An address operand besides the one that an Op has room for: slot, offset, bits.
inline constexpr size_t addressWords = 4;
bool readAddress(Decoder &decoder, size_t operand, uint32_t *words, bool hasCoordinates = false);
uint64_t addressOf(const Warp &warp, const uint32_t *words, unsigned lane);

void invalidCopy(Warp &warp, const Op &op, unsigned lane, const std::string &message);
/// Bytes of global memory, all in one range; null after a report.
Range *findGlobal(Warp &warp, const Op &op, unsigned lane, uint64_t address, uint32_t bytes,
                  bool write);
/// Bytes of shared memory at an address that `align` divides; false after a report.
bool findShared(Warp &warp, const Op &op, unsigned lane, uint64_t address, uint64_t bytes,
                uint32_t align, uint32_t &offset);

/// A copy with its segments into [offset, offset + bytes) of shared memory begins, and joins the
/// phase under way of the mbarrier at the address.
void beginLoad(Warp &warp, const Op &op, unsigned lane, uint32_t offset, BulkCopy copy,
               uint64_t barrier);
/// A copy to global memory begins, and joins the group that the lane commits next.
void beginStore(Warp &warp, const Op &op, unsigned lane, BulkCopy copy);
/// The CTAs that .multicast::cluster names; false after a report.
bool checkMulticast(Warp &warp, const Op &op, unsigned lane, uint32_t slot);

/// The reduction that a modifier names, as Atomic.h numbers them; -1: none.
int takeReduction(Modifiers &m);
/// Whether the reduction exists on the type.
bool hasReduction(int reduction, ptx::Type type);

/// The tensor map at a generic address; false after a report.
bool readTensorMap(Warp &warp, const Op &op, unsigned lane, uint64_t address, TensorMap &map);
/// cp.async.bulk.tensor, cp.reduce.async.bulk.tensor
bool decodeTensorCopy(Decoder &decoder, Modifiers &m, bool reduces, bool prefetches);
/// barrier.cluster, of which "cluster" has been taken.
bool decodeClusterBarrier(Decoder &decoder, Modifiers &m);
/// cp.async.bulk, cp.reduce.async.bulk, of which "bulk" has been taken.
bool decodeBulk(Decoder &decoder, Modifiers &m, bool reduces);

} // namespace tritium::sim

#endif // TRITIUM_SIMULATOR_BULKCOPY_H
