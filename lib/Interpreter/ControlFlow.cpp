//===- ControlFlow.cpp - loops, branches, calls ---------------------------===//

#include "Loops.h"

#include "tritium/Analysis/WaitLoops.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tritium::interpreter {

namespace {
/// What is carried: the values' tiles, and behind them the numbers of dots that some are from.
void addDots(Builder &b, ValueRange values, SmallVector<Tile> &tiles) {
  for (Value value : values)
    if (b.mayBeInFlight(value))
      tiles.push_back(b.dotOf(value));
}

SmallVector<Tile> getAll(Builder &b, ValueRange values) {
  SmallVector<Tile> tiles;
  for (Value value : values)
    tiles.push_back(b.get(value));
  addDots(b, values, tiles);
  return tiles;
}

SmallVector<Tile> defineAll(Builder &b, ValueRange values) {
  SmallVector<Tile> tiles;
  for (Value value : values)
    tiles.push_back(b.define(value));
  addDots(b, values, tiles);
  return tiles;
}

void bindAll(Builder &b, ValueRange values, ArrayRef<Tile> tiles) {
  size_t next = values.size();
  for (auto [value, tile] : llvm::zip(values, tiles)) {
    b.bind(value, tile);
    if (b.mayBeInFlight(value))
      b.bindDot(value, tiles[next++]);
  }
}

/// The loop-carried values live in the slots of the loop's results.
void buildFor(Builder &b, scf::ForOp op) {
  SmallVector<Tile> inits = getAll(b, op.getInitArgs()), results = defineAll(b, op.getResults());
  Tile lower = b.get(op.getLowerBound()), upper = b.get(op.getUpperBound()),
       step = b.get(op.getStep()), index = b.define(op.getInductionVar());
  b.addParallelCopy(inits, results);
  bindAll(b, op.getRegionIterArgs(), results);
  auto body = b.buildBlock(*op.getBody(), [&](Operation *yield) {
    b.addParallelCopy(getAll(b, yield->getOperands()), results);
  });
  b.add([=, site = Builder::siteOf(op.getLoc())](Machine &m) {
    unsigned bits = index.element.bits;
    int64_t first = signedValue(*m.at(lower), bits), last = signedValue(*m.at(upper), bits),
            by = signedValue(*m.at(step), bits);
    if (by <= 0)
      return m.fail("the step of a loop is " + std::to_string(by) + ", it must be positive", site);
    if (first >= last)
      return;
    // Counted, so that an upper bound near the largest integer ends the loop.
    uint64_t trips = (uint64_t(last) - uint64_t(first) - 1) / uint64_t(by) + 1;
    for (uint64_t i = 0; i < trips && !m.stopped; ++i) {
      *m.at(index) = (uint64_t(first) + i * uint64_t(by)) & index.element.mask();
      body->run(m);
      m.attend();
    }
  });
  b.release(index);
}

void buildIf(Builder &b, scf::IfOp op) {
  Tile condition = b.get(op.getCondition());
  SmallVector<Tile> results = defineAll(b, op.getResults());
  auto branch = [&](Region &region) -> std::shared_ptr<const Body> {
    if (region.empty())
      return std::make_shared<Body>();
    return b.buildBlock(region.front(), [&](Operation *yield) {
      b.addParallelCopy(getAll(b, yield->getOperands()), results);
    });
  };
  auto yes = branch(op.getThenRegion()), no = branch(op.getElseRegion());
  b.add([=](Machine &m) { (*m.at(condition) ? yes : no)->run(m); });
}

/// The arguments of the `after` region live in the slots of the results.
void buildWhile(Builder &b, scf::WhileOp op) {
  SmallVector<Tile> inits = getAll(b, op.getInits()), results = defineAll(b, op.getResults());
  SmallVector<Tile> carried = defineAll(b, op.getBeforeArguments());
  b.addParallelCopy(inits, carried);
  bindAll(b, op.getAfterArguments(), results);
  Tile goesOn = b.allocate(Element{Kind::Integer, 1}, 1);
  auto before = b.buildBlock(*op.getBeforeBody(), [&](Operation *end) {
    auto condition = cast<scf::ConditionOp>(end);
    b.addCopy(b.get(condition.getCondition()), goesOn);
    b.addParallelCopy(getAll(b, condition.getArgs()), results);
  });
  auto after = b.buildBlock(*op.getAfterBody(), [&](Operation *yield) {
    b.addParallelCopy(getAll(b, yield->getOperands()), carried);
  });
  b.add([=, waits = waitsForMemory(op), site = Builder::siteOf(op.getLoc())](Machine &m) {
    uint32_t rounds = 0;
    for (before->run(m); !m.stopped && *m.at(goesOn); before->run(m)) {
      after->run(m);
      m.attend();
      if (waits && !m.stopped)
        m.wait(++rounds, site);
      if (m.stopped)
        return;
    }
  });
  b.release(goesOn);
  for (Tile tile : ArrayRef(carried).take_front(op.getInits().size()))
    b.release(tile);
}

/// What stands in the region, once.
void buildRegion(Builder &b, Operation *op) {
  if (!op->getRegion(0).hasOneBlock())
    return b.refuse(op, "does not know branches between blocks");
  SmallVector<Tile> results = defineAll(b, op->getResults());
  auto body = b.buildBlock(op->getRegion(0).front(), [&](Operation *yield) {
    b.addParallelCopy(getAll(b, yield->getOperands()), results);
  });
  b.add([=](Machine &m) { body->run(m); });
}

/// The callee's steps stand at every call.
void buildCall(Builder &b, tt::CallOp op) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<tt::FuncOp>(op, op.getCalleeAttr());
  if (llvm::is_contained(b.callStack, callee))
    return b.refuse(op, "does not run recursive calls (of '" + callee.getName().str() + "')");
  if (!callee.getBody().hasOneBlock())
    return b.refuse(op, "does not know branches between blocks");
  SmallVector<Tile> operands = getAll(b, op.getOperands()), results = defineAll(b, op.getResults());
  bindAll(b, callee.getBody().getArguments(), operands);
  b.callStack.push_back(callee);
  auto body = b.buildBlock(callee.getBody().front(), [&](Operation *ret) {
    b.addParallelCopy(getAll(b, ret->getOperands()), results);
  });
  b.callStack.pop_back();
  b.add([=](Machine &m) { body->run(m); });
}
} // namespace

bool buildControlFlow(Builder &b, Operation *op) {
  return TypeSwitch<Operation *, bool>(op)
      .Case([&](scf::ForOp op) { return buildFor(b, op), true; })
      .Case([&](scf::IfOp op) { return buildIf(b, op), true; })
      .Case([&](scf::WhileOp op) { return buildWhile(b, op), true; })
      .Case<scf::ExecuteRegionOp, ttg::SkipMaskedOp>(
          [&](auto op) { return buildRegion(b, op), true; })
      .Case([&](tt::CallOp op) { return buildCall(b, op), true; })
      .Default([](Operation *) { return false; });
}

} // namespace tritium::interpreter
