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

/// Op::list of a bulk copy: the address of bytes in global memory, or of a tensor map; addresses in
/// shared memory and of the mbarrier; the mask of CTAs; the coordinates of a box.
/// Op::count: dimensions of the box; 0: the copy is of a stretch of bytes. b: the bytes of a
/// stretch; e: the reduction (none: none), c: its type, if no tensor map says it.
enum CopyOperands : size_t {
  CopiesGlobal = 0,
  CopiesShared = addressWords,
  CopiesBarrier = 2 * addressWords,
  CopiesMask = 3 * addressWords,
  CopiesCoordinates
};

void invalidCopy(Warp &warp, const Op &op, unsigned lane, const std::string &message);
/// Bytes of global memory, all in one range; null after a report.
Range *findGlobal(Warp &warp, const Op &op, unsigned lane, uint64_t address, uint32_t bytes,
                  bool write);
/// The bytes of shared memory that the lane names, at an address that `align` divides; false after
/// a report.
bool findShared(Warp &warp, const Op &op, unsigned lane, uint64_t bytes, uint32_t align,
                uint32_t &offset);

/// What a lane copies, and where in shared memory it begins; false after a report.
bool readBox(Warp &warp, const Op &op, unsigned lane, bool isLoad, BulkCopy &copy,
             uint32_t &shared);
/// Whether a lane names a box at all; false after a report.
bool checkBox(Warp &warp, const Op &op, unsigned lane);

/// A copy with its segments into [offset, offset + bytes) of shared memory begins, and joins the
/// phase under way of the lane's mbarrier.
void beginLoad(Warp &warp, const Op &op, unsigned lane, uint32_t offset, BulkCopy copy);
/// A copy to global memory begins, and joins the group that the lane commits next.
void beginStore(Warp &warp, const Op &op, unsigned lane, BulkCopy copy);
/// cp.async.bulk.commit_group, and wait_group of all but the latest `keep` groups; reads: only
/// their sources have to be read.
void commitStores(Warp &warp);
void waitForStores(Warp &warp, uint64_t keep, bool reads);

/// A lane's copies without a group become its next one.
template <typename Copy> void commitGroup(std::vector<Copy> &copies, uint32_t &groups) {
  for (Copy &copy : copies)
    if (!copy.committed) {
      copy.committed = true;
      copy.group = groups;
    }
  ++groups;
}
/// The first group that stays where the latest `keep` do.
inline uint64_t firstKept(uint64_t groups, uint64_t keep) {
  return keep >= groups ? 0 : groups - keep;
}

/// Whether the reduction, as Atomic.h numbers them, exists on the type.
bool hasReduction(int reduction, ptx::Type type);

/// The tensor map at a generic address; false after a report.
bool readTensorMap(Warp &warp, const Op &op, unsigned lane, uint64_t address, TensorMap &map);
/// barrier.cluster, of which "cluster" has been taken.
bool decodeClusterBarrier(Decoder &decoder, Modifiers &m);
/// cp.async.bulk, cp.reduce.async.bulk, of which "bulk" has been taken.
bool decodeBulk(Decoder &decoder, Modifiers &m, bool reduces);

} // namespace tritium::sim

#endif // TRITIUM_SIMULATOR_BULKCOPY_H
