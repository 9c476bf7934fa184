//===- DriverAPI.cpp - opening CUDA's driver ------------------------------===//

#include "DriverAPI.h"

#include "tritium/Support/Settings.h"

#include <dlfcn.h>
#include <sys/stat.h>

using namespace tritium::runtime;
using namespace tritium::runtime::cuda;

namespace {

struct Entry {
  const char *name;
  void **slot;
};

bool load(DriverAPI &api, std::string &reason) {
  std::string path = tritium::settings::LibcudaPath.text();
  struct stat status;
  if (path.empty())
    path = tritium::settings::LibcudaPath.usual;
  else if (stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
    path += "/libcuda.so.1";
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    reason = std::string("the CUDA driver cannot be opened: ") + dlerror();
    return false;
  }
#define SLOT(field) reinterpret_cast<void **>(&api.field)
  const Entry entries[] = {
      {"cuInit", SLOT(cuInit)},
      {"cuDriverGetVersion", SLOT(cuDriverGetVersion)},
      {"cuGetErrorName", SLOT(cuGetErrorName)},
      {"cuGetErrorString", SLOT(cuGetErrorString)},
      {"cuDeviceGetCount", SLOT(cuDeviceGetCount)},
      {"cuDeviceGet", SLOT(cuDeviceGet)},
      {"cuDeviceGetName", SLOT(cuDeviceGetName)},
      {"cuDeviceGetAttribute", SLOT(cuDeviceGetAttribute)},
      {"cuDevicePrimaryCtxRetain", SLOT(cuDevicePrimaryCtxRetain)},
      {"cuCtxGetCurrent", SLOT(cuCtxGetCurrent)},
      {"cuCtxSetCurrent", SLOT(cuCtxSetCurrent)},
      {"cuCtxGetDevice", SLOT(cuCtxGetDevice)},
      {"cuCtxSynchronize", SLOT(cuCtxSynchronize)},
      {"cuStreamSynchronize", SLOT(cuStreamSynchronize)},
      {"cuStreamIsCapturing", SLOT(cuStreamIsCapturing)},
      {"cuStreamCreate", SLOT(cuStreamCreate)},
      {"cuStreamDestroy_v2", SLOT(cuStreamDestroy)},
      {"cuThreadExchangeStreamCaptureMode", SLOT(cuThreadExchangeStreamCaptureMode)},
      {"cuStreamGetId", SLOT(cuStreamGetId)},
      {"cuModuleLoadDataEx", SLOT(cuModuleLoadDataEx)},
      {"cuModuleUnload", SLOT(cuModuleUnload)},
      {"cuModuleGetFunction", SLOT(cuModuleGetFunction)},
      {"cuModuleGetGlobal_v2", SLOT(cuModuleGetGlobal)},
      {"cuFuncGetAttribute", SLOT(cuFuncGetAttribute)},
      {"cuFuncSetAttribute", SLOT(cuFuncSetAttribute)},
      {"cuOccupancyMaxActiveBlocksPerMultiprocessor",
       SLOT(cuOccupancyMaxActiveBlocksPerMultiprocessor)},
      {"cuLaunchKernel", SLOT(cuLaunchKernel)},
      {"cuLaunchKernelEx", SLOT(cuLaunchKernelEx)},
      {"cuTensorMapEncodeTiled", SLOT(cuTensorMapEncodeTiled)},
      {"cuPointerGetAttribute", SLOT(cuPointerGetAttribute)},
      {"cuMemAlloc_v2", SLOT(cuMemAlloc)},
      {"cuMemFree_v2", SLOT(cuMemFree)},
      {"cuMemAllocAsync", SLOT(cuMemAllocAsync)},
      {"cuMemFreeAsync", SLOT(cuMemFreeAsync)},
      {"cuMemHostAlloc", SLOT(cuMemHostAlloc)},
      {"cuMemHostGetDevicePointer_v2", SLOT(cuMemHostGetDevicePointer)},
      {"cuMemsetD8Async", SLOT(cuMemsetD8Async)},
      {"cuEventCreate", SLOT(cuEventCreate)},
      {"cuEventDestroy_v2", SLOT(cuEventDestroy)},
      {"cuEventRecord", SLOT(cuEventRecord)},
      {"cuEventSynchronize", SLOT(cuEventSynchronize)},
      {"cuEventElapsedTime", SLOT(cuEventElapsedTime)},
      {"cuMemcpyHtoDAsync_v2", SLOT(cuMemcpyHtoDAsync)},
      {"cuMemcpyDtoHAsync_v2", SLOT(cuMemcpyDtoHAsync)},
  };
#undef SLOT
  for (const Entry &entry : entries)
    if (!(*entry.slot = dlsym(library, entry.name))) {
      reason = "the CUDA driver " + path + " is too old: it has no " + entry.name +
               "; CUDA 12.0 or newer is needed";
      return false;
    }
  if (Result result = api.cuInit(0); result != Success) {
    reason = "the CUDA driver does not start: " + describe(api, result);
    return false;
  }
  return true;
}

} // namespace

const DriverAPI *cuda::driver(std::string &reason) {
  struct Opened {
    DriverAPI api = {};
    std::string reason;
    bool usable;
    Opened() : usable(load(api, reason)) {}
  };
  static const Opened opened;
  if (opened.usable)
    return &opened.api;
  reason = opened.reason;
  return nullptr;
}

std::string cuda::describe(const DriverAPI &api, Result result) {
  const char *text = nullptr, *name = nullptr;
  api.cuGetErrorString(result, &text);
  api.cuGetErrorName(result, &name);
  return std::string(text ? text : "unknown error") + " (" +
         (name ? name : std::to_string(result).c_str()) + ")";
}

unsigned cuda::newestPTX(int cudaVersion) {
  // CUDA 11.x reads PTX 7.x and CUDA 12.x reads 8.x; of CUDA 11, 11.0 was PTX 7.0.
  int major = cudaVersion / 1000, minor = cudaVersion % 1000 / 10;
  return static_cast<unsigned>(10 * (major - 4) + minor);
}
