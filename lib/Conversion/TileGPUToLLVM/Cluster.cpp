//===- Cluster.cpp - the CTAs of a program, and what they give each other -===//

#include "Families.h"
#include "TensorCopies.h"

#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"

using namespace mlir;

namespace tritium::ttg {

namespace {
class ClusterLowering : public LoweringContext {
public:
  explicit ClusterLowering(const LoweringContext &context) : LoweringContext(context) {}

  LogicalResult lowerArrive(ttng::ClusterArriveOp op);
  LogicalResult lowerWait(ttng::ClusterWaitOp op);
  LogicalResult lowerRank(ttng::ClusterRankOp op);
  LogicalResult lowerStore(ttng::ClusterStoreOp op);

private:
  /// `x` to `address` of the shared memory of the CTA of rank `to`, where the predicate holds.
  void storeTo(Value to, Value address, Value x, Value predicate);
  /// The place of a register of the source, among all of them.
  Value placeOf(Value tile, unsigned reg);
};
} // namespace

LogicalResult ClusterLowering::lowerArrive(ttng::ClusterArriveOp op) {
  if (op.getRelaxed())
    b.create<NVVM::ClusterArriveRelaxedOp>(loc, b.getUnitAttr());
  else
    b.create<NVVM::ClusterArriveOp>(loc, b.getUnitAttr());
  return success();
}

LogicalResult ClusterLowering::lowerWait(ttng::ClusterWaitOp) {
  b.create<NVVM::ClusterWaitOp>(loc, b.getUnitAttr());
  return success();
}

LogicalResult ClusterLowering::lowerRank(ttng::ClusterRankOp op) {
  set(op, {b.create<NVVM::ClusterId>(loc, b.getI32Type())});
  return success();
}

void ClusterLowering::storeTo(Value to, Value address, Value x, Value predicate) {
  unsigned bits = x.getType().getIntOrFloatBitWidth();
  const char *letter = bits == 64 ? "l" : bits == 32 ? "r" : "h";
  if (bits == 8)
    x = b.create<LLVM::ZExtOp>(loc, b.getI16Type(), x);
  assembly({},
           "{\n\t.reg .b32 there;\n\t"
           "@$0 mapa.shared::cluster.u32 there, $1, $2;\n\t"
           "@$0 st.shared::cluster.b" +
               std::to_string(bits) + " [there], $3;\n\t}",
           std::string("b,r,r,") + letter, {predicate, address, to, x});
}

Value ClusterLowering::placeOf(Value tile, unsigned reg) {
  const TileLayout &tileLayout = layout(tile);
  ArrayRef<Value> thread = threadCoordinates(tile);
  Value place = i32(0);
  for (auto [d, extent] : llvm::enumerate(tt::shapeOf(tile.getType())))
    place = add(mul(place, i32(int32_t(extent))), coordinate(tileLayout, thread, reg, d));
  return place;
}

/// A scalar is in all threads: each of the first ones stores it to one CTA.
LogicalResult ClusterLowering::lowerStore(ttng::ClusterStoreOp op) {
  Value source = op.getSrc();
  Type element = tt::elementType(source.getType());
  int32_t bytes = tt::scalarBytes(element), ctas = numCTAs(op), elements = 1;
  for (int64_t extent : tt::shapeOf(source.getType()))
    elements *= extent;
  Value rank = b.create<NVVM::ClusterId>(loc, b.getI32Type());
  Value base = b.create<LLVM::PtrToIntOp>(loc, b.getI32Type(), scalar(op.getDst()));
  base = add(base, mul(rank, i32(elements * bytes)));
  if (!tt::isTile(source.getType())) {
    Value isSender = cmp(LLVM::ICmpPredicate::ult, thread, i32(ctas));
    storeTo(thread, base, toMemory(scalar(source), element), isSender);
    return success();
  }
  Value predicate = isFirstCopy(layout(source));
  if (!predicate)
    predicate = cmp(LLVM::ICmpPredicate::eq, i32(0), i32(0));
  for (auto [reg, x] : llvm::enumerate(get(source))) {
    Value address = add(base, mul(placeOf(source, reg), i32(bytes)));
    for (int32_t to = 0; to < ctas; ++to)
      storeTo(i32(to), address, toMemory(x, element), predicate);
  }
  return success();
}

void populateClusterPatterns(LoweringPatterns &patterns, const LoweringContext &context) {
  auto family = std::make_shared<ClusterLowering>(context);
  auto add = [&]<typename Op>(LogicalResult (ClusterLowering::*lower)(Op)) {
    patterns.add<Op>(
        [=](Op op) { return failed(checkTensorCopies(op)) ? failure() : ((*family).*lower)(op); });
  };
  add(&ClusterLowering::lowerArrive);
  add(&ClusterLowering::lowerWait);
  add(&ClusterLowering::lowerRank);
  add(&ClusterLowering::lowerStore);
}

} // namespace tritium::ttg
