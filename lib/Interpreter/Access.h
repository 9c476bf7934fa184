//===- Access.h - what operations access in global memory -------*- C++ -*-===//

#ifndef TRITIUM_LIB_INTERPRETER_ACCESS_H
#define TRITIUM_LIB_INTERPRETER_ACCESS_H

#include "MemoryAccess.h"

namespace tritium::interpreter {

/// The accesses of one operation through pointers: where, and whether.
struct Access : MemoryAccess {
  const char *what; ///< "load"
  bool writes;
  Tile pointer;
  std::optional<Tile> mask;
  TileAccess threads;
  uint32_t atomic = 0; ///< as in Stamp

  Access(Builder &b, mlir::Operation *op, mlir::Value ptr, mlir::Value maskValue, const char *what,
         bool writes)
      : MemoryAccess(op,
                     mlir::cast<tt::PointerType>(tt::elementType(ptr.getType())).getPointeeType(),
                     tt::shapeOf(ptr.getType())),
        what(what), writes(writes), pointer(b.get(ptr)), threads(b.accessOf(op, ptr.getType())) {
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
    void *place = at(m, address, i, what, writes);
    if (!place)
      return nullptr;
    if (threads.holders &&
        !m.cta->mayAccess(m, threads, address, element.bytes(), i, writes, atomic))
      return nullptr;
    return place;
  }
};

} // namespace tritium::interpreter

#endif // TRITIUM_LIB_INTERPRETER_ACCESS_H
