//===- DebugLines.cpp - line tables for PTX -------------------------------===//

#include "DebugLines.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace {

/// The place in a source file that `location` stands for: of a call site, where the
/// called code is.
FileLineColLoc placeOf(Location location) {
  if (auto file = dyn_cast<FileLineColLoc>(location))
    return file;
  if (auto name = dyn_cast<NameLoc>(location))
    return placeOf(name.getChildLoc());
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return placeOf(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (FileLineColLoc place = placeOf(part))
        return place;
  return {};
}

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
    FileLineColLoc place = placeOf(function.getLoc());
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
