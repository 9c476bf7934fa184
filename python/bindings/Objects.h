//===- Objects.h - shared by the files of the extension ---------*- C++ -*-===//
//
// The launcher's part of the extension speaks CPython's own interface: a launch costs
// a few hundred nanoseconds, and a binding library would double that.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_PYTHON_OBJECTS_H
#define TRITIUM_PYTHON_OBJECTS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "tritium/tritium.h"

#include <memory>
#include <string>
#include <vector>

namespace tritium::python {

/// An owned reference.
class Ref {
public:
  Ref() = default;
  static Ref steal(PyObject *object) { return Ref(object); }
  static Ref borrow(PyObject *object) {
    Py_XINCREF(object);
    return Ref(object);
  }
  Ref(Ref &&other) noexcept : object(other.release()) {}
  Ref &operator=(Ref &&other) noexcept {
    PyObject *old = object;
    object = other.release();
    Py_XDECREF(old);
    return *this;
  }
  Ref(const Ref &) = delete;
  Ref &operator=(const Ref &) = delete;
  ~Ref() { Py_XDECREF(object); }

  PyObject *get() const { return object; }
  PyObject *release() {
    PyObject *result = object;
    object = nullptr;
    return result;
  }
  explicit operator bool() const { return object != nullptr; }

private:
  explicit Ref(PyObject *object) : object(object) {}
  PyObject *object = nullptr;
};

/// Names of attributes and the Python side's functions, looked up once.
struct Interned {
  PyObject *classify;      ///< tritium._arguments.classify
  PyObject *elementType;   ///< tritium._arguments.element_type
  PyObject *torchType;     ///< tritium._arguments.torch_type
  PyObject *currentStream; ///< tritium._arguments.current_stream
  PyObject *raise;         ///< tritium.errors.from_native
  PyObject *nameOf;        ///< tritium._objects.name_of
  PyObject *named;         ///< tritium._objects.named
  PyObject *constexprType, *dtypeType;
  PyObject *value, *signature, *lookup, *prepare, *wrap;
  PyObject *environment; ///< the dict behind os.environ, bytes to bytes
};
/// Null with a Python error set if the package cannot be imported.
const Interned *interned();

/// What a value points to: the items of a tuple, or the name of an object.
struct HeldByValue {
  std::unique_ptr<tritium_value[]> items;
  Ref name;
};
/// Empty for most launches, which make and destroy one each: it costs them no more than a vector.
using ValueStorage = std::vector<HeldByValue>;

/// One more level of tuples in tuples, as long as it is there. False with TypeError set where that
/// is too deep: a list may hold itself.
class Nesting {
public:
  Nesting();
  Nesting(const Nesting &) = delete;
  Nesting &operator=(const Nesting &) = delete;
  ~Nesting();
  explicit operator bool() const { return isAllowed; }

private:
  static thread_local int depth;
  bool isAllowed;
};

/// A Python object as a compile-time value: None, bool, int, float, str, dtype,
/// constexpr, tuples and lists of these; any other one by its name. False with TypeError set if it
/// cannot be one.
bool toValue(PyObject *object, tritium_value &value, ValueStorage &storage);
Ref fromValue(const tritium_value &value);

/// What the arguments of one launch keep alive while it runs.
struct ArgumentStorage {
  std::vector<Ref> owners;
  std::vector<std::unique_ptr<tritium_value>> values;
  std::vector<std::unique_ptr<tritium_argument[]>> items; ///< of tuples and descriptors
  ValueStorage nested;
  /// The first array on a GPU: its device (-1: there is none), and who knows its stream.
  int device = -1;
  bool isTorch = false;
  Ref arrayOnGPU;            ///< unless it is torch's
  bool wantsExtents = false; ///< of arrays on GPUs, which a launch does not need
};

/// A Python object as an argument. False with a Python error set if it cannot be one.
bool toArgument(PyObject *object, tritium_argument &argument, ArgumentStorage &storage);

/// A scope that asks `resolver.lookup(name)`, as long as the resolver is there: it is
/// referred to weakly.
tritium_scope makeScope(PyObject *resolver);
/// The source that the Python tuple (name, file, line, offset, text, noinline,
/// identity, resolver) describes. The strings are borrowed from the tuple.
bool toSource(PyObject *description, tritium_source &source);

/// Raises the Python exception for `error` and clears it.
void raise(tritium_error &error);

/// Adds the types KernelBase and Launcher to the module.
bool addLauncherTypes(PyObject *module);

} // namespace tritium::python

#endif // TRITIUM_PYTHON_OBJECTS_H
