//===- Operations.h - the operations of a stage as data ---------*- C++ -*-===//

#ifndef TRITIUM_LIB_EXPLAIN_OPERATIONS_H
#define TRITIUM_LIB_EXPLAIN_OPERATIONS_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tritium::explain {

/// A place in a text of the author's.
struct SourcePlace {
  std::string file;
  unsigned line = 0, column = 0;
  auto operator<=>(const SourcePlace &) const = default;
};

struct Operation {
  std::string name;               ///< "ttg.barrier"
  std::string type;               ///< of its result, or of what it stores, without its layout; ""
  int layout = -1;                ///< of that, by number
  unsigned textLine;              ///< from 1, in Stage::text
  SourcePlace place;              ///< line 0: it has none
  std::vector<SourcePlace> calls; ///< from where the function that it stands in is called
  int loop = -1;                  ///< the innermost loop that it is in, by number
};

/// An allocation of shared memory.
struct Buffer {
  size_t operation;
  int64_t offset = -1, bytes = 0, count = 1; ///< count: tiles that take turns
  std::string type;
  size_t first, last; ///< operations that it lives between
};

/// A wait of threads for one another.
struct Barrier {
  size_t operation;
  std::string kind;   ///< "threads", "copies", "products", "fence", "memory"
  std::string hazard; ///< what it is there for; "" where the operation says it all
};

/// What of a loop runs ahead.
struct Ahead {
  size_t operation; ///< the access of a buffer
  int64_t iterations;
};

/// How a tile lies in threads: a core, where each bit of the number of a register, lane or warp
/// leads to coordinates whose XOR is an element's place; and how often it is repeated.
struct Layout {
  std::string attribute;
  std::vector<int64_t> shape, repeats;
  std::map<std::string, std::vector<std::vector<int64_t>>> bases; ///< "register", "lane", "warp"
};

/// A tile that gets from the layout of one operation to that of others.
struct Conversion {
  size_t operation;            ///< that begins it
  std::string way;             ///< "registers", "shuffles", "shared memory"
  int from = -1, to = -1;      ///< layouts by number; -1: of none, as in memory
  int64_t bytes = 0;           ///< of shared memory
  std::vector<size_t> readers; ///< operations that take it from there
};

/// Warps that run code of their own.
struct WarpGroup {
  size_t operation; ///< that has all groups
  std::string name;
  int64_t warps, registers; ///< of a thread; 0: as all
  size_t first, last;       ///< of its operations
};

/// A stage of the IR, read from its text.
struct Stage {
  std::string text; ///< the same without locations
  std::vector<Operation> operations;
  std::vector<Buffer> buffers;
  std::vector<Barrier> barriers;
  std::vector<Ahead> ahead;
  std::vector<Layout> layouts;
  std::vector<Conversion> conversions;
  std::vector<WarpGroup> groups;
};

/// None: the text cannot be read.
std::optional<Stage> readStage(const std::string &text, const std::string &name);

} // namespace tritium::explain

#endif // TRITIUM_LIB_EXPLAIN_OPERATIONS_H
