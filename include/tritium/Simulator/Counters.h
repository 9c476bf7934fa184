//===- Counters.h - what a simulated kernel did -----------------*- C++ -*-===//

#ifndef TRITIUM_SIMULATOR_COUNTERS_H
#define TRITIUM_SIMULATOR_COUNTERS_H

#include "tritium/Simulator/PTX.h"

#include <array>
#include <string>
#include <vector>

namespace tritium::sim {

enum class InstructionClass : uint8_t {
  Integer,
  Float,
  Half,
  Double,
  Special,
  Convert,
  Move,
  Compare,
  Control,
  GlobalLoad,
  GlobalStore,
  SharedLoad,
  SharedStore,
  LocalMemory,
  ParameterLoad,
  ConstantLoad,
  Atomic,
  AsyncCopy,
  AsyncGroup, ///< commit, wait
  WarpExchange,
  Matrix,
  MatrixMemory,
  Barrier,
  WarpBarrier,
  Fence,
  Other,
};
inline constexpr size_t instructionClasses = size_t(InstructionClass::Other) + 1;
const char *nameOf(InstructionClass kind);
/// The opcode, and of its modifiers those that say what is done and where.
std::string nameOf(const ptx::Instruction &instruction);

/// Three answers side by side of what clocks are: if the L2 has all that is loaded; if memory has
/// it; and if the L2 brings it at its rate, but has to wait for memory each time, as it does where
/// CTAs read the same at about the same time.
inline constexpr size_t kFromL2 = 0, kFromMemory = 1, kCommon = 2, kPaces = 3;

/// What one instruction, one source line or one kernel did.
struct Tally {
  /// By class: warp instructions; of threads, those whose guard is true.
  std::array<uint64_t, instructionClasses> warps{}, threads{};
  uint64_t warpInstructions = 0, threadInstructions = 0;
  /// Global memory: requests of a warp, 32-byte sectors that they touch, the fewest
  /// sectors that hold as many bytes, bytes.
  uint64_t globalRequests = 0, sectors = 0, idealSectors = 0;
  uint64_t globalBytesRead = 0, globalBytesWritten = 0;
  /// Of the sectors: those that the CTA has loaded shortly before, so that the first cache has
  /// them.
  uint64_t cachedSectors = 0;
  /// The lines of 128 bytes that the others are of: one request of the L2 for each, of a warp or a
  /// copy.
  uint64_t l2Requests = 0;
  /// Of the sectors that the first cache has not: those loaded that the warp has read or written
  /// before, and for each of them the bytes that its CTA has come to since, added up, where all
  /// warps come to as many.
  uint64_t rereadSectors = 0, rereadBytesBetween = 0;
  /// Shared memory: passes over the 32 banks, how many would do without conflicts, and those of
  /// copies and fragments, beside which warps go on and multiply.
  uint64_t sharedRequests = 0, wavefronts = 0, idealWavefronts = 0, overlappedWavefronts = 0;
  uint64_t sharedBytesRead = 0, sharedBytesWritten = 0;
  /// Requests of atomics of shared memory that change more than one word.
  uint64_t spreadAtomics = 0;
  uint64_t barriers = 0, atomics = 0, matrixOperations = 0;
  uint64_t branches = 0, divergentBranches = 0;
  /// Changes of sectors of global memory by atomics of a warp; those of one number one after the
  /// other; of these the ones of floats.
  uint64_t atomicChanges = 0, atomicPasses = 0, floatAtomicPasses = 0;
  /// Clocks that warps wait for what it brings.
  std::array<double, kPaces> waits{};
  /// Sectors, one bit for all of the same hash.
  using Places = std::array<uint64_t, 2>;
  /// Those that are changed, by two parts of the CTAs.
  std::array<Places, 2> atomicPlaces{};

  /// How many different ones these are, some 300 at most; and how many of them both parts change.
  uint64_t atomicSectors() const;
  uint64_t sharedAtomicSectors() const;

  uint64_t bankConflicts() const { return wavefronts - idealWavefronts; }
  void add(const Tally &other);
};

struct LineTally {
  ptx::SourceLine line;
  std::string source; ///< "kernel.py:12"; "" for code with no line
  Tally tally;
};

/// All instructions of one name: "st.shared", "cp.async.bulk.tensor", "wgmma.mma_async".
struct InstructionTally {
  std::string name;
  Tally tally;
};

/// How many CTAs of a kernel one multiprocessor holds, and what bounds them.
struct Occupancy {
  unsigned architecture = 0;
  unsigned ctas = 0, warps = 0, mostWarps = 0;
  std::string limitedBy;     ///< "threads", "registers", "shared memory", "CTAs"
  unsigned registers = 0;    ///< of a thread, that this holds for
  bool isAllocated = false;  ///< registers are what the assembler gives, not a guess
  std::string registersFrom; ///< "ptxas", or why they are a guess
};
/// What an assembler says of a kernel.
struct AllocatedRegisters {
  unsigned registers = 0; ///< of a thread; 0: it cannot say
  std::string reason;     ///< why it cannot
};
/// Memory that a launch was given, and the address at which the kernel saw it.
struct ListedBuffer {
  std::string name;
  uint64_t address = 0, bytes = 0;
  bool isRead = false, isWritten = false; ///< by the launch
};
/// Memory of no argument that CTAs come to, sector by sector: all that ran, and on average each
/// half of them, every other one.
struct ReachedBytes {
  uint64_t byAll = 0, byHalf = 0;
};
/// Shared memory that a CTA can have, in bytes.
unsigned mostSharedOf(unsigned architecture);
/// registers: of a thread. architecture: 75, 80, 86, 89 or 90; others take the nearest below.
Occupancy occupancyOf(unsigned architecture, unsigned threads, unsigned registers,
                      unsigned sharedBytes);

struct Counters {
  std::string kernel;
  uint64_t ctas = 0;              ///< that ran
  uint64_t grid = 0;              ///< of the grid; the others are not counted
  unsigned threads = 0;           ///< of a CTA
  unsigned declaredRegisters = 0; ///< 32-bit registers that the PTX names, not allocated ones
  uint64_t staticShared = 0, dynamicShared = 0, localBytes = 0;
  Tally total;
  std::vector<LineTally> lines;               ///< in order of file and line
  std::vector<InstructionTally> instructions; ///< in order of name
  std::vector<Occupancy> occupancy;
  std::vector<ListedBuffer> buffers; ///< in the order of the launch
  uint64_t mostLoads = 0;        ///< by warps, of the load of global memory that they execute most
  bool hasHostAddresses = false; ///< as of the launch
  ReachedBytes otherRead, otherWritten; ///< with the host's addresses
  /// Clocks of a multiprocessor from its first CTA to its last, on average of those that ran, and
  /// of the one that takes longest. 0: nobody asked.
  uint64_t pathCTAs = 0; ///< how many CTAs that is, fewer than it has if fewer ran
  std::array<double, kPaces> path{}, longestPath{};

  std::string text() const;
  std::string json() const;
};

} // namespace tritium::sim

#endif // TRITIUM_SIMULATOR_COUNTERS_H
