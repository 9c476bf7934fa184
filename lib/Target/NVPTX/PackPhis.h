//===- PackPhis.h - numbers of a loop that share a register ----*- C++ -*-===//

#ifndef TRITIUM_LIB_TARGET_NVPTX_PACKPHIS_H
#define TRITIUM_LIB_TARGET_NVPTX_PACKPHIS_H

namespace llvm {
class Function;
}

namespace tritium::nvptx {

/// Numbers of 8 and 16 bits that are parts of a word where a block is left, and are put together
/// to the same word again behind its successor's phis, go through one phi, of the word. Of its own
/// phi each would be a register of 16 bits, which ptxas moves to the word that an instruction
/// reads: 32 moves in each iteration of an attention's loop.
void packPhis(llvm::Function &function);

} // namespace tritium::nvptx

#endif // TRITIUM_LIB_TARGET_NVPTX_PACKPHIS_H
