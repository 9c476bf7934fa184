//===- RegisterPool.cpp - setmaxnreg: registers of warp groups ------------===//
//
// The pool of registers is waited for like an mbarrier, and stands among those of the CTA, at an
// address where no object can be.
//
//===----------------------------------------------------------------------===//

#include "../Machine/Phase.h"
#include "BulkCopy.h"

#include <algorithm>

using namespace tritium::sim;
using namespace tritium::sim::ptx;
using Class = InstructionClass;

namespace {

constexpr uint32_t registersOfSM = 65536, mostOfThread = 255;

/// What a thread begins with; 0: ptxas cannot know, and ignores setmaxnreg.
uint32_t registersAtEntry(const Machine &machine) {
  const Function &entry = *machine.module.find(machine.launch.entry);
  if (entry.maxRegisters)
    return entry.maxRegisters;
  const uint32_t *block = entry.required[0] ? entry.required : entry.maximum;
  if (!block[0])
    return 0;
  uint32_t threads = block[0] * block[1] * block[2];
  return std::min(registersOfSM / threads, mostOfThread + 1) / 8 * 8;
}

MBarrier &registerPool(Warp &warp) {
  auto [found, isNew] = warp.cta.mbarriers.try_emplace(registerPoolAddress);
  MBarrier &pool = found->second;
  if (isNew) {
    pool.address = registerPoolAddress;
    for (Warp &other : warp.cta.warps)
      other.registers = registersAtEntry(warp.machine);
    pool.count = 0; // registers that nobody has
    // Without an arrival no phase ends.
    pool.pending = 1;
  }
  return pool;
}

/// The warps of a warp group execute the same one, all of them.
void checkGroup(Warp &warp, const Op &op) {
  Cta &cta = warp.cta;
  Cta::RegisterGroup &group = cta.registerGroups[warp.index / 4];
  uint32_t first = warp.index / 4 * 4, bit = 1u << warp.index % 4;
  uint32_t all = (1u << std::min<size_t>(4, cta.warps.size() - first)) - 1;
  if (!group.op || group.warps == all)
    group = {&op, 0};
  if (all != 15 || group.op != &op || (group.warps & bit)) {
    Fault *fault = warp.machine.report(
        FaultKind::MissingLanes, &op, &warp, -1,
        all != 15 ? "setmaxnreg needs a warp group of four warps"
                  : "setmaxnreg is to be executed by all four warps of a warp group, before any "
                    "of them executes another one");
    if (fault && group.op != &op) {
      fault->hasOther = true;
      fault->other = warp.machine.place(group.op, nullptr, -1);
      fault->otherIs = "executed by others";
    }
  }
  group.warps |= bit;
}

// Op: offset: registers of a thread; target: 1: .inc.
void setRegisters(Warp &warp, const Op &op) {
  Machine &machine = warp.machine;
  uint32_t wanted = uint32_t(op.offset);
  MBarrier &pool = registerPool(warp);
  if (warp.mask != warp.live)
    machine.report(FaultKind::MissingLanes, &op, &warp, std::countr_zero(warp.mask),
                   "setmaxnreg is executed by a part of its warp only");
  if (!warp.registers) {
    machine.report(
        FaultKind::Registers, &op, &warp, -1,
        "setmaxnreg is ignored where none of .maxnreg, .reqntid and .maxntid says with how "
        "many registers a thread begins");
    return;
  }
  bool grows = op.target;
  if (grows ? wanted < warp.registers : wanted > warp.registers) {
    machine.report(FaultKind::Registers, &op, &warp, -1,
                   "setmaxnreg." + std::string(grows ? "inc" : "dec") + " to " +
                       std::to_string(wanted) + " registers, but a thread has " +
                       std::to_string(warp.registers));
    return;
  }
  uint32_t before = warp.registers * 32, after = wanted * 32;
  if (grows && after - before > pool.count)
    return blockOnPhase(warp, op, pool);
  checkGroup(warp, op);
  warp.registers = wanted;
  pool.count = pool.count + before - after;
  if (!grows)
    wakeAll(pool);
}

bool decodeSetRegisters(Decoder &decoder) {
  Modifiers m(decoder.instruction().modifiers);
  int what = m.takeOne({"inc", "dec"});
  uint64_t count = 0;
  if (what < 0 || !m.take("sync") || !m.take("aligned") || m.type() != Type::U32)
    return decoder.fail("needs .inc or .dec and .sync.aligned.u32");
  if (!decoder.done(m) || !decoder.wants(1) || !decoder.immediate(0, count))
    return false;
  if (count < 24 || count > 256 || count % 8)
    return decoder.fail("a thread has 24 to 256 registers, a multiple of 8, not " +
                        std::to_string(count));
  if (!decoder.isAccelerated())
    return false;
  Op &op = decoder.emit(setRegisters, Class::Other);
  op.offset = count;
  op.target = what == 0;
  return true;
}

} // namespace

const Family tritium::sim::registerPoolFamily = {{"setmaxnreg", decodeSetRegisters}};
