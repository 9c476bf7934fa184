//===- Generator.h - walks a Triton-C unit and builds tt IR -----*- C++ -*-===//
//
// One class; its methods are spread over files by family: IRGenFunctions.cpp,
// IRGenStatements.cpp, IRGenLoops.cpp, IRGenCountedLoops.cpp, IRGenExpressions.cpp,
// IRGenAssignments.cpp, IRGenMemory.cpp, IRGenTiles.cpp, IRGenBuiltins.cpp.
//
// Variables. A variable has one type and, at each point, one SSA value; `locals` is the
// stack of all that are in scope, of all functions on the chain of calls. Where control
// flow joins, the values that differ become results of the scf operation.
//
// Jumps. Structured control flow has no early exit. `break`, `continue` and `return`
// clear variables that the compiler adds: `isLive` of an iteration, of a loop, of a
// function. What follows a statement that may jump stands under an scf.if of the
// innermost one.
//
// Masks. Within an arm of `?:`, and within a predicated statement, `mask` says which
// lanes count: every load there is under it.
//
// Calls. The body of a called function is generated in place.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_FRONTEND_TRITONC_GENERATOR_H
#define TRITIUM_LIB_FRONTEND_TRITONC_GENERATOR_H

#include "Conversions.h"
#include "Scan.h"

#include "tritium/Frontend/TritonC/IRGen.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>

namespace tritium::frontend::tritonc {

/// A variable at one point of the program.
struct Local {
  std::string name; ///< empty for one that the compiler adds
  Type type;
  mlir::Value value;
  SourceRange at;
  std::optional<int64_t> multipleOf, aligned; ///< what its attributes promise
  bool isBeingInitialised = false;
  bool isConst = false;
};
using LocalIndex = unsigned;

/// How control leaves a statement.
enum class Flow : uint8_t {
  Falls,  ///< to the next statement
  Maybe,  ///< to the next one if the innermost `isLive` is still true
  Leaves, ///< never to the next one
};

/// A loop that is being generated; its jumps clear these.
struct LoopFrame {
  LoopFrame *outer = nullptr;
  std::optional<LocalIndex> isLive;          ///< goes on to another iteration
  std::optional<LocalIndex> isIterationLive; ///< goes on with this iteration
};

/// A function that is being generated.
struct FunctionFrame {
  const Function *function;
  FunctionFrame *caller = nullptr;
  LocalIndex firstLocal = 0;
  LoopFrame *loop = nullptr;
  std::optional<LocalIndex> isLive; ///< has not returned
  std::optional<LocalIndex> result;
  unsigned armsAround = 0; ///< of the chain of calls, when it was called
};

class Generator : public sema::FunctionCaller {
public:
  Generator(mlir::MLIRContext &context, SourceManager &sources, DiagnosticEngine &diagnostics,
            const GenerateOptions &options);

  mlir::OwningOpRef<mlir::ModuleOp> kernel(const Unit &unit, const Function &function,
                                           const std::vector<ArgumentSpec> &arguments);
  /// Triton-C's library has no function in a kernel language.
  sema::Result callFunction(const std::shared_ptr<FunctionSource> &,
                            const sema::Arguments &) override {
    return std::nullopt;
  }

private:
  using Value = std::optional<Tensor>; ///< absent after an error, which was reported

  DiagnosticEngine &diagnostics;
  GenerateOptions options;
  mlir::OpBuilder builder;
  sema::Sema sema;
  Conversions conversions;
  const Unit *unit = nullptr;
  std::map<std::string, Tensor, std::less<>> tables;
  std::vector<Local> locals;
  FunctionFrame *frame = nullptr;
  std::optional<Tensor> mask;
  unsigned arms = 0; ///< arms of `?:` and predicated statements around this point
  unsigned depth = 0;
  uint64_t steps = 0;
  bool isStopped = false; ///< a limit was reached

  /// Counts a level of recursion over trees and calls while it lives.
  struct Level {
    explicit Level(Generator &generator) : generator(generator) { ++generator.depth; }
    ~Level() { --generator.depth; }
    Generator &generator;
  };
  bool checkLimits();
  std::nullopt_t error(SourceRange range, std::string message);
  void note(SourceRange range, std::string message);
  Tensor fold(const Tensor &value) { return conversions.fold(value); }

  //===--- Functions (IRGenFunctions.cpp) ----------------------------------===//

  struct Entry;
  void addArgument(Entry &entry, const std::string &name, DType type, const ArgumentSpec &spec);
  bool addArguments(Entry &entry, const Function &function,
                    const std::vector<ArgumentSpec> &arguments);
  bool verify(mlir::ModuleOp module, const Function &function);
  bool bindArguments(const Function &function, const std::vector<ArgumentSpec> &arguments,
                     mlir::Block &entry);
  Value knownArgument(const Variable &parameter, const Constant &value);
  void body(const Function &function);
  void checkPromises(const Local &local);
  void checkReadOnly(const Function &function, mlir::Operation *func);
  Value callUser(const Function &function, const Call &call, std::vector<Tensor> arguments);
  bool isCallable(const Function &function) const;
  /// A tensor without a value for void.
  Value call(const Call &call);
  Value builtin(const Call &call, llvm::ArrayRef<Tensor> arguments);

  //===--- Variables (IRGenFunctions.cpp) ----------------------------------===//

  LocalIndex declare(std::string name, const Type &type, mlir::Value value, SourceRange at);
  LocalIndex declareFlag(bool value);
  std::optional<LocalIndex> find(std::string_view name) const;
  Tensor get(LocalIndex local) const { return {locals[local].value, locals[local].type.element}; }
  void set(LocalIndex local, mlir::Value value) { locals[local].value = value; }
  std::vector<mlir::Value> snapshot() const;
  void restore(llvm::ArrayRef<mlir::Value> values);
  Tensor boolean(bool value) { return conversions.constant({value}, {DTypeKind::Int1}); }

  //===--- Statements (IRGenStatements.cpp) --------------------------------===//

  using Body = llvm::function_ref<void()>;
  /// Statements of one scope, or the rest of them.
  Flow run(llvm::ArrayRef<StmtPtr> statements);
  void beginLine(const Stmt &stmt);
  Flow statement(const Stmt &stmt);
  Flow scoped(const Stmt &stmt);
  void declaration(const DeclStmt &stmt);
  Flow ifStatement(const IfStmt &stmt);
  Flow jump(const Stmt &stmt);
  Flow returnStatement(const ReturnStmt &stmt);
  void predicated(const PredicatedStmt &stmt);
  void predicatedAssign(const Assign &assignment, const Tensor &predicate);
  void staticAssert(const StaticAssertStmt &stmt);
  /// An scf.if; what the sides do to variables becomes its results.
  void branch(mlir::Value condition, Body then, Body otherwise = [] {});
  /// The `isLive` that statements after a jump depend on.
  std::optional<LocalIndex> innermostLive() const;
  /// A scalar condition as i1.
  Value condition(const Expr &test);

  //===--- Loops (IRGenLoops.cpp, IRGenCountedLoops.cpp) -------------------===//

  struct Loop;
  struct Counted;
  using Carried = llvm::SmallVector<LocalIndex>;
  Flow loopStatement(const Stmt &stmt);
  Flow forStatement(const ForStmt &stmt);
  Flow whileLoop(const Loop &loop);
  Carried carriedBy(const Loop &loop, const LoopFrame &own);
  llvm::SmallVector<mlir::Value> valuesOf(const Carried &carried) const;
  void setAll(const Carried &carried, mlir::ValueRange values);
  void iteration(LoopFrame &own, llvm::ArrayRef<StmtPtr> body);
  mlir::Value loopTest(const Loop &loop, const LoopFrame &own);
  std::optional<Counted> matchCounted(const ForStmt &stmt);
  std::optional<Counted> matchCounted(const WhileStmt &stmt);
  std::optional<Counted> matchCounted(const Expr &test, const Expr &step,
                                      llvm::ArrayRef<StmtPtr> body, SourceRange range);
  /// False if the loop does not count upwards or downwards for sure: nothing is built.
  bool countedLoop(const Counted &loop);

  //===--- Expressions (IRGenExpressions.cpp) ------------------------------===//

  /// Evaluates for a value; a void call is an error.
  Value expression(const Expr &expr);
  Value evaluate(const Expr &expr);
  /// Evaluates for its effects.
  void effect(const Expr &expr);
  /// Calls `body`; what it builds and assigns is forgotten.
  void inScratch(llvm::function_ref<void()> body);
  std::optional<Type> typeOfExpression(const Expr &expr);
  Value name(const Name &name);
  std::nullopt_t undeclared(const Name &name);
  Value unary(const Unary &expr);
  Value range(const Range &expr);
  Value sizeOf(const SizeOf &expr);
  Value binary(const Binary &expr);
  Value binary(BinaryOp op, const Tensor &lhs, const Tensor &rhs);
  Value pointerArithmetic(BinaryOp op, const Tensor &lhs, const Tensor &rhs);
  Value shift(BinaryOp op, const Tensor &lhs, const Tensor &rhs);
  Value compare(BinaryOp op, const Tensor &lhs, const Tensor &rhs);
  Value logical(BinaryOp op, const Tensor &lhs, const Tensor &rhs);
  std::optional<int64_t> constantExpression(const Expr &expr, std::string_view what);

  //===--- Assignments (IRGenAssignments.cpp) ------------------------------===//

  Value assign(const Assign &expr);
  /// Whether the variable may change; if not, says so.
  bool allowsAssignment(LocalIndex local, SourceRange range);
  bool assignVariable(LocalIndex local, const Tensor &value, SourceRange at);
  Value step(const Step &expr);
  /// False after an error: an effect on memory or on a variable within an arm.
  bool allowsEffect(SourceRange range, bool isVariable, std::string_view what = "an assignment");
  Value assignedValue(const Assign &expr, llvm::function_ref<Value()> oldValue);

  //===--- Memory (IRGenMemory.cpp) ----------------------------------------===//

  struct Address {
    Tensor pointer;
    std::optional<Tensor> mask;
  };
  std::optional<Address> address(const Dereference &expr);
  std::optional<Tensor> armMaskFor(Shape shape);
  std::optional<Address> masked(const Address &address);
  Value load(const Address &address);
  Value store(const Address &address, const Tensor &value);
  Value conditional(const Conditional &expr);
  std::optional<Tensor> bothMasks(const std::optional<Tensor> &a, const std::optional<Tensor> &b);
  /// Calls `body`, whose loads are under `arm` as well as under the mask around it.
  void under(const Tensor &arm, llvm::function_ref<void()> body);

  //===--- Tiles (IRGenTiles.cpp) ------------------------------------------===//

  Value subscript(const Subscript &expr);
  /// Places of an axis, and not the axis, stand in the subscript.
  static bool namesElements(const Subscript &expr);
  /// The subscripts as Sema takes them.
  std::optional<std::vector<sema::Value>> elementIndices(const Subscript &expr, const Tensor &tile);
  Value assignElements(const Assign &expr, const Subscript &target);
  Value reduce(const Tensor &tile, int axis, SubscriptItem::Kind kind);
  Value transpose(const Tensor &tile);
  /// `accumulator` may be null: zeros.
  Value matmul(const Tensor &a, const Tensor &b, const Tensor *accumulator);
  /// The type of a @ b; absent after an error.
  std::optional<Type> productType(const Tensor &a, const Tensor &b);

  //===--- Built-ins (IRGenBuiltins.cpp) -----------------------------------===//

  struct Builtin;
  static const Builtin *findBuiltin(std::string_view name);
  Value gridQuery(const Call &call, bool isCount);
  Value breakpoint(const Call &call);
  Value permute(const Call &call, const Tensor &tile);
  Value sumAlong(const Call &call, const Tensor &tile);
  Value reshape(const Call &call, const Tensor &tile);
  Value atomic(const Call &call, llvm::ArrayRef<Tensor> arguments);
  Value math(const Call &call, llvm::ArrayRef<Tensor> arguments);
};

} // namespace tritium::frontend::tritonc

#endif // TRITIUM_LIB_FRONTEND_TRITONC_GENERATOR_H
