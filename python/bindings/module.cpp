//===- module.cpp - tritium._C --------------------------------------------===//
//
// The extension module: the parts of the C interface that no launch waits for.
//
//===----------------------------------------------------------------------===//

#include "Module.h"
#include "DeviceArrays.h"
#include "Launcher.h"
#include "WithGIL.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <pthread.h>
#include <string_view>

namespace nb = nanobind;
using namespace tritium::python;

//===-- Shared with the launcher ------------------------------------------===//

const Interned *tritium::python::interned() {
  static Interned *names = nullptr;
  if (names)
    return names;
  auto attribute = [](const char *module, const char *name) -> PyObject * {
    Ref imported = Ref::steal(PyImport_ImportModule(module));
    return imported ? PyObject_GetAttrString(imported.get(), name) : nullptr;
  };
  auto made = std::make_unique<Interned>();
  made->classify = attribute("tritium._arguments", "classify");
  made->elementType = attribute("tritium._arguments", "element_type");
  made->torchType = attribute("tritium._arguments", "torch_type");
  made->currentStream = attribute("tritium._arguments", "current_stream");
  made->raise = attribute("tritium.errors", "from_native");
  made->nameOf = attribute("tritium._objects", "name_of");
  made->named = attribute("tritium._objects", "named");
  made->constexprType = attribute("tritium.language", "constexpr");
  made->dtypeType = attribute("tritium.language", "dtype");
  made->wrap = attribute("tritium.compiler", "CompiledKernel");
  Ref environ = Ref::steal(attribute("os", "environ"));
  made->environment = environ ? PyObject_GetAttrString(environ.get(), "_data") : nullptr;
  made->value = PyUnicode_InternFromString("value");
  made->signature = PyUnicode_InternFromString("signature");
  made->lookup = PyUnicode_InternFromString("lookup");
  made->prepare = PyUnicode_InternFromString("_prepare");
  for (PyObject *object : {made->classify, made->elementType, made->torchType, made->currentStream,
                           made->raise, made->nameOf, made->named, made->constexprType,
                           made->dtypeType, made->wrap, made->environment})
    if (!object)
      return nullptr;
  return names = made.release();
}

//===-- Signals -----------------------------------------------------------===//

namespace {

/// What a signal's handler has raised while native code ran on this thread, which ends with an
/// error instead.
thread_local PyObject *raised[3] = {};

/// Python runs handlers of signals on its main thread only.
std::atomic<unsigned long> mainThread{0};

/// Lets Python handle signals in the middle of what runs for long without the GIL.
int checkSignals(void *) {
  if (PyThread_get_thread_ident() != mainThread.load() || !Py_IsInitialized())
    return 0;
  WithGIL gil;
  if (PyErr_CheckSignals() == 0)
    return 0;
  for (PyObject *&part : raised)
    Py_CLEAR(part);
  PyErr_Fetch(&raised[0], &raised[1], &raised[2]);
  return 1;
}

/// Where an error says so, raises what the handler raised; true then.
bool raiseInterrupted(const tritium_error &error) {
  if (std::string_view(error.kind) != "Interrupted")
    return false;
  if (raised[0])
    PyErr_Restore(raised[0], raised[1], raised[2]);
  else
    PyErr_SetString(PyExc_KeyboardInterrupt, error.message);
  std::fill_n(raised, 3, nullptr);
  return true;
}

/// Kernels keep objects of the interpreter that made them, and so does this module.
void claimForThisInterpreter() {
  int64_t mine = PyInterpreterState_GetID(PyInterpreterState_Get());
  static const int64_t owner = mine;
  if (owner != mine)
    throw nb::import_error(("one interpreter of a process can import tritium, and interpreter " +
                            std::to_string(owner) + " has done so; run kernels there, or in " +
                            "another process")
                               .c_str());
}

void watchSignals() {
  nb::object main = nb::module_::import_("threading").attr("main_thread")();
  mainThread = nb::cast<unsigned long>(main.attr("ident"));
  // The thread that forks is the main one of the child.
  pthread_atfork(nullptr, nullptr, [] { mainThread = PyThread_get_thread_ident(); });
  tritium_set_interrupt_check(checkSignals, nullptr);
}

} // namespace

void tritium::python::raise(tritium_error &error) {
  if (raiseInterrupted(error)) {
    tritium_error_clear(&error);
    return;
  }
  if (const Interned *names = interned()) {
    Ref exception = Ref::steal(PyObject_CallFunction(names->raise, "sssiis", error.kind,
                                                     error.message, error.file ? error.file : "",
                                                     error.line, error.column, error.rendered));
    if (exception)
      PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(exception.get())), exception.get());
  }
  tritium_error_clear(&error);
}

namespace {

/// Throws the Python exception for a failure.
[[noreturn]] void fail(tritium_error &error) {
  raise(error);
  throw nb::python_error();
}

//===-- Compiled kernels --------------------------------------------------===//

class Compiled {
public:
  /// Takes a reference over.
  explicit Compiled(tritium_compiled *handle) : handle(handle) {}
  ~Compiled() { tritium_compiled_release(handle); }
  Compiled(const Compiled &) = delete;
  Compiled &operator=(const Compiled &) = delete;

  nb::bytes stage(const std::string &name) {
    tritium_error error = {};
    size_t size = 0;
    const char *text;
    {
      WithoutGIL release;
      text = tritium_compiled_stage(handle, name.c_str(), &size, &error);
    }
    if (!text)
      fail(error);
    return nb::bytes(text, size);
  }

  std::string metadata() { return tritium_compiled_metadata(handle); }

  /// `given`: the address of a stream, or None for the arrays' current one.
  void launch(std::vector<uint32_t> grid, nb::tuple arguments, nb::object given) {
    ArgumentStorage storage;
    std::vector<tritium_argument> native(nb::len(arguments));
    for (size_t i = 0; i < native.size(); ++i)
      if (!toArgument(arguments[i].ptr(), native[i], storage))
        throw nb::python_error();
    void *stream = nullptr;
    if (given.is_none() ? !currentStream(storage, stream)
                        : !(stream = PyLong_AsVoidPtr(given.ptr())) && PyErr_Occurred())
      throw nb::python_error();
    grid.resize(3, 1);
    tritium_error error = {};
    int status;
    {
      WithoutGIL release;
      status = tritium_compiled_launch_on(handle, native.data(), native.size(), grid.data(), stream,
                                          &error);
    }
    if (status != 0)
      fail(error);
  }

private:
  tritium_compiled *handle;
};

std::vector<tritium_option> toOptions(nb::dict options, ValueStorage &storage) {
  std::vector<tritium_option> result;
  for (auto [name, value] : options) {
    tritium_option option = {};
    option.name = PyUnicode_AsUTF8(name.ptr());
    if (!option.name || !toValue(value.ptr(), option.value, storage))
      throw nb::python_error();
    result.push_back(option);
  }
  return result;
}

/// What specialisations point to.
struct SpecializationStorage {
  ValueStorage values;
  std::vector<std::unique_ptr<tritium_specialization[]>> items;
};

/// A parameter or a part of one, as tritium._signatures.Signature.part describes it. Throws with a
/// Python error set.
void toSpecialization(PyObject *part, tritium_specialization &native,
                      SpecializationStorage &storage) {
  PyObject *second = nullptr, *names = nullptr;
  const char *kind = nullptr;
  Nesting nesting;
  if (!nesting || !PyArg_ParseTuple(part, "sO|O", &kind, &second, &names))
    throw nb::python_error();
  if (std::string_view(kind) == "constexpr") {
    native.is_constexpr = 1;
    if (!toValue(second, native.value, storage.values))
      throw nb::python_error();
    return;
  }
  if (names) { // a tuple or a descriptor
    auto count = static_cast<size_t>(PyList_GET_SIZE(second));
    tritium_specialization *items =
        storage.items.emplace_back(std::make_unique<tritium_specialization[]>(count)).get();
    for (size_t i = 0; i < count; ++i)
      toSpecialization(PyList_GET_ITEM(second, static_cast<Py_ssize_t>(i)), items[i], storage);
    native.items = items;
    native.item_count = count;
    native.is_descriptor = std::string_view(kind) == "descriptor";
    if (!toValue(names, native.value, storage.values))
      throw nb::python_error();
    return;
  }
  if (tritium_dtype_parse(kind, &native.type) != 0)
    throw nb::type_error((std::string("no such type: ") + kind).c_str());
  native.divisibility = PyLong_AsLongLong(second);
  if (PyErr_Occurred())
    throw nb::python_error();
}

Compiled *specialize(uintptr_t kernel, nb::list parameters, nb::dict options,
                     std::optional<std::string> target) {
  SpecializationStorage parts;
  std::vector<tritium_specialization> native(nb::len(parameters));
  for (size_t i = 0; i < native.size(); ++i)
    toSpecialization(parameters[i].ptr(), native[i], parts);
  ValueStorage &storage = parts.values;
  std::vector<tritium_option> nativeOptions = toOptions(options, storage);
  tritium_error error = {};
  tritium_compiled *compiled;
  {
    WithoutGIL release;
    compiled = tritium_kernel_specialize(reinterpret_cast<tritium_kernel *>(kernel), native.data(),
                                         native.size(), nativeOptions.data(), nativeOptions.size(),
                                         target ? target->c_str() : nullptr, &error);
  }
  if (!compiled)
    fail(error);
  return new Compiled(compiled);
}

Compiled *compileTileIR(const std::string &text, const std::string &file, nb::dict options,
                        std::optional<std::string> target) {
  ValueStorage storage;
  std::vector<tritium_option> nativeOptions = toOptions(options, storage);
  tritium_error error = {};
  tritium_compiled *compiled;
  {
    WithoutGIL release;
    compiled =
        tritium_compile_ttir(text.c_str(), file.c_str(), nativeOptions.data(), nativeOptions.size(),
                             target ? target->c_str() : nullptr, &error);
  }
  if (!compiled)
    fail(error);
  return new Compiled(compiled);
}

nb::dict cudaProperties(int device) {
  tritium_cuda_properties properties;
  tritium_error error = {};
  if (tritium_cuda_device_properties(device, &properties, &error) != 0)
    fail(error);
  nb::dict result;
  result["name"] = nb::str(properties.name);
  result["driver_version"] = properties.driver_version;
  result["capability"] = properties.capability;
  result["multiprocessor_count"] = properties.multiprocessors;
  result["warpSize"] = properties.warp_size;
  result["max_threads"] = properties.max_threads;
  result["max_num_regs"] = properties.max_registers;
  result["max_shared_mem"] = properties.max_shared_bytes;
  return result;
}

/// device_print and static_print go through sys.stdout, as print does.
void printToPython(void *, const char *text, size_t size) {
  if (!Py_IsInitialized())
    return;
  WithGIL gil;
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyObject *out = PySys_GetObject("stdout");
  Ref string = Ref::steal(PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(size), "replace"));
  if (out && out != Py_None && string)
    PyFile_WriteObject(string.get(), out, Py_PRINT_RAW);
  PyErr_Clear();
  PyErr_Restore(type, value, trace);
}

nb::list listCache() {
  struct Collected {
    std::string key, kernel, target, path;
    uint64_t bytes;
    int64_t modified;
    bool intact;
  };
  std::vector<Collected> entries;
  tritium_cache_list(
      [](void *user, const tritium_cache_entry *entry) {
        static_cast<std::vector<Collected> *>(user)->push_back(
            {entry->key, entry->kernel, entry->target, entry->path, entry->bytes, entry->modified,
             entry->intact != 0});
      },
      &entries);
  nb::list result;
  for (const Collected &entry : entries) {
    nb::dict item;
    item["key"] = entry.key;
    item["kernel"] = entry.kernel;
    item["target"] = entry.target;
    item["path"] = entry.path;
    item["bytes"] = entry.bytes;
    item["modified"] = entry.modified;
    item["intact"] = entry.intact;
    result.append(item);
  }
  return result;
}

/// Every environment variable that is heeded, as a dict.
nb::list listSettings() {
  nb::list result;
  for (size_t i = 0; i < tritium_setting_count(); ++i) {
    tritium_setting setting = tritium_setting_at(i);
    nb::dict item;
    item["variable"] = setting.variable;
    item["type"] = setting.type;
    item["usual"] = setting.usual;
    item["effect"] = setting.effect;
    item["knob"] = setting.knob;
    item["doc"] = setting.doc;
    item["for_users"] = setting.for_users != 0;
    result.append(item);
  }
  return result;
}

/// Every function of the kernel language's library: name, signature, types, whether a method.
nb::list listBuiltins() {
  nb::list result;
  for (size_t i = 0; i < tritium_builtin_count(); ++i) {
    tritium_builtin builtin = tritium_builtin_at(i);
    result.append(
        nb::make_tuple(builtin.name, builtin.signature, builtin.types, builtin.is_method != 0));
  }
  return result;
}

} // namespace

PyObject *tritium::python::wrapCompiled(tritium_compiled *compiled, PyObject *scopes) {
  const Interned *names = interned();
  if (!names)
    return nullptr;
  tritium_compiled_retain(compiled);
  try {
    nb::object native = nb::cast(new Compiled(compiled), nb::rv_policy::take_ownership);
    return PyObject_CallFunctionObjArgs(names->wrap, native.ptr(), scopes, nullptr);
  } catch (nb::python_error &error) {
    error.restore();
    return nullptr;
  }
}

NB_MODULE(_C, m) {
  claimForThisInterpreter();
  // Kernels live in modules, which the interpreter does not clear before it ends.
  nb::set_leak_warnings(false);
  m.doc() = "The native half of the tritium package.";
  nb::class_<Compiled>(m, "Compiled")
      .def("stage", &Compiled::stage, nb::arg("name"))
      .def("metadata", &Compiled::metadata)
      .def("launch", &Compiled::launch, nb::arg("grid"), nb::arg("arguments"),
           nb::arg("stream").none() = nb::none());
  m.def("specialize", specialize, nb::arg("kernel"), nb::arg("parameters"), nb::arg("options"),
        nb::arg("target").none(), nb::rv_policy::take_ownership);
  m.def("compile_ttir", compileTileIR, nb::arg("text"), nb::arg("file"), nb::arg("options"),
        nb::arg("target").none(), nb::rv_policy::take_ownership);
  m.def("cuda_device_count", tritium_cuda_device_count);
  m.def("cuda_current_device", tritium_cuda_current_device);
  m.def("cuda_properties", cudaProperties, nb::arg("device"));
  m.def(
      "cuda_synchronize",
      [](int device) {
        tritium_error error = {};
        int status;
        {
          WithoutGIL release;
          status = tritium_cuda_synchronize(device, &error);
        }
        if (status != 0)
          fail(error);
      },
      nb::arg("device"));
  m.def("take_clocks", [] {
    tritium_error error = {};
    const char *text;
    {
      WithoutGIL release;
      text = tritium_take_clocks(&error);
    }
    if (!text)
      fail(error);
    return std::string(text);
  });
  m.def("set_num_threads", tritium_set_num_threads, nb::arg("count"));
  m.def("num_threads", tritium_num_threads);
  m.def("settings", listSettings);
  m.def("builtins", listBuiltins);
  m.def("version", [] { return std::string(tritium_version()); });
  m.def("host_cpu", [] { return std::string(tritium_host_cpu()); });
  m.def("cache_path", [] { return std::string(tritium_cache_path()); });
  m.def("cache_list", listCache);
  m.def(
      "cache_clear",
      [](std::optional<std::string> kernel) {
        return tritium_cache_clear(kernel ? kernel->c_str() : nullptr);
      },
      nb::arg("kernel").none() = nb::none());
  addTuning(m);
  addSimulation(m);
  addExplanations(m);
  addDebugging(m);
  addPrograms(m);
  if (!addLauncherTypes(m.ptr()) || !attendPythonsEnd())
    throw nb::python_error();
  tritium_set_printer(printToPython, nullptr);
  watchSignals();
}
