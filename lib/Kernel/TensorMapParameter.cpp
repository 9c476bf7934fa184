//===- TensorMapParameter.cpp - tensors that a launch describes -----------===//

#include "tritium/Kernel/TensorMapParameter.h"

using namespace tritium;

namespace {
// What a tensor map can hold (cuTensorMapEncodeTiled).
constexpr uint64_t kUnitBytes = 16;
constexpr int64_t kMostExtent = int64_t(1) << 32, kMostStrideBytes = int64_t(1) << 40;

/// Nothing if a step wraps, or if programs differ.
std::optional<int64_t> numberOf(std::span<const ScalarStep> steps, std::span<const uint64_t> slots,
                                const uint32_t grid[3]) {
  // Most are an argument or a constant, and each launch comes here.
  if (steps.size() == 1 && steps[0].bits >= 1 && steps[0].bits <= 64) [[likely]] {
    unsigned above = 64 - steps[0].bits;
    uint64_t value = uint64_t(steps[0].value);
    if (steps[0].kind == ScalarStep::Argument && value < slots.size())
      return int64_t(slots[value] << above) >> above;
    if (steps[0].kind == ScalarStep::Constant && above == 0)
      return steps[0].value;
  }
  MaybeRange bounds = boundsOf(steps, slots, grid);
  if (!bounds || bounds->low != bounds->high)
    return std::nullopt;
  return bounds->low;
}

std::string foundText(std::optional<int64_t> number) {
  return number ? std::to_string(*number) : "a number that does not fit its type";
}
} // namespace

std::optional<TensorMapValues> tritium::valuesOf(const TensorMapParameter &map,
                                                 std::span<const uint64_t> slots,
                                                 const uint32_t grid[3], std::string *why) {
  TensorMapValues values;
  auto refuse = [&](const auto &text) -> std::optional<TensorMapValues> {
    if (why)
      *why = text();
    return std::nullopt;
  };
  if (map.box.size() > TensorMapParameter::kMostDimensions)
    return refuse([] { return std::string("it must have 1 to 5 dimensions"); });
  std::optional<int64_t> start = map.start.empty() ? 0 : numberOf(map.start, slots, grid);
  if (map.base >= slots.size() || !start)
    return refuse(
        [] { return std::string("where it begins is a number that does not fit its type"); });
  values.address = slots[map.base] + uint64_t(*start) * map.elementBytes;
  if (values.address % kUnitBytes || !values.address)
    return refuse([&] {
      return "its address must be a multiple of 16, and is " + std::to_string(values.address);
    });
  for (size_t d = 0; d < map.box.size(); ++d) {
    std::optional<int64_t> extent = numberOf(map.shape[d], slots, grid);
    if (!extent || *extent < 1 || *extent > kMostExtent)
      return refuse([&] {
        return "its extents must be from 1 to 4294967296, and one is " + foundText(extent);
      });
    values.shape[d] = uint64_t(*extent);
  }
  for (size_t d = 0; d + 1 < map.box.size(); ++d) {
    std::optional<int64_t> stride = numberOf(map.strides[d], slots, grid);
    bool isInRange = stride && *stride >= 1 && *stride < kMostStrideBytes &&
                     *stride * int64_t(map.elementBytes) < kMostStrideBytes;
    if (!isInRange || uint64_t(*stride) * map.elementBytes % kUnitBytes) [[unlikely]]
      return refuse([&] {
        return "its strides must be multiples of " + std::to_string(kUnitBytes / map.elementBytes) +
               " elements (16 bytes), positive and less than 2^40 bytes, and one is " +
               foundText(stride);
      });
    values.strides[d] = uint64_t(*stride) * map.elementBytes;
  }
  return values;
}
