//===- Debugging.cpp - programs that stop, for Python ---------------------===//

#include "Module.h"

#include "Objects.h"
#include "WithGIL.h"

#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>

namespace nb = nanobind;
using namespace tritium::python;

namespace {

nb::object bytesOrNone(const void *data, size_t size) {
  return data ? nb::object(nb::bytes(data, size)) : nb::none();
}

/// (name, type, text, kind, bits, shape, data, present)
nb::tuple describe(const tritium_stopped_value &value) {
  nb::list shape;
  size_t count = 1;
  for (int axis = 0; axis < value.rank; ++axis) {
    shape.append(value.shape[axis]);
    count *= static_cast<size_t>(value.shape[axis]);
  }
  return nb::make_tuple(value.name, value.type, value.text, value.kind, value.bits,
                        nb::tuple(shape), bytesOrNone(value.data, value.bytes),
                        bytesOrNone(value.present, count));
}

/// (function, file, line, column, values)
nb::tuple describe(const tritium_stopped_frame &frame) {
  nb::list values;
  for (size_t i = 0; i < frame.count; ++i)
    values.append(describe(frame.values[i]));
  return nb::make_tuple(frame.function, frame.file, frame.line, frame.column, values);
}

nb::dict describe(const tritium_stop &stop) {
  nb::dict described;
  nb::list frames, buffers, index;
  for (size_t i = 0; i < stop.frame_count; ++i)
    frames.append(describe(stop.frames[i]));
  for (size_t i = 0; i < stop.buffer_count; ++i)
    buffers.append(
        nb::make_tuple(stop.buffers[i].name, stop.buffers[i].address, stop.buffers[i].bytes));
  for (int axis = 0; axis < stop.rank; ++axis)
    index.append(stop.index[axis]);
  described["reason"] = static_cast<int>(stop.reason);
  described["message"] = stop.message;
  described["kernel"] = stop.kernel;
  described["pid"] = nb::make_tuple(stop.pid[0], stop.pid[1], stop.pid[2]);
  described["grid"] = nb::make_tuple(stop.grid[0], stop.grid[1], stop.grid[2]);
  described["index"] = nb::tuple(index);
  described["frames"] = frames;
  described["buffers"] = buffers;
  return described;
}

/// Asks tritium.debugger. Where that raises, the launch ends.
tritium_resume stoppedInPython(void *, const tritium_stop *stop) {
  if (!Py_IsInitialized())
    return TRITIUM_RESUME_RUN;
  WithGIL gil;
  try {
    nb::object answer = nb::module_::import_("tritium.debugger").attr("stopped")(describe(*stop));
    return static_cast<tritium_resume>(nb::cast<int>(answer));
  } catch (nb::python_error &error) {
    error.restore();
    PyErr_WriteUnraisable(nullptr);
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_TypeError, error.what());
    PyErr_WriteUnraisable(nullptr);
  }
  return TRITIUM_RESUME_QUIT;
}

void setBreakpoints(const std::vector<std::tuple<std::string, int, std::array<int, 3>>> &all) {
  std::vector<tritium_breakpoint> breakpoints;
  for (const auto &[file, line, pid] : all)
    breakpoints.push_back({file.c_str(), line, {pid[0], pid[1], pid[2]}});
  tritium_set_breakpoints(breakpoints.data(), breakpoints.size());
}

} // namespace

void tritium::python::addDebugging(nb::module_ &module) {
  module.def("set_breakpoints", setBreakpoints, nb::arg("all"));
  module.def(
      "stop_next", [](std::array<int, 3> pid) { tritium_stop_next(pid.data()); }, nb::arg("pid"));
  module.def(
      "debug_all", [](bool isOn) { tritium_set_debugger(stoppedInPython, nullptr, isOn); },
      nb::arg("is_on"));
  tritium_set_debugger(stoppedInPython, nullptr, /*for_all=*/0);
}
