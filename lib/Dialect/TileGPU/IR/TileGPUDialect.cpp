//===- TileGPUDialect.cpp - the ttg dialect itself ------------------------===//

#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FoldInterfaces.h"

using namespace mlir;
using namespace tritium;
using namespace tritium::ttg;

#include "tritium/Dialect/TileGPU/IR/TileGPUDialect.cpp.inc"

namespace {
/// Layouts are named once at the head of a dump: #blocked, #blocked1, #mma, ...
struct LayoutAliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Attribute attr, raw_ostream &out) const final {
    StringRef name =
        llvm::TypeSwitch<Attribute, StringRef>(attr)
            .Case([](BlockedEncodingAttr) { return "blocked"; })
            .Case([](MmaEncodingAttr) { return "mma"; })
            .Case([](LinearEncodingAttr) { return "linear"; })
            .Case<SharedEncodingAttr, SharedLinearEncodingAttr>([](auto) { return "shared"; })
            .Default([](Attribute) { return ""; });
    if (name.empty())
      return AliasResult::NoAlias;
    out << name;
    return AliasResult::OverridableAlias;
  }
};

/// A group's constants stay with it: tiles are in the registers of its threads.
struct ConstantsOfGroups : DialectFoldInterface {
  using DialectFoldInterface::DialectFoldInterface;
  bool shouldMaterializeInto(Region *region) const final {
    return isa<WarpGroupsOp>(region->getParentOp());
  }
};
} // namespace

void TileGPUDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "tritium/Dialect/TileGPU/IR/TileGPUOps.cpp.inc"
      >();
  addInterfaces<LayoutAliases, ConstantsOfGroups>();
}

const GPUModel &ttg::gpuModel(Operation *op) {
  auto module = isa<ModuleOp>(op) ? op : op->getParentOfType<ModuleOp>();
  auto target = module ? module->getAttrOfType<TargetAttr>(kTarget) : TargetAttr();
  return target ? tritium::gpuModel(target.getCompute(), target.getSpecific())
                : tritium::gpuModel(80);
}

int ttg::numWarps(Operation *op) {
  if (auto groups = op->getParentOfType<WarpGroupsOp>())
    return groups.getWarps()[groups.groupOf(op)];
  auto module = isa<ModuleOp>(op) ? op : op->getParentOfType<ModuleOp>();
  auto attr = module ? module->getAttrOfType<IntegerAttr>(kNumWarps) : IntegerAttr();
  return attr ? attr.getInt() : 4;
}

int ttg::numWarps(ModuleOp module, int asked) {
  return module->hasAttr(kNumWarps) ? numWarps(module) : asked;
}

int ttg::numCTAs(Operation *op) {
  auto module = isa<ModuleOp>(op) ? op : op->getParentOfType<ModuleOp>();
  auto attr = module ? module->getAttrOfType<IntegerAttr>(kNumCTAs) : IntegerAttr();
  return attr ? attr.getInt() : 1;
}

int ttg::programsPerCTA(tt::FuncOp kernel) {
  auto attr = kernel->getAttrOfType<IntegerAttr>(kProgramsPerCTA);
  return attr ? attr.getInt() : 1;
}
