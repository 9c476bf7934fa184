//===- Remarks.cpp - what keeps a kernel from its speed -------------------===//
//
// Read off the kernel as it is lowered, when all decisions have been made: accesses that
// move less than a lane could, dots without tensor cores, tiles that change their layout in
// a loop, threads with nothing to do, reductions across more warps than a tile needs. One
// remark a place: of several versions of an access the best counts.
//
//===----------------------------------------------------------------------===//

#include "Remarks.h"

#include "tritium/Analysis/AccessWidth.h"
#include "tritium/Analysis/SharedLiveness.h"
#include "tritium/Dialect/TileGPU/IR/Mma.h"
#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"

#include "tritium/Support/EmitRemark.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tritium::ttg {

namespace {
constexpr StringRef kDivisibility = "tt.divisibility";

std::string textOf(Type tile) {
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::interleave(tt::shapeOf(tile), out, "x");
  out << " x ";
  Type element = tt::elementType(tile);
  if (auto pointer = dyn_cast<tt::PointerType>(element))
    element = pointer.getPointeeType();
  if (isa<tt::PointerType>(element))
    out << "pointers";
  else
    out << element;
  return text;
}

Value maskOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<tt::LoadOp, tt::StoreOp, AsyncCopyGlobalToLocalOp>([](auto op) { return op.getMask(); })
      .Default([](Operation *) { return Value(); });
}

bool isAccess(Operation *op) {
  return isa<tt::LoadOp, tt::StoreOp, AsyncCopyGlobalToLocalOp>(op) &&
         tt::isTile(op->getOperand(0).getType());
}

std::string nameOf(tt::FuncOp kernel, unsigned argument) {
  auto name = kernel.getArgAttrOfType<StringAttr>(argument, "tt.name");
  return name ? name.str() : "arg" + std::to_string(argument);
}

std::string decimal(int64_t value) { return std::to_string(value); }

/// Names of arguments, by commas.
std::string namesOf(tt::FuncOp kernel, ArrayRef<unsigned> arguments) {
  std::string list;
  for (unsigned i : arguments)
    list += (list.empty() ? "" : ",") + nameOf(kernel, i);
  return list;
}
} // namespace

//===-- Accesses ----------------------------------------------------------===//

namespace {
/// One place in the text that accesses memory.
struct Place {
  Operation *op = nullptr;
  unsigned width = 0; ///< elements that move together
};

/// Elements that one instruction of a lane could move if all were aligned: neighbours within
/// the lane's part of the tile, 16 bytes at most.
unsigned wantedWidth(const TileLayout &layout, const AxisInfo &info, unsigned bytes) {
  unsigned d = 0;
  for (unsigned i = 1; i < layout.rank(); ++i)
    if (info.contiguity[i] >= info.contiguity[d])
      d = i;
  int64_t inRow = layout.extents()[d] & -layout.extents()[d];
  return std::min<int64_t>({int64_t(llvm::bit_floor(layout.registers())), inRow,
                            std::max<int64_t>(1, kMaxVectorBytes / bytes),
                            std::max<int64_t>(1, layout.contiguous(d))});
}

/// Arguments whose alignment nobody has promised.
SmallVector<unsigned> unknownArguments(tt::FuncOp kernel) {
  SmallVector<unsigned> unknown;
  for (BlockArgument argument : kernel.getArguments()) {
    Type type = argument.getType();
    if ((type.isInteger(32) || type.isInteger(64) || isa<tt::PointerType>(type)) &&
        !kernel.getArgAttr(argument.getArgNumber(), kDivisibility))
      unknown.push_back(argument.getArgNumber());
  }
  return unknown;
}

/// Finds out which promises would widen an access.
class Hypothesis {
public:
  Hypothesis(tt::FuncOp kernel, llvm::function_ref<unsigned(const AxisInfoAnalysis &)> width)
      : kernel(kernel), width(width) {}

  /// The fewest of the arguments that have to be multiples of 16 for the width that all of
  /// them would give, which is `reached`.
  SmallVector<unsigned> minimal(unsigned &reached) {
    SmallVector<unsigned> needed = unknownArguments(kernel);
    reached = widthIf(needed);
    for (unsigned argument : SmallVector<unsigned>(needed)) {
      SmallVector<unsigned> fewer = needed;
      llvm::erase(fewer, argument);
      if (widthIf(fewer) == reached)
        needed = fewer;
    }
    return needed;
  }

private:
  unsigned widthIf(ArrayRef<unsigned> arguments) {
    Hypotheses hypotheses;
    for (unsigned i : arguments)
      hypotheses.multiples[kernel.getArgument(i)] = kMaxVectorBytes;
    // Where that makes an access wider, launches see to it that indices do not wrap.
    kernel.walk([&](Operation *op) {
      if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
        hypotheses.unwrapped.insert(op->getResult(0));
    });
    return width(AxisInfoAnalysis(kernel, hypotheses));
  }

  tt::FuncOp kernel;
  llvm::function_ref<unsigned(const AxisInfoAnalysis &)> width;
};

/// "pass ..." or "say ...", for the arguments that would have to be multiples.
std::string adviceFor(tt::FuncOp kernel, ArrayRef<unsigned> arguments, unsigned elements) {
  std::string pointers, numbers, hint;
  for (unsigned i : arguments) {
    bool isPointer = isa<tt::PointerType>(kernel.getArgument(i).getType());
    std::string &list = isPointer ? pointers : numbers;
    list += (list.empty() ? "'" : ", '") + nameOf(kernel, i) + "'";
    if (!isPointer && hint.empty())
      hint = nameOf(kernel, i) + " = tl.multiple_of(" + nameOf(kernel, i) + ", " +
             decimal(elements) + ")";
  }
  std::string text;
  if (!pointers.empty())
    text = "pass " + pointers + " aligned to 16 bytes";
  if (!numbers.empty())
    text += (text.empty() ? "" : " and ") + ("pass multiples of 16 as " + numbers) + ", or write " +
            hint;
  return text;
}

/// What would let neighbouring elements of `ptr` be neighbours in memory.
std::string adviceOnNeighbours(tt::FuncOp kernel, Value ptr) {
  auto run = [&](const AxisInfoAnalysis &axes) -> unsigned {
    return *llvm::max_element(axes.get(ptr).contiguity);
  };
  unsigned reached;
  SmallVector<unsigned> needed = Hypothesis(kernel, run).minimal(reached);
  return reached > 1 ? adviceFor(kernel, needed, reached)
                     : "if they are, their stride should be a constexpr 1, or "
                       "tl.max_contiguous(offsets, N) say so";
}

class KernelRemarks {
public:
  KernelRemarks(tt::FuncOp kernel, const AxisInfoAnalysis &axes) : kernel(kernel), axes(axes) {}

  void run() {
    remarkOnAccesses();
    remarkOnThreads();
    remarkOnDots();
    remarkOnConversions();
  }

private:
  void remarkOnAccesses();
  void remarkOnThreads();
  void remarkOnDots();
  void remarkOnConversions();

  static TileLayout layoutOfTile(Value tile) {
    return layoutOf(cast<RankedTensorType>(tile.getType()));
  }
  /// The tile's, or, if it gives lanes no more neighbours because the access would not move them
  /// together, one that gives them as many as 16 bytes hold.
  TileLayout layoutToAsk(Operation *op, unsigned width, Crossing crossing) const {
    auto type = cast<RankedTensorType>(op->getOperand(0).getType());
    unsigned bytes = tt::scalarBytes(cast<tt::PointerType>(type.getElementType()).getPointeeType());
    int64_t most = std::max<int64_t>(1, kMaxVectorBytes / bytes);
    if (isa<AsyncCopyGlobalToLocalOp>(op) || !isa<BlockedEncodingAttr>(type.getEncoding()) ||
        widthOf(op, axes, crossing) > width)
      return layoutOf(type);
    BlockedEncodingAttr wide =
        defaultLayout(type.getContext(), type.getShape(), numWarps(op->getParentOfType<ModuleOp>()),
                      orderOf(type.getEncoding()), most);
    return layoutOf(RankedTensorType::get(type.getShape(), type.getElementType(), wide));
  }

  tt::FuncOp kernel;
  const AxisInfoAnalysis &axes;
};
} // namespace

void KernelRemarks::remarkOnAccesses() {
  llvm::MapVector<Location, Place> places;
  auto crossingOf = [](Operation *op) {
    return isa<AsyncCopyGlobalToLocalOp>(op) ? Crossing::AtEnd : Crossing::Anywhere;
  };
  kernel.walk([&](Operation *op) {
    if (!isAccess(op))
      return;
    Value ptr = op->getOperand(0);
    unsigned width =
        accessRuns(ptr, maskOf(op), layoutOfTile(ptr), axes, crossingOf(op)).runs.width;
    Place &place = places[op->getLoc()];
    if (!place.op || width > place.width)
      place = {op, width};
  });
  for (auto &[where, place] : places) {
    Operation *op = place.op;
    Value ptr = op->getOperand(0), mask = maskOf(op);
    const TileLayout layout = layoutToAsk(op, place.width, crossingOf(op));
    const AxisInfo &info = axes.get(ptr);
    unsigned bytes =
        tt::scalarBytes(cast<tt::PointerType>(tt::elementType(ptr.getType())).getPointeeType());
    unsigned wanted = wantedWidth(layout, info, bytes);
    std::string what =
        (isa<tt::StoreOp>(op) ? "a store of " : "a load of ") + textOf(ptr.getType());
    SmallVector<std::pair<StringRef, std::string>> arguments = {
        {"access", isa<tt::StoreOp>(op) ? "store" : "load"},
        {"bytes", decimal(place.width * bytes)},
        {"possible", decimal(wanted * bytes)}};
    bool isScattered = layout.registers() > 0;
    for (unsigned d = 0; d < layout.rank(); ++d)
      isScattered &= info.contiguity[d] == 1 && info.constancy[d] == 1;
    if (isScattered && cast<RankedTensorType>(ptr.getType()).getNumElements() >= kLanesPerWarp) {
      arguments.push_back({"case", "scattered"});
      remarkMissed(where, "coalesce",
                   what +
                       " goes element by element: the addresses of neighbouring elements are "
                       "not known to be neighbours; " +
                       adviceOnNeighbours(kernel, ptr),
                   arguments);
      continue;
    }
    if (place.width >= wanted) {
      remarkApplied(where, "coalesce",
                    what + " moves " + decimal(place.width * bytes) + " bytes a lane", arguments);
      continue;
    }
    auto width = [&](const AxisInfoAnalysis &axes) -> unsigned {
      return accessRuns(ptr, mask, layout, axes, crossingOf(op)).runs.width;
    };
    unsigned reached;
    SmallVector<unsigned> needed = Hypothesis(kernel, width).minimal(reached);
    bool isMask =
        mask && accessRuns(ptr, {}, layout, axes, crossingOf(op)).runs.width > place.width;
    arguments.push_back({"case", isMask ? "mask" : "narrow"});
    arguments.push_back({"elements", decimal(wanted)});
    if (reached > place.width)
      arguments.push_back({"multiples", namesOf(kernel, needed)});
    std::string reason = isMask ? "the mask may change within a vector"
                                : "its addresses are not known to be multiples of " +
                                      decimal(wanted * bytes) + " bytes";
    std::string advice =
        reached > place.width ? adviceFor(kernel, needed, std::max(reached, 2u))
        : isMask ? "a bound would not keep it narrow, nor a mask that is the same for " +
                       decimal(wanted) + " neighbours"
                 : "if they are, tl.multiple_of(offsets, " + decimal(wanted) + ") says so";
    remarkMissed(where, "coalesce",
                 what + " moves " + decimal(place.width * bytes) + " bytes a lane at a time, not " +
                     decimal(wanted * bytes) + ": " + reason + "; " + advice,
                 arguments);
  }
}

//===-- Threads -----------------------------------------------------------===//

void KernelRemarks::remarkOnThreads() {
  int threads = numWarps(kernel) * kLanesPerWarp;
  Operation *best = nullptr;
  int most = 0;
  int64_t largest = 0;
  Operation *exchange = nullptr;
  kernel.walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (tt::isTile(result.getType()))
        largest = std::max(largest, cast<RankedTensorType>(result.getType()).getNumElements());
    if (isa<WarpReduceOp, WarpScanOp>(op))
      exchange = op;
    if (!isAccess(op) && !isa<tt::AtomicRMWOp>(op))
      return;
    if (!tt::isTile(op->getOperand(0).getType()))
      return;
    const TileLayout layout = layoutOfTile(op->getOperand(0));
    int busy = threads >> (llvm::popcount(layout.core().freeMask(kLane)) +
                           llvm::popcount(layout.core().freeMask(kWarp)));
    if (busy > most) {
      most = busy;
      best = op;
    }
  });
  if (best && most < threads) {
    int warps = std::max(1, most / kLanesPerWarp);
    std::string advice = warps < numWarps(kernel)
                             ? "num_warps=" + decimal(warps) + " is enough, and tiles of " +
                                   decimal(threads) + " elements or more would use all"
                             : "tiles of " + decimal(threads) + " elements or more would use all";
    remarkMissed(
        best->getLoc(), "idle-threads",
        decimal(threads - most) + " of " + decimal(threads) +
            " threads have nothing to do: the largest tile in memory is " +
            textOf(best->getOperand(0).getType()) + "; " + advice,
        {{"threads", decimal(threads)}, {"busy", decimal(most)}, {"enough", decimal(warps)}});
  }
  constexpr int64_t kOneWarp = 512;
  if (exchange && numWarps(kernel) > 1 && largest <= kOneWarp)
    remarkMissed(exchange->getLoc(), "reduce",
                 decimal(numWarps(kernel)) +
                     (isa<WarpScanOp>(exchange) ? " warps scan " : " warps reduce ") +
                     textOf(exchange->getOperand(0).getType()) +
                     " through shared memory, with a barrier; one warp would do it by shuffles "
                     "alone: num_warps=1",
                 {{"warps", decimal(numWarps(kernel))}});
}

//===-- Dots and conversions ----------------------------------------------===//

/// Why a dot is multiplied out, and what would change it. `kind`: which of the reasons it is.
static std::string reasonAgainst(tt::DotOp dot, const GPUModel &gpu, StringRef &kind) {
  RankedTensorType a = dot.getA().getType(), c = dot.getC().getType();
  Type element = a.getElementType();
  int64_t rank = c.getRank(), m = c.getDimSize(rank - 2), n = c.getDimSize(rank - 1),
          k = a.getDimSize(rank - 1);
  std::string text;
  llvm::raw_string_ostream out(text);
  kind = "type";
  if (m < 16 || n < 8)
    kind = "shape", out << "its result is " << m << "x" << n
                        << ", and the least that they do is 16x8; use "
                        << "larger tiles";
  else if (element.isF32() && dot.getInputPrecision() == tt::InputPrecision::IEEE)
    kind = "precision",
    out << "input_precision='ieee' asks for products of whole f32; 'tf32' takes them rounded "
           "to 11 bits, 'tf32x3' in three parts";
  else if (!gpu.multipliesOtherFloats && !element.isF16() && !element.isInteger(8))
    out << "those of compute capability " << gpu.capability / 10 << "." << gpu.capability % 10
        << " take f16 and i8 only";
  else
    out << "they do not take " << element << " with a k of " << k
        << "; f16 and bf16 want multiples of 16, tf32 of 8, 8-bit types of 32";
  return text;
}

void KernelRemarks::remarkOnDots() {
  llvm::MapVector<Location, tt::DotOp> missed;
  kernel.walk([&](tt::DotOp dot) {
    if (isa<MmaEncodingAttr>(cast<RankedTensorType>(dot.getType()).getEncoding()))
      remarkApplied(dot.getLoc(), "accelerate-matmul",
                    "a product of " + textOf(dot.getA().getType()) + " and " +
                        textOf(dot.getB().getType()) + " runs on tensor cores",
                    {{"instruction", "mma.sync"}});
    else
      missed.insert({dot.getLoc(), dot});
  });
  for (auto &[where, dot] : missed) {
    StringRef kind;
    std::string reason = reasonAgainst(dot, gpuModel(kernel), kind);
    remarkMissed(where, "accelerate-matmul",
                 "a product of " + textOf(dot.getA().getType()) + " and " +
                     textOf(dot.getB().getType()) +
                     " is multiplied out without tensor cores: " + reason,
                 {{"element", textOf(dot.getA().getType())}, {"case", kind.str()}});
  }
}

/// A tile that is read in another layout than it has, not what warps or threads found for others.
static bool isConversion(LocalAllocOp alloc) {
  Value tile = alloc.getInit();
  if (tile && tile.getDefiningOp<SkipMaskedOp>())
    tile = sameTile(tile);
  return tile &&
         !isa_and_nonnull<tt::Combining, tt::AtomicRMWOp, tt::AtomicCASOp>(tile.getDefiningOp());
}

/// An operand of warp groups that threads bring to other memory, since it lies across K or must be
/// rounded.
static bool isTurned(Operation *op) {
  Value tile = op->getOperand(0), memory = op->getNumResults() ? op->getResult(0) : Value();
  if (auto store = dyn_cast<LocalStoreOp>(op))
    memory = allocationOf(store.getDst());
  if (auto rounded = tile.getDefiningOp<ttng::RoundToTF32Op>())
    tile = rounded.getOperand();
  auto isRead = [](Value memory) {
    return llvm::any_of(memory.getUsers(), llvm::IsaPred<ttng::WarpGroupDotOp>);
  };
  return memory && tile.getDefiningOp<LocalLoadOp>() &&
         !takesAcrossDepth(tt::elementType(tile.getType())) &&
         (isRead(memory) || llvm::any_of(memory.getUsers(), [&](Operation *user) {
            return isa<MemDescIndexOp>(user) && isRead(user->getResult(0));
          }));
}

/// What is stored there, TMA stores to global memory.
static bool isReadByTMA(Value memory) {
  return llvm::any_of(memory.getUsers(), [](Operation *user) {
    return isa<ttng::TMAStoreOp>(user) ||
           (isa<MemDescTransOp>(user) && isReadByTMA(user->getResult(0)));
  });
}

/// Zeros, to count from.
static bool isCounted(Value memory) {
  return llvm::any_of(memory.getUsers(), llvm::IsaPred<LocalCountOp>);
}

/// Which program comes next, for other warps.
static bool isProgramNumber(Value tile) {
  auto splat = tile.getDefiningOp<tt::SplatOp>();
  return splat && splat.getSrc().getDefiningOp<NextProgramOp>();
}

void KernelRemarks::remarkOnConversions() {
  kernel.walk([&](Operation *op) {
    std::string bytes;
    if (auto store = dyn_cast<LocalStoreOp>(op); store && !isReadByTMA(store.getDst()) &&
                                                 !isCounted(store.getDst()) &&
                                                 !isProgramNumber(store.getSrc()))
      bytes = decimal(store.getDst().getType().getTileBytes());
    else if (auto alloc = dyn_cast<LocalAllocOp>(op); alloc && isConversion(alloc))
      bytes = decimal(alloc.getBytes());
    else
      return;
    std::string text = "a tile of " + textOf(op->getOperand(0).getType()) +
                       " changes hands between threads through " + bytes +
                       " bytes of shared memory";
    if (!op->getParentOfType<LoopLikeOpInterface>())
      return remarkApplied(op->getLoc(), "convert-layout", text, {{"bytes", bytes}});
    text += " and a barrier in every iteration: ";
    bool turns = isTurned(op);
    if (turns)
      text += "tensor cores multiply 8-bit and fp32 elements along the dimension in which they are "
              "neighbours in memory, fp32 rounded; store the array transposed, so that its stride "
              "along K is 1, and its pitch a multiple of 16 bytes";
    else
      text += "what computes it and what takes it spread it over threads in different ways; "
              "compute it before the loop, or on tiles of one shape and order";
    remarkMissed(op->getLoc(), "convert-layout", text,
                 {{"bytes", bytes}, {"case", turns ? "turned" : "in-loop"}});
  });
}

void remarkOnKernel(tt::FuncOp kernel, const AxisInfoAnalysis &axes) {
  KernelRemarks(kernel, axes).run();
}

} // namespace tritium::ttg
