//===- Loops.cpp - what rounds of a CPU's loops take ----------------------===//

#include "Loops.h"

#include <cmath>

namespace json = llvm::json;

namespace tritium::explain {

std::optional<cpu::MachineCode> readAssembly(const std::string &text, const std::string &target,
                                             std::string &error) {
  cpu::TargetInfo info;
  if (!cpu::resolveTarget(target, info, error))
    return std::nullopt;
  return cpu::readMachineCode(text, info, error);
}

/// Two digits behind the point: the simulation counts whole clocks of many rounds.
static double rounded(double clocks) { return std::round(clocks * 100) / 100; }

static json::Object estimated(double clocks, const std::string &cpu) {
  return json::Object{{"value", rounded(clocks)},
                      {"grade", "estimated"},
                      {"from", "LLVM's scheduling model of " + cpu}};
}

json::Array loopsOf(const cpu::MachineCode &code, const std::string &cpu,
                    llvm::function_ref<int64_t(const std::string &)> fileNumber) {
  json::Array made;
  for (const cpu::CodeLoop &loop : code.loops) {
    json::Array lines;
    for (const cpu::LoopLine &line : loop.lines) {
      json::Object each{{"file", fileNumber(line.source.file)},
                        {"line", line.source.line},
                        {"instructions", line.instructions}};
      if (loop.clocks)
        each["clocks"] = rounded(line.clocks);
      lines.push_back(std::move(each));
    }
    json::Object each{{"first", loop.first},
                      {"last", loop.last},
                      {"instructions", loop.instructions},
                      {"conditional", loop.conditional},
                      {"lines", std::move(lines)}};
    if (loop.clocks) {
      json::Array ports;
      for (const auto &[name, clocks] : loop.clocks->all)
        ports.push_back(json::Object{{"name", name}, {"clocks", rounded(clocks)}});
      each["simulated"] = estimated(loop.clocks->simulated, cpu);
      each["least"] = estimated(loop.clocks->ports, cpu);
      each["ports"] = std::move(ports);
    } else {
      each["not_estimated"] = loop.reason;
    }
    made.push_back(std::move(each));
  }
  return made;
}

} // namespace tritium::explain
