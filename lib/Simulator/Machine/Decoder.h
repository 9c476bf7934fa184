//===- Decoder.h - from parsed instructions to operations -------*- C++ -*-===//
//
// A family (integers, memory, barriers, ...) is a table of opcodes with one function each
// that reads the modifiers and operands of an instruction and emits its operation. A new
// family is a new file with a table, entered in Table.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_SIMULATOR_DECODER_H
#define TRITIUM_SIMULATOR_DECODER_H

#include "Machine.h"

#include <initializer_list>
#include <map>

namespace tritium::sim {

/// The modifiers of an instruction, taken one by one; what is left over is unknown.
class Modifiers {
public:
  explicit Modifiers(const std::vector<std::string_view> &all) : left(all) {}
  bool take(std::string_view name);
  /// Index of the first of these that is there; -1: none.
  int takeOne(std::initializer_list<std::string_view> names);
  /// The first modifier that names a type; None if there is none.
  ptx::Type type();
  std::vector<std::string_view> left;
};

class Decoder {
public:
  Decoder(Machine &machine, FunctionCode &code) : machine(machine), code(code) {}
  bool run();

  // For families.
  const ptx::Instruction &instruction() const { return *current; }
  size_t operands() const { return current->operands.size(); }
  const ptx::Operand &operand(size_t i) const { return current->operands[i]; }
  /// Reports the instruction; returns false.
  bool fail(const std::string &message);
  /// The file is for sm_90a.
  bool isAccelerated();
  bool wants(size_t count);
  bool wants(size_t least, size_t most);
  /// No modifier may be left.
  bool done(const Modifiers &modifiers);

  /// Slots. Each reports what is wrong and returns 0 then.
  uint32_t source(size_t i, ptx::Type type) { return source(operand(i), type); }
  uint32_t source(const ptx::Operand &operand, ptx::Type type);
  uint32_t destination(size_t i, ptx::Type type) { return destination(operand(i), type); }
  uint32_t destination(const ptx::Operand &operand, ptx::Type type);
  /// Any register at least as wide as the type.
  uint32_t wideDestination(const ptx::Operand &operand, ptx::Type type, unsigned &bits);
  uint32_t wideSource(const ptx::Operand &operand, ptx::Type type, unsigned &bits);
  uint32_t predicate(const ptx::Operand &operand);
  uint32_t predicateTarget(const ptx::Operand &operand);
  uint32_t constant(uint64_t value, bool wide);
  uint32_t scratch(unsigned bits);
  bool immediate(size_t i, uint64_t &value);
  /// [base + offset]: fills a and offset; the slot is 64 bits wide.
  bool address(const ptx::Operand &operand, Op &op);
  /// [base + offset, {...}]: the same of its first part.
  bool addressOfFirst(const ptx::Operand &operand, Op &op);

  Op &emit(Handler run, InstructionClass kind);
  uint32_t *list(size_t count);
  bool failed() const { return bad; }

  Machine &machine;
  FunctionCode &code;
  std::vector<uint32_t> calls; ///< functions that this one calls
  bool callsAny = false;       ///< it calls by address: any other may be meant
  struct Fixup {
    size_t op;
    uint32_t label;
  };
  std::vector<Fixup> fixups;
  struct Fork { ///< brx: the targets of an operation
    size_t op;
    uint32_t *targets;
    uint32_t count;
  };
  std::vector<Fork> forks;
  std::vector<uint32_t> starts; ///< first operation of each instruction

private:
  uint32_t slotOf(uint32_t reg);
  uint32_t special(std::string_view name, ptx::Type type);
  bool symbolAddress(const ptx::Operand &operand, uint64_t &value);
  void reconvergence();
  const ptx::Instruction *current = nullptr;
  bool bad = false;
  std::map<std::pair<uint64_t, bool>, uint32_t> constants;
};

struct OpcodeEntry {
  const char *name;
  bool (*decode)(Decoder &);
};
/// Null: no such instruction is known.
const OpcodeEntry *findOpcode(std::string_view name);

/// The oldest GPU that has the instruction (80 for sm_80), if it is newer than sm_70; or 0.
unsigned leastArchitecture(const ptx::Instruction &instruction);

using Family = std::initializer_list<OpcodeEntry>;
extern const Family integerFamily, logicFamily, floatFamily, halfFamily, compareFamily,
    convertFamily, moveFamily, controlFamily, memoryFamily, atomicFamily, exchangeFamily,
    barrierFamily, asyncFamily, matrixFamily, mbarrierFamily, tensorMapFamily, clusterFamily,
    registerPoolFamily, warpGroupFamily;

/// The last operation of every function: what runs off its end returns.
void runReturn(Warp &warp, const Op &op);
bool isBranch(const Op &op);
bool isExit(const Op &op);

} // namespace tritium::sim

#endif // TRITIUM_SIMULATOR_DECODER_H
