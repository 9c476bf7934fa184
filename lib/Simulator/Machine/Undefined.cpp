//===- Undefined.cpp - values that nothing wrote --------------------------===//
//
// A register lane is undefined until something writes it. Undefined values may be moved
// and computed with (compilers do so with lanes whose result is dropped); they are
// reported where they matter: in an address, a branch, a store to global memory, a value
// that another lane receives. The report stands at the instruction that first read what
// nothing had written, and names the use as the other party.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <bit>

using namespace tritium::sim;

void Warp::track(const Op &op) {
  uint32_t sound = mask, from = none;
  for (uint32_t source : {op.a, op.b, op.c}) {
    if (source == none)
      continue;
    uint32_t missing = mask & ~defined[source >> 7];
    if (!missing)
      continue;
    sound &= ~missing;
    uint32_t origin = frame->origin[source >> 7];
    from = origin == none ? op.id : origin;
  }
  if (op.movesBytes && sound != mask)
    return trackBytes(op, from);
  for (uint32_t destination : {op.d, op.e}) {
    if (destination == none)
      continue;
    uint32_t &known = defined[destination >> 7];
    known = (known & ~mask) | sound;
    if (sound != mask) {
      frame->origin[destination >> 7] = from;
      forgetBytes(destination, mask & ~sound);
    }
  }
}

void Warp::forgetBytes(uint32_t slot, uint32_t lanes) {
  if (auto found = frame->definedBytes.find(slot >> 7); found != frame->definedBytes.end())
    for (unsigned lane = 0; lane < 32; ++lane)
      if (lanes >> lane & 1)
        found->second[lane] = 0;
}

unsigned Warp::bytesDefinedIn(uint32_t slot, unsigned lane) const {
  if (defined[slot >> 7] >> lane & 1)
    return 15;
  auto found = frame->definedBytes.find(slot >> 7);
  return found == frame->definedBytes.end() ? 0 : found->second[lane];
}

void Warp::defineBytes(uint32_t slot, const LaneBytes &bytes, uint32_t from) {
  LaneBytes &known = frame->definedBytes[slot >> 7];
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    known[lane] = bytes[lane];
    uint32_t bit = uint32_t(1) << lane;
    defined[slot >> 7] = bytes[lane] == 15 ? defined[slot >> 7] | bit : defined[slot >> 7] & ~bit;
  }
  frame->origin[slot >> 7] = from;
}

void Warp::trackBytes(const Op &op, uint32_t from) {
  LaneBytes bytes = {};
  for (unsigned lane = 0; lane < 32; ++lane) {
    unsigned sources = bytesDefinedIn(op.a, lane) | bytesDefinedIn(op.b, lane) << 4;
    for (unsigned i = 0; i < 4; ++i)
      bytes[lane] |= (sources >> op.bytesFrom[i] & 1) << i;
  }
  defineBytes(op.d, bytes, from);
}

void Warp::demand(uint32_t slot, uint32_t lanes, const Op &op, const char *use) {
  uint32_t missing = lanes & ~defined[slot >> 7];
  if (!missing)
    return;
  // One report is enough.
  defined[slot >> 7] |= missing;
  if (!machine.launch.checkUndefined)
    return;
  uint32_t origin = frame->origin[slot >> 7];
  const Op *first = origin == none ? &op : machine.ops[origin];
  std::string name;
  const FunctionCode &code = *frame->code;
  for (size_t i = 0; i < code.registerSlots.size(); ++i)
    if (code.registerSlots[i] == slot)
      name = code.function->registerName(uint32_t(i));
  int lane = std::countr_zero(missing);
  bool memory = first->kind == InstructionClass::SharedLoad ||
                first->kind == InstructionClass::LocalMemory ||
                first->kind == InstructionClass::MatrixMemory;
  Fault *fault = machine.report(
      FaultKind::Undefined, first, this, lane,
      std::string(memory ? "memory is read that nothing has written"
                         : "a register is read that nothing has written") +
          "; the value is used as " + use + (name.empty() ? std::string() : " (" + name + ")"));
  if (fault && first != &op) {
    fault->hasOther = true;
    fault->other = machine.place(&op, this, lane);
    fault->otherIs = "used";
  }
}
