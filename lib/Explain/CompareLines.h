//===- CompareLines.h - the same line in two explanations -------*- C++ -*-===//

#ifndef TRITIUM_LIB_EXPLAIN_COMPARELINES_H
#define TRITIUM_LIB_EXPLAIN_COMPARELINES_H

#include "llvm/Support/JSON.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tritium::explain {

/// A line of a document and what is compared of it.
struct LineFacts {
  int64_t file = -1, line = 0;
  std::string text;
  double share = -1; ///< of what bounds the kernel; -1: not counted
  /// Of accesses of memory, by column: "load" or "store", and bytes that a lane moves at once.
  std::vector<std::pair<std::string, int64_t>> accesses;
  int64_t barriers = 0; ///< of threads, in the code
  /// By field of the counters, of all CTAs of the grid.
  std::map<std::string, double> counts;
  std::vector<std::string> missed; ///< messages of remarks
};

std::vector<LineFacts> lineFacts(const llvm::json::Object &document);

/// A line of each side, or of one; -1: the side has none.
struct LinePair {
  int a, b;
};
std::vector<LinePair> pairLines(const std::vector<LineFacts> &a, const std::vector<LineFacts> &b);

} // namespace tritium::explain

#endif // TRITIUM_LIB_EXPLAIN_COMPARELINES_H
