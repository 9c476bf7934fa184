//===- PlanExchanges.cpp - ttg-plan-exchanges -----------------------------===//
//
// Decides how elements get from thread to thread.
//
//   %y = ttg.convert_layout %x
//
// becomes, where each lane holds what it needs, or shuffles within a warp are no more work,
//
//   %y = ttg.convert_layout %x by registers | shuffles
//
// and else
//
//   %m = ttg.local_alloc init(%x)
//   %y = ttg.local_load %m
//
// with a layout of the memory from which both sides move without conflicts of banks. A reshape
// becomes one that renames registers, and a conversion of its result.
//
// A gather reads its source from shared memory:
//
//   %m = ttg.local_alloc init(%x)
//   %y = ttg.local_gather %m[%i]
//
// unless its indices are the places but for bits that tell lanes and registers of a warp apart:
// then lanes shuffle, and registers are renamed, which ttg.exchanged_bits says.
//
// A histogram counts in shared memory:
//
//   %m = ttg.local_alloc
//   ttg.local_store %zeros, %m             // in the layout of the result
//   ttg.local_count %x, %m
//   %h = ttg.local_load %m
//
// A reduction along an axis that lies across warps
//
//   %s = tt.reduce %x {axis}
//
// is one of each warp, an exchange of what they found, and a reduction of that, in which lanes
// that would hold copies read one warp's each, if there are enough of them:
//
//   %p = ttg.warp_reduce %x {axis}         // the axis counts warps
//   %m = ttg.local_alloc init(%p)
//   %q = ttg.local_load %m                 // the axis lies along lanes, or in registers
//   %s = tt.reduce %q {axis}
//
// A scan along such an axis is one of each part that a warp holds, an exchange of what the parts
// combine to, a scan of that, all of which each lane reads, and a combination with it:
//
//   %y, %t = ttg.warp_scan %x {axis}       // of %t the axis counts parts
//   %m = ttg.local_alloc init(%t)
//   %q = ttg.local_load %m                 // the axis lies in registers
//   %p = tt.scan %q {axis}
//   %s = ttg.join_scans %y, %p {axis}
//
// What CTAs of a cluster have is stored to the memory of all of them:
//
//   %y = ttng.cluster_gather %x
//
// becomes
//
//   %m = ttg.local_alloc
//   ttng.cluster_arrive relaxed            // the first of a block only: others have begun then
//   ttng.cluster_wait
//   ttng.cluster_store %x, %m
//   ttng.cluster_arrive
//   ttng.cluster_wait
//   %y = ttg.local_load %m
//
// An atomic that one thread runs for others, which have its result too, is followed by an exchange
// of it, and only of that one's: ttg.result_of_one.
//
//===----------------------------------------------------------------------===//

#include "tritium/Dialect/TileGPU/IR/Exchange.h"
#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileGPU/IR/TileGPU.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"
#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"
#include "tritium/Layout/Swizzle.h"
#include "tritium/Layout/TileConversion.h"
#include "tritium/Target/GPU/GPUModel.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tritium::ttg {

#define GEN_PASS_DEF_PLANEXCHANGES
#include "tritium/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
unsigned bitsOf(Type tile) { return 8 * tt::scalarBytes(tt::elementType(tile)); }

/// Elements one after another, `order` the fastest dimension first.
SharedEncodingAttr plainLayout(MLIRContext *context, ArrayRef<int32_t> order) {
  return SharedEncodingAttr::get(context, /*vec=*/1, /*perPhase=*/1, /*maxPhase=*/1, order);
}

SharedEncodingAttr rowMajor(MLIRContext *context, int64_t rank) {
  return plainLayout(context, llvm::to_vector(llvm::reverse(llvm::seq<int32_t>(0, rank))));
}

MemDescType constantMemory(ArrayRef<int64_t> shape, Type element, Attribute layout) {
  return MemDescType::get(element.getContext(), shape, element, layout, MemorySpace::Shared,
                          /*isMutable=*/false);
}

class ExchangePlanner {
public:
  explicit ExchangePlanner(const GPUModel &gpu) : gpu(gpu) {}

  void convert(ConvertLayoutOp op) {
    TileConversion plan = planConversion(layoutOf(op.getSrc().getType()), layoutOf(op.getType()),
                                         bitsOf(op.getType()));
    if (plan.kind != TileConversion::Shared) {
      op.setMechanism(plan.kind == TileConversion::Registers ? Mechanism::Registers
                                                             : Mechanism::Shuffles);
      return;
    }
    RankedTensorType type = op.getType();
    OpBuilder b(op);
    Attribute memory = plan.panels ? memoryFor(b.getContext(), *plan.panels, bitsOf(type) / 8)
                                   : Attribute(rowMajor(b.getContext(), type.getRank()));
    Value held = hold(b, op.getLoc(), op.getSrc(), memory);
    op.replaceAllUsesWith(b.create<LocalLoadOp>(op.getLoc(), type, held).getResult());
    op.erase();
  }

  /// The registers of the result are those of the operand, and where that is not enough they are
  /// converted.
  void reshape(tt::ReshapeOp op) {
    auto src = cast<RankedTensorType>(op.getSrc().getType()),
         dst = cast<RankedTensorType>(op.getType());
    OpBuilder b(op);
    Attribute same = resultLayout(op, src.getEncoding());
    if (!same) {
      MLIRContext *context = b.getContext();
      Value memory = hold(b, op.getLoc(), op.getSrc(), rowMajor(context, src.getRank()));
      Value view = b.create<MemDescReshapeOp>(
          op.getLoc(),
          constantMemory(dst.getShape(), src.getElementType(), rowMajor(context, dst.getRank())),
          memory);
      op.replaceAllUsesWith(b.create<LocalLoadOp>(op.getLoc(), dst, view).getResult());
      op.erase();
      return;
    }
    if (sameLayout(same, dst.getEncoding(), dst.getShape()))
      return;
    b.setInsertionPointAfter(op);
    op.getResult().setType(RankedTensorType::get(dst.getShape(), dst.getElementType(), same));
    auto converted = b.create<ConvertLayoutOp>(op.getLoc(), dst, op.getResult());
    op.getResult().replaceAllUsesExcept(converted, converted);
    convert(converted);
  }

  void gather(tt::GatherOp op) {
    OpBuilder b(op);
    if (auto bits = tt::exchangedBits(op); bits && planWarpExchange(op, *bits)) {
      op->setAttr(kExchangedBits, b.getI64IntegerAttr(*bits));
      return;
    }
    // What the block has stored for one gather is there for the next.
    Value &memory = gathered[{op.getSrc(), op->getBlock()}];
    if (!memory)
      memory = hold(b, op.getLoc(), op.getSrc(),
                    rowMajor(b.getContext(), op.getSrc().getType().getRank()));
    op.replaceAllUsesWith(
        b.create<LocalGatherOp>(op.getLoc(), op.getType(), memory, op.getIndex(), op.getAxis())
            .getResult());
    op.erase();
  }

  static void histogram(tt::HistogramOp op) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    RankedTensorType type = op.getType();
    Value zeros = b.create<arith::ConstantOp>(loc, b.getZeroAttr(type));
    Value counts = b.create<LocalAllocOp>(
        loc, MemDescType::get(b.getContext(), type.getShape(), type.getElementType(),
                              rowMajor(b.getContext(), type.getRank())));
    b.create<LocalStoreOp>(loc, zeros, counts);
    b.create<LocalCountOp>(loc, op.getSrc(), counts);
    op.replaceAllUsesWith(b.create<LocalLoadOp>(loc, type, counts).getResult());
    op.erase();
  }

  LogicalResult reduce(tt::ReduceOp op) {
    auto src = cast<RankedTensorType>(op.getSrcs()[0].getType());
    TileLayout layout = layoutOf(src);
    ReductionPlan plan = planReduction(layout, op.getAxis());
    if (!plan.isSeparable)
      return op.emitError() << "the GPU back end cannot lower a reduction whose lanes lie across "
                               "the axis";
    if (plan.warpBits.empty())
      return success();
    OpBuilder b(op);
    Location loc = op.getLoc();
    Attribute ofWarps = partialLayout(op, layout, plan), read = readLayout(op, layout, plan);
    SmallVector<int64_t> shape(src.getShape());
    shape[op.getAxis()] = int64_t(1) << plan.warpBits.size();
    auto typeOf = [&](Value operand, Attribute encoding) -> Type {
      return RankedTensorType::get(shape, tt::elementType(operand.getType()), encoding);
    };
    auto partial = b.create<WarpReduceOp>(
        loc, llvm::map_to_vector(op.getSrcs(), [&](Value x) { return typeOf(x, ofWarps); }),
        op.getSrcs(), op.getAxis());
    IRMapping mapping;
    op.getCombineOp().cloneInto(&partial.getCombineOp(), mapping);
    op->setOperands(exchange(b, partial.getResults(), op.getAxis(), read));
    return success();
  }

  void scan(tt::ScanOp op) {
    if (!planScan(layoutOf(typeOfSource(op)), op.getAxis()).isPossible)
      convertAround(op);
    RankedTensorType type = typeOfSource(op);
    TileLayout layout = layoutOf(type);
    unsigned axis = op.getAxis(), part = planScan(layout, axis).part();
    if (part >= type.getDimSize(axis))
      return;
    OpBuilder b(op);
    Location loc = op.getLoc();
    unsigned bits = layout.core().dimBits()[axis] - llvm::Log2_32(part);
    Attribute ofParts = withAxis(op, layout, bits, 0, [&](StringRef name, unsigned, int64_t along) {
      return name == kLane ? 0 : along / part;
    });
    Attribute read =
        withAxis(op, layout, bits, bits, [](StringRef, unsigned, int64_t) { return 0; });
    SmallVector<int64_t> shape(type.getShape());
    shape[axis] = llvm::divideCeil(shape[axis], part);
    auto totals = llvm::map_to_vector(op.getSrcs(), [&](Value x) -> Type {
      return RankedTensorType::get(shape, tt::elementType(x.getType()), ofParts);
    });
    auto cloned = [&](auto fresh) {
      IRMapping mapping;
      op.getCombineOp().cloneInto(&fresh.getCombineOp(), mapping);
      return fresh;
    };
    auto parts = cloned(b.create<WarpScanOp>(loc, op.getResultTypes(), totals, op.getSrcs(), axis,
                                             part, op.getReverse()));
    SmallVector<Value> own = exchange(b, parts.getTotals(), axis, read);
    auto prefixes =
        cloned(b.create<tt::ScanOp>(loc, ValueRange(own).getTypes(), own, axis, op.getReverse()));
    op->replaceAllUsesWith(
        cloned(b.create<JoinScansOp>(loc, op.getResultTypes(), parts.getScanned(),
                                     prefixes.getResult(), axis, part, op.getReverse())));
    op.erase();
  }

  void atomic(Operation *op) {
    Value result = op->getResult(0);
    auto tile = dyn_cast<RankedTensorType>(result.getType());
    if (!isRunForOthers(op))
      return;
    OpBuilder b(op->getContext());
    b.setInsertionPointAfter(op);
    op->setAttr(kResultOfOne, b.getUnitAttr());
    SmallVector<int64_t> shape(tile ? tile.getShape() : ArrayRef<int64_t>{1});
    SmallVector<int32_t> order = tile ? orderOf(tile.getEncoding()) : SmallVector<int32_t>{0};
    Value memory = b.create<LocalAllocOp>(op->getLoc(),
                                          constantMemory(shape, tt::elementType(result.getType()),
                                                         plainLayout(b.getContext(), order)),
                                          result);
    Value shared = b.create<LocalLoadOp>(op->getLoc(), result.getType(), memory);
    result.replaceUsesWithIf(
        shared, [&](OpOperand &use) { return use.getOwner() != memory.getDefiningOp(); });
  }

  /// `isFirst`: of its block. CTAs arrive where that begins, so that they need not wait.
  static void gather(ttng::ClusterGatherOp op, bool isFirst) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    RankedTensorType type = op.getType();
    MemDescType memory = MemDescType::get(b.getContext(), type.getShape(), type.getElementType(),
                                          rowMajor(b.getContext(), type.getRank()));
    Value all = b.create<LocalAllocOp>(loc, memory);
    if (isFirst) {
      OpBuilder(op->getBlock(), op->getBlock()->begin())
          .create<ttng::ClusterArriveOp>(loc, /*relaxed=*/true);
      b.create<ttng::ClusterWaitOp>(loc);
    }
    b.create<ttng::ClusterStoreOp>(loc, op.getSrc(), all);
    b.create<ttng::ClusterArriveOp>(loc);
    b.create<ttng::ClusterWaitOp>(loc);
    op.replaceAllUsesWith(b.create<LocalLoadOp>(loc, type, all).getResult());
    op.erase();
  }

private:
  static RankedTensorType typeOfSource(tt::Combining op) {
    return cast<RankedTensorType>(op.getSrcs()[0].getType());
  }

  /// Scans in the layout of tiles that nothing else decides for.
  void convertAround(tt::ScanOp op) {
    RankedTensorType src = typeOfSource(op);
    Attribute layout = defaultLayout(op.getContext(), src.getShape(), numWarps(op));
    SmallVector<ConvertLayoutOp> conversions;
    auto converted = [&](OpBuilder b, Value x, Attribute to) {
      auto type = cast<RankedTensorType>(x.getType());
      type = RankedTensorType::get(type.getShape(), type.getElementType(), to);
      return conversions.emplace_back(b.create<ConvertLayoutOp>(op.getLoc(), type, x)).getResult();
    };
    for (OpOperand &operand : op->getOpOperands())
      operand.set(converted(OpBuilder(op), operand.get(), layout));
    OpBuilder behind(op->getContext());
    behind.setInsertionPointAfter(op);
    for (auto [result, operand] : llvm::zip(op.getResult(), op.getSrcs())) {
      result.setType(operand.getType());
      Value back = converted(behind, result, src.getEncoding());
      result.replaceAllUsesExcept(back, back.getDefiningOp());
    }
    for (ConvertLayoutOp conversion : conversions)
      convert(conversion);
  }

  /// `tiles`, which warps have computed, as all read them in the layout `read`. All are written
  /// before one is read, so that one barrier does.
  static SmallVector<Value> exchange(OpBuilder &b, ValueRange tiles, unsigned axis,
                                     Attribute read) {
    auto type = cast<RankedTensorType>(tiles[0].getType());
    Attribute memory = partialMemory(type, axis);
    SmallVector<Value> result = llvm::map_to_vector(
        tiles, [&](Value x) -> Value { return hold(b, x.getLoc(), x, memory); });
    for (auto [value, tile] : llvm::zip(result, tiles)) {
      auto own = RankedTensorType::get(type.getShape(), tt::elementType(tile.getType()), read);
      value = b.create<LocalLoadOp>(tile.getLoc(), own, value);
    }
    return result;
  }

  static Value hold(OpBuilder &b, Location loc, Value tile, Attribute layout) {
    auto type = cast<RankedTensorType>(tile.getType());
    return b.create<LocalAllocOp>(
        loc, constantMemory(type.getShape(), type.getElementType(), layout), tile);
  }

  /// Offsets at which neither side has to wait for banks.
  Attribute memoryFor(MLIRContext *context, const Panels &panels, unsigned bytes) {
    bool storesMatrices = gpu.hasMatrixStores && !panels.from.core().freeMask(kLane);
    LinearLayout offsets = conflictFreeOffsets(panels.from.core(), panels.to.core(), bytes,
                                               storesMatrices, gpu.hasMatrixLoads);
    return SharedLinearEncodingAttr::get(context,
                                         llvm::to_vector_of<int32_t>(offsets.bases(kElement)),
                                         llvm::to_vector_of<int32_t>(panels.from.extents()));
  }

  /// `layout` with another axis: of it `images` says, for each input, what each bit leads to that
  /// has led to `along`.
  using Images = llvm::function_ref<int64_t(StringRef name, unsigned bit, int64_t along)>;
  static Attribute withAxis(tt::Combining op, const TileLayout &layout, unsigned axisBits,
                            unsigned registersOnAxis, Images images) {
    const LinearLayout &core = layout.core();
    unsigned axis = op.getAxis();
    SmallVector<unsigned, 4> bits(core.dimBits());
    bits[axis] = axisBits;
    LinearLayout result({}, bits);
    SmallVector<LinearLayout::Input, 3> inputs;
    for (const LinearLayout::Input &input : core.getInputs()) {
      LinearLayout::Input changed{input.name, {}};
      if (input.name == kRegister)
        for (unsigned bit = 0; bit < registersOnAxis; ++bit)
          changed.bases.push_back(uint64_t(1) << (result.shiftOf(axis) + bit));
      for (auto [bit, base] : llvm::enumerate(input.bases)) {
        Coordinates image(core.unflatten(base));
        int64_t along = image[axis];
        image[axis] = images(input.name, bit, along);
        // What registers hold along the axis has been combined.
        if (along && !image[axis] && input.name == kRegister)
          continue;
        changed.bases.push_back(result.flatten(image));
      }
      inputs.push_back(std::move(changed));
    }
    return toLinearEncoding(op->getContext(), LinearLayout(inputs, bits));
  }

  static int64_t placeOf(ArrayRef<unsigned> bits, unsigned bit) {
    auto found = llvm::find(bits, bit);
    return found == bits.end() ? 0 : int64_t(1) << (found - bits.begin());
  }

  /// Along the axis lie warps.
  static Attribute partialLayout(tt::ReduceOp op, const TileLayout &layout,
                                 const ReductionPlan &plan) {
    return withAxis(op, layout, plan.warpBits.size(), 0,
                    [&](StringRef name, unsigned bit, int64_t) {
                      return name == kWarp ? placeOf(plan.warpBits, bit) : 0;
                    });
  }

  /// The axis slowest. Extents that are no powers of two in panels of the layout's cores, padding
  /// included, so that nobody has to ask what is padding.
  static Attribute partialMemory(RankedTensorType tile, int32_t axis) {
    SmallVector<int32_t> order;
    for (int32_t d = tile.getRank(); d-- > 0;)
      if (d != axis)
        order.push_back(d);
    order.push_back(axis);
    if (llvm::all_of(tile.getShape(), llvm::isPowerOf2_64))
      return plainLayout(tile.getContext(), order);
    LinearLayout core = layoutOf(tile).core();
    SmallVector<int32_t> panel;
    for (unsigned d = 0; d < core.rank(); ++d)
      panel.push_back(core.extent(d));
    LinearLayout offsets = swizzledOffsets(core.dimBits(), order, 1, 1, 1);
    return SharedLinearEncodingAttr::get(
        tile.getContext(), llvm::to_vector_of<int32_t>(offsets.bases(kElement)), panel);
  }

  /// Along the axis lie lanes that hold copies of the warps' results, or registers.
  static Attribute readLayout(tt::ReduceOp op, const TileLayout &layout,
                              const ReductionPlan &plan) {
    SmallVector<unsigned> copies;
    for (auto [bit, base] : llvm::enumerate(layout.core().bases(kLane)))
      if (base == 0 || llvm::is_contained(plan.laneBits, bit))
        copies.push_back(bit);
    unsigned bits = plan.warpBits.size();
    bool byLanes = copies.size() >= bits;
    copies.truncate(byLanes ? bits : 0);
    return withAxis(op, layout, bits, byLanes ? 0 : bits,
                    [&](StringRef name, unsigned bit, int64_t) {
                      return name == kLane ? placeOf(copies, bit) : 0;
                    });
  }

  const GPUModel &gpu;
  DenseMap<std::pair<Value, Block *>, Value> gathered; ///< the memories of gathers' sources
};

struct PlanExchangesPass : impl::PlanExchangesBase<PlanExchangesPass> {
  using PlanExchangesBase::PlanExchangesBase;

  void runOnOperation() override {
    if (!getAnalysis<LayoutsHold>())
      return signalPassFailure();
    SmallVector<Operation *> found;
    getOperation().walk([&](Operation *op) {
      auto movement = dyn_cast<tt::DataMovement>(op);
      auto access = dyn_cast<tt::MemoryAccess>(op);
      if ((movement && movement.changesThreads()) ||
          isa<tt::ReduceOp, tt::ScanOp, tt::HistogramOp, ttng::ClusterGatherOp>(op) ||
          (access && access.isAtomic()))
        found.push_back(op);
    });
    ExchangePlanner planner(gpuModel(getOperation()));
    llvm::SmallPtrSet<Block *, 2> withClusters;
    for (Operation *op : found) {
      if (auto convert = dyn_cast<ConvertLayoutOp>(op)) {
        if (!convert.getMechanism())
          planner.convert(convert);
      } else if (auto reshape = dyn_cast<tt::ReshapeOp>(op)) {
        planner.reshape(reshape);
      } else if (auto gather = dyn_cast<tt::GatherOp>(op)) {
        planner.gather(gather);
      } else if (auto histogram = dyn_cast<tt::HistogramOp>(op)) {
        planner.histogram(histogram);
      } else if (auto reduce = dyn_cast<tt::ReduceOp>(op)) {
        if (failed(planner.reduce(reduce)))
          return signalPassFailure();
      } else if (auto scan = dyn_cast<tt::ScanOp>(op)) {
        planner.scan(scan);
      } else if (auto gather = dyn_cast<ttng::ClusterGatherOp>(op)) {
        bool isFirst = withClusters.insert(op->getBlock()).second;
        planner.gather(gather, isFirst);
      } else if (!op->hasAttr(kResultOfOne)) {
        planner.atomic(op);
      }
    }
  }
};
} // namespace

} // namespace tritium::ttg
