"""`tl.inline_asm_elementwise`: a GPU's assembly; other targets say what to write instead."""

import pathlib

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from support import assert_same, is_gpu, random_array

EXTENTS = (1, 3, 16, 40, 128, 781)


@pytest.fixture
def gpu(backend):
    if not is_gpu(backend):
        pytest.skip("a GPU's assembly")
    return backend


def line_of(marker):
    text = pathlib.Path(__file__).read_text().splitlines()
    return next(number for number, line in enumerate(text, 1) if line.endswith("# " + marker))


@triton.jit
def add_floats(x_ptr, y_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    rows, columns = tl.arange(0, M), tl.arange(0, N)
    x = tl.load(x_ptr + rows)[:, None]
    y = tl.load(y_ptr + columns)[None, :]
    z = tl.inline_asm_elementwise("add.rn.f32 $0, $1, $2;", "=f,f,f", [x, y], dtype=tl.float32,
                                  is_pure=True, pack=1)
    tl.store(out_ptr + rows[:, None] * N + columns[None, :], z)


@pytest.mark.parametrize("m,n", [(1, 1), (4, 32), (5, 37)])
def test_broadcasts(gpu, rng, m, n):
    x, y = random_array(rng, m, "float32"), random_array(rng, n, "float32")
    out = np.zeros((m, n), np.float32)
    add_floats[(1,)](x, y, out, M=m, N=n)
    assert_same(out, x[:, None] + y[None, :])


@triton.jit
def nibbles(x_ptr, low_ptr, high_ptr, N: tl.constexpr):
    offs = tl.arange(0, N)
    low, high = tl.inline_asm_elementwise(
        asm="""
        {
            // Four bytes at once.
            .reg .b32 t;
            and.b32 $0, $2, 0x0f0f0f0f;
            shr.u32 t, $2, 4;
            and.b32 $1, t, 0x0f0f0f0f;
        }
        """, constraints="=&r, =r, r", args=[tl.load(x_ptr + offs)],
        dtype=(tl.uint8, tl.uint8), is_pure=True, pack=4)
    tl.store(low_ptr + offs, low)
    tl.store(high_ptr + offs, high)


@pytest.mark.parametrize("n", EXTENTS)
def test_four_bytes_in_a_register(gpu, rng, n):
    x = random_array(rng, n, "uint8")
    low, high = np.zeros(n, np.uint8), np.zeros(n, np.uint8)
    nibbles[(1,)](x, low, high, N=n)
    assert_same(low, x & 15)
    assert_same(high, x >> 4)


@triton.jit
def add_halves(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    offs = tl.arange(0, N)
    z = tl.inline_asm_elementwise("add.rn.f16x2 $0, $1, $2;", "=r,r,r",
                                  [tl.load(x_ptr + offs), tl.load(y_ptr + offs)], tl.float16, True,
                                  2)
    tl.store(out_ptr + offs, z)


@pytest.mark.parametrize("n", EXTENTS)
def test_two_halves_in_a_register(gpu, rng, n):
    x, y = random_array(rng, n, "float16"), random_array(rng, n, "float16")
    out = np.zeros(n, np.float16)
    add_halves[(1,)](x, y, out, N=n)
    assert_same(out, x + y)


@triton.jit
def widths(x8_ptr, x16_ptr, x64_ptr, d_ptr, out8_ptr, out16_ptr, out64_ptr, outd_ptr,
           N: tl.constexpr):
    offs = tl.arange(0, N)
    a = tl.inline_asm_elementwise("add.u32 $0, $1, 1;", "=r,r", [tl.load(x8_ptr + offs)], tl.uint8,
                                  True, 1)
    b = tl.inline_asm_elementwise("add.u16 $0, $1, 1;", "=h,h", [tl.load(x16_ptr + offs)],
                                  tl.int16, True, 1)
    c = tl.inline_asm_elementwise("add.u64 $0, $1, 1;", "=l,l", [tl.load(x64_ptr + offs)],
                                  tl.int64, True, 1)
    d = tl.inline_asm_elementwise("neg.f64 $0, $1; neg.f64 $0, $0;", "=d,0",
                                  [tl.load(d_ptr + offs)], tl.float64, True, 1)
    tl.store(out8_ptr + offs, a)
    tl.store(out16_ptr + offs, b)
    tl.store(out64_ptr + offs, c)
    tl.store(outd_ptr + offs, d)


def test_widths_of_registers(gpu, rng):
    x = [random_array(rng, 40, name) for name in ("uint8", "int16", "int64", "float64")]
    out = [np.zeros_like(array) for array in x]
    widths[(1,)](*x, *out, N=40)
    for before, after in zip(x[:3], out):
        assert_same(after, before + before.dtype.type(1))
    assert_same(out[3], x[3])


@triton.jit
def choose(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    offs = tl.arange(0, N)
    x, y = tl.load(x_ptr + offs), tl.load(y_ptr + offs)
    more = tl.inline_asm_elementwise("setp.gt.s32 $0, $1, $2;", "=b,r,r", [x, y], tl.int1, True, 1)
    z = tl.inline_asm_elementwise("selp.b32 $0, $1, $2, $3;", "=r,r,r,b", [x, y, more], tl.int32,
                                  True, 1)
    tl.store(out_ptr + offs, z)


def test_predicates(gpu, rng):
    x, y = (rng.integers(-9, 9, 70).astype(np.int32) for _ in range(2))
    out = np.zeros(70, np.int32)
    choose[(1,)](x, y, out, N=70)
    assert_same(out, np.maximum(x, y))


@triton.jit
def without_arguments(out_ptr):
    tl.store(out_ptr, tl.inline_asm_elementwise("mov.u32 $0, 42;", "=r", [], tl.int32,
                                                is_pure=False, pack=1))


def test_no_arguments_make_a_scalar(gpu):
    out = np.zeros(1, np.int32)
    without_arguments[(1,)](out)
    assert out[0] == 42


@triton.jit
def writes_by_itself(x_ptr, out_ptr, N: tl.constexpr):
    offs = tl.arange(0, N)
    tl.inline_asm_elementwise("st.global.u32 [$1], $2; mov.u32 $0, 0;", "=r,l,r,~{memory}",
                              [out_ptr + offs, tl.load(x_ptr + offs)], tl.int32, is_pure=False,
                              pack=1)


@pytest.mark.parametrize("n", [1, 40, 128])
def test_effects_stay_within_the_tile(gpu, rng, n):
    x = random_array(rng, n, "int32")
    out = np.zeros(n, np.int32)
    writes_by_itself[(1,)](x, out, N=n)
    assert_same(out, x)


#===-- Mistakes ------------------------------------------------------------===#


@triton.jit
def any_assembly(x_ptr, TEXT: tl.constexpr, CONSTRAINTS: tl.constexpr, TYPE: tl.constexpr,
                 PACK: tl.constexpr):
    offs = tl.arange(0, 32)
    x = tl.load(x_ptr + offs)
    y = tl.inline_asm_elementwise(TEXT, CONSTRAINTS, [x], TYPE, True, PACK)  # ANY
    tl.store(x_ptr + offs, y.to(x.dtype))


def refusal(launch):
    with pytest.raises(Exception) as caught:
        launch()
    return str(caught.value)


@pytest.mark.parametrize("text,constraints,type_,pack,words", [
    ("mov.b32 $0, $1;", "=r", tl.int32, 1, ["have 1 output and 0 inputs", "take 1 and 1"]),
    ("mov.b32 $0, $1;", "r,r", tl.int32, 1, ["have 0 outputs and 2 inputs"]),
    ("mov.b32 $0, $1;", "=q,r", tl.int32, 1, ["'=q' is no register", "r (32 bits)"]),
    ("mov.b32 $0, $1;", "=r,h", tl.int32, 1, ["'h' is for 16 bits", "argument 0 has 32"]),
    ("mov.b32 $0, $1;", "=r,r", tl.int32, 3, ["power of two", "3"]),
    ("mov.b32 $0, $1;", "=r,r", tl.int32, 0, ["'pack'", "positive", "0"]),
    ("mov.b32 $0, $7;", "=r,r", tl.int32, 1, ["the text names $7", "$0 to $1"]),
    ("mov.b32 $0, $x;", "=r,r", tl.int32, 1, ["'$$'"]),
    ("mov.b32 $0, $1;", "+r,r", tl.int32, 1, ["'+r' is not LLVM's", "'=r'"]),
    ("mov.b32 $0, $1;", "=r,r", (), 1, ["needs a result", "'dtype'"]),
    ("mov.b32 $0, $1;", "=r,r", 3, 1, ["'dtype'", "tl.float32"]),
    (3, "=r,r", tl.int32, 1, ["must be a string"]),
])
def test_mistakes_are_the_authors_line(backend, text, constraints, type_, pack, words):
    message = refusal(lambda: any_assembly[(1,)](np.zeros(32, np.int32), text, constraints, type_,
                                                 pack))
    assert f"test_assembly.py:{line_of('ANY')}" in message, message
    for word in words:
        assert word in message, (word, message)


def test_what_the_assembler_refuses_is_the_authors_line(gpu, unrecorded):
    message = refusal(lambda: any_assembly[(1,)](np.zeros(32, np.int32), "nonsense.b32 $0, $1;",
                                                 "=r,r", tl.int32, 1))
    assert f"test_assembly.py:{line_of('ANY')}" in message, message
    assert "assembly" in message and "nonsense" in message, message


def test_other_targets_say_what_to_write(backend):
    if is_gpu(backend):
        pytest.skip("it has the assembly")
    message = refusal(lambda: any_assembly[(1,)](np.zeros(32, np.int32), "mov.b32 $0, $1;", "=r,r",
                                                 tl.int32, 1))
    assert f"test_assembly.py:{line_of('ANY')}" in message, message
    for word in ("inline_asm_elementwise", "does not run", "tl.extra.libdevice",
                 "tl.target_info.is_cuda()"):
        assert word in message, message
    assert "bug" not in message, message


@triton.jit
def guarded(x_ptr, out_ptr, N: tl.constexpr):
    offs = tl.arange(0, N)
    x = tl.load(x_ptr + offs)
    if tl.target_info.is_cuda():
        y = tl.inline_asm_elementwise("neg.s32 $0, $1;", "=r,r", [x], tl.int32, True, 1)
    else:
        y = -x
    tl.store(out_ptr + offs, y)


def test_guarded_it_is_for_every_target(backend, rng):
    x = rng.integers(-9, 9, 64).astype(np.int32)
    out = np.zeros(64, np.int32)
    guarded[(1,)](x, out, N=64)
    assert_same(out, -x)
