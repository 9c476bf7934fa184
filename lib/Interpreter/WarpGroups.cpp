//===- WarpGroups.cpp - groups of warps, named barriers -------------------===//

#include "Builder.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tritium::interpreter {

std::vector<GroupCode> Builder::codeOf(ttg::WarpGroupsOp op) {
  std::vector<GroupCode> codes;
  auto outer = std::exchange(freeSlots, {});
  for (Region &region : op.getGroups()) {
    // What other groups have given back is theirs until all are over.
    auto others = std::exchange(freeSlots, {});
    codes.push_back(
        {buildBlock(region.front(), [](Operation *) {}), actorsOf(op) + region.getRegionNumber()});
    for (auto [offset, slots] : others)
      outer[offset] = slots;
  }
  auto last = std::exchange(freeSlots, {});
  for (auto *slots : {&outer, &last})
    for (auto [offset, count] : *slots)
      release(Tile{offset, int64_t(count), {}});
  return codes;
}

bool buildGroups(Builder &b, Operation *op) {
  return TypeSwitch<Operation *, bool>(op)
      .Case([&](ttg::WarpGroupsOp op) {
        b.add([codes = b.codeOf(op), site = Builder::siteOf(op.getLoc())](Machine &m) {
          m.cta->runGroups(m, codes, site);
        });
        return true;
      })
      .Case([&](ttg::NamedBarrierArriveOp op) {
        b.add([id = op.getId(), warps = op.getWarps(), mine = ttg::numWarps(op),
               site = Builder::siteOf(op.getLoc())](Machine &m) {
          m.cta->arriveNamed(m, id, warps, mine, site);
        });
        return true;
      })
      .Case([&](ttg::NamedBarrierSyncOp op) {
        b.add([id = op.getId(), warps = op.getWarps(), mine = ttg::numWarps(op),
               site = Builder::siteOf(op.getLoc())](Machine &m) {
          m.cta->syncNamed(m, id, warps, mine, site);
        });
        return true;
      })
      .Default([](Operation *) { return false; });
}

} // namespace tritium::interpreter
