"""Products of bytes and bf16 by AArch64's own instructions, run by qemu: by SDOT and UDOT on a CPU
that has no others, by BFDOT, and by BFMMLA, SMMLA and UMMLA, which take two rows at once."""

import ml_dtypes
import numpy as np
import pytest

from test_cpus import COMMAND, HERE, TYPES, call, emulate, rng, runner  # noqa: F401

BF16 = ml_dtypes.bfloat16
# What code is compiled for, and what qemu runs it as.
CPUS = {"neoverse-n1": "neoverse-n1", "neoverse-v1": "max"}
PRODUCTS = [("neoverse-n1", np.int8), ("neoverse-n1", np.uint8), ("neoverse-v1", np.int8),
            ("neoverse-v1", np.uint8), ("neoverse-v1", BF16)]


@pytest.fixture
def run(runner, tmp_path):
    def launch(cpu, kernel, grid, *arguments, **constants):
        emulate(runner, tmp_path, cpu, HERE / "cpu_kernels.py", kernel, grid, arguments, constants,
                CPUS[cpu])
    return launch


def operands(rng, dtype, *shapes):
    if dtype is BF16:
        return [rng.standard_normal(shape).astype(dtype) for shape in shapes]
    info = np.iinfo(dtype)
    return [rng.integers(info.min, info.max, shape, dtype, endpoint=True) for shape in shapes]


def check(c, a, b, before=0):
    """Sums of integers are exact and wrap. Those of bf16 are off by what BFDOT rounds
    (docs/cpu-dots.md)."""
    if c.dtype == np.int32:
        exact = a.astype(np.int32) @ b.astype(np.int32) + before
        return np.testing.assert_array_equal(c, exact)
    a, b = a.astype(np.float64), b.astype(np.float64)
    bound = (a.shape[-1] + 2) * 2.**-24 * (np.abs(a) @ np.abs(b) + np.abs(before))
    assert (np.abs(c - (a @ b + before)) <= bound).all()


# Rounds one by one, of all parities; rounds at once, and those that are left; few rows, which read
# the second operand where it lies unless it is turned over; panels that are not full.
TILES = {"odd": (33, 29, 31, 11, 7, 31), "groups in part": (35, 48, 60, 12, 16, 12),
         "rounds": (33, 70, 1100, 32, 48, 64), "few rows": (7, 96, 640, 7, 64, 64),
         "two rows": (2, 64, 640, 2, 64, 64), "one row": (1, 64, 640, 1, 64, 64),
         "panels in part": (11, 9, 640, 11, 9, 64)}


@pytest.mark.parametrize("isTurned", [False, True], ids=["", "turned"])
@pytest.mark.parametrize("tiles", TILES)
@pytest.mark.parametrize("cpu, dtype", PRODUCTS)
def test_products(run, rng, cpu, dtype, tiles, isTurned):
    M, N, K, BM, BN, BK = TILES[tiles]
    a, b = operands(rng, dtype, (M, K), (N, K) if isTurned else (K, N))
    c = np.zeros((M, N), np.float32 if dtype is BF16 else np.int32)
    along = "bk" if isTurned else "bn"
    run(cpu, "rounds", (-(-M // BM), -(-N // BN)), a, b, c, M, N, K, b.shape[1], **{along: 1},
        BM=BM, BN=BN, BK=BK, PRECISION="ieee")
    check(c, a, b.T if isTurned else b)


@pytest.mark.parametrize("cpu, dtype", PRODUCTS)
def test_batches_and_sums_from_memory(run, rng, cpu, dtype):
    B, M, N, K = 3, 5, 9, 21
    a, b = operands(rng, dtype, (B, M, K), (B, K, N))
    c = rng.integers(-9, 9, (B, M, N)).astype(np.float32 if dtype is BF16 else np.int32)
    before = c.copy()
    run(cpu, "batched", (1,), a, b, c, B=B, M=M, N=N, K=K)
    check(c, a, b, before)


def toOdd(x):
    """A number of float64, rounded to float32 as by BFDOT: to odd, below 2^-126 to zero."""
    toZero = (np.abs(x).view(np.uint64) & np.uint64(~(2**29 - 1) & (2**64 - 1))).view(np.float64)
    bits = toZero.astype(np.float32).view(np.uint32) | (toZero != np.abs(x))
    rounded = np.copysign(bits.view(np.float32), x).astype(np.float64)
    return np.where(np.abs(rounded) < 2.**-126, np.copysign(0., x), rounded)


@pytest.mark.parametrize("M", [1, 5])
def test_roundings_of_bf16(run, rng, M):
    """Bit by bit: the sums of pairs of products, and what these are added to. Some operands, and
    some sums, are below 2^-126."""
    B, N, K = 1, 12, 24
    a, b = operands(rng, BF16, (B, M, K), (B, K, N))
    a, b = (a * BF16(2.**-62)).astype(BF16), (b * BF16(2.**-62)).astype(BF16)
    a[rng.random(a.shape) < 0.1] = BF16(2.**-128)
    c = np.zeros((B, M, N), np.float32)
    run("neoverse-v1", "batched", (1,), a, b, c, B=B, M=M, N=N, K=K)
    x, y = (np.where(np.abs(v.astype(np.float64)) < 2.**-126, 0, v.astype(np.float64))[0]
            for v in (a, b))
    products = toOdd(x[:, :, None] * y[None])
    sums = np.zeros((M, N))
    for k in range(0, K, 2):
        sums = toOdd(sums + toOdd(products[:, k] + products[:, k + 1]))
    np.testing.assert_array_equal(c[0], sums)


@pytest.mark.parametrize("cpu, dtype, rows, instruction", [
    ("neoverse-n1", np.int8, 8, "sdot"), ("neoverse-n1", np.uint8, 8, "udot"),
    ("neoverse-v1", np.int8, 8, "smmla"), ("neoverse-v1", np.uint8, 8, "ummla"),
    ("neoverse-v1", np.int8, 1, "sdot"), ("neoverse-v1", np.dtype(BF16), 8, "bfmmla"),
    ("neoverse-v1", np.dtype(BF16), 1, "bfdot"), ("aarch64", np.int8, 8, None),
    ("apple-m1", np.dtype(BF16), 8, None), ("apple-m1", np.int8, 8, "sdot")])
def test_instructions(cpu, dtype, rows, instruction):
    """Those of the CPU, and no others."""
    dtype = np.dtype(dtype)
    sums = "i32" if dtype.itemsize == 1 else "fp32"
    text = call(COMMAND, "compile", HERE / "cpu_kernels.py", "--kernel", "rounds", "--signature",
                f"*{TYPES[dtype.name]},*{TYPES[dtype.name]},*{sums},i32,i32,i32,i32,1",
                *(x for name in (f"BM={rows}", "BN=64", "BK=64", "PRECISION='ieee'")
                  for x in ("--constexpr", name)), "--target", f"cpu:{cpu}", "--emit", "asm")
    names = ("sdot", "udot", "bfdot", "smmla", "ummla", "bfmmla")
    found = {name for name in names if f"\t{name}\t" in text}
    assert found == ({instruction} if instruction else set())
