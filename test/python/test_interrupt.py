"""Ctrl-C while something runs for long: KeyboardInterrupt soon, and all is usable afterwards.

Each case would run for minutes. The bound is far above what it takes, far below that.
"""

import os
import signal
import threading
import time

import numpy as np
import pytest

import tritium as triton
import tritium.language as tl

SOON = 5.0


@triton.jit
def scalar_loop(out, n):
    total = 0
    for i in range(n):
        total = (total * 1103515245 + i) ^ (total >> 3)
    tl.store(out + tl.program_id(0), total)


@triton.jit
def nested_loops(out, n):
    total = 0
    for i in range(n):
        for j in range(4):
            total += tl.sum(tl.arange(0, 64) * (i + j))
    tl.store(out + tl.program_id(0), total)


@triton.jit
def while_loop(out, n):
    i = 0
    total = 1
    while i < n:
        total = total * 5 + i
        i += 1
    tl.store(out + tl.program_id(0), total)


@triton.jit
def many_programs(out, n):
    if tl.program_id(0) + 1 == n:
        tl.store(out, 1)


@triton.jit
def waits(out, n):
    while tl.atomic_add(out, 0) < n:
        pass


KERNELS = [scalar_loop, nested_loops, while_loop, waits]


@pytest.fixture(params=["cpu", "interpret"])
def backend(request, monkeypatch):
    monkeypatch.setenv("TRITIUM_BACKEND", request.param)
    return request.param


@pytest.fixture(params=[1, 2])
def threads(request):
    triton.set_num_threads(request.param)
    yield request.param
    triton.set_num_threads(0)


def interrupt(run, expected=KeyboardInterrupt, signal_number=signal.SIGINT):
    """Runs `run`, and sends the signal while it is at it."""
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal_number))
    timer.start()
    begin = time.perf_counter()
    with pytest.raises(expected):
        run()
    taken = time.perf_counter() - begin
    timer.join()
    assert taken < SOON
    return taken


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
@pytest.mark.parametrize("grid", [1, 3])
def test_a_launch(kernel, grid, backend, threads):
    out = np.zeros(4, np.int32)
    kernel[(1,)](out, 0)
    interrupt(lambda: kernel[(grid,)](out, 2_000_000_001))
    out[:] = 0
    kernel[(grid,)](out, 0)
    scalar_loop[(4,)](out, 3)
    assert (out == out[0]).all() and out[0] != 0


def test_a_grid_of_short_programs(backend, threads):
    out = np.zeros(4, np.int32)
    many_programs[(1,)](out, 0)
    interrupt(lambda: many_programs[(2_000_000_000, 1000)](out, 2_000_000_000))
    many_programs[(100,)](out, 100)
    assert out[0] == 1


def test_a_simulation():
    out = np.zeros(4, np.int32)
    scalar_loop.simulate((1,), out, 3)
    interrupt(lambda: scalar_loop.simulate((1,), out, 2_000_000_001))
    scalar_loop.simulate((1,), out, 3)


def test_explaining():
    out = np.zeros(4, np.int32)
    interrupt(lambda: scalar_loop.explain((1,), out, 2_000_000_001))
    scalar_loop.explain((1,), out, 3)
    assert not out.any()


def test_tuning(monkeypatch):
    monkeypatch.setenv("TRITIUM_BACKEND", "cpu")
    tuned = triton.autotune([triton.Config({"STEP": step}) for step in (1, 2, 3)], key=["n"])(
        stepping)
    out = np.zeros(2, np.int32)
    interrupt(lambda: tuned[(1,)](out, 2_000_000_001))
    out[:] = 0
    tuned[(1,)](out, 3)
    assert out[0] == 3


@triton.jit
def stepping(out, n, STEP: tl.constexpr):
    total = 0
    for i in range(n):
        total = (total * 1103515245 + i) ^ (total >> STEP)
    tl.store(out, n)
    tl.store(out + 1, total)


def test_tuning_of_triton_c(monkeypatch):
    monkeypatch.setenv("TRITIUM_BACKEND", "cpu")
    kernel = triton.c.kernel(
        "kernel void slow(int *out, int n) { int t = 0;"
        " for (int i = 0; i < n; ++i) t = t * 1103515245 + i * STEP; *out = t; }",
        defines={"STEP": [1, 2, 3]})
    out = np.zeros(1, np.int32)
    interrupt(lambda: kernel(out, 2_000_000_001, grid=(1,)))
    kernel(out, 3, grid=(1,))


def test_a_handler_that_raises_something_else(backend):
    def handle(number, frame):
        raise LookupError("stop")

    before = signal.signal(signal.SIGUSR1, handle)
    try:
        interrupt(lambda: scalar_loop[(1,)](np.zeros(1, np.int32), 2_000_000_001), LookupError,
                  signal.SIGUSR1)
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_a_handler_that_raises_nothing(backend):
    """It runs while the kernel runs, and the kernel goes on: here until the next signal."""
    seen = []

    def handle(number, frame):
        seen.append(time.perf_counter())
        if len(seen) == 2:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, 0.2, 0.5)
    begin = time.perf_counter()
    try:
        with pytest.raises(KeyboardInterrupt):
            scalar_loop[(1,)](np.zeros(1, np.int32), 2_000_000_001)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(seen) == 2 and seen[0] - begin < 0.6 and seen[1] - seen[0] > 0.3


def test_only_the_main_thread_is_interrupted(backend):
    """As everywhere in Python: the launch of another thread ends by itself."""
    out = np.zeros(1, np.int32)
    rounds = 1_500_000_000 if backend == "cpu" else 60_000_000
    scalar_loop[(1,)](out, 3)
    out[0] = 0
    ended = threading.Event()

    def work():
        scalar_loop[(1,)](out, rounds)
        ended.set()

    threading.Thread(target=work).start()
    interrupt(lambda: ended.wait(60))
    assert not ended.is_set()
    assert ended.wait(60) and out[0] != 0


def test_a_handler_may_launch(monkeypatch):
    monkeypatch.setenv("TRITIUM_BACKEND", "cpu")
    inner = np.zeros(4, np.int32)

    def handle(number, frame):
        scalar_loop[(4,)](inner, 3)
        raise KeyboardInterrupt

    scalar_loop[(4,)](inner, 0)
    before = signal.signal(signal.SIGUSR1, handle)
    try:
        interrupt(lambda: scalar_loop[(3,)](np.zeros(4, np.int32), 2_000_000_001),
                  signal_number=signal.SIGUSR1)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert (inner == inner[0]).all() and inner[0] != 0
