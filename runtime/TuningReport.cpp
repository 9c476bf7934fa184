//===- TuningReport.cpp - what tuning says, and what it is told apart by --===//

#include "Serialization.h"
#include "ThreadPool.h"
#include "Tuner.h"

#include "tritium/Support/Settings.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Threading.h"
#include "llvm/TargetParser/Host.h"

#include <set>

using namespace tritium;
using namespace tritium::runtime;

CompileError
tritium::runtime::everyReason(const std::string &kernel,
                              const std::vector<std::pair<std::string, CompileError>> &failures) {
  const CompileError &first = failures.front().second;
  if (llvm::all_of(failures, [&](const auto &other) {
        return other.second.kind == first.kind && other.second.rendered == first.rendered;
      }))
    return first;
  CompileError error = launchError("AutotunerError", "kernel '" + kernel + "': none of its " +
                                                         std::to_string(failures.size()) +
                                                         " configurations compiles and runs");
  for (const auto &[label, failure] : failures) {
    const std::string &text = failure.rendered.empty() ? failure.message : failure.rendered;
    error.rendered += "\n" + label + ":\n  ";
    for (char c : llvm::StringRef(text).rtrim())
      error.rendered += c == '\n' ? "\n  " : std::string(1, c);
  }
  return error;
}

void tritium::runtime::distinguishLabels(std::vector<Candidate> &candidates) {
  std::set<std::string> labels;
  for (Candidate &candidate : candidates) {
    std::string label = candidate.label;
    for (int copy = 2; !labels.insert(label).second; ++copy)
      label = candidate.label + " (" + std::to_string(copy) + ")";
    candidate.label = std::move(label);
  }
}

/// The first array on a device; null: there is none.
static const tritium_argument *findOnDevice(llvm::ArrayRef<tritium_argument> arguments) {
  for (const tritium_argument &argument : arguments) {
    if (argument.kind == TRITIUM_ARG_POINTER && argument.memory != TRITIUM_HOST_MEMORY)
      return &argument;
    bool isAggregate =
        argument.kind == TRITIUM_ARG_TUPLE || argument.kind == TRITIUM_ARG_DESCRIPTOR;
    if (auto *inside =
            isAggregate ? findOnDevice(llvm::ArrayRef(argument.items, argument.bits)) : nullptr)
      return inside;
  }
  return nullptr;
}

/// The device that a call with these arguments runs on; null: it runs on the host.
static const DeviceMemory *deviceOf(llvm::ArrayRef<tritium_argument> arguments) {
  CompileError ignored;
  if (const tritium_argument *onDevice = findOnDevice(arguments))
    return deviceAt(onDevice->memory, onDevice->device, "", ignored);
  std::string name = settings::Backend.text();
  Target target;
  const Backend *forced = name.empty() ? nullptr : backendNamed(name, target, ignored);
  return forced && forced->hasDevices() ? forced->device(forced->currentDevice(), "", ignored)
                                        : nullptr;
}

std::string tritium::runtime::machineOf(llvm::ArrayRef<tritium_argument> arguments) {
  Writer writer;
  if (const DeviceMemory *device = deviceOf(arguments)) {
    writer.text(device->identity());
    return writer.bytes;
  }
  writer.text(llvm::sys::getHostCPUName());
  writer.number(static_cast<uint64_t>(llvm::hardware_concurrency().compute_thread_count()));
  writer.number(threadCount());
  return writer.bytes;
}

std::string tritium::runtime::tuningTable(const TuningRequest &request,
                                          const TuningResult &result) {
  size_t width = 0;
  for (const Candidate &candidate : request.candidates)
    width = std::max(width, candidate.label.size());
  auto number = [](double value, const char *format) {
    char text[32];
    std::snprintf(text, sizeof text, format, value);
    return std::string(text);
  };
  std::string table = "Autotuning of kernel '" + request.name + "'";
  if (!request.key.empty())
    table += ", key " + request.key;
  table += ": " + std::to_string(request.candidates.size()) + " configurations, compiled in " +
           number(result.compileSeconds, "%.2f") + " s, measured in " +
           number(result.measureSeconds, "%.2f") + " s\n";
  const auto &best = result.timings[result.best];
  for (size_t i = 0; i < request.candidates.size(); ++i) {
    std::string label = request.candidates[i].label;
    label.resize(width, ' ');
    table += (i == result.best ? "* " : "  ") + label + "  ";
    const auto &timing = result.timings[i];
    if (!timing)
      table += "not measured";
    else if (!timing->reason.empty())
      table += (timing->isSetAside ? "not measured: " : "dropped: ") + timing->reason;
    else
      table += number(timing->times[0], "%10.4f") + " ms" +
               number(timing->times[0] / std::max(best->times[0], 1e-9), "%8.2f") + " x";
    table += "\n";
  }
  if (!result.note.empty())
    table += "  note: " + result.note + "\n";
  return table;
}
