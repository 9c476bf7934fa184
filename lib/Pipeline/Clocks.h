//===- Clocks.h - which parts of a kernel have clocks -----------*- C++ -*-===//

#ifndef TRITIUM_LIB_PIPELINE_CLOCKS_H
#define TRITIUM_LIB_PIPELINE_CLOCKS_H

#include "tritium/Kernel/KernelClocks.h"

#include "mlir/IR/BuiltinOps.h"

namespace tritium {

/// The scopes of a kernel's text (tt.scopes) as parts, with the rest in front. Scopes of the same
/// lines are one, and so are those of a name that is computed.
std::vector<ClockedPart> scopesOf(mlir::ModuleOp module);

/// The groups of warps of a module of ttgir; none if all warps run the same code.
std::vector<ClockedGroup> warpGroupsOf(mlir::ModuleOp module);

} // namespace tritium

#endif // TRITIUM_LIB_PIPELINE_CLOCKS_H
