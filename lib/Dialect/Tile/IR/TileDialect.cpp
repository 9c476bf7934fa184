//===- TileDialect.cpp - the tt dialect itself ----------------------------===//

#include "tritium/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;
using namespace tritium::tt;

#include "tritium/Dialect/Tile/IR/TileDialect.cpp.inc"
#include "tritium/Dialect/Tile/IR/TileEnums.cpp.inc"
#include "tritium/Dialect/Tile/IR/TileInterfaces.cpp.inc"

namespace {
/// Every function of a kernel is inlined: bodies are single blocks that end in
/// tt.return.
struct TileInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Operation *, bool) const final { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
  void handleTerminator(Operation *op, ValueRange results) const final {
    auto ret = cast<ReturnOp>(op);
    for (auto [result, value] : llvm::zip(results, ret.getOperands()))
      result.replaceAllUsesWith(value);
  }
};
} // namespace

void TileDialect::initialize() {
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "tritium/Dialect/Tile/IR/TileOps.cpp.inc"
      >();
  addInterfaces<TileInliner>();
}

Operation *TileDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                            Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

bool tritium::tt::isElementwise(Operation *op) {
  return OpTrait::hasElementwiseMappableTraits(op) || op->hasTrait<Elementwise>();
}

bool tritium::tt::isReadInPlace(OpOperand &operand) {
  if (isa<DataMovement>(operand.getOwner()))
    return operand.getOperandNumber() != 0;
  return isElementwise(operand.getOwner()) || operand.getOwner()->hasTrait<InPlace>();
}

bool tritium::tt::isReadAnywhere(OpOperand &operand) {
  auto movement = dyn_cast<DataMovement>(operand.getOwner());
  return movement && operand.getOperandNumber() == 0 && !movement.isAlongDims();
}

/// The hint attributes are one positive integer, or one per dimension.
static LogicalResult verifyHint(Operation *op, NamedAttribute attr) {
  StringRef name = attr.getName().getValue();
  if (name != "tt.divisibility" && name != "tt.contiguity" && name != "tt.constancy")
    return success();
  auto positive = [](APInt v) { return v.isStrictlyPositive(); };
  if (auto single = dyn_cast<IntegerAttr>(attr.getValue()))
    return positive(single.getValue()) ? success()
                                       : op->emitError() << "'" << name << "' must be positive";
  auto list = dyn_cast<DenseI32ArrayAttr>(attr.getValue());
  if (!list || llvm::any_of(list.asArrayRef(), [](int32_t v) { return v <= 0; }))
    return op->emitError() << "'" << name
                           << "' must be a positive integer or an array<i32> of them";
  return success();
}

LogicalResult TileDialect::verifyOperationAttribute(Operation *op, NamedAttribute attr) {
  return verifyHint(op, attr);
}

LogicalResult TileDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned,
                                                    NamedAttribute attr) {
  return verifyHint(op, attr);
}
