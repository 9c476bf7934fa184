//===- WarpSpecializerGroups.cpp - what each group of warps does ----------===//

#include "WarpSpecializer.h"

#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"

using namespace mlir;

namespace tritium::ttg {

/// The types of all numbers of a state.
static SmallVector<Type> typesOf(ValueRange state) { return llvm::to_vector(state.getTypes()); }

/// The last `count` of `values`.
static SmallVector<Value> lastOf(ValueRange values, size_t count) {
  return llvm::to_vector(values.take_back(count));
}

//===----------------------------------------------------------------------===//
// The group that loads
//===----------------------------------------------------------------------===//

void WarpSpecializer::load(Block &block, OpBuilder &b, IRMapping &mapping, State &state) {
  for (Operation &op : block.without_terminator())
    if (isAround(&op)) {
      if (auto loop = dyn_cast<scf::ForOp>(op))
        loadInLoop(loop, b, mapping, state);
      else
        loadInBranch(cast<scf::IfOp>(op), b, mapping, state);
    } else if (Copies *own = find(&op)) {
      startCopies(*own, b, mapping, state);
    } else if (loader.contains(&op)) {
      b.clone(op, mapping)->removeAttr(kSchedule);
    }
}

void WarpSpecializer::loadInLoop(scf::ForOp loop, OpBuilder &b, IRMapping &mapping, State &state) {
  SmallVector<unsigned> carried = loader.carriedOf(loop);
  auto mapped = [&](Value value) { return mapping.lookupOrDefault(value); };
  SmallVector<Value> inits;
  for (unsigned i : carried)
    inits.push_back(mapped(loop.getInitArgs()[i]));
  llvm::append_range(inits, state);
  auto fresh = b.create<scf::ForOp>(loop.getLoc(), mapped(loop.getLowerBound()),
                                    mapped(loop.getUpperBound()), mapped(loop.getStep()), inits);
  if (loop->hasAttr(kPrograms))
    fresh->setAttr(kPrograms, b.getUnitAttr());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(fresh.getBody());
  mapping.map(loop.getInductionVar(), fresh.getInductionVar());
  for (auto [i, number] : llvm::enumerate(carried))
    mapping.map(loop.getRegionIterArg(number), fresh.getRegionIterArg(i));
  state = lastOf(fresh.getRegionIterArgs(), state.size());
  load(*loop.getBody(), b, mapping, state);
  if (Copies *own = find(loop))
    startCopies(*own, b, mapping, state);
  SmallVector<Value> yields;
  for (unsigned i : carried)
    yields.push_back(mapped(loop.getYieldedValues()[i]));
  llvm::append_range(yields, state);
  b.create<scf::YieldOp>(loc, yields);
  state = lastOf(fresh.getResults(), state.size());
}

void WarpSpecializer::loadInBranch(scf::IfOp branch, OpBuilder &b, IRMapping &mapping,
                                   State &state) {
  auto fresh = b.create<scf::IfOp>(branch.getLoc(), typesOf(state),
                                   mapping.lookupOrDefault(branch.getCondition()),
                                   /*withElseRegion=*/true);
  auto fill = [&](Block *source, Block *block) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(block);
    State inside = state;
    if (source)
      load(*source, b, mapping, inside);
    b.create<scf::YieldOp>(loc, inside);
  };
  fill(branch.thenBlock(), fresh.thenBlock());
  fill(branch.elseBlock(), fresh.elseBlock());
  state = llvm::to_vector(ValueRange(fresh.getResults()));
}

/// The copies of an iteration, each part when its buffers are free.
void WarpSpecializer::startCopies(Copies &copies, OpBuilder &b, IRMapping &mapping, State &state) {
  Rings &own = ringsOf(copies);
  Value slot = state[2 * copies.rings];
  Value one = b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(1));
  Value before = b.create<arith::XOrIOp>(loc, state[2 * copies.rings + 1], one);
  auto mapped = [&](ValueRange values) {
    return llvm::map_to_vector(values, [&](Value x) { return mapping.lookupOrDefault(x); });
  };
  for (unsigned part = 0; part < own.full.size(); ++part) {
    b.create<ttng::MBarrierWaitOp>(loc, at(b, own.empty[part], slot), before);
    int64_t bytes = 0;
    for (auto [copy, its] : llvm::zip(copies.schedule.copies, copies.parts))
      bytes += its == part ? copy.ring.getTileBytes() : 0;
    Value barrier = at(b, own.full[part], slot);
    b.create<ttng::MBarrierExpectOp>(loc, barrier, bytes);
    for (auto [copy, its, ring] : llvm::zip(copies.schedule.copies, copies.parts, own.buffers)) {
      auto box = cast<ttng::LoadBoxOp>(copy.load);
      if (its == part)
        b.create<ttng::TMALoadOp>(box.getLoc(), mapping.lookupOrDefault(box.getBase()),
                                  mapped(box.getShape()), mapped(box.getStrides()),
                                  mapped(box.getOffsets()), at(b, ring, slot), barrier,
                                  box.getRoundsToTF32());
    }
  }
  advance(b, copies, state);
}

//===----------------------------------------------------------------------===//
// The group that computes
//===----------------------------------------------------------------------===//

void WarpSpecializer::compute(Block &block, State &state) {
  SmallVector<Operation *> own;
  for (Operation &op : block.without_terminator())
    if (isAround(&op) || find(&op))
      own.push_back(&op);
  for (Operation *op : own)
    if (auto loop = dyn_cast<scf::ForOp>(op))
      computeInLoop(loop, state);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      computeInBranch(branch, state);
    else
      readCopy(*find(op), state);
}

void WarpSpecializer::computeInLoop(scf::ForOp loop, State &state) {
  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  Copies *own = find(loop);
  auto fresh = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, state, /*replaceInitOperandUsesInLoop=*/false,
      [](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
        return SmallVector<Value>(arguments.begin(), arguments.end());
      }));
  size_t count = state.size();
  state = lastOf(fresh.getRegionIterArgs(), count);
  if (own) {
    own->place = fresh;
    readCopies(*own, fresh, state);
  } else {
    compute(*fresh.getBody(), state);
  }
  Operation *yield = fresh.getBody()->getTerminator();
  for (auto [i, value] : llvm::enumerate(state))
    yield->setOperand(yield->getNumOperands() - count + i, value);
  state = lastOf(fresh.getResults(), count);
}

void WarpSpecializer::computeInBranch(scf::IfOp branch, State &state) {
  OpBuilder b(branch);
  SmallVector<Type> types = llvm::to_vector(branch.getResultTypes());
  llvm::append_range(types, typesOf(state));
  auto fresh = b.create<scf::IfOp>(branch.getLoc(), types, branch.getCondition(),
                                   /*withElseRegion=*/false);
  fresh->setDiscardableAttrs(branch->getDiscardableAttrDictionary());
  fresh.getThenRegion().takeBody(branch.getThenRegion());
  if (branch.elseBlock())
    fresh.getElseRegion().takeBody(branch.getElseRegion());
  else
    OpBuilder::atBlockEnd(&fresh.getElseRegion().emplaceBlock()).create<scf::YieldOp>(loc);
  for (Block *block : {fresh.thenBlock(), fresh.elseBlock()}) {
    State inside = state;
    compute(*block, inside);
    Operation *yield = block->getTerminator();
    yield->insertOperands(yield->getNumOperands(), inside);
  }
  branch.replaceAllUsesWith(fresh.getResults().drop_back(state.size()));
  branch.erase();
  state = lastOf(fresh.getResults(), state.size());
}

/// Reads what the copies bring, and hands the buffers back at the end.
void WarpSpecializer::readCopies(Copies &copies, scf::ForOp fresh, State &state) {
  for (Operation &op : *fresh.getBody()) {
    op.removeAttr(kSchedule);
    op.removeAttr(kAsyncCopy);
  }
  for (StringRef name : {kStages, kBuffers, kAcross})
    fresh->removeAttr(name);
  Value slot = state[2 * copies.rings], phase = state[2 * copies.rings + 1];
  for (unsigned part = 0; part < ringsOf(copies).full.size(); ++part)
    takeCopies(copies, part, slot, phase);
  OpBuilder b(fresh.getBody()->getTerminator());
  advance(b, copies, state);
}

/// Of a copy by itself.
void WarpSpecializer::readCopy(Copies &copies, State &state) {
  Value slot = state[2 * copies.rings], phase = state[2 * copies.rings + 1];
  OpBuilder b(copies.place);
  advance(b, copies, state);
  takeCopies(copies, /*part=*/0, slot, phase);
}

/// Conversions and transpositions of what `load` brings, in its loop.
static void addConversions(Operation *load, llvm::SmallSetVector<Operation *, 8> &found) {
  for (Operation *user : load->getUsers())
    if (user->getBlock() == load->getBlock() && isa<ConvertLayoutOp, tt::TransOp>(user) &&
        found.insert(user))
      addConversions(user, found);
}

/// The first operation of the block that uses a result of `all`, and is none of them.
static Operation *firstUser(ArrayRef<Operation *> all) {
  Block *block = all.front()->getBlock();
  Operation *first = block->getTerminator();
  for (Operation *op : all)
    for (Operation *user : op->getUsers())
      if (Operation *here = block->findAncestorOpInBlock(*user);
          !llvm::is_contained(all, here) && here->isBeforeInBlock(first))
        first = here;
  return first;
}

/// The tiles of a part are read, and converted, where they are first needed, behind the wait for
/// them.
void WarpSpecializer::takeCopies(Copies &copies, unsigned part, Value slot, Value phase) {
  Rings &own = ringsOf(copies);
  SmallVector<Operation *> loads;
  llvm::SmallSetVector<Operation *, 8> conversions;
  for (auto [copy, its] : llvm::zip(copies.schedule.copies, copies.parts))
    if (its == part) {
      loads.push_back(copy.load);
      addConversions(copy.load, conversions);
    }
  SmallVector<Operation *> all(loads);
  llvm::append_range(all, conversions);
  Operation *first = firstUser(all);
  OpBuilder b(first);
  b.create<ttng::MBarrierWaitOp>(loc, at(b, own.full[part], slot), phase);
  SmallVector<Value> buffers;
  for (auto [copy, its, ring] : llvm::zip(copies.schedule.copies, copies.parts, own.buffers)) {
    if (its != part)
      continue;
    Value tile = copy.load->getResult(0), buffer = at(b, ring, slot);
    buffers.push_back(buffer);
    auto read = [&](Value as) {
      as.replaceAllUsesWith(b.create<LocalLoadOp>(copy.load->getLoc(), as.getType(), buffer));
    };
    for (Operation *user : llvm::make_early_inc_range(tile.getUsers()))
      if (isa<ConvertLayoutOp>(user) && conversions.remove(user)) {
        read(user->getResult(0));
        user->erase();
      }
    if (!tile.use_empty())
      read(tile);
    copy.load->erase();
  }
  SmallVector<Operation *> left = conversions.takeVector();
  llvm::sort(left, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : left)
    op->moveBefore(first);
  b.setInsertionPoint(first->getBlock()->getTerminator());
  b.create<ttng::MBarrierArriveOp>(loc, at(b, own.empty[part], slot), warps(), buffers);
}

} // namespace tritium::ttg
