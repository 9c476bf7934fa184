//===- Shared.cpp - tiles with layouts, and in shared memory --------------===//
//
// A layout says which thread holds an element, not what it is: conversions are copies. Shared
// memory are slots of the frame; a buffer is the number of its first slot, and the encoding's
// order says where its elements lie. Copies are over when they start.
//
//===----------------------------------------------------------------------===//

#include "Loops.h"

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tritium::interpreter {

std::vector<int32_t> placesIn(ttg::MemDescType memory, ArrayRef<int64_t> shape,
                              ArrayRef<int64_t> start) {
  SmallVector<int64_t> strides(memory.getTileShape().size());
  int64_t stride = 1;
  for (int32_t d : memory.getLayout().getFastestFirst()) {
    strides[d] = stride;
    stride *= memory.getTileShape()[d];
  }
  std::vector<int32_t> places(1, 0);
  for (size_t d = 0; d < shape.size(); ++d) {
    std::vector<int32_t> next;
    for (int32_t base : places)
      for (int64_t i = 0; i < shape[d]; ++i)
        next.push_back(base + int32_t(((start.empty() ? 0 : start[d]) + i) * strides[d]));
    places = std::move(next);
  }
  return places;
}

namespace {
int64_t elementsOf(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

/// A value that is the number of a slot.
Tile defineMemory(Builder &b, Value value) {
  Tile handle = b.allocate(IntegerType::get(value.getContext(), 64));
  b.bind(value, handle);
  return handle;
}
} // namespace

bool buildShared(Builder &b, Operation *op) {
  return TypeSwitch<Operation *, bool>(op)
      .Case([&](ttg::ConvertLayoutOp op) {
        Tile x = b.get(op.getSrc());
        return b.addCopy(x, b.define(op)), true;
      })
      .Case([&](ttg::LocalAllocOp op) {
        ttg::MemDescType type = op.getType();
        Tile storage =
            b.allocate(Builder::elementOf(type.getElementType()), elementsOf(type.getShape()));
        Tile handle = defineMemory(b, op);
        return b.add([=](Machine &m) { *m.at(handle) = storage.offset; }), true;
      })
      .Case([&](ttg::MemDescIndexOp op) {
        Tile ring = b.get(op.getSrc()), index = b.get(op.getIndex()), r = defineMemory(b, op);
        int64_t elements = elementsOf(op.getType().getShape());
        b.add([=](Machine &m) {
          *m.at(r) = *m.at(ring) + int64_t(int32_t(*m.at(index))) * elements;
        });
        return true;
      })
      .Case([&](ttg::MemDescTransOp op) {
        Tile x = b.get(op.getSrc()), r = defineMemory(b, op);
        return b.add([=](Machine &m) { *m.at(r) = *m.at(x); }), true;
      })
      .Case([&](ttg::LocalLoadOp op) {
        ArrayRef<int64_t> start = op.getOffsets() ? *op.getOffsets() : ArrayRef<int64_t>();
        Tile memory = b.get(op.getSrc()), r = b.define(op);
        b.add([=, places = placesIn(op.getSrc().getType(), tt::shapeOf(op.getType()), start)](
                  Machine &m) {
          const Slot *from = m.frame.data() + *m.at(memory);
          for (int64_t i = 0; i < r.count; ++i)
            m.at(r)[i] = from[places[i]];
        });
        return true;
      })
      .Case([&](ttg::LocalStoreOp op) {
        Tile x = b.get(op.getSrc()), memory = b.get(op.getDst());
        b.add([=, places = placesIn(op.getDst().getType(), tt::shapeOf(op.getSrc().getType()), {})](
                  Machine &m) {
          Slot *to = m.frame.data() + *m.at(memory);
          for (int64_t i = 0; i < x.count; ++i)
            to[places[i]] = m.at(x)[i];
        });
        return true;
      })
      .Case<ttg::AsyncCommitGroupOp, ttg::AsyncWaitOp>([](auto) { return true; })
      .Default([](Operation *) { return false; });
}

} // namespace tritium::interpreter
