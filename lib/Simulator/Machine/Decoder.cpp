//===- Decoder.cpp - operands and control flow of a function --------------===//

#include "Decoder.h"

#include <algorithm>
#include <bit>

using namespace tritium::sim;
using namespace tritium::sim::ptx;

bool Modifiers::take(std::string_view name) {
  auto found = std::find(left.begin(), left.end(), name);
  if (found == left.end())
    return false;
  left.erase(found);
  return true;
}

int Modifiers::takeOne(std::initializer_list<std::string_view> names) {
  int i = 0;
  for (std::string_view name : names) {
    if (take(name))
      return i;
    ++i;
  }
  return -1;
}

Type Modifiers::type() {
  for (size_t i = 0; i < left.size(); ++i)
    if (Type type = typeNamed(left[i]); type != Type::None) {
      left.erase(left.begin() + i);
      return type;
    }
  return Type::None;
}

static std::string spelled(const Instruction &instruction) {
  std::string text(instruction.opcode);
  for (std::string_view modifier : instruction.modifiers)
    text.append(".").append(modifier);
  return text;
}

bool Decoder::fail(const std::string &message) {
  if (!bad) {
    Op at;
    at.origin = current;
    machine.report(FaultKind::UnknownInstruction, &at, nullptr, -1,
                   "'" + spelled(*current) + "': " + message);
  }
  bad = true;
  return false;
}

bool Decoder::isAccelerated() {
  std::string_view target = machine.module.target;
  if (target == "sm_90a")
    return true;
  return fail("needs .target sm_90a, but this is for " + std::string(target));
}

bool Decoder::wants(size_t least, size_t most) {
  if (operands() >= least && operands() <= most)
    return true;
  return fail("takes " + std::to_string(least) +
              (most > least ? " to " + std::to_string(most) : std::string()) +
              " operands, but has " + std::to_string(operands()));
}
bool Decoder::wants(size_t count) { return wants(count, count); }

bool Decoder::done(const Modifiers &modifiers) {
  if (bad)
    return false;
  if (modifiers.left.empty())
    return true;
  return fail("the modifier ." + std::string(modifiers.left[0]) +
              " is not known for this instruction");
}

uint32_t Decoder::scratch(unsigned bits) {
  uint32_t slot = code.slotBytes;
  code.slotBytes += bits > 64 ? 512 : bits > 32 ? 256 : 128;
  return slot;
}

uint32_t Decoder::slotOf(uint32_t reg) {
  uint32_t &slot = code.registerSlots[reg];
  if (slot == none)
    slot = scratch(bitsOf(code.function->registers[reg]));
  return slot;
}

uint32_t Decoder::constant(uint64_t value, bool wide) {
  auto [known, isNew] = constants.try_emplace({value, wide}, 0);
  if (isNew) {
    known->second = scratch(wide ? 64 : 32);
    (wide ? code.constants64 : code.constants32).push_back({known->second, value});
  }
  return known->second;
}

uint32_t Decoder::special(std::string_view name, Type type) {
  struct Entry {
    std::string_view name;
    SpecialSlot::Kind kind;
    uint8_t axis;
  };
  static constexpr Entry entries[] = {
      {"%tid.x", SpecialSlot::Tid, 0},
      {"%tid.y", SpecialSlot::Tid, 1},
      {"%tid.z", SpecialSlot::Tid, 2},
      {"%ntid.x", SpecialSlot::Ntid, 0},
      {"%ntid.y", SpecialSlot::Ntid, 1},
      {"%ntid.z", SpecialSlot::Ntid, 2},
      {"%ctaid.x", SpecialSlot::Ctaid, 0},
      {"%ctaid.y", SpecialSlot::Ctaid, 1},
      {"%ctaid.z", SpecialSlot::Ctaid, 2},
      {"%nctaid.x", SpecialSlot::Nctaid, 0},
      {"%nctaid.y", SpecialSlot::Nctaid, 1},
      {"%nctaid.z", SpecialSlot::Nctaid, 2},
      {"%laneid", SpecialSlot::Lane, 0},
      {"%warpid", SpecialSlot::WarpId, 0},
      {"%nwarpid", SpecialSlot::NWarp, 0},
      {"%lanemask_eq", SpecialSlot::LaneMask, 0},
      {"%lanemask_le", SpecialSlot::LaneMask, 1},
      {"%lanemask_lt", SpecialSlot::LaneMask, 2},
      {"%lanemask_ge", SpecialSlot::LaneMask, 3},
      {"%lanemask_gt", SpecialSlot::LaneMask, 4},
      {"%smid", SpecialSlot::Zero, 0},
      {"%gridid", SpecialSlot::Zero, 0},
      {"%clusterid.x", SpecialSlot::ClusterId, 0},
      {"%clusterid.y", SpecialSlot::ClusterId, 1},
      {"%clusterid.z", SpecialSlot::ClusterId, 2},
      {"%nclusterid.x", SpecialSlot::NClusterId, 0},
      {"%nclusterid.y", SpecialSlot::NClusterId, 1},
      {"%nclusterid.z", SpecialSlot::NClusterId, 2},
      {"%cluster_ctaid.x", SpecialSlot::ClusterCtaid, 0},
      {"%cluster_ctaid.y", SpecialSlot::ClusterCtaid, 1},
      {"%cluster_ctaid.z", SpecialSlot::ClusterCtaid, 2},
      {"%cluster_nctaid.x", SpecialSlot::ClusterNctaid, 0},
      {"%cluster_nctaid.y", SpecialSlot::ClusterNctaid, 1},
      {"%cluster_nctaid.z", SpecialSlot::ClusterNctaid, 2},
      {"%cluster_ctarank", SpecialSlot::ClusterRank, 0},
      {"%cluster_nctarank", SpecialSlot::ClusterNrank, 0},
      {"%total_smem_size", SpecialSlot::Smem, 0},
      {"%dynamic_smem_size", SpecialSlot::Smem, 1},
  };
  bool wide = bitsOf(type) > 32;
  for (const Entry &entry : entries)
    if (entry.name == name) {
      for (const SpecialSlot &made : code.specials)
        if (made.kind == entry.kind && made.axis == entry.axis && made.wide == wide)
          return made.slot;
      uint32_t slot = scratch(wide ? 64 : 32);
      code.specials.push_back({entry.kind, entry.axis, slot, wide});
      return slot;
    }
  fail("'" + std::string(name) +
       "' is neither a register that is declared here nor a known special one");
  return 0;
}

bool Decoder::symbolAddress(const Operand &operand, uint64_t &value) {
  const Function &function = *code.function;
  switch (operand.owner) {
  case Operand::OfModule:
    value = machine.variableAddresses[operand.index];
    break;
  case Operand::OfBody:
    value = code.variableOffsets[operand.index];
    break;
  case Operand::OfParameters:
    value = function.isEntry ? machine.parameterOffsets[operand.index]
                             : code.parameterOffsets[operand.index];
    break;
  case Operand::OfReturns:
    value = code.returnOffsets[operand.index];
    break;
  }
  value += operand.value;
  return true;
}

uint32_t Decoder::source(const Operand &operand, Type type) {
  unsigned bits = bitsOf(type);
  bool wide = bits > 32;
  uint64_t value = 0;
  switch (operand.kind) {
  case Operand::Register: {
    Type have = code.function->registers[operand.index];
    if (bitsOf(have) != bits || (have == Type::Pred) != (type == Type::Pred))
      return fail("operand '" + std::string(operand.name) + "' is a ." + std::string(nameOf(have)) +
                  " register, but ." + std::string(nameOf(type)) + " is wanted"),
             0;
    return slotOf(operand.index);
  }
  case Operand::Special:
    return special(operand.name, type);
  case Operand::Integer:
    value = operand.value;
    if (isFloat(type) && bits > 16)
      value = bits == 32 ? std::bit_cast<uint32_t>(float(int64_t(value)))
                         : std::bit_cast<uint64_t>(double(int64_t(value)));
    break;
  case Operand::Float:
    if (operand.isSingle)
      value = wide ? std::bit_cast<uint64_t>(double(std::bit_cast<float>(uint32_t(operand.value))))
                   : operand.value;
    else
      value = wide ? operand.value
                   : std::bit_cast<uint32_t>(float(std::bit_cast<double>(operand.value)));
    break;
  case Operand::Symbol:
    symbolAddress(operand, value);
    break;
  case Operand::Function:
    value = functionWindow + operand.index;
    break;
  default:
    return fail("an operand is no value"), 0;
  }
  if (bits < 64)
    value &= (uint64_t(1) << bits) - 1;
  return constant(value, wide);
}

uint32_t Decoder::destination(const Operand &operand, Type type) {
  if (operand.kind == Operand::Sink && operand.name.empty())
    return scratch(bitsOf(type));
  if (operand.kind != Operand::Register)
    return fail("the destination is no register"), 0;
  return source(operand, type);
}

uint32_t Decoder::wideDestination(const Operand &operand, Type type, unsigned &bits) {
  bits = bitsOf(type);
  if (operand.kind == Operand::Sink && operand.name.empty()) {
    bits = std::max(bits, 32u);
    return scratch(bits);
  }
  return wideSource(operand, type, bits);
}

uint32_t Decoder::wideSource(const Operand &operand, Type type, unsigned &bits) {
  bits = bitsOf(type);
  if (operand.kind != Operand::Register)
    return source(operand, type);
  bits = bitsOf(code.function->registers[operand.index]);
  if (code.function->registers[operand.index] == Type::Pred || bits < bitsOf(type))
    return fail("register '" + std::string(operand.name) + "' is narrower than ." +
                std::string(nameOf(type))),
           0;
  return slotOf(operand.index);
}

static void runNegatePredicate(Warp &warp, const Op &op) {
  uint32_t &to = warp.predicate(op.d);
  to = (to & ~warp.mask) | (~warp.predicate(op.a) & warp.mask);
}

uint32_t Decoder::predicate(const Operand &operand) {
  if (operand.kind == Operand::Integer)
    return constant(operand.value ? ~0u : 0, false);
  uint32_t slot = source(operand, Type::Pred);
  if (!operand.negated || bad)
    return slot;
  Op &op = emit(runNegatePredicate, InstructionClass::Other);
  op.a = slot;
  op.tracked = true;
  return op.d = scratch(32);
}

uint32_t Decoder::predicateTarget(const Operand &operand) {
  return destination(operand, Type::Pred);
}

bool Decoder::immediate(size_t i, uint64_t &value) {
  if (operand(i).kind != Operand::Integer)
    return fail("operand " + std::to_string(i + 1) + " must be a number");
  value = operand(i).value;
  return true;
}

bool Decoder::address(const Operand &operand, Op &op) {
  if (operand.kind != Operand::Address)
    return fail("expected an address in brackets");
  if (operand.elements.size() > 1)
    return fail("an address here has no coordinates");
  return addressOfFirst(operand, op);
}

bool Decoder::addressOfFirst(const Operand &operand, Op &op) {
  const Operand &base = operand.elements[0];
  op.offset = operand.value;
  if (base.kind != Operand::Register) {
    op.a = source(base, Type::B64);
    op.target = 64;
    return !bad;
  }
  unsigned bits = bitsOf(code.function->registers[base.index]);
  if (bits != 32 && bits != 64)
    return fail("an address is held by a register of 32 or 64 bits");
  op.a = slotOf(base.index);
  op.target = bits;
  return true;
}

Op &Decoder::emit(Handler run, InstructionClass kind) {
  Op op;
  op.run = run;
  op.kind = kind;
  op.origin = current;
  if (current && current->guard >= 0) {
    op.guard = slotOf(uint32_t(current->guard));
    op.guardNegated = current->guardNegated;
  }
  op.id = uint32_t(machine.tallies.size());
  machine.tallies.emplace_back();
  code.ops.push_back(op);
  return code.ops.back();
}

uint32_t *Decoder::list(size_t count) { return code.lists.emplace_back(count, none).data(); }

bool Decoder::run() {
  const Function &function = *code.function;
  code.registerSlots.assign(function.registers.size(), none);
  uint32_t local = 0, params = 0;
  auto place = [&](const Variable &variable, uint32_t &end) {
    end = (end + variable.align - 1) / variable.align * variable.align;
    uint32_t at = end;
    end += uint32_t(variable.size);
    return at;
  };
  for (const Variable &variable : function.parameters)
    code.parameterOffsets.push_back(function.isEntry ? 0 : place(variable, params));
  for (const Variable &variable : function.returns)
    code.returnOffsets.push_back(place(variable, params));
  for (const Variable &variable : function.variables) {
    if (variable.space == Space::Local)
      code.variableOffsets.push_back(place(variable, local));
    else if (variable.space == Space::Param)
      code.variableOffsets.push_back(place(variable, params));
    else // the machine has placed it
      code.variableOffsets.push_back(0);
    if (local > 512 * 1024 || params > 64 * 1024) {
      current = nullptr;
      machine.report(FaultKind::InvalidLaunch, nullptr, nullptr, -1,
                     "function '" + std::string(function.name) +
                         "' has more local memory than a thread can have (512 KiB)");
      return false;
    }
  }
  for (size_t i = 0; i < machine.sharedOffsets[&function].size(); ++i)
    if (function.variables[i].space == Space::Shared)
      code.variableOffsets[i] = machine.sharedOffsets[&function][i];
  code.localBytes = local;
  code.parameterBytes = params;
  starts.clear();
  for (const Instruction &instruction : function.body) {
    current = &instruction;
    starts.push_back(uint32_t(code.ops.size()));
    const OpcodeEntry *entry = findOpcode(instruction.opcode);
    unsigned least = leastArchitecture(instruction);
    unsigned have =
        machine.launch.architecture ? machine.launch.architecture : machine.module.capability;
    if (!entry)
      fail("unknown instruction");
    else if (have && have < least)
      fail("needs sm_" + std::to_string(least) + " or newer, but this is for sm_" +
           std::to_string(have));
    else
      entry->decode(*this);
    if (bad)
      return false;
    if (code.slotBytes > 1u << 28)
      return fail("the function has too many registers");
  }
  starts.push_back(uint32_t(code.ops.size()));
  current = function.body.empty() ? nullptr : &function.body.back();
  Op &last = emit(runReturn, InstructionClass::Control);
  last.guard = none;
  for (const Fixup &fixup : fixups)
    code.ops[fixup.op].target = starts[fixup.label];
  for (const Fork &fork : forks)
    for (uint32_t i = 0; i < fork.count; ++i)
      fork.targets[i] = starts[fork.targets[i]];
  reconvergence();
  findProductRegisters(code);
  code.decoded = true;
  return true;
}

/// Immediate post-dominators of branches, on the graph of operations (Cooper, Harvey and
/// Kennedy's algorithm on the reversed graph). The virtual end is ops.size().
void Decoder::reconvergence() {
  std::vector<Op> &ops = code.ops;
  uint32_t end = uint32_t(ops.size());
  auto successors = [&](uint32_t i, auto &&f) {
    const Op &op = ops[i];
    bool mayFall = op.guard != none;
    if (isExit(op)) {
      f(end);
    } else if (isBranch(op)) {
      auto fork = std::find_if(forks.begin(), forks.end(), [&](auto &x) { return x.op == i; });
      if (fork != forks.end())
        for (uint32_t k = 0; k < fork->count; ++k)
          f(fork->targets[k]);
      else
        f(op.target);
    } else {
      mayFall = true;
    }
    if (mayFall)
      f(i + 1);
  };
  std::vector<std::vector<uint32_t>> predecessors(end + 1);
  for (uint32_t i = 0; i < end; ++i)
    successors(i, [&](uint32_t s) { predecessors[std::min(s, end)].push_back(i); });
  // Post-order from the end over predecessors.
  std::vector<uint32_t> order, number(end + 1, none);
  std::vector<std::pair<uint32_t, size_t>> stack{{end, 0}};
  std::vector<bool> seen(end + 1);
  seen[end] = true;
  while (!stack.empty()) {
    auto &[node, next] = stack.back();
    if (next < predecessors[node].size()) {
      uint32_t p = predecessors[node][next++];
      if (!seen[p]) {
        seen[p] = true;
        stack.push_back({p, 0});
      }
    } else {
      number[node] = uint32_t(order.size());
      order.push_back(node);
      stack.pop_back();
    }
  }
  std::vector<uint32_t> idom(end + 1, none);
  idom[end] = end;
  bool changed = true;
  while (changed) {
    changed = false;
    for (size_t k = order.size(); k--;) {
      uint32_t node = order[k];
      if (node == end)
        continue;
      uint32_t best = none;
      successors(node, [&](uint32_t s) {
        s = std::min(s, end);
        if (number[s] == none || idom[s] == none)
          return;
        if (best == none) {
          best = s;
          return;
        }
        uint32_t x = s, y = best;
        while (x != y) {
          while (number[x] < number[y])
            x = idom[x];
          while (number[y] < number[x])
            y = idom[y];
        }
        best = x;
      });
      if (best != idom[node]) {
        idom[node] = best;
        changed = true;
      }
    }
  }
  for (uint32_t i = 0; i < end; ++i)
    if (isBranch(ops[i])) // a loop with no way out has no post-dominator
      ops[i].reconverge = idom[i] == none ? end : idom[i];
}
