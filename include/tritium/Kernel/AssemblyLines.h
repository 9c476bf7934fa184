//===- AssemblyLines.h - where inline assembly comes from ------*- C++ -*-===//
//
// Nobody checks an author's assembly before the assembler does, which counts lines of PTX. So each
// piece begins with a comment that says which line of the kernel it is from.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_KERNEL_ASSEMBLYLINES_H
#define TRITIUM_KERNEL_ASSEMBLYLINES_H

#include <string>
#include <string_view>

namespace tritium {

/// The comment, a line of its own, as LLVM takes it in the text of inline assembly.
std::string assemblyAt(std::string_view file, unsigned line, unsigned column);

/// "FILE:LINE:COLUMN" of the assembly that line `line` of `ptx`, from 1, belongs to, or that ends
/// just before it, where a mistake in its last instruction shows; empty if there is none.
std::string placeOfAssembly(std::string_view ptx, unsigned line);

/// What an assembler's log (ptxas's, the driver's) says of an author's assembly in `ptx`, as an
/// error at the author's line; empty if it says nothing of any.
std::string assemblyError(std::string_view log, std::string_view ptx);

} // namespace tritium

#endif // TRITIUM_KERNEL_ASSEMBLYLINES_H
