//===- ReduceDataDuplication.cpp - ttg-reduce-data-duplication ------===//
//
//   %x = ttg.convert_layout %a : #blocked -> #dot_op<0>
//   %y = ttg.convert_layout %b : #blocked -> #dot_op<1>
//   %d = tt.dot %x, %y, %c
//
// becomes
//
//   %ma = ttg.local_alloc init(%a)
//   %mb = ttg.local_alloc init(%b)
//   %x = ttg.local_load %ma
//   %y = ttg.local_load %mb
//   %d = tt.dot %x, %y, %c
//
// Fragments of a dot hold each element in several lanes and warps. In shared memory they are
// held once, and the dot reads them as it goes along k, so that few are in registers at a time.
// One barrier does for both operands. Conversions within registers stay, and so do those of
// tiles that shared memory cannot hold as such (extents that are no powers of two), and of
// operands that something else uses.
//
// What a loop around the dot takes from outside is converted once, to registers, unless there
// are none left: beside the results and carried tiles of the loop, 200 words a lane. Then the
// pipelined loop, which begins with a barrier, reads it in every iteration.
//
// It runs behind the pipeliner, which reads operands from its own buffers.
//
//===----------------------------------------------------------------------===//

#include "tritium/Dialect/TileGPU/IR/Mma.h"
#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileGPU/IR/TileGPU.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"
#include "tritium/Layout/TileConversion.h"
#include "tritium/Target/GPU/Strategy.h"

using namespace mlir;

namespace tritium::ttg {

#define GEN_PASS_DEF_REDUCEDATADUPLICATION
#include "tritium/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
bool isToReplace(ConvertLayoutOp convert) {
  RankedTensorType from = convert.getSrc().getType(), to = convert.getType();
  if (!isa<DotOperandEncodingAttr>(to.getEncoding()) || to.getRank() != 2 ||
      !convert->hasOneUse() || !llvm::all_of(to.getShape(), llvm::isPowerOf2_64) ||
      !isa<IntegerType, FloatType>(to.getElementType()) || to.getElementType().isInteger(1))
    return false;
  auto dot = dyn_cast<tt::DotOp>(*convert->user_begin());
  unsigned bits = 8 * tt::scalarBytes(to.getElementType());
  if (!dot || planConversion(layoutOf(from), layoutOf(to), bits).kind == TileConversion::Registers)
    return false;
  if (dot->getBlock() == convert->getBlock())
    return true;
  auto loop = dyn_cast<scf::ForOp>(dot->getParentOp());
  return loop && loop->getBlock() == convert->getBlock() &&
         isa<AsyncWaitOp>(loop.getBody()->front()) &&
         wordsBesideOperand(loop, to) > strategy::kMostWordsInLoop;
}

void replace(ConvertLayoutOp convert) {
  RankedTensorType from = convert.getSrc().getType(), to = convert.getType();
  OpBuilder builder(convert);
  SharedEncodingAttr encoding =
      swizzledLayout(convert.getContext(), to.getShape(), orderOf(from.getEncoding()),
                     tt::scalarBytes(to.getElementType()));
  auto memory = builder.create<LocalAllocOp>(
      convert.getLoc(),
      MemDescType::get(convert.getContext(), to.getShape(), to.getElementType(), encoding,
                       MemorySpace::Shared, /*isMutable=*/false),
      convert.getSrc());
  builder.setInsertionPoint(*convert->user_begin());
  convert.replaceAllUsesWith(builder.create<LocalLoadOp>(convert.getLoc(), to, memory).getResult());
  convert.erase();
}

struct ReduceDataDuplicationPass : impl::ReduceDataDuplicationBase<ReduceDataDuplicationPass> {
  void runOnOperation() override {
    if (!getAnalysis<LayoutsHold>() || failed(checkNothingSkipped(getOperation())))
      return signalPassFailure();
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
