//===- DeviceArrays.cpp - arrays on GPUs as launch arguments --------------===//
//
// A launch may have a dozen tensors and three microseconds. Where torch's C interface can be
// used (TorchHandles), it is. Else torch's methods and attributes are C functions in
// descriptors of its type; they are looked up once and called directly, which saves half
// of what a call by name costs. Where a descriptor is of another kind, the call by name
// remains.
//
//===----------------------------------------------------------------------===//

#include "DeviceArrays.h"
#include "TorchHandles.h"

#include <cstring>

using namespace tritium::python;

namespace {

/// A method without arguments of one type.
class Method {
public:
  bool find(PyTypeObject *type, const char *text) {
    name = PyUnicode_InternFromString(text);
    PyObject *found = name ? _PyType_Lookup(type, name) : nullptr;
    if (found && Py_IS_TYPE(found, &PyMethodDescr_Type)) {
      PyMethodDef *definition = reinterpret_cast<PyMethodDescrObject *>(found)->d_method;
      if (definition->ml_flags == METH_NOARGS)
        function = definition->ml_meth;
    }
    return found != nullptr;
  }
  Ref operator()(PyObject *self) const {
    return Ref::steal(function ? function(self, nullptr) : PyObject_CallMethodNoArgs(self, name));
  }

  PyObject *name = nullptr;

private:
  PyCFunction function = nullptr;
};

/// An attribute of one type.
class Attribute {
public:
  bool find(PyTypeObject *type, const char *text) {
    name = PyUnicode_InternFromString(text);
    PyObject *found = name ? _PyType_Lookup(type, name) : nullptr;
    if (found && Py_IS_TYPE(found, &PyGetSetDescr_Type)) {
      PyGetSetDef *definition = reinterpret_cast<PyGetSetDescrObject *>(found)->d_getset;
      get = definition->get;
      closure = definition->closure;
    }
    return found != nullptr;
  }
  Ref operator()(PyObject *self) const {
    return Ref::steal(get ? get(self, closure) : PyObject_GetAttr(self, name));
  }

private:
  PyObject *name = nullptr;
  getter get = nullptr;
  void *closure = nullptr;
};

/// What is known of torch once it has been met.
struct Torch {
  PyTypeObject *tensor = nullptr, *parameter = nullptr;
  Method dataPointer, device, storage;
  Attribute elementType, isOnGPU;
  PyObject *byteCount = nullptr; ///< "nbytes", of a storage
  PyObject *rawStream = nullptr; ///< torch._C._cuda_getCurrentRawStream
  TorchHandles handles;
  enum { Unknown, Usable, Unusable } state = Unknown; ///< of the handles
};
Torch torch;
/// A type that was looked at and is none of torch's.
PyTypeObject *notTensorType = nullptr;

bool learnTorch(PyTypeObject *type) {
  if (std::string_view name = type->tp_name;
      name.substr(0, 5) != "torch" && name != "Tensor" && name != "Parameter")
    return false;
  PyObject *modules = PyImport_GetModuleDict();
  PyObject *module = modules ? PyDict_GetItemString(modules, "torch") : nullptr;
  if (!module)
    return false;
  Ref tensor = Ref::steal(PyObject_GetAttrString(module, "Tensor"));
  Ref nn = Ref::steal(PyObject_GetAttrString(module, "nn"));
  Ref parameter = Ref::steal(nn ? PyObject_GetAttrString(nn.get(), "Parameter") : nullptr);
  PyErr_Clear();
  if (!tensor || !PyType_Check(tensor.get()))
    return false;
  auto *tensorType = reinterpret_cast<PyTypeObject *>(tensor.get());
  // A subclass may mean anything by its methods.
  if (type != tensorType && static_cast<void *>(type) != parameter.get())
    return false;
  if (!torch.dataPointer.find(tensorType, "data_ptr") ||
      !torch.device.find(tensorType, "get_device") ||
      !torch.elementType.find(tensorType, "dtype") || !torch.isOnGPU.find(tensorType, "is_cuda") ||
      !torch.storage.find(tensorType, "untyped_storage") ||
      !(torch.byteCount = PyUnicode_InternFromString("nbytes")))
    return false;
  torch.parameter = reinterpret_cast<PyTypeObject *>(parameter.release());
  torch.tensor = reinterpret_cast<PyTypeObject *>(tensor.release());
  return true;
}

/// Element types that were seen, by torch's object for them, which live forever.
struct ElementType {
  PyObject *object = nullptr;
  tritium_dtype type = {};
};
ElementType elementTypes[16];

const tritium_dtype *elementType(PyObject *object) {
  ElementType &slot = elementTypes[reinterpret_cast<uintptr_t>(object) >> 4 & 15];
  if (slot.object == object) [[likely]]
    return &slot.type;
  const Interned *names = interned();
  if (!names)
    return nullptr;
  Ref answer = Ref::steal(PyObject_CallOneArg(names->torchType, object));
  const char *signature = answer ? PyUnicode_AsUTF8(answer.get()) : nullptr;
  tritium_dtype type;
  if (!signature || tritium_dtype_parse(signature, &type) != 0) {
    if (!PyErr_Occurred())
      PyErr_Format(PyExc_TypeError, "element type %S is not known", object);
    return nullptr;
  }
  Py_XDECREF(slot.object);
  slot = {Py_NewRef(object), type};
  return &slot.type;
}

/// Finds out whether handles tell of a tensor what its attributes tell.
void checkHandles(PyObject *object) {
  torch.state = Torch::Unusable;
  if (!torch.handles.load() || !torch.handles.isInPlace(object))
    return;
  tritium_argument argument = {};
  if (!torch.handles.read(object, argument)) {
    torch.state = Torch::Unknown; // one without memory: the next one tells more
    return;
  }
  Ref address = torch.dataPointer(object), device = torch.device(object);
  Ref kind = torch.elementType(object), isOnGPU = torch.isOnGPU(object);
  const tritium_dtype *element = kind ? elementType(kind.get()) : nullptr;
  bool shouldBeOnGPU = isOnGPU.get() == Py_True;
  if (address && device && element && isOnGPU &&
      PyLong_AsUnsignedLongLong(address.get()) == argument.bits &&
      std::memcmp(element, &argument.type, sizeof *element) == 0 &&
      shouldBeOnGPU == (argument.memory == TRITIUM_CUDA_MEMORY) &&
      (!shouldBeOnGPU || PyLong_AsLong(device.get()) == argument.device))
    torch.state = Torch::Usable;
  PyErr_Clear();
}

/// Notes the first array on a GPU.
void noteDevice(int device, ArgumentStorage &storage) {
  if (storage.device >= 0)
    return;
  storage.device = device;
  storage.isTorch = true;
}

/// By torch's attributes, for tensors on GPUs.
TensorRead fromAttributes(PyObject *object, tritium_argument &argument, ArgumentStorage &storage) {
  if (storage.wantsExtents)
    return TensorRead::NotTensor;
  Ref device = torch.device(object);
  long ordinal = device ? PyLong_AsLong(device.get()) : -1;
  if (ordinal < 0)
    return PyErr_Occurred() ? TensorRead::Failed : TensorRead::NotTensor;
  // Other accelerators number their devices, too. One look tells for all tensors of a call
  // that have the same number.
  if (!storage.isTorch || ordinal != storage.device) {
    Ref isOnGPU = torch.isOnGPU(object);
    if (!isOnGPU)
      return TensorRead::Failed;
    if (isOnGPU.get() != Py_True)
      return TensorRead::NotTensor;
  }
  Ref kind = torch.elementType(object);
  const tritium_dtype *element = kind ? elementType(kind.get()) : nullptr;
  Ref address = element ? torch.dataPointer(object) : Ref();
  if (!address)
    return TensorRead::Failed;
  argument.kind = TRITIUM_ARG_POINTER;
  argument.memory = TRITIUM_CUDA_MEMORY;
  argument.type = *element;
  argument.bits = PyLong_AsUnsignedLongLong(address.get());
  argument.device = static_cast<uint8_t>(ordinal);
  // What overlap needs. How far the tensor itself reaches would take longer.
  Ref memory = torch.storage(object);
  Ref begin = Ref::steal(memory ? PyObject_CallMethodNoArgs(memory.get(), torch.dataPointer.name)
                                : nullptr);
  Ref bytes =
      Ref::steal(begin ? PyObject_CallMethodNoArgs(memory.get(), torch.byteCount) : nullptr);
  if (!bytes)
    return TensorRead::Failed;
  argument.begin = PyLong_AsUnsignedLongLong(begin.get());
  argument.bytes = PyLong_AsUnsignedLongLong(bytes.get());
  if (PyErr_Occurred())
    return TensorRead::Failed;
  noteDevice(static_cast<int>(ordinal), storage);
  return TensorRead::Done;
}

} // namespace

TensorRead tritium::python::fromTorch(PyObject *object, tritium_argument &argument,
                                      ArgumentStorage &storage) {
  PyTypeObject *type = Py_TYPE(object);
  if (type != torch.tensor && type != torch.parameter) {
    if (type == notTensorType)
      return TensorRead::NotTensor;
    if (!learnTorch(type)) {
      notTensorType = type;
      return TensorRead::NotTensor;
    }
  }
  if (torch.state == Torch::Unknown) [[unlikely]]
    checkHandles(object);
  if (torch.state != Torch::Usable)
    return fromAttributes(object, argument, storage);
  // What cannot be read is explained by the general path.
  if (!torch.handles.read(object, argument))
    return TensorRead::NotTensor;
  if (argument.memory == TRITIUM_CUDA_MEMORY)
    noteDevice(argument.device, storage);
  return TensorRead::Done;
}

bool tritium::python::currentStream(const ArgumentStorage &storage, void *&stream) {
  stream = nullptr;
  if (storage.device < 0)
    return true;
  if (storage.isTorch && torch.state == Torch::Usable &&
      torch.handles.currentStream(storage.device, stream))
    return true;
  Ref device = Ref::steal(PyLong_FromLong(storage.device));
  Ref answer;
  if (storage.isTorch) {
    if (!torch.rawStream) {
      Ref module = Ref::steal(PyImport_ImportModule("torch._C"));
      torch.rawStream =
          module ? PyObject_GetAttrString(module.get(), "_cuda_getCurrentRawStream") : nullptr;
    }
    if (torch.rawStream && PyCFunction_CheckExact(torch.rawStream) &&
        PyCFunction_GET_FLAGS(torch.rawStream) == METH_O)
      answer = Ref::steal(PyCFunction_GET_FUNCTION(torch.rawStream)(
          PyCFunction_GET_SELF(torch.rawStream), device.get()));
    else if (torch.rawStream)
      answer = Ref::steal(PyObject_CallOneArg(torch.rawStream, device.get()));
  } else if (const Interned *names = interned()) {
    answer = Ref::steal(PyObject_CallFunctionObjArgs(names->currentStream, storage.arrayOnGPU.get(),
                                                     device.get(), nullptr));
  }
  if (answer)
    stream = PyLong_AsVoidPtr(answer.get());
  return !PyErr_Occurred();
}
