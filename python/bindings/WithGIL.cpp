//===- WithGIL.cpp - the interpreter lock, on any thread ------------------===//

#include "WithGIL.h"
#include "Objects.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <pthread.h>
#include <thread>

using namespace tritium::python;

namespace {

/// Held while a thread is made known to Python, and while the process forks.
std::mutex making;

//===-- The end of Python -------------------------------------------------===//

/// How many threads have the GIL for native code or ask for it, and whether Python ends.
constexpr uint32_t ending = uint32_t(1) << 31;
std::atomic<uint32_t> asking{0};
thread_local unsigned depth = 0;
thread_local bool endsPython = false;
thread_local unsigned nativeCalls = 0; ///< of the thread that ends Python

/// How long Python's end waits for those who have the GIL: they may wait for what never comes.
constexpr std::chrono::seconds patience{5};

void beginToAsk() {
  if (endsPython || depth++ > 0)
    return;
  uint32_t seen = asking.load(std::memory_order_relaxed);
  while (true) {
    if (seen & ending) {
      asking.wait(seen);
      seen = asking.load(std::memory_order_relaxed);
    } else if (asking.compare_exchange_weak(seen, seen + 1)) {
      return;
    }
  }
}

void endToAsk() {
  if (!endsPython && --depth == 0)
    --asking;
}

/// Nobody comes any more, and those who are there go. Without the GIL, which they need.
void closeForOthers() {
  asking |= ending;
  auto end = std::chrono::steady_clock::now() + patience;
  while (asking != ending && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void openForOthers() {
  asking &= ~ending;
  asking.notify_all();
}

/// Another interpreter's end is not that of the process.
PyObject *beginPythonsEnd(PyObject *, PyObject *) {
  if (PyInterpreterState_Get() == PyInterpreterState_Main() && depth == 0) {
    endsPython = true;
    PyThreadState *state = PyEval_SaveThread();
    closeForOthers();
    PyEval_RestoreThread(state);
  }
  Py_RETURN_NONE;
}

PyMethodDef beginPythonsEndMethod = {"begin_pythons_end", beginPythonsEnd, METH_NOARGS, nullptr};

[[maybe_unused]] const int registered =
    pthread_atfork([] { making.lock(); }, [] { making.unlock(); },
                   [] {
                     making.unlock();
                     asking = (endsPython && !nativeCalls ? ending : 0) + (depth ? 1 : 0);
                   });

} // namespace

bool tritium::python::attendPythonsEnd() {
  Ref module = Ref::steal(PyImport_ImportModule("atexit"));
  Ref function = Ref::steal(PyCFunction_New(&beginPythonsEndMethod, nullptr));
  return module && function &&
         Ref::steal(PyObject_CallMethod(module.get(), "register", "O", function.get()));
}

//===-- Taking and giving -------------------------------------------------===//

WithGIL::WithGIL() {
  beginToAsk();
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
  if (made) {
    PyThreadState_Clear(made);
    PyThreadState_DeleteCurrent();
  } else {
    PyGILState_Release(state);
  }
  endToAsk();
}

WithoutGIL::WithoutGIL() : state(PyEval_SaveThread()) {
  if (endsPython && nativeCalls++ == 0)
    openForOthers();
}

WithoutGIL::~WithoutGIL() {
  if (endsPython && --nativeCalls == 0)
    closeForOthers();
  beginToAsk();
  PyEval_RestoreThread(state);
  endToAsk();
}
