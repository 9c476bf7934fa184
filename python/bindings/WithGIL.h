//===- WithGIL.h - the interpreter lock, on any thread ----------*- C++ -*-===//
//
// Where Python ends, a thread that asks for the GIL is ended by pthread_exit (up to Python 3.13),
// in the middle of C++ that cannot be unwound, and the process aborts. So nobody asks from then on:
// what stands behind atexit's functions waits for those that have the GIL for native code, or ask
// for it; who comes later stays where it is, as from Python 3.14 on. The thread that ends Python
// may still run kernels, and lets others come as long as it is in native code.
//
//===----------------------------------------------------------------------===//

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

/// Gives the GIL, which the thread holds, to others, and takes it back.
class WithoutGIL {
public:
  WithoutGIL();
  ~WithoutGIL();
  WithoutGIL(const WithoutGIL &) = delete;
  WithoutGIL &operator=(const WithoutGIL &) = delete;

private:
  PyThreadState *state;
};

/// From here on Python knows what to do before it ends; with a Python error set if not.
bool attendPythonsEnd();

} // namespace tritium::python

#endif // TRITIUM_PYTHON_WITHGIL_H
