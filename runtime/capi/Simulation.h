//===- Simulation.h - the simulated GPU, for the C interface ----*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_CAPI_SIMULATION_H
#define TRITIUM_RUNTIME_CAPI_SIMULATION_H

#include "../simulator/Code.h"
#include "tritium/tritium.h"

namespace tritium::capi {

/// What tritium_simulation says; null: the defaults.
struct SimulationRequest {
  runtime::simulator::Settings settings;
  unsigned architecture = 0; ///< 80: sm_80
  bool read(const tritium_simulation *given, CompileError &error);
};

/// Hands counters over to the caller.
tritium_simulated *release(const sim::Counters &counters);

} // namespace tritium::capi

#endif // TRITIUM_RUNTIME_CAPI_SIMULATION_H
