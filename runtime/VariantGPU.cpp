//===- VariantGPU.cpp - variants that run on GPUs -------------------------===//

#include "Interrupt.h"
#include "Signature.h"
#include "Variant.h"
#include "cuda/Staging.h"

#include "llvm/ADT/APFloat.h"

#include <bit>

using namespace tritium;
using namespace tritium::runtime;

/// The slot of a kernel on a CPU has f32 bits for all narrower floats; a GPU's has their own.
static uint64_t slotOnGPU(uint64_t slot, const DType &type) {
  if (type.isPointer() || (type.kind != DTypeKind::Float16 && type.kind != DTypeKind::BFloat16))
    return slot;
  llvm::APFloat value(std::bit_cast<float>(static_cast<uint32_t>(slot)));
  bool loses = false;
  value.convert(type.kind == DTypeKind::Float16 ? llvm::APFloat::IEEEhalf()
                                                : llvm::APFloat::BFloat(),
                llvm::APFloat::rmNearestTiesToEven, &loses);
  return value.bitcastToAPInt().getZExtValue();
}

bool Variant::runOnGPU(llvm::ArrayRef<BoundArgument> arguments, const uint32_t grid[3],
                       void *stream, CompileError &error) {
  const std::vector<ParameterInfo> &parameters = metadata().parameters;
  llvm::SmallVector<uint64_t, 24> slots;
  int device = -1;
  bool hasPointers = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const BoundArgument &argument = arguments[i];
    slots.push_back(slotOnGPU(argument.slot, parameters[i].type));
    hasPointers |= parameters[i].type.isPointer() && argument.slot != 0;
    if (argument.device >= 0)
      device = argument.device;
  }
  if (device < 0 && hasPointers)
    return runStaged(arguments, grid, error);
  cuda::Device *gpu =
      cuda::device(device < 0 ? cuda::currentDevice() : device, metadata().name, error);
  return gpu && code->launch(*gpu, static_cast<cuda::Stream>(stream), slots, grid, error);
}

bool Variant::runStaged(llvm::ArrayRef<BoundArgument> arguments, const uint32_t grid[3],
                        CompileError &error) {
  const std::vector<ParameterInfo> &parameters = metadata().parameters;
  cuda::Device *gpu = cuda::device(cuda::currentDevice(), metadata().name, error);
  if (!gpu)
    return false;
  if (metadata().hasIndirectPointers) {
    error = launchError("ArgumentError", "kernel '" + metadata().name +
                                             "' reads pointers from memory: its arrays must be on "
                                             "the GPU already");
    return false;
  }
  cuda::Staging staging(*gpu);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const BoundArgument &argument = arguments[i];
    if (!parameters[i].type.isPointer() || argument.slot == 0)
      continue;
    if (argument.end == UINT64_MAX) {
      error = launchError("ArgumentError",
                          "kernel '" + metadata().name + "': argument '" + parameters[i].name +
                              "' is a bare address: whether it is memory of the GPU is not known; "
                              "pass an array");
      return false;
    }
    auto [begin, end] = reachOf(arguments, i);
    staging.add(begin, end, parameters[i].isWritten);
  }
  if (!staging.copyIn(metadata().name, error))
    return false;
  llvm::SmallVector<uint64_t, 24> slots;
  for (size_t i = 0; i < arguments.size(); ++i)
    slots.push_back(parameters[i].type.isPointer() && arguments[i].slot
                        ? staging.translate(arguments[i].slot)
                        : slotOnGPU(arguments[i].slot, parameters[i].type));
  bool launched = code->launch(*gpu, nullptr, slots, grid, error);
  if (!launched && isInterrupted(error)) {
    staging.abandon();
    return false;
  }
  // A launch that failed may have written, too: an assertion ends only its own program.
  CompileError later;
  return staging.copyOut(metadata().name, launched ? error : later) && launched;
}

bool Variant::simulate(llvm::ArrayRef<BoundArgument> arguments, const uint32_t grid[3],
                       const simulator::Settings &settings, CompileError &error,
                       sim::Counters *counters) {
  if (!checkArguments(arguments, error))
    return false;
  Variant *other = fitting(arguments, grid, error);
  if (other != this)
    return other && other->simulate(arguments, grid, settings, error, counters);
  const std::vector<ParameterInfo> &parameters = metadata().parameters;
  llvm::SmallVector<uint64_t, 24> slots;
  std::vector<simulator::Memory> memory;
  // Memory behind pointers in memory belongs to no argument.
  bool hasUnknownMemory = metadata().hasIndirectPointers;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const BoundArgument &argument = arguments[i];
    slots.push_back(slotOnGPU(argument.slot, parameters[i].type));
    if (!parameters[i].type.isPointer() || argument.slot == 0)
      continue;
    if (argument.end == UINT64_MAX)
      hasUnknownMemory = true;
    else
      memory.push_back({argument.begin, argument.end, !argument.isReadOnly, parameters[i].name, i});
  }
  return simulated->launch(std::move(slots), std::move(memory), hasUnknownMemory, grid, settings,
                           error, counters);
}
