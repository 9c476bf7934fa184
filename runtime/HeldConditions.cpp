//===- HeldConditions.cpp - whether launches keep conditions --------------===//

#include "HeldConditions.h"

#include "llvm/ADT/STLExtras.h"

namespace tritium::runtime {

void HeldConditions::watch(llvm::ArrayRef<LaunchCondition> list) {
  conditions = list;
  for (const LaunchCondition &condition : list)
    for (const ScalarStep &step : condition)
      if (step.kind == ScalarStep::Argument && !llvm::is_contained(arguments, step.value))
        arguments.push_back(step.value);
}

llvm::SmallBitVector HeldConditions::evaluate(llvm::ArrayRef<uint64_t> slots,
                                              const uint32_t grid[3]) const {
  llvm::SmallBitVector broken(conditions.size());
  for (auto [number, condition] : llvm::enumerate(conditions)) {
    MaybeRange bounds = boundsOf(condition, slots, grid);
    broken[number] = !bounds || bounds->low < 1;
  }
  return broken;
}

llvm::SmallBitVector HeldConditions::broken(llvm::ArrayRef<uint64_t> slots,
                                            const uint32_t grid[3]) const {
  if (conditions.empty())
    return {};
  Answer answer;
  answer.numbers.assign(grid, grid + 3);
  for (size_t argument : arguments)
    answer.numbers.push_back(argument < slots.size() ? slots[argument] : 0);
  // Whoever would have to wait evaluates them meanwhile.
  std::unique_lock lock(mutex, std::try_to_lock);
  if (lock)
    for (const Answer &known : answers)
      if (known.numbers == answer.numbers)
        return known.broken;
  answer.broken = evaluate(slots, grid);
  if (lock)
    answers[oldest++ % answers.size()] = answer;
  return answer.broken;
}

} // namespace tritium::runtime
