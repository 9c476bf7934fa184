"""Kernels that add up over a loop, whose programs may have parts; and that what they give is right,
whatever the options say of parts."""

import re

import numpy as np
import pytest

import tritium as triton
import tritium.language as tl
from tritium import _C
from tritium.compiler import CompiledKernel


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, bias_ptr, M, N, K, sa, sb, sc, BM: tl.constexpr, BN: tl.constexpr,
           BK: tl.constexpr, ADDS: tl.constexpr, AXIS: tl.constexpr = 0):
    pid = tl.program_id(AXIS)
    columns = tl.cdiv(N, BN)
    rm = (pid // columns) * BM + tl.arange(0, BM)
    rn = (pid % columns) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    a = a_ptr + rm[:, None] * sa + rk[None, :]
    b = b_ptr + rk[:, None] * sb + rn[None, :]
    if ADDS:
        bias = tl.load(bias_ptr + rn, mask=rn < N, other=0)
        acc = tl.zeros((BM, BN), tl.float32) + bias[None, :]
    else:
        acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        x = tl.load(a, mask=(rm[:, None] < M) & (rk[None, :] < K - k * BK), other=0)
        y = tl.load(b, mask=(rk[:, None] < K - k * BK) & (rn[None, :] < N), other=0)
        acc = tl.dot(x, y, acc)
        a += BK
        b += BK * sb
    c = c_ptr + rm[:, None] * sc + rn[None, :]
    tl.store(c, acc.to(c_ptr.dtype.element_ty), mask=(rm[:, None] < M) & (rn[None, :] < N))


def check_product(m, n, k, tiles, dtype=np.float16, adds=False, axis=0, pitch=0, **options):
    random = np.random.default_rng(m + n + k)
    a = random.integers(-3, 4, (m, k + pitch)).astype(dtype)
    b = random.integers(-3, 4, (k, n + pitch)).astype(dtype)
    bias = random.integers(-3, 4, n).astype(np.float32)
    c = np.full((m, n), 77, np.float32)
    grid = [1, 1, 1]
    grid[axis] = -(-m // tiles[0]) * -(-n // tiles[1])
    kernel = matmul[tuple(grid)](a, b, c, bias, m, n, k, k + pitch, n + pitch, n, *tiles, adds,
                                 axis, **options)
    # Small integers: each order of the sums is exact.
    expected = a[:, :k].astype(np.float64) @ b[:, :n].astype(np.float64) + (bias if adds else 0)
    np.testing.assert_array_equal(c, expected)
    return kernel


@triton.jit
def columns(x_ptr, out_ptr, last_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    rn = tl.program_id(0) * BN + tl.arange(0, BN)
    total = tl.zeros((BN,), tl.float32)
    count = 0.0
    row = 5
    for m in range(0, M, BM):
        rm = m + tl.arange(0, BM)
        x = tl.load(x_ptr + rm[:, None] * N + rn[None, :],
                    mask=(rm[:, None] < M) & (rn[None, :] < N), other=0)
        total += tl.sum(x, 0)
        count += tl.sum((rm < M).to(tl.float32), 0)
        row += BM
    tl.store(out_ptr + rn, total * count, mask=rn < N)
    tl.store(last_ptr + tl.program_id(0), row)


@triton.jit
def by_descriptor(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr,
                  BK: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [BK, BN])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN])
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(a.load([m, k]), b.load([k, n]), acc)
    c.store([m, n], acc.to(tl.float16))


@triton.jit
def by_block_pointer(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr,
                     BK: tl.constexpr):
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    a = tl.make_block_ptr(a_ptr, (M, K), (K, 1), (m, 0), (BM, BK), (1, 0))
    b = tl.make_block_ptr(b_ptr, (K, N), (N, 1), (0, n), (BK, BN), (1, 0))
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        acc = tl.dot(tl.load(a, boundary_check=(0, 1)), tl.load(b, boundary_check=(0, 1)), acc)
        a = tl.advance(a, (0, BK))
        b = tl.advance(b, (BK, 0))
    c = tl.make_block_ptr(c_ptr, (M, N), (N, 1), (m, n), (BM, BN), (1, 0))
    tl.store(c, acc.to(tl.float16), boundary_check=(0, 1))


def check_same_bits(monkeypatch, **options):
    """A product has the same bits, whichever part ends last."""
    random = np.random.default_rng(1)
    a, b = (random.standard_normal((64, 512)).astype(np.float16) for _ in range(2))
    results = []
    for seed in range(6):
        monkeypatch.setenv("TRITIUM_SIM_SEED", str(seed))
        c = np.empty((64, 64), np.float32)
        matmul[(1,)](a, b.T.copy(), c, c, 64, 64, 512, 512, 64, 64, 64, 64, 32, False, **options)
        results.append(c)
    for c in results[1:]:
        np.testing.assert_array_equal(c, results[0])


def check_columns(m, launch=columns, **options):
    """No products; a sum that is a number, and one that moves and is read behind the loop."""
    x = np.random.default_rng(3).integers(-9, 9, (m, 90)).astype(np.float32)
    out, last = np.empty(90, np.float32), np.zeros(3, np.int32)
    kernel = launch[(3,)](x, out, last, m, 90, 16, 32, **options)
    np.testing.assert_array_equal(out, x.sum(0) * m)
    np.testing.assert_array_equal(last, 5 + -(-m // 16) * 16)
    return kernel


def check_blocks(kernel, **options):
    random = np.random.default_rng(5)
    a, b = (random.integers(-3, 4, shape).astype(np.float16) for shape in [(136, 328), (328, 72)])
    c = np.empty((136, 72), np.float16)
    made = kernel[(3, 2)](a, b, c, 136, 72, 328, 64, 64, 32, **options)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))
    return made


def check_from_layouts(backend, errors, message, **options):
    """From tile IR with layouts, whose parameters are those of the launch. Each of `errors`, a text
    in it and another one for it, is refused with the message. Answers what is compiled."""
    text = check_columns(100, **options).asm["ttgir"]
    target = "cuda:90" if backend == "cuda" else backend
    again = CompiledKernel(_C.compile_ttir(text, "columns.ttgir", {}, target))
    x = np.random.default_rng(4).integers(-9, 9, (100, 90)).astype(np.float32)
    out, last = np.zeros(90, np.float32), np.zeros(3, np.int32)
    again[(3,)](x, out, last, 100, 90)
    np.testing.assert_array_equal(out, x.sum(0) * 100)
    for old, bad in errors:
        assert old in text
        with pytest.raises(triton.CompilationError, match=message):
            _C.compile_ttir(text.replace(old, bad), "columns.ttgir", {}, target)
    return again


def check_not_twice(attribute):
    """Tile IR without layouts that has parts already would get others."""
    text = check_columns(4).asm["ttir"]
    name = attribute.partition(" ")[0]
    marked = re.sub(r"(tt.func @columns\(.*\)) \{", rf"\1 attributes {{{attribute}}} {{", text)
    assert marked != text
    for target in ("cpu", "cuda:90"):
        with pytest.raises(triton.CompilationError, match=f"{name} is of tile IR with layouts"):
            _C.compile_ttir(marked, "columns.ttir", {}, target)
