//===- ScalarizeLoopOffsets.cpp - tt-scalarize-loop-offsets ---------------===//
//
// Kernels step through memory by moving a tile of pointers:
//
//   %r = scf.for ... iter_args(%p = %p0) -> (tensor<64x32x!tt.ptr<f32>>) {
//     ... use of %p ...
//     %s = tt.splat %step
//     %q = tt.addptr %p, %s
//     scf.yield %q
//   }
//
// All elements move alike, so one scalar says where the tile stands:
//
//   %n = scf.for ... iter_args(%o = 0) -> (i64) {
//     %so = tt.splat %o
//     %p = tt.addptr %p0, %so
//     ... use of %p ...
//     %o2 = arith.addi %o, %step
//     scf.yield %o2
//   }
//   %sn = tt.splat %n
//   %r = tt.addptr %p0, %sn
//
// The tile is then invariant, and what is known of the addresses within it (contiguity,
// strides) is visible where it is used. The carried offset of pointers is i64, because
// moves add up without wrapping; that of integers has their own width and wraps as they
// do.
//
// Inner loops go first: what they leave behind, addptr(p0, splat(n)), is a uniform move
// in the loop around them. Limits: the moves must stand in the loop's own block, not in
// a branch, and `scf.while` is left alone. Runs after canonicalisation, which turns
// broadcasts of scalars into splats, and before loop-invariant code motion.
//
//===----------------------------------------------------------------------===//

#include "tritium/Dialect/Tile/Transforms/Passes.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tritium::tt {

#define GEN_PASS_DEF_SCALARIZELOOPOFFSETS
#include "tritium/Dialect/Tile/Transforms/Passes.h.inc"

namespace {
/// One uniform move of a carried tile.
struct Move {
  Value scalar;            ///< the amount, or
  TypedAttr constant;      ///< the amount, if it is constant
  bool isNegative = false; ///< it is subtracted
};

/// The scalar that `tile` repeats, if it is uniform.
std::optional<Move> uniformMove(Value tile, bool isNegative) {
  if (auto splat = tile.getDefiningOp<SplatOp>())
    return Move{splat.getSrc(), {}, isNegative};
  SplatElementsAttr elements;
  if (matchPattern(tile, m_Constant(&elements)))
    return Move{{}, cast<TypedAttr>(elements.getSplatValue<Attribute>()), isNegative};
  return std::nullopt;
}

/// The moves that lead from `carried` to `value` within its block; nothing if another
/// operation takes part.
std::optional<SmallVector<Move>> movesBetween(BlockArgument carried, Value value) {
  SmallVector<Move> moves;
  auto follow = [&](Value base, Value amount, bool isNegative) {
    std::optional<Move> move = uniformMove(amount, isNegative);
    if (move)
      moves.push_back(*move);
    value = base;
    return move.has_value();
  };
  while (value != carried) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != carried.getOwner())
      return std::nullopt;
    bool ok = false;
    if (auto add = dyn_cast<AddPtrOp>(op))
      ok = follow(add.getPtr(), add.getOffset(), false);
    else if (auto add = dyn_cast<arith::AddIOp>(op))
      ok = uniformMove(add.getRhs(), false) ? follow(add.getLhs(), add.getRhs(), false)
                                            : follow(add.getRhs(), add.getLhs(), false);
    else if (auto sub = dyn_cast<arith::SubIOp>(op))
      ok = follow(sub.getLhs(), sub.getRhs(), true);
    if (!ok)
      return std::nullopt;
  }
  return moves;
}

Type offsetType(Type tile) {
  Type element = elementType(tile);
  return isa<PointerType>(element) ? IntegerType::get(tile.getContext(), 64) : element;
}

/// `base` with every element moved by the scalar `offset`.
Value moved(OpBuilder &b, Location loc, Value base, Value offset) {
  Value tile = b.create<SplatOp>(loc, withElement(base.getType(), offset.getType()), offset);
  if (isa<PointerType>(elementType(base.getType())))
    return b.create<AddPtrOp>(loc, base, tile);
  return b.create<arith::AddIOp>(loc, base, tile);
}

/// `offset` after one move. Moves of pointers do not wrap (see WidenOffsets.cpp).
Value advance(OpBuilder &b, Location loc, Value offset, const Move &move, bool isPointer) {
  Value amount = move.scalar ? move.scalar : b.create<arith::ConstantOp>(loc, move.constant);
  if (isPointer)
    amount = OffsetWidener().widen(amount);
  if (move.isNegative)
    return b.create<arith::SubIOp>(loc, offset, amount);
  return b.create<arith::AddIOp>(loc, offset, amount);
}

struct CarriedTile {
  unsigned index;
  SmallVector<Move> moves;
};
} // namespace

bool scalarizeLoopOffsets(scf::ForOp loop) {
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  SmallVector<CarriedTile> carried;
  for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    Type type = argument.getType();
    if (!isTile(type) || isTileFloat(elementType(type)))
      continue;
    auto moves = movesBetween(argument, yield.getOperand(i));
    if (moves && !moves->empty())
      carried.push_back({unsigned(i), std::move(*moves)});
  }
  if (carried.empty())
    return false;

  // The new loop starts as the old one with other inits and argument types.
  Location loc = loop.getLoc();
  OpBuilder b(loop);
  SmallVector<Value> inits(loop.getInitArgs()), bases;
  for (const CarriedTile &tile : carried) {
    bases.push_back(inits[tile.index]);
    Type type = offsetType(inits[tile.index].getType());
    inits[tile.index] = b.create<arith::ConstantOp>(loc, b.getIntegerAttr(type, 0));
  }
  auto replacement =
      b.create<scf::ForOp>(loc, loop.getLowerBound(), loop.getUpperBound(), loop.getStep(), inits);
  replacement->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  Block *body = replacement.getBody();
  if (!body->empty())
    body->getTerminator()->erase();
  body->getOperations().splice(body->end(), loop.getBody()->getOperations());
  SmallVector<Value> arguments(body->getArguments()), results(replacement.getResults());

  b.setInsertionPointToStart(body);
  for (auto [tile, base] : llvm::zip(carried, bases)) {
    Value &argument = arguments[tile.index + 1]; // after the induction variable
    argument = moved(b, loc, base, argument);
  }
  for (auto [old, argument] : llvm::zip(loop.getBody()->getArguments(), arguments))
    old.replaceAllUsesWith(argument);
  b.setInsertionPoint(yield);
  for (auto [tile, base] : llvm::zip(carried, bases)) {
    Value offset = body->getArgument(tile.index + 1);
    bool isPointer = isa<PointerType>(elementType(base.getType()));
    for (Move move : tile.moves) {
      // The amount may itself be carried, and is now an argument of the new loop.
      if (auto argument = dyn_cast_or_null<BlockArgument>(move.scalar);
          argument && argument.getOwner() == loop.getBody())
        move.scalar = arguments[argument.getArgNumber()];
      offset = advance(b, yield.getLoc(), offset, move, isPointer);
    }
    yield.setOperand(tile.index, offset);
  }
  b.setInsertionPointAfter(replacement);
  for (auto [tile, base] : llvm::zip(carried, bases))
    if (!loop.getResult(tile.index).use_empty())
      results[tile.index] = moved(b, loc, base, results[tile.index]);
  for (auto [old, result] : llvm::zip(loop.getResults(), results))
    if (!old.use_empty())
      old.replaceAllUsesWith(result);
  loop.erase();
  return true;
}

namespace {
struct ScalarizeLoopOffsetsPass : impl::ScalarizeLoopOffsetsBase<ScalarizeLoopOffsetsPass> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk<WalkOrder::PostOrder>([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      scalarizeLoopOffsets(loop);
  }
};
} // namespace

} // namespace tritium::tt
