"""Rows that begin anew behind an end, `(start + arange) % M`, in products that TMA copies boxes
for. Where nothing depends on those rows the ends cut the boxes, so that every launch has them."""

import inspect

import numpy as np
import pytest

import tritium as triton
import tritium.language as tl


@triton.jit
def product(a_ptr, b_ptr, c_ptr, M, N, K, am, bk, cm, BM: tl.constexpr, BN: tl.constexpr,
            BK: tl.constexpr, GROUP: tl.constexpr, STORED: tl.constexpr):
    pid = tl.program_id(0)
    rows = tl.cdiv(M, BM)
    width = GROUP * tl.cdiv(N, BN)
    first = pid // width * GROUP
    size = min(rows - first, GROUP)
    pid_m = first + pid % width % size
    pid_n = pid % width // size
    rm = pid_m * BM + tl.arange(0, BM)
    rn = pid_n * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    a = a_ptr + (rm % M)[:, None] * am + rk[None, :]
    b = b_ptr + rk[:, None] * bk + (rn % N)[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        x = tl.load(a, mask=rk[None, :] < K - k * BK, other=0.0)
        y = tl.load(b, mask=rk[:, None] < K - k * BK, other=0.0)
        acc = tl.dot(x, y, acc)
        a += BK
        b += BK * bk
    acc = acc * 2.0
    c = c_ptr + rm[:, None] * cm + rn[None, :]
    inside = (rn < N)[None, :]
    if STORED == "rows":
        inside = (rm[:, None] < M) & inside
    if STORED == "added":
        tl.atomic_add(c, acc, mask=(rm[:, None] < M) & inside)
    else:
        tl.store(c, acc, mask=inside)


def run(m, n, k, bm=64, bn=64, bk=64, group=8, stored="rows", **options):
    """Counters of the launch; the result is checked. All rows of tiles are there to be stored."""
    rng = np.random.default_rng(m * 1000003 + n * 1009 + k)
    pitches = [-(-x // 16) * 16 for x in (k, n)]
    a, b = (np.full((rows, pitch), np.nan, np.float16) for rows, pitch in zip((m, k), pitches))
    a[:, :k] = rng.integers(-4, 5, (m, k))
    b[:, :n] = rng.integers(-4, 5, (k, n))
    tiles = triton.cdiv(m, bm), triton.cdiv(n, bn)
    c = np.zeros((tiles[0] * bm, tiles[1] * bn), np.float32)
    launch = product.simulate((tiles[0] * tiles[1],), a, b, c, m, n, k, pitches[0], pitches[1],
                              c.shape[1], BM=bm, BN=bn, BK=bk, GROUP=group, STORED=stored,
                              num_warps=4, arch="sm_90", **options)
    expected = np.zeros_like(c)
    stays = np.arange(c.shape[0]) % m if stored == "all" else np.arange(m)
    expected[: len(stays), :n] = 2 * a[stays, :k].astype(np.float32) @ b[:, :n].astype(np.float32)
    np.testing.assert_array_equal(c, expected)
    return launch


def copied(launch):
    """By which instructions: "TMA", "threads"."""
    names = {"cp.async.bulk.tensor": "TMA", "cp.async": "threads", "ld.global": "threads"}
    return {names[name] for name, counters in launch.instructions.items()
            if name in names and counters.global_bytes_read}


@pytest.mark.parametrize("m,n,k", [
    (16, 128, 192),   # fewer rows than a tile
    (100, 64, 128),   # the last tile's begin anew
    (64, 144, 128),   # columns
    (64, 64, 72),     # no rows; the loop's last iteration ends in its midst
    (100, 80, 200),   # all of it
    (2, 16, 8)])
@pytest.mark.parametrize("options", [{}, {"warp_specialize": True}, {"persistent": True},
                                     {"bm": 128}, {"bn": 32, "group": 1}])
def test_cut(m, n, k, options):
    assert copied(run(m, n, k, **options)) == {"TMA"}


def test_rows_that_are_not_there_are_not_read():
    read = [run(m, 128, 192).instructions["cp.async.bulk.tensor"].global_bytes_read
            for m in (16, 64)]
    assert read[1] - read[0] == 2 * (64 - 16) * 192 * 2  # by both programs


def test_atomics():
    assert "TMA" in copied(run(100, 80, 200, stored="added"))


# Rows that begin anew are stored: launches that have some do without boxes of the left operand.
@pytest.mark.parametrize("m,n,k", [(128, 80, 192), (100, 80, 192), (16, 64, 64)])
@pytest.mark.parametrize("options", [{}, {"warp_specialize": True}, {"persistent": True}])
def test_all_rows(m, n, k, options):
    launch = run(m, n, k, stored="all", **options)
    assert copied(launch) == ({"TMA"} if m % 64 == 0 else {"TMA", "threads"})
    if m % 64:
        tiles = triton.cdiv(m, 64) * triton.cdiv(n, 64), triton.cdiv(k, 64)
        columns = triton.cdiv(m, 64) * n
        assert launch.instructions["cp.async.bulk.tensor"].global_bytes_read == columns * k * 2


@pytest.mark.parametrize("seed", range(12))
def test_random(seed):
    rng = np.random.default_rng(seed)
    m, n, k = (int(rng.integers(2, most)) for most in (200, 13, 300))
    options = {"bm": int(rng.choice([64, 128])), "bn": int(rng.choice([16, 32, 64, 128])),
               "bk": int(rng.choice([32, 64])), "group": int(rng.integers(1, 5))}
    # Of columns that a multiple of 16 ends; others may begin anew in the midst of 16 bytes.
    assert copied(run(m, 16 * n, k, **options)) == {"TMA"}
    run(m, 16 * n + 1, k, **options)
    run(m, 16 * n, k, stored="all", **options)


def test_remarks_on_a_launch(monkeypatch, tmp_path, capfd):
    monkeypatch.setenv("MLIR_ENABLE_DIAGNOSTICS", "remarks")
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    remark = "test_box_remainders.py:{}:13: remark: TMA does not copy this tile in a launch like " \
             "this one: it breaks the rule that 64 divides M [tensor-copies]"
    line = inspect.getsource(product.fn).splitlines().index(
        "        x = tl.load(a, mask=rk[None, :] < K - k * BK, other=0.0)")
    line += inspect.getsourcelines(product.fn)[1]
    for m, count in ((256, 0), (100, 1), (104, 0)):
        run(m, 64, 64, stored="all", num_stages=3)
        assert capfd.readouterr().err.count(remark.format(line)) == count


@triton.jit
def three(a_ptr, b_ptr, c_ptr, L, M, N, K, am, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    n, k = tl.arange(0, BN), tl.arange(0, 64)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, 64):
        at = start + k
        y = tl.load(b_ptr + at[:, None] * BN + n[None, :])
        acc = tl.dot(tl.load(a_ptr + (r % L)[:, None] * am + at[None, :]), y, acc)
        acc = tl.dot(tl.load(a_ptr + (r % M)[:, None] * am + at[None, :]), y, acc)
        acc = tl.dot(tl.load(a_ptr + (r % N)[:, None] * am + at[None, :]), y, acc)
    tl.store(c_ptr + r[:, None] * BN + n[None, :], acc)


# Each set of copies that a launch breaks the rules of has code without those, four such sets of a
# kernel; other launches take code without any.
def test_sets_of_copies():
    rng = np.random.default_rng(1)
    k, bn = 128, 32
    a = rng.integers(-4, 5, (192, k)).astype(np.float16)
    b = rng.integers(-4, 5, (k, bn)).astype(np.float16)
    for _ in range(2):
        for number in (0, 1, 2, 4, 3, 5, 6, 7, 1):
            ends = [80 if number & 1 << i else 128 for i in range(3)]
            c = np.zeros((128, bn), np.float32)
            launch = three.simulate((2,), a, b, c, *ends, k, k, BM=64, BN=bn, num_warps=4,
                                    num_stages=2, arch="sm_90")
            rows = [a[np.arange(128) % end].astype(np.float32) for end in ends]
            np.testing.assert_array_equal(c, sum(rows) @ b.astype(np.float32))
            boxes = launch.instructions.get("cp.async.bulk.tensor")
            rows = bn + 64 * (3 - number.bit_count()) if number in (0, 1, 2, 4, 3) else 0
            assert (boxes.global_bytes_read if boxes else 0) == 2 * 2 * rows * k, number


@triton.jit
def around(a_ptr, w_ptr, c_ptr, K, L, T: tl.constexpr):
    """Rows of the right operand, and weights, begin anew while the loop goes on."""
    r = tl.arange(0, T)
    acc = tl.zeros((T, T), tl.float32)
    for k in range(0, K):
        x = tl.load(a_ptr + r[:, None] * T + r[None, :])
        y = tl.load(a_ptr + ((k * T + r) % L)[:, None] * T + r[None, :])
        w = tl.load(w_ptr + (k * T + r) % L)
        s = tl.dot(x, y) * w[None, :]
        acc = tl.dot(tl.minimum(tl.maximum(s, -2.0), 2.0).to(tl.float16), y, acc)
    tl.store(c_ptr + r[:, None] * T + r[None, :], acc)


# At multiples of a tile's rows, of which boxes are, and elsewhere.
@pytest.mark.parametrize("rows,by", [(128, "TMA"), (72, "threads")])
def test_rows_that_begin_anew_in_the_loop(rows, by):
    rng, t, steps = np.random.default_rng(2), 64, 5
    a, w = rng.integers(-2, 3, (rows, t)).astype(np.float16), rng.integers(-2, 3, rows)
    c, expected = np.zeros((t, t), np.float32), np.zeros((t, t), np.float32)
    launch = around.simulate((1,), a, w.astype(np.float32), c, steps, rows, T=t, num_warps=4,
                             num_stages=3, arch="sm_90")
    for k in range(steps):
        at = (k * t + np.arange(t)) % rows
        y = a[at].astype(np.float32)
        expected += np.clip(a[:t].astype(np.float32) @ y * w[at], -2, 2) @ y
    np.testing.assert_array_equal(c, expected)
    assert by in copied(launch)
