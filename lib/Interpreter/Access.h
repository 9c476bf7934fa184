//===- Access.h - what operations access in global memory -------*- C++ -*-===//

#ifndef TRITIUM_LIB_INTERPRETER_ACCESS_H
#define TRITIUM_LIB_INTERPRETER_ACCESS_H

#include "Builder.h"

#include <cstring>

namespace tritium::interpreter {

/// The accesses of one operation: where, whether, and what they look like in memory.
struct Access {
  const char *what; ///< "load"
  bool writes;
  Tile pointer;
  std::optional<Tile> mask;
  Element element;
  std::vector<int64_t> shape;
  Site site;
  TileAccess threads;
  uint32_t atomic = 0; ///< as in Stamp

  Access(Builder &b, mlir::Operation *op, mlir::Value ptr, mlir::Value maskValue, const char *what,
         bool writes)
      : what(what), writes(writes), pointer(b.get(ptr)), shape(tt::shapeOf(ptr.getType()).vec()),
        site(Builder::siteOf(op->getLoc())), threads(b.accessOf(op, ptr.getType())) {
    auto type = mlir::cast<tt::PointerType>(tt::elementType(ptr.getType()));
    element = Builder::elementOf(type.getPointeeType());
    if (maskValue)
      mask = b.get(maskValue);
  }

  /// The operation's accesses begin.
  void begin(Machine &m) const {
    if (threads.holders)
      m.cta->order.nextOperation();
  }

  /// The address that lane `i` accesses; null if it is masked out, or forbidden, in
  /// which case the machine has stopped.
  void *lane(Machine &m, int64_t i) const {
    if (mask && !m.at(*mask)[i])
      return nullptr;
    uint64_t address = m.at(pointer)[i];
    if (!m.mayAccess(address, element.bytes(), writes)) {
      m.refuseAccess(what, address, element.bytes(), writes, shape, i, site);
      return nullptr;
    }
    if (threads.holders &&
        !m.cta->mayAccess(m, threads, address, element.bytes(), i, writes, atomic))
      return nullptr;
    return reinterpret_cast<void *>(address);
  }

  Slot read(const void *address) const {
    uint64_t bits = 0;
    std::memcpy(&bits, address, element.bytes());
    return element.bits == 1 ? bits != 0 : fromBits(element, bits);
  }
  void write(void *address, Slot slot) const {
    uint64_t bits = toBits(element, slot);
    std::memcpy(address, &bits, element.bytes());
  }
};

} // namespace tritium::interpreter

#endif // TRITIUM_LIB_INTERPRETER_ACCESS_H
