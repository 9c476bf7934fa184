//===- DebugDialect.cpp - where a program may stop ------------------------===//

#include "tritium/Dialect/Debug/IR/Debug.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace tritium::dbg;

#include "tritium/Dialect/Debug/IR/DebugDialect.cpp.inc"

#define GET_OP_CLASSES
#include "tritium/Dialect/Debug/IR/DebugOps.cpp.inc"

void DebugDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "tritium/Dialect/Debug/IR/DebugOps.cpp.inc"
      >();
}

LogicalResult LineOp::verify() {
  auto named = static_cast<int32_t>(getNames().size());
  auto count = static_cast<int32_t>(getValues().size());
  if (getTypes().size() != getNames().size() || getMasks().size() != getNames().size() ||
      named > count)
    return emitOpError() << "has " << named << " names, " << getTypes().size() << " types and "
                         << getMasks().size() << " masks for " << count
                         << " values; each name has one of each (line_c1)";
  for (int32_t mask : getMasks())
    if (mask != -1 && (mask < named || mask >= count))
      return emitOpError() << "has the mask " << mask << ", which is none of the operands " << named
                           << " to " << count - 1 << " behind the named ones (line_c2)";
  for (NamedAttribute each : getKnown())
    if (!isa<StringAttr>(each.getValue()))
      return emitOpError() << "knows '" << each.getName().getValue() << "' as " << each.getValue()
                           << ", which must be a text (line_c3)";
  return success();
}

LogicalResult BreakpointOp::verify() {
  if (getPid().size() > 3)
    return emitOpError() << "has " << getPid().size()
                         << " numbers for the program, which has three at most (breakpoint_c1)";
  return success();
}

bool tritium::dbg::hasBreakpoints(Operation *root) {
  return root->walk([](BreakpointOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

bool tritium::dbg::hasLines(Operation *root) {
  return root->walk([](LineOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

void tritium::dbg::eraseStops(Operation *root) {
  root->walk([](Operation *op) {
    if (isa<LineOp, BreakpointOp>(op))
      op->erase();
  });
}
