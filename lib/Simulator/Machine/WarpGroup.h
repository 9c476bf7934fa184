//===- WarpGroup.h - wgmma under way ----------------------------*- C++ -*-===//
//
// Four consecutive warps, the first a multiple of four, are a warp group. Each of them issues
// a wgmma at its own time; it is one operation of all four nevertheless. It is computed, for
// all four, when the first of them waits for it: as late as the program allows. A warp that
// waits for what another one has not issued yet waits for that warp.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_SIMULATOR_WARPGROUP_H
#define TRITIUM_SIMULATOR_WARPGROUP_H

#include "Shadow.h"

#include <cstdint>
#include <deque>
#include <vector>

namespace tritium::sim {

struct AsyncUse;
struct Frame;
struct FunctionCode;
struct Op;

inline constexpr unsigned warpsOfGroup = 4;

struct GroupProduct {
  const Op *op = nullptr;
  uint64_t a = 0, b = 0; ///< descriptors; a is 0 if registers hold A
  bool adds = false;     ///< to the accumulators
  unsigned issued = 0;   ///< by which of the warps, one bit each
  Frame *frames[warpsOfGroup] = {};
  AsyncUse *reads[warpsOfGroup] = {}; ///< of shared memory, until it is computed
  int firstMember = -1;               ///< the warp that issued it first
  Known known;                        ///< to that warp then
  Known issuers;                      ///< what all know and did before their issues
  uint32_t over[warpsOfGroup] = {};   ///< when the reads of each warp were
};

struct WarpGroup {
  std::deque<GroupProduct> products; ///< that some warp has not waited for
  uint64_t first = 0;                ///< the number of products.front()
  uint64_t computed = 0;             ///< how many are
  /// That each warp's reads of shared memory are by (Proxy.h); 0: none yet. They are one, unless
  /// Launch::separateProducts is asked for.
  uint32_t actors[warpsOfGroup] = {};

  GroupProduct &product(uint64_t number) { return products[number - first]; }
};

/// What a warp has issued of its group's products, which are numbered.
struct ProductQueue {
  uint64_t issued = 0, retired = 0;
  std::deque<uint64_t> ends; ///< of each group that is committed and not waited for: `issued` then
  uint32_t fences = 0;       ///< wgmma.fence that it has executed
};

/// A register that wgmma instructions of its function name as accumulator or as part of A.
struct ProductRegister {
  uint32_t sums = 0, factors = 0; ///< products under way that have it as accumulator, in A
  uint32_t fences = 0;            ///< 1 + ProductQueue::fences when anything else last used it
  uint32_t issue = 0;             ///< ProductQueue::fences at the issue of `product`
  const Op *product = nullptr;    ///< the last one
};

/// Fills FunctionCode::productRegisters.
void findProductRegisters(FunctionCode &code);

} // namespace tritium::sim

#endif // TRITIUM_SIMULATOR_WARPGROUP_H
