//===- Launcher.cpp - kernel[grid](...) -----------------------------------===//
//
// `kernel[grid]` is a Launcher, a callable with the vectorcall protocol. On the fast path a
// launch touches no Python code at all, and all of it is in this file: steps that are inlined
// into each other save some 10 of 600 ns.
//
//===----------------------------------------------------------------------===//

#include "DeviceArrays.h"
#include "KernelState.h"
#include "TunedLauncher.h"
#include "WithGIL.h"

#include <cstring>

using namespace tritium::python;

namespace {

struct LauncherObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  KernelObject *kernel;
  PyObject *gridFunction; ///< null: `grid` holds
  uint32_t grid[3];
};

PyTypeObject *launcherType = nullptr;
/// One launcher that is kept for the next `kernel[grid]`.
LauncherObject *spareLauncher = nullptr;

PyObject *raiseKind(const char *kind, const std::string &message) {
  const Interned *names = interned();
  if (!names)
    return nullptr;
  Ref exception = Ref::steal(PyObject_CallFunction(names->raise, "sssiis", kind, message.c_str(),
                                                   "", 0, 0, message.c_str()));
  if (exception)
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(exception.get())), exception.get());
  return nullptr;
}

std::string nameOf(PyObject *kernel) {
  Ref name = Ref::steal(PyObject_GetAttrString(kernel, "__name__"));
  const char *text = name ? PyUnicode_AsUTF8(name.get()) : nullptr;
  PyErr_Clear();
  return text ? text : "?";
}

/// Makes `current` the kernel for the settings that os.environ holds now.
bool selectKernel(PyObject *self, KernelState &state) {
  const Interned *names = interned();
  if (!names)
    return false;
  uint64_t version = versionOf(names->environment);
  if (version && version == state.environmentVersion) [[likely]]
    return true;
  if (!findKernel(self, state))
    return false;
  state.environmentVersion = version;
  return true;
}

bool checkWatches(KernelState &state) {
  for (const Watch &watch : state.watches)
    if (!isPlainlyUnchanged(watch)) [[unlikely]]
      return checkEachWatch(state);
  return true;
}

} // namespace

bool tritium::python::makeReady(PyObject *kernel, KernelState &state) {
  return checkWatches(state) && selectKernel(kernel, state);
}

//===-- Binding of arguments ----------------------------------------------===//

Py_ssize_t tritium::python::parameterIndex(const KernelState &state, PyObject *name) {
  for (size_t i = 0; i < state.names.size(); ++i)
    if (state.names[i].get() == name) [[likely]]
      return static_cast<Py_ssize_t>(i);
  // Names in a program's text are interned, so another pointer is another name.
  if (PyUnicode_CHECK_INTERNED(name))
    return -1;
  for (size_t i = 0; i < state.names.size(); ++i)
    if (PyUnicode_Compare(state.names[i].get(), name) == 0)
      return static_cast<Py_ssize_t>(i);
  return -1;
}

namespace {

bool addOption(KernelState &state, PyObject *name, PyObject *value, BoundCall &call) {
  tritium_option option = {};
  option.name = PyUnicode_AsUTF8(name);
  if (!option.name)
    return false;
  if (!toValue(value, option.value, call.storage.nested)) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError))
      return false;
    // An option that cannot be one: more likely a misspelt argument.
    PyErr_Clear();
    tritium_error error = {};
    tritium_kernel_unknown_name(state.kernel(), option.name, &error);
    raise(error);
    return false;
  }
  call.options.push_back(option);
  return true;
}

bool explainArgument(PyObject *self, KernelState &state, size_t index) {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  Ref owners[] = {Ref::steal(type), Ref::steal(value), Ref::steal(trace)};
  Ref text = Ref::steal(value ? PyObject_Str(value) : nullptr);
  const char *message = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  const char *parameter = PyUnicode_AsUTF8(state.names[index].get());
  if (type && (PyErr_GivenExceptionMatches(type, PyExc_TypeError) ||
               PyErr_GivenExceptionMatches(type, PyExc_OverflowError)))
    raiseKind("ArgumentError", "kernel '" + nameOf(self) + "': argument '" +
                                   (parameter ? parameter : "?") +
                                   "': " + (message ? message : ""));
  else
    PyErr_Restore(owners[0].release(), owners[1].release(), owners[2].release());
  return false;
}

} // namespace

bool tritium::python::bindGiven(PyObject *self, KernelState &state, PyObject *const *args,
                                Py_ssize_t positional, PyObject *keywords, BoundCall &call) {
  size_t parameters = state.names.size();
  if (static_cast<size_t>(positional) > parameters) {
    raiseKind("ArgumentError", "kernel '" + nameOf(self) + "' takes " + std::to_string(parameters) +
                                   " arguments, but got " + std::to_string(positional));
    return false;
  }
  if (parameters > std::size(call.inlineArguments)) {
    call.more = std::make_unique<tritium_argument[]>(parameters);
    call.arguments = call.more.get();
  }
  call.count = parameters;
  for (size_t i = 0; i < parameters; ++i)
    call.arguments[i] = {};
  for (Py_ssize_t i = 0; i < positional; ++i)
    if (!toArgument(args[i], call.arguments[i], call.storage))
      return explainArgument(self, state, static_cast<size_t>(i));
  Py_ssize_t named = keywords ? PyTuple_GET_SIZE(keywords) : 0;
  for (Py_ssize_t i = 0; i < named; ++i) {
    PyObject *name = PyTuple_GET_ITEM(keywords, i), *value = args[positional + i];
    Py_ssize_t index = parameterIndex(state, name);
    if (index < 0) {
      if (!addOption(state, name, value, call))
        return false;
      continue;
    }
    if (call.arguments[index].kind != TRITIUM_ARG_ABSENT) {
      const char *text = PyUnicode_AsUTF8(name);
      raiseKind("ArgumentError",
                "kernel '" + nameOf(self) + "' got argument '" + (text ? text : "?") + "' twice");
      return false;
    }
    if (!toArgument(value, call.arguments[index], call.storage))
      return explainArgument(self, state, static_cast<size_t>(index));
  }
  return true;
}

bool tritium::python::bindDefaults(PyObject *self, KernelState &state, BoundCall &call) {
  for (size_t i = 0; i < call.count; ++i)
    if (call.arguments[i].kind == TRITIUM_ARG_ABSENT && state.defaults[i])
      if (!toArgument(state.defaults[i].get(), call.arguments[i], call.storage))
        return explainArgument(self, state, i);
  return true;
}

bool tritium::python::bind(PyObject *self, KernelState &state, PyObject *const *args,
                           Py_ssize_t positional, PyObject *keywords, BoundCall &call) {
  return bindGiven(self, state, args, positional, keywords, call) &&
         bindDefaults(self, state, call);
}

//===-- Grid --------------------------------------------------------------===//

namespace {

bool gridError(PyObject *kernel, PyObject *grid, const char *rule) {
  PyErr_Clear();
  Ref text = Ref::steal(PyObject_Repr(grid));
  const char *shown = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  PyErr_Clear();
  raiseKind("GridError",
            "kernel '" + nameOf(kernel) + "': the grid " + (shown ? shown : "?") + " " + rule);
  return false;
}

bool toDimension(PyObject *object, uint32_t &result) {
  long long value;
  if (PyLong_CheckExact(object)) [[likely]] {
    value = PyLong_AsLongLong(object);
  } else {
    Ref integer = Ref::steal(PyIndex_Check(object) ? PyNumber_Index(object) : nullptr);
    if (!integer)
      return false;
    value = PyLong_AsLongLong(integer.get());
  }
  if (value < 0 || value > INT32_MAX)
    return false;
  result = static_cast<uint32_t>(value);
  return true;
}

} // namespace

bool tritium::python::toGrid(PyObject *kernel, PyObject *object, uint32_t grid[3]) {
  grid[0] = grid[1] = grid[2] = 1;
  constexpr const char *rule = "must be one to three ints, each from 0 to 2147483647";
  if (!PyTuple_Check(object) && !PyList_Check(object))
    return toDimension(object, grid[0]) || gridError(kernel, object, rule);
  Py_ssize_t count = PySequence_Fast_GET_SIZE(object);
  if (count < 1 || count > 3)
    return gridError(kernel, object,
                     count ? "has more than three dimensions" : "has no dimensions");
  for (Py_ssize_t axis = 0; axis < count; ++axis)
    if (!toDimension(PySequence_Fast_GET_ITEM(object, axis), grid[axis]))
      return gridError(kernel, object, rule);
  return true;
}

/// A dict of all parameters with their defaults; those that have none are Ellipsis.
static PyObject *parametersByName(KernelState &state) {
  if (state.named)
    return state.named.get();
  Ref made = Ref::steal(PyDict_New());
  for (size_t i = 0; made && i < state.names.size(); ++i)
    if (PyDict_SetItem(made.get(), state.names[i].get(),
                       state.defaults[i] ? state.defaults[i].get() : Py_Ellipsis) < 0)
      return nullptr;
  state.named = std::move(made);
  return state.named.get();
}

bool tritium::python::computeGrid(PyObject *kernel, PyObject *gridFunction, PyObject *const *args,
                                  Py_ssize_t positional, PyObject *keywords, PyObject *more,
                                  uint32_t grid[3]) {
  KernelState &state = stateOf(kernel);
  // A copy of a dict that has the keys already costs half of one that grows.
  PyObject *parameters = parametersByName(state);
  Ref named = Ref::steal(parameters ? PyDict_Copy(parameters) : nullptr);
  if (!named)
    return false;
  for (Py_ssize_t i = 0; i < positional; ++i)
    if (PyDict_SetItem(named.get(), state.names[static_cast<size_t>(i)].get(), args[i]) < 0)
      return false;
  Py_ssize_t count = keywords ? PyTuple_GET_SIZE(keywords) : 0;
  for (Py_ssize_t i = 0; i < count; ++i)
    if (PyDict_SetItem(named.get(), PyTuple_GET_ITEM(keywords, i), args[positional + i]) < 0)
      return false;
  if (more && PyDict_Update(named.get(), more) < 0)
    return false;
  for (size_t i = static_cast<size_t>(positional); i < state.names.size(); ++i) {
    PyObject *name = state.names[i].get();
    if (!state.defaults[i] && PyDict_GetItem(named.get(), name) == Py_Ellipsis &&
        PyDict_DelItem(named.get(), name) < 0)
      return false;
  }
  Ref computed = Ref::steal(PyObject_CallOneArg(gridFunction, named.get()));
  return computed && toGrid(kernel, computed.get(), grid);
}

//===-- Launch ------------------------------------------------------------===//

PyObject *tritium::python::wrapVariant(KernelState &state, tritium_compiled *compiled) {
  if (auto known = state.wrapped.find(compiled); known != state.wrapped.end()) [[likely]]
    return Py_NewRef(known->second.get());
  Ref wrapped = Ref::steal(wrapCompiled(compiled, state.scopes.get()));
  if (!wrapped)
    return nullptr;
  // Another thread may have been here while Python made the object.
  auto [entry, isNew] = state.wrapped.emplace(compiled, std::move(wrapped));
  if (isNew)
    tritium_compiled_retain(compiled);
  return Py_NewRef(entry->second.get());
}

PyObject *tritium::python::run(KernelState &state, const BoundCall &call, const uint32_t grid[3]) {
  void *stream = nullptr;
  if (!currentStream(call.storage, stream))
    return nullptr;
  tritium_kernel *native = state.kernel();
  tritium_compiled *compiled = nullptr;
  tritium_error error = {};
  int status;
  {
    WithoutGIL release;
    status = tritium_kernel_launch_on(native, call.arguments, call.count, call.options.data(),
                                      call.options.size(), grid, stream, &compiled, &error);
  }
  if (status != 0) {
    raise(error);
    return nullptr;
  }
  if (PyErr_CheckSignals() < 0)
    return nullptr;
  return wrapVariant(state, compiled);
}

namespace {

PyObject *launch(PyObject *callable, PyObject *const *args, size_t flaggedCount,
                 PyObject *keywords) {
  auto *launcher = reinterpret_cast<LauncherObject *>(callable);
  auto *kernel = reinterpret_cast<PyObject *>(launcher->kernel);
  KernelState &state = *launcher->kernel->state;
  Py_ssize_t positional = PyVectorcall_NARGS(flaggedCount);
  if (!makeReady(kernel, state))
    return nullptr;
  BoundCall call;
  if (!bind(kernel, state, args, positional, keywords, call))
    return nullptr;
  uint32_t grid[3] = {launcher->grid[0], launcher->grid[1], launcher->grid[2]};
  if (launcher->gridFunction &&
      !computeGrid(kernel, launcher->gridFunction, args, positional, keywords, nullptr, grid))
    return nullptr;
  return run(state, call, grid);
}

} // namespace

PyObject *tritium::python::launcherFor(PyObject *self, PyObject *grid) {
  LauncherObject *launcher = spareLauncher;
  if (launcher) {
    spareLauncher = nullptr;
    PyObject_Init(reinterpret_cast<PyObject *>(launcher), launcherType);
  } else {
    launcher = PyObject_New(LauncherObject, launcherType);
    if (!launcher)
      return nullptr;
  }
  launcher->vectorcall = launch;
  launcher->kernel = reinterpret_cast<KernelObject *>(Py_NewRef(self));
  launcher->gridFunction = nullptr;
  Ref result = Ref::steal(reinterpret_cast<PyObject *>(launcher));
  if (!PyTuple_Check(grid) && PyCallable_Check(grid))
    launcher->gridFunction = Py_NewRef(grid);
  else if (!toGrid(self, grid, launcher->grid))
    return nullptr;
  return result.release();
}

namespace {

void freeLauncher(PyObject *self) {
  auto *launcher = reinterpret_cast<LauncherObject *>(self);
  PyTypeObject *type = Py_TYPE(self);
  Py_CLEAR(launcher->gridFunction);
  Py_CLEAR(launcher->kernel);
  if (!spareLauncher)
    spareLauncher = launcher;
  else
    PyObject_Free(launcher);
  Py_DECREF(type);
}

/// kernel[grid].NAME(*args, **keywords): kernel.NAME(grid, *args, **keywords).
PyObject *callMethod(const char *name, PyObject *self, PyObject *const *args, Py_ssize_t positional,
                     PyObject *keywords) {
  auto *launcher = reinterpret_cast<LauncherObject *>(self);
  auto *kernel = reinterpret_cast<PyObject *>(launcher->kernel);
  Ref grid = launcher->gridFunction
                 ? Ref::borrow(launcher->gridFunction)
                 : Ref::steal(Py_BuildValue("(III)", launcher->grid[0], launcher->grid[1],
                                            launcher->grid[2]));
  Ref method = Ref::steal(grid ? PyObject_GetAttrString(kernel, name) : nullptr);
  if (!method)
    return nullptr;
  std::vector<PyObject *> all = {grid.get()};
  all.insert(all.end(), args, args + positional + (keywords ? PyTuple_GET_SIZE(keywords) : 0));
  return PyObject_Vectorcall(method.get(), all.data(), static_cast<size_t>(positional) + 1,
                             keywords);
}

PyObject *simulate(PyObject *self, PyObject *const *args, Py_ssize_t positional,
                   PyObject *keywords) {
  return callMethod("simulate", self, args, positional, keywords);
}

PyObject *explain(PyObject *self, PyObject *const *args, Py_ssize_t positional,
                  PyObject *keywords) {
  return callMethod("explain", self, args, positional, keywords);
}

PyMethodDef launcherMethods[] = {
    {"explain", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(explain)),
     METH_FASTCALL | METH_KEYWORDS,
     "explain(*args, **kwargs): kernel.explain(grid, *args, **kwargs)."},
    {"simulate", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(simulate)),
     METH_FASTCALL | METH_KEYWORDS,
     "simulate(*args, **kwargs): kernel.simulate(grid, *args, **kwargs)."},
    {nullptr, nullptr, 0, nullptr}};

template <typename T> void *slot(T *function) { return reinterpret_cast<void *>(function); }

} // namespace

bool tritium::python::addLauncherTypes(PyObject *module) {
  static PyMemberDef launcherMembers[] = {
      {"__vectorcalloffset__", T_PYSSIZET, offsetof(LauncherObject, vectorcall), READONLY, nullptr},
      {nullptr, 0, 0, 0, nullptr}};
  static PyType_Slot launcherSlots[] = {{Py_tp_dealloc, slot(freeLauncher)},
                                        {Py_tp_call, slot(PyVectorcall_Call)},
                                        {Py_tp_members, launcherMembers},
                                        {Py_tp_methods, launcherMethods},
                                        {0, nullptr}};
  static PyType_Spec launcherSpec = {"tritium._C.Launcher", sizeof(LauncherObject), 0,
                                     Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL |
                                         Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                     launcherSlots};
  launcherType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&launcherSpec));
  return launcherType && addKernelType(module) &&
         PyModule_AddObjectRef(module, "Launcher", reinterpret_cast<PyObject *>(launcherType)) ==
             0 &&
         addTunedLauncherTypes(module);
}
