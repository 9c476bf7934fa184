//===- Strategy.h - the tuned numbers of the GPU path -----------*- C++ -*-===//
//
// What an architecture has is in GPUModel.h; these are choices. None of them changes a result.
// Each says what it was measured with, on an H200; where that is a bound by reasoning, it says so.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_TARGET_GPU_STRATEGY_H
#define TRITIUM_TARGET_GPU_STRATEGY_H

#include <cstdint>

namespace tritium::strategy {

//===--- registers, in words of 32 bits a lane ---===//

/// With more than that around a dot the assembler spills; what is loaded for later is then spread
/// among the products instead of in front of them, where products are fastest: 445 to 459 TFLOP/s
/// of products of 4096^3 and 8192^3 instead of 395 to 426.
constexpr unsigned kMostWordsAroundDot = 220;
/// With more in a loop, a dot's operand from outside of it stays in shared memory. Chosen with the
/// above, 20 words for addresses below it.
constexpr int64_t kMostWordsInLoop = 200;
/// An accumulator is a tile of partial results if it takes at most so many. By reasoning: an
/// eighth of what a lane can have.
constexpr unsigned kMostAccumulatorWords = 32;

/// Of a thread's registers, in hundredths, what two dots of warp groups of a loop may have for both
/// results and the left operand between them where one goes on into the next iteration. Loops of
/// attention with 176 of 255, or 80 of 128, do without memory; with 224 ptxas 13.0 spills 300
/// bytes.
constexpr int64_t kMostRotatedPercent = 70;
/// What the results of all dots of a loop may have for dots that need none of the others to begin
/// beside the first. By reasoning: attention's gradients, 128 keys by 64 queries of 128 dimensions
/// by 8 warps, take 192 of 255 words, whose scores and their gradients are needed together anyway.
constexpr int64_t kMostDotsPercent = 80;
/// What the results of all dots of a block may have together with factors of rows or columns that
/// are loaded from shared memory in front of them. Attention's gradients, 128 keys by 64 queries of
/// 128 dimensions by 8 warps, have 224 of 255 words then, for which ptxas 13.0 needs no memory:
/// left operands take the place of results.
constexpr int64_t kMostLoadedPercent = 88;
/// What the loads of a thread may bring that begin before anything is computed of them, as far as
/// it is no loop's. By reasoning: half of the registers of 16 warps a multiprocessor.
constexpr int64_t kMostBytesBegun = 256;
/// With fewer registers than that beside the tiles of a loop and a left operand of its dots, that
/// operand stays in shared memory.
constexpr int64_t kWordsBesideSums = 36;
/// Of a thread, beside sums and operands of dots: addresses, maxima and sums of rows, masks.
/// Attention, d=64, tiles of 256x64 by 16 warps does with 32, 479 TFLOP/s for 439; where ptxas
/// spills, there is no warp for copies after all.
inline constexpr int64_t kWordsBesideDots = 32;

//===--- products ---===//

/// A warp looks at whether a factor of a row is one in front of so many products of a thread by it.
/// By reasoning: it takes two instructions, and three for all. With 16 products, two rows of
/// attention of d=64 (4096 queries and keys), 5 to 6 % more are done, with 32, d=128, as many as
/// without.
constexpr unsigned kLeastProductsSkipped = 8;
/// Stores that never run, which hold what is computed in front of a wait for dots, stand behind one
/// branch where a group has so many warps, four for each scheduler: attention of d=64, full, 520
/// TFLOP/s for 476 with predicates, causal 469 for 468. With eight warps, d=128, predicates: 691
/// for 672, and 643 for 649.
constexpr int32_t kWarpsHeldByBranch = 16;

/// With fewer products of 8-bit elements, threads do not turn an operand for warp groups: counted
/// by the simulator, an iteration of 64x64 by 32 then takes 520 instructions for mma.sync's 464, of
/// 64x64 by 64 588 for 744, of 128x128 by 128 1268 for 2812.
constexpr int64_t kLeastProductsTurned = 64 * 64 * 64;

//===--- programs side by side ---===//

/// What a kernel that streams tiles needs beside them: for addresses, for each load in flight but
/// the first; and what no kernel gets less than. An estimate of what ptxas gives; where it spills
/// for it, the wish is dropped.
constexpr unsigned kAddressWords = 16, kWordsPerLoad = 4, kLeastWords = 32;
/// With more words than this there are few programs, whatever is asked for. Of a kernel in
/// versions, those that move element by element should not cost the others a program: softmax of
/// 16384x3000 halves, 57.8 us for 61.7, together with kLeastPrefetchBytes.
constexpr unsigned kMostStreamWords = 40, kMostStreamWordsOfVersions = 64;
/// Bytes a thread that ptxas may spill for them: those of a path that is seldom taken.
constexpr unsigned kTolerableSpills = 16;
/// Narrower loads of a row are not prefetched for later programs: an instruction a vector. Nor does
/// one instruction for the row gain there: softmax of 65536x781 in fp32 3923 GB/s with it, 4091
/// without.
constexpr unsigned kLeastPrefetchBytes = 8;
/// Of rows that one instruction prefetches, what all programs at once ask for. Whole rows for 132
/// or 264 programs, GB/s with and without: of 8.6 MB layer norm of 8192x16384 in fp32 4162 and
/// 3670, of 4096x16384 in fp16 3834 and 3654, softmax of 16384x16384 in bf16 4038 and 4098 (4137
/// and 3803 while its exponentials were exact); of 17 MB softmax of 4096x16384 in fp32 3151 and
/// 4074, of 34 MB of 2048x65536 2338 and 2889. Parts of such rows, of 16 to 128 KB, lose, too.
constexpr int64_t kMostPrefetchedBytes = int64_t(9) << 20;

/// Where the longest programs of each row of the grid begin first, so many for a multiprocessor at
/// the end are put in order together: no more, since rows are heads of attention, whose keys and
/// values should stay in L2. docs/passes/ttg-order-programs.md has the numbers.
constexpr unsigned kLongestPerMultiprocessor = 4;

/// What a kernel needs beside the sum of a product of warp groups, at least. Products of fp16 in
/// tiles of 64x256 to 128x256 take 26 more, ptxas 13.0.
constexpr unsigned kLeastWordsBesideSum = 24;

//===--- several programs in a CTA ---===//

/// Of the largest tile of a program that one warp does, and of what one of its loads or stores
/// moves. Measured on an H200, GB/s of softmax with and without: 128 columns of fp32 3821 and 1683,
/// of fp16 3281 and 846, 512 columns of fp16 3800 and 3077, of fp32 3914 and 4247; 1024 columns by
/// one warp each 3856 to 3929, and 4219 to 4231 in a CTA of its own.
constexpr int64_t kMostPackedElements = 512, kMostPackedBytes = 1024;
/// By reasoning: eight CTAs of so many warps are all that a multiprocessor can run.
constexpr int kProgramsOfPackedCTA = 8;
/// Of rows shorter than this, in bytes, a warp takes several, one after the other: a CTA takes as
/// long to start as memory takes for eight of them.
constexpr int64_t kLeastBytesOfWarp = 512;
/// Such a program needs its tiles' registers so many times, beside addresses; more where it is in
/// versions. By what ptxas 13.0 makes of softmax of 128 to 1024 columns without spilling. With more
/// words than the last there are few programs, whatever is asked for.
constexpr unsigned kTilesOfPacked = 2, kTilesOfPackedVersions = 4, kMostPackedWords = 80;

//===--- several CTAs for a program ---===//

/// Of the largest tile of a program that one CTA does. Measured on an H200: softmax of rows of
/// 32768 of fp32 moves 0.94 of what a copy does, of 65536 0.77, of fp16 0.56.
constexpr int64_t kMostElementsOfCTA = 32768;
/// What a CTA of a cluster has of it, if that needs no more CTAs than all GPUs' clusters may have,
/// and of that a lane. Measured on an H200, softmax of 65536 columns in fp16 and fp32, GB/s: 8 CTAs
/// of 4 warps 3237 and 3463, 4 of 8 warps 3081 and 3537, one of 16 warps 2212 and 2798.
constexpr int64_t kElementsOfClusterCTA = 8192, kMostCTAsOfCluster = 8, kElementsOfClusterLane = 64;

//===--- registers that a mask rules out ---===//

/// Fewer registers of a row, and fewer instructions for a part, are not worth a branch. By
/// reasoning: a branch and its vote are some five instructions, and keep others from moving.
constexpr unsigned kLeastMaskedRow = 4, kLeastMaskedCost = 24;
/// Parts of the upper half of a tile. By reasoning: each is a branch for all warps, and halves what
/// the one with the bound computes in vain.
constexpr unsigned kMostMaskedParts = 2;
/// Of all tiles that are loaded under the mask. By reasoning: branches keep the assembler from
/// loading the parts of some tiles one after the other, for which there are no registers beside
/// larger ones.
constexpr unsigned kMostMaskedRegisters = 48;

//===--- shared memory, in bytes ---===//

/// Left to reductions and conversions beside a pipeline's buffers. By reasoning: eight warps with
/// a kilobyte each.
constexpr int64_t kReservedShared = 8192;
/// What a loop gets at most where a program does not fit into shared memory with those that it asks
/// for. By reasoning: each fewer is another compilation, and the latency of memory is hidden with
/// less.
constexpr int kMostTriedStages = 4;
/// An allocation up to this size gets a place of its own, which saves a barrier, while all of them
/// stay below the total. By reasoning: what a program always has beside its pipeline.
constexpr uint64_t kSmallShared = 1024, kSmallSharedTotal = 8192;

} // namespace tritium::strategy

#endif // TRITIUM_TARGET_GPU_STRATEGY_H
