//===- MachineCode.h - what a CPU's instructions come to --------*- C++ -*-===//
//
// Reads the assembly of a kernel back: which instructions are of which line of the author's, which
// innermost loops there are, and what a round of each takes by the model that LLVM has of the CPU
// (llvm-mca's). It needs no module of MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_TARGET_CPU_MACHINECODE_H
#define TRITIUM_TARGET_CPU_MACHINECODE_H

#include "tritium/Target/CPU/TargetInfo.h"

#include <compare>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tritium::cpu {

/// A line of the author's; line 0: code that is of none.
struct CodeLine {
  std::string file;
  unsigned line = 0;
  auto operator<=>(const CodeLine &) const = default;
};

/// An instruction of the assembly.
struct CodeInstruction {
  unsigned textLine; ///< from 1
  CodeLine source;
};

/// What instructions of a line take in a round of a loop.
struct LoopLine {
  CodeLine source;
  unsigned instructions = 0;
  double clocks = 0; ///< of the port that is busy longest
};

/// A round of a loop, with all that it reads in the first cache.
struct LoopClocks {
  double simulated = 0; ///< in a core that runs nothing else, once the loop has run a while
  double ports = 0;     ///< what the port that is busy longest takes; no less is possible
  std::string port;     ///< its name, or those of a group: "SPRPort00, SPRPort01"
  /// Busy ports, the busiest first.
  std::vector<std::pair<std::string, double>> all;
};

/// An innermost loop.
struct CodeLoop {
  unsigned first, last;        ///< lines of the assembly, from 1
  unsigned instructions = 0;   ///< that run in each round
  unsigned conditional = 0;    ///< others, which are not counted in anything else
  std::vector<LoopLine> lines; ///< in the order of the author's
  std::optional<LoopClocks> clocks;
  std::string reason; ///< why there are no clocks
};

struct MachineCode {
  std::vector<CodeInstruction> instructions;
  std::vector<CodeLoop> loops; ///< in the order of the assembly
};

/// Nothing with `error` where the text cannot be read.
std::optional<MachineCode> readMachineCode(const std::string &assembly, const TargetInfo &target,
                                           std::string &error);

} // namespace tritium::cpu

#endif // TRITIUM_TARGET_CPU_MACHINECODE_H
