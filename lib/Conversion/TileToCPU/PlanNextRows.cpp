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
// hides a part of the row. In the same way it asks for the lines that this program stores in a
// later pass, which would have to wait for them (measured on Intel's cores alone). Passes that
// compute little are as fast as memory, which more to do at once makes slower.
//
//===----------------------------------------------------------------------===//

#include "Planner.h"

using namespace mlir;

namespace tritium::cpu {

/// Longer rows would not be kept until they are read.
constexpr int64_t kMostBytes = 256 * 1024;
constexpr int64_t kLeastBytes = 1024;
/// Longer results are slower for it, as measured.
constexpr int64_t kMostStoredBytes = 4096;

/// A row of this shape, known to be one run of memory.
static bool isWholeRow(Value pointers, ArrayRef<int64_t> shape, int64_t mostBytes,
                       Strides &strides) {
  auto type = dyn_cast<RankedTensorType>(pointers.getType());
  if (!type || type.getShape() != shape)
    return false;
  int64_t bytes = type.getNumElements() * int64_t(tt::scalarBytes(pointeeOf(pointers)));
  int64_t dim = llvm::max_element(shape) - shape.begin();
  return shape[dim] == type.getNumElements() && bytes >= kLeastBytes && bytes <= mostBytes &&
         isContiguous(pointers, dim, strides);
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
  ArrayRef<int64_t> shape = heavy->shape;
  for (auto load : body.getOps<tt::LoadOp>()) {
    llvm::SetVector<Operation *> ops;
    if (load.getIsVolatile() || !isWholeRow(load.getPtr(), shape, kMostBytes, facts.strides) ||
        !isArithmetic(load.getPtr()) || !collectScalars(load.getPtr(), ops))
      continue;
    NextRow next{load, movingOps(ops.getArrayRef())};
    if (!next.moving.empty())
      heavy->nextRows.push_back(std::move(next));
  }
  if (!target.hasLargeFirstCache)
    return;
  for (auto step = heavy.base(); step != plan.steps.end(); ++step)
    for (const Root &root : step->roots) {
      llvm::SetVector<Operation *> ops;
      auto store = root.kind == Root::Store ? cast<tt::StoreOp>(root.op) : tt::StoreOp();
      if (store && isWholeRow(store.getPtr(), shape, kMostStoredBytes, facts.strides) &&
          !plan.streamedStores.contains(store) && isArithmetic(store.getPtr()) &&
          collectScalars(store.getPtr(), ops))
        heavy->nextRows.push_back({store, llvm::to_vector(ops)});
    }
}

} // namespace tritium::cpu
