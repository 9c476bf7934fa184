//===- PlanNextRows.cpp - which rows are asked for before their program ---===//
//
//   %id = program_id x;  %row = load(P(%id));  .. reduce, exp, reduce, divide ..
//
// When a program begins it waits for its row; meanwhile nothing is computed. So the last pass that
// computes much asks for the row of the next program, P(%id + 1), line by line:
//
//   for %i in row { ask for P(%id + 1)[%i];  .. exp(%row[%i] - ..) .. }
//
// The addresses only fetch, so it does no harm that the last program has no next, or that a mask
// hides a part of the row. Passes that compute little are as fast as memory, which more to do at
// once makes slower.
//
//===----------------------------------------------------------------------===//

#include "Planner.h"

using namespace mlir;

namespace tritium::cpu {

/// Longer rows would not be kept until they are read.
constexpr int64_t kMostBytes = 256 * 1024;
constexpr int64_t kLeastBytes = 1024;

/// A row that the whole kernel loads, known to be one run of memory.
static bool isWholeRow(tt::LoadOp load, Block &body, Strides &strides) {
  auto type = dyn_cast<RankedTensorType>(load.getPtr().getType());
  if (!type || load->getBlock() != &body || load.getIsVolatile())
    return false;
  int64_t bytes = type.getNumElements() * int64_t(tt::scalarBytes(pointeeOf(load.getPtr())));
  int64_t dim = llvm::max_element(type.getShape()) - type.getShape().begin();
  return type.getDimSize(dim) == type.getNumElements() && bytes >= kLeastBytes &&
         bytes <= kMostBytes && isContiguous(load.getPtr(), dim, strides);
}

/// Adds the operations on scalars that `value` is computed by, in their order; false if some of
/// them reads memory.
static bool collectScalars(Value value, llvm::SetVector<Operation *> &ops) {
  Operation *op = value.getDefiningOp();
  if (!op || ops.contains(op))
    return true;
  bool isTile = isa<RankedTensorType>(value.getType());
  if (op->getNumRegions() || (!isTile && !isMemoryEffectFree(op)) ||
      !llvm::all_of(op->getOperands(), [&](Value v) { return collectScalars(v, ops); }))
    return false;
  if (!isTile)
    ops.insert(op);
  return true;
}

/// What changes of it from one program to the next along x.
static SmallVector<Operation *> movingOps(ArrayRef<Operation *> ops) {
  llvm::SmallPtrSet<Operation *, 8> moving;
  for (Operation *op : ops) {
    auto id = dyn_cast<tt::GetProgramIdOp>(op);
    if ((id && id.getAxis() == 0) || llvm::any_of(op->getOperands(), [&](Value v) {
          return moving.contains(v.getDefiningOp());
        }))
      moving.insert(op);
  }
  return llvm::to_vector(
      llvm::make_filter_range(ops, [&](Operation *op) { return moving.contains(op); }));
}

void Planner::planNextRows() {
  Block &body = kernel.getBody().front();
  auto heavy = llvm::find_if(llvm::reverse(plan.steps), [](const Step &step) {
    return step.kind == Step::Phase && !step.versions.empty() && !step.isPlain && step.isRow();
  });
  if (hasDot || heavy == plan.steps.rend() || heavy->versions.front().width == 1)
    return;
  auto shape = heavy->shape;
  for (auto load : body.getOps<tt::LoadOp>()) {
    llvm::SetVector<Operation *> ops;
    if (!isWholeRow(load, body, facts.strides) || tt::shapeOf(load.getType()) != ArrayRef(shape) ||
        !isArithmetic(load.getPtr()) || !collectScalars(load.getPtr(), ops))
      continue;
    NextRow next{load, movingOps(ops.getArrayRef())};
    if (!next.moving.empty())
      heavy->nextRows.push_back(std::move(next));
  }
}

} // namespace tritium::cpu
