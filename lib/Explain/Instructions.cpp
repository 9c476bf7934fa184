//===- Instructions.cpp - which PTX is whose ------------------------------===//

#include "Instructions.h"

#include "tritium/Simulator/PTX.h"

namespace tritium::explain {

std::optional<Instructions> readPTX(const std::string &ptx) {
  std::vector<sim::ptx::Error> errors;
  std::unique_ptr<sim::ptx::Module> module = sim::ptx::parse(ptx, errors);
  if (!module)
    return std::nullopt;
  Instructions made;
  for (const sim::ptx::Function &function : module->functions) {
    const std::vector<LineRange> *last = nullptr;
    for (const sim::ptx::Instruction &instruction : function.body) {
      const sim::ptx::SourceLine &source = instruction.source;
      if (!source.line || source.file >= module->files.size())
        continue;
      SourcePlace place{module->files[source.file], source.line, source.column};
      std::vector<LineRange> &ranges = made.ranges[place];
      // What follows right behind, whatever labels and directives stand between, is one range.
      if (&ranges == last)
        ranges.back().last = instruction.at.line;
      else
        ranges.push_back({instruction.at.line, instruction.at.line});
      last = &ranges;
      ++made.counts[place];
    }
  }
  return made;
}

} // namespace tritium::explain
