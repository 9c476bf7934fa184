"""Programs that wait for other programs, earlier and later ones, with any number of threads."""

import pathlib
import threading
import time

import numpy as np
import pytest

import tritium as triton
import tritium.language as tl


@pytest.fixture(params=["cpu", "interpret"])
def backend(request, monkeypatch):
    monkeypatch.setenv("TRITIUM_BACKEND", request.param)
    return request.param


@pytest.fixture(params=[1, 2, 5])
def threads(request):
    triton.set_num_threads(request.param)
    yield request.param
    triton.set_num_threads(0)


@triton.jit
def chain(flags, out, n, FORWARD: tl.constexpr):
    """Each program waits for the one before it, or behind it."""
    pid = tl.program_id(0)
    other = pid - 1 if FORWARD else pid + 1
    if (other >= 0) & (other < n):
        while tl.atomic_add(flags + other, 0) == 0:
            pass
        tl.store(out + pid, tl.load(out + other) + 1)
    else:
        tl.store(out + pid, 1)
    tl.atomic_xchg(flags + pid, 1)


@pytest.mark.parametrize("forward", [True, False])
@pytest.mark.parametrize("n", [2, 7, 100])
def test_chains(n, forward, backend, threads):
    flags, out = np.zeros(n, np.int32), np.zeros(n, np.int32)
    chain[(n,)](flags, out, n, FORWARD=forward)
    expected = np.arange(1, n + 1)
    assert np.array_equal(out, expected if forward else expected[::-1])


@triton.jit
def locked(lock, total, ROUNDS: tl.constexpr):
    for _ in range(ROUNDS):
        while tl.atomic_cas(lock, 0, 1) == 1:
            pass
        tl.store(total, tl.load(total) + 1)
        tl.atomic_xchg(lock, 0)


def test_spin_locks(backend, threads):
    lock, total = np.zeros(1, np.int32), np.zeros(1, np.int32)
    locked[(50,)](lock, total, ROUNDS=20)
    assert total[0] == 1000 and lock[0] == 0


@triton.jit
def take(lock):
    """Leaves its loop by a return."""
    for _ in range(2**31 - 1):
        if tl.atomic_cas(lock, 0, 1) == 0:
            return


@triton.jit
def locked_by_exits(lock, total, ROUNDS: tl.constexpr):
    for i in range(2 * ROUNDS):
        if i % 2:
            continue
        if i % 4:
            take(lock)
        else:
            while True:
                if tl.atomic_cas(lock, 0, 1) == 0:
                    break
        tl.store(total, tl.load(total) + 1)
        tl.atomic_xchg(lock, 0)


def test_spin_locks_that_are_left_from_within(backend, threads):
    lock, total = np.zeros(1, np.int32), np.zeros(1, np.int32)
    locked_by_exits[(50,)](lock, total, ROUNDS=20)
    assert total[0] == 1000 and lock[0] == 0


@triton.jit
def chain_by_breaks(flags, out, n):
    """Each program waits for the one behind it, which has not begun."""
    pid = tl.program_id(0)
    value = 1
    while pid + 1 < n:
        if tl.atomic_add(flags + pid + 1, 0) != 0:
            value = tl.load(out + pid + 1) + 1
            break
    tl.store(out + pid, value)
    tl.atomic_xchg(flags + pid, 1)


def test_chains_of_loops_that_are_left(backend, threads):
    flags, out = np.zeros(60, np.int32), np.zeros(60, np.int32)
    chain_by_breaks[(60,)](flags, out, 60)
    assert out.tolist() == list(range(60, 0, -1))


@triton.jit
def barrier(arrived, before, after, n, B: tl.constexpr):
    """All programs wait until all have arrived; scratch tiles live across the wait."""
    pid = tl.program_id(0)
    lanes = tl.arange(0, B)
    own = lanes * (pid + 1)
    tl.store(before + pid, pid + 1)
    tl.atomic_add(arrived, 1)
    while tl.atomic_add(arrived, 0) < n:
        own += 0
    total = tl.sum(tl.load(before + lanes, mask=lanes < n, other=0))
    tl.store(after + pid * B + lanes, own + total)


def test_a_barrier_of_the_whole_grid(backend, threads):
    n, block = 40, 64
    arrived, before = np.zeros(1, np.int32), np.zeros(n, np.int32)
    after = np.zeros((n, block), np.int32)
    barrier[(n,)](arrived, before, after, n, B=block)
    expected = np.arange(block)[None] * np.arange(1, n + 1)[:, None] + n * (n + 1) // 2
    assert np.array_equal(after, expected)


@triton.jit
def first_waits_for_last(flag, out, n):
    pid = tl.program_id(0)
    if pid == 0:
        while tl.load(flag, volatile=True) == 0:
            pass
        tl.store(out, 7)
    if pid == n - 1:
        tl.store(flag, 1)


def test_the_first_waits_for_the_last_of_many(backend, threads):
    flag, out = np.zeros(1, np.int32), np.zeros(1, np.int32)
    n = 20_000 if backend == "cpu" else 2_000
    first_waits_for_last[(n,)](flag, out, n)
    assert out[0] == 7


@triton.jit
def for_nothing(flag, out):
    pid = tl.program_id(0)
    tl.store(out + pid, 1)
    while tl.atomic_add(flag, 0) == 0:
        pass
    tl.store(out + pid, 2)


def line_of_the_wait():
    lines = pathlib.Path(__file__).read_text().splitlines()
    first = lines.index("def for_nothing(flag, out):")
    return first + 1 + next(i for i, line in enumerate(lines[first:]) if "while" in line)


def test_a_wait_for_what_never_happens_is_an_error(backend, threads, monkeypatch):
    monkeypatch.setenv("TRITIUM_WAIT_SECONDS", "0.5")
    out = np.zeros(20, np.int32)
    begin = time.perf_counter()
    with pytest.raises(triton.DeadlockError) as caught:
        for_nothing[(20,)](np.zeros(1, np.int32), out)
    assert time.perf_counter() - begin > 0.4
    assert (out == 1).all()
    error = caught.value
    assert "for_nothing" in error.message and "all 20 that have begun" in error.message
    assert "TRITIUM_WAIT_SECONDS" in error.message
    assert error.file == __file__ and error.line == line_of_the_wait()
    # The next launch works.
    for_nothing[(20,)](np.ones(1, np.int32), out)
    assert (out == 2).all()


@triton.jit
def for_the_host(flag, out):
    while tl.load(flag, volatile=True) == 0:
        pass
    tl.store(out + tl.program_id(0), 2)


def test_the_host_may_be_waited_for(backend, threads, monkeypatch):
    monkeypatch.setenv("TRITIUM_WAIT_SECONDS", "30")
    flag, out = np.zeros(1, np.int32), np.zeros(5, np.int32)
    timer = threading.Timer(0.3, lambda: flag.__setitem__(0, 1))
    timer.start()
    for_the_host[(5,)](flag, out)
    timer.join()
    assert (out == 2).all()


@triton.jit
def leaves_late(flag, out, n):
    """Program 0 leaves its wait when the others' time is almost up, and then computes."""
    pid = tl.program_id(0)
    if pid == 0:
        total = 0
        for i in range(n):
            total = (total * 1103515245 + i) ^ (total >> 3)
        tl.store(out, total)
        tl.atomic_xchg(flag, 1)
    else:
        while tl.atomic_add(flag, 0) == 0:
            pass


def test_a_program_that_computes_for_long_is_no_deadlock(backend, threads, monkeypatch):
    monkeypatch.setenv("TRITIUM_WAIT_SECONDS", "0.1")
    flag = np.zeros(1, np.int32)
    leaves_late[(3,)](flag, np.zeros(1, np.int32), 300_000_000 if backend == "cpu" else 1_000_000)
    assert flag[0] == 1


@triton.jit
def search(keys, out, n, wanted):
    """A loop over memory that waits for nobody."""
    low = 0
    high = n
    while low < high:
        middle = (low + high) // 2
        if tl.load(keys + middle) < wanted:
            low = middle + 1
        else:
            high = middle
    tl.store(out + tl.program_id(0), low)


def test_loops_over_memory_still_work(backend, threads):
    keys, out = np.arange(0, 20_000, 2, dtype=np.int32), np.zeros(3, np.int32)
    search[(3,)](keys, out, keys.size, 777)
    assert (out == 389).all()


@triton.jit
def centred(p, q, flags, G: tl.constexpr, N: tl.constexpr):
    """Rows less their maxima; when all have been read, each is overwritten by its neighbour."""
    pid, i = tl.program_id(0), tl.arange(0, N)
    x = tl.load(p + pid * N + i)
    m = tl.max(x, 0)
    tl.store(q + G * N + pid, m)
    tl.store(flags + pid, 1)
    for g in range(G):
        while tl.load(flags + g, volatile=True) == 0:
            pass
    tl.store(q + pid * N + i, x - m)
    for j in range(N):
        tl.store(p + (pid + 1) % G * N + j, -5.0)


def test_rows_are_read_in_front_of_a_barrier(backend, threads):
    G, N = 4, 256
    p = np.arange(G * N, dtype=np.float32)
    rows = p.reshape(G, N).copy()
    q, flags = np.zeros(G * N + G, np.float32), np.zeros(G, np.int32)
    centred[(G,)](p, q, flags, G, N)
    np.testing.assert_array_equal(q[: G * N].reshape(G, N), rows - rows.max(1, keepdims=True))
