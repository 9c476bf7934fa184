//===- Clocks.cpp - clocks in a kernel's code -----------------------------===//
//
// Each thread keeps the clock of its last change from one part of the text to another, and a sum
// for each part; lane 0 of each warp adds its sums to the host's table when it ends:
//
//   a load of `x`, line 3            start:   last = %clock64
//   an addition, line 7     ->                the load
//                                    change:  now = %clock64; sum[0] += now - last; last = now
//                                             the addition
//
// So a thread is in one part at any time, and its sums are all of its time. Which part that is each
// point of the code knows without asking: what meets in a block came from blocks that end in the
// part in which it begins (Junctions).
//
// The code is that of the LLVM dialect behind all passes of tiles, and none of their decisions
// changes. It is not the same code: the registers of the sums are missing elsewhere, and loads and
// stores do not cross a clock. Arithmetic may, in LLVM and in ptxas; and what waits for a load is
// the first instruction that uses what it loads.
//
//===----------------------------------------------------------------------===//

#include "tritium/Target/NVPTX/Clocks.h"

#include "tritium/Kernel/LaunchABI.h"
#include "tritium/Support/EmitRemark.h"

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

#include <map>
#include <set>

using namespace mlir;
using namespace tritium;

namespace {

/// Fewer instructions, if they are arithmetic, count with what runs before them: a read of the
/// clock takes about as long.
constexpr unsigned kLeastInstructions = 8;
/// The sums of so many parts are in registers; those of more in local memory, since that would take
/// the registers that the kernel's own values need.
constexpr size_t kMostInRegisters = 8;

/// Whether it becomes no instruction of its own.
bool isFree(Operation *op) {
  return op->hasTrait<OpTrait::IsTerminator>() || op->hasTrait<OpTrait::ConstantLike>() ||
         isa<LLVM::UndefOp, LLVM::PoisonOp, LLVM::ZeroOp, LLVM::AddressOfOp, LLVM::BitcastOp,
             LLVM::ExtractValueOp, LLVM::InsertValueOp, LLVM::ExtractElementOp,
             LLVM::InsertElementOp, LLVM::GEPOp>(op);
}

//===-- Runs --------------------------------------------------------------===//

/// Instructions of one part, one behind the other.
struct Run {
  Operation *first;
  unsigned part;
  unsigned size = 0;
  bool mayDrop = true; ///< they are arithmetic
};

class Parts {
public:
  explicit Parts(ArrayRef<ClockedPart> parts) : parts(parts) {}

  /// The part of an instruction; none: it is of no line, or of no instruction.
  std::optional<unsigned> of(Operation *op) {
    FileLineColLoc place = isFree(op) ? FileLineColLoc() : authorsPlace(op->getLoc());
    if (!place)
      return std::nullopt;
    auto [known, isNew] =
        byLine.try_emplace({place.getFilename().getAsOpaquePointer(), place.getLine()}, 0);
    if (isNew)
      known->second = find(place.getFilename().getValue(), static_cast<int>(place.getLine()));
    return known->second;
  }

  /// The runs of a block.
  SmallVector<Run> runsOf(Block &block) {
    SmallVector<Run> all, kept;
    for (Operation &op : block)
      if (std::optional<unsigned> part = of(&op)) {
        if (all.empty() || all.back().part != *part)
          all.push_back({&op, *part});
        ++all.back().size;
        all.back().mayDrop &= isMemoryEffectFree(&op);
      }
    for (const Run &run : all)
      if ((!run.mayDrop || run.size >= kLeastInstructions) &&
          (kept.empty() || kept.back().part != run.part))
        kept.push_back(run);
    return kept;
  }

private:
  unsigned find(StringRef file, int line) const {
    unsigned found = 0;
    for (auto [number, part] : llvm::enumerate(parts))
      if (part.line && part.file == file && part.line <= line && line <= part.last &&
          (!found || part.last - part.line <= parts[found].last - parts[found].line))
        found = static_cast<unsigned>(number);
    return found;
  }

  ArrayRef<ClockedPart> parts;
  std::map<std::pair<const void *, unsigned>, unsigned> byLine;
};

//===-- Where blocks meet -------------------------------------------------===//

/// In which part each block begins and ends. Blocks that may follow one another agree on it: all
/// edges that share a block on either side are one junction, which has the part in which most of
/// its blocks are, for their own sake, those of inner loops above all.
class Junctions {
public:
  using Runs = llvm::MapVector<Block *, SmallVector<Run>>;

  Junctions(Region &region, const Runs &runs) {
    DominanceInfo dominance;
    std::optional<CFGLoopInfo> loops;
    if (!region.hasOneBlock())
      loops.emplace(dominance.getDomTree(&region));
    for (const auto &[block, own] : runs) {
      ends.insert(begin(block));
      ends.insert(end(block));
      for (Block *next : block->getSuccessors())
        ends.unionSets(end(block), begin(next));
      if (own.empty())
        ends.unionSets(begin(block), end(block));
    }
    std::map<End, std::map<unsigned, uint64_t>> votes;
    for (const auto &[block, own] : runs)
      if (!own.empty()) {
        // A loop counts for as many rounds. Of as many, one in which a block begins.
        unsigned depth = loops ? loops->getLoopDepth(block) : 0;
        uint64_t rounds = uint64_t(1) << (4 * std::min(depth, 12u));
        votes[ends.getLeaderValue(begin(block))][own.front().part] += rounds + 1;
        votes[ends.getLeaderValue(end(block))][own.back().part] += rounds;
      }
    for (const auto &[leader, counts] : votes)
      partOf[leader] =
          llvm::max_element(counts, [](auto &a, auto &b) { return a.second < b.second; })->first;
  }

  unsigned atBegin(Block *block) const { return part(begin(block)); }
  unsigned atEnd(Block *block) const { return part(end(block)); }

private:
  using End = std::pair<Block *, bool>;
  static End begin(Block *block) { return {block, false}; }
  static End end(Block *block) { return {block, true}; }
  unsigned part(End which) const {
    auto found = partOf.find(ends.getLeaderValue(which));
    return found == partOf.end() ? 0 : found->second;
  }

  llvm::EquivalenceClasses<End> ends;
  std::map<End, unsigned> partOf;
};

//===-- Code --------------------------------------------------------------===//

class ClockWriter {
public:
  ClockWriter(LLVM::LLVMFuncOp kernel, size_t parts, unsigned warps)
      : kernel(kernel), b(kernel.getContext()), loc(UnknownLoc::get(kernel.getContext())),
        warps(warps), isInMemory(parts > kMostInRegisters) {
    b.setInsertionPointToStart(&kernel.getBody().front());
    last = variable(b.getI64Type());
    began = variable(b.getI64Type());
    for (size_t part = 0; part < parts; ++part)
      sums.push_back({variable(b.getI64Type()), variable(b.getI32Type())});
  }

  /// The first instructions, in `part`.
  void start(unsigned part) {
    for (auto [clocks, times] : sums) {
      store(constant(64, 0), clocks);
      store(constant(32, 0), times);
    }
    // Only the end asks for it: no register waits for that.
    b.create<LLVM::StoreOp>(loc, read("%globaltimer"), began, 0, /*isVolatile=*/true);
    store(read("%clock64"), last);
    add(constant(32, 1), sums[part].second);
  }

  void change(Operation *before, unsigned from, unsigned to) {
    b.setInsertionPoint(before);
    spend(from);
    add(constant(32, 1), sums[to].second);
  }

  /// Adds the sums to the host's table.
  void finish(Operation *end, unsigned part);

private:
  Value variable(Type type) {
    return b.create<LLVM::AllocaOp>(loc, LLVM::LLVMPointerType::get(b.getContext()), type,
                                    constant(32, 1));
  }
  Value constant(unsigned bits, int64_t value) {
    return b.create<LLVM::ConstantOp>(loc, b.getIntegerAttr(b.getIntegerType(bits), value));
  }
  Value read(StringRef name, unsigned bits = 64) {
    Type type = b.getIntegerType(bits);
    auto dialect = LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT);
    std::string text = ("mov.u" + Twine(bits) + " $0, " + name + ";").str();
    return b
        .create<LLVM::InlineAsmOp>(loc, type, ValueRange(), text, bits == 64 ? "=l" : "=r",
                                   /*has_side_effects=*/true, /*is_align_stack=*/false, dialect,
                                   ArrayAttr())
        .getResult(0);
  }
  void store(Value value, Value where) {
    b.create<LLVM::StoreOp>(loc, value, where, 0, isInMemory);
  }
  Value load(Type type, Value where, bool isVolatile) {
    return b.create<LLVM::LoadOp>(loc, type, where, 0, isVolatile);
  }
  void add(Value value, Value where) {
    Value before = load(value.getType(), where, isInMemory);
    store(b.create<LLVM::AddOp>(loc, before, value), where);
  }
  void spend(unsigned part) {
    Value now = read("%clock64");
    Value before = load(b.getI64Type(), last, isInMemory);
    add(b.create<LLVM::SubOp>(loc, now, before), sums[part].first);
    store(now, last);
  }
  Value addressOfTable();

  LLVM::LLVMFuncOp kernel;
  OpBuilder b;
  Location loc;
  unsigned warps;
  bool isInMemory;
  Value last, began;                         ///< of the clock, of the time
  SmallVector<std::pair<Value, Value>> sums; ///< clocks, and how often
};

Value ClockWriter::addressOfTable() {
  auto module = kernel->getParentOfType<ModuleOp>();
  if (!module.lookupSymbol(kClocksSymbol)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    b.create<LLVM::GlobalOp>(loc, b.getI64Type(), /*isConstant=*/false, LLVM::Linkage::External,
                             kClocksSymbol, b.getI64IntegerAttr(0), /*alignment=*/8,
                             /*addrSpace=*/1);
  }
  auto global = LLVM::LLVMPointerType::get(b.getContext(), 1);
  return b.create<LLVM::LoadOp>(loc, b.getI64Type(),
                                b.create<LLVM::AddressOfOp>(loc, global, kClocksSymbol));
}

void ClockWriter::finish(Operation *end, unsigned part) {
  b.setInsertionPoint(end);
  spend(part);
  Value now = read("%globaltimer");
  Value took = b.create<LLVM::SubOp>(loc, now, load(b.getI64Type(), began, /*isVolatile=*/true));
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  Value thread = b.create<NVVM::ThreadIdXOp>(loc, i32);
  Value lane = b.create<LLVM::AndOp>(loc, thread, constant(32, 31));
  Value table = addressOfTable();
  auto is = [&](LLVM::ICmpPredicate how, Value value, unsigned bits) -> Value {
    return b.create<LLVM::ICmpOp>(loc, how, value, constant(bits, 0));
  };
  Value adds = b.create<LLVM::AndOp>(loc, is(LLVM::ICmpPredicate::eq, lane, 32),
                                     is(LLVM::ICmpPredicate::ne, table, 64));
  Block *here = end->getBlock(), *rest = here->splitBlock(end);
  Block *adding = b.createBlock(rest);
  b.setInsertionPointToEnd(here);
  b.create<LLVM::CondBrOp>(loc, adds, adding, rest);
  b.setInsertionPointToStart(adding);
  Value copy = b.create<LLVM::AndOp>(loc, read("%smid", 32), constant(32, kClockCopies - 1));
  Value warp = b.create<LLVM::LShrOp>(loc, thread, constant(32, 5));
  Value row =
      b.create<LLVM::AddOp>(loc, b.create<LLVM::MulOp>(loc, copy, constant(32, warps)), warp);
  auto words = static_cast<int64_t>(2 * (sums.size() + 1));
  Value word = b.create<LLVM::MulOp>(loc, row, constant(32, words));
  auto global = LLVM::LLVMPointerType::get(b.getContext(), 1);
  Value pointer = b.create<LLVM::IntToPtrOp>(loc, global, table);
  pointer = b.create<LLVM::GEPOp>(loc, global, i64, pointer, ValueRange(word));
  int32_t next = 0;
  auto count = [&](Value sum) {
    Value where = b.create<LLVM::GEPOp>(loc, global, i64, pointer, ArrayRef<LLVM::GEPArg>(next++));
    b.create<LLVM::AtomicRMWOp>(loc, LLVM::AtomicBinOp::add, where, sum,
                                LLVM::AtomicOrdering::monotonic);
  };
  for (auto [clocks, times] : sums) {
    count(load(i64, clocks, isInMemory));
    // Each time takes clocks: 2^32 of them would be minutes of one warp.
    count(b.create<LLVM::ZExtOp>(loc, i64, load(i32, times, isInMemory)));
  }
  count(took);
  count(constant(64, 1));
  b.create<LLVM::BrOp>(loc, rest);
}

} // namespace

std::vector<ClockedPart> nvptx::linesOf(LLVM::LLVMFuncOp kernel) {
  std::set<std::pair<std::string, int>> lines;
  kernel.walk([&](Operation *op) {
    FileLineColLoc place = isFree(op) ? FileLineColLoc() : authorsPlace(op->getLoc());
    if (place && !isa<LLVM::LLVMFuncOp>(op))
      lines.emplace(place.getFilename().str(), static_cast<int>(place.getLine()));
  });
  std::vector<ClockedPart> parts(1);
  for (const auto &[file, line] : lines)
    parts.push_back({"", file, line, line});
  return parts;
}

void nvptx::insertClocks(LLVM::LLVMFuncOp kernel, ArrayRef<ClockedPart> list, unsigned warps) {
  Parts parts(list);
  Junctions::Runs runs;
  for (Block &block : kernel.getBody())
    runs[&block] = parts.runsOf(block);
  Junctions junctions(kernel.getBody(), runs);
  ClockWriter writer(kernel, list.size(), warps);
  writer.start(junctions.atBegin(&kernel.getBody().front()));
  for (auto &[block, own] : runs) {
    unsigned part = junctions.atBegin(block);
    for (const Run &run : own) {
      if (run.part != part)
        writer.change(run.first, part, run.part);
      part = run.part;
    }
    Operation *end = block->getTerminator();
    if (isa<LLVM::ReturnOp>(end))
      writer.finish(end, part);
    else if (unsigned next = junctions.atEnd(block); next != part && end->getNumSuccessors())
      writer.change(end, part, next);
  }
}
