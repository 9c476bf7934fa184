"""Compile-time values that are objects of Python: what kernels may ask of them."""

import collections
import dataclasses
import enum
import typing

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from support import kernels_from


class Mode(enum.Enum):
    PLAIN = "plain"
    DOUBLE = "double"

    @property
    def factor(self):
        return 2 if self is Mode.DOUBLE else 1

    def times(self, count, plus=0):
        return self.factor * count + plus


@dataclasses.dataclass
class Config:
    rows: int
    mode: Mode = Mode.PLAIN
    act: object = None


class Pair(typing.NamedTuple):
    first: object
    second: object = 10


Window = collections.namedtuple("Window", ["pointer", "length"])


@triton.jit
def plus_half(x):
    return x + 0.5


@triton.jit
def squared(x):
    return x * x


ACTS = (plus_half, squared)
TABLE = {1: 10, "two": 20, "act": squared}
LIST = [10, 20]


@triton.constexpr_function
def weigh(a, b=1, *, scale=1):
    return (a.value if isinstance(a, Mode) else a) * b * scale


@triton.jit
def apply(x_ptr, out_ptr, act: tl.constexpr = squared, N: tl.constexpr = 4):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, act(tl.load(x_ptr + i)))


def test_kernel_functions(backend):
    x = np.arange(4, dtype=np.float32)
    out = np.zeros_like(x)
    for act, expected in ((plus_half, x + 0.5), (squared, x * x), (plus_half, x + 0.5)):
        apply[(1,)](x, out, act, N=4)
        np.testing.assert_array_equal(out, expected)
    apply[(1,)](x, out)
    np.testing.assert_array_equal(out, x * x)
    apply[(1,)](x, out, tl.abs)
    np.testing.assert_array_equal(out, x)


def test_kernel_functions_for_any_parameter(backend):
    @triton.jit
    def kernel(x_ptr, acts):
        tl.store(x_ptr, acts[0](acts[1](tl.load(x_ptr))))

    x = np.full(1, 3, np.float32)
    kernel[(1,)](x, (plus_half, squared))
    assert x[0] == 9.5


def test_members_of_an_enum(backend):
    @triton.jit
    def kernel(out_ptr, mode: tl.constexpr):
        if mode == Mode.DOUBLE:
            tl.store(out_ptr, mode.times(10, plus=1))
        elif mode in (Mode.PLAIN,) and isinstance(mode, Mode):
            tl.store(out_ptr, len(mode.value) + (mode is Mode.PLAIN))

    out = np.zeros(1, np.int32)
    for mode, expected in ((Mode.DOUBLE, 21), (Mode.PLAIN, 6), (Mode.DOUBLE, 21)):
        kernel[(1,)](out, mode)
        assert out[0] == expected


def test_dataclasses_are_known_by_what_they_hold(backend):
    @triton.jit
    def kernel(out_ptr, config: tl.constexpr):
        value = config.rows * config.mode.factor
        if config.act is not None:
            value = config.act(value)
        tl.store(out_ptr, value)

    out = np.zeros(1, np.float32)
    config = Config(3)
    kernel[(1,)](out, config)
    assert out[0] == 3
    config.rows, config.act = 5, squared
    first = kernel[(1,)](out, config)
    assert out[0] == 25
    assert kernel[(1,)](out, Config(5, act=squared)) is first
    assert kernel[(1,)](out, Config(5, Mode.DOUBLE, squared)) is not first
    assert out[0] == 100


def test_dictionaries(backend):
    @triton.jit
    def kernel(out_ptr, table: tl.constexpr):
        total = table["a"] + table.get("b", 100) + len(table)
        for name, value in table.items():
            total += value * (2 if name == "c" else 1)
        if "b" not in table and table:
            total += 1000
        tl.store(out_ptr, total)

    out = np.zeros(1, np.int32)
    for table in ({"a": 3}, {"a": 3, "b": 4}, {"a": 3, "c": 4}):
        kernel[(1,)](out, table)
        assert out[0] == (3 + table.get("b", 100) + len(table) + sum(table.values())
                          + table.get("c", 0) + 1000 * ("b" not in table))


def test_dictionaries_and_lists_of_a_module(backend):
    @triton.jit
    def kernel(out_ptr, N: tl.constexpr):
        tl.store(out_ptr, TABLE["act"](TABLE[N] + LIST[1] + len(LIST)))
        tl.static_assert(ACTS[1](3) == 9 and len(ACTS) == 2)

    out = np.zeros(1, np.int32)
    kernel[(1,)](out, 1)
    assert out[0] == 32 * 32
    TABLE[1], LIST[1] = 11, 30
    try:
        kernel[(1,)](out, 1)
    finally:
        TABLE[1], LIST[1] = 10, 20
    assert out[0] == 43 * 43


def test_named_tuples(backend):
    @triton.jit
    def halves(pair):
        return Pair(pair.first * 0.5, second=pair[1] * 0.5)

    @triton.jit
    def kernel(window, out_ptr, known: tl.constexpr):
        i = tl.arange(0, 4)
        x = tl.load(window.pointer + i, i < window.length)
        pair = halves(Pair(x, known.first))
        tl.store(out_ptr + i, pair.first + pair.second + Pair(first=1).second)

    x = np.arange(4, dtype=np.float32)
    out = np.zeros_like(x)
    kernel[(1,)](Window(x, 3), out, Pair(8))
    np.testing.assert_array_equal(out, np.array([0, 0.5, 1, 0], np.float32) + 4 + 10)


@pytest.mark.parametrize("body", (
    "if out[0] > 5:\n        x = B(3, x.u)", "for i in range(out[0]):\n        x = B(3, x.u)",
    "if out[0] > 5:\n        x = (3, x.u)"))
def test_tuples_of_other_names_do_not_meet(body):
    text = f'''from collections import namedtuple
A, B = namedtuple("A", "u, v"), namedtuple("B", "v, u")
@triton.jit
def kernel(p):
    out = tl.full((1,), tl.load(p), tl.int32)
    x = A(1, 2)
    {body}
    tl.store(p, x.u)
'''
    with pytest.raises(triton.CompilationError, match=r"\(u=\w*( 1)?, v=\w*( 2)?\)"):
        kernels_from(text).kernel[(1,)](np.zeros(1, np.int32))


def test_functions_of_compile_time_values_take_keywords(backend):
    @triton.jit
    def kernel(out_ptr, mode: tl.constexpr):
        N: tl.constexpr = weigh(4, b=3, scale=weigh(2))
        tl.static_assert(weigh(mode) == "plain")
        tl.store(out_ptr, N)

    out = np.zeros(1, np.int32)
    kernel[(1,)](out, Mode.PLAIN)
    assert out[0] == 24


def test_methods_of_texts(backend):
    @triton.jit
    def kernel(out_ptr, act: tl.constexpr):
        tl.static_assert(act.startswith("re") and act.endswith(("x", "lu")) and not act.isdigit())
        tl.static_assert(act.upper() == "RELU" and act.upper().lower() == act)
        tl.static_assert("a-b-c".split("-")[1] == "b" and "/".join(("a", "b")) == "a/b")
        tl.static_assert(" a b ".strip() == "a b" and " a b ".split() == ("a", "b"))
        tl.static_assert("relu".replace("l", "LL") == "reLLu" and act.find("lu") == 2)
        tl.static_assert("{} of {1:>3}{{".format(1, act) == "1 of relu{" and act.count("e") == 1)
        tl.static_assert(act.removeprefix("re") == "lu" and act.removesuffix("x") == "relu")
        tl.store(out_ptr, 1)

    out = np.zeros(1, np.int32)
    kernel[(1,)](out, "relu")
    assert out[0] == 1


def test_numbers_have_what_scalars_have(backend):
    @triton.jit
    def kernel(out_ptr, n, M: tl.constexpr):
        tl.static_assert(M.to(tl.int64).dtype == tl.int64 and M.dtype == tl.int32 and M.value == 7)
        tl.store(out_ptr, n.to(tl.float32) / 4 + M.to(tl.float32) + tl.float32(0.5))

    out = np.zeros(1, np.float32)
    kernel[(1,)](out, 1, 7)
    assert out[0] == 7.75


def test_types_by_their_names(backend):
    @triton.jit
    def kernel(out_ptr, name: tl.constexpr):
        tl.static_assert(tl.str_to_ty("*fp32").element_ty == tl.float32)
        tl.static_assert(tl.int32.kind() == tl.dtype.KIND.INTEGRAL)
        tl.static_assert(tl.uint8.int_signedness == tl.dtype.SIGNEDNESS.UNSIGNED)
        tl.store(out_ptr, tl.full((), 300, tl.str_to_ty(name)).to(tl.int32))

    out = np.zeros(1, np.int32)
    for name, expected in (("int16", 300), ("fp32", 300)):
        kernel[(1,)](out, name)
        assert out[0] == expected


def test_quoted_annotations(backend):
    @triton.jit
    def kernel(out_ptr: "const int32*", n: "tl.int64", B: "tl.constexpr"):
        tl.static_assert(n.dtype == tl.int64 and B == 4 and out_ptr.dtype.is_const())

    kernel[(1,)](np.zeros(1, np.int32), 5, 4)
    with pytest.raises(triton.CompileTimeAssertionFailure):
        kernel[(1,)](np.zeros(1, np.int32), 5, 5)


def test_a_tile_for_a_constexpr_parameter(backend):
    """Another kernel function may pass one; then it is no compile-time value."""
    @triton.jit
    def scaled(x, factor: tl.constexpr = 2):
        return x * factor

    @triton.jit
    def kernel(x_ptr):
        x = tl.load(x_ptr + tl.arange(0, 4))
        tl.store(x_ptr + tl.arange(0, 4), scaled(scaled(x, x), factor=tl.load(x_ptr)) + scaled(1))

    x = np.array([3, 1, 2, 5], np.int32)
    expected = x * x * 3 + 2
    kernel[(1,)](x)
    np.testing.assert_array_equal(x, expected)


def test_constexpr_of_a_run_time_value(backend):
    """It stays what it is, as in Triton: known at run time."""
    @triton.jit
    def kernel(x_ptr, n, N: tl.constexpr):
        count = tl.constexpr(n)
        times = tl.constexpr(tl.load(x_ptr + tl.arange(0, 4))) * tl.constexpr(N)
        tl.static_assert(tl.constexpr(N) == 3)
        if count > 4:
            times += count
        tl.store(x_ptr + tl.arange(0, 4), times)

    for n, more in ((7, 7), (2, 0)):
        x = np.array([3, 1, 2, 5], np.int32)
        expected = x * 3 + more
        kernel[(1,)](x, n, 3)
        np.testing.assert_array_equal(x, expected)


def test_a_declared_constexpr_of_a_run_time_value(backend):
    """The name stands for the value, as in Triton, and a warning says so."""
    @triton.jit
    def kernel(x_ptr, n, N: tl.constexpr):
        known: tl.constexpr = N * 2
        tl.static_assert(known == 6)
        twice: tl.constexpr = n * 2
        last: tl.constexpr
        last = (twice, N)
        for i in range(n):
            step: tl.constexpr = i * last[1]
            if step > 3:
                twice += step
        tl.store(x_ptr, twice + last[0])

    x = np.zeros(1, np.int32)
    compiled = kernel[(1,)](x, 5, 3)
    assert x.tolist() == [20 + 6 + 9 + 12]
    names = [remark.message.split("'")[1] for remark in compiled.remarks
             if remark.kind == "warning"]
    assert set(names) == {"twice", "last", "step"}


def test_constexpr_of_a_run_time_value_is_warned_of(monkeypatch, capfd):
    @triton.jit
    def kernel(out_ptr, n, N: tl.constexpr):
        tl.store(out_ptr, tl.constexpr(n) + tl.constexpr(N))

    monkeypatch.setenv("MLIR_ENABLE_DIAGNOSTICS", "warnings")
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    kernel[(1,)](np.zeros(1, np.int32), 7, 2)
    text = capfd.readouterr().err
    assert text.count("warning: ") == 1
    assert "tl.constexpr does not make a value known at compile time: this is int32" in text


@triton.jit
def least_of(dtype):
    kind = dtype.value
    if kind.is_floating():
        least: tl.constexpr = -1.0
    else:
        least: tl.constexpr = -(2 ** (kind.int_bitwidth - 1))
    return least


def test_the_value_of_a_type_that_is_an_argument(backend):
    @triton.jit
    def kernel(out_ptr):
        tl.store(out_ptr, least_of(out_ptr.dtype.element_ty))

    for dtype, least in ((np.int16, -32768), (np.float32, -1.0)):
        out = np.zeros(1, dtype)
        kernel[(1,)](out)
        assert out[0] == least


def test_a_declared_constexpr_that_is_assigned_to(backend):
    """A plain assignment takes the name over; a second declaration is an error."""
    @triton.jit
    def kernel(out_ptr, n):
        count: tl.constexpr = 8
        at = tl.arange(0, count)
        count = min(n, count)
        if n > 5:
            count = count + 10
        tl.store(out_ptr + at, count)

    for n, expected in ((3, 3), (7, 17), (9, 18)):
        out = np.zeros(8, np.int32)
        kernel[(1,)](out, n)
        np.testing.assert_array_equal(out, expected)


def test_rounding_of_a_cast_to_the_same_type(backend):
    @triton.jit
    def kernel(out_ptr):
        x = tl.load(out_ptr + tl.arange(0, 4))
        x = x.to(tl.float32, fp_downcast_rounding="rtz")
        tl.store(out_ptr + tl.arange(0, 4), tl.cast(x, tl.float32, "rtne") * 2)

    out = np.array([1, 0.1, 3, np.inf], np.float32)
    expected = out * 2
    kernel[(1,)](out)
    np.testing.assert_array_equal(out, expected)


def test_the_target():
    @triton.jit
    def kernel(out_ptr):
        if tl.target_info.is_cuda():
            target = tl.target_info.current_target()
            tl.store(out_ptr, target.arch + 1000 * tl.extra.cuda.num_threads())
            tl.static_assert(tl.target_info.cuda_capability_geq(8, 6) == (target.arch >= 86))
        else:
            tl.static_assert(tl.target_info.current_target() is None)
            tl.store(out_ptr, tl.target_info.cuda_capability_geq(0))

    out = np.full(1, 7, np.int32)
    kernel[(1,)](out)
    assert out[0] == 0
    for arch in (80, 90):
        source = triton.compiler.ASTSource(kernel, {"out_ptr": "*i32"}, {})
        compiled = triton.compile(source, target=triton.compiler.GPUTarget("cuda", arch, 32),
                                  options={"num_warps": 8})
        assert str(arch + 256000) in compiled.asm["ttir"]


@pytest.mark.parametrize("bits,signed,dtype", [
    (1, True, tl.int1), (8, False, tl.uint8), (16, True, tl.int16), (32, False, tl.uint32),
    (64, True, tl.int64),
])
def test_integer_types_by_their_width(bits, signed, dtype):
    @triton.jit
    def kernel(out_ptr, BITS: tl.constexpr, SIGNED: tl.constexpr, DTYPE: tl.constexpr):
        kind: tl.constexpr = tl.core.get_int_dtype(bitwidth=BITS, signed=SIGNED)
        tl.static_assert(kind == DTYPE)
        minus = tl.full([1], -1, tl.int64).to(kind)
        tl.store(out_ptr + tl.arange(0, 1), minus.to(tl.int64))

    out = np.zeros(1, np.int64)
    kernel[(1,)](out, bits, signed, dtype)
    assert out[0] == (-1 if signed and bits > 1 else 2 ** bits - 1)
    assert tl.core.get_int_dtype(bits, signed) == dtype


def test_integer_types_that_are_not_there():
    @triton.jit
    def kernel(out_ptr):
        tl.store(out_ptr, tl.core.get_int_dtype(24, True))

    with pytest.raises(triton.CompilationError, match="tl.get_int_dtype: there are integers of 1, "
                                                      "8, 16, 32 and 64 bits, found 24"):
        kernel[(1,)](np.zeros(1, np.int32))


@pytest.mark.parametrize("call,message", [
    (lambda k: k[(1,)](np.zeros(1, np.int32), {"a": 1}), r"\['c'\].*KeyError: 'c'|KeyError: 'c'"),
    (lambda k: k[(1,)](np.zeros(1, np.int32), Config(1)), "no attribute '__getitem__'|has no"),
])
def test_what_an_object_has_not(call, message):
    @triton.jit
    def kernel(out_ptr, c: tl.constexpr):
        tl.store(out_ptr, c["c"])

    with pytest.raises(triton.CompilationError, match=message):
        call(kernel)


def test_objects_that_are_no_compile_time_values():
    @triton.jit
    def kernel(out_ptr, c):
        tl.store(out_ptr, 1)

    @triton.jit
    def constant(out_ptr, c: tl.constexpr):
        tl.store(out_ptr, 1)

    out = np.zeros(1, np.int32)
    with pytest.raises(triton.ArgumentError, match="'c': .*as a run-time value.*tl.constexpr"):
        kernel[(1,)](out, Config(1))
    with pytest.raises(triton.ArgumentError, match="'c'.*an array"):
        constant[(1,)](out, {"a": np.zeros(1)})


def test_classes_are_called_with_compile_time_values():
    @triton.jit
    def kernel(out_ptr):
        tl.store(out_ptr, Config(2, mode=Mode.DOUBLE).rows)
        tl.store(out_ptr + 1, Config(tl.load(out_ptr)).rows)

    with pytest.raises(triton.CompilationError, match="Config is Python's and is called at compile "
                                                      "time, but an argument is known only at run "
                                                        "time; .*class with @triton.aggregate"):
        kernel[(1,)](np.zeros(2, np.int32))


def test_an_option_that_is_a_dictionary():
    @triton.jit
    def kernel(out_ptr):
        tl.store(out_ptr, 1)

    out = np.zeros(1, np.int32)
    kernel[(1,)](out, extern_libs={"libdevice": "/nowhere/libdevice.bc"})
    assert out[0] == 1


@triton.jit
def rounded(x_ptr, MODE: tl.constexpr):
    x = tl.load(x_ptr)
    if MODE == "up":
        return tl.ceil(x)
    elif MODE == "down":
        return tl.floor(x)
    else:
        raise NotImplementedError(f"no mode {MODE}") from None


@triton.jit
def round_one(x_ptr, MODE: tl.constexpr):
    tl.store(x_ptr, rounded(x_ptr, MODE))


def test_raise_where_it_is_not_reached(backend):
    x = np.array([1.5], np.float32)
    round_one[(1,)](x, "up")
    assert x[0] == 2
    with pytest.raises(triton.UnsupportedLanguageConstruct, match="'raise' is not supported"):
        round_one[(1,)](x, "sideways")
