//===- Explanations.cpp - what became of kernels, for Python --------------===//

#include "Launcher.h"
#include "Module.h"
#include "WithGIL.h"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace tritium::python;

/// Asks `function`, a callable of Python's, for the grid where constants have these values.
static int gridFor(void *function, const char *const *names, const int64_t *values, size_t count,
                   uint32_t grid[3]) {
  WithGIL gil;
  try {
    nb::dict constants;
    for (size_t i = 0; i < count; ++i)
      constants[names[i]] = values[i];
    auto extents =
        nb::cast<std::vector<uint32_t>>((*static_cast<nb::object *>(function))(constants));
    for (size_t axis = 0; axis < 3; ++axis)
      grid[axis] = axis < extents.size() ? extents[axis] : 1;
    return 1;
  } catch (const std::exception &) {
    // The grid of the launch itself was fine: with other constants there is none.
    return 0;
  }
}

/// Explains what KernelBase._candidate made; answers text, all of the text, JSON and the page.
static std::array<std::string, 4> explain(nb::object candidate,
                                          const std::optional<std::string> &target,
                                          bool keepsOptions, nb::object grid,
                                          const std::optional<std::string> &gpu) {
  auto *pending =
      static_cast<PendingCall *>(PyCapsule_GetPointer(candidate.ptr(), PendingCall::capsule));
  if (!pending)
    throw nb::python_error();
  const BoundCall &call = pending->call;
  tritium_explanation what = {};
  what.keeps_options = keepsOptions;
  what.gpu = gpu ? gpu->c_str() : nullptr;
  if (!grid.is_none()) {
    what.grid_for = gridFor;
    what.user = &grid;
  }
  tritium_error error = {};
  tritium_explained *made;
  {
    WithoutGIL release;
    made = tritium_kernel_explain(pending->native, call.arguments, call.count, call.options.data(),
                                  call.options.size(), pending->grid,
                                  target ? target->c_str() : nullptr, &what, &error);
  }
  if (!made) {
    raise(error);
    throw nb::python_error();
  }
  std::array<std::string, 4> all = {tritium_explained_text(made, 0),
                                    tritium_explained_text(made, 1), tritium_explained_json(made),
                                    tritium_explained_html(made)};
  tritium_explained_release(made);
  return all;
}

/// Two documents side by side, as text and as JSON.
static std::pair<std::string, std::string> compare(const std::string &a, const std::string &b,
                                                   double slowdown) {
  tritium_error error = {};
  tritium_compared *made =
      tritium_explanations_compare(a.c_str(), "a", b.c_str(), "b", slowdown, &error);
  if (!made) {
    raise(error);
    throw nb::python_error();
  }
  std::pair<std::string, std::string> both(tritium_compared_text(made),
                                           tritium_compared_json(made));
  tritium_compared_release(made);
  return both;
}

void tritium::python::addExplanations(nb::module_ &module) {
  module.def("explain", explain, nb::arg("candidate"), nb::arg("target").none(),
             nb::arg("keeps_options"), nb::arg("grid").none(), nb::arg("gpu").none());
  module.def("compare_explanations", compare, nb::arg("a"), nb::arg("b"), nb::arg("slowdown"));
}
