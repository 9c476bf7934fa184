//===- FakeTorch.cpp - torch's C interface for tests ----------------------===//
//
// A library of the name libtorch_cpu.so that is a Python module, too: a type of tensors
// whose objects hold a handle where torch's do, and the functions that answer for handles.
// Memory is the host's; a tensor's head says where it is. What a tensor is made of can be
// changed under the same Python object, as torch's resize_() and set_() do.
//
//===----------------------------------------------------------------------===//

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstdint>

namespace {

struct Content {
  char *data;
  int32_t type, place, device;
  int64_t rank, shape[4], strides[4];
  char *storage;
  int64_t storageBytes;

  int64_t elementBytes() const { return type == 5 ? 2 : 4; }
};

struct TensorObject {
  PyObject_HEAD Content *content;
  PyObject *dtype;
};

/// What `_cdata` adds to the truth: another layout than is expected.
long displacement = 0;

Content &contentOf(PyObject *self) { return *reinterpret_cast<TensorObject *>(self)->content; }
const Content &contentOf(const void *handle) { return **static_cast<Content *const *>(handle); }

/// set(address, type, dtype, place, device, shape, strides[, storage, bytes]): all that a tensor
/// is. Without a storage it is one of its own.
PyObject *set(PyObject *self, PyObject *args) {
  unsigned long long address, storage = 0, bytes = 0;
  int type, place, device;
  PyObject *dtype, *shape, *strides;
  if (!PyArg_ParseTuple(args, "KiOiiO!O!|KK", &address, &type, &dtype, &place, &device,
                        &PyTuple_Type, &shape, &PyTuple_Type, &strides, &storage, &bytes))
    return nullptr;
  auto *tensor = reinterpret_cast<TensorObject *>(self);
  auto *content =
      new Content{reinterpret_cast<char *>(address), type, place, device, 0, {}, {}, nullptr, 0};
  content->rank = PyTuple_GET_SIZE(shape);
  for (int64_t axis = 0; axis < content->rank; ++axis) {
    content->shape[axis] = PyLong_AsLongLong(PyTuple_GET_ITEM(shape, axis));
    content->strides[axis] = PyLong_AsLongLong(PyTuple_GET_ITEM(strides, axis));
  }
  content->storage = storage ? reinterpret_cast<char *>(storage) : content->data;
  content->storageBytes = static_cast<int64_t>(bytes);
  if (!storage) {
    content->storageBytes = content->elementBytes();
    for (int64_t axis = 0; axis < content->rank; ++axis)
      content->storageBytes +=
          (content->shape[axis] - 1) * content->strides[axis] * content->elementBytes();
    content->storageBytes = content->storageBytes < 0 ? 0 : content->storageBytes;
  }
  delete tensor->content;
  tensor->content = content;
  Py_XSETREF(tensor->dtype, Py_NewRef(dtype));
  Py_RETURN_NONE;
}

/// What untyped_storage() answers.
struct StorageObject {
  PyObject_HEAD const char *data;
  int64_t bytes;
};
PyObject *storageAddress(PyObject *self, PyObject *) {
  return PyLong_FromVoidPtr(const_cast<char *>(reinterpret_cast<StorageObject *>(self)->data));
}
PyObject *storageBytes(PyObject *self, PyObject *) {
  return PyLong_FromLongLong(reinterpret_cast<StorageObject *>(self)->bytes);
}
PyMethodDef storageMethods[] = {{"data_ptr", storageAddress, METH_NOARGS, nullptr},
                                {"nbytes", storageBytes, METH_NOARGS, nullptr},
                                {nullptr, nullptr, 0, nullptr}};
PyType_Slot storageSlots[] = {{Py_tp_methods, storageMethods}, {0, nullptr}};
PyType_Spec storageSpec = {"torch.UntypedStorage", sizeof(StorageObject), 0, Py_TPFLAGS_DEFAULT,
                           storageSlots};
PyTypeObject *storageType = nullptr;

PyObject *untypedStorage(PyObject *self, PyObject *) {
  auto *storage = PyObject_New(StorageObject, storageType);
  if (storage) {
    storage->data = contentOf(self).storage;
    storage->bytes = contentOf(self).storageBytes;
  }
  return reinterpret_cast<PyObject *>(storage);
}

PyObject *dataPointer(PyObject *self, PyObject *) {
  return PyLong_FromVoidPtr(contentOf(self).data);
}
PyObject *getDevice(PyObject *self, PyObject *) {
  return PyLong_FromLong(contentOf(self).place == 1 ? contentOf(self).device : -1);
}
PyObject *dtype(PyObject *self, void *) {
  return Py_NewRef(reinterpret_cast<TensorObject *>(self)->dtype);
}
PyObject *isOnGPU(PyObject *self, void *) { return PyBool_FromLong(contentOf(self).place == 1); }
PyObject *address(PyObject *self, void *) {
  return PyLong_FromLongLong(reinterpret_cast<intptr_t>(&contentOf(self)) + displacement);
}

PyObject *displace(PyObject *, PyObject *by) {
  displacement = PyLong_AsLong(by);
  Py_RETURN_NONE;
}

PyMethodDef methods[] = {{"set", set, METH_VARARGS, nullptr},
                         {"data_ptr", dataPointer, METH_NOARGS, nullptr},
                         {"get_device", getDevice, METH_NOARGS, nullptr},
                         {"untyped_storage", untypedStorage, METH_NOARGS, nullptr},
                         {nullptr, nullptr, 0, nullptr}};
PyGetSetDef attributes[] = {{"dtype", dtype, nullptr, nullptr, nullptr},
                            {"is_cuda", isOnGPU, nullptr, nullptr, nullptr},
                            {"_cdata", address, nullptr, nullptr, nullptr},
                            {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot slots[] = {{Py_tp_methods, methods}, {Py_tp_getset, attributes}, {0, nullptr}};
PyType_Spec type = {"torch.Tensor", sizeof(TensorObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
PyMethodDef functions[] = {{"displace", displace, METH_O, nullptr}, {nullptr, nullptr, 0, nullptr}};
PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "fake_torch",
                          nullptr,
                          -1,
                          functions,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

/// Answers `value`, or fails for a tensor without memory.
template <typename T> int answer(const void *handle, T value, T *result) {
  *result = value;
  return contentOf(handle).data ? 0 : 1;
}

} // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED PyObject *PyInit_fake_torch() {
  PyObject *module = PyModule_Create(&definition);
  storageType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&storageSpec));
  if (module && storageType && PyModule_AddObject(module, "Tensor", PyType_FromSpec(&type)) == 0)
    return module;
  Py_XDECREF(module);
  return nullptr;
}

EXPORTED int32_t aoti_torch_device_type_cpu() { return 0; }
EXPORTED int32_t aoti_torch_device_type_cuda() { return 1; }
EXPORTED int32_t aoti_torch_dtype_float16() { return 5; }
EXPORTED int32_t aoti_torch_dtype_float32() { return 6; }
EXPORTED int32_t aoti_torch_dtype_int32() { return 3; }

EXPORTED int aoti_torch_get_data_ptr(const void *handle, void **result) {
  return answer<void *>(handle, contentOf(handle).data, result);
}
EXPORTED int aoti_torch_get_dtype(const void *handle, int32_t *result) {
  return answer(handle, contentOf(handle).type, result);
}
EXPORTED int aoti_torch_get_device_type(const void *handle, int32_t *result) {
  return answer(handle, contentOf(handle).place, result);
}
EXPORTED int aoti_torch_get_device_index(const void *handle, int32_t *result) {
  return answer(handle, contentOf(handle).device, result);
}
EXPORTED int aoti_torch_get_dim(const void *handle, int64_t *result) {
  return answer(handle, contentOf(handle).rank, result);
}
EXPORTED int aoti_torch_get_sizes(const void *handle, const int64_t **result) {
  return answer<const int64_t *>(handle, contentOf(handle).shape, result);
}
EXPORTED int aoti_torch_get_strides(const void *handle, const int64_t **result) {
  return answer<const int64_t *>(handle, contentOf(handle).strides, result);
}
EXPORTED int aoti_torch_get_storage_offset(const void *handle, int64_t *result) {
  const Content &content = contentOf(handle);
  return answer(handle, (content.data - content.storage) / content.elementBytes(), result);
}
EXPORTED int aoti_torch_get_storage_size(const void *handle, int64_t *result) {
  return answer(handle, contentOf(handle).storageBytes, result);
}
