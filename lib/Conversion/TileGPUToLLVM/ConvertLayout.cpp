//===- ConvertLayout.cpp - tiles from one layout to another ---------------===//
//
// Of registers or by shuffles (Shuffle.cpp), as the operation says. What goes through shared memory
// is an allocation and a load (LocalMemory.cpp).
//
//===----------------------------------------------------------------------===//

#include "ConvertLayout.h"

#include "Families.h"

#include <map>

using namespace mlir;

namespace tritium::ttg {

/// The registers of `tile` that hold a panel, in the order of the panel's own.
SmallVector<unsigned> registersOfPanel(const TileLayout &tile, const TileLayout &panel,
                                       const Coordinates &start) {
  SmallVector<unsigned> registers;
  if (tile.registers() == panel.registers()) {
    llvm::append_range(registers, llvm::seq(0u, tile.registers()));
    return registers;
  }
  std::map<Coordinates, unsigned> registerAt = byPlace(tile);
  for (unsigned r = 0; r < panel.registers(); ++r) {
    Coordinates at = panel.offset(r);
    for (auto [x, begin] : llvm::zip(at, start))
      x += begin;
    registers.push_back(registerAt.find(at)->second);
  }
  return registers;
}

Registers ConvertLayoutLowering::convertPanels(const Panels &panels, const TileLayout &from,
                                               const TileLayout &to, ArrayRef<Value> registers,
                                               llvm::function_ref<Registers(ArrayRef<Value>)> by) {
  Registers result(to.registers());
  for (const Coordinates &start : panels.starts) {
    Registers panel;
    for (unsigned r : registersOfPanel(from, panels.from, start))
      panel.push_back(registers[r]);
    for (auto [r, value] : llvm::zip(registersOfPanel(to, panels.to, start), by(panel)))
      result[r] = value;
  }
  return result;
}

LogicalResult ConvertLayoutLowering::lowerConvert(ConvertLayoutOp op) {
  Type element = tt::elementType(op.getType());
  const TileLayout &from = layout(op.getSrc()), &to = layout(op);
  const Registers &registers = get(op.getSrc());
  TileConversion plan = planConversion(from, to, 8 * tt::scalarBytes(element));
  if (op.getMechanism() == Mechanism::Registers && plan.kind == TileConversion::Registers) {
    std::map<Coordinates, unsigned> registerAt = byPlace(from);
    Registers result;
    for (unsigned r = 0; r < to.registers(); ++r)
      result.push_back(registers[registerAt.find(to.offset(r))->second]);
    set(op, std::move(result));
    return success();
  }
  if (op.getMechanism() == Mechanism::Shuffles && plan.kind == TileConversion::Shuffles) {
    set(op, convertPanels(*plan.panels, from, to, registers, [&](ArrayRef<Value> panel) {
          return shuffleTile(plan.shuffles, element, panel);
        }));
    return success();
  }
  return op.emitError() << "it is not said how this conversion moves elements, or it cannot be in "
                           "this way; leave that to ttg-plan-exchanges";
}

void populateConvertLayoutPatterns(LoweringPatterns &patterns, const LoweringContext &context) {
  auto family = std::make_shared<ConvertLayoutLowering>(context);
  patterns.add<ConvertLayoutOp>([=](ConvertLayoutOp op) { return family->lowerConvert(op); });
}

} // namespace tritium::ttg
