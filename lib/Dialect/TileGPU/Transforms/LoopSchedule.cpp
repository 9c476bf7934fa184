//===- LoopSchedule.cpp - which part of a loop runs ahead -----------------===//

#include "LoopSchedule.h"

#include "tritium/Analysis/OuterSlice.h"
#include "tritium/Dialect/TileGPU/IR/TileOffsets.h"
#include "tritium/Dialect/TileNVGPU/IR/Boxes.h"
#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"

using namespace mlir;

namespace tritium::ttg {

int32_t stageOf(Operation *op) { return op->getAttrOfType<ScheduleAttr>(kSchedule).getStage(); }

int32_t orderInTurn(Operation *op) { return op->getAttrOfType<ScheduleAttr>(kSchedule).getOrder(); }

/// What says which elements a copy brings.
static SmallVector<Value> placeOf(Operation *load) {
  SmallVector<Value> place;
  for (Value operand : load->getOperands())
    if (auto plain = dyn_cast<tt::LoadOp>(load); !plain || operand != plain.getOther())
      place.push_back(operand);
  return place;
}

static bool isCopy(Operation *op) { return op->hasAttr(kAsyncCopy); }

/// Loads into registers, of numbers of pages, say.
static bool isPlainLoad(Operation *op) {
  auto load = dyn_cast<tt::LoadOp>(op);
  return load && !isCopy(op) && !load.getIsVolatile();
}

bool LoopSlice::add(Value value, llvm::function_ref<bool(Operation *)> canAdd) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != loop.getBody() || argument == loop.getInductionVar() ||
        !carried.insert(argument.getArgNumber() - 1))
      return true;
    return add(loop.getYieldedValues()[argument.getArgNumber() - 1], canAdd);
  }
  Operation *op = value.getDefiningOp();
  if (op->getBlock() != loop.getBody() || operations.contains(op))
    return true;
  if (!canAdd(op))
    return false;
  operations.insert(op);
  return llvm::all_of(op->getOperands(), [&](Value operand) { return add(operand, canAdd); });
}

LogicalResult checkBuffer(Operation *load, MemDescType buffer) {
  std::optional<ttng::Boxes> boxes = ttng::boxesOf(buffer);
  if (boxes && buffer.getTileBytes() % boxes->alignment == 0)
    return success();
  return load->emitError() << kAsyncCopy
                           << " of a box must be a layout that TMA has, of a multiple of "
                           << (boxes ? boxes->alignment : 128) << " bytes, found " << buffer;
}

bool LoopSchedule::Copy::isOfBox() const { return isa<ttng::LoadBoxOp>(load); }

int64_t LoopSchedule::bytesOfBoxes() const {
  int64_t bytes = 0;
  for (const Copy &copy : copies)
    bytes += copy.isOfBox() ? copy.ring.getTileBytes() : 0;
  return bytes;
}

bool LoopSchedule::canCount(scf::ForOp loop) {
  auto type = dyn_cast<IntegerType>(loop.getInductionVar().getType());
  return type && type.getWidth() <= 64;
}

LogicalResult LoopSchedule::read() {
  if (failed(readStages()))
    return failure();
  for (Operation &op : loop.getBody()->without_terminator())
    if (failed(checkStage(&op)) || (isCopy(&op) && failed(readCopy(&op))))
      return failure();
  if (failed(checkBytes()) || failed(readSlice()) || failed(checkOrders()) || failed(checkMemory()))
    return failure();
  for (Operation &op : loop.getBody()->without_terminator())
    if (stageOf(&op) == 0)
      ahead.push_back(&op);
  llvm::sort(ahead, [](Operation *a, Operation *b) {
    int32_t first = orderInTurn(a), second = orderInTurn(b);
    return first == second ? a->isBeforeInBlock(b) : first < second;
  });
  return readOuter();
}

LogicalResult LoopSchedule::readOuter() {
  if (!loop->hasAttr(kAcross))
    return success();
  auto around = dyn_cast<scf::ForOp>(loop->getParentOp());
  bool areBoxes = llvm::all_of(copies, [](const Copy &copy) { return copy.isOfBox(); }) &&
                  llvm::none_of(ahead, isPlainLoad);
  auto slice =
      around && areBoxes && canCount(around) ? tritium::outerSlice(loop, ahead) : std::nullopt;
  if (!slice)
    return loop->emitError() << kAcross
                             << " is for a loop right in an scf.for whose copies, all by "
                                "TMA, depend on no more of it than its index, and on no load";
  outer = around;
  outerSlice = std::move(*slice);
  return success();
}

LogicalResult LoopSchedule::readStages() {
  Attribute found = loop->getAttr(kStages);
  auto given = dyn_cast<IntegerAttr>(found);
  if (!given || !given.getType().isSignlessInteger(32) || given.getInt() < 2)
    return loop->emitError() << kStages << " must be an i32 of at least 2, found " << found
                             << "; a loop that is not pipelined has none";
  stages = buffers = given.getInt();
  if (Attribute more = loop->getAttr(kBuffers)) {
    auto number = dyn_cast<IntegerAttr>(more);
    if (!number || !number.getType().isSignlessInteger(32) || number.getInt() < stages)
      return loop->emitError() << kBuffers << " must be an i32 of at least as many as " << kStages
                               << ", found " << more;
    buffers = number.getInt();
  }
  if (!canCount(loop))
    return loop->emitError() << "a loop with " << kStages
                             << " must count in an integer of at most 64 bits, found "
                             << loop.getInductionVar().getType();
  return success();
}

LogicalResult LoopSchedule::checkStage(Operation *op) {
  if (!isa_and_present<ScheduleAttr>(op->getAttr(kSchedule)))
    return op->emitError() << "the loop around this has " << kStages << ", and " << op->getName()
                           << " no " << kSchedule
                           << "; every operation of the loop needs a stage and an order";
  int64_t stage = stageOf(op);
  if (stage >= stages)
    return op->emitError() << "stage " << stage << " is out of range: the loop has " << stages
                           << " stages, 0 to " << last();
  if (stage != 0 && stage != last())
    return op->emitError() << "found stage " << stage
                           << ", but loads and their addresses run ahead in stage 0, and "
                              "everything else is in the last stage, "
                           << last();
  if (isCopy(op) && (stage != 0 || !isa<tt::LoadOp, ttng::LoadBoxOp>(op)))
    return op->emitError() << kAsyncCopy << " is for a load of a tile in stage 0, found "
                           << op->getName() << " in stage " << stage;
  if (stage == 0 && !isCopy(op) && !isPlainLoad(op) &&
      (op->getNumRegions() || !isMemoryEffectFree(op)))
    return op->emitError() << op->getName()
                           << " accesses memory or has regions, and would run ahead of earlier "
                              "iterations in stage 0; put it into stage "
                           << last()
                           << (isa<ttng::LoadBoxOp>(op) ? ", or make it an asynchronous copy" : "");
  return success();
}

LogicalResult LoopSchedule::readCopy(Operation *op) {
  auto load = dyn_cast<tt::LoadOp>(op);
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || (load && load.getIsVolatile()))
    return op->emitError() << "an asynchronous copy brings a tile that nothing else changes, found "
                           << (type ? "a volatile load" : "a load of a scalar")
                           << "; put it into stage " << last() << " without " << kAsyncCopy;
  Attribute encoding = op->getAttr(kAsyncCopy);
  auto layout = dyn_cast<MemoryLayout>(encoding);
  if (!layout || layout.getMemoryRank() != type.getRank())
    return op->emitError() << kAsyncCopy << " must be a layout of memory of rank " << type.getRank()
                           << ", found " << encoding;
  SmallVector<int64_t> shape{buffers};
  llvm::append_range(shape, type.getShape());
  auto ring = MemDescType::getChecked([&] { return op->emitError(); }, op->getContext(),
                                      ArrayRef<int64_t>(shape), type.getElementType(), encoding,
                                      MemorySpace::Shared, /*isMutable=*/true);
  if (!ring)
    return failure();
  MemDescType buffer = ring.getBuffer();
  if (!isWholePanels(buffer) || !coversPanels(type, buffer))
    return op->emitError()
           << kAsyncCopy
           << " must be a layout of whole panels, each of which is as many elements "
              "of threads, found "
           << encoding << " for " << type;
  copies.push_back({op, ring});
  const Copy &copy = copies.back();
  return copy.isOfBox() ? checkBuffer(copy.load, copy.ring.getBuffer()) : success();
}

LogicalResult LoopSchedule::checkBytes() {
  if (copies.empty())
    return loop->emitError() << "no load of the loop has " << kAsyncCopy
                             << ", so that nothing runs ahead; remove " << kStages;
  int64_t bytes = 0;
  for (const Copy &copy : copies)
    bytes += copy.ring.getTileBytes();
  int64_t most = gpuModel(loop).sharedBytes;
  if (buffers <= most / bytes)
    return success();
  return loop->emitError() << buffers << (buffers == stages ? " stages of " : " buffers of ")
                           << bytes << " bytes are more than the " << most
                           << " of shared memory that this GPU has; at most " << most / bytes
                           << " fit";
}

/// What copies depend on is in stage 0, and nothing else.
LogicalResult LoopSchedule::readSlice() {
  auto isAhead = [&](Operation *op) {
    if (stageOf(op) != 0)
      op->emitError() << "the address or mask of an asynchronous copy in stage 0 depends on "
                      << op->getName() << " in stage " << stageOf(op)
                      << "; put it into stage 0, too";
    else if (isCopy(op))
      op->emitError() << "the address or mask of an asynchronous copy depends on what this one "
                         "brings in the same stage; put the other into stage "
                      << last() << " without " << kAsyncCopy;
    return stageOf(op) == 0 && !isCopy(op);
  };
  for (const Copy &copy : copies)
    for (Value operand : placeOf(copy.load))
      if (!slice.add(operand, isAhead))
        return failure();
  for (Operation &op : loop.getBody()->without_terminator())
    if (stageOf(&op) == 0 && !isCopy(&op) && !slice.operations.contains(&op))
      return op.emitError() << "no asynchronous copy depends on " << op.getName()
                            << ", which need not run ahead; put it into stage " << last();
  return success();
}

LogicalResult LoopSchedule::checkOrders() {
  int32_t reached = 0;
  for (Operation &op : loop.getBody()->without_terminator()) {
    int32_t order = orderInTurn(&op);
    if (stageOf(&op) != 0) {
      if (order < reached)
        return op.emitError() << "order " << order << " comes before the order " << reached
                              << " of an operation in front of this; the last stage keeps the "
                                 "loop's order";
      reached = order;
      continue;
    }
    for (Value operand : op.getOperands())
      if (Operation *def = operand.getDefiningOp())
        if (slice.operations.contains(def) && order < orderInTurn(def))
          return op.emitError() << "order " << order << " comes before the order "
                                << orderInTurn(def) << " of " << def->getName()
                                << " in the same stage, which it depends on";
  }
  return success();
}

LogicalResult LoopSchedule::checkMemory() {
  bool overtakes = loop->getParentOfType<tt::FuncOp>()->hasAttr(kOvertakes);
  WalkResult result = loop->walk([&](Operation *op) {
    if (isa<AsyncCopyGlobalToLocalOp, AsyncCommitGroupOp, AsyncWaitOp>(op)) {
      op->emitError() << "a loop with " << kStages
                      << " counts its groups of asynchronous copies, and can have no "
                      << op->getName() << " of its own; remove " << kStages;
      return WalkResult::interrupt();
    }
    if (isa<tt::StoreOp>(op) && !overtakes) {
      op->emitError() << "copies for later iterations start before this store, and must not read "
                         "what it writes; "
                      << kOvertakes << " on the function makes launches see to it";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

} // namespace tritium::ttg
