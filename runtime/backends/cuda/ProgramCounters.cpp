//===- ProgramCounters.cpp - which counter a launch may use ---------------===//

#include "ProgramCounters.h"

#include "tritium/Kernel/LaunchABI.h"
#include "tritium/Support/ForkGate.h"

using namespace tritium;
using namespace tritium::runtime;
using namespace tritium::runtime::cuda;

uint32_t ProgramCounters::of(const DriverAPI &api, Stream stream) {
  CaptureStatus status = CaptureStatus::None;
  unsigned long long number = 0;
  if (api.cuStreamIsCapturing(stream, &status) != Success || status != CaptureStatus::None ||
      api.cuStreamGetId(stream, &number) != Success)
    return kNoProgramCounter;
  ForkSafeLock lock(mutex);
  if (auto known = counters.find(number); known != counters.end())
    return known->second;
  if (counters.size() == kProgramCounters)
    return kNoProgramCounter;
  auto next = static_cast<uint32_t>(counters.size());
  return counters[number] = next;
}
