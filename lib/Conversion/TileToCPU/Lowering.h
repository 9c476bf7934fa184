//===- Lowering.h - state of the CPU lowering -------------------*- C++ -*-===//
//
// One Lowering lowers one kernel. Its methods are grouped by family, one file each.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_CONVERSION_TILETOCPU_LOWERING_H
#define TRITIUM_LIB_CONVERSION_TILETOCPU_LOWERING_H

#include "Chunk.h"
#include "Plan.h"
#include "TileValues.h"

#include "tritium/Conversion/Math/VectorMath.h"
#include "tritium/Conversion/TileToCPU/MicroKernel.h"
#include "tritium/Conversion/TileToCPU/TileToCPU.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <map>
#include <set>

namespace tritium::cpu {

/// The line of the user's text that `loc` comes from; null if there is none.
mlir::FileLineColLoc userLocation(mlir::Location loc);

class Lowering {
public:
  Lowering(mlir::ModuleOp module, const TargetInfo &target, const CompileOptions &options,
           KernelMetadata &metadata, std::vector<Remark> &remarks);

  mlir::LogicalResult run(std::string *planText);

private:
  mlir::ModuleOp module;
  const TargetInfo &target;
  const CompileOptions &options;
  KernelMetadata &metadata;
  std::vector<Remark> &remarks;
  mlir::OpBuilder b;
  mlir::Location loc;
  bool failed = false;

  tt::FuncOp kernel;
  KernelFacts facts;
  Strides *strides = &facts.strides; ///< in the version being emitted
  KernelPlan plan;
  mlir::Value scratch, host;
  mlir::Value programIds[3], numPrograms[3];
  mlir::Value tilesRefused;                         ///< i64, zero where AMX may be used
  llvm::DenseMap<mlir::Value, mlir::Value> scalars; ///< scalar of the kernel -> emitted value

  //===--------------------------------------------------------------------===//
  // Lowering.cpp: entry, blocks, scalar operations
  //===--------------------------------------------------------------------===//
  void emitEntry();
  mlir::Value loadArgument(mlir::Value args, unsigned slot, mlir::Type type);
  /// Emits the steps at the insertion point.
  void emitSteps(const StepList &steps);
  void emitStep(const Step &step);
  void emitScalarOp(const Step &step);
  mlir::Value scalar(mlir::Value value);
  mlir::Value scalarI64(mlir::Value value); ///< sign-extended
  /// Elements.cpp: nanoseconds of the host's clock.
  mlir::Value emitClock();
  void error(mlir::Operation *op, const llvm::Twine &message);
  void remark(mlir::Operation *op, llvm::StringRef kind, const llvm::Twine &message,
              std::map<std::string, std::string> arguments = {});
  /// PlanRemarks.cpp: what the plan of the kernel comes to.
  void remarkPlan();
  void remarkSteps(const StepList &steps);
  void remarkPhase(const Step &step);
  void remarkProduct(const Step &step);
  /// Says why the access `op` goes element by element along the lanes of `index`.
  void remarkElements(mlir::Operation *op, const Index &index);

  //===--------------------------------------------------------------------===//
  // Helpers.cpp: constants, arithmetic on i64, scratch addresses
  //===--------------------------------------------------------------------===//
  mlir::Value i64(int64_t value);
  mlir::Value constant(mlir::Type element, int64_t value);
  mlir::Value zeroOf(mlir::Type element, int64_t width);
  mlir::Value add(mlir::Value a, mlir::Value b_);
  mlir::Value sub(mlir::Value a, mlir::Value b_);
  mlir::Value mul(mlir::Value a, mlir::Value b_);
  mlir::Value mul(mlir::Value a, int64_t factor) { return factor == 1 ? a : mul(a, i64(factor)); }
  mlir::Value minSigned(mlir::Value a, mlir::Value b_);
  mlir::Value lanes(mlir::Type element, int64_t width, int64_t stride); ///< 0, stride, 2*stride ...
  mlir::Value splat(mlir::Value scalar, int64_t width);
  mlir::Value firstLanes(int64_t valid, int64_t width); ///< constant mask
  mlir::Value gep(mlir::Value base, mlir::Value byteOffset);
  mlir::Type shaped(mlir::Type element, int64_t width);
  VectorMath math() { return VectorMath(b, loc, target); }
  /// The internal function `name` of so many pointers, then i64, made by `body` if it is
  /// new.
  mlir::func::FuncOp sharedFunction(llvm::StringRef name, unsigned pointers, unsigned numbers,
                                    llvm::function_ref<void(mlir::Block::BlockArgListType)> body);
  /// A loop 0, step, .. < bound; the body gets the index and the carried values.
  mlir::SmallVector<mlir::Value>
  loop(mlir::Value lower, mlir::Value bound, int64_t step, mlir::ValueRange carried,
       llvm::function_ref<mlir::SmallVector<mlir::Value>(mlir::Value, mlir::ValueRange)> body);
  /// `body` for each piece of `step` of an extent: where it begins, how long it is. The last one
  /// may be shorter.
  void forPieces(int64_t extent, int64_t step, llvm::function_ref<void(mlir::Value, int64_t)> body);

  //===--------------------------------------------------------------------===//
  // Scratch.cpp: buffers
  //===--------------------------------------------------------------------===//
  mlir::Value bufferBase(const Buffer &buffer);
  /// Number of the element at `index` (its first lane).
  mlir::Value linearIndex(const Buffer &buffer, const Index &index);
  mlir::Value elementAddress(const Buffer &buffer, mlir::Value linear);
  Chunk readBuffer(const Buffer &buffer, const Index &index);
  /// `rounds`: the value is fp32, to be rounded to bf16 for products.
  void writeBuffer(const Buffer &buffer, const Index &index, const Chunk &value,
                   bool rounds = false);
  mlir::Value roundedForProducts(mlir::Value value);
  /// Elements between neighbours along the lanes.
  int64_t laneStride(const Buffer &buffer, const Index &index);

  //===--------------------------------------------------------------------===//
  // Evaluate.cpp: the value of a tile at an index
  //===--------------------------------------------------------------------===//
  using MemoKey = std::pair<const void *, llvm::SmallVector<std::pair<unsigned, const void *>, 3>>;
  static MemoKey memoKey(mlir::Value value, const Index &index);
  std::vector<std::map<MemoKey, Chunk>> memo;
  llvm::DenseSet<mlir::Value> assumedMasks; ///< masks proved true in this version
  /// Masks that are true in the chunk that is at `at` along `dim`.
  struct {
    llvm::SmallPtrSet<mlir::Value, 2> masks;
    int64_t dim = 0;
    mlir::Value at;
  } leading;
  /// What the body that is emitted puts into buffers: nothing of it is there yet.
  llvm::SmallPtrSet<mlir::Value, 8> unwritten;

  /// Opens a memo scope for as long as it lives: what is evaluated inside a region of
  /// the emitted code is not used outside.
  struct MemoScope {
    explicit MemoScope(Lowering &l) : l(l) { l.memo.emplace_back(); }
    ~MemoScope() { l.memo.pop_back(); }
    Lowering &l;
  };

  Chunk evaluate(mlir::Value value, const Index &index);
  /// The same, of a value that is not in its buffer yet.
  Chunk evaluateHome(mlir::Value value, const Index &index);
  Chunk remembered(mlir::Value value, const Index &index, llvm::function_ref<Chunk()> find);
  std::optional<Chunk> fromFirstLane(mlir::Value value, const Index &index,
                                     llvm::function_ref<Chunk(const Index &)> at);
  Chunk read(mlir::Value value, const Index &index);
  Chunk compute(mlir::Value value, const Index &index);
  Chunk computeElementwise(mlir::Operation *op, const Index &index);
  /// Elements.cpp: a function of elements, lane by lane.
  Chunk computeMap(mlir::OpResult result, const Index &index);
  /// The region of `op`, one of the plan's functions, for these scalars.
  llvm::SmallVector<mlir::Value> callFunction(mlir::Operation *op,
                                              llvm::ArrayRef<mlir::Value> elements);
  Chunk computeReshape(tt::ReshapeOp op, const Index &index);
  Chunk computeGather(tt::GatherOp op, const Index &index);
  std::optional<Chunk> exchange(tt::GatherOp op, const Index &index);
  Chunk gatherFrom(const Buffer &buffer, mlir::Value offsets, const Index &index);
  Chunk fromBuffer(Chunk chunk, mlir::Value value, const Index &index);
  /// `value`, sign-extended to integers of type `to`.
  Chunk extended(mlir::Value value, mlir::Type to, const Index &index);
  /// The lanes of `chunk`, the Affine form of `value` at `index`, differ by its stride as signed
  /// integers: none wraps.
  bool isExact(mlir::Value value, const Chunk &chunk, const Index &index);
  Chunk readDense(const Buffer &buffer, mlir::Value linear, int64_t lanesStride, int64_t count,
                  const Index &index);
  Chunk readPadded(const Buffer &buffer, mlir::Value linear, int64_t lanesStride,
                   const Index &index);
  /// The index into operand `number` of the virtual operation `op`.
  Index operandIndex(mlir::Operation *op, unsigned number, const Index &index);
  mlir::Value asVector(const Chunk &chunk, mlir::Type element, int64_t width);
  /// A scalar where the index has no lanes, else a vector.
  mlir::Value asValue(const Chunk &chunk, mlir::Type element, const Index &index);
  /// Evaluates now what does not depend on the loops that are not yet open. What is in `seen` has
  /// been looked at.
  using Seen = std::set<MemoKey>;
  void hoist(mlir::Value value, const Index &index, Seen &seen, int depth = 0);
  void hoistOperands(mlir::Operation *op, const Index &index, Seen &seen, int depth);

  //===--------------------------------------------------------------------===//
  // Elementwise.cpp: one operation on scalars or vectors
  //===--------------------------------------------------------------------===//
  mlir::Value emitElementwise(mlir::Operation *op, mlir::ValueRange operands, int64_t width);
  mlir::Value emitIntDivision(mlir::Operation *op, mlir::Value x, mlir::Value y);
  mlir::Value emitCast(mlir::Operation *op, mlir::Value x, int64_t width);
  mlir::Value emitBitcast(mlir::Type from, mlir::Type to, mlir::Value x);
  mlir::Value emitConstant(mlir::TypedAttr value);
  mlir::Value roundTo(mlir::Value value, mlir::Type element);
  Chunk computeAddress(tt::AddPtrOp op, const Index &index);

  //===--------------------------------------------------------------------===//
  // Masks.cpp: masks that are true for the first elements
  //===--------------------------------------------------------------------===//
  std::optional<Chunk> computeMask(mlir::Operation *op, llvm::ArrayRef<Chunk> operands,
                                   const Index &index);
  std::optional<Chunk> prefixCompare(mlir::arith::CmpIOp op, const Chunk &x, const Chunk &y,
                                     const Index &index);
  /// Of each lane at `index` it is known where this is emitted that it is set.
  bool isAssumed(mlir::Value mask, const Index &index);
  struct PhaseState;
  mlir::Value countLeading(const PhaseState &state, const Index &index);
  llvm::SmallVector<mlir::Value>
  chunkLoop(const PhaseState &state, const Index &index, int64_t from, int64_t full, int64_t step,
            mlir::ValueRange carried,
            llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value, mlir::ValueRange)> body);

  //===--------------------------------------------------------------------===//
  // Memory.cpp: loads, stores, atomics
  //===--------------------------------------------------------------------===//
  Chunk emitLoad(tt::LoadOp op, const Index &index);
  Chunk loadAt(tt::LoadOp op, const Chunk &ptr, const Chunk *mask, const Index &index,
               mlir::Type pointee);
  void emitStore(tt::StoreOp op, const Chunk &value, const Index &index,
                 bool fetchesLaterRows = false);
  void fetchLaterRow(tt::StoreOp op, const Index &index);
  void storeInOrder(mlir::Value value, mlir::Value address, unsigned alignment, bool isStreamed);
  void storeAt(const Chunk &ptr, mlir::Value value, const Chunk *mask, const Index &index,
               mlir::Type pointee);
  void emitAtomic(mlir::Operation *op, const Index &index);
  mlir::Value emitRMW(tt::RMWOp kind, mlir::Value address, mlir::Value value, mlir::Type pointee,
                      tt::MemSemantic sem);
  mlir::Value emitCAS(mlir::Value address, mlir::Value expected, mlir::Value desired,
                      mlir::Type pointee, tt::MemSemantic sem);
  mlir::Value bitsOf(mlir::Value value, mlir::Type pointee);
  mlir::Value valueOf(mlir::Value bits, mlir::Type pointee);
  mlir::Value casLoop(mlir::Value address, mlir::Type bits, tt::MemSemantic sem,
                      llvm::function_ref<mlir::Value(mlir::Value)> update);
  mlir::Value maskVector(const Chunk *mask, const Index &index);
  /// Loads the elements whose bit in `mask` is set; the others are those of `other`, and their
  /// memory is not read.
  mlir::Value maskedLoad(mlir::VectorType type, mlir::Value address, mlir::Value mask,
                         mlir::Value other, unsigned alignment);
  /// Whether the target loads this element by x86's instruction with a mask of sign bits.
  bool hasSignMaskedLoads(mlir::Type element) const;
  /// That instruction: 128 or 256 bits, zero where the sign is not set.
  mlir::Value loadRegister(mlir::VectorType type, mlir::Value address, mlir::Value signs);
  /// The address of a uniform pointer chunk.
  mlir::Value scalarAddress(const Chunk &ptr);
  mlir::Value addressVector(const Chunk &ptr, int64_t width);
  mlir::Value decodeStorage(mlir::Value stored, mlir::Type element);
  mlir::Value encodeStorage(mlir::Value value, mlir::Type element);
  bool isUnitStride(const Chunk &ptr, mlir::Type pointee);

  //===--------------------------------------------------------------------===//
  // Histogram.cpp: elements that are counted
  //===--------------------------------------------------------------------===//
  void emitCount(tt::HistogramOp op, const Index &index);

  //===--------------------------------------------------------------------===//
  // Streaming.cpp
  //===--------------------------------------------------------------------===//
  bool isStreaming = false; ///< what is being emitted may stream its stores
  /// Writes `value`, of elements of so many bytes, past the cache if it is aligned.
  void storePastCache(mlir::Value address, mlir::Value value, unsigned bytes);
  void emitStreamFence();

  //===--------------------------------------------------------------------===//
  // NextRows.cpp
  //===--------------------------------------------------------------------===//
  llvm::SmallVector<mlir::Value> nextRowAddresses; ///< of the phase being emitted
  mlir::Value addressOf(const NextRow &row);
  void findNextRows(const Step &step);
  void fetchNextRows(const Step &step, const Index &index);

  //===--------------------------------------------------------------------===//
  // Guard.cpp: conditions under which a version of a phase runs
  //===--------------------------------------------------------------------===//
  /// The values of the terms.
  llvm::SmallVector<mlir::Value> emitScalarCode(const ScalarCode &code);
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value x, mlir::Value y);
  /// Remainders that are their dividend less this (i64), in the version being emitted.
  llvm::DenseMap<mlir::Operation *, mlir::Value> straightRemainders;
  bool hasStraightVersion = false; ///< beside the version being emitted

  //===--------------------------------------------------------------------===//
  // Phase.cpp, Reduce.cpp, Scan.cpp: loop nests
  //===--------------------------------------------------------------------===//
  struct Accumulators {
    tt::Combining op;
    /// One vector (or scalar) an operand; a scalar each where the lanes are combined in order.
    llvm::SmallVector<mlir::Value> values;
    bool started = false; ///< values hold at least one element
    /// Along the lanes, what stands in front of a chunk goes into it: scans, and calls.
    bool isInOrder() const { return mlir::isa<tt::ScanOp>(op) || isCombinedByCalls(op); }
  };
  struct PhaseState {
    const Step &step;
    const Loops &loops;
    std::vector<Accumulators> accumulators;
  };
  void emitPhase(const Step &step);
  void emitLoops(const Step &step);
  void emitVersion(const Step &step, const Loops &loops);
  void emitLevel(PhaseState &state, unsigned level, Index index);
  bool emitStreamedRow(PhaseState &state, unsigned level, const Index &index);
  void emitLanesLevel(PhaseState &state, unsigned level, Index index);
  void emitReduceLevel(PhaseState &state, unsigned level, Index index);
  void emitFullChunks(PhaseState &state, const Index &index, int64_t full, int64_t step,
                      bool alongLanes, int64_t width, llvm::function_ref<void(mlir::Value)> chunk);
  void emitBody(PhaseState &state, const Index &index);
  void hoistOperands(PhaseState &state, const Index &index);
  void emitTransposed(const Step &step);
  /// Of two matrices with rows of `toStride` elements in the second one. The function takes the
  /// bytes between rows of the first one if they are not known here.
  mlir::func::FuncOp transposeFunction(mlir::Type element, int64_t rows, int64_t columns,
                                       std::optional<int64_t> fromStride, int64_t toStride);
  /// A constant string in the module, as a pointer.
  mlir::Value stringConstant(llvm::StringRef text);
  void emitPrint(const Step &step, tt::PrintOp op);
  void emitAssert(const Step &step, tt::AssertOp op, const Index &index);

  void accumulate(Accumulators &acc, const Index &index);
  mlir::TypedAttr neutralElement(tt::Combining op);
  llvm::SmallVector<mlir::Value> combine(tt::Combining op, mlir::ValueRange a, mlir::ValueRange b_,
                                         int64_t width);
  mlir::Value extremeOfRegisters(tt::Combining op, mlir::Value x, mlir::Value y, int64_t width);
  void combineByCalls(Accumulators &acc, mlir::ValueRange values, const Index &index);
  llvm::SmallVector<mlir::Value> callCombiner(tt::Combining op, mlir::ValueRange x,
                                              mlir::ValueRange y);
  /// The elements of `vectors` at `lane` (i64).
  llvm::SmallVector<mlir::Value> laneOf(mlir::ValueRange vectors, mlir::Value lane);
  llvm::SmallVector<mlir::Value> callAlongLanes(Accumulators &acc, mlir::ValueRange values,
                                                int64_t valid);
  void scan(Accumulators &acc, mlir::ValueRange values, const Index &index);
  llvm::SmallVector<mlir::Value> scanLanes(tt::ScanOp op, mlir::ValueRange values, int64_t width,
                                           int64_t valid);
  llvm::SmallVector<mlir::Value> horizontal(tt::Combining op, mlir::ValueRange values,
                                            int64_t width, int64_t valid);
  void storeReduction(tt::Combining op, mlir::ValueRange values, const Index &index, int64_t axis);
  void remember(mlir::Value scan, const Chunk &chunk, const Index &index);
  void storeCombined(tt::Combining op, mlir::ValueRange values, const Index &index);

  //===--------------------------------------------------------------------===//
  // ControlFlow.cpp, Dot.cpp
  //===--------------------------------------------------------------------===//
  void emitFor(const Step &step, mlir::scf::ForOp op);
  /// The loop over a range of rounds: what its scalars are in the end.
  struct Rounds {
    mlir::Value lower, upper, step;
  };
  llvm::SmallVector<mlir::Value> emitRounds(const Step &planned, mlir::scf::ForOp op, Rounds range,
                                            mlir::ValueRange inits, bool polls);
  /// The scalars of a round, of which nothing else is known yet.
  void enterRound(mlir::scf::ForOp op, mlir::Value index, mlir::ValueRange carried);
  llvm::SmallVector<mlir::Value> yieldedScalars(mlir::scf::ForOp op);
  void emitIf(const Step &step, mlir::scf::IfOp op);
  void emitWhile(const Step &step, mlir::scf::WhileOp op);
  /// Emits `steps` into a block, then its end.
  void emitRegionBody(const StepList &steps, mlir::Block *target,
                      llvm::function_ref<void()> terminator);
  void copyBuffer(const Buffer &from, const Buffer &to);
  void emitDotStep(const Step &step, tt::DotOp op);
  mlir::func::FuncOp dotFunction(const DotPlan &dot, int64_t m, int64_t n, int64_t k,
                                 llvm::ArrayRef<UpcomingTile> upcoming,
                                 const RoundsPlan *rounds = nullptr);
  /// A matrix that a product reads where it is: !llvm.ptr, and bytes between rows (i64).
  struct DirectRead {
    mlir::Value base, rowStride;
  };
  llvm::DenseMap<mlir::Value, DirectRead> directReads;
  DirectRead placeOf(mlir::Value pointers, int64_t rowsDim);
  void emitDirectRead(const Step &step);
  void emitRounding(const Buffer &buffer, mlir::Type element);

  //===--------------------------------------------------------------------===//
  // Rounds.cpp
  //===--------------------------------------------------------------------===//
  void remarkRounds(const Step &planned, mlir::scf::ForOp op);
  llvm::SmallVector<mlir::Value> emitRoundsAtOnce(const Step &planned, mlir::scf::ForOp op,
                                                  Rounds range, mlir::ValueRange inits);
  mlir::SmallVector<mlir::Value> findWhole(const Step &planned, mlir::scf::ForOp op, Rounds range,
                                           mlir::ValueRange carried);
  /// `isLast`: no chunk of rounds follows this one.
  /// Where there is an epilogue, whether that is done (i1), else null.
  mlir::Value emitProductOfRounds(const RoundsPlan &rounds, mlir::Value number, mlir::Value isLast,
                                  DirectRead a, DirectRead from);
  DirectRead leftOperand(const RoundsPlan &rounds, DirectRead a);
  mlir::Value isReadSlowly(DirectRead a);
  PackedMatrix rowsOfBlock(const RoundsPlan &rounds, PackedMatrix a, mlir::Value isCopied,
                           mlir::Value copy, mlir::Value row, int64_t count);
  mlir::func::FuncOp fewRowsFunction(const RoundsPlan &rounds);
  /// Where a b is packed; if packed ones are kept, the words that tell which it is; for parts, the
  /// word that is zero if its numbers are such sums.
  struct Slot {
    mlir::Value packed, key, verdict;
  };
  Slot slotOf(const DotPlan &dot, mlir::Value number);
  Slot slotOf(const RoundsPlan &rounds, mlir::Value number);
  void countStrangers(const DotPlan &dot, mlir::Value number, mlir::Value isOther);
  mlir::Value packIntoSlot(const DotPlan &dot, mlir::Type element, const Slot &slot,
                           DirectRead from, int64_t n, int64_t k);
  llvm::SmallVector<UpcomingTile> tilesOfNextRounds(const RoundsPlan &rounds, DirectRead a,
                                                    DirectRead from, mlir::Value isPacked);
  UpcomingTile rowsOfNextRounds(const RoundsPlan &rounds, mlir::Value number, mlir::Value isLast,
                                DirectRead a);
  llvm::SmallVector<UpcomingTile> upcomingOfTiles(const RoundsPlan &rounds, mlir::Value number,
                                                  mlir::Value isLast, DirectRead a);
  void clearBuffer(const Buffer &buffer);
  void forgetPacked();

  //===--------------------------------------------------------------------===//
  // Epilogue.cpp
  //===--------------------------------------------------------------------===//
  /// What a product of rounds by AMX reads, and adds to. `behind`: RowsForTiles, and how far these
  /// rows are apart in memory; `panelsBehind`: the same; `copy`: where rows of a are copied to if
  /// `isCopied` (i64) says so, null if never.
  struct TilesOfRounds {
    PackedMatrix a, b, sums;
    mlir::Value behind, behindStride, panelsBehind, copy, isCopied;
  };
  void takeUpcoming(const RoundsPlan &rounds, llvm::ArrayRef<UpcomingTile> upcoming,
                    TilesOfRounds &tiles);
  void emitTilesOfRounds(const RoundsPlan &rounds, const TilesOfRounds &tiles,
                         const BlocksOfSums &blocks = {});
  mlir::Value emitProductAndEpilogue(const RoundsPlan &rounds, mlir::Value isLast,
                                     const TilesOfRounds &tiles,
                                     llvm::function_ref<void()> productAlone);
  void emitPrologueAndProduct(const Step &step, mlir::Value packed,
                              llvm::function_ref<void()> productAlone);
  void emitStepsOfBlock(const StepList &steps, mlir::Value row, mlir::Value column);
  void emitEpilogueOfBlock(const EpiloguePlan &epilogue, mlir::Value row, mlir::Value column);
  void emitWholeEpilogue(const EpiloguePlan &epilogue, mlir::Value isDone);
  /// Where the last product stores its sums, and the others; whether that is the last one, and has
  /// stored them (i1).
  std::pair<DirectRead, mlir::Value> resultOfProduct(const RoundsPlan &rounds, mlir::Value isLast);
  /// The part of a tile that a phase is emitted for: where it begins. Empty: the tile is whole.
  llvm::SmallVector<mlir::Value, 2> origin;
  const Buffer *partBuffer = nullptr; ///< has that part of a tile only
  mlir::Value fromOrigin(int64_t dim, mlir::Value place) {
    return origin.empty() ? place : add(origin[dim], place);
  }

  //===--------------------------------------------------------------------===//
  // Parts.cpp
  //===--------------------------------------------------------------------===//
  std::array<mlir::Value, 2> splitNumbers(mlir::Value x, mlir::Type from);
  llvm::SmallVector<mlir::Value> seenNothing(mlir::Type from, int64_t lanes);
  void seeNumbers(mlir::Value at, mlir::Type from, llvm::SmallVectorImpl<mlir::Value> &seen);
  void judge(mlir::ValueRange seen, mlir::Type from, mlir::Value verdict);
  mlir::func::FuncOp splitRowsFunction(mlir::Type from, int64_t rows, int64_t k, int64_t toStride);
  mlir::func::FuncOp splitGroupsFunction(const DotPlan &dot, mlir::Type from, int64_t n, int64_t k);
  void packParts(const DotPlan &dot, mlir::Type from, DirectRead matrix, mlir::Value packed,
                 int64_t n, int64_t k, mlir::Value verdict);
  mlir::Value splitOperands(const RoundsPlan &rounds, mlir::Value number, DirectRead a,
                            DirectRead from, mlir::Value isWhole);

  //===--------------------------------------------------------------------===//
  // Packing.cpp
  //===--------------------------------------------------------------------===//
  static constexpr int64_t kAllLanes = std::numeric_limits<int64_t>::max();
  void emitPacking(const DotPlan::Operand &operand, bool isUnsigned);
  mlir::Value emitGrouping(tt::DotOp op, const DotPlan &dot);
  void packMatrix(const DotPlan &dot, mlir::Type from, DirectRead matrix, mlir::Value packed,
                  int64_t n, int64_t k);
  mlir::Value columnOfPacked(const DotPlan &dot, mlir::Value packed, mlir::Value column);
  mlir::func::FuncOp rowsFunction(const DotPlan &dot, mlir::Type from, int64_t rows, int64_t k);
  mlir::func::FuncOp groupingFunction(const DotPlan &dot, mlir::Type from, int64_t n, int64_t k);
  mlir::func::FuncOp startFunction(const DotPlan &dot, int64_t n, int64_t k);
  llvm::SmallVector<mlir::Value> readGroup(const DotPlan &dot, mlir::Type from, mlir::Type to,
                                           mlir::Value at, mlir::Value rowStride, int64_t valid,
                                           int64_t columns = kAllLanes);
  mlir::Value loadConverted(mlir::Value at, mlir::Type from, mlir::Type to, int64_t lanes,
                            bool isUnsigned, int64_t valid = kAllLanes);
  mlir::Value extendedTo(mlir::Type to, mlir::Value value, bool isUnsigned);

  //===--------------------------------------------------------------------===//
  // Interrupt.cpp
  //===--------------------------------------------------------------------===//
  mlir::Value attention; ///< the address of the word that polls read
  void emitAttention();
  void emitPoll();
  static constexpr int64_t kRoundsBetweenPolls = 64; ///< of what isBrief
  /// Whether `loop` is known to have few rounds, and no loop in them.
  static bool isShort(mlir::scf::ForOp loop);
  /// Whether a poll would be felt in a loop around `body`: it is over in a microsecond or so.
  static bool isBrief(mlir::Block &body);
  /// The loop at `where`, which waits, has gone round so often (i32).
  void emitWait(mlir::Location where, mlir::Value rounds);

  //===--------------------------------------------------------------------===//
  // Ahead.cpp
  //===--------------------------------------------------------------------===//
  mlir::Value scalarNow(mlir::Value value, mlir::scf::ForOp loopOp);
  mlir::Value scalarNext(mlir::Value value, mlir::scf::ForOp loopOp);
  UpcomingTile nextTile(const Upcoming &upcoming, mlir::scf::ForOp loopOp);
};

} // namespace tritium::cpu

#endif // TRITIUM_LIB_CONVERSION_TILETOCPU_LOWERING_H
