//===- Debugger.cpp - the host stops interpreted programs -----------------===//

#include "Debugger.h"

#include "tritium/Support/ForkGate.h"

#include <algorithm>
#include <filesystem>

using namespace tritium;
using namespace tritium::runtime;

thread_local tritium_resume HostDebugger::step = TRITIUM_RESUME_RUN;
thread_local unsigned HostDebugger::depth = 0;

HostDebugger &HostDebugger::ofProcess() {
  static HostDebugger debugger;
  return debugger;
}

void HostDebugger::set(Stopped stopped, void *newUser, bool isForAll) {
  user = newUser;
  forAll = isForAll;
  callback = stopped;
}

void HostDebugger::setBreakpoints(std::vector<Breakpoint> all) {
  ForkSafeLock lock(mutex);
  breakpoints = std::move(all);
  hasBreakpoints = !breakpoints.empty();
}

void HostDebugger::stopNext(ProgramId pid) {
  ForkSafeLock lock(mutex);
  nextStopped = pid;
  isNextStopped = true;
}

static bool isProgram(const HostDebugger::ProgramId &wanted, const uint32_t *pid) {
  for (int axis = 0; axis < 3; ++axis)
    if (wanted[axis] >= 0 && static_cast<uint32_t>(wanted[axis]) != pid[axis])
      return false;
  return true;
}

bool HostDebugger::isNext(const StopPlace &place) {
  ForkSafeLock lock(mutex);
  return isProgram(nextStopped, place.pid) && isNextStopped.exchange(false);
}

bool HostDebugger::isStep(const StopPlace &place) const {
  switch (step) {
  case TRITIUM_RESUME_STEP:
    return true;
  case TRITIUM_RESUME_NEXT:
    return place.depth <= depth;
  case TRITIUM_RESUME_OUT:
    return place.depth < depth;
  default:
    return false;
  }
}

bool HostDebugger::isBreakpoint(const StopPlace &place) {
  ForkSafeLock lock(mutex);
  auto isHere = [&](const Breakpoint &breakpoint) {
    if (breakpoint.line != place.line || !isProgram(breakpoint.pid, place.pid))
      return false;
    auto [known, isNew] = realPaths.try_emplace(place.file);
    if (isNew) {
      std::error_code ignored;
      known->second = std::filesystem::weakly_canonical(place.file, ignored).string();
    }
    return known->second == breakpoint.file;
  };
  return std::any_of(breakpoints.begin(), breakpoints.end(), isHere);
}

bool HostDebugger::stopsAt(const StopPlace &place) {
  if (isNextStopped.load(std::memory_order_relaxed) && isNext(place))
    return true;
  return isStep(place) || (hasBreakpoints.load(std::memory_order_relaxed) && isBreakpoint(place));
}

void HostDebugger::programEnded() { step = TRITIUM_RESUME_RUN; }

namespace {
std::vector<tritium_stopped_value> valuesOf(const StoppedFrame &frame) {
  std::vector<tritium_stopped_value> values;
  for (const StoppedValue &value : frame.values)
    values.push_back({value.name.c_str(), value.type.c_str(), nullptr, value.kind, value.bits,
                      static_cast<int>(value.shape.size()), value.shape.data(), value.data.data(),
                      value.data.size(), value.present.empty() ? nullptr : value.present.data()});
  for (const auto &[name, text] : frame.known)
    values.push_back({name.c_str(), "", text.c_str(), 0, 0, 0, nullptr, nullptr, 0, nullptr});
  return values;
}
} // namespace

bool HostDebugger::stopped(const Stop &stop) {
  Stopped call = callback;
  if (!call)
    return true;
  std::vector<std::vector<tritium_stopped_value>> values;
  std::vector<tritium_stopped_frame> frames;
  for (const StoppedFrame &frame : stop.frames) {
    values.push_back(valuesOf(frame));
    frames.push_back({frame.function.c_str(), frame.file.c_str(), frame.line, frame.column,
                      values.back().data(), values.back().size()});
  }
  std::vector<tritium_stopped_buffer> buffers;
  for (const StoppedBuffer &buffer : stop.buffers)
    buffers.push_back({buffer.name.c_str(), buffer.address, buffer.bytes});
  tritium_stop shown = {static_cast<tritium_stop_reason>(stop.reason),
                        stop.message.c_str(),
                        stop.kernel.c_str(),
                        {stop.pid[0], stop.pid[1], stop.pid[2]},
                        {stop.grid[0], stop.grid[1], stop.grid[2]},
                        stop.index.data(),
                        static_cast<int>(stop.index.size()),
                        frames.data(),
                        frames.size(),
                        buffers.data(),
                        buffers.size()};
  OutsideForkGate outside;
  step = call(user, &shown);
  depth = stop.frames.empty() ? 0 : static_cast<unsigned>(stop.frames.size() - 1);
  return step != TRITIUM_RESUME_QUIT;
}
