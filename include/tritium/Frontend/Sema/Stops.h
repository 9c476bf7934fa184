//===- Stops.h - where a debugger may stop a program ------------*- C++ -*-===//

#ifndef TRITIUM_FRONTEND_SEMA_STOPS_H
#define TRITIUM_FRONTEND_SEMA_STOPS_H

#include "tritium/Frontend/Sema/Sema.h"

namespace tritium::sema::build {

/// A name and what it stands for.
using Variable = std::pair<std::string, Value>;

/// A statement of `function` begins at Sema's position, and `variables` are visible there. Nothing
/// is built within the library, and where tiles are combined element by element.
void line(Sema &sema, llvm::StringRef function, llvm::ArrayRef<Variable> variables);
/// The program stops here; `pid`: only that one, as far as it is said.
void breakpoint(Sema &sema, llvm::ArrayRef<int64_t> pid);

} // namespace tritium::sema::build

#endif // TRITIUM_FRONTEND_SEMA_STOPS_H
