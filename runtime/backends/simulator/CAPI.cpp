//===- CAPI.cpp - the simulated GPU of the C interface --------------------===//

#include "Code.h"
#include "Signature.h"
#include "capi/Programs.h"

using namespace tritium;
using namespace tritium::capi;
using runtime::simulator::SimulationDetails;

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

/// What `given` says; null: the defaults. False with `error` for what it cannot say.
static bool read(const tritium_simulation *given, std::optional<Target> &target,
                 SimulationDetails &details, CompileError &error) {
  tritium_simulation how = given ? *given : tritium_simulation();
  details.settings.seed = how.seed;
  if (how.step_limit)
    details.settings.stepLimit = how.step_limit;
  std::string name = how.arch ? how.arch : "", known;
  target = runtime::simulator::targetNamed(name);
  if (!target) {
    for (unsigned architecture : runtime::simulator::architectures())
      known += (known.empty() ? "sm_" : ", sm_") + std::to_string(architecture);
    error = runtime::launchError("OptionError",
                                 "arch='" + name + "': no such architecture; there are: " + known);
    return false;
  }
  return !how.checks || details.settings.choose(how.checks, "checks", error);
}

/// Runs a launch that `run` makes, and hands its counters over. Null: it failed.
template <typename Run>
static tritium_simulated *simulate(const tritium_simulation *how, tritium_error *error, Run run) {
  return guarded(error, static_cast<tritium_simulated *>(nullptr), [&]() -> tritium_simulated * {
    CompileError failure;
    SimulationDetails details;
    std::optional<Target> target;
    if (read(how, target, details, failure) && run(*target, details, failure))
      return new tritium_simulated{details.counters.text(), details.counters.json()};
    report(failure, error);
    return nullptr;
  });
}

tritium_simulated *tritium_kernel_simulate(tritium_kernel *kernel,
                                           const tritium_argument *arguments, size_t count,
                                           const tritium_option *options, size_t optionCount,
                                           const uint32_t grid[3], const tritium_simulation *how,
                                           tritium_error *error) {
  return simulate(how, error, [&](const Target &target, auto &details, CompileError &failure) {
    runtime::Variant *used = nullptr;
    return unwrap(kernel)->launch(
        {arguments, count, options, optionCount, nullptr, &target, &details}, grid, used, failure);
  });
}

tritium_simulated *tritium_program_simulate(tritium_program *program,
                                            const tritium_argument *arguments, size_t count,
                                            const tritium_option *options, size_t optionCount,
                                            tritium_grid_function grid, void *user,
                                            const tritium_simulation *how, size_t *choice,
                                            tritium_error *error) {
  size_t used = 0;
  tritium_simulated *result =
      simulate(how, error, [&](const Target &target, auto &details, CompileError &failure) {
        return unwrap(program)->launchOn(
            target, details, toCall(arguments, count, options, optionCount, grid, user, nullptr),
            used, failure);
      });
  if (choice)
    *choice = used;
  return result;
}
