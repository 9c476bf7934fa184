//===- MachineCode.cpp - what a CPU's instructions come to ----------------===//

#include "tritium/Target/CPU/MachineCode.h"

#include "LoopClocks.h"

#include <map>

namespace tritium::cpu {

static CodeLoop describe(const MachineLoop &loop, const Assembly &assembly) {
  CodeLoop made;
  made.first = assembly.places[loop.always.front()].textLine;
  made.last = made.first;
  made.instructions = static_cast<unsigned>(loop.always.size());
  made.conditional = static_cast<unsigned>(loop.sometimes.size());
  std::map<CodeLine, unsigned> counts;
  for (size_t i : loop.always) {
    made.first = std::min(made.first, assembly.places[i].textLine);
    made.last = std::max(made.last, assembly.places[i].textLine);
    ++counts[assembly.places[i].source];
  }
  for (const auto &[line, count] : counts)
    made.lines.push_back({line, count});
  return made;
}

std::optional<MachineCode> readMachineCode(const std::string &text, const TargetInfo &target,
                                           std::string &error) {
  InstructionTables tables(target);
  Assembly assembly(tables);
  if (!assembly.read(text, error))
    return std::nullopt;
  MachineCode made;
  for (const MachineLoop &loop : innermostLoops(assembly, tables)) {
    made.loops.push_back(describe(loop, assembly));
    estimateClocks(loop, assembly, tables, made.loops.back());
  }
  made.instructions = std::move(assembly.places);
  return made;
}

} // namespace tritium::cpu
