//===- Scope.cpp - Python names for the compiler --------------------------===//
//
// The compiler asks on its own thread, without the GIL; every callback here takes it.
// What a name stands for is decided in Python (tritium._scope); this file only carries
// the answer over.
//
//===----------------------------------------------------------------------===//

#include "Objects.h"
#include "WithGIL.h"

#include <string_view>

using namespace tritium::python;

namespace {

void releaseObject(void *object) {
  if (!Py_IsInitialized())
    return;
  WithGIL gil;
  Py_DECREF(static_cast<PyObject *>(object));
}

/// The pending exception as text.
std::string takeException() {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  Ref owners[] = {Ref::steal(type), Ref::steal(value), Ref::steal(trace)};
  Ref text = Ref::steal(value ? PyObject_Str(value) : nullptr);
  const char *message = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  std::string name = type ? reinterpret_cast<PyTypeObject *>(type)->tp_name : "exception";
  std::string result = name + ": " + (message ? message : "");
  PyErr_Clear();
  return result;
}

/// What a function returns for arguments of which the last ones are given by name.
Ref callObject(PyObject *function, const tritium_value *arguments, size_t count,
               const char *const *keywords, size_t keywordCount) {
  size_t positional = count - keywordCount;
  Ref tuple = Ref::steal(PyTuple_New(static_cast<Py_ssize_t>(positional)));
  Ref named = Ref::steal(PyDict_New());
  for (size_t i = 0; tuple && named && i < count; ++i) {
    Ref item = fromValue(arguments[i]);
    if (!item)
      return {};
    if (i < positional)
      PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), item.release());
    else if (PyDict_SetItemString(named.get(), keywords[i - positional], item.get()) < 0)
      return {};
  }
  return Ref::steal(tuple && named ? PyObject_Call(function, tuple.get(), named.get()) : nullptr);
}

int callHostFunction(void *user, const tritium_value *arguments, size_t count,
                     const char *const *keywords, size_t keywordCount, tritium_call *call) {
  WithGIL gil;
  Ref result = callObject(static_cast<PyObject *>(user), arguments, count, keywords, keywordCount);
  ValueStorage storage;
  tritium_value value;
  if (!result || !toValue(result.get(), value, storage)) {
    tritium_call_set_error(call, takeException().c_str());
    return 1;
  }
  tritium_call_set_result(call, &value);
  return 0;
}

/// Hands (tag, ...) over. False with a Python error set if it is malformed.
bool setExternal(PyObject *answer, tritium_external *external) {
  const char *tag = PyTuple_Check(answer) ? PyUnicode_AsUTF8(PyTuple_GetItem(answer, 0)) : nullptr;
  PyObject *payload = tag ? PyTuple_GetItem(answer, 1) : nullptr;
  if (!payload)
    return false;
  std::string_view kind = tag;
  if (kind == "constant") {
    ValueStorage storage;
    tritium_value value;
    if (!toValue(payload, value, storage))
      return false;
    tritium_external_set_constant(external, &value);
    return true;
  }
  if (kind == "function") {
    tritium_source source;
    if (!toSource(payload, source))
      return false;
    tritium_external_set_function(external, &source);
    return true;
  }
  if (kind == "module") {
    tritium_external_set_module(external, nullptr, makeScope(payload));
    return true;
  }
  const char *text = PyUnicode_AsUTF8(payload);
  if (!text)
    return false;
  if (kind == "object") {
    PyObject *scope = PyTuple_GetItem(answer, 2);
    if (!scope)
      return false;
    tritium_external_set_module(external, text, makeScope(scope));
    return true;
  }
  if (kind == "library")
    tritium_external_set_library(external, text);
  else if (kind == "library_module")
    tritium_external_set_library_module(external, text);
  else if (kind == "unusable")
    tritium_external_set_unusable(external, text);
  else if (PyObject *function = PyTuple_GetItem(answer, 2))
    tritium_external_set_host_function(external, text, callHostFunction, Py_NewRef(function),
                                       releaseObject);
  return !PyErr_Occurred();
}

/// What a weak reference refers to; null: nothing any more.
Ref strong(PyObject *weak) {
#if PY_VERSION_HEX >= 0x030D0000
  PyObject *object = nullptr;
  PyWeakref_GetRef(weak, &object);
  return Ref::steal(object);
#else
  PyObject *object = PyWeakref_GetObject(weak);
  return Ref::borrow(object == Py_None ? nullptr : object);
#endif
}

int lookup(void *user, const char *name, tritium_external *external) {
  WithGIL gil;
  const Interned *names = interned();
  Ref resolver = strong(static_cast<PyObject *>(user));
  if (!resolver) {
    tritium_external_set_unusable(external, "the kernel that uses it is gone");
    return 1;
  }
  Ref key = Ref::steal(PyUnicode_InternFromString(name));
  Ref answer = Ref::steal(
      names && key ? PyObject_CallMethodOneArg(resolver.get(), names->lookup, key.get()) : nullptr);
  if (answer.get() == Py_None)
    return 0;
  if (!answer || !setExternal(answer.get(), external))
    tritium_external_set_unusable(external, takeException().c_str());
  return 1;
}

} // namespace

tritium_scope tritium::python::makeScope(PyObject *resolver) {
  return {PyWeakref_NewRef(resolver, nullptr), lookup, releaseObject};
}

bool tritium::python::toSource(PyObject *description, tritium_source &source) {
  PyObject *identity = nullptr, *resolver = nullptr;
  source = {};
  if (!PyArg_ParseTuple(description, "ssiispOO", &source.name, &source.file, &source.first_line,
                        &source.column_offset, &source.text, &source.is_noinline, &identity,
                        &resolver))
    return false;
  source.identity = identity;
  source.scope = makeScope(resolver);
  return true;
}
