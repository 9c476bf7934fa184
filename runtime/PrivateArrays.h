//===- PrivateArrays.h - copies of what launches may write ------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_PRIVATEARRAYS_H
#define TRITIUM_RUNTIME_PRIVATEARRAYS_H

#include "BoundArgument.h"

#include "tritium/Kernel/KernelMetadata.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace tritium::runtime {

/// The arguments of a launch, on copies of all arrays but those that are only read, so that
/// launches on several threads at once do not meet: with other constants a kernel may write others.
/// Arrays of one allocation stay as far from one another as they are. Of host memory whose bounds
/// are known.
class PrivateArrays {
public:
  /// How many bytes are copied.
  static uint64_t bytesFor(llvm::ArrayRef<BoundArgument> arguments, const KernelMetadata &metadata);

  /// Throws std::bad_alloc.
  PrivateArrays(llvm::ArrayRef<BoundArgument> arguments, const KernelMetadata &metadata);

  llvm::ArrayRef<BoundArgument> arguments() const { return moved; }

private:
  std::vector<BoundArgument> moved;
  std::vector<std::unique_ptr<std::byte[]>> copies;
};

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_PRIVATEARRAYS_H
