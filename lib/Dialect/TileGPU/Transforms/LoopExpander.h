//===- LoopExpander.h - a loop as its schedule says -------------*- C++ -*-===//

#ifndef TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_LOOPEXPANDER_H
#define TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_LOOPEXPANDER_H

#include "LoopSchedule.h"

#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"

#include "mlir/IR/IRMapping.h"

namespace tritium::ttg {

/// Makes a loop the pipeline that ExpandPipeline.cpp describes.
class LoopExpander {
public:
  LoopExpander(mlir::scf::ForOp loop, const LoopSchedule &schedule)
      : schedule(schedule), loop(loop), loc(loop.getLoc()), b(loop) {}

  void run();

private:
  /// An iteration whose first stage is being emitted.
  struct Ahead {
    mlir::IRMapping mapping;
    mlir::Value runs;                           ///< whether it exists; null: nothing is copied
    llvm::function_ref<mlir::Value()> makeSlot; ///< number of the buffer of its copies
    /// From the iteration that the copies stand in, if that is one of the loop.
    std::optional<int64_t> distance;
    unsigned started = 0; ///< copies
    mlir::Value slot = {};
    llvm::SmallVector<std::pair<ttng::LoadBoxOp, mlir::Value>> boxes = {}; ///< and their buffers
  };

  /// An operation of the loop in its own iteration, behind as many of those that run ahead.
  struct Step {
    mlir::Operation *op;
    size_t behind;
  };

  mlir::Value constant(int64_t value);
  mlir::Value wide(mlir::Value x);
  bool hasThreadCopies() const;
  mlir::Value barrierAt(mlir::Value slot, std::optional<int64_t> ahead);
  mlir::IRMapping mappingFor(const mlir::IRMapping &outside, mlir::Value index,
                             mlir::ValueRange carried);
  llvm::SmallVector<mlir::Value> carriedOn(const mlir::IRMapping &mapping);
  mlir::Value aheadMask(const Ahead &ahead, tt::LoadOp load);
  mlir::Value copyMask(const mlir::IRMapping &mapping, tt::LoadOp load, mlir::Type type,
                       mlir::Value runs);
  mlir::Value readTile(mlir::Operation *load, mlir::Type type, mlir::Value slot);

  mlir::Value slotBehind(mlir::Value slot, int64_t distance);

  void planTurn();
  void allocate();
  void runPrologue(const mlir::IRMapping &outside, mlir::Value firstSlot, bool copies);
  void createLoop(mlir::Value firstSlot, mlir::Value firstPhase);
  void expandAlone();
  void expandAcross(mlir::scf::ForOp outer);
  void startTile(mlir::scf::ForOp outer, mlir::Value index, mlir::Value exists,
                 mlir::Value firstSlot);
  void release();

  void emitAhead(mlir::Operation *op, Ahead &ahead);
  void startBoxes(Ahead &ahead);
  void emitTurn(Ahead &ahead, mlir::IRMapping &mapping, mlir::Value slot);
  void emitOwn(mlir::Operation &op, mlir::IRMapping &mapping, mlir::Value slot);

  const LoopSchedule &schedule;
  mlir::scf::ForOp loop, fresh;
  mlir::Location loc;
  mlir::OpBuilder b;
  llvm::SmallVector<Step> turn;
  llvm::SmallDenseMap<mlir::Operation *, mlir::Value> rings; ///< of each copy
  mlir::Value barriers;                                      ///< one for each buffer of boxes
  /// What the first stage begins the loop with.
  llvm::SmallVector<mlir::Value> carriedAhead;
  mlir::Value index;     ///< of the iteration with which the first stage begins the loop
  mlir::Value distance;  ///< from an iteration to the one that is as far ahead
  mlir::Value wideUpper; ///< the loop's end in 64 bits, as the distance
};

} // namespace tritium::ttg

#endif // TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_LOOPEXPANDER_H
