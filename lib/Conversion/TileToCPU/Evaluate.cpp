//===- Evaluate.cpp - the value of a tile at an index ---------------------===//
//
// A tile's value is asked for chunk by chunk and computed from its operands at the
// matching index. Where Strides knows how far neighbours along the lanes are apart, the first
// lane tells the rest (an Affine chunk): an address of which this is the element's size is a
// contiguous access.
//
// An Affine chunk holds modulo 2^width. What is extended or compared must not wrap from lane to
// lane: Strides proves it, under what the version's guard has checked; otherwise the lanes are
// computed one by one, as a vector.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "tritium/Dialect/Tile/IR/Exchange.h"

#include "llvm/ADT/ScopeExit.h"

using namespace mlir;

namespace tritium::cpu {

Value Lowering::asVector(const Chunk &chunk, Type element, int64_t width) {
  switch (chunk.kind) {
  case Chunk::Uniform:
    return splat(chunk.v, width);
  case Chunk::Vector:
    return chunk.v;
  case Chunk::Affine: {
    Value steps = lanes(chunk.v.getType(), width, chunk.stride);
    return b.create<arith::AddIOp>(loc, splat(chunk.v, width), steps);
  }
  case Chunk::Prefix: {
    Value low = b.create<arith::MaxSIOp>(loc, chunk.v, i64(0));
    Value count = b.create<arith::TruncIOp>(loc, b.getI32Type(), minSigned(low, i64(width)));
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, lanes(b.getI32Type(), width, 1),
                                   splat(count, width));
  }
  }
  llvm_unreachable("chunk kind");
}

Value Lowering::asValue(const Chunk &chunk, Type element, const Index &index) {
  Chunk absolute = chunk;
  if (chunk.base) {
    Value base = b.create<LLVM::PtrToIntOp>(loc, b.getI64Type(), chunk.base);
    if (chunk.kind == Chunk::Vector)
      absolute.v = b.create<arith::AddIOp>(loc, splat(base, index.width), chunk.v);
    else
      absolute.v = add(base, chunk.v);
    absolute.base = {};
  }
  if (!index.hasLanes()) {
    if (absolute.kind == Chunk::Prefix)
      return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sgt, absolute.v, i64(0));
    return absolute.v;
  }
  return asVector(absolute, element, index.width);
}

Chunk Lowering::evaluate(Value value, const Index &index) {
  if (!isa<RankedTensorType>(value.getType())) {
    Value v = scalar(value);
    if (isa<tt::PointerType>(value.getType())) {
      Chunk chunk = Chunk::uniform(i64(0));
      chunk.base = v;
      return chunk;
    }
    return Chunk::uniform(v);
  }
  if (isAssumed(value, index))
    return Chunk::uniform(b.create<arith::ConstantIntOp>(loc, 1, 1));
  return remembered(value, index, [&] {
    auto at = [&](const Index &i) { return evaluate(value, i); };
    if (std::optional<Chunk> chunk = fromFirstLane(value, index, at))
      return *chunk;
    bool isThere = plan.isStored(value) && !unwritten.contains(value);
    return isThere ? read(value, index) : compute(value, index);
  });
}

Chunk Lowering::evaluateHome(Value value, const Index &index) {
  return remembered(value, index, [&] {
    auto at = [&](const Index &i) { return evaluateHome(value, i); };
    std::optional<Chunk> chunk = fromFirstLane(value, index, at);
    return chunk ? *chunk : compute(value, index);
  });
}

Lowering::MemoKey Lowering::memoKey(Value value, const Index &index) {
  MemoKey key{value.getAsOpaquePointer(), {}};
  for (const DimIndex &dim : index.dims)
    key.second.push_back(
        {dim.kind | (index.hasLanes() ? index.width << 8 : 0), dim.index.getAsOpaquePointer()});
  return key;
}

Chunk Lowering::remembered(Value value, const Index &index, llvm::function_ref<Chunk()> find) {
  MemoKey key = memoKey(value, index);
  for (auto &scope : llvm::reverse(memo))
    if (auto it = scope.find(key); it != scope.end())
      return it->second;
  Chunk chunk = find();
  memo.back()[key] = chunk;
  return chunk;
}

/// Integers and pointers whose neighbours along the lanes differ by a number that is known.
std::optional<Chunk> Lowering::fromFirstLane(Value value, const Index &index,
                                             llvm::function_ref<Chunk(const Index &)> at) {
  Type element = tt::elementType(value.getType());
  if (!index.hasLanes() || !isa<IntegerType, tt::PointerType>(element))
    return std::nullopt;
  std::optional<int64_t> stride = strides->modular(value, index.lanesDim());
  if (!stride || (*stride && element.isInteger(1)))
    return std::nullopt;
  Index first = index;
  first.dims[index.lanesDim()].kind = DimIndex::Scalar;
  first.width = first.valid = 1;
  Chunk one = at(first);
  Chunk chunk = Chunk::affine(one.v, *stride);
  chunk.base = one.base;
  return chunk;
}

Chunk Lowering::read(Value value, const Index &index) {
  return fromBuffer(readBuffer(*plan.home(value), index), value, index);
}

Chunk Lowering::compute(Value value, const Index &index) {
  Operation *op = value.getDefiningOp();
  if (!op || !isVirtual(value)) {
    error(op ? op : kernel, "a tile that a step computes has no storage");
    return Chunk::uniform(zeroOf(evalType(tt::elementType(value.getType())), 1));
  }
  auto saved = llvm::make_scope_exit([&, old = loc] { loc = old; });
  loc = op->getLoc();
  if (auto range = dyn_cast<tt::MakeRangeOp>(op)) {
    Value position = b.create<arith::TruncIOp>(loc, b.getI32Type(), index.dims[0].index);
    return Chunk::uniform(b.create<arith::AddIOp>(
        loc, position, constant(b.getI32Type(), static_cast<int32_t>(range.getStart()))));
  }
  if (auto constantOp = dyn_cast<arith::ConstantOp>(op)) {
    auto elements = dyn_cast<DenseElementsAttr>(constantOp.getValue());
    if (!elements || !elements.isSplat()) {
      error(op, "a tile constant must hold one value");
      return Chunk::uniform(zeroOf(evalType(tt::elementType(value.getType())), 1));
    }
    return Chunk::uniform(emitConstant(elements.getSplatValue<TypedAttr>()));
  }
  if (auto movement = dyn_cast<tt::DataMovement>(op); movement && movement.isAlongDims())
    return evaluate(movement.getSource(), operandIndex(op, 0, index));
  if (auto reshape = dyn_cast<tt::ReshapeOp>(op))
    return computeReshape(reshape, index);
  if (auto gather = dyn_cast<tt::GatherOp>(op))
    return computeGather(gather, index);
  if (auto load = dyn_cast<tt::LoadOp>(op))
    return emitLoad(load, index);
  if (auto addPtr = dyn_cast<tt::AddPtrOp>(op))
    return computeAddress(addPtr, index);
  if (isa<tt::MapElementwiseOp>(op))
    return computeMap(cast<OpResult>(value), index);
  if (auto ext = dyn_cast<arith::ExtSIOp>(op);
      ext && !getElementTypeOrSelf(ext.getIn()).isInteger(1))
    return extended(ext.getIn(), tt::elementType(ext.getType()), index);
  if (Value less = straightRemainders.lookup(op); less && !index.hasLanes()) {
    Value dividend = evaluate(op->getOperand(0), index).v;
    return Chunk::uniform(b.create<arith::SubIOp>(
        loc, dividend, b.createOrFold<arith::TruncIOp>(loc, dividend.getType(), less)));
  }
  return computeElementwise(op, index);
}

Index Lowering::operandIndex(Operation *op, unsigned number, const Index &index) {
  Index source = index;
  auto movement = dyn_cast<tt::DataMovement>(op);
  Type type = op->getOperand(number).getType();
  if (!isa<RankedTensorType>(type)) {
    source.dims.clear();
  } else if (movement && number == 0) {
    source.dims.assign(tt::shapeOf(type).size(), {});
    for (auto [dim, from] : llvm::zip_equal(index.dims, movement.getSourceDims()))
      if (from >= 0)
        source.dims[from] = dim;
    // What is left has one element.
    for (DimIndex &dim : source.dims)
      if (!dim.index && dim.kind == DimIndex::Scalar)
        dim.index = i64(0);
  }
  if (!source.hasLanes())
    source.width = source.valid = 1;
  return source;
}

/// A reshape reads the buffer that its operand is stored in, if it is, by the number of the
/// element.
Chunk Lowering::computeReshape(tt::ReshapeOp op, const Index &index) {
  ArrayRef<int64_t> to = op.getType().getShape();
  Value linear = i64(0);
  int64_t stride = 1, lanesStride = 0;
  for (int64_t d = to.size() - 1; d >= 0; --d) {
    linear = add(linear, mul(index.dims[d].index, stride));
    if (index.dims[d].kind == DimIndex::Lanes)
      lanesStride = stride;
    stride *= to[d];
  }
  if (!plan.isStored(op.getSrc())) {
    // Of one element: its place along each dimension.
    if (index.hasLanes())
      error(op, "a tile of which a reshape reads registers has no storage");
    ArrayRef<int64_t> from = op.getSrc().getType().getShape();
    Index at;
    at.dims.resize(from.size());
    for (int64_t d = from.size() - 1; d >= 0; --d) {
      at.dims[d].index = b.createOrFold<arith::RemUIOp>(loc, linear, i64(from[d]));
      linear = b.createOrFold<arith::DivUIOp>(loc, linear, i64(from[d]));
    }
    return evaluate(op.getSrc(), at);
  }
  const Buffer &buffer = *plan.home(op.getSrc());
  bool isDense = buffer.rowStride == buffer.shape.back();
  return fromBuffer(isDense ? readDense(buffer, linear, lanesStride, stride, index)
                            : readPadded(buffer, linear, lanesStride, index),
                    op, index);
}

/// Elements `linear`, `linear` + lanesStride, .. of a buffer without padding.
Chunk Lowering::readDense(const Buffer &buffer, Value linear, int64_t lanesStride, int64_t count,
                          const Index &index) {
  // Seen as a matrix whose columns the lanes run down.
  Buffer flat = buffer;
  int64_t columns = std::max<int64_t>(lanesStride, 1);
  flat.shape = {count / columns, columns};
  flat.rowStride = columns;
  Index at;
  if (!lanesStride) {
    at.dims = {{DimIndex::Scalar, linear}, {DimIndex::Scalar, i64(0)}};
    return readBuffer(flat, at);
  }
  Value row = b.create<arith::DivUIOp>(loc, linear, i64(columns));
  Value column = b.create<arith::RemUIOp>(loc, linear, i64(columns));
  at.dims = {{DimIndex::Lanes, row}, {DimIndex::Scalar, column}};
  at.width = index.width;
  at.valid = index.valid;
  return readBuffer(flat, at);
}

/// The same of a buffer whose rows are padded: every lane finds its own row.
Chunk Lowering::readPadded(const Buffer &buffer, Value linear, int64_t lanesStride,
                           const Index &index) {
  int64_t width = lanesStride ? index.width : 1;
  Value number = splat(linear, width);
  if (lanesStride)
    number = b.create<arith::AddIOp>(loc, number, lanes(b.getI64Type(), width, lanesStride));
  Value columns = splat(i64(buffer.shape.back()), width);
  Value row = b.create<arith::DivUIOp>(loc, number, columns);
  Value column = b.create<arith::RemUIOp>(loc, number, columns);
  Value offset = b.create<arith::AddIOp>(
      loc, b.create<arith::MulIOp>(loc, row, splat(i64(buffer.rowStride), width)), column);
  if (lanesStride)
    return gatherFrom(buffer, offset, index);
  Value stored =
      b.create<LLVM::LoadOp>(loc, storageType(buffer.element), elementAddress(buffer, offset),
                             tt::scalarBytes(buffer.element));
  return Chunk::uniform(decodeStorage(stored, buffer.element));
}

/// A gather reads the buffer that its source is stored in, within its extent whatever the index.
/// One element is computed if the source is not stored.
Chunk Lowering::computeGather(tt::GatherOp op, const Index &index) {
  unsigned axis = op.getAxis();
  if (std::optional<Chunk> exchanged = exchange(op, index))
    return *exchanged;
  Type type = tt::elementType(op.getIndex().getType());
  Chunk named = evaluate(op.getIndex(), index);
  bool isUniform = named.kind == Chunk::Uniform;
  int64_t width = isUniform ? 1 : index.width;
  // Without a sign, what is below zero is beyond the end.
  int64_t extent = op.getSrc().getType().getDimSize(axis);
  Value last = splat(constant(type, extent - 1), width);
  Value place = b.create<arith::MinUIOp>(loc, asVector(named, type, width), last);
  if (!type.isInteger(64))
    place = b.create<arith::ExtUIOp>(loc, shaped(b.getI64Type(), width), place);
  Index at = index;
  at.dims[axis] = {DimIndex::Scalar, isUniform ? place : i64(0)};
  if (!plan.isStored(op.getSrc())) {
    if (!isUniform)
      error(op, "a tile of which several elements are gathered has no storage");
    return evaluate(op.getSrc(), at);
  }
  const Buffer &buffer = *plan.home(op.getSrc());
  if (isUniform)
    return fromBuffer(readBuffer(buffer, at), op, index);
  Index along;
  along.dims.resize(at.dims.size());
  along.dims[axis].kind = DimIndex::Lanes;
  Value offset = b.create<arith::MulIOp>(loc, place, splat(i64(laneStride(buffer, along)), width));
  offset = b.create<arith::AddIOp>(loc, offset, splat(linearIndex(buffer, at), width));
  offset =
      b.create<arith::AddIOp>(loc, offset, lanes(b.getI64Type(), width, laneStride(buffer, at)));
  return fromBuffer(gatherFrom(buffer, offset, index), op, index);
}

/// Registers that trade places with each other, and lanes within them.
std::optional<Chunk> Lowering::exchange(tt::GatherOp op, const Index &index) {
  std::optional<int64_t> bits = tt::exchangedBits(op);
  // Registers are whole, and begin at multiples of their width.
  if (!bits || !index.hasLanes() || index.lanesDim() != op.getAxis() ||
      !llvm::isPowerOf2_64(index.width) || op.getType().getDimSize(op.getAxis()) % index.width)
    return std::nullopt;
  Index at = index;
  Value &place = at.dims[op.getAxis()].index;
  place = b.createOrFold<arith::XOrIOp>(loc, place, i64(*bits & -index.width));
  Chunk chunk = readBuffer(*plan.home(op.getSrc()), at);
  SmallVector<int64_t> lanes;
  for (int64_t lane = 0; lane < index.width; ++lane)
    lanes.push_back(lane ^ (*bits & (index.width - 1)));
  chunk.v = b.createOrFold<vector::ShuffleOp>(loc, chunk.v, chunk.v, lanes);
  return fromBuffer(chunk, op, index);
}

/// The elements at `offsets`, one a lane.
Chunk Lowering::gatherFrom(const Buffer &buffer, Value offsets, const Index &index) {
  Value base = bufferBase(buffer);
  auto pointers = LLVM::getFixedVectorType(base.getType(), index.width);
  Type storage = storageType(buffer.element);
  Value addresses =
      b.create<LLVM::GEPOp>(loc, pointers, storage, base, ArrayRef<LLVM::GEPArg>{offsets});
  Value stored = b.create<LLVM::masked_gather>(
      loc, VectorType::get(index.width, storage), addresses, firstLanes(index.valid, index.width),
      ValueRange{zeroOf(storage, index.width)}, tt::scalarBytes(buffer.element));
  return Chunk::vector(decodeStorage(stored, buffer.element));
}

/// `chunk`, read from a buffer, as an element of `value`: an i1 has a byte there.
Chunk Lowering::fromBuffer(Chunk chunk, Value value, const Index &index) {
  if (tt::elementType(value.getType()).isInteger(1))
    chunk.v = b.create<arith::CmpIOp>(
        loc, arith::CmpIPredicate::ne, chunk.v,
        zeroOf(b.getI8Type(), chunk.kind == Chunk::Vector ? index.width : 1));
  return chunk;
}

//===----------------------------------------------------------------------===//
// Element-wise operations
//===----------------------------------------------------------------------===//

Chunk Lowering::computeElementwise(Operation *op, const Index &index) {
  SmallVector<Chunk> operands;
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    operands.push_back(evaluate(operand, operandIndex(op, i, index)));
  if (auto special = computeMask(op, operands, index))
    return *special;
  // A weight of a softmax; the last bit of those below 2^-102 is left to divisions that round it.
  if (op->hasAttr("tt.weight") && !op->hasAttr("tt.exact") && index.hasLanes() &&
      operands[1].kind == Chunk::Uniform)
    return Chunk::vector(
        math().divideByOne(asVector(operands[0], b.getF32Type(), index.width), operands[1].v));
  bool uniform = llvm::all_of(operands, [](const Chunk &c) { return c.kind == Chunk::Uniform; });
  int64_t width = uniform || !index.hasLanes() ? 1 : index.width;
  Index shape;
  if (width != 1)
    shape = index;
  SmallVector<Value> values;
  for (auto [chunk, operand] : llvm::zip(operands, op->getOperands()))
    values.push_back(asValue(chunk, evalType(tt::elementType(operand.getType())), shape));
  Value result = emitElementwise(op, values, width);
  return width == 1 ? Chunk::uniform(result) : Chunk::vector(result);
}

bool Lowering::isExact(Value value, const Chunk &chunk, const Index &index) {
  if (chunk.kind == Chunk::Uniform)
    return true;
  return isa<RankedTensorType>(value.getType()) &&
         strides->exact(value, index.lanesDim()) == chunk.stride;
}

Chunk Lowering::extended(Value value, Type to, const Index &index) {
  Type from = tt::elementType(value.getType());
  // The positions of elements are known in 64 bits already.
  if (auto range = value.getDefiningOp<tt::MakeRangeOp>(); range && to.isInteger(64)) {
    const DimIndex &dim = index.dims[0];
    return Chunk::affine(add(dim.index, i64(static_cast<int32_t>(range.getStart()))),
                         dim.kind == DimIndex::Lanes);
  }
  Chunk chunk = evaluate(value, index);
  if (from == to)
    return chunk;
  if (chunk.kind == Chunk::Uniform || (chunk.kind == Chunk::Affine && isExact(value, chunk, index)))
    chunk.v = b.createOrFold<arith::ExtSIOp>(loc, to, chunk.v);
  else
    chunk = Chunk::vector(b.create<arith::ExtSIOp>(loc, VectorType::get(index.width, to),
                                                   asVector(chunk, from, index.width)));
  return chunk;
}

Chunk Lowering::computeAddress(tt::AddPtrOp op, const Index &index) {
  int64_t bytes = tt::scalarBytes(pointeeOf(op.getPtr()));
  Chunk pointer = evaluate(op.getPtr(), operandIndex(op, 0, index));
  Chunk offset = extended(op.getOffset(), b.getI64Type(), operandIndex(op, 1, index));
  offset.stride *= bytes;
  if (offset.kind == Chunk::Vector)
    offset.v = b.create<arith::MulIOp>(loc, offset.v, splat(i64(bytes), index.width));
  else
    offset.v = mul(offset.v, bytes);
  Chunk result;
  if (pointer.kind == Chunk::Uniform && offset.kind == Chunk::Uniform) {
    result = Chunk::uniform(b.createOrFold<arith::AddIOp>(loc, pointer.v, offset.v));
  } else {
    Chunk fromBase = pointer;
    fromBase.base = {};
    result =
        Chunk::vector(b.create<arith::AddIOp>(loc, asVector(fromBase, b.getI64Type(), index.width),
                                              asVector(offset, b.getI64Type(), index.width)));
  }
  result.base = pointer.base;
  return result;
}

//===----------------------------------------------------------------------===//
// Hoisting
//===----------------------------------------------------------------------===//

void Lowering::hoist(Value value, const Index &index, Seen &seen, int depth) {
  if (!isa<RankedTensorType>(value.getType()) || depth > 32 ||
      !seen.insert(memoKey(value, index)).second)
    return;
  Operation *op = value.getDefiningOp();
  if (!index.hasPending()) {
    // Addresses are evaluated with their access; constants cost nothing.
    if (!op || (!isa<tt::PointerType>(tt::elementType(value.getType())) &&
                !isa<arith::ConstantOp, tt::SplatOp>(op)))
      evaluate(value, index);
    return;
  }
  if (op && !plan.isStored(value) && isVirtual(value))
    hoistOperands(op, index, seen, depth + 1);
}

void Lowering::hoistOperands(Operation *op, const Index &index, Seen &seen, int depth) {
  for (auto [i, operand] : llvm::enumerate(op->getOpOperands()))
    if (!tt::isReadAnywhere(operand))
      hoist(operand.get(), operandIndex(op, i, index), seen, depth);
}

} // namespace tritium::cpu
