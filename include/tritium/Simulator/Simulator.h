//===- Simulator.h - runs PTX with no GPU -----------------------*- C++ -*-===//
//
// A warp-level machine: a grid of CTAs, warps of 32 lanes in lockstep with divergence,
// every access checked, every access counted.
//
//   std::vector<ptx::Error> errors;
//   auto program = sim::Program::load(text, errors);
//   sim::Launch launch;
//   launch.entry = "add";
//   launch.grid = {4};
//   launch.block = {128};
//   launch.buffers = {{0x7f0000000000, data, bytes, true, "x"}};
//   launch.pass(uint64_t(0x7f0000000000));
//   launch.pass(int32_t(n));
//   sim::Result result = program->run(launch);
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_SIMULATOR_SIMULATOR_H
#define TRITIUM_SIMULATOR_SIMULATOR_H

#include "tritium/Simulator/Counters.h"
#include "tritium/Simulator/PTX.h"
#include "tritium/Simulator/Rates.h"

#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tritium::sim {

/// The newest GPU that is known: sm_90.
inline constexpr unsigned newestArchitecture = 90;

struct Extent {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
};

/// Memory of the host that the kernel sees at an address. Addresses may be the host's own
/// or any other below 2^56; ranges must not overlap.
struct Buffer {
  uint64_t address = 0;
  void *data = nullptr;
  uint64_t bytes = 0;
  bool writable = true;
  std::string name;     ///< for messages, such as the parameter's name
  bool isListed = true; ///< beside the counters
};

struct Launch {
  std::string entry;
  Extent grid, block;
  uint32_t dynamicShared = 0;                  ///< bytes
  std::vector<std::vector<uint8_t>> arguments; ///< one a parameter, in its own size
  std::vector<Buffer> buffers;
  /// What variables of the module hold from this launch on: name, first bytes.
  std::vector<std::pair<std::string, std::vector<uint8_t>>> variables;

  bool checkRaces = true;
  /// Races of writes that leave memory as it is count, too.
  bool checkSameValue = false;
  /// Of a wgmma each warp's wait speaks for that warp alone: neither that others have read their
  /// operands, nor what they did before. A GPU promises more; kernels may do without.
  bool separateProducts = false;
  bool checkUndefined = true; ///< reads of registers and memory never written
  /// Not 0: warps and CTAs take turns at random, by this seed.
  uint64_t seed = 0;
  uint64_t stepLimit = 2'000'000'000; ///< warp instructions of the launch
  /// Not 0: of a grid with more CTAs so many run, the first, the last and evenly between.
  uint64_t mostCTAs = 0;
  /// Asked some ten times a second at least; true ends the launch, which then is not completed.
  std::function<bool()> isStopped;
  uint64_t memoryLimit = uint64_t(4) << 30; ///< bytes for registers, shared and local memory
  unsigned mostFaults = 20;                 ///< different ones; the same place counts once
  bool stopAtFault = false;                 ///< the first one ends the launch
  /// 75, 80, 86, 89, 90: whose limits hold; 0: any GPU's.
  unsigned architecture = 0;
  /// For occupancy: the registers that the assembler for an architecture gives a thread.
  /// Without it, or where it cannot say, .maxnreg or 32.
  std::function<AllocatedRegisters(unsigned architecture)> allocatedRegisters;
  /// Warps take turns often, as they do with clocks: what the first cache has depends on it.
  bool isCounted = false;
  /// Not null: whose clocks Counters::path has.
  const Rates *rates = nullptr;
  /// Addresses are those of the host, so that counters depend on where its arrays lie.
  bool hasHostAddresses = false;

  template <typename T> void pass(T value) {
    arguments.emplace_back(sizeof(T));
    std::memcpy(arguments.back().data(), &value, sizeof(T));
  }
};

enum class FaultKind : uint8_t {
  InvalidLaunch, ///< wrong entry, arguments, extents
  UnknownInstruction,
  OutOfBounds,
  Misaligned,
  ReadOnly,
  Undefined, ///< a value that nothing wrote
  SharedRace,
  GlobalRace,
  PartialBarrier,
  Deadlock,
  MissingLanes,
  AsyncNotReady, ///< data of cp.async before its wait
  AsyncLeftOver,
  MBarrier,   ///< its rules are broken
  BulkCopy,   ///< a size, a tensor map or the like that no copy may have
  Registers,  ///< setmaxnreg
  ProxyFence, ///< a generic write that no fence brings to the async proxy
  Trap,
  Assertion,
  StepLimit,
  Unsupported,      ///< what the machine cannot do, and says so
  ProductUnderWay,  ///< a register of a wgmma that nothing waited for, or its end
  MissingFence,     ///< of wgmma
  WarpGroupDiffers, ///< warps of one group that execute different wgmma
};
const char *nameOf(FaultKind kind);

/// Where in the program and in the grid.
struct Place {
  ptx::SourceLine line;
  std::string source; ///< "kernel.py:12", or ""
  uint32_t ptxLine = 0;
  Extent cta{0, 0, 0};
  int warp = -1, lane = -1; ///< -1: not of one warp, of no single lane
};

struct Fault {
  FaultKind kind = FaultKind::InvalidLaunch;
  std::string kernel, message;
  Place at;
  bool hasAddress = false, hasOther = false;
  uint64_t address = 0;
  Place other; ///< the other party of a race, or where an undefined value ends up
  std::string otherIs;
  uint64_t count = 1; ///< how often at this place

  std::string render() const;
};

struct Result {
  bool completed = false; ///< all threads ended by themselves
  std::vector<Fault> faults;
  uint64_t faultsLeftOut = 0;
  Counters counters;
  std::string output; ///< of printf

  bool clean() const { return completed && faults.empty(); }
  std::string renderFaults() const;
};

/// A loaded PTX module. Safe to launch from several threads at once, but variables of the
/// module (.global) keep their values from launch to launch.
class Program {
public:
  static std::shared_ptr<Program> load(std::string ptx, std::vector<ptx::Error> &errors);
  ~Program();

  const ptx::Module &module() const { return *parsed; }
  std::vector<std::string> entries() const;
  /// Never throws, never ends the process: whatever is wrong stands in the result.
  Result run(const Launch &launch);

private:
  Program();
  struct State;
  std::unique_ptr<ptx::Module> parsed;
  std::unique_ptr<State> state;
};

} // namespace tritium::sim

#endif // TRITIUM_SIMULATOR_SIMULATOR_H
