//===- Assembly.h - counting instructions -----------------------*- C++ -*-===//

#ifndef TRITIUM_UNITTESTS_TARGET_CPU_ASSEMBLY_H
#define TRITIUM_UNITTESTS_TARGET_CPU_ASSEMBLY_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace tritium::cpu {

/// The lines with `word`.
inline size_t countOf(const std::vector<std::string> &lines, llvm::StringRef word) {
  return llvm::count_if(lines, [&](llvm::StringRef line) { return line.contains(word); });
}

/// The instructions of a text in assembly, by basic block: a label begins one, a jump
/// (of x86) or conditional branch (of AArch64) ends one.
inline std::vector<std::vector<std::string>> blocksOf(llvm::StringRef assembly) {
  std::vector<std::vector<std::string>> blocks(1);
  for (llvm::StringRef line : llvm::split(assembly, '\n')) {
    line = line.split('#').first.trim();
    bool isLabel = line.ends_with(":");
    if (!isLabel && !line.empty() && !line.starts_with("."))
      blocks.back().push_back(line.str());
    if (isLabel || line.starts_with("j") || line.starts_with("b."))
      blocks.emplace_back();
  }
  return blocks;
}

/// The block with the most lines that have `word`.
inline std::vector<std::string> blockWithMost(llvm::StringRef assembly, llvm::StringRef word) {
  auto blocks = blocksOf(assembly);
  return *llvm::max_element(
      blocks, [&](const auto &a, const auto &b) { return countOf(a, word) < countOf(b, word); });
}

} // namespace tritium::cpu

#endif // TRITIUM_UNITTESTS_TARGET_CPU_ASSEMBLY_H
