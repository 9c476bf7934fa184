//===- Alias.cpp - which accesses may meet --------------------------------===//

#include "Lowering.h"

#include "tritium/Analysis/Distinct.h"
#include "tritium/Analysis/PointerBases.h"

using namespace mlir;

namespace tritium::cpu {

bool Lowering::mayConflict(Operation *load, Operation *write) {
  Value x = load->getOperand(0), y = write->getOperand(0);
  // Every element reads and writes an address of its own.
  if (x == y && isa<tt::StoreOp>(write) && distinctAddresses(x, strides))
    return false;
  return options.mayAlias || mayShareBase(x, y);
}

} // namespace tritium::cpu
