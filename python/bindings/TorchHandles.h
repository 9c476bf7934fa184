//===- TorchHandles.h - tensors by torch's C interface ----------*- C++ -*-===//
//
// libtorch_cpu.so exports C functions, stable over its versions, that answer for a handle
// what a tensor's attributes answer, in two nanoseconds instead of sixty. A handle is the
// address of an at::Tensor, and torch's Python object holds one right behind its head. That
// place is no part of an interface. So nothing is read from there before a tensor was seen
// whose attribute `_cdata`, which is the content of the at::Tensor, is found there, and of
// which the functions answer what the attributes answer; the layout of a type does not
// change after that.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_PYTHON_TORCHHANDLES_H
#define TRITIUM_PYTHON_TORCHHANDLES_H

#include "Objects.h"

#include <utility>

namespace tritium::python {

/// The bytes [first, second) that an array reaches, relative to its first element. Strides
/// are in units of `unit` bytes.
inline std::pair<int64_t, int64_t> reach(int64_t rank, const int64_t *shape, const int64_t *strides,
                                         int64_t unit, int64_t elementBytes) {
  int64_t low = 0, high = elementBytes;
  for (int64_t axis = 0; axis < rank; ++axis) {
    if (shape[axis] == 0)
      return {0, 0};
    int64_t last = (shape[axis] - 1) * strides[axis] * unit;
    (last < 0 ? low : high) += last;
  }
  return {low, high};
}

class TorchHandles {
public:
  /// Finds the functions in the libraries that torch has loaded. False if one is missing.
  bool load();
  /// Whether a tensor's handle is where it is expected. `object` is a tensor.
  bool isInPlace(PyObject *object) const;

  /// Fills `argument` from an object of torch.Tensor's layout. False if it has no memory,
  /// or its device or element type is of no use to kernels.
  bool read(PyObject *object, tritium_argument &argument) const;
  /// torch's current stream on a GPU. False if torch does not tell.
  bool currentStream(int device, void *&stream) const {
    return getStream && getStream(device, &stream) == 0;
  }

private:
  using Handle = const void *;
  static Handle handleOf(PyObject *object) { return object + 1; }

  int (*getData)(Handle, void **) = nullptr;
  int (*getType)(Handle, int32_t *) = nullptr;
  int (*getDeviceType)(Handle, int32_t *) = nullptr;
  int (*getDevice)(Handle, int32_t *) = nullptr;
  int (*getRank)(Handle, int64_t *) = nullptr;
  int (*getShape)(Handle, const int64_t **) = nullptr;
  int (*getStrides)(Handle, const int64_t **) = nullptr;
  int (*getStorageOffset)(Handle, int64_t *) = nullptr; ///< in elements
  int (*getStorageSize)(Handle, int64_t *) = nullptr;   ///< in bytes
  int (*getStream)(int32_t, void **) = nullptr;
  int32_t onHost = 0, onGPU = 0;
  struct ElementType {
    tritium_dtype type = {};
    int64_t bytes = 0; ///< 0: none of the kernels'
  };
  ElementType elementTypes[64]; ///< by torch's number
};

} // namespace tritium::python

#endif // TRITIUM_PYTHON_TORCHHANDLES_H
