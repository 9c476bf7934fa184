//===- Simulation.cpp - the simulated GPU of the C interface --------------===//

#include "Simulation.h"
#include "Internal.h"

using namespace tritium;
using namespace tritium::capi;

struct tritium_simulated {
  std::string text, json;
};

const char *tritium_simulated_text(const tritium_simulated *simulated) {
  return simulated->text.c_str();
}

const char *tritium_simulated_json(const tritium_simulated *simulated) {
  return simulated->json.c_str();
}

void tritium_simulated_release(tritium_simulated *simulated) { delete simulated; }

bool SimulationRequest::read(const tritium_simulation *given, CompileError &error) {
  tritium_simulation how = given ? *given : tritium_simulation();
  settings.seed = how.seed;
  if (how.step_limit)
    settings.stepLimit = how.step_limit;
  std::string arch = how.arch ? how.arch : "";
  std::optional<Target> target = runtime::simulator::targetNamed(arch);
  if (!target) {
    error = runtime::launchError("OptionError", "arch='" + arch +
                                                    "': no such architecture; there are: " +
                                                    runtime::simulator::architectureNames());
    return false;
  }
  architecture = target->architecture();
  return !how.checks || settings.choose(how.checks, "checks", error);
}

tritium_simulated *tritium::capi::release(const sim::Counters &counters) {
  return new tritium_simulated{counters.text(), counters.json()};
}

tritium_simulated *tritium_kernel_simulate(tritium_kernel *kernel,
                                           const tritium_argument *arguments, size_t count,
                                           const tritium_option *options, size_t optionCount,
                                           const uint32_t grid[3], const tritium_simulation *how,
                                           tritium_error *error) {
  return guarded(error, static_cast<tritium_simulated *>(nullptr), [&]() -> tritium_simulated * {
    CompileError failure;
    SimulationRequest request;
    sim::Counters counters;
    if (request.read(how, failure) &&
        unwrap(kernel)->simulate(
            {arguments, count, options, optionCount, nullptr, request.architecture}, grid,
            request.settings, counters, failure))
      return release(counters);
    report(failure, error);
    return nullptr;
  });
}
