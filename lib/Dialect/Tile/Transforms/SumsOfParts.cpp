//===- SumsOfParts.cpp - sums that parts of a program leave ---------------===//

#include "SumsOfParts.h"

#include "tritium/Dialect/Tile/Transforms/Passes.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tritium::tt {

namespace {
constexpr int64_t kSumAlignment = 128; ///< a line of a GPU's caches, in bytes

Value constant(OpBuilder &b, Location loc, Type type, int64_t value) {
  return b.create<arith::ConstantOp>(loc, b.getIntegerAttr(type, value));
}

/// Where the elements of a tile stand, one behind the other.
Value placesIn(OpBuilder &b, Location loc, RankedTensorType type) {
  Value places;
  int64_t stride = 1;
  for (int64_t axis = type.getRank() - 1; axis >= 0; --axis) {
    int64_t extent = type.getDimSize(axis);
    auto row = RankedTensorType::get({extent}, b.getI32Type());
    Value along = b.create<MakeRangeOp>(loc, row, 0, extent);
    SmallVector<int64_t> shape{extent};
    for (int64_t other = 0; other < type.getRank(); ++other) {
      if (other == axis)
        continue;
      shape.insert(shape.begin() + other, 1);
      along = b.create<ExpandDimsOp>(loc, RankedTensorType::get(shape, b.getI32Type()), along,
                                     static_cast<uint32_t>(other));
    }
    auto narrow = cast<RankedTensorType>(along.getType());
    Value scale = b.create<arith::ConstantOp>(
        loc, DenseElementsAttr::get(narrow, b.getI32IntegerAttr(stride)));
    along = b.create<arith::MulIOp>(loc, along, scale);
    along = b.create<BroadcastOp>(loc, withElement(type, b.getI32Type()), along);
    places = places ? b.create<arith::AddIOp>(loc, places, along).getResult() : along;
    stride *= extent;
  }
  return places;
}

Value added(OpBuilder &b, Location loc, Value x, Value y) {
  if (isTileFloat(elementType(x.getType())))
    return b.create<arith::AddFOp>(loc, x, y);
  return b.create<arith::AddIOp>(loc, x, y);
}
} // namespace

SumsOfParts::SumsOfParts(FuncOp kernel, LoopToSplit &split) : loc(split.loop.getLoc()) {
  Builder b(kernel.getContext());
  auto add = [&](StringRef name, Type pointee) {
    NamedAttrList attributes;
    attributes.set("tt.name", b.getStringAttr(name));
    attributes.set("tt.divisibility", b.getI32IntegerAttr(16));
    unsigned at = kernel.getNumArguments();
    kernel.insertArgument(at, PointerType::get(pointee), attributes.getDictionary(b.getContext()),
                          kernel.getLoc());
    return kernel.getArgument(at);
  };
  partials = add("partial sums", b.getI8Type());
  arrivals = add("arrivals", b.getI32Type());
  scf::ForOp loop = split.loop;
  for (auto [result, what] : llvm::zip(loop.getResults(), split.carried)) {
    if (what.moves)
      continue;
    results.push_back(result);
    offsets.push_back(ofPart);
    auto tile = dyn_cast<RankedTensorType>(result.getType());
    int64_t elements = tile ? tile.getNumElements() : 1;
    ofPart += llvm::alignTo<kSumAlignment>(elements * scalarBytes(elementType(result.getType())));
  }
  kernel->setAttr(kPartialBytes, b.getI64IntegerAttr(ofPart));
}

/// Pointers to the elements of `type`, `offset` bytes behind the beginning of a place.
Value SumsOfParts::pointersTo(OpBuilder &b, Type type, Value place, int64_t offset) {
  Type i64 = b.getI64Type();
  Value begin = b.create<arith::MulIOp>(loc, place, constant(b, loc, i64, ofPart));
  Value at = b.create<AddPtrOp>(loc, partials, begin);
  at = b.create<AddPtrOp>(loc, at, constant(b, loc, i64, offset));
  at = b.create<BitcastOp>(loc, PointerType::get(elementType(type)), at);
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile)
    return at;
  Value all = b.create<SplatOp>(loc, withElement(type, at.getType()), at);
  return b.create<AddPtrOp>(loc, all, placesIn(b, loc, tile));
}

Value SumsOfParts::store(OpBuilder &b, Value place, Value program, Value parts) {
  for (auto [sum, offset] : llvm::zip(results, offsets))
    b.create<StoreOp>(loc, pointersTo(b, sum.getType(), place, offset), sum, /*mask=*/Value())
        ->setAttr(kPartialSum, b.getUnitAttr());
  Type i32 = b.getI32Type();
  Value arrival = b.create<AddPtrOp>(loc, arrivals, program), one = constant(b, loc, i32, 1);
  auto before = b.create<AtomicRMWOp>(loc, i32, RMWOp::ADD, arrival, one, Value(),
                                      MemSemantic::ACQUIRE_RELEASE, MemScope::GPU);
  before->setAttr(kPartialSum, b.getUnitAttr());
  Value others = b.create<arith::SubIOp>(loc, parts, one);
  return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, before, others);
}

void SumsOfParts::reset(OpBuilder &b, Value program) {
  Value arrival = b.create<AddPtrOp>(loc, arrivals, program);
  b.create<StoreOp>(loc, arrival, constant(b, loc, b.getI32Type(), 0), /*mask=*/Value());
}

Value SumsOfParts::addUp(OpBuilder &b, size_t kind, Value first, Value parts, int64_t begin,
                         int64_t more, bool isInPlace) {
  Type i32 = b.getI32Type(), i64 = b.getI64Type(), type = results[kind].getType();
  // So many of the parts from number `next` on, added to `sum`, if there is one.
  auto addNext = [&](Value sum, Value next, int64_t count) {
    SmallVector<Value> loaded;
    for (int64_t i = 0; i < count; ++i) {
      Value number = b.create<arith::AddIOp>(loc, next, constant(b, loc, i32, i));
      number = b.create<arith::ExtSIOp>(loc, i64, number);
      Value place = b.create<arith::AddIOp>(loc, first, number);
      Value pointers = pointersTo(b, type, place, offsets[kind]);
      auto load = b.create<LoadOp>(loc, pointers, /*mask=*/Value());
      if (isInPlace)
        load->setAttr(kPartialSum, b.getUnitAttr());
      loaded.push_back(load);
    }
    for (Value each : loaded)
      sum = sum ? added(b, loc, sum, each) : each;
    return sum;
  };
  Value sum = addNext({}, constant(b, loc, i32, 0), begin);
  if (APInt all; matchPattern(parts, m_ConstantInt(&all)) && all == begin)
    return sum;
  auto others = b.create<scf::ForOp>(loc, constant(b, loc, i32, begin), parts,
                                     constant(b, loc, i32, more), sum);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(others.getBody());
  b.create<scf::YieldOp>(loc, addNext(others.getRegionIterArg(0), others.getInductionVar(), more));
  return others.getResult(0);
}

} // namespace tritium::tt
