//===- ClockTables.h - what kernels with clocks have counted ----*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_CLOCKTABLES_H
#define TRITIUM_RUNTIME_CLOCKTABLES_H

#include "Backend.h"

#include <memory>
#include <mutex>
#include <vector>

namespace tritium::runtime {

/// The code of this process that has clocks.
class ClockTables {
public:
  static ClockTables &ofProcess();

  /// Code is kept until what it has counted is taken, also when nobody else has it.
  void add(std::shared_ptr<const CompiledKernel> compiled, std::shared_ptr<Executable> executable);

  /// What tritium_take_clocks answers. None with `error` if a device fails; then nothing of what
  /// it holds is lost on the others.
  std::optional<llvm::json::Array> take(CompileError &error);

private:
  struct Clocked {
    std::shared_ptr<const CompiledKernel> compiled; ///< outlives the executable
    std::shared_ptr<Executable> executable;
  };
  std::vector<Clocked> list();
  void keep(llvm::json::Value table, const Clocked &from);

  std::mutex mutex;
  std::vector<Clocked> running;
  llvm::json::Array taken; ///< and not answered yet
};

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_CLOCKTABLES_H
