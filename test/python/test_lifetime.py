"""Kernels and their variants go when nobody holds them any more."""

import gc
import subprocess
import sys
import textwrap
import types
import weakref

import numpy as np
import pytest

import tritium as triton
import tritium.language as tl

X = np.zeros(16, np.float32)


@triton.jit
def helper(x):
    return x + 1


def make(scale=2):
    @triton.jit
    def local(x, N: tl.constexpr):
        i = tl.arange(0, N)
        tl.store(x + i, helper(tl.load(x + i)) * scale)

    return local


@pytest.fixture
def without_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def launched(kernel):
    return [kernel[(1,)](X, N=n) for n in (8, 16)]


def test_a_launched_kernel_goes_with_its_last_reference(without_collector):
    kernel = make()
    variants = launched(kernel)
    gone = [weakref.ref(thing) for thing in (kernel, kernel.fn, *variants)]
    del kernel, variants
    assert [reference() for reference in gone] == [None] * 4


def test_an_autotuned_kernel_goes_too(without_collector):
    tuned = triton.autotune([triton.Config({"N": n}) for n in (8, 16)], key=[])(make())
    for _ in range(2):
        tuned[(1,)](X)
    gone = [weakref.ref(tuned), weakref.ref(tuned.fn)]
    del tuned
    assert [reference() for reference in gone] == [None] * 2


def test_a_variant_that_is_held_can_still_compile_its_stages():
    kernel = make()
    variant = launched(kernel)[0]
    gone = weakref.ref(kernel)
    del kernel
    assert gone() is None
    assert "define" in variant.asm["llir"]


def test_a_module_that_is_dropped_takes_its_kernels_along(tmp_path):
    """Its dict and its kernels hold each other: the collector has to see that."""
    path = tmp_path / "dropped.py"
    path.write_text(textwrap.dedent("""
        import tritium as triton
        import tritium.language as tl

        @triton.jit
        def inner(x):
            return x + 1

        @triton.jit
        def kernel(x, N: tl.constexpr):
            tl.store(x + tl.arange(0, N), inner(N))

        @triton.autotune([triton.Config({"N": n}) for n in (8, 16)], key=[])
        @triton.jit
        def tuned(x, N: tl.constexpr):
            tl.store(x + tl.arange(0, N), inner(N))
    """))
    module = types.ModuleType("dropped")
    exec(compile(path.read_text(), str(path), "exec"), module.__dict__)
    launched(module.kernel)
    for _ in range(2):
        module.tuned[(1,)](X)
    gone = [weakref.ref(thing) for thing in (module.kernel, module.tuned, module.inner)]
    del module
    gc.collect()
    assert [reference() for reference in gone] == [None] * 3


MEMORY = """
import sys
import numpy as np
import tritium as triton
import tritium.language as tl

def make(number):
    @triton.jit
    def local(x, N: tl.constexpr):
        for i in tl.static_range(60):
            j = tl.arange(0, 16)
            tl.store(x + j, tl.exp(tl.load(x + j)) + (number + i))
    return local

def resident():
    lines = open("/proc/self/status")
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1])

x, kept = np.zeros(16, np.float32), []
def some(count):
    for number in range(count):
        kernel = make(number)
        kernel[(1,)](x, N=1)
        if sys.argv[1] == "keep":
            kept.append(kernel)

some(10)
before = resident()
some(50)
print(resident() - before)
"""


def test_memory_of_variants_is_given_back(tmp_path):
    """50 kernels that are dropped, beside 50 that are kept."""
    script = tmp_path / "memory.py"
    script.write_text(MEMORY)

    def kilobytes(how):
        return int(subprocess.run([sys.executable, script, how], check=True, text=True,
                                  stdout=subprocess.PIPE).stdout)

    assert kilobytes("drop") < kilobytes("keep") / 3
