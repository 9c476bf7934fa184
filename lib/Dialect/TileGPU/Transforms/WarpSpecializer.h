//===- WarpSpecializer.h - a kernel in two groups of warps ------*- C++ -*-===//

#ifndef TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_WARPSPECIALIZER_H
#define TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_WARPSPECIALIZER_H

#include "LoopSchedule.h"

#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace tritium::ttg {

/// What the group that loads computes for itself, of a kernel.
class LoadersPart {
public:
  /// A loop-carried value, by its number.
  using Carried = std::pair<mlir::Operation *, unsigned>;

  /// Adds what `value` depends on. Empty, or why others than the group that computes cannot know
  /// it.
  std::string add(mlir::Value value);
  /// Adds `loop`, or branch, around what is loaded.
  std::string addAround(mlir::Operation *op);

  bool contains(mlir::Operation *op) const { return operations.contains(op); }
  llvm::SmallVector<unsigned> carriedOf(mlir::scf::ForOp loop) const;

  /// Operations of the kernel's own block that are computed once, for both groups.
  llvm::SmallPtrSet<mlir::Operation *, 32> common;

private:
  llvm::SmallPtrSet<mlir::Operation *, 32> operations;
  llvm::SmallSetVector<Carried, 8> carried;
};

/// Makes a kernel what SpecializeWarps.cpp describes.
class WarpSpecializer {
public:
  WarpSpecializer(tt::FuncOp kernel, mlir::ArrayRef<mlir::scf::ForOp> loops);

  /// The loops' schedules, first of all. An error stands at the operation for which one cannot be
  /// followed.
  llvm::LogicalResult read();
  /// Why the kernel stays as it is; empty: it need not.
  std::string reasonAgainst();
  void run();

  /// Of a thread that computes, and of one that loads; 0: as many as the launch has.
  static std::array<int32_t, 2> registers(mlir::Operation *of);

private:
  /// Copies that the other group starts together: those of an iteration of a loop, or one that
  /// stands by itself.
  struct Copies {
    /// Of a loop, whose schedule is still to be read.
    explicit Copies(mlir::scf::ForOp loop) : place(loop), schedule(loop), isOfLoop(true) {}
    explicit Copies(ttng::LoadBoxOp box);

    int64_t buffers() const { return isOfLoop ? schedule.buffers : 1; }

    mlir::Operation *place; ///< the loop, or the copy by itself
    LoopSchedule schedule;
    bool isOfLoop;
    /// Of each copy: copies of one part arrive, and are used up, together.
    llvm::SmallVector<unsigned> parts;
    size_t rings = 0; ///< its number
  };
  /// Buffers that loops of the kernel take in turn, and the barriers of their copies.
  struct Rings {
    const Copies *copies; ///< the first that take them
    llvm::SmallVector<unsigned> parts;
    llvm::SmallVector<mlir::Value> buffers;     ///< of each copy
    llvm::SmallVector<mlir::Value> full, empty; ///< of each part
  };
  /// The number of the next buffer of each rings, and the phase of its barriers.
  using State = llvm::SmallVector<mlir::Value>;

  void findParts(Copies &copies);
  Rings &ringsOf(const Copies &copies) { return rings[copies.rings]; }
  void findRings();
  std::string reasonAgainst(Copies &copies);
  void addCopiesByThemselves();
  Copies *find(mlir::Operation *op);
  bool isAround(mlir::Operation *op);
  int32_t warps();

  void allocate(mlir::OpBuilder &b);
  void release(mlir::OpBuilder &b);
  mlir::Value at(mlir::OpBuilder &b, mlir::Value ring, mlir::Value slot);
  void advance(mlir::OpBuilder &b, const Copies &copies, State &state);

  void load(mlir::Block &block, mlir::OpBuilder &b, mlir::IRMapping &mapping, State &state);
  void loadInLoop(mlir::scf::ForOp loop, mlir::OpBuilder &b, mlir::IRMapping &mapping,
                  State &state);
  void loadInBranch(mlir::scf::IfOp branch, mlir::OpBuilder &b, mlir::IRMapping &mapping,
                    State &state);
  void startCopies(Copies &copies, mlir::OpBuilder &b, mlir::IRMapping &mapping, State &state);

  void compute(mlir::Block &block, State &state);
  void computeInLoop(mlir::scf::ForOp loop, State &state);
  void computeInBranch(mlir::scf::IfOp branch, State &state);
  void readCopies(Copies &copies, mlir::scf::ForOp fresh, State &state);
  void readCopy(Copies &copies, State &state);
  void takeCopies(Copies &copies, unsigned part, mlir::Value slot, mlir::Value phase);

  tt::FuncOp kernel;
  mlir::Location loc;
  std::vector<std::unique_ptr<Copies>> all;
  std::vector<Rings> rings;
  LoadersPart loader;
};

} // namespace tritium::ttg

#endif // TRITIUM_LIB_DIALECT_TILEGPU_TRANSFORMS_WARPSPECIALIZER_H
