//===- NoMemory.h - a device that gives no memory --------------*- C++ -*-===//

#ifndef TRITIUM_UNITTESTS_RUNTIME_NOMEMORY_H
#define TRITIUM_UNITTESTS_RUNTIME_NOMEMORY_H

#include "Backend.h"

namespace tritium::runtime {

/// What back ends of tests have in common: nothing of theirs is on the device.
class NoMemory : public DeviceMemory {
public:
  bool reaches(uint64_t) const override { return false; }
  uint64_t allocate(llvm::ArrayRef<uint8_t>, const std::string &, CompileError &) override {
    return 0;
  }
  void free(uint64_t) override {}
  bool copyToHost(void *, uint64_t, size_t) const override { return false; }
  bool copyToDevice(uint64_t, const void *, size_t) const override { return false; }
  bool finish(const std::string &, CompileError &) const override { return true; }
  std::unique_ptr<DeviceClock> clock() const override { return nullptr; }
};

} // namespace tritium::runtime

#endif // TRITIUM_UNITTESTS_RUNTIME_NOMEMORY_H
