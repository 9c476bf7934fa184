//===- AssertRecord.cpp - a failed device_assert of code for GPUs ---------===//

#include "AssertRecord.h"
#include "Signature.h"

using namespace tritium;

CompileError tritium::runtime::assertionError(const KernelMetadata &metadata,
                                              const AssertRecord &record) {
  static const AssertSite unknown;
  const AssertSite &site =
      record.site < metadata.asserts.size() ? metadata.asserts[record.site] : unknown;
  CompileError error = launchError(
      "DeviceAssertion", "kernel '" + metadata.name + "': assertion failed in program (" +
                             std::to_string(record.pid[0]) + ", " + std::to_string(record.pid[1]) +
                             ", " + std::to_string(record.pid[2]) + "): " + site.message);
  error.file = site.file;
  error.line = site.line;
  error.rendered = site.file + ":" + std::to_string(site.line) + ": error: " + error.message;
  return error;
}
