//===- MachineLoops.cpp - innermost loops of an assembly ------------------===//
//
// Natural loops: a branch goes back to a block that is on every path to it. LLVM has this analysis
// for its own functions, and there are none any more.
//
//===----------------------------------------------------------------------===//

#include "MachineLoops.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/MC/MCExpr.h"

#include <map>

using namespace llvm;

namespace tritium::cpu {

namespace {
struct Block {
  size_t first, end; ///< instructions
  std::vector<size_t> to, from;
};

class Graph {
public:
  Graph(const Assembly &assembly, const InstructionTables &tables)
      : assembly(assembly), tables(tables) {
    makeBlocks();
    connect();
  }
  std::vector<MachineLoop> innermost() const;

private:
  const MCInstrDesc &kindOf(size_t i) const {
    return tables.instructions->get(assembly.code[i].getOpcode());
  }
  bool endsBlock(size_t i) const {
    return kindOf(i).isBranch() || kindOf(i).isReturn() || kindOf(i).isBarrier();
  }
  /// Whether what stands behind it may follow.
  bool goesOn(size_t i) const { return !kindOf(i).isBarrier() && !kindOf(i).isReturn(); }
  std::optional<size_t> targetOf(size_t i) const;
  void makeBlocks();
  void connect();
  /// Blocks from which `latches` are reached without `header`, and the header.
  BitVector bodyOf(size_t header, ArrayRef<size_t> latches) const;
  bool isLoop(const BitVector &body, size_t header) const;
  /// Whether every way from the header to a latch leads through `block`.
  bool isAlwaysRun(size_t block, const BitVector &body, size_t header,
                   ArrayRef<size_t> latches) const;
  std::map<size_t, SmallVector<size_t, 2>> latchesByHeader() const;

  const Assembly &assembly;
  const InstructionTables &tables;
  std::vector<Block> blocks;
  std::map<size_t, size_t> blockAt; ///< by first instruction
};

std::optional<size_t> Graph::targetOf(size_t i) const {
  if (!kindOf(i).isBranch())
    return std::nullopt;
  for (const MCOperand &operand : assembly.code[i])
    if (operand.isExpr())
      if (const auto *symbol = dyn_cast<MCSymbolRefExpr>(operand.getExpr()))
        if (auto found = assembly.labels.find(&symbol->getSymbol()); found != assembly.labels.end())
          if (found->second < assembly.code.size())
            return found->second;
  return std::nullopt;
}

void Graph::makeBlocks() {
  std::map<size_t, bool> starts{{0, true}};
  for (size_t i = 0; i < assembly.code.size(); ++i) {
    if (endsBlock(i))
      starts[i + 1] = true;
    if (std::optional<size_t> target = targetOf(i))
      starts[*target] = true;
  }
  for (auto [start, yes] : starts) {
    if (start >= assembly.code.size())
      break;
    if (!blocks.empty())
      blocks.back().end = start;
    blockAt[start] = blocks.size();
    blocks.push_back({start, assembly.code.size(), {}, {}});
  }
}

void Graph::connect() {
  auto join = [&](size_t from, size_t to) {
    if (is_contained(blocks[from].to, to))
      return;
    blocks[from].to.push_back(to);
    blocks[to].from.push_back(from);
  };
  for (size_t b = 0; b < blocks.size(); ++b) {
    size_t last = blocks[b].end - 1;
    if (std::optional<size_t> target = targetOf(last))
      join(b, blockAt.at(*target));
    if (goesOn(last) && b + 1 < blocks.size())
      join(b, b + 1);
  }
}

/// Ends of edges back to a block that is being visited.
std::map<size_t, SmallVector<size_t, 2>> Graph::latchesByHeader() const {
  std::map<size_t, SmallVector<size_t, 2>> made;
  BitVector seen(blocks.size()), open(blocks.size());
  for (size_t root = 0; root < blocks.size(); ++root) {
    if (seen[root])
      continue;
    SmallVector<std::pair<size_t, size_t>> path{{root, 0}}; // block, edges that were followed
    seen.set(root), open.set(root);
    while (!path.empty()) {
      auto &[block, edge] = path.back();
      if (edge == blocks[block].to.size()) {
        open.reset(block);
        path.pop_back();
        continue;
      }
      size_t next = blocks[block].to[edge++];
      if (open[next])
        made[next].push_back(block);
      if (seen[next])
        continue;
      seen.set(next), open.set(next);
      path.push_back({next, 0});
    }
  }
  return made;
}

BitVector Graph::bodyOf(size_t header, ArrayRef<size_t> latches) const {
  BitVector body(blocks.size());
  body.set(header);
  SmallVector<size_t> work(latches);
  while (!work.empty()) {
    size_t block = work.pop_back_val();
    if (body[block])
      continue;
    body.set(block);
    append_range(work, blocks[block].from);
  }
  return body;
}

/// Not one that is entered in its middle: then the blocks back to where the function begins are in
/// the body.
bool Graph::isLoop(const BitVector &body, size_t header) const {
  return none_of(body.set_bits(),
                 [&](unsigned block) { return block != header && blocks[block].from.empty(); });
}

bool Graph::isAlwaysRun(size_t block, const BitVector &body, size_t header,
                        ArrayRef<size_t> latches) const {
  if (block == header)
    return true;
  BitVector seen(blocks.size());
  SmallVector<size_t> work{header};
  while (!work.empty()) {
    size_t at = work.pop_back_val();
    if (at == block || seen[at] || !body[at])
      continue;
    seen.set(at);
    append_range(work, blocks[at].to);
  }
  return none_of(latches, [&](size_t latch) { return seen[latch]; });
}

std::vector<MachineLoop> Graph::innermost() const {
  std::map<size_t, SmallVector<size_t, 2>> latches = latchesByHeader();
  std::vector<MachineLoop> made;
  for (auto &[header, ends] : latches) {
    BitVector body = bodyOf(header, ends);
    bool hasInner = any_of(latches, [&, header = header](const auto &other) {
      return other.first != header && body[other.first];
    });
    if (hasInner || !isLoop(body, header))
      continue;
    MachineLoop loop;
    for (unsigned block : body.set_bits()) {
      auto &list = isAlwaysRun(block, body, header, ends) ? loop.always : loop.sometimes;
      for (size_t i = blocks[block].first; i < blocks[block].end; ++i)
        list.push_back(i);
    }
    made.push_back(std::move(loop));
  }
  return made;
}
} // namespace

std::vector<MachineLoop> innermostLoops(const Assembly &assembly, const InstructionTables &tables) {
  return Graph(assembly, tables).innermost();
}

} // namespace tritium::cpu
