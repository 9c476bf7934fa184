//===- Dot.cpp - matrix products ------------------------------------------===//
//
// Both operands stand in scratch memory as matrices of the type that the product reads, and so
// does the accumulator. Where, the plan says (PlanDot.cpp).
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;

namespace tritium::cpu {

/// Where a tile in memory begins, and how far rows along dimension `rowsDim` are apart.
Lowering::DirectRead Lowering::placeOf(Value pointers, int64_t rowsDim) {
  Chunk at[2];
  for (int64_t row : {0, 1}) {
    Index index;
    index.dims.assign(2, {DimIndex::Scalar, i64(0)});
    index.dims[rowsDim].index = i64(row);
    at[row] = evaluate(pointers, index);
  }
  assert(at[0].base == at[1].base && "rows of one tile have one base");
  return {scalarAddress(at[0]), sub(at[1].v, at[0].v)};
}

/// if (whole tile inside)  the product, or its packing, reads the matrix where it is
/// else                    it is copied as usual
void Lowering::emitDirectRead(const Step &step) {
  Value operand = step.roots.front().value;
  auto [load, isTransposed] = loadedMatrix(operand);
  // The dimension along which rows follow each other.
  int64_t rows = step.writesSwapped != isTransposed;
  SmallVector<Value> terms;
  if (step.whole)
    terms = emitScalarCode(step.whole->code);
  DirectRead direct = placeOf(load.getPtr(), rows);
  if (step.whole) {
    const Buffer &buffer = *step.roots.front().buffer;
    auto branch =
        b.create<scf::IfOp>(loc, TypeRange{direct.base.getType(), direct.rowStride.getType()},
                            terms[step.whole->holds], /*else=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(branch.thenBlock());
    b.create<scf::YieldOp>(loc, ValueRange{direct.base, direct.rowStride});
    b.setInsertionPointToEnd(branch.elseBlock());
    MemoScope scope(*this);
    emitLoops(step);
    b.create<scf::YieldOp>(
        loc,
        ValueRange{bufferBase(buffer), i64(buffer.rowStride * tt::scalarBytes(buffer.element))});
    direct = {branch.getResult(0), branch.getResult(1)};
  }
  directReads[operand] = direct;
}

/// The product of one shape and layout is one function of the module, however often it
/// occurs: the call costs nothing against the loops, the code is compiled once.
func::FuncOp Lowering::dotFunction(const DotPlan &dot, int64_t m, int64_t n, int64_t k,
                                   ArrayRef<UpcomingTile> upcoming, const RoundsPlan *rounds) {
  Type element = dot.accumulator->element;
  int64_t rowsOfA = dot.a.readsMemory ? 0 : dot.a.packed->rowStride;
  int64_t rowsOfB = dot.rowOfPackedB(), rowsOfAcc = dot.accumulator->rowStride;
  constexpr const char *forms[] = {"",      "_bf16",   "_i16",   "_s8",    "_u8",     "_sdot",
                                   "_udot", "_bfmmla", "_smmla", "_ummla", "_parts4", "_parts3"};
  std::string name;
  llvm::raw_string_ostream(name) << "dot_" << m << "x" << n << "x" << k << "_" << element
                                 << forms[unsigned(dot.form)] << "_"
                                 << (dot.a.readsMemory ? "any" : std::to_string(rowsOfA)) << "_"
                                 << rowsOfB << "_" << rowsOfAcc << (dot.fromZero ? "_zero" : "")
                                 << (dot.panelRows ? "_panels" : "");
  if (dot.onTiles)
    name += "_tiles";
  // Whether the sums are empty yet; where rows of a are copied to, and whether they are.
  bool mayBeFirst = rounds && rounds->fromZero;
  bool copies = rounds && rounds->aStands == RoundsPlan::InPlaceIfFast;
  bool hasResult = rounds && rounds->epilogue && rounds->epilogue->store;
  name += mayBeFirst ? "_first" : "";
  name += hasResult ? "_result" : "";
  name += copies ? "_copies" : "";
  for (const UpcomingTile &tile : upcoming)
    name += "_next_" + std::to_string(tile.rows) + "x" + std::to_string(tile.rowBytes);
  // Parts are made where AMX is there, for it alone.
  bool onlyTiles = partsOf(dot.form) > 1, asks = dot.onTiles && !onlyTiles;
  unsigned ahead = upcoming.size(), pointers = 3 + ahead + copies + hasResult;
  unsigned numbers = ahead + asks + mayBeFirst + copies + hasResult + dot.a.readsMemory;
  return sharedFunction(name, pointers, numbers, [&](Block::BlockArgListType arguments) {
    ArrayRef<BlockArgument> bases = arguments.slice(3, ahead + copies);
    ArrayRef<BlockArgument> numbersLeft = arguments.drop_front(pointers);
    auto next = [&](bool isThere) -> Value {
      if (!isThere)
        return {};
      Value number = numbersLeft.front();
      numbersLeft = numbersLeft.drop_front();
      return number;
    };
    SmallVector<UpcomingTile> tiles(upcoming);
    for (auto [tile, base] : llvm::zip_first(tiles, bases)) {
      tile.base = base;
      tile.rowStride = next(true);
    }
    Value refused = next(asks), isFirst = next(mayBeFirst), isCopied = next(copies);
    Value resultStride = next(hasResult);
    PackedMatrix a{arguments[0], rowsOfA, next(dot.a.readsMemory)};
    PackedMatrix rhs{arguments[1], rowsOfB, {}, dot.panelRows};
    PackedMatrix acc{arguments[2], rowsOfAcc, {}};
    if (hasResult)
      acc.result = arguments[pointers - 1], acc.resultStride = resultStride;
    if (isFirst)
      acc.isEmpty = compare(arith::CmpIPredicate::ne, isFirst, i64(0));
    OpBuilder::InsertionGuard guard(b);
    auto byTiles = [&] {
      if (!rounds)
        return emitTileDot(b, loc, dot.form, m, n, k, a, rhs, acc, dot.fromZero);
      TilesOfRounds operands{.a = a, .b = rhs, .sums = acc, .isCopied = isCopied};
      takeUpcoming(*rounds, tiles, operands);
      if (copies)
        operands.copy = bases.back();
      emitTilesOfRounds(*rounds, operands);
    };
    if (onlyTiles)
      return byTiles();
    if (asks) {
      auto branch = b.create<scf::IfOp>(loc, compare(arith::CmpIPredicate::eq, refused, i64(0)),
                                        /*else=*/true);
      b.setInsertionPointToStart(branch.thenBlock());
      byTiles();
      b.setInsertionPointToStart(branch.elseBlock());
    }
    emitDot(b, loc, target, element, m, n, k, a, rhs, acc, dot.fromZero, tiles, dot.form);
  });
}

void Lowering::emitDotStep(const Step &step, tt::DotOp op) {
  loc = op.getLoc();
  const DotPlan &dot = *step.dot;
  auto shape = op.getType().getShape();
  int64_t rank = shape.size(), m = shape[rank - 2], n = shape[rank - 1];
  int64_t k = op.getA().getType().getDimSize(rank - 1), batches = rank == 2 ? 1 : shape[0];
  if (dot.kept)
    remark(op, "applied", "the second operand, packed, is kept for the programs that follow");
  emitPacking(dot.a, op.getIsUnsigned());
  Value packed = bufferBase(*dot.b.packed);
  if (dot.form == DotForm::Single)
    emitPacking(dot.b, op.getIsUnsigned());
  else
    packed = emitGrouping(op, dot);
  if (step.beforeBlock.empty())
    emitSteps(step.before);
  const Buffer *a = dot.a.packed, *rhs = dot.b.packed, *acc = dot.accumulator;
  loc = op.getLoc();

  auto ofBatch = [&](const Buffer &buffer, Value base, Value batch) {
    return batch ? gep(base, mul(batch, buffer.bytes / batches)) : base;
  };
  SmallVector<UpcomingTile> upcoming;
  for (const Upcoming &tile : dot.upcoming)
    upcoming.push_back(nextTile(tile, cast<scf::ForOp>(op->getParentOp())));
  func::FuncOp function = dotFunction(dot, m, n, k, upcoming);
  auto product = [&](Value batch) {
    SmallVector<Value> arguments{ofBatch(*a, bufferBase(*a), batch), ofBatch(*rhs, packed, batch),
                                 ofBatch(*acc, bufferBase(*acc), batch)};
    for (const UpcomingTile &tile : upcoming)
      arguments.push_back(tile.base);
    for (const UpcomingTile &tile : upcoming)
      arguments.push_back(tile.rowStride);
    if (dot.onTiles)
      arguments.push_back(tilesRefused);
    if (dot.a.readsMemory) {
      DirectRead direct = directReads.lookup(op.getA());
      arguments.front() = direct.base;
      arguments.push_back(direct.rowStride);
    }
    b.create<func::CallOp>(loc, function, arguments);
  };
  if (!step.beforeBlock.empty())
    emitPrologueAndProduct(step, packed, [&] { product({}); });
  else if (rank == 2)
    product({});
  else
    loop(i64(0), i64(shape[0]), 1, {}, [&](Value i, ValueRange) -> SmallVector<Value> {
      product(i);
      return {};
    });

  // The result is rounded once to its own type.
  if (Type element = op.getType().getElementType(); element != acc->element)
    emitRounding(*acc, element);
}

/// Rounds the elements, evaluated in f32, to a narrower type.
void Lowering::emitRounding(const Buffer &buffer, Type element) {
  int64_t total = buffer.bytes / tt::scalarBytes(buffer.element);
  Buffer flat = buffer;
  flat.shape = {total};
  loop(i64(0), i64(total), target.lanesF32(), {}, [&](Value i, ValueRange) -> SmallVector<Value> {
    Index index;
    index.dims = {{DimIndex::Lanes, i}};
    index.width = index.valid = target.lanesF32();
    Chunk chunk = readBuffer(flat, index);
    chunk.v = roundTo(chunk.v, element);
    writeBuffer(flat, index, chunk);
    return {};
  });
}

} // namespace tritium::cpu
