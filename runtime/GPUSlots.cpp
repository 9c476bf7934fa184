//===- GPUSlots.cpp - arguments as code for GPUs takes them ---------------===//

#include "GPUSlots.h"
#include "Signature.h"
#include "tritium/Support/SharedPrograms.h"

#include "llvm/ADT/APFloat.h"

#include <algorithm>
#include <bit>
#include <limits>

using namespace tritium;

/// The format of a float that has fewer than 32 bits; null for all other types.
static const llvm::fltSemantics *narrowFormat(DTypeKind kind) {
  switch (kind) {
  case DTypeKind::Float8E5:
    return &llvm::APFloat::Float8E5M2();
  case DTypeKind::Float8E4NV:
    return &llvm::APFloat::Float8E4M3FN();
  case DTypeKind::Float8E4B8:
    return &llvm::APFloat::Float8E4M3FNUZ();
  case DTypeKind::Float8E5B16:
    return &llvm::APFloat::Float8E5M2FNUZ();
  case DTypeKind::Float16:
    return &llvm::APFloat::IEEEhalf();
  case DTypeKind::BFloat16:
    return &llvm::APFloat::BFloat();
  default:
    return nullptr;
  }
}

uint64_t runtime::slotOnGPU(uint64_t slot, const DType &type) {
  const llvm::fltSemantics *format = type.isPointer() ? nullptr : narrowFormat(type.kind);
  if (!format)
    return slot;
  llvm::APFloat value(std::bit_cast<float>(static_cast<uint32_t>(slot)));
  bool loses = false;
  value.convert(*format, llvm::APFloat::rmNearestTiesToEven, &loses);
  return value.bitcastToAPInt().getZExtValue();
}

llvm::SmallVector<uint64_t, 24> runtime::slotsOnGPU(llvm::ArrayRef<BoundArgument> arguments,
                                                    const KernelMetadata &metadata) {
  llvm::SmallVector<uint64_t, 24> slots;
  for (size_t i = 0; i < arguments.size(); ++i)
    slots.push_back(slotOnGPU(arguments[i].slot, metadata.parameters[i].type));
  return slots;
}

std::array<uint32_t, 3> runtime::gridOfParts(const KernelMetadata &metadata,
                                             const uint32_t grid[3]) {
  uint64_t third = uint64_t(grid[2]) * metadata.splitK;
  return {grid[0], grid[1],
          static_cast<uint32_t>(std::min<uint64_t>(third, std::numeric_limits<uint32_t>::max()))};
}

bool runtime::findSharedByParts(const KernelMetadata &metadata, const uint32_t grid[3],
                                uint64_t ctas, SharedByParts &shared, CompileError &error) {
  uint64_t programs = uint64_t(grid[0]) * grid[1] * grid[2]; // below 2^62: checkGrid
  if (metadata.streamK) {
    // No more places than CTAs.
    uint64_t parts = partsOfProgram(programs, ctas);
    uint64_t places = parts > 1 ? programsLeftOver(programs, ctas) * parts : 0;
    shared = {places * metadata.partialBytes, places * sizeof(uint32_t)};
    return true;
  }
  constexpr uint64_t most = uint64_t(1) << 48; // what a GPU addresses
  uint64_t ofProgram = metadata.splitK * metadata.partialBytes;
  if (programs > most / (ofProgram + sizeof(uint32_t))) {
    error = launchError("OutOfResources", "kernel '" + metadata.name +
                                              "': out of resource: memory for the sums of " +
                                              std::to_string(programs) + " programs in " +
                                              std::to_string(metadata.splitK) +
                                              " parts each; a grid as large needs no split_k");
    return false;
  }
  shared = {programs * ofProgram, programs * sizeof(uint32_t)};
  return true;
}

bool runtime::findCTAs(const KernelMetadata &metadata, const uint32_t grid[3], uint64_t most,
                       uint32_t ctas[3], CompileError &error) {
  std::copy_n(grid, 3, ctas);
  if (!metadata.isPersistent)
    return true;
  uint64_t programs = uint64_t(grid[0]) * grid[1] * grid[2]; // below 2^62: checkGrid
  constexpr uint64_t countable = std::numeric_limits<int32_t>::max();
  if (programs > countable) {
    error = launchError("GridError", "kernel '" + metadata.name + "': the grid (" +
                                         std::to_string(grid[0]) + ", " + std::to_string(grid[1]) +
                                         ", " + std::to_string(grid[2]) +
                                         ") has more programs than a kernel that loops over them "
                                         "counts, " +
                                         std::to_string(countable) + "; pass " +
                                         (metadata.streamK ? "stream_k" : "persistent") + "=False");
    return false;
  }
  // Short programs side by side need no loop: memory is faster for one CTA after the other. Of more
  // programs the number of the next one might not fit into 32 bits.
  constexpr uint64_t manyPrograms = countable / 4;
  uint64_t perCTA = metadata.programsPerCTA;
  if (perCTA > 1 && programs <= manyPrograms)
    most = std::numeric_limits<uint64_t>::max();
  if (metadata.streamK)
    programs = most = std::min<uint64_t>(most, kMostSharingCTAs);
  ctas[0] = static_cast<uint32_t>(std::min((programs + perCTA - 1) / perCTA, most));
  ctas[1] = ctas[2] = 1;
  return true;
}

bool runtime::overlapsLaunches(const KernelMetadata &metadata, const CompileOptions &options) {
  return metadata.waitsForLaunches && !options.flag("launch_pdl") &&
         !options.isOn("launch_cooperative_grid");
}

void runtime::describeGPUCode(const KernelMetadata &metadata, unsigned registers,
                              unsigned spillBytes, llvm::json::Object &description) {
  description["num_warps"] = metadata.numWarps;
  description["num_ctas"] = metadata.numCtas;
  description["persistent"] = metadata.isPersistent;
  description["waits_for_launches"] = metadata.waitsForLaunches;
  description["split_k"] = metadata.splitK;
  description["stream_k"] = metadata.streamK;
  description["shared"] = static_cast<int64_t>(metadata.sharedBytes);
  description["n_regs"] = registers;
  description["n_spills"] = spillBytes / 4;
}
