//===- DebugLines.cpp - line tables for PTX -------------------------------===//

#include "DebugLines.h"

#include "tritium/Support/EmitRemark.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace {

LLVM::DIFileAttr fileOf(MLIRContext *context, FileLineColLoc place) {
  StringRef path = place ? place.getFilename().getValue() : "<unknown>";
  return LLVM::DIFileAttr::get(context, llvm::sys::path::filename(path),
                               llvm::sys::path::parent_path(path));
}

} // namespace

void tritium::nvptx::attachDebugLines(ModuleOp module) {
  MLIRContext *context = module.getContext();
  LLVM::DICompileUnitAttr unit;
  auto type = LLVM::DISubroutineTypeAttr::get(context, llvm::dwarf::DW_CC_normal, {});
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    if (function.isExternal() ||
        function.getLoc()->findInstanceOf<FusedLocWith<LLVM::DISubprogramAttr>>())
      continue;
    FileLineColLoc place = authorsPlace(function.getLoc());
    LLVM::DIFileAttr file = fileOf(context, place);
    if (!unit)
      unit = LLVM::DICompileUnitAttr::get(DistinctAttr::create(UnitAttr::get(context)),
                                          llvm::dwarf::DW_LANG_C, file,
                                          StringAttr::get(context, "tritium"), /*isOptimized=*/true,
                                          LLVM::DIEmissionKind::DebugDirectivesOnly);
    unsigned line = place ? place.getLine() : 1;
    auto name = StringAttr::get(context, function.getName());
    auto program = LLVM::DISubprogramAttr::get(
        context, DistinctAttr::create(UnitAttr::get(context)), unit, file, name, name, file, line,
        line, LLVM::DISubprogramFlags::Definition | LLVM::DISubprogramFlags::Optimized, type);
    function->setLoc(FusedLoc::get(context, {function.getLoc()}, program));
  }
}
