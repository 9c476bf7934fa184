//===- MemoryAccess.h - elements in memory ----------------------*- C++ -*-===//

#ifndef TRITIUM_LIB_INTERPRETER_MEMORYACCESS_H
#define TRITIUM_LIB_INTERPRETER_MEMORYACCESS_H

#include "Builder.h"

#include <cstring>

namespace tritium::interpreter {

/// What the accesses of one operation look like in memory. `shape`: of the tile that moves.
struct MemoryAccess {
  Element element;
  std::vector<int64_t> shape;
  Site site;

  MemoryAccess(mlir::Operation *op, mlir::Type element, llvm::ArrayRef<int64_t> shape)
      : element(Builder::elementOf(element)), shape(shape.vec()),
        site(Builder::siteOf(op->getLoc())) {}

  /// The memory at `address`, for lane `i`; null if it is forbidden, and the machine has stopped.
  void *at(Machine &m, uint64_t address, int64_t i, const char *what, bool write) const {
    if (m.mayAccess(address, element.bytes(), write))
      return reinterpret_cast<void *>(address);
    m.refuseAccess(what, address, element.bytes(), write, shape, i, site);
    return nullptr;
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

/// What `op` leaves in memory where `old` was.
Slot updated(tt::RMWOp op, Element element, Slot old, Slot value);

} // namespace tritium::interpreter

#endif // TRITIUM_LIB_INTERPRETER_MEMORYACCESS_H
