//===- Debugger.cpp - programs that stop, in the C interface --------------===//

#include "../Debugger.h"
#include "Internal.h"

#include <filesystem>

using namespace tritium;
using namespace tritium::capi;
using runtime::HostDebugger;

void tritium_set_debugger(tritium_resume (*stopped)(void *user, const tritium_stop *stop),
                          void *user, int for_all) {
  HostDebugger::ofProcess().set(stopped, user, for_all != 0);
}

void tritium_set_breakpoints(const tritium_breakpoint *all, size_t count) {
  guarded(nullptr, [&] {
    std::vector<HostDebugger::Breakpoint> breakpoints;
    for (size_t i = 0; i < count; ++i) {
      std::error_code ignored;
      std::string file = all[i].file ? all[i].file : "";
      breakpoints.push_back({std::filesystem::weakly_canonical(file, ignored).string(),
                             all[i].line,
                             {all[i].pid[0], all[i].pid[1], all[i].pid[2]}});
    }
    HostDebugger::ofProcess().setBreakpoints(std::move(breakpoints));
  });
}

void tritium_stop_next(const int pid[3]) {
  guarded(nullptr, [&] { HostDebugger::ofProcess().stopNext({pid[0], pid[1], pid[2]}); });
}
