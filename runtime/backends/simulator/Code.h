//===- Code.h - a compiled kernel on the simulated GPU ----------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_BACKENDS_SIMULATOR_CODE_H
#define TRITIUM_RUNTIME_BACKENDS_SIMULATOR_CODE_H

#include "Backend.h"
#include "tritium/Simulator/Simulator.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace tritium::runtime::simulator {

/// The GPU that `name` ("sm_80", "80") or, where it is empty, the usual one stands for. None if
/// it cannot be simulated.
std::optional<Target> targetNamed(const std::string &name);
/// Those that can be simulated, by their numbers.
llvm::ArrayRef<unsigned> architectures();

/// Memory that belongs to no parameter.
inline constexpr size_t noParameter = SIZE_MAX;

/// Memory of the host that a launch may touch: [begin, end).
struct Memory {
  uint64_t begin, end;
  bool isWritable;
  std::string name;    ///< of the parameter
  size_t parameter;    ///< its number
  uint64_t offset = 0; ///< what the kernel's addresses of it are above the host's
};

/// How a launch is simulated.
struct Settings {
  bool checkRaces = true, checkUndefined = true;
  uint64_t seed = 0; ///< not 0: warps and CTAs take turns at random
  uint64_t stepLimit = 2'000'000'000;
  /// Each runs one CTA of a kernel that loops over programs.
  uint64_t multiprocessors = 2;
  uint64_t mostCTAs = 0;             ///< not 0: of a grid with more, so many run
  const sim::Rates *rates = nullptr; ///< not null: clocks of CTAs are counted
  bool isCopy = false;               ///< the process is a child that nobody else knows of
  std::string recordFolder;          ///< not empty: launches are kept there (sim::record)

  /// What TRITIUM_SIM_SEED, TRITIUM_SIM_CHECKS, TRITIUM_SIM_STEP_LIMIT,
  /// TRITIUM_SIM_MULTIPROCESSORS and TRITIUM_SIM_RECORD say.
  static bool fromEnvironment(Settings &settings, CompileError &error);
  /// Switches the checks named in "races,undefined" on, the others off; also "all" and
  /// "none". Errors name `option`.
  bool choose(const std::string &checks, const char *option, CompileError &error);
};

/// What a caller says of a simulated launch, and learns of it.
struct SimulationDetails final : LaunchDetails {
  Settings settings;
  sim::Counters counters;
};

/// The PTX of one variant, parsed once.
class Code {
public:
  /// `compiled` outlives this object. Null with `error` if the machine cannot read the PTX.
  static std::unique_ptr<Code> load(const CompiledKernel &compiled, unsigned architecture,
                                    const frontend::FunctionSource *source, CompileError &error);

  /// Runs the kernel. `slots`: one for each run-time parameter. `memory`: of its pointers,
  /// which get fixed addresses, see placeAtFixedAddresses; `hasUnknownMemory`: the kernel may
  /// follow addresses whose memory nobody named, and all are the host's. False with `error`
  /// after a fault; what the launch did stands in `counters` in either case.
  bool launch(llvm::SmallVector<uint64_t, 24> slots, std::vector<Memory> memory,
              bool hasUnknownMemory, const uint32_t asked[3], const Settings &settings,
              CompileError &error, sim::Counters *counters = nullptr) const;

  /// Executable::takeClocks.
  void takeClocks(std::vector<uint64_t> &sums);

  /// How many CTAs a multiprocessor of the architecture holds.
  sim::Occupancy occupancy() const;

private:
  explicit Code(const CompiledKernel &compiled) : compiled(compiled) {}
  const KernelMetadata &metadata() const { return compiled.metadata; }
  bool checkLimits(const uint32_t grid[3], CompileError &error) const;
  void addArguments(llvm::ArrayRef<uint64_t> slots, sim::Launch &launch) const;
  bool shareMemory(const uint32_t grid[3], uint64_t ctas, bool hasHostAddresses,
                   std::vector<uint8_t> &sums, std::vector<uint8_t> &arrivals, sim::Launch &launch,
                   CompileError &error) const;
  bool addHiddenArguments(llvm::ArrayRef<uint64_t> slots, const uint32_t grid[3], bool isCounted,
                          sim::Launch &launch, CompileError &error) const;
  CompileError describe(const sim::Result &result) const;
  void addClocks(llvm::ArrayRef<uint64_t> table) const;
  /// By ptxas, when the kernel was compiled or else once.
  sim::AllocatedRegisters allocatedRegisters() const;

  const CompiledKernel &compiled;
  unsigned architecture = 80;
  /// The kernel's text, for messages.
  std::string file, text;
  int firstLine = 1, columnOffset = 0;
  std::shared_ptr<sim::Program> program;

  mutable std::mutex mutex;                                                ///< guards what follows
  mutable std::map<std::string, sim::AllocatedRegisters> registersByPtxas; ///< by its path
  mutable std::vector<uint64_t> clocks; ///< sums of all launches (kClocksSymbol)
};

} // namespace tritium::runtime::simulator

#endif // TRITIUM_RUNTIME_BACKENDS_SIMULATOR_CODE_H
