//===- DriverAPI.h - the part of CUDA's driver that is used -----*- C++ -*-===//
//
// The driver is opened when the first CUDA array is seen: the same binary runs on a
// machine without one. Types and values are those of the driver's binary interface,
// which keeps its versions: the `_v2` names are fixed forever.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_RUNTIME_BACKENDS_CUDA_DRIVERAPI_H
#define TRITIUM_RUNTIME_BACKENDS_CUDA_DRIVERAPI_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace tritium::runtime::cuda {

using Result = int;
using DeviceHandle = int;
using Context = struct ContextHandle *;
using ModuleHandle = struct ModuleObject *;
using Function = struct FunctionObject *;
using Stream = struct StreamObject *;
using Event = struct EventObject *;
using Address = unsigned long long;

enum : Result {
  Success = 0,
  OutOfMemory = 2,
  NoBinaryForGPU = 209,
  InvalidPTX = 218,
  UnsupportedPTXVersion = 222,
  LaunchOutOfResources = 701,
};

/// Attributes of devices and functions, and options of the JIT, by the driver's numbers.
enum class DeviceAttribute : int {
  MaxThreadsPerBlock = 1,
  MaxGridX = 5,
  MaxGridY = 6,
  MaxGridZ = 7,
  WarpSize = 10,
  MaxRegistersPerBlock = 12,
  ClockRate = 13,
  MultiprocessorCount = 16,
  MemoryClockRate = 36,
  MemoryBusWidth = 37,
  CapabilityMajor = 75,
  CapabilityMinor = 76,
  MaxSharedPerBlockOptin = 97,
};
enum class FunctionAttribute : int {
  MaxThreadsPerBlock = 0,
  SharedBytes = 1,
  LocalBytes = 3,
  Registers = 4,
  MaxDynamicSharedBytes = 8,
};
enum class CaptureStatus : int { None = 0 };
enum class CaptureMode : int { Relaxed = 2 };
inline constexpr unsigned kNonBlockingStream = 1;
enum class PointerAttribute : int { DevicePointer = 3 };
enum class JITOption : int { ErrorLog = 5, ErrorLogBytes = 6 };

struct LaunchAttribute {
  enum Id : int { Cooperative = 2, ClusterDimension = 4, ProgrammaticSerialization = 6 };
  Id id;
  alignas(8) union {
    int flag;
    uint32_t cluster[3];
    char bytes[64];
  } value;
};

struct LaunchConfig {
  unsigned gridX, gridY, gridZ;
  unsigned blockX, blockY, blockZ;
  unsigned sharedBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};
static_assert(sizeof(LaunchAttribute) == 72 && sizeof(LaunchConfig) == 56);

/// Arguments of cuTensorMapEncodeTiled, by the driver's numbers.
enum class TensorMapType : int { UInt8 = 0, UInt16 = 1, UInt32 = 2, UInt64 = 4, TFloat32 = 11 };
enum class TensorMapInterleave : int { None = 0 };
enum class TensorMapSwizzle : int { None = 0, Bytes32 = 1, Bytes64 = 2, Bytes128 = 3 };
enum class TensorMapPromotion : int { Bytes256 = 3 };
enum class TensorMapFill : int { Zeros = 0 };

/// The functions. Three of them came with CUDA 11.8 and 12.0; all drivers that know the
/// PTX that is emitted have them.
struct DriverAPI {
  Result (*cuInit)(unsigned flags);
  Result (*cuDriverGetVersion)(int *version);
  Result (*cuGetErrorName)(Result, const char **);
  Result (*cuGetErrorString)(Result, const char **);
  Result (*cuDeviceGetCount)(int *);
  Result (*cuDeviceGet)(DeviceHandle *, int ordinal);
  Result (*cuDeviceGetName)(char *, int bytes, DeviceHandle);
  Result (*cuDeviceGetAttribute)(int *, DeviceAttribute, DeviceHandle);
  Result (*cuDevicePrimaryCtxRetain)(Context *, DeviceHandle);
  Result (*cuCtxGetCurrent)(Context *);
  Result (*cuCtxSetCurrent)(Context);
  Result (*cuCtxGetDevice)(DeviceHandle *);
  Result (*cuCtxSynchronize)();
  Result (*cuStreamSynchronize)(Stream);
  Result (*cuStreamIsCapturing)(Stream, CaptureStatus *);
  Result (*cuStreamCreate)(Stream *, unsigned flags);
  Result (*cuStreamDestroy)(Stream);
  Result (*cuThreadExchangeStreamCaptureMode)(CaptureMode *);
  Result (*cuStreamGetId)(Stream, unsigned long long *);
  Result (*cuModuleLoadDataEx)(ModuleHandle *, const void *image, unsigned count, JITOption *,
                               void **values);
  Result (*cuModuleUnload)(ModuleHandle);
  Result (*cuModuleGetFunction)(Function *, ModuleHandle, const char *name);
  Result (*cuModuleGetGlobal)(Address *, size_t *bytes, ModuleHandle, const char *name);
  Result (*cuFuncGetAttribute)(int *, FunctionAttribute, Function);
  Result (*cuFuncSetAttribute)(Function, FunctionAttribute, int);
  Result (*cuOccupancyMaxActiveBlocksPerMultiprocessor)(int *blocks, Function, int threads,
                                                        size_t dynamicSharedBytes);
  Result (*cuLaunchKernel)(Function, unsigned gridX, unsigned gridY, unsigned gridZ,
                           unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                           Stream, void **parameters, void **extra);
  Result (*cuLaunchKernelEx)(const LaunchConfig *, Function, void **parameters, void **extra);
  Result (*cuTensorMapEncodeTiled)(void *map, TensorMapType, uint32_t rank, void *address,
                                   const uint64_t *shape, const uint64_t *strides,
                                   const uint32_t *box, const uint32_t *elementStrides,
                                   TensorMapInterleave, TensorMapSwizzle, TensorMapPromotion,
                                   TensorMapFill);
  Result (*cuPointerGetAttribute)(void *value, PointerAttribute, Address);
  Result (*cuMemAlloc)(Address *, size_t);
  Result (*cuMemFree)(Address);
  Result (*cuMemAllocAsync)(Address *, size_t, Stream);
  Result (*cuMemFreeAsync)(Address, Stream);
  Result (*cuMemHostAlloc)(void **, size_t, unsigned flags);
  Result (*cuMemHostGetDevicePointer)(Address *, void *, unsigned flags);
  Result (*cuMemsetD8Async)(Address, unsigned char, size_t, Stream);
  Result (*cuEventCreate)(Event *, unsigned flags);
  Result (*cuEventDestroy)(Event);
  Result (*cuEventRecord)(Event, Stream);
  Result (*cuEventSynchronize)(Event);
  Result (*cuEventElapsedTime)(float *milliseconds, Event, Event);
  Result (*cuMemcpyHtoDAsync)(Address, const void *, size_t, Stream);
  Result (*cuMemcpyDtoHAsync)(void *, Address, size_t, Stream);
};

/// The driver, opened and initialised once. Null, with the reason, if there is none.
/// TRITON_LIBCUDA_PATH: the library, or its folder; default: libcuda.so.1, as the loader
/// finds it.
const DriverAPI *driver(std::string &reason);

/// "an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)".
std::string describe(const DriverAPI &api, Result result);

/// The newest PTX version that a driver of this CUDA version (12040 for 12.4) takes, as
/// 84 for 8.4.
unsigned newestPTX(int cudaVersion);

} // namespace tritium::runtime::cuda

#endif // TRITIUM_RUNTIME_BACKENDS_CUDA_DRIVERAPI_H
