//===- KernelBase.cpp - the type that kernels derive from -----------------===//
//
// KernelBase is what tritium.JITFunction derives from: it owns the native kernels. What a launch
// does each time is in Launcher.cpp.
//
//===----------------------------------------------------------------------===//

#include "KernelState.h"
#include "WithGIL.h"

using namespace tritium::python;

//===-- Native kernels ----------------------------------------------------===//

namespace {

/// The environment variables that choose how kernels run and what is compiled for them, as
/// os.environ holds them.
std::vector<PyObject *> settingKeys;

/// Names of parameters, as the native configuration takes them.
std::vector<const char *> toNames(PyObject *tuple) {
  std::vector<const char *> names;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i)
    if (const char *name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(tuple, i)))
      names.push_back(name);
  return names;
}

/// Creates the native kernel for the settings of now. Asks the Python side's
/// `_prepare()` for (source, do_not_specialize, ..._on_alignment, debug).
bool createKernel(PyObject *self, KernelState &state) {
  const Interned *names = interned();
  Ref prepared = Ref::steal(names ? PyObject_CallMethodNoArgs(self, names->prepare) : nullptr);
  PyObject *description, *values, *alignments;
  int debug;
  if (!prepared || !PyArg_ParseTuple(prepared.get(), "OO!O!i", &description, &PyTuple_Type, &values,
                                     &PyTuple_Type, &alignments, &debug))
    return false;
  std::vector<const char *> valueNames = toNames(values), alignmentNames = toNames(alignments);
  tritium_kernel_config config = {};
  config.debug = debug;
  config.do_not_specialize = valueNames.data();
  config.do_not_specialize_count = valueNames.size();
  config.do_not_specialize_on_alignment = alignmentNames.data();
  config.do_not_specialize_on_alignment_count = alignmentNames.size();
  tritium_source source;
  if (!toSource(description, source))
    return false;
  tritium_error error = {};
  Configured configured;
  for (PyObject *key : settingKeys)
    configured.settings.push_back(Ref::borrow(PyDict_GetItem(names->environment, key)));
  // Reading the signature may look up names that defaults use.
  {
    WithoutGIL release;
    configured.kernel = tritium_kernel_create(&source, &config, &error);
  }
  if (!configured.kernel) {
    raise(error);
    return false;
  }
  if (!state.scopes && !(state.scopes = Ref::steal(PyObject_GetAttrString(self, "_names"))))
    return false;
  if (state.names.empty()) {
    Ref defaults = Ref::steal(PyObject_GetAttrString(self, "_defaults"));
    if (!defaults)
      return false;
    for (size_t i = 0; i < tritium_kernel_parameter_count(configured.kernel); ++i) {
      Ref name = Ref::steal(
          PyUnicode_InternFromString(tritium_kernel_parameter(configured.kernel, i)->name));
      state.defaults.push_back(Ref::borrow(PyDict_GetItem(defaults.get(), name.get())));
      state.names.push_back(std::move(name));
    }
  }
  state.kernels.push_back(std::move(configured));
  state.current = state.kernels.size() - 1;
  return true;
}

bool isSame(PyObject *a, PyObject *b) {
  return a == b || (a && b && PyObject_RichCompareBool(a, b, Py_EQ) == 1);
}

} // namespace

bool tritium::python::findKernel(PyObject *self, KernelState &state) {
  const Interned *names = interned();
  auto matches = [&](const Configured &configured, auto same) {
    if (configured.isOutdated)
      return false;
    for (size_t i = 0; i < settingKeys.size(); ++i)
      if (!same(configured.settings[i].get(), PyDict_GetItem(names->environment, settingKeys[i])))
        return false;
    return true;
  };
  auto isIdentical = [](PyObject *a, PyObject *b) { return a == b; };
  bool isFound = !state.kernels.empty() && matches(state.kernels[state.current], isIdentical);
  for (size_t i = 0; i < state.kernels.size() && !isFound; ++i)
    if (matches(state.kernels[i], isSame)) {
      state.current = i;
      isFound = true;
    }
  return isFound || createKernel(self, state);
}

//===-- What is watched ---------------------------------------------------===//

namespace {

/// All that a list or dict holds, as a Watch has it.
Ref contentOf(PyObject *container) {
  if (PyList_Check(container))
    return Ref::steal(PyList_AsTuple(container));
  Ref content = Ref::steal(PyTuple_New(2 * PyDict_GET_SIZE(container)));
  PyObject *key, *value;
  Py_ssize_t position = 0;
  for (Py_ssize_t at = 0; content && PyDict_Next(container, &position, &key, &value); at += 2) {
    PyTuple_SET_ITEM(content.get(), at, Py_NewRef(key));
    PyTuple_SET_ITEM(content.get(), at + 1, Py_NewRef(value));
  }
  return content;
}

/// Whether a list or dict holds the objects of a tuple, and no others.
bool holdsExactly(PyObject *container, PyObject *content) {
  Py_ssize_t at = 0, count = PyTuple_GET_SIZE(content);
  if (PyList_Check(container)) {
    for (; at < count && at < PyList_GET_SIZE(container); ++at)
      if (PyList_GET_ITEM(container, at) != PyTuple_GET_ITEM(content, at))
        return false;
    return at == count && at == PyList_GET_SIZE(container);
  }
  PyObject *key, *value;
  Py_ssize_t position = 0;
  for (; PyDict_Next(container, &position, &key, &value); at += 2)
    if (at >= count || PyTuple_GET_ITEM(content, at) != key ||
        PyTuple_GET_ITEM(content, at + 1) != value)
      return false;
  return at == count;
}

/// Whether what is watched is as it was. False with a Python error set if a function raises.
bool isUnchanged(const Watch &watch) {
  PyObject *container = watch.container.get();
  if (PyCell_Check(container))
    return PyCell_GET(container) == watch.value.get();
  if (watch.key)
    return PyDict_GetItem(container, watch.key.get()) == watch.value.get();
  if (watch.value)
    return holdsExactly(container, watch.value.get());
  Ref answer = Ref::steal(PyObject_CallNoArgs(container));
  return answer.get() == Py_True;
}

} // namespace

bool tritium::python::checkEachWatch(KernelState &state) {
  for (size_t i = 0; i < state.watches.size(); ++i) {
    if (isPlainlyUnchanged(state.watches[i]))
      continue;
    // A function may launch, and so compile, this kernel, which changes `watches`.
    Ref container = Ref::borrow(state.watches[i].container.get());
    uint64_t version = PyDict_Check(container.get()) ? versionOf(container.get()) : 0;
    if (isUnchanged(state.watches[i])) {
      if (i < state.watches.size() && state.watches[i].container.get() == container.get())
        state.watches[i].version = version;
      continue;
    }
    if (PyErr_Occurred())
      return false;
    // Releasing an object may run code that comes back here.
    std::vector<Watch> old = std::move(state.watches);
    state.watches.clear();
    state.watched.clear();
    for (Configured &configured : state.kernels)
      tritium_kernel_invalidate(configured.kernel);
    return true;
  }
  return true;
}

//===-- The type ----------------------------------------------------------===//

namespace {

PyObject *newKernel(PyTypeObject *type, PyObject *, PyObject *) {
  PyObject *self = type->tp_alloc(type, 0);
  if (self)
    reinterpret_cast<KernelObject *>(self)->state = new KernelState;
  return self;
}

int traverseKernel(PyObject *self, visitproc visit, void *arg) {
  const KernelState &state = stateOf(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(state.scopes.get());
  Py_VISIT(state.named.get());
  for (const Ref &value : state.defaults)
    Py_VISIT(value.get());
  for (const Watch &watch : state.watches) {
    Py_VISIT(watch.container.get());
    Py_VISIT(watch.value.get());
  }
  for (const auto &[compiled, object] : state.wrapped)
    Py_VISIT(object.get());
  return 0;
}

/// Drops what may lead back here. The kernel can still be launched.
int clearKernel(PyObject *self) {
  KernelState &state = stateOf(self);
  Ref named = std::move(state.named);
  std::vector<Watch> watches = std::move(state.watches);
  state.watches.clear();
  state.watched.clear();
  auto wrapped = std::move(state.wrapped);
  state.wrapped.clear();
  for (auto &[compiled, object] : wrapped)
    tritium_compiled_release(compiled);
  return 0;
}

void freeKernel(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  delete reinterpret_cast<KernelObject *>(self)->state;
  type->tp_free(self);
  Py_DECREF(type);
}

/// _compile(*args, **kwargs): the variant for these arguments, without running it.
PyObject *compileKernel(PyObject *self, PyObject *const *args, Py_ssize_t positional,
                        PyObject *keywords) {
  KernelState &state = stateOf(self);
  BoundCall call;
  if (!makeReady(self, state) || !bind(self, state, args, positional, keywords, call))
    return nullptr;
  tritium_kernel *native = state.kernel();
  tritium_error error = {};
  tritium_compiled *compiled;
  {
    WithoutGIL release;
    compiled = tritium_kernel_compile(native, call.arguments, call.count, call.options.data(),
                                      call.options.size(), &error);
  }
  if (!compiled) {
    raise(error);
    return nullptr;
  }
  PyObject *wrapped = wrapVariant(state, compiled);
  tritium_compiled_release(compiled);
  return wrapped;
}

/// _candidate(grid, args, kwargs): the launch as a PendingCall, for the tuner.
PyObject *makeCandidate(PyObject *self, PyObject *const *parts, Py_ssize_t count) {
  if (count != 3 || !PyTuple_Check(parts[1]) || !PyDict_Check(parts[2])) {
    PyErr_SetString(PyExc_TypeError, "_candidate takes a grid, a tuple and a dict");
    return nullptr;
  }
  KernelState &state = stateOf(self);
  if (!makeReady(self, state))
    return nullptr;
  auto pending = std::make_unique<PendingCall>();
  pending->call.storage.wantsExtents = true;
  std::vector<PyObject *> all;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(parts[1]); ++i)
    all.push_back(PyTuple_GET_ITEM(parts[1], i));
  Ref names = Ref::steal(PyTuple_New(PyDict_Size(parts[2])));
  PyObject *name, *value;
  Py_ssize_t position = 0;
  for (Py_ssize_t i = 0; names && PyDict_Next(parts[2], &position, &name, &value); ++i) {
    PyTuple_SET_ITEM(names.get(), i, Py_NewRef(name));
    all.push_back(value);
  }
  Py_ssize_t positional = PyTuple_GET_SIZE(parts[1]);
  if (!names || !bind(self, state, all.data(), positional, names.get(), pending->call))
    return nullptr;
  bool isFunction = !PyTuple_Check(parts[0]) && PyCallable_Check(parts[0]);
  if (isFunction ? !computeGrid(self, parts[0], all.data(), positional, names.get(), nullptr,
                                pending->grid)
                 : !toGrid(self, parts[0], pending->grid))
    return nullptr;
  pending->kernel = Ref::borrow(self);
  pending->arguments = Ref::borrow(parts[1]);
  pending->keywords = Ref::borrow(parts[2]);
  pending->native = state.kernel();
  tritium_kernel_retain(pending->native);
  PyObject *capsule = PyCapsule_New(pending.get(), PendingCall::capsule, [](PyObject *object) {
    delete static_cast<PendingCall *>(PyCapsule_GetPointer(object, PendingCall::capsule));
  });
  if (capsule)
    pending.release();
  return capsule;
}

/// _watch(dict or cell, key, value), _watch(list or dict), _watch(function): see Watch.
PyObject *watch(PyObject *self, PyObject *const *args, Py_ssize_t count) {
  bool isWhole = count == 1 && (PyList_Check(args[0]) || PyDict_Check(args[0]));
  bool isPart = count == 3 && (PyDict_Check(args[0]) || PyCell_Check(args[0]));
  if (!isWhole && !isPart && !(count == 1 && PyCallable_Check(args[0]))) {
    PyErr_SetString(PyExc_TypeError, "_watch takes a dict or cell, a key and a value, or a list, "
                                     "dict or function alone");
    return nullptr;
  }
  KernelState &state = stateOf(self);
  PyObject *key = isPart ? args[1] : nullptr;
  if (state.watched.count({args[0], key}))
    Py_RETURN_NONE;
  Ref value = isPart ? Ref::borrow(args[2]) : isWhole ? contentOf(args[0]) : Ref();
  if (isWhole && !value)
    return nullptr;
  state.watched.emplace(args[0], key);
  state.watches.push_back({Ref::borrow(args[0]), Ref::borrow(key), std::move(value)});
  Py_RETURN_NONE;
}

/// _handle(): the address of the native kernel, made if need be.
PyObject *handle(PyObject *self, PyObject *) {
  KernelState &state = stateOf(self);
  if (!makeReady(self, state))
    return nullptr;
  return PyLong_FromVoidPtr(state.kernel());
}

/// _forget(): the next launch makes the native kernel anew, of the text that is then there. Those
/// that are there may be in use, and stay.
PyObject *forget(PyObject *self, PyObject *) {
  KernelState &state = stateOf(self);
  for (Configured &configured : state.kernels)
    configured.isOutdated = true;
  state.environmentVersion = 0;
  Py_RETURN_NONE;
}

PyMethodDef kernelMethods[] = {
    {"_compile", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(compileKernel)),
     METH_FASTCALL | METH_KEYWORDS, nullptr},
    {"_watch", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(watch)), METH_FASTCALL,
     nullptr},
    {"_candidate", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(makeCandidate)),
     METH_FASTCALL, nullptr},
    {"_handle", handle, METH_NOARGS, nullptr},
    {"_forget", forget, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

template <typename T> void *slot(T *function) { return reinterpret_cast<void *>(function); }

} // namespace

bool tritium::python::addKernelType(PyObject *module) {
  for (size_t i = 0; i < tritium_setting_count(); ++i) {
    tritium_setting setting = tritium_setting_at(i);
    std::string_view effect = setting.effect;
    if (effect != "kernel" && effect != "code")
      continue;
    settingKeys.push_back(PyBytes_FromString(setting.variable));
    if (!settingKeys.back())
      return false;
  }
  static PyType_Slot slots[] = {{Py_tp_new, slot(newKernel)},
                                {Py_tp_dealloc, slot(freeKernel)},
                                {Py_tp_traverse, slot(traverseKernel)},
                                {Py_tp_clear, slot(clearKernel)},
                                {Py_mp_subscript, slot(launcherFor)},
                                {Py_tp_methods, kernelMethods},
                                {0, nullptr}};
  static PyType_Spec spec = {"tritium._C.KernelBase", sizeof(KernelObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
  Ref type = Ref::steal(PyType_FromSpec(&spec));
  return type && PyModule_AddObjectRef(module, "KernelBase", type.get()) == 0;
}
