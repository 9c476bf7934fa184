//===- IRGenLoops.cpp - while, do, and for that does not count ------------===//
//
//   while (c) body     %r = scf.while (%x = %x0) {      ; the variables that it assigns
//                        scf.condition(c) %x
//                      } do { ^bb0(%x): body; scf.yield %x1 }
//
//   do body while (c)  %r = scf.while (%x = %x0) { body; scf.condition(c) %x1 }
//                      do { ^bb0(%x): scf.yield %x }
//
// With a `break` or a `return` in the body, the test and the step stand under `isLive`.
//
//===----------------------------------------------------------------------===//

#include "LoopParts.h"

#include "tritium/Dialect/Tile/IR/Tile.h"

#include <algorithm>

namespace tritium::frontend::tritonc {
using namespace tritium::sema;

/// What the loop may change, ordered by name as in the Python front end.
Generator::Carried Generator::carriedBy(const Loop &loop, const LoopFrame &own) {
  NameSet names = assignedBy(loop.body);
  for (const Expr *expr : {loop.test, loop.step})
    if (expr)
      names.merge(assignedBy(*expr));
  Carried carried;
  if (own.isLive)
    carried.push_back(*own.isLive);
  if (jumpsOf(loop.body).returns) {
    for (LoopFrame *outer = frame->loop; outer; outer = outer->outer)
      carried.append({*outer->isLive, *outer->isIterationLive});
    for (std::optional<LocalIndex> local : {frame->isLive, frame->result})
      if (local)
        carried.push_back(*local);
  }
  for (const std::string &name : names)
    if (auto local = find(name))
      carried.push_back(*local);
  return carried;
}

llvm::SmallVector<mlir::Value> Generator::valuesOf(const Carried &carried) const {
  llvm::SmallVector<mlir::Value> values;
  for (LocalIndex local : carried)
    values.push_back(locals[local].value);
  return values;
}

void Generator::setAll(const Carried &carried, mlir::ValueRange values) {
  for (auto [local, value] : llvm::zip(carried, values))
    set(local, value);
}

/// The body once.
void Generator::iteration(LoopFrame &own, llvm::ArrayRef<StmtPtr> body) {
  size_t outer = locals.size();
  own.isIterationLive.reset();
  if (jumpsOf(body).any())
    own.isIterationLive = declareFlag(true);
  frame->loop = &own;
  run(body);
  frame->loop = own.outer;
  locals.resize(outer);
}

/// Whether there is another iteration.
mlir::Value Generator::loopTest(const Loop &loop, const LoopFrame &own) {
  auto evaluateTest = [&]() -> mlir::Value {
    auto test = condition(*loop.test);
    return (test ? *test : boolean(false)).value;
  };
  if (!loop.test)
    return own.isLive ? get(*own.isLive).value : boolean(true).value;
  if (!own.isLive)
    return evaluateTest();
  LocalIndex result = declareFlag(false);
  branch(get(*own.isLive).value, [&] { set(result, evaluateTest()); });
  mlir::Value value = get(result).value;
  locals.pop_back();
  return value;
}

Flow Generator::whileLoop(const Loop &loop) {
  Jumps jumps = jumpsOf(loop.body);
  LoopFrame own{frame->loop, {}, {}};
  if (jumps.breaks || jumps.returns)
    own.isLive = declareFlag(true);
  Carried carried = carriedBy(loop, own);
  llvm::SmallVector<mlir::Value> inits = valuesOf(carried);
  llvm::SmallVector<mlir::Type> types(mlir::ValueRange(inits).getTypes());
  mlir::Location loc = sema.loc();
  llvm::SmallVector<mlir::Location> locations(types.size(), loc);
  std::vector<mlir::Value> before = snapshot();
  auto whileOp = builder.create<mlir::scf::WhileOp>(loc, types, inits);
  mlir::Block *testBlock = builder.createBlock(&whileOp.getBefore(), {}, types, locations);
  mlir::Block *bodyBlock = builder.createBlock(&whileOp.getAfter(), {}, types, locations);

  builder.setInsertionPointToEnd(testBlock);
  setAll(carried, testBlock->getArguments());
  if (loop.isDo)
    iteration(own, loop.body);
  mlir::Value test = loopTest(loop, own);
  builder.create<mlir::scf::ConditionOp>(loc, test, valuesOf(carried));

  builder.setInsertionPointToEnd(bodyBlock);
  setAll(carried, bodyBlock->getArguments());
  if (!loop.isDo)
    iteration(own, loop.body);
  auto step = [&] { effect(*loop.step); };
  if (loop.step && own.isLive)
    branch(get(*own.isLive).value, step);
  else if (loop.step)
    step();
  builder.create<mlir::scf::YieldOp>(loc, valuesOf(carried));

  builder.setInsertionPointAfter(whileOp);
  restore(before);
  setAll(carried, whileOp.getResults());
  return jumps.returns ? Flow::Maybe : Flow::Falls;
}

Flow Generator::loopStatement(const Stmt &stmt) {
  LocalIndex outer = locals.size();
  Loop loop;
  loop.range = stmt.range;
  if (auto *whileStmt = llvm::dyn_cast<WhileStmt>(&stmt)) {
    if (auto counted = matchCounted(*whileStmt))
      if (countedLoop(*counted))
        return Flow::Falls;
    loop.test = whileStmt->test.get();
    loop.body = whileStmt->body;
  } else {
    loop.test = llvm::cast<DoStmt>(stmt).test.get();
    loop.body = llvm::cast<DoStmt>(stmt).body;
    loop.isDo = true;
  }
  sema.setRange(stmt.range);
  Flow flow = whileLoop(loop);
  locals.resize(outer);
  return flow;
}

Flow Generator::forStatement(const ForStmt &stmt) {
  if (stmt.init)
    statement(*stmt.init);
  if (auto counted = matchCounted(stmt))
    if (countedLoop(*counted))
      return Flow::Falls;
  Loop loop;
  loop.test = stmt.test.get();
  loop.step = stmt.step.get();
  loop.body = stmt.body;
  loop.range = stmt.range;
  sema.setRange(stmt.range);
  return whileLoop(loop);
}

} // namespace tritium::frontend::tritonc
