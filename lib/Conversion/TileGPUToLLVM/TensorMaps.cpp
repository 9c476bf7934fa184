//===- TensorMaps.cpp - the tensors of a kernel's copies ------------------===//
//
//   ttng.tma_load %p[%i, %j] shape [%m, %n] strides [%s, %c1], %tile, ...
//
// of arguments %p, %m, %n, %s and a tile of 128x64 f16 in rows of 128 bytes with exchanges needs
//
//   elementBytes 2, swizzle 128, box {64, 128}, base 0, shape {[arg 2], [arg 1]}, strides {[arg 3]}
//
// which the launch turns into a tensor map (Kernel/TensorMapParameter.h).
//
//===----------------------------------------------------------------------===//

#include "TensorCopies.h"

#include "tritium/Analysis/LaunchSteps.h"
#include "tritium/Analysis/SharedLiveness.h"
#include "tritium/Dialect/TileNVGPU/IR/Boxes.h"
#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"
#include "tritium/Support/EmitRemark.h"

using namespace mlir;

namespace tritium::ttg {

LogicalResult checkTensorCopies(Operation *op) {
  const GPUModel &gpu = gpuModel(op);
  if (gpu.hasTensorCopies)
    return success();
  return op->emitError() << "'" << op->getName() << "' begins with compute capability 9.0, and the "
                         << "module is for " << gpu.capability / 10 << "." << gpu.capability % 10
                         << "; go on from tile IR (.ttir)";
}

namespace {
/// What a load and a store have in common.
struct TensorCopy {
  Operation *op;
  Value base;
  OperandRange shape, strides;
  TypedValue<MemDescType> memory;
  bool roundsToTF32 = false;
  int64_t warps = 1; ///< that each copy rows of their own
};

std::optional<TensorCopy> copyOf(Operation *op) {
  if (auto load = dyn_cast<ttng::TMALoadOp>(op))
    return TensorCopy{op,
                      load.getBase(),
                      load.getShape(),
                      load.getStrides(),
                      load.getDst(),
                      load.getRoundsToTF32()};
  if (auto store = dyn_cast<ttng::TMAStoreOp>(op))
    return TensorCopy{op,
                      store.getBase(),
                      store.getShape(),
                      store.getStrides(),
                      store.getSrc(),
                      /*roundsToTF32=*/false,
                      store.getByWarp() ? numWarps(op) : 1};
  return std::nullopt;
}

LogicalResult refuse(Operation *op, StringRef what, Value found) {
  InFlightDiagnostic error = op->emitError()
                             << what << " of '" << op->getName()
                             << "' must be known when the kernel is launched: an argument, a "
                                "constant, or arithmetic of them";
  if (Operation *definition = found.getDefiningOp())
    error.attachNote(definition->getLoc()) << "it is made by '" << definition->getName() << "'";
  return error;
}

/// Every program has the same number, which arguments and the grid decide.
std::optional<std::vector<ScalarStep>> stepsOf(Value value) {
  LaunchSteps steps;
  return steps.add(value) && steps.isUniform() ? std::optional(steps.get()) : std::nullopt;
}

LogicalResult addBase(const TensorCopy &copy, TensorMapParameter &map) {
  Value base = copy.base;
  while (auto moved = base.getDefiningOp<tt::AddPtrOp>()) {
    auto steps = stepsOf(moved.getOffset());
    if (!steps)
      return refuse(copy.op, "the base", moved.getOffset());
    bool isFirst = map.start.empty();
    map.start.insert(map.start.end(), steps->begin(), steps->end());
    if (!isFirst)
      map.start.push_back({ScalarStep::Sum, 64, 0});
    base = moved.getPtr();
  }
  auto argument = dyn_cast<BlockArgument>(base);
  if (!argument || !isa<tt::FuncOp>(argument.getOwner()->getParentOp()))
    return refuse(copy.op, "the base", base);
  map.base = argument.getArgNumber();
  return success();
}

/// Panels and buffers lie where the swizzle, which counts from address 0, begins anew.
LogicalResult checkPlace(const TensorCopy &copy, const ttng::Boxes &boxes) {
  LocalAllocOp alloc = allocationOf(copy.memory);
  int64_t step = alloc.getType().getNumBuffers() > 1 ? alloc.getType().getTileBytes() : 0;
  // Offsets are multiples of it.
  if (alloc.getLeastAlignment() % boxes.alignment == 0 && step % boxes.alignment == 0)
    return success();
  InFlightDiagnostic error = copy.op->emitError()
                             << "'" << copy.op->getName() << "' of a tile like "
                             << copy.memory.getType() << " needs memory at multiples of "
                             << boxes.alignment
                             << " bytes; give its allocation {alignment = " << boxes.alignment
                             << " : i32}, and buffers that are multiples of it";
  error.attachNote(alloc.getLoc()) << "allocated here";
  return error;
}

LogicalResult planMap(const TensorCopy &copy, TensorMapParameter &map) {
  MemDescType memory = copy.memory.getType();
  std::optional<ttng::Boxes> boxes = ttng::boxesOf(memory); // which the verifier has seen
  if (failed(checkTensorCopies(copy.op)) || failed(checkPlace(copy, *boxes)) ||
      failed(addBase(copy, map)))
    return failure();
  map.elementBytes = tt::scalarBytes(memory.getElementType());
  map.roundsToTF32 = copy.roundsToTF32;
  map.swizzle = boxes->swizzle;
  map.box.assign(boxes->shape.rbegin(), boxes->shape.rend());
  if (copy.warps > 1)
    map.box[1] /= copy.warps;
  map.box.resize(copy.shape.size(), 1);
  for (Value extent : llvm::reverse(copy.shape)) {
    auto steps = stepsOf(extent);
    if (!steps)
      return refuse(copy.op, "the shape", extent);
    map.shape.push_back(std::move(*steps));
  }
  for (Value stride : llvm::reverse(copy.strides.drop_back())) {
    auto steps = stepsOf(stride);
    if (!steps)
      return refuse(copy.op, "a stride", stride);
    map.strides.push_back(std::move(*steps));
  }
  return success();
}
} // namespace

LogicalResult checkNoneIsLeft(tt::FuncOp kernel) {
  tt::AssertOp assertion;
  bool hasLoads = false;
  kernel.walk([&](Operation *op) {
    hasLoads |= isa<ttng::TMALoadOp>(op);
    assertion = assertion ? assertion : dyn_cast<tt::AssertOp>(op);
  });
  if (!hasLoads || !assertion)
    return success();
  return assertion.emitError() << "an assertion that fails ends its program while copies by "
                                  "'ttng.tma_load' may be on their way to memory that the next "
                                  "program gets; leave one of the two out";
}

FailureOr<TensorMaps> planTensorMaps(tt::FuncOp kernel) {
  TensorMaps maps;
  WalkResult result = kernel.walk([&](Operation *op) {
    std::optional<TensorCopy> copy = copyOf(op);
    if (!copy)
      return WalkResult::advance();
    TensorMapParameter map;
    if (failed(planMap(*copy, map)))
      return WalkResult::interrupt();
    auto known = llvm::find(maps.parameters, map);
    size_t number = maps.ofCopy[op] = known - maps.parameters.begin();
    if (known == maps.parameters.end()) {
      maps.parameters.push_back(std::move(map));
      maps.places.emplace_back();
    }
    maps.places[number].insert(placeText(op->getLoc()));
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return maps;
}

} // namespace tritium::ttg
