//===- Instructions.cpp - which PTX is whose ------------------------------===//

#include "Instructions.h"

#include "tritium/Simulator/PTX.h"

#include "llvm/ADT/StringRef.h"

namespace tritium::explain {

/// "m64n128k16".
static bool readShape(llvm::StringRef text, unsigned &m, unsigned &n, unsigned &k) {
  return text.consume_front("m") && !text.consumeInteger(10, m) && text.consume_front("n") &&
         !text.consumeInteger(10, n) && text.consume_front("k") && !text.getAsInteger(10, k);
}

/// Of mma and wgmma.mma_async.
static std::optional<MatrixUse> productOf(const sim::ptx::Instruction &instruction) {
  bool isOfWarpGroup = instruction.opcode == "wgmma";
  if (!isOfWarpGroup && instruction.opcode != "mma")
    return std::nullopt;
  unsigned m = 0, n = 0, k = 0, elementBits = 16;
  bool hasShape = false;
  double slowness = 1;
  for (std::string_view modifier : instruction.modifiers) {
    hasShape |= !hasShape && readShape(modifier, m, n, k);
    if (modifier == "tf32")
      elementBits = 32, slowness = 2;
    else if (modifier == "f64")
      elementBits = 64, slowness = 16;
    else if (modifier == "e4m3" || modifier == "e5m2" || modifier == "s8" || modifier == "u8")
      elementBits = 8, slowness = 0.5;
  }
  if (!hasShape)
    return std::nullopt;
  MatrixUse made;
  made.isOfWarpGroup = isOfWarpGroup;
  made.slowness = slowness;
  // The four warps of a group count one each.
  double warps = isOfWarpGroup ? 4 : 1;
  made.operations = 2.0 * m * n * k / warps;
  if (isOfWarpGroup) {
    // The right operand is in shared memory; the left one, too, if it is a descriptor.
    using Operand = sim::ptx::Operand;
    bool hasLeft =
        instruction.operands.size() > 1 && instruction.operands[1].kind == Operand::Register;
    made.sharedBytes = (double(n) + (hasLeft ? m : 0)) * k * elementBits / 8 / warps;
  }
  return made;
}

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
      if (std::optional<MatrixUse> product = productOf(instruction)) {
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
