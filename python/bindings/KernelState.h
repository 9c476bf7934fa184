//===- KernelState.h - what a Python kernel holds ---------------*- C++ -*-===//

#ifndef TRITIUM_PYTHON_KERNELSTATE_H
#define TRITIUM_PYTHON_KERNELSTATE_H

#include "Launcher.h"

#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace tritium::python {

/// A native kernel, made under certain settings.
struct Configured {
  std::vector<Ref> settings; ///< bytes, in the order of settingKeys; null: not set
  tritium_kernel *kernel = nullptr;
  bool isOutdated = false; ///< the kernel's text is another one
};

/// What the compiled variants depend on. `container[key]`, or the content of a closure's cell, was
/// `value`. Without a key: all that a list or dict held is in the tuple `value`, of a dict keys and
/// values by turns; a function said True.
struct Watch {
  Ref container, key, value;
  uint64_t version = 0; ///< of a dict in which this was so
};

/// Tells watches apart by their container and key.
struct WatchHash {
  size_t operator()(const std::pair<PyObject *, PyObject *> &watch) const {
    return std::hash<PyObject *>()(watch.first) * 31 + std::hash<PyObject *>()(watch.second);
  }
};

struct KernelState {
  std::vector<Ref> names;    ///< of the parameters, interned
  std::vector<Ref> defaults; ///< their default values; null: none
  Ref scopes;                ///< the tritium._scope.Names, which variants keep, too
  Ref named;                 ///< dict of both; copies of it become arguments by name
  std::vector<Configured> kernels;
  size_t current = 0;
  uint64_t environmentVersion = 0; ///< of os.environ when `current` was chosen
  std::vector<Watch> watches;
  /// The containers and keys of `watches`.
  std::unordered_set<std::pair<PyObject *, PyObject *>, WatchHash> watched;
  std::unordered_map<tritium_compiled *, Ref> wrapped; ///< retained, with their objects

  tritium_kernel *kernel() const { return kernels.empty() ? nullptr : kernels[current].kernel; }
  ~KernelState() {
    for (auto &[compiled, object] : wrapped)
      tritium_compiled_release(compiled);
    for (Configured &configured : kernels)
      tritium_kernel_release(configured.kernel);
  }
};

struct KernelObject {
  PyObject_HEAD KernelState *state;
};

/// What `kernel`, a KernelBase, holds.
inline KernelState &stateOf(PyObject *kernel) {
  return *reinterpret_cast<KernelObject *>(kernel)->state;
}

/// A number that is another one after each change of a dict; 0 where Python counts none.
inline uint64_t versionOf(PyObject *dict) {
#if PY_VERSION_HEX < 0x030D0000
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  return reinterpret_cast<PyDictObject *>(dict)->ma_version_tag;
#pragma GCC diagnostic pop
#else
  (void)dict;
  return 0;
#endif
}

/// Whether it is plain that what is watched is as it was.
inline bool isPlainlyUnchanged(const Watch &watch) {
  PyObject *container = watch.container.get();
  if (PyDict_Check(container)) [[likely]] {
    uint64_t version = versionOf(container);
    return version && version == watch.version;
  }
  return PyCell_Check(container) && PyCell_GET(container) == watch.value.get();
}

// The steps of a launch, in their order. Each is false, with a Python error set, on failure.

/// Makes `state.kernel()` the one for the settings and the names of now.
bool makeReady(PyObject *kernel, KernelState &state);
/// Fills `call` with what the caller gives, by position and by keyword.
bool bindGiven(PyObject *kernel, KernelState &state, PyObject *const *args, Py_ssize_t positional,
               PyObject *keywords, BoundCall &call);
/// Fills what is still absent with the parameters' defaults.
bool bindDefaults(PyObject *kernel, KernelState &state, BoundCall &call);
/// bindGiven, then bindDefaults.
bool bind(PyObject *kernel, KernelState &state, PyObject *const *args, Py_ssize_t positional,
          PyObject *keywords, BoundCall &call);
/// One to three dimensions from an int or a tuple. `kernel` is for errors.
bool toGrid(PyObject *kernel, PyObject *object, uint32_t grid[3]);
/// Calls the grid function with all arguments by name; `more` is a dict of others, or null.
bool computeGrid(PyObject *kernel, PyObject *gridFunction, PyObject *const *args,
                 Py_ssize_t positional, PyObject *keywords, PyObject *more, uint32_t grid[3]);
/// Runs a call that is complete. Returns the CompiledKernel, a new reference.
PyObject *run(KernelState &state, const BoundCall &call, const uint32_t grid[3]);

/// The CompiledKernel of a variant, a new reference.
PyObject *wrapVariant(KernelState &state, tritium_compiled *compiled);

/// kernel[grid].
PyObject *launcherFor(PyObject *kernel, PyObject *grid);

/// Makes `current` the kernel for the settings that os.environ holds now; a new one if need be.
bool findKernel(PyObject *kernel, KernelState &state);

/// Adds the type KernelBase to the module.
bool addKernelType(PyObject *module);

/// Forgets what was compiled if something that it depends on has changed. False with a Python
/// error set where that cannot be told.
bool checkEachWatch(KernelState &state);

/// The parameter's position, or -1.
Py_ssize_t parameterIndex(const KernelState &state, PyObject *name);

} // namespace tritium::python

#endif // TRITIUM_PYTHON_KERNELSTATE_H
