//===- Lowering.cpp - one kernel to LLVM ----------------------------------===//

#include "Lowering.h"

#include "tritium/Analysis/Hazards.h"
#include "tritium/Analysis/SharedLiveness.h"
#include "tritium/Dialect/TileGPU/IR/Overlap.h"
#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Support/Settings.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tritium::ttg {

namespace {
constexpr llvm::StringLiteral kSharedSymbol = "tritium_shared";
}

Lowering::Lowering(ModuleOp module, tt::FuncOp kernel, const GPULoweringOptions &options)
    : Emitter(module.getContext()), module(module), kernel(kernel), options(options),
      gpu(gpuModel(kernel)), axes(kernel) {}

LogicalResult Lowering::unsupported(Operation *op, const Twine &what) {
  return op->emitError() << "the GPU back end cannot lower " << what;
}

Type Lowering::lowered(Type type) {
  if (isa<tt::PointerType>(type))
    return pointerType(1);
  if (tt::isTileFloat(type) && tt::scalarBits(type) == 8)
    return intType(8);
  return type;
}

const TileLayout &Lowering::layout(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  // The element type does not matter.
  Type key = RankedTensorType::get(type.getShape(), b.getI1Type(), type.getEncoding());
  std::unique_ptr<TileLayout> &found = layouts[key];
  if (!found)
    found = std::make_unique<TileLayout>(layoutOf(type));
  return *found;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Runs of bits that move together are masked and shifted at once.
Value partOf(Emitter &e, Value index, const LinearLayout &core, StringRef name, unsigned dim) {
  ArrayRef<uint64_t> bases = core.bases(name);
  SmallVector<uint64_t> images;
  for (uint64_t base : bases)
    images.push_back(core.unflatten(base)[dim]);
  Value sum;
  uint64_t seen = 0;
  bool disjoint = true;
  for (size_t i = 0; i < images.size();) {
    if (images[i] == 0) {
      ++i;
      continue;
    }
    size_t end = i + 1;
    if (llvm::isPowerOf2_64(images[i]))
      while (end < images.size() && images[end] == images[end - 1] * 2)
        ++end;
    uint64_t mask = ((uint64_t(1) << (end - i)) - 1);
    Value bits = index;
    int64_t left = llvm::isPowerOf2_64(images[i]) ? int64_t(llvm::Log2_64(images[i])) : 0;
    bits = e.shr(bits, i);
    if (end != images.size())
      bits = e.iand(bits, e.i32(mask));
    if (llvm::isPowerOf2_64(images[i]))
      bits = e.shl(bits, left);
    else
      bits = e.mul(bits, e.i32(images[i]));
    for (size_t k = i; k < end; ++k) {
      disjoint &= (seen & images[k]) == 0;
      seen |= images[k];
    }
    sum = !sum ? bits : disjoint ? e.ior(sum, bits) : e.ixor(sum, bits);
    i = end;
  }
  return sum;
}

SmallVector<Value, 4> Lowering::coordinatesOfThread(const TileLayout &layout) {
  SmallVector<Value, 4> coordinates;
  for (unsigned d = 0; d < layout.rank(); ++d) {
    Value fromLane = partOf(*this, lane, layout.core(), kLane, d);
    Value fromWarp = partOf(*this, warp, layout.core(), kWarp, d);
    coordinates.push_back(!fromLane && !fromWarp ? i32(0)
                          : !fromLane            ? fromWarp
                          : !fromWarp            ? fromLane
                                                 : ixor(fromLane, fromWarp));
  }
  return coordinates;
}

const SmallVector<Value, 4> &Lowering::threadCoordinates(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  Type key = RankedTensorType::get(type.getShape(), b.getI1Type(), type.getEncoding());
  auto [it, isNew] = threadParts.try_emplace(key);
  if (isNew) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(entryEnd);
    SmallVector<Value, 4> coordinates = coordinatesOfThread(layout(tile));
    return threadParts[key] = std::move(coordinates);
  }
  return it->second;
}

Value Lowering::coordinate(const TileLayout &layout, ArrayRef<Value> thread, unsigned reg,
                           unsigned dim) {
  int64_t c = layout.offset(reg)[dim];
  if (layout.registersAreApart())
    return offset(thread[dim], c);
  int64_t inside = c % layout.core().extent(dim);
  Value x = inside ? ixor(thread[dim], i32(inside)) : thread[dim];
  return offset(x, c - inside);
}

Value Lowering::isFirstCopy(const TileLayout &layout) {
  Value predicate;
  for (auto [name, index] : {std::pair(kLane, lane), std::pair(kWarp, warp)})
    if (uint64_t free = layout.core().freeMask(name))
      predicate = both(predicate, equals(iand(index, i32(free)), 0));
  return predicate;
}

Value Lowering::isInside(const TileLayout &layout, ArrayRef<Value> thread, unsigned reg) {
  Value predicate;
  for (unsigned d = 0; d < layout.rank(); ++d)
    if (layout.mayBePadding(reg, d))
      predicate = both(predicate, cmp(LLVM::ICmpPredicate::slt, coordinate(layout, thread, reg, d),
                                      i32(layout.extents()[d])));
  return predicate;
}

Value Lowering::programIdAlong(unsigned axis) {
  Value &id = programId[axis];
  if (id)
    return id;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(entryEnd);
  Type i32 = b.getI32Type();
  return id = axis == 0   ? b.create<NVVM::BlockIdXOp>(loc, i32).getResult()
              : axis == 1 ? b.create<NVVM::BlockIdYOp>(loc, i32).getResult()
                          : b.create<NVVM::BlockIdZOp>(loc, i32).getResult();
}

Value Lowering::isThreadZero() { return equals(thread, 0); }

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

/// A thread has 255 registers. Some more of a tile live in memory; far more take the
/// assembler minutes and run at the speed of memory.
LogicalResult Lowering::checkTileSizes() {
  constexpr unsigned limit = 4096;
  WalkResult result = kernel.walk([&](Operation *op) {
    for (Value value : op->getResults()) {
      if (!tt::isTile(value.getType()) || layout(value).registers() <= limit)
        continue;
      int64_t elements = cast<RankedTensorType>(value.getType()).getNumElements();
      int64_t warps = numWarps(module), most = limit * kLanesPerWarp;
      // Constants are shared, and stand at no line: a use does.
      Location place = op->getLoc();
      if (isa<UnknownLoc>(place) && !value.use_empty())
        place = (*value.user_begin())->getLoc();
      InFlightDiagnostic diagnostic =
          emitError(place) << "a tile of " << elements
                           << " elements is too large for a GPU program of " << warps
                           << (warps == 1 ? " warp" : " warps") << ": every thread would hold "
                           << layout(value).registers() << " elements; use a tile of at most "
                           << most * warps << " elements";
      // As many warps as the layout needs, if a program may have them.
      int64_t enough =
          warps * llvm::PowerOf2Ceil(llvm::divideCeil(layout(value).registers(), limit));
      if (enough <= 32)
        diagnostic << ", or num_warps=" << enough;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult Lowering::run(GPULaunchInfo &info) {
  if (failed(checkTileSizes()) || failed(checkSkippedRegisters(kernel, axes)))
    return failure();
  remarkOnKernel();
  info.numWarps = numWarps(module);
  info.sharedBytes = sharedBytes(kernel);
  loc = kernel.getLoc();
  b.setInsertionPointToStart(module.getBody());
  if (info.sharedBytes)
    b.create<LLVM::GlobalOp>(loc, LLVM::LLVMArrayType::get(b.getI8Type(), 0), /*isConstant=*/false,
                             LLVM::Linkage::External, kSharedSymbol, Attribute(), /*alignment=*/16,
                             /*addrSpace=*/3);
  b.setInsertionPointToEnd(module.getBody());
  SmallVector<Type> types;
  for (Type type : kernel.getArgumentTypes())
    types.push_back(lowered(type));
  auto function = b.create<LLVM::LLVMFuncOp>(
      loc, kernel.getName(),
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), types));
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), b.getUnitAttr());
  function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                    b.getDenseI32ArrayAttr({info.numWarps * kLanesPerWarp}));
  if (auto programs = kernel->getAttrOfType<IntegerAttr>(kProgramsAtOnce))
    function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), programs);
  entry = function.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  for (auto [old, fresh] : llvm::zip(kernel.getArguments(), entry->getArguments()))
    set(old, {fresh});
  thread = b.create<NVVM::ThreadIdXOp>(loc, b.getI32Type());
  lane = iand(thread, i32(kLanesPerWarp - 1));
  warp = info.numWarps == 1 ? i32(0) : shr(thread, 5);
  if (info.sharedBytes)
    sharedBase = b.create<LLVM::AddressOfOp>(loc, pointerType(3), kSharedSymbol);
  Block *body = newBlock();
  entryEnd = b.create<LLVM::BrOp>(loc, body);
  b.setInsertionPointToStart(body);
  if (failed(lowerBlock(kernel.getBody().front())))
    return failure();
  info.asserts = std::move(asserts);
  kernel.erase();
  return success();
}

LogicalResult Lowering::lowerBlock(Block &block) {
  for (Operation &op : block)
    if (failed(lower(&op)))
      return failure();
  return success();
}

LogicalResult Lowering::lower(Operation *op) {
  loc = op->getLoc();
  using Result = LogicalResult;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](scf::ForOp op) { return lowerFor(op); })
      .Case([&](scf::WhileOp op) { return lowerWhile(op); })
      .Case([&](scf::IfOp op) { return lowerIf(op); })
      // Their operands are taken by the operation around them.
      .Case<scf::YieldOp, scf::ConditionOp>([](auto) { return success(); })
      .Case([&](tt::ReturnOp) {
        b.create<LLVM::ReturnOp>(loc, ValueRange());
        return success();
      })
      .Case([&](tt::GetProgramIdOp op) {
        set(op, {programIdAlong(op.getAxis())});
        return success();
      })
      .Case([&](tt::GetNumProgramsOp op) {
        Type i32 = b.getI32Type();
        set(op, {op.getAxis() == 0   ? b.create<NVVM::GridDimXOp>(loc, i32).getResult()
                 : op.getAxis() == 1 ? b.create<NVVM::GridDimYOp>(loc, i32).getResult()
                                     : b.create<NVVM::GridDimZOp>(loc, i32).getResult()});
        return success();
      })
      .Case([&](tt::MakeRangeOp op) { return lowerRange(op); })
      .Case<tt::SplatOp, arith::ConstantOp>([&](auto op) { return lowerSplat(op); })
      .Case([&](tt::BroadcastOp op) {
        ArrayRef<int64_t> shape = tt::shapeOf(op.getSrc().getType());
        return lowerRenaming(op, [=](const Coordinates &at) {
          Coordinates from = at;
          for (auto [x, extent] : llvm::zip(from, shape))
            x = extent == 1 ? 0 : x;
          return from;
        });
      })
      .Case([&](tt::ExpandDimsOp op) {
        return lowerRenaming(op, [axis = op.getAxis()](const Coordinates &at) {
          Coordinates from = at;
          from.erase(from.begin() + axis);
          return from;
        });
      })
      .Case([&](tt::TransOp op) {
        return lowerRenaming(op, [order = op.getOrder()](const Coordinates &at) {
          Coordinates from(at.size());
          for (auto [x, d] : llvm::zip(at, order))
            from[d] = x;
          return from;
        });
      })
      .Case([&](tt::ReshapeOp op) { return lowerReshape(op); })
      .Case([&](ConvertLayoutOp op) { return lowerConvert(op); })
      .Case<BarrierOp, LocalAllocOp, MemDescIndexOp, MemDescTransOp, MemDescReshapeOp, LocalLoadOp,
            LocalStoreOp, AsyncCommitGroupOp, AsyncWaitOp>([&](auto op) { return lowerLocal(op); })
      .Case([&](AsyncCopyGlobalToLocalOp op) { return lowerAsyncCopy(op); })
      .Case([&](tt::LoadOp op) { return lowerLoad(op); })
      .Case([&](PrefetchL2Op op) { return lowerPrefetch(op); })
      .Case([&](tt::StoreOp op) { return lowerStore(op); })
      .Case<tt::AtomicRMWOp, tt::AtomicCASOp>([&](auto op) { return lowerAtomic(op); })
      .Case<tt::ReduceOp, WarpReduceOp>([&](auto op) { return lowerReduction(op); })
      .Case([&](SkipMaskedOp op) { return lowerSkipMasked(op); })
      .Case([&](tt::DotOp op) { return lowerDot(op); })
      .Case([&](tt::PrintOp op) { return lowerPrint(op); })
      .Case([&](tt::AssertOp op) { return lowerAssert(op); })
      // What it promises has been read from it.
      .Case([](tt::AssumeOp) { return success(); })
      .Default([&](Operation *op) -> Result {
        // Between other operations, the math library builds some of LLVM's own.
        if (isa<LLVM::LLVMDialect>(op->getDialect()) && op->getNumResults() == 1) {
          IRMapping mapping;
          for (Value operand : op->getOperands())
            mapping.map(operand, scalar(operand));
          set(op->getResult(0), {b.clone(*op, mapping)->getResult(0)});
          return success();
        }
        if (op->getNumResults() == 1 && op->getNumRegions() == 0)
          return lowerElementwise(op);
        return unsupported(op, "'" + op->getName().getStringRef() + "'");
      });
}

} // namespace tritium::ttg

llvm::LogicalResult tritium::lowerTileGPUToLLVM(ModuleOp module, const GPULoweringOptions &options,
                                                GPULaunchInfo &info) {
  if (failed(ttg::checkLayouts(module)) || failed(ttg::checkOverlap(module)))
    return failure();
  for (auto func : module.getOps<tt::FuncOp>())
    if (!func.isExternal() && failed(ttg::checkPlaces(func)))
      return failure();
  if (options.isForeign || settings::Verify.isOn())
    for (auto func : module.getOps<tt::FuncOp>())
      if (!func.isExternal() && (failed(ttg::checkHazards(func, options.mayAlias)) ||
                                 (options.isForeign && failed(ttg::checkFits(func)))))
        return failure();
  module.getContext()->loadDialect<LLVM::LLVMDialect, NVVM::NVVMDialect>();
  for (auto func : llvm::make_early_inc_range(module.getOps<tt::FuncOp>()))
    if (func.isKernel() && !func.isExternal() &&
        failed(ttg::Lowering(module, func, options).run(info)))
      return failure();
  return success();
}
