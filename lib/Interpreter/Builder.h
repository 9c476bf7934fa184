//===- Builder.h - translation of a module into steps -----------*- C++ -*-===//
//
// Places every SSA value in the frame and appends a step for every operation. Slots
// are given back after a value's last use, so that a frame stays small.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_INTERPRETER_BUILDER_H
#define TRITIUM_LIB_INTERPRETER_BUILDER_H

#include "Machine.h"

#include "tritium/Dialect/Tile/IR/Tile.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>

namespace tritium::ttg {
class MemDescType;
}

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

  /// Records that the program cannot be built.
  void refuse(mlir::Operation *op, const std::string &message);
  bool failed() const { return !error.empty(); }

  static Element elementOf(mlir::Type type);
  static Site siteOf(mlir::Location loc);

  /// Functions that are being called, outermost first.
  llvm::SmallVector<tt::FuncOp> callStack;

private:
  void buildOperation(mlir::Operation *op);

  Program &program;
  std::string &error;
  Body *current = nullptr;
  int64_t lanes = 1;
  llvm::DenseMap<mlir::Value, Tile> tiles;
  llvm::DenseSet<mlir::Value> constants; ///< their slots are never given back
  std::map<size_t, size_t> freeSlots;    ///< offset -> slots, disjoint and not adjacent
  llvm::SmallVector<Tile> laneCopies;    ///< of outer scalars, for the block being built
};

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
bool buildControlFlow(Builder &builder, mlir::Operation *op);
bool buildDebug(Builder &builder, mlir::Operation *op);

/// Where the elements of a tile of `shape` lie in a buffer from its first slot on; the tile's
/// first element is the buffer's at `start`.
std::vector<int32_t> placesIn(ttg::MemDescType memory, llvm::ArrayRef<int64_t> shape,
                              llvm::ArrayRef<int64_t> start);

} // namespace tritium::interpreter

#endif // TRITIUM_LIB_INTERPRETER_BUILDER_H
