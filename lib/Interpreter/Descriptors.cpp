//===- Descriptors.cpp - blocks of arrays in memory -----------------------===//
//
// A descriptor is a row of slots: base, extents, strides. Which elements of a block lie within
// the array is decided for each on its own, by its exact index.
//
//===----------------------------------------------------------------------===//

#include "Loops.h"
#include "MemoryAccess.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tritium::interpreter {

namespace {
void buildMake(Builder &b, tt::MakeTensorDescriptorOp op) {
  std::vector<Tile> parts;
  for (Value part : op.getOperands())
    parts.push_back(b.get(part));
  Tile descriptor = b.define(op.getResult());
  b.add([=](Machine &m) {
    for (size_t i = 0; i < parts.size(); ++i)
      m.at(descriptor)[i] = *m.at(parts[i]);
  });
}

/// The elements of one block.
struct BlockAccess : MemoryAccess {
  Tile descriptor;
  std::vector<Tile> starts; ///< the block's first element in each dimension, or
  bool hasRows = false;     ///< the first is a list: of the row of each element
  std::vector<bool> inBounds;
  Slot padding = 0;

  BlockAccess(Builder &b, Operation *op, TypedValue<tt::TensorDescType> desc, ValueRange indices,
              ArrayRef<int64_t> shape)
      : MemoryAccess(op, desc.getType().getElementType(), shape), descriptor(b.get(desc)),
        inBounds(shape.size(), false) {
    for (Value index : indices)
      starts.push_back(b.get(index));
    if (desc.getType().getPadsWithNaN())
      padding = writeFloat(element, std::nan(""));
  }

  /// The index of lane `i` along the last of `dimensions` dimensions, and the lane of the others.
  struct Index {
    __int128 index;
    int64_t others;
  };
  Index split(Machine &m, size_t d, int64_t i) const {
    int64_t position = i % shape[d];
    if (hasRows && d == 0)
      return {static_cast<int64_t>(m.at(starts[0])[position]), 0};
    return {__int128(static_cast<int64_t>(*m.at(starts[d]))) + position, i / shape[d]};
  }

  /// What lane `i` accesses; null if that lies outside of the array, or is forbidden, in which
  /// case the machine has stopped.
  void *lane(Machine &m, int64_t i, const char *what, bool write) const {
    const Slot *parts = m.at(descriptor), *extents = parts + 1, *strides = extents + shape.size();
    uint64_t elements = 0;
    int64_t rest = i;
    for (size_t d = shape.size(); d-- > 0;) {
      auto [index, others] = split(m, d, rest);
      rest = others;
      if (!inBounds[d] && (index < 0 || index >= static_cast<int64_t>(extents[d])))
        return nullptr;
      elements += static_cast<uint64_t>(index) * strides[d];
    }
    return at(m, parts[0] + elements * element.bytes(), i, what, write);
  }
};

BlockAccess blockOf(Builder &b, Operation *op, TypedValue<tt::TensorDescType> desc,
                    ValueRange indices, std::optional<ArrayRef<bool>> inBounds) {
  BlockAccess access(b, op, desc, indices, desc.getType().getBlockShape());
  if (inBounds)
    access.inBounds.assign(inBounds->begin(), inBounds->end());
  return access;
}

BlockAccess rowsOf(Builder &b, Operation *op, TypedValue<tt::TensorDescType> desc, Value rows,
                   Value column, Type tile) {
  BlockAccess access(b, op, desc, {rows, column}, tt::shapeOf(tile));
  access.hasRows = true;
  return access;
}

void addLoad(Builder &b, Value result, BlockAccess access) {
  Tile r = b.define(result);
  b.add([=, access = std::move(access)](Machine &m) {
    for (int64_t i = 0; i < r.count && !m.stopped; ++i) {
      void *address = access.lane(m, i, "load", false);
      m.at(r)[i] = address ? access.read(address) : access.padding;
    }
  });
}

void addStore(Builder &b, Value stored, BlockAccess access) {
  Tile value = b.get(stored);
  b.add([=, access = std::move(access)](Machine &m) {
    for (int64_t i = 0; i < value.count && !m.stopped; ++i)
      if (void *address = access.lane(m, i, "store", true))
        access.write(address, m.at(value)[i]);
  });
}

/// The maximum or minimum of floats as that of their bits, which are compared like those of the
/// value's sign: what two atomics on integers make of it.
Slot updatedFloat(bool isMax, Element element, Slot old, Slot value) {
  Element integer{Kind::Integer, element.bits};
  Slot bits = toBits(element, value);
  bool isNegative = signedValue(bits, element.bits) < 0;
  Slot result = updated(isNegative ? (isMax ? tt::RMWOp::UMIN : tt::RMWOp::UMAX)
                                   : (isMax ? tt::RMWOp::MAX : tt::RMWOp::MIN),
                        integer, toBits(element, old), bits);
  return fromBits(element, result);
}

void buildReduce(Builder &b, tt::DescriptorReduceOp op) {
  BlockAccess access = blockOf(b, op, op.getDesc(), op.getIndices(), {});
  Tile value = b.get(op.getValue());
  b.add([=, kind = op.getKind()](Machine &m) {
    bool isFloatOrder = access.element.isFloat() && kind != tt::RMWOp::FADD;
    for (int64_t i = 0; i < value.count && !m.stopped; ++i) {
      void *address = access.lane(m, i, "atomic access", true);
      if (!address)
        continue;
      Slot old = access.read(address), by = m.at(value)[i];
      access.write(address, isFloatOrder
                                ? updatedFloat(kind == tt::RMWOp::MAX, access.element, old, by)
                                : updated(kind, access.element, old, by));
    }
  });
}
} // namespace

bool buildDescriptors(Builder &b, Operation *op) {
  return TypeSwitch<Operation *, bool>(op)
      .Case([&](tt::MakeTensorDescriptorOp op) { return buildMake(b, op), true; })
      .Case([&](tt::DescriptorLoadOp op) {
        BlockAccess block = blockOf(b, op, op.getDesc(), op.getIndices(), op.getInBounds());
        return addLoad(b, op.getResult(), std::move(block)), true;
      })
      .Case([&](tt::DescriptorGatherOp op) {
        BlockAccess rows = rowsOf(b, op, op.getDesc(), op.getRows(), op.getColumn(), op.getType());
        return addLoad(b, op.getResult(), std::move(rows)), true;
      })
      .Case([&](tt::DescriptorStoreOp op) {
        BlockAccess block = blockOf(b, op, op.getDesc(), op.getIndices(), op.getInBounds());
        return addStore(b, op.getValue(), std::move(block)), true;
      })
      .Case([&](tt::DescriptorScatterOp op) {
        BlockAccess rows =
            rowsOf(b, op, op.getDesc(), op.getRows(), op.getColumn(), op.getValue().getType());
        return addStore(b, op.getValue(), std::move(rows)), true;
      })
      .Case([&](tt::DescriptorReduceOp op) { return buildReduce(b, op), true; })
      .Default([](Operation *) { return false; });
}

} // namespace tritium::interpreter
