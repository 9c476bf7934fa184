//===- Programs.cpp - Triton-C, for Python --------------------------------===//

#include "DeviceArrays.h"
#include "HookError.h"
#include "Launcher.h"
#include "Module.h"
#include "Simulation.h"
#include "WithGIL.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <optional>

namespace nb = nanobind;
using namespace tritium::python;

namespace {

/// NAME with its values.
using Define = std::pair<std::string, std::vector<std::string>>;
using DefineSet = std::pair<std::vector<Define>, int>;

/// Definitions as the C interface takes them.
struct NativeDefines {
  explicit NativeDefines(const std::vector<Define> &defines) {
    values.reserve(defines.size());
    for (const auto &[name, texts] : defines) {
      std::vector<const char *> &list = values.emplace_back();
      for (const std::string &text : texts)
        list.push_back(text.c_str());
      // A single text may itself be a list, `[a, b]`.
      bool isOne = list.size() == 1;
      static const char *const none = nullptr;
      all.push_back({name.c_str(), isOne ? list[0] : nullptr,
                     isOne          ? nullptr
                     : list.empty() ? &none
                                    : list.data(),
                     list.size()});
    }
  }
  std::vector<std::vector<const char *>> values;
  std::vector<tritium_define> all;
};

/// What a grid function asks; of use only while it runs.
struct Chosen {
  const tritium_chosen *native;
  std::optional<std::string> text(const std::string &name) const {
    const char *found = native ? tritium_chosen_text(native, name.c_str()) : nullptr;
    return found ? std::optional<std::string>(found) : std::nullopt;
  }
};

struct GridCall {
  nb::object function; ///< answers three ints
  HookError error = {};
};

int computeGrid(void *user, const tritium_chosen *chosen, uint32_t grid[3]) {
  auto *call = static_cast<GridCall *>(user);
  return call->error.guarded([&] {
    Chosen *view = new Chosen{chosen};
    nb::object object = nb::cast(view, nb::rv_policy::take_ownership);
    auto dims = nb::cast<std::vector<uint32_t>>(call->function(object));
    view->native = nullptr;
    for (size_t axis = 0; axis < dims.size() && axis < 3; ++axis)
      grid[axis] = dims[axis];
  });
}

[[noreturn]] void fail(tritium_error &error) {
  raise(error);
  throw nb::python_error();
}

/// The arguments and options of a call.
struct NativeCall {
  NativeCall(nb::tuple from, nb::dict named) : arguments(nb::len(from)) {
    storage.wantsExtents = true; // the launch may tune
    for (size_t i = 0; i < arguments.size(); ++i)
      if (!toArgument(from[i].ptr(), arguments[i], storage))
        throw nb::python_error();
    for (auto [option, value] : named) {
      tritium_option converted = {};
      converted.name = PyUnicode_AsUTF8(option.ptr());
      if (!converted.name || !toValue(value.ptr(), converted.value, storage.nested))
        throw nb::python_error();
      options.push_back(converted);
    }
  }
  ArgumentStorage storage;
  std::vector<tritium_argument> arguments;
  std::vector<tritium_option> options;
};

class Program {
public:
  Program(std::optional<std::string> text, const std::string &file, std::optional<std::string> name,
          const std::vector<Define> &defines, const std::vector<std::string> &includePaths,
          const std::vector<int> &numWarps, const std::vector<DefineSet> &sets,
          const std::vector<std::string> &key) {
    NativeDefines native(defines);
    std::vector<std::unique_ptr<NativeDefines>> owned;
    std::vector<tritium_define_set> nativeSets;
    for (const auto &[set, warps] : sets) {
      owned.push_back(std::make_unique<NativeDefines>(set));
      nativeSets.push_back({owned.back()->all.data(), owned.back()->all.size(), warps});
    }
    std::vector<const char *> paths, names;
    for (const std::string &path : includePaths)
      paths.push_back(path.c_str());
    for (const std::string &parameter : key)
      names.push_back(parameter.c_str());
    tritium_program_source source = {};
    source.text = text ? text->c_str() : nullptr;
    source.file = file.c_str();
    source.name = name ? name->c_str() : nullptr;
    source.defines = native.all.data();
    source.define_count = native.all.size();
    source.include_paths = paths.data();
    source.include_path_count = paths.size();
    source.num_warps = numWarps.data();
    source.num_warps_count = numWarps.size();
    source.sets = nativeSets.data();
    source.set_count = nativeSets.size();
    source.key = names.data();
    source.key_count = names.size();
    tritium_error error = {};
    {
      WithoutGIL release;
      handle = tritium_program_create(&source, nullptr, &error);
    }
    if (!handle)
      fail(error);
  }
  ~Program() {
    for (auto &[compiled, object] : wrapped)
      tritium_compiled_release(compiled);
    tritium_program_release(handle);
  }
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  std::string name() const { return tritium_program_name(handle); }

  /// (name, type as written) of each.
  std::vector<std::pair<std::string, std::string>> parameters() const {
    std::vector<std::pair<std::string, std::string>> all;
    for (size_t i = 0; i < tritium_program_parameter_count(handle); ++i) {
      tritium_declaration declared = tritium_program_parameter(handle, i);
      all.emplace_back(declared.name, declared.type);
    }
    return all;
  }

  std::vector<std::string> tables() const {
    std::vector<std::string> all;
    for (size_t i = 0; i < tritium_program_table_count(handle); ++i)
      all.push_back(tritium_program_table(handle, i).name);
    return all;
  }

  void fillTable(const std::string &table, nb::bytes content) {
    tritium_error error = {};
    if (tritium_program_fill_table(handle, table.c_str(), content.data(), content.size(), &error))
      fail(error);
  }

  std::vector<std::string> choices() const {
    std::vector<std::string> all;
    for (size_t i = 0; i < tritium_program_choice_count(handle); ++i)
      all.push_back(tritium_program_choice_label(handle, i));
    return all;
  }

  std::optional<std::string> value(size_t choice, const std::string &name) const {
    const char *text = tritium_program_choice_value(handle, choice, name.c_str());
    return text ? std::optional<std::string>(text) : std::nullopt;
  }

  /// Answers (choice, compiled kernel, None or (source, timings, note), None or a warning).
  nb::tuple launch(nb::tuple arguments, nb::dict options, nb::object grid) {
    NativeCall given(arguments, options);
    void *stream = nullptr;
    if (!currentStream(given.storage, stream))
      throw nb::python_error();
    GridCall call{grid};
    tritium_launched launched = {};
    tritium_error error = {};
    int status;
    {
      WithoutGIL release;
      status = tritium_program_launch(handle, given.arguments.data(), given.arguments.size(),
                                      given.options.data(), given.options.size(), computeGrid,
                                      &call, stream, &launched, &error);
    }
    if (status != 0) {
      tritium_compiled_release(launched.compiled);
      call.error.raiseInsteadOf(error);
    }
    nb::object tuning = nb::none();
    if (launched.tuned) {
      nb::list timings = timingsOf(launched.tuned, tritium_program_choice_count(handle));
      tuning = nb::make_tuple(tritium_tuned_source(launched.tuned), timings,
                              tritium_tuned_note(launched.tuned));
      tritium_tuned_release(launched.tuned);
    }
    nb::object compiled = wrap(launched.compiled);
    if (PyErr_CheckSignals() < 0)
      throw nb::python_error();
    return nb::make_tuple(launched.choice, compiled, tuning,
                          launched.warning ? nb::object(nb::str(launched.warning)) : nb::none());
  }

  /// Answers (choice, counters as text, as JSON).
  nb::tuple simulate(nb::tuple arguments, nb::dict options, nb::object grid,
                     const std::string &arch, const std::optional<std::string> &checks,
                     uint64_t seed, uint64_t stepLimit) {
    NativeCall given(arguments, options);
    GridCall call{grid};
    size_t choice = 0;
    auto [text, json] = runSimulation(
        arch, checks, seed, stepLimit,
        [&](const tritium_simulation &how, tritium_error &error) {
          return tritium_program_simulate(handle, given.arguments.data(), given.arguments.size(),
                                          given.options.data(), given.options.size(), computeGrid,
                                          &call, &how, &choice, &error);
        },
        [&](tritium_error &error) { call.error.raiseInsteadOf(error); });
    return nb::make_tuple(choice, text, json);
  }

private:
  /// The Python object for a variant; takes the reference over.
  nb::object wrap(tritium_compiled *compiled) {
    auto [it, isNew] = wrapped.try_emplace(compiled);
    if (!isNew) {
      tritium_compiled_release(compiled);
      return it->second;
    }
    PyObject *object = wrapCompiled(compiled, nullptr);
    if (!object)
      throw nb::python_error();
    return it->second = nb::steal(object);
  }

  tritium_program *handle = nullptr;
  std::map<tritium_compiled *, nb::object> wrapped;
};

} // namespace

void tritium::python::addPrograms(nb::module_ &m) {
  nb::class_<Chosen>(m, "Chosen").def("text", &Chosen::text, nb::arg("name"));
  nb::class_<Program>(m, "Program")
      .def(nb::init<std::optional<std::string>, const std::string &, std::optional<std::string>,
                    const std::vector<Define> &, const std::vector<std::string> &,
                    const std::vector<int> &, const std::vector<DefineSet> &,
                    const std::vector<std::string> &>(),
           nb::arg("text").none(), nb::arg("file"), nb::arg("name").none(), nb::arg("defines"),
           nb::arg("include_paths"), nb::arg("num_warps"), nb::arg("sets"), nb::arg("key"))
      .def("name", &Program::name)
      .def("parameters", &Program::parameters)
      .def("tables", &Program::tables)
      .def("fill_table", &Program::fillTable, nb::arg("name"), nb::arg("content"))
      .def("choices", &Program::choices)
      .def("value", &Program::value, nb::arg("choice"), nb::arg("name"))
      .def("launch", &Program::launch, nb::arg("arguments"), nb::arg("options"), nb::arg("grid"))
      .def("simulate", &Program::simulate, nb::arg("arguments"), nb::arg("options"),
           nb::arg("grid"), nb::arg("arch"), nb::arg("checks").none(), nb::arg("seed"),
           nb::arg("step_limit"));
}
