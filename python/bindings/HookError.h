//===- HookError.h - exceptions of Python hooks -----------------*- C++ -*-===//

#ifndef TRITIUM_PYTHON_HOOKERROR_H
#define TRITIUM_PYTHON_HOOKERROR_H

#include "Objects.h"
#include "WithGIL.h"

#include <nanobind/nanobind.h>

namespace tritium::python {

/// A Python exception that a hook raised while native code ran. It ends the native call,
/// which reports some error, and goes on to the caller in its place.
class HookError {
public:
  /// Runs `body` with the GIL; 1 if it raised something, else 0.
  template <typename Body> int guarded(Body body) {
    WithGIL gil;
    try {
      body();
      if (PyErr_CheckSignals() == 0)
        return 0;
    } catch (nanobind::python_error &error) {
      error.restore();
    } catch (const std::exception &error) {
      PyErr_SetString(PyExc_TypeError, error.what());
    }
    PyErr_Fetch(&raised[0], &raised[1], &raised[2]);
    return 1;
  }

  /// Raises what the hook raised, or else `error`.
  [[noreturn]] void raiseInsteadOf(tritium_error &error) {
    if (raised[0]) {
      PyErr_Restore(raised[0], raised[1], raised[2]);
      raised[0] = raised[1] = raised[2] = nullptr;
      tritium_error_clear(&error);
    } else {
      raise(error);
    }
    throw nanobind::python_error();
  }

private:
  PyObject *raised[3] = {}; ///< as PyErr_Fetch gives it
};

} // namespace tritium::python

#endif // TRITIUM_PYTHON_HOOKERROR_H
