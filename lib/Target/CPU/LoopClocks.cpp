//===- LoopClocks.cpp - what a round of a loop takes ----------------------===//
//
// Two numbers by LLVM's model of a CPU. The least that is possible: each port takes the
// instructions that no other port can take, and each group of ports those that no port outside of
// it can; the busiest is the bound. And a simulation of the core (llvm-mca's), which also knows how
// long results take, how many instructions wait at a time, and which were fetched together.
//
// What neither knows: caches (whatever is loaded is in the first one), branches that were guessed
// wrong, other threads of the core.
//
//===----------------------------------------------------------------------===//

#include "LoopClocks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/MC/MCSchedule.h"
#include "llvm/MCA/Context.h"
#include "llvm/MCA/CustomBehaviour.h"
#include "llvm/MCA/InstrBuilder.h"
#include "llvm/MCA/Pipeline.h"
#include "llvm/MCA/SourceMgr.h"
#include "llvm/MCA/Support.h"

#include <algorithm>
#include <tuple>

using namespace llvm;

namespace tritium::cpu {

namespace {
/// A port, or a group of which each can take an instruction.
struct Port {
  std::string name;
  uint64_t members; ///< a bit for each port in it; none: the front of the core, which takes all
  double units;
};

/// A group's mask has a bit of its own, the highest one.
uint64_t membersOf(uint64_t mask) { return popcount(mask) > 1 ? mask & ~bit_floor(mask) : mask; }

std::vector<Port> portsOf(const MCSchedModel &model) {
  SmallVector<uint64_t, 64> masks(model.getNumProcResourceKinds());
  mca::computeProcResourceMasks(model, masks);
  std::vector<Port> made;
  for (unsigned i = 1; i < model.getNumProcResourceKinds(); ++i) {
    const MCProcResourceDesc &port = *model.getProcResource(i);
    made.push_back({port.Name, membersOf(masks[i]), double(port.NumUnits)});
  }
  return made;
}

class Estimate {
public:
  explicit Estimate(const InstructionTables &tables)
      : tables(tables), model(tables.subtarget->getSchedModel()),
        instruments(*tables.subtarget, *tables.instructions),
        builder(*tables.subtarget, *tables.instructions, *tables.registers, tables.analysis.get(),
                instruments, /*CallLatency=*/0) {}

  bool add(const MCInst &instruction, std::string &reason);
  LoopClocks clocks(std::string &reason);
  /// Of instruction `i`, on what is busiest; after clocks().
  double busy(size_t i) const { return usage(*code[i], busiest); }

private:
  double usage(const mca::Instruction &instruction, const Port &port) const;
  /// All rounds; 0 with a reason if it cannot be said.
  unsigned simulate(unsigned rounds, std::string &reason);

  const InstructionTables &tables;
  const MCSchedModel &model;
  mca::InstrumentManager instruments;
  mca::InstrBuilder builder;
  std::vector<std::unique_ptr<mca::Instruction>> code;
  Port busiest;
};

/// What instructions of the loop keep `port` from others for.
double Estimate::usage(const mca::Instruction &instruction, const Port &port) const {
  if (!port.members)
    return instruction.getDesc().NumMicroOps / port.units;
  unsigned clocks = 0;
  for (const auto &[mask, use] : instruction.getDesc().Resources)
    if ((membersOf(mask) & ~port.members) == 0)
      clocks += use.size();
  return clocks / port.units;
}

bool Estimate::add(const MCInst &instruction, std::string &reason) {
  StringRef name = tables.instructions->getName(instruction.getOpcode());
  const MCInstrDesc &kind = tables.instructions->get(instruction.getOpcode());
  if (kind.isCall() || kind.isReturn()) {
    reason = "the loop calls a function";
    return false;
  }
  // The numbers that models have for them were not measured.
  if (tables.subtarget->getTargetTriple().isX86() &&
      (name.starts_with("TDP") || name.starts_with("TILE"))) {
    reason = "LLVM's times of AMX are not to be trusted";
    return false;
  }
  Expected<std::unique_ptr<mca::Instruction>> made = builder.createInstruction(instruction, {});
  if (!made) {
    consumeError(made.takeError());
    reason = "LLVM's model of " + tables.subtarget->getCPU().str() + " does not know " + name.str();
    return false;
  }
  code.push_back(std::move(*made));
  return true;
}

unsigned Estimate::simulate(unsigned rounds, std::string &reason) {
  mca::Context context(*tables.registers, *tables.subtarget);
  mca::CircularSourceMgr source(code, rounds);
  mca::CustomBehaviour custom(*tables.subtarget, source, *tables.instructions);
  mca::PipelineOptions options(/*UOPQSize=*/0, /*DecThr=*/0, /*DW=*/0, /*RFS=*/0, /*LQS=*/0,
                               /*SQS=*/0, /*NoAlias=*/true);
  std::unique_ptr<mca::Pipeline> pipeline = context.createDefaultPipeline(options, source, custom);
  Expected<unsigned> clocks = pipeline->run();
  if (clocks)
    return *clocks;
  reason = "the simulation failed: " + toString(clocks.takeError());
  return 0;
}

LoopClocks Estimate::clocks(std::string &reason) {
  LoopClocks made;
  std::vector<Port> ports = portsOf(model);
  ports.push_back({"dispatch", 0, double(std::max(model.IssueWidth, 1u))});
  for (const Port &port : ports) {
    double clocks = 0;
    for (const auto &instruction : code)
      clocks += usage(*instruction, port);
    if (clocks == 0)
      continue;
    if (clocks > made.ports)
      made.ports = clocks, busiest = port;
    made.all.push_back({port.name, clocks});
  }
  made.port = busiest.name;
  llvm::sort(made.all, [](const auto &a, const auto &b) {
    return std::tuple(-a.second, a.first) < std::tuple(-b.second, b.first);
  });
  // What fills the core first is left out of the rounds that count.
  constexpr size_t settled = 4096;
  unsigned rounds = static_cast<unsigned>(std::max<size_t>(8, settled / code.size()));
  unsigned half = simulate(rounds, reason), whole = half ? simulate(2 * rounds, reason) : 0;
  made.simulated = double(whole - half) / rounds;
  return made;
}

/// Why there is no model of the CPU.
std::string lackOfModel(const MCSubtargetInfo &subtarget) {
  StringRef cpu = subtarget.getCPU();
  // LLVM has the model of one of those that such a name stands for.
  if (cpu == "generic" || cpu.starts_with("x86-64"))
    return "'" + cpu.str() + "' stands for many CPUs: name one";
  return subtarget.getSchedModel().hasInstrSchedModel()
             ? ""
             : "LLVM has no scheduling model of " + cpu.str();
}
} // namespace

void estimateClocks(const MachineLoop &loop, const Assembly &assembly,
                    const InstructionTables &tables, CodeLoop &made) {
  made.reason = lackOfModel(*tables.subtarget);
  if (!made.reason.empty())
    return;
  Estimate estimate(tables);
  for (size_t i : loop.always)
    if (!estimate.add(assembly.code[i], made.reason))
      return;
  LoopClocks clocks = estimate.clocks(made.reason);
  if (!made.reason.empty())
    return;
  made.clocks = std::move(clocks);
  for (size_t i = 0; i < loop.always.size(); ++i)
    for (LoopLine &line : made.lines)
      if (line.source == assembly.places[loop.always[i]].source)
        line.clocks += estimate.busy(i);
}

} // namespace tritium::cpu
