//===- DeviceArrays.h - arrays on GPUs as launch arguments ------*- C++ -*-===//

#ifndef TRITIUM_PYTHON_DEVICEARRAYS_H
#define TRITIUM_PYTHON_DEVICEARRAYS_H

#include "Objects.h"

namespace tritium::python {

enum class TensorRead {
  NotTensor, ///< no torch.Tensor on a CUDA device, or its extent is wanted, too
  Done,
  Failed ///< a Python error is set
};

/// Fills `argument` from a torch tensor on a CUDA device, without running Python code.
TensorRead fromTorch(PyObject *object, tritium_argument &argument, ArgumentStorage &storage);

/// The stream that a call's arrays are used on now: torch's or CuPy's current one. False
/// with a Python error set on failure.
bool currentStream(const ArgumentStorage &storage, void *&stream);

} // namespace tritium::python

#endif // TRITIUM_PYTHON_DEVICEARRAYS_H
