//===- Explain.h - what the compiler did, as data ---------------*- C++ -*-===//
//
// What became of each line of a kernel and what it costs, as one JSON object: docs/explain.md and
// docs/explain.schema.json say what is in it. Whatever shows it computes nothing.
//
// It includes no MLIR header, so that the runtime can use it.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_EXPLAIN_EXPLAIN_H
#define TRITIUM_EXPLAIN_EXPLAIN_H

#include "tritium/Kernel/CompiledKernel.h"

#include "llvm/Support/JSON.h"

#include <map>
#include <optional>

namespace tritium::explain {

/// Fields are only added to objects of a version.
inline constexpr int64_t kVersion = 1;
inline constexpr const char *kFormat = "tritium-explain";

/// A compiled kernel, and what it was compiled from.
struct Subject {
  const KernelMetadata &metadata;
  const std::vector<Remark> &remarks;
  /// By name: "ttir", "ttgir", "ptx", or "ttir", "plan", "asm".
  std::map<std::string, std::string> stages;
  llvm::json::Object options;  ///< of the launch, by name
  llvm::json::Array signature; ///< an object a parameter
  std::string source, path;    ///< the kernel's text and its file; empty: it has none
  int firstLine = 1;           ///< of `source` in the file
  /// With a launch: its grid and arguments; and what the simulator counted of it.
  std::optional<llvm::json::Object> launch, counters;
  std::string gpu; ///< whose rates the model takes, and whose counts these are; empty: the target's
};

/// Whether estimates are known for a GPU of this name that runs code for a compute capability, as
/// 90; the names of those.
bool isKnownGPU(unsigned capability, llvm::StringRef gpu);
std::string knownGPUs(unsigned capability);
/// Of the GPU of this name, which may be newer than the code; "": the code's.
unsigned capabilityOf(unsigned capability, llvm::StringRef gpu);

/// `estimates`, if it is not null, receives hints, of what was not tried, for a launch with
/// counters.
llvm::json::Object explain(const Subject &subject, llvm::json::Array *estimates = nullptr);

/// Adds to the document of a GPU's kernel what a disassembler prints of its cubin, or why there is
/// none. Null: ptxas made no cubin.
void addMachineCode(llvm::json::Object &document, const std::string *cubin);

/// What a terminal of 80 columns shows of it; `all`: lines too on which nothing is to be said.
std::string render(const llvm::json::Object &document, bool all);

} // namespace tritium::explain

#endif // TRITIUM_EXPLAIN_EXPLAIN_H
