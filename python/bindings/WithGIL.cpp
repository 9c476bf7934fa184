//===- WithGIL.cpp - the interpreter lock, on any thread ------------------===//

#include "WithGIL.h"

#include <mutex>
#include <pthread.h>

using namespace tritium::python;

/// Held while a thread is made known to Python, and while the process forks.
static std::mutex making;

[[maybe_unused]] static const int registered =
    pthread_atfork([] { making.lock(); }, [] { making.unlock(); }, [] { making.unlock(); });

WithGIL::WithGIL() {
  if (PyGILState_GetThisThreadState()) {
    state = PyGILState_Ensure();
    return;
  }
  {
    std::lock_guard lock(making);
    made = PyThreadState_New(PyInterpreterState_Main());
  }
  PyEval_RestoreThread(made);
}

WithGIL::~WithGIL() {
  if (!made) {
    PyGILState_Release(state);
    return;
  }
  PyThreadState_Clear(made);
  PyThreadState_DeleteCurrent();
}
