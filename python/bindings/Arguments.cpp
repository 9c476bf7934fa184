//===- Arguments.cpp - Python objects as launch arguments -----------------===//
//
// NumPy arrays are read straight from their object, whose head has been the same since
// NumPy 1.0 and is part of its binary interface; the layout is checked against
// `__array_interface__` once, when the first array is seen. Everything else that is an
// array goes through tritium._arguments.classify, in Python.
//
//===----------------------------------------------------------------------===//

#include "DeviceArrays.h"
#include "TorchHandles.h"

#include <bit>
#include <cstring>
#include <iterator>
#include <optional>

using namespace tritium::python;

namespace {

/// The head of NumPy's array object.
struct ArrayHead {
  PyObject_HEAD char *data;
  int rank;
  Py_ssize_t *shape;
  Py_ssize_t *strides;
  PyObject *base;
  PyObject *descriptor;
  int flags;
};

enum ArrayFlags { CContiguous = 0x1, FContiguous = 0x2, Writeable = 0x400 };

/// The type `numpy.ndarray` once it is known and its layout checked.
PyTypeObject *arrayType = nullptr;
/// A type that was looked at and is not to be read directly.
PyTypeObject *notArrayType = nullptr;

/// Element types that were seen, by descriptor.
struct ElementType {
  PyObject *descriptor = nullptr; ///< owned
  tritium_dtype type = {};
  Py_ssize_t bytes = 0;
};
constexpr unsigned kTypesLog2 = 6, kProbes = 8;
ElementType elementTypes[1u << kTypesLog2];

/// Its place in the table: there, or up to kProbes behind, or free, or the one that it replaces.
/// NumPy's own descriptors are a power of two of bytes apart, so all bits of the address count.
ElementType &elementTypeSlot(PyObject *descriptor) {
  constexpr uint64_t goldenRatio = 0x9e3779b97f4a7c15;
  uint64_t first = reinterpret_cast<uintptr_t>(descriptor) * goldenRatio >> (64 - kTypesLog2);
  for (uint64_t i = first; i < first + kProbes; ++i) {
    ElementType &slot = elementTypes[i % std::size(elementTypes)];
    if (slot.descriptor == descriptor || !slot.descriptor) [[likely]]
      return slot;
  }
  return elementTypes[first];
}

/// Nothing, and an exception, if it is none of a kernel's.
std::optional<ElementType> elementType(PyObject *descriptor) {
  if (ElementType &known = elementTypeSlot(descriptor); known.descriptor == descriptor) [[likely]]
    return known;
  const Interned *names = interned();
  if (!names)
    return std::nullopt;
  // Python may give the array another one meanwhile.
  Ref held = Ref::borrow(descriptor);
  // Answers (signature, bytes) or raises.
  Ref answer = Ref::steal(PyObject_CallOneArg(names->elementType, descriptor));
  const char *signature = nullptr;
  Py_ssize_t bytes = 0;
  tritium_dtype type;
  if (!answer || !PyArg_ParseTuple(answer.get(), "sn", &signature, &bytes))
    return std::nullopt;
  if (tritium_dtype_parse(signature, &type) != 0) {
    PyErr_Format(PyExc_TypeError, "element type %s is not known", signature);
    return std::nullopt;
  }
  // Python may have changed the table meanwhile, and may do so as it frees what is replaced.
  ElementType &slot = elementTypeSlot(descriptor), found{descriptor, type, bytes};
  PyObject *replaced = slot.descriptor;
  if (replaced != descriptor) {
    Py_INCREF(descriptor);
    slot = found;
    Py_XDECREF(replaced);
  }
  return found;
}

/// Compares what the head says of `object` with what `__array_interface__` says.
bool layoutIsAsExpected(PyObject *object) {
  Ref interface = Ref::steal(PyObject_GetAttrString(object, "__array_interface__"));
  PyObject *data = interface ? PyDict_GetItemString(interface.get(), "data") : nullptr;
  PyObject *shape = interface ? PyDict_GetItemString(interface.get(), "shape") : nullptr;
  Ref descriptor = Ref::steal(PyObject_GetAttrString(object, "dtype"));
  if (!data || !shape || !descriptor) {
    PyErr_Clear();
    return false;
  }
  auto *head = reinterpret_cast<ArrayHead *>(object);
  void *address = PyLong_AsVoidPtr(PyTuple_GetItem(data, 0));
  bool isReadOnly = PyTuple_GetItem(data, 1) == Py_True;
  if (address != head->data || head->descriptor != descriptor.get() ||
      PyTuple_GET_SIZE(shape) != head->rank || isReadOnly != !(head->flags & Writeable))
    return false;
  for (int axis = 0; axis < head->rank; ++axis)
    if (PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, axis)) != head->shape[axis])
      return false;
  return true;
}

/// Whether `type` is numpy.ndarray, which `object` is of, and safe to read.
bool learnArrayType(PyObject *object, PyTypeObject *type) {
  if (type == notArrayType || std::strcmp(type->tp_name, "numpy.ndarray") != 0)
    return false;
  if (!layoutIsAsExpected(object)) {
    notArrayType = type;
    return false;
  }
  arrayType = type;
  return true;
}

/// Whether `object` is an array of NumPy's, also of a type that derives from it.
bool isArray(PyObject *object) {
  for (PyTypeObject *type = Py_TYPE(object); type; type = type->tp_base)
    if (type == arrayType || (!arrayType && learnArrayType(object, type)))
      return true;
  return false;
}

/// Sets the memory that an array reaches, with its elements' size.
void setExtent(const ArrayHead &head, Py_ssize_t elementBytes, tritium_argument &argument) {
  argument.begin = reinterpret_cast<uint64_t>(head.data);
  if (head.flags & (CContiguous | FContiguous)) [[likely]] {
    uint64_t bytes = static_cast<uint64_t>(elementBytes);
    for (int axis = 0; axis < head.rank; ++axis)
      bytes *= static_cast<uint64_t>(head.shape[axis]);
    argument.bytes = bytes;
    return;
  }
  auto [low, high] = reach(head.rank, head.shape, head.strides, 1, elementBytes);
  argument.begin += static_cast<uint64_t>(low);
  argument.bytes = static_cast<uint64_t>(high - low);
}

void addAllocation(PyObject *base, tritium_argument &argument);

bool fromArray(PyObject *object, tritium_argument &argument) {
  auto *head = reinterpret_cast<ArrayHead *>(object);
  std::optional<ElementType> element = elementType(head->descriptor);
  if (!element)
    return false;
  argument.kind = TRITIUM_ARG_POINTER;
  argument.type = element->type;
  argument.bits = reinterpret_cast<uint64_t>(head->data);
  argument.read_only = !(head->flags & Writeable);
  setExtent(*head, element->bytes, argument);
  if (head->base) [[unlikely]]
    addAllocation(head->base, argument);
  return true;
}

//===-- Allocations -------------------------------------------------------===//

/// The memory that an array, which others are views of, reaches. Elements may be of a type that
/// kernels do not take.
void addArray(const ArrayHead &head, tritium_argument &argument) {
  std::optional<ElementType> element = elementType(head.descriptor);
  Py_ssize_t bytes = element ? element->bytes : 0;
  if (!element) {
    PyErr_Clear();
    Ref size = Ref::steal(PyObject_GetAttrString(head.descriptor, "itemsize"));
    bytes = size ? PyLong_AsSsize_t(size.get()) : -1;
    if (bytes < 0)
      return PyErr_Clear();
  }
  tritium_argument whole = {};
  setExtent(head, bytes, whole);
  argument.allocation_begin = whole.begin;
  argument.allocation_bytes = whole.bytes;
}

/// The memory behind an object that has lent it to an array: bytes, a mapped file, a tensor of
/// torch's, ... One that does not tell lets the array count for itself.
void addLender(PyObject *object, tritium_argument &argument) {
  tritium_argument tensor = {};
  ArgumentStorage ignored;
  if (PyObject_CheckBuffer(object)) {
    Py_buffer buffer;
    if (PyObject_GetBuffer(object, &buffer, PyBUF_SIMPLE) == 0) {
      argument.allocation_begin = reinterpret_cast<uint64_t>(buffer.buf);
      argument.allocation_bytes = static_cast<uint64_t>(buffer.len);
      PyBuffer_Release(&buffer);
    }
  } else if (fromTorch(object, tensor, ignored) == TensorRead::Done) {
    argument.allocation_begin = tensor.allocation_begin;
    argument.allocation_bytes = tensor.allocation_bytes;
  }
  PyErr_Clear();
}

/// Notes the allocation of a view: the memory of the object at the end of the chain of bases.
void addAllocation(PyObject *base, tritium_argument &argument) {
  // NumPy keeps these chains short; one with a circle is none of its own.
  for (int steps = 0; base && steps < 64; ++steps) {
    if (isArray(base)) {
      auto *head = reinterpret_cast<ArrayHead *>(base);
      addArray(*head, argument);
      base = head->base;
    } else if (PyMemoryView_Check(base) && PyMemoryView_GET_BASE(base)) {
      base = PyMemoryView_GET_BASE(base);
    } else {
      return addLender(base, argument);
    }
  }
}

//===-- Other arguments ---------------------------------------------------===//

bool fromInt(PyObject *object, tritium_argument &argument) {
  int overflow = 0;
  long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  argument.kind = TRITIUM_ARG_INT;
  argument.bits = static_cast<uint64_t>(value);
  if (!overflow) [[likely]]
    return true;
  if (overflow > 0) {
    argument.kind = TRITIUM_ARG_UINT;
    argument.bits = PyLong_AsUnsignedLongLong(object);
    if (!PyErr_Occurred())
      return true;
    PyErr_Clear();
  }
  PyErr_Format(PyExc_OverflowError, "the int %R does not fit in 64 bits", object);
  return false;
}

bool fromConstant(PyObject *object, tritium_argument &argument, ArgumentStorage &storage) {
  auto value = std::make_unique<tritium_value>();
  if (!toValue(object, *value, storage.nested))
    return false;
  argument.kind = TRITIUM_ARG_VALUE;
  argument.is_constexpr =
      interned() && Py_TYPE(object) == reinterpret_cast<PyTypeObject *>(interned()->constexprType);
  argument.value = value.get();
  storage.values.push_back(std::move(value));
  return true;
}

/// A tuple of Python objects as a tuple of arguments, or as a descriptor.
bool fromItems(PyObject *tuple, tritium_argument_kind kind, tritium_argument &argument,
               ArgumentStorage &storage) {
  auto count = static_cast<size_t>(PyTuple_GET_SIZE(tuple));
  Nesting nesting;
  if (!nesting)
    return false;
  auto items = std::make_unique<tritium_argument[]>(count);
  for (size_t i = 0; i < count; ++i)
    if (!toArgument(PyTuple_GET_ITEM(tuple, static_cast<Py_ssize_t>(i)), items[i], storage))
      return false;
  argument.kind = static_cast<uint8_t>(kind);
  argument.bits = count;
  argument.items = items.get();
  storage.items.push_back(std::move(items));
  return true;
}

/// The Python side answers ("pointer", address, signature, begin, bytes, read_only,
/// owner), with the number of its GPU behind it for an array that is on one (else -1), and with
/// the begin and the bytes of its allocation where these are known, ("value", simpler
/// object), or ("tuple" or "descriptor", tuple of the items), of a named tuple with its names.
bool fromOther(PyObject *object, tritium_argument &argument, ArgumentStorage &storage) {
  const Interned *names = interned();
  if (!names)
    return false;
  Ref answer = Ref::steal(PyObject_CallOneArg(names->classify, object));
  if (!answer)
    return false;
  const char *kind = nullptr, *signature = nullptr;
  if (PyTuple_GET_SIZE(answer.get()) <= 3) {
    PyObject *simpler = nullptr, *fields = nullptr;
    if (!PyArg_ParseTuple(answer.get(), "sO|O", &kind, &simpler, &fields))
      return false;
    storage.owners.push_back(Ref::borrow(simpler));
    if (fields) {
      storage.owners.push_back(Ref::borrow(fields));
      if (!fromConstant(fields, argument, storage))
        return false;
    }
    if (std::strcmp(kind, "tuple") == 0)
      return fromItems(simpler, TRITIUM_ARG_TUPLE, argument, storage);
    if (std::strcmp(kind, "descriptor") == 0)
      return fromItems(simpler, TRITIUM_ARG_DESCRIPTOR, argument, storage);
    if (simpler == object || PyTuple_Check(simpler))
      return fromConstant(simpler, argument, storage);
    return toArgument(simpler, argument, storage);
  }
  unsigned long long address = 0, begin = 0, bytes = 0, wholeBegin = 0, wholeBytes = 0;
  int isReadOnly = 0, device = -1;
  PyObject *owner = nullptr;
  if (!PyArg_ParseTuple(answer.get(), "sKsKKpO|iKK", &kind, &address, &signature, &begin, &bytes,
                        &isReadOnly, &owner, &device, &wholeBegin, &wholeBytes))
    return false;
  argument.kind = TRITIUM_ARG_POINTER;
  if (tritium_dtype_parse(signature, &argument.type) != 0) {
    PyErr_Format(PyExc_TypeError, "element type %s is not known", signature);
    return false;
  }
  argument.bits = address;
  argument.begin = begin;
  argument.bytes = bytes;
  argument.allocation_begin = wholeBegin;
  argument.allocation_bytes = wholeBytes;
  if (isArray(owner))
    addAllocation(reinterpret_cast<ArrayHead *>(owner)->base, argument);
  argument.read_only = isReadOnly != 0;
  if (device >= 0) {
    argument.memory = TRITIUM_CUDA_MEMORY;
    argument.device = static_cast<uint8_t>(device);
    if (storage.device < 0) {
      storage.device = device;
      storage.arrayOnGPU = Ref::borrow(owner);
    }
  }
  storage.owners.push_back(Ref::borrow(owner));
  return true;
}

} // namespace

bool tritium::python::toArgument(PyObject *object, tritium_argument &argument,
                                 ArgumentStorage &storage) {
  PyTypeObject *type = Py_TYPE(object);
  if (type == arrayType) [[likely]]
    return fromArray(object, argument);
  if (type == &PyLong_Type)
    return fromInt(object, argument);
  if (type == &PyFloat_Type) {
    argument.kind = TRITIUM_ARG_FLOAT;
    argument.bits = std::bit_cast<uint64_t>(PyFloat_AS_DOUBLE(object));
    return true;
  }
  if (type == &PyBool_Type) {
    argument.kind = TRITIUM_ARG_BOOL;
    argument.bits = object == Py_True;
    return true;
  }
  if (object == Py_None || type == &PyUnicode_Type)
    return fromConstant(object, argument, storage);
  switch (fromTorch(object, argument, storage)) {
  case TensorRead::Done:
    return true;
  case TensorRead::Failed:
    return false;
  case TensorRead::NotTensor:
    break;
  }
  if (learnArrayType(object, type))
    return fromArray(object, argument);
  return fromOther(object, argument, storage);
}
