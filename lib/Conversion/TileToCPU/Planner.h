//===- Planner.h - makes the plan of a kernel -------------------*- C++ -*-===//

#ifndef TRITIUM_LIB_CONVERSION_TILETOCPU_PLANNER_H
#define TRITIUM_LIB_CONVERSION_TILETOCPU_PLANNER_H

#include "Plan.h"
#include "TileValues.h"

#include "llvm/ADT/SetVector.h"

#include <map>

namespace tritium::cpu {

/// Up to this many operations a phase counts as thin: its time is memory traffic, so
/// masks and loop overhead show.
constexpr int kThin = 12;

/// What the values that a phase evaluates are made of.
struct PhaseSummary {
  int operations = 0;
  unsigned widestBits = 8;
  llvm::SetVector<mlir::Value> masks;
  llvm::SetVector<mlir::Operation *> remainders; ///< in addresses
};

/// Plans a kernel, block by block. Each step is completed before the next: a buffer lies behind
/// those of the steps before.
class Planner {
public:
  Planner(tt::FuncOp kernel, const TargetInfo &target, const CompileOptions &options,
          const KernelMetadata &metadata, KernelFacts &facts)
      : kernel(kernel), target(target), options(options), metadata(metadata), facts(facts) {}

  KernelPlan run();

  // What steps and storage of a block ask.
  bool isStored(mlir::Value value) const { return plan.isStored(value); }
  Buffer *allocate(mlir::RankedTensorType type, bool dense);
  /// What `value` stands in wherever it is needed.
  Buffer *allocateHome(mlir::Value value, bool dense);
  void setHome(mlir::Value value, Buffer *buffer) { plan.homes[value] = buffer; }
  /// Whether two memory operations may touch the same address at different indices.
  bool mayConflict(mlir::Operation *load, mlir::Operation *write);
  Strides &likelyStrides() { return facts.likely; }
  bool isArithmetic(mlir::Value value, int depth = 0) const;
  /// These addresses are known to be neighbours along `dim`.
  bool isRow(mlir::Value pointers, int64_t dim) {
    return isContiguous(pointers, dim, facts.strides);
  }
  /// A register of such elements is computed with as it is loaded, or after an instruction or two.
  bool isCheapToDecode(mlir::Type element) const;

private:
  // Plan.cpp
  StepList planBlock(mlir::Block &block, llvm::ArrayRef<Root> results);
  void complete(Step &step);
  Buffer *allocate(llvm::ArrayRef<int64_t> shape, mlir::Type element, bool dense);
  /// A completed phase that assigns `value`.
  void assign(StepList &steps, mlir::Value value, Buffer *buffer);
  void planReport(Step &step, mlir::Operation *op);

  // PlanPhase.cpp
  void completePhase(Step &step);
  void planTransposed(Step &step);
  bool planDirectRead(Step &step);
  bool planTurned(Step &step);
  void allocateResults(const Step &step);
  bool isRoundedForProducts(const Root &root) const;
  void orderLoops(Step &step);
  mlir::Operation *streamedStore(const Step &step, const Loops &loops);
  PhaseSummary summarize(const Step &step);
  void summarize(mlir::Value value, bool isHome, llvm::SmallPtrSetImpl<mlir::Operation *> &seen,
                 PhaseSummary &summary);
  int64_t chooseWidth(const Step &step, const PhaseSummary &summary) const;

  // PlanVersions.cpp
  bool isTrueAtFirst(mlir::Value mask, int64_t dim);
  void planLeadingMasks(const Step &step, const PhaseSummary &summary, Loops &loops);
  void planVersions(Step &step, const PhaseSummary &summary);

  // PlanRegion.cpp
  void planFor(Step &step, mlir::scf::ForOp op);
  Buffer *allocateCarried(mlir::Value init, mlir::scf::ForOp loop);
  void planIf(Step &step, mlir::scf::IfOp op);
  void planWhile(Step &step, mlir::scf::WhileOp op);

  // PlanDot.cpp
  void planDot(Step &step, tt::DotOp op);
  DotForm formOf(tt::DotOp op) const;
  bool isOnTiles(tt::DotOp op, DotForm form) const;
  bool isOnTiles(DotForm form, int64_t m, int64_t n, int64_t k) const;
  mlir::Type operandType(tt::DotOp op) const { return operandType(op, formOf(op)); }
  mlir::Type operandType(tt::DotOp op, DotForm form) const;
  DotPlan::Operand operandOf(mlir::Value value, mlir::Type compute, bool wholeRegisters);
  DotPlan::Operand groupedOperand(mlir::Value value, mlir::Type compute, DotForm form,
                                  int64_t slots);
  void keepPackedOfLoop(DotPlan &dot, tt::DotOp op);
  bool shareKept(DotPlan &dot, tt::DotOp op);
  Buffer *accumulatorFor(Step &step, tt::DotOp op);

  // PlanRounds.cpp
  void planRounds(Step &step, mlir::scf::ForOp loop);
  std::optional<RoundsPlan::Operand> operandOfRounds(Step &step, tt::DotOp op, mlir::Value value,
                                                     int64_t kDim);
  std::optional<DotForm> formOfParts(const RoundsPlan &rounds) const;
  std::optional<RoundsPlan> inForm(RoundsPlan rounds, DotForm form);
  bool planOperandsOfRounds(RoundsPlan &rounds);
  bool stays(tt::LoadOp load);
  void keepPacked(DotPlan &dot, tt::DotOp op, tt::LoadOp load, int64_t n, int64_t k,
                  int64_t mostBytes);
  void allocateOperands(RoundsPlan &rounds);

  // PlanEpilogue.cpp
  void planEpilogues(StepList &steps);
  bool fitsEpilogue(const Step &loop, const Step &phase);
  std::optional<EpiloguePlan> storedByProduct(const RoundsPlan &rounds, const Step &phase,
                                              mlir::Value sums);
  std::list<Step> planBlockOf(const Step &phase);
  void planPrologue(Step &product, tt::DotOp op);

  // PlanAhead.cpp
  std::optional<Upcoming> upcoming(tt::DotOp dot, mlir::Value operand, mlir::scf::ForOp loop);
  bool collectMoving(mlir::Value value, mlir::scf::ForOp loop, tt::DotOp dot,
                     llvm::SmallVectorImpl<mlir::Value> &moving, int depth = 0);

  // PlanNextRows.cpp
  void planNextRows();

  // PlanStreams.cpp
  void findStreamedStores();

  tt::FuncOp kernel;
  const TargetInfo &target;
  const CompileOptions &options;
  const KernelMetadata &metadata;
  KernelFacts &facts;
  KernelPlan plan;
  bool hasDot = false; ///< the kernel's time is spent in matrix products
  llvm::DenseMap<std::pair<mlir::Value, mlir::Value>, bool> areApart; ///< tiles of pointers
  llvm::DenseSet<mlir::Value> readDirectly; ///< by the product that they are the operand of
  /// Products of loops from zero on that keep what they pack, and their plans.
  llvm::SmallVector<std::pair<tt::DotOp, DotPlan>, 2> keeping;
  llvm::DenseSet<mlir::Value> turned; ///< the last two dimensions of their buffers are swapped
  /// By shape and element type.
  std::map<std::pair<std::vector<int64_t>, const void *>, Buffer *> transposeCopies;
};

/// An iteration argument of `loop`.
inline bool isCarriedBy(mlir::Value value, mlir::scf::ForOp loop) {
  return mlir::isa<mlir::BlockArgument>(value) && value.getParentBlock() == loop.getBody();
}

/// The iteration argument of `loop` into whose memory `value`, a product, is added; null if there
/// is none.
mlir::Value carriedAccumulator(mlir::Value value, mlir::scf::ForOp loop);

/// Plans the steps of one block:
///
/// 1. Every operation that is not virtual becomes a step, merged into the phase before
///    it where shapes and memory order allow.
/// 2. One sweep from the last tile value to the first knows, for each, the steps that
///    evaluate it. Values that are worth it, or must be, get a buffer that the first of
///    these steps assigns; their operands are then evaluated in that step only.
class BlockPlanner {
public:
  BlockPlanner(mlir::Block &block, Planner &planner) : block(block), planner(planner) {}

  /// `results` are extra roots at the block's end: the values that a terminator yields, with
  /// the buffers they go to.
  StepList run(llvm::ArrayRef<Root> results);

private:
  using Operations = llvm::SmallSetVector<mlir::Operation *, 16>;

  int64_t position(mlir::Operation *op) const;
  bool conflicts(mlir::Operation *load, mlir::Operation *write, bool sameIndex) const;
  void renumber();

  // PlanSteps.cpp
  void addOperation(mlir::Operation *op);
  void addTiledRoot(mlir::Operation *op);
  int64_t storeDim(tt::StoreOp store);
  void addRoot(const Root &root, mlir::RankedTensorType type, int64_t lanesDim,
               int64_t reduceDim = -1, bool backward = false);
  Step *mergeTarget(const Root &root, mlir::RankedTensorType type, int64_t lanesDim,
                    int64_t reduceDim, bool backward);
  bool overwrites(const Root &second, const Root &first) const;
  Operations runsBehind(const Step &phase, mlir::Operation *last, bool storesScans) const;

  // PlanStorage.cpp
  int chainCost(mlir::Value value);
  bool worthKeeping(mlir::Value value);
  void addUser(mlir::Value value, Step *step);
  void findReadScans();
  void propagate(mlir::Operation *op, llvm::ArrayRef<Step *> uses);
  void collectUsers();
  void decide(mlir::Value value);
  bool mustStandInMemory(mlir::Value value, llvm::ArrayRef<Step *> uses) const;
  bool isReadAgain(mlir::Value value, llvm::ArrayRef<Step *> uses) const;
  Step *phaseOfOperand(mlir::Value value, const Step &first);
  Step *firstConflict(tt::LoadOp load, llvm::ArrayRef<Step *> uses);
  bool readElementwise(const Step &phase, mlir::Value value) const;
  Step *assignStep(mlir::Value value, Buffer *buffer, Step *first, Step *before);
  void markDirectReads();

  mlir::Block &block;
  Planner &planner;
  StepList steps;
  llvm::DenseMap<mlir::Operation *, int64_t> positions;
  int64_t end = 0;
  llvm::DenseMap<mlir::Value, int> chainCosts;
  llvm::DenseMap<mlir::Value, llvm::SmallSetVector<Step *, 4>> users;
};

/// Prints, atomics, counts and assertions, alone in their phases.
bool standsAlone(const Root &root);

/// A phase of one Assign is read along another dimension than it is written.
bool isTransposed(mlir::RankedTensorType type, int64_t lanesDim);

} // namespace tritium::cpu

#endif // TRITIUM_LIB_CONVERSION_TILETOCPU_PLANNER_H
