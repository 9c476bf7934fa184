"""Arrays on GPUs that are known by DLPack alone."""

import ctypes

_KINDS = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 6: "bool"}


class _Tensor(ctypes.Structure):
    """DLTensor, the first field of what a capsule holds."""

    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype = ctypes.c_void_p
_pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]


def describe(capsule):
    """(address, element type's name, bytes of an element, shape, strides in bytes) of the
    tensor in a DLPack capsule, which stays its owner."""
    tensor = _Tensor.from_address(_pointer_of(capsule, b"dltensor"))
    name = _KINDS.get(tensor.code, f"type {tensor.code} of ")
    if name != "bool":
        name += str(tensor.bits)
    if tensor.lanes != 1:
        name += f"x{tensor.lanes}"
    itemsize = tensor.bits // 8
    shape = [tensor.shape[i] for i in range(tensor.ndim)]
    if tensor.strides:
        strides = [tensor.strides[i] * itemsize for i in range(tensor.ndim)]
    else:
        strides = []
        step = itemsize
        for size in reversed(shape):
            strides.insert(0, step)
            step *= size
    return (tensor.data or 0) + tensor.byte_offset, name, itemsize, shape, strides
