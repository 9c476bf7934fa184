//===- TorchHandles.cpp - tensors by torch's C interface ------------------===//

#include "TorchHandles.h"

#include <dlfcn.h>

using namespace tritium::python;

/// Sets `function` to the one of that name. False if there is none.
template <typename Function>
static bool find(void *library, const std::string &name, Function *&function) {
  function = library ? reinterpret_cast<Function *>(dlsym(library, name.c_str())) : nullptr;
  return function != nullptr;
}

bool TorchHandles::load() {
  // Libraries that are there already: nothing is loaded on torch's behalf.
  constexpr int loaded = RTLD_NOW | RTLD_NOLOAD;
  void *cpu = dlopen("libtorch_cpu.so", loaded);
  auto constant = [&](const std::string &name, int32_t &value) {
    int32_t (*function)() = nullptr;
    if (!find(cpu, "aoti_torch_" + name, function))
      return false;
    value = function();
    return true;
  };
  bool isComplete =
      find(cpu, "aoti_torch_get_data_ptr", getData) && find(cpu, "aoti_torch_get_dtype", getType) &&
      find(cpu, "aoti_torch_get_device_type", getDeviceType) &&
      find(cpu, "aoti_torch_get_device_index", getDevice) &&
      find(cpu, "aoti_torch_get_dim", getRank) && find(cpu, "aoti_torch_get_sizes", getShape) &&
      find(cpu, "aoti_torch_get_strides", getStrides) &&
      find(cpu, "aoti_torch_get_storage_offset", getStorageOffset) &&
      find(cpu, "aoti_torch_get_storage_size", getStorageSize) &&
      constant("device_type_cpu", onHost) && constant("device_type_cuda", onGPU);
  if (!isComplete)
    return false;
  find(dlopen("libtorch_cuda.so", loaded), "aoti_torch_get_current_cuda_stream", getStream);
  constexpr struct {
    const char *name, *signature;
    int bytes;
  } types[] = {{"bool", "i1", 1},
               {"int8", "i8", 1},
               {"int16", "i16", 2},
               {"int32", "i32", 4},
               {"int64", "i64", 8},
               {"uint8", "u8", 1},
               {"uint16", "u16", 2},
               {"uint32", "u32", 4},
               {"uint64", "u64", 8},
               {"float16", "fp16", 2},
               {"bfloat16", "bf16", 2},
               {"float32", "fp32", 4},
               {"float64", "fp64", 8},
               {"float8_e4m3fn", "fp8e4nv", 1},
               {"float8_e5m2", "fp8e5", 1},
               {"float8_e4m3fnuz", "fp8e4b8", 1},
               {"float8_e5m2fnuz", "fp8e5b16", 1}};
  for (const auto &type : types) {
    int32_t number = -1;
    tritium_dtype parsed;
    if (constant(std::string("dtype_") + type.name, number) && number >= 0 &&
        number < static_cast<int32_t>(std::size(elementTypes)) &&
        tritium_dtype_parse(type.signature, &parsed) == 0)
      elementTypes[number] = {parsed, type.bytes};
  }
  return true;
}

bool TorchHandles::isInPlace(PyObject *object) const {
  if (Py_TYPE(object)->tp_basicsize < static_cast<Py_ssize_t>(sizeof(PyObject) + sizeof(void *)))
    return false;
  Ref content = Ref::steal(PyObject_GetAttrString(object, "_cdata"));
  void *expected = content ? PyLong_AsVoidPtr(content.get()) : nullptr;
  PyErr_Clear();
  return expected && *static_cast<void *const *>(handleOf(object)) == expected;
}

bool TorchHandles::read(PyObject *object, tritium_argument &argument) const {
  Handle handle = handleOf(object);
  void *data;
  int32_t type, place, device;
  int64_t rank, offset, storageBytes;
  const int64_t *shape, *strides;
  if (getDeviceType(handle, &place) || (place != onGPU && place != onHost) ||
      getType(handle, &type) || type < 0 || type >= static_cast<int32_t>(std::size(elementTypes)) ||
      getData(handle, &data) || getRank(handle, &rank) || getShape(handle, &shape) ||
      getStrides(handle, &strides) || getStorageOffset(handle, &offset) ||
      getStorageSize(handle, &storageBytes))
    return false;
  const ElementType &element = elementTypes[type];
  if (!element.bytes)
    return false;
  if (place == onGPU) {
    if (getDevice(handle, &device))
      return false;
    argument.memory = TRITIUM_CUDA_MEMORY;
    argument.device = static_cast<uint8_t>(device);
  }
  auto [low, high] = reach(rank, shape, strides, element.bytes, element.bytes);
  argument.kind = TRITIUM_ARG_POINTER;
  argument.type = element.type;
  argument.bits = reinterpret_cast<uint64_t>(data);
  argument.begin = argument.bits + static_cast<uint64_t>(low);
  argument.bytes = static_cast<uint64_t>(high - low);
  argument.allocation_begin = argument.bits - static_cast<uint64_t>(offset * element.bytes);
  argument.allocation_bytes = static_cast<uint64_t>(storageBytes);
  return true;
}
