//===- Simulation.cpp - the simulated GPU of the extension ----------------===//

#include "Launcher.h"
#include "Module.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;
using namespace tritium::python;

/// Runs what KernelBase._candidate made; answers the counters as text and as JSON.
static std::pair<std::string, std::string> simulate(nb::object candidate, const std::string &arch,
                                                    const std::optional<std::string> &checks,
                                                    uint64_t seed, uint64_t stepLimit) {
  auto *pending =
      static_cast<PendingCall *>(PyCapsule_GetPointer(candidate.ptr(), PendingCall::capsule));
  if (!pending)
    throw nb::python_error();
  tritium_simulation how = {arch.c_str(), checks ? checks->c_str() : nullptr, seed, stepLimit};
  const BoundCall &call = pending->call;
  tritium_error error = {};
  tritium_simulated *result;
  {
    nb::gil_scoped_release release;
    result =
        tritium_kernel_simulate(pending->native, call.arguments, call.count, call.options.data(),
                                call.options.size(), pending->grid, &how, &error);
  }
  if (!result) {
    raise(error);
    throw nb::python_error();
  }
  std::pair<std::string, std::string> both(tritium_simulated_text(result),
                                           tritium_simulated_json(result));
  tritium_simulated_release(result);
  return both;
}

void tritium::python::addSimulation(nb::module_ &module) {
  module.def("simulate", simulate, nb::arg("candidate"), nb::arg("arch"), nb::arg("checks").none(),
             nb::arg("seed"), nb::arg("step_limit"));
}
