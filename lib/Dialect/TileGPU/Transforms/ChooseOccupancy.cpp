//===- ChooseOccupancy.cpp - ttg-choose-occupancy -------------------------===//
//
// A kernel that streams tiles through registers hides the latency of memory by other
// programs on the same multiprocessor, as many as registers suffice for. The assembler does
// not know that: it spends registers on the order of instructions in a branch that is
// seldom taken. So it is told how many programs there should be, from the registers that
// tiles need at the same time:
//
//   registers of a thread = tiles alive at once + some for addresses, more with every load
//
// Tiles of indices, pointers and masks do not count, since they are made where they are
// used. Kernels with loops or dots are left to the assembler: what they keep in registers
// over iterations is not all that they need.
//
// The kernel gets `ttg.programs_at_once`, the programs that a multiprocessor should run side by
// side.
//
//===----------------------------------------------------------------------===//

#include "Occupancy.h"

#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileGPU/Transforms/Passes.h"
#include "tritium/Target/GPU/Strategy.h"

using namespace mlir;

namespace tritium::ttg {

#define GEN_PASS_DEF_CHOOSEOCCUPANCY
#include "tritium/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
/// Made of ranges and scalars alone.
bool isIndex(Value value, llvm::DenseMap<Value, bool> &known) {
  if (!tt::isTile(value.getType()))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || isa<FloatType>(tt::elementType(value.getType())))
    return isa_and_nonnull<tt::SplatOp, arith::ConstantOp>(op);
  auto [it, isNew] = known.try_emplace(value, false);
  if (!isNew)
    return it->second;
  bool result = isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
                llvm::all_of(op->getOperands(), [&](Value x) { return isIndex(x, known); });
  return known[value] = result;
}

/// 32-bit registers of a thread.
unsigned tileRegistersAtOnce(Block &block) {
  llvm::DenseMap<Value, bool> known;
  auto sizeOf = [&](Value value) -> unsigned {
    Type type = value.getType();
    if (!tt::isTile(type) || tt::elementType(type).isInteger(1) || isIndex(value, known))
      return 0;
    return (layoutOf(cast<RankedTensorType>(type)).registers() *
                tt::scalarBits(tt::elementType(type)) +
            31) /
           32;
  };
  unsigned alive = 0, most = 0;
  llvm::DenseMap<Operation *, unsigned> freed; // behind their last uses
  for (Operation &op : block) {
    unsigned inside = 0;
    for (Region &region : op.getRegions())
      if (!region.empty())
        inside = std::max(inside, tileRegistersAtOnce(region.front()));
    for (Value result : op.getResults()) {
      unsigned size = sizeOf(result);
      Operation *last = &op;
      for (Operation *user : result.getUsers())
        if (Operation *here = block.findAncestorOpInBlock(*user))
          last = last->isBeforeInBlock(here) ? here : last;
      freed[last] += size;
      alive += size;
    }
    // An operand that is used up gives way element by element.
    alive -= freed.lookup(&op);
    most = std::max(most, alive + inside);
  }
  return most;
}

/// The loop over programs that stream: nothing is kept in registers over its iterations.
bool isLoopOfStreams(Operation *op, tt::FuncOp kernel) {
  return op->hasAttr(kPrograms) && op->getNumResults() == 0 && kernel->hasAttr(kProgramsPerCTA);
}

/// What a thread of a kernel that streams needs.
struct Need {
  unsigned registers, most; ///< about; with more than `most` there are few programs in any case
};

std::optional<Need> needOf(tt::FuncOp kernel) {
  bool streams = true, hasVersions = false;
  llvm::DenseMap<Block *, unsigned> loads;
  unsigned mostLoads = 1;
  kernel.walk([&](Operation *op) {
    hasVersions |= op->hasAttr(kVersions);
    if (isa<tt::LoadOp>(op) && tt::isTile(op->getResult(0).getType()))
      mostLoads = std::max(mostLoads, ++loads[op->getBlock()]);
    streams &=
        !isa<scf::ForOp, scf::WhileOp, tt::DotOp, WarpGroupsOp>(op) || isLoopOfStreams(op, kernel);
  });
  if (!streams)
    return std::nullopt;
  unsigned tiles = tileRegistersAtOnce(kernel.getBody().front());
  unsigned addresses = strategy::kAddressWords + strategy::kWordsPerLoad * (mostLoads - 1);
  unsigned words = tiles + addresses,
           most = hasVersions ? strategy::kMostStreamWordsOfVersions : strategy::kMostStreamWords;
  if (programsPerCTA(kernel) > 1) {
    words = addresses +
            tiles * (hasVersions ? strategy::kTilesOfPackedVersions : strategy::kTilesOfPacked);
    most = strategy::kMostPackedWords;
  }
  return Need{std::max<unsigned>(strategy::kLeastWords, llvm::alignTo(words, 8)), most};
}

/// Whole CTAs.
unsigned programsThatFit(tt::FuncOp kernel, unsigned registers, const GPUModel &gpu) {
  unsigned together = programsPerCTA(kernel),
           warps = numWarps(kernel->getParentOfType<ModuleOp>()) * together;
  return std::min(gpu.warps / warps, gpu.registers / (registers * kLanesPerWarp * warps)) *
         together;
}

/// 0: no matter.
unsigned programsAtOnce(tt::FuncOp kernel, const GPUModel &gpu) {
  std::optional<Need> need = needOf(kernel);
  return need && need->registers <= need->most ? programsThatFit(kernel, need->registers, gpu) : 0;
}

struct ChooseOccupancyPass : impl::ChooseOccupancyBase<ChooseOccupancyPass> {
  using ChooseOccupancyBase::ChooseOccupancyBase;

  void runOnOperation() override {
    if (!getAnalysis<LayoutsHold>())
      return signalPassFailure();
    for (auto func : getOperation().getOps<tt::FuncOp>()) {
      if (func.isExternal() || !func.isKernel())
        continue;
      unsigned programs = programsAtOnce(func, gpuModel(getOperation()));
      if (programs > 1)
        func->setAttr(kProgramsAtOnce, Builder(func).getI32IntegerAttr(programs));
    }
  }
};
} // namespace

unsigned programsThatStream(tt::FuncOp kernel, const GPUModel &gpu) {
  if (auto asked = kernel->getAttrOfType<IntegerAttr>(kProgramsAtOnce))
    return asked.getInt();
  std::optional<Need> need = needOf(kernel);
  return need ? std::max(1u, programsThatFit(kernel, need->registers, gpu)) : 0;
}

} // namespace tritium::ttg
