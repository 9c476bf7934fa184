//===- LaunchCondition.cpp - what compiled code relies on -----------------===//

#include "tritium/Support/LaunchCondition.h"

#include <array>

namespace tritium {

namespace {
constexpr size_t kMaxStack = 16;

/// The low bits of a slot, sign-extended.
int64_t valueOf(uint64_t slot, unsigned bits) {
  return bits >= 64 ? int64_t(slot) : int64_t(slot << (64 - bits)) >> (64 - bits);
}

MaybeRange leaf(const ScalarStep &step, std::span<const uint64_t> slots, const uint32_t grid[3]) {
  uint64_t number = step.value;
  auto only = [](int64_t value) { return IntegerRange{value, value}; };
  switch (step.kind) {
  case ScalarStep::Constant:
    return only(step.value);
  case ScalarStep::Argument:
    if (number >= slots.size() || step.bits == 0)
      return std::nullopt;
    return only(valueOf(slots[number], step.bits));
  case ScalarStep::ProgramId:
    if (number >= 3)
      return std::nullopt;
    return IntegerRange{0, int64_t(grid[number]) - 1};
  case ScalarStep::NumPrograms:
    if (number >= 3)
      return std::nullopt;
    return only(grid[number]);
  default:
    return std::nullopt;
  }
}

MaybeRange combined(const ScalarStep &step, IntegerRange x, IntegerRange y) {
  switch (step.kind) {
  case ScalarStep::Sum:
    return range::sum(x, y, step.bits);
  case ScalarStep::Difference:
    return range::difference(x, y, step.bits);
  case ScalarStep::Product:
    return range::product(x, y, step.bits);
  case ScalarStep::Quotient:
    return range::quotient(x, y);
  case ScalarStep::Remainder:
    return range::remainder(x, y);
  case ScalarStep::Minimum:
    return range::minimum(x, y);
  case ScalarStep::Maximum:
    return range::maximum(x, y);
  default:
    return std::nullopt;
  }
}
} // namespace

MaybeRange boundsOf(std::span<const ScalarStep> steps, std::span<const uint64_t> slots,
                    const uint32_t grid[3]) {
  std::array<IntegerRange, kMaxStack> stack;
  size_t size = 0;
  for (const ScalarStep &step : steps) {
    MaybeRange result;
    size_t takes = step.kind < ScalarStep::Sum ? 0 : step.kind == ScalarStep::LoopIndex ? 3 : 2;
    if (size < takes || size - takes >= kMaxStack)
      return std::nullopt;
    if (takes == 0)
      result = leaf(step, slots, grid);
    else if (takes == 2)
      result = combined(step, stack[size - 2], stack[size - 1]);
    else
      result = range::loopIndex(stack[size - 3], stack[size - 2], stack[size - 1], step.bits);
    if (!result || !(result = range::fitting(*result, step.bits)))
      return std::nullopt;
    size -= takes;
    stack[size++] = *result;
  }
  return size == 1 ? MaybeRange(stack[0]) : std::nullopt;
}

} // namespace tritium
