//===- Lowering.cpp - one kernel to LLVM ----------------------------------===//

#include "Families.h"
#include "LocalMemory.h"
#include "Remarks.h"
#include "TensorCopies.h"

#include "tritium/Analysis/Hazards.h"
#include "tritium/Analysis/SharedLiveness.h"
#include "tritium/Analysis/SkippedRegisters.h"
#include "tritium/Dialect/TileGPU/IR/Overlap.h"
#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileNVGPU/IR/Clusters.h"
#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"
#include "tritium/Support/Settings.h"

using namespace mlir;

namespace tritium::ttg {

namespace {
constexpr llvm::StringLiteral kSharedSymbol = "tritium_shared";

/// A thread has 255 registers. Some more of a tile live in memory; far more take the
/// assembler minutes and run at the speed of memory.
LogicalResult checkTileSizes(tt::FuncOp kernel) {
  constexpr unsigned limit = 4096;
  llvm::DenseSet<Type> seen;
  WalkResult result = kernel.walk([&](Operation *op) {
    for (Value value : op->getResults()) {
      auto tile = dyn_cast<RankedTensorType>(value.getType());
      if (!tile || !seen.insert(tile).second)
        continue;
      unsigned registers = layoutOf(tile).registers();
      if (registers <= limit)
        continue;
      int64_t elements = tile.getNumElements(), warps = numWarps(kernel),
              most = limit * kLanesPerWarp;
      // Constants are shared, and stand at no line: a use does.
      Location place = op->getLoc();
      if (isa<UnknownLoc>(place) && !value.use_empty())
        place = (*value.user_begin())->getLoc();
      InFlightDiagnostic diagnostic =
          emitError(place) << "a tile of " << elements
                           << " elements is too large for a GPU program of " << warps
                           << (warps == 1 ? " warp" : " warps") << ": every thread would hold "
                           << registers << " elements; use a tile of at most " << most * warps
                           << " elements";
      // As many warps as the layout needs, if a program may have them.
      int64_t enough = warps * llvm::PowerOf2Ceil(llvm::divideCeil(registers, limit));
      if (enough <= 32)
        diagnostic << ", or num_warps=" << enough;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Of the warps that a program has for its groups, those outside of them hold no tiles.
LogicalResult checkOutsideOfGroups(tt::FuncOp kernel) {
  if (launchedWarps(kernel) == numWarps(kernel))
    return success();
  WalkResult result = kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<WarpGroupsOp>(op))
      return WalkResult::skip();
    auto isTile = [](Type type) { return tt::isTile(type); };
    if (llvm::none_of(op->getOperandTypes(), isTile) && llvm::none_of(op->getResultTypes(), isTile))
      return WalkResult::advance();
    op->emitError() << "the program has " << launchedWarps(kernel)
                    << " warps for its warp groups, and tiles outside of them are laid out for "
                    << numWarps(kernel) << "; put '" << op->getName() << "' into a group";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// What CTAs do that loop over programs is not what a program does that has one of its own.
LogicalResult checkPrograms(tt::FuncOp kernel) {
  if (Attribute given = kernel->getAttr(kLastFirst)) {
    auto axes = dyn_cast<DenseI32ArrayAttr>(given);
    auto isAxis = [](int32_t axis) { return axis >= 0 && axis < 3; };
    if (!axes || !llvm::all_of(axes.asArrayRef(), isAxis))
      return kernel.emitError() << kLastFirst << " must be dimensions of the grid, 0 to 2, as "
                                << "array<i32: 0>, found " << given;
  }
  if (Attribute given = kernel->getAttr(kLongestOf)) {
    auto programs = dyn_cast<IntegerAttr>(given);
    auto axes = kernel->getAttrOfType<DenseI32ArrayAttr>(kLastFirst);
    if (!programs || !programs.getType().isInteger(32) || !programs.getValue().isPowerOf2() ||
        !axes || !llvm::is_contained(axes.asArrayRef(), 0) ||
        llvm::is_contained(axes.asArrayRef(), 1))
      return kernel.emitError() << kLongestOf << " must be a power of two, as 512 : i32, of a "
                                << "kernel whose " << kLastFirst
                                << " has the grid's first dimension and not the second, found "
                                << given;
  }
  bool isPersistent = kernel->hasAttr(kPersistent);
  if (kernel->hasAttr(kProgramCounter) && !isPersistent)
    return kernel.emitError() << kProgramCounter << " is for kernels with " << kPersistent
                              << ", whose CTAs loop over programs";
  WalkResult result = kernel.walk([&](Operation *op) {
    if (isa<NextProgramOp>(op) && (!kernel->hasAttr(kProgramCounter) || numWarps(op) != 1)) {
      op->emitError() << "'" << op->getName() << "' is for one warp of a kernel with "
                      << kProgramCounter << ", found " << numWarps(op) << " of a kernel "
                      << (kernel->hasAttr(kProgramCounter) ? "with" : "without") << " it";
      return WalkResult::interrupt();
    }
    bool isOfLoop = isa<CTAIdOp, NumCTAsOp, ProgramIdOp, NextProgramOp>(op);
    bool isOfProgram = isa<tt::GetProgramIdOp, tt::PrintOp, tt::AssertOp, tt::CheckHintOp>(op);
    if (isPersistent ? !isOfProgram : !isOfLoop)
      return WalkResult::advance();
    op->emitError() << "'" << op->getName() << "' is for kernels "
                    << (isPersistent ? "without " : "with ") << kPersistent
                    << (isPersistent ? ", whose CTAs are no programs; take 'ttg.program_id' for "
                                       "the program's id, and leave out what reports it"
                                     : ", whose CTAs loop over programs");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Of the programs of a CTA each has a warp, and nothing that all threads of a CTA do.
LogicalResult checkPacked(tt::FuncOp kernel) {
  Attribute given = kernel->getAttr(kProgramsPerCTA);
  if (!given)
    return success();
  auto number = dyn_cast<IntegerAttr>(given);
  if (!number || !number.getType().isInteger(32) || number.getInt() < 1 || number.getInt() > 32)
    return kernel.emitError() << kProgramsPerCTA << " must be 1 to 32, an i32, found " << given;
  if (!kernel->hasAttr(kPersistent) || numWarps(kernel) != 1)
    return kernel.emitError() << kProgramsPerCTA << " is for kernels with " << kPersistent
                              << " whose programs have one warp (" << kNumWarps << " = 1), found "
                              << numWarps(kernel) << "; leave it out";
  WalkResult result = kernel.walk([&](Operation *op) {
    if (!isa_and_nonnull<ttng::TileNVGPUDialect>(op->getDialect()) &&
        !isa<WarpGroupsOp, NamedBarrierArriveOp, NamedBarrierSyncOp>(op))
      return WalkResult::advance();
    op->emitError() << "'" << op->getName() << "' is for kernels without " << kProgramsPerCTA
                    << ", whose CTAs run one program at a time";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// A parameter of the kernel that is a tensor map: its address, in the constant memory where
/// launches put parameters.
void markTensorMap(LLVM::LLVMFuncOp function, unsigned parameter) {
  OpBuilder b(function.getContext());
  auto bytes = LLVM::LLVMArrayType::get(b.getI8Type(), kTensorMapBytes);
  function.setArgAttr(parameter, LLVM::LLVMDialect::getByValAttrName(), TypeAttr::get(bytes));
  function.setArgAttr(parameter, LLVM::LLVMDialect::getAlignAttrName(),
                      b.getI64IntegerAttr(kTensorMapAlignment));
  function.setArgAttr(parameter, NVVM::NVVMDialect::getGridConstantAttrName(), b.getUnitAttr());
}

/// The thread of a CTA, as the program knows it that it is of.
void enterProgram(LoweringContext &c, tt::FuncOp kernel, const GPULaunchInfo &info) {
  OpBuilder &b = c.b;
  c.thread = b.create<NVVM::ThreadIdXOp>(c.loc, b.getI32Type());
  c.lane = c.iand(c.thread, c.i32(kLanesPerWarp - 1));
  if (info.sharedBytes)
    c.sharedBase = b.create<LLVM::AddressOfOp>(c.loc, c.pointerType(3), kSharedSymbol);
  c.programsPerCTA = programsPerCTA(kernel);
  c.warps = info.numWarps / c.programsPerCTA;
  c.warp = c.warps == 1 ? c.i32(0) : c.shr(c.thread, 5);
  if (c.programsPerCTA == 1)
    return;
  // The same for all lanes, as the assembler sees then.
  c.place = c.shuffleIndex(c.shr(c.thread, 5), c.i32(0));
  c.thread = c.lane;
  c.barrierNumber = kNoBarrier;
  if (info.sharedBytes)
    c.sharedBase = c.gep(c.sharedBase, b.getI8Type(),
                         c.mul(c.place, c.i32(static_cast<int32_t>(sharedPitch(kernel)))));
}

/// The function, up to where the code of the kernel begins.
void beginFunction(LoweringContext &c, tt::FuncOp kernel, const GPULaunchInfo &info) {
  OpBuilder &b = c.b;
  Location loc = c.loc = kernel.getLoc();
  b.setInsertionPointToStart(c.module.getBody());
  if (info.sharedBytes)
    b.create<LLVM::GlobalOp>(loc, LLVM::LLVMArrayType::get(b.getI8Type(), 0), /*isConstant=*/false,
                             LLVM::Linkage::External, kSharedSymbol, Attribute(),
                             sharedAlignment(kernel),
                             /*addrSpace=*/3);
  b.setInsertionPointToEnd(c.module.getBody());
  SmallVector<Type> types;
  for (Type type : kernel.getArgumentTypes())
    types.push_back(c.lowered(type));
  unsigned firstMap = types.size();
  types.append(info.tensorMaps.size(), c.pointerType(0));
  unsigned firstExtent = types.size();
  if (kernel->hasAttr(kPersistent))
    types.append(3, b.getI32Type());
  if (kernel->hasAttr(kProgramCounter))
    types.push_back(b.getI32Type());
  auto function = b.create<LLVM::LLVMFuncOp>(
      loc, kernel.getName(),
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), types));
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), b.getUnitAttr());
  function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                    b.getDenseI32ArrayAttr({info.numWarps * kLanesPerWarp}));
  if (auto programs = kernel->getAttrOfType<IntegerAttr>(kProgramsAtOnce))
    function->setAttr(
        NVVM::NVVMDialect::getMinctasmAttrName(),
        b.getI32IntegerAttr(std::max<int64_t>(1, programs.getInt() / programsPerCTA(kernel))));
  for (unsigned i = firstMap; i < firstExtent; ++i)
    markTensorMap(function, i);
  c.entry = function.addEntryBlock(b);
  if (kernel->hasAttr(kPersistent))
    llvm::append_range(c.grid, c.entry->getArguments().slice(firstExtent, 3));
  if (kernel->hasAttr(kProgramCounter))
    c.counter = c.entry->getArguments().back();
  if (auto axes = kernel->getAttrOfType<DenseI32ArrayAttr>(kLastFirst))
    for (int32_t axis : axes.asArrayRef())
      c.countsDown[axis] = true;
  if (auto programs = kernel->getAttrOfType<IntegerAttr>(kLongestOf))
    c.longestOf = programs.getInt();
  b.setInsertionPointToStart(c.entry);
  for (auto [old, fresh] : llvm::zip_first(kernel.getArguments(), c.entry->getArguments()))
    c.set(old, {fresh});
  enterProgram(c, kernel, info);
  Block *body = c.newBlock();
  c.entryEnd = b.create<LLVM::BrOp>(loc, body);
  b.setInsertionPointToStart(body);
}

void populatePatterns(LoweringPatterns &patterns, const LoweringContext &context,
                      const TensorMaps &maps, std::vector<AssertSite> &asserts) {
  populateControlFlowPatterns(patterns, context);
  populateShapePatterns(patterns, context);
  populateElementwisePatterns(patterns, context);
  populateElementsPatterns(patterns, context);
  populateConvertLayoutPatterns(patterns, context);
  populateMemoryPatterns(patterns, context);
  populateAtomicPatterns(patterns, context);
  populateReducePatterns(patterns, context);
  populateScanPatterns(patterns, context);
  populateSkipMaskedPatterns(patterns, context);
  auto work = std::make_shared<DotWork>();
  populateLocalMemoryPatterns(patterns, context, work);
  populateDotPatterns(patterns, context, work);
  populateWarpGroupDotPatterns(patterns, context);
  populateMBarrierPatterns(patterns, context);
  populateClusterPatterns(patterns, context);
  populateTensorCopyPatterns(patterns, context, maps);
  populateDebugPatterns(patterns, context, asserts);
  populateWarpGroupsPatterns(patterns, context,
                             [&](LoweringPatterns &ofGroup, const LoweringContext &group) {
                               populatePatterns(ofGroup, group, maps, asserts);
                             });
}

LogicalResult lowerKernel(ModuleOp module, tt::FuncOp kernel, const GPULoweringOptions &options,
                          GPULaunchInfo &info) {
  AxisInfoAnalysis axes(kernel);
  if (failed(checkPrograms(kernel)) || failed(checkPacked(kernel)) ||
      failed(checkTileSizes(kernel)) || failed(checkOutsideOfGroups(kernel)) ||
      failed(checkSkippedRegisters(kernel, axes)))
    return failure();
  FailureOr<TensorMaps> maps = planTensorMaps(kernel);
  if (failed(maps) || (!options.assertsTrap && failed(checkNoneIsLeft(kernel))))
    return failure();
  waitForStoresAtEnd(kernel);
  remarkOnKernel(kernel, axes);
  info.numWarps = launchedWarps(kernel) * programsPerCTA(kernel);
  info.numCTAs = numCTAs(kernel);
  info.sharedBytes = sharedBytesOfCTA(kernel);
  info.tensorMaps = maps->parameters;
  info.placesOfMaps = maps->places;
  LoweringState state(module.getContext());
  LoweringContext context(state, module, options, axes);
  beginFunction(context, kernel, info);
  prefetchTensorMaps(context, info.tensorMaps.size());
  std::vector<AssertSite> asserts;
  populatePatterns(state.patterns, context, *maps, asserts);
  if (failed(context.lowerBlock(kernel.getBody().front())))
    return failure();
  info.asserts = std::move(asserts);
  kernel.erase();
  return success();
}
} // namespace

} // namespace tritium::ttg

llvm::LogicalResult tritium::lowerTileGPUToLLVM(ModuleOp module, const GPULoweringOptions &options,
                                                GPULaunchInfo &info) {
  if (failed(ttg::checkLayouts(module)) || failed(ttg::checkOverlap(module)))
    return failure();
  for (auto func : module.getOps<tt::FuncOp>())
    if (!func.isExternal() && (failed(ttg::checkPlaces(func)) || failed(ttng::checkClusters(func))))
      return failure();
  if (options.isForeign || settings::Verify.isOn())
    for (auto func : module.getOps<tt::FuncOp>())
      if (!func.isExternal() && (failed(ttg::checkHazards(func, options.mayAlias)) ||
                                 (options.isForeign && failed(ttg::checkFits(func)))))
        return failure();
  module.getContext()->loadDialect<LLVM::LLVMDialect, NVVM::NVVMDialect>();
  for (auto func : llvm::make_early_inc_range(module.getOps<tt::FuncOp>()))
    if (func.isKernel() && !func.isExternal() &&
        failed(ttg::lowerKernel(module, func, options, info)))
      return failure();
  return success();
}
