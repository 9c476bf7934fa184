//===- Rings.cpp - buffers that iterations take in turn -------------------===//

#include "tritium/Analysis/Rings.h"

#include "tritium/Analysis/SharedLiveness.h"

using namespace mlir;

namespace tritium::ttg {

MemDescIndexOp bufferOf(Value memory) {
  while (auto trans = memory.getDefiningOp<MemDescTransOp>())
    memory = trans.getSrc();
  return memory.getDefiningOp<MemDescIndexOp>();
}

/// How many buffers further on than the one that an iteration reads, if it is known.
static std::optional<int64_t> aheadOf(MemDescIndexOp index) {
  if (auto ahead = index.getAhead())
    return int32_t(*ahead);
  return std::nullopt;
}

bool areApart(Value first, Value second) {
  LocalAllocOp one = allocationOf(first), other = allocationOf(second);
  if (!one || !other)
    return false;
  if (one != other)
    return true;
  MemDescIndexOp a = bufferOf(first), b = bufferOf(second);
  if (!a || !b || a.getSrc() != b.getSrc() || a->getParentOp() != b->getParentOp() || !aheadOf(a) ||
      !aheadOf(b))
    return false;
  return (*aheadOf(a) - *aheadOf(b)) % a.getSrc().getType().getNumBuffers() != 0;
}

static bool isOnlyRead(Value memory) {
  return llvm::all_of(memory.getUsers(), [](Operation *user) {
    if (auto trans = dyn_cast<MemDescTransOp>(user))
      return isOnlyRead(trans);
    return isa<LocalLoadOp, AsyncReader>(user);
  });
}

/// Whether everything that writes `memory` stands behind `reader`.
static bool isWrittenBehind(Value memory, scf::ForOp loop, Operation *reader) {
  Operation *dot = loop.getBody()->findAncestorOpInBlock(*reader);
  return dot && llvm::all_of(memory.getUsers(), [&](Operation *user) {
           Operation *place = loop.getBody()->findAncestorOpInBlock(*user);
           return isa<LocalLoadOp, AsyncReader>(user) || (place && dot->isBeforeInBlock(place));
         });
}

bool hasBufferToSpare(Value memory, scf::ForOp loop, Operation *reader) {
  MemDescIndexOp index = bufferOf(memory);
  if (!index || !index.getSrc().getDefiningOp<LocalAllocOp>() || aheadOf(index) != 0 ||
      index->getParentOp() != loop)
    return false;
  int64_t buffers = index.getSrc().getType().getNumBuffers();
  return llvm::all_of(index.getSrc().getUsers(), [&](Operation *user) {
    auto other = dyn_cast<MemDescIndexOp>(user);
    if (!other)
      return false;
    if (isOnlyRead(other) || !loop->isAncestor(other))
      return true;
    auto ahead = aheadOf(other);
    return ahead && *ahead % buffers != 0 &&
           ((*ahead + 1) % buffers != 0 || isWrittenBehind(other, loop, reader));
  });
}

} // namespace tritium::ttg
