"""Kernels whose longest programs begin first: ids count down, and nothing else changes."""

import os

import numpy as np
import pytest

import tritium as triton
import tritium.language as tl

BACKEND = "cuda" if os.environ.get("TRITIUM_TEST_BACKENDS") == "cuda" else "sim:sm_90"


@pytest.fixture(autouse=True)
def backend(monkeypatch):
    monkeypatch.setenv("TRITIUM_BACKEND", BACKEND)


def counts_down(kernel):
    return "ttg.last_first" in kernel.asm["ttgir"]


@triton.jit
def triangle(x, out, order, AXIS: tl.constexpr, HOW: tl.constexpr):
    """Sums of the first elements, as many as the program's number."""
    id = tl.program_id(AXIS)
    total = 0.0
    for i in range(0, id + 1):
        total += tl.load(x + i)
    if HOW == "print":
        tl.device_print("id", id)
    if HOW == "order":
        tl.store(order + id, tl.atomic_add(order + 64, 1))
    at = (tl.program_id(2) * tl.num_programs(1) + tl.program_id(1)) * tl.num_programs(0)
    tl.store(out + at + tl.program_id(0), total)


@pytest.mark.parametrize("axis, grid", [(0, (7,)), (1, (2, 5)), (2, (3, 2, 4)), (0, (1,))])
def test_ids_of_all_programs(axis, grid):
    x = np.arange(1, 9, dtype=np.float32)
    whole = (*grid, 1, 1)[:3]
    out, order = np.zeros(whole[::-1], np.float32), np.zeros(65, np.int32)
    kernel = triangle[grid](x, out, order, axis, "plain")
    assert counts_down(kernel)
    sums = np.cumsum(x)[: whole[axis]]
    expected = np.broadcast_to(sums.reshape([-1 if 2 - axis == d else 1 for d in range(3)]),
                               out.shape)
    np.testing.assert_array_equal(out, expected)


@triton.jit
def lengths(out, N, order):
    """Of each program of a grid, how often it has run, and its length."""
    x, y = tl.program_id(0), tl.program_id(1)
    length = 0
    for i in range(0, x + 1):
        length += tl.load(order)
    at = y * tl.num_programs(0) + x
    tl.store(out + at, tl.load(out + at) + length)


# All rows together, the last ones, and one.
@pytest.mark.parametrize("columns, rows", [(1, 3), (5, 2), (3, 300), (33, 40), (100, 9), (520, 3)])
def test_rows_that_begin_together(columns, rows):
    out, one = np.zeros((rows, columns), np.int32), np.ones(1, np.int32)
    kernel = lengths[(columns, rows)](out, columns * rows, one, num_warps=1)
    assert "ttg.longest_of = 512" in kernel.asm["ttgir"]
    np.testing.assert_array_equal(out, np.broadcast_to(np.arange(1, columns + 1), out.shape))


def test_programs_that_ask_what_others_did():
    x, out = np.ones(8, np.float32), np.zeros(8, np.float32)
    order = np.zeros(65, np.int32)
    kernel = triangle[(8,)](x, out, order, 0, "order")
    np.testing.assert_array_equal(out, np.arange(1, 9))
    assert not counts_down(kernel) and sorted(order[:8]) == list(range(8))
    said = [r.message for r in kernel.remarks if r.pass_ == "program-order"]
    assert len(said) == 1 and said[0].startswith("the longest programs come last")


def test_prints_stay_in_order():
    x, out, order = np.ones(4, np.float32), np.zeros(4, np.float32), np.zeros(65, np.int32)
    assert not counts_down(triangle[(4,)](x, out, order, 0, "print"))
    np.testing.assert_array_equal(out, np.arange(1, 5))
