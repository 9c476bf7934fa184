//===- Program.h - what stays of a module from launch to launch -*- C++ -*-===//

#ifndef TRITIUM_SIMULATOR_PROGRAM_H
#define TRITIUM_SIMULATOR_PROGRAM_H

#include "tritium/Simulator/Simulator.h"

namespace tritium::sim {

struct Program::State {
  std::mutex mutex;                            ///< launches of a module with variables take turns
  std::vector<std::vector<uint8_t>> variables; ///< by the module's variable; empty: shared
  std::vector<uint64_t> addresses;
};

} // namespace tritium::sim

#endif // TRITIUM_SIMULATOR_PROGRAM_H
