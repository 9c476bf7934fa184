//===- AssertRecord.h - a failed device_assert of code for GPUs -*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_ASSERTRECORD_H
#define TRITIUM_RUNTIME_ASSERTRECORD_H

#include "tritium/Pipeline/Compiler.h"

namespace tritium::runtime {

/// Where kernels record a failed device_assert; see kAssertRecordSymbol.
struct AssertRecord {
  uint32_t failed; ///< 0, or 1 once the rest is being written
  uint32_t site;   ///< index into KernelMetadata::asserts
  uint32_t pid[3];
};

/// The error that a record which is filled in stands for.
CompileError assertionError(const KernelMetadata &metadata, const AssertRecord &record);

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_ASSERTRECORD_H
