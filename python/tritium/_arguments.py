"""What launch arguments are, for those that the extension does not recognise itself."""

import sys

from . import _C
from . import _objects
from . import language as tl
from ._wrapper import TensorWrapper
from .tools.tensor_descriptor import TensorDescriptor

# Element types by the names that NumPy, ml_dtypes and torch give them.
_SIGNATURES = {
    "bool": "i1", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
    "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
    "float16": "fp16", "bfloat16": "bf16", "float32": "fp32", "float64": "fp64",
    "float8_e5m2": "fp8e5", "float8_e4m3fn": "fp8e4nv", "float8_e4m3fnuz": "fp8e4b8",
    "float8_e5m2fnuz": "fp8e5b16",
}
# The type strings of the array interface.
_TYPE_STRINGS = {
    "b1": "i1", "i1": "i8", "i2": "i16", "i4": "i32", "i8": "i64", "u1": "u8", "u2": "u16",
    "u4": "u32", "u8": "u64", "f2": "fp16", "f4": "fp32", "f8": "fp64",
}
_UNKNOWN = 2 ** 64 - 1
_DLPACK_CPU, _DLPACK_CUDA = 1, 2


def _unsupported(name):
    return TypeError(f"arrays of {name} cannot be passed to a kernel; the element types are: "
                     + ", ".join(_SIGNATURES))


def _signature(name):
    try:
        return _SIGNATURES[name]
    except KeyError:
        raise _unsupported(name) from None


def element_type(descriptor):
    """(signature, bytes) of a NumPy dtype. TypeError if kernels have no such type."""
    if not descriptor.isnative:
        raise TypeError(f"the array's byte order ({descriptor.str}) is not this machine's; "
                        "convert it with .astype first")
    if descriptor.fields is not None or descriptor.subdtype is not None:
        raise _unsupported("a structured type")
    return _signature(descriptor.name), descriptor.itemsize


def _extent(shape, strides, itemsize):
    """The bytes (low, high) that an array reaches, relative to its first element."""
    low, high = 0, itemsize
    for size, stride in zip(shape, strides):
        if size == 0:
            return 0, 0
        reach = (size - 1) * stride
        if reach < 0:
            low += reach
        else:
            high += reach
    return low, high


def _pointer(address, signature, shape, strides, itemsize, read_only, owner, device=-1,
             allocation=(0, 0)):
    low, high = _extent(shape, strides, itemsize)
    return ("pointer", address, signature, address + low, high - low, read_only, owner, device,
            *allocation)


def _contiguous(shape, itemsize):
    strides = []
    for size in reversed(shape):
        strides.append(itemsize)
        itemsize *= size
    return strides[::-1]


def _from_interface(array, interface, device=-1):
    address, read_only = interface["data"]
    descriptor = getattr(array, "dtype", None)
    if descriptor is not None and hasattr(descriptor, "itemsize"):
        signature, itemsize = element_type(descriptor)
    else:
        text = interface["typestr"]
        order = ">" if sys.byteorder == "little" else "<"
        if text[0] == order or text[1:] not in _TYPE_STRINGS:
            raise _unsupported(text)
        signature, itemsize = _TYPE_STRINGS[text[1:]], int(text[2:])
    shape = interface["shape"]
    strides = interface.get("strides") or _contiguous(shape, itemsize)
    return _pointer(address, signature, shape, strides, itemsize, read_only, array, device)


def _refuse_device(tensor, device):
    raise TypeError(f"the {type(tensor).__name__} is on the device {device}; kernels take arrays "
                    "in host memory and on CUDA devices")


def _device_of(array):
    """The number of the GPU that an array with `__cuda_array_interface__` is on."""
    if hasattr(array, "__dlpack_device__"):
        return int(array.__dlpack_device__()[1])
    return _C.cuda_current_device()


def torch_type(dtype):
    """The signature of a torch.dtype."""
    return _signature(str(dtype).rpartition(".")[2])


def current_stream(array, device):
    """The stream on which `array` is used: CuPy's or torch's current one, or the default one. Plain
    tensors of torch do not come here, but those of other classes do, and reinterpreted ones."""
    if type(array).__module__.partition(".")[0] == "cupy":
        cupy = sys.modules["cupy"]
        with cupy.cuda.Device(device):
            return int(cupy.cuda.get_current_stream().ptr)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(array, torch.Tensor):
        return torch._C._cuda_getCurrentRawStream(device)
    return 0


def _from_tensor(tensor):
    """A torch tensor, or anything that looks like one: data_ptr() and dtype."""
    device = getattr(tensor, "device", None)
    where = getattr(device, "type", "cpu" if device is None else str(device))
    if where not in ("cpu", "cuda"):
        _refuse_device(tensor, device)
    number = -1 if where == "cpu" else int(getattr(device, "index", None) or 0)
    kind = tensor.dtype
    signature = kind.signature if isinstance(kind, tl.dtype) else torch_type(kind)
    address = tensor.data_ptr()
    if not hasattr(tensor, "stride") or not hasattr(tensor, "element_size"):
        return ("pointer", address, signature, 0, _UNKNOWN, False, tensor, number)
    itemsize = tensor.element_size()
    strides = [stride * itemsize for stride in tensor.stride()]
    allocation = (0, 0)
    if hasattr(tensor, "untyped_storage"):
        storage = tensor.untyped_storage()
        allocation = storage.data_ptr(), storage.nbytes()
    return _pointer(address, signature, tuple(tensor.shape), strides, itemsize, False, tensor,
                    number, allocation)


def _from_dlpack(array):
    kind, index = array.__dlpack_device__()
    if kind == _DLPACK_CUDA:
        from ._dlpack import describe

        # Stream 1 is the default one, on which the launch will be.
        capsule = array.__dlpack__(stream=1)
        address, name, itemsize, shape, strides = describe(capsule)
        return _pointer(address, _signature(name), shape, strides, itemsize, False, capsule,
                        int(index))
    if kind != _DLPACK_CPU:
        _refuse_device(array, f"{kind}:{index} (DLPack)")
    import numpy

    view = numpy.from_dlpack(array)
    return _from_interface(view, view.__array_interface__)


def _reinterpreted(wrapper):
    answer = classify(wrapper.base)
    before, after = tl.dtype.from_signature(answer[2]), wrapper.dtype
    if before.primitive_bitwidth != after.primitive_bitwidth:
        raise TypeError(f"cannot take elements of {before} as {after}: the widths differ")
    return (*answer[:2], after.signature, *answer[3:])


def _descriptor(descriptor):
    if not isinstance(descriptor.block_shape, (tuple, list)):
        raise TypeError("the block_shape of a tensor descriptor must be a list of ints, but it is "
                        f"{descriptor.block_shape!r}")
    return ("descriptor", (descriptor.base, _run_time(descriptor.shape),
                           _run_time(descriptor.strides), tuple(descriptor.block_shape),
                           descriptor.padding))


class _run_time(tuple):
    """A tuple whose items are arguments of their own, and no compile-time values."""


def classify(argument):
    """("pointer", address, signature, begin, bytes, read_only, owner, ...) of an array, ("value",
    v) with a simpler Python value, or ("tuple" or "descriptor", items). TypeError if it is
    none of them."""
    if isinstance(argument, tl.constexpr):
        # The object itself is a compile-time value; what it holds may become a run-time one.
        # NumPy's numbers are numbers (and its arrays, which the launch refuses, arrays).
        held = argument.value
        return ("value", held if hasattr(type(held), "__array_interface__") else argument)
    if isinstance(argument, _run_time):
        return ("tuple", tuple(argument))
    if isinstance(argument, (tl.dtype, tuple, list)):
        if isinstance(argument, tl.dtype):
            return ("value", argument)
        items = tuple(argument)
        if hasattr(argument, "_fields"):
            return ("tuple", items, tuple(argument._fields))
        return ("value", items) if _objects.is_value(items) else ("tuple", items)
    if isinstance(argument, TensorDescriptor):
        return _descriptor(argument)
    if isinstance(argument, TensorWrapper):
        return _reinterpreted(argument)
    if hasattr(argument, "data_ptr") and hasattr(argument, "dtype"):
        return _from_tensor(argument)
    interface = getattr(argument, "__cuda_array_interface__", None)
    if interface is not None:
        return _from_interface(argument, interface, _device_of(argument))
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        if isinstance(argument, numpy.generic):
            return ("value", _objects.simple(argument))
        if isinstance(argument, numpy.dtype):
            return ("value", tl.dtype.from_signature(element_type(argument)[0]))
        if isinstance(argument, type) and issubclass(argument, numpy.generic):
            return ("value", tl.dtype.from_signature(element_type(numpy.dtype(argument))[0]))
    interface = getattr(argument, "__array_interface__", None)
    if interface is not None:
        return _from_interface(argument, interface)
    if hasattr(argument, "__dlpack__"):
        return _from_dlpack(argument)
    if isinstance(argument, bool):
        return ("value", bool(argument))
    if isinstance(argument, int):
        return ("value", int(argument))
    if isinstance(argument, float):
        return ("value", float(argument))
    if isinstance(argument, str):
        return ("value", str.__str__(argument))  # a member of an Enum prints its name
    if str(type(argument)) == "<class 'torch.dtype'>":
        return ("value", tl.dtype.from_signature(torch_type(argument)))
    return ("value", argument)  # known by its name
