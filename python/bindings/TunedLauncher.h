//===- TunedLauncher.h - launches of autotuned kernels ----------*- C++ -*-===//

#ifndef TRITIUM_PYTHON_TUNEDLAUNCHER_H
#define TRITIUM_PYTHON_TUNEDLAUNCHER_H

#include "Objects.h"

namespace tritium::python {

/// Adds the types TunerBase and TunedLauncher to the module.
bool addTunedLauncherTypes(PyObject *module);

} // namespace tritium::python

#endif // TRITIUM_PYTHON_TUNEDLAUNCHER_H
