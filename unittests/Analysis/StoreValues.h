//===- StoreValues.h - making a kernel show what it computes ----*- C++ -*-===//

#ifndef TRITIUM_UNITTESTS_ANALYSIS_STOREVALUES_H
#define TRITIUM_UNITTESTS_ANALYSIS_STOREVALUES_H

#include "tritium/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"

namespace tritium::testing {

struct StoredValue {
  mlir::Value value;
  int64_t offset; ///< of its first element in memory
};

/// Stores the integers and addresses of every top-level value to the first argument,
/// an !tt.ptr<i64>, one after another. `total`: how many elements in all.
inline std::vector<StoredValue> storeAll(tt::FuncOp func, int64_t &total) {
  using namespace mlir;
  std::vector<StoredValue> stored;
  total = 0;
  for (Operation &op : func.getBody().front())
    for (Value value : op.getResults())
      if (Type element = tt::elementType(value.getType());
          element.isInteger(32) || element.isInteger(1) || isa<tt::PointerType>(element)) {
        stored.push_back({value, total});
        auto type = dyn_cast<RankedTensorType>(value.getType());
        total += type ? type.getNumElements() : 1;
      }
  OpBuilder b(func.getBody().front().getTerminator());
  Location loc = func.getLoc();
  for (auto [value, offset] : stored) {
    Value tile = value;
    if (!tt::isTile(tile.getType()))
      tile = b.create<tt::SplatOp>(loc, RankedTensorType::get({1}, tile.getType()), tile);
    auto type = cast<RankedTensorType>(tile.getType());
    auto flat = [count = type.getNumElements()](Type element) {
      return RankedTensorType::get({count}, element);
    };
    tile = b.create<tt::ReshapeOp>(loc, flat(type.getElementType()), tile);
    if (isa<tt::PointerType>(type.getElementType()))
      tile = b.create<tt::PtrToIntOp>(loc, flat(b.getI64Type()), tile);
    else
      tile = b.create<arith::ExtSIOp>(loc, flat(b.getI64Type()), tile);
    Type pointers = flat(func.getArgumentTypes()[0]);
    Value at = b.create<tt::MakeRangeOp>(loc, flat(b.getI32Type()), int32_t(offset),
                                         int32_t(offset + type.getNumElements()));
    Value base = b.create<tt::SplatOp>(loc, pointers, func.getArgument(0));
    Value target = b.create<tt::AddPtrOp>(loc, pointers, base, at);
    b.create<tt::StoreOp>(loc, target, tile, Value());
  }
  return stored;
}

} // namespace tritium::testing

#endif // TRITIUM_UNITTESTS_ANALYSIS_STOREVALUES_H
