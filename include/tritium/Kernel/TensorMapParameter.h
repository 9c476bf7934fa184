//===- TensorMapParameter.h - tensors that a launch describes ---*- C++ -*-===//
//
// Code for GPUs may copy boxes of a tensor by TMA. What the hardware must know of the tensor is a
// tensor map, 128 bytes that only the driver (or the simulator) can make. The compiled kernel takes
// each as one more parameter, by value, behind its run-time parameters, and its metadata tell which
// arguments it is made of. That works in three steps:
//
//   * valuesOf computes a map's address, extents and strides from the arguments, in a few steps
//     each, or says why there is no such map: the hardware counts in 16 bytes, say. Launches that
//     have none take code without those copies (KernelMetadata::copies), just as those that break a
//     condition.
//   * The back end encodes the map, and keeps it with its values: a launch with the same ones
//     compares a few words.
//   * It passes the bytes.
//
// What lies outside of a tensor reads as zeros.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_KERNEL_TENSORMAPPARAMETER_H
#define TRITIUM_KERNEL_TENSORMAPPARAMETER_H

#include "tritium/Support/LaunchCondition.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tritium {

inline constexpr size_t kTensorMapBytes = 128, kTensorMapAlignment = 64;

/// Lists of dimensions have the one of neighbours first.
struct TensorMapParameter {
  static constexpr size_t kMostDimensions = 5;

  unsigned elementBytes = 1; ///< 1, 2, 4 or 8; bits are copied as they are
  bool roundsToTF32 = false; ///< but for f32 that a load rounds to the nearest tf32
  unsigned swizzle = 0;      ///< bytes of the rows in which TMA exchanges chunks: 0, 32, 64, 128
  std::vector<uint32_t> box; ///< extents in elements, one for each dimension
  /// The tensor begins `start` elements (empty: 0) behind what the run-time parameter `base`
  /// points to.
  size_t base = 0;
  std::vector<ScalarStep> start;
  /// Extents, and how many elements lie from one index to the next, but for the first dimension.
  std::vector<std::vector<ScalarStep>> shape, strides;

  bool operator==(const TensorMapParameter &) const = default;
};

/// A map for one launch.
struct TensorMapValues {
  uint64_t address = 0;
  std::array<uint64_t, TensorMapParameter::kMostDimensions> shape = {};
  std::array<uint64_t, TensorMapParameter::kMostDimensions - 1> strides = {}; ///< in bytes

  bool operator==(const TensorMapValues &) const = default;
};

/// `slots`: the arguments, each in the low bits of its slot. Nothing if there is no such map; then
/// `why`, if not null, receives the rule and what was found: "its address must be ...".
std::optional<TensorMapValues> valuesOf(const TensorMapParameter &map,
                                        std::span<const uint64_t> slots, const uint32_t grid[3],
                                        std::string *why = nullptr);

} // namespace tritium

#endif // TRITIUM_KERNEL_TENSORMAPPARAMETER_H
