//===- Sass.cpp - what disassemblers print --------------------------------===//
//
//   //## File "/home/a/matmul.py", line 52
//           /*4120*/               @P0 STG.E.128 desc[UR26][R12.64], R36 ;     /*
//           0x000000240c000986 */
//                                                                              /*
//                                                                              0x0003e2000c101d1a
//                                                                              */
//   .L_x_2:
//           /*4190*/                   BRA `(.L_x_2);                          /*
//           0xfffffffc00fc7947 */
//                                                                              /*
//                                                                              0x000fc0000383ffff
//                                                                              */
//
// An encoding has 128 bits since compute capability 7.0. Its upper half holds, from bit 41 on: four
// bits of clocks to stall, one of a hint to the scheduler, three each of the barrier that the
// result and the operands set (7: none), six of barriers to wait for (Jia et al., Dissecting the
// NVIDIA Volta GPU Architecture via Microbenchmarking, 2018, section 2.1).
//
//===----------------------------------------------------------------------===//

#include "tritium/Target/NVPTX/Disassembler.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace llvm;

namespace tritium::nvptx {

namespace {
/// "/* 0x0003e2000c101d1a */" at the beginning of `text`.
std::optional<uint64_t> readEncoding(StringRef text) {
  text = text.ltrim();
  uint64_t bits;
  if (!text.consume_front("/*"))
    return std::nullopt;
  text = text.ltrim();
  if (!text.consume_front("0x") || text.consumeInteger(16, bits))
    return std::nullopt;
  return bits;
}

SassControl controlOf(uint64_t upper) {
  auto field = [&](unsigned from, unsigned bits) {
    return static_cast<uint8_t>(upper >> from & ((1u << bits) - 1));
  };
  auto barrier = [](uint8_t number) { return number == 7 ? int8_t(-1) : int8_t(number); };
  return {field(52, 6), barrier(field(49, 3)), barrier(field(46, 3)), field(41, 4)};
}

class Reader {
public:
  void add(StringRef row);
  std::vector<SassInstruction> take();

private:
  bool addLine(StringRef row);
  bool addInstruction(StringRef row);

  std::vector<SassInstruction> made;
  std::vector<std::string> labels;
  std::string file;
  unsigned line = 0;
  bool hasLowerHalf = false; ///< of the last instruction's encoding, and nothing since
};

/// `//## File "/home/a/matmul.py", line 52`; what is inlined somewhere goes on behind that.
bool Reader::addLine(StringRef row) {
  if (!row.consume_front("//## File \""))
    return false;
  auto [path, rest] = row.split("\", line ");
  unsigned number = 0;
  if (rest.consumeInteger(10, number))
    number = 0;
  file = number ? path.str() : "";
  line = number;
  return true;
}

bool Reader::addInstruction(StringRef row) {
  uint64_t offset;
  if (!row.consume_front("/*") || row.consumeInteger(16, offset) || !row.consume_front("*/"))
    return false;
  auto [text, behind] = row.split(';');
  StringRef opcode = text = text.trim();
  if (opcode.starts_with("@"))
    opcode = opcode.split(' ').second.ltrim();
  opcode = opcode.take_until([](char c) { return c == '.' || c == ' '; });
  if (opcode.empty())
    return false;
  made.push_back({offset, text.str(), opcode.str(), std::move(labels), file, line, std::nullopt});
  labels.clear();
  hasLowerHalf = readEncoding(behind).has_value();
  return true;
}

void Reader::add(StringRef row) {
  row = row.trim();
  if (hasLowerHalf) {
    hasLowerHalf = false;
    if (std::optional<uint64_t> upper = readEncoding(row)) {
      made.back().control = controlOf(*upper);
      return;
    }
  }
  if (addLine(row) || addInstruction(row))
    return;
  bool isSection = row.consume_front(".section") || row.consume_front("Function :");
  if (isSection) {
    file.clear();
    line = 0;
  } else if (row.consume_back(":") && !row.contains(' ') && !row.starts_with(".text.")) {
    labels.push_back(row.str());
  }
}

/// "BRA `(.L_x_2)" behind that label, or with its address.
bool branchesToItself(const SassInstruction &instruction) {
  StringRef target = instruction.text;
  if (!target.consume_front("BRA "))
    return false;
  target = target.trim();
  uint64_t address;
  if (target.consume_front("0x"))
    return !target.getAsInteger(16, address) && address == instruction.offset;
  return target.consume_front("`(") && target.consume_back(")") &&
         is_contained(instruction.labels, target);
}

/// A function ends with a branch to itself and instructions that do nothing.
std::vector<SassInstruction> Reader::take() {
  std::vector<SassInstruction> kept;
  for (size_t i = 0; i < made.size();) {
    size_t end = i + 1;
    while (end < made.size() && made[end].offset > made[end - 1].offset)
      ++end;
    size_t last = end;
    while (last > i && made[last - 1].opcode == "NOP")
      --last;
    if (last > i && branchesToItself(made[last - 1]))
      --last;
    kept.insert(kept.end(), std::make_move_iterator(made.begin() + i),
                std::make_move_iterator(made.begin() + last));
    i = end;
  }
  return kept;
}
} // namespace

std::vector<SassInstruction> readSass(const std::string &text) {
  Reader reader;
  for (StringRef rest = text; !rest.empty();) {
    auto [row, others] = rest.split('\n');
    reader.add(row);
    rest = others;
  }
  return reader.take();
}

} // namespace tritium::nvptx
