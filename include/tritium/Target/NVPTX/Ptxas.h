//===- Ptxas.h - NVIDIA's assembler -----------------------------*- C++ -*-===//
//
// ptxas turns PTX into a cubin, machine code of one architecture. It is optional: a driver
// assembles PTX, too, but tells nothing of registers and spills before it does.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_TARGET_NVPTX_PTXAS_H
#define TRITIUM_TARGET_NVPTX_PTXAS_H

#include "tritium/Target/NVPTX/PtxasLog.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tritium::nvptx {

struct Ptxas {
  std::string path;
  std::string version; ///< "13.0.88"
};

/// TRITON_PTXAS_PATH (a file, or a name to search for), else `ptxas` in PATH, else in
/// /usr/local/cuda/bin. Nothing if there is none that runs. TRITON_PTXAS_PATH=none: none.
std::optional<Ptxas> findPtxas();

struct AssembleOptions {
  bool lineInfo = true;
  bool fpFusion = true;
  bool optimize = true;
  std::vector<std::string> extra; ///< more arguments for ptxas
};

struct Assembled {
  std::string cubin;
  PtxasReport report;
  std::string log; ///< that the report was read from
};

/// A ptxas that is started before there is anything to assemble: more than a third of what it takes
/// for a small kernel are tables that it makes before it opens its input (13.0). It ends with this
/// object, or with this process.
class WaitingPtxas {
public:
  /// Null if there can be none: no temporary files, or no links among them.
  static std::unique_ptr<WaitingPtxas> start(const Ptxas &ptxas, const std::string &gpu,
                                             const AssembleOptions &options);
  virtual ~WaitingPtxas() = default;
  /// Whether it was started so.
  virtual bool isFor(const Ptxas &ptxas, const std::string &gpu,
                     const AssembleOptions &options) const = 0;
  /// Assembles, once. The status is ptxas's; none if it did not do, for whatever reason: a new one
  /// may.
  virtual std::optional<int> assemble(const std::string &ptx, Assembled &result) = 0;
};

/// Assembles `ptx` for the GPU ("sm_90a"). On failure fills `error` with what ptxas said. By
/// `waiting` if that is not null and was started for this; where it does not do, by another ptxas.
bool assemble(const Ptxas &ptxas, const std::string &ptx, const std::string &gpu,
              const AssembleOptions &options, Assembled &result, std::string &error,
              std::unique_ptr<WaitingPtxas> waiting = nullptr);

/// The registers that ptxas gives a thread of the kernel `entry` of `ptx`, which is for
/// `target` ("sm_80", "sm_90a"), on a GPU of the architecture (90). 0 if that cannot be known,
/// and `reason` says why.
unsigned registersOf(const std::string &ptx, const std::string &target, const std::string &entry,
                     unsigned architecture, std::string &reason);

} // namespace tritium::nvptx

#endif // TRITIUM_TARGET_NVPTX_PTXAS_H
