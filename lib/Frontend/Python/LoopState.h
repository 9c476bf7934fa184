//===- LoopState.h - names that a run-time loop carries ---------*- C++ -*-===//

#ifndef TRITIUM_LIB_FRONTEND_PYTHON_LOOPSTATE_H
#define TRITIUM_LIB_FRONTEND_PYTHON_LOOPSTATE_H

#include "Generator.h"

#include "tritium/Dialect/Tile/IR/Tile.h"

namespace tritium::frontend::python {

/// A name that the body of a loop binds and that was bound before the loop.
struct Generator::Carried {
  std::string name;
  Value init; ///< with constants as tensors; without SSA values it is not carried
  unsigned firstSlot = 0, slots = 0; ///< its SSA values among the loop's arguments
  unsigned version = 0;              ///< of its binding at the start of the body
  bool isFixed = false;              ///< a constant that is assumed to stay
  // After the body:
  bool isChanged = false;
  Binding final;
};

/// One attempt to generate a loop.
struct Generator::LoopState {
  Environment before;
  std::vector<Carried> carried;
  llvm::SmallVector<mlir::Value> inits;
  SourceRange range;
  /// A constant did change: the attempt must be repeated with it carried.
  bool mustRepeat = false;

  std::vector<std::string> names() const;
  /// Of the loop's arguments, those of the names that its body changes.
  llvm::SmallVector<unsigned> changed() const;
};

/// How scf.for counts through a range.
struct Generator::Counting {
  sema::Tensor start, stop;
  mlir::Value low, high, by;
  bool isDown = false; ///< for sure
  mlir::Value isUp;    ///< said at run time; null: known
};

/// A loop that something in its body leaves.
struct Generator::LeftLoop {
  llvm::SmallVector<mlir::Value> results; ///< what its arguments have become
  mlir::Value next;                       ///< the counter after the last round
  llvm::SmallVector<Value> last;          ///< what leaves it with a break besides
  Exit exit;                              ///< its code, and the result of a return
};

/// Moves the body of `shell`, which it erases, to the end of `to`. `arguments` stand for its
/// index and what it carries; so they do in `values`.
void moveBody(mlir::scf::ForOp shell, mlir::Block *to, llvm::ArrayRef<mlir::Value> arguments,
              llvm::MutableArrayRef<mlir::Value> values);

/// The bounds of range(...), each an int constant or an integer scalar.
struct Generator::Range {
  Value start, stop, step;
  /// Options of tl.range, as attributes of the loop.
  llvm::SmallVector<mlir::NamedAttribute> attributes;
  SourceRange range;
};

} // namespace tritium::frontend::python

#endif // TRITIUM_LIB_FRONTEND_PYTHON_LOOPSTATE_H
