//===- Launcher.h - kernels and launchers as Python types -------*- C++ -*-===//

#ifndef TRITIUM_PYTHON_LAUNCHER_H
#define TRITIUM_PYTHON_LAUNCHER_H

#include "Objects.h"

#include <structmember.h>

namespace tritium::python {

struct KernelState;

/// The arguments of one call. Small calls need no allocation.
struct BoundCall {
  tritium_argument inlineArguments[16];
  std::unique_ptr<tritium_argument[]> more;
  tritium_argument *arguments = inlineArguments;
  size_t count = 0;
  std::vector<tritium_option> options;
  ArgumentStorage storage;
};

/// A call that is bound but not launched, with all that it needs alive: what
/// KernelBase._candidate() puts into a capsule of this name.
struct PendingCall {
  static constexpr const char *capsule = "tritium.PendingCall";
  Ref kernel, arguments, keywords;
  tritium_kernel *native = nullptr; ///< retained
  BoundCall call;
  uint32_t grid[3] = {1, 1, 1};
  ~PendingCall() { tritium_kernel_release(native); }
};

/// A tritium.compiler.CompiledKernel around `compiled`, which it retains. `scopes`: what the
/// names of its text need, or null. A new reference, or null with a Python error set.
PyObject *wrapCompiled(tritium_compiled *compiled, PyObject *scopes);

} // namespace tritium::python

#endif // TRITIUM_PYTHON_LAUNCHER_H
