//===- Lowering.h - one kernel to LLVM --------------------------*- C++ -*-===//
//
// The code of one thread. A tile is the list of the registers that a thread holds of it,
// in the order of its TileLayout; a scalar is a list of one. Control flow becomes branches
// on the way, with one block argument a register.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_LOWERING_H
#define TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_LOWERING_H

#include "Emitter.h"

#include "tritium/Analysis/AccessWidth.h"
#include "tritium/Analysis/SkippedRegisters.h"
#include "tritium/Conversion/TileGPUToLLVM/TileGPUToLLVM.h"
#include "tritium/Dialect/TileGPU/IR/TileGPU.h"
#include "tritium/Layout/TileConversion.h"

#include "mlir/IR/IRMapping.h"

#include <deque>
#include <functional>
#include <map>

namespace tritium {
struct MatrixLoad;
namespace cpu {
class VectorMath;
}
} // namespace tritium

namespace tritium::ttg {

using Registers = llvm::SmallVector<mlir::Value, 8>;
/// Of a reduction, one for each operand, by the place of the result.
using Partials = std::map<Coordinates, Registers>;

/// The register of a lane that holds each place; of copies the first.
std::map<Coordinates, unsigned> byPlace(const TileLayout &layout);

/// The registers of `tile` that hold a panel, in the order of the panel's own.
llvm::SmallVector<unsigned> registersOfPanel(const TileLayout &tile, const TileLayout &panel,
                                             const Coordinates &start);

/// What bits of `index` contribute to dimension `dim`, as i32; null if nothing.
mlir::Value partOf(Emitter &e, mlir::Value index, const LinearLayout &core, llvm::StringRef name,
                   unsigned dim);

class Lowering : public Emitter {
public:
  Lowering(mlir::ModuleOp module, tt::FuncOp kernel, const GPULoweringOptions &options);

  mlir::LogicalResult run(GPULaunchInfo &info);

  /// What `index` contributes to a flat offset; null if nothing.
  Value offsetPart(const LinearLayout &map, Value index, llvm::StringRef name);

private:
  //===--- values and layouts (Lowering.cpp) ---===//

  Type lowered(Type scalar);
  const Registers &get(Value value) { return values.find(value)->second; }
  Value scalar(Value value) { return get(value).front(); }
  void set(Value value, Registers registers) { values[value] = std::move(registers); }
  const TileLayout &layout(Value tile);

  /// Where register 0 of this thread lies, one i32 a dimension.
  const llvm::SmallVector<Value, 4> &threadCoordinates(Value tile);
  llvm::SmallVector<Value, 4> coordinatesOfThread(const TileLayout &layout);
  /// The coordinate of a register along a dimension.
  Value coordinate(const TileLayout &layout, llvm::ArrayRef<Value> thread, unsigned reg,
                   unsigned dim);
  /// Of the threads that hold a copy of the same elements this is the first. Null if all
  /// are.
  Value isFirstCopy(const TileLayout &layout);
  /// The register is no padding; null if it never is.
  Value isInside(const TileLayout &layout, llvm::ArrayRef<Value> thread, unsigned reg);

  mlir::LogicalResult checkTileSizes();
  mlir::LogicalResult unsupported(mlir::Operation *op, const llvm::Twine &what);

  //===--- dispatch and control flow ---===//

  mlir::LogicalResult lowerBlock(mlir::Block &block);
  /// `emit` for the midst of another operation: what it emits stands at the source line of the
  /// one that is lowered now.
  template <typename F> auto atThisLine(F emit) {
    return [this, line = loc, emit = std::move(emit)](auto &&...arguments) {
      mlir::Location other = std::exchange(loc, line);
      emit(arguments...);
      loc = other;
    };
  }
  mlir::LogicalResult lower(mlir::Operation *op);
  mlir::LogicalResult lowerFor(mlir::scf::ForOp loop);
  mlir::LogicalResult lowerWhile(mlir::scf::WhileOp loop);
  mlir::LogicalResult lowerIf(mlir::scf::IfOp branch);
  /// Registers of all values, one after the other.
  Registers flatten(mlir::ValueRange values);
  /// A block behind the current one with an argument for everything that flatten(values) is,
  /// which become the registers of `names`. More goes to its end.
  mlir::Block *blockFor(mlir::ValueRange values, mlir::ValueRange names);
  mlir::Block *newBlock();
  /// `values`, or where the condition holds for a lane what `emit` makes of them.
  llvm::SmallVector<Value> branchAround(Value condition, llvm::ArrayRef<Value> values,
                                        llvm::function_ref<llvm::SmallVector<Value>()> emit);

  //===--- what a mask rules out (SkipMasked.cpp) ---===//

  /// What takes the element-wise results of a body, part by part.
  struct Joiner {
    /// Takes these registers.
    std::function<mlir::LogicalResult(llvm::ArrayRef<unsigned>)> take;
    /// Does without this part; may be empty.
    std::function<mlir::LogicalResult(const MaskedPart &)> leaveOut;
    /// What either changes, if anything.
    Partials *partials = nullptr;
    /// After all parts; may be empty.
    std::function<mlir::LogicalResult()> finish;
  };
  mlir::LogicalResult lowerSkipMasked(SkipMaskedOp op);
  mlir::LogicalResult emitPart(SkipMaskedOp op, const MaskedPart &part, Value condition,
                               llvm::ArrayRef<mlir::Operation *> ops, const Joiner &joiner);
  /// For each part, whether some lane of the warp has an element of it inside of the mask.
  llvm::SmallVector<Value> partsInside(SkipMaskedOp op, llvm::ArrayRef<MaskedPart> parts);
  /// The value of a row where nothing is inside.
  Value fillOf(Value tile, SkipMaskedOp op, llvm::ArrayRef<unsigned> row,
               llvm::DenseMap<Value, Value> &known);

  //===--- element-wise (Elementwise.cpp, Math.cpp) ---===//

  mlir::LogicalResult lowerElementwise(mlir::Operation *op);
  mlir::LogicalResult lowerMove(tt::AddPtrOp op);
  /// What all registers of an element-wise operation share is emitted; its registers are not.
  mlir::LogicalResult prepareElementwise(mlir::Operation *op);
  mlir::LogicalResult emitElementwise(mlir::Operation *op, llvm::ArrayRef<unsigned> registers);
  /// One element. Null, with a diagnostic, if the operation cannot be lowered.
  Value emitScalar(mlir::Operation *op, mlir::ValueRange operands);
  Value emitCast(mlir::Operation *op, Value x);
  bool canCastPairs(mlir::Operation *op);
  std::pair<Value, Value> emitCastPair(mlir::Type to, Value low, Value high);
  Value emitIntDivision(mlir::Operation *op, Value x, Value y);
  Value emitShift(mlir::Operation *op, Value x, Value y);
  Value emitCompare(mlir::Operation *op, Value x, Value y);
  Value emitFloatDivision(Value x, Value y, bool isExact);
  /// x / y = (x * scale) * inverse, for a divisor of the divisions at hand.
  struct Reciprocal {
    Value scale, inverse;
    Value isScaled; ///< for some lane of the warp, the scale is not 1
  };
  void shareReciprocals(llvm::ArrayRef<Value> divisors, unsigned elements);
  /// Quotients of a divisor that has a shared reciprocal.
  llvm::SmallVector<Value> divideAll(llvm::ArrayRef<Value> dividends, const Reciprocal &by);
  Value emitMath(mlir::Operation *op, mlir::ValueRange operands);
  Value emitMathF32(mlir::Operation *op, llvm::ArrayRef<Value> operands);
  Value lowerBuilt(mlir::ValueRange operands, llvm::function_ref<Value()> emit);
  Value polynomial(Value x, Value (cpu::VectorMath::*function)(Value));
  /// Null if the operation is none of those that polynomials compute.
  Value polynomialF64(mlir::Operation *op, Value x);
  Value emitFloat8(Value x, Type element, bool encodes);
  Value emitRemainder(Value x, Value y);
  Value emitExp(Value x, bool isRough);
  Value emitExp2(Value x);
  Value emitConstant(mlir::Attribute value);
  /// The region of a reduction for two lists of partial results.
  Registers combine(mlir::Region &region, mlir::ValueRange x, mlir::ValueRange y);

  //===--- shapes (Shape.cpp) ---===//

  mlir::LogicalResult lowerRange(tt::MakeRangeOp op);
  mlir::LogicalResult lowerSplat(mlir::Operation *op);
  /// The result takes registers of the operand: `source` tells which element of the operand
  /// an element of the result is.
  mlir::LogicalResult lowerRenaming(mlir::Operation *op,
                                    llvm::function_ref<Coordinates(const Coordinates &)> source);
  mlir::LogicalResult lowerReshape(tt::ReshapeOp op);

  //===--- what the kernel could do better (Remarks.cpp) ---===//

  void remarkOnKernel();
  void remarkOnAccesses();
  void remarkOnThreads();
  void remarkOnDots();
  void remarkOnConversions();

  //===--- memory (Memory.cpp, Atomics.cpp) ---===//

  mlir::LogicalResult lowerLoad(tt::LoadOp op);
  mlir::LogicalResult lowerPrefetch(PrefetchL2Op op);
  mlir::LogicalResult lowerStore(tt::StoreOp op);
  struct StorePlan {
    llvm::SmallVector<llvm::SmallVector<unsigned, 8>> groups;
    MaskRuns bound;
    Value writes; ///< this thread does; null if all do
  };
  StorePlan planStore(tt::StoreOp op);
  void emitStore(tt::StoreOp op, const StorePlan &plan,
                 llvm::ArrayRef<llvm::SmallVector<unsigned, 8>> groups);
  Joiner joinStore(tt::StoreOp op);
  mlir::LogicalResult lowerAtomic(mlir::Operation *op);
  /// What was at the address, which `swap` compares and replaces, before a bf16 was added.
  Value addByCompareAndSwap(Value address, Value term, llvm::StringRef scope, llvm::StringRef swap);
  /// How the elements behind a tile of pointers move: groups of neighbouring registers. The
  /// mask is the same for all of a group, or, if `bound` is given, as that says.
  llvm::SmallVector<llvm::SmallVector<unsigned, 8>> accessGroups(Value ptr, Value mask,
                                                                 MaskRuns *bound = nullptr);
  /// Predicates of a vector. `whole`: it moves as one, null if always. `ragged`: some of its
  /// elements move, null if never.
  struct VectorMask {
    Value whole, ragged;
  };
  VectorMask vectorMask(llvm::ArrayRef<unsigned> group, Value mask, const MaskRuns &bound,
                        Value also, mlir::IRMapping &here);
  Value anyOf(llvm::ArrayRef<Value> conditions);
  /// A copy of x that LLVM does not look through.
  Value hidden(Value x);
  /// The same mask, computed here: where only a branch that is seldom taken wants it, nothing
  /// of it should be kept ready. `here` is what has been copied.
  Value maskHere(Value mask, mlir::IRMapping &here, int depth = 4);
  /// One instruction; `fallback` (empty: zeros) where the predicate does not hold.
  llvm::SmallVector<Value> loadWords(Value address, Value predicate, llvm::ArrayRef<Value> fallback,
                                     unsigned count, unsigned wordBits,
                                     llvm::StringRef instruction);
  void storeWords(Value address, Value predicate, llvm::ArrayRef<Value> words, unsigned wordBits,
                  llvm::StringRef instruction);
  /// Memory format of an element and back.
  Value toMemory(Value x, Type element);
  Value fromMemory(Value bits, Type element);
  /// Elements packed into words of at most 32 bits (or 64), the lowest first.
  llvm::SmallVector<Value> pack(llvm::ArrayRef<Value> elements, unsigned wordBits);
  llvm::SmallVector<Value> unpack(Value word, unsigned elementBits);
  Value isThreadZero();
  Value programIdAlong(unsigned axis);

  //===--- between threads (Reduce.cpp, ConvertLayout.cpp, LocalMemory.cpp) ---===//

  /// Of `op`, a tt.reduce or a ttg.warp_reduce.
  mlir::LogicalResult lowerReduction(mlir::Operation *op);
  mlir::FailureOr<Joiner> joinReduction(mlir::Operation *op);
  mlir::LogicalResult checkReduction(mlir::Operation *op);
  mlir::LogicalResult addToPartial(mlir::Operation *op, Partials &partials, unsigned reg,
                                   llvm::ArrayRef<Value> x, Value inside);
  mlir::LogicalResult reduceRegisters(mlir::Operation *op, Partials &partials,
                                      llvm::ArrayRef<unsigned> registers);
  mlir::LogicalResult reduceFilled(mlir::Operation *op, Partials &partials, const MaskedPart &part);
  /// What lanes have found is combined, and is the result.
  mlir::LogicalResult reduceLanes(mlir::Operation *op, Partials &partials);
  /// By `by`, registers of a panel after another.
  Registers convertPanels(const Panels &panels, const TileLayout &from, const TileLayout &to,
                          llvm::ArrayRef<Value> registers,
                          llvm::function_ref<Registers(llvm::ArrayRef<Value>)> by);
  mlir::LogicalResult lowerConvert(ConvertLayoutOp op);
  Registers shuffleTile(const ShufflePlan &plan, Type element, llvm::ArrayRef<Value> registers);

  /// A tile of registers, or a scalar, to and from memory.
  void storeLocal(Value base, MemDescType memory, Type type, llvm::ArrayRef<Value> registers);
  Registers loadLocal(Value base, LocalLoadOp op);
  /// Through elements one after another, whose addresses are computed from their coordinates.
  /// `visit` gets an address, whether it is one of the tile's, and registers that are neighbours.
  void forEachRun(Value base, MemDescType memory, const TileLayout &layout,
                  llvm::function_ref<void(Value, Value, llvm::ArrayRef<unsigned>)> visit);
  void storeInOrder(Value base, MemDescType memory, const TileLayout &layout,
                    llvm::ArrayRef<Value> registers);
  Registers loadInOrder(Value base, MemDescType memory, const TileLayout &layout);
  /// At linear offsets (in elements) from `base`, `start` bytes further on.
  void storeTile(Value base, const LinearLayout &offsets, const TileLayout &layout, Type element,
                 llvm::ArrayRef<Value> registers);
  Registers loadTile(Value base, const LinearLayout &places, const TileLayout &tile, Type element,
                     uint64_t start = 0);
  /// A tile from shared memory, instruction by instruction.
  struct Fragments {
    std::vector<std::function<void(Registers &)>> loads;
    std::vector<int64_t> firstK; ///< the first k that each is for, ascending

    /// Loads for k below `end`.
    size_t loadsBelow(int64_t end) const { return llvm::lower_bound(firstK, end) - firstK.begin(); }
  };
  /// `places` leads to offsets in elements from `base`, `start` bytes further on; instructions
  /// are in the order of dimension `k`, if one is given.
  Fragments planLoads(Value base, const LinearLayout &places, const TileLayout &tile, Type element,
                      uint64_t start, std::optional<unsigned> k);
  /// What the dot that reads `tile` loads by itself.
  const Fragments *fragmentsOf(Value tile) const {
    auto found = fragments.find(tile.getDefiningOp());
    return found == fragments.end() ? nullptr : &found->second;
  }
  void loadMatrix(Value address, const MatrixLoad &load, unsigned instruction, Type element,
                  Registers &result);
  bool storesMatrices(const TileLayout &layout);
  /// stmatrix, which is to ldmatrix as a store is to a load.
  void storeMatrix(Value predicate, Value address, const MatrixLoad &store, unsigned instruction,
                   Type element, llvm::ArrayRef<Value> registers);
  void loadRun(Value address, llvm::ArrayRef<unsigned> run, Type element, Registers &result);
  void storeSharedWords(Value predicate, Value address, llvm::ArrayRef<Value> words, unsigned bits,
                        bool asWritten);
  mlir::LogicalResult lowerLocal(mlir::Operation *op);
  void lowerLocalLoad(LocalLoadOp op);
  /// `emit` now or, where `op` says so, among the products of the next dot.
  void emitHereOrInDot(mlir::Operation *op, std::function<void()> emit);
  /// Starts the next of the copies that wait for a dot.
  void startCopies(size_t count);
  mlir::Value bytesInside(mlir::Value mask, unsigned dim, llvm::ArrayRef<unsigned> group,
                          unsigned bytes);
  void copyNow(AsyncCopyGlobalToLocalOp op);
  mlir::LogicalResult lowerAsyncCopy(AsyncCopyGlobalToLocalOp op);
  void storeShared(Value predicate, Value address, Value x);

  //===--- dot (Dot.cpp, Mma.cpp), debugging (Debug.cpp) ---===//

  mlir::LogicalResult lowerDot(tt::DotOp op);
  mlir::LogicalResult lowerMma(tt::DotOp op);
  llvm::SmallVector<Value, 4> splitFloat(Value x, bool isTF32, unsigned parts);
  Value stringConstant(llvm::StringRef text);
  void callPrintf(Value predicate, llvm::StringRef format, llvm::ArrayRef<Value> arguments);
  mlir::LogicalResult lowerPrint(tt::PrintOp op);
  mlir::LogicalResult lowerAssert(tt::AssertOp op);

  mlir::ModuleOp module;
  tt::FuncOp kernel;
  GPULoweringOptions options;
  const GPUModel &gpu;
  AxisInfoAnalysis axes;
  llvm::DenseMap<Value, Registers> values;
  llvm::DenseMap<Type, std::unique_ptr<TileLayout>> layouts;
  llvm::DenseMap<Type, llvm::SmallVector<Value, 4>> threadParts; ///< emitted at the entry
  llvm::DenseMap<Type, Value> firstCopies;
  llvm::DenseMap<mlir::Operation *, Fragments> fragments;
  std::deque<std::function<void()>> copies; ///< asynchronous, for the next dots
  std::vector<std::function<void()>> later; ///< loads in the midst of the next dot
  /// By mask, axis, parts, and the block in which they are known.
  std::map<std::tuple<void *, unsigned, const void *, mlir::Block *>, llvm::SmallVector<Value>>
      insides;
  /// Of the divisions at hand, by divisor.
  llvm::DenseMap<Value, Reciprocal> reciprocals;
  std::vector<AssertSite> asserts;
  mlir::Block *entry = nullptr;
  mlir::Operation *entryEnd = nullptr; ///< what depends on the thread only goes before it
  Value thread, lane, warp, sharedBase;
  std::array<Value, 3> programId; ///< emitted at the entry
};

} // namespace tritium::ttg

#endif // TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_LOWERING_H
