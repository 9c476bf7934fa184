//===- Simulation.cpp - the simulated GPU of the extension ----------------===//

#include "Simulation.h"
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
  const BoundCall &call = pending->call;
  return runSimulation(
      arch, checks, seed, stepLimit,
      [&](const tritium_simulation &how, tritium_error &error) {
        return tritium_kernel_simulate(pending->native, call.arguments, call.count,
                                       call.options.data(), call.options.size(), pending->grid,
                                       &how, &error);
      },
      [](tritium_error &error) {
        raise(error);
        throw nb::python_error();
      });
}

void tritium::python::addSimulation(nb::module_ &module) {
  module.def("simulate", simulate, nb::arg("candidate"), nb::arg("arch"), nb::arg("checks").none(),
             nb::arg("seed"), nb::arg("step_limit"));
}
