"""Products over pages whose numbers stand in a table: they are loaded ahead of the pages."""

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from support import random_array

PAGE, D, M = 32, 32, 16


@triton.jit
def product(a_ptr, pages_ptr, table_ptr, c_ptr, count, M: tl.constexpr, D: tl.constexpr,
            PAGE: tl.constexpr, BY_ROW: tl.constexpr):
    """c += a[:, page i of a] @ pages[table[i]], whose rows the table may say one by one."""
    m, d, r = tl.arange(0, M), tl.arange(0, D), tl.arange(0, PAGE)
    acc = tl.zeros((M, D), dtype=tl.float32)
    for i in range(count):
        if BY_ROW:
            row = tl.load(table_ptr + i * PAGE + r)
        else:
            row = tl.load(table_ptr + i) * PAGE + r
        b = tl.load(pages_ptr + row[:, None] * D + d[None, :])
        a = tl.load(a_ptr + m[:, None] * (count * PAGE) + i * PAGE + r[None, :])
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + m[:, None] * D + d[None, :], acc)


@triton.jit
def chained(first_ptr, next_ptr, pages_ptr, c_ptr, count, M: tl.constexpr, D: tl.constexpr,
            PAGE: tl.constexpr):
    """Each page's number stands at that of the one before; after the last nothing may be read."""
    m, d, r = tl.arange(0, M), tl.arange(0, D), tl.arange(0, PAGE)
    acc = tl.zeros((M, D), dtype=tl.float32)
    a = (m[:, None] == r[None, :]).to(tl.float16)
    page = tl.load(first_ptr)
    for i in range(count):
        b = tl.load(pages_ptr + (page * PAGE + r[:, None]) * D + d[None, :])
        acc = tl.dot(a, b, acc)
        page = tl.load(next_ptr + page)
    tl.store(c_ptr + m[:, None] * D + d[None, :], acc)


@triton.jit
def renumbered(table_ptr, pages_ptr, c_ptr, count, M: tl.constexpr, D: tl.constexpr,
               PAGE: tl.constexpr):
    """An iteration writes the number of the next one's page."""
    m, d, r = tl.arange(0, M), tl.arange(0, D), tl.arange(0, PAGE)
    acc = tl.zeros((M, D), dtype=tl.float32)
    a = (m[:, None] == r[None, :]).to(tl.float16)
    for i in range(count):
        page = tl.load(table_ptr + i)
        b = tl.load(pages_ptr + (page * PAGE + r[:, None]) * D + d[None, :])
        acc = tl.dot(a, b, acc)
        tl.debug_barrier()
        tl.store(table_ptr + i + 1, page + 1)
        tl.debug_barrier()
    tl.store(c_ptr + m[:, None] * D + d[None, :], acc)


@pytest.mark.parametrize("by_row", (False, True), ids=("by_page", "by_row"))
@pytest.mark.parametrize("count", (0, 1, 2, 3, 7))
def test_pages(backend, rng, by_row, count):
    pages = random_array(rng, (9 * PAGE, D), "float16")
    a = random_array(rng, (M, count * PAGE), "float16")
    table = rng.permutation(9)[:count].astype(np.int32)
    rows = (table[:, None] * PAGE + np.arange(PAGE, dtype=np.int32)).reshape(-1)
    c = np.full((M, D), np.nan, np.float32)
    # A table of exactly as many numbers: what lies behind it is not the kernel's to read.
    product[(1,)](a, pages, rows if by_row else table, c, count, M, D, PAGE, by_row, num_stages=3)
    wide = a.astype(np.float32) @ pages.astype(np.float32)[rows]
    np.testing.assert_allclose(c, wide, rtol=1e-2, atol=0.2)


@pytest.mark.parametrize("count", (0, 1, 2, 5))
def test_chain(backend, rng, count):
    pages = random_array(rng, (6 * PAGE, D), "float16")
    following = np.array([3, 5, 0, 1, 2, 4], np.int32)
    c = np.full((M, D), np.nan, np.float32)
    chained[(1,)](np.array([2], np.int32), following, pages, c, count, M, D, PAGE)
    expected, page = np.zeros((M, D), np.float32), 2
    for _ in range(count):
        expected += pages[page * PAGE:page * PAGE + M].astype(np.float32)
        page = following[page]
    np.testing.assert_allclose(c, expected, rtol=1e-3, atol=1e-2)


def test_numbers_that_are_written_in_the_loop(backend, rng):
    pages = random_array(rng, (6 * PAGE, D), "float16")
    table = np.array([1, 9999, 9999, 9999, 9999], np.int32)
    c = np.full((M, D), np.nan, np.float32)
    renumbered[(1,)](table, pages, c, 4, M, D, PAGE)
    expected = sum(pages[p * PAGE:p * PAGE + M].astype(np.float32) for p in (1, 2, 3, 4))
    np.testing.assert_allclose(c, expected, rtol=1e-3, atol=1e-2)
    assert list(table) == [1, 2, 3, 4, 5]
