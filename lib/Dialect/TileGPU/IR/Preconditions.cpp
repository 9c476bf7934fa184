//===- Preconditions.cpp - what passes on layouts rely on -----------------===//

#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;

namespace tritium::ttg {

static bool isNumberOfWarps(int64_t warps) {
  return warps >= 1 && warps <= 32 && llvm::isPowerOf2_64(warps);
}

/// Warps that a layout of registers is for.
static int64_t warpsOf(Attribute encoding) {
  auto product = [](ArrayRef<int32_t> counts) {
    return std::accumulate(counts.begin(), counts.end(), int64_t(1), std::multiplies<int64_t>());
  };
  return llvm::TypeSwitch<Attribute, int64_t>(encoding)
      .Case<BlockedEncodingAttr, MmaEncodingAttr>(
          [&](auto layout) { return product(layout.getWarpsPerCTA()); })
      .Case<SliceEncodingAttr, DotOperandEncodingAttr>(
          [](auto layout) { return warpsOf(layout.getParent()); })
      .Case([](LinearEncodingAttr layout) {
        return int64_t(1) << layout.getWarps().size() / std::max<size_t>(1, layout.getRank());
      })
      .Default([](Attribute) { return 0; });
}

/// Calls `check` once for every type of a tile in the module's kernels, with an operation that
/// makes such a tile; an argument of a block belongs to the operation around it.
static LogicalResult checkTiles(ModuleOp module,
                                llvm::function_ref<LogicalResult(Operation *, Type)> check) {
  llvm::DenseSet<Type> seen;
  auto one = [&](Operation *op, Type type) {
    return !tt::isTile(type) || !seen.insert(type).second || succeeded(check(op, type));
  };
  for (auto func : module.getOps<tt::FuncOp>()) {
    WalkResult result = func.walk([&](Operation *op) {
      bool good = llvm::all_of(op->getResultTypes(), [&](Type type) { return one(op, type); });
      for (Region &region : op->getRegions())
        for (Block &block : region)
          good &= llvm::all_of(block.getArgumentTypes(), [&](Type type) { return one(op, type); });
      return good ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return failure();
  }
  return success();
}

LogicalResult checkLayouts(ModuleOp module) {
  if (Attribute given = module->getAttr(kNumWarps)) {
    auto number = dyn_cast<IntegerAttr>(given);
    if (!number || !isNumberOfWarps(number.getInt()))
      return module.emitError() << kNumWarps << " must be a power of two from 1 to 32, found "
                                << given;
  }
  int64_t warps = numWarps(module);
  return checkTiles(module, [&](Operation *op, Type type) -> LogicalResult {
    Attribute encoding = cast<RankedTensorType>(type).getEncoding();
    if (!encoding)
      return op->emitError() << "the tile " << type
                             << " has no layout; run convert-triton-to-tritongpu first";
    int64_t found = warpsOf(encoding);
    if (found == 0)
      return op->emitError() << "the tile " << type << " needs a layout of registers";
    if (found != warps)
      return op->emitError() << "the layout of " << type << " is for " << found
                             << (found == 1 ? " warp" : " warps") << ", but a program has " << warps
                             << " (" << kNumWarps << ")";
    return success();
  });
}

LogicalResult checkNoLayouts(ModuleOp module, int warps) {
  if (!isNumberOfWarps(warps))
    return module.emitError() << "num-warps must be a power of two from 1 to 32, found " << warps;
  for (auto func : module.getOps<tt::FuncOp>())
    for (TypeRange types : {TypeRange(func.getArgumentTypes()), TypeRange(func.getResultTypes())})
      for (Type type : types)
        if (tt::isTile(type))
          return func.emitError() << "a function of a GPU program can neither take nor return a "
                                     "tile, found "
                                  << type << "; inline it";
  return checkTiles(module, [&](Operation *op, Type type) -> LogicalResult {
    if (!cast<RankedTensorType>(type).getEncoding())
      return success();
    return op->emitError() << "the tile " << type << " has a layout already";
  });
}

} // namespace tritium::ttg
