//===- Model.h - how long a kernel takes, by what it uses -------*- C++ -*-===//
//
// A multiprocessor has resources, each of which does so much a clock. What the simulator counts
// says how many clocks a kernel needs of each; the one that needs most bounds it, and the next one
// is not wholly hidden. docs/explain.md has the formulas.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_EXPLAIN_MODEL_H
#define TRITIUM_LIB_EXPLAIN_MODEL_H

#include "Instructions.h"

#include "tritium/Simulator/Rates.h"

#include "llvm/Support/JSON.h"

#include <array>

namespace tritium::explain {

enum class Resource : uint8_t {
  Memory,
  L2,
  L1,
  Shared,
  Tensor,
  Issue,
  Float,
  Integer,
  Special,
  Double,
  Convert,
  Spills,
  Atomics,
  CTAs,     ///< the starts of CTAs
  InFlight, ///< loads that run ahead
  Latency   ///< one after the other in a CTA
};
inline constexpr size_t kResources = size_t(Resource::Latency) + 1;
using Clocks = std::array<double, kResources>;

using sim::Rates;
using sim::ratesOf;

/// What one line, or all of a kernel, asks of a CTA, on average.
struct Work {
  /// Of sectors those that the first cache has not; and bytes.
  double sectors = 0, farSectors = 0, bytesRead = 0, bytesMoved = 0;
  double l2Requests = 0;
  double l2Sectors = 0; ///< as many as the L2 answers in the time that it takes for these
  /// Of farSectors those that the CTA has come to before; of each the bytes between, added up.
  double rereadSectors = 0, rereadBytesBetween = 0;
  /// Passes over shared memory, those that a warp waits for, and what takes others.
  double wavefronts = 0, ownWavefronts = 0, copiedBytes = 0, matrixSharedBytes = 0;
  double matrixClocks = 0;
  double instructions = 0, barriers = 0, exchanges = 0;                     ///< of warps
  double floats = 0, integers = 0, specials = 0, doubles = 0, converts = 0; ///< of lanes
  double requests = 0; ///< of warps, of global memory
  /// Changes of sectors one after the other, of those such of floats; those of different numbers of
  /// a sector as one. Different sectors of the whole launch, those of several CTAs.
  double atomics = 0, floatAtomics = 0, atomicChanges = 0, atomicSectors = 0, sharedSectors = 0;
  /// Clocks that warps wait for what others bring, as the simulator has them: if the L2 has all
  /// that is loaded, if memory has it, and if CTAs wait for memory together.
  double nearWaits = 0, farWaits = 0, commonWaits = 0;

  void add(const Work &other);
  void scale(double part);
};

/// Of a counted line. `matrix`: what a matrix instruction of the line is on average.
Work workOf(const llvm::json::Object &counters, double ctas, const MatrixUse &matrix,
            const Rates &rates);

/// What of a launch is not in its lines.
struct LaunchFacts {
  unsigned capability = 0, multiprocessors = 1;
  std::string gpu;
  double ctas = 1, resident = 1, warps = 1;
  /// Of the arrays that are read, and written: what memory is asked for at least once.
  double readArrays = 0, writtenArrays = 0;
  double bytesRead = 0; ///< by all CTAs
  /// What all CTAs together read of memory once more, as too much has come since for the L2.
  double bytesReadAgain = 0;
  /// Lines that a CTA has not had before, of its requests of the L2; 1 at most.
  double firstOfCTA = 0;
  double bytesInFlight = 0; ///< of one CTA, at a time
  bool runsAhead = false;   ///< loads of later turns of a loop are in flight
  bool isEven = false; ///< all multiprocessors have the same to do, as if programs could be split
  /// What the simulated CTAs of a multiprocessor take, by their work: if the L2 has all that is
  /// loaded, if memory has it, and if CTAs wait for memory together.
  struct Path {
    double ofWait = 0, ofInstruction = 0; ///< clocks for each
  } near, far, common;
  double pathCTAs = 0;      ///< how many those are; 0: none
  bool isSimulated = false; ///< they say how long it takes, else what adds up
  double spilledBytes = 0;  ///< that a CTA moves to and from memory for want of registers
};

struct Prediction {
  Clocks clocks{};                          ///< a multiprocessor's for the whole kernel
  std::array<Resource, kResources> order{}; ///< the one that bounds it first
  double best = 0, expected = 0, worst = 0; ///< microseconds

  /// Which part of what bounds the kernel is that of a line with these clocks.
  double share(const Clocks &line) const;
  Clocks uncapped{}; ///< the sums of the lines
};
/// How many of the bytes that CTAs come to again, by this line, memory brings again. `total`: of
/// the kernel.
double bytesReadAgain(const Work &line, const Work &total, const LaunchFacts &launch);
Clocks clocksOf(const Work &work, const LaunchFacts &launch);
Prediction predict(const Work &total, const LaunchFacts &launch);

const char *nameOf(Resource resource);
/// How its clocks come about.
const char *formulaOf(Resource resource);

} // namespace tritium::explain

#endif // TRITIUM_LIB_EXPLAIN_MODEL_H
