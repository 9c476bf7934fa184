//===- SavedBuffers.h - memory that trial runs may change -------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_SAVEDBUFFERS_H
#define TRITIUM_RUNTIME_SAVEDBUFFERS_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tritium::runtime {
class DeviceMemory;

/// Copies of memory ranges, to be put back before and after trial runs.
class SavedBuffers {
public:
  /// What happens to a range before each run; restore() puts it back in any case.
  enum class BeforeRun {
    Nothing, ///< a run does not read it
    Restore,
    Zero
  };
  /// Adds [begin, end), of the host or of a device. Of ranges that overlap the strictest
  /// counts for all of them.
  void add(uint64_t begin, uint64_t end, BeforeRun action, const DeviceMemory *device = nullptr);
  /// Takes the copies. False if there is no memory for them.
  bool save();
  /// False if its driver refuses.
  bool beforeRun() const;
  /// Everything is as when it was saved. False if its driver refuses.
  bool restore() const;

private:
  struct Range {
    uint64_t begin, end;
    BeforeRun action;
    const DeviceMemory *device;
    std::unique_ptr<std::byte[]> copy;

    bool write(const std::byte *from) const;
  };
  std::vector<Range> ranges;
};

/// Zeros in [begin, end) of the host or of a device. False if its driver refuses.
bool zeroMemory(uint64_t begin, uint64_t end, const DeviceMemory *device);

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_SAVEDBUFFERS_H
