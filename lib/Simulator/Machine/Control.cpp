//===- Control.cpp - divergence, calls, the execution of a warp -----------===//

#include "Cluster.h"
#include "Machine.h"

#include <algorithm>
#include <bit>

using namespace tritium::sim;

static constexpr uint32_t deepestCalls = 512;
static constexpr uint32_t mostLocal = 512 * 1024;

Split *Warp::newSplit() {
  if (freeSplits.empty()) {
    splits.emplace_back();
    return &splits.back();
  }
  Split *split = freeSplits.back();
  freeSplits.pop_back();
  *split = Split();
  return split;
}

/// What a special register holds in a lane.
static uint32_t specialValue(const Warp &warp, const SpecialSlot &special, unsigned lane) {
  const Machine &machine = warp.machine;
  const Extent &block = machine.launch.block, &grid = machine.launch.grid, &cta = warp.cta.id;
  uint32_t t = warp.thread(lane);
  uint32_t tid[3] = {t % block.x, t / block.x % block.y, t / block.x / block.y};
  uint32_t ntid[3] = {block.x, block.y, block.z}, nctaid[3] = {grid.x, grid.y, grid.z};
  uint32_t ctaid[3] = {cta.x, cta.y, cta.z};
  const Extent &cluster = machine.cluster;
  uint32_t perCluster[3] = {cluster.x, cluster.y, cluster.z};
  uint32_t masks[] = {1u << lane, (2u << lane) - 1, (1u << lane) - 1, ~0u << lane,
                      ~0u << lane << 1};
  switch (special.kind) {
  case SpecialSlot::Tid:
    return tid[special.axis];
  case SpecialSlot::Ntid:
    return ntid[special.axis];
  case SpecialSlot::Ctaid:
    return ctaid[special.axis];
  case SpecialSlot::Nctaid:
    return nctaid[special.axis];
  case SpecialSlot::Lane:
    return lane;
  case SpecialSlot::WarpId:
    return warp.index;
  case SpecialSlot::NWarp:
    return machine.warpsOfCta;
  case SpecialSlot::LaneMask:
    return masks[special.axis];
  case SpecialSlot::Smem:
    return special.axis == 0 ? machine.sharedBytes : machine.launch.dynamicShared;
  case SpecialSlot::ClusterId:
    return ctaid[special.axis] / perCluster[special.axis];
  case SpecialSlot::NClusterId:
    return nctaid[special.axis] / perCluster[special.axis];
  case SpecialSlot::ClusterCtaid:
    return ctaid[special.axis] % perCluster[special.axis];
  case SpecialSlot::ClusterNctaid:
    return perCluster[special.axis];
  case SpecialSlot::ClusterRank:
    return warp.cta.rank;
  case SpecialSlot::ClusterNrank:
    return uint32_t(cluster.count());
  case SpecialSlot::Zero:
    return 0;
  }
  return 0;
}

/// A frame whose constants and special registers are filled in; no instruction writes these, so
/// they hold for every call that the frame is used for.
static Frame *makeFrame(Warp &warp, const FunctionCode &code) {
  Frame *made = warp.frames.emplace_back(std::make_unique<Frame>()).get();
  made->code = &code;
  warp.cta.frameBytes += code.slotBytes + uint64_t(code.parameterBytes) * 32;
  made->storage.resize(code.slotBytes / 8);
  made->registers = reinterpret_cast<uint8_t *>(made->storage.data());
  made->parameters.resize(size_t(code.parameterBytes) * 32);
  for (auto [slot, value] : code.constants32)
    std::fill_n(reinterpret_cast<uint32_t *>(made->registers + slot), 32, uint32_t(value));
  for (auto [slot, value] : code.constants64)
    std::fill_n(reinterpret_cast<uint64_t *>(made->registers + slot), 32, value);
  for (const SpecialSlot &special : code.specials)
    for (unsigned lane = 0; lane < 32; ++lane) {
      uint32_t value = specialValue(warp, special, lane);
      if (special.wide)
        reinterpret_cast<uint64_t *>(made->registers + special.slot)[lane] = value;
      else
        reinterpret_cast<uint32_t *>(made->registers + special.slot)[lane] = value;
    }
  return made;
}

Frame *Warp::newFrame(const FunctionCode &code, uint32_t localBase) {
  Frame *made = nullptr;
  for (Frame *&free : freeFrames)
    if (free->code == &code) {
      made = free;
      free = freeFrames.back();
      freeFrames.pop_back();
      break;
    }
  if (!made)
    made = makeFrame(*this, code);
  uint32_t slots = code.slotBytes / 128;
  made->defined.assign(slots, 0);
  made->origin.assign(slots, none);
  made->definedBytes.clear();
  made->productRegisters.assign(code.productRegisters.empty() ? 0 : slots, {});
  made->paces.assign(code.paces.empty() ? 0 : slots, {});
  for (auto [slot, value] : code.constants32)
    made->defined[slot >> 7] = allLanes;
  for (auto [slot, value] : code.constants64)
    made->defined[slot >> 7] = allLanes;
  for (const SpecialSlot &special : code.specials)
    made->defined[special.slot >> 7] = allLanes;
  made->localBase = localBase;
  uint64_t end = uint64_t(localBase) + code.localBytes;
  if (code.localBytes)
    for (unsigned lane = 0; lane < 32; ++lane) {
      local[lane].resize(end);
      localDefined[lane].resize(localBase);
      localDefined[lane].resize(end, 0);
    }
  return made;
}

void Warp::start(const FunctionCode &code) {
  uint32_t threads = machine.threads - std::min(machine.threads, index * 32);
  live = threads >= 32 ? allLanes : (1u << threads) - 1;
  known.warps.assign(machine.warpsOfCta, 0);
  Split *root = newSplit();
  root->frame = newFrame(code, 0);
  root->mask = live;
  leaves.push_back(root);
}

void Warp::removeLeaf(Split *split) {
  leaves.erase(std::find(leaves.begin(), leaves.end(), split));
  if (current == split)
    current = nullptr;
}

// The branch's lanes disagree, or all of them are taken.
void Warp::branch(const Op &op, uint32_t taken) {
  Split *split = current;
  uint32_t stay = split->mask & ~taken;
  Tally &tally = machine.tallies[op.id];
  ++tally.branches;
  if (!stay) {
    split->pc = op.target;
    return;
  }
  ++tally.divergentBranches;
  Split *parent = split->parent, *taking = newSplit();
  if (split->rpc != op.reconverge || split->isCall || !parent) {
    // A node that waits at the post-dominator.
    parent = split;
    Split *staying = newSplit();
    staying->frame = split->frame;
    staying->pc = split->pc;
    staying->mask = stay;
    staying->caller = split->caller;
    split->state = Split::WaitingChildren;
    split->pc = op.reconverge;
    split->arrived = 0;
    split->children = 1;
    *std::find(leaves.begin(), leaves.end(), split) = staying;
    staying->parent = split;
    staying->rpc = op.reconverge;
    current = staying;
  } else {
    split->mask = stay;
  }
  taking->frame = current->frame;
  taking->pc = op.target;
  taking->rpc = op.reconverge;
  taking->mask = taken;
  taking->parent = parent;
  taking->caller = current->caller;
  ++parent->children;
  leaves.push_back(taking);
  current = nullptr;
}

/// The split has no lanes or has arrived: its parent loses a child.
void Warp::dissolve(Split *split) {
  while (true) {
    Split *parent = split->isCall ? split->caller : split->parent;
    split->state = Split::Done;
    freeSplits.push_back(split);
    if (!parent)
      return;
    if (--parent->children)
      return;
    if (split->isCall)
      freeFrames.push_back(split->frame);
    parent->mask = parent->arrived;
    parent->arrived = 0;
    parent->state = Split::Running;
    if (parent->mask) {
      leaves.push_back(parent);
      return;
    }
    split = parent;
  }
}

void Warp::arrive() {
  Split *split = current;
  split->parent->arrived |= split->mask;
  removeLeaf(split);
  dissolve(split);
}

void Warp::leave(uint32_t lanes) {
  for (unsigned lane = 0; lane < 32; ++lane)
    if (lanes >> lane & 1) {
      leaveCopies(lane);
      leaveBulkCopies(lane);
    }
  leaveProducts(nullptr);
  leaveCluster(lanes);
  live &= ~lanes;
  cta.live -= std::popcount(lanes);
  Split *split = current;
  split->mask &= ~lanes;
  if (!split->mask) {
    removeLeaf(split);
    dissolve(split);
  }
  cta.exited = true;
  if (!cta.live) {
    checkVisitors(*this);
    machine.abandon(*this);
  }
  machine.sweepBarriers(cta);
}

void Warp::returnLanes(uint32_t lanes) {
  Split *split = current, *caller = split->caller;
  if (!caller)
    return leave(lanes);
  leaveProducts(split->frame);
  // Copy the results into the caller's parameters.
  const FunctionCode &callee = *split->frame->code;
  const Op &call = caller->frame->code->ops[caller->pc - 1];
  const uint32_t *list = call.list;
  uint32_t results = list[1];
  for (uint32_t i = 0; i < results; ++i) {
    uint32_t from = callee.returnOffsets[i], to = list[2 + 2 * i], bytes = list[3 + 2 * i];
    for (unsigned lane = 0; lane < 32; ++lane)
      if (lanes >> lane & 1)
        std::memcpy(
            &caller->frame->parameters[size_t(lane) * caller->frame->code->parameterBytes + to],
            &split->frame->parameters[size_t(lane) * callee.parameterBytes + from], bytes);
  }
  caller->arrived |= lanes;
  split->mask &= ~lanes;
  if (!split->mask) {
    removeLeaf(split);
    dissolve(split);
  }
}

void Warp::call(const Op &op, const FunctionCode &callee) {
  Split *caller = current;
  uint32_t depth = 0;
  for (Split *up = caller; up; up = up->caller)
    ++depth;
  uint64_t base = caller->frame->localBase + caller->frame->code->localBytes;
  base = (base + 15) & ~uint64_t(15);
  if (depth > deepestCalls || base + callee.localBytes > mostLocal ||
      cta.frameBytes > machine.launch.memoryLimit) {
    machine.report(FaultKind::Unsupported, &op, this, -1,
                   "calls are nested too deeply: a thread's stack overflows");
    machine.stop = true;
    return;
  }
  Split *split = newSplit();
  split->frame = newFrame(callee, uint32_t(base));
  split->mask = mask;
  split->isCall = true;
  split->caller = caller;
  const uint32_t *arguments = op.list + 2 + 2 * op.list[1];
  uint32_t count = *arguments++;
  for (uint32_t i = 0; i < count; ++i)
    for (unsigned lane = 0; lane < 32; ++lane)
      if (mask >> lane & 1)
        std::memcpy(&split->frame->parameters[size_t(lane) * callee.parameterBytes +
                                              callee.parameterOffsets[i]],
                    &caller->frame->parameters[size_t(lane) * caller->frame->code->parameterBytes +
                                               arguments[2 * i]],
                    arguments[2 * i + 1]);
  caller->arrived = caller->mask & ~mask;
  caller->children = 1;
  caller->state = Split::WaitingChildren;
  *std::find(leaves.begin(), leaves.end(), caller) = split;
  current = nullptr;
}

bool Warp::gather(const Op &op, uint32_t needed) {
  needed &= live;
  if (!(needed & ~mask))
    return true;
  // Other splits that stand at this instruction take part in it.
  uint32_t here = mask, able = 0;
  uint32_t pc = uint32_t(&op - frame->code->ops.data());
  for (Split *leaf : leaves) {
    if (leaf == current)
      continue;
    if (leaf->frame == frame && leaf->state == Split::WaitingLanes && leaf->pc == pc)
      here |= leaf->mask;
    else if (leaf->state == Split::Running)
      able |= leaf->mask;
    else if (leaf->state == Split::WaitingBarrier || leaf->state == Split::WaitingPhase)
      able |= leaf->mask;
  }
  if (!(needed & ~here)) {
    for (Split *leaf : leaves)
      if (leaf != current && leaf->frame == frame && leaf->state == Split::WaitingLanes &&
          leaf->pc == pc && (leaf->mask & needed)) {
        leaf->state = Split::Running;
        ++leaf->pc;
      }
    mask = here & (needed | mask);
    return true;
  }
  if (able) {
    current->pc = pc;
    current->state = Split::WaitingLanes;
    current = nullptr;
    return false;
  }
  std::string lanes;
  for (unsigned lane = 0; lane < 32; ++lane)
    if ((needed & ~here) >> lane & 1)
      lanes += (lanes.empty() ? "" : ", ") + std::to_string(lane);
  machine.report(FaultKind::MissingLanes, &op, this, std::countr_zero(mask),
                 "the instruction waits for lanes that do not come here: " + lanes);
  for (Split *leaf : leaves)
    if (leaf != current && leaf->frame == frame && leaf->state == Split::WaitingLanes &&
        leaf->pc == pc) {
      leaf->state = Split::Running;
      ++leaf->pc;
    }
  mask = here;
  return true;
}

bool Warp::runnable() const {
  for (const Split *leaf : leaves)
    if (leaf->state == Split::Running)
      return true;
  // If all that could come have come, those that wait for lanes are told so.
  bool waiting = false;
  for (const Split *leaf : leaves) {
    if (leaf->state == Split::WaitingBarrier || leaf->state == Split::WaitingPhase ||
        leaf->state == Split::WaitingGroup)
      return false;
    waiting |= leaf->state == Split::WaitingLanes;
  }
  return waiting;
}

uint64_t Warp::run(uint64_t steps) {
  uint64_t done = 0;
  current = nullptr;
  yield = false;
  while (done < steps && !machine.stop && !yield) {
    if (!current) {
      Split *waiting = nullptr;
      for (size_t i = leaves.size(); i--;) {
        if (leaves[i]->state == Split::Running) {
          current = leaves[i];
          break;
        }
        if (leaves[i]->state == Split::WaitingLanes)
          waiting = leaves[i];
      }
      if (!current && waiting && runnable()) {
        current = waiting;
        current->state = Split::Running;
      }
      if (!current)
        break;
      frame = current->frame;
      regs = frame->registers;
      defined = frame->defined.data();
    }
    Split &split = *current;
    if (split.pc == split.rpc && split.parent) {
      arrive();
      continue;
    }
    const FunctionCode &code = *frame->code;
    const Op &op = code.ops[split.pc];
    uint32_t lanes = split.mask;
    if (op.guard != none) {
      uint32_t p = predicate(op.guard);
      if (lanes & ~definedIn(op.guard))
        demand(op.guard, lanes, op, "the guard of an instruction");
      lanes &= op.guardNegated ? ~p : p;
    }
    Tally &tally = machine.tallies[op.id];
    ++tally.warpInstructions;
    tally.threadInstructions += std::popcount(lanes);
    ++done;
    ++machine.clock;
    ++split.pc;
    const OpPace *pace = code.paces.empty() ? nullptr : &code.paces[split.pc - 1];
    if (pace)
      cta.pace->meet(*this, op, *pace);
    if (!lanes)
      continue;
    mask = lanes;
    now = &op;
    if (!code.productRegisters.empty() && !code.productRegisters[split.pc - 1].empty())
      useProductRegisters(op, code.productRegisters[split.pc - 1]);
    if (op.tracked)
      track(op);
    if (!pace || pace->endsBlock) {
      op.run(*this, op);
      if (pace && pace->waits())
        cta.pace->waitForGroups(*this, op, *pace);
      continue;
    }
    OpTraffic before = OpTraffic::of(tally);
    op.run(*this, op);
    cta.pace->account(*this, op, *pace, OpTraffic::of(tally).since(before));
  }
  // Leaves take turns, so that lanes of one warp can wait for each other.
  if (current && leaves.size() > 1 && done >= steps)
    std::rotate(leaves.begin(), leaves.end() - 1, leaves.end());
  return done;
}
