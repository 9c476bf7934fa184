//===- Instructions.cpp - which PTX is whose ------------------------------===//

#include "Instructions.h"

#include "tritium/Simulator/PTX.h"

#include "llvm/ADT/StringRef.h"

namespace tritium::explain {

std::optional<Instructions> readPTX(const std::string &ptx) {
  std::vector<sim::ptx::Error> errors;
  std::unique_ptr<sim::ptx::Module> module = sim::ptx::parse(ptx, errors);
  if (!module)
    return std::nullopt;
  Instructions made;
  std::map<std::pair<std::string, unsigned>, unsigned> productCounts;
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
      if (std::optional<MatrixUse> product = sim::matrixUseOf(instruction)) {
        MatrixUse &all = made.products[{place.file, place.line}];
        ++productCounts[{place.file, place.line}];
        all.operations += product->operations;
        all.sharedBytes += product->sharedBytes;
        all.slowness = product->slowness;
        all.isOfWarpGroup = product->isOfWarpGroup;
      }
    }
  }
  for (auto &[line, product] : made.products) {
    product.operations /= productCounts[line];
    product.sharedBytes /= productCounts[line];
  }
  return made;
}

} // namespace tritium::explain
