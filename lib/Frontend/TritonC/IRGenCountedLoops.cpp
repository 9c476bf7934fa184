//===- IRGenCountedLoops.cpp - for loops that count -----------------------===//
//
//   for (int k = 0; k < K; k += T)    scf.for %k = %c0 to %K step %T : i32 { ... }
//
//   for (int k = K; k > 0; k -= T)    scf.for %i = %c0 to %K step %T : i32 {
//                                       %k = K + 0 - %i ... }
//
// The trip count is known before such a loop, which is what loop optimisations need. The
// variable must be a signed scalar that the body leaves alone, the bound and the step
// must be the same in every iteration, and the step's sign must be known; then the loop
// is the C loop, up to overflow of the variable, which C leaves undefined.
//
//===----------------------------------------------------------------------===//

#include "LoopParts.h"

#include "tritium/Dialect/Tile/IR/Tile.h"
#include "tritium/Frontend/Sema/Build.h"
#include "tritium/Frontend/Sema/DTypes.h"

namespace tritium::frontend::tritonc {
using namespace tritium::sema;

static bool isName(const Expr &expr, std::string_view name) {
  auto *tree = llvm::dyn_cast<Name>(&expr);
  return tree && tree->id == name;
}

namespace {
struct StepParts {
  std::string_view name;
  const Expr *by = nullptr; ///< null: 1
  bool isUp = true;
};
} // namespace

/// `k++`, `k += by`, `k = k + by`, and downwards.
static std::optional<StepParts> matchStep(const Expr &expr) {
  if (auto *step = llvm::dyn_cast<Step>(&expr)) {
    auto *name = llvm::dyn_cast<Name>(step->operand.get());
    return name ? std::optional(StepParts{name->id, nullptr, step->isIncrement}) : std::nullopt;
  }
  auto *assign = llvm::dyn_cast<Assign>(&expr);
  auto *name = assign ? llvm::dyn_cast<Name>(assign->target.get()) : nullptr;
  if (!name)
    return std::nullopt;
  if (assign->op == BinaryOp::Add || assign->op == BinaryOp::Sub)
    return StepParts{name->id, assign->value.get(), assign->op == BinaryOp::Add};
  auto *sum = assign->op ? nullptr : llvm::dyn_cast<Binary>(assign->value.get());
  if (!sum || (sum->op != BinaryOp::Add && sum->op != BinaryOp::Sub))
    return std::nullopt;
  if (isName(*sum->lhs, name->id))
    return StepParts{name->id, sum->rhs.get(), sum->op == BinaryOp::Add};
  if (isName(*sum->rhs, name->id) && sum->op == BinaryOp::Add)
    return StepParts{name->id, sum->lhs.get(), true};
  return std::nullopt;
}

/// One of the statements themselves, not one within them, declares one of the names.
static bool declaresAny(llvm::ArrayRef<StmtPtr> statements, const NameSet &names) {
  return llvm::any_of(statements, [&](const StmtPtr &stmt) {
    auto *declaration = llvm::dyn_cast<DeclStmt>(stmt.get());
    return declaration && llvm::any_of(declaration->variables, [&](const Variable &variable) {
             return names.contains(variable.name);
           });
  });
}

static bool isSignedCounter(const Type &type) {
  return type.shape.empty() && isSigned(type.element) && type.element.bits() >= 32;
}

std::optional<Generator::Counted> Generator::matchCounted(const ForStmt &stmt) {
  if (!stmt.test || !stmt.step)
    return std::nullopt;
  auto loop = matchCounted(*stmt.test, *stmt.step, stmt.body, stmt.range);
  auto *declared = llvm::dyn_cast_or_null<DeclStmt>(stmt.init.get());
  if (loop && declared)
    loop->isVariableOwn = llvm::any_of(declared->variables, [&](const Variable &variable) {
      return variable.name == locals[loop->variable].name;
    });
  return loop;
}

/// The step is the last statement; nothing skips it, and it means the loop's variables.
std::optional<Generator::Counted> Generator::matchCounted(const WhileStmt &stmt) {
  auto *block = llvm::dyn_cast<BlockStmt>(stmt.body.get());
  if (!block || block->body.empty())
    return std::nullopt;
  auto *last = llvm::dyn_cast<ExprStmt>(block->body.back().get());
  llvm::ArrayRef<StmtPtr> rest = llvm::ArrayRef(block->body).drop_back();
  NameSet names;
  if (!last || jumpsOf(rest).any() || !isInvariant(*stmt.test, names) || declaresAny(rest, names))
    return std::nullopt;
  auto loop = matchCounted(*stmt.test, *last->value, rest, stmt.range);
  if (!loop || !loop->by)
    return loop;
  NameSet inStep;
  return isInvariant(*loop->by, inStep) && !declaresAny(rest, inStep) ? loop : std::nullopt;
}

std::optional<Generator::Counted> Generator::matchCounted(const Expr &testExpr,
                                                          const Expr &stepExpr,
                                                          llvm::ArrayRef<StmtPtr> body,
                                                          SourceRange range) {
  auto step = matchStep(stepExpr);
  auto *test = llvm::dyn_cast<Binary>(&testExpr);
  auto local = step ? find(step->name) : std::nullopt;
  if (!local || !test || !isSignedCounter(locals[*local].type) || locals[*local].isConst)
    return std::nullopt;
  Jumps jumps = jumpsOf(body);
  if (jumps.breaks || jumps.returns)
    return std::nullopt;

  Counted loop;
  loop.loop.body = body;
  loop.loop.range = range;
  loop.variable = *local;
  loop.by = step->by;
  bool isLeft = isName(*test->lhs, step->name);
  if (!isLeft && !isName(*test->rhs, step->name))
    return std::nullopt;
  loop.bound = (isLeft ? test->rhs : test->lhs).get();
  switch (test->op) {
  case BinaryOp::Lt:
  case BinaryOp::Le:
    loop.isUp = isLeft;
    break;
  case BinaryOp::Gt:
  case BinaryOp::Ge:
    loop.isUp = !isLeft;
    break;
  default:
    return std::nullopt;
  }
  loop.includesBound = test->op == BinaryOp::Le || test->op == BinaryOp::Ge;
  if (loop.isUp != step->isUp)
    return std::nullopt;

  NameSet read, assigned = assignedBy(body);
  if (!isInvariant(*loop.bound, read) || (loop.by && !isInvariant(*loop.by, read)))
    return std::nullopt;
  read.insert(std::string(step->name));
  for (const std::string &name : read) {
    std::string_view function = name;
    bool isCall = function.ends_with("()");
    if (isCall)
      function.remove_suffix(2);
    if (assigned.contains(name) || (isCall && unit->find(function)))
      return std::nullopt;
    auto named = find(name);
    if (named && !locals[*named].type.shape.empty())
      return std::nullopt;
  }
  // The bound and the step do not depend on the counter.
  NameSet others;
  isInvariant(*loop.bound, others);
  if (loop.by)
    isInvariant(*loop.by, others);
  if (others.contains(step->name))
    return std::nullopt;
  return loop;
}

/// A step is positive if it is a constant, or a number of programs.
static bool isPositive(const Tensor &value, std::optional<Constant::Int> known) {
  return known ? *known > 0 : value.value.getDefiningOp<tt::GetNumProgramsOp>() != nullptr;
}

bool Generator::countedLoop(const Counted &counted) {
  Type type = locals[counted.variable].type;
  // A bound with an error would be reported once more by the loop that is built instead.
  auto boundValue = expression(*counted.bound);
  auto byValue = counted.by ? expression(*counted.by)
                            : Value(conversions.constant({Constant::Int(1)}, type.element));
  if (!boundValue || !byValue)
    return true;
  if (!isInteger(boundValue->dtype) || !isInteger(byValue->dtype) || !boundValue->isScalar() ||
      !byValue->isScalar() || !isPositive(*byValue, conversions.knownInt(*byValue)))
    return false;
  DType common = commonType(type.element, boundValue->dtype);
  if (!isSigned(common) || !isSigned(promoted(byValue->dtype)) ||
      byValue->dtype.bits() > common.bits())
    return false;

  sema.setRange(counted.loop.range);
  mlir::Location loc = sema.loc();
  Tensor start = conversions.convert(get(counted.variable), common);
  Tensor bound = conversions.convert(*boundValue, common);
  Tensor by = conversions.convert(*byValue, common);
  if (counted.includesBound) {
    Tensor one = conversions.constant({Constant::Int(1)}, common);
    bound = fold(build::arithmetic(
        sema, counted.isUp ? frontend::BinaryOp::Add : frontend::BinaryOp::Sub, {bound, one}));
  }
  mlir::Value low = (counted.isUp ? start : bound).value;
  mlir::Value high = (counted.isUp ? bound : start).value;

  LoopFrame own{frame->loop, {}, {}};
  Carried carried = carriedBy(counted.loop, own);
  llvm::SmallVector<mlir::Value> inits = valuesOf(carried);
  // What the variable is after the loop, where that can be seen.
  if (!counted.isVariableOwn)
    inits.push_back(start.value);
  std::vector<mlir::Value> before = snapshot();
  auto forOp = builder.create<mlir::scf::ForOp>(loc, low, high, by.value, inits);
  mlir::Block *body = forOp.getBody();
  body->clear();
  builder.setInsertionPointToEnd(body);
  Tensor index{forOp.getInductionVar(), common};
  if (!counted.isUp) {
    Tensor sum = fold(build::arithmetic(sema, frontend::BinaryOp::Add, {start, bound}));
    index = build::arithmetic(sema, frontend::BinaryOp::Sub, {sum, index});
  }
  setAll(carried, mlir::ValueRange(forOp.getRegionIterArgs()).take_front(carried.size()));
  set(counted.variable, conversions.convert(index, type.element).value);
  iteration(own, counted.loop.body);
  llvm::SmallVector<mlir::Value> yields = valuesOf(carried);
  sema.setRange(counted.loop.range);
  if (!counted.isVariableOwn) {
    frontend::BinaryOp op = counted.isUp ? frontend::BinaryOp::Add : frontend::BinaryOp::Sub;
    yields.push_back(build::arithmetic(sema, op, {index, by}).value);
  }
  builder.create<mlir::scf::YieldOp>(loc, yields);

  builder.setInsertionPointAfter(forOp);
  restore(before);
  setAll(carried, forOp.getResults().take_front(carried.size()));
  if (!counted.isVariableOwn)
    set(counted.variable,
        conversions.convert({forOp.getResults().back(), common}, type.element).value);
  return true;
}

} // namespace tritium::frontend::tritonc
