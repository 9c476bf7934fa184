//===- Builder.cpp - frame slots, blocks, dispatch ------------------------===//

#include "Builder.h"

#include "tritium/Dialect/Debug/IR/Debug.h"

using namespace mlir;

namespace tritium::interpreter {

Element Builder::elementOf(Type type) {
  type = tt::elementType(type);
  if (isa<tt::PointerType>(type))
    return {Kind::Pointer, 64};
  if (isa<tt::TensorDescType>(type)) // its slots
    return {Kind::Integer, 64};
  if (type.isIndex())
    return {Kind::Integer, 64};
  if (type.isFloat8E5M2())
    return {Kind::F8E5M2, 8};
  if (type.isFloat8E4M3FN())
    return {Kind::F8E4M3FN, 8};
  if (type.isFloat8E4M3FNUZ())
    return {Kind::F8E4M3FNUZ, 8};
  if (type.isFloat8E5M2FNUZ())
    return {Kind::F8E5M2FNUZ, 8};
  if (type.isF16())
    return {Kind::F16, 16};
  if (type.isBF16())
    return {Kind::BF16, 16};
  if (type.isF32())
    return {Kind::F32, 32};
  if (type.isF64())
    return {Kind::F64, 64};
  return {Kind::Integer, static_cast<uint8_t>(type.getIntOrFloatBitWidth())};
}

Site Builder::siteOf(Location loc) {
  Site site;
  if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    site = siteOf(call.getCallee());
    site.text += " called from " + siteOf(call.getCaller()).text;
    return site;
  }
  if (auto name = dyn_cast<NameLoc>(loc))
    return siteOf(name.getChildLoc());
  if (auto fused = dyn_cast<FusedLoc>(loc))
    if (!fused.getLocations().empty())
      return siteOf(fused.getLocations().front());
  if (auto file = dyn_cast<FileLineColLoc>(loc)) {
    site.file = file.getFilename().str();
    site.line = file.getLine();
    site.column = file.getColumn();
    site.text = site.file + ":" + std::to_string(site.line) + ":" + std::to_string(site.column);
    return site;
  }
  site.text = "an unknown line";
  return site;
}

void Builder::refuse(Operation *op, const std::string &message) {
  if (error.empty())
    error = "the interpreter " + message + ", at " + siteOf(op->getLoc()).text;
}

void Builder::reject(Operation *op, const std::string &message) {
  if (error.empty())
    error = message + ", at " + siteOf(op->getLoc()).text;
}

Tile Builder::allocate(Element element, int64_t count) {
  Tile tile{program.frameSlots, count, element};
  for (auto [offset, slots] : freeSlots)
    if (slots >= size_t(count)) {
      tile.offset = offset;
      freeSlots.erase(offset);
      if (slots > size_t(count))
        freeSlots[offset + count] = slots - count;
      return tile;
    }
  program.frameSlots += count;
  return tile;
}

Tile Builder::allocate(Type type) {
  int64_t count = lanes;
  for (int64_t extent : tt::shapeOf(type))
    count *= extent;
  if (auto descriptor = dyn_cast<tt::TensorDescType>(type))
    count *= 1 + 2 * descriptor.getRank();
  return allocate(elementOf(type), count);
}

void Builder::release(Tile tile) {
  if (keepsSlots)
    return;
  auto [it, inserted] = freeSlots.try_emplace(tile.offset, size_t(tile.count));
  if (auto next = std::next(it); next != freeSlots.end() && it->first + it->second == next->first) {
    it->second += next->second;
    freeSlots.erase(next);
  }
  if (it != freeSlots.begin())
    if (auto previous = std::prev(it); previous->first + previous->second == it->first) {
      previous->second += it->second;
      freeSlots.erase(it);
    }
}

Tile Builder::define(Value value) { return tiles[value] = allocate(value.getType()); }

Tile Builder::get(Value value) {
  Tile tile = tiles.lookup(value);
  if (lanes == 1 || tile.count == lanes)
    return tile;
  // A scalar from outside of a block that is built for several lanes.
  Tile copy = allocate(tile.element, lanes);
  laneCopies.push_back(copy);
  add([tile, copy](Machine &m) { std::fill_n(m.at(copy), copy.count, *m.at(tile)); });
  return copy;
}

void Builder::defineConstant(Value value, std::vector<Slot> values) {
  // Fresh slots that are never given back: they are filled once a launch.
  int64_t count = lanes;
  for (int64_t extent : tt::shapeOf(value.getType()))
    count *= extent;
  Tile tile{program.frameSlots, count, elementOf(value.getType())};
  program.frameSlots += count;
  tiles[value] = tile;
  constants.insert(value);
  program.constants.push_back({tile, std::move(values)});
}

void Builder::addCopy(Tile from, Tile to) {
  if (from.offset != to.offset)
    add([from, to](Machine &m) { std::copy_n(m.at(from), from.count, m.at(to)); });
}

void Builder::addParallelCopy(ArrayRef<Tile> from, ArrayRef<Tile> to) {
  SmallVector<Tile> sources(from), staged;
  for (auto [i, source] : llvm::enumerate(sources))
    for (auto [j, target] : llvm::enumerate(to))
      if (j < i && source.offset == target.offset) {
        // Copied over before it is read: read it first.
        Tile copy = allocate(source.element, source.count);
        addCopy(source, copy);
        staged.push_back(source = copy);
        break;
      }
  for (auto [source, target] : llvm::zip(sources, to))
    addCopy(source, target);
  for (Tile tile : staged)
    release(tile);
}

std::shared_ptr<const Body> Builder::buildBlock(Block &block,
                                                function_ref<void(Operation *)> atEnd) {
  auto body = std::make_shared<Body>();
  Body *outer = std::exchange(current, body.get());
  SmallVector<Tile> outerCopies = std::exchange(laneCopies, {});

  // The operation of this block after which a value is dead.
  DenseMap<Operation *, SmallVector<Value>> deadAfter;
  for (Operation &op : block.without_terminator())
    for (Value result : op.getResults()) {
      Operation *last = &op;
      for (Operation *user : result.getUsers())
        if (Operation *here = block.findAncestorOpInBlock(*user))
          last = last->isBeforeInBlock(here) ? here : last;
      deadAfter[last].push_back(result);
    }
  auto releaseDead = [&](Operation *op) {
    for (Value value : deadAfter[op])
      if (!constants.contains(value))
        release(tiles.lookup(value));
  };

  for (Operation &op : block.without_terminator()) {
    buildOperation(&op);
    if (failed())
      break;
    releaseDead(&op);
  }
  if (!failed()) {
    atEnd(block.getTerminator());
    releaseDead(block.getTerminator());
    for (Tile copy : laneCopies)
      release(copy);
  }
  laneCopies = std::move(outerCopies);
  current = outer;
  return body;
}

std::shared_ptr<const Body> Builder::buildBlock(Block &block, int64_t blockLanes,
                                                function_ref<void(Operation *)> atEnd) {
  int64_t outer = std::exchange(lanes, blockLanes);
  auto body = buildBlock(block, atEnd);
  lanes = outer;
  return body;
}

void Builder::buildOperation(Operation *op) {
  using Family = bool (*)(Builder &, Operation *);
  constexpr Family families[] = {buildInteger,     buildFloat,    buildMath,        buildConversion,
                                 buildShape,       buildMemory,   buildDescriptors, buildReduce,
                                 buildControlFlow, buildDebug,    buildShared,      buildGroups,
                                 buildNVGPU,       buildClusters, buildElements,    buildLines};
  checkInFlight(op);
  if (lanes != 1 && llvm::any_of(op->getOperandTypes(), llvm::IsaPred<tt::TensorDescType>))
    return refuse(op, "moves no blocks of arrays where tiles are combined");
  for (Family family : families)
    if (family(*this, op))
      return;
  refuse(op, "does not know the operation '" + op->getName().getStringRef().str() + "'");
}

void Builder::buildKernel(tt::FuncOp kernel) {
  program.kernel = kernel.getName().str();
  program.ctas = ttg::numCTAs(kernel);
  program.isPersistent = kernel->hasAttr(ttg::kPersistent);
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    auto name = kernel.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "tt.name");
    auto pointer = dyn_cast<tt::PointerType>(argument.getType());
    program.parameters.push_back({name ? name.str() : "#" + std::to_string(argument.getArgNumber()),
                                  elementOf(argument.getType()),
                                  pointer ? elementOf(pointer.getPointeeType()) : Element{}});
    program.arguments.push_back(define(argument));
  }
  keepsSlots = dbg::hasLines(kernel->getParentOp());
  planThreads(kernel);
  planDots(kernel);
  callStack.push_back(kernel);
  program.body = *buildBlock(kernel.getBody().front(), [](Operation *) {});
}

} // namespace tritium::interpreter
