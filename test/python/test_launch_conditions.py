"""Code that relies on what a launch's arguments and grid decide is not used where they differ."""

import numpy as np
import pytest

import tritium as triton
import tritium.language as tl

BACKENDS = ["interpret", "cpu", "sim:sm_80", "sim:sm_90"]


@triton.jit
def grouped(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
            GROUP: tl.constexpr, BEFORE: tl.constexpr):
    """Each program writes its own tile of c, wherever in the matrix it is."""
    pid = tl.program_id(0)
    rows = tl.cdiv(M, BM)
    width = GROUP * tl.cdiv(N, BN)
    first = pid // width * GROUP
    size = min(rows - first, GROUP)
    pid_m = first + (pid % width) % size
    pid_n = (pid % width) // size
    offs_m = (pid_m * BM + tl.arange(0, BM)) % M
    offs_n = (pid_n * BN + tl.arange(0, BN)) % N
    offs_k = tl.arange(0, BK)
    a = a_ptr + offs_m[:, None] * K + offs_k[None, :]
    b = b_ptr + BEFORE * N + offs_k[:, None] * N + offs_n[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        a += BK
        b += BK * N
    tile = tl.arange(0, BM)[:, None] * BN + tl.arange(0, BN)[None, :]
    tl.store(c_ptr + pid * BM * BN + tile, acc)


def run(m, n, programs, bm=16, bn=32, bk=16, group=2, k=32):
    rng = np.random.default_rng(1)
    a = rng.integers(-3, 4, (m, k)).astype(np.float16)
    # Columns in front of the first: what programs of no group reach.
    b = rng.integers(-3, 4, (k + 4, n)).astype(np.float16)
    c = np.zeros((programs, bm, bn), np.float32)
    grouped[(programs,)](a, b, c, m, n, k, BM=bm, BN=bn, BK=bk, GROUP=group, BEFORE=4)
    return c, a, b


def expected(m, n, programs, a, b, bm=16, bn=32, group=2, k=32):
    flat = b.astype(np.float32).ravel()
    c = np.zeros((programs, bm, bn), np.float32)
    rows, width = -(-m // bm), group * -(-n // bn)
    truncated = lambda x, y: np.fmod(x, y).astype(int)
    for pid in range(programs):
        first = pid // width * group
        size = min(rows - first, group)
        inside = pid % width
        pid_m = first + (int(np.fmod(inside, size)) if size else inside)
        pid_n = int(inside / size) if size else 0
        om = truncated(pid_m * bm + np.arange(bm), m)
        on = truncated(pid_n * bn + np.arange(bn), n)
        at = (4 + np.arange(k)[:, None]) * n + on[None, :]
        c[pid] = a[om].astype(np.float32) @ flat[at]
    return c


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("m,n,more", [
    (48, 48, 0),   # the grid that belongs to the matrix
    (16, 48, 0),
    (48, 48, 1),   # programs of a group of no rows
    (16, 48, 12),  # and of a negative number of rows: columns of a negative number
    (16, 80, 30),
])
def test_groups_without_rows(monkeypatch, backend, m, n, more):
    monkeypatch.setenv("TRITIUM_BACKEND", backend)
    programs = -(-m // 16) * -(-n // 32) + more
    c, a, b = run(m, n, programs)
    np.testing.assert_array_equal(c, expected(m, n, programs, a, b))


def requests(programs, m=48, n=48, k=32):
    """Of global memory, by one program."""
    a, b = np.zeros((m, k), np.float16), np.zeros((k + 4, n), np.float16)
    c = np.zeros((programs, 16, 32), np.float32)
    launch = grouped.simulate((programs,), a, b, c, m, n, k, BM=16, BN=32, BK=16, GROUP=2,
                              BEFORE=4, arch="sm_80")
    return launch.global_requests / programs


def test_one_program_too_many_costs_vectors():
    # Two groups of 4 programs, of which the second has one row of tiles.
    assert requests(8) == requests(6)
    assert requests(9) > 1.2 * requests(8)
