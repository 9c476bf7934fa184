//===- PartialSums.h - memory that parts of programs share ------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_BACKENDS_CUDA_PARTIALSUMS_H
#define TRITIUM_RUNTIME_BACKENDS_CUDA_PARTIALSUMS_H

#include "DriverAPI.h"
#include "GPUSlots.h"

#include "tritium/Support/ForkGate.h"

#include <mutex>
#include <optional>
#include <unordered_map>

namespace tritium::runtime::cuda {

/// Memory of one GPU for launches whose programs have parts (KernelMetadata::splitK). Launches on a
/// stream come one after the other, and take the stream's, which grows and is kept. A launch that
/// is captured into a graph, or may begin before the one in front of it has ended, has some of its
/// own, as have those on more streams than kMostStreams. What is allocated in a graph lets one
/// instance of it be at a time, so that numbers of such a launch can be those of a pool, and no run
/// of it has to set them to 0. Called with the GPU's context being current.
class PartialSums {
public:
  static constexpr size_t kMostStreams = 256;
  static constexpr uint64_t kPoolBytes = 4 << 20;

  /// What a launch has that is queued while this lives.
  class Lease {
  public:
    Lease() = default;
    Lease(const Lease &) = delete;
    Lease &operator=(const Lease &) = delete;
    /// Memory of its own is freed behind the launch on the stream.
    ~Lease();
    Address sums = 0, arrivals = 0;

  private:
    friend class PartialSums;
    const DriverAPI *api = nullptr;
    Stream stream = nullptr;
    Address own = 0;
    std::optional<ForkSafeLock<std::mutex>> lock; ///< nobody else grows the stream's meanwhile
  };

  /// `overlaps`: the launch may begin before the one in front of it has ended.
  Result take(const DriverAPI &api, Stream stream, bool overlaps, const SharedByParts &bytes,
              Lease &lease);

private:
  struct Buffer {
    Address address = 0;
    uint64_t bytes = 0;
  };
  struct OfStream {
    Buffer sums, arrivals;
  };
  void makePool(const DriverAPI &api);
  /// Zeros, for as long as the process lives; 0 if there are no more.
  Address fromPool(uint64_t bytes);
  Result takeOfStream(const DriverAPI &api, Stream stream, const SharedByParts &bytes,
                      OfStream &own, Lease &lease);
  Result takeOwn(const DriverAPI &api, Stream stream, bool isCaptured, const SharedByParts &bytes,
                 Lease &lease);

  std::mutex mutex;
  /// By the stream's number, which no other stream of the process gets later. Guarded by `mutex`.
  std::unordered_map<unsigned long long, OfStream> buffers;
  Buffer pool; ///< of zeros; guarded by `mutex`
  uint64_t taken = 0;
  bool hasPool = false; ///< or it could not be made
};

} // namespace tritium::runtime::cuda

#endif // TRITIUM_RUNTIME_BACKENDS_CUDA_PARTIALSUMS_H
