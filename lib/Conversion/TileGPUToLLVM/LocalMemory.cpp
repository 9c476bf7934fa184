//===- LocalMemory.cpp - tiles in shared memory ---------------------------===//
//
// The offset of a register is linear in its bits: what lane and warp contribute is computed
// once, registers add constants. Constants whose bits lane and warp may set, too, are
// XORed, all others are left to the address of the instruction.
//
//===----------------------------------------------------------------------===//

#include "LocalMemory.h"
#include "Addresses.h"
#include "Families.h"

#include "tritium/Dialect/TileGPU/IR/TileOffsets.h"
#include "tritium/Layout/Fragments.h"
#include "tritium/Target/GPU/GPUModel.h"

#include "mlir/IR/Matchers.h"

#include <memory>
#include <numeric>

using namespace mlir;

namespace tritium::ttg {

namespace {
/// Numbers the places of a buffer.
LinearLayout numbersIn(MemDescType type) {
  auto bits = [](int64_t extent) { return unsigned(llvm::Log2_64(extent)); };
  return LinearLayout({}, llvm::to_vector(llvm::map_range(type.getShape(), bits)));
}

/// From places of `tile`, a part of a buffer of `type`, to offsets in elements.
LinearLayout placesIn(MemDescType type, const TileLayout &tile) {
  LinearLayout whole = numbersIn(type);
  SmallVector<LinearLayout::Input, 3> inputs(tile.core().getInputs());
  for (LinearLayout::Input &input : inputs)
    for (uint64_t &base : input.bases)
      base = whole.flatten(tile.core().unflatten(base));
  return offsetsOf(type).compose(LinearLayout(inputs, {whole.totalOutputBits()}));
}

/// Where a part of a buffer begins, in bytes.
uint64_t startOf(LocalLoadOp op) {
  if (!op.getOffsets())
    return 0;
  MemDescType type = op.getSrc().getType();
  uint64_t first = offsetsOf(type).apply({numbersIn(type).flatten(*op.getOffsets())});
  return first * tt::scalarBytes(type.getElementType());
}

} // namespace

/// Registers in groups of 2^`bits` neighbouring offsets, in order.
SmallVector<SmallVector<unsigned, 8>> runsOf(const LinearLayout &map, unsigned bits) {
  std::map<uint64_t, SmallVector<unsigned, 8>> runs;
  for (unsigned r = 0; r < 1u << map.inputBits(kRegister); ++r) {
    uint64_t offset = map.applyPart(kRegister, r);
    auto &run = runs[offset >> bits];
    run.resize(1u << bits);
    run[offset & ((1u << bits) - 1)] = r;
  }
  SmallVector<SmallVector<unsigned, 8>> result;
  for (auto &[offset, run] : runs)
    result.push_back(run);
  return result;
}

void LocalMemoryLowering::storeTile(Value base, const LinearLayout &offsets,
                                    const TileLayout &layout, Type element,
                                    ArrayRef<Value> registers) {
  unsigned bytes = tt::scalarBytes(element);
  LinearLayout places = offsets.compose(layout.core().flattenOutputs());
  Value predicate = isFirstCopy(layout);
  // By all lanes of a warp. A constant, zero say, would be put into registers side by side for it.
  bool isConstant = llvm::all_equal(registers) && matchPattern(registers[0], m_Constant());
  if (gpu.hasMatrixStores && !layout.core().freeMask(kLane) && !isConstant)
    if (auto matrices = planMatrixLoad(inBytes(places, bytes), bytes)) {
      Addresses addresses(*this, base, matrices->addresses, lane, warp);
      for (unsigned i = 0; i < matrices->instructions(); ++i)
        storeMatrix(predicate, addresses.of(i), *matrices, i, element, registers);
      return;
    }
  unsigned run = std::min(runBits(places), llvm::Log2_32(unsigned(kMaxVectorBytes) / bytes));
  Addresses addresses(*this, base, inBytes(places, bytes), lane, warp);
  unsigned wordBits = bytes == 8 ? 64 : std::min(32u, (bytes * 8) << run);
  for (ArrayRef<unsigned> group : runsOf(places, run)) {
    SmallVector<Value> stored;
    for (unsigned r : group)
      stored.push_back(toMemory(registers[r], element));
    // LLVM would take packed words apart again, and with them the vector.
    storeSharedWords(predicate, addresses.of(group[0]), pack(stored, wordBits), wordBits,
                     /*asWritten=*/bytes < 4 && wordBits == 32);
  }
}

Fragments LocalMemoryLowering::planLoads(Value base, const LinearLayout &places,
                                         const TileLayout &tile, Type element, uint64_t start,
                                         std::optional<unsigned> k) {
  unsigned bytes = tt::scalarBytes(element);
  // Instructions of later k last.
  uint64_t late = 0;
  for (auto [bit, base] : llvm::enumerate(tile.core().bases(kRegister)))
    if (k && tile.core().unflatten(base)[*k] >= 32 / int64_t(bytes))
      late |= uint64_t(1) << bit;
  Fragments fragments;
  std::vector<SmallVector<unsigned, 8>> registers; // that an instruction loads
  unsigned run = std::min(runBits(places), llvm::Log2_32(unsigned(kMaxVectorBytes) / bytes));
  // A part may begin in the midst of what could move at once.
  while (start & ((uint64_t(bytes) << run) - 1))
    --run;
  auto matrices = planMatrixLoad(inBytes(places, bytes), bytes, late);
  // Lanes that hold copies read as much in one access of their own.
  bool savesAccesses =
      matrices && (!places.freeMask(kLane) || matrices->instructions() < tile.registers() >> run);
  bool hasWholeRows = start % kMaxVectorBytes == 0;
  if (savesAccesses && hasWholeRows && gpu.hasMatrixLoads) {
    auto addresses =
        std::make_shared<Addresses>(*this, base, matrices->addresses, lane, warp, start);
    for (unsigned i = 0; i < matrices->instructions(); ++i) {
      registers.emplace_back();
      for (unsigned matrix = 0; matrix < matrices->matrices; ++matrix)
        for (unsigned e = 0; e < matrices->elementsPerWord; ++e)
          registers.back().push_back(matrices->registerOf(i, matrix, e));
      fragments.loads.push_back(
          atThisLine([this, i, addresses, matrices = *matrices, element](Registers &result) {
            loadMatrix(addresses->of(i), matrices, i, element, result);
          }));
    }
  } else {
    auto addresses =
        std::make_shared<Addresses>(*this, base, inBytes(places, bytes), lane, warp, start);
    for (auto &list : runsOf(places, run)) {
      registers.push_back(list);
      fragments.loads.push_back(atThisLine([this, addresses, list, element](Registers &result) {
        loadRun(addresses->of(list[0]), list, element, result);
      }));
    }
  }
  if (!k)
    return fragments;
  std::vector<std::pair<int64_t, unsigned>> order; // the first k, instruction
  for (auto [i, list] : llvm::enumerate(registers)) {
    int64_t first = std::numeric_limits<int64_t>::max();
    for (unsigned r : list)
      first = std::min(first, tile.offset(r)[*k]);
    order.push_back({first, i});
  }
  llvm::sort(order);
  Fragments sorted;
  for (auto [first, i] : order) {
    sorted.firstK.push_back(first);
    sorted.loads.push_back(std::move(fragments.loads[i]));
  }
  return sorted;
}

Registers LocalMemoryLowering::loadTile(Value base, const LinearLayout &places,
                                        const TileLayout &tile, Type element, uint64_t start) {
  Registers result(tile.registers());
  Fragments fragments = planLoads(base, places, tile, element, start, std::nullopt);
  for (auto &load : fragments.loads)
    load(result);
  return result;
}

/// Neighbours in shared memory, in one access.
void LocalMemoryLowering::loadRun(Value address, ArrayRef<unsigned> run, Type element,
                                  Registers &result) {
  unsigned bytes = tt::scalarBytes(element), total = bytes * run.size();
  unsigned wordBits = bytes == 8 ? 64 : std::min(32u, total * 8);
  unsigned words = total * 8 / wordBits;
  Type type = intType(wordBits);
  if (words > 1)
    type = VectorType::get(words, type);
  Value whole = b.create<LLVM::LoadOp>(loc, type, address, total);
  unsigned i = 0;
  for (unsigned w = 0; w < words; ++w) {
    Value word =
        words == 1 ? whole : b.create<LLVM::ExtractElementOp>(loc, whole, i32(w)).getResult();
    for (Value bits : unpack(word, bytes * 8))
      result[run[i++]] = fromMemory(bits, element);
  }
}

//===----------------------------------------------------------------------===//
// What starts among the products of a dot
//===----------------------------------------------------------------------===//

void LocalMemoryLowering::emitHereOrInDot(Operation *op, std::function<void()> emit) {
  if (!op->hasAttr(kOverlap))
    return emit();
  auto inDot = atThisLine([emit = std::move(emit)] { emit(); });
  if (isa<AsyncCopyGlobalToLocalOp, AsyncCommitGroupOp>(op))
    work->copies.push_back(std::move(inDot));
  else if (isa<BarrierOp>(op) && !work->later.empty()) // right behind what it waits with
    work->later.back() = [wait = work->later.back(), inDot] {
      wait();
      inDot();
    };
  else
    work->later.push_back(std::move(inDot));
}

void DotWork::startCopies(size_t count) {
  for (; count && !copies.empty(); --count) {
    copies.front()();
    copies.pop_front();
  }
}

/// Without a branch: `@p st.shared`.
void LocalMemoryLowering::storeShared(Value predicate, Value address, Value x) {
  if (!predicate)
    return void(b.create<LLVM::StoreOp>(loc, x, address));
  Type type = x.getType();
  if (isa<LLVM::LLVMPointerType>(type))
    x = b.create<LLVM::PtrToIntOp>(loc, b.getI64Type(), x);
  unsigned bits = x.getType().getIntOrFloatBitWidth();
  if (bits == 1) {
    x = zext(x, 8);
    bits = 8;
  }
  x = bitcast(x, intType(bits));
  StringRef letter = bits == 64 ? "l" : bits == 32 ? "r" : "h";
  if (bits == 8)
    x = zext(x, 16);
  Value where = b.create<LLVM::PtrToIntOp>(loc, b.getI32Type(), address);
  assembly({}, ("@$0 st.shared.b" + Twine(bits) + " [$1], $2;").str(), ("b,r," + letter).str(),
           {predicate, where, x});
}

void LocalMemoryLowering::storeSharedWords(Value predicate, Value address, ArrayRef<Value> words,
                                           unsigned bits, bool asWritten) {
  if (!predicate && !asWritten) {
    Value whole = words[0];
    if (words.size() > 1) {
      whole = undef(VectorType::get(words.size(), intType(bits)));
      for (auto [i, word] : llvm::enumerate(words))
        whole = b.create<LLVM::InsertElementOp>(loc, whole, word, i32(i));
    }
    b.create<LLVM::StoreOp>(loc, whole, address, words.size() * bits / 8);
    return;
  }
  SmallVector<Value> operands{b.create<LLVM::PtrToIntOp>(loc, b.getI32Type(), address)};
  std::string constraints = "r", list, guard;
  for (auto [i, word] : llvm::enumerate(words)) {
    operands.push_back(bits == 8 ? zext(word, 16) : word);
    constraints += bits == 64 ? ",l" : bits == 32 ? ",r" : ",h";
    list += (i ? ", $" : "$") + std::to_string(i + 1);
  }
  if (predicate) {
    guard = "@$" + std::to_string(operands.size()) + " ";
    operands.push_back(predicate);
    constraints += ",b";
  }
  if (words.size() > 1)
    list = "{" + list + "}";
  std::string vector = words.size() > 1 ? ".v" + std::to_string(words.size()) : "";
  assembly({}, guard + "st.shared" + vector + ".b" + std::to_string(bits) + " [$0], " + list + ";",
           constraints, operands);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult LocalMemoryLowering::lowerLocal(Operation *op) {
  if (auto alloc = dyn_cast<LocalAllocOp>(op)) {
    Value base = gep(sharedBase, b.getI8Type(), int32_t(*alloc.getOffset()));
    if (Value init = alloc.getInit())
      storeLocal(base, alloc.getType(), init.getType(), get(init));
    set(alloc, {base});
  } else if (auto index = dyn_cast<MemDescIndexOp>(op)) {
    Value offset = mul(scalar(index.getIndex()), i32(index.getType().getTileBytes()));
    set(index, {gep(scalar(index.getSrc()), b.getI8Type(), offset)});
  } else if (isa<MemDescTransOp, MemDescReshapeOp>(op)) {
    set(op->getResult(0), {scalar(op->getOperand(0))});
  } else if (auto load = dyn_cast<LocalLoadOp>(op)) {
    lowerLocalLoad(load);
  } else if (auto store = dyn_cast<LocalStoreOp>(op)) {
    storeLocal(scalar(store.getDst()), store.getDst().getType(), store.getSrc().getType(),
               get(store.getSrc()), store.getOffsets().value_or(ArrayRef<int64_t>()));
  } else if (isa<AsyncCommitGroupOp>(op)) {
    emitHereOrInDot(op, [this] { b.create<NVVM::CpAsyncCommitGroupOp>(loc); });
  } else if (auto wait = dyn_cast<AsyncWaitOp>(op)) {
    work->startCopies(work->copies.size());
    emitHereOrInDot(op,
                    [this, num = wait.getNum()] { b.create<NVVM::CpAsyncWaitGroupOp>(loc, num); });
  } else {
    emitHereOrInDot(op, [this] { barrier(); });
  }
  return success();
}

void LocalMemoryLowering::lowerLocalLoad(LocalLoadOp op) {
  auto overlap = op->getAttrOfType<OverlapAttr>(kOverlap);
  Value base = scalar(op.getSrc());
  if (!overlap)
    return set(op, loadLocal(base, op));
  MemDescType type = op.getSrc().getType();
  const TileLayout &tile = layout(op);
  std::optional<unsigned> k;
  if (overlap.getValue() == Overlap::Steps) {
    auto dot = cast<tt::DotOp>(*op->user_begin());
    k = dot.getA() == op.getResult() ? tile.rank() - 1 : tile.rank() - 2;
  }
  Fragments loads =
      planLoads(base, placesIn(type, tile), tile, type.getElementType(), startOf(op), k);
  set(op, Registers(tile.registers()));
  if (k) {
    work->fragments[op] = std::move(loads);
    return;
  }
  for (auto &load : loads.loads)
    work->later.push_back(
        [this, load, result = op.getResult()] { load(values.find(result)->second); });
}

//===----------------------------------------------------------------------===//
// Tiles of any layout
//===----------------------------------------------------------------------===//

Panels panelsIn(MemDescType memory, const TileLayout &layout) {
  SmallVector<int64_t, 4> panel = memory.getLayout().getPanel(memory.getShape());
  TileLayout part = layoutOfPanel(layout, panel);
  return {part, part, panelStarts(memory.getShape(), panel)};
}

Value LocalMemoryLowering::addressOf(Value base, MemDescType memory, ArrayRef<int64_t> place) {
  int64_t bytes = tt::scalarBytes(memory.getElementType());
  return gep(base, b.getI8Type(), int32_t(TileOffsets(memory)(place) * bytes));
}

/// Of the registers of a tile those of the panel at `start`.
static Registers ofPanel(ArrayRef<Value> registers, const TileLayout &tile, const TileLayout &panel,
                         const Coordinates &start) {
  return llvm::map_to_vector(registersOfPanel(tile, panel, start),
                             [&](unsigned r) { return registers[r]; });
}

void LocalMemoryLowering::storeLocal(Value base, MemDescType memory, Type type,
                                     ArrayRef<Value> registers, ArrayRef<int64_t> part) {
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile)
    return storeShared(isThreadZero(), base, toMemory(registers[0], memory.getElementType()));
  TileLayout layout = layoutOf(tile);
  if (part.empty())
    return storeLocal(base, memory, layout, registers);
  TileLayout inPart = *layoutOfPart(layout, memory.getShape()); // which the verifier has seen
  storeLocal(base, memory, inPart, ofPanel(registers, layout, inPart, Coordinates(part)));
}

void LocalMemoryLowering::storeLocal(Value base, MemDescType memory, const TileLayout &layout,
                                     ArrayRef<Value> registers) {
  if (memory.getLayout().getPanel(memory.getShape()).empty())
    return storeInOrder(base, memory, layout, registers);
  Panels panels = panelsIn(memory, layout);
  LinearLayout offsets = offsetsOf(memory);
  for (const Coordinates &start : panels.starts)
    storeTile(addressOf(base, memory, start), offsets, panels.from, memory.getElementType(),
              ofPanel(registers, layout, panels.from, start));
}

Registers LocalMemoryLowering::loadLocal(Value base, LocalLoadOp op) {
  MemDescType memory = op.getSrc().getType();
  Type element = memory.getElementType();
  if (!tt::isTile(op.getType())) {
    Type bits = intType(8 * tt::scalarBytes(element));
    return {fromMemory(b.create<LLVM::LoadOp>(loc, bits, base), element)};
  }
  const TileLayout &tile = layout(op);
  if (op.getOffsets())
    return loadTile(base, placesIn(memory, tile), tile, element, startOf(op));
  if (memory.getLayout().getPanel(memory.getShape()).empty())
    return loadInOrder(base, memory, tile);
  Panels panels = panelsIn(memory, tile);
  LinearLayout places = offsetsOf(memory).compose(panels.to.core().flattenOutputs());
  Registers result(tile.registers());
  for (const Coordinates &start : panels.starts) {
    Registers panel = loadTile(addressOf(base, memory, start), places, panels.to, element);
    for (auto [r, value] : llvm::zip(registersOfPanel(tile, panels.to, start), panel))
      result[r] = value;
  }
  return result;
}

void LocalMemoryLowering::forEachRun(
    Value base, MemDescType memory, const TileLayout &layout,
    llvm::function_ref<void(Value, Value, ArrayRef<unsigned>)> visit) {
  SmallVector<Value, 4> thread = coordinatesOfThread(layout);
  SmallVector<int32_t> fastestFirst = memory.getLayout().getFastestFirst();
  unsigned bytes = tt::scalarBytes(memory.getElementType()), dim = fastestFirst[0];
  unsigned width = std::min<unsigned>(layout.contiguous(dim), kMaxVectorBytes / bytes);
  // A vector lies at a multiple of its size.
  while (memory.getShape()[dim] % width)
    width /= 2;
  for (ArrayRef<unsigned> group : layout.vectors(dim, width)) {
    Value index = i32(0);
    for (int32_t d : llvm::reverse(fastestFirst))
      index = add(mul(index, i32(layout.extents()[d])), coordinate(layout, thread, group[0], d));
    Value inside = isInside(layout, thread, group[0]);
    // What lies in padding is read anywhere.
    if (inside)
      index = select(inside, index, i32(0));
    visit(gep(base, intType(8 * bytes), index), inside, group);
  }
}

void LocalMemoryLowering::storeInOrder(Value base, MemDescType memory, const TileLayout &layout,
                                       ArrayRef<Value> registers) {
  Type element = memory.getElementType();
  unsigned bits = 8 * tt::scalarBytes(element);
  Value first = isFirstCopy(layout);
  forEachRun(base, memory, layout, [&](Value address, Value inside, ArrayRef<unsigned> group) {
    SmallVector<Value> elements;
    for (unsigned r : group)
      elements.push_back(toMemory(registers[r], element));
    unsigned wordBits = bits == 64 ? 64 : std::min<unsigned>(32, bits * group.size());
    storeSharedWords(both(first, inside), address, pack(elements, wordBits), wordBits,
                     /*asWritten=*/false);
  });
}

Registers LocalMemoryLowering::loadInOrder(Value base, MemDescType memory,
                                           const TileLayout &layout) {
  Registers result(layout.registers());
  forEachRun(base, memory, layout, [&](Value address, Value, ArrayRef<unsigned> group) {
    loadRun(address, group, memory.getElementType(), result);
  });
  return result;
}

/// Tile IR by hand may have copies for a GPU that has none.
static LogicalResult checkCopies(Operation *op) {
  const GPUModel &gpu = gpuModel(op);
  if (gpu.hasAsyncCopies)
    return success();
  return op->emitError() << "asynchronous copies begin with compute capability 8.0, and the module "
                            "is for "
                         << gpu.capability / 10 << "." << gpu.capability % 10
                         << "; go on from tile IR (.ttir)";
}

void populateLocalMemoryPatterns(LoweringPatterns &patterns, const LoweringContext &context,
                                 std::shared_ptr<DotWork> work) {
  auto family = std::make_shared<LocalMemoryLowering>(context, std::move(work));
  patterns.add<BarrierOp, LocalAllocOp, MemDescIndexOp, MemDescTransOp, MemDescReshapeOp,
               LocalLoadOp, LocalStoreOp>([=](Operation *op) { return family->lowerLocal(op); });
  patterns.add<LocalGatherOp>([=](LocalGatherOp op) { return family->lowerLocalGather(op); });
  patterns.add<LocalCountOp>([=](LocalCountOp op) { return family->lowerLocalCount(op); });
  patterns.add<AsyncCopyGlobalToLocalOp, AsyncCommitGroupOp, AsyncWaitOp>([=](Operation *op) {
    if (failed(checkCopies(op)))
      return failure();
    auto copy = dyn_cast<AsyncCopyGlobalToLocalOp>(op);
    return copy ? family->lowerAsyncCopy(copy) : family->lowerLocal(op);
  });
}

} // namespace tritium::ttg
