//===- Launch.cpp - a grid from its arguments to its end ------------------===//

#include "Cluster.h"
#include "Decoder.h"
#include "Phase.h"
#include "Program.h"

#include <algorithm>
#include <set>

using namespace tritium::sim;
using namespace tritium::sim::ptx;

static uint64_t alignTo(uint64_t value, uint64_t align) {
  return (value + align - 1) / align * align;
}

bool Machine::checkCluster(const Function &entry) {
  cluster = {1, 1, 1};
  if (!entry.cluster[0])
    return true;
  cluster = {entry.cluster[0], entry.cluster[1], entry.cluster[2]};
  constexpr uint64_t mostOfCluster = 8;
  const Extent &grid = launch.grid;
  auto text = [](const Extent &e) {
    return std::to_string(e.x) + " x " + std::to_string(e.y) + " x " + std::to_string(e.z);
  };
  std::string runs = "the kernel runs in clusters of " + text(cluster) +
                     " CTAs (.reqnctapercluster), ",
              why;
  if (!cluster.count() || cluster.count() > mostOfCluster)
    why = "and every GPU has clusters of 1 to " + std::to_string(mostOfCluster);
  else if (grid.x % cluster.x || grid.y % cluster.y || grid.z % cluster.z)
    why = "of which a grid of " + text(grid) + " is no multiple";
  else
    return true;
  report(FaultKind::InvalidLaunch, nullptr, nullptr, -1, runs + why);
  return false;
}

bool Machine::checkLaunch(const Function &entry) {
  auto invalid = [&](std::string message) {
    report(FaultKind::InvalidLaunch, nullptr, nullptr, -1, std::move(message));
    return false;
  };
  const Extent &grid = launch.grid, &block = launch.block;
  if (launch.architecture && launch.architecture < module.capability)
    return invalid("the file is for sm_" + std::to_string(module.capability) + " and newer: sm_" +
                   std::to_string(launch.architecture) + " cannot run it");
  if (!block.count())
    return invalid("an extent of the block is 0");
  if (block.x > 1024 || block.y > 1024 || block.z > 64 || block.count() > 1024)
    return invalid("a block has at most 1024 threads, and 64 along z; this one has " +
                   std::to_string(block.x) + " x " + std::to_string(block.y) + " x " +
                   std::to_string(block.z));
  if (grid.x > 0x7fffffff || grid.y > 65535 || grid.z > 65535)
    return invalid("a grid has at most 2^31-1 blocks along x, and 65535 along y and z");
  if (grid.count() > 0x7fffffff)
    return invalid("the simulator runs at most 2^31-1 blocks; this grid has " +
                   std::to_string(grid.count()));
  const uint32_t have[3] = {block.x, block.y, block.z};
  if (entry.required[0])
    for (int i = 0; i < 3; ++i)
      if (have[i] != entry.required[i])
        return invalid("the kernel requires blocks of " + std::to_string(entry.required[0]) +
                       " x " + std::to_string(entry.required[1]) + " x " +
                       std::to_string(entry.required[2]) + " threads (.reqntid)");
  if (entry.maximum[0] &&
      block.count() > uint64_t(entry.maximum[0]) * entry.maximum[1] * entry.maximum[2])
    return invalid(
        "the kernel allows blocks of at most " +
        std::to_string(uint64_t(entry.maximum[0]) * entry.maximum[1] * entry.maximum[2]) +
        " threads (.maxntid)");
  if (!checkCluster(entry))
    return false;
  if (launch.arguments.size() != entry.parameters.size())
    return invalid("the kernel takes " + std::to_string(entry.parameters.size()) +
                   " arguments, but " + std::to_string(launch.arguments.size()) + " are passed");
  uint64_t end = 0;
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    const Variable &parameter = entry.parameters[i];
    if (launch.arguments[i].size() != parameter.size)
      return invalid("argument " + std::to_string(i + 1) + " ('" + std::string(parameter.name) +
                     "') has " + std::to_string(parameter.size) + " bytes, but " +
                     std::to_string(launch.arguments[i].size()) + " are passed");
    end = alignTo(end, parameter.align);
    parameterOffsets.push_back(uint32_t(end));
    if (end + parameter.size > 32764)
      return invalid("the parameters have more than 32764 bytes");
    parameters.resize(end + parameter.size);
    std::copy(launch.arguments[i].begin(), launch.arguments[i].end(), parameters.begin() + end);
    end += parameter.size;
  }
  for (const Buffer &buffer : launch.buffers) {
    if (buffer.bytes &&
        (!buffer.data || (buffer.address & ~windowMask) || (buffer.bytes & ~windowMask)))
      return invalid("buffer '" + buffer.name +
                     "' has no memory, or its address is not below 2^56");
    Range range;
    range.address = buffer.address;
    range.bytes = buffer.bytes;
    range.data = static_cast<uint8_t *>(buffer.data);
    range.writable = buffer.writable;
    range.isArgument = buffer.isListed;
    range.name = buffer.name.empty() ? "a buffer" : "'" + buffer.name + "'";
    memory.add(std::move(range));
  }
  return true;
}

/// Functions that the entry may call, itself first.
std::vector<uint32_t> Machine::reachable() const {
  std::vector<uint32_t> found{entryIndex};
  std::vector<bool> seen(module.functions.size());
  seen[entryIndex] = true;
  auto add = [&](uint32_t index) {
    if (!seen[index]) {
      seen[index] = true;
      found.push_back(index);
    }
  };
  for (size_t i = 0; i < found.size(); ++i)
    for (const Instruction &instruction : module.functions[found[i]].body)
      for (const Operand &operand : instruction.operands) {
        if (operand.kind == Operand::Function)
          add(operand.index);
        else if (operand.kind == Operand::Register && instruction.opcode == "call")
          for (uint32_t k = 0; k < module.functions.size(); ++k)
            if (!module.functions[k].isEntry)
              add(k);
      }
  return found;
}

bool Machine::layOutVariables() {
  // Shared memory: variables with an extent that are used, then what the launch adds.
  std::vector<uint32_t> functions = reachable();
  std::vector<bool> named(module.variables.size());
  auto note = [&](const Operand &operand) {
    if (operand.kind == Operand::Symbol && operand.owner == Operand::OfModule)
      named[operand.index] = true;
  };
  for (uint32_t index : functions)
    for (const Instruction &instruction : module.functions[index].body)
      for (const Operand &operand : instruction.operands) {
        note(operand);
        for (const Operand &element : operand.elements)
          note(element);
      }
  uint64_t shared = 0;
  auto place = [&](const Variable &variable) {
    shared = alignTo(shared, variable.align);
    uint64_t at = shared;
    shared += variable.size;
    return uint32_t(std::min<uint64_t>(at, ~0u));
  };
  variableAddresses = *moduleAddresses;
  for (size_t i = 0; i < module.variables.size(); ++i)
    if (named[i] && module.variables[i].space == Space::Shared && module.variables[i].size)
      variableAddresses[i] = place(module.variables[i]);
  for (uint32_t index : functions) {
    const Function &function = module.functions[index];
    std::vector<uint32_t> &offsets = sharedOffsets[&function];
    offsets.assign(function.variables.size(), 0);
    for (size_t i = 0; i < function.variables.size(); ++i)
      if (function.variables[i].space == Space::Shared)
        offsets[i] = place(function.variables[i]);
  }
  uint64_t dynamic = alignTo(shared, 16);
  for (const Variable &variable : module.variables)
    if (variable.space == Space::Shared && !variable.size)
      dynamic = alignTo(dynamic, std::max(16u, variable.align));
  for (size_t i = 0; i < module.variables.size(); ++i)
    if (module.variables[i].space == Space::Shared && !module.variables[i].size)
      variableAddresses[i] = dynamic;
  if (!launch.dynamicShared)
    dynamic = shared;
  sharedStatic = uint32_t(std::min<uint64_t>(shared, ~0u));
  unsigned most = mostSharedOf(launch.architecture ? launch.architecture : newestArchitecture);
  if (dynamic + launch.dynamicShared > most) {
    report(FaultKind::InvalidLaunch, nullptr, nullptr, -1,
           "the kernel wants " + std::to_string(dynamic + launch.dynamicShared) +
               " bytes of shared memory, and " +
               (launch.architecture ? "sm_" + std::to_string(launch.architecture) + " has "
                                    : "no GPU has more than ") +
               std::to_string(most));
    return false;
  }
  sharedBytes = uint32_t(dynamic + launch.dynamicShared);
  return true;
}

bool Machine::decode() {
  // A list and no recursion: a module may have any number of functions that call each other.
  std::vector<uint32_t> pending{entryIndex};
  bool hasAll = false;
  while (!pending.empty()) {
    uint32_t index = pending.back();
    pending.pop_back();
    FunctionCode &made = code[index];
    if (made.function)
      continue;
    made.function = &module.functions[index];
    Decoder decoder(*this, made);
    if (!decoder.run())
      return false;
    if (launch.rates)
      made.paces = pacesOf(made, *launch.rates);
    multiplies |= std::any_of(made.paces.begin(), made.paces.end(),
                              [](const OpPace &pace) { return pace.unit == OpPace::Tensor; });
    used.push_back(&made);
    pending.insert(pending.end(), decoder.calls.rbegin(), decoder.calls.rend());
    for (uint32_t i = 0; i < module.functions.size() && decoder.callsAny && !hasAll; ++i)
      if (const Function &other = module.functions[i]; other.isDefined && !other.isEntry)
        pending.push_back(i);
    hasAll |= decoder.callsAny;
  }
  return true;
}

bool Machine::prepare() {
  entry = module.find(launch.entry);
  if (!entry || !entry->isEntry) {
    std::string names;
    for (const Function &function : module.functions)
      if (function.isEntry && function.isDefined)
        names.append(names.empty() ? "" : ", ").append(function.name);
    report(FaultKind::InvalidLaunch, nullptr, nullptr, -1,
           "the module has no entry '" + launch.entry +
               "'; it has: " + (names.empty() ? "none" : names));
    return false;
  }
  entryIndex = uint32_t(entry - module.functions.data());
  if (!checkLaunch(*entry) || !layOutVariables())
    return false;
  if (!memory.arrange()) {
    report(FaultKind::InvalidLaunch, nullptr, nullptr, -1, "two buffers overlap");
    return false;
  }
  for (Range &range : memory.ranges)
    if (launch.checkRaces)
      range.shadow.resize(range.bytes);
  threads = uint32_t(launch.block.count());
  warpsOfCta = (threads + 31) / 32;
  code.resize(module.functions.size());
  if (!decode())
    return false;
  uint64_t perWarp = 0;
  for (const FunctionCode *function : used)
    perWarp += function->slotBytes + uint64_t(function->localBytes + function->parameterBytes) * 64;
  if (perWarp * warpsOfCta > launch.memoryLimit) {
    report(FaultKind::InvalidLaunch, nullptr, nullptr, -1,
           "a CTA would need " + std::to_string(perWarp * warpsOfCta >> 20) +
               " MiB of this machine's memory for its registers and local memory");
    return false;
  }
  bytesOfCta = perWarp * warpsOfCta + uint64_t(sharedBytes) * 2;
  ops.assign(tallies.size(), nullptr);
  for (const FunctionCode *function : used)
    for (const Op &op : function->ops)
      ops[op.id] = &op;
  random.seed(launch.seed);
  return true;
}

uint64_t Machine::sampledClusters() const {
  uint64_t all = launch.grid.count() / cluster.count();
  uint64_t most = std::max<uint64_t>(launch.mostCTAs / cluster.count(), 1);
  return launch.mostCTAs ? std::min(most, all) : all;
}

std::unique_ptr<Cta> Machine::makeCta(const std::shared_ptr<Cluster> &cluster, const Extent &id) {
  auto cta = std::make_unique<Cta>();
  const Extent &grid = launch.grid;
  cta->linear = id.x + grid.x * (id.y + grid.y * id.z);
  cta->id = id;
  cta->cluster = cluster;
  cta->rank = uint32_t(cluster->ctas.size());
  cluster->ctas.push_back(cta.get());
  cta->shared.resize(sharedBytes);
  cta->sharedDefined.resize(sharedBytes);
  if (launch.checkRaces)
    cta->shadow.resize(sharedBytes);
  cta->live = threads;
  cta->warpGroups.resize((warpsOfCta + warpsOfGroup - 1) / warpsOfGroup);
  if (launch.rates) {
    cta->pace = pace.get();
    cta->firstWarp = pace->addWarps(warpsOfCta);
  }
  runningCtas[cta->linear] = cta.get();
  for (uint32_t w = 0; w < warpsOfCta; ++w) {
    cta->warps.emplace_back(*this, *cta, w);
    cta->warps.back().start(code[entryIndex]);
  }
  return cta;
}

void Machine::startCluster(uint64_t turn, Resident &resident) {
  const Extent &grid = launch.grid;
  Extent clusters{grid.x / cluster.x, grid.y / cluster.y, grid.z / cluster.z};
  uint64_t all = clusters.count(), sampled = sampledClusters();
  // Below 2^31 each.
  uint64_t number = sampled > 1 ? turn * (all - 1) / (sampled - 1) : turn;
  Extent first{uint32_t(number % clusters.x) * cluster.x,
               uint32_t(number / clusters.x % clusters.y) * cluster.y,
               uint32_t(number / clusters.x / clusters.y) * cluster.z};
  auto made = std::make_shared<Cluster>();
  for (uint32_t z = 0; z < cluster.z; ++z)
    for (uint32_t y = 0; y < cluster.y; ++y)
      for (uint32_t x = 0; x < cluster.x; ++x) {
        resident.push_back(makeCta(made, {first.x + x, first.y + y, first.z + z}));
        resident.back()->half = turn % 2;
      }
}

/// Runs each warp of the CTA once; returns the instructions done.
uint64_t Machine::runOnce(Cta &cta, uint64_t quantum) {
  uint64_t done = 0;
  for (Warp &warp : cta.warps)
    if (!warp.finished() && !stop)
      done += warp.run(quantum);
  return done;
}

/// Runs all warps of the CTA, each so many instructions at most; returns the instructions done.
/// Where clocks count warps take turns often meanwhile: units serve them evenly, and one that came
/// last would find but what the others have left of a unit.
uint64_t Machine::runAll(Cta &cta, uint64_t quantum) {
  const uint64_t most = launch.rates || launch.isCounted ? turnOfWarp : quantum;
  uint64_t done = 0;
  for (uint64_t left = quantum; left > 0 && !stop;) {
    uint64_t part = std::min(most, left), now = runOnce(cta, part);
    done += now;
    left = now > 0 ? left - part : 0;
  }
  return done;
}

/// Runs the CTA's warps in turn; returns the instructions done.
uint64_t Machine::turn(Cta &cta, uint64_t quantum) {
  uint64_t done = 0;
  if (launch.seed) {
    for (unsigned i = 0; i < 4 * warpsOfCta && !stop; ++i) {
      Warp &warp = cta.warps[random() % warpsOfCta];
      if (warp.finished() || !warp.runnable())
        continue;
      if (warp.leaves.size() > 1)
        std::swap(warp.leaves.back(), warp.leaves[random() % warp.leaves.size()]);
      done += warp.run(1 + random() % 64);
    }
    if (done)
      return done;
  }
  return runAll(cta, quantum);
}

/// `left` clusters have no place until others end.
void Machine::reportStepLimit(Cta &cta, uint64_t left) {
  Warp *busy = nullptr;
  for (Warp &warp : cta.warps)
    if (!warp.finished() && warp.now)
      busy = &warp;
  std::string text = "the launch has run " + std::to_string(launch.stepLimit) +
                     " warp instructions, its limit, and has not ended";
  if (left)
    text += "; " + std::to_string(mostResident()) +
            " CTAs are resident, as many as the GPU, or the memory for the simulation, "
            "holds, and " +
            std::to_string(left * cluster.count()) +
            " have not begun: a wait for one of those never ends";
  report(FaultKind::StepLimit, busy ? busy->now : nullptr, busy, -1, text);
  stop = true;
}

void Machine::schedule() {
  // CTAs that wait for others in a spin use up their turn; then further ones start, as long as
  // the GPU holds them: one, and after some rounds in which none has ended, as many as there are.
  // By turns at random a few at once show the most, and more start only if those do not end.
  // Where clocks count, as many run at once as a multiprocessor holds. Its schedulers prefer the
  // oldest CTA's warps, so that CTAs drift apart: they have long turns. Tensor cores serve warps
  // evenly, which holds them together: such take turns often.
  const uint64_t quantum = !launch.rates ? 20'000 : multiplies ? turnOfProducts : turnOfOldest;
  // A loop of try_wait in which nothing else happens is a wait that never ends.
  constexpr unsigned mostTimeOuts = 100;
  const uint64_t patience = launch.rates ? 80'000 : launch.seed ? 64 : 4;
  const size_t most = mostResident();
  const size_t atFirst = std::min<size_t>(launch.rates ? sideBySide() : launch.seed ? 8 : 1, most);
  const uint64_t share = ofMultiprocessor();
  if (launch.rates)
    pace = newPace();
  uint64_t idle = 0; ///< rounds since a CTA ended
  Resident resident;
  uint64_t next = 0, total = sampledClusters();
  while (!stop && (next < total || !resident.empty())) {
    if (launch.rates && resident.empty() && pace->size() >= share)
      notePath();
    // Those of one multiprocessor, a new one as soon as one has ended.
    while (launch.rates && next < total && resident.size() < atFirst && pace->size() < share)
      startCluster(next++, resident);
    if (!launch.rates && next < total && resident.size() < atFirst)
      startCluster(next++, resident);
    bool progress = false, isIdle = true;
    // At random only those may have come that wait for others: then all have their turn.
    size_t atRandom = launch.seed ? resident.size() : 0;
    for (size_t i = 0, end = resident.size(); i < end && !stop; ++i) {
      Cta &cta = *resident[i < atRandom ? random() % resident.size() : i - atRandom];
      // No further past the limit than each warp takes to notice.
      uint64_t left = launch.stepLimit - std::min(steps, launch.stepLimit) + 1;
      uint64_t done = turn(cta, std::min(quantum, left));
      isIdle &= done == 0;
      if (!done && !stop && timeOuts < mostTimeOuts && timeOut(cta))
        done = runOnce(cta, std::min(quantum, left));
      stop |= launch.isStopped && launch.isStopped();
      steps += done;
      progress |= done > 0;
      if (i + 1 == atRandom && !progress)
        end += resident.size();
      if (steps > launch.stepLimit)
        reportStepLimit(cta, resident.size() >= most ? total - next : 0);
    }
    timeOuts = isIdle ? timeOuts + 1 : 0;
    // Before one goes: the others of its cluster ask for it.
    std::set<const Cta *> over;
    for (const auto &cta : resident)
      if (cta->cluster->isOver() && over.insert(cta.get()).second && cta->pace)
        cta->pace->leave(cta->firstWarp, warpsOfCta);
    bool hasEnded = std::erase_if(resident, [&](const auto &cta) {
                      return over.contains(cta.get()) && runningCtas.erase(cta->linear);
                    }) > 0;
    if (stop || resident.empty())
      continue;
    idle = hasEnded ? 0 : idle + 1;
    bool isImpatient = idle >= patience;
    uint64_t more = isImpatient ? resident.size() : 1;
    bool isFull = launch.rates || (launch.seed && resident.size() >= atFirst);
    if (!isImpatient && progress && isFull)
      more = 0;
    if (next == total || resident.size() >= most) {
      if (!progress)
        deadlock(resident);
      continue;
    }
    for (; more > 0 && next < total && resident.size() < most; --more)
      startCluster(next++, resident);
  }
  notePath();
  result.completed = !stop;
}

void Machine::deadlock(Resident &resident) {
  stop = true;
  for (auto &cta : resident)
    for (Warp &warp : cta->warps)
      for (Split *leaf : warp.leaves) {
        bool barrier = leaf->state == Split::WaitingBarrier;
        bool runsAgain = leaf->state == Split::WaitingPhase || !leaf->pc;
        const Op &op = leaf->frame->code->ops[leaf->pc - !runsAgain];
        std::string text = "nothing can go on: ";
        if (barrier) {
          const BarrierState &state = cta->barriers[leaf->barrier];
          text += "barrier " + std::to_string(leaf->barrier) + " has " +
                  std::to_string(state.arrived) + " of " + std::to_string(state.expected) +
                  " threads";
        } else if (leaf->state == Split::WaitingGroup) {
          text += warp.describeGroupWait();
        } else if (leaf->state == Split::WaitingPhase) {
          text += "this waits for " + describe(phaseOf(*cta, leaf->barrier));
        } else {
          text += "lanes wait for others of their warp";
        }
        report(FaultKind::Deadlock, &op, &warp, int(__builtin_ctz(leaf->mask | 1u << 31)), text);
      }
}

void Machine::run() {
  if (!prepare())
    return;
  schedule();
  gatherCounters();
}
