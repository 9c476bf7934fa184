//===- WithGIL.h - the interpreter lock, on any thread ----------*- C++ -*-===//

#ifndef TRITIUM_PYTHON_WITHGIL_H
#define TRITIUM_PYTHON_WITHGIL_H

#include <Python.h>

namespace tritium::python {

/// Holds the GIL. Nests.
///
/// PyGILState_Ensure does the same but for this: for a thread that Python does not know it enters
/// one into the interpreter's list before it has the GIL, and a process that forks meanwhile has a
/// child in which the list is locked for ever. Here a fork waits.
class WithGIL {
public:
  WithGIL();
  ~WithGIL();
  WithGIL(const WithGIL &) = delete;
  WithGIL &operator=(const WithGIL &) = delete;

private:
  PyThreadState *made = nullptr; ///< of a thread that Python did not know
  PyGILState_STATE state;
};

} // namespace tritium::python

#endif // TRITIUM_PYTHON_WITHGIL_H
