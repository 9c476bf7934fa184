"""Every test that takes `backend` runs on the interpreter, on this machine's CPU, and as code
for a CPU with AVX2 only. TRITIUM_TEST_BACKENDS names others (comma-separated): "cuda", or
"sim:sm_80" and the like, which is what the suite `simulator` does (utils/test.py)."""

import ctypes
import mmap
import os
import pathlib
import sys

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "examples"))

os.environ.setdefault("TRITIUM_VERIFY", "1")
BACKENDS = os.environ.get("TRITIUM_TEST_BACKENDS", "interpret,cpu,haswell").split(",")


@pytest.fixture(params=BACKENDS)
def backend(request, monkeypatch):
    select(request.param, monkeypatch)
    return request.param


@pytest.fixture(params=[name for name in BACKENDS if name != "interpret"])
def compiled_backend(request, monkeypatch):
    """For work that would take the interpreter too long."""
    select(request.param, monkeypatch)
    return request.param


def select(name, monkeypatch):
    # Results are compared with exact ones; tf32 has tests of its own (test_dot.py).
    monkeypatch.setenv("TRITON_F32_DEFAULT", "ieee")
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    if name == "haswell":
        monkeypatch.setenv("TRITIUM_BACKEND", "cpu")
        monkeypatch.setenv("TRITIUM_CPU", "haswell")
    else:
        monkeypatch.setenv("TRITIUM_BACKEND", name)
        monkeypatch.delenv("TRITIUM_CPU", raising=False)


@pytest.fixture
def unrecorded(monkeypatch):
    """Launches that ptx-mutants shall not run again: each of those has to be without a fault, and
    short enough to be run with each of its barriers missing."""
    monkeypatch.delenv("TRITIUM_SIM_RECORD", raising=False)


@pytest.fixture
def rng():
    return np.random.default_rng(20240917)


@pytest.fixture
def at_end_of_page():
    """Makes a copy of an array behind which a page begins that may not be read."""
    libc = ctypes.CDLL(None, use_errno=True)
    maps = []

    def place(array):
        pages = -(-array.nbytes // mmap.PAGESIZE) + 1
        memory = mmap.mmap(-1, pages * mmap.PAGESIZE)
        base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        end = (pages - 1) * mmap.PAGESIZE
        guard = ctypes.c_void_p(base + end)
        assert libc.mprotect(guard, ctypes.c_size_t(mmap.PAGESIZE), 0) == 0
        maps.append((memory, guard))
        view = np.frombuffer(memory, array.dtype, array.size, end - array.nbytes)
        view[:] = array.ravel()
        return view.reshape(array.shape)

    yield place
    for _, guard in maps:
        libc.mprotect(guard, ctypes.c_size_t(mmap.PAGESIZE), 3)
