//===- Simulation.h - runs on the simulated GPU, for Python -----*- C++ -*-===//

#ifndef TRITIUM_PYTHON_SIMULATION_H
#define TRITIUM_PYTHON_SIMULATION_H

#include "WithGIL.h"

#include "tritium/tritium.h"

#include <optional>
#include <string>
#include <utility>

namespace tritium::python {

/// Calls `run(how, error)`, which answers a tritium_simulated or null, without the GIL.
/// Answers the counters as text and as JSON; after an error `fail(error)` raises.
template <typename Run, typename Fail>
std::pair<std::string, std::string>
runSimulation(const std::string &arch, const std::optional<std::string> &checks, uint64_t seed,
              uint64_t stepLimit, Run run, Fail fail) {
  tritium_simulation how = {arch.c_str(), checks ? checks->c_str() : nullptr, seed, stepLimit};
  tritium_error error = {};
  tritium_simulated *result;
  {
    WithoutGIL release;
    result = run(how, error);
  }
  if (!result)
    fail(error);
  std::pair<std::string, std::string> both(tritium_simulated_text(result),
                                           tritium_simulated_json(result));
  tritium_simulated_release(result);
  return both;
}

} // namespace tritium::python

#endif // TRITIUM_PYTHON_SIMULATION_H
