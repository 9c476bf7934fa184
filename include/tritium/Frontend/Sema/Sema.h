//===- Sema.h - meaning of the kernel languages -----------------*- C++ -*-===//
//
// Types, promotion, broadcasting, constant evaluation and the library of the kernel
// languages, independent of their syntax. A walker over a syntax tree evaluates
// sub-expressions and hands them to Sema, which builds tt IR at the builder's
// insertion point or computes at compile time.
//
// Every method that returns an optional reports exactly one error before it returns
// nothing. The rules are those of the language reference, "Semantics".
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_FRONTEND_SEMA_SEMA_H
#define TRITIUM_FRONTEND_SEMA_SEMA_H

#include "tritium/Frontend/Operators.h"
#include "tritium/Frontend/Sema/Value.h"
#include "tritium/Kernel/CompileOptions.h"
#include "tritium/Support/Diagnostics.h"

#include "mlir/IR/Builders.h"

#include <string>
#include <variant>
#include <vector>

namespace tritium::sema {

using frontend::BinaryOp;
using frontend::CompareOp;
using frontend::LogicalOp;
using frontend::UnaryOp;

/// How Sema asks for a kernel function to be compiled into the current position: a
/// reduction's combine function, or a library function that is written in the kernel
/// language. Implemented by the walker. It wraps the callee's body in
/// Sema::enterCall / leaveCall.
class FunctionCaller {
public:
  virtual ~FunctionCaller() = default;
  virtual Result callFunction(const std::shared_ptr<frontend::FunctionSource> &function,
                              const Arguments &arguments) = 0;
  /// Calls the __init__ of an aggregate, with `self` before the arguments: what it has become.
  virtual Result callInitializer(const std::shared_ptr<frontend::FunctionSource> &,
                                 const Value & /*self*/, const Arguments &) {
    return std::nullopt;
  }
  /// What an object of the host is to the kernel.
  virtual std::optional<frontend::External> findObject(std::string_view) { return std::nullopt; }
};

struct Options {
  bool debug = false; ///< device_assert is compiled in
  /// With `debug`: sums, differences and products of integers that overflow stop the launch.
  bool sanitizeOverflow = false;
  /// What an fp32 dot uses when the kernel does not say: "ieee", "tf32", ...
  std::string defaultInputPrecision = "ieee";
  HintUse hints = HintUse::Assumed;
  /// What the kernel is compiled for.
  int cudaCapability = 0; ///< 90 for sm_90; 0: no GPU of NVIDIA's
  int numWarps = 4;
};

/// One level of the chain of calls that is being compiled.
struct CallFrame {
  std::string callee;
  SourceRange callSite;
  /// The callee belongs to the library: errors and locations are those of the call.
  bool isLibrary = false;
  /// The callee's body is built into the caller, so locations name both.
  bool isInlined = false;
};

/// A pair for broadcast operands.
struct TensorPair {
  Tensor lhs, rhs;
};

class Sema {
public:
  Sema(mlir::OpBuilder &builder, const SourceManager &sources, DiagnosticEngine &diagnostics,
       FunctionCaller &caller, Options options = {});

  //===--- Position and errors -------------------------------------------===//

  SourceRange range() const { return currentRange; }
  void setRange(SourceRange range) { currentRange = range; }
  /// Starts the callee's frame; the current range is where it is called.
  void enterCall(std::string callee, bool isLibrary, bool isInlined);
  void leaveCall(); ///< restores the range of the call
  const std::vector<CallFrame> &callStack() const { return frames; }
  /// The current range as the location of an op.
  mlir::Location loc() const;
  /// What stands there, on one line.
  std::string text() const;

  /// Reports an error at the current range, with the chain of calls as notes.
  std::nullopt_t error(std::string message, std::string kind = "CompilationError",
                       std::vector<std::string> notes = {});
  void warning(std::string message);

  mlir::OpBuilder &builder() { return opBuilder; }
  const Options &options() const { return opts; }
  /// What static_print wrote.
  std::string &printed() { return printedText; }

  //===--- Operators ------------------------------------------------------===//

  /// `mayOverflow`: where overflow is checked, not of this.
  Result binary(BinaryOp op, const Value &lhs, const Value &rhs, bool mayOverflow = false);
  Result unary(UnaryOp op, const Value &operand);
  /// One comparison. `is`, `in` are evaluated at compile time.
  Result compare(CompareOp op, const Value &lhs, const Value &rhs);
  /// `and`, `or` with both sides evaluated. When `lhs` is known (truth() is a bool),
  /// the walker short-circuits and does not come here.
  Result logical(LogicalOp op, const Value &lhs, const Value &rhs);
  /// `x[index]`; several subscripts come as a Tuple, `a:b` as a Slice. Of a tile: NumPy's rules.
  Result subscript(const Value &base, const Value &index);
  /// `base` after `base[index] = value`: tiles are values.
  Result assignSubscript(const Value &base, const Value &index, const Value &value);
  Result attribute(const Value &base, std::string_view name);
  /// Calls anything that can be called, library functions and methods included.
  Result call(const Value &callee, const Arguments &arguments);
  /// An aggregate with another value in one of its fields.
  Result withField(const Value &aggregate, std::string_view name, const Value &value);
  /// FunctionCaller::callInitializer.
  Result initialize(const Function &init, const Value &self, const Arguments &arguments);
  /// Calls a library function by its canonical name ("load", "softmax").
  Result callLibrary(std::string_view name, const Arguments &arguments);

  //===--- Names ----------------------------------------------------------===//

  /// A constant as a value: an object of the host becomes what the host says of it.
  Result known(const Constant &constant);
  /// What a name outside the kernel stands for. `name` is for the message.
  Result fromExternal(const frontend::External &external, std::string_view name);
  /// A Python builtin (`len`, `min`, `float`, ...), absent without an error if none.
  static std::optional<Value> builtinName(std::string_view name);

  //===--- Control flow ---------------------------------------------------===//

  /// A condition: known, or an i1 scalar.
  std::optional<std::variant<bool, mlir::Value>> truth(const Value &condition);
  /// Converts constants within to tensors (tuples element-wise), so that the value can
  /// be carried by a loop or returned by a function; ints become int32 or wider.
  /// Values that do not exist at run time (functions, strings, None, types) stay.
  Result materialize(const Value &value);
  /// True if both have the same structure and the same run-time types, so that one may
  /// stand for the other after a branch. Known values must be equal.
  bool sameType(const Value &a, const Value &b);
  /// Makes the values of `name` at the end of two branches the same type, building
  /// conversions of constants at the respective insertion points. False after an error.
  bool unify(Value &a, mlir::OpBuilder::InsertPoint endOfA, Value &b,
             mlir::OpBuilder::InsertPoint endOfB, std::string_view name);
  /// `value` as the type of `like`, for a name that a loop carries: constants convert,
  /// anything else must agree already.
  Result convertLike(const Value &value, const Value &like, std::string_view name);
  /// The bound of a loop as an int scalar tensor or a constant int.
  Result loopBound(const Value &value, std::string_view what);
  /// The values that a `for` over a tuple, a list, a dict or a string visits; absent,
  /// with an error, if the value cannot be iterated over at compile time.
  std::optional<std::vector<Value>> iterate(const Value &value);
  /// The text of a value within an f-string or a static_print.
  std::string format(const Value &value);
  /// `f"{value:spec}"`.
  std::optional<std::string> format(const Value &value, std::string_view spec);

  //===--- Types ----------------------------------------------------------===//

  mlir::Type elementType(DType dtype);
  mlir::Type tensorType(DType dtype, llvm::ArrayRef<int64_t> shape);
  /// False after an error: an extent < 1, or too many elements.
  bool checkShape(llvm::ArrayRef<int64_t> shape);

  /// The value as a tensor: bool -> int1; int -> first of int32, uint32, int64, uint64;
  /// float -> float32 or float64.
  std::optional<Tensor> toTensor(const Value &value);
  /// A constant of `dtype` in `shape` (empty: scalar), which must fit.
  std::optional<Tensor> constant(const Constant &value, DType dtype,
                                 llvm::ArrayRef<int64_t> shape = {});
  /// Converts elements, by value.
  std::optional<Tensor> cast(const Tensor &value, DType dtype);
  std::optional<Tensor> bitcast(const Tensor &value, DType dtype);
  /// The scalar or tile in `shape`; extents 1 and missing leading dimensions repeat.
  std::optional<Tensor> broadcastTo(const Tensor &value, llvm::ArrayRef<int64_t> shape);
  std::optional<TensorPair> broadcast(const Tensor &lhs, const Tensor &rhs);
  /// Both operands as tensors of the common type (not yet broadcast), by the promotion
  /// rules; `isDivision`: the rules of `/` and `%`.
  std::optional<TensorPair> promote(const Value &lhs, const Value &rhs, std::string_view what,
                                    bool isDivision = false);
  Tensor expandDims(const Tensor &value, int axis);
  std::optional<Tensor> reshape(const Tensor &value, llvm::ArrayRef<int64_t> shape,
                                bool allowReorder = false);
  Tensor transpose(const Tensor &value, llvm::ArrayRef<int32_t> order);
  /// The element of a tile of one element.
  Tensor item(const Tensor &value);

private:
  /// How many calls lead to the user's line: within a library function it is where the outermost
  /// one is called.
  size_t userDepth() const;
  SourceRange userRange() const;

  mlir::OpBuilder &opBuilder;
  const SourceManager &sources;
  DiagnosticEngine &diagnostics;
  FunctionCaller &functionCaller;
  Options opts;
  SourceRange currentRange;
  std::vector<CallFrame> frames;
  std::string printedText;
};

} // namespace tritium::sema

#endif // TRITIUM_FRONTEND_SEMA_SEMA_H
