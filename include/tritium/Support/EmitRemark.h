//===- EmitRemark.h - remarks of passes -------------------------*- C++ -*-===//
//
// A pass reports through MLIR's diagnostics, so that tritium-opt shows its remarks and lit
// tests can expect them; what is more than text travels as metadata of the location.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_SUPPORT_EMITREMARK_H
#define TRITIUM_SUPPORT_EMITREMARK_H

#include "tritium/Support/Remark.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"

#include <optional>

namespace tritium {

using RemarkArguments = llvm::ArrayRef<std::pair<llvm::StringRef, std::string>>;

/// Something that would have made the kernel faster was not done: what, why, and what would
/// change it.
void remarkMissed(mlir::Location loc, llvm::StringRef pass, const llvm::Twine &message,
                  RemarkArguments arguments = {});
/// An optimisation was made.
void remarkApplied(mlir::Location loc, llvm::StringRef pass, const llvm::Twine &message,
                   RemarkArguments arguments = {});

/// The author's place: of a call site, where the called code is. Null: there is none.
mlir::FileLineColLoc authorsPlace(mlir::Location loc);

/// That place as FILE:LINE:COLUMN, without directories; "" if there is none.
std::string placeText(mlir::Location loc);

/// The remark in a diagnostic, if it is one of the above.
std::optional<Remark> readRemark(mlir::Diagnostic &diagnostic);

} // namespace tritium

#endif // TRITIUM_SUPPORT_EMITREMARK_H
