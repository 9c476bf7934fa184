//===- Shared.cpp - tiles with layouts, and in shared memory --------------===//
//
// A layout says which thread holds an element, not what it is: conversions are copies. A buffer
// in shared memory is the number of its first byte, and its layout says where its elements lie.
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "Gather.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tritium::interpreter {

namespace {
/// A value that is the number of a byte.
Tile defineMemory(Builder &b, Value value) {
  Tile handle = b.allocate(IntegerType::get(value.getContext(), 64));
  b.bind(value, handle);
  return handle;
}

/// What memory holds that nobody has written: NaN, or -1.
constexpr uint8_t kUnwritten = 0xff;

void buildAlloc(Builder &b, ttg::LocalAllocOp op) {
  Tile handle = defineMemory(b, op);
  b.add([=, place = b.placeOf(op), bytes = op.getBytes()](Machine &m) {
    *m.at(handle) = place;
    std::fill_n(m.cta->memory.begin() + place, bytes, kUnwritten);
  });
  if (!op.getInit())
    return;
  Tile x = b.get(op.getInit());
  b.add([=, to = b.accessOf(op, op.getInit().getType(), op.getResult())](Machine &m) {
    to.store(m, m.at(x));
  });
}

void buildIndex(Builder &b, ttg::MemDescIndexOp op) {
  Tile ring = b.get(op.getSrc()), index = b.get(op.getIndex()), r = defineMemory(b, op);
  b.add([=, buffers = op.getSrc().getType().getNumBuffers(), bytes = op.getType().getTileBytes(),
         site = Builder::siteOf(op.getLoc())](Machine &m) {
    int64_t i = int32_t(*m.at(index));
    if (i < 0 || i >= buffers)
      return m.fail("buffer " + std::to_string(i) + " of " + std::to_string(buffers) +
                        " does not exist",
                    site);
    *m.at(r) = *m.at(ring) + i * bytes;
  });
}

void buildLocalLoad(Builder &b, ttg::LocalLoadOp op) {
  SharedAccess from = b.accessOf(op, op.getType(), op.getSrc(),
                                 op.getOffsets() ? *op.getOffsets() : ArrayRef<int64_t>());
  Tile r = b.define(op);
  b.add([=](Machine &m) { from.load(m, m.at(r)); });
}

/// Who holds an element of the result reads what its index names.
void buildLocalGather(Builder &b, ttg::LocalGatherOp op) {
  Gather gather(b, op, op.getSrc().getType().getShape());
  SharedAccess from;
  static_cast<TileAccess &>(from) = b.accessOf(op, op.getType());
  from.memory = b.get(op.getSrc());
  from.element = Builder::elementOf(tt::elementType(op.getType()));
  Tile r = b.define(op);
  b.add([=](Machine &m) {
    m.cta->order.nextOperation();
    for (int64_t i = 0; i < r.count; ++i) {
      std::optional<int64_t> place = gather.place(m, i);
      uint64_t address = from.base(m) + place.value_or(0) * from.element.bytes();
      if (!place || !m.cta->mayRead(m, from, address, i))
        return;
      m.at(r)[i] = from.read(m, address);
    }
  });
}

/// Of the threads that hold an element one counts it.
void buildLocalCount(Builder &b, ttg::LocalCountOp op) {
  ttg::MemDescType type = op.getMemory().getType();
  Tile index = b.get(op.getIndex());
  SharedAccess to;
  static_cast<TileAccess &>(to) = b.accessOf(op, op.getIndex().getType());
  to.memory = b.get(op.getMemory());
  to.element = Builder::elementOf(type.getElementType());
  b.add([=, bins = uint64_t(type.getShape()[0])](Machine &m) {
    constexpr uint32_t atomic = 1 + static_cast<uint32_t>(tt::RMWOp::ADD);
    m.cta->order.nextOperation();
    for (int64_t i = 0; i < index.count; ++i) {
      Slot bin = m.at(index)[i];
      if (bin >= bins)
        continue;
      uint64_t address = to.base(m) + bin * to.element.bytes();
      if (!m.cta->mayWrite(m, to, address, i, atomic))
        return;
      to.write(m, address, (to.read(m, address) + 1) & to.element.mask());
    }
  });
}

/// The part of a tile: each of its elements is written by who holds it in the tile.
void buildStoreOfPart(Builder &b, ttg::LocalStoreOp op) {
  ttg::MemDescType type = op.getDst().getType();
  ArrayRef<int64_t> whole = op.getSrc().getType().getShape(), shape = type.getTileShape();
  SharedAccess to =
      b.accessOf(op, RankedTensorType::get(shape, type.getElementType()), op.getDst());
  TileAccess source = b.accessOf(op, op.getSrc().getType());
  auto holders = std::make_shared<Holders>();
  SmallVector<int64_t> places;
  for (size_t i = 0; i < to.offsets.size(); ++i) {
    int64_t rest = i, place = 0, factor = 1;
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d], factor *= whole[d])
      place += (rest % shape[d] + (*op.getOffsets())[d]) * factor;
    places.push_back(place);
    if (source.holders)
      holders->writer.push_back(source.holders->writer[place]);
  }
  to.holders = source.holders ? holders : nullptr;
  to.name = source.name;
  Tile x = b.get(op.getSrc());
  b.add([=](Machine &m) {
    std::vector<Slot> slots;
    for (int64_t place : places)
      slots.push_back(m.at(x)[place]);
    to.store(m, slots.data());
  });
}

void buildLocalStore(Builder &b, ttg::LocalStoreOp op) {
  if (op.getOffsets())
    return buildStoreOfPart(b, op);
  Tile x = b.get(op.getSrc());
  b.add([=, to = b.accessOf(op, op.getSrc().getType(), op.getDst())](Machine &m) {
    to.store(m, m.at(x));
  });
}

/// Pointers and mask are taken at once, memory is read when the copy arrives. What is masked out
/// becomes 0.
void buildCopy(Builder &b, ttg::AsyncCopyGlobalToLocalOp op) {
  Access from(b, op, op.getPtr(), op.getMask(), "copy", /*writes=*/false);
  auto copy = std::make_shared<AsyncCopy>();
  copy->to = b.accessOf(op, op.getPtr().getType(), op.getDst());
  copy->fetch = [from](Machine &m, int64_t i, uint64_t source, uint64_t issued) -> Slot {
    if (m.options.checkRaces && from.threads.holders && !m.cta->isUnchangedSince(issued, source)) {
      m.fail("element " + indexText(from.shape, i) +
                 " of an asynchronous copy is stored to before "
                 "the copy has arrived; an async_wait for its group must stand before",
             from.site);
      return 0;
    }
    return from.read(reinterpret_cast<const void *>(source));
  };
  b.add([=](Machine &m) {
    CopyOnItsWay started{copy, copy->to.base(m), {}};
    from.begin(m);
    for (int64_t i = 0; i < from.pointer.count && !m.stopped; ++i)
      started.sources.push_back(reinterpret_cast<uint64_t>(from.lane(m, i)));
    if (!m.stopped)
      m.cta->start(m, std::move(started));
  });
}
} // namespace

bool buildShared(Builder &b, Operation *op) {
  return TypeSwitch<Operation *, bool>(op)
      .Case([&](ttg::LocalAllocOp op) { return buildAlloc(b, op), true; })
      .Case([&](ttg::MemDescIndexOp op) { return buildIndex(b, op), true; })
      .Case<ttg::MemDescTransOp, ttg::MemDescReshapeOp>([&](auto op) {
        Tile x = b.get(op.getSrc()), r = defineMemory(b, op);
        return b.add([=](Machine &m) { *m.at(r) = *m.at(x); }), true;
      })
      .Case([&](ttg::LocalLoadOp op) { return buildLocalLoad(b, op), true; })
      .Case([&](ttg::LocalGatherOp op) { return buildLocalGather(b, op), true; })
      .Case([&](ttg::LocalStoreOp op) { return buildLocalStore(b, op), true; })
      .Case([&](ttg::LocalCountOp op) { return buildLocalCount(b, op), true; })
      .Case([&](ttg::BarrierOp) { return b.add([](Machine &m) { m.cta->order.barrier(); }), true; })
      .Case([&](ttg::AsyncCopyGlobalToLocalOp op) { return buildCopy(b, op), true; })
      .Case([](ttg::PrefetchL2Op) { return true; })
      .Case(
          [&](ttg::AsyncCommitGroupOp) { return b.add([](Machine &m) { m.cta->commit(); }), true; })
      .Case([&](ttg::AsyncWaitOp op) {
        return b.add([n = op.getNum()](Machine &m) { m.cta->await(m, n); }), true;
      })
      .Default([](Operation *) { return false; });
}

} // namespace tritium::interpreter
