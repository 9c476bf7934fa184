//===- Values.cpp - Python objects as compile-time values -----------------===//

#include "Objects.h"

using namespace tritium::python;

namespace {

bool toInteger(PyObject *object, tritium_value &value) {
  value.kind = TRITIUM_INT;
  int overflow = 0;
  long long small = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (!overflow) {
    value.as.integer.low = static_cast<uint64_t>(small);
    value.as.integer.high = small < 0 ? -1 : 0;
    return !(small == -1 && PyErr_Occurred());
  }
  if (overflow > 0) {
    unsigned long long large = PyLong_AsUnsignedLongLong(object);
    if (!PyErr_Occurred()) {
      value.as.integer.low = large;
      value.as.integer.high = 0;
      return true;
    }
    PyErr_Clear();
  }
  PyErr_Format(PyExc_OverflowError, "the int %R does not fit in 64 bits", object);
  return false;
}

/// As deep as the cache on disk reads values back.
constexpr int maxDepth = 64;

bool toTuple(PyObject *object, tritium_value &value, ValueStorage &storage) {
  Nesting nesting;
  if (!nesting)
    return false;
  Ref items = Ref::steal(PySequence_Fast(object, "expected a tuple"));
  if (!items)
    return false;
  Py_ssize_t count = PySequence_Fast_GET_SIZE(items.get());
  auto values = std::make_unique<tritium_value[]>(static_cast<size_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i)
    if (!toValue(PySequence_Fast_GET_ITEM(items.get(), i), values[i], storage))
      return false;
  value.kind = TRITIUM_TUPLE;
  value.as.tuple = {values.get(), static_cast<size_t>(count)};
  storage.push_back({std::move(values), Ref()});
  return true;
}

/// Says why a text cannot be taken. Not part of the way that launches with texts go.
[[gnu::noinline, gnu::cold]] bool refuseText(PyObject *object) {
  if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError))
    return false;
  PyErr_Clear();
  PyErr_Format(PyExc_TypeError,
               "the text %A has a half of a surrogate pair, which stands for no character; "
               "kernels take text that can be encoded in UTF-8",
               object);
  return false;
}

bool toText(PyObject *object, tritium_value &value) {
  Py_ssize_t size = 0;
  value.as.string.data = PyUnicode_AsUTF8AndSize(object, &size);
  value.as.string.size = static_cast<size_t>(size);
  return value.as.string.data ? true : refuseText(object);
}

} // namespace

thread_local int Nesting::depth = 0;

Nesting::Nesting() : isAllowed(++depth <= maxDepth) {
  if (!isAllowed)
    PyErr_Format(PyExc_TypeError,
                 "it is a tuple or list that holds itself, or is nested more than %d deep",
                 maxDepth);
}

Nesting::~Nesting() { --depth; }

bool tritium::python::toValue(PyObject *object, tritium_value &value, ValueStorage &storage) {
  value = {};
  if (object == Py_None)
    return true;
  if (PyBool_Check(object)) {
    value.kind = TRITIUM_BOOL;
    value.as.boolean = object == Py_True;
    return true;
  }
  if (PyLong_Check(object))
    return toInteger(object, value);
  if (PyFloat_Check(object)) {
    value.kind = TRITIUM_FLOAT;
    value.as.number = PyFloat_AS_DOUBLE(object);
    return true;
  }
  if (PyUnicode_Check(object)) {
    value.kind = TRITIUM_STRING;
    return toText(object, value);
  }
  if (PyTuple_Check(object) || PyList_Check(object))
    return toTuple(object, value, storage);
  const Interned *names = interned();
  if (!names)
    return false;
  if (int is = PyObject_IsInstance(object, names->dtypeType)) {
    Ref text = Ref::steal(is > 0 ? PyObject_GetAttr(object, names->signature) : nullptr);
    const char *spelling = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
    value.kind = TRITIUM_DTYPE;
    if (spelling && tritium_dtype_parse(spelling, &value.as.dtype) == 0)
      return true;
    if (!PyErr_Occurred())
      PyErr_Format(PyExc_TypeError, "the type %R is of no use in a kernel", object);
    return false;
  }
  if (int is = PyObject_IsInstance(object, names->constexprType)) {
    Ref inner = Ref::steal(is > 0 ? PyObject_GetAttr(object, names->value) : nullptr);
    // The value outlives `inner`: the constexpr holds it.
    return inner && toValue(inner.get(), value, storage);
  }
  if (PyIndex_Check(object)) {
    Ref integer = Ref::steal(PyNumber_Index(object));
    return integer && toInteger(integer.get(), value);
  }
  Ref name = Ref::steal(PyObject_CallOneArg(names->nameOf, object));
  value.kind = TRITIUM_OBJECT;
  if (!name || !toText(name.get(), value))
    return false;
  storage.push_back({nullptr, std::move(name)});
  return true;
}

Ref tritium::python::fromValue(const tritium_value &value) {
  switch (value.kind) {
  case TRITIUM_NONE:
    return Ref::borrow(Py_None);
  case TRITIUM_BOOL:
    return Ref::borrow(value.as.boolean ? Py_True : Py_False);
  case TRITIUM_INT:
    if (value.as.integer.high == 0)
      return Ref::steal(PyLong_FromUnsignedLongLong(value.as.integer.low));
    return Ref::steal(PyLong_FromLongLong(static_cast<int64_t>(value.as.integer.low)));
  case TRITIUM_FLOAT:
    return Ref::steal(PyFloat_FromDouble(value.as.number));
  case TRITIUM_STRING:
    return Ref::steal(PyUnicode_FromStringAndSize(value.as.string.data,
                                                  static_cast<Py_ssize_t>(value.as.string.size)));
  case TRITIUM_DTYPE: {
    const Interned *names = interned();
    if (!names)
      return {};
    return Ref::steal(PyObject_CallMethod(names->dtypeType, "from_native", "iii",
                                          value.as.dtype.kind, value.as.dtype.pointer_depth,
                                          value.as.dtype.is_const));
  }
  case TRITIUM_TUPLE: {
    Ref tuple = Ref::steal(PyTuple_New(static_cast<Py_ssize_t>(value.as.tuple.count)));
    for (size_t i = 0; tuple && i < value.as.tuple.count; ++i) {
      Ref item = fromValue(value.as.tuple.items[i]);
      if (!item)
        return {};
      PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), item.release());
    }
    return tuple;
  }
  case TRITIUM_OBJECT: {
    const Interned *names = interned();
    Ref name = Ref::steal(PyUnicode_FromStringAndSize(
        value.as.string.data, static_cast<Py_ssize_t>(value.as.string.size)));
    return Ref::steal(names && name ? PyObject_CallOneArg(names->named, name.get()) : nullptr);
  }
  }
  return Ref::borrow(Py_None);
}
