"""Element types and compile-time values."""

import builtins
import enum

from ._builtin import Builtin

__all__ = ["dtype", "pointer_type", "block_type", "tuple_type", "constexpr_type", "str_to_ty",
           "constexpr", "const", "tensor", "tuple", "slice", "void",
           "int1", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
           "float8e5", "float8e4nv", "float8e4b8", "float8e4b15", "float8e5b16", "float16",
           "bfloat16", "float32", "float64", "pi32_t"]

# name, signature, bits, kind, mantissa bits, exponent bias; in the native library's order.
_KINDS = (
    ("void", "void", 0, "void", 0, 0),
    ("int1", "i1", 1, "int", 0, 0),
    ("int8", "i8", 8, "int", 0, 0),
    ("int16", "i16", 16, "int", 0, 0),
    ("int32", "i32", 32, "int", 0, 0),
    ("int64", "i64", 64, "int", 0, 0),
    ("uint8", "u8", 8, "uint", 0, 0),
    ("uint16", "u16", 16, "uint", 0, 0),
    ("uint32", "u32", 32, "uint", 0, 0),
    ("uint64", "u64", 64, "uint", 0, 0),
    ("float8e5", "fp8e5", 8, "float", 2, 15),
    ("float8e4nv", "fp8e4nv", 8, "float", 3, 7),
    ("float8e4b8", "fp8e4b8", 8, "float", 3, 8),
    ("float8e4b15", "fp8e4b15", 8, "float", 3, 15),
    ("float8e5b16", "fp8e5b16", 8, "float", 2, 16),
    ("float16", "fp16", 16, "float", 10, 15),
    ("bfloat16", "bf16", 16, "float", 7, 127),
    ("float32", "fp32", 32, "float", 23, 127),
    ("float64", "fp64", 64, "float", 52, 1023),
)
_NATIVE = [kind[0] for kind in _KINDS]


class dtype:
    """An element type: `tl.float32`, `tl.int64`, ...

    Attributes:
        name: the short name, "fp32", "int32", ...
        primitive_bitwidth: bits of a value (1 for int1, which takes a byte in memory).
        itemsize: bytes of an element in memory.
        signature: the spelling in signatures, "fp32", "i32", "*fp16".
        scalar: the type itself; of a tile's type, that of its elements.
        int_bitwidth, int_signedness: of integers.
        fp_mantissa_width, exponent_bias: of floats, bits and the exponent of 1.
        SINT_TYPES, UINT_TYPES, FP_TYPES, STANDARD_FP_TYPES, OTHER_TYPES: lists of short names.

    `is_int8` to `is_uint64`, `is_fp8e5` and its like, `is_fp16`, `is_bf16`, `is_fp32`, `is_fp64`
    ask for one type; `is_bool is_int is_int_signed is_int_unsigned is_floating
    is_standard_floating is_fp8 is_ptr is_block is_const is_void` for a kind.

    Args:
        name: the name or the short name of a type; ValueError for others.

    Beyond Triton: kernels may ask for all of it. `tl.cast(x, dtype)` converts; Triton's
    `tl.float32(x)` is not there.

    Example:
        >>> tl.float16.primitive_bitwidth
        16
        >>> tl.int8.is_int_signed()
        True
        >>> tl.dtype("bf16").fp_mantissa_width
        7
    """

    class KIND(enum.Enum):
        """What `kind()` answers."""

        BOOLEAN = 0
        INTEGRAL = 1
        FLOATING = 2

    class SIGNEDNESS(enum.Enum):
        """What `int_signedness` is."""

        SIGNED = 0
        UNSIGNED = 1

    def __init__(self, name):
        row = next((kind for kind in _KINDS if name in kind[:2]), None)
        if row is None:
            raise ValueError(f"no type {name!r}; there are: {', '.join(_NATIVE)}")
        self._full_name, self.signature, self.primitive_bitwidth, self._kind = row[:4]
        self.name = self.signature if self._kind == "float" else self._full_name
        self.fp_mantissa_width, self.exponent_bias = row[4], row[5]

    @staticmethod
    def from_name(name):
        """The type with the name "float32", "int64", ..."""
        return dtype(name)

    @staticmethod
    def from_signature(text):
        """The type that a signature spells: "fp32", "*i64", "*kbf16"."""
        if text.startswith("*"):
            const = text.startswith("*k")
            return pointer_type(dtype.from_signature(text[2 if const else 1:]), const=const)
        return dtype(text)

    @staticmethod
    def from_native(kind, depth, const):
        """The type that the native library describes by numbers."""
        result = dtype(_NATIVE[kind])
        for _ in range(depth):
            result = pointer_type(result, const=bool(const))
        return result

    @property
    def scalar(self):
        return self

    @property
    def itemsize(self):
        return max(1, self.primitive_bitwidth // 8)

    @property
    def int_bitwidth(self):
        return self.primitive_bitwidth

    @property
    def int_signedness(self):
        """Of an integer type: `dtype.SIGNEDNESS.SIGNED` or `.UNSIGNED`, which a bool is."""
        signed = self.is_int_signed()
        return self.SIGNEDNESS.SIGNED if signed else self.SIGNEDNESS.UNSIGNED

    @property
    def codegen_name(self):
        """The name with its kind in full: "float32", "bfloat16", "int8"."""
        return self.name.replace("fp", "float").replace("bf", "bfloat") if (
            self.is_floating()) else self.name

    @property
    def cache_key_part(self):
        """What tells the type from another in keys of caches."""
        return self.name

    def kind(self):
        """A `dtype.KIND`; TypeError of void, pointers and tiles."""
        if self.is_bool():
            return self.KIND.BOOLEAN
        if self.is_int():
            return self.KIND.INTEGRAL
        if self.is_floating():
            return self.KIND.FLOATING
        raise TypeError(f"{self} is neither a bool nor an int nor a float")

    @staticmethod
    def is_dtype(name):
        """Whether there is a type with this short name."""
        return name in dtype.SINT_TYPES + dtype.UINT_TYPES + dtype.FP_TYPES + dtype.OTHER_TYPES

    def is_void(self):
        return self._kind == "void"

    def is_floating(self):
        return self._kind == "float"

    def is_standard_floating(self):
        return self._kind == "float" and self.primitive_bitwidth >= 16

    def is_fp8(self):
        return self._kind == "float" and self.primitive_bitwidth == 8

    def is_fp16(self):
        return self._full_name == "float16"

    def is_bf16(self):
        return self._full_name == "bfloat16"

    def is_fp32(self):
        return self._full_name == "float32"

    def is_fp64(self):
        return self._full_name == "float64"

    def is_int(self):
        return self._kind in ("int", "uint")

    def is_int_signed(self):
        return self._kind == "int" and self.primitive_bitwidth > 1

    def is_int_unsigned(self):
        return self._kind == "uint"

    def is_bool(self):
        return self._full_name == "int1"

    def is_ptr(self):
        return False

    def is_block(self):
        return False

    def is_const(self):
        return False

    def get_int_max_value(self):
        """The largest value of an integer type."""
        bits = self.primitive_bitwidth
        return (1 << (bits - 1 if self.is_int_signed() else bits)) - 1

    def get_int_min_value(self):
        """The smallest value of an integer type."""
        return -(1 << (self.primitive_bitwidth - 1)) if self.is_int_signed() else 0

    def __eq__(self, other):
        if isinstance(other, constexpr):
            other = other.value
        return isinstance(other, dtype) and self.signature == other.signature

    def __hash__(self):
        return hash(self.signature)

    def __call__(self, *_args, **_kwargs):
        raise RuntimeError(f"{self!r} casts only inside a kernel")

    def __repr__(self):
        return f"tl.{self._full_name}"

    def __str__(self):
        return self.name


for _name in ("int1", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
    setattr(dtype, f"is_{_name}", (lambda name: lambda self: self._full_name == name)(_name))
for _name in ("fp8e5", "fp8e4nv", "fp8e4b8", "fp8e4b15", "fp8e5b16"):
    setattr(dtype, f"is_{_name}", (lambda name: lambda self: self.name == name)(_name))
dtype.SINT_TYPES = [row[0] for row in _KINDS if row[3] == "int" and row[2] > 1]
dtype.UINT_TYPES = [row[0] for row in _KINDS if row[3] == "uint" or row[2] == 1]
dtype.FP_TYPES = [row[1] for row in _KINDS if row[3] == "float"]
dtype.STANDARD_FP_TYPES = [row[1] for row in _KINDS if row[3] == "float" and row[2] > 8]
dtype.OTHER_TYPES = ["void"]


class pointer_type(dtype):
    """A pointer to elements.

    Args:
        element_ty: what it points to.
        address_space: kept; memory of a CPU has one.
        const: whether it may not be stored through.

    Example:
        >>> p = (ints + 2).to(tl.pointer_type(tl.float32), bitcast=True)
        >>> p.dtype.element_ty
        tl.float32
    """

    def __init__(self, element_ty, address_space=1, const=False):
        self.element_ty = element_ty
        self.address_space = address_space
        self.const = const
        self.signature = ("*k" if const else "*") + element_ty.signature
        self.name = f"pointer<{element_ty.name}>"
        self._full_name, self._kind, self.primitive_bitwidth = self.name, "pointer", 64
        self.fp_mantissa_width = self.exponent_bias = 0

    def is_ptr(self):
        return True

    def is_const(self):
        return self.const

    def __repr__(self):
        return f"tl.pointer_type({self.element_ty!r})"


class block_type(dtype):
    """A tile's type.

    Args:
        element_ty: the type of the elements.
        shape: the extents, ints.

    Example:
        >>> tl.block_type(tl.int8, [2, 3]).shape
        2
        3
    """

    def __init__(self, element_ty, shape):
        self.element_ty = element_ty
        self.shape = builtins.tuple(shape)
        self.signature = f"<{list(self.shape)}, {element_ty.signature}>"
        self.name = self._full_name = self.signature
        self._kind, self.primitive_bitwidth = "block", element_ty.primitive_bitwidth
        self.fp_mantissa_width = self.exponent_bias = 0

    @property
    def scalar(self):
        return self.element_ty

    def is_block(self):
        return True


class tuple_type(dtype):
    """The type of a tuple, for signatures.

    Args:
        types: those of its items.
        fields: the names of its fields, if it has any.

    Example:
        >>> # on the host
        >>> tl.tuple_type([tl.int32, tl.float16]).types
        [tl.int32, tl.float16]
    """

    def __init__(self, types, fields=None):
        self.types = list(types)
        self.fields = list(fields) if fields else None
        self.signature = self.name = self._full_name = f"[{', '.join(map(str, self.types))}]"
        self._kind, self.primitive_bitwidth = "tuple", 0
        self.fp_mantissa_width = self.exponent_bias = 0

    def __iter__(self):
        return iter(self.types)

    def __getitem__(self, index):
        return self.types[index]


class constexpr_type(dtype):
    """The type of a compile-time value, which is part of it.

    Example:
        >>> # on the host
        >>> tl.constexpr(3).type
        tl.constexpr[3]
        >>> tl.constexpr(3).type == tl.constexpr_type(3)
        True
    """

    def __init__(self, value):
        self.value = _plain(value)
        self.signature = self.name = self._full_name = f"constexpr[{self.value}]"
        self._kind, self.primitive_bitwidth = "constexpr", 0
        self.fp_mantissa_width = self.exponent_bias = 0


def str_to_ty(name, c=None):
    """The type that an entry of a signature spells.

    Args:
        name: "*fp32", "i32", "constexpr", ..., or a tuple of them.
        c: the value of a "constexpr", or a tuple of those of a tuple's items.

    Example:
        >>> tl.str_to_ty("fp32", None)
        tl.float32
    """
    if isinstance(name, builtins.tuple):
        values = c if isinstance(c, (builtins.tuple, list)) else [None] * len(name)
        return tuple_type(map(str_to_ty, name, values), getattr(name, "_fields", None))
    if name.startswith("constexpr"):
        return constexpr_type(c)
    if name.startswith("tensordesc"):
        raise ValueError(f"{name!r}: a tensor descriptor has no type on the host")
    return dtype.from_signature({"u1": "i1"}.get(name, name))


void = dtype("void")
int1 = dtype("int1")
int8 = dtype("int8")
int16 = dtype("int16")
int32 = dtype("int32")
int64 = dtype("int64")
uint8 = dtype("uint8")
uint16 = dtype("uint16")
uint32 = dtype("uint32")
uint64 = dtype("uint64")
float8e5 = dtype("float8e5")
float8e4nv = dtype("float8e4nv")
float8e4b8 = dtype("float8e4b8")
float8e4b15 = dtype("float8e4b15")
float8e5b16 = dtype("float8e5b16")
float16 = dtype("float16")
bfloat16 = dtype("bfloat16")
float32 = dtype("float32")
float64 = dtype("float64")
pi32_t = pointer_type(int32)


def _plain(value):
    return value.value if isinstance(value, constexpr) else value


def _unwrap_if_constexpr(value):
    """The plain value of a constexpr; anything else as it is."""
    return _plain(value)


_constexpr_to_value = _unwrap_if_constexpr


def get_int_dtype(bitwidth, signed):
    """The integer type of 1, 8, 16, 32 or 64 bits, of which 1 is the bool's.

    Example:
        >>> tl.core.get_int_dtype(16, False)
        tl.uint16
    """
    bits = _plain(bitwidth)
    return dtype("int1" if bits == 1 else f"{'int' if _plain(signed) else 'uint'}{bits}")


class constexpr:
    """A compile-time value; as an annotation, a parameter that takes one.

    Arithmetic, comparison and indexing of constexprs give constexprs.

    Args:
        value: what is known when the kernel is compiled: a number, a text, a type, a function, a
            tuple, a member of an Enum, a dataclass.

    Attributes:
        value: the plain Python value.
        type: a `constexpr_type`.

    As an annotation, `BLOCK: tl.constexpr`, each value of the parameter makes a kernel of its own.

    Example:
        >>> n: tl.constexpr = 5
        >>> n // 2 + 1
        3
        >>> tl.constexpr(7).value
        7
        >>> tl.zeros((n,), tl.int32).shape
        5
    """

    _library_name = "triton.language.constexpr"

    def __init__(self, value):
        self.value = _plain(value)

    def __repr__(self):
        return f"constexpr[{self.value}]"

    def __hash__(self):
        return hash(self.value)

    def __bool__(self):
        return bool(self.value)

    def __index__(self):
        return self.value.__index__()

    def __int__(self):
        return int(self.value)

    def __float__(self):
        return float(self.value)

    @property
    def type(self):
        return constexpr_type(self.value)

    def logical_and(self, other):
        return constexpr(self.value and _plain(other))

    def logical_or(self, other):
        return constexpr(self.value or _plain(other))

    def __not__(self):
        return constexpr(not self.value)

    def __abs__(self):
        return constexpr(abs(self.value))

    def __iter__(self):
        return map(constexpr, self.value)

    def __neg__(self):
        return constexpr(-self.value)

    def __pos__(self):
        return constexpr(+self.value)

    def __invert__(self):
        return constexpr(~self.value)

    def __getitem__(self, key):
        return constexpr(self.value[_plain(key)])

    def __len__(self):
        return len(self.value)

    def __call__(self, *args, **kwargs):
        return constexpr(self.value(*map(_plain, args),
                                    **{name: _plain(v) for name, v in kwargs.items()}))


def _add_operators():
    import operator

    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift",
                 "and_", "or_", "xor"):
        function = getattr(operator, name)
        method = name.rstrip("_")
        setattr(constexpr, f"__{method}__",
                lambda self, other, f=function: constexpr(f(self.value, _plain(other))))
        setattr(constexpr, f"__r{method}__",
                lambda self, other, f=function: constexpr(f(_plain(other), self.value)))
    for name in ("lt", "le", "gt", "ge", "eq", "ne"):
        function = getattr(operator, name)
        setattr(constexpr, f"__{name}__",
                lambda self, other, f=function: constexpr(f(self.value, _plain(other))))


_add_operators()


CONSTEXPR_0 = constexpr(0)


class const:
    """Annotation of a pointer parameter that the kernel does not store through; a store is an
    error.

    Example:
        >>> def first(p: tl.const):
        ...     return tl.load(p)
        >>> first(ints + 3)
        int32 3
    """

    _library_name = "triton.language.const"


def _methods(owner):
    """Makes Builtins of a class's functions: kernels call them, the host reads about them."""
    for name, member in list(vars(owner).items()):
        if callable(member) and name != "__init__":
            setattr(owner, name, Builtin(member, f"{owner._library_name}.{name}"))
    return owner


@_methods
class tensor:
    """A tile in a kernel, or a scalar, which is a tile without dimensions. On the host it is of
    use as an annotation only.

    Attributes, in a kernel:
        dtype: the type of an element, a `tl.dtype`.
        shape: the extents, a tuple of constexprs; () of a scalar.
        type: the tile's type; of a scalar that of the element.
        numel: how many elements there are.
        T: the tile with its dimensions in reverse order.

    Operators: `+ - * / // % ** @ & | ^ ~ << >>`, comparisons, `and or not`, `[...]`, on two tiles
    or a tile and a number, of which the types are promoted and the shapes broadcast. `//` and `%`
    of ints truncate towards zero. `/` of ints gives fp32.

    A function of `tl` that is a method, too, takes the tile as its first argument: `x.sum(axis=0)`
    is `tl.sum(x, axis=0)`.

    Beyond Triton: `0 < x < n`; `x[3]`, `x[i]`, `x[2:8]`, `x[::2]`, `x[rows]`, and assignment to
    them; `x // 0` is 0 and `x % 0` is `x`.

    Example:
        >>> x = tl.reshape(tl.arange(0, 6), 2, 3)
        >>> x.shape
        2
        3
        >>> x.T[1:]
        int32 [[1, 4], [2, 5]]
        >>> (x.dtype, x.numel)
        tl.int32
        6
        >>> x[1] / 2
        float32 [1.5, 2.0, 2.5]
        >>> (-x).sum(axis=1)
        int32 [-3, -12]
    """

    _library_name = "triton.language.tensor"

    def __init__(self, *_args, **_kwargs):
        raise RuntimeError("a tl.tensor exists only inside a kernel")

    def to(self, dtype, fp_downcast_rounding=None, bitcast=False):
        """`tl.cast(x, dtype, fp_downcast_rounding, bitcast)`.

        Example:
            >>> tl.arange(0, 3).to(tl.float16)
            float16 [0.0, 1.0, 2.0]
        """

    def item(input):
        """The one element of a tile, a scalar; an error of a tile with more.

        Example:
            >>> tl.full((1, 1), 4, tl.int32).item()
            int32 4
        """

    def logical_and(self, other):
        """Where both are not 0; int1, as `&` of the two as int1.

        Example:
            >>> tl.arange(0, 3).logical_and(tl.arange(0, 3) < 2)
            int1 [False, True, False]
        """

    def logical_or(self, other):
        """Where one of the two is not 0; int1, as `|` of the two as int1.

        Example:
            >>> tl.arange(0, 3).logical_or(tl.arange(0, 3) > 5)
            int1 [False, True, True]
        """

    def __not__(self):
        """Where it is 0; int1, `not x`.

        Example:
            >>> not tl.arange(0, 3)
            int1 [True, False, False]
        """


# Functions of `tl` that are methods of tiles, too, the tile being the first argument.
TILE_METHODS = """
    abs argmax argmin associative_scan atomic_add atomic_and atomic_cas atomic_max atomic_min
    atomic_or atomic_poll atomic_xchg atomic_xor broadcast_to cast cdiv ceil cos cumprod
    cumsum erf exp exp2 expand_dims flip floor gather histogram log log2 max min permute ravel
    reduce reduce_or reshape rsqrt sigmoid sin softmax split sqrt sqrt_rn store sum trans view
    xor_sum
    """.split()


class tuple(builtins.tuple):
    """A tuple in a kernel; on the host, one of Python's with Triton's name for its items.

    Items are tiles, scalars or constants; indices are constexprs. Tuples are arguments and results
    of functions and of kernels, they have `len`, slices, `+`, `*` and `==`, and can be iterated.

    Beyond Triton: `a, *b = t`, comprehensions with several `for`, `sum any all zip enumerate
    reversed sorted`.

    Example:
        >>> t = (1, tl.arange(0, 2), 3.5)
        >>> t[1:] + (4,)
        int32 [0, 1]
        3.5
        4
    """

    _library_name = "triton.language.tuple"

    @property
    def values(self):
        return list(self)


class slice:
    """Begin, end and step of what a subscript takes from a tuple or a tile: `x[tl.slice(0, 4)]`.

    Attributes:
        start, stop, step: as of Python's slice, whose arguments it takes.

    Example:
        >>> tl.arange(0, 8)[tl.slice(1, 4)]
        int32 [1, 2, 3]
    """

    _library_name = "triton.language.slice"

    def __init__(self, *parts):
        bounds = builtins.slice(*parts)
        self.start, self.stop, self.step = bounds.start, bounds.stop, bounds.step
