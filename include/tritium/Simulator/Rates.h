//===- Rates.h - what a GPU does in a clock, and what takes how long -*- C++ -*-===//

#ifndef TRITIUM_SIMULATOR_RATES_H
#define TRITIUM_SIMULATOR_RATES_H

#include <span>
#include <string_view>

namespace tritium::sim {

struct Rates {
  unsigned capability;
  const char *gpu; ///< "" where it is any of them
  double megahertz;
  double memoryBytes, l2Bytes, l1Sectors; ///< a multiprocessor
  double sharedBytes;
  double tensorOperations; ///< multiplications and additions of f16, by warp groups or mma
  double mmaShare;         ///< of that, what mma.sync reaches
  double l2Megabytes;      ///< that the L2 holds
};
/// `gpu`: its name, of those that the table has; "": the newest of the capability.
const Rates &ratesOf(unsigned capability, std::string_view gpu = "");
std::span<const Rates> knownRates();

/// Clocks, as an H200 has them, which is assumed of all. Of an instruction: from when its unit is
/// done with it to when its result is there. What is published: Luo et al., "Benchmarking and
/// Dissecting the Nvidia Hopper GPU Architecture via Microbenchmarking", 2024; Jia et al.,
/// "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", 2018.
namespace latency {
/// Published: 4 from an instruction of these to the next that needs it.
inline constexpr double arithmetic = 3;
/// Published: 18 of which 8 occupy the unit.
inline constexpr double special = 10;
inline constexpr double convert = 4, doubles = 6;
/// Published: 29 and 33 of a load of shared memory and of ldmatrix, 23 of an exchange, one clock
/// of which the unit takes.
inline constexpr double shared = 28, fragment = 32, exchange = 22;
/// Published: 33 of mma.sync m16n8k16, of which its share of the tensor cores takes some 6.
inline constexpr double product = 26;
/// Measured: wgmma ends so long behind what the tensor cores take, and a warp has no more than that
/// many under way.
inline constexpr double groupProduct = 58;
inline constexpr unsigned mostGroupProducts = 6;
/// Measured: loads one after the other that the first cache has take 38, with their addresses.
inline constexpr double firstCache = 29;
/// Measured: loads one after the other, of the L2 and of memory.
inline constexpr double l2 = 263, memory = 617;
/// Measured: a warp starts one copy of a box after the other so long; from then on one takes as
/// long as a load, and each of its rows of 128 bytes at most.
inline constexpr double boxes = 44, rowOfBox = 1.1;
/// Measured, beside a barrier: fence.proxy.async.
inline constexpr double proxyFence = 28;
/// Measured: barriers one after the other of 4 warps and of 16 take 28 and 49.
inline constexpr double barrier = 8, arrival = 1.6;
/// An mbarrier's phase: from the last arrival to who waits.
inline constexpr double phase = 20;
/// What machine code waits at least: 5 from a branch to the instruction behind it, 13 from a
/// comparison to the instruction that it is the guard of, the first of which are its own.
inline constexpr double branch = 4, guard = 10;
/// Measured: from one CTA to the next that a multiprocessor starts.
inline constexpr double startOfCTA = 138;
/// As far as an assembler moves an instruction: it does not start before the one so many places
/// ahead of it. Assumed.
inline constexpr unsigned window = 32;
/// By so many clocks a warp runs ahead of the unit that it waits for. Assumed.
inline constexpr double queue = 32;
} // namespace latency

/// Bytes a clock that one multiprocessor has of the L2 by loads at most. Published.
inline constexpr double mostL2Bytes = 64;
/// Instructions by which the oldest CTA's warps run ahead of others, where they multiply by tensor
/// cores, and by which a warp does of those of its CTA. Assumed.
inline constexpr unsigned turnOfOldest = 2000, turnOfProducts = 32, turnOfWarp = 16;

/// Clocks of a request of a warp in the first cache, at least. Measured: 1.8, with its loop.
inline constexpr double clocksOfRequest = 1.8;
/// Clocks of an atomic of shared memory by which a warp changes several words, at least. Measured
/// of 32 words in banks of their own, with what else is done for each: 3.9, of one word 1.6. By
/// this, histograms of one CTA take 0.73 times what was measured, of four on a multiprocessor 1.3.
inline constexpr double clocksOfSpreadAtomic = 3;
/// A request of the L2 takes as long as that many sectors at least. Measured.
inline constexpr double sectorsOfRequest = 2;
/// The same of a row of a box. Measured: all multiprocessors together have 80 to 107 rows of 32 and
/// 64 bytes a clock.
inline constexpr double sectorsOfRow = 2.6;
/// What boxes have of the L2, of what loads have. Measured: 7000 to 8400 bytes a clock.
inline constexpr double boxesOfL2 = 1.1;
/// Instructions that are left of PTX in machine code, of all and of those of integers. Fitted.
inline constexpr double issued = 0.9, issuedIntegers = 0.55;

} // namespace tritium::sim

#endif // TRITIUM_SIMULATOR_RATES_H
