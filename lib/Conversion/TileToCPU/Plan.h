//===- Plan.h - which loops a block of tile operations becomes --*- C++ -*-===//
//
// A block is lowered to a sequence of steps in program order. Element-wise tile
// operations, loads and shape operations are no steps: they are evaluated, chunk by
// chunk, inside the steps that need them. A value that several steps need, or that
// memory order forbids to evaluate late, is assigned to a scratch buffer by the first.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_CONVERSION_TILETOCPU_PLAN_H
#define TRITIUM_LIB_CONVERSION_TILETOCPU_PLAN_H

#include "tritium/Analysis/Strides.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

#include <list>
#include <memory>

namespace tritium::cpu {

/// A tile in scratch memory: row-major, the last dimension padded to whole registers.
struct Buffer {
  int64_t offset = 0; ///< bytes from the start of the scratch memory
  mlir::Type element; ///< as evaluated: f32 for narrow floats, i64 for pointers
  llvm::SmallVector<int64_t> shape;
  int64_t rowStride = 1; ///< elements between rows
};

/// One thing that a phase does for every element of its iteration space.
struct Root {
  enum Kind { Store, Atomic, Reduce, Assign, Print, Assert };
  Kind kind;
  mlir::Operation *op = nullptr; ///< null for Assign
  mlir::Value value;             ///< Assign: what is written to `buffer`
  Buffer *buffer = nullptr;      ///< Assign: where to
};

struct Step {
  enum Kind {
    Scalar, ///< one operation on scalars
    Phase,  ///< one loop nest over `shape`, vectorised along `lanesDim`
    Region, ///< scf.for, scf.if, scf.while
    Dot,
  };
  Kind kind;
  mlir::Operation *op = nullptr; ///< Scalar, Region, Dot
  llvm::SmallVector<int64_t> shape;
  int64_t lanesDim = 0;
  int64_t reduceDim = -1;  ///< Phase of reductions along a dimension that is not lanesDim
  bool transposed = false; ///< Phase of one Assign: read along lanesDim, written along the last
  /// Phase of one Assign of a load that only the first operand of a product reads, with no
  /// write in between: the product may read memory itself.
  bool mayReadDirectly = false;
  llvm::SmallVector<Root, 2> roots;
  int64_t order = 0; ///< position in the sequence
};

using StepList = std::list<Step>;

/// What the planner asks of the lowering.
class PlanContext {
public:
  virtual ~PlanContext() = default;
  /// The value is in scratch memory (or is a scalar), so it is not evaluated.
  virtual bool isStored(mlir::Value value) const = 0;
  virtual Buffer *allocate(mlir::RankedTensorType type, bool dense) = 0;
  virtual void setBuffer(mlir::Value value, Buffer *buffer) = 0;
  /// Whether two memory operations may touch the same address at different indices.
  virtual bool mayConflict(mlir::Operation *load, mlir::Operation *write) = 0;
  /// Strides::Straight: along which dimension a tile is probably contiguous.
  virtual Strides &likelyStrides() = 0;
};

/// Tile values that `op` evaluates directly: operands that are tiles, and for an
/// operation with regions the tiles that they capture.
void forEachTileOperand(mlir::Operation *op, llvm::function_ref<void(mlir::Value)> fn);

/// The tile is computed where it is needed, not by a step of its own.
bool isVirtual(mlir::Value value);

/// Plans `block`. `results` are extra roots at its end (the values that a terminator
/// yields, with the buffers they go to).
StepList planBlock(mlir::Block &block, llvm::ArrayRef<Root> results, PlanContext &context);

/// The dimension along which the loads of `value` are contiguous; the last one with
/// more than one element where that is unknown.
int64_t preferredDim(mlir::Value value, Strides &likely);

/// Neighbours along `dim` of a tile of pointers are neighbours in memory, as far as `strides`
/// tells.
bool isContiguous(mlir::Value pointers, int64_t dim, Strides &strides);

} // namespace tritium::cpu

#endif // TRITIUM_LIB_CONVERSION_TILETOCPU_PLAN_H
