//===- Module.h - parts of the extension module -----------------*- C++ -*-===//

#ifndef TRITIUM_PYTHON_MODULE_H
#define TRITIUM_PYTHON_MODULE_H

#include "tritium/tritium.h"

#include <nanobind/nanobind.h>

namespace tritium::python {

/// Adds the functions of the tuner.
void addTuning(nanobind::module_ &module);
/// Adds the functions of the simulator.
void addSimulation(nanobind::module_ &module);
/// Adds the functions of explanations.
void addExplanations(nanobind::module_ &module);
/// Adds the functions of the debugger, to which programs that stop go from now on.
void addDebugging(nanobind::module_ &module);
/// Adds the class Program.
void addPrograms(nanobind::module_ &module);

/// The timings of `count` candidates: each None, a reason, or a list of three times.
nanobind::list timingsOf(const tritium_tuned *tuned, size_t count);

} // namespace tritium::python

#endif // TRITIUM_PYTHON_MODULE_H
