"""tl.dot_scaled in every format, against products that NumPy computes in float64."""

import ml_dtypes
import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from support import assert_same
from test_errors import check as check_error
from tritium.tools.mxfp import MXFP4Tensor

NUMBERS = {"e2m1": ml_dtypes.float4_e2m1fn, "e4m3": ml_dtypes.float8_e4m3fn,
           "e5m2": ml_dtypes.float8_e5m2, "bf16": ml_dtypes.bfloat16, "fp16": np.float16}
FORMATS = tuple(NUMBERS)
PAIRS = [(a, b) for a in FORMATS for b in FORMATS if {a, b} != {"bf16", "fp16"}]


@triton.jit
def product(a_ptr, a_scale_ptr, b_ptr, b_scale_ptr, acc_ptr, out_ptr, A: tl.constexpr,
            B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, AM: tl.constexpr, AK: tl.constexpr,
            BK: tl.constexpr, BN: tl.constexpr, G: tl.constexpr, A_K_PACK: tl.constexpr,
            B_K_PACK: tl.constexpr, FAST: tl.constexpr):
    a = tl.load(a_ptr + tl.arange(0, AM)[:, None] * AK + tl.arange(0, AK)[None, :])
    b = tl.load(b_ptr + tl.arange(0, BK)[:, None] * BN + tl.arange(0, BN)[None, :])
    groups = tl.arange(0, G)[None, :]
    a_scale = None
    if a_scale_ptr is not None:
        a_scale = tl.load(a_scale_ptr + tl.arange(0, M)[:, None] * G + groups)
    b_scale = None
    if b_scale_ptr is not None:
        b_scale = tl.load(b_scale_ptr + tl.arange(0, N)[:, None] * G + groups)
    tile = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    acc = tl.load(acc_ptr + tile)
    c = tl.dot_scaled(a, a_scale, A, b, b_scale, B, acc=acc, fast_math=FAST, lhs_k_pack=A_K_PACK,
                      rhs_k_pack=B_K_PACK, out_dtype=tl.float32)
    tl.static_assert(c.dtype == tl.float32)
    tl.store(out_ptr + tile, c)


class Operand:
    """Numbers, and the scales of their groups along `axis`."""

    def __init__(self, rng, shape, axis, form, group=None, numbers=None, scales=None):
        self.form, self.axis = form, axis
        if numbers is None:  # few bits, so that sums in float32 are exact
            numbers = rng.choice([-6, -4, -3, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 3, 4, 6], shape)
        self.numbers = numbers.astype(NUMBERS[form])
        self.values = self.numbers.astype(np.float64)
        self.scales = None
        if group:
            scale_shape = (shape[1 - axis], shape[axis] // group)
            self.scales = (rng.integers(125, 130, scale_shape).astype(np.uint8)
                           if scales is None else scales)
            powers = np.ldexp(1.0, self.scales.astype(int) - 127)
            powers[self.scales == 255] = np.nan
            each = np.repeat(powers, group, 1)
            self.values = self.values * (each if axis == 1 else each.T)

    def packed(self, k_pack):
        """As a kernel loads it."""
        if self.form != "e2m1":
            return np.ascontiguousarray(self.numbers)
        fours = MXFP4Tensor(data=self.numbers.astype(np.float32))
        return fours.to_packed_tensor(self.axis if k_pack else 1 - self.axis)


def run(rng, a, b, k_packs=(True, True), fast=False, acc=None, as_bits=False):
    (M, _), (_, N) = a.numbers.shape, b.numbers.shape
    x, y = a.packed(k_packs[0]), b.packed(k_packs[1])
    if as_bits:
        x, y = (v.view(f"u{v.dtype.itemsize}") for v in (x, y))
    acc = rng.integers(-8, 8, (M, N)).astype(np.float32) if acc is None else acc
    out = np.zeros((M, N), np.float32)
    scales = a.scales if a.scales is not None else b.scales
    product[(1,)](x, a.scales, y, b.scales, acc, out, A=a.form, B=b.form, M=M, N=N, AM=x.shape[0],
                  AK=x.shape[1], BK=y.shape[0], BN=y.shape[1],
                  G=1 if scales is None else scales.shape[1], A_K_PACK=k_packs[0],
                  B_K_PACK=k_packs[1], FAST=fast)
    return out, acc


def check(rng, a, b, **options):
    out, acc = run(rng, a, b, **options)
    with np.errstate(invalid="ignore"):
        assert_same(out, (a.values @ b.values + acc).astype(np.float32))


@pytest.mark.parametrize("forms", PAIRS, ids="-".join)
@pytest.mark.parametrize("groups", [(32, 32), (32, None), (None, 32), (None, None), (16, 16)],
                         ids=str)
def test_exact_products(backend, rng, forms, groups):
    for M, N, K in [(16, 16, 64), (3, 5, 32), (20, 1, 96)]:
        check(rng, Operand(rng, (M, K), 1, forms[0], groups[0]),
              Operand(rng, (K, N), 0, forms[1], groups[1]))


@pytest.mark.parametrize("k_packs", [(True, False), (False, True), (False, False)])
@pytest.mark.parametrize("forms", [("e2m1", "e2m1"), ("e2m1", "bf16"), ("fp16", "e2m1")])
def test_packed_along_m_or_n(backend, rng, k_packs, forms):
    k_packs = tuple(packs or form != "e2m1" for packs, form in zip(k_packs, forms))
    for M, N, K in [(16, 32, 64), (6, 10, 32)]:
        check(rng, Operand(rng, (M, K), 1, forms[0], 32), Operand(rng, (K, N), 0, forms[1], 32),
              k_packs=k_packs)


@pytest.mark.parametrize("form", FORMATS)
def test_bits_of_numbers(backend, rng, form):
    """Numbers may come as unsigned integers of the same width."""
    check(rng, Operand(rng, (16, 32), 1, form, 32), Operand(rng, (32, 16), 0, form, 32),
          as_bits=True, fast=True)


def identity(form, n):
    return Operand(None, (n, n), 0, form, numbers=np.eye(n))


@pytest.mark.parametrize("form", ("e2m1", "e4m3", "e5m2"))
def test_every_number(backend, rng, form):
    """All codes, infinities and NaN among them, times one."""
    kind = NUMBERS[form]
    count = 16 if form == "e2m1" else 256
    codes = np.arange(count, dtype=np.uint8).view(kind).astype(np.float32)
    numbers = np.resize(codes, 256).reshape(8, 32)
    a = Operand(rng, (8, 32), 1, form, 32, numbers=numbers, scales=np.full((8, 1), 128, np.uint8))
    with np.errstate(invalid="ignore"):
        expected = np.where(np.isfinite(a.values).all(1, keepdims=True), a.values, np.nan)
    out, _ = run(rng, a, identity("bf16", 32), acc=np.zeros((8, 32), np.float32))
    rows = np.isfinite(a.values).all(1)
    assert rows.any()
    assert_same(out[rows], expected[rows].astype(np.float32))
    # What is not finite times the zeros of the other columns is NaN.
    assert np.isnan(out[~rows]).sum() >= 31 * (~rows).sum()


@pytest.mark.parametrize("fast", (False, True))
@pytest.mark.parametrize("form,numbers", [("e2m1", 1.5), ("e4m3", 1.75), ("bf16", 1.0)])
def test_every_scale(backend, rng, form, numbers, fast):
    """2^-127 to 2^127, and NaN, which takes its group alone."""
    scales = np.arange(256, dtype=np.uint8).reshape(64, 4)
    a = Operand(rng, (64, 128), 1, form, 32, numbers=np.full((64, 128), numbers), scales=scales)
    ones = np.zeros((128, 4))
    ones[::32] = np.eye(4)
    b = Operand(rng, (128, 4), 0, "bf16", numbers=ones)
    out, _ = run(rng, a, b, acc=np.zeros((64, 4), np.float32), fast=fast)
    exact = a.values[:, ::32]
    rounded = exact.astype(np.float32).astype(ml_dtypes.bfloat16).astype(np.float32)
    has_nan = np.isnan(exact).any(1)
    assert np.isnan(out[has_nan]).all() and has_nan.sum() == 1
    # A matrix unit may take subnormal operands as zeros.
    out, rounded = out[~has_nan], rounded[~has_nan]
    tiny = np.abs(rounded) < np.finfo(np.float32).tiny
    assert_same(out[~tiny], rounded[~tiny])
    assert np.all((out == rounded) | (out == 0))


@pytest.mark.parametrize("form", ("e4m3", "e5m2", "e2m1"))
def test_scales_of_halves(backend, rng, form):
    """With float16 on the other side the products are float16, rounded once."""
    scales = np.array([[127 - 24], [127 - 14], [127], [127 + 6]], np.uint8)
    numbers = np.array([0.5, 1, 1.5, 3, 4, 6, -2, -6])
    a = Operand(rng, (4, 32), 1, form, 32, numbers=np.resize(numbers, (4, 32)), scales=scales)
    b = identity("fp16", 32)
    out, _ = run(rng, a, b, acc=np.zeros((4, 32), np.float32))
    assert_same(out, a.values.astype(np.float16).astype(np.float32))


def test_floating_scales(backend, rng):
    """Scales of float8e4nv, one for each 16 numbers."""
    a = Operand(rng, (16, 64), 1, "e2m1")
    b = Operand(rng, (64, 16), 0, "e2m1")
    for side in (a, b):
        side.scales = rng.choice([0.5, 0.75, 1, 1.5, 3], (16, 4)).astype(ml_dtypes.float8_e4m3fn)
        each = np.repeat(side.scales.astype(np.float64), 16, 1)
        side.values = side.values * (each if side is a else each.T)
    check(rng, a, b)


@pytest.mark.parametrize("forms", [("e4m3", "e5m2"), ("bf16", "e4m3"), ("e4m3", "fp16")])
def test_random_numbers(backend, rng, forms):
    """Products of 16-bit floats are exact in float32; each of the K sums rounds once more."""
    M, N, K = 32, 16, 128
    a = Operand(rng, (M, K), 1, forms[0], 32, numbers=rng.standard_normal((M, K)))
    b = Operand(rng, (K, N), 0, forms[1], 32, numbers=rng.standard_normal((K, N)))
    out, acc = run(rng, a, b)
    bound = (np.abs(a.values) @ np.abs(b.values) + np.abs(acc)) * (K + 1) * 2.0 ** -24
    assert np.all(np.abs(out - (a.values @ b.values + acc)) <= bound)


@triton.jit
def batched(a_ptr, a_scale_ptr, b_ptr, b_scale_ptr, out_ptr, K_PACK: tl.constexpr,
            B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i = tl.arange(0, B)[:, None, None]
    KA: tl.constexpr = K // 2 if K_PACK else K
    MA: tl.constexpr = M if K_PACK else M // 2
    NB: tl.constexpr = N if K_PACK else N // 2
    G: tl.constexpr = K // 32
    a = tl.load(a_ptr + i * MA * KA + tl.arange(0, MA)[None, :, None] * KA
                + tl.arange(0, KA)[None, None, :])
    b = tl.load(b_ptr + i * NB * KA + tl.arange(0, KA)[None, :, None] * NB
                + tl.arange(0, NB)[None, None, :])
    g = tl.arange(0, G)[None, None, :]
    a_scale = tl.load(a_scale_ptr + i * M * G + tl.arange(0, M)[None, :, None] * G + g)
    b_scale = tl.load(b_scale_ptr + i * N * G + tl.arange(0, N)[None, :, None] * G + g)
    c = tl.dot_scaled(a, a_scale, "e2m1", b, b_scale, "e2m1", lhs_k_pack=K_PACK,
                      rhs_k_pack=K_PACK)
    tl.store(out_ptr + i * M * N + tl.arange(0, M)[None, :, None] * N
             + tl.arange(0, N)[None, None, :], c)


@pytest.mark.parametrize("k_pack", (True, False))
def test_batch(backend, rng, k_pack):
    B, M, N, K = 3, 4, 6, 64
    pairs = [(Operand(rng, (M, K), 1, "e2m1", 32), Operand(rng, (K, N), 0, "e2m1", 32))
             for _ in range(B)]
    sides = [np.stack(x) for x in zip(*[(a.packed(k_pack), a.scales, b.packed(k_pack), b.scales)
                                        for a, b in pairs])]
    out = np.zeros((B, M, N), np.float32)
    batched[(1,)](*sides, out, K_PACK=k_pack, B=B, M=M, N=N, K=K)
    assert_same(out, np.stack([a.values @ b.values for a, b in pairs]).astype(np.float32))


def tile(shape, dtype="uint8"):
    return f"tl.zeros({shape}, tl.{dtype})"


A, B, S = tile((8, 32), "float8e4nv"), tile((32, 4), "float8e4nv"), tile((8, 1))
ERRORS = {
    "format": (f"{A}, None, 'e3m2', {B}, None, 'e4m3'",
               ["'lhs_format' of tl.dot_scaled", "'e2m1', 'e4m3', 'e5m2', 'bf16', 'fp16'",
                "'e3m2'"]),
    "format_at_run_time": (f"{A}, None, 'e4m3', {B}, None, n", ["'rhs_format'", "compile time"]),
    "element": (f"{tile((8, 32), 'float16')}, None, 'e4m3', {B}, None, 'e4m3'",
                ["lhs of tl.dot_scaled", "float8e4nv, or their bits as uint8",
                 r"float16\[8, 32\]"]),
    "packed_element": (f"{A}, None, 'e4m3', {tile((16, 4), 'int32')}, None, 'e2m1'",
                       ["rhs of tl.dot_scaled", "uint8, two numbers in each", "int32"]),
    "packing": (f"{A}, None, 'e4m3', {B}, None, 'e4m3', lhs_k_pack=False",
                ["'lhs_k_pack=False'", "only 'e2m1' does"]),
    "rank": (f"tl.zeros((32,), tl.float8e4nv), None, 'e4m3', {B}, None, 'e4m3'",
             ["rank 2, or of rank 3", r"float8e4nv\[32\]"]),
    "ranks": (f"{tile((2, 8, 32), 'float8e4nv')}, None, 'e4m3', {B}, None, 'e4m3'",
              ["one rank", r"\[2, 8, 32\]", r"\[32, 4\]"]),
    "inner": (f"{tile((8, 32))}, None, 'e2m1', {B}, None, 'e4m3'",
              ["inner extents of tl.dot_scaled must agree", r"\[8, 64\]", r"\[32, 4\]",
               "counted in numbers"]),
    "batch": (f"{tile((2, 8, 32), 'float8e5')}, None, 'e5m2', "
              f"{tile((3, 32, 4), 'float8e5')}, None, 'e5m2'",
              ["batch extents", r"\[2, 8, 32\]", r"\[3, 32, 4\]"]),
    "halves": (f"{tile((8, 32), 'bfloat16')}, None, 'bf16', "
               f"{tile((32, 4), 'float16')}, None, 'fp16'",
               ["either in bfloat16 or in float16", r"\.to\(\)"]),
    "scale_type": (f"{A}, {tile((8, 1), 'float32')}, 'e4m3', {B}, None, 'e4m3'",
                   ["lhs_scale of tl.dot_scaled", "uint8", r"float32\[8, 1\]"]),
    "floating_scale": (f"{A}, {tile((8, 2), 'float8e4nv')}, 'e4m3', {B}, None, 'e4m3'",
                       ["lhs_scale", "e8m0", "float8e4nv"]),
    "transposed_scale": (f"{A}, {S}, 'e4m3', {B}, {tile((1, 4))}, 'e4m3'",
                         ["rhs_scale of tl.dot_scaled", r"\[4, 1\] or \[4, 2\]", r"uint8\[1, 4\]"]),
    "groups": (f"{tile((8, 48), 'float8e5')}, {S}, 'e5m2', "
               f"{tile((48, 4), 'float8e5')}, None, 'e5m2'",
               ["lhs_scale", r"which is \[8, 3\]", r"uint8\[8, 1\]"]),
    "no_groups": (f"{tile((8, 20), 'float8e5')}, {S}, 'e5m2', {tile((20, 4), 'float8e5')}, None, "
                  "'e5m2'", ["K is 20", "16 does not divide"]),
    "out_dtype": (f"{A}, None, 'e4m3', {B}, None, 'e4m3', out_dtype=tl.float16",
                  ["'out_dtype' of tl.dot_scaled must be tl.float32", r"float16|fp16"]),
    "acc": (f"{A}, None, 'e4m3', {B}, None, 'e4m3', {tile((8, 8), 'float32')}",
            [r"accumulator of tl\.dot_scaled must be float32\[8, 4\]", r"float32\[8, 8\]"]),
    "fast_math": (f"{A}, None, 'e4m3', {B}, None, 'e4m3', fast_math=n > 1", ["'fast_math'"]),
}


@pytest.mark.parametrize("call,patterns", ERRORS.values(), ids=ERRORS)
def test_errors(call, patterns):
    caught = check_error(f"x = tl.dot_scaled({call})  # HERE", patterns)
    assert type(caught.value) is triton.CompilationError
