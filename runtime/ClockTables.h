//===- ClockTables.h - what kernels with clocks have counted ----*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_CLOCKTABLES_H
#define TRITIUM_RUNTIME_CLOCKTABLES_H

#include "Backend.h"

#include <map>
#include <mutex>
#include <vector>

namespace tritium::runtime {

/// The code of this process that has clocks.
class ClockTables {
public:
  static ClockTables &ofProcess();

  /// Both live until remove().
  void add(Executable &executable, const CompiledKernel &compiled);
  /// What it has counted stays to be taken.
  void remove(Executable &executable);

  /// What tritium_take_clocks answers. None with `error` if a device fails; then nothing of what
  /// it holds is lost on the others.
  std::optional<llvm::json::Array> take(CompileError &error);

private:
  std::mutex mutex;
  std::map<Executable *, const CompiledKernel *> running;
  llvm::json::Array taken; ///< and not answered yet
};

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_CLOCKTABLES_H
