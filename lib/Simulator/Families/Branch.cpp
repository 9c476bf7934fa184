//===- Branch.cpp - bra, brx, call, ret, exit, trap -----------------------===//

#include "Arithmetic.h"

#include <algorithm>
#include <cstdio>

using namespace tritium::sim;
using namespace tritium::sim::ptx;
using Class = InstructionClass;

namespace {

void runBranch(Warp &warp, const Op &op) { warp.branch(op, warp.mask); }

/// brx.idx: list is the targets. Lanes with one target go together; the others stay for
/// their own turn at this instruction.
void runIndexed(Warp &warp, const Op &op) {
  warp.demand(op.a, warp.mask, op, "an index of branch targets");
  const u32 *index = warp.lanes<u32>(op.a);
  unsigned first = unsigned(std::countr_zero(warp.mask));
  u32 target = index[first], same = 0;
  for (unsigned i = 0; i < 32; ++i)
    if (warp.mask >> i & 1 && index[i] == target)
      same |= 1u << i;
  if (target >= op.offset) {
    warp.machine.report(FaultKind::OutOfBounds, &op, &warp, int(first),
                        "index " + std::to_string(target) + " of a branch with " +
                            std::to_string(op.offset) + " targets");
    warp.machine.stop = true;
    return;
  }
  Op taken = op;
  taken.target = op.list[target];
  if (same != warp.mask) // the rest comes back here
    --warp.current->pc;
  warp.branch(taken, same);
}

void runExit(Warp &warp, const Op &op) { warp.leave(warp.mask); }

void runTrap(Warp &warp, const Op &op) {
  warp.machine.report(FaultKind::Trap, &op, &warp, std::countr_zero(warp.mask),
                      "the program trapped");
  warp.machine.stop = true;
}

bool decodeBranch(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  m.take("uni");
  if (!decoder.done(m) || !decoder.wants(1))
    return false;
  if (decoder.operand(0).kind != Operand::Label)
    return decoder.fail("the target is no label");
  decoder.fixups.push_back({decoder.code.ops.size(), decoder.operand(0).index});
  decoder.emit(runBranch, Class::Control);
  return true;
}

bool decodeIndexed(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  m.take("uni");
  if (!m.take("idx") || !decoder.done(m) || !decoder.wants(2))
    return decoder.fail("needs .idx");
  if (decoder.operand(1).kind != Operand::List)
    return decoder.fail("the second operand is no list of targets");
  const std::vector<uint32_t> &targets =
      decoder.code.function->targetLists[decoder.operand(1).index];
  uint32_t a = decoder.source(0, Type::U32);
  uint32_t *list = decoder.list(targets.size());
  std::copy(targets.begin(), targets.end(), list);
  decoder.forks.push_back({decoder.code.ops.size(), list, uint32_t(targets.size())});
  Op &op = decoder.emit(runIndexed, Class::Control);
  op.a = a;
  op.list = list;
  op.offset = targets.size();
  return !decoder.failed();
}

// Calls. list: [function, results, (offset in the caller, bytes)..., arguments, (...)...].

void formatOutput(Warp &warp, const Op &op, u64 formatAddress, u64 arguments, unsigned lane) {
  auto read = [&](u64 address, unsigned bytes, u64 &value) {
    Located located;
    uint8_t *at = warp.resolve(op, Space::Generic, address, lane, bytes, false, located);
    value = 0;
    if (at)
      std::memcpy(&value, at, bytes);
    return at != nullptr;
  };
  auto text = [&](u64 address) {
    std::string made;
    u64 c;
    while (made.size() < 65536 && read(address++, 1, c) && c)
      made += char(c);
    return made;
  };
  std::string format = text(formatAddress), &out = warp.machine.result.output;
  if (out.size() > 16u << 20)
    return;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      out += format[i];
      continue;
    }
    if (i + 1 < format.size() && format[i + 1] == '%') {
      out += '%', ++i;
      continue;
    }
    size_t end = format.find_first_of("diouxXeEfFgGaAcspn", i + 1);
    if (end == std::string::npos || end - i > 24)
      return;
    std::string spec = format.substr(i, end - i);
    bool isLong = spec.find('l') != std::string::npos;
    spec.erase(std::remove_if(spec.begin(), spec.end(),
                              [](char c) { return c == 'l' || c == 'h' || c == '*'; }),
               spec.end());
    char kind = format[end], made[512];
    bool isFloating = std::string_view("eEfFgGaA").find(kind) != std::string_view::npos;
    unsigned bytes = isLong || isFloating || kind == 's' || kind == 'p' ? 8 : 4;
    arguments = (arguments + bytes - 1) / bytes * bytes;
    u64 value;
    if (!read(arguments, bytes, value))
      return;
    arguments += bytes;
    if (kind == 's') {
      out += text(value);
    } else if (kind == 'p') {
      std::snprintf(made, sizeof made, "0x%llx", (unsigned long long)value);
      out += made;
    } else {
      // Widths beyond the buffer are cut.
      if (isFloating)
        std::snprintf(made, sizeof made, (spec + kind).c_str(), asDouble(value));
      else if (kind == 'd' || kind == 'i')
        std::snprintf(made, sizeof made, (spec + "lld").c_str(),
                      isLong ? (long long)value : (long long)int32_t(value));
      else if (kind == 'c')
        std::snprintf(made, sizeof made, (spec + "c").c_str(), int(value));
      else if (kind != 'n')
        std::snprintf(made, sizeof made, (spec + "ll" + kind).c_str(), (unsigned long long)value);
      out += made;
    }
    i = end;
  }
}

u64 argument(Warp &warp, const uint32_t *place, unsigned lane) {
  u64 value = 0;
  std::memcpy(&value,
              &warp.frame->parameters[size_t(lane) * warp.frame->code->parameterBytes + place[0]],
              std::min(place[1], 8u));
  return value;
}

void runPrint(Warp &warp, const Op &op) {
  const uint32_t *arguments = op.list + 3 + 2 * op.list[1];
  for (unsigned lane = 0; lane < 32; ++lane)
    if (warp.mask >> lane & 1)
      formatOutput(warp, op, argument(warp, arguments, lane), argument(warp, arguments + 2, lane),
                   lane);
}

/// __assertfail(message, file, line, function, size)
void runAssertion(Warp &warp, const Op &op) {
  const uint32_t *arguments = op.list + 3 + 2 * op.list[1];
  int lane = std::countr_zero(warp.mask);
  auto text = [&](unsigned i) {
    std::string made;
    u64 address = argument(warp, arguments + 2 * i, unsigned(lane));
    for (unsigned n = 0; n < 4096; ++n) {
      Located located;
      uint8_t *at =
          warp.resolve(op, Space::Generic, address + n, unsigned(lane), 1, false, located);
      if (!at || !*at)
        break;
      made += char(*at);
    }
    return made;
  };
  warp.machine.report(FaultKind::Assertion, &op, &warp, lane,
                      "assertion failed: " + text(0) + " (" + text(1) + ":" +
                          std::to_string(u32(argument(warp, arguments + 4, unsigned(lane)))) + ")");
  warp.machine.stop = true;
}

void runCall(Warp &warp, const Op &op) { warp.call(op, warp.machine.code[op.list[0]]); }

void runIndirect(Warp &warp, const Op &op) {
  warp.demand(op.a, warp.mask, op, "the address of a function");
  const u64 *address = warp.lanes<u64>(op.a);
  unsigned first = unsigned(std::countr_zero(warp.mask));
  u64 target = address[first], index = target - functionWindow;
  for (unsigned i = 0; i < 32; ++i)
    if (warp.mask >> i & 1 && address[i] != target) {
      warp.machine.report(FaultKind::Unsupported, &op, &warp, int(i),
                          "lanes of one warp call different functions");
      warp.machine.stop = true;
      return;
    }
  const ptx::Module &module = warp.machine.module;
  bool fits = index < module.functions.size() && module.functions[index].isDefined &&
              !module.functions[index].isEntry;
  if (fits) {
    const ptx::Function &function = module.functions[index];
    uint32_t results = op.list[1], arguments = op.list[2 + 2 * results];
    fits = function.returns.size() == results && function.parameters.size() == arguments;
    for (uint32_t i = 0; fits && i < results; ++i)
      fits = function.returns[i].size == op.list[3 + 2 * i];
    for (uint32_t i = 0; fits && i < arguments; ++i)
      fits = function.parameters[i].size == op.list[4 + 2 * results + 2 * i];
    // Only functions that the module takes the address of are decoded.
    fits = fits && warp.machine.code[index].decoded;
  }
  if (!fits) {
    warp.machine.report(FaultKind::OutOfBounds, &op, &warp, int(first),
                        "the call leads to no function of this signature");
    warp.machine.stop = true;
    return;
  }
  warp.call(op, warp.machine.code[index]);
}

bool decodeCall(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  m.take("uni");
  if (!decoder.done(m))
    return false;
  // (results), function, (arguments), prototype
  size_t at = 0;
  const Operand *results = nullptr, *arguments = nullptr;
  if (at < decoder.operands() && decoder.operand(at).kind == Operand::Tuple)
    results = &decoder.operand(at++);
  if (at >= decoder.operands())
    return decoder.fail("names no function");
  const Operand &target = decoder.operand(at++);
  if (at < decoder.operands() && decoder.operand(at).kind == Operand::Tuple)
    arguments = &decoder.operand(at++);
  const Function &function = *decoder.code.function;
  std::vector<uint32_t> words{0};
  auto pass = [&](const Operand *tuple) {
    words.push_back(tuple ? uint32_t(tuple->elements.size()) : 0);
    for (size_t i = 0; tuple && i < tuple->elements.size(); ++i) {
      const Operand &element = tuple->elements[i];
      bool isParameter = element.kind == Operand::Symbol && element.owner == Operand::OfBody &&
                         function.variables[element.index].space == Space::Param;
      if (!isParameter)
        return decoder.fail("only .param variables of the body can be passed");
      words.push_back(decoder.code.variableOffsets[element.index]);
      words.push_back(uint32_t(function.variables[element.index].size));
    }
    return true;
  };
  if (!pass(results) || !pass(arguments))
    return false;
  uint32_t given = results ? uint32_t(results->elements.size()) : 0;
  Handler run = runCall;
  if (target.kind == Operand::Register) {
    run = runIndirect;
  } else if (target.kind != Operand::Function) {
    return decoder.fail("the target is no function");
  } else {
    const Function &callee = decoder.machine.module.functions[target.index];
    words[0] = target.index;
    size_t passed = arguments ? arguments->elements.size() : 0;
    if (callee.parameters.size() != passed || callee.returns.size() != given)
      return decoder.fail("the function takes " + std::to_string(callee.parameters.size()) +
                          " arguments and gives " + std::to_string(callee.returns.size()) +
                          " results");
    for (size_t i = 0; i < given; ++i)
      if (words[3 + 2 * i] != callee.returns[i].size || callee.returns[i].space != Space::Param)
        return decoder.fail("a result has another size than the function's");
    for (size_t i = 0; i < passed; ++i)
      if (words[4 + 2 * given + 2 * i] != callee.parameters[i].size ||
          callee.parameters[i].space != Space::Param)
        return decoder.fail("an argument has another size than the function's parameter");
    if (callee.isDefined && !callee.isEntry) {
      decoder.calls.push_back(target.index);
    } else if (callee.name == "vprintf" && passed == 2) {
      run = runPrint;
    } else if (callee.name == "__assertfail" && passed == 5) {
      run = runAssertion;
    } else {
      return decoder.fail("function '" + std::string(callee.name) + "' is not defined here");
    }
  }
  uint32_t a = run == runIndirect ? decoder.source(target, Type::B64) : none;
  decoder.callsAny |= run == runIndirect;
  uint32_t *list = decoder.list(words.size());
  std::copy(words.begin(), words.end(), list);
  Op &op = decoder.emit(run, Class::Control);
  op.a = a;
  op.list = list;
  return !decoder.failed();
}

template <Handler Run> bool decodePlain(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  m.take("uni");
  if (!decoder.done(m) || !decoder.wants(0))
    return false;
  decoder.emit(Run, Class::Control);
  return true;
}
void runNothing(Warp &, const Op &) {}
/// Hints to the hardware; they have no result.
bool decodeHint(Decoder &decoder) {
  decoder.emit(runNothing, Class::Other);
  return true;
}

} // namespace

void tritium::sim::runReturn(Warp &warp, const Op &op) { warp.returnLanes(warp.mask); }
bool tritium::sim::isBranch(const Op &op) { return op.run == runBranch || op.run == runIndexed; }
bool tritium::sim::isExit(const Op &op) {
  return op.run == runReturn || op.run == runExit || op.run == runTrap;
}

const Family tritium::sim::controlFamily = {
    {"bra", decodeBranch},           {"brx", decodeIndexed},         {"call", decodeCall},
    {"ret", decodePlain<runReturn>}, {"exit", decodePlain<runExit>}, {"trap", decodePlain<runTrap>},
    {"brkpt", decodePlain<runTrap>}, {"nanosleep", decodeHint},      {"prefetch", decodeHint},
    {"prefetchu", decodeHint},       {"discard", decodeHint},        {"applypriority", decodeHint},
    {"griddepcontrol", decodeHint},  {"pmevent", decodeHint},
};
