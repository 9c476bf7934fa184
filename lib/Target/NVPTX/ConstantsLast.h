//===- ConstantsLast.h - sums of a loop with their constants last -*- C++ -*-===//

#ifndef TRITIUM_LIB_TARGET_NVPTX_CONSTANTSLAST_H
#define TRITIUM_LIB_TARGET_NVPTX_CONSTANTSLAST_H

namespace llvm {
class Function;
}

namespace tritium::nvptx {

/// Of i + (z + 5), where only i changes in a loop, makes (i + z) + 5. The indices of a tile's
/// elements differ in their constants alone: else each z + 5 stays in a register of its own over
/// the loop. Sums that addresses are computed from
/// stay, as what widens them would have to know that they do not wrap.
void putConstantsLast(llvm::Function &function);

} // namespace tritium::nvptx

#endif // TRITIUM_LIB_TARGET_NVPTX_CONSTANTSLAST_H
