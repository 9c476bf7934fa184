//===- Plan.h - what a kernel becomes on a CPU ------------------*- C++ -*-===//
//
// A block is lowered to a sequence of steps in program order. Element-wise tile
// operations, loads and shape operations are no steps: they are evaluated, chunk by
// chunk, inside the steps that need them. A value that several steps need, or that
// memory order forbids to evaluate late, is assigned to a scratch buffer by the first.
//
// The plan of a kernel is made as a whole, before any code: steps, buffers, loops and their
// widths, versions, what is packed, streamed, fetched ahead. Emitters follow it and decide
// nothing of this. `tritium compile --emit plan` prints it.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_CONVERSION_TILETOCPU_PLAN_H
#define TRITIUM_LIB_CONVERSION_TILETOCPU_PLAN_H

#include "tritium/Analysis/TileConditions.h"
#include "tritium/Conversion/TileToCPU/MicroKernel.h"
#include "tritium/Kernel/CompileOptions.h"
#include "tritium/Kernel/KernelMetadata.h"
#include "tritium/Target/CPU/TargetInfo.h"

#include <deque>
#include <list>

namespace tritium::cpu {

constexpr int64_t kCacheLine = 64; ///< bytes

/// A tile in scratch memory: row-major, the last dimension padded to whole registers.
struct Buffer {
  unsigned number = 0;
  int64_t offset = 0; ///< bytes from the start of the scratch memory
  int64_t bytes = 0;
  /// As evaluated: f32 for narrow floats, i64 for pointers; or bf16, whose elements are rounded
  /// already, for products that take it.
  mlir::Type element;
  llvm::SmallVector<int64_t> shape;
  int64_t rowStride = 1; ///< elements between rows
};

/// One thing that a phase does for every element of its iteration space.
struct Root {
  enum Kind { Store, Atomic, Count, Reduce, Scan, Assign, Print, Assert };
  Kind kind;
  mlir::Operation *op = nullptr; ///< null for Assign
  mlir::Value value;             ///< Assign: what is written to `buffer`
  Buffer *buffer = nullptr;      ///< Assign: where to
  bool isHome =
      false; ///< Assign: here the value is computed; who reads it elsewhere reads `buffer`
  bool roundsForProducts = false; ///< Assign: rounds to bf16, in which only products read it
  bool fetchesLaterRows = false;  ///< Store: the lines of later rows are asked for
  bool isReadLater = true;        ///< Scan: steps behind this one read its results, from buffers

  /// What it does in the block; null for what a region carries.
  mlir::Operation *place() const { return op || !isHome ? op : value.getDefiningOp(); }
};

/// The loops of a phase. Where there are two versions of them, the first one is for where the
/// phase's guard holds.
struct Loops {
  int64_t width = 1;                         ///< lanes of a full chunk
  mlir::Operation *streamed = nullptr;       ///< the store whose lines go past the cache
  llvm::SmallVector<mlir::Value> wholeMasks; ///< true everywhere
  /// True for the first so many elements of the row that the phase is: the chunks that lie there
  /// have a loop of their own, without these masks.
  llvm::SmallVector<mlir::Value> leadingMasks;
  bool endsWithMasks = false; ///< behind these elements there is nothing to do
  /// Remainders that are their dividend less this term of the guard.
  llvm::SmallVector<std::pair<mlir::Operation *, unsigned>> straight;
};

/// A scalar condition, as code.
struct Guard {
  ScalarCode code;
  unsigned holds = 0; ///< the term
};

/// A tile in memory that a product's operand will be loaded from in the next round of the loop
/// around it. It asks for the tile while it computes.
struct Upcoming {
  tt::LoadOp load;
  int64_t along; ///< dimension that is contiguous in memory
  int64_t rows, rowBytes;
  llvm::SmallVector<mlir::Value> moving; ///< scalars that the address needs the next values of
};

/// A row that the next program along x will load, or that this one will store.
struct NextRow {
  mlir::Operation *access; ///< a tt.load or a tt.store
  /// The operations on scalars, in their order, that make its address another one; of a store all
  /// that its address is computed by.
  llvm::SmallVector<mlir::Operation *> moving;
  bool isStored() const { return mlir::isa<tt::StoreOp>(access); }
  mlir::Value pointers() const { return access->getOperand(0); }
};

constexpr int64_t kMostKeptBytes = 1 << 20; ///< of packed operands: half of a second-level cache
/// The same of parts, which take longer to make again than to fetch from further away.
constexpr int64_t kMostKeptPartBytes = 2 << 20;

/// A matrix product: of operands in scratch memory, into an accumulator there.
struct DotPlan {
  struct Operand {
    Buffer *stored; ///< of b in parts that is turned over: where those of a panel stand before
    /// Of the type that the product reads, b with rows of whole registers; perhaps `stored`. Its b
    /// has a row for each group of k (MicroKernel.h).
    Buffer *packed;
    /// What is read is where it lies in memory, if the phase that would assign `stored` says so: by
    /// the product its first operand, by packing its second one.
    bool readsMemory = false;
    bool isTurned = false; ///< b: the last two dimensions of `stored` are swapped
  };
  DotForm form;
  int64_t panelRows = 0; ///< of packed b, if it stands in panels (PackedMatrix)
  bool isUnsigned;       ///< the bytes that are multiplied
  bool onTiles;          ///< by AMX, if the process may use it
  Operand a, b;
  Buffer *accumulator;
  bool fromZero; ///< the accumulator holds nothing yet
  /// So many b, packed, are kept for the next programs, each with two words that tell which it is,
  /// and for parts a verdict; 0: none.
  int64_t kept = 0;
  Buffer *keys = nullptr;
  /// If set: how many programs in a row have not found the first of them.
  Buffer *strangers = nullptr;
  bool sharesKept = false; ///< with a loop from zero on: a round is known by the loop's index
  llvm::SmallVector<Upcoming, 2> upcoming;
  /// In lanes of the sums.
  int64_t rowOfPackedB() const {
    return b.packed->rowStride * tt::scalarBytes(b.packed->element) /
           tt::scalarBytes(accumulator->element);
  }
};

struct Step;

/// What stands behind the loop of a RoundsPlan: a phase that only stores, and all that needs the
/// loop's sums, each at their own place.
struct EpiloguePlan {
  mlir::Value sums;          ///< what the loop gives
  Buffer *ofBlock = nullptr; ///< by AMX: where a block of the last product's sums stands
  std::list<Step> block; ///< by AMX: the phase over one block, done as soon as that stands there
  /// Not by AMX: the phase does nothing but this, and the last product stores its sums there.
  tt::StoreOp store = {};
  std::optional<Guard> holds; ///< where the mask of `store` is true everywhere
  std::list<Step> whole;      ///< the phase, for where the last product has not done it
};

/// Rounds of a loop that does nothing but one product, multiplied at once: tiles that follow each
/// other in memory are one. Whether all rounds' tiles do and lie inside of their masks, the loop
/// computes in front of them; where not, and for the last rounds, it goes by its own steps.
struct RoundsPlan {
  struct Operand {
    tt::LoadOp load;
    bool alongK;                ///< contiguous in memory along k, else along its other dimension
    std::optional<Guard> whole; ///< in a round: where the mask is true everywhere
    int64_t rowsDim() const { return 1 - along; }
    int64_t along; ///< the contiguous dimension of the loaded tile
  };
  /// Where the product reads a: in memory, or in dot.a.packed, where it is copied to, block by
  /// block of rows if need be.
  enum Stands { InPlace, InPlaceIfFast, Copied };
  tt::DotOp op;
  Operand a, b;
  DotPlan dot;                 ///< b is packed in panels, as a rule
  int64_t count = 0;           ///< rounds at once
  int64_t m = 0, n = 0, k = 0; ///< of all of them
  Stands aStands = InPlace;
  bool fromZero = false;    ///< the loop begins with zeros, which are not stored for the first ones
  bool asksForRows = false; ///< of a, in memory, for AMX, while it multiplies
  bool asksForPanels = false; ///< the same of b that stand packed, of the next rounds
  bool bInPlace = false;      ///< nor is b packed, which few rows would not make up for
  int64_t rowsAtOnce = 0;     ///< of a b in place, that are multiplied at once
  /// Of a and of a b that is not kept, for parts: zero if all numbers are sums of two bf16.
  Buffer *verdicts = nullptr;
  std::optional<EpiloguePlan> epilogue;
};

struct Step {
  enum Kind {
    Scalar, ///< one operation on scalars
    Phase,  ///< one loop nest over `shape`, vectorised along `lanesDim`
    Region, ///< scf.for, scf.if, scf.while
    Dot,
  };
  explicit Step(Kind kind, mlir::Operation *op = nullptr) : kind(kind), op(op) {}

  /// Phase: the whole tile lies along the lanes.
  bool isRow() const {
    return llvm::all_of(llvm::enumerate(shape), [&](auto dim) {
      return dim.value() == 1 || int64_t(dim.index()) == lanesDim;
    });
  }

  Kind kind;
  mlir::Operation *op; ///< Scalar, Region, Dot
  int64_t order = 0;   ///< position in the sequence
  /// Region: phases that assign what goes into it. Dot: the one that assigns its accumulator.
  /// Phase: of a print, those that assign its arguments; of a transposition, the copy.
  std::list<Step> before;
  llvm::SmallVector<Buffer *> scratch; ///< what a print or assertion reports by

  // Phase
  llvm::SmallVector<int64_t> shape;
  int64_t lanesDim = 0;
  int64_t reduceDim = -1;               ///< of reductions and scans along one that is not lanesDim
  bool backward = false;                ///< of scans: along the axis from the end
  bool transposed = false;              ///< one Assign: read along lanesDim, written along the last
  bool writesSwapped = false;           ///< the last two dimensions of the buffer are swapped
  llvm::SmallVector<Root, 2> roots;     ///< in the order in which they are evaluated
  llvm::SmallVector<int64_t> loopOrder; ///< dimensions, outermost first
  bool isPlain = false; ///< few operations, whose results do not depend on the lanes' number
  std::optional<Guard> guard;
  llvm::SmallVector<Loops, 2> versions;
  llvm::SmallVector<NextRow, 1> nextRows; ///< asked for where the loops are
  /// One Assign of a load, perhaps turned over, that only a product reads, with no write in
  /// between: the product reads memory itself, where the guard, if there is one, holds.
  std::optional<Guard> whole;
  bool isReadDirectly = false;

  // Region
  std::vector<std::list<Step>> blocks;                     ///< one a region
  llvm::SmallVector<std::pair<Buffer *, Buffer *>> copies; ///< at the end of a round: from, to
  std::optional<RoundsPlan> rounds;
  /// The load that keeps a loop of one product from `rounds`, and why.
  std::pair<mlir::Operation *, const char *> apart = {};

  // Dot
  std::optional<DotPlan> dot;
  /// By AMX: what `before` does, over one block of sums, in front of the block's products.
  std::list<Step> beforeBlock;
};

using StepList = std::list<Step>;

struct KernelPlan {
  std::deque<Buffer> buffers;
  llvm::DenseMap<mlir::Value, Buffer *> homes; ///< of the values that are in scratch memory
  int64_t scratchBytes = 0;
  StepList steps;
  /// Of the functions of elements, and of those that combine elements and branch or loop, what is
  /// done for one call.
  llvm::DenseMap<mlir::Operation *, StepList> functions;
  llvm::DenseSet<mlir::Operation *> streamedStores;
  bool usesTiles = false;              ///< some product is done by AMX
  llvm::SmallVector<Buffer *> keys;    ///< DotPlan::keys
  int64_t keptBytes = 0;               ///< of packed operands that are kept
  std::vector<uint64_t> streamedBytes; ///< by argument: ParameterInfo::streamedBytes

  bool isStored(mlir::Value value) const { return homes.contains(value); }
  Buffer *home(mlir::Value value) const { return homes.lookup(value); }
  void print(llvm::raw_ostream &os, tt::FuncOp kernel) const;
};

/// What is known of the values of a kernel.
struct KernelFacts {
  IntegerRanges ranges;
  Strides strides{ranges};
  /// Along which dimension a tile is probably contiguous.
  Strides likely{ranges, Strides::Straight};
};

KernelPlan planKernel(tt::FuncOp kernel, const TargetInfo &target, const CompileOptions &options,
                      const KernelMetadata &metadata, KernelFacts &facts);

} // namespace tritium::cpu

#endif // TRITIUM_LIB_CONVERSION_TILETOCPU_PLAN_H
