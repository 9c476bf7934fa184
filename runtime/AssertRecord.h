//===- AssertRecord.h - failed assertions -----------------------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_ASSERTRECORD_H
#define TRITIUM_RUNTIME_ASSERTRECORD_H

#include "tritium/Kernel/CompileError.h"
#include "tritium/Kernel/KernelMetadata.h"
#include "tritium/Kernel/LaunchABI.h"

#include <cstddef>

namespace tritium::runtime {

/// Where kernels record a failed assertion; see kAssertRecordSymbol.
struct AssertRecord {
  uint32_t failed; ///< 0, or 1 once the rest is being written
  uint32_t site;   ///< index into KernelMetadata::asserts
  FailedAssertion failure;
};
static_assert(sizeof(AssertRecord) == 32 && offsetof(AssertRecord, failure.value) == 24);

/// The error that a record which is filled in stands for.
CompileError assertionError(const KernelMetadata &metadata, const AssertRecord &record);
CompileError assertionError(const std::string &kernel, const AssertSite &site,
                            const FailedAssertion &failure);

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_ASSERTRECORD_H
