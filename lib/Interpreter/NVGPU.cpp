//===- NVGPU.cpp - barriers in memory, boxes, dots of warp groups ---------===//

#include "Builder.h"
#include "Loops.h"

#include "tritium/Dialect/TileNVGPU/IR/TileNVGPU.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cstring>

using namespace mlir;

namespace tritium::interpreter {

namespace {
/// The tile that lies in memory, of no thread in particular.
SharedAccess wholeOf(Builder &b, Operation *op, TypedValue<ttg::MemDescType> memory) {
  ttg::MemDescType type = memory.getType();
  auto shape = RankedTensorType::get(type.getTileShape(), type.getElementType());
  return b.accessOf(op, shape, memory);
}

/// A barrier: one i64, which one thread writes.
SharedAccess barrierOf(Builder &b, Operation *op, TypedValue<ttg::MemDescType> memory) {
  return b.accessOf(op, memory.getType().getElementType(), memory);
}

void buildBarrier(Builder &b, ttng::MBarrierWaitOp op) {
  Tile parity = b.get(op.getParity());
  b.add([=, at = barrierOf(b, op, op.getBarrier())](Machine &m) {
    m.cta->waitFor(m, at, static_cast<uint32_t>(*m.at(parity)));
  });
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

/// The part of a tensor that a copy moves: where its elements lie in global memory.
struct Box {
  Tile base;
  std::vector<Tile> shape, strides, offsets;
  std::vector<int64_t> extents;
  Element element;
  bool isStore;
  TileAccess access;
  Site site;

  template <typename Op>
  Box(Builder &b, Op op, ArrayRef<int64_t> tile, bool isStore)
      : base(b.get(op.getBase())), extents(op.getOffsets().size() - tile.size(), 1),
        element(Builder::elementOf(cast<tt::PointerType>(op.getBase().getType()).getPointeeType())),
        isStore(isStore), access(b.accessOf(op, op.getBase().getType())),
        site(Builder::siteOf(op.getLoc())) {
    llvm::append_range(extents, tile);
    for (auto [list, values] : {std::pair(&shape, ValueRange(op.getShape())),
                                std::pair(&strides, ValueRange(op.getStrides())),
                                std::pair(&offsets, ValueRange(op.getOffsets()))})
      for (Value value : values)
        list->push_back(b.get(value));
  }

  /// The address of each element, 0 outside of the tensor. Empty: an access is forbidden.
  std::vector<uint64_t> addresses(Machine &m) const {
    if (!checkPlace(m))
      return {};
    std::vector<uint64_t> result;
    int64_t count = 1;
    for (int64_t extent : extents)
      count *= extent;
    for (int64_t i = 0; i < count; ++i) {
      uint64_t address = *m.at(base);
      int64_t rest = i;
      for (size_t d = extents.size(); d-- > 0; rest /= extents[d]) {
        int64_t x = int64_t(int32_t(*m.at(offsets[d]))) + rest % extents[d];
        if (x < 0 || x >= int64_t(*m.at(shape[d])))
          address = 0;
        if (address)
          address += uint64_t(x) * *m.at(strides[d]) * element.bytes();
      }
      if (address && !mayAccess(m, address, i))
        return {};
      result.push_back(address);
    }
    return result;
  }

  Slot read(uint64_t address) const {
    uint64_t bits = 0;
    std::memcpy(&bits, reinterpret_cast<const void *>(address), element.bytes());
    return element.bits == 1 ? bits != 0 : fromBits(element, bits);
  }
  void write(uint64_t address, Slot slot) const {
    uint64_t bits = toBits(element, slot);
    std::memcpy(reinterpret_cast<void *>(address), &bits, element.bytes());
  }

private:
  /// (tma_c7) of copies.
  bool checkPlace(Machine &m) const {
    auto refuse = [&](const std::string &what) { return m.fail("(tma_c7) " + what, site), false; };
    int64_t size = element.bytes(), first = int64_t(int32_t(*m.at(offsets.back()))) * size;
    constexpr int64_t chunk = 16;
    if (first % chunk)
      return refuse("rows of a box begin at multiples of 16 bytes of the tensor's, found " +
                    std::to_string(first));
    if (!isStore)
      return true;
    for (const Tile &offset : offsets)
      if (auto at = int32_t(*m.at(offset)); at < 0)
        return refuse("a stored box must not begin in front of the tensor, found an index of " +
                      std::to_string(at));
    int64_t row = extents.back() * size, end = int64_t(*m.at(shape.back())) * size;
    if (end % chunk && first < end && first + row > end)
      return refuse("rows of a stored box are cut off at multiples of 16 bytes, found " +
                    std::to_string(end));
    return true;
  }

  bool mayAccess(Machine &m, uint64_t address, int64_t i) const {
    if (!m.mayAccess(address, element.bytes(), isStore)) {
      m.refuseAccess(isStore ? "store" : "copy", address, element.bytes(), isStore, extents, i,
                     site);
      return false;
    }
    // One thread does it.
    return !access.holders ||
           m.cta->mayAccess(m, access, address, element.bytes(), 0, isStore, /*atomic=*/0);
  }
};

void buildLoad(Builder &b, ttng::LoadBoxOp op) {
  auto box = std::make_shared<const Box>(b, op, tt::shapeOf(op.getType()), /*isStore=*/false);
  Tile result = b.define(op.getResult());
  b.add([=](Machine &m) {
    for (auto [i, address] : llvm::enumerate(box->addresses(m)))
      m.at(result)[i] = address ? box->read(address) : 0;
  });
}

void buildLoad(Builder &b, ttng::TMALoadOp op) {
  auto box =
      std::make_shared<const Box>(b, op, op.getDst().getType().getTileShape(), /*isStore=*/false);
  auto copy = std::make_shared<AsyncCopy>();
  copy->to = wholeOf(b, op, op.getDst());
  copy->fetch = [box](Machine &, int64_t, uint64_t source, uint64_t) { return box->read(source); };
  b.add([=, at = barrierOf(b, op, op.getBarrier())](Machine &m) {
    m.cta->order.nextOperation();
    CopyOnItsWay started{copy, copy->to.base(m), box->addresses(m)};
    if (!m.stopped)
      m.cta->startFor(m, at, std::move(started));
  });
}

void buildStore(Builder &b, ttng::TMAStoreOp op) {
  auto box =
      std::make_shared<const Box>(b, op, op.getSrc().getType().getTileShape(), /*isStore=*/true);
  auto from = std::make_shared<const SharedAccess>(wholeOf(b, op, op.getSrc()));
  CTA::Reader reader{/*thread=*/0};
  if (op.getByWarp())
    reader.elementsOfWarp = from->offsets.size() / static_cast<size_t>(ttg::numWarps(op));
  b.add([=](Machine &m) {
    m.cta->order.nextOperation();
    if (reader.elementsOfWarp)
      m.cta->order.meetInWarps();
    uint64_t base = from->base(m);
    std::vector<uint64_t> addresses = box->addresses(m);
    if (m.stopped || !m.cta->beginRead(m, *from, base, reader))
      return;
    auto elements = std::make_shared<std::vector<Slot>>();
    auto read = [=](Machine &m) {
      m.cta->endRead(m, *from, base, reader);
      for (uint32_t offset : from->offsets)
        elements->push_back(from->read(m, base + offset));
    };
    auto write = [=, addresses = std::move(addresses)](Machine &) {
      for (size_t i = 0; i < addresses.size(); ++i)
        if (addresses[i])
          box->write(addresses[i], (*elements)[i]);
    };
    m.cta->openStores().push_back({std::move(read), std::move(write)});
  });
}

void buildCommit(Builder &b) {
  b.add([](Machine &m) {
    auto stores =
        std::make_shared<const std::vector<CTA::Store>>(std::exchange(m.cta->openStores(), {}));
    auto each = [stores](auto phase) {
      return [=](Machine &m) {
        for (const CTA::Store &store : *stores)
          (store.*phase)(m);
      };
    };
    m.cta->stores().start(each(&CTA::Store::write), each(&CTA::Store::read));
  });
}

//===----------------------------------------------------------------------===//
// Dots
//===----------------------------------------------------------------------===//

/// An operand in shared memory, and slots for its elements.
struct DotOperand {
  std::shared_ptr<const SharedAccess> access; ///< null: it is in registers
  Tile tile;
};

DotOperand operandOf(Builder &b, Operation *op, Value operand) {
  auto memory = dyn_cast<TypedValue<ttg::MemDescType>>(operand);
  if (!memory)
    return {nullptr, b.get(operand)};
  DotOperand result{std::make_shared<const SharedAccess>(wholeOf(b, op, memory)), {}};
  result.tile = b.allocate(result.access->element, result.access->offsets.size());
  return result;
}

void buildDot(Builder &b, ttng::WarpGroupDotOp op) {
  ArrayRef<int64_t> shape = tt::shapeOf(op.getType());
  DotOperand left = operandOf(b, op, op.getA()), right = operandOf(b, op, op.getB());
  Tile c = b.get(op.getC()), number = b.dotOf(op.getResult());
  std::vector<DotOperand> inMemory;
  for (const DotOperand &operand : {left, right})
    if (operand.access)
      inMemory.push_back(operand);
  b.add([=](Machine &m) {
    std::vector<uint64_t> bases;
    for (const DotOperand &operand : inMemory) {
      bases.push_back(operand.access->base(m));
      if (!m.cta->beginRead(m, *operand.access, bases.back(), {kSeveral}))
        return;
      for (size_t i = 0; i < operand.access->offsets.size(); ++i)
        m.at(operand.tile)[i] = operand.access->read(m, bases.back() + operand.access->offsets[i]);
    }
    CTA::Queue &dots = m.cta->dots();
    dots.start([=](Machine &m) {
      m.cta->order.nextOperation();
      for (size_t i = 0; i < inMemory.size(); ++i)
        m.cta->endRead(m, *inMemory[i].access, bases[i], {kSeveral});
    });
    *m.at(number) = dots.started;
  });
  int64_t depth = left.tile.count / shape[0];
  addDot(b, {1, shape[0], shape[1], depth}, left.tile, right.tile, c, b.define(op.getResult()),
         op.getIsUnsigned());
  for (const DotOperand &operand : inMemory)
    b.release(operand.tile);
}

void buildDotWait(Builder &b, ttng::WarpGroupDotWaitOp op) {
  b.add([n = op.getPendings()](Machine &m) { m.cta->dots().await(m, n); });
  for (auto [tile, result] : llvm::zip(op.getTiles(), op.getResults())) {
    b.addCopy(b.get(tile), b.define(result));
    if (b.mayBeInFlight(tile))
      b.addCopy(b.dotOf(tile), b.dotOf(result));
  }
}
} // namespace

bool buildNVGPU(Builder &b, Operation *op) {
  return TypeSwitch<Operation *, bool>(op)
      .Case([&](ttng::MBarrierInitOp op) {
        b.add([at = barrierOf(b, op, op.getBarrier()), count = op.getCount()](Machine &m) {
          m.cta->initBarrier(m, at, count);
        });
        return true;
      })
      .Case([&](ttng::MBarrierInvalidateOp op) {
        b.add([at = barrierOf(b, op, op.getBarrier())](Machine &m) {
          m.cta->invalidateBarrier(m, at);
        });
        return true;
      })
      .Case([&](ttng::MBarrierExpectOp op) {
        b.add([at = barrierOf(b, op, op.getBarrier()), bytes = op.getBytes()](Machine &m) {
          m.cta->arriveAt(m, at, 1, bytes);
        });
        return true;
      })
      .Case([&](ttng::MBarrierArriveOp op) {
        b.add([at = barrierOf(b, op, op.getBarrier()), count = op.getCount()](Machine &m) {
          m.cta->arriveAt(m, at, count, 0);
        });
        return true;
      })
      .Case([&](ttng::MBarrierWaitOp op) { return buildBarrier(b, op), true; })
      .Case<ttng::LoadBoxOp, ttng::TMALoadOp>([&](auto op) { return buildLoad(b, op), true; })
      .Case([&](ttng::TMAStoreOp op) { return buildStore(b, op), true; })
      .Case([&](ttng::TMAStoreCommitOp) { return buildCommit(b), true; })
      .Case<ttng::PrefetchRunOp, ttng::KeepOperandOp>([](auto) { return true; })
      .Case([&](ttng::TMAStoreWaitOp op) {
        b.add([n = op.getPendings(), reads = op.getReads(), byWarp = op.getByWarp()](Machine &m) {
          reads ? m.cta->stores().awaitReads(m, n) : m.cta->stores().await(m, n);
          if (byWarp)
            m.cta->order.meetInWarps();
        });
        return true;
      })
      .Case([&](ttng::FenceAsyncProxyOp) {
        return b.add([](Machine &m) { m.cta->order.fence(); }), true;
      })
      .Case([&](ttng::RoundToTF32Op op) {
        return b.addCopy(b.get(op.getOperand()), b.define(op.getResult())), true;
      })
      .Case([&](ttng::WarpGroupDotOp op) { return buildDot(b, op), true; })
      .Case([&](ttng::WarpGroupDotWaitOp op) { return buildDotWait(b, op), true; })
      .Default([](Operation *) { return false; });
}

} // namespace tritium::interpreter
