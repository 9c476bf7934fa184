//===- FewestSpills.h - wishes for CTAs a multiprocessor --------*- C++ -*-===//

#ifndef TRITIUM_LIB_PIPELINE_FEWESTSPILLS_H
#define TRITIUM_LIB_PIPELINE_FEWESTSPILLS_H

#include "tritium/Target/NVPTX/Ptxas.h"

namespace tritium {

/// Assembles, where registers are spilled with other wishes for CTAs a multiprocessor, too: more
/// programs side by side are not worth it. Takes what spills least, and leaves its text in `ptx`.
/// Code of `warps` that has spent half of its registers and more, or spills little, is not helped
/// by a wish for one, and what spills much takes ptxas long. `waiting`, or null, assembles first.
bool assembleWithFewestSpills(const nvptx::Ptxas &ptxas, std::string &ptx, const std::string &gpu,
                              unsigned warps, const nvptx::AssembleOptions &options,
                              std::unique_ptr<nvptx::WaitingPtxas> waiting,
                              nvptx::Assembled &result, std::string &message);

} // namespace tritium

#endif // TRITIUM_LIB_PIPELINE_FEWESTSPILLS_H
