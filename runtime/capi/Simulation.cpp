//===- Simulation.cpp - the simulated GPU of the C interface --------------===//

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

tritium_simulated *tritium_kernel_simulate(tritium_kernel *kernel,
                                           const tritium_argument *arguments, size_t count,
                                           const tritium_option *options, size_t optionCount,
                                           const uint32_t grid[3], const tritium_simulation *how,
                                           tritium_error *error) {
  return guarded(error, static_cast<tritium_simulated *>(nullptr), [&]() -> tritium_simulated * {
    tritium_simulation given = how ? *how : tritium_simulation();
    CompileError failure;
    runtime::simulator::Settings settings;
    settings.seed = given.seed;
    if (given.step_limit)
      settings.stepLimit = given.step_limit;
    std::string arch = given.arch ? given.arch : "sm_80";
    std::string target = runtime::simulator::targetNamed("sim:" + arch);
    runtime::Kernel::Call call{arguments, count, options, optionCount};
    if (!target.empty())
      call.simulated = runtime::simulator::architectureOf(target);
    sim::Counters counters;
    if (target.empty())
      failure = runtime::launchError("OptionError",
                                     "arch='" + arch +
                                         "': no such architecture; there are: sm_75, sm_80, "
                                         "sm_86, sm_89, sm_90");
    else if ((!given.checks || settings.choose(given.checks, "checks", failure)) &&
             unwrap(kernel)->simulate(call, grid, settings, counters, failure))
      return new tritium_simulated{counters.text(), counters.json()};
    report(failure, error);
    return nullptr;
  });
}
