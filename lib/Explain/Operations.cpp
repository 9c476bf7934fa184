//===- Operations.cpp - the operations of a stage as data -----------------===//
//
// Decisions stand in the IR as operations and attributes. They are read from the stage's text, as
// everybody can, so that what is explained is what was compiled.
//
//===----------------------------------------------------------------------===//

#include "Operations.h"

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"
#include "tritium/Pipeline/Passes.h"
#include "tritium/Support/EmitRemark.h"
#include "tritium/Support/SingleThreadedContext.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tritium::explain {

namespace {
template <typename T> std::string textOf(T printable) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << printable;
  return text;
}

SourcePlace toPlace(FileLineColLoc place) {
  if (!place)
    return {};
  return {place.getFilename().str(), place.getLine(), place.getColumn()};
}

/// From where inlined code is called, the innermost call first.
void addCalls(Location loc, std::vector<SourcePlace> &calls) {
  if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    addCalls(call.getCallee(), calls);
    if (SourcePlace place = toPlace(authorsPlace(call.getCaller())); place.line)
      calls.push_back(place);
    addCalls(call.getCaller(), calls);
  } else if (auto name = dyn_cast<NameLoc>(loc)) {
    addCalls(name.getChildLoc(), calls);
  } else if (auto fused = dyn_cast<FusedLoc>(loc); fused && !fused.getLocations().empty()) {
    addCalls(fused.getLocations().front(), calls);
  }
}

/// The type of what an operation makes, or writes to memory. Null: it does neither.
Type mainType(mlir::Operation *op) {
  if (op->getNumResults())
    return op->getResult(0).getType();
  if (op->getNumRegions() == 0)
    for (Value value : op->getOperands())
      if (isa<RankedTensorType, ttg::MemDescType>(value.getType()))
        return value.getType();
  return {};
}

std::string shortText(Type type) {
  if (auto tile = dyn_cast_or_null<RankedTensorType>(type))
    return textOf(RankedTensorType::get(tile.getShape(), tile.getElementType()));
  return type ? textOf(type) : "";
}

std::string barrierKind(StringRef name) {
  return llvm::StringSwitch<std::string>(name)
      .Case("ttg.barrier", "threads")
      .Cases("ttg.named_barrier_arrive", "ttg.named_barrier_sync", "warp groups")
      .Cases("ttg.async_wait", "ttng.mbarrier_wait", "copies")
      .Case("ttng.tma_store_wait", "stores")
      .Case("ttng.warp_group_dot_wait", "products")
      .Cases("ttng.cluster_arrive", "ttng.cluster_wait", "clusters")
      .Case("ttng.fence_async_proxy", "fence")
      .Default("");
}

bool isCounted(Value memory) {
  return llvm::any_of(memory.getUsers(), llvm::IsaPred<ttg::LocalCountOp>);
}

class Reader {
public:
  Reader(ModuleOp module, const std::string &name) : module(module), name(name) {}

  Stage read() {
    // Lines of the text are those of the printer.
    AsmState::LocationMap lines;
    AsmState state(module, OpPrintingFlags().assumeVerified(), &lines);
    llvm::raw_string_ostream out(stage.text);
    module->print(out, state);
    stage.text += '\n';
    module.walk<WalkOrder::PreOrder>([&](mlir::Operation *op) {
      // Ends of regions that are not printed have no line.
      unsigned line = lines.lookup(op).first;
      if (line && op != module && !isa<tt::FuncOp>(op))
        addOperation(op, line);
    });
    for (auto [number, op] : llvm::enumerate(operations))
      describe(number, op);
    for (auto [number, op] : llvm::enumerate(operations))
      addConversion(number, op);
    return std::move(stage);
  }

private:
  void addOperation(mlir::Operation *op, unsigned line) {
    Operation &made = stage.operations.emplace_back();
    numbers[op] = operations.size();
    operations.push_back(op);
    made.name = op->getName().getStringRef().str();
    made.type = shortText(mainType(op));
    made.textLine = line;
    made.place = toPlace(authorsPlace(op->getLoc()));
    // Without a place of its author's an operation has one in the text that was read.
    if (made.place.file == name)
      made.place = {};
    addCalls(op->getLoc(), made.calls);
    if (auto loop = op->getParentOfType<LoopLikeOpInterface>())
      made.loop = static_cast<int>(numbers.lookup(loop));
  }

  void describe(size_t number, mlir::Operation *op) {
    if (auto alloc = dyn_cast<ttg::LocalAllocOp>(op))
      addBuffer(number, alloc);
    if (auto groups = dyn_cast<ttg::WarpGroupsOp>(op))
      addGroups(number, groups);
    if (std::string kind = barrierKind(op->getName().getStringRef()); !kind.empty()) {
      auto hazard = op->getAttrOfType<StringAttr>("hazard");
      stage.barriers.push_back({number, kind, hazard ? hazard.str() : ""});
    }
    if (auto index = dyn_cast<ttg::MemDescIndexOp>(op))
      if (auto ahead = op->getAttrOfType<IntegerAttr>("ahead"))
        stage.ahead.push_back({number, ahead.getInt()});
    if (auto type = dyn_cast_or_null<RankedTensorType>(mainType(op)); type && type.getEncoding())
      stage.operations[number].layout = addLayout(type);
  }

  /// Where `memory`, or a view of it, is read.
  void addReaders(Value memory, Conversion &conversion) const {
    for (mlir::Operation *user : memory.getUsers()) {
      bool isView = user->getNumResults() && isa<ttg::MemDescType>(user->getResult(0).getType());
      if (isView)
        addReaders(user->getResult(0), conversion);
      else if (!isa<ttg::LocalStoreOp>(user))
        conversion.readers.push_back(numbers.lookup(user));
    }
  }

  /// After all operations have layouts.
  void addConversion(size_t number, mlir::Operation *op) {
    Conversion made{number, "shared memory"};
    Value tile, memory;
    if (auto convert = dyn_cast<ttg::ConvertLayoutOp>(op)) {
      auto mechanism = convert.getMechanism();
      made.way = mechanism ? stringifyMechanism(*mechanism).str() : "not planned";
      tile = convert.getSrc();
      made.to = stage.operations[number].layout;
    } else if (auto store = dyn_cast<ttg::LocalStoreOp>(op)) {
      if (isCounted(store.getDst())) // zeros, to count from
        return;
      tile = store.getSrc(), memory = store.getDst();
    } else if (auto alloc = dyn_cast<ttg::LocalAllocOp>(op); alloc && alloc.getInit()) {
      tile = alloc.getInit(), memory = alloc.getResult();
    } else {
      return;
    }
    if (auto type = dyn_cast<RankedTensorType>(tile.getType()); type && type.getEncoding())
      made.from = addLayout(type);
    if (memory) {
      made.bytes = cast<ttg::MemDescType>(memory.getType()).getTileBytes();
      auto isMemory = [](Value value) { return isa<ttg::MemDescType>(value.getType()); };
      for (mlir::Operation *view = memory.getDefiningOp();
           view && view->getNumOperands() && isMemory(view->getOperand(0));
           view = memory.getDefiningOp())
        memory = view->getOperand(0);
      addReaders(memory, made);
    }
    for (size_t reader : made.readers)
      if (made.to < 0 && isa<ttg::LocalLoadOp>(operations[reader]))
        made.to = stage.operations[reader].layout;
    stage.conversions.push_back(std::move(made));
  }

  void addGroups(size_t number, ttg::WarpGroupsOp groups) {
    for (auto [name, region, warps, registers] :
         llvm::zip(groups.getNames().getAsValueRange<StringAttr>(), groups.getGroups(),
                   groups.getWarps(), groups.getRegisters())) {
      WarpGroup made{number, name.str(), warps, registers, number, number};
      region.walk([&](mlir::Operation *op) {
        if (auto found = numbers.find(op); found != numbers.end()) {
          made.first = made.first == number ? found->second : std::min(made.first, found->second);
          made.last = std::max(made.last, found->second);
        }
      });
      stage.groups.push_back(std::move(made));
    }
  }

  /// The last operation that touches `memory`, or a part or view of it.
  size_t lastUse(Value memory, size_t last) const {
    for (mlir::Operation *user : memory.getUsers()) {
      last = std::max(last, numbers.lookup(user));
      for (Value result : user->getResults())
        if (isa<ttg::MemDescType>(result.getType()))
          last = std::max(last, lastUse(result, last));
    }
    return last;
  }

  void addBuffer(size_t number, ttg::LocalAllocOp alloc) {
    ttg::MemDescType type = alloc.getType();
    Buffer &made = stage.buffers.emplace_back();
    made.operation = made.first = number;
    made.last = lastUse(alloc.getResult(), number);
    made.type = textOf(type);
    if (auto offset = alloc.getOffset())
      made.offset = static_cast<int64_t>(*offset);
    made.bytes = static_cast<int64_t>(alloc.getBytes());
    made.count = static_cast<int64_t>(type.getNumBuffers());
  }

  int addLayout(RankedTensorType type) {
    auto shape = RankedTensorType::get(type.getShape(), IntegerType::get(type.getContext(), 1),
                                       type.getEncoding());
    auto [known, isNew] = layouts.try_emplace(shape, static_cast<int>(stage.layouts.size()));
    if (!isNew)
      return known->second;
    TileLayout layout = ttg::layoutOf(type);
    Layout &made = stage.layouts.emplace_back();
    made.attribute = textOf(type.getEncoding());
    made.shape.assign(type.getShape().begin(), type.getShape().end());
    made.repeats.assign(layout.repeats().begin(), layout.repeats().end());
    for (const LinearLayout::Input &input : layout.core().getInputs())
      for (uint64_t base : input.bases) {
        SmallVector<int64_t, 4> place = layout.core().unflatten(base);
        made.bases[input.name.str()].emplace_back(place.begin(), place.end());
      }
    return known->second;
  }

  ModuleOp module;
  const std::string &name; ///< of the text
  Stage stage;
  std::vector<mlir::Operation *> operations;
  llvm::DenseMap<mlir::Operation *, size_t> numbers;
  llvm::DenseMap<Type, int> layouts; ///< by a tile of bits
};
} // namespace

std::optional<Stage> readStage(const std::string &text, const std::string &name) {
  DialectRegistry registry;
  registerTileDialects(registry);
  SingleThreadedContext context(registry);
  ScopedDiagnosticHandler silent(&context, [](mlir::Diagnostic &) { return success(); });
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, config, name);
  if (!module)
    return std::nullopt;
  return Reader(*module, name).read();
}

} // namespace tritium::explain
