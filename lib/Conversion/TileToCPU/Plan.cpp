//===- Plan.cpp - what a kernel becomes on a CPU --------------------------===//

#include "Planner.h"

#include "tritium/Analysis/Disjoint.h"
#include "tritium/Analysis/Distinct.h"
#include "tritium/Analysis/PointerBases.h"

using namespace mlir;

namespace tritium::cpu {

KernelPlan planKernel(tt::FuncOp kernel, const TargetInfo &target, const CompileOptions &options,
                      const KernelMetadata &metadata, KernelFacts &facts) {
  return Planner(kernel, target, options, metadata, facts).run();
}

KernelPlan Planner::run() {
  kernel.walk([&](tt::DotOp) { hasDot = true; });
  findStreamedStores();
  plan.steps = planBlock(kernel.getBody().front(), {});
  planNextRows();
  kernel.walk([&](Operation *op) {
    auto combining = dyn_cast<tt::Combining>(op);
    if (isa<tt::MapElementwiseOp>(op) || (combining && isCombinedByCalls(combining)))
      plan.functions[op] = planBlock(op->getRegion(0).front(), {});
  });
  return std::move(plan);
}

StepList Planner::planBlock(Block &block, ArrayRef<Root> results) {
  StepList steps = BlockPlanner(block, *this).run(results);
  for (Step &step : steps)
    complete(step);
  steps.remove_if([](const Step &step) { return step.kind == Step::Phase && step.roots.empty(); });
  planEpilogues(steps);
  return steps;
}

void Planner::complete(Step &step) {
  switch (step.kind) {
  case Step::Scalar:
    return planReport(step, step.op);
  case Step::Phase:
    return completePhase(step);
  case Step::Dot:
    return planDot(step, cast<tt::DotOp>(step.op));
  case Step::Region:
    if (auto loop = dyn_cast<scf::ForOp>(step.op))
      return planFor(step, loop);
    if (auto branch = dyn_cast<scf::IfOp>(step.op))
      return planIf(step, branch);
    if (auto loop = dyn_cast<scf::WhileOp>(step.op))
      return planWhile(step, loop);
  }
}

void Planner::assign(StepList &steps, Value value, Buffer *buffer) {
  auto type = cast<RankedTensorType>(value.getType());
  Step step(Step::Phase);
  step.shape.assign(type.getShape().begin(), type.getShape().end());
  step.lanesDim = preferredDim(value, facts.likely);
  step.transposed = isTransposed(type, step.lanesDim);
  step.roots.push_back({Root::Assign, nullptr, value, buffer});
  complete(step);
  if (!step.roots.empty())
    steps.push_back(std::move(step));
}

/// What a print or an assertion, if `op` is one, hands to the host in scratch memory: the
/// program, then for a print each argument and its extents, for an assertion the extents.
void Planner::planReport(Step &step, Operation *op) {
  Type i32 = IntegerType::get(op->getContext(), 32), i64 = IntegerType::get(op->getContext(), 64);
  auto add = [&](ArrayRef<int64_t> shape, Type element) {
    step.scratch.push_back(allocate(shape, element, /*dense=*/true));
  };
  if (auto check = dyn_cast<tt::AssertOp>(op)) {
    if (!options.keepsAsserts())
      return;
    add({4}, i32);
    add({std::max<int64_t>(check.getShape().size(), 1)}, i64);
  }
  auto print = dyn_cast<tt::PrintOp>(op);
  if (!print)
    return;
  add({4}, i32);
  for (Value argument : print.getArgs()) {
    if (auto type = dyn_cast<RankedTensorType>(argument.getType())) {
      step.scratch.push_back(allocate(type, /*dense=*/true));
      assign(step.before, argument, step.scratch.back());
    } else {
      add({1}, evalType(argument.getType()));
    }
    add({4}, i64);
  }
  if (print.getArgs().empty())
    add({4}, i64);
}

//===----------------------------------------------------------------------===//
// Scratch memory
//===----------------------------------------------------------------------===//

/// From so many rows on that are a multiple of so many bytes apart, they are put a line further
/// apart.
constexpr int64_t kManyRows = 4, kCompetingBytes = 512;

Buffer *Planner::allocate(RankedTensorType type, bool dense) {
  return allocate(type.getShape(), evalType(type.getElementType()), dense);
}

Buffer *Planner::allocate(ArrayRef<int64_t> shape, Type element, bool dense) {
  if (element.isInteger(1))
    element = IntegerType::get(element.getContext(), 8);
  Buffer buffer;
  buffer.number = plan.buffers.size();
  buffer.element = element;
  buffer.shape.assign(shape.begin(), shape.end());
  int64_t bytes = tt::scalarBytes(element);
  int64_t registerLanes = target.vectorBits / 8 / bytes;
  buffer.rowStride = shape.back();
  // Rows of one register and more are padded, so that whole registers can be moved.
  int64_t rows = 1;
  for (int64_t d : shape.drop_back())
    rows *= d;
  if (!dense) {
    buffer.rowStride = llvm::alignTo(shape.back(), registerLanes);
    // Products read and write columns of rows, and phases some, too: such rows would have to do
    // with eight sets of the first-level cache, or fewer.
    if (rows >= kManyRows && buffer.rowStride * bytes % kCompetingBytes == 0)
      buffer.rowStride += kCacheLine / bytes;
  }
  buffer.bytes = buffer.rowStride * bytes * rows;
  buffer.offset = plan.scratchBytes;
  // One line of the cache more: the last register of an unpadded row may reach over its end, and
  // a histogram counts there what falls into no bin.
  plan.scratchBytes += llvm::alignTo(buffer.bytes, kCacheLine) + kCacheLine;
  plan.buffers.push_back(buffer);
  return &plan.buffers.back();
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

bool Planner::mayConflict(Operation *load, Operation *write) {
  Value x = load->getOperand(0), y = write->getOperand(0);
  // Every element reads and writes an address of its own.
  if (x == y && isa<tt::StoreOp>(write) && distinctAddresses(x, facts.strides))
    return false;
  if (!(options.mayAlias || mayShareBase(x, y)))
    return false;
  auto [apart, isNew] = areApart.try_emplace({x, y}, false);
  if (isNew)
    apart->second = neverMeet(load, write, /*earlier=*/false);
  return !apart->second;
}

/// Evaluating `value` takes arithmetic only: no memory is read, also where the index is outside
/// of the tile. (On what lies there, a function of elements might not end.)
bool Planner::isArithmetic(Value value, int depth) const {
  constexpr int maxDepth = 16;
  if (!isa<RankedTensorType>(value.getType()))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || isStored(value) || !isVirtual(value) || isa<tt::LoadOp, tt::MapElementwiseOp>(op) ||
      depth > maxDepth || llvm::any_of(op->getOpOperands(), tt::isReadAnywhere))
    return false;
  return llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isArithmetic(operand, depth + 1); });
}

bool Planner::isCheapToDecode(Type element) const {
  return storageType(element) == evalType(element) || element.isBF16() ||
         (element.isF16() && target.hasF16C);
}

} // namespace tritium::cpu
