//===- Launcher.h - kernels and launchers as Python types -------*- C++ -*-===//

#ifndef TRITIUM_PYTHON_LAUNCHER_H
#define TRITIUM_PYTHON_LAUNCHER_H

#include "Objects.h"

#include <structmember.h>

namespace tritium::python {

struct KernelState;

/// A tritium.compiler.CompiledKernel around `compiled`, which it retains. A new
/// reference, or null with a Python error set.
PyObject *wrapCompiled(tritium_compiled *compiled);

} // namespace tritium::python

#endif // TRITIUM_PYTHON_LAUNCHER_H
