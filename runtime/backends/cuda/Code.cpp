//===- Code.cpp - a compiled kernel on GPUs -------------------------------===//

#include "Code.h"
#include "GPUSlots.h"
#include "Interrupt.h"
#include "Signature.h"
#include "Wait.h"
#include "WorkClaim.h"
#include "tritium/Kernel/AssemblyLines.h"
#include "tritium/Kernel/LaunchABI.h"
#include "tritium/Support/ForkGate.h"

#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <set>
#include <span>

using namespace tritium;
using namespace tritium::runtime;
using namespace tritium::runtime::cuda;

/// A copy of `name` that lives as long as the process.
static const char *intern(const std::string &name) {
  static std::mutex mutex;
  static std::set<std::string> &names = *new std::set<std::string>;
  ForkSafeLock lock(mutex);
  return names.insert(name).first->c_str();
}

Code::~Code() {
  for (auto &slot : perDevice)
    if (Loaded *loaded = slot.load()) {
      CurrentContext current(*loaded->device);
      if (loaded->clocks)
        loaded->device->free(loaded->clocks);
      loaded->device->api->cuModuleUnload(loaded->module);
      delete loaded;
    }
}

//===-- Limits ------------------------------------------------------------===//

CompileError Code::atKernel(CompileError error) const {
  if (file.empty())
    return error;
  error.file = file;
  error.line = line;
  error.rendered = file + ":" + std::to_string(line) + ": error: " + error.message;
  return error;
}

CompileError Code::outOfResources(const char *what, uint64_t required, uint64_t limit) const {
  return atKernel(
      launchError("OutOfResources", "kernel '" + metadata().name + "': out of resource: " + what +
                                        ", required: " + std::to_string(required) +
                                        ", limit: " + std::to_string(limit) +
                                        "; use smaller tiles, fewer warps or fewer stages"));
}

bool Code::checkLimits(const Device &device, CompileError &error) const {
  unsigned threads = metadata().numWarps * device.warpSize;
  if (threads > device.maxThreads)
    error = outOfResources("threads", threads, device.maxThreads);
  else if (metadata().sharedBytes > device.maxSharedBytes)
    error = outOfResources("shared memory", metadata().sharedBytes, device.maxSharedBytes);
  else
    return true;
  return false;
}

//===-- Loading -----------------------------------------------------------===//

bool Code::loadModule(Loaded &loaded, CompileError &error) const {
  const DriverAPI &api = *loaded.device->api;
  auto cubin = compiled.stages.find("cubin"), ptx = compiled.stages.find("ptx");
  bool isBinary = cubin != compiled.stages.end();
  if (!isBinary && ptx == compiled.stages.end()) {
    error = launchError("InternalError",
                        "kernel '" + metadata().name + "': the compiler made no code for a GPU");
    return false;
  }
  char log[4096] = "";
  JITOption options[] = {JITOption::ErrorLog, JITOption::ErrorLogBytes};
  void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
  const std::string &image = isBinary ? cubin->second : ptx->second;
  Result result = api.cuModuleLoadDataEx(&loaded.module, image.c_str(), 2, options, values);
  if (result == Success)
    return true;
  std::string what = "kernel '" + metadata().name + "' cannot be loaded into " +
                     loaded.device->name + " (device " + std::to_string(loaded.device->ordinal) +
                     ")";
  error = driverError(*loaded.device, result, what);
  std::string cuda = std::to_string(loaded.device->driverVersion / 1000) + "." +
                     std::to_string(loaded.device->driverVersion % 1000 / 10);
  if (result == UnsupportedPTXVersion)
    error.message += "; the driver (CUDA " + cuda +
                     ") is too old for this PTX: update it, pass ptx_version=" +
                     std::to_string(newestPTX(loaded.device->driverVersion)) + ", or install ptxas";
  else if (std::string at = isBinary ? "" : assemblyError(log, image); !at.empty())
    error.message = at;
  else if (log[0])
    error.message += "; the driver says: " + std::string(log);
  error = atKernel(launchError("CUDAError", error.message));
  return false;
}

/// Gives the module's variable `name` an address.
static Result setVariable(const DriverAPI &api, ModuleHandle module, const char *name,
                          Address value) {
  Address symbol = 0;
  size_t bytes = 0;
  Result result = api.cuModuleGetGlobal(&symbol, &bytes, module, name);
  if (result == Success)
    result = api.cuMemcpyHtoDAsync(symbol, &value, sizeof value, nullptr);
  return result == Success ? api.cuStreamSynchronize(nullptr) : result;
}

bool Code::prepareClocks(Loaded &loaded, CompileError &error) const {
  if (compiled.clocks.parts.empty())
    return true;
  std::vector<uint8_t> zeros(kClockCopies * compiled.clocks.wordsOfCopy(metadata().numWarps) *
                             sizeof(uint64_t));
  std::string what = "the clocks of kernel '" + metadata().name + "'";
  loaded.clocks = loaded.device->allocate(zeros, what, error);
  if (!loaded.clocks)
    return false;
  Result result = setVariable(*loaded.device->api, loaded.module, kClocksSymbol, loaded.clocks);
  if (result == Success)
    return true;
  loaded.device->free(loaded.clocks);
  error = driverError(*loaded.device, result, what + " cannot be prepared");
  return false;
}

bool Code::takeClocks(std::vector<uint64_t> &sums, CompileError &error) {
  size_t words = compiled.clocks.wordsOfCopy(metadata().numWarps);
  sums.resize(words);
  std::vector<uint64_t> table(kClockCopies * words), zeros(table.size());
  for (auto &slot : perDevice) {
    Loaded *loaded = slot.load(std::memory_order_acquire);
    if (!loaded || !loaded->clocks)
      continue;
    Device &device = *loaded->device;
    CurrentContext current(device);
    size_t bytes = table.size() * sizeof(uint64_t);
    if (!device.finish(metadata().name, error))
      return false;
    if (!device.copyToHost(table.data(), loaded->clocks, bytes) ||
        !device.copyToDevice(loaded->clocks, zeros.data(), bytes)) {
      error =
          launchError("CUDAError", "the clocks of kernel '" + metadata().name + "' cannot be read");
      return false;
    }
    for (size_t i = 0; i < table.size(); ++i)
      sums[i % words] += table[i];
  }
  return true;
}

Code::Loaded *Code::find(Device &device, CompileError &error) {
  auto &slot = perDevice[static_cast<size_t>(device.ordinal)];
  if (Loaded *loaded = slot.load(std::memory_order_acquire)) [[likely]]
    return loaded;
  // The driver may compile.
  WorkClaim claim(this, std::to_string(device.ordinal));
  if (Loaded *loaded = slot.load(std::memory_order_acquire))
    return loaded;
  if (!checkLimits(device, error))
    return nullptr;
  auto loaded = std::make_unique<Loaded>();
  loaded->device = &device;
  loaded->name = intern(metadata().name);
  loaded->overlaps = settings.serialization ||
                     (settings.overlap && device.driverVersion >= kFirstDriverThatOverlaps);
  if (!loadModule(*loaded, error))
    return nullptr;
  const DriverAPI &api = *device.api;
  Result result =
      api.cuModuleGetFunction(&loaded->function, loaded->module, metadata().entry.c_str());
  auto attribute = [&](FunctionAttribute which) {
    int value = 0;
    if (result == Success)
      result = api.cuFuncGetAttribute(&value, which, loaded->function);
    return static_cast<unsigned>(value);
  };
  unsigned staticBytes = attribute(FunctionAttribute::SharedBytes);
  loaded->usage = {attribute(FunctionAttribute::Registers),
                   attribute(FunctionAttribute::LocalBytes),
                   attribute(FunctionAttribute::MaxThreadsPerBlock)};
  uint64_t sharedBytes = metadata().sharedBytes + staticBytes;
  unsigned threads = metadata().numWarps * device.warpSize;
  bool fits = true;
  auto refuse = [&](const char *what, uint64_t required, uint64_t limit) {
    fits = false;
    error = outOfResources(what, required, limit);
  };
  constexpr uint64_t always = 48 << 10; // what needs no opting in
  if (result == Success && sharedBytes > device.maxSharedBytes)
    refuse("shared memory", sharedBytes, device.maxSharedBytes);
  else if (result == Success && threads * loaded->usage.registers > device.maxRegisters)
    refuse("registers", threads * loaded->usage.registers, device.maxRegisters);
  else if (result == Success && sharedBytes > always)
    result = api.cuFuncSetAttribute(loaded->function, FunctionAttribute::MaxDynamicSharedBytes,
                                    static_cast<int>(metadata().sharedBytes));
  if (result == Success && fits && metadata().isPersistent) {
    int blocks = 0;
    result = api.cuOccupancyMaxActiveBlocksPerMultiprocessor(
        &blocks, loaded->function, static_cast<int>(threads), metadata().sharedBytes);
    loaded->ctasAtOnce = static_cast<unsigned>(std::max(blocks, 1)) * device.multiprocessors;
  }
  if (result == Success && fits && !metadata().asserts.empty()) {
    Address record = 0;
    loaded->record = device.assertRecord(record);
    result = setVariable(api, loaded->module, kAssertRecordSymbol, loaded->record ? record : 0);
  }
  if (result == Success && fits && !prepareClocks(*loaded, error)) {
    api.cuModuleUnload(loaded->module);
    return nullptr;
  }
  if (result == Success && fits) {
    slot.store(loaded.get(), std::memory_order_release);
    return loaded.release();
  }
  if (fits)
    error = driverError(device, result, "kernel '" + metadata().name + "' cannot be prepared");
  api.cuModuleUnload(loaded->module);
  return nullptr;
}

Usage Code::usage() const {
  for (auto &slot : perDevice)
    if (Loaded *loaded = slot.load(std::memory_order_acquire))
      return loaded->usage;
  return {};
}

//===-- Launching ---------------------------------------------------------===//

static CompileError gridError(const Device &device, const KernelMetadata &metadata,
                              const uint32_t asked[3]) {
  auto text = [](const auto &sizes) {
    return "(" + std::to_string(sizes[0]) + ", " + std::to_string(sizes[1]) + ", " +
           std::to_string(sizes[2]) + ")";
  };
  std::string grid = text(std::span(asked, 3));
  if (metadata.splitK > 1)
    grid += ", with split_k=" + std::to_string(metadata.splitK) + " " +
            text(gridOfParts(metadata, asked)) + ",";
  return launchError("GridError", "kernel '" + metadata.name + "': the grid " + grid +
                                      " is over the limits of " + device.name + ", " +
                                      text(device.maxGrid) + "; let each program do more");
}

/// Waits for the launch, and reports it if it failed.
bool Code::finishDebug(Loaded &loaded, Stream stream, CompileError &error) const {
  std::optional<Result> result = waitForStream(*loaded.device, stream);
  if (!result) {
    error = interruptedError(metadata().name);
    return false;
  }
  if (*result != Success) {
    error = atKernel(launchError("CUDAError", "kernel '" + metadata().name + "' failed: " +
                                                  describe(*loaded.device->api, *result)));
    return false;
  }
  if (!loaded.record || !loaded.record->failed)
    return true;
  AssertRecord record = *loaded.record;
  loaded.record->failed = 0;
  error = assertionError(metadata(), record);
  return false;
}

Result Code::launchWithAttributes(const Loaded &loaded, LaunchConfig config,
                                  void **parameters) const {
  LaunchAttribute attributes[3];
  config.attributes = attributes;
  if (metadata().numCtas > 1) {
    LaunchAttribute &cluster = attributes[config.attributeCount++];
    cluster.id = LaunchAttribute::ClusterDimension;
    cluster.value.cluster[0] = metadata().numCtas;
    cluster.value.cluster[1] = cluster.value.cluster[2] = 1;
  }
  auto addFlag = [&](bool wanted, LaunchAttribute::Id id) {
    if (!wanted)
      return;
    attributes[config.attributeCount].id = id;
    attributes[config.attributeCount++].value.flag = 1;
  };
  addFlag(settings.cooperative, LaunchAttribute::Cooperative);
  addFlag(loaded.overlaps, LaunchAttribute::ProgrammaticSerialization);
  return loaded.device->api->cuLaunchKernelEx(&config, loaded.function, parameters, nullptr);
}

/// What the parts of the launch's programs share.
bool Code::shareMemory(Device &device, Stream stream, const uint32_t grid[3], uint64_t ctas,
                       PartialSums::Lease &lease, CompileError &error) const {
  SharedByParts bytes;
  if (!findSharedByParts(metadata(), grid, ctas, bytes, error))
    return false;
  if (!bytes.sums) // all programs are whole
    return true;
  Result result =
      device.partialSums.take(*device.api, stream, settings.serialization, bytes, lease);
  if (result == OutOfMemory)
    error = atKernel(launchError(
        "OutOfResources",
        "kernel '" + metadata().name + "': out of resource: memory for the sums of " +
            (metadata().streamK ? "programs that are shared out (stream_k)"
                                : "split_k=" + std::to_string(metadata().splitK) + " parts") +
            ", required: " + std::to_string(bytes.sums) + " bytes; " +
            (metadata().streamK ? "" : "split into fewer, or ") + "use smaller tiles"));
  else if (result != Success)
    error = driverError(device, result, "kernel '" + metadata().name + "' cannot be launched");
  return result == Success;
}

bool Code::launch(Device &device, Stream stream, llvm::ArrayRef<uint64_t> slots,
                  const uint32_t asked[3], CompileError &error) {
  std::array<uint32_t, 3> grid = gridOfParts(metadata(), asked);
  CurrentContext current(device);
  Loaded *loaded = find(device, error);
  if (!loaded)
    return false;
  unsigned ctas = metadata().numCtas;
  for (size_t axis = 0; axis < 3; ++axis)
    if (uint64_t(grid[axis]) * (axis == 0 ? ctas : 1) > device.maxGrid[axis]) [[unlikely]] {
      error = gridError(device, metadata(), asked);
      return false;
    }
  llvm::SmallVector<void *, 24> parameters;
  for (const uint64_t &slot : slots)
    parameters.push_back(const_cast<uint64_t *>(&slot));
  uint32_t launched[3], counter = kNoProgramCounter;
  uint64_t most = loaded->ctasAtOnce;
  if (metadata().takesPrograms) {
    // A dependent launch may begin before the one in front of it has ended.
    if (!settings.serialization)
      counter = device.programCounters.of(*device.api, stream);
    if (counter == kNoProgramCounter)
      most = UINT64_MAX;
  }
  if (!findCTAs(metadata(), grid.data(), most, launched, error)) [[unlikely]]
    return false;
  std::optional<PartialSums::Lease> shared;
  if (metadata().hasParts()) {
    if (!shareMemory(device, stream, asked, launched[0], shared.emplace(), error))
      return false;
    parameters.push_back(&shared->sums);
    parameters.push_back(&shared->arrivals);
  }
  // Memory of a SmallVector beyond what it has inside is not aligned as maps must be.
  std::array<TensorMap, 4> few;
  std::vector<TensorMap> many;
  size_t count = metadata().tensorMaps.size();
  if (count > few.size()) [[unlikely]]
    many.resize(count);
  llvm::MutableArrayRef<TensorMap> maps(many.empty() ? few.data() : many.data(), count);
  if (!maps.empty() && !tensorMaps.get(device, slots, grid.data(), maps, error))
    return false;
  for (TensorMap &map : maps)
    parameters.push_back(&map);
  if (metadata().isPersistent)
    for (size_t axis = 0; axis < 3; ++axis)
      parameters.push_back(&grid[axis]);
  if (metadata().takesPrograms)
    parameters.push_back(&counter);
  unsigned threads = metadata().numWarps * device.warpSize;
  auto sharedBytes = static_cast<unsigned>(metadata().sharedBytes);
  // The call without attributes is the cheaper one.
  Result result = ctas == 1 && !settings.cooperative && !loaded->overlaps
                      ? device.api->cuLaunchKernel(loaded->function, launched[0], launched[1],
                                                   launched[2], threads, 1, 1, sharedBytes, stream,
                                                   parameters.data(), nullptr)
                      : launchWithAttributes(*loaded,
                                             {launched[0] * ctas, launched[1], launched[2], threads,
                                              1, 1, sharedBytes, stream, nullptr, 0},
                                             parameters.data());
  shared.reset();
  if (result == LaunchOutOfResources) [[unlikely]] {
    error = outOfResources("registers", threads * loaded->usage.registers, device.maxRegisters);
    return false;
  }
  if (result != Success) [[unlikely]] {
    error = driverError(device, result, "kernel '" + metadata().name + "' cannot be launched");
    return false;
  }
  device.noteLaunch(loaded->name);
  return !settings.debug || finishDebug(*loaded, stream, error);
}
