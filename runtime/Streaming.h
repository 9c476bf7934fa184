//===- Streaming.h - which launches store past the caches -------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_STREAMING_H
#define TRITIUM_RUNTIME_STREAMING_H

#include "BoundArgument.h"
#include "tritium/Kernel/KernelMetadata.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace tritium::runtime {

/// Decides whether the outputs of a launch are too large for the caches, so that code with
/// CompileOptions::streamStores is the better one.
class StreamingChoice {
public:
  StreamingChoice() = default; ///< never
  /// For a kernel of `parameters` and outputs of `threshold` bytes and more.
  StreamingChoice(const std::vector<ParameterInfo> &parameters, uint64_t threshold);

  /// `arguments`: one for each parameter.
  bool isWorthwhile(llvm::ArrayRef<BoundArgument> arguments, const uint32_t grid[3]) const;

private:
  struct Output {
    unsigned argument;
    uint64_t bytesPerProgram; ///< kUnknownBytes: nothing is known
  };
  llvm::SmallVector<Output, 2> outputs;
  uint64_t threshold = 0;
};

/// TRITIUM_STREAMING_BYTES, or the size of this machine's last-level cache, 48 MB at most.
uint64_t streamingThreshold();

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_STREAMING_H
