//===- FewestSpills.cpp - wishes for CTAs a multiprocessor ----------------===//

#include "FewestSpills.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>

namespace tritium {

using llvm::StringRef;

/// Removes the wish for several CTAs a multiprocessor; false if there is none.
static bool dropOccupancy(std::string &ptx) {
  size_t from = ptx.find("\n.minnctapersm");
  if (from == std::string::npos || StringRef(ptx).substr(from).starts_with("\n.minnctapersm 1\n"))
    return false;
  ptx.erase(from, ptx.find('\n', from + 1) - from);
  return true;
}

/// Wishes for one CTA a multiprocessor at least: with that ptxas spends the registers that there
/// are, without it sometimes 32 (13.0, of element-wise kernels). False where there is a limit.
static bool wishForOneCTA(std::string &ptx, const nvptx::AssembleOptions &options) {
  auto limits = [](StringRef option) { return option.contains("maxrregcount"); };
  size_t threads = ptx.find("\n.reqntid");
  if (threads == std::string::npos || StringRef(ptx).contains("\n.minnctapersm") ||
      StringRef(ptx).contains("\n.maxnreg") || StringRef(ptx).contains("setmaxnreg") ||
      llvm::any_of(options.extra, limits))
    return false;
  ptx.insert(ptx.find('\n', threads + 1), "\n.minnctapersm 1");
  return true;
}

bool assembleWithFewestSpills(const nvptx::Ptxas &ptxas, std::string &ptx, const std::string &gpu,
                              unsigned warps, const nvptx::AssembleOptions &options,
                              std::unique_ptr<nvptx::WaitingPtxas> waiting,
                              nvptx::Assembled &result, std::string &message) {
  constexpr unsigned most = 255, ofMultiprocessor = 65536, fewBytes = 128;
  auto hasMore = [&] {
    return result.report.spillBytes > fewBytes &&
           2 * result.report.registers < std::min(most, ofMultiprocessor / (32 * warps));
  };
  auto spills = [&] { return !nvptx::explainSpills(result.report).empty(); };
  // Products by multiply-adds, of which ptxas is as long about the first of the two.
  constexpr size_t manyProducts = 2000;
  if (StringRef(ptx).count("fma.rn.f") > manyProducts)
    wishForOneCTA(ptx, options);
  if (!nvptx::assemble(ptxas, ptx, gpu, options, result, message, std::move(waiting)))
    return false;
  if (spills() && dropOccupancy(ptx) && !nvptx::assemble(ptxas, ptx, gpu, options, result, message))
    return false;
  std::string other = ptx, ignored;
  nvptx::Assembled another;
  if (spills() && hasMore() && wishForOneCTA(other, options) &&
      nvptx::assemble(ptxas, other, gpu, options, another, ignored) &&
      another.report.spillBytes < result.report.spillBytes) {
    ptx = std::move(other);
    result = std::move(another);
  }
  return true;
}

} // namespace tritium
