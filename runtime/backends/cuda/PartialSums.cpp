//===- PartialSums.cpp - memory that parts of programs share --------------===//

#include "PartialSums.h"

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

Result PartialSums::take(const DriverAPI &api, Stream stream, bool overlaps,
                         const SharedByParts &bytes, Lease &lease) {
  CaptureStatus status = CaptureStatus::None;
  unsigned long long number = 0;
  bool isKnown = !overlaps && api.cuStreamIsCapturing(stream, &status) == Success &&
                 status == CaptureStatus::None && api.cuStreamGetId(stream, &number) == Success;
  Result result = Success;
  if (isKnown) {
    lease.lock.emplace(mutex);
    if (buffers.count(number) || buffers.size() < kMostStreams) {
      OfStream &own = buffers[number];
      result = grow(api, stream, bytes.sums, /*isZero=*/false, own.sums);
      if (result == Success)
        result = grow(api, stream, bytes.arrivals, /*isZero=*/true, own.arrivals);
      lease.sums = own.sums.address;
      lease.arrivals = own.arrivals.address;
      return result;
    }
    lease.lock.reset();
  }
  uint64_t ofArrivals = (bytes.arrivals + kAlignment - 1) / kAlignment * kAlignment;
  lease.api = &api;
  lease.stream = stream;
  result = api.cuMemAllocAsync(&lease.own, ofArrivals + bytes.sums, stream);
  if (result == Success)
    result = api.cuMemsetD8Async(lease.own, 0, bytes.arrivals, stream);
  lease.arrivals = lease.own;
  lease.sums = lease.own + ofArrivals;
  return result;
}
