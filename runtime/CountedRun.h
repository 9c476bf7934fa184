//===- CountedRun.h - launches on a simulated GPU, undone -------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_COUNTEDRUN_H
#define TRITIUM_RUNTIME_COUNTEDRUN_H

#include "Explanation.h"

namespace tritium::runtime {

/// What a launch was counted to do, and what it left in memory.
struct CountedRun {
  llvm::json::Object counters;
  /// False: it may write memory that no argument names, which nobody can compare.
  bool hasResults = true;
  /// Of each array that it writes, in the order of the arguments.
  std::vector<std::vector<std::byte>> results;

  uint64_t number(const char *name) const {
    return static_cast<uint64_t>(std::max<int64_t>(counters.getInteger(name).value_or(0), 0));
  }
  bool isComplete() const { return number("ctas") == number("grid"); }
};

/// How much of a launch is run.
struct RunLimit {
  uint64_t work;       ///< in instructions of warps; of two CTAs in any case
  uint64_t ctas = 0;   ///< not 0: so many, whatever they run
  bool isTimed = true; ///< what a multiprocessor waits for is simulated
};
/// A few seconds; less than one; and what a first look takes.
inline constexpr RunLimit kLongRun{8'000'000}, kShortRun{1'000'000}, kGlance{60'000};

/// What a CTA of the run takes to simulate, on average, in instructions of warps.
uint64_t workOfCTA(const CountedRun &run);

/// Runs a launch and puts its memory back, or, where it may reach memory that no argument names,
/// runs it in a child process; of a larger grid some CTAs, the first, the last and
/// evenly between. Nothing, with why, if it cannot be counted.
std::optional<CountedRun> countRun(Variant &variant, const LaunchToExplain &launch, RunLimit limit,
                                   std::string &why);

/// Whether two runs left the same, but for what rounding in another order may change; after
/// `isInexact` ones, for what tf32 may. Of runs of some CTAs of different grids it is asked of the
/// elements that both changed.
bool agree(const LaunchToExplain &launch, const KernelMetadata &metadata, const CountedRun &a,
           const CountedRun &b, bool isInexact);

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_COUNTEDRUN_H
