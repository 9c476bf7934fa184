//===- Builder.h - translation of a module into steps -----------*- C++ -*-===//
//
// Places every SSA value in the frame and appends a step for every operation. Slots
// are given back after a value's last use, so that a frame stays small.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_INTERPRETER_BUILDER_H
#define TRITIUM_LIB_INTERPRETER_BUILDER_H

#include "CTA.h"

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>

namespace tritium::interpreter {

class Builder {
public:
  /// Fills `program` from a function. The message of what the interpreter does not
  /// know goes to `error`.
  Builder(Program &program, std::string &error) : program(program), error(error) {}
  void buildKernel(tt::FuncOp kernel);

  /// The slots of an operand, and fresh slots for a result.
  Tile get(mlir::Value value);
  Tile define(mlir::Value value);
  /// Lets `value` live in slots that already exist.
  void bind(mlir::Value value, Tile tile) { tiles[value] = tile; }
  /// Slots for a value of `type`, or for `count` elements; until release().
  Tile allocate(mlir::Type type);
  Tile allocate(Element element, int64_t count);
  void release(Tile tile);
  /// Slots that hold `values` from the start.
  void defineConstant(mlir::Value value, std::vector<Slot> values);

  void add(Step step) { current->steps.push_back(std::move(step)); }
  void addCopy(Tile from, Tile to);
  /// All of `from` to all of `to` at once: an element of `from` may be one of `to`.
  void addParallelCopy(llvm::ArrayRef<Tile> from, llvm::ArrayRef<Tile> to);
  /// The steps of a block; `atEnd` appends those of its terminator.
  std::shared_ptr<const Body> buildBlock(mlir::Block &block,
                                         llvm::function_ref<void(mlir::Operation *)> atEnd);
  /// The same with `lanes` elements for each scalar in the block.
  std::shared_ptr<const Body> buildBlock(mlir::Block &block, int64_t lanes,
                                         llvm::function_ref<void(mlir::Operation *)> atEnd);

  /// Records that the interpreter cannot run the program; that the program is wrong.
  void refuse(mlir::Operation *op, const std::string &message);
  void reject(mlir::Operation *op, const std::string &message);
  bool failed() const { return !error.empty(); }

  static Element elementOf(mlir::Type type);
  static Site siteOf(mlir::Location loc);

  /// Who accesses a tile or scalar of `type`, as `op` does. Nobody in particular if the program
  /// has no threads.
  TileAccess accessOf(mlir::Operation *op, mlir::Type type);
  /// An access of a tile of `type` in `memory`, or of the part of what lies there from `start` on.
  SharedAccess accessOf(mlir::Operation *op, mlir::Type type,
                        mlir::TypedValue<ttg::MemDescType> memory,
                        llvm::ArrayRef<int64_t> start = {});
  /// The first of the groups' actors.
  unsigned actorsOf(mlir::Operation *groups) const { return actors.lookup(groups); }
  /// The code of each group. They run at once, and have no slots in common.
  std::vector<GroupCode> codeOf(ttg::WarpGroupsOp op);

  /// Whether `value` may be what a dot has begun that is not over; the number of that dot, or 0.
  bool mayBeInFlight(mlir::Value value) const { return inFlight.contains(value); }
  Tile dotOf(mlir::Value value);
  void bindDot(mlir::Value value, Tile number) { dots[value] = number; }

  /// Where an allocation begins in shared memory.
  uint64_t placeOf(mlir::Operation *alloc) const { return places.lookup(alloc); }

  /// Functions that are being called, outermost first.
  llvm::SmallVector<tt::FuncOp> callStack;

private:
  void buildOperation(mlir::Operation *op);
  /// Finds out whether the kernel has threads, and where its allocations lie.
  void planThreads(tt::FuncOp kernel);
  /// Finds the values that dots of warp groups, and loops around them, hand on.
  void planDots(tt::FuncOp kernel);
  /// Stops the machine where `op` takes what is not there yet.
  void checkInFlight(mlir::Operation *op);

  Program &program;
  std::string &error;
  Body *current = nullptr;
  int64_t lanes = 1;
  bool keepsSlots = false; ///< a debugger may look at variables that nobody reads any more
  llvm::DenseMap<mlir::Value, Tile> tiles;
  llvm::DenseSet<mlir::Value> constants; ///< their slots are never given back
  std::map<size_t, size_t> freeSlots;    ///< offset -> slots, disjoint and not adjacent
  llvm::SmallVector<Tile> laneCopies;    ///< of outer scalars, for the block being built
  llvm::DenseMap<mlir::Type, std::shared_ptr<const Holders>> holders;
  llvm::DenseMap<mlir::Operation *, uint64_t> places; ///< of allocations, in bytes
  llvm::DenseMap<mlir::Operation *, unsigned> actors; ///< of warp groups
  llvm::DenseSet<mlir::Value> inFlight;
  llvm::DenseMap<mlir::Value, Tile> dots; ///< a slot for a number
};

/// r = c + a * b for tiles of these extents.
struct DotExtents {
  int64_t batches, rows, columns, depth;
};
void addDot(Builder &builder, DotExtents extents, Tile a, Tile b, Tile c, Tile r, bool isUnsigned);

// One family of operations each; false: `op` is of another family.
bool buildInteger(Builder &builder, mlir::Operation *op);
bool buildFloat(Builder &builder, mlir::Operation *op);
bool buildMath(Builder &builder, mlir::Operation *op);
bool buildConversion(Builder &builder, mlir::Operation *op);
bool buildShape(Builder &builder, mlir::Operation *op);
bool buildMemory(Builder &builder, mlir::Operation *op);
bool buildDescriptors(Builder &builder, mlir::Operation *op);
bool buildReduce(Builder &builder, mlir::Operation *op);
bool buildShared(Builder &builder, mlir::Operation *op);
bool buildGroups(Builder &builder, mlir::Operation *op);
bool buildNVGPU(Builder &builder, mlir::Operation *op);
bool buildClusters(Builder &builder, mlir::Operation *op);
bool buildControlFlow(Builder &builder, mlir::Operation *op);
bool buildDebug(Builder &builder, mlir::Operation *op);
bool buildElements(Builder &builder, mlir::Operation *op);
bool buildLines(Builder &builder, mlir::Operation *op);

} // namespace tritium::interpreter

#endif // TRITIUM_LIB_INTERPRETER_BUILDER_H
