//===- TunedLauncher.cpp - autotuned[grid](...) ---------------------------===//
//
// TunerBase is what tritium.tune.Autotuner derives from. The Autotuner, in Python, makes the
// choices and keeps them in its dict `cache`; this file remembers what a call looked like for
// which it made one, so that a like call is launched without running Python code:
//
//   arguments -> words (values of the key, types of the arrays) -> Choice -> launch
//
// A choice counts only while `cache` still has it. Whatever is out of the ordinary (another call,
// a name that both the caller and the config give, hooks) goes to Autotuner.run, which also
// raises the errors.
//
//===----------------------------------------------------------------------===//

#include "TunedLauncher.h"
#include "KernelState.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

using namespace tritium::python;

namespace {

/// What the choice of a config depends on.
class Words {
public:
  /// Describes a call to `kernel`, of which `keys` are the parameters that the choice is made for.
  /// False if words do not tell calls like this one apart.
  bool describe(const BoundCall &call, const std::vector<size_t> &keys, const KernelState &kernel,
                PyObject *const *args, Py_ssize_t positional, PyObject *keywords) {
    for (size_t index : keys) {
      const tritium_argument &argument = call.arguments[index];
      uint64_t word = argument.bits;
      if (argument.kind == TRITIUM_ARG_VALUE)
        word = reinterpret_cast<uint64_t>(
            object(index, kernel, args, positional, keywords)); // strings, None, dtypes
      else if (argument.kind == TRITIUM_ARG_POINTER || argument.kind > TRITIUM_ARG_VALUE)
        return false;
      if (!add(argument.kind) || !add(word))
        return false;
    }
    for (size_t i = 0; i < call.count; ++i) {
      const tritium_argument *argument = &call.arguments[i];
      if (argument->kind == TRITIUM_ARG_DESCRIPTOR)
        argument = argument->items;
      if (argument->kind == TRITIUM_ARG_POINTER &&
          !add(i << 32 | argument->type.kind << 8 | argument->type.pointer_depth))
        return false;
    }
    return true;
  }

  std::span<const uint64_t> view() const { return {words, count}; }

private:
  bool add(uint64_t word) {
    if (count == std::size(words))
      return false;
    words[count++] = word;
    return true;
  }

  /// What the caller gives for a parameter. It is there: a default is never a key's value.
  static PyObject *object(size_t index, const KernelState &kernel, PyObject *const *args,
                          Py_ssize_t positional, PyObject *keywords) {
    if (index < static_cast<size_t>(positional))
      return args[index];
    for (Py_ssize_t i = 0; keywords && i < PyTuple_GET_SIZE(keywords); ++i)
      if (parameterIndex(kernel, PyTuple_GET_ITEM(keywords, i)) == static_cast<Py_ssize_t>(index))
        return args[positional + i];
    return nullptr;
  }

  uint64_t words[64];
  size_t count = 0;
};

struct WordsHash {
  using is_transparent = void;
  size_t operator()(std::span<const uint64_t> words) const {
    uint64_t hash = words.size();
    for (uint64_t word : words) {
      hash = (hash ^ word) * 0x9e3779b97f4a7c15;
      hash ^= hash >> 32;
    }
    return hash;
  }
};
struct WordsEqual {
  using is_transparent = void;
  bool operator()(std::span<const uint64_t> a, std::span<const uint64_t> b) const {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
};

/// A config that was chosen, as a launch takes it.
struct Choice {
  Ref key, config; ///< of `cache`
  Ref keywords;    ///< dict: all that the config gives
  BoundCall given; ///< its parameters; the others are absent
  std::vector<size_t> parameters;
  std::vector<Ref> arguments; ///< of the first such call: words may hold their addresses
};

/// Calls with fresh objects in the key must not fill the memory.
constexpr size_t mostChoices = 4096;

struct TunerState {
  Ref kernel; ///< a KernelBase
  Ref hooks;  ///< its pre_run_hooks
  std::vector<size_t> keys;
  std::unordered_map<std::vector<uint64_t>, std::shared_ptr<const Choice>, WordsHash, WordsEqual>
      choices;
};

struct TunerObject {
  PyObject_HEAD TunerState *state;
  PyObject *kernel, *cache, *bestConfig; ///< attributes of the Autotuner
};

struct TunedLauncherObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  TunerObject *tuner;
  PyObject *gridObject; ///< as it was given
  bool isFunction;      ///< else `grid` holds
  uint32_t grid[3];
};

PyTypeObject *tunerType = nullptr, *launcherType = nullptr;
PyObject *runName = nullptr, *gridName = nullptr, *simulateName = nullptr, *explainName = nullptr;

/// Whether the tuner's `cache` still has the choice.
bool isCurrent(const TunerObject &tuner, const Choice &choice) {
  Ref cache = Ref::borrow(tuner.cache); // comparing keys may run code that replaces it
  return cache && PyDict_Check(cache.get()) &&
         PyDict_GetItemWithError(cache.get(), choice.key.get()) == choice.config.get();
}

/// Puts what the config gives into the call. False if the caller gives some of it.
bool complete(const Choice &choice, BoundCall &call) {
  for (size_t index : choice.parameters) {
    if (call.arguments[index].kind != TRITIUM_ARG_ABSENT)
      return false;
    call.arguments[index] = choice.given.arguments[index];
  }
  if (call.options.empty()) [[likely]] {
    call.options = choice.given.options;
    return true;
  }
  for (const tritium_option &option : choice.given.options) {
    for (const tritium_option &own : call.options)
      if (std::strcmp(own.name, option.name) == 0)
        return false;
    call.options.push_back(option);
  }
  return true;
}

/// The choice for a call of the tuner's kernel, which it completes; null if none is known. Then
/// an error is set only if it is one to end the program, such as KeyboardInterrupt.
std::shared_ptr<const Choice> findChoice(TunerObject &tuner, PyObject *kernel,
                                         PyObject *const *args, Py_ssize_t positional,
                                         PyObject *keywords, BoundCall &call) {
  TunerState &state = *tuner.state;
  if (state.choices.empty() || state.kernel.get() != kernel ||
      PyList_GET_SIZE(state.hooks.get()) != 0)
    return nullptr;
  KernelState &kernelState = stateOf(kernel);
  Words words;
  std::shared_ptr<const Choice> choice;
  if (makeReady(kernel, kernelState) &&
      bindGiven(kernel, kernelState, args, positional, keywords, call) &&
      words.describe(call, state.keys, kernelState, args, positional, keywords)) {
    auto found = state.choices.find(words.view());
    if (found != state.choices.end())
      choice = found->second;
  }
  if (choice && isCurrent(tuner, *choice) && complete(*choice, call) &&
      bindDefaults(kernel, kernelState, call)) [[likely]]
    return choice;
  if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_Exception))
    PyErr_Clear(); // the Autotuner finds the error again, and says more
  return nullptr;
}

/// tuner.METHOD(grid?, *args, **keywords)
PyObject *callPython(TunedLauncherObject *launcher, PyObject *method, PyObject *const *args,
                     Py_ssize_t positional, PyObject *keywords, bool isGridNamed) {
  Ref bound = Ref::steal(PyObject_GetAttr(reinterpret_cast<PyObject *>(launcher->tuner), method));
  Ref tuple = Ref::steal(PyTuple_New(positional + (isGridNamed ? 0 : 1)));
  Ref named = Ref::steal(PyDict_New());
  if (!bound || !tuple || !named)
    return nullptr;
  Py_ssize_t next = 0;
  if (!isGridNamed)
    PyTuple_SET_ITEM(tuple.get(), next++, Py_NewRef(launcher->gridObject));
  for (Py_ssize_t i = 0; i < positional; ++i)
    PyTuple_SET_ITEM(tuple.get(), next++, Py_NewRef(args[i]));
  if (isGridNamed && PyDict_SetItem(named.get(), gridName, launcher->gridObject) < 0)
    return nullptr;
  for (Py_ssize_t i = 0; keywords && i < PyTuple_GET_SIZE(keywords); ++i)
    if (PyDict_SetItem(named.get(), PyTuple_GET_ITEM(keywords, i), args[positional + i]) < 0)
      return nullptr;
  return PyObject_Call(bound.get(), tuple.get(), named.get());
}

PyObject *launch(PyObject *callable, PyObject *const *args, size_t flaggedCount,
                 PyObject *keywords) {
  auto *launcher = reinterpret_cast<TunedLauncherObject *>(callable);
  TunerObject &tuner = *launcher->tuner;
  Py_ssize_t positional = PyVectorcall_NARGS(flaggedCount);
  BoundCall call;
  Ref held = Ref::borrow(tuner.kernel); // what the launch calls may replace it
  PyObject *kernel = held.get();
  std::shared_ptr<const Choice> choice =
      findChoice(tuner, kernel, args, positional, keywords, call);
  if (!choice)
    return PyErr_Occurred() ? nullptr
                            : callPython(launcher, runName, args, positional, keywords, true);
  uint32_t grid[3] = {launcher->grid[0], launcher->grid[1], launcher->grid[2]};
  if (launcher->isFunction && !computeGrid(kernel, launcher->gridObject, args, positional, keywords,
                                           choice->keywords.get(), grid))
    return nullptr;
  if (tuner.bestConfig != choice->config.get())
    Py_XSETREF(tuner.bestConfig, Py_NewRef(choice->config.get()));
  return run(stateOf(kernel), call, grid);
}

/// simulate(*args, **kwargs): tuner.simulate(grid, *args, **kwargs).
PyObject *simulate(PyObject *self, PyObject *const *args, Py_ssize_t positional,
                   PyObject *keywords) {
  return callPython(reinterpret_cast<TunedLauncherObject *>(self), simulateName, args, positional,
                    keywords, false);
}

/// explain(*args, **kwargs): tuner.explain(grid, *args, **kwargs).
PyObject *explain(PyObject *self, PyObject *const *args, Py_ssize_t positional,
                  PyObject *keywords) {
  return callPython(reinterpret_cast<TunedLauncherObject *>(self), explainName, args, positional,
                    keywords, false);
}

PyObject *newLauncher(PyObject *self, PyObject *grid) {
  auto *launcher = PyObject_New(TunedLauncherObject, launcherType);
  if (!launcher)
    return nullptr;
  launcher->vectorcall = launch;
  launcher->tuner = reinterpret_cast<TunerObject *>(Py_NewRef(self));
  launcher->gridObject = Py_NewRef(grid);
  launcher->isFunction = !PyTuple_Check(grid) && PyCallable_Check(grid);
  Ref result = Ref::steal(reinterpret_cast<PyObject *>(launcher));
  if (!launcher->isFunction && !toGrid(self, grid, launcher->grid))
    return nullptr;
  return result.release();
}

void freeLauncher(PyObject *self) {
  auto *launcher = reinterpret_cast<TunedLauncherObject *>(self);
  PyTypeObject *type = Py_TYPE(self);
  Py_CLEAR(launcher->gridObject);
  Py_CLEAR(launcher->tuner);
  PyObject_Free(launcher);
  Py_DECREF(type);
}

//===-- TunerBase ---------------------------------------------------------===//

/// _remember(kernel, hooks, keys, args, kwargs, key, config, keywords): such a call of `kernel`
/// runs under `config`, which gives `keywords`, as long as cache[key] is it and `hooks` is empty.
/// `keys`: names of the parameters that the choice depends on, besides the arrays' types.
PyObject *remember(PyObject *self, PyObject *const *parts, Py_ssize_t count) {
  if (count != 8 || !PyList_Check(parts[1]) || !PyList_Check(parts[2]) ||
      !PyTuple_Check(parts[3]) || !PyDict_Check(parts[4]) || !PyDict_Check(parts[7])) {
    PyErr_SetString(
        PyExc_TypeError,
        "_remember takes a kernel, two lists, a tuple, a dict, a key, a config, a dict");
    return nullptr;
  }
  auto *tuner = reinterpret_cast<TunerObject *>(self);
  TunerState &state = *tuner->state;
  KernelState &kernelState = stateOf(parts[0]);
  if (state.kernel.get() != parts[0] || state.hooks.get() != parts[1]) {
    state.choices.clear();
    state.kernel = Ref::borrow(parts[0]);
    state.hooks = Ref::borrow(parts[1]);
    state.keys.clear();
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(parts[2]); ++i)
      if (Py_ssize_t index = parameterIndex(kernelState, PyList_GET_ITEM(parts[2], i)); index >= 0)
        state.keys.push_back(static_cast<size_t>(index));
  }
  std::vector<PyObject *> args;
  auto addAll = [&](PyObject *dict) {
    Ref names = Ref::steal(PyTuple_New(PyDict_Size(dict)));
    PyObject *name, *value;
    Py_ssize_t position = 0;
    for (Py_ssize_t i = 0; names && PyDict_Next(dict, &position, &name, &value); ++i) {
      PyTuple_SET_ITEM(names.get(), i, Py_NewRef(name));
      args.push_back(value);
    }
    return names;
  };
  Py_ssize_t positional = PyTuple_GET_SIZE(parts[3]);
  for (Py_ssize_t i = 0; i < positional; ++i)
    args.push_back(PyTuple_GET_ITEM(parts[3], i));
  Ref names = addAll(parts[4]);
  BoundCall call;
  Words words;
  if (!names || !bindGiven(parts[0], kernelState, args.data(), positional, names.get(), call))
    return nullptr;
  if (!words.describe(call, state.keys, kernelState, args.data(), positional, names.get()))
    Py_RETURN_NONE;

  auto choice = std::make_shared<Choice>();
  for (size_t index : state.keys)
    if (call.arguments[index].kind == TRITIUM_ARG_VALUE)
      for (PyObject *argument : args)
        choice->arguments.push_back(Ref::borrow(argument));
  args.clear();
  names = addAll(parts[7]);
  if (!names || !bindGiven(parts[0], kernelState, args.data(), 0, names.get(), choice->given))
    return nullptr;
  for (size_t i = 0; i < choice->given.count; ++i)
    if (choice->given.arguments[i].kind != TRITIUM_ARG_ABSENT)
      choice->parameters.push_back(i);
  choice->key = Ref::borrow(parts[5]);
  choice->config = Ref::borrow(parts[6]);
  choice->keywords = Ref::borrow(parts[7]);
  if (state.choices.size() >= mostChoices)
    state.choices.clear();
  auto view = words.view();
  state.choices.insert_or_assign(std::vector<uint64_t>(view.begin(), view.end()),
                                 std::move(choice));
  Py_RETURN_NONE;
}

PyObject *newTuner(PyTypeObject *type, PyObject *, PyObject *) {
  PyObject *self = type->tp_alloc(type, 0);
  if (self)
    reinterpret_cast<TunerObject *>(self)->state = new TunerState;
  return self;
}

int traverseTuner(PyObject *self, visitproc visit, void *arg) {
  auto *tuner = reinterpret_cast<TunerObject *>(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(tuner->kernel);
  Py_VISIT(tuner->cache);
  Py_VISIT(tuner->bestConfig);
  Py_VISIT(tuner->state->kernel.get());
  Py_VISIT(tuner->state->hooks.get());
  for (const auto &[words, choice] : tuner->state->choices) {
    if (choice.use_count() > 1)
      continue; // a launch in another thread holds it, too
    Py_VISIT(choice->key.get());
    Py_VISIT(choice->config.get());
    Py_VISIT(choice->keywords.get());
    for (const Ref &argument : choice->arguments)
      Py_VISIT(argument.get());
  }
  return 0;
}

int clearTuner(PyObject *self) {
  auto *tuner = reinterpret_cast<TunerObject *>(self);
  Py_CLEAR(tuner->kernel);
  Py_CLEAR(tuner->cache);
  Py_CLEAR(tuner->bestConfig);
  // Releasing an object may run code that comes back here.
  TunerState old = std::exchange(*tuner->state, TunerState());
  return 0;
}

void freeTuner(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clearTuner(self);
  delete reinterpret_cast<TunerObject *>(self)->state;
  type->tp_free(self);
  Py_DECREF(type);
}

template <typename T> void *slot(T *function) { return reinterpret_cast<void *>(function); }

} // namespace

bool tritium::python::addTunedLauncherTypes(PyObject *module) {
  runName = PyUnicode_InternFromString("run");
  gridName = PyUnicode_InternFromString("grid");
  simulateName = PyUnicode_InternFromString("simulate");
  explainName = PyUnicode_InternFromString("explain");
  static PyMethodDef tunerMethods[] = {
      {"_remember", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(remember)),
       METH_FASTCALL, nullptr},
      {nullptr, nullptr, 0, nullptr}};
  static PyMemberDef tunerMembers[] = {
      {"fn", T_OBJECT, offsetof(TunerObject, kernel), 0, nullptr},
      {"cache", T_OBJECT, offsetof(TunerObject, cache), 0, nullptr},
      {"best_config", T_OBJECT, offsetof(TunerObject, bestConfig), 0, nullptr},
      {nullptr, 0, 0, 0, nullptr}};
  static PyType_Slot tunerSlots[] = {
      {Py_tp_new, slot(newTuner)},           {Py_tp_dealloc, slot(freeTuner)},
      {Py_tp_traverse, slot(traverseTuner)}, {Py_tp_clear, slot(clearTuner)},
      {Py_mp_subscript, slot(newLauncher)},  {Py_tp_methods, tunerMethods},
      {Py_tp_members, tunerMembers},         {0, nullptr}};
  static PyType_Spec tunerSpec = {"tritium._C.TunerBase", sizeof(TunerObject), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                                  tunerSlots};
  static PyMethodDef launcherMethods[] = {
      {"explain", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(explain)),
       METH_FASTCALL | METH_KEYWORDS,
       "explain(*args, **kwargs): kernel.explain(grid, *args, **kwargs)."},
      {"simulate", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(simulate)),
       METH_FASTCALL | METH_KEYWORDS,
       "simulate(*args, **kwargs): kernel.simulate(grid, *args, **kwargs)."},
      {nullptr, nullptr, 0, nullptr}};
  static PyMemberDef launcherMembers[] = {{"__vectorcalloffset__", T_PYSSIZET,
                                           offsetof(TunedLauncherObject, vectorcall), READONLY,
                                           nullptr},
                                          {nullptr, 0, 0, 0, nullptr}};
  static PyType_Slot launcherSlots[] = {{Py_tp_dealloc, slot(freeLauncher)},
                                        {Py_tp_call, slot(PyVectorcall_Call)},
                                        {Py_tp_members, launcherMembers},
                                        {Py_tp_methods, launcherMethods},
                                        {0, nullptr}};
  static PyType_Spec launcherSpec = {"tritium._C.TunedLauncher", sizeof(TunedLauncherObject), 0,
                                     Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL |
                                         Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                     launcherSlots};
  tunerType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&tunerSpec));
  launcherType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&launcherSpec));
  return runName && gridName && simulateName && explainName && tunerType && launcherType &&
         PyModule_AddObjectRef(module, "TunerBase", reinterpret_cast<PyObject *>(tunerType)) == 0 &&
         PyModule_AddObjectRef(module, "TunedLauncher",
                               reinterpret_cast<PyObject *>(launcherType)) == 0;
}
