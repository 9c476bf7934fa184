//===- Preconditions.cpp - what passes on layouts rely on -----------------===//

#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

using namespace mlir;

namespace tritium::ttg {

static bool isNumberOfWarps(int64_t warps) {
  return warps >= 1 && warps <= 32 && llvm::isPowerOf2_64(warps);
}

/// Calls `check` once for every type of a tile in the module's kernels and every number of warps,
/// with an operation that makes such a tile; an argument of a block belongs to the operation
/// around it.
static LogicalResult checkTiles(ModuleOp module,
                                llvm::function_ref<LogicalResult(Operation *, Type)> check) {
  llvm::DenseSet<std::pair<Type, int>> seen;
  auto one = [&](Operation *op, Type type) {
    return !tt::isTile(type) || !seen.insert({type, numWarps(op)}).second ||
           succeeded(check(op, type));
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

/// The tile that must have the layout `expected`, and has another.
static LogicalResult refuse(Operation *op, Type tile, Attribute expected) {
  return op->emitError() << "no element of " << op->getName()
                         << " changes its thread, so that the layout of " << tile
                         << " should be that of " << expected << "; put ttg.convert_layout between";
}

/// Operations that compute each element where its operands are have operands and results in
/// layouts that say so. Lowerings pair registers and do not look.
static LogicalResult checkOperands(Operation *op) {
  auto check = [&](Type type, Attribute expected) -> LogicalResult {
    auto tile = dyn_cast<RankedTensorType>(type);
    if (!tile || (expected && sameLayout(tile.getEncoding(), expected, tile.getShape())))
      return success();
    return refuse(op, type, expected);
  };
  auto layoutOfTile = [](Value tile) {
    return cast<RankedTensorType>(tile.getType()).getEncoding();
  };
  if (op->hasAttr(kResultOfOne))
    for (Operation *user : op->getUsers())
      if (!isa<LocalAllocOp, LocalStoreOp>(user))
        return user->emitError() << "only the thread that has run the atomic has its result ("
                                 << kResultOfOne
                                 << "), which ttg.local_alloc or ttg.local_store hands to the "
                                    "others";
  if (auto combining = dyn_cast<tt::Combining>(op)) {
    Attribute source = layoutOfTile(combining.getSrcs()[0]);
    for (Value other : combining.getSrcs())
      if (failed(check(other.getType(), source)))
        return failure();
    if (!isa<tt::ReduceOp>(op) || !tt::isTile(op->getResult(0).getType()))
      return success();
    Attribute slice = SliceEncodingAttr::get(op->getContext(), combining.getAxis(), source);
    for (Type result : op->getResultTypes())
      if (failed(check(result, slice)))
        return failure();
    return success();
  }
  // A tile in the layout of the result: accesses and what is read in place.
  Attribute common;
  auto checkCommon = [&](Value value) {
    if (auto tile = dyn_cast<RankedTensorType>(value.getType()); tile && !common)
      common = tile.getEncoding();
    return check(value.getType(), common);
  };
  auto movement = dyn_cast<tt::DataMovement>(op);
  bool isAccess = isa<tt::MemoryAccess, PrefetchL2Op>(op);
  if (!movement && !isAccess && !tt::isElementwise(op) && !op->hasTrait<tt::InPlace>())
    return success();
  for (Value result : op->getResults())
    if (failed(checkCommon(result)))
      return failure();
  for (OpOperand &operand : op->getOpOperands())
    if ((isAccess || tt::isReadInPlace(operand)) && failed(checkCommon(operand.get())))
      return failure();
  if (movement && !movement.changesThreads() && tt::isTile(movement.getSource().getType()))
    return check(movement.getSource().getType(), sourceLayout(movement, common));
  return success();
}

LogicalResult checkLayouts(ModuleOp module) {
  if (Attribute given = module->getAttr(kTarget); given && !isa<TargetAttr>(given))
    return module.emitError() << kTarget << " must be #ttg.target<compute = 80>, say, found "
                              << given;
  if (Attribute given = module->getAttr(kNumWarps)) {
    auto number = dyn_cast<IntegerAttr>(given);
    if (!number || !isNumberOfWarps(number.getInt()))
      return module.emitError() << kNumWarps << " must be a power of two from 1 to 32, found "
                                << given;
  }
  if (Attribute given = module->getAttr(kNumCTAs)) {
    auto number = dyn_cast<IntegerAttr>(given);
    constexpr int64_t most = 8; // that a cluster has on every GPU
    if (!number || !number.getValue().isPowerOf2() || number.getInt() > most)
      return module.emitError() << kNumCTAs << " must be a power of two from 1 to " << most
                                << ", found " << given;
  }
  LogicalResult tiles = checkTiles(module, [&](Operation *op, Type type) -> LogicalResult {
    Attribute encoding = cast<RankedTensorType>(type).getEncoding();
    if (!encoding)
      return op->emitError() << "the tile " << type
                             << " has no layout; run convert-tt-to-ttg first";
    auto layout = dyn_cast<ThreadLayout>(encoding);
    if (!layout)
      return op->emitError() << "the tile " << type << " needs a layout of registers";
    if (layout.getTileRank() != cast<RankedTensorType>(type).getRank())
      return op->emitError() << "the layout of " << type << " is for tiles of rank "
                             << layout.getTileRank();
    int64_t found = layout.getNumWarps();
    if (int64_t warps = numWarps(op); found != warps) {
      InFlightDiagnostic error = op->emitError() << "the layout of " << type << " is for " << found
                                                 << (found == 1 ? " warp" : " warps") << ", but ";
      if (op->getParentOfType<WarpGroupsOp>())
        return error << "its warp group has " << warps;
      return error << "a program has " << warps << " (" << kNumWarps << ")";
    }
    return success();
  });
  if (failed(tiles))
    return failure();
  WalkResult operands = module.walk([](Operation *op) {
    return succeeded(checkOperands(op)) ? WalkResult::advance() : WalkResult::interrupt();
  });
  return failure(operands.wasInterrupted());
}

LogicalResult checkNothingSkipped(ModuleOp module) {
  WalkResult result = module.walk([](SkipMaskedOp op) {
    op.emitError()
        << "layouts cannot change behind ttg-skip-masked-registers, which has found what "
           "is skipped for this one; run it last";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
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
