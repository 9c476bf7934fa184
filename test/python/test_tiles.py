"""Whole kernels of a CPU with AMX, whose instructions are functions in C (amx.c): products in all
forms that use its tiles, where they do, and what becomes of numbers that they cannot take."""

import ctypes
import pathlib
import re
import shutil
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest

HERE = pathlib.Path(__file__).parent
sys.path.append(str(HERE.parents[1] / "examples"))
COMPILER = "clang-19"

from attention import attention_kernel
from cpu_kernels import finished, overwritten, rounds

FEATURES = set(pathlib.Path("/proc/cpuinfo").read_text().split())

pytestmark = pytest.mark.skipif(
    not ({"avx512_bf16", "avx512_vnni", "avx512vl"} <= FEATURES and shutil.which(COMPILER)),
    reason="what is not AMX of the code runs on CPUs with AVX512_BF16 only")


def call(*options):
    done = subprocess.run([COMPILER, *map(str, options)], capture_output=True, text=True,
                          timeout=100)
    assert done.returncode == 0, done.stderr


class Tiles:
    """Kernels as launches compile them for a CPU with AMX, under a name for each."""

    def __init__(self, folder):
        self.folder, self.compiled = folder, {}
        call("-O2", "-mfma", "-c", "-fPIC", HERE / "amx.c", "-o", folder / "amx.o")

    def library(self, kernel, isRefused):
        key = kernel.hash, isRefused
        if key not in self.compiled:
            path = self.folder / f"kernel{len(self.compiled)}"
            text = re.sub(r"call i64 asm sideeffect \"syscall\".*?\)(?=,|$)",
                          f"or i64 0, {int(isRefused)}", kernel.asm["llir"], flags=re.M)
            text = re.sub(r"@llvm\.x86\.(ldtilecfg|tile\w+|tdp\w+)", r"@amx_\1", text)
            text = text.replace(" immarg", "").replace('"sapphirerapids"', '"znver4"')
            path.with_suffix(".ll").write_text(text)
            call("-O1", "-w", "-fPIC", "-shared", "-march=znver4", path.with_suffix(".ll"),
                 self.folder / "amx.o", "-lm", "-o", path.with_suffix(".so"))
            self.compiled[key] = ctypes.CDLL(str(path.with_suffix(".so")))
        return self.compiled[key]

    def run(self, function, grid, *arguments, isRefused=False, **constants):
        """Runs a kernel, whose arrays are changed; the products that AMX has done. `isRefused`: the
        system lets no process use it."""
        kernel = function.warmup(*arguments, **constants, grid=grid)
        library, about = self.library(kernel, isRefused), kernel.metadata
        given = dict(zip(function.arg_names, arguments))
        bits = [x.ctypes.data if isinstance(x, np.ndarray) else
                int(np.float32(x).view(np.uint32)) if isinstance(x, float) else x
                for x in (given[parameter.name] for parameter in about.parameters)]
        memory = np.full(about.scratch_bytes + 64, 0xff, np.uint8)
        scratch = self.scratch = memory[-memory.ctypes.data % 64:]
        self.plan, self.text = kernel.asm["plan"], kernel.asm["llir"]
        grid = (*grid, *(1,) * (3 - len(grid)))
        before = ctypes.c_int64.in_dll(library, "amxProducts").value
        getattr(library, about.entry)(
            (ctypes.c_uint64 * len(bits))(*bits),
            ctypes.c_void_p(scratch.ctypes.data),
            ctypes.c_int64(0), ctypes.c_int64(int(np.prod(grid))), (ctypes.c_uint32 * 3)(*grid),
            None)
        return ctypes.c_int64.in_dll(library, "amxProducts").value - before


@pytest.fixture(scope="module")
def allTiles(tmp_path_factory):
    return Tiles(tmp_path_factory.mktemp("tiles"))


@pytest.fixture
def tiles(allTiles, monkeypatch):
    monkeypatch.setenv("TRITIUM_CPU", "sapphirerapids")
    return allTiles


@pytest.fixture
def rng():
    return np.random.default_rng(12)


def product(tiles, a, b, tile, precision="ieee", turned=False):
    """a @ b, and the products of tiles that AMX has done for it."""
    (m, k), n = a.shape, b.shape[1]
    c = np.zeros((m, n), np.int32 if a.dtype.kind in "iu" else np.float32)
    held = np.ascontiguousarray(b.T if turned else b)
    strides = (1, k) if turned else (n, 1)
    count = tiles.run(rounds, (-(-m // tile[0]), -(-n // tile[1])), a, held, c, m, n, k, *strides,
                      BM=tile[0], BN=tile[1], BK=tile[2], PRECISION=precision)
    return c, count


# Blocks of one and of two registers on both sides, several chunks of rounds and a rest.
SHAPES = [((96, 144, 640), (48, 48, 64)), ((128, 64, 512), (64, 64, 32)),
          ((33, 70, 600), (32, 64, 64))]


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("shape, tile", SHAPES)
@pytest.mark.parametrize("dtype, precision", [
    (ml_dtypes.bfloat16, "ieee"), (np.int8, "ieee"), (np.uint8, "ieee"), (np.float16, "ieee"),
    (np.float32, "bf16x3")])
def test_whole_numbers(tiles, rng, dtype, precision, shape, tile, turned):
    """Every order of summation gives the same; parts of fp16 and fp32 have two digits of bf16."""
    (m, n, k) = shape
    low, high = {"int8": (-128, 128), "uint8": (0, 256), "bfloat16": (-8, 9)}.get(
        np.dtype(dtype).name, (-700, 701))
    a, b = (rng.integers(low, high, shape).astype(dtype) for shape in ((m, k), (k, n)))
    if high == 701:  # of two large factors the sums of fp32 would be rounded
        b %= dtype(4)
    c, count = product(tiles, a, b, tile, precision, turned)
    np.testing.assert_array_equal(c, a.astype(np.float64) @ b.astype(np.float64))
    assert count > 0


@pytest.mark.parametrize("m, n, k", [(32, 32, 32), (64, 32, 16), (32, 64, 16)])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_less_than_a_step(tiles, rng, dtype, m, n, k):
    a, b = (rng.integers(0, 100, shape).astype(dtype) for shape in ((m, k), (k, n)))
    c, _ = product(tiles, a, b, (m, n, k))
    np.testing.assert_array_equal(c, a.astype(np.float64) @ b.astype(np.float64))


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("factor", [1, 1 + 2**-10, 2**-24])
def test_all_halves(tiles, factor, turned):
    """Each finite fp16 by one number, on either side: the parts' products add up to theirs."""
    bits = np.arange(65536, dtype=np.uint16)
    bits[(bits & 0x7c00) == 0x7c00] = 0
    values = bits.view(np.float16).reshape(256, 256)
    diagonal = np.diag(np.full(256, factor, np.float16))
    expected = (values.astype(np.float64) * factor).astype(np.float32)
    for a, b in ((values, diagonal), (diagonal, values)):
        c, count = product(tiles, a, b, (64, 128, 64), turned=turned)
        np.testing.assert_array_equal(c, expected)
        assert count > 0


def aligned(values, offset):
    """The same values, `offset` bytes behind the beginning of a line of the cache."""
    raw = np.zeros(values.nbytes + 128, np.uint8)
    begin = -raw.ctypes.data % 64 + offset
    out = raw[begin:begin + values.nbytes].view(values.dtype).reshape(values.shape)
    out[...] = values
    return out


# Of a row of 128 columns AMX reads a in place, but for lines that begin elsewhere and rows that are
# a multiple of 2048 bytes apart; of k it takes 256 (bf16), 512 (int8) at once.
@pytest.mark.parametrize("offset", [0, 16])
@pytest.mark.parametrize("k", [640, 1024, 2048])
@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, np.int8])
def test_rows_of_wide_tiles(tiles, rng, dtype, k, offset):
    m, n = 96, 256
    a, b = (rng.integers(-8, 9, shape).astype(dtype) for shape in ((m, k), (k, n)))
    c, count = product(tiles, aligned(a, offset), b, (48, 128, 64))
    np.testing.assert_array_equal(c, a.astype(np.float64) @ b.astype(np.float64))
    assert count == m * n * k // (16 * 16 * 64 // a.itemsize)


def test_nobody_finds_what_is_kept(tiles, rng):
    """From the third program in a row on that finds nothing, all but its first rounds stand in one
    place: the others keep what the second one has packed."""
    k, kept = 1024, []
    a = rng.integers(-9, 10, (32, k)).astype(ml_dtypes.bfloat16)
    b = rng.integers(-9, 10, (k, 6 * 256)).astype(ml_dtypes.bfloat16)
    for programs in (1, 2, 6):
        c, _ = product(tiles, a, b[:, :256 * programs].copy(), (32, 256, 64))
        at, size = map(int, re.search(r": 8x\d+x\d+x\d+ x bf16 at (\d+), (\d+) bytes",
                                      tiles.plan).groups())
        assert "8 of which are kept" in tiles.plan
        kept.append(tiles.scratch[at:at + size].reshape(8, -1).copy())
        np.testing.assert_array_equal(
            c, a.astype(np.float32) @ b[:, :256 * programs].astype(np.float32))
    changed = [[bool((x != y).any()) for x, y in zip(before, behind)]
               for before, behind in zip(kept, kept[1:])]
    chunks = [True] * 4 + [False] * 4  # the first four places
    assert changed == [chunks, [True] + [False] * 6 + [True]]


@pytest.mark.parametrize("dtype, rows, panels", [(np.float16, 8, 32), (np.float32, 16, 32)])
def test_what_is_asked_for(tiles, rng, dtype, rows, panels):
    """In a step of 32 k a block asks for as many lines of the next rows, of a quarter of them, and
    of the next panels, that all blocks together ask for each once."""
    a, b = (rng.integers(-4, 5, shape).astype(dtype) for shape in ((64, 1024), (1024, 128)))
    c, _ = product(tiles, a, b, (64, 128, 64), "bf16x3")
    np.testing.assert_array_equal(c, a.astype(np.float64) @ b.astype(np.float64))
    assert "asks for the next rows" in tiles.plan and "asks for the next panels" in tiles.plan
    function = re.search(r"\ndefine [^\n]*@dot_64x128x\d+_f32_parts[^\n]*_tiles.*?\n}\n",
                         tiles.text, flags=re.S)[0]
    # Steps that load ahead end with one of their own.
    steps = 2
    assert len(re.findall(r"call void @llvm\.prefetch", function)) == steps * (rows + panels)


@pytest.mark.parametrize("k", [0, 32, 96])
@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, np.int8, np.float16])
def test_fewer_rounds_than_at_once(tiles, rng, dtype, k):
    """Sums that begin with zeros, and what is added to them round by round, or not at all."""
    a, b = (rng.integers(-8, 9, shape).astype(dtype) for shape in ((64, k), (k, 64)))
    c, _ = product(tiles, a, b, (64, 64, 64))
    np.testing.assert_array_equal(c, a.astype(np.float64) @ b.astype(np.float64))


# Behind the last rounds at once each block is stored as it is done: not if rounds are left, if
# there are none, if masks hide a part of these, and if AMX is refused.
@pytest.mark.parametrize("k, isRefused", [(1024, False), (512, False), (640, False), (600, False),
                                          (0, False), (1024, True)])
@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, np.int8, np.float16, np.float32])
def test_sums_stored_by_blocks(tiles, rng, dtype, k, isRefused):
    m, n, (bm, bn, bk) = 150, 200, (64, 128, 64)
    padded, sums = 192, np.int32 if dtype == np.int8 else np.float32
    a, b = (rng.integers(-8, 9, shape).astype(dtype) for shape in ((padded, k), (k, n)))
    a[m:] = 0
    b = np.append(b, np.zeros(2 * bn - n, dtype))  # which the last tile's columns reach
    bias = rng.integers(-9, 10, n).astype(np.float32)
    c, d = np.full((m, n), 77, ml_dtypes.bfloat16), np.full((m, n), 77, sums)
    arguments = a, b, bias, c, d, m, n, k, 0.5
    constants = dict(BM=bm, BN=bn, BK=bk)
    assert "each block of the last sums" in finished.warmup(*arguments, **constants,
                                                            grid=(3, 2)).asm["plan"]
    count = tiles.run(finished, (3, 2), *arguments, isRefused=isRefused, **constants)
    expected = a[:m].astype(np.float64) @ b[:k * n].reshape(k, n).astype(np.float64)
    np.testing.assert_array_equal(d, expected)
    finishedSums = np.maximum(expected * 0.5 + bias, 0).astype(np.float32)
    np.testing.assert_array_equal(c, finishedSums.astype(c.dtype))
    assert (count > 0) == (k > 0 and not isRefused)


def test_sums_over_their_operand(tiles, rng):
    """A block that was stored at once would be read by the products of the next ones."""
    m, n = 128, 256
    x, b = (rng.integers(-3, 4, shape).astype(ml_dtypes.bfloat16) for shape in ((m, n), (n, n)))
    x = aligned(x, 0)
    expected = (x.astype(np.float32) @ b.astype(np.float32)).astype(x.dtype)
    constants = dict(BM=64, N=n, BK=64)
    assert "each block" not in overwritten.warmup(x, b, m, **constants, grid=(2,)).asm["plan"]
    assert tiles.run(overwritten, (2,), x, b, m, **constants) > 0
    np.testing.assert_array_equal(x, expected)


def bound(a, b, relative):
    return relative * (np.abs(a).astype(np.float64) @ np.abs(b).astype(np.float64))


@pytest.mark.parametrize("turned", [False, True])
def test_halves_are_exact(tiles, rng, turned):
    """All exponents of fp16, subnormal numbers among them: only sums are rounded."""
    m, n, k = 64, 64, 512
    a, b = (rng.integers(0, 1 << 16, shape, dtype=np.uint16).view(np.float16)
            for shape in ((m, k), (k, n)))
    a, b = (np.where(np.isfinite(x), x, np.float16(1)) for x in (a, b))
    c, count = product(tiles, a, b, (64, 64, 64), turned=turned)
    # Four products for each of two chunks, 16 blocks, 8 steps.
    assert count == 4 * 2 * 16 * 8
    expected = a.astype(np.float64) @ b.astype(np.float64)
    assert (np.abs(c - expected) <= bound(a, b, k * 2.0 ** -24)).all()


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("precision", ["bf16x3", "tf32"])
def test_floats_in_parts(tiles, rng, precision, turned):
    m, n, k = 64, 64, 512
    a, b = ((rng.standard_normal(shape) * np.exp2(rng.uniform(-40, 40, shape))).astype(np.float32)
            for shape in ((m, k), (k, n)))
    c, count = product(tiles, a, b, (64, 64, 64), precision, turned)
    assert count == 3 * 2 * 16 * 8
    off = np.abs(c - a.astype(np.float64) @ b.astype(np.float64))
    assert (off <= bound(a, b, 2.0 ** -15 + k * 2.0 ** -24)).all()
    assert (off > bound(a, b, 2.0 ** -24)).any()


def test_parts_are_rounded(tiles, rng):
    """Each result is one product, off by 2^-17 for each operand and 2^-16 for the least part."""
    n = 256
    a, b = np.zeros((n, n), np.float32), rng.uniform(1, 2, (n, n)).astype(np.float32)
    np.fill_diagonal(a, rng.uniform(1, 2, n))
    c, count = product(tiles, a, b, (64, 64, 64), "bf16x3")
    assert count > 0
    expected = a.astype(np.float64) @ b
    assert (np.abs(c - expected) <= (2.0 ** -15 + 2.0 ** -23) * expected).all()


@pytest.mark.parametrize("precision", ["ieee", "tf32x3", "bf16x6"])
def test_floats_that_stay(tiles, rng, precision):
    a, b = (rng.standard_normal(shape).astype(np.float32) for shape in ((64, 256), (256, 64)))
    c, count = product(tiles, a, b, (64, 64, 64), precision)
    assert count == 0
    assert (np.abs(c - a.astype(np.float64) @ b) <= bound(a, b, 256 * 2.0 ** -24)).all()


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("dtype, value", [
    (np.float16, np.inf), (np.float16, np.nan), (np.float32, -np.inf), (np.float32, np.nan),
    (np.float32, 3.4e38), (np.float32, 1e-34), (np.float32, 1e-40)])
def test_numbers_without_parts(tiles, rng, dtype, value, side, turned):
    """The chunk of rounds that has such a number goes by FMA, for the programs that meet it."""
    m, n, k = 64, 128, 512
    a, b = (rng.integers(-4, 5, shape).astype(dtype) for shape in ((m, k), (k, n)))
    whole = product(tiles, a, b, (32, 64, 64), "bf16x3", turned)[1]
    operand = (a, b)[side]
    operand[operand.shape[0] // 2 + 7, 5] = value
    c, count = product(tiles, a, b, (32, 64, 64), "bf16x3", turned)
    with np.errstate(invalid="ignore", over="ignore"):
        expected = (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32)
        np.testing.assert_allclose(c, expected, rtol=2e-7)
    # One of the chunks of 512 bytes of a row, of one of two rows, or columns, of programs.
    assert count == whole - whole // (2 * (k * a.itemsize // 512))


@pytest.mark.parametrize("dtype, d, isRefused", [
    (ml_dtypes.bfloat16, 64, False), (ml_dtypes.bfloat16, 80, False), (np.float16, 64, False),
    (np.float32, 64, False), (ml_dtypes.bfloat16, 64, True)])
def test_attention(tiles, rng, dtype, d, isRefused):
    heads, n = 2, 160
    q, k, v = (rng.standard_normal((heads, n, d)).astype(dtype) for _ in range(3))
    out = np.zeros_like(q)
    grid, arguments = (-(-n // 64), heads), (q, k, v, out, 0.125, n)
    constants = dict(D=d, BM=64, BN=64, CAUSAL=False)
    plan = attention_kernel.warmup(*arguments, **constants, grid=grid).asm["plan"]
    # Sums are scaled block by block, of both loops.
    isByBlocks = dtype == ml_dtypes.bfloat16 and d == 64
    assert plan.count("or, by AMX, over each block of sums") == 2 * isByBlocks
    count = tiles.run(attention_kernel, grid, *arguments, isRefused=isRefused, **constants)
    wide = [x.astype(np.float64) for x in (q, k, v)]
    scores = 0.125 * (wide[0] @ wide[1].transpose(0, 2, 1))
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    tolerance = {"bfloat16": 2e-2, "float16": 3e-3, "float32": 2e-6}[np.dtype(dtype).name]
    np.testing.assert_allclose(out.astype(np.float64),
                               weights / weights.sum(-1, keepdims=True) @ wide[2], rtol=0,
                               atol=tolerance)
    # Of 16 x 16 sums and 32 k, or what is left of k, in six programs of three rounds.
    products = 4 * 4 * -(-d // 32) + 4 * (d // 16) * 2
    isOnTiles = np.dtype(dtype).name == "bfloat16" and not isRefused
    assert count == (6 * 3 * products if isOnTiles else 0)


@pytest.mark.parametrize("turns", [1, 2])
def test_causal_attention(tiles, rng, turns):
    """Both loops over keys keep what they pack in one place, by where it comes from: not of keys
    that a mask hides a part of, which come from scratch memory."""
    heads, n, d = 3, 160, 64
    q, k, v = (rng.standard_normal((heads, n, d)).astype(ml_dtypes.bfloat16) for _ in range(3))
    out = np.zeros_like(q)
    arguments, constants = (q, k, v, out, 0.125, n), dict(D=d, BM=64 // turns, BN=64, CAUSAL=True)
    plan = attention_kernel.warmup(*arguments, **constants, grid=(3, 3)).asm["plan"]
    kept = re.findall(r"memory packed to (b\d+), \d+ of which are kept", plan)
    assert kept[:2] == kept[2:] and len(set(kept)) == 2
    assert tiles.run(attention_kernel, (3 * turns, heads), *arguments, **constants) > 0
    wide = [x.astype(np.float64) for x in (q, k, v)]
    scores = 0.125 * (wide[0] @ wide[1].transpose(0, 2, 1))
    scores[:, ~np.tri(n, dtype=bool)] = -np.inf
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    np.testing.assert_allclose(out.astype(np.float64),
                               weights / weights.sum(-1, keepdims=True) @ wide[2], rtol=0,
                               atol=2e-2)
