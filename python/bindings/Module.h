//===- Module.h - parts of the extension module -----------------*- C++ -*-===//

#ifndef TRITIUM_PYTHON_MODULE_H
#define TRITIUM_PYTHON_MODULE_H

#include <nanobind/nanobind.h>

namespace tritium::python {

/// Adds the functions of the tuner.
void addTuning(nanobind::module_ &module);

} // namespace tritium::python

#endif // TRITIUM_PYTHON_MODULE_H
