//===- TileOffsets.cpp - where elements lie in memory ---------------------===//

#include "tritium/Dialect/TileGPU/IR/TileOffsets.h"

#include "tritium/Layout/TileConversion.h"

using namespace mlir;

namespace tritium::ttg {

TileOffsets::TileOffsets(MemDescType memory)
    : shape(memory.getTileShape()), panel(memory.getLayout().getPanel(shape)) {
  SmallVector<int32_t> order = memory.getLayout().getFastestFirst();
  slowestFirst.assign(order.rbegin(), order.rend());
  if (panel.empty())
    return;
  std::rotate(slowestFirst.begin(), slowestFirst.end() - 1, slowestFirst.end());
  inPanel = memory.getLayout().getPanelOffsets(panel);
  for (int64_t extent : panel)
    elements *= extent;
}

int64_t TileOffsets::operator()(ArrayRef<int64_t> place) const {
  int64_t number = 0;
  for (int32_t d : slowestFirst)
    number = panel.empty() ? number * shape[d] + place[d]
                           : number * llvm::divideCeil(shape[d], panel[d]) + place[d] / panel[d];
  if (panel.empty())
    return number;
  uint64_t flat = 0;
  unsigned shift = 0;
  for (auto [x, extent] : llvm::zip_equal(place, panel)) {
    flat |= uint64_t(x % extent) << shift;
    shift += llvm::Log2_64(extent);
  }
  return number * elements + int64_t(inPanel.apply({flat}));
}

bool isWholePanels(MemDescType memory) {
  ArrayRef<int64_t> shape = memory.getTileShape();
  SmallVector<int64_t, 4> panel = memory.getLayout().getPanel(shape);
  return !panel.empty() && llvm::all_of(llvm::zip_equal(shape, panel), [](auto extents) {
    return std::get<0>(extents) % std::get<1>(extents) == 0;
  });
}

bool coversPanels(RankedTensorType tile, MemDescType memory) {
  SmallVector<int64_t, 4> panel = memory.getLayout().getPanel(memory.getTileShape());
  if (memory.getTileShape() != tile.getShape())
    return layoutOfPart(layoutOf(tile), memory.getTileShape()).has_value();
  return panel.empty() || tritium::coversPanels(layoutOf(tile), panel);
}

} // namespace tritium::ttg
