//===- FakeDriver.cpp - a CUDA driver for tests ---------------------------===//

#include "FakeDriver.h"
#include "backends/cuda/DriverAPI.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace tritium::runtime::cuda;

static fake::State state;
static thread_local Context current = nullptr;
static thread_local CaptureMode captureMode = {};

extern "C" {
fake::State *fakeDriverState() { return &state; }
/// The next launch fails its device_assert of that number in program (3, 0, 0).
void fakeDriverFailAssert(int site) {
  state.run = [site](const fake::Launch &) {
    auto *record = reinterpret_cast<uint32_t *>(state.recordAddress);
    record[0] = 1;
    record[1] = static_cast<uint32_t>(site);
    record[2] = 3;
    state.run = nullptr;
  };
}
/// Of each launch from now on, that many parameters are kept, as 8-byte slots.
void fakeDriverKeep(int parameters) { state.kept = parameters; }
uint64_t fakeDriverParameter(int index) { return state.parameters[static_cast<size_t>(index)]; }
uint64_t fakeDriverStream() { return reinterpret_cast<uint64_t>(state.stream); }
int fakeDriverCalls(const char *name) { return state.calls[name]; }
void fakeDriverQuick() { state.isQuick = true; }
void fakeDriverCost(int threads, double milliseconds) { state.costs[threads] = milliseconds; }
}

/// Counts the call and gives the failure that is planned for it.
static Result enter(const char *name) {
  ++state.calls[name];
  auto planned = state.failures.find(name);
  if (planned == state.failures.end())
    return Success;
  Result result = planned->second;
  state.failures.erase(planned);
  return result;
}
#define ENTER                                                                                      \
  if (Result planned = enter(__func__))                                                            \
    return planned;

/// Works on a copy: the test may go on before the wait ends.
static Result enterWait(const char *name) {
  Result planned = enter(name);
  if (auto wait = state.wait)
    wait();
  return planned;
}

static Context contextOf(DeviceHandle device) {
  return reinterpret_cast<Context>(static_cast<uintptr_t>(0x1000 + device));
}

extern "C" {

Result cuInit(unsigned) { return enter(__func__); }
Result cuDriverGetVersion(int *version) {
  ENTER *version = state.driverVersion;
  return Success;
}
Result cuGetErrorName(Result result, const char **name) {
  *name = result == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : result == 2 ? "CUDA_ERROR_OUT_OF_MEMORY"
                        : "CUDA_ERROR_FAKE";
  return Success;
}
Result cuGetErrorString(Result result, const char **text) {
  *text = result == 700 ? "an illegal memory access was encountered" : "it did not work";
  return Success;
}
Result cuDeviceGetCount(int *count) {
  ENTER *count = state.deviceCount;
  return Success;
}
Result cuDeviceGet(DeviceHandle *device, int ordinal) {
  ENTER *device = ordinal;
  return Success;
}
Result cuDeviceGetName(char *name, int bytes, DeviceHandle device) {
  ENTER std::strncpy(name, device ? "Fake A100" : "Fake H100", static_cast<size_t>(bytes));
  return Success;
}
Result cuDeviceGetAttribute(int *value, DeviceAttribute attribute, DeviceHandle device) {
  ENTER switch (attribute) {
  case DeviceAttribute::CapabilityMajor:
    *value = device ? 8 : 9;
    break;
  case DeviceAttribute::CapabilityMinor:
    *value = 0;
    break;
  case DeviceAttribute::MaxThreadsPerBlock:
    *value = 1024;
    break;
  case DeviceAttribute::MaxRegistersPerBlock:
    *value = 65536;
    break;
  case DeviceAttribute::MaxSharedPerBlockOptin:
    *value = device ? 166912 : 232448;
    break;
  case DeviceAttribute::MaxGridX:
    *value = 2147483647;
    break;
  case DeviceAttribute::MaxGridY:
  case DeviceAttribute::MaxGridZ:
    *value = 65535;
    break;
  case DeviceAttribute::WarpSize:
    *value = 32;
    break;
  default:
    *value = 100;
  }
  return Success;
}
Result cuDevicePrimaryCtxRetain(Context *context, DeviceHandle device) {
  ENTER *context = contextOf(device);
  return Success;
}
Result cuCtxGetCurrent(Context *context) {
  *context = current;
  return Success;
}
Result cuCtxSetCurrent(Context context) {
  ENTER current = context;
  return Success;
}
Result cuCtxGetDevice(DeviceHandle *device) {
  ENTER *device = static_cast<DeviceHandle>(reinterpret_cast<uintptr_t>(current) - 0x1000);
  return Success;
}
Result cuCtxSynchronize() { return enterWait(__func__); }
Result cuStreamSynchronize(Stream) { return enterWait(__func__); }
Result cuStreamIsCapturing(Stream, CaptureStatus *status) {
  ENTER *status = static_cast<CaptureStatus>(state.isCapturing);
  return Success;
}
Result cuStreamCreate(Stream *stream, unsigned) {
  ENTER *stream = reinterpret_cast<Stream>(0x5000);
  return Success;
}
Result cuStreamDestroy_v2(Stream) { ENTER return Success; }
Result cuThreadExchangeStreamCaptureMode(CaptureMode *mode) {
  ENTER std::swap(*mode, captureMode);
  return Success;
}
Result cuStreamGetId(Stream stream, unsigned long long *number) {
  ENTER *number = reinterpret_cast<uintptr_t>(stream);
  return Success;
}
Result cuModuleLoadDataEx(ModuleHandle *module, const void *image, unsigned count,
                          JITOption *options, void **values) {
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == JITOption::ErrorLog)
      std::strcpy(static_cast<char *>(values[i]), "the log");
  ENTER state.image = static_cast<const char *>(image);
  *module = reinterpret_cast<ModuleHandle>(new std::string(state.image));
  return Success;
}
Result cuModuleUnload(ModuleHandle module) {
  ENTER delete reinterpret_cast<std::string *>(module);
  return Success;
}
Result cuModuleGetFunction(Function *function, ModuleHandle, const char *name) {
  // Functions outlive their modules here.
  static std::map<std::string, std::string *> names;
  ENTER std::string *&entry = names[name];
  if (!entry)
    entry = new std::string(name);
  *function = reinterpret_cast<Function>(entry);
  return Success;
}
Result cuModuleGetGlobal_v2(Address *address, size_t *bytes, ModuleHandle, const char *) {
  ENTER *address = reinterpret_cast<Address>(&state.recordAddress);
  *bytes = 8;
  return Success;
}
Result cuFuncGetAttribute(int *value, FunctionAttribute attribute, Function) {
  ENTER *value = attribute == FunctionAttribute::Registers     ? state.registers
                 : attribute == FunctionAttribute::LocalBytes  ? state.localBytes
                 : attribute == FunctionAttribute::SharedBytes ? state.staticShared
                                                               : 1024;
  return Success;
}
Result cuFuncSetAttribute(Function, FunctionAttribute attribute, int value) {
  ENTER state.attributes[static_cast<int>(attribute)] = value;
  return Success;
}
Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Function, int, size_t) {
  ENTER *blocks = state.blocksAtOnce;
  return Success;
}
Result cuLaunchKernelEx(const LaunchConfig *config, Function function, void **parameters, void **) {
  ENTER fake::Launch launch = {{config->gridX, config->gridY, config->gridZ},
                               {config->blockX, config->blockY, config->blockZ},
                               config->sharedBytes,
                               config->stream,
                               current,
                               *reinterpret_cast<std::string *>(function),
                               {},
                               parameters};
  for (unsigned i = 0; i < config->attributeCount; ++i)
    launch.attributes[config->attributes[i].id] = config->attributes[i].value.cluster[0];
  state.stream = config->stream;
  state.parameters.clear();
  for (int i = 0; i < state.kept; ++i)
    state.parameters.push_back(*static_cast<uint64_t *>(parameters[i]));
  if (auto cost = state.costs.find(static_cast<int>(config->blockX)); cost != state.costs.end())
    state.clock += cost->second;
  if (auto run = state.run)
    run(launch);
  if (state.launches.size() < 100)
    state.launches.push_back(std::move(launch));
  return Success;
}
Result cuLaunchKernel(Function function, unsigned gridX, unsigned gridY, unsigned gridZ,
                      unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                      Stream stream, void **parameters, void **extra) {
  if (state.isQuick)
    return Success;
  LaunchConfig config = {gridX,  gridY,       gridZ,  blockX,  blockY,
                         blockZ, sharedBytes, stream, nullptr, 0};
  return cuLaunchKernelEx(&config, function, parameters, extra);
}
/// A map is what it was made of.
Result cuTensorMapEncodeTiled(void *map, TensorMapType type, uint32_t rank, void *address,
                              const uint64_t *shape, const uint64_t *strides, const uint32_t *box,
                              const uint32_t *elementStrides, TensorMapInterleave,
                              TensorMapSwizzle swizzle, TensorMapPromotion, TensorMapFill) {
  ENTER auto *words = static_cast<uint64_t *>(map);
  *words++ = static_cast<uint64_t>(type);
  *words++ = static_cast<uint64_t>(swizzle);
  *words++ = reinterpret_cast<uint64_t>(address);
  for (uint32_t d = 0; d < rank; ++d) {
    *words++ = shape[d];
    *words++ = box[d] * elementStrides[d];
  }
  for (uint32_t d = 0; d + 1 < rank; ++d)
    *words++ = strides[d];
  return Success;
}
Result cuPointerGetAttribute(void *value, PointerAttribute, Address address) {
  ENTER *static_cast<Address *>(value) = address;
  bool isPinned = std::count(state.pinned.begin(), state.pinned.end(), address) != 0;
  return isPinned ? Success : 1;
}
Result cuMemAlloc_v2(Address *address, size_t bytes) {
  ENTER *address = reinterpret_cast<Address>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  ++state.allocated;
  return Success;
}
Result cuMemFree_v2(Address address) {
  ENTER std::free(reinterpret_cast<void *>(address));
  --state.allocated;
  return Success;
}
Result cuMemAllocAsync(Address *address, size_t bytes, Stream) {
  ENTER return cuMemAlloc_v2(address, bytes);
}
Result cuMemFreeAsync(Address address, Stream) { ENTER return cuMemFree_v2(address); }
Result cuMemHostAlloc(void **memory, size_t bytes, unsigned) {
  ENTER *memory = std::calloc(1, bytes);
  return Success;
}
Result cuMemHostGetDevicePointer_v2(Address *address, void *memory, unsigned) {
  ENTER *address = reinterpret_cast<Address>(memory);
  return Success;
}
Result cuMemsetD8Async(Address address, unsigned char value, size_t bytes, Stream) {
  ENTER std::memset(reinterpret_cast<void *>(address), value, bytes);
  return Success;
}
Result cuEventCreate(Event *event, unsigned) {
  ENTER *event = reinterpret_cast<Event>(new double);
  return Success;
}
Result cuEventDestroy_v2(Event event) {
  ENTER delete reinterpret_cast<double *>(event);
  return Success;
}
Result cuEventRecord(Event event, Stream) {
  ENTER *reinterpret_cast<double *>(event) = state.clock;
  return Success;
}
Result cuEventSynchronize(Event) { return enter(__func__); }
Result cuEventElapsedTime(float *milliseconds, Event begin, Event end) {
  ENTER *milliseconds =
      static_cast<float>(*reinterpret_cast<double *>(end) - *reinterpret_cast<double *>(begin));
  return Success;
}
Result cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t bytes, Stream) {
  ENTER std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return Success;
}
Result cuMemcpyDtoHAsync_v2(void *to, Address from, size_t bytes, Stream) {
  ENTER std::memcpy(to, reinterpret_cast<void *>(from), bytes);
  return Success;
}
}
