//===- Disassembler.h - NVIDIA's machine code as text -----------*- C++ -*-===//
//
// nvdisasm and cuobjdump come with the CUDA toolkit and are as optional as ptxas.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_TARGET_NVPTX_DISASSEMBLER_H
#define TRITIUM_TARGET_NVPTX_DISASSEMBLER_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tritium::nvptx {

struct Disassembler {
  std::string path;
  std::string version; ///< "13.0.88"
  bool hasLines;       ///< whether it prints which lines code is of: nvdisasm does
};

/// TRITON_NVDISASM_PATH or `nvdisasm`, else TRITON_CUOBJDUMP_PATH or `cuobjdump`, each looked for
/// as ptxas is; "none": not that one.
std::optional<Disassembler> findDisassembler();

/// What it prints of a cubin. On failure fills `error`.
std::optional<std::string> disassemble(const Disassembler &disassembler, const std::string &cubin,
                                       std::string &error);

/// What the hardware does not find out by itself: whom an instruction waits for, and what waits
/// for it. Of a warp there are six barriers for results that take a while.
struct SassControl {
  uint8_t waits; ///< a bit for each barrier that it waits for
  int8_t reads;  ///< the barrier that is done once its operands are read, -1: none
  int8_t writes; ///< the barrier that is done once its result is there, -1: none
  uint8_t stall; ///< clocks until the warp's next instruction at the earliest
};

struct SassInstruction {
  uint64_t offset;                 ///< in its function, bytes
  std::string text;                ///< "@P5 STG.E.128 desc[UR26][R16.64], R4"
  std::string opcode;              ///< "STG"
  std::vector<std::string> labels; ///< in front of it
  std::string file;                ///< of the author's; "": of no line
  unsigned line = 0;
  std::optional<SassControl> control; ///< where the encoding was printed
};

/// The instructions of `nvdisasm -g -c -hex` or `cuobjdump -sass`, without those that fill up the
/// end of a function. Lines that are none are passed over.
std::vector<SassInstruction> readSass(const std::string &text);

/// What instructions of an opcode do, by the names of the simulator's classes; "uniform": work of
/// the warp as a whole, "other": not known.
const char *sassClass(const std::string &opcode);

} // namespace tritium::nvptx

#endif // TRITIUM_TARGET_NVPTX_DISASSEMBLER_H
