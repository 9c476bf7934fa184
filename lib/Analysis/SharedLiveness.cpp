//===- SharedLiveness.cpp - when shared memory is in use ------------------===//

#include "tritium/Analysis/SharedLiveness.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace tritium::ttg {

LocalAllocOp allocationOf(Value memory) {
  while (Operation *op = memory.getDefiningOp()) {
    if (auto alloc = dyn_cast<LocalAllocOp>(op))
      return alloc;
    if (!isa<MemDescIndexOp, MemDescTransOp, MemDescReshapeOp>(op))
      return {};
    memory = op->getOperand(0);
  }
  return {};
}

namespace {
/// Operations' begin and end, in program order.
class Times {
public:
  explicit Times(Operation *root) { number(root); }
  std::pair<unsigned, unsigned> of(Operation *op) const { return times.lookup(op); }
  unsigned last() const { return now; }

private:
  void number(Operation *op) {
    unsigned begin = now++;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Operation &inner : block)
          number(&inner);
    times[op] = {begin, now++};
  }

  unsigned now = 0;
  llvm::DenseMap<Operation *, std::pair<unsigned, unsigned>> times;
};

/// When copies that were started up to `op`, in its block, have arrived.
unsigned arrival(Operation *op, const Times &times) {
  for (Operation *next = op; next; next = next->getNextNode())
    if (auto wait = dyn_cast<AsyncWaitOp>(next); wait && wait.getNum() == 0)
      return times.of(next).second;
  return times.last();
}
} // namespace

SharedLiveness::SharedLiveness(tt::FuncOp kernel) {
  Times times(kernel);
  kernel.walk<WalkOrder::PreOrder>([&](LocalAllocOp alloc) {
    Operation *last = alloc;
    bool isCopied = false;
    SmallVector<Value> names{alloc.getResult()};
    while (!names.empty())
      for (Operation *user : names.pop_back_val().getUsers()) {
        Operation *here = alloc->getBlock()->findAncestorOpInBlock(*user);
        last = here && last->isBeforeInBlock(here) ? here : last;
        isCopied |= isa<AsyncCopyGlobalToLocalOp>(user);
        for (Value result : user->getResults())
          if (isa<MemDescType>(result.getType()))
            names.push_back(result);
      }
    unsigned begin = times.of(alloc).first;
    unsigned end = isCopied ? arrival(last, times) : times.of(last).second;
    // Other groups run meanwhile, somewhere.
    for (Operation *op = alloc; op != kernel; op = op->getParentOp())
      if (isa<WarpGroupsOp>(op)) {
        begin = times.of(op).first;
        end = std::max(end, times.of(op).second);
      }
    all.push_back({alloc, begin, end});
  });
}

/// What comes through results of branches and carried values of loops is not followed.
static LogicalResult checkOrigins(tt::FuncOp kernel) {
  WalkResult result = kernel.walk([](Operation *op) {
    for (Value operand : op->getOperands())
      if (isa<MemDescType>(operand.getType()) &&
          (!allocationOf(operand) || op->hasTrait<OpTrait::IsTerminator>() ||
           isa<LoopLikeOpInterface>(op))) {
        op->emitError() << "'" << op->getName()
                        << "' takes memory of which it is not known where it was allocated; use "
                           "the allocation, or views of it, by name: memory passes neither through "
                           "results of branches nor is it carried by loops";
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult checkPlaces(tt::FuncOp kernel) {
  if (failed(checkOrigins(kernel)))
    return failure();
  SharedLiveness liveness(kernel);
  auto endOf = [](LocalAllocOp alloc) { return uint64_t(*alloc.getOffset()) + alloc.getBytes(); };
  for (auto [i, one] : llvm::enumerate(liveness.lifetimes())) {
    LocalAllocOp alloc = one.alloc;
    if (!alloc.getOffset())
      return alloc.emitError() << "the allocation has no place in shared memory; run "
                                  "ttg-allocate-shared-memory first";
    for (const SharedLiveness::Lifetime &before : liveness.lifetimes().take_front(i)) {
      LocalAllocOp other = before.alloc;
      if (!one.meets(before) || *alloc.getOffset() >= endOf(other) ||
          *other.getOffset() >= endOf(alloc))
        continue;
      InFlightDiagnostic diagnostic =
          alloc.emitError() << "shared memory [" << *alloc.getOffset() << ", " << endOf(alloc)
                            << ") is in use by another allocation at the same time; leave the "
                               "offsets to ttg-allocate-shared-memory";
      diagnostic.attachNote(other.getLoc())
          << "which has [" << *other.getOffset() << ", " << endOf(other) << ")";
      return diagnostic;
    }
  }
  return success();
}

LogicalResult checkFits(tt::FuncOp kernel) {
  const GPUModel &gpu = gpuModel(kernel);
  WalkResult fits = kernel.walk([&](LocalAllocOp alloc) {
    uint64_t end = alloc.getOffset().value_or(0) + alloc.getBytes();
    if (end <= uint64_t(gpu.sharedBytes))
      return WalkResult::advance();
    alloc.emitError() << "the allocation ends at byte " << end
                      << " of shared memory, of which compute capability " << gpu.capability / 10
                      << "." << gpu.capability % 10 << " has " << gpu.sharedBytes
                      << "; use smaller tiles or fewer stages";
    return WalkResult::interrupt();
  });
  return failure(fits.wasInterrupted());
}

uint64_t sharedBytes(tt::FuncOp kernel) {
  uint64_t bytes = 0;
  kernel.walk([&](LocalAllocOp alloc) {
    bytes = std::max<uint64_t>(bytes, alloc.getOffset().value_or(0) + alloc.getBytes());
  });
  return llvm::alignTo(bytes, kSharedAlignment);
}

} // namespace tritium::ttg
