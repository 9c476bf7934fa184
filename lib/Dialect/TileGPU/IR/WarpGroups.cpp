//===- WarpGroups.cpp - groups of warps, barriers between them ------------===//

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/IR/Builders.h"

#include <map>
#include <numeric>

using namespace mlir;
using namespace tritium;
using namespace tritium::ttg;

//===----------------------------------------------------------------------===//
// warp_groups
//===----------------------------------------------------------------------===//

/// `"load" warps 4 registers 40 { ... } "multiply" warps 8 { ... }`
ParseResult WarpGroupsOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<Attribute> names;
  SmallVector<int32_t> warps, registers;
  std::string name;
  while (succeeded(parser.parseOptionalString(&name))) {
    names.push_back(parser.getBuilder().getStringAttr(name));
    registers.push_back(0);
    Region *region = result.addRegion();
    if (parser.parseKeyword("warps") || parser.parseInteger(warps.emplace_back()) ||
        (succeeded(parser.parseOptionalKeyword("registers")) &&
         parser.parseInteger(registers.back())) ||
        parser.parseRegion(*region))
      return failure();
    ensureTerminator(*region, parser.getBuilder(), result.location);
  }
  result.getOrAddProperties<Properties>().names = parser.getBuilder().getArrayAttr(names);
  result.getOrAddProperties<Properties>().warps = parser.getBuilder().getDenseI32ArrayAttr(warps);
  result.getOrAddProperties<Properties>().registers =
      parser.getBuilder().getDenseI32ArrayAttr(registers);
  return parser.parseOptionalAttrDict(result.attributes);
}

void WarpGroupsOp::print(OpAsmPrinter &printer) {
  for (auto [i, region] : llvm::enumerate(getGroups())) {
    printer << ' ' << getNames()[i] << " warps " << getWarps()[i];
    if (getRegisters()[i])
      printer << " registers " << getRegisters()[i];
    printer << ' ';
    printer.printRegion(region, /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/false);
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), {"names", "warps", "registers"});
}

LogicalResult WarpGroupsOp::verify() {
  size_t count = getGroups().size();
  llvm::SmallDenseSet<Attribute> names(getNames().begin(), getNames().end());
  if (count == 0 || getNames().size() != count || names.size() != count ||
      getWarps().size() != count || getRegisters().size() != count)
    return emitOpError() << "(warp_groups_c1) each region needs a number of warps and of registers "
                            "and a name of its own, found "
                         << count << " regions, " << getWarps().size() << " and "
                         << getRegisters().size() << " numbers and " << names.size() << " names";
  for (int32_t warps : getWarps())
    if (warps < 1 || warps > 32 || !llvm::isPowerOf2_32(warps))
      return emitOpError() << "(warp_groups_c2) a group has 1 to 32 warps, a power of two, found "
                           << warps;
  for (int32_t registers : getRegisters())
    if (registers != 0 && (registers < 24 || registers > 256 || registers % 8 != 0))
      return emitOpError() << "(warp_groups_c3) registers of a thread must be 0 or a multiple of 8 "
                              "from 24 to 256, found "
                           << registers;
  return success();
}

unsigned WarpGroupsOp::groupOf(Operation *op) {
  Region *region = op->getParentRegion();
  while (region->getParentOp() != *this)
    region = region->getParentRegion();
  return region->getRegionNumber();
}

int ttg::launchedWarps(tt::FuncOp kernel) {
  int warps = numWarps(kernel);
  kernel.walk([&](WarpGroupsOp op) {
    int sum = std::accumulate(op.getWarps().begin(), op.getWarps().end(), 0);
    bool haveRegisters = llvm::any_of(op.getRegisters(), [](int32_t n) { return n != 0; });
    warps = std::max<int>(warps, haveRegisters ? llvm::alignTo(sum, kWarpsWithRegisters) : sum);
  });
  return warps;
}

namespace {
/// What the groups say of a named barrier.
struct NamedBarrier {
  Operation *first;
  int32_t warps;
  llvm::SmallDenseSet<unsigned> groups;
};

/// The number and warps of a named barrier's operation.
std::optional<std::pair<int32_t, int32_t>> namedBarrier(Operation *op) {
  if (auto arrive = dyn_cast<NamedBarrierArriveOp>(op))
    return std::pair(arrive.getId(), arrive.getWarps());
  if (auto sync = dyn_cast<NamedBarrierSyncOp>(op))
    return std::pair(sync.getId(), sync.getWarps());
  return {};
}
} // namespace

LogicalResult WarpGroupsOp::verifyRegions() {
  if ((*this)->getParentOfType<WarpGroupsOp>())
    return emitOpError() << "(warp_groups_c5) groups can have no groups inside";
  std::map<int32_t, NamedBarrier> barriers;
  for (Region &region : getGroups()) {
    WalkResult result = region.walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        if (tt::isTile(operand.getType()) && !region.isAncestor(operand.getParentRegion())) {
          op->emitOpError() << "(warp_groups_c4) a tile in registers cannot come from outside of "
                               "the group, whose threads are others, found "
                            << operand.getType() << "; let it go through shared memory";
          return WalkResult::interrupt();
        }
      if (auto barrier = namedBarrier(op)) {
        auto [it, isNew] =
            barriers.try_emplace(barrier->first, NamedBarrier{op, barrier->second, {}});
        if (it->second.warps != barrier->second) {
          InFlightDiagnostic error =
              op->emitOpError() << "(warp_groups_c6) all uses of barrier " << barrier->first
                                << " must say the same number of warps, found " << barrier->second;
          error.attachNote(it->second.first->getLoc()) << "here it is " << it->second.warps;
          return WalkResult::interrupt();
        }
        it->second.groups.insert(region.getRegionNumber());
      }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
  }
  for (auto &[id, barrier] : barriers) {
    int32_t come = 0;
    for (unsigned group : barrier.groups)
      come += getWarps()[group];
    if (come != barrier.warps)
      return barrier.first->emitOpError()
             << "(warp_groups_c6) barrier " << id << " waits for " << barrier.warps
             << " warps, but the groups that use it have " << come;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Named barriers
//===----------------------------------------------------------------------===//

static LogicalResult verifyNamedBarrier(Operation *op, int32_t id, int32_t warps) {
  if (!op->getParentOfType<WarpGroupsOp>())
    return op->emitOpError() << "(named_barrier_c1) it must stand in a warp group";
  if (id < 1 || id > 15)
    return op->emitOpError() << "(named_barrier_c2) the number must be 1 to 15, found " << id;
  if (warps <= numWarps(op))
    return op->emitOpError() << "(named_barrier_c3) more warps must come than the group's own "
                             << numWarps(op) << ", found " << warps;
  return success();
}

LogicalResult NamedBarrierArriveOp::verify() {
  return verifyNamedBarrier(*this, getId(), getWarps());
}
LogicalResult NamedBarrierSyncOp::verify() {
  return verifyNamedBarrier(*this, getId(), getWarps());
}
