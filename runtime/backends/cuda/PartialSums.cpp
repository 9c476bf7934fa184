//===- PartialSums.cpp - memory that parts of programs share --------------===//

#include "PartialSums.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace tritium;
using namespace tritium::runtime;
using namespace tritium::runtime::cuda;

namespace {
constexpr uint64_t kAlignment = 256; // of what the driver allocates, and of sums

/// At least so many bytes for what comes next on the stream.
template <typename Buffer>
Result grow(const DriverAPI &api, Stream stream, uint64_t bytes, bool isZero, Buffer &buffer) {
  if (bytes <= buffer.bytes)
    return Success;
  // Half as much again: launches whose grids grow need not grow it each.
  bytes = std::max(bytes, buffer.bytes + buffer.bytes / 2);
  if (buffer.address)
    api.cuMemFreeAsync(buffer.address, stream);
  buffer = {};
  Address address = 0;
  Result result = api.cuMemAllocAsync(&address, bytes, stream);
  if (result == Success && isZero)
    result = api.cuMemsetD8Async(address, 0, bytes, stream);
  if (result == Success)
    buffer = {address, bytes};
  return result;
}
} // namespace

PartialSums::Lease::~Lease() {
  if (own)
    api->cuMemFreeAsync(own, stream);
}

/// On a stream of its own, which waits for nobody's work, and beside captures of other threads.
void PartialSums::makePool(const DriverAPI &api) {
  hasPool = true;
  CaptureMode mode = CaptureMode::Relaxed;
  api.cuThreadExchangeStreamCaptureMode(&mode);
  Stream own = nullptr;
  if (api.cuMemAlloc(&pool.address, kPoolBytes) == Success &&
      api.cuStreamCreate(&own, kNonBlockingStream) == Success) {
    if (api.cuMemsetD8Async(pool.address, 0, kPoolBytes, own) == Success &&
        api.cuStreamSynchronize(own) == Success)
      pool.bytes = kPoolBytes;
    api.cuStreamDestroy(own);
  }
  api.cuThreadExchangeStreamCaptureMode(&mode);
}

Address PartialSums::fromPool(uint64_t bytes) {
  bytes = llvm::alignTo(bytes, kAlignment);
  if (bytes > pool.bytes - taken)
    return 0;
  taken += bytes;
  return pool.address + taken - bytes;
}

Result PartialSums::takeOfStream(const DriverAPI &api, Stream stream, const SharedByParts &bytes,
                                 OfStream &own, Lease &lease) {
  // While it can be made: nothing is allocated for good in a capture.
  if (!hasPool)
    makePool(api);
  Result result = grow(api, stream, bytes.sums, /*isZero=*/false, own.sums);
  if (result == Success)
    result = grow(api, stream, bytes.arrivals, /*isZero=*/true, own.arrivals);
  lease.sums = own.sums.address;
  lease.arrivals = own.arrivals.address;
  return result;
}

Result PartialSums::takeOwn(const DriverAPI &api, Stream stream, bool isCaptured,
                            const SharedByParts &bytes, Lease &lease) {
  lease.api = &api;
  lease.stream = stream;
  if (isCaptured)
    lease.arrivals = fromPool(bytes.arrivals);
  uint64_t ofArrivals = lease.arrivals ? 0 : llvm::alignTo(bytes.arrivals, kAlignment);
  Result result = api.cuMemAllocAsync(&lease.own, ofArrivals + bytes.sums, stream);
  if (result != Success)
    return result;
  lease.sums = lease.own + ofArrivals;
  if (lease.arrivals)
    return Success;
  lease.arrivals = lease.own;
  return api.cuMemsetD8Async(lease.arrivals, 0, bytes.arrivals, stream);
}

Result PartialSums::take(const DriverAPI &api, Stream stream, bool overlaps,
                         const SharedByParts &bytes, Lease &lease) {
  CaptureStatus status = CaptureStatus::None;
  unsigned long long number = 0;
  bool isCaptured =
      api.cuStreamIsCapturing(stream, &status) == Success && status != CaptureStatus::None;
  lease.lock.emplace(mutex);
  if (!overlaps && !isCaptured && api.cuStreamGetId(stream, &number) == Success &&
      (buffers.count(number) || buffers.size() < kMostStreams))
    return takeOfStream(api, stream, bytes, buffers[number], lease);
  return takeOwn(api, stream, isCaptured, bytes, lease);
}
