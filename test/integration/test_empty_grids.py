"""Grids with a zero: no program runs, and nothing is wrong."""

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl


@triton.jit
def fills(out_ptr, BLOCK: tl.constexpr):
    tl.store(out_ptr + tl.arange(0, BLOCK), 1)


@pytest.mark.parametrize("grid", [(0,), 0, (4, 0), lambda meta: (0,)])
def test_grids_with_a_zero(backend, grid):
    out = np.zeros(16, np.int32)
    fills[grid](out, 16)
    assert not out.any()


def test_grids_with_a_zero_are_simulated():
    out = np.zeros(16, np.int32)
    simulation = fills.simulate((0, 3), out, 16)
    assert simulation.ctas == 0 and simulation.warp_instructions == 0 and not simulation.lines
    assert simulation.as_text() and not out.any()


def test_autotuned_grids_with_a_zero(monkeypatch):
    monkeypatch.setenv("TRITIUM_TUNING", "always")
    measured = []

    def bench(call, quantiles):
        measured.append(call)
        call()
        return [1.0, 1.0, 1.0]

    @triton.autotune([triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 32})], key=["n"],
                     do_bench=bench)
    @triton.jit
    def tuned(out_ptr, n, BLOCK: tl.constexpr):
        tl.store(out_ptr + tl.arange(0, BLOCK), 1, tl.arange(0, BLOCK) < n)

    out = np.zeros(32, np.int32)
    for _ in range(2):
        tuned[lambda meta: (0,)](out, 20)
        assert not out.any() and not measured and tuned.cache == {} and tuned.source == "first"
    tuned[(1,)](out, 20)
    assert out[:16].all() and len(measured) >= 2 and len(tuned.cache) == 1
