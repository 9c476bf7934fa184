//===- PaceOfOps.cpp - units and latencies of operations ------------------===//

#include "Machine.h"
#include "Pace.h"

#include "tritium/Simulator/MatrixUse.h"

#include <algorithm>

using namespace tritium::sim;
using namespace tritium::sim::ptx;
using Class = InstructionClass;

static void eachRegister(const Operand &operand, auto &&f) {
  if (operand.kind == Operand::Register)
    f(operand.index);
  for (const Operand &element : operand.elements)
    eachRegister(element, f);
}

/// Whether the first operand is written. An address is read, wherever it stands.
static bool hasResult(const Instruction &instruction) {
  static constexpr std::string_view without[] = {"wgmma", "st", "red", "bra", "brx", "call"};
  if (instruction.operands.empty() ||
      std::find(std::begin(without), std::end(without), instruction.opcode) != std::end(without))
    return false;
  Operand::Kind kind = instruction.operands[0].kind;
  bool isBarrier = instruction.opcode == "bar" || instruction.opcode == "barrier";
  bool reduces = !instruction.modifiers.empty() &&
                 std::count(instruction.modifiers.begin(), instruction.modifiers.end(), "red") > 0;
  return (kind == Operand::Register || kind == Operand::Vector || kind == Operand::Pair) &&
         (!isBarrier || reduces);
}

static bool has(const Instruction &instruction, std::string_view modifier) {
  return std::count(instruction.modifiers.begin(), instruction.modifiers.end(), modifier) > 0;
}

/// Whether it makes a float of an integer, or an integer of a float.
static bool changesKind(const Instruction &instruction) {
  bool hasFloat = false, hasInteger = false;
  for (std::string_view name : instruction.modifiers) {
    bool isNumbered = name.size() > 1 && name[1] >= '0' && name[1] <= '9';
    hasFloat |=
        (isNumbered && (name[0] == 'f' || name[0] == 'e')) || name == "bf16" || name == "tf32";
    hasInteger |= isNumbered && (name[0] == 's' || name[0] == 'u');
  }
  return hasFloat && hasInteger;
}

/// Of commit_group, wait_group and wait_all, by what they are for.
static void readGroup(const Op &op, OpPace &made) {
  const Instruction &instruction = *op.origin;
  bool ofProducts = instruction.opcode == "wgmma";
  if (has(instruction, "bulk") || has(instruction, "mbarrier"))
    return;
  if (has(instruction, "commit_group"))
    made.kind = ofProducts ? OpPace::CommitsProducts : OpPace::CommitsCopies;
  if (has(instruction, "wait_group") || has(instruction, "wait_all")) {
    made.kind = ofProducts ? OpPace::WaitsForProducts : OpPace::WaitsForCopies;
    made.kept = has(instruction, "wait_all") ? ~0u : uint32_t(op.offset);
    made.endsBlock = true;
  }
}

/// The unit that an operation of the class takes, for how long, and what it takes beyond.
static void setUnit(const Op &op, const Rates &rates, OpPace &made) {
  // A part of a multiprocessor has a quarter of its lanes.
  constexpr float integers = 2, specials = 8, doubles = 2, converters = 2;
  auto set = [&](OpPace::UnitKind unit, double busy, double latency) {
    made.unit = unit;
    made.busy = float(busy);
    made.latency = float(latency);
  };
  switch (op.kind) {
  case Class::Integer:
    return set(OpPace::Integers, issuedIntegers * integers, latency::arithmetic);
  case Class::Compare:
    return set(OpPace::Integers, issued * integers, latency::arithmetic);
  case Class::Float:
    // Those that compare are done where integers are.
    if (op.origin && (op.origin->opcode == "max" || op.origin->opcode == "min"))
      return set(OpPace::Integers, issued * integers, latency::arithmetic);
    return set(OpPace::NoUnit, 0, latency::arithmetic);
  case Class::Half:
    return set(OpPace::NoUnit, 0, latency::arithmetic);
  case Class::Double:
    return set(OpPace::Doubles, doubles, latency::doubles);
  case Class::Special:
    return set(OpPace::Specials, specials, latency::special);
  case Class::Convert:
    // Measured: 32 a clock of a multiprocessor between integers and f32, 16 between them and f16.
    if (op.origin && changesKind(*op.origin))
      return has(*op.origin, "f32") ? set(OpPace::Converters, 2 * converters, latency::convert)
                                    : set(OpPace::Specials, specials, latency::special);
    return set(OpPace::Converters, converters, latency::convert);
  case Class::WarpExchange:
    return set(OpPace::Banks, 1, latency::exchange);
  case Class::SharedLoad:
  case Class::SharedStore:
    made.kind = OpPace::Loads;
    return set(OpPace::Banks, 1, latency::shared);
  case Class::MatrixMemory:
    return set(OpPace::Banks, 1, latency::fragment);
  case Class::GlobalLoad:
  case Class::Atomic:
    made.kind = OpPace::Loads;
    return set(OpPace::Banks, 1, latency::firstCache);
  case Class::GlobalStore:
    made.kind = OpPace::Stores;
    return set(OpPace::Banks, 1, 0);
  case Class::AsyncCopy:
    // The bytes of a bulk copy are those of an mbarrier's phase.
    if (op.origin && has(*op.origin, "bulk"))
      return;
    made.kind = OpPace::Copies;
    return set(OpPace::Banks, 1, latency::firstCache);
  case Class::Matrix:
    if (std::optional<MatrixUse> use = op.origin ? matrixUseOf(*op.origin) : std::nullopt) {
      double rate = rates.tensorOperations * (use->isOfWarpGroup ? 1 : rates.mmaShare) / 4;
      made.kind = use->isOfWarpGroup ? OpPace::Multiplies : OpPace::Computes;
      made.sharedBytes = float(use->sharedBytes);
      return set(OpPace::Tensor, use->operations * use->slowness / rate,
                 use->isOfWarpGroup ? latency::groupProduct : latency::product);
    }
    return;
  case Class::Control:
    made.endsBlock = true;
    made.latency = float(latency::branch);
    return;
  case Class::Barrier:
    made.endsBlock = true;
    return;
  case Class::Fence:
    if (op.origin && has(*op.origin, "proxy") && has(*op.origin, "async")) {
      made.endsBlock = true;
      made.latency = float(latency::proxyFence);
    }
    return;
  default:
    return;
  }
}

std::vector<OpPace> tritium::sim::pacesOf(const FunctionCode &code, const Rates &rates) {
  std::vector<OpPace> made(code.ops.size());
  for (size_t i = 0; i < code.ops.size(); ++i) {
    const Op &op = code.ops[i];
    OpPace &pace = made[i];
    // Copies of registers are not left in machine code, and parameters are operands.
    bool isFree = op.kind == Class::ParameterLoad ||
                  (op.origin && (op.origin->opcode == "mov" || op.origin->opcode == "cvta"));
    pace.issue = isFree ? 0 : float(issued);
    setUnit(op, rates, pace);
    if (!op.origin)
      continue;
    if (op.kind == Class::AsyncGroup)
      readGroup(op, pace);
    auto note = [&](std::vector<uint32_t> &to) {
      return [&](uint32_t index) {
        if (uint32_t slot = code.registerSlots[index]; slot != none)
          to.push_back(slot);
      };
    };
    bool isWritten = hasResult(*op.origin);
    for (size_t k = 0; k < op.origin->operands.size(); ++k)
      eachRegister(op.origin->operands[k], note(k == 0 && isWritten ? pace.results : pace.sources));
    pace.guard = op.guard;
    // Targets that are labels are known by their operation.
    if (op.kind == Class::Control && op.target < made.size())
      made[op.target].startsBlock = true;
  }
  return made;
}
