//===- LoweringContext.cpp - what the code of a thread is made with -------===//

#include "LoweringContext.h"

using namespace mlir;

namespace tritium::ttg {

std::map<Coordinates, unsigned> byPlace(const TileLayout &layout) {
  std::map<Coordinates, unsigned> places;
  for (unsigned r = 0; r < layout.registers(); ++r)
    places.try_emplace(layout.offset(r), r);
  return places;
}

const LoweringPatterns::Lower *LoweringPatterns::find(Operation *op) const {
  auto found = ofOperation.find(op->getName().getTypeID());
  if (found != ofOperation.end())
    return &found->second;
  Dialect *dialect = op->getDialect();
  auto others = dialect ? ofDialect.find(dialect->getTypeID()) : ofDialect.end();
  return others == ofDialect.end() ? nullptr : &others->second;
}

LogicalResult LoweringContext::lower(Operation *op) {
  loc = op->getLoc();
  if (const LoweringPatterns::Lower *lower = state.patterns.find(op))
    return (*lower)(op);
  return unsupported(op, "'" + op->getName().getStringRef() + "'");
}

LogicalResult LoweringContext::lowerBlock(Block &block) {
  for (Operation &op : block)
    if (failed(lower(&op)))
      return failure();
  return success();
}

LogicalResult LoweringContext::lowerAs(const ThreadOfGroup &thread, Block &block,
                                       const PopulatePatterns &populate) {
  LoweringContext inside(*this);
  static_cast<ThreadOfGroup &>(inside) = thread;
  LoweringPatterns patterns = std::exchange(state.patterns, LoweringPatterns());
  LoweringState::AtEntry atEntry = std::exchange(state.atEntry, LoweringState::AtEntry());
  populate(state.patterns, inside);
  LogicalResult result = inside.lowerBlock(block);
  state.patterns = std::move(patterns);
  state.atEntry = std::move(atEntry);
  return result;
}

LogicalResult LoweringContext::unsupported(Operation *op, const Twine &what) {
  return op->emitError() << "the GPU back end cannot lower " << what;
}

Type LoweringContext::lowered(Type type) {
  if (isa<tt::PointerType>(type))
    return pointerType(1);
  if (tt::isTileFloat(type) && tt::scalarBits(type) == 8)
    return intType(8);
  return type;
}

const TileLayout &LoweringContext::layout(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  // The element type does not matter.
  Type key = RankedTensorType::get(type.getShape(), b.getI1Type(), type.getEncoding());
  std::unique_ptr<TileLayout> &found = state.layouts[key];
  if (!found)
    found = std::make_unique<TileLayout>(layoutOf(type));
  return *found;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Runs of bits that move together are masked and shifted at once.
Value partOf(Emitter &e, Value index, const LinearLayout &core, StringRef name, unsigned dim) {
  ArrayRef<uint64_t> bases = core.bases(name);
  SmallVector<uint64_t> images;
  for (uint64_t base : bases)
    images.push_back(core.unflatten(base)[dim]);
  Value sum;
  uint64_t seen = 0;
  bool disjoint = true;
  for (size_t i = 0; i < images.size();) {
    if (images[i] == 0) {
      ++i;
      continue;
    }
    size_t end = i + 1;
    if (llvm::isPowerOf2_64(images[i]))
      while (end < images.size() && images[end] == images[end - 1] * 2)
        ++end;
    uint64_t mask = ((uint64_t(1) << (end - i)) - 1);
    Value bits = index;
    int64_t left = llvm::isPowerOf2_64(images[i]) ? int64_t(llvm::Log2_64(images[i])) : 0;
    bits = e.shr(bits, i);
    if (end != images.size())
      bits = e.iand(bits, e.i32(mask));
    if (llvm::isPowerOf2_64(images[i]))
      bits = e.shl(bits, left);
    else
      bits = e.mul(bits, e.i32(images[i]));
    for (size_t k = i; k < end; ++k) {
      disjoint &= (seen & images[k]) == 0;
      seen |= images[k];
    }
    sum = !sum ? bits : disjoint ? e.ior(sum, bits) : e.ixor(sum, bits);
    i = end;
  }
  return sum;
}

SmallVector<Value, 4> LoweringContext::coordinatesOfThread(const TileLayout &layout) {
  SmallVector<Value, 4> coordinates;
  for (unsigned d = 0; d < layout.rank(); ++d) {
    Value fromLane = partOf(*this, lane, layout.core(), kLane, d);
    Value fromWarp = partOf(*this, warp, layout.core(), kWarp, d);
    coordinates.push_back(!fromLane && !fromWarp ? i32(0)
                          : !fromLane            ? fromWarp
                          : !fromWarp            ? fromLane
                                                 : ixor(fromLane, fromWarp));
  }
  return coordinates;
}

const SmallVector<Value, 4> &LoweringContext::threadCoordinates(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  Type key = RankedTensorType::get(type.getShape(), b.getI1Type(), type.getEncoding());
  auto [it, isNew] = state.atEntry.threadParts.try_emplace(key);
  if (isNew) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(entryEnd);
    SmallVector<Value, 4> coordinates = coordinatesOfThread(layout(tile));
    return state.atEntry.threadParts[key] = std::move(coordinates);
  }
  return it->second;
}

Value LoweringContext::warpOfAllLanes() {
  Value &number = state.atEntry.warpOfAllLanes;
  if (!number) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(entryEnd);
    number = shuffleIndex(warp, i32(0));
  }
  return number;
}

Value LoweringContext::coordinate(const TileLayout &layout, ArrayRef<Value> thread, unsigned reg,
                                  unsigned dim) {
  int64_t c = layout.offset(reg)[dim];
  if (layout.registersAreApart())
    return offset(thread[dim], c);
  int64_t inside = c % layout.core().extent(dim);
  Value x = inside ? ixor(thread[dim], i32(inside)) : thread[dim];
  return offset(x, c - inside);
}

Value LoweringContext::isFirstCopy(const TileLayout &layout) {
  Value predicate;
  for (auto [name, index] : {std::pair(kLane, lane), std::pair(kWarp, warp)})
    if (uint64_t free = layout.core().freeMask(name))
      predicate = both(predicate, equals(iand(index, i32(free)), 0));
  return predicate;
}

Value LoweringContext::isInside(const TileLayout &layout, ArrayRef<Value> thread, unsigned reg) {
  Value predicate;
  for (unsigned d = 0; d < layout.rank(); ++d)
    if (layout.mayBePadding(reg, d))
      predicate = both(predicate, cmp(LLVM::ICmpPredicate::slt, coordinate(layout, thread, reg, d),
                                      i32(layout.extents()[d])));
  return predicate;
}

std::array<Value, 2> LoweringContext::numberFromLongest(Value column, Value row, Value columns,
                                                        Value rows) {
  // Rows that begin together: a power of two, by the extent's leading zeros.
  Value zeros =
      b.create<LLVM::CountLeadingZerosOp>(loc, b.getI32Type(), columns, /*is_zero_poison=*/true);
  Value most = i32(llvm::Log2_32(longestOf));
  Value logarithm = sub(most, b.create<LLVM::UMinOp>(loc, most, sub(i32(31), zeros)));
  Value together = b.create<LLVM::UMinOp>(loc, rows, binary<LLVM::ShlOp>(i32(1), logarithm));
  Value firstTogether = sub(rows, together);
  Value isAlone = cmp(LLVM::ICmpPredicate::ult, row, firstTogether);
  Value first = select(isAlone, row, firstTogether), count = select(isAlone, i32(1), together);
  // Less than 2 * longestOf, or than the programs of a row: no product wraps.
  Value number = add(column, mul(columns, sub(row, first)));
  Value round = binary<LLVM::UDivOp>(number, count);
  return {sub(sub(columns, i32(1)), round), add(first, sub(number, mul(round, count)))};
}

Value LoweringContext::programIdAlong(unsigned axis, llvm::function_ref<Value(unsigned)> at,
                                      llvm::function_ref<Value(unsigned)> extent) {
  if (longestOf && axis < 2) {
    Value columns = extent(0), rows = extent(1), column = at(0), row = at(1);
    return numberFromLongest(column, row, columns, rows)[axis];
  }
  Value id = at(axis);
  return countsDown[axis] ? sub(sub(extent(axis), i32(1)), id) : id;
}

Value LoweringContext::programIdAlong(unsigned axis) {
  Value &id = state.atEntry.programId[axis];
  if (id)
    return id;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(entryEnd);
  return id = programIdAlong(
             axis, [&](unsigned along) { return blockId(along); },
             [&](unsigned along) { return gridExtent(along); });
}

/// A program is a cluster of CTAs along the first axis.
Value LoweringContext::blockId(unsigned axis) {
  Type i32 = b.getI32Type();
  if (axis == 0 && numCTAs(module) > 1)
    return b.create<NVVM::ClusterIdXOp>(loc, i32);
  return axis == 0   ? b.create<NVVM::BlockIdXOp>(loc, i32).getResult()
         : axis == 1 ? b.create<NVVM::BlockIdYOp>(loc, i32).getResult()
                     : b.create<NVVM::BlockIdZOp>(loc, i32).getResult();
}

Value LoweringContext::gridExtent(unsigned axis) {
  Type i32 = b.getI32Type();
  if (axis == 0 && numCTAs(module) > 1)
    return b.create<NVVM::ClusterDimXOp>(loc, i32);
  return axis == 0   ? b.create<NVVM::GridDimXOp>(loc, i32).getResult()
         : axis == 1 ? b.create<NVVM::GridDimYOp>(loc, i32).getResult()
                     : b.create<NVVM::GridDimZOp>(loc, i32).getResult();
}

/// The first of all CTAs come first, so that a few programs are spread over all multiprocessors.
Value LoweringContext::numberOfRunner() {
  Value cta = blockId(0);
  return place ? add(mul(cta, i32(programsPerCTA)), place) : cta;
}

Value LoweringContext::numberOfRunners() {
  return place ? mul(gridExtent(0), i32(programsPerCTA)) : gridExtent(0);
}

void LoweringContext::barrier() {
  if (barrierNumber == 0)
    b.create<NVVM::Barrier0Op>(loc);
  else if (warps == 1)
    b.create<NVVM::SyncWarpOp>(loc, i32(-1));
  else
    b.create<NVVM::BarrierOp>(loc, i32(barrierNumber), i32(warps * kLanesPerWarp));
}

//===----------------------------------------------------------------------===//
// Blocks and formats
//===----------------------------------------------------------------------===//

Block *LoweringContext::newBlock() {
  OpBuilder::InsertionGuard guard(b);
  Region *region = entry->getParent();
  return b.createBlock(region, region->end());
}

SmallVector<Value> LoweringContext::branchAround(Value condition, ArrayRef<Value> values,
                                                 llvm::function_ref<SmallVector<Value>()> emit) {
  Block *origin = b.getInsertionBlock(), *detour = newBlock();
  b.setInsertionPointToStart(detour);
  SmallVector<Value> made = emit(), results;
  Block *join = newBlock();
  for (Value value : values)
    results.push_back(join->addArgument(value.getType(), loc));
  b.create<LLVM::BrOp>(loc, made, join);
  b.setInsertionPointToEnd(origin);
  b.create<LLVM::CondBrOp>(loc, condition, detour, ValueRange(), join, ValueRange(values));
  b.setInsertionPointToStart(join);
  return results;
}

Value LoweringContext::toMemory(Value x, Type element) {
  if (isa<tt::PointerType>(element))
    return b.create<LLVM::PtrToIntOp>(loc, b.getI64Type(), x);
  if (element.isInteger(1))
    return zext(x, 8);
  return bitcast(x, intType(tt::scalarBits(element)));
}

Value LoweringContext::fromMemory(Value bits, Type element) {
  if (isa<tt::PointerType>(element))
    return b.create<LLVM::IntToPtrOp>(loc, pointerType(1), bits);
  if (element.isInteger(1))
    return cmp(LLVM::ICmpPredicate::ne, bits, constant(bits.getType(), 0));
  return bitcast(bits, lowered(element));
}

} // namespace tritium::ttg
