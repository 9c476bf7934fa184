"""Loads, stores, descriptors and atomics."""

from ._builtin import builtin

__all__ = ["load", "store", "make_block_ptr", "advance", "make_tensor_descriptor",
           "load_tensor_descriptor", "store_tensor_descriptor", "atomic_add", "atomic_max",
           "atomic_min", "atomic_and", "atomic_or", "atomic_xor", "atomic_xchg", "atomic_cas"]


@builtin
def load(pointer, mask=None, other=None, boundary_check=(), padding_option="",
         cache_modifier="", eviction_policy="", volatile=False):
    """Reads memory.

    Args:
        pointer: a pointer or a tile of pointers, of any shape.
        mask: bool, broadcast to the pointer's shape; lanes where it is False are not read.
        other: what those lanes hold, cast to the element type; undefined without it.
        boundary_check: for block pointers: the dimensions to check, a tuple of ints.
        padding_option: for block pointers: "zero" or "nan" for elements outside.
        cache_modifier, eviction_policy: hints ("", ".ca", ".cg", ".cs", ".cv"; "",
            "evict_first", "evict_last"), without effect on a CPU.
        volatile: the access is neither removed nor merged with another.

    Returns a tile of the pointer's shape and element type. It is an error to give `other`
    without `mask`.
    """


@builtin
def store(pointer, value, mask=None, boundary_check=(), cache_modifier="", eviction_policy=""):
    """Writes memory.

    Args:
        pointer: a pointer or a tile of pointers; not one to const.
        value: broadcast to the pointer's shape and cast to the element type.
        mask: bool, broadcast likewise; lanes where it is False are not written.
        boundary_check: for block pointers: the dimensions to check, a tuple of ints.
        cache_modifier, eviction_policy: hints ("", ".wb", ".cg", ".cs", ".wt"; as for load). On a
            CPU "evict_last" keeps a large output from being stored past the caches.

    Where several lanes hold one address, one of their values is stored.
    """


@builtin
def make_block_ptr(base, shape, strides, offsets, block_shape, order):
    """A pointer to a block of a larger array.

    Args:
        base: pointer to the array's first element.
        shape, strides: of the array, in elements (int64).
        offsets: of the block in the array, ints.
        block_shape: of the block, constexpr.
        order: the dimensions from the fastest, a constexpr permutation.

    `tl.load(p, boundary_check=(0,), padding_option="nan")` masks off what lies outside of the
    array along the named dimensions; it reads as zero, or as NaN. Along the others the block
    must lie within the array. `tl.store(p, value, boundary_check=(0,))` likewise.
    """


@builtin
def advance(base, offsets):
    """A block pointer moved by `offsets` (one int each dimension)."""


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
    """


@builtin
def load_tensor_descriptor(desc, offsets):
    """The block of `desc` at `offsets`; `desc.load(offsets)`."""


@builtin
def store_tensor_descriptor(desc, offsets, value):
    """Stores a block of `desc` at `offsets`; `desc.store(offsets, value)`."""


_ATOMIC = """{what} in memory, in one indivisible step for each lane.

    Args:
        pointer: a pointer or a tile of pointers{types}.
        val: broadcast to the pointer's shape and cast to the element type.
        mask: bool; lanes where it is False do nothing and return an undefined value.
        sem: "acquire", "release", "acq_rel" (default) or "relaxed".
        scope: "gpu" (default), "cta" or "sys"; without effect on a CPU.

    Returns the old values.
    """


def _atomic(name, what, types):
    def function(pointer, val, mask=None, sem=None, scope=None):
        pass

    function.__name__ = function.__qualname__ = name
    function.__module__ = __name__
    function.__doc__ = _ATOMIC.format(what=what, types=types)
    return builtin(function)


atomic_add = _atomic("atomic_add", "Adds `val`", " to 32- or 64-bit ints or fp16 to fp64")
atomic_max = _atomic("atomic_max", "Takes the maximum with `val`",
                     " to 32- or 64-bit ints, fp32 or fp64")
atomic_min = _atomic("atomic_min", "Takes the minimum with `val`",
                     " to 32- or 64-bit ints, fp32 or fp64")
atomic_and = _atomic("atomic_and", "Takes the bitwise and with `val`", " to ints")
atomic_or = _atomic("atomic_or", "Takes the bitwise or with `val`", " to ints")
atomic_xor = _atomic("atomic_xor", "Takes the bitwise exclusive or with `val`", " to ints")
atomic_xchg = _atomic("atomic_xchg", "Replaces the value by `val`", "")


@builtin
def atomic_cas(pointer, cmp, val, sem=None, scope=None):
    """Replaces the value by `val` where it equals `cmp`, in one indivisible step.

    Args:
        pointer: a pointer or a tile of pointers to 16-, 32- or 64-bit elements.
        cmp, val: broadcast to the pointer's shape and cast to the element type.
        sem, scope: as for atomic_add.

    Returns the old values.
    """
