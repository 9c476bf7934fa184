//===- Assembly.h - counting instructions -----------------------*- C++ -*-===//

#ifndef TRITIUM_UNITTESTS_TARGET_ASSEMBLY_H
#define TRITIUM_UNITTESTS_TARGET_ASSEMBLY_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace tritium::cpu {

/// The lines with `word`.
inline size_t countOf(const std::vector<std::string> &lines, llvm::StringRef word) {
  return llvm::count_if(lines, [&](llvm::StringRef line) { return line.contains(word); });
}

/// The instructions of a text in assembly, by basic block: what stands between labels.
inline std::vector<std::vector<std::string>> blocksOf(llvm::StringRef assembly) {
  std::vector<std::vector<std::string>> blocks(1);
  for (llvm::StringRef line : llvm::split(assembly, '\n')) {
    line = line.split('#').first.trim();
    if (line.ends_with(":"))
      blocks.emplace_back();
    else if (!line.empty() && !line.starts_with("."))
      blocks.back().push_back(line.str());
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

#endif // TRITIUM_UNITTESTS_TARGET_ASSEMBLY_H
