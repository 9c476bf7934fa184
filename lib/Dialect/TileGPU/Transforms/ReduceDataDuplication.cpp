//===- ReduceDataDuplication.cpp - tritongpu-reduce-data-duplication ------===//
//
//   %x = ttg.convert_layout %a : #blocked -> #dot_op<0>
//   %y = ttg.convert_layout %b : #blocked -> #dot_op<1>
//   %d = tt.dot %x, %y, %c
//
// becomes
//
//   %ma = ttg.local_alloc
//   ttg.local_store %a, %ma
//   %mb = ttg.local_alloc
//   ttg.local_store %b, %mb
//   %x = ttg.local_load %ma
//   %y = ttg.local_load %mb
//   %d = tt.dot %x, %y, %c
//
// Fragments of a dot hold each element in several lanes and warps. In shared memory they are
// held once, and the dot reads them as it goes along k, so that few are in registers at a time.
// One barrier does for both operands. Conversions within registers stay, and so do those of
// tiles that shared memory cannot hold as such (extents that are no powers of two), of operands
// that something else uses, and of those that a loop around the dot need not convert again.
//
// It runs behind the pipeliner, which reads operands from its own buffers.
//
//===----------------------------------------------------------------------===//

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"

using namespace mlir;

namespace tritium::ttg {

#define GEN_PASS_DEF_REDUCEDATADUPLICATION
#include "tritium/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
/// Lanes hold what they need already, in other registers perhaps.
bool staysInLanes(RankedTensorType from, RankedTensorType to) {
  LinearLayout a = layoutOf(from).core(), b = layoutOf(to).core();
  for (StringRef name : {kLane, kWarp}) {
    ArrayRef<uint64_t> x = a.bases(name), y = b.bases(name);
    if (x.size() != y.size())
      return false;
    for (auto [p, q] : llvm::zip(x, y))
      if (a.unflatten(p) != b.unflatten(q))
        return false;
  }
  return true;
}

bool isToReplace(ConvertLayoutOp convert) {
  RankedTensorType from = convert.getSrc().getType(), to = convert.getType();
  if (!isa<DotOperandEncodingAttr>(to.getEncoding()) || to.getRank() != 2 ||
      !convert->hasOneUse() || !llvm::all_of(to.getShape(), llvm::isPowerOf2_64) ||
      !isa<IntegerType, FloatType>(to.getElementType()) || to.getElementType().isInteger(1))
    return false;
  auto dot = dyn_cast<tt::DotOp>(*convert->user_begin());
  return dot && dot->getBlock() == convert->getBlock() && !staysInLanes(from, to);
}

void replace(ConvertLayoutOp convert) {
  RankedTensorType from = convert.getSrc().getType(), to = convert.getType();
  OpBuilder builder(convert);
  SharedEncodingAttr encoding =
      swizzledLayout(convert.getContext(), to.getShape(), orderOf(from.getEncoding()),
                     tt::scalarBytes(to.getElementType()));
  auto memory = builder.create<LocalAllocOp>(
      convert.getLoc(),
      MemDescType::get(convert.getContext(), to.getShape(), to.getElementType(), encoding));
  builder.create<LocalStoreOp>(convert.getLoc(), convert.getSrc(), memory);
  builder.setInsertionPoint(*convert->user_begin());
  convert.replaceAllUsesWith(builder.create<LocalLoadOp>(convert.getLoc(), to, memory).getResult());
  convert.erase();
}

struct ReduceDataDuplicationPass : impl::ReduceDataDuplicationBase<ReduceDataDuplicationPass> {
  void runOnOperation() override {
    SmallVector<ConvertLayoutOp> found;
    getOperation().walk([&](ConvertLayoutOp convert) {
      if (isToReplace(convert))
        found.push_back(convert);
    });
    for (ConvertLayoutOp convert : found)
      replace(convert);
  }
};
} // namespace

} // namespace tritium::ttg
