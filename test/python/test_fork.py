"""A fork while other threads compile, tune and launch leaves parent and child working."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import tritium as triton
from tritium import _objects, debugger
from tritium.compiler import ASTSource, GPUTarget, compile
from tritium.profiler import session
from fake_ptxas import ptxas
from tuned_modules import Kernels


def works(kernels, tuned=False):
    module, number = kernels.make()
    x, y = np.arange(32, dtype=np.float32), np.zeros(32, np.float32)
    if tuned:
        module.tuned[(1,)](x, y, 32)
    else:
        module.kernel[(1,)](x, y, 32, B=32)
    return np.array_equal(y, x * 3 + number)


def assembles(kernels):
    """Compiles a kernel for a GPU, with a ptxas that waits meanwhile."""
    source = ASTSource(kernels.make()[0].kernel,
                       {"x": "*fp32", "y": "*fp32", "n": "i32", "B": "constexpr"}, {"B": 32})
    return "cubin" in compile(source, GPUTarget("cuda", 90, 32)).asm


@pytest.fixture(params=["compiling", "assembling", "tuning", "interpreting", "overlapping"])
def busy(request, tmp_path, monkeypatch):
    """Two threads that do nothing else."""
    monkeypatch.setenv("TRITIUM_BACKEND", "interpret" if request.param == "interpreting" else "cpu")
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    monkeypatch.setenv("TRITON_PTXAS_PATH", ptxas(tmp_path, ""))
    stop, failures, done = threading.Event(), [], [0]

    def work(number):
        folder = tmp_path / str(number)
        folder.mkdir()
        kernels = Kernels(folder)
        while not stop.is_set():
            try:
                if request.param == "overlapping":
                    module, count = kernels.make()
                    both = np.zeros(48, np.float32)
                    module.kernel[(1,)](both[:32], both[16:], 32, B=32)
                elif request.param == "assembling":
                    assert assembles(kernels)
                elif not works(kernels, request.param == "tuning"):
                    failures.append("wrong")
                done[0] += 1
            except Exception as error:
                failures.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    yield done
    stop.set()
    for thread in threads:
        thread.join()
    assert not failures


def wait(child, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return status
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "the child hangs"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_fork_while_threads_are_busy(busy, tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    kernels = Kernels(inside)
    assert works(kernels)
    for _ in range(12):
        child = os.fork()
        if child == 0:
            good = False
            try:
                good = works(kernels) and works(kernels, tuned=True)
            finally:
                os._exit(0 if good else 1)
        assert wait(child) == 0
        before = busy[0]
        assert works(kernels)
        end = time.monotonic() + 30
        while busy[0] == before and time.monotonic() < end:
            time.sleep(0.01)
        assert busy[0] > before, "the threads of the parent hang"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("busy", ["tuning"], indirect=True)
def test_children_of_children(busy, tmp_path):
    """Of a child that has a busy thread of its own."""
    child = os.fork()
    if child == 0:
        good = False
        try:
            (tmp_path / "theirs").mkdir()
            theirs = Kernels(tmp_path / "theirs")

            def work():
                while works(theirs, tuned=True):
                    pass

            threading.Thread(target=work, daemon=True).start()
            statuses = []
            for number in range(6):
                folder = tmp_path / f"grandchild{number}"
                folder.mkdir()
                grandchild = os.fork()
                if grandchild == 0:
                    os._exit(0 if works(Kernels(folder), tuned=True) else 1)
                statuses.append(wait(grandchild))
            good = statuses == [0] * 6
        finally:
            os._exit(0 if good else 1)
    assert wait(child) == 0


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("lock", [_objects._lock, session._lock, debugger._lock])
def test_a_lock_that_another_thread_holds(lock, tmp_path):
    """The child finds it free, be it that the fork waits or that the child has another one."""
    held, stop = threading.Event(), threading.Event()

    def hold():
        with lock:
            held.set()
            stop.wait(0.2)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    child = os.fork()
    if child == 0:
        good = False
        try:
            good = all(each.acquire(timeout=10)
                       for each in (_objects._lock, session._lock, debugger._lock))
        finally:
            os._exit(0 if good else 1)
    stop.set()
    assert wait(child) == 0
    thread.join()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("lock", [_objects._lock, session._lock])
def test_a_lock_that_the_forking_thread_holds(lock):
    """It still does, in parent and child, and then lets go of it."""
    def others_take_it():
        taken = []

        def take():
            taken.append(lock.acquire(blocking=False))
            if taken[0]:
                lock.release()

        thread = threading.Thread(target=take)
        thread.start()
        thread.join()
        return taken[0]

    with lock:
        child = os.fork()
        inside = others_take_it()
    behind = others_take_it()
    if child == 0:
        os._exit(0 if (inside, behind) == (False, True) else 1)
    assert wait(child) == 0
    assert (inside, behind) == (False, True)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_forks_of_two_threads(tmp_path):
    """Both hold the same locks over their forks, by turns."""
    def fork(answers):
        for _ in range(20):
            child = os.fork()
            if child == 0:
                os._exit(0 if _objects._lock.acquire(timeout=10) else 1)
            answers.append(wait(child))

    answers = []
    threads = [threading.Thread(target=fork, args=(answers,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [0] * 40


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_measures(tmp_path, monkeypatch):
    """The one of who forks while it chooses goes on with that."""
    monkeypatch.setenv("TRITIUM_BACKEND", "cpu")
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    seen = []

    def measured(run, quantiles):
        child = os.fork()
        if child == 0:
            good = False
            try:
                run()
                good = seen[-1] == 32
            finally:
                os._exit(0 if good else 1)
        return [1.0 if wait(child) == 0 else 99.0] * 3

    module, number = Kernels(tmp_path).make()
    tuned = triton.autotune([triton.Config({"B": b}) for b in (32, 64)], key=[],
                            pre_hook=lambda args, reset_only=False: seen.append(args["n"]),
                            do_bench=measured)(module.kernel)
    x, y = np.arange(32, dtype=np.float32), np.zeros(32, np.float32)
    tuned[(1,)](x, y, 32)
    assert list(tuned.configs_timings.values()) == [[1.0] * 3] * 2
    assert np.array_equal(y, x * 3 + number)


FORKS_IN_A_FORK = """
import os, threading

is_first = True

def fork_once_more():
    global is_first
    if is_first:
        is_first = False
        child = os.fork()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)

# What is registered first is called last, when the package's locks are held.
os.register_at_fork(before=fork_once_more)

from tritium import _objects
from tritium.profiler import session

child = os.fork()
taken = []
thread = threading.Thread(target=lambda: taken.extend(
    lock.acquire(timeout=10) for lock in (_objects._lock, session._lock)))
thread.start()
thread.join()
if child == 0:
    os._exit(0 if all(taken) else 1)
assert os.waitpid(child, 0)[1] == 0 and all(taken)
"""


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_in_the_middle_of_a_fork():
    """The locks are free afterwards for other threads, in parent and child."""
    subprocess.run([sys.executable, "-W", "ignore", "-c", FORKS_IN_A_FORK], check=True, timeout=60)


def in_child(folder):
    return works(Kernels(folder))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_multiprocessing(busy, tmp_path):
    folders = [tmp_path / f"child{i}" for i in range(4)]
    for folder in folders:
        folder.mkdir()
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(in_child, folders).get(timeout=60) == [True] * 4


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_same_kernel_is_compiled_while_a_fork_happens(tmp_path, monkeypatch):
    """The child claims the compilation that the parent's thread was at."""
    monkeypatch.setenv("TRITIUM_BACKEND", "cpu")
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    kernels = Kernels(tmp_path)
    for _ in range(10):
        module, number = kernels.make()
        x, y = np.arange(32, dtype=np.float32), np.zeros(32, np.float32)
        thread = threading.Thread(target=lambda: module.kernel[(1,)](x, y, 32, B=32))
        thread.start()
        child = os.fork()
        if child == 0:
            try:
                module.kernel[(1,)](x, y, 32, B=32)
            finally:
                os._exit(0 if np.array_equal(y, x * 3 + number) else 1)
        assert wait(child) == 0
        thread.join()
        assert np.array_equal(y, x * 3 + number)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_interrupt_in_a_child(tmp_path, monkeypatch):
    """The child watches its own launches."""
    monkeypatch.setenv("TRITIUM_BACKEND", "cpu")
    from test_interrupt import interrupt, scalar_loop
    out = np.zeros(1, np.int32)
    scalar_loop[(1,)](out, 3)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            interrupt(lambda: scalar_loop[(1,)](out, 2_000_000_001))
            status = 0
        finally:
            os._exit(status)
    assert wait(child) == 0
