"""Pointers of a program that has stopped."""

import ctypes
import re

import numpy as np

_FARTHEST = 1 << 40  # bytes from an argument beyond which a pointer has nothing to do with it
_NAMES = {"bool": "bool", "int1": "bool", "float16": "float16", "float32": "float32",
          "float64": "float64"}


def element_type(kind, bits):
    """NumPy's type of elements of 0: int, 1: uint, 2: float, of so many bits."""
    if kind == 2:
        return np.dtype(f"float{bits}")
    if bits == 1:
        return np.dtype("bool")
    return np.dtype(f"{'uint' if kind == 1 else 'int'}{bits}")


def _pointee(type_name):
    """NumPy's type of what `pointer<T>` points to: bits, as unsigned integers, of what it has no
    type for."""
    name = re.sub(r"^pointer<(?:const )?(.*?)(?:, const)?>$", r"\1", type_name)
    if name.startswith("pointer"):
        return np.dtype("uint64")
    if name in _NAMES or re.fullmatch(r"u?int(8|16|32|64)", name):
        return np.dtype(_NAMES.get(name, name))
    return np.dtype("uint16" if name == "bfloat16" else "uint8")


class Pointers:
    """A pointer, or a tile of them: an argument's array and offsets into it.

    Attributes:
        type: "pointer<float32>".
        name: of the argument, or None if they are near none.
        array: its memory as a flat array that cannot be written, as long as the program is
            stopped; None without a name. Of types that NumPy has not, their bits.
        offsets: the elements that are pointed to, an int64 or an array of them; None without a
            name.
        addresses: the same in bytes, from 0.
    """

    def __init__(self, type_name, addresses, buffers):
        self.type, self.addresses, self.shape = type_name, addresses[()], addresses.shape
        self.name = self.array = self.offsets = None
        best = None
        flat = addresses.reshape(-1).astype(object)
        for name, begin, size in buffers:
            distance = sum(max(begin - int(at), int(at) - begin - size + 1, 0)
                           for at in (flat if flat.size <= 64 else flat[:: flat.size // 64]))
            if distance < _FARTHEST and (best is None or distance < best[0]):
                best = distance, name, begin, size
        if best is None:
            return
        _, self.name, begin, size = best
        dtype = _pointee(type_name)
        count = size // dtype.itemsize
        memory = (ctypes.c_char * (count * dtype.itemsize)).from_address(begin)
        self.array = np.frombuffer(memory, dtype)
        self.array.flags.writeable = False
        self.offsets = ((addresses - np.uint64(begin)).view(np.int64) // dtype.itemsize)[()]

    def __getitem__(self, index):
        part = object.__new__(Pointers)
        part.__dict__.update(self.__dict__)
        part.addresses = self.addresses[index]
        part.shape = np.shape(part.addresses)
        if self.name is not None:
            part.offsets = self.offsets[index]
        return part

    @property
    def values(self):
        """What they point to now; masked where that is outside of the array."""
        if self.array is None:
            raise ValueError(f"{self.type}: what lies at {self.addresses!r} belongs to no argument")
        inside = (self.offsets >= 0) & (self.offsets < len(self.array))
        found = self.array[np.where(inside, self.offsets, 0)] if len(self.array) else (
            np.zeros(self.shape, self.array.dtype))
        return np.ma.MaskedArray(found, mask=~inside) if self.shape else (
            found if inside else np.ma.masked)

    def __repr__(self):
        if self.name is None:
            shown = np.vectorize(hex)(self.addresses) if self.shape else hex(int(self.addresses))
            return f"<{self.type} {shown}>"
        if not self.shape:
            return f"<{self.type} {self.name} + {int(self.offsets)}>"
        return f"<{self.type} {self.name} + {self.offsets!r}>"
