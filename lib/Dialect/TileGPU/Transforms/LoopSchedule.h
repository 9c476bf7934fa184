//===- LoopSchedule.h - which part of a loop runs ahead ---------*- C++ -*-===//

#ifndef TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_LOOPSCHEDULE_H
#define TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_LOOPSCHEDULE_H

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

#include "llvm/ADT/SetVector.h"

namespace tritium::ttg {

/// Operations of a loop's body that values depend on, in this iteration and those before, and the
/// loop-carried values among them.
class LoopSlice {
public:
  explicit LoopSlice(mlir::scf::ForOp loop) : loop(loop) {}

  /// Adds what `value` depends on. False at the first operation that `canAdd` refuses.
  bool add(mlir::Value value, llvm::function_ref<bool(mlir::Operation *)> canAdd);

  llvm::SmallSetVector<unsigned, 4> carried; ///< numbers of iter args
  llvm::SmallPtrSet<mlir::Operation *, 16> operations;

private:
  mlir::scf::ForOp loop;
};

/// Whether TMA can write what `load`, a ttng.load_box, reads into `buffer`; an error there if not.
llvm::LogicalResult checkBuffer(mlir::Operation *load, MemDescType buffer);

/// The schedule of a loop, as its attributes say it; see ExpandPipeline.cpp.
class LoopSchedule {
public:
  /// A load that becomes an asynchronous copy: a tt.load by threads, a ttng.load_box by TMA.
  struct Copy {
    mlir::Operation *load;
    MemDescType ring;

    bool isOfBox() const;
  };

  /// Whether iterations of a loop can be counted ahead, in 64 bits.
  static bool canCount(mlir::scf::ForOp loop);

  explicit LoopSchedule(mlir::scf::ForOp loop) : slice(loop), loop(loop) {}

  /// Reads the attributes. An error stands at the operation for which they cannot be followed.
  llvm::LogicalResult read();

  int64_t bytesOfBoxes() const; ///< that TMA brings in an iteration

  int64_t stages = 0;
  int64_t buffers = 0;                        ///< of each ring, at least as many as stages
  llvm::SmallVector<Copy> copies;             ///< in the loop's order
  LoopSlice slice;                            ///< what they depend on
  llvm::SmallVector<mlir::Operation *> ahead; ///< the first stage, in the order of a turn
  /// The loop whose next iteration's copies start when this one is over, if any, and what of its
  /// body they depend on.
  mlir::scf::ForOp outer;
  llvm::SmallVector<mlir::Operation *> outerSlice;

private:
  int64_t last() const { return stages - 1; }
  llvm::LogicalResult readStages();
  llvm::LogicalResult checkStage(mlir::Operation *op);
  llvm::LogicalResult readCopy(mlir::Operation *op);
  llvm::LogicalResult checkBytes();
  llvm::LogicalResult readSlice();
  llvm::LogicalResult checkOrders();
  llvm::LogicalResult checkMemory();
  llvm::LogicalResult readOuter();

  mlir::scf::ForOp loop;
};

/// The stage and the order of an operation of a loop whose schedule has been read.
int32_t stageOf(mlir::Operation *op);
int32_t orderInTurn(mlir::Operation *op);

} // namespace tritium::ttg

#endif // TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_LOOPSCHEDULE_H
