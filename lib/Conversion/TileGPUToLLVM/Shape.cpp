//===- Shape.cpp - ranges, splats, and tiles under another name -----------===//

#include "Lowering.h"

#include <map>

using namespace mlir;

namespace tritium::ttg {

LogicalResult Lowering::lowerRange(tt::MakeRangeOp op) {
  const TileLayout &layout = this->layout(op);
  const auto &thread = threadCoordinates(op);
  int64_t start = static_cast<int32_t>(op.getStart());
  Registers result;
  for (unsigned r = 0; r < layout.registers(); ++r) {
    Value x = coordinate(layout, thread, r, 0);
    result.push_back(start ? add(x, i32(start)) : x);
  }
  set(op, std::move(result));
  return success();
}

Value Lowering::emitConstant(Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value); number && tt::scalarBits(number.getType()) == 8)
    return constant(intType(8), number.getValue().bitcastToAPInt().getSExtValue());
  return constant(cast<TypedAttr>(value));
}

LogicalResult Lowering::lowerSplat(Operation *op) {
  Value result = op->getResult(0);
  bool isTile = tt::isTile(result.getType());
  if (auto splat = dyn_cast<tt::SplatOp>(op)) {
    set(result, Registers(layout(result).registers(), scalar(splat.getSrc())));
    return success();
  }
  Attribute value = cast<arith::ConstantOp>(op).getValue();
  if (!isTile) {
    set(result, {emitConstant(value)});
    return success();
  }
  auto elements = dyn_cast<DenseElementsAttr>(value);
  if (!elements || !elements.isSplat())
    return unsupported(op, "a constant tile of different elements");
  set(result,
      Registers(layout(result).registers(), emitConstant(elements.getSplatValue<Attribute>())));
  return success();
}

LogicalResult Lowering::lowerRenaming(Operation *op,
                                      llvm::function_ref<Coordinates(const Coordinates &)> source) {
  Value operand = op->getOperand(0), result = op->getResult(0);
  const TileLayout &from = layout(operand), &to = layout(result);
  // Lanes and warps must already hold what the result wants of them.
  for (StringRef name : {kLane, kWarp})
    for (auto [a, z] : llvm::zip_equal(from.core().bases(name), to.core().bases(name)))
      if (from.core().unflatten(a) != source(to.core().unflatten(z)))
        return op->emitError() << "a bug in the compiler: the layouts of operand and result of '"
                               << op->getName() << "' do not fit";
  std::map<Coordinates, unsigned> registerAt;
  for (unsigned r = 0; r < from.registers(); ++r)
    registerAt.try_emplace(from.offset(r), r);
  Registers registers;
  for (unsigned r = 0; r < to.registers(); ++r) {
    auto it = registerAt.find(source(to.offset(r)));
    if (it == registerAt.end())
      return op->emitError() << "a bug in the compiler: the layouts of operand and result of '"
                             << op->getName() << "' do not fit";
    registers.push_back(get(operand)[it->second]);
  }
  set(result, std::move(registers));
  return success();
}

/// Registers hold what they did, if the result is laid out as `reshapedLayout` says.
LogicalResult Lowering::lowerReshape(tt::ReshapeOp op) {
  auto src = cast<RankedTensorType>(op.getSrc().getType()),
       dst = cast<RankedTensorType>(op.getType());
  Attribute same = reshapedLayout(src.getEncoding(), src.getShape(), dst.getShape());
  if (!same || !sameLayout(same, dst.getEncoding(), dst.getShape()))
    return op.emitError() << "elements change their threads in this reshape; run "
                             "ttg-plan-exchanges first";
  set(op, get(op.getSrc()));
  return success();
}

} // namespace tritium::ttg
