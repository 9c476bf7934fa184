"""What a launch takes, and what it says of what it does not take."""

import enum
import sys

import ml_dtypes
import numpy as np
import pytest

import tritium as triton
import tritium.language as tl


@triton.jit
def add_scalar(x_ptr, out_ptr, n, value, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask) + value, mask)


@triton.jit
def set_to(out_ptr, value):
    tl.store(out_ptr, value)


def run(x, out, value=1.0, **options):
    n = out.shape[0]
    return add_scalar[(triton.cdiv(n, 16),)](x, out, n, value, BLOCK=16, **options)


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
                                   "uint64", "float16", "float32", "float64",
                                   ml_dtypes.bfloat16])
def test_element_types(dtype):
    x = np.arange(50).astype(dtype)
    out = np.zeros_like(x)
    kernel = run(x, out, 2)
    np.testing.assert_array_equal(out, (np.arange(50) + 2).astype(dtype))
    assert kernel.metadata.parameters[0].type.startswith("*")


def test_bool_arrays():
    x = np.array([True, False, True])
    out = np.zeros(3, np.int32)

    @triton.jit
    def invert(x_ptr, out_ptr, N: tl.constexpr):
        i = tl.arange(0, N)
        tl.store(out_ptr + i, tl.where(tl.load(x_ptr + i), 0, 1))

    invert[(1,)](x, out, N=3)
    assert out.tolist() == [0, 1, 0]


class Foreign:
    """Has memory and says so by the array interface only."""

    def __init__(self, array, read_only=False):
        self.array = array
        self.__array_interface__ = dict(array.__array_interface__)
        if read_only:
            address = self.__array_interface__["data"][0]
            self.__array_interface__["data"] = (address, True)

    shape = property(lambda self: self.array.shape)


class DLPackOnly:
    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **kwargs):
        return self.array.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Device:
    def __init__(self, kind):
        self.type = kind

    def __str__(self):
        return self.type


class TorchDType:
    def __init__(self, name):
        self.name = name

    def __str__(self):
        return f"torch.{self.name}"


class TorchLike:
    """What a torch tensor shows of itself."""

    def __init__(self, array, device="cpu"):
        self.array = array
        self.dtype = TorchDType(array.dtype.name)
        self.device = Device(device)
        self.shape = array.shape

    def data_ptr(self):
        return self.array.ctypes.data

    def element_size(self):
        return self.array.itemsize

    def stride(self):
        return tuple(s // self.array.itemsize for s in self.array.strides)


@pytest.mark.parametrize("wrap", [Foreign, DLPackOnly, TorchLike])
def test_array_protocols(wrap):
    x = np.arange(40, dtype=np.float32)
    out = np.zeros_like(x)
    add_scalar[(3,)](wrap(x), wrap(out), 40, 1.5, BLOCK=16)
    np.testing.assert_array_equal(out, x + 1.5)


class Subclass(np.ndarray):
    pass


def test_subclass_of_ndarray():
    x = np.arange(20, dtype=np.float32).view(Subclass)
    out = np.zeros(20, np.float32).view(Subclass)
    run(x, out)
    np.testing.assert_array_equal(out, x + 1)


def test_arrays_on_other_devices_are_refused():
    x = np.zeros(4, np.float32)
    with pytest.raises(triton.ArgumentError, match="'x_ptr'.*device xpu.*host memory and on CUDA"):
        add_scalar[(1,)](TorchLike(x, "xpu"), x, 4, 1.0, BLOCK=16)


@pytest.mark.parametrize("array,message", [
    (np.array(["a"]), "str"), (np.array([object()]), "object"),
    (np.zeros(3, np.complex64), "complex64"), (np.zeros(3, ">f4"), "byte order"),
    (np.zeros(3, [("a", "f4")]), "structured"), (np.zeros(3, "M8[s]"), "datetime64"),
])
def test_unsupported_element_types(array, message):
    with pytest.raises(TypeError, match=f"argument 'x_ptr'.*{message}"):
        run(array, np.zeros(3, np.float32))


def test_read_only_arrays():
    x = np.arange(16, dtype=np.float32)
    x.flags.writeable = False
    out = np.zeros_like(x)
    run(x, out)
    np.testing.assert_array_equal(out, x + 1)
    with pytest.raises(triton.ArgumentError, match="writes to 'out_ptr'.*read-only"):
        run(out, x)
    with pytest.raises(triton.ArgumentError, match="read-only"):
        run(out, Foreign(np.zeros(16, np.float32), read_only=True))
    assert x[0] == 0


def test_views_keep_their_place():
    base = np.zeros(100, np.float32)
    x = np.ones(10, np.float32)
    add_scalar[(1,)](x, base[30:40], 10, 1.0, BLOCK=16)
    assert base.sum() == 20 and base[30:40].sum() == 20


def test_launches_with_known_types_call_no_python():
    @triton.jit
    def add_up(out_ptr, a_ptr, b_ptr, c_ptr, d_ptr, e_ptr, f_ptr):
        total = tl.load(a_ptr) + tl.load(b_ptr) + tl.load(c_ptr)
        tl.store(out_ptr, total + tl.load(d_ptr) + tl.load(e_ptr) + tl.load(f_ptr))

    # Views of bytes, so that each launch asks for the type of bytes, too.
    types = ["float64", "int8", "int32", "int64", "float16", "float32", "uint16"]
    arrays = [np.zeros(128, np.uint8)[:64].view(t) for t in types]
    launch, called = add_up[(1,)], []
    launch(*arrays)
    sys.setprofile(lambda frame, event, _: called.append(frame.f_code) if event == "call" else None)
    try:
        launch(*arrays)
    finally:
        sys.setprofile(None)
    assert not called


def test_strided_views():
    @triton.jit
    def double(x_ptr, stride, N: tl.constexpr):
        p = x_ptr + tl.arange(0, N) * stride
        tl.store(p, tl.load(p) * 2)

    base = np.arange(20, dtype=np.int32)
    view = base[::-2]
    double[(1,)](view, view.strides[0] // 4, N=10)
    expected = np.arange(20)
    expected[::-2] *= 2
    np.testing.assert_array_equal(base, expected)
    # The interpreter knows the memory of a view from its strides.
    triton.knobs.runtime.interpret = True
    try:
        double[(1,)](view, view.strides[0] // 4, N=10)
        with pytest.raises(triton.InterpreterError):
            double[(1,)](view, -view.strides[0] // 4, N=10)
    finally:
        triton.knobs.runtime.interpret = None


@pytest.mark.parametrize("value,expected", [
    (3, 3), (-1, -1), (2 ** 31, 2 ** 31), (2 ** 40 + 1, 2 ** 40 + 1), (-(2 ** 63), -(2 ** 63)),
    (1, 1), (16, 16), (True, 1), (False, 0), (np.int64(7), 7), (np.int8(-7), -7),
    (np.bool_(True), 1), (enum.IntEnum("E", {"A": 9}).A, 9),
])
def test_integers(value, expected):
    out = np.zeros(1, np.int64)
    set_to[(1,)](out, value)
    assert out[0] == expected


def test_unsigned_64_bit():
    out = np.zeros(1, np.uint64)
    set_to[(1,)](out, 2 ** 64 - 1)
    assert out[0] == 2 ** 64 - 1


@pytest.mark.parametrize("value", [1.5, np.float32(1.5), np.float64(1.5), np.float16(1.5),
                                   ml_dtypes.bfloat16(1.5)])
def test_floats(value):
    out = np.zeros(1, np.float32)
    set_to[(1,)](out, value)
    assert out[0] == 1.5


def test_floats_are_fp32():
    out = np.zeros(1, np.float64)
    set_to[(1,)](out, 0.1)
    assert out[0] == np.float32(0.1)


def test_none():
    @triton.jit
    def maybe(x_ptr, out_ptr):
        if x_ptr is None:
            tl.store(out_ptr, -1)
        else:
            tl.store(out_ptr, tl.load(x_ptr))

    out = np.zeros(1, np.int32)
    maybe[(1,)](None, out)
    assert out[0] == -1
    maybe[(1,)](np.array([5], np.int32), out)
    assert out[0] == 5


def test_constexprs_of_every_kind():
    @triton.jit
    def kernel(out_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, D: tl.constexpr):
        value = tl.full((1,), A[0] * 100 + A[1], C)
        if B == "negate":
            value = -value
        if D is None:
            value += 1
        tl.store(out_ptr + tl.arange(0, 1), value)

    out = np.zeros(1, np.float32)
    kernel[(1,)](out, (3, 4), "negate", tl.float32, None)
    assert out[0] == -303
    kernel[(1,)](out, [3, 4], "keep", tl.int32, tl.constexpr(5))
    assert out[0] == 304
    kernel[(1,)](out, A=(1, 2), B="keep", C=np.float32, D=False)
    assert out[0] == 102


def test_annotations_fix_types():
    @triton.jit
    def kernel(out_ptr, n: tl.int64, f: tl.float64):
        tl.static_assert(n.dtype == tl.int64)
        tl.static_assert(f.dtype == tl.float64)
        tl.store(out_ptr, n + f)

    out = np.zeros(1, np.float64)
    kernel[(1,)](out, 1, 0.1)
    assert out[0] == 1.1
    with pytest.raises(triton.ArgumentError, match="'n' is annotated"):
        kernel[(1,)](out, 1.5, 0.1)


def test_reinterpret():
    x = np.array([1.0, -2.0], np.float32)
    out = np.zeros(2, np.int32)

    @triton.jit
    def copy(x_ptr, out_ptr):
        i = tl.arange(0, 2)
        tl.store(out_ptr + i, tl.load(x_ptr + i))

    copy[(1,)](triton.reinterpret(x, tl.int32), out)
    np.testing.assert_array_equal(out, x.view(np.int32))
    with pytest.raises(TypeError, match="widths differ"):
        copy[(1,)](triton.reinterpret(x, tl.int64), out)


def x16():
    return np.zeros(16, np.float32)


@pytest.mark.parametrize("call,error,message", [
    (lambda: add_scalar[(1,)](x16(), x16(), 16, BLOCK=16), TypeError, "missing argument 'value'"),
    (lambda: add_scalar[(1,)](x16(), x16(), 16, 1.0), TypeError,
     r"missing argument 'BLOCK' \(a constexpr\)"),
    (lambda: add_scalar[(1,)](x16(), x16(), 16, 1.0, 16, 3), TypeError, "takes 5 .* got 6"),
    (lambda: add_scalar[(1,)](x16(), x16(), 16, 1.0, BLCK=16), KeyError,
     "no parameter or option 'BLCK'; did you mean 'BLOCK'"),
    (lambda: add_scalar[(1,)](x16(), x16(), 16, 1.0, BLOCK=16, num_warp=4), KeyError,
     "did you mean 'num_warps'"),
    (lambda: add_scalar[(1,)](x16(), x16(), 16, 1.0, BLOCK=16, something=4), KeyError,
     "its parameters are: x_ptr, out_ptr, n, value, BLOCK"),
    (lambda: add_scalar[(1,)](x16(), x16(), 16, 1.0, BLOCK=16, num_warps=3), KeyError,
     "'num_warps' must be a power of two, but got 3"),
    (lambda: add_scalar[(1,)](x16(), x16(), 16, 1.0, BLOCK=16, x_ptr=x16()), TypeError,
     "got argument 'x_ptr' twice"),
    (lambda: add_scalar[(1,)](x16(), x16(), 16, object(), BLOCK=16), TypeError,
     "argument 'value': object cannot be passed to a kernel as a run-time value"),
    (lambda: add_scalar[(1,)](x16(), x16(), 16, 1.0, BLOCK=x16()), TypeError,
     "'BLOCK' is a constexpr, but got an array"),
    (lambda: add_scalar[(1,)](x16(), x16(), 2 ** 64, 1.0, BLOCK=16), TypeError,
     "argument 'n': .* does not fit in 64 bits"),
])
def test_bad_arguments(call, error, message):
    with pytest.raises(error, match=message) as caught:
        call()
    assert isinstance(caught.value, triton.TritonError)
    assert "kernel 'add_scalar'" in str(caught.value)


@pytest.mark.parametrize("grid,message", [
    ((1, 2, 3, 4), "more than three"), ((), "no dimensions"), ((1.5,), "must be one to three"),
    (("a",), "must be one to three"), ((-1,), "must be one to three"),
    ((2 ** 32,), "must be one to three"), (None, "must be one to three"),
    (lambda meta: "x", "must be one to three"), (lambda meta: (2, -1), "must be one to three"),
    ((2 ** 31,), "from 0 to 2147483647"), ((1, 1, 2 ** 31), "from 0 to 2147483647"),
    (lambda meta: (1, 2 ** 31), "from 0 to 2147483647"),
    ((2 ** 31 - 1, 2 ** 31 - 1, 2), r"more than 2\^62"),
])
def test_bad_grids(grid, message):
    with pytest.raises(ValueError, match=message) as caught:
        set_to[grid](np.zeros(1, np.int32), 1)
    assert isinstance(caught.value, triton.GridError)


@pytest.mark.parametrize("grid", [(0,), (3, 0), (0, 0, 0), lambda meta: (4, 0)])
def test_a_grid_with_a_zero_runs_nothing(grid):
    out = np.zeros(1, np.int32)
    compiled = set_to[grid](out, 1)
    assert out[0] == 0 and "ttir" in compiled.asm


@pytest.mark.parametrize("grid", [(2, 3, 4), [2, 3, 4], (np.int64(2), 3, np.int32(4)),
                                  lambda meta: (meta["X"], 3, 4)])
def test_grids(grid):
    @triton.jit
    def mark(out_ptr, X: tl.constexpr = 2):
        i = tl.program_id(0) + tl.num_programs(0) * (
            tl.program_id(1) + tl.num_programs(1) * tl.program_id(2))
        tl.store(out_ptr + i, i + 1)

    out = np.zeros(24, np.int32)
    mark[grid](out)
    np.testing.assert_array_equal(out, np.arange(24) + 1)


def test_an_int_is_a_grid():
    out = np.zeros(1, np.int32)
    set_to[1](out, 4)
    assert out[0] == 4


def test_grid_function_sees_the_arguments():
    seen = {}

    def grid(meta):
        seen.update(meta)
        return (1,)

    x = x16()
    add_scalar[grid](x, x16(), n=16, value=1.0, BLOCK=16)
    assert seen["x_ptr"] is x and seen["n"] == 16 and seen["BLOCK"] == 16


def test_errors_of_the_grid_function_pass_through():
    with pytest.raises(ZeroDivisionError):
        set_to[lambda meta: (1 // 0,)](np.zeros(1, np.int32), 1)


DEFAULT = 3


def test_defaults():
    @triton.jit
    def kernel(out_ptr, n=5, M: tl.constexpr = DEFAULT * 2, kind: tl.constexpr = tl.int32):
        tl.store(out_ptr, tl.full((1,), n * M, kind).sum())

    out = np.zeros(1, np.int32)
    kernel[(1,)](out)
    assert out[0] == 30
    kernel[(1,)](out, 7)
    assert out[0] == 42
    kernel[(1,)](out, M=1)
    assert out[0] == 5


@triton.jit
def with_keywords(out_ptr, n, **META):
    BLOCK = META["BLOCK"]
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, i * META["FACTOR"], i < n)


def test_keyword_parameters():
    for factor in (2, 3):
        out = np.zeros(20, np.int32)
        with_keywords[lambda meta: (meta["BLOCK"] // 16,)](out, 20, BLOCK=16, FACTOR=factor,
                                                           num_warps=2)
        np.testing.assert_array_equal(out, [i * factor if i < 16 else 0 for i in range(20)])
    with pytest.raises(triton.CompilationError, match="FACTOR"):
        with_keywords[(1,)](out, 20, BLOCK=16)
    with pytest.raises(TypeError, match="takes 2 arguments"):
        with_keywords[(1,)](out, 20, 3, BLOCK=16, FACTOR=1)


def test_many_parameters():
    @triton.jit
    def kernel(out, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s,  # noqa: E741
               T: tl.constexpr):
        total = a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p + q + r + s
        tl.store(out, total + T[39])

    out = np.zeros(1, np.int64)
    for shift in (0, 5):
        kernel[(1,)](out, *range(2 + shift, 21 + shift), tuple(range(40)), num_warps=4,
                     num_stages=2, debug=False)
        assert out[0] == sum(range(2 + shift, 21 + shift)) + 39


def test_no_parameters():
    @triton.jit
    def kernel():
        tl.static_assert(True)

    assert "@kernel()" in kernel[(5,)]().asm["ttir"]


def test_empty_arrays():
    around = np.full(32, 7, np.float32)
    x = around[16:16]
    add_scalar[(1,)](x, x, 0, 1.0, BLOCK=16)
    assert (around == 7).all()


def test_launches_keep_nothing_alive():
    import gc
    import weakref

    class Tracked(np.ndarray):
        pass

    x = np.zeros(16, np.float32).view(Tracked)
    seen = weakref.ref(x)
    add_scalar[(1,)](x, x, 16, 1.0, BLOCK=16)
    del x
    gc.collect()
    assert seen() is None


def test_options_of_other_compilers():
    """They change nothing, and a remark says so."""
    out = np.zeros(1, np.int32)
    compiled = set_to[(1,)](out, 5, waves_per_eu=2, num_consumer_groups=1)
    assert out[0] == 5
    texts = [remark.message for remark in compiled.remarks]
    assert "waves_per_eu changes nothing: it is an option of AMD's GPUs" in texts
    compiled = set_to[(1,)](out, 6, ir_override="kernel.ttgir", instrumentation_mode="")
    (text,) = [remark.message for remark in compiled.remarks if remark.pass_ == "options"]
    assert text.startswith("ir_override changes nothing: launches compile the kernel; ")
    with pytest.raises(triton.OptionError, match="waves_per_cu"):
        set_to[(1,)](out, 5, waves_per_cu=2)
