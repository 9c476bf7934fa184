//===- LoweringContext.h - what the code of a thread is made with -*- C++ -*-===//
//
// The code of one thread. A tile is the list of the registers that a thread holds of it,
// in the order of its TileLayout; a scalar is a list of one. Control flow becomes branches
// on the way, with one block argument a register.
//
// Each family of operations (Families.h) is lowered by a class that has this context and the state
// that it alone needs. It says in its populate function which operations it lowers: one line each.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_LOWERINGCONTEXT_H
#define TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_LOWERINGCONTEXT_H

#include "Emitter.h"

#include "tritium/Analysis/AccessWidth.h"
#include "tritium/Conversion/TileGPUToLLVM/TileGPUToLLVM.h"
#include "tritium/Dialect/TileGPU/IR/TileGPU.h"
#include "tritium/Layout/TileConversion.h"

#include <functional>
#include <map>

namespace tritium::ttg {

using Registers = llvm::SmallVector<mlir::Value, 8>;

/// The register of a lane that holds each place; of copies the first.
std::map<Coordinates, unsigned> byPlace(const TileLayout &layout);

/// The registers of `tile` that hold a panel, in the order of the panel's own.
llvm::SmallVector<unsigned> registersOfPanel(const TileLayout &tile, const TileLayout &panel,
                                             const Coordinates &start);

/// What bits of `index` contribute to dimension `dim`, as i32; null if nothing.
mlir::Value partOf(Emitter &e, mlir::Value index, const LinearLayout &core, llvm::StringRef name,
                   unsigned dim);

/// How each operation is lowered. ConversionPattern has one value for a value; here a tile is a
/// list.
class LoweringPatterns {
public:
  using Lower = std::function<mlir::LogicalResult(mlir::Operation *)>;

  template <typename... Ops, typename F> void add(F lower) {
    ((ofOperation[mlir::TypeID::get<Ops>()] =
          [lower](mlir::Operation *op) { return lower(mlir::cast<Ops>(op)); }),
     ...);
  }
  /// What has none of its own.
  template <typename Dialect> void addDialect(Lower lower) {
    ofDialect[mlir::TypeID::get<Dialect>()] = std::move(lower);
  }
  /// Null if nobody lowers the operation.
  const Lower *find(mlir::Operation *op) const;

private:
  llvm::DenseMap<mlir::TypeID, Lower> ofOperation, ofDialect;
};

class LoweringContext;
/// Adds all families' patterns. Each copies the context, which knows the thread by then.
using PopulatePatterns = std::function<void(LoweringPatterns &, const LoweringContext &)>;

/// What all families add to as a kernel is lowered.
struct LoweringState {
  explicit LoweringState(mlir::MLIRContext *context)
      : b(context), loc(mlir::UnknownLoc::get(context)) {}

  mlir::OpBuilder b;
  mlir::Location loc;
  LoweringPatterns patterns;
  llvm::DenseMap<mlir::Value, Registers> values;
  llvm::DenseMap<mlir::Type, std::unique_ptr<TileLayout>> layouts;
  /// At the entry of the code of the present thread.
  struct AtEntry {
    llvm::DenseMap<mlir::Type, llvm::SmallVector<mlir::Value, 4>> threadParts;
    std::array<mlir::Value, 3> programId;
    mlir::Value warpOfAllLanes;
  } atEntry;
};

/// The number of a barrier that there is none of: a group of one warp needs none.
inline constexpr int32_t kNoBarrier = 16;

/// A thread of the enclosing group, or of the program, as its code knows it.
struct ThreadOfGroup {
  mlir::Block *entry = nullptr;        ///< of the kernel
  mlir::Operation *entryEnd = nullptr; ///< what depends on the thread only goes before it
  mlir::Value thread, lane, warp;      ///< the first of the group are 0
  mlir::Value sharedBase;
  int32_t warps = 0;         ///< of the group
  int32_t barrierNumber = 0; ///< of the group's barrier; of the program's 0
  /// Of a CTA with several programs at a time: which of them this is, and how many they are.
  mlir::Value place;
  int32_t programsPerCTA = 1;
  /// Of a kernel that loops over programs: the extents of their grid.
  llvm::SmallVector<mlir::Value, 3> grid;
  mlir::Value counter; ///< of a kernel with kProgramCounter: which one, or kNoProgramCounter
  /// Parameters of the entry behind its tensor maps.
  size_t parametersOfGrid() const { return grid.size() + (counter ? 1 : 0); }
  std::array<bool, 3> countsDown{}; ///< along a dimension, the last program is on the first CTA
  uint32_t longestOf = 0;           ///< kLongestOf, or 0
};

class LoweringContext : public Emitter, public ThreadOfGroup {
public:
  LoweringContext(LoweringState &state, mlir::ModuleOp module, const GPULoweringOptions &options,
                  const AxisInfoAnalysis &axes)
      : Emitter(state.b, state.loc), module(module), options(options), gpu(gpuModel(module)),
        axes(axes), values(state.values), state(state) {}

  //===--- values and layouts ---===//

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
  Value isThreadZero() { return equals(thread, 0); }
  /// The number of the warp, the same in all lanes as the assembler sees then.
  Value warpOfAllLanes();
  /// All threads of the group meet.
  void barrier();
  Value programIdAlong(unsigned axis);
  /// The id of the program with the place `at` in a grid, as CTAs begin: longest first, where the
  /// kernel says so. Along each dimension a place and an extent.
  Value programIdAlong(unsigned axis, llvm::function_ref<Value(unsigned)> at,
                       llvm::function_ref<Value(unsigned)> extent);
  /// Of the grid of CTAs.
  Value gridExtent(unsigned axis);
  /// Of those that loop over programs: CTAs, or the warps of CTAs that have several of them.
  Value numberOfRunner();
  Value numberOfRunners();

  /// Memory format of an element and back.
  Value toMemory(Value x, Type element);
  Value fromMemory(Value bits, Type element);

  //===--- operations ---===//

  /// By the pattern of the operation; fails, with a message, if there is none.
  mlir::LogicalResult lower(mlir::Operation *op);
  mlir::LogicalResult lowerBlock(mlir::Block &block);
  /// The code of other threads, by patterns of their own.
  mlir::LogicalResult lowerAs(const ThreadOfGroup &thread, mlir::Block &block,
                              const PopulatePatterns &populate);
  mlir::LogicalResult unsupported(mlir::Operation *op, const llvm::Twine &what);

  mlir::Block *newBlock();
  /// `values`, or where the condition holds for a lane what `emit` makes of them.
  llvm::SmallVector<Value> branchAround(Value condition, llvm::ArrayRef<Value> values,
                                        llvm::function_ref<llvm::SmallVector<Value>()> emit);

  mlir::ModuleOp module;
  const GPULoweringOptions &options;
  const GPUModel &gpu;
  const AxisInfoAnalysis &axes;
  llvm::DenseMap<Value, Registers> &values;

private:
  /// The program's ids along the first two dimensions, of a kernel with kLongestOf.
  std::array<Value, 2> numberFromLongest(Value column, Value row, Value columns, Value rows);
  Value blockId(unsigned axis);

  LoweringState &state;
};

} // namespace tritium::ttg

#endif // TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_LOWERINGCONTEXT_H
