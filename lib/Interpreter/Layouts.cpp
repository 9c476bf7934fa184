//===- Layouts.cpp - threads that hold elements, bytes where they lie -----===//

#include "Builder.h"

#include "tritium/Dialect/TileGPU/IR/TileOffsets.h"
#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"

using namespace mlir;

namespace tritium::interpreter {

/// A scalar's threads: all have it, and the first one writes it.
static std::shared_ptr<const Holders> holdersOfScalar() {
  auto result = std::make_shared<Holders>();
  result->writer.push_back(0);
  result->readers.push_back(kSeveral);
  return result;
}

static std::shared_ptr<const Holders> holdersOfTile(RankedTensorType type) {
  TileLayout layout = ttg::layoutOf(type);
  uint64_t laneCopies = layout.core().freeMask(kLane), warpCopies = layout.core().freeMask(kWarp);
  constexpr Thread none = kSeveral - 1;
  auto result = std::make_shared<Holders>();
  result->writer.assign(type.getNumElements(), none);
  result->readers.assign(type.getNumElements(), none);
  for (unsigned warp = 0; warp < layout.warps(); ++warp)
    for (unsigned lane = 0; lane < layout.lanes(); ++lane)
      for (unsigned r = 0; r < layout.registers(); ++r) {
        int64_t element = 0;
        bool isPadding = false;
        for (auto [x, extent] : llvm::zip(layout.at(r, lane, warp), type.getShape())) {
          element = element * extent + x;
          isPadding |= x >= extent;
        }
        if (isPadding)
          continue;
        Thread thread = warp * ttg::kLanesPerWarp + lane;
        Thread &reader = result->readers[element];
        reader = reader == none || reader == thread ? thread : kSeveral;
        if (!(lane & laneCopies) && !(warp & warpCopies))
          result->writer[element] = thread;
      }
  return result;
}

TileAccess Builder::accessOf(Operation *op, Type type) {
  TileAccess access;
  auto tile = dyn_cast<RankedTensorType>(type);
  if (program.actors == 0)
    return access;
  access.name = program.names.size();
  program.names.push_back({op->getName().getStringRef().split('.').second.str(),
                           tt::shapeOf(type).vec(), siteOf(op->getLoc())});
  if (tile && !isa_and_nonnull<ttg::ThreadLayout>(tile.getEncoding()))
    return access;
  std::shared_ptr<const Holders> &known =
      holders[tile ? type : Type(IndexType::get(op->getContext()))];
  if (!known)
    known = tile ? holdersOfTile(RankedTensorType::get(tile.getShape(), tt::elementType(type),
                                                       tile.getEncoding()))
                 : holdersOfScalar();
  access.holders = known;
  return access;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

SharedAccess Builder::accessOf(Operation *op, Type type, TypedValue<ttg::MemDescType> memory,
                               ArrayRef<int64_t> start) {
  SharedAccess access;
  static_cast<TileAccess &>(access) = accessOf(op, type);
  access.memory = get(memory);
  access.element = elementOf(memory.getType().getElementType());
  SmallVector<int64_t, 4> shape(tt::shapeOf(type));
  shape.resize(memory.getType().getTileShape().size(), 1); // a scalar is one element
  ttg::TileOffsets offsets(memory.getType());
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  access.offsets.reserve(count);
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<int64_t, 4> at(shape.size());
    int64_t rest = i;
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d])
      at[d] = rest % shape[d] + (start.empty() ? 0 : start[d]);
    access.offsets.push_back(offsets(at) * access.element.bytes());
  }
  return access;
}

/// A program has threads as soon as one of its tiles has a layout, or it uses shared memory.
static bool hasThreads(tt::FuncOp kernel) {
  auto found = kernel.walk([](Operation *op) {
    bool is = isa<ttg::TileGPUDialect, ttng::TileNVGPUDialect>(op->getDialect());
    for (Type type : op->getResultTypes())
      if (auto tile = dyn_cast<RankedTensorType>(type))
        is |= bool(tile.getEncoding());
    return is ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found.wasInterrupted();
}

void Builder::planThreads(tt::FuncOp kernel) {
  if (!hasThreads(kernel))
    return;
  program.actors = 1;
  program.actorNames.push_back("the program");
  kernel.walk([&](ttg::WarpGroupsOp groups) {
    actors[groups] = program.actors;
    for (Attribute name : groups.getNames()) {
      program.actorNames.push_back("warp group '" + cast<StringAttr>(name).str() + "'");
      ++program.actors;
    }
  });
  auto narrow = [](unsigned &granule, Type element) {
    granule = std::min(granule, elementOf(element).bytes());
  };
  SmallVector<ttg::LocalAllocOp> unplaced;
  kernel.walk([&](Operation *op) {
    for (Type type : op->getOperandTypes())
      if (auto pointer = dyn_cast<tt::PointerType>(tt::elementType(type)))
        narrow(program.globalGranule, pointer.getPointeeType());
    auto alloc = dyn_cast<ttg::LocalAllocOp>(op);
    if (!alloc)
      return;
    narrow(program.sharedGranule, alloc.getType().getElementType());
    if (auto offset = alloc.getOffset()) {
      places[alloc] = *offset;
      program.sharedBytes = std::max(program.sharedBytes, *offset + alloc.getBytes());
    } else {
      unplaced.push_back(alloc);
    }
  });
  // What has no place yet gets one of its own.
  for (ttg::LocalAllocOp alloc : unplaced) {
    places[alloc] = llvm::alignTo(program.sharedBytes, 128);
    program.sharedBytes = places[alloc] + alloc.getBytes();
  }
  program.sharedBytes = llvm::alignTo(program.sharedBytes, 8);
}

} // namespace tritium::interpreter
