//===- Shape.cpp - ranges, splats, and tiles under another name -----------===//

#include "Families.h"

#include "tritium/Dialect/TileGPU/IR/Exchange.h"

#include <map>

using namespace mlir;

namespace tritium::ttg {

namespace {
class ShapeLowering : public LoweringContext {
public:
  explicit ShapeLowering(const LoweringContext &context) : LoweringContext(context) {}

  LogicalResult lowerRange(tt::MakeRangeOp op);
  LogicalResult lowerSplat(Operation *op);
  /// The result takes registers of the operand: `source` tells which element of the operand
  /// an element of the result is.
  LogicalResult lowerRenaming(Operation *op,
                              llvm::function_ref<Coordinates(const Coordinates &)> source);
  LogicalResult lowerReshape(tt::ReshapeOp op);
  LogicalResult lowerExchange(tt::GatherOp op);

private:
  Value emitConstant(Attribute value);
};
} // namespace

LogicalResult ShapeLowering::lowerRange(tt::MakeRangeOp op) {
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

Value ShapeLowering::emitConstant(Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value); number && tt::scalarBits(number.getType()) == 8)
    return constant(intType(8), number.getValue().bitcastToAPInt().getSExtValue());
  return constant(cast<TypedAttr>(value));
}

LogicalResult ShapeLowering::lowerSplat(Operation *op) {
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

LogicalResult
ShapeLowering::lowerRenaming(Operation *op,
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
LogicalResult ShapeLowering::lowerReshape(tt::ReshapeOp op) {
  auto src = cast<RankedTensorType>(op.getSrc().getType()),
       dst = cast<RankedTensorType>(op.getType());
  Attribute same = reshapedLayout(src.getEncoding(), src.getShape(), dst.getShape());
  if (!same || !sameLayout(same, dst.getEncoding(), dst.getShape()))
    return op.emitError() << "elements change their threads in this reshape; run "
                             "ttg-plan-exchanges first";
  set(op, get(op.getSrc()));
  return success();
}

/// Registers under another number, from other lanes.
LogicalResult ShapeLowering::lowerExchange(tt::GatherOp op) {
  auto bits = op->getAttrOfType<IntegerAttr>(kExchangedBits);
  auto exchange = bits ? planWarpExchange(op, bits.getInt()) : std::nullopt;
  if (!exchange)
    return op.emitError() << "elements change their warps in this gather, or it is not said that "
                             "they do not; run ttg-plan-exchanges first";
  if (auto known = tt::exchangedBits(op); known && *known != bits.getInt())
    return op.emitError() << kExchangedBits << " says that places differ in the bits "
                          << bits.getInt() << ", but the indices say " << *known;
  Type element = tt::elementType(op.getType());
  const Registers &source = get(op.getSrc());
  Registers result;
  for (unsigned r = 0; r < source.size(); ++r) {
    Value x = source[r ^ exchange->registers];
    if (exchange->lanes)
      x = fromMemory(shuffleXor(toMemory(x, element), exchange->lanes), element);
    result.push_back(x);
  }
  set(op, std::move(result));
  return success();
}

void populateShapePatterns(LoweringPatterns &patterns, const LoweringContext &context) {
  auto family = std::make_shared<ShapeLowering>(context);
  patterns.add<tt::MakeRangeOp>([=](tt::MakeRangeOp op) { return family->lowerRange(op); });
  patterns.add<tt::SplatOp, arith::ConstantOp>(
      [=](Operation *op) { return family->lowerSplat(op); });
  patterns.add<tt::BroadcastOp>([=](tt::BroadcastOp op) {
    ArrayRef<int64_t> shape = tt::shapeOf(op.getSrc().getType());
    return family->lowerRenaming(op, [=](const Coordinates &at) {
      Coordinates from = at;
      for (auto [x, extent] : llvm::zip(from, shape))
        x = extent == 1 ? 0 : x;
      return from;
    });
  });
  patterns.add<tt::ExpandDimsOp>([=](tt::ExpandDimsOp op) {
    return family->lowerRenaming(op, [axis = op.getAxis()](const Coordinates &at) {
      Coordinates from = at;
      from.erase(from.begin() + axis);
      return from;
    });
  });
  patterns.add<tt::TransOp>([=](tt::TransOp op) {
    return family->lowerRenaming(op, [order = op.getOrder()](const Coordinates &at) {
      Coordinates from(at.size());
      for (auto [x, d] : llvm::zip(at, order))
        from[d] = x;
      return from;
    });
  });
  patterns.add<tt::ReshapeOp>([=](tt::ReshapeOp op) { return family->lowerReshape(op); });
  patterns.add<tt::GatherOp>([=](tt::GatherOp op) { return family->lowerExchange(op); });
}

} // namespace tritium::ttg
