//===- CAPI.cpp - GPUs of the C interface ---------------------------------===//

#include "Device.h"
#include "capi/Internal.h"

#include <algorithm>
#include <cstring>

using namespace tritium;
using namespace tritium::capi;
namespace cuda = tritium::runtime::cuda;

int tritium_cuda_device_count(void) {
  return guarded(nullptr, 0, [] { return cuda::deviceCount(); });
}

int tritium_cuda_current_device(void) {
  return guarded(nullptr, 0, [] { return cuda::currentDevice(); });
}

int tritium_cuda_device_properties(int device, tritium_cuda_properties *properties,
                                   tritium_error *error) {
  return guarded(error, 1, [&] {
    CompileError failure;
    const cuda::Device *found = cuda::device(device, "", failure);
    if (!found) {
      report(failure, error);
      return 1;
    }
    *properties = {};
    size_t size = std::min(found->name.size(), sizeof properties->name - 1);
    std::memcpy(properties->name, found->name.data(), size);
    properties->driver_version = found->driverVersion;
    properties->capability = static_cast<int>(found->target().architecture());
    properties->multiprocessors = static_cast<int>(found->multiprocessors);
    properties->warp_size = static_cast<int>(found->warpSize);
    properties->max_threads = static_cast<int>(found->maxThreads);
    properties->max_registers = static_cast<int>(found->maxRegisters);
    properties->max_shared_bytes = static_cast<int>(found->maxSharedBytes);
    std::copy(found->maxGrid.begin(), found->maxGrid.end(), properties->max_grid);
    return 0;
  });
}

int tritium_cuda_synchronize(int device, tritium_error *error) {
  return guarded(error, 1, [&] {
    CompileError failure;
    const cuda::Device *found = cuda::device(device, "", failure);
    if (found && found->finish("", failure))
      return 0;
    report(failure, error);
    return 1;
  });
}
