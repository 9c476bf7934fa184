//===- TensorMaps.cpp - tensor maps of launches on GPUs -------------------===//

#include "TensorMaps.h"
#include "Signature.h"

#include "tritium/Support/ForkGate.h"

using namespace tritium;
using namespace tritium::runtime;
using namespace tritium::runtime::cuda;

static TensorMapType typeOf(const TensorMapParameter &parameter) {
  return parameter.roundsToTF32        ? TensorMapType::TFloat32
         : parameter.elementBytes == 1 ? TensorMapType::UInt8
         : parameter.elementBytes == 2 ? TensorMapType::UInt16
         : parameter.elementBytes == 4 ? TensorMapType::UInt32
                                       : TensorMapType::UInt64;
}

static TensorMapSwizzle swizzleOf(unsigned bytes) {
  return bytes == 128  ? TensorMapSwizzle::Bytes128
         : bytes == 64 ? TensorMapSwizzle::Bytes64
         : bytes == 32 ? TensorMapSwizzle::Bytes32
                       : TensorMapSwizzle::None;
}

bool TensorMaps::encode(const Device &device, const TensorMapParameter &parameter,
                        const TensorMapValues &values, TensorMap &map, CompileError &error) const {
  constexpr uint32_t neighbours[TensorMapParameter::kMostDimensions] = {1, 1, 1, 1, 1};
  Result result = device.api->cuTensorMapEncodeTiled(
      &map, typeOf(parameter), static_cast<uint32_t>(parameter.box.size()),
      reinterpret_cast<void *>(values.address), values.shape.data(), values.strides.data(),
      parameter.box.data(), neighbours, TensorMapInterleave::None, swizzleOf(parameter.swizzle),
      TensorMapPromotion::Bytes256, TensorMapFill::Zeros);
  if (result == Success)
    return true;
  error = driverError(device, result,
                      "kernel '" + metadata.name + "': the tensor at '" +
                          metadata.parameters[parameter.base].name +
                          "' cannot be described to the GPU (cuTensorMapEncodeTiled)");
  return false;
}

bool TensorMaps::get(const Device &device, llvm::ArrayRef<uint64_t> slots, const uint32_t grid[3],
                     llvm::MutableArrayRef<TensorMap> maps, CompileError &error) {
  ForkSafeLock lock(mutex);
  for (size_t i = 0; i < maps.size(); ++i) {
    const TensorMapParameter &parameter = metadata.tensorMaps[i];
    std::string why;
    std::optional<TensorMapValues> values = valuesOf(parameter, slots, grid, &why);
    if (!values) {
      error = launchError("ArgumentError",
                          "kernel '" + metadata.name + "' copies boxes of the tensor at '" +
                              metadata.parameters[parameter.base].name + "': " + why);
      return false;
    }
    Latest &latest = perParameter[i];
    size_t filled = std::min(latest.count, latest.known.size());
    auto end = latest.known.begin() + filled;
    auto known = std::find_if(latest.known.begin(), end,
                              [&](const Known &each) { return each.values == *values; });
    if (known == end) {
      known = latest.known.begin() + latest.count % latest.known.size();
      // What fails to be made leaves nothing behind that could be found.
      known->values = {};
      if (!encode(device, parameter, *values, known->map, error))
        return false;
      known->values = *values;
      ++latest.count;
    }
    maps[i] = known->map;
  }
  return true;
}
