//===- Panels.cpp - how wgmma sees a tile in shared memory ----------------===//

#include "tritium/Dialect/TileNVGPU/IR/Panels.h"

#include "tritium/Dialect/TileGPU/IR/Mma.h"

using namespace mlir;

namespace tritium::ttng {

std::optional<Panels> Panels::of(ttg::MemDescType memory) {
  ArrayRef<int64_t> shape = memory.getTileShape();
  SmallVector<int64_t, 4> panel = memory.getLayout().getPanel(shape);
  if (shape.size() != 2 || panel.empty())
    return std::nullopt;
  unsigned bytes = tt::scalarBytes(memory.getElementType());
  for (unsigned fastest : {1u, 0u}) {
    auto layout = ttg::panelLayout(memory.getContext(), shape, fastest, bytes);
    if (layout && panel == layout->getPanel(shape) &&
        layout->getPanelOffsets(panel) == ttg::offsetsOf(memory))
      return Panels{fastest, ttg::panelRowBytes(shape[fastest], bytes)};
  }
  return std::nullopt;
}

std::optional<Panels> Panels::along(unsigned depth, ttg::MemDescType memory) {
  auto panels = of(memory);
  if (panels && panels->fastest != depth && !ttg::takesAcrossDepth(memory.getElementType()))
    return std::nullopt;
  return panels;
}

} // namespace tritium::ttng
