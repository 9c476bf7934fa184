//===- ConstantContent.h - what a constant table holds ----------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_CONSTANTCONTENT_H
#define TRITIUM_RUNTIME_CONSTANTCONTENT_H

#include "tritium/Kernel/CompileError.h"

#include <map>
#include <mutex>
#include <vector>

namespace tritium::runtime {
class DeviceMemory;

/// Bytes on the host, and copies on the devices that have asked for them.
class ConstantContent {
public:
  explicit ConstantContent(std::vector<uint8_t> bytes) : bytes(std::move(bytes)) {}
  /// Copies go when the launches that read them are over.
  ~ConstantContent();
  ConstantContent(const ConstantContent &) = delete;
  ConstantContent &operator=(const ConstantContent &) = delete;

  uint64_t address() const { return reinterpret_cast<uint64_t>(bytes.data()); }
  size_t size() const { return bytes.size(); }
  /// The address of the copy on a device. False with `error`, which names `kernel`.
  bool addressOn(DeviceMemory &device, const std::string &kernel, uint64_t &address,
                 CompileError &error);

private:
  std::vector<uint8_t> bytes;
  std::mutex mutex;
  std::map<DeviceMemory *, uint64_t> copies;
};

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_CONSTANTCONTENT_H
