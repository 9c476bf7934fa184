//===- AssertRecord.cpp - failed assertions -------------------------------===//

#include "AssertRecord.h"
#include "Signature.h"

using namespace tritium;

CompileError tritium::runtime::assertionError(const std::string &kernel, const AssertSite &site,
                                              const FailedAssertion &failure) {
  CompileError error =
      launchError("DeviceAssertion", "kernel '" + kernel + "': " + failureText(site, failure));
  error.file = site.file;
  error.line = site.line;
  error.rendered = site.file + ":" + std::to_string(site.line) + ": error: " + error.message;
  return error;
}

CompileError tritium::runtime::assertionError(const KernelMetadata &metadata,
                                              const AssertRecord &record) {
  static const AssertSite unknown;
  const AssertSite &site =
      record.site < metadata.asserts.size() ? metadata.asserts[record.site] : unknown;
  return assertionError(metadata.name, site, record.failure);
}
