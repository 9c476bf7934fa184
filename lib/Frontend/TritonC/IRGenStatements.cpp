//===- IRGenStatements.cpp - declarations, if, jumps ----------------------===//
//
//   if (c) x = a;        %x = scf.if %c -> (T) { scf.yield %a } else { scf.yield %b }
//   else x = b;
//
//   if (c) return;       %live = scf.if %c -> (i1) { scf.yield %false } else { scf.yield %true }
//   rest                 scf.if %live { rest }
//
// After an error the walk goes on with the next statement; what a failed expression would
// have given is left as it was.
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include "tritium/Dialect/Tile/IR/Tile.h"
#include "tritium/Frontend/Sema/Build.h"
#include "tritium/Frontend/Sema/DTypes.h"
#include "tritium/Frontend/Sema/Stops.h"

#include "llvm/ADT/STLExtras.h"

namespace tritium::frontend::tritonc {
using namespace tritium::sema;

std::optional<LocalIndex> Generator::innermostLive() const {
  return frame->loop ? frame->loop->isIterationLive : frame->isLive;
}

Flow Generator::run(llvm::ArrayRef<StmtPtr> statements) {
  LocalIndex outer = locals.size();
  Flow flow = Flow::Falls;
  for (size_t i = 0; i < statements.size() && flow == Flow::Falls && !isStopped; ++i) {
    flow = statement(*statements[i]);
    if (flow != Flow::Maybe || i + 1 == statements.size())
      continue;
    sema.setRange(statements[i + 1]->range);
    branch(get(*innermostLive()).value, [&] { run(statements.drop_front(i + 1)); });
    break;
  }
  locals.resize(outer);
  return flow;
}

Flow Generator::scoped(const Stmt &stmt) {
  LocalIndex outer = locals.size();
  Flow flow = statement(stmt);
  locals.resize(outer);
  return flow;
}

/// Of statements that do something: a block's are its own.
void Generator::beginLine(const Stmt &stmt) {
  if (stmt.kind == StmtKind::Block || stmt.kind == StmtKind::Empty ||
      stmt.kind == StmtKind::StaticAssert)
    return;
  // What an inner scope declares hides the same name further out.
  std::map<std::string, build::Variable, std::less<>> variables;
  for (LocalIndex i = frame->firstLocal; i < locals.size(); ++i)
    if (const Local &local = locals[i]; !local.name.empty() && !local.isBeingInitialised)
      variables.insert_or_assign(local.name, build::Variable(local.name, get(i)));
  build::line(sema, frame->function->name, llvm::to_vector(llvm::make_second_range(variables)));
}

Flow Generator::statement(const Stmt &stmt) {
  Level level(*this);
  sema.setRange(stmt.range);
  if (!checkLimits())
    return Flow::Falls;
  if (options.hasLines)
    beginLine(stmt);
  switch (stmt.kind) {
  case StmtKind::Expression:
    effect(*llvm::cast<ExprStmt>(stmt).value);
    return Flow::Falls;
  case StmtKind::Declaration:
    declaration(llvm::cast<DeclStmt>(stmt));
    return Flow::Falls;
  case StmtKind::Block:
    return run(llvm::cast<BlockStmt>(stmt).body);
  case StmtKind::If:
    return ifStatement(llvm::cast<IfStmt>(stmt));
  case StmtKind::For: {
    LocalIndex outer = locals.size();
    Flow flow = forStatement(llvm::cast<ForStmt>(stmt));
    locals.resize(outer);
    return flow;
  }
  case StmtKind::While:
  case StmtKind::Do:
    return loopStatement(stmt);
  case StmtKind::Break:
  case StmtKind::Continue:
    return jump(stmt);
  case StmtKind::Return:
    return returnStatement(llvm::cast<ReturnStmt>(stmt));
  case StmtKind::Predicated:
    predicated(llvm::cast<PredicatedStmt>(stmt));
    return Flow::Falls;
  case StmtKind::StaticAssert:
    staticAssert(llvm::cast<StaticAssertStmt>(stmt));
    return Flow::Falls;
  case StmtKind::Empty:
    return Flow::Falls;
  }
  return Flow::Falls;
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

void Generator::declaration(const DeclStmt &stmt) {
  for (const Variable &variable : stmt.variables) {
    sema.setRange(variable.nameRange);
    if (variable.type.isVoid()) {
      sema.error("variable '" + variable.name + "' cannot be of type 'void'");
      continue;
    }
    if (!sema.checkShape(variable.type.shape))
      continue;
    // The name is in scope in its own initialiser, where it has no value yet.
    LocalIndex local = declare(variable.name, variable.type, conversions.zero(variable.type).value,
                               variable.nameRange);
    locals[local].isBeingInitialised = true;
    Value value;
    if (variable.init)
      value = expression(*variable.init);
    locals[local].isBeingInitialised = false;
    locals[local].multipleOf = variable.attributes.multipleOf;
    locals[local].aligned = variable.attributes.aligned;
    locals[local].isConst = variable.isConst;
    if (value) {
      sema.setRange(variable.init->range);
      value = conversions.assign(*value, variable.type, "initialise '" + variable.name + "'");
    }
    // Without an initialiser a variable is zero, so that kernels are deterministic.
    set(local, (value ? *value : conversions.zero(variable.type)).value);
    sema.setRange(variable.nameRange);
    checkPromises(locals[local]);
  }
}

void Generator::staticAssert(const StaticAssertStmt &stmt) {
  auto value = constantExpression(*stmt.condition, "the condition of a static assertion");
  if (value && *value == 0)
    error(stmt.range,
          "static assertion failed" + (stmt.message.empty() ? std::string() : ": " + stmt.message));
}

//===----------------------------------------------------------------------===//
// if
//===----------------------------------------------------------------------===//

Generator::Value Generator::condition(const Expr &test) {
  auto value = expression(test);
  if (!value)
    return std::nullopt;
  sema.setRange(test.range);
  if (!value->isScalar())
    return sema.error("a condition must be a scalar, found " + describe(*value) +
                      "; use '?:' or '*?(mask)' to choose element by element, or reduce the "
                      "tile first");
  return conversions.truth(*value);
}

void Generator::branch(mlir::Value condition, Body then, Body otherwise) {
  mlir::Location loc = sema.loc();
  auto ifOp = builder.create<mlir::scf::IfOp>(loc, mlir::TypeRange(), condition, true, true);
  std::vector<mlir::Value> before = snapshot(), after[2];
  mlir::OpBuilder::InsertPoint ends[2];
  for (int i = 0; i < 2; ++i) {
    restore(before);
    builder.setInsertionPointToEnd(i == 0 ? ifOp.thenBlock() : ifOp.elseBlock());
    (i == 0 ? then : otherwise)();
    ends[i] = builder.saveInsertionPoint();
    after[i] = snapshot();
  }
  llvm::SmallVector<LocalIndex> changed;
  llvm::SmallVector<mlir::Value> yields[2];
  for (LocalIndex i = 0; i < before.size(); ++i) {
    if (after[0][i] == after[1][i])
      continue;
    changed.push_back(i);
    yields[0].push_back(after[0][i]);
    yields[1].push_back(after[1][i]);
  }
  for (int i = 0; i < 2; ++i) {
    builder.restoreInsertionPoint(ends[i]);
    builder.create<mlir::scf::YieldOp>(loc, yields[i]);
  }
  restore(after[0]);
  if (changed.empty()) {
    if (llvm::hasSingleElement(*ifOp.elseBlock()))
      ifOp.elseBlock()->erase();
    builder.setInsertionPointAfter(ifOp);
    return;
  }
  builder.setInsertionPoint(ifOp);
  auto whole = builder.create<mlir::scf::IfOp>(loc, mlir::ValueRange(yields[0]).getTypes(),
                                               condition, false, false);
  whole.getThenRegion().takeBody(ifOp.getThenRegion());
  whole.getElseRegion().takeBody(ifOp.getElseRegion());
  ifOp.erase();
  builder.setInsertionPointAfter(whole);
  for (auto [local, result] : llvm::zip(changed, whole.getResults()))
    set(local, result);
}

Flow Generator::ifStatement(const IfStmt &stmt) {
  auto test = condition(*stmt.test);
  if (!test)
    test = boolean(true);
  sema.setRange(stmt.range);
  Flow then = Flow::Falls, otherwise = Flow::Falls;
  branch(
      test->value, [&] { then = scoped(*stmt.body); },
      [&] {
        if (stmt.otherwise)
          otherwise = scoped(*stmt.otherwise);
      });
  if (then == Flow::Falls && otherwise == Flow::Falls)
    return Flow::Falls;
  return then == Flow::Leaves && otherwise == Flow::Leaves ? Flow::Leaves : Flow::Maybe;
}

//===----------------------------------------------------------------------===//
// Jumps
//===----------------------------------------------------------------------===//

Flow Generator::jump(const Stmt &stmt) {
  bool isBreak = stmt.kind == StmtKind::Break;
  LoopFrame *loop = frame->loop;
  if (!loop) {
    error(stmt.range, std::string(isBreak ? "'break'" : "'continue'") + " is not in a loop");
    return Flow::Falls;
  }
  set(*loop->isIterationLive, boolean(false).value);
  if (isBreak)
    set(*loop->isLive, boolean(false).value);
  return Flow::Leaves;
}

Flow Generator::returnStatement(const ReturnStmt &stmt) {
  const Type &type = frame->function->result;
  std::string name = "'" + frame->function->name + "'";
  if (type.isVoid() && stmt.value)
    error(stmt.range, "void function " + name + " cannot return a value");
  else if (!type.isVoid() && !stmt.value)
    error(stmt.range, "function " + name + " must return a value of type '" + spelling(type) + "'");
  else if (stmt.value) {
    auto value = expression(*stmt.value);
    sema.setRange(stmt.value->range);
    auto converted = value ? conversions.assign(*value, type, "return a result") : std::nullopt;
    if (converted)
      set(*frame->result, converted->value);
  }
  sema.setRange(stmt.range);
  mlir::Value no = boolean(false).value;
  if (frame->isLive)
    set(*frame->isLive, no);
  for (LoopFrame *loop = frame->loop; loop; loop = loop->outer) {
    set(*loop->isLive, no);
    set(*loop->isIterationLive, no);
  }
  return Flow::Leaves;
}

//===----------------------------------------------------------------------===//
// @predicate statement
//===----------------------------------------------------------------------===//

/// `@p x = e;` leaves x as it is where p is false; `@p *q = e;` stores where p is true. Loads
/// in e are under p.
void Generator::predicated(const PredicatedStmt &stmt) {
  auto *assignment = llvm::dyn_cast<Assign>(stmt.value.get());
  if (!assignment) {
    error(stmt.value->range, "a predicated statement is an assignment, '@p x = e;' or "
                             "'@p *q = e;'; use 'if' for anything else");
    return;
  }
  auto predicate = expression(*stmt.predicate);
  sema.setRange(stmt.predicate->range);
  auto test = predicate ? conversions.truth(*predicate) : std::nullopt;
  if (!test)
    return;
  predicatedAssign(*assignment, *test);
}

} // namespace tritium::frontend::tritonc
