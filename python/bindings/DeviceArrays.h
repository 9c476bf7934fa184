//===- DeviceArrays.h - arrays on GPUs as launch arguments ------*- C++ -*-===//

#ifndef TRITIUM_PYTHON_DEVICEARRAYS_H
#define TRITIUM_PYTHON_DEVICEARRAYS_H

#include "Objects.h"

namespace tritium::python {

enum class TensorRead {
  NotTensor, ///< none of torch's own tensors, or one that is read in a slower way
  Done,
  Failed ///< a Python error is set
};

/// Fills `argument` from a torch tensor, without running Python code.
TensorRead fromTorch(PyObject *object, tritium_argument &argument, ArgumentStorage &storage);

/// The stream that a call's arrays are used on now: torch's or CuPy's current one. False
/// with a Python error set on failure.
bool currentStream(const ArgumentStorage &storage, void *&stream);

} // namespace tritium::python

#endif // TRITIUM_PYTHON_DEVICEARRAYS_H
