//===- LoadStore.cpp - ld, st ---------------------------------------------===//

#include "../Machine/Access.h"
#include "Arithmetic.h"

using namespace tritium::sim;
using namespace tritium::sim::ptx;
using Class = InstructionClass;

namespace {

// Op: a address, list the registers, count of them, bytes of each in memory, b: bits of
// each register, signExtend.

Space actualSpace(const Op &op, uint64_t address) {
  if (op.space != Space::Generic)
    return op.space;
  uint64_t window = address & ~windowMask;
  return window == sharedWindow      ? Space::Shared
         : window == localWindow     ? Space::Local
         : window == parameterWindow ? Space::Param
                                     : Space::Global;
}

void countAccess(Warp &warp, const Op &op, const uint64_t *addresses, uint32_t bytes, bool write) {
  Space space = actualSpace(op, addresses[std::countr_zero(warp.mask)]);
  if (space == Space::Shared)
    countShared(warp, op, addresses, bytes, write);
  else if (space == Space::Global)
    countGlobal(warp, op, addresses, bytes, write);
}

void load(Warp &warp, const Op &op) {
  warp.demand(op.a, warp.mask, op, "an address");
  uint64_t addresses[32];
  laneAddresses(warp, op, addresses);
  uint32_t total = uint32_t(op.bytes) * op.count, sound = 0;
  countAccess(warp, op, addresses, total, false);
  unsigned bits = op.b;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(warp.mask >> lane & 1))
      continue;
    Located located;
    u32 word = 0;
    auto edge = EdgeWord::at(warp, op, addresses[lane], total);
    if (edge)
      word = edge->read();
    uint8_t *at = edge ? reinterpret_cast<uint8_t *>(&word)
                       : warp.resolve(op, op.space, addresses[lane], lane, total, false, located);
    bool known = true;
    if (edge) {
      edge->note(warp, op, lane, AccessMode::Read);
      acquire(warp, op, addresses[lane]);
    } else if (at) {
      noteAccess(warp, op, lane, located, total, AccessMode::Read);
      if (op.strong)
        acquire(warp, op, addresses[lane]);
      if (located.definedness)
        for (uint32_t i = 0; i < total; ++i)
          known &= located.definedness[i] != 0;
    }
    sound |= u32(known) << lane;
    for (unsigned k = 0; k < op.count; ++k) {
      if (op.list[k] == none)
        continue;
      u64 value[2] = {0, 0};
      if (at)
        std::memcpy(value, at + k * op.bytes, op.bytes);
      if (op.signExtend && op.bytes < 8)
        value[0] = u64(int64_t(value[0] << (64 - 8 * op.bytes)) >> (64 - 8 * op.bytes));
      if (bits == 128)
        std::memcpy(warp.regs + op.list[k] + 16 * lane, value, 16);
      else if (bits > 32)
        warp.lanes<u64>(op.list[k])[lane] = value[0];
      else
        warp.lanes<u32>(op.list[k])[lane] =
            bits < 32 ? u32(value[0]) & ((1u << bits) - 1) : u32(value[0]);
    }
  }
  for (unsigned k = 0; k < op.count; ++k)
    if (op.list[k] != none) {
      warp.define(op.list[k], sound);
      if (sound != warp.mask)
        warp.undefine(op.list[k], warp.mask & ~sound, op.id);
    }
}

void store(Warp &warp, const Op &op) {
  warp.demand(op.a, warp.mask, op, "an address");
  uint64_t addresses[32];
  laneAddresses(warp, op, addresses);
  uint32_t total = uint32_t(op.bytes) * op.count;
  countAccess(warp, op, addresses, total, true);
  unsigned bits = op.b;
  bool isGlobal = actualSpace(op, addresses[std::countr_zero(warp.mask)]) == Space::Global;
  uint32_t sound = warp.mask;
  for (unsigned k = 0; k < op.count; ++k) {
    if (isGlobal)
      warp.demand(op.list[k], warp.mask, op, "what a store writes to global memory");
    sound &= warp.definedIn(op.list[k]);
  }
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(warp.mask >> lane & 1))
      continue;
    Located located;
    uint8_t *at = warp.resolve(op, op.space, addresses[lane], lane, total, true, located);
    if (!at)
      continue;
    uint8_t bytes[64];
    for (unsigned k = 0; k < op.count; ++k) {
      if (bits == 128)
        std::memcpy(bytes + k * op.bytes, warp.regs + op.list[k] + 16 * lane, 16);
      else if (bits > 32)
        std::memcpy(bytes + k * op.bytes, &warp.lanes<u64>(op.list[k])[lane], op.bytes);
      else
        std::memcpy(bytes + k * op.bytes, &warp.lanes<u32>(op.list[k])[lane], op.bytes);
    }
    if (op.strong && op.releases)
      release(warp, op, addresses[lane]);
    noteAccess(warp, op, lane, located, total, AccessMode::Write, unchangedBytes(at, bytes, total));
    if (op.strong && !op.releases)
      release(warp, op, addresses[lane]);
    std::memcpy(at, bytes, total);
    if (located.definedness)
      std::memset(located.definedness, sound >> lane & 1, total);
  }
}

// The parameters of functions and calls: bytes of the frame, [lane][...] (offset).
void loadParameter(Warp &warp, const Op &op) {
  size_t stride = warp.frame->code->parameterBytes;
  unsigned bits = op.b;
  for (unsigned k = 0; k < op.count; ++k) {
    if (op.list[k] == none)
      continue;
    for (unsigned lane = 0; lane < 32; ++lane) {
      if (!(warp.mask >> lane & 1))
        continue;
      u64 value[2] = {0, 0};
      std::memcpy(value, &warp.frame->parameters[lane * stride + op.offset + k * op.bytes],
                  op.bytes);
      if (op.signExtend && op.bytes < 8)
        value[0] = u64(int64_t(value[0] << (64 - 8 * op.bytes)) >> (64 - 8 * op.bytes));
      if (bits == 128)
        std::memcpy(warp.regs + op.list[k] + 16 * lane, value, 16);
      else if (bits > 32)
        warp.lanes<u64>(op.list[k])[lane] = value[0];
      else
        warp.lanes<u32>(op.list[k])[lane] =
            bits < 32 ? u32(value[0]) & ((1u << bits) - 1) : u32(value[0]);
    }
    warp.define(op.list[k], warp.mask);
  }
}
void storeParameter(Warp &warp, const Op &op) {
  size_t stride = warp.frame->code->parameterBytes;
  unsigned bits = op.b;
  for (unsigned k = 0; k < op.count; ++k)
    for (unsigned lane = 0; lane < 32; ++lane)
      if (warp.mask >> lane & 1) {
        const uint8_t *from = warp.regs + op.list[k] + lane * (bits > 64 ? 16 : bits > 32 ? 8 : 4);
        std::memcpy(&warp.frame->parameters[lane * stride + op.offset + k * op.bytes], from,
                    op.bytes);
      }
}

struct Form {
  Space space = Space::Generic;
  bool ofCluster = true;
  bool strong = false, acquires = false, releases = false, nonCoherent = false;
  unsigned count = 1;
  bool hasHint = false;
  bool bypasses = false; ///< the first cache
};

bool readForm(Decoder &decoder, Modifiers &m, Form &form) {
  // The order of the cache operators and hints is of no consequence.
  int space = m.takeOne({"global", "shared", "shared::cta", "local", "param", "param::entry",
                         "param::func", "const", "shared::cluster"});
  constexpr Space spaces[] = {Space::Global, Space::Shared, Space::Shared,
                              Space::Local,  Space::Param,  Space::Param,
                              Space::Param,  Space::Const,  Space::Shared};
  constexpr int cluster = 8;
  if (space >= 0)
    form.space = spaces[space], form.ofCluster = space == cluster;
  if (m.take("volatile") || m.take("relaxed") || m.take("mmio"))
    form.strong = true;
  if (m.take("acquire"))
    form.strong = form.acquires = true;
  if (m.take("release"))
    form.strong = form.releases = true;
  m.take("weak");
  m.takeOne({"cta", "cluster", "gpu", "sys"});
  form.nonCoherent = m.take("nc");
  form.bypasses = m.take("cg") || m.take("cv");
  m.takeOne({"ca", "cs", "lu", "wb", "wt"});
  for (std::string_view hint :
       {"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last",
        "L1::no_allocate", "L2::64B", "L2::128B", "L2::256B", "L2::evict_first", "L2::evict_last",
        "L2::evict_normal", "unified"})
    m.take(hint);
  form.hasHint = m.take("L2::cache_hint");
  int vector = m.takeOne({"v2", "v4", "v8"});
  form.count = vector < 0 ? 1 : 2u << vector;
  return true;
}

/// What an instruction moves between registers and memory.
struct Transfer {
  bool isStore;
  Form form = {};
  Type type = Type::None;
  unsigned bits = 0;        ///< of an element
  unsigned width = 0;       ///< of a register
  uint32_t *list = nullptr; ///< the registers
};

bool readRegisters(Decoder &decoder, const Operand &data, Transfer &transfer) {
  unsigned count = transfer.form.count;
  uint32_t *list = transfer.list = decoder.list(count);
  if ((data.kind == Operand::Vector ? data.elements.size() : 1) != count)
    return decoder.fail("wants " + std::to_string(count) + " registers");
  for (unsigned i = 0; i < count; ++i) {
    const Operand &element = data.kind == Operand::Vector ? data.elements[i] : data;
    unsigned have = transfer.bits, &width = transfer.width;
    if (transfer.isStore)
      list[i] = decoder.wideSource(element, transfer.type, have);
    else if (element.kind == Operand::Sink && element.name.empty())
      continue;
    else
      list[i] = decoder.wideDestination(element, transfer.type, have);
    if (width && width != have && std::max(width, have) > 32)
      return decoder.fail("its registers have different widths");
    width = width ? std::min(width, have) : have;
  }
  return true;
}

Op &emitTransfer(Decoder &decoder, Handler handler, Class kind, const Transfer &transfer) {
  Op &op = decoder.emit(handler, kind);
  op.list = transfer.list;
  op.count = uint8_t(transfer.form.count);
  op.bytes = uint8_t(transfer.bits / 8);
  op.b = transfer.width;
  op.signExtend = isSigned(transfer.type);
  return op;
}

/// A parameter that lives in the frame: of a function or of a call.
struct FrameParameter {
  const Variable *variable = nullptr; ///< null: the symbol is another one
  uint32_t base = 0;
};

FrameParameter frameParameter(const FunctionCode &code, const Operand &symbol) {
  const Function &function = *code.function;
  if (symbol.owner == Operand::OfBody)
    return {&function.variables[symbol.index], code.variableOffsets[symbol.index]};
  if (symbol.owner == Operand::OfReturns)
    return {&function.returns[symbol.index], code.returnOffsets[symbol.index]};
  if (symbol.owner == Operand::OfParameters && !function.isEntry)
    return {&function.parameters[symbol.index], code.parameterOffsets[symbol.index]};
  return {};
}

/// `offset`: from the parameter's start.
bool decodeParameterAccess(Decoder &decoder, const Transfer &transfer, FrameParameter parameter,
                           uint64_t offset) {
  const Variable &variable = *parameter.variable;
  uint64_t size = transfer.bits / 8 * transfer.form.count;
  if (variable.space != Space::Param || offset > variable.size || variable.size - offset < size)
    return decoder.fail("lies outside parameter '" + std::string(variable.name) + "' (" +
                        std::to_string(variable.size) + " bytes)");
  Handler handler = transfer.isStore ? storeParameter : loadParameter;
  emitTransfer(decoder, handler, Class::ParameterLoad, transfer).offset = parameter.base + offset;
  return !decoder.failed();
}

Class classOf(Space space, bool isStore) {
  switch (space) {
  case Space::Shared:
    return isStore ? Class::SharedStore : Class::SharedLoad;
  case Space::Local:
    return Class::LocalMemory;
  case Space::Param:
    return Class::ParameterLoad;
  case Space::Const:
    return Class::ConstantLoad;
  default:
    return isStore ? Class::GlobalStore : Class::GlobalLoad;
  }
}

bool decodeAccess(Decoder &decoder, bool isStore) {
  Modifiers m(decoder.instruction().modifiers);
  Transfer transfer{isStore};
  Form &form = transfer.form;
  readForm(decoder, m, form);
  transfer.type = m.type();
  transfer.bits = bitsOf(transfer.type);
  if (transfer.bits < 8 || !decoder.done(m))
    return decoder.failed() ? false : decoder.fail("needs a type of 8 to 128 bits");
  if (!decoder.wants(form.hasHint ? 3 : 2))
    return false;
  const Operand &address = decoder.operand(isStore ? 0 : 1);
  if (!readRegisters(decoder, decoder.operand(isStore ? 1 : 0), transfer))
    return false;
  if (isStore && form.space == Space::Const)
    return decoder.fail("constant memory cannot be written");
  if (form.space == Space::Param && address.kind == Operand::Address &&
      address.elements.size() == 1 && address.elements[0].kind == Operand::Symbol) {
    const Operand &symbol = address.elements[0];
    if (symbol.owner == Operand::OfModule)
      return decoder.fail("this variable is no parameter");
    if (FrameParameter own = frameParameter(decoder.code, symbol); own.variable)
      return decodeParameterAccess(decoder, transfer, own, symbol.value + address.value);
  }
  Op &op = emitTransfer(decoder, isStore ? store : load, classOf(form.space, isStore), transfer);
  if (!decoder.address(address, op))
    return false;
  op.space = form.space;
  op.ofCluster = form.ofCluster;
  op.strong = form.strong;
  op.bypasses = form.bypasses;
  op.acquires = form.acquires;
  op.releases = form.releases;
  return !decoder.failed();
}

bool decodeLoad(Decoder &decoder) { return decodeAccess(decoder, false); }
bool decodeStore(Decoder &decoder) { return decodeAccess(decoder, true); }

} // namespace

const Family tritium::sim::memoryFamily = {
    {"ld", decodeLoad}, {"ldu", decodeLoad}, {"st", decodeStore}};
