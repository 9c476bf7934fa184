//===- ClockTables.cpp - what kernels with clocks have counted ------------===//

#include "ClockTables.h"

#include "tritium/Support/ForkGate.h"

using namespace tritium;
using namespace tritium::runtime;

ClockTables &ClockTables::ofProcess() {
  // Code may be let go of when the process ends.
  static ClockTables &tables = *new ClockTables;
  return tables;
}

/// `sums`: a table as kClocksSymbol has it, of one copy. Null: nothing has run.
static llvm::json::Value describe(llvm::ArrayRef<uint64_t> sums, const CompiledKernel &compiled) {
  const KernelMetadata &metadata = compiled.metadata;
  size_t warps = metadata.numWarps, pairs = compiled.clocks.parts.size() + 1;
  if (sums.size() != 2 * warps * pairs)
    return nullptr;
  auto at = [&](size_t warp, size_t pair) { return sums.slice(2 * (warp * pairs + pair), 2); };
  llvm::json::Array parts, groups;
  for (auto [number, part] : llvm::enumerate(compiled.clocks.parts)) {
    llvm::json::Array clocks, times;
    for (size_t warp = 0; warp < warps; ++warp) {
      clocks.push_back(at(warp, number)[0]);
      times.push_back(at(warp, number)[1]);
    }
    parts.push_back(llvm::json::Object{{"name", part.name},
                                       {"file", part.file},
                                       {"line", part.line},
                                       {"last", part.last},
                                       {"clocks", std::move(clocks)},
                                       {"times", std::move(times)}});
  }
  uint64_t nanoseconds = 0, runs = 0;
  for (size_t warp = 0; warp < warps; ++warp) {
    nanoseconds += at(warp, pairs - 1)[0];
    runs += at(warp, pairs - 1)[1];
  }
  if (!runs)
    return nullptr;
  for (const ClockedGroup &group : compiled.clocks.groups)
    groups.push_back(llvm::json::Object{{"name", group.name}, {"warps", group.warps}});
  return llvm::json::Object{{"kernel", metadata.name},    {"target", metadata.target.str()},
                            {"warps", int64_t(warps)},    {"runs", runs},
                            {"nanoseconds", nanoseconds}, {"parts", std::move(parts)},
                            {"groups", std::move(groups)}};
}

void ClockTables::add(std::shared_ptr<const CompiledKernel> compiled,
                      std::shared_ptr<Executable> executable) {
  ForkSafeLock lock(mutex);
  running.push_back({std::move(compiled), std::move(executable)});
}

std::vector<ClockTables::Clocked> ClockTables::list() {
  ForkSafeLock lock(mutex);
  return running;
}

/// What nobody else has any more counts no more.
void ClockTables::keep(llvm::json::Value table, const Clocked &from) {
  ForkSafeLock lock(mutex);
  if (table.getAsObject())
    taken.push_back(std::move(table));
  constexpr long here = 2; // `running` and `from`
  llvm::erase_if(running, [&](const Clocked &each) {
    return each.executable == from.executable && each.executable.use_count() == here;
  });
}

std::optional<llvm::json::Array> ClockTables::take(CompileError &error) {
  // What waits for devices asks the host, which may let go of code: nothing is locked meanwhile.
  for (const Clocked &each : list()) {
    std::vector<uint64_t> sums;
    if (!each.executable->takeClocks(sums, error))
      return std::nullopt;
    keep(describe(sums, *each.compiled), each);
  }
  ForkSafeLock lock(mutex);
  return std::exchange(taken, {});
}
