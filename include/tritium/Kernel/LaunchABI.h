//===- LaunchABI.h - between compiled code and its host ---------*- C++ -*-===//

#ifndef TRITIUM_KERNEL_LAUNCHABI_H
#define TRITIUM_KERNEL_LAUNCHABI_H

#include <cstdint>

namespace tritium {

/// A variable of a kernel with assertions, 8 bytes of global memory: the address of what a
/// failed one fills in, six uint32 and a uint64: a flag that it sets by compare-and-swap from 0
/// to 1, the number of its AssertSite, the three program ids, the element and the value that
/// it reports, if any. After that its CTA ends.
inline constexpr const char *kAssertRecordSymbol = "tritium_assert_record";

/// A variable of a kernel with clocks (KernelClocks), 8 bytes of global memory: the address of a
/// table of uint64, or 0: it counts nothing. The table has kClockCopies copies, of which a warp
/// adds to one at its end, that sums of many warps seldom meet; in each, for each warp of a CTA,
/// pairs of sums: for each part the clocks that the warp was in it, and how often it came there;
/// then the nanoseconds from its begin to its end, and how often it ran.
inline constexpr const char *kClocksSymbol = "tritium_clocks";
inline constexpr uint32_t kClockCopies = 32;

/// A variable of a kernel whose CTAs take programs from a counter (KernelMetadata::takesPrograms):
/// kProgramCounters of them, uint32, each 0 but while a launch uses it. Launches that may run at
/// the same time use others, or none.
inline constexpr const char *kProgramCountersSymbol = "tritium_program_counters";
inline constexpr uint32_t kProgramCounters = 256;
inline constexpr uint32_t kNoProgramCounter = UINT32_MAX;

/// Calls of an entry function into its host. Passed as the last argument of the entry. Null: the
/// kernel prints nothing, asserts nothing, and cannot be interrupted.
/// Headers of code compiled ahead have the same in C (runtime/ahead/CHeaderText.cpp).
extern "C" {
struct TritiumHostCalls {
  void *user;
  /// Prints `count` elements; `shape[0..rank)` is the tile's shape. bits: element width;
  /// kind: 0 signed, 1 unsigned, 2 float, 3 pointer. pid: the three program ids.
  /// Elements are packed, i1 in bytes, floats narrower than f32 converted to f32. A
  /// prefix without a value comes with null `data` and 0 bits.
  void (*print)(void *user, const char *prefix, int hex, int kind, int bits, const void *data,
                const int64_t *shape, int rank, const uint32_t *pid);
  /// Records a failed assertion; the entry goes on with the next program. The other
  /// parameters are an AssertSite and what a FailedAssertion reports.
  void (*assertFailed)(void *user, const char *message, const char *file, int line,
                       const uint32_t *pid, int kind, const int64_t *shape, int rank,
                       uint32_t element, uint64_t value);
  /// A word that programs read each time round a loop, and after each program. While it is not
  /// 0 they call `attend`, and the entry returns at once if that answers not 0. Null: no word.
  const uint32_t *attention;
  int (*attend)(void *user);
  /// A program of the ids x, y, z has gone `rounds` times, a multiple of 64, round the loop at
  /// file:line, which it leaves when memory changes. The call may return late, when other
  /// programs have run. Not 0: the entry returns at once. Null: it just goes on.
  int (*wait)(void *user, const char *file, int line, uint32_t x, uint32_t y, uint32_t z,
              uint32_t rounds);
};
/// args: one 8-byte slot a run-time parameter, the value in its low bytes; f32 and
/// narrower floats are passed as f32 bits, f64 as f64 bits, i1 as 0 or 1.
/// Runs the programs [begin, end) of the flattened grid (x fastest).
typedef void (*TritiumCPUEntry)(const uint64_t *args, void *scratch, int64_t begin, int64_t end,
                                const uint32_t *grid, const TritiumHostCalls *host);
}

} // namespace tritium

#endif // TRITIUM_KERNEL_LAUNCHABI_H
