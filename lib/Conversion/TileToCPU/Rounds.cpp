//===- Rounds.cpp - rounds of a loop that are multiplied at once ----------===//
//
// Which loops, the plan says (PlanRounds.cpp). By `count` rounds the loop goes on like this:
//
//   if (there are so many rounds left, and in each of them
//       its masks are true everywhere,
//       and its tiles lie behind those of the round before, as far apart as there)
//     multiply the operands as they lie in memory, as tiles of `count` times as many k;
//     where they are split in parts, only if all of their numbers can be (Parts.cpp)
//   else
//     the rounds, one after the other
//
// The conditions take the scalars of all these rounds, which are those that the loop ends with.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;

namespace tritium::cpu {

void Lowering::clearBuffer(const Buffer &buffer) {
  b.create<LLVM::MemsetOp>(loc, bufferBase(buffer), constant(b.getI8Type(), 0), i64(buffer.bytes),
                           /*isVolatile=*/false);
}

/// Entered anew for each range of programs: b may have changed since.
void Lowering::forgetPacked() {
  for (const Buffer *keys : plan.keys)
    clearBuffer(*keys);
}

/// Whether the rounds of `range`, which all are the loop's, can be multiplied at once; the scalars
/// behind them; where a and b begin, and how far their rows are apart.
SmallVector<Value> Lowering::findWhole(const Step &planned, scf::ForOp op, Rounds range,
                                       ValueRange carried) {
  const RoundsPlan &rounds = *planned.rounds;
  int64_t round = rounds.k / rounds.count;
  auto enter = [&](Value index, ValueRange values) {
    enterRound(op, index, values);
    for (const Step &step : planned.blocks.front())
      if (step.kind == Step::Scalar)
        emitStep(step);
  };
  const RoundsPlan::Operand *operands[] = {&rounds.a, &rounds.b};
  SmallVector<DirectRead> first;
  SmallVector<Value> inits{b.create<arith::ConstantIntOp>(loc, 1, 1)}, advances;
  auto address = [&](const DirectRead &place) -> Value {
    return b.create<LLVM::PtrToIntOp>(loc, b.getI64Type(), place.base);
  };
  {
    MemoScope scope(*this);
    enter(range.lower, carried);
    for (const RoundsPlan::Operand *operand : operands) {
      DirectRead place = placeOf(tt::LoadOp(operand->load).getPtr(), operand->rowsDim());
      int64_t bytes = tt::scalarBytes(pointeeOf(tt::LoadOp(operand->load).getPtr()));
      advances.push_back(operand->alongK ? i64(round * bytes) : mul(place.rowStride, round));
      inits.push_back(address(place));
      first.push_back(place);
    }
  }
  llvm::append_range(inits, carried);
  auto loopOp = b.create<scf::ForOp>(loc, range.lower, range.upper, range.step, inits);
  {
    OpBuilder::InsertionGuard guard(b);
    MemoScope scope(*this);
    b.setInsertionPointToEnd(loopOp.getBody());
    ValueRange arguments = loopOp.getRegionIterArgs();
    enter(loopOp.getInductionVar(), arguments.drop_front(3));
    Value isWhole = arguments[0];
    SmallVector<Value> next{{}};
    auto require = [&](Value condition) {
      isWhole = b.create<arith::AndIOp>(loc, isWhole, condition);
    };
    for (auto [i, operand] : llvm::enumerate(operands)) {
      DirectRead place = placeOf(tt::LoadOp(operand->load).getPtr(), operand->rowsDim());
      require(compare(arith::CmpIPredicate::eq, address(place), arguments[1 + i]));
      require(compare(arith::CmpIPredicate::eq, place.rowStride, first[i].rowStride));
      if (operand->whole)
        require(emitScalarCode(operand->whole->code)[operand->whole->holds]);
      next.push_back(add(arguments[1 + i], advances[i]));
    }
    next[0] = isWhole;
    llvm::append_range(next, yieldedScalars(op));
    b.create<scf::YieldOp>(loc, next);
  }
  SmallVector<Value> found{loopOp.getResult(0)};
  llvm::append_range(found, loopOp.getResults().drop_front(3));
  for (const DirectRead &place : first)
    found.append({place.base, place.rowStride});
  return found;
}

void Lowering::remarkRounds(const Step &planned, scf::ForOp op) {
  if (auto [load, reason] = planned.apart; load)
    remark(
        load, "missed",
        Twine("the rounds of the loop are multiplied one by one, each of which packs its operands "
              "and moves its sums to memory: ") +
            reason);
  if (!planned.rounds)
    return;
  const RoundsPlan &rounds = *planned.rounds;
  remark(rounds.op, "applied",
         Twine(rounds.count) + (rounds.count == 1 ? " round" : " rounds") +
             " of the loop are multiplied at once where their tiles follow each other in memory" +
             (rounds.dot.kept ? "; the second operand, packed, is kept for the programs that follow"
                              : ""));
}

SmallVector<Value> Lowering::emitRoundsAtOnce(const Step &planned, scf::ForOp op, Rounds range,
                                              ValueRange inits) {
  const RoundsPlan &rounds = *planned.rounds;
  auto clearIf = [&](Value condition) {
    if (!rounds.fromZero)
      return;
    auto branch = b.create<scf::IfOp>(loc, condition, /*else=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    clearBuffer(*rounds.dot.accumulator);
  };
  clearIf(compare(arith::CmpIPredicate::sge, range.lower, range.upper));
  // Bounds of 32 bits leave room for rounds behind them. Behind the loop's own scalars it carries
  // whether the epilogue is done.
  Value stride = mul(range.step, rounds.count);
  SmallVector<Value> initsOfChunks(inits);
  if (rounds.epilogue)
    initsOfChunks.push_back(b.create<arith::ConstantIntOp>(loc, 0, 1));
  auto chunks = b.create<scf::ForOp>(loc, range.lower, range.upper, stride, initsOfChunks);
  OpBuilder::InsertionGuard guard(b);
  if (initsOfChunks.empty())
    chunks.getBody()->getTerminator()->erase();
  b.setInsertionPointToEnd(chunks.getBody());
  Value lower = chunks.getInductionVar(), upper = add(lower, stride);
  ValueRange carried = chunks.getRegionIterArgs().take_front(inits.size());
  Type pointer = LLVM::LLVMPointerType::get(b.getContext()), i64Type = b.getI64Type();

  SmallVector<Type> types{b.getI1Type()};
  llvm::append_range(types, carried.getTypes());
  types.append({pointer, i64Type, pointer, i64Type});
  Value last = sub(upper, range.step);
  auto isThere = b.create<scf::IfOp>(
      loc, types, compare(arith::CmpIPredicate::slt, last, range.upper), /*else=*/true);
  b.setInsertionPointToEnd(isThere.thenBlock());
  b.create<scf::YieldOp>(loc, findWhole(planned, op, {lower, upper, range.step}, carried));
  b.setInsertionPointToEnd(isThere.elseBlock());
  SmallVector<Value> none{b.create<arith::ConstantIntOp>(loc, 0, 1)};
  llvm::append_range(none, carried);
  Value null = b.create<LLVM::ZeroOp>(loc, pointer), zero = i64(0);
  none.append({null, zero, null, zero});
  b.create<scf::YieldOp>(loc, none);
  b.setInsertionPointAfter(isThere);

  ValueRange found = isThere.getResults(), places = found.take_back(4);
  DirectRead a{places[0], places[1]}, from{places[2], places[3]};
  Value number = b.create<arith::DivUIOp>(loc, sub(lower, range.lower), stride);
  Value isAtOnce = found[0];
  if (partsOf(rounds.dot.form) > 1)
    isAtOnce = splitOperands(rounds, number, a, from, isAtOnce);
  auto branch = b.create<scf::IfOp>(loc, ValueRange(initsOfChunks).getTypes(), isAtOnce,
                                    /*else=*/true);
  auto yield = [&](ValueRange values, Value isDone) {
    SmallVector<Value> all(values);
    if (rounds.epilogue)
      all.push_back(isDone);
    if (!all.empty())
      b.create<scf::YieldOp>(loc, all);
  };
  b.setInsertionPointToStart(branch.thenBlock());
  Value isLast = compare(arith::CmpIPredicate::sge, upper, range.upper);
  Value isDone = emitProductOfRounds(rounds, number, isLast, a, from);
  yield(found.drop_front().drop_back(4), isDone);
  b.setInsertionPointToStart(branch.elseBlock());
  clearIf(compare(arith::CmpIPredicate::eq, number, i64(0)));
  SmallVector<Value> rest = emitRounds(
      planned, op, {lower, minSigned(upper, range.upper), range.step}, carried, /*polls=*/false);
  yield(rest, rounds.epilogue ? initsOfChunks.back() : Value());
  b.setInsertionPointAfter(branch);
  loc = op.getLoc();
  if (!isShort(op))
    emitPoll();
  b.create<scf::YieldOp>(loc, branch.getResults());
  return SmallVector<Value>(chunks.getResults());
}

/// Where the product finds a: in place, or where it is copied to.
Lowering::DirectRead Lowering::leftOperand(const RoundsPlan &rounds, DirectRead a) {
  if (rounds.aStands != RoundsPlan::Copied)
    return a;
  const DotPlan &dot = rounds.dot;
  const Buffer &copy = *dot.a.packed;
  Type from = pointeeOf(tt::LoadOp(rounds.a.load).getPtr());
  func::FuncOp function = rounds.a.alongK
                              ? rowsFunction(dot, from, rounds.m, rounds.k)
                              : transposeFunction(storageType(copy.element), rounds.k, rounds.m,
                                                  std::nullopt, copy.rowStride);
  b.create<func::CallOp>(loc, function, ValueRange{a.base, bufferBase(copy), a.rowStride});
  return {bufferBase(copy), i64(copy.rowStride * tt::scalarBytes(copy.element))};
}

/// Whether AMX takes several times as long to read rows from where they lie as to read a copy of
/// them (i1): they do not begin with a line of the cache, or 32 of them compete for so few of the
/// first-level cache's sets that they are gone before the next columns are multiplied.
Value Lowering::isReadSlowly(DirectRead a) {
  constexpr int64_t twoSetsOfRows = 2048; // of a cache whose ways have 4096 bytes
  auto rest = [&](Value value, int64_t unit) -> Value {
    return b.create<arith::AndIOp>(loc, value, i64(unit - 1));
  };
  Value address = b.create<LLVM::PtrToIntOp>(loc, b.getI64Type(), a.base);
  Value bits = b.create<arith::OrIOp>(loc, address, a.rowStride);
  Value isCrooked = compare(arith::CmpIPredicate::ne, rest(bits, kCacheLine), i64(0));
  Value competes = compare(arith::CmpIPredicate::eq, rest(a.rowStride, twoSetsOfRows), i64(0));
  return b.create<arith::OrIOp>(loc, isCrooked, competes);
}

/// A block's rows of a, copied if `isCopied` (i64) says so, or where they lie.
PackedMatrix Lowering::rowsOfBlock(const RoundsPlan &rounds, PackedMatrix a, Value isCopied,
                                   Value copy, Value row, int64_t count) {
  const Buffer &buffer = *rounds.dot.a.packed;
  Value first = gep(a.base, mul(row, a.byteStride));
  auto branch = b.create<scf::IfOp>(loc, TypeRange{first.getType(), a.byteStride.getType()},
                                    compare(arith::CmpIPredicate::ne, isCopied, i64(0)),
                                    /*else=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(branch.thenBlock());
  b.create<func::CallOp>(loc, rowsFunction(rounds.dot, buffer.element, count, rounds.k),
                         ValueRange{first, copy, a.byteStride});
  Value stride = i64(buffer.rowStride * tt::scalarBytes(buffer.element));
  b.create<scf::YieldOp>(loc, ValueRange{copy, stride});
  b.setInsertionPointToEnd(branch.elseBlock());
  b.create<scf::YieldOp>(loc, ValueRange{first, a.byteStride});
  return {branch.getResult(0), 0, branch.getResult(1)};
}

/// That of the loop's round, or chunk of rounds, `number`.
Lowering::Slot Lowering::slotOf(const DotPlan &dot, Value number) {
  const Buffer &packed = *dot.b.packed;
  if (!dot.kept)
    return {bufferBase(packed), {}, {}};
  // An index below zero has the last one, as have all but the first where nobody finds them.
  Value slot = b.create<arith::MinUIOp>(loc, number, i64(dot.kept - 1));
  if (dot.strangers) {
    // A thread's first program is one, and where two programs share columns, every other one.
    constexpr int64_t few = 3;
    Value count = b.create<LLVM::LoadOp>(loc, b.getI64Type(), bufferBase(*dot.strangers), 8);
    Value isAlone =
        b.create<arith::AndIOp>(loc, compare(arith::CmpIPredicate::uge, count, i64(few)),
                                compare(arith::CmpIPredicate::ne, number, i64(0)));
    slot = b.create<arith::SelectOp>(loc, isAlone, i64(dot.kept - 1), slot);
  }
  Value key = gep(bufferBase(*dot.keys), mul(slot, dot.keys->bytes / dot.kept));
  return {gep(bufferBase(packed), mul(slot, packed.bytes / dot.kept)), key,
          partsOf(dot.form) > 1 ? gep(key, i64(16)) : Value()};
}

/// Behind the first rounds of a program, of which `isOther` says that they have not been kept.
void Lowering::countStrangers(const DotPlan &dot, Value number, Value isOther) {
  if (!dot.strangers)
    return;
  auto branch = b.create<scf::IfOp>(loc, compare(arith::CmpIPredicate::eq, number, i64(0)),
                                    /*else=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Value at = bufferBase(*dot.strangers);
  Value before = b.create<LLVM::LoadOp>(loc, b.getI64Type(), at, 8);
  Value count = b.create<arith::SelectOp>(loc, isOther, add(before, i64(1)), i64(0));
  b.create<LLVM::StoreOp>(loc, count, at, 8);
}

Lowering::Slot Lowering::slotOf(const RoundsPlan &rounds, Value number) {
  Slot slot = slotOf(rounds.dot, number);
  if (rounds.verdicts && !slot.verdict)
    slot.verdict = gep(bufferBase(*rounds.verdicts), i64(8));
  return slot;
}

/// Packs b for the product, k rows of n elements of type `element`, and says whether it had to:
/// what was packed from the same place is taken as it is, unless that is one of scratch memory.
Value Lowering::packIntoSlot(const DotPlan &dot, Type element, const Slot &slot, DirectRead from,
                             int64_t n, int64_t k) {
  auto pack = [&] {
    if (partsOf(dot.form) > 1)
      packParts(dot, element, from, slot.packed, n, k, slot.verdict);
    else
      packMatrix(dot, element, from, slot.packed, n, k);
  };
  if (!slot.key) {
    pack();
    return b.create<arith::ConstantIntOp>(loc, 1, 1);
  }
  Value at[] = {b.create<LLVM::PtrToIntOp>(loc, b.getI64Type(), from.base), from.rowStride};
  Value isOther = b.create<arith::ConstantIntOp>(loc, 0, 1);
  if (dot.b.stored)
    isOther =
        b.create<LLVM::ICmpOp>(loc, LLVM::ICmpPredicate::eq, from.base, bufferBase(*dot.b.stored));
  for (int64_t i : {0, 1}) {
    Value known = b.create<LLVM::LoadOp>(loc, b.getI64Type(), gep(slot.key, i64(8 * i)), 8);
    isOther = b.create<arith::OrIOp>(loc, isOther, compare(arith::CmpIPredicate::ne, known, at[i]));
  }
  auto branch = b.create<scf::IfOp>(loc, isOther, /*else=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  pack();
  for (int64_t i : {0, 1})
    b.create<LLVM::StoreOp>(loc, at[i], gep(slot.key, i64(8 * i)), 8);
  return isOther;
}

/// The tiles that the product asks for while it computes: those of the next rounds, of b only if
/// it is packed then, as far as this time tells.
SmallVector<UpcomingTile> Lowering::tilesOfNextRounds(const RoundsPlan &rounds, DirectRead a,
                                                      DirectRead from, Value isPacked) {
  auto next = [&](const RoundsPlan::Operand &operand, DirectRead place, int64_t other) {
    int64_t bytes = tt::scalarBytes(pointeeOf(tt::LoadOp(operand.load).getPtr()));
    Value far = operand.alongK ? i64(rounds.k * bytes) : mul(place.rowStride, rounds.k);
    return UpcomingTile{gep(place.base, far), place.rowStride, operand.alongK ? other : rounds.k,
                        (operand.alongK ? rounds.k : other) * bytes};
  };
  UpcomingTile left = next(rounds.a, a, rounds.m), right = next(rounds.b, from, rounds.n);
  right.rowStride = b.create<arith::SelectOp>(loc, isPacked, right.rowStride, i64(0));
  return {left, right};
}

/// The rows of a that are asked for: those of the next rounds, or, behind the last ones, those that
/// a program with the next rows begins with.
UpcomingTile Lowering::rowsOfNextRounds(const RoundsPlan &rounds, Value number, Value isLast,
                                        DirectRead a) {
  int64_t bytes = rounds.k * tt::scalarBytes(pointeeOf(tt::LoadOp(rounds.a.load).getPtr()));
  Value below = sub(mul(a.rowStride, rounds.m), mul(number, bytes));
  Value far = b.create<arith::SelectOp>(loc, isLast, below, i64(bytes));
  return {gep(a.base, far), a.rowStride, rounds.m, bytes};
}

/// What AMX asks for: those rows, and the panels of the next rounds, or of the first ones.
SmallVector<UpcomingTile> Lowering::upcomingOfTiles(const RoundsPlan &rounds, Value number,
                                                    Value isLast, DirectRead a) {
  SmallVector<UpcomingTile> upcoming;
  if (rounds.asksForRows)
    upcoming.push_back(rowsOfNextRounds(rounds, number, isLast, a));
  if (rounds.asksForPanels) {
    Value next = b.create<arith::SelectOp>(loc, isLast, i64(0), add(number, i64(1)));
    upcoming.push_back(
        {slotOf(rounds, next).packed, i64(0), 1, rounds.dot.b.packed->bytes / rounds.dot.kept});
  }
  return upcoming;
}

/// The product of a few rows, one or a copy of several, and a b that is read where it is: a, b,
/// sums, room for groups of b; bytes between the rows of b.
func::FuncOp Lowering::fewRowsFunction(const RoundsPlan &rounds) {
  const DotPlan &dot = rounds.dot;
  Type from = pointeeOf(tt::LoadOp(rounds.b.load).getPtr());
  Type sum = dot.accumulator->element;
  Type to = takesBF16(dot.form)      ? Type(b.getBF16Type())
            : groupOf(dot.form) == 1 ? sum
                                     : Type(b.getI8Type());
  int64_t rowOfSums = dot.accumulator->rowStride;
  int64_t rowOfA = rounds.aStands == RoundsPlan::Copied ? dot.a.packed->rowStride : 0;
  std::string name;
  llvm::raw_string_ostream(name) << "dot_of_rows_" << rounds.m << "x" << rounds.n << "x" << rounds.k
                                 << "_" << from << "_" << to << "_" << sum << "_" << rowOfA << "_"
                                 << rowOfSums << (dot.isUnsigned ? "_unsigned" : "");
  return sharedFunction(name, 4, 1, [&](Block::BlockArgListType arguments) {
    Value rowOfB = arguments[4];
    auto read = [&](Value at) { return readGroup(dot, from, to, at, rowOfB, groupOf(dot.form)); };
    int64_t bytes = tt::scalarBytes(from);
    auto product = [&](Value first, int64_t k) {
      RowsInMemory rowsOfB{rowOfB, bytes, read, arguments[3]};
      PackedMatrix left{gep(arguments[0], mul(first, tt::scalarBytes(to))), rowOfA, {}};
      PackedMatrix right{gep(arguments[1], mul(rowOfB, first)), 0, {}};
      OpBuilder::InsertionGuard guard(b);
      emitDot(b, loc, target, sum, rounds.m, rounds.n, k, left, right,
              {arguments[2], rowOfSums, {}}, /*fromZero=*/false, {}, dot.form, &rowsOfB);
    };
    forPieces(rounds.k, rounds.rowsAtOnce, product);
  });
}

Value Lowering::emitProductOfRounds(const RoundsPlan &rounds, Value number, Value isLast,
                                    DirectRead a, DirectRead from) {
  loc = tt::DotOp(rounds.op).getLoc();
  const DotPlan &dot = rounds.dot;
  if (rounds.bInPlace) {
    DirectRead left = leftOperand(rounds, a);
    b.create<func::CallOp>(loc, fewRowsFunction(rounds),
                           ValueRange{left.base, from.base, bufferBase(*dot.accumulator),
                                      bufferBase(dot.b.packed ? *dot.b.packed : *dot.accumulator),
                                      from.rowStride});
    return {};
  }
  Slot slot = slotOf(rounds, number);
  SmallVector<UpcomingTile> upcoming;
  DirectRead left{};
  if (partsOf(dot.form) > 1) {
    left.base = bufferBase(*dot.a.packed);
    upcoming = upcomingOfTiles(rounds, number, isLast, a);
  } else {
    Type element = pointeeOf(tt::LoadOp(rounds.b.load).getPtr());
    Value isPacked = packIntoSlot(dot, element, slot, from, rounds.n, rounds.k);
    countStrangers(dot, number, isPacked);
    if (dot.onTiles)
      upcoming = upcomingOfTiles(rounds, number, isLast, a);
    else
      upcoming = tilesOfNextRounds(rounds, a, from, isPacked);
    // What lies behind the last rounds is of no use; measured where a block has four registers.
    if (!dot.onTiles && rounds.a.alongK && target.hasLargeFirstCache)
      upcoming.front() = rowsOfNextRounds(rounds, number, isLast, a);
    left = leftOperand(rounds, a);
  }
  bool copies = rounds.aStands == RoundsPlan::InPlaceIfFast;
  auto number64 = [&](Value condition) {
    return b.create<arith::ExtUIOp>(loc, b.getI64Type(), condition).getResult();
  };
  SmallVector<Value> arguments{left.base, slot.packed, bufferBase(*dot.accumulator)};
  for (const UpcomingTile &tile : upcoming)
    arguments.push_back(tile.base);
  if (copies)
    arguments.push_back(bufferBase(*dot.a.packed));
  auto [result, isStored] = resultOfProduct(rounds, isLast);
  if (isStored)
    arguments.push_back(result.base);
  for (const UpcomingTile &tile : upcoming)
    arguments.push_back(tile.rowStride);
  if (dot.onTiles && partsOf(dot.form) == 1)
    arguments.push_back(tilesRefused);
  Value isFirst = rounds.fromZero ? compare(arith::CmpIPredicate::eq, number, i64(0)) : Value();
  Value isCopied = copies ? number64(isReadSlowly(a)) : Value();
  if (rounds.fromZero)
    arguments.push_back(number64(isFirst));
  if (copies)
    arguments.push_back(isCopied);
  if (isStored)
    arguments.push_back(result.rowStride);
  if (left.rowStride)
    arguments.push_back(left.rowStride);
  auto product = [&] {
    b.create<func::CallOp>(loc, dotFunction(dot, rounds.m, rounds.n, rounds.k, upcoming, &rounds),
                           arguments);
  };
  if (!rounds.epilogue || isStored) {
    product();
    return isStored;
  }
  const Buffer *copy = dot.a.packed, &sums = *dot.accumulator;
  TilesOfRounds tiles{.a = {left.base, left.rowStride ? 0 : copy->rowStride, left.rowStride},
                      .b = {slot.packed, dot.rowOfPackedB(), {}, dot.panelRows},
                      .sums = {bufferBase(sums), sums.rowStride, {}, 0, isFirst},
                      .copy = copies ? bufferBase(*copy) : Value(),
                      .isCopied = isCopied};
  takeUpcoming(rounds, upcoming, tiles);
  return emitProductAndEpilogue(rounds, isLast, tiles, product);
}

} // namespace tritium::cpu
