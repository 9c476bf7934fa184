//===- PtxasLog.h - what NVIDIA's assembler says of a kernel ----*- C++ -*-===//
//
//   ptxas info    : (C7511) Potential Performance Loss: wgmma.mma_async instructions are
//                   serialized due to insufficient register resources for the wgmma pipeline ...
//   ptxas info    : Function properties for rows
//       464 bytes stack frame, 460 bytes spill stores, 460 bytes spill loads
//   ptxas info    : Used 168 registers, used 0 barriers, 464 bytes cumulative stack size
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_TARGET_NVPTX_PTXASLOG_H
#define TRITIUM_TARGET_NVPTX_PTXASLOG_H

#include <string>
#include <string_view>
#include <vector>

namespace tritium::nvptx {

/// A line that ptxas gives a code, or that warns.
struct PtxasAdvice {
  unsigned code = 0;  ///< 7511; 0: the line has none
  std::string text;   ///< ptxas's own words, without what stands before them
  unsigned count = 1; ///< the lines of this code; those without a code stand each for itself
  bool isFatal = false;

  /// Products of warp groups (wgmma) wait for one another.
  bool serializesProducts() const;
};

struct PtxasReport {
  unsigned registers = 0;   ///< a thread
  unsigned spillBytes = 0;  ///< a thread: registers stored to memory
  unsigned stackBytes = 0;  ///< a thread: local memory, spills included
  unsigned sharedBytes = 0; ///< of a CTA, static
  std::vector<PtxasAdvice> advice;
};

/// Reads what `ptxas -v` writes. Of several functions the largest numbers count.
PtxasReport readPtxasLog(std::string_view log);

/// What the advice means for the author of a kernel, and what would help.
std::string explain(const PtxasAdvice &advice);

/// The same of registers that are spilled. Empty: there are none that matter.
std::string explainSpills(const PtxasReport &report);

/// Why the code is slow in a way that other tiles or another number of warps may avoid: spills,
/// products that wait for one another. Empty: neither is known.
std::string handicapOf(const PtxasReport &report);

} // namespace tritium::nvptx

#endif // TRITIUM_TARGET_NVPTX_PTXASLOG_H
