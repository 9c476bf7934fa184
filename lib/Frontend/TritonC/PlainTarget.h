//===- PlainTarget.h - a machine of which nothing is known ------*- C++ -*-===//

#ifndef TRITIUM_LIB_FRONTEND_TRITONC_PLAINTARGET_H
#define TRITIUM_LIB_FRONTEND_TRITONC_PLAINTARGET_H

#include "clang/Basic/TargetInfo.h"

namespace tritium::frontend::tritonc {

/// What clang's preprocessor asks of a target: the widths of integers and characters in `#if`. It
/// has no macros of its own, and brings none of clang's targets into the program.
class PlainTarget : public clang::TargetInfo {
public:
  PlainTarget() : TargetInfo(llvm::Triple("x86_64-unknown-unknown")) {
    LongWidth = LongAlign = PointerWidth = PointerAlign = 64;
    IntMaxType = SignedLong;
  }
  void getTargetDefines(const clang::LangOptions &, clang::MacroBuilder &) const override {}
  llvm::ArrayRef<clang::Builtin::Info> getTargetBuiltins() const override { return {}; }
  BuiltinVaListKind getBuiltinVaListKind() const override { return VoidPtrBuiltinVaList; }
  bool validateAsmConstraint(const char *&, ConstraintInfo &) const override { return false; }
  std::string_view getClobbers() const override { return ""; }
  llvm::ArrayRef<const char *> getGCCRegNames() const override { return {}; }
  llvm::ArrayRef<GCCRegAlias> getGCCRegAliases() const override { return {}; }
};

} // namespace tritium::frontend::tritonc

#endif // TRITIUM_LIB_FRONTEND_TRITONC_PLAINTARGET_H
