//===- Dot.cpp - matrix products ------------------------------------------===//
//
// Both operands stand in scratch memory as matrices of the type that products are
// accumulated in; so does the accumulator. Where, the plan says (PlanDot.cpp).
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;

namespace tritium::cpu {

/// Copies an operand to where it has elements of the accumulator's type, rows padded to registers.
void Lowering::emitPacking(const DotPlan::Operand &operand, bool isUnsigned) {
  if (operand.packed == operand.stored)
    return;
  ArrayRef<int64_t> shape = operand.packed->shape;
  Type compute = operand.packed->element;
  int64_t registerLanes = target.vectorBits / 8 / tt::scalarBytes(compute);
  int64_t width = std::min<int64_t>(registerLanes, llvm::PowerOf2Ceil(shape.back()));
  std::function<void(unsigned, Index)> rows = [&](unsigned d, Index index) {
    bool last = d + 1 == shape.size();
    int64_t extent = shape[d], step = last ? width : 1;
    auto at = [&](Value i, int64_t valid) {
      Index next = index;
      next.dims.push_back({last && width > 1 ? DimIndex::Lanes : DimIndex::Scalar, i});
      if (!last)
        return rows(d + 1, next);
      next.width = width;
      next.valid = valid;
      Chunk chunk = readBuffer(*operand.stored, next);
      if (chunk.v.getType() != shaped(compute, width))
        chunk.v = isUnsigned
                      ? b.create<arith::ExtUIOp>(loc, shaped(compute, width), chunk.v).getResult()
                      : b.create<arith::ExtSIOp>(loc, shaped(compute, width), chunk.v).getResult();
      writeBuffer(*operand.packed, next, chunk);
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
}

/// if (whole tile inside)  the product reads the matrix where it is
/// else                    packed as usual
void Lowering::emitDirectRead(const Step &step) {
  auto load = step.roots.front().value.getDefiningOp<tt::LoadOp>();
  SmallVector<Value> terms;
  if (step.whole)
    terms = emitScalarCode(step.whole->code);
  Chunk at[2];
  for (int64_t row : {0, 1}) {
    Index index;
    index.dims = {{DimIndex::Scalar, i64(row)}, {DimIndex::Scalar, i64(0)}};
    at[row] = evaluate(load.getPtr(), index);
  }
  assert(at[0].base == at[1].base && "rows of one tile have one base");
  DirectRead direct{scalarAddress(at[0]), sub(at[1].v, at[0].v)};
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
  directReads[load.getResult()] = direct;
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

void Lowering::emitDotStep(const Step &step, tt::DotOp op) {
  loc = op.getLoc();
  const DotPlan &dot = *step.dot;
  emitPacking(dot.a, op.getIsUnsigned());
  emitPacking(dot.b, op.getIsUnsigned());
  emitSteps(step.before);
  const Buffer *a = dot.a.packed, *rhs = dot.b.packed, *acc = dot.accumulator;
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
  for (const Upcoming &tile : dot.upcoming)
    upcoming.push_back(nextTile(tile, cast<scf::ForOp>(op->getParentOp())));
  func::FuncOp function =
      dotFunction(acc->element, m, n, k, {a->rowStride, rhs->rowStride, acc->rowStride},
                  dot.fromZero, dot.readsMemory, upcoming);
  auto product = [&](Value batch) {
    SmallVector<Value> arguments{matrix(*a, m, batch), matrix(*rhs, k, batch),
                                 matrix(*acc, m, batch)};
    for (const UpcomingTile &tile : upcoming)
      arguments.push_back(tile.base);
    for (const UpcomingTile &tile : upcoming)
      arguments.push_back(tile.rowStride);
    if (dot.readsMemory) {
      DirectRead direct = directReads.lookup(op.getA());
      arguments.front() = direct.base;
      arguments.push_back(direct.rowStride);
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
