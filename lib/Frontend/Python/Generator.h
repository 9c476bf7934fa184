//===- Generator.h - walks a kernel and builds tt IR ------------*- C++ -*-===//
//
// One class; its methods are spread over files by family: IRGenFunctions.cpp,
// IRGenStatements.cpp, IRGenBranches.cpp, IRGenLoops.cpp, IRGenRanges.cpp, IRGenExits.cpp,
// IRGenClosures.cpp, IRGenExpressions.cpp, IRGenCalls.cpp. Meaning (types, promotion, the library)
// is Sema's; this class knows names, control flow and calls.
//
// Names. A name that is bound on one path only, or with different types, is poisoned: it
// is an error to use it, not to have it.
//
// Exits. Structured control flow has no early exit. When one side of a run-time `if`
// leaves the list of statements (return, break, continue), what follows the `if` is
// generated inside the other side; where neither side always leaves, a flag says at run
// time whether control has left, and what follows stands under it. See `Outcome`. The body
// of a loop in which something may leave is generated so that every path leaves it, with a
// code that says how (`ExitKind`) and the names as they are there; see IRGenExits.cpp.
//
// Calls. The body of a called kernel function is generated in place.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_FRONTEND_PYTHON_GENERATOR_H
#define TRITIUM_LIB_FRONTEND_PYTHON_GENERATOR_H

#include "Environment.h"

#include "tritium/Frontend/Python/IRGen.h"
#include "tritium/Frontend/Sema/Sema.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tritium::frontend::python {

using sema::Result;
using sema::Value;

/// How control leaves the body of a loop, as its code says at run time.
enum class ExitKind : uint8_t { Continue, Break, Return };

/// Where control leaves a list of statements other than at its end.
struct Exit {
  /// Within a loop: an ExitKind, as a constant or an int32 scalar.
  Value code;
  unsigned kinds = 0; ///< those that `code` may be, as bits
  /// Within a loop: those of LoopContext::names, and of `last` if a break is among `kinds`, that
  /// are bound, as they are here.
  Environment names;
  bool mayBreak() const { return kinds & (1u << static_cast<unsigned>(ExitKind::Break)); }
  /// The function's value; absent where no return leads here.
  std::optional<Value> result;
  SourceRange at; ///< of the return
};

/// How a list of statements ended.
struct Outcome {
  enum Kind : uint8_t {
    Falls,  ///< at its end
    Leaves, ///< in `exit`
    Maybe,  ///< in `exit` exactly if `flag` is true at run time
    Failed  ///< an error was reported
  } kind = Falls;
  mlir::Value flag;
  Exit exit;

  static Outcome failed() { return {Failed, {}, {}}; }
  bool isFailed() const { return kind == Failed; }
  bool leaves() const { return kind == Leaves; }
  bool mayLeave() const { return kind == Leaves || kind == Maybe; }
};

/// Statements that follow the current list: those after an `if` that holds the list,
/// then those after the `if` around that one.
struct Rest {
  /// What ends with them: the function returns None, the loop goes on with its next round.
  enum End : uint8_t { Nothing, Function, LoopBody };
  llvm::ArrayRef<ast::StmtPtr> statements;
  const Rest *next = nullptr;
  End end = Nothing;
};

/// A loop whose body is being generated, and in which something may leave.
struct LoopContext {
  /// The names whose values leave the body with the control, on every path.
  llvm::ArrayRef<std::string> names;
  /// Those that leave it with a `break`.
  llvm::ArrayRef<std::string> last;
  const LoopContext *outer = nullptr;
};

/// A function that is being generated.
struct Frame {
  const FunctionSource *source;
  Frame *caller;
  unsigned id; ///< unique
  /// Where the function was defined, if that is within a function that is being generated.
  const Frame *definedIn = nullptr;
  /// The comprehension whose loops are being unrolled, and the one in which the function was made.
  std::shared_ptr<const ComprehensionScope> comprehension, madeIn;
  /// The names of the function while another one that it calls is generated.
  Environment *suspended = nullptr;
  bool isKernel = false;
  /// Of the __init__ of an aggregate: the name of the object, which is what the function returns.
  const std::string *self = nullptr;
  const LoopContext *loop = nullptr;
  /// Names with a bare annotation `x: tl.constexpr` that wait for their value.
  std::set<std::string, std::less<>> declaredConstexpr;
};

/// A parsed function. `source` is kept so that it stays the same object.
struct ParsedFunction {
  std::shared_ptr<FunctionSource> source;
  uint32_t file = 0;
  std::shared_ptr<ast::Function> tree; ///< null: it has an error, which was reported
  /// A function within a function: whose frame it belongs to (0: none), and its defaults.
  unsigned frame = 0;
  std::map<std::string, Value, std::less<>> defaults;
  std::shared_ptr<const ComprehensionScope> madeIn;
};

class Generator : public sema::FunctionCaller {
public:
  Generator(mlir::MLIRContext &context, SourceManager &sources, DiagnosticEngine &diagnostics,
            const GenerateOptions &options);

  mlir::OwningOpRef<mlir::ModuleOp> kernel(const FunctionSource &source,
                                           const std::vector<ArgumentSpec> &arguments);
  /// Ends the error that made kernel() fail with the kernel's name.
  void nameKernel(const FunctionSource &source);
  std::optional<KernelSignature> signature(const FunctionSource &source);
  Result callFunction(const std::shared_ptr<FunctionSource> &function,
                      const sema::Arguments &arguments) override;
  Result callInitializer(const std::shared_ptr<FunctionSource> &function, const Value &self,
                         const sema::Arguments &arguments) override;
  std::optional<External> findObject(std::string_view name) override;
  std::string &printed() { return sema.printed(); }

private:
  SourceManager &sources;
  DiagnosticEngine &diagnostics;
  mlir::OpBuilder builder;
  sema::Sema sema;
  Environment env;
  Frame *frame = nullptr;
  std::map<const FunctionSource *, ParsedFunction> parsed;
  /// reads[v]: the binding of version v has been used.
  std::vector<bool> reads{false};
  unsigned depth = 0, frames = 0;
  uint64_t steps = 0;
  const bool hasLines; ///< each statement says that it begins, for a debugger

  /// Counts a level of recursion over trees and calls while it lives.
  struct Level {
    explicit Level(Generator &generator) : generator(generator) { ++generator.depth; }
    ~Level() { --generator.depth; }
    Generator &generator;
  };
  /// False after an error: too deep, or the kernel expands without an end in sight.
  bool checkLimits();

  /// Reports at `range` with the chain of calls.
  std::nullopt_t error(SourceRange range, std::string message,
                       std::string kind = "CompilationError");
  /// Adds a note with a position to the error that was reported last.
  void note(SourceRange range, std::string message);
  mlir::Location location(SourceRange range);

  //===--- Functions (IRGenFunctions.cpp, Signature.cpp) -------------------===//

  const ParsedFunction *parse(std::shared_ptr<FunctionSource> source);
  Result callBody(const std::shared_ptr<FunctionSource> &function, const sema::Arguments &arguments,
                  bool isInitializer);
  bool bindArguments(const ast::Function &function, const sema::Arguments &arguments);
  bool bindDefault(const ast::Function &function, const ast::Parameter &parameter);
  bool isConstexprAnnotation(const ast::Expr *annotation);
  Result kernelArgument(const ArgumentSpec &spec, llvm::ArrayRef<mlir::BlockArgument> &values);
  bool bindKernelArguments(const ast::Function &function,
                           const std::vector<ArgumentSpec> &arguments, mlir::Block &entry);
  bool checkRecursion(const FunctionSource &source);
  bool isSameFunction(const FunctionSource &a, const FunctionSource &b);
  /// A function that is defined where control is.
  Result closure(const std::shared_ptr<ast::Function> &function, SourceRange at);
  /// Whether the frame in which a nested function was defined is still there; then sets it.
  bool enterClosure(const ParsedFunction &function, Frame &callee);

  //===--- Names (IRGenExpressions.cpp) ------------------------------------===//

  void bind(std::string_view name, Value value, SourceRange at, bool isConstexpr = false);
  Result name(const ast::Name &name);
  std::nullopt_t undefined(std::string_view name);
  std::nullopt_t poisoned(const Binding &binding);
  void poison(Binding &binding, std::string message,
              std::initializer_list<std::pair<SourceRange, const char *>> notes);
  /// Takes the values of finished loops' variables from what was bound since `before`, where
  /// the code that they are made of does not reach.
  void dropLastValues(const Environment &before, Environment &bindings);

  //===--- Statements (IRGenStatements.cpp) --------------------------------===//

  Outcome run(llvm::ArrayRef<ast::StmtPtr> statements, const Rest *rest);
  void beginLine(const ast::Stmt &stmt);
  /// What follows after statements with this outcome.
  Outcome resume(Outcome outcome, const Rest *rest);
  Outcome finish(const Rest *rest);
  Outcome statement(const ast::Stmt &stmt, const Rest &after, bool &consumed);
  bool simpleStatement(const ast::Stmt &stmt);
  Outcome returnStatement(const ast::Return &stmt);
  bool assign(const ast::Expr &target, Value value, SourceRange at, bool isConstexpr = false);
  bool unpackStarred(const ast::Tuple &target, std::vector<Value> &elements, SourceRange at);
  bool unpack(const ast::Tuple &target, const Value &value, SourceRange at, bool isConstexpr);
  /// x[i][j] as a target: the tile x, and within it the elements that [i], [j] choose.
  struct Elements {
    const ast::Expr *name;
    llvm::SmallVector<std::pair<Value, Value>, 2> steps; ///< a tile and its subscript
  };
  std::optional<Elements> elements(const ast::Subscript &target);
  bool assignElements(const Elements &to, Value value, SourceRange at);
  bool assignField(const ast::Attribute &target, const Value &value, SourceRange at);
  bool annotatedAssign(const ast::AnnAssign &stmt);
  bool augmentedAssign(const ast::AugAssign &stmt);
  bool assertStatement(const ast::Assert &stmt);
  bool isKnown(const Value &value, std::string_view name, SourceRange at);

  //===--- Branches (IRGenBranches.cpp) ------------------------------------===//

  using Side = llvm::function_ref<Outcome()>;
  struct Branching;
  /// An scf.if with what the sides generate. If exactly one side leaves, `rest` goes on
  /// inside the other; then, or if both leave, `consumed` is set.
  Outcome branches(mlir::Value condition, Side thenSide, Side elseSide, const Rest *rest,
                   bool &consumed);
  void mismatchedReturns(const Exit &a, const Exit &b);
  /// Whether `value` needs a value from within `op` where operations cannot see it.
  bool holdsFrom(mlir::Operation *op, const Value &value);
  /// Whether the result, if there is one, may be used behind `op`; else reports why not.
  bool canReturnFrom(mlir::Operation *op, const Exit &exit);
  mlir::Value placeholder(mlir::Location loc, mlir::Type type);
  Outcome ifStatement(const ast::If &stmt, const Rest &rest, bool &consumed);
  Result conditional(const ast::Conditional &expr);

  struct Carried;
  struct LoopState;
  struct Range;
  struct Counting;

  //===--- Exits (IRGenExits.cpp) ------------------------------------------===//

  Outcome leave(ExitKind kind, std::optional<Value> result, SourceRange at);
  /// Generates the body of a loop, every path of which leaves at `exit`; the environment is
  /// what it is there. False after an error.
  bool loopBody(llvm::ArrayRef<std::string> names, Exit &exit,
                llvm::function_ref<Outcome(const Rest *)> body,
                llvm::ArrayRef<std::string> last = {});
  bool loopBody(llvm::ArrayRef<ast::StmtPtr> body, llvm::ArrayRef<std::string> names, Exit &exit);
  mlir::Value isExit(const Value &code, ExitKind kind);
  /// `isEndless`: nothing but an exit ends the loop.
  Outcome leftLoop(const Exit &exit, bool isEndless = false);
  Outcome unrolledFrom(const ast::For &stmt, llvm::ArrayRef<Value> values,
                       llvm::ArrayRef<std::string> names);
  struct LeftLoop;
  LeftLoop leavingLoop(mlir::scf::ForOp shell, const LoopState &state,
                       llvm::ArrayRef<mlir::Value> yields, const Exit &exit,
                       const Counting *counting, llvm::ArrayRef<Value> last = {});

  //===--- Loops (IRGenLoops.cpp, IRGenRanges.cpp) -------------------------===//

  Outcome forStatement(const ast::For &stmt);
  Outcome whileStatement(const ast::While &stmt);
  bool plainWhile(const ast::While &stmt, LoopState &state);
  bool leavingWhile(const ast::While &stmt, LoopState &state, Exit &after, bool &isEndless);
  bool endlessLoop(const ast::While &stmt);
  void keepLoop(mlir::Operation *loop);
  Result loopCondition(const ast::Expr &test);
  Outcome unrolled(const ast::For &stmt, llvm::ArrayRef<Value> values);
  Outcome staticRange(const ast::For &stmt, const Range &range);
  Outcome rangeLoop(const ast::For &stmt, const Range &range);
  std::optional<Range> rangeArguments(std::string_view callee, const ast::Call &call);
  bool eachIndex(const Range &range, llvm::function_ref<bool(Value)> visit);
  std::optional<std::vector<Value>> knownValues(const ast::Expr &iterable);
  std::optional<DType> rangeType(const Range &range);
  std::optional<Counting> countingOf(const Range &range, DType type, mlir::Location loc);
  mlir::Value indexOf(const Counting &counting, mlir::Value counter, mlir::Location loc);
  /// After a loop: its variable is its value in the last round.
  /// `next`: the counter after that round; null where the loop runs to its end.
  void bindLastIndex(const ast::For &stmt, const Counting &counting, DType type, mlir::Value next);
  /// Moves the body of the loop `shell` to where only the names that it changes are carried.
  mlir::scf::ForOp narrowed(mlir::scf::ForOp shell, const LoopState &state,
                            llvm::ArrayRef<mlir::Value> yields,
                            llvm::SmallVectorImpl<mlir::Value> &results);
  /// Runs `attempt` with the constants that may stay constants, and again with all of
  /// them carried if that was wrong.
  bool withCarried(const AssignedNames &assigned, llvm::function_ref<bool(LoopState &)> attempt);
  bool collectCarried(const AssignedNames &assigned, bool isOptimistic, LoopState &state);
  void enterBody(LoopState &state, llvm::ArrayRef<mlir::Value> arguments);
  bool leaveBody(LoopState &state, llvm::SmallVectorImpl<mlir::Value> &yields);
  void afterLoop(LoopState &state, llvm::ArrayRef<mlir::Value> results);

  //===--- Expressions (IRGenExpressions.cpp, IRGenCalls.cpp) --------------===//

  Result expression(const ast::Expr &expr);
  Result subscript(const ast::Subscript &expr);
  Result indices(const ast::Subscript &expr, const Value &base);
  Result index(const ast::Expr &expr);
  Result boolOp(const ast::BoolOp &expr);
  Result compare(const ast::Compare &expr);
  Result tuple(const ast::Tuple &expr);
  Result dict(const ast::Dict &expr);
  Result comprehension(const ast::Comprehension &expr);
  bool comprehensionLoop(const ast::Comprehension &expr, size_t level, sema::Tuple &result);
  Result fstring(const ast::FString &expr);
  Result walrus(const ast::Walrus &expr);
  Result call(const ast::Call &expr);
  bool arguments(const ast::Call &call, sema::Arguments &out);
};

} // namespace tritium::frontend::python

#endif // TRITIUM_LIB_FRONTEND_PYTHON_GENERATOR_H
