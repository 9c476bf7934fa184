//===- Dot.cpp - matrix products ------------------------------------------===//
//
// Both operands stand in scratch memory as matrices of the type that products are
// accumulated in; the accumulator too, where possible in the buffer that the result is
// carried in.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;

namespace tritium::cpu {

/// The buffer of `value` with elements of type `compute`, rows padded to registers.
Buffer *Lowering::dotOperand(Value value, Type compute, bool isUnsigned) {
  auto type = cast<RankedTensorType>(value.getType());
  Buffer *stored = buffers.lookup(value);
  int64_t registerLanes = target.vectorBits / 8 / tt::scalarBytes(compute);
  if (stored && stored->element == compute && stored->rowStride % registerLanes == 0)
    return stored;
  Buffer *packed = allocate(type.getShape(), compute, /*dense=*/false);
  if (!stored) {
    // Only a tile that another dialect made is neither stored nor virtual.
    stored = allocate(type, /*dense=*/false);
    assignTile(value, stored);
  }
  int64_t width = std::min<int64_t>(registerLanes, llvm::PowerOf2Ceil(type.getShape().back()));
  std::function<void(unsigned, Index)> rows = [&](unsigned d, Index index) {
    bool last = d + 1 == type.getShape().size();
    int64_t extent = type.getDimSize(d), step = last ? width : 1;
    auto at = [&](Value i, int64_t valid) {
      Index next = index;
      next.dims.push_back({last && width > 1 ? DimIndex::Lanes : DimIndex::Scalar, i});
      if (!last)
        return rows(d + 1, next);
      next.width = width;
      next.valid = valid;
      Chunk chunk = readBuffer(*stored, next);
      if (chunk.v.getType() != shaped(compute, width))
        chunk.v = isUnsigned
                      ? b.create<arith::ExtUIOp>(loc, shaped(compute, width), chunk.v).getResult()
                      : b.create<arith::ExtSIOp>(loc, shaped(compute, width), chunk.v).getResult();
      writeBuffer(*packed, next, chunk);
    };
    int64_t full = extent / step * step;
    if (full > 0)
      loop(i64(0), i64(full), step, {}, [&](Value i, ValueRange) -> SmallVector<Value> {
        at(i, width);
        return {};
      });
    if (full < extent)
      at(i64(full), extent - full);
  };
  rows(0, {});
  return packed;
}

/// if (whole tile inside)  the product reads the matrix where it is
/// else                    packed as usual
/// The first operand is read one element at a time, so nothing is won by packing it but
/// a short stride.
bool Lowering::emitDirectRead(Step &step) {
  auto load = step.roots.front().value.getDefiningOp<tt::LoadOp>();
  auto dot = cast<tt::DotOp>(*load->user_begin());
  auto type = load.getType();
  Type element = tt::elementType(type);
  int64_t lanesOfRegister = target.vectorBits / 8 / tt::scalarBytes(element);
  auto ptrType = dyn_cast<RankedTensorType>(load.getPtr().getType());
  if (!ptrType || ptrType.getRank() != 2 || evalType(element) != element ||
      storageType(element) != element || evalType(tt::elementType(dot.getType())) != element ||
      cast<RankedTensorType>(dot.getType()).getDimSize(1) <= lanesOfRegister ||
      !isContiguous(load.getPtr(), 1, strides) || !strides.isLinear(load.getPtr(), 0) ||
      !isArithmetic(load.getPtr()))
    return false;
  Value whole;
  if (load.getMask() && !(whole = allTrue(load.getMask())))
    return false;
  Chunk at[2];
  for (int64_t row : {0, 1}) {
    Index index;
    index.dims = {{DimIndex::Scalar, i64(row)}, {DimIndex::Scalar, i64(0)}};
    at[row] = evaluate(load.getPtr(), index);
  }
  if (at[0].base != at[1].base)
    return false;
  DirectRead direct{scalarAddress(at[0]), sub(at[1].v, at[0].v)};
  if (whole) {
    const Buffer &buffer = *step.roots.front().buffer;
    auto branch = b.create<scf::IfOp>(
        loc, TypeRange{direct.base.getType(), direct.rowStride.getType()}, whole, /*else=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(branch.thenBlock());
    b.create<scf::YieldOp>(loc, ValueRange{direct.base, direct.rowStride});
    b.setInsertionPointToEnd(branch.elseBlock());
    MemoScope scope(*this);
    Step packing = step;
    packing.mayReadDirectly = false;
    emitPhase(packing);
    b.create<scf::YieldOp>(
        loc,
        ValueRange{bufferBase(buffer), i64(buffer.rowStride * tt::scalarBytes(buffer.element))});
    direct = {branch.getResult(0), branch.getResult(1)};
  }
  directReads[load.getResult()] = direct;
  return true;
}

/// Every use of `arg` leads, element by element, to `end` and nowhere else.
static bool onlyLeadsTo(Value arg, OpOperand &end, int depth = 0) {
  for (OpOperand &use : arg.getUses()) {
    if (&use == &end)
      continue;
    Operation *user = use.getOwner();
    bool elementwise = user->getBlock() == end.getOwner()->getBlock() &&
                       user->getNumResults() == 1 && isVirtual(user->getResult(0)) &&
                       !isa<tt::TransOp, tt::BroadcastOp, tt::ExpandDimsOp, tt::ReshapeOp>(user);
    if (!elementwise || depth > 8 || !onlyLeadsTo(user->getResult(0), end, depth + 1))
      return false;
  }
  return true;
}

/// Every element is zero; negative zero does not count, for it changes a sum of zeros.
static bool isZero(Value value) {
  while (auto op = value.getDefiningOp<tt::SplatOp>())
    value = op.getSrc();
  Attribute attribute;
  if (!matchPattern(value, m_Constant(&attribute)))
    return false;
  if (auto elements = dyn_cast<SplatElementsAttr>(attribute))
    attribute = elements.getSplatValue<Attribute>();
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return number.getValue().isPosZero();
  auto integer = dyn_cast<IntegerAttr>(attribute);
  return integer && integer.getValue().isZero();
}

/// The buffer that the product is added into: it holds `c` when this returns, unless that
/// is zero.
Buffer *Lowering::accumulatorFor(tt::DotOp op) {
  Value c = op.getC();
  Block *block = op->getBlock();
  OpOperand &operand = op.getCMutable();
  if (Buffer *stored = buffers.lookup(c);
      stored && c.hasOneUse() && c.getParentBlock() == block && !isVirtual(c))
    return stored;
  // The result goes back into the tile that `c` is computed from.
  if (auto loopOp = dyn_cast<scf::ForOp>(block->getParentOp()))
    for (OpOperand &use : op.getResult().getUses())
      if (auto yield = dyn_cast<scf::YieldOp>(use.getOwner());
          yield && yield->getBlock() == block) {
        Value arg = loopOp.getRegionIterArgs()[use.getOperandNumber()];
        if (onlyLeadsTo(arg, operand)) {
          Buffer *carried = buffers.lookup(arg);
          if (!isZero(c))
            assignTile(c, carried);
          return carried;
        }
      }
  Buffer *fresh = allocate(op.getType(), /*dense=*/false);
  if (!isZero(c))
    assignTile(c, fresh);
  return fresh;
}

/// The product of one shape and layout is one function of the module, however often it
/// occurs: the call costs nothing against the loops, the code is compiled once.
func::FuncOp Lowering::dotFunction(Type element, int64_t m, int64_t n, int64_t k,
                                   std::array<int64_t, 3> strides, bool fromZero, bool anyRowsOfA,
                                   ArrayRef<UpcomingTile> upcoming) {
  std::string name;
  llvm::raw_string_ostream(name) << "dot_" << m << "x" << n << "x" << k << "_" << element << "_"
                                 << (anyRowsOfA ? "any" : std::to_string(strides[0])) << "_"
                                 << strides[1] << "_" << strides[2] << (fromZero ? "_zero" : "");
  for (const UpcomingTile &tile : upcoming)
    name += "_next_" + std::to_string(tile.rows) + "x" + std::to_string(tile.rowBytes);
  unsigned ahead = upcoming.size();
  return sharedFunction(
      name, 3 + ahead, ahead + anyRowsOfA, [&](Block::BlockArgListType arguments) {
        SmallVector<UpcomingTile> tiles(upcoming);
        for (unsigned i = 0; i < ahead; ++i) {
          tiles[i].base = arguments[3 + i];
          tiles[i].rowStride = arguments[3 + ahead + i];
        }
        emitDot(b, loc, target, element, m, n, k,
                {arguments[0], strides[0], anyRowsOfA ? arguments.back() : Value()},
                {arguments[1], strides[1], {}}, {arguments[2], strides[2], {}}, fromZero, tiles);
      });
}

void Lowering::emitDotStep(tt::DotOp op) {
  loc = op.getLoc();
  Type accumulate = evalType(op.getType().getElementType());
  Buffer *a = dotOperand(op.getA(), accumulate, op.getIsUnsigned());
  Buffer *rhs = dotOperand(op.getB(), accumulate, op.getIsUnsigned());
  Buffer *acc = accumulatorFor(op);
  buffers[op.getResult()] = acc;
  loc = op.getLoc();

  auto shape = op.getType().getShape();
  int64_t rank = shape.size(), m = shape[rank - 2], n = shape[rank - 1];
  int64_t k = op.getA().getType().getDimSize(rank - 1);
  auto matrix = [&](const Buffer &buffer, int64_t rowCount, Value batch) {
    Value base = bufferBase(buffer);
    if (batch)
      base = gep(base, mul(batch, rowCount * buffer.rowStride * tt::scalarBytes(buffer.element)));
    return base;
  };
  SmallVector<UpcomingTile> upcoming;
  if (auto loopOp = dyn_cast<scf::ForOp>(op->getParentOp()); loopOp && rank == 2)
    for (Value operand : {op.getA(), op.getB()})
      if (auto tile = nextTile(operand, loopOp))
        upcoming.push_back(*tile);
  auto direct = directReads.find(op.getA());
  func::FuncOp function =
      dotFunction(accumulate, m, n, k, {a->rowStride, rhs->rowStride, acc->rowStride},
                  isZero(op.getC()), direct != directReads.end(), upcoming);
  auto product = [&](Value batch) {
    SmallVector<Value> arguments{matrix(*a, m, batch), matrix(*rhs, k, batch),
                                 matrix(*acc, m, batch)};
    for (const UpcomingTile &tile : upcoming)
      arguments.push_back(tile.base);
    for (const UpcomingTile &tile : upcoming)
      arguments.push_back(tile.rowStride);
    if (direct != directReads.end()) {
      arguments.front() = direct->second.base;
      arguments.push_back(direct->second.rowStride);
    }
    b.create<func::CallOp>(loc, function, arguments);
  };
  if (rank == 2)
    product({});
  else
    loop(i64(0), i64(shape[0]), 1, {}, [&](Value i, ValueRange) -> SmallVector<Value> {
      product(i);
      return {};
    });

  // The result is rounded once to its own type.
  Type element = op.getType().getElementType();
  if (element == accumulate)
    return;
  int64_t total = acc->rowStride;
  for (int64_t d : shape.drop_back())
    total *= d;
  Buffer flat = *acc;
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
