//===- PersistPrograms.cpp - ttg-persist-programs -------------------------===//
//
//   tt.func @kernel(..) {
//     %x = tt.get_program_id 0
//     BODY
//   }
//
// becomes
//
//   tt.func @kernel(..) attributes {ttg.persistent} {
//     %n = tt.get_num_programs 0 * tt.get_num_programs 1 * tt.get_num_programs 2
//     scf.for %p = ttg.cta_id to %n step ttg.num_ctas {
//       %x = ttg.program_id %p along 0
//       BODY
//     } {ttg.programs}
//   }
//
// of which launches start as many CTAs as run at once. What a program waits for when it begins is
// then waited for once, and copies for the next program start when the loop of this one is over
// (`ttg.across`).
//
// That is right because the order of programs is nobody's business: those of a grid may run in any
// order, one after the other on one multiprocessor among them. A program that waits for another, or
// that asks what others have done, could wait for one that comes behind it on the same CTA: kernels
// with anything but plain loads and stores and atomics without a result stay as they are. What one
// program stores and another loads is a race of the kernel as it is written, which no order of the
// two makes less of one.
//
// Where a CTA has several programs at a time (ttg-pack-programs), each of its warps runs that loop.
//
// Programs that may share their rounds out (tt-stream-k) are in a loop over what a CTA has of them:
// %p is the program of its item, and tt.program_share its share (ProgramShares.h).
//
// Scalars that are the same for all programs are computed in front of the loop. It stands behind
// ttng-load-boxes, which knows what is copied by TMA, and in front of ttg-expand-pipeline.
//
//===----------------------------------------------------------------------===//

#include "DotRotation.h"
#include "ProgramDependence.h"
#include "ProgramShares.h"
#include "tritium/Dialect/TileGPU/Transforms/SpecializationChoice.h"

#include "tritium/Dialect/TileGPU/Transforms/Passes.h"

#include "tritium/Analysis/LaunchSteps.h"
#include "tritium/Analysis/OuterSlice.h"
#include "tritium/Dialect/Tile/Transforms/Passes.h"
#include "tritium/Dialect/TileGPU/IR/Preconditions.h"
#include "tritium/Dialect/TileGPU/IR/TileGPU.h"
#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"
#include "tritium/Support/EmitRemark.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tritium::ttg {

#define GEN_PASS_DEF_PERSISTPROGRAMS
#include "tritium/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
/// The loops of a kernel whose loads run ahead.
SmallVector<scf::ForOp> pipelinedLoops(tt::FuncOp func) {
  SmallVector<scf::ForOp> loops;
  func.walk([&](scf::ForOp loop) {
    if (loop->hasAttr(kStages))
      loops.push_back(loop);
  });
  return loops;
}

bool hasOnlyBoxes(scf::ForOp loop) {
  return !loop.getOps<ttng::LoadBoxOp>().empty() && areAllBoxes(loop);
}

/// Copies of the loop for the next program can start before this one has ended.
bool canGoOn(scf::ForOp loop) {
  return isa<tt::FuncOp>(loop->getParentOp()) && hasOnlyBoxes(loop) && mayStartNext(loop);
}

int64_t bytesOfBuffers(scf::ForOp loop) {
  auto number = [&](StringRef name) {
    auto attribute = loop->getAttrOfType<IntegerAttr>(name);
    return attribute ? attribute.getInt() : 0;
  };
  int64_t bytes = 0;
  for (auto box : loop.getOps<ttng::LoadBoxOp>()) {
    auto tile = cast<RankedTensorType>(box.getType());
    bytes += tile.getNumElements() * tt::scalarBytes(tile.getElementType());
  }
  return bytes * std::max(number(kStages), number(kBuffers));
}

/// Whether a multiprocessor runs two programs at once, by the least that one needs: buffers of its
/// loop, and registers for the results of its dots and a few more a thread.
bool hasRoomForTwo(scf::ForOp loop, ArrayRef<tt::DotOp> dots) {
  constexpr int64_t others = 40;
  const GPUModel &gpu = gpuModel(loop);
  int64_t registers = others * numWarps(loop) * kLanesPerWarp;
  for (tt::DotOp dot : dots)
    registers += cast<RankedTensorType>(dot.getType()).getNumElements() *
                 tt::scalarBytes(tt::elementType(dot.getType())) / 4;
  return 2 * bytesOfBuffers(loop) <= gpu.sharedBytes && 2 * registers <= gpu.registers;
}

/// Why a kernel with one pipelined loop, of boxes, would not be faster; empty: it would.
std::string whyNoGain(tt::FuncOp func, scf::ForOp loop) {
  if (!isa<tt::FuncOp>(loop->getParentOp()))
    return "the pipelined loop stands in a loop or branch";
  SmallVector<tt::DotOp> dots;
  int64_t loops = 0;
  func.walk([&](tt::DotOp dot) { dots.push_back(dot); });
  func.walk([&](scf::ForOp) { ++loops; });
  bool areRotated = dots.size() == 2 && DotRotation::find(loop);
  if ((dots.size() != 1 && !areRotated) || loops != 1)
    return "it has more than one loop, or dots other than one or attention's two, and the work of "
           "its programs may differ";
  if (!mayStartNext(loop))
    return "what its loop loads does not follow from the program's id, arguments and constants";
  if (hasRoomForTwo(loop, dots))
    return "a multiprocessor has room for two programs, of which one multiplies while the other "
           "begins or ends";
  return "";
}

/// Right in a kernel: it may be computed once for all programs.
bool isSameScalar(Operation &op, Block &kernel) {
  bool isScalar = llvm::none_of(op.getResultTypes(), [](Type type) { return tt::isTile(type); });
  bool isConstant = op.hasTrait<OpTrait::ConstantLike>();
  return (isScalar || isConstant) && op.getNumRegions() == 0 && isMemoryEffectFree(&op) &&
         !isa<tt::GetProgramIdOp, tt::ProgramShareOp>(op) &&
         llvm::all_of(op.getOperands(),
                      [&](Value operand) { return operand.getParentBlock() == &kernel; });
}

/// Whether all that `value`, of the kernel's block, comes from is such a scalar.
bool isSameForAll(Value value, Block &kernel) {
  SmallVector<Value> worklist{value};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (!isSameScalar(*op, kernel))
      return false;
    llvm::append_range(worklist, op->getOperands());
  }
  return true;
}

/// All of the kernel behind `loop` goes into it, but what is the same for all programs; `programOf`
/// says which program an iteration is.
void moveInto(scf::ForOp loop, llvm::function_ref<Value(OpBuilder &)> programOf) {
  auto func = loop->getParentOfType<tt::FuncOp>();
  Block &kernel = func.getBody().front();
  Operation *end = loop.getBody()->getTerminator();
  for (Operation *op = loop->getNextNode(); op != kernel.getTerminator();) {
    Operation *next = op->getNextNode();
    op->moveBefore(isSameScalar(*op, kernel) ? loop.getOperation() : end);
    op = next;
  }
  OpBuilder b = OpBuilder::atBlockBegin(loop.getBody());
  Value program = programOf(b);
  std::array<Value, 3> ids;
  loop.walk([&](tt::GetProgramIdOp op) {
    Value &id = ids[op.getAxis()];
    b.setInsertionPointAfterValue(program);
    if (!id)
      id = b.create<ProgramIdOp>(loop.getLoc(), b.getI32Type(), program, op.getAxis());
    op.replaceAllUsesWith(id);
    op.erase();
  });
  loop->setAttr(kPrograms, b.getUnitAttr());
  func->setAttr(kPersistent, b.getUnitAttr());
}

Value countPrograms(OpBuilder &b, Location loc) {
  Value programs;
  for (uint32_t axis = 0; axis < 3; ++axis) {
    Value extent = b.create<tt::GetNumProgramsOp>(loc, b.getI32Type(), axis);
    programs = programs ? b.create<arith::MulIOp>(loc, programs, extent).getResult() : extent;
  }
  return programs;
}

/// The number of programs, which the loop counts to.
Value wrap(tt::FuncOp func) {
  Location loc = func.getLoc();
  OpBuilder b = OpBuilder::atBlockBegin(&func.getBody().front());
  Value programs = countPrograms(b, loc);
  Type i32 = b.getI32Type();
  Value first = b.create<CTAIdOp>(loc, i32), step = b.create<NumCTAsOp>(loc, i32);
  auto loop = b.create<scf::ForOp>(loc, first, programs, step);
  moveInto(loop, [&](OpBuilder &) { return loop.getInductionVar(); });
  return programs;
}

/// The same for programs that may share their rounds out.
void wrapShares(tt::FuncOp func, tt::ProgramShareOp share) {
  Location loc = func.getLoc();
  OpBuilder b = OpBuilder::atBlockBegin(&func.getBody().front());
  Value programs = countPrograms(b, loc);
  Value zero = b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(0));
  Value one = b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(1));
  auto loop = b.create<scf::ForOp>(loc, zero, /*upperBound=*/zero, one);
  // What it counts to is made of what moveInto leaves in front of it.
  moveInto(loop, [&](OpBuilder &inLoop) {
    b.setInsertionPoint(loop);
    ProgramShares shares(b, loc, share.getRounds(), programs);
    loop.setUpperBound(shares.items());
    ProgramShares::Item item = shares.at(inLoop, loop.getInductionVar());
    share.replaceAllUsesWith(ValueRange{item.from, item.to, item.place, item.first, item.parts});
    share.erase();
    return item.program;
  });
}

/// The share that the programs of a kernel have, if they may share their rounds out.
tt::ProgramShareOp shareOf(tt::FuncOp func) {
  auto shares = func.getBody().front().getOps<tt::ProgramShareOp>();
  return shares.empty() ? tt::ProgramShareOp() : *shares.begin();
}

/// Launches see to it that programs can be counted in 32 bits.
void requireCountable(tt::FuncOp func, Value programs) {
  LaunchSteps steps;
  steps.add(programs);
  Builder b(func.getContext());
  SmallVector<Attribute> conditions;
  if (auto known = func->getAttrOfType<ArrayAttr>(kConditions))
    conditions.append(known.begin(), known.end());
  conditions.push_back(b.getDenseI64ArrayAttr(steps.numbers()));
  func->setAttr(kConditions, b.getArrayAttr(conditions));
}

struct PersistProgramsPass : impl::PersistProgramsBase<PersistProgramsPass> {
  using PersistProgramsBase::PersistProgramsBase;

  void runOnOperation() override {
    if (!getAnalysis<LayoutsHold>())
      return signalPassFailure();
    for (auto func : getOperation().getOps<tt::FuncOp>())
      if (!func.isExternal() && func.isKernel() && !func->hasAttr(kPersistent))
        convert(func);
  }

private:
  /// Warps loop over programs, of which a CTA has several. Without the loop it has one.
  void pack(tt::FuncOp func) {
    if (findDependence(func)) {
      func->removeAttr(kProgramsPerCTA);
      func->removeAttr(kProgramsPerWarp);
      return;
    }
    Value programs = wrap(func);
    if (!always)
      requireCountable(func, programs);
  }

  /// Programs share their rounds out, or stay whole: then `tt.stream_k` says why, and the kernel is
  /// compiled without.
  void share(tt::FuncOp func, tt::ProgramShareOp share) {
    std::string reason;
    if (Operation *op = findDependence(func))
      reason = "it may depend on other programs, or on which CTA it is: '" +
               op->getName().getStringRef().str() + "'";
    else if (!isSameForAll(share.getRounds(), func.getBody().front()))
      reason = "its loop may be longer in some programs than in others";
    if (!reason.empty())
      return func->setAttr(tt::kStreamK, StringAttr::get(&getContext(), reason));
    func->removeAttr(kProgramsPerCTA);
    func->removeAttr(kProgramsPerWarp);
    SmallVector<scf::ForOp> loops = pipelinedLoops(func);
    bool goesOn = loops.size() == 1 && canGoOn(loops[0]);
    wrapShares(func, share);
    if (goesOn)
      loops[0]->setAttr(kAcross, UnitAttr::get(&getContext()));
    remarkApplied(func.getLoc(), "persistent",
                  Twine("CTAs loop over programs and parts of programs") +
                      (goesOn ? "; copies for the next one start before this one is stored" : ""));
  }

  void convert(tt::FuncOp func) {
    if (tt::ProgramShareOp ofProgram = shareOf(func))
      return share(func, ofProgram);
    if (func->hasAttr(kProgramsPerCTA))
      return pack(func);
    SmallVector<scf::ForOp> loops = pipelinedLoops(func);
    if (!always && llvm::none_of(loops, hasOnlyBoxes))
      return;
    constexpr const char *stays = "a CTA runs one program, not one after the other: ";
    std::string reason = always              ? ""
                         : loops.size() == 1 ? whyNoGain(func, loops[0])
                                             : "it has more than one pipelined loop";
    if (!reason.empty())
      return remarkApplied(func.getLoc(), "persistent", stays + reason);
    bool areEven = loops.size() == 1 && isEven(loops[0]);
    bool takes = loops.size() == 1 && takePrograms != "never" &&
                 (!areEven || takePrograms == "always") && canTakePrograms(func);
    if (!always && !areEven && !takes)
      return remarkApplied(func.getLoc(), "persistent",
                           Twine(stays) +
                               "its loop is longer in some programs than in others, and there is "
                               "no warp of its own for its copies that could take them in turn");
    if (Operation *op = findDependence(func))
      return remarkMissed(op->getLoc(), "persistent",
                          Twine(stays) +
                              "this may depend on other programs, or on which CTA it is");
    bool goesOn = loops.size() == 1 && canGoOn(loops[0]);
    Value programs = wrap(func);
    if (!always)
      requireCountable(func, programs);
    if (goesOn)
      loops[0]->setAttr(kAcross, UnitAttr::get(&getContext()));
    if (takes)
      func->setAttr(kProgramCounter, UnitAttr::get(&getContext()));
    else if (takePrograms == "always")
      remarkMissed(
          func.getLoc(), "persistent",
          "CTAs have fixed shares of the programs, although the counter is asked for: there "
          "is no warp of its own for the copies of one loop, which could take them");
    remarkApplied(func.getLoc(), "persistent",
                  Twine("CTAs loop over programs") +
                      (takes ? ", and who is done first takes the next one" : "") +
                      (goesOn ? "; copies for the next one start before this one is stored" : ""));
  }

  /// With a loop over programs a warp of its own starts the copies, which can take the next one.
  bool canTakePrograms(tt::FuncOp func) {
    if (findDependence(func))
      return false;
    OpBuilder b(func);
    auto trial = cast<tt::FuncOp>(b.clone(*func));
    wrap(trial);
    bool can = willSpecialize(trial, specialize);
    trial.erase();
    return can;
  }
};
} // namespace

} // namespace tritium::ttg
