"""Loads, stores, descriptors and atomics."""

from ._builtin import builtin

__all__ = ["load", "store", "make_block_ptr", "advance", "make_tensor_descriptor",
           "load_tensor_descriptor", "store_tensor_descriptor", "atomic_add", "atomic_max",
           "atomic_min", "atomic_and", "atomic_or", "atomic_xor", "atomic_xchg", "atomic_cas",
           "atomic_poll"]


@builtin
def load(pointer, mask=None, other=None, boundary_check=(), padding_option="",
         cache_modifier="", eviction_policy="", volatile=False):
    """Reads memory.

    Args:
        pointer: a pointer or a tile of pointers, of any shape; or a block pointer.
        mask: int1, broadcast to the pointer's shape; lanes where it is False are not read.
        other: what those lanes hold, cast to the element type; an error without `mask`.
        boundary_check: for block pointers, which take no mask: the dimensions to check, a tuple
            of ints.
        padding_option: for block pointers: "zero" or, for floats, "nan" for elements outside.
        cache_modifier, eviction_policy: hints ("", ".ca", ".cg", ".cs", ".cv"; "",
            "evict_first", "evict_last"), without effect on a CPU.
        volatile: the access is neither removed nor merged with another.

    Returns a tile of the pointer's shape and element type; bools are bytes in memory.

    Beyond Triton: a lane that is masked off, with no `other`, is zero.

    Example:
        >>> tl.load(floats + tl.arange(0, 3))
        float32 [0.0, 1.0, 2.0]
        >>> i = tl.arange(0, 4)
        >>> tl.load(ints + i, mask=i < 2, other=-1)
        int32 [0, 1, -1, -1]
        >>> tl.load(ints + tl.arange(0, 4), other=0)
        CompilationError: 'other' needs a mask
    """


@builtin
def store(pointer, value, mask=None, boundary_check=(), cache_modifier="", eviction_policy=""):
    """Writes memory.

    Args:
        pointer: a pointer or a tile of pointers; not one to const; or a block pointer.
        value: broadcast to the pointer's shape and cast to the element type.
        mask: int1, broadcast likewise; lanes where it is False are not written.
        boundary_check: for block pointers, which take no mask: the dimensions to check, a tuple
            of ints.
        cache_modifier, eviction_policy: hints ("", ".wb", ".cg", ".cs", ".wt"; as for load). On a
            CPU "evict_last" keeps a large output from being stored past the caches.

    Where several lanes hold one address, one of their values is stored.

    Example:
        >>> i = tl.arange(0, 4)
        >>> tl.store(ints + i, i * i, mask=i < 3)
        >>> tl.load(ints + i)
        int32 [0, 1, 4, 3]
        >>> tl.store(tl.arange(0, 4), 1)
        CompilationError: pointer
    """


@builtin
def make_block_ptr(base, shape, strides, offsets, block_shape, order):
    """A pointer to a block of a larger array.

    Args:
        base: pointer to the array's first element, a scalar.
        shape, strides: of the array, in elements (int64).
        offsets: of the block in the array, ints.
        block_shape: of the block, constexpr.
        order: the dimensions from the fastest, a constexpr permutation.

    The five have one length. `tl.load(p, boundary_check=(0,), padding_option="nan")` masks off what
    lies outside of the array along the named dimensions; it reads as zero, or as NaN. Along the
    others the block must lie within the array. `tl.store(p, value, boundary_check=(0,))` likewise.

    Beyond Triton: any extents; attributes `base shape strides offsets block_shape order`.

    Example:
        >>> p = tl.make_block_ptr(floats, (2, 5), (5, 1), (0, 3), (2, 3), (1, 0))
        >>> tl.load(p, boundary_check=(1,), padding_option="zero")
        float32 [[3.0, 4.0, 0.0], [8.0, 9.0, 0.0]]
    """


@builtin
def advance(base, offsets):
    """A block pointer moved by `offsets`, one int for each dimension; also `base.advance(offsets)`.

    Example:
        >>> p = tl.make_block_ptr(floats, (16,), (1,), (0,), (2,), (0,))
        >>> tl.load(tl.advance(p, (4,)))
        float32 [4.0, 5.0]
    """


@builtin
def make_tensor_descriptor(base, shape, strides, block_shape, padding_option="zero"):
    """A descriptor of an array of 1 to 5 dimensions whose blocks are loaded and stored.

    Args:
        base: pointer, 16-byte aligned.
        shape: ints, the extents in elements.
        strides: ints, in elements; the last one is the constant 1, the others are multiples of
            16 bytes.
        block_shape: constexpr.
        padding_option: "zero" or, for floats, "nan": what elements outside read as.

    Returns a `tl.tensor_descriptor`.

    Beyond Triton: blocks of any extents, also of less than 16 bytes in the last dimension.

    Example:
        >>> d = tl.make_tensor_descriptor(floats, (4, 4), (4, 1), (2, 2))
        >>> d.load([1, 3])
        float32 [[7.0, 0.0], [11.0, 0.0]]
    """


@builtin
def load_tensor_descriptor(desc, offsets):
    """The block of `desc` at `offsets`; `desc.load(offsets)`.

    Example:
        >>> d = tl.make_tensor_descriptor(ints, (16,), (1,), (4,))
        >>> tl.load_tensor_descriptor(d, [8])
        int32 [8, 9, 10, 11]
    """


@builtin
def store_tensor_descriptor(desc, offsets, value):
    """Stores a block of `desc` at `offsets`; `desc.store(offsets, value)`.

    Example:
        >>> d = tl.make_tensor_descriptor(ints, (16,), (1,), (4,))
        >>> tl.store_tensor_descriptor(d, [12], tl.zeros((4,), tl.int32))
        >>> tl.load(ints + tl.arange(11, 14))
        int32 [11, 0, 0]
    """


# The names that Triton 3.0 to 3.3 had for this. Descriptors that `tritium.tools.
# experimental_descriptor` makes know no more of their elements than the bytes.
_experimental_make_tensor_descriptor = make_tensor_descriptor


@builtin
def _experimental_reinterpret_tensor_descriptor(desc_ptr, block_shape, dtype):
    """The array of `desc_ptr` with elements of `dtype`, which has as many bits, in other blocks.

    Example:
        >>> d = tl.make_tensor_descriptor(floats, (16,), (1,), (4,))
        >>> tl._experimental_reinterpret_tensor_descriptor(d, [2], tl.int32).load([1])
        int32 [1065353216, 1073741824]
    """


@builtin
def _experimental_descriptor_load(desc_pointer, offsets, shape, dtype):
    """The block of `shape` at `offsets`, whose bits are taken as elements of `dtype`.

    Example:
        >>> d = tl.make_tensor_descriptor(floats, (16,), (1,), (4,))
        >>> tl._experimental_descriptor_load(d, [1], [2], tl.float32)
        float32 [1.0, 2.0]
    """


@builtin
def _experimental_descriptor_store(desc_pointer, value, offsets):
    """Stores a block of the shape of `value`, bit by bit, at `offsets`.

    Example:
        >>> d = tl.make_tensor_descriptor(ints, (16,), (1,), (4,))
        >>> tl._experimental_descriptor_store(d, tl.zeros((2,), tl.int32), [12])
        >>> tl.load(ints + tl.arange(11, 15))
        int32 [11, 0, 0, 14]
    """


_ATOMIC = """{what} in memory, in one indivisible step for each lane.

    Args:
        pointer: a pointer or a tile of pointers to {types}.
        val: broadcast to the pointer's shape and cast to the element type.
        mask: int1; lanes where it is False do nothing and return an undefined value.
        sem: "acquire", "release", "acq_rel" (default) or "relaxed".
        scope: "gpu" (default), "cta" or "sys"; without effect on a CPU.

    Returns the old values.{more}

    Example:
        >>> tl.{name}(ints + 6, {val})
        int32 6
        >>> tl.load(ints + 6)
        int32 {then}
    """


def _atomic(name, what, types, val, then, more=""):
    def function(pointer, val, mask=None, sem=None, scope=None):
        pass

    function.__name__ = function.__qualname__ = name
    function.__module__ = __name__
    function.__doc__ = _ATOMIC.format(name=name, what=what, types=types, val=val, then=then,
                                      more=more)
    return builtin(function)


_INTS, _BEYOND = "ints of 8 to 64 bits", "\n\n    Beyond Triton: 8 and 16 bits{}."
_NUMBERS = _INTS + ", or floats of 16 to 64"
atomic_add = _atomic("atomic_add", "Adds `val`", _NUMBERS, 3, 9, _BEYOND.format(" of ints"))
atomic_max = _atomic("atomic_max", "Takes the maximum with `val`", _NUMBERS, 9, 9,
                     _BEYOND.format(""))
atomic_min = _atomic("atomic_min", "Takes the minimum with `val`", _NUMBERS, 9, 6,
                     _BEYOND.format(""))
atomic_and = _atomic("atomic_and", "Takes the bitwise and with `val`", _INTS, 3, 2,
                     _BEYOND.format(""))
atomic_or = _atomic("atomic_or", "Takes the bitwise or with `val`", _INTS, 9, 15,
                    _BEYOND.format(""))
atomic_xor = _atomic("atomic_xor", "Takes the bitwise exclusive or with `val`", _INTS, 3, 5,
                     _BEYOND.format(""))
atomic_xchg = _atomic("atomic_xchg", "Replaces the value by `val`", _NUMBERS, 3, 3,
                      _BEYOND.format(""))


@builtin
def atomic_cas(pointer, cmp, val, sem=None, scope=None):
    """Replaces the value by `val` where it equals `cmp`, in one indivisible step.

    Args:
        pointer: a pointer or a tile of pointers to elements of 8 to 64 bits.
        cmp, val: broadcast to the pointer's shape and cast to the element type. Floats are
            compared bit by bit.
        sem, scope: as for atomic_add.

    Returns the old values.

    Example:
        >>> tl.atomic_cas(ints + 6, 6, 1)
        int32 6
        >>> tl.load(ints + 6)
        int32 1
    """


@builtin
def atomic_poll(pointer, expected_value, sem=None, scope=None, timeout_ns=None):
    """Waits until an element in memory has a value.

    Args:
        pointer: a scalar pointer to an integer of 16, 32 or 64 bits, not one to const.
        expected_value: cast to the element type.
        sem: "acquire" (None) or "relaxed".
        scope: as for atomic_add.
        timeout_ns: how long, at most; 0: one look, None: without end.

    Returns whether the element had the value when it was read last.

    Example:
        >>> tl.atomic_poll(ints + 3, 3)
        int1 True
        >>> tl.atomic_poll(ints + 3, 4, timeout_ns=0)
        int1 False
    """
