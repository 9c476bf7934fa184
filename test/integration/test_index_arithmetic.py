"""Index arithmetic that a compiler could take for simpler than it is.

Indices that wrap at the width of their type, circular buffers, addresses that a tile holds twice,
indices that are loaded, and memory behind an array that must not be touched. Every result is that
of NumPy at the same widths.
"""

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from support import assert_same

I = np.arange(256)
INT_MAX = 2 ** 31 - 1


def wrapped(values, dtype):
    """Integers of any size in two's complement."""
    bits = np.dtype(dtype).itemsize * 8
    return (np.asarray(values, object) % 2 ** bits).astype(f"uint{bits}").view(dtype)


# What is compared

@triton.jit
def compare(y, start, n, FORM: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    at = i + start
    if FORM == "<":
        mask = at < n
    elif FORM == "<=":
        mask = at <= n
    elif FORM == ">":
        mask = at > n
    elif FORM == ">=":
        mask = at >= n
    elif FORM == "n>":
        mask = n > at
    elif FORM == "n>=":
        mask = n >= at
    elif FORM == "falling":
        mask = start - i < n
    elif FORM == "thirds":
        mask = at * 3 < n
    else:
        mask = (at >= 3) & (at < n)
    tl.store(y + i, i + 1, mask=mask)


FORMS = {"<": lambda at, n: at < n, "<=": lambda at, n: at <= n, ">": lambda at, n: at > n,
         ">=": lambda at, n: at >= n, "n>": lambda at, n: n > at, "n>=": lambda at, n: n >= at,
         "both": lambda at, n: (at >= 3) & (at < n)}


def stored(mask):
    return np.where(mask, I + 1, 0).astype(np.int32)


@pytest.mark.parametrize("form", [*FORMS, "falling", "thirds"])
@pytest.mark.parametrize("start", (0, -100, INT_MAX - 255, INT_MAX - 254, INT_MAX - 100, -2 ** 31,
                                   715827800))
def test_masks_of_32_bits(backend, form, start):
    y = np.zeros(256, np.int32)
    for n in (0, 5, 100, start, start + 50, INT_MAX, -2 ** 31):
        if not -2 ** 31 <= n <= INT_MAX:
            continue
        at = wrapped(start - I if form == "falling" else (I + start) * 3 if form == "thirds"
                     else I + start, np.int32)
        y[:] = 0
        compare[(1,)](y, start, n, FORM=form, N=256)
        assert_same(y, stored(FORMS.get(form, FORMS["<"])(at, n)))


@triton.jit
def compare_known(y, n, START: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    at = i + START
    tl.store(y + i, i + 1, mask=at < n)
    tl.store(y + N + i, i + 1, mask=at >= n)
    tl.store(y + 2 * N + i, tl.where((at < n) & (at >= START + 9), i, -1))


@pytest.mark.parametrize("start", (0, 7, -100, 2 ** 30, -2 ** 30 - 5, INT_MAX - 1023,
                                   INT_MAX - 1000, -2 ** 31))
def test_bounds_of_known_indices(backend, start):
    """Whose distance from the bound need not be an integer of 32 bits."""
    i, y = np.arange(1024), np.zeros(3 * 1024, np.int32)
    at = wrapped(i + start, np.int32)
    for n in (-2 ** 31, -2 ** 31 + 1, -1, 0, 1, start, start + 9, start + 500, start + 1023,
              start + 1024, INT_MAX):
        if not -2 ** 31 <= n <= INT_MAX:
            continue
        y[:] = 0
        compare_known[(1,)](y, n, START=start, N=1024, num_warps=1)
        both = (at < n) & (at >= wrapped([start + 9], np.int32))
        assert_same(y, np.concatenate([np.where(at < n, i + 1, 0), np.where(at >= n, i + 1, 0),
                                       np.where(both, i, -1)]).astype(np.int32))


@triton.jit
def compare_wide(y, starts, bounds, FORM: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    at = i + tl.load(starts)
    n = tl.load(bounds)
    if FORM == "<":
        mask = at < n
    elif FORM == "<=":
        mask = at <= n
    else:
        mask = n > at
    tl.store(y + i, i + 1, mask=mask)


@pytest.mark.parametrize("form", ("<", "<=", "n>"))
def test_masks_of_64_bits(backend, form):
    ends = (0, 100, -1, 2 ** 63 - 1, 2 ** 63 - 256, 2 ** 63 - 100, -2 ** 63, -2 ** 63 + 100)
    y = np.zeros(256, np.int32)
    for start in ends:
        for n in ends:
            y[:] = 0
            compare_wide[(1,)](y, np.array([start]), np.array([n]), FORM=form, N=256)
            assert_same(y, stored(FORMS[form](wrapped(I + start, np.int64), n)))


@triton.jit
def compare_narrow(y, step, n, UNSIGNED: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    if UNSIGNED:
        at = (i + step).to(tl.uint8).to(tl.int32)
    else:
        at = (i + step).to(tl.int8).to(tl.int32)
    tl.store(y + i, i + 1, mask=at < n)


@pytest.mark.parametrize("unsigned", (False, True))
@pytest.mark.parametrize("step,n", [(1, 100), (0, 0), (127, -3), (200, 250), (-128, 10)])
def test_masks_of_8_bits(backend, unsigned, step, n):
    y = np.zeros(256, np.int32)
    compare_narrow[(1,)](y, step, n, UNSIGNED=unsigned, N=256)
    at = wrapped(I + step, np.uint8 if unsigned else np.int8)
    assert_same(y, stored(at.astype(np.int32) < n))


@triton.jit
def compare_remainder(y, start, n, m, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y + i, i + 1, mask=(i + start) % n < m)


@pytest.mark.parametrize("start,n,m", [(0, 300, 100), (40, 256, 10), (100, 7, 3), (0, 1, 1)])
def test_masks_of_remainders(backend, start, n, m):
    y = np.zeros(256, np.int32)
    compare_remainder[(1,)](y, start, n, m, N=256)
    assert_same(y, stored((I + start) % n < m))


# What is extended

@triton.jit
def extend(y, start, FROM: tl.constexpr, TO: tl.constexpr, FACTOR: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y + i, ((i + start).to(FROM) * FACTOR).to(TO))


@pytest.mark.parametrize("narrow", ("int8", "uint8", "int16", "uint16", "int32", "uint32"))
@pytest.mark.parametrize("start", (0, 1, 100, 2 ** 15 - 100, 2 ** 16 - 5, INT_MAX - 100, -3))
@pytest.mark.parametrize("factor", (1, 3))
def test_extension(backend, narrow, start, factor):
    y = np.zeros(256, np.int64)
    extend[(1,)](y, start, FROM=getattr(tl, narrow), TO=tl.int64, FACTOR=factor, N=256)
    values = wrapped(wrapped(I + start, np.int32), narrow)
    assert_same(y, wrapped(values.astype(object) * factor, narrow).astype(np.int64))


# What is an address

@triton.jit
def copy_at(x, y, start, NARROW: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y + i, tl.load(x + 128 + (i + start).to(NARROW).to(tl.int32)))


@pytest.mark.parametrize("narrow", ("int8", "uint8", "uint16"))
@pytest.mark.parametrize("start", (0, 1, 100, 128, 250))
def test_addresses_of_narrow_indices(backend, narrow, start):
    x = np.arange(1024, dtype=np.int32)
    y = np.zeros(256, np.int32)
    copy_at[(1,)](x, y, start, NARROW=getattr(tl, narrow), N=256)
    assert_same(y, 128 + wrapped(I + start, narrow).astype(np.int32))


@triton.jit
def circular_copy(x, y, start, n, B: tl.constexpr):
    offs = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + offs, tl.load(x + (offs + start) % n), mask=offs < n)


@pytest.mark.parametrize("n", (1, 7, 256, 300, 1000))
@pytest.mark.parametrize("start", (0, 5, 255, 300))
def test_circular_buffer(backend, n, start):
    x, y = np.arange(n, dtype=np.int32), np.zeros(n, np.int32)
    circular_copy[(triton.cdiv(n, 256),)](x, y, start, n, B=256)
    assert_same(y, np.roll(x, -start))


@triton.jit
def circular_matmul(a, b, c, K, row, column, last, BK: tl.constexpr, ROWS: tl.constexpr):
    m = tl.arange(0, 64)
    rows = m
    if ROWS:
        rows = (m + row) % 64
    n = tl.arange(0, 64)
    acc = tl.zeros((64, 64), tl.float32)
    for k0 in range(0, K, BK):
        k = k0 + tl.arange(0, BK)
        x = tl.load(a + rows[:, None] * K + ((k + column) % K)[None, :])
        y = tl.load(b + ((k + column) % K)[:, None] * 64 + ((n + last) % 64)[None, :])
        acc = tl.dot(x, y, acc, input_precision="ieee")
    tl.store(c + m[:, None] * 64 + n[None, :], acc)


@pytest.mark.parametrize("row,column,last", [(0, 0, 0), (0, 40, 0), (3, 0, 0), (0, 0, 5),
                                             (63, 95, 63), (0, 64, 0)])
@pytest.mark.parametrize("rows", (False, True))
def test_circular_operands_of_dot(backend, rng, row, column, last, rows):
    row = row if rows else 0
    K = 96
    a = rng.integers(-4, 5, (64, K)).astype(np.float32)
    b = rng.integers(-4, 5, (K, 64)).astype(np.float32)
    c = np.zeros((64, 64), np.float32)
    circular_matmul[(1,)](a, b, c, K, row, column, last, BK=32, ROWS=rows)
    assert_same(c, np.roll(a, -row, axis=0) @ np.roll(b, -last, axis=1))


# Load, change, store: all loads come first.

@triton.jit
def add_one(x, indices, start, n, FORM: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    if FORM == "narrow":
        p = x + i.to(tl.uint8).to(tl.int32)
    elif FORM == "gathered":
        p = x + tl.load(indices + i)
    elif FORM == "remainder":
        p = x + (i + start) % n
    elif FORM == "quotient":
        p = x + i // 3
    elif FORM == "masked bits":
        p = x + (i & 31)
    elif FORM == "product":
        p = x + i * n
    else:
        p = x + tl.where(i < n, i, 0)
    tl.store(p, tl.load(p) + 1)


@pytest.mark.parametrize("form", ("narrow", "gathered", "remainder", "quotient", "masked bits",
                                  "product", "choice"))
@pytest.mark.parametrize("n", (0, 1, 7))
def test_repeated_addresses(backend, form, n):
    n = max(n, 1) if form == "remainder" else n
    i = np.arange(512)
    indices = (i * 37 % 101).astype(np.int32)
    at = {"narrow": i % 256, "gathered": indices, "remainder": (i + 3) % max(n, 1),
          "quotient": i // 3, "masked bits": i & 31, "product": i * n,
          "choice": np.where(i < n, i, 0)}[form]
    x = np.zeros(4096, np.int32)
    add_one[(1,)](x, indices, 3, n, FORM=form, N=512)
    expected = np.zeros(4096, np.int32)
    expected[at] = 1
    assert_same(x, expected)


@triton.jit
def add_to_rows(x, stride, M: tl.constexpr, N: tl.constexpr, CONSTANT: tl.constexpr):
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    if CONSTANT >= 0:
        p = x + m[:, None] * CONSTANT + n[None, :]
    else:
        p = x + m[:, None] * stride + n[None, :]
    tl.store(p, tl.load(p) + 1)


@pytest.mark.parametrize("stride", (0, 1, 15, 16, 17))
@pytest.mark.parametrize("constant", (False, True))
def test_overlapping_rows(backend, stride, constant):
    x = np.zeros(1024, np.int32)
    add_to_rows[(1,)](x, stride, M=8, N=16, CONSTANT=stride if constant else -1)
    expected = np.zeros(1024, np.int32)
    expected[np.arange(8)[:, None] * stride + np.arange(16)] = 1
    assert_same(x, expected)


@triton.jit
def follow(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    p = x
    k = 0
    while k < n:
        tl.store(p + i + 1, tl.load(p + i))
        p += B
        k += 1
    q = x
    if n > 1:
        q = x + 1
    tl.store(q + i, tl.load(x + i) + 100)
    tl.store(out + i, tl.load(x + i))


@pytest.mark.parametrize("n", (0, 1, 3))
def test_pointers_of_while_and_if(backend, n):
    x, out = np.arange(512, dtype=np.int32), np.zeros(64, np.int32)
    expected = x.copy()
    for k in range(n):
        expected[k * 64 + 1:k * 64 + 65] = expected[k * 64:k * 64 + 64].copy()
    first = 1 if n > 1 else 0
    expected[first:first + 64] = expected[:64].copy() + 100
    follow[(1,)](x, out, n, B=64)
    assert_same(x, expected)
    assert_same(out, expected[:64])


# Nothing behind the end is touched.

@triton.jit
def scatter_rows(a, b, rows, columns, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    k = tl.arange(0, K)
    x = tl.load(a + tl.load(columns + m)[:, None] * K + k[None, :])
    acc = tl.dot(x, tl.load(b + k[:, None] * N + n[None, :]), input_precision="ieee")
    tl.store(out + tl.load(rows + m)[:, None] * N + n[None, :], acc)


@pytest.mark.parametrize("M", (1, 2, 16, 64))
def test_loaded_rows_end_at_a_page(backend, at_end_of_page, rng, M):
    N, K = 64, 32
    a = at_end_of_page(rng.integers(-4, 5, (M, K)).astype(np.float32))
    b = at_end_of_page(rng.integers(-4, 5, (K, N)).astype(np.float32))
    order = rng.permutation(M).astype(np.int32)
    rows, gathered = at_end_of_page(order), at_end_of_page(order[::-1].copy())
    out = at_end_of_page(np.zeros((M, N), np.float32))
    scatter_rows[(1,)](a, b, rows, gathered, out, M=M, N=N, K=K)
    expected = np.zeros((M, N), np.float32)
    expected[order] = a[order[::-1]] @ b
    assert_same(out, expected)


@triton.jit
def paged_matmul(a, pages, b, c, steps, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    k = tl.arange(0, K)
    acc = tl.zeros((M, N), tl.float32)
    for s in range(steps):
        page = tl.load(pages + s)
        x = tl.load(a + page * M * K + m[:, None] * K + k[None, :])
        y = tl.load(b + tl.load(pages + s + k * 0)[:, None] * K * N + k[:, None] * N + n[None, :])
        acc = tl.dot(x, y, acc, input_precision="ieee")
    tl.store(c + m[:, None] * N + n[None, :], acc)


def test_loaded_pages_end_at_a_page(backend, at_end_of_page, rng):
    steps, M, N, K = 5, 32, 64, 32
    a = at_end_of_page(rng.integers(-4, 5, (steps, M, K)).astype(np.float32))
    b = at_end_of_page(rng.integers(-4, 5, (steps, K, N)).astype(np.float32))
    pages = at_end_of_page(rng.permutation(steps).astype(np.int32))
    c = np.zeros((M, N), np.float32)
    paged_matmul[(1,)](a, pages, b, c, steps, M=M, N=N, K=K)
    assert_same(c, sum(a[p] @ b[p] for p in pages))


@triton.jit
def some_of_parts(x, y, flags, out, n, N: tl.constexpr, FIRST: tl.constexpr, LAST: tl.constexpr):
    i = tl.arange(0, N)
    part = (i >= FIRST) & (i < LAST)
    a = tl.load(x + i, mask=part & (n > i), other=4)
    b = tl.load(y + i, mask=part & (tl.load(flags + i) != 0), other=5)
    tl.store(out + i, a)
    tl.store(out + N + i, b)


@pytest.mark.parametrize("dtype", ("int8", "int16", "int32", "int64", "float32", "float64"))
@pytest.mark.parametrize("N, first, last", ((16, 8, 16), (17, 8, 17), (16, 0, 8), (8, 4, 8),
                                            (32, 16, 32), (32, 32, 32), (4, 2, 4)))
def test_masks_known_in_part(backend, at_end_of_page, rng, dtype, N, first, last):
    """Elements that the mask excludes whatever the arguments may lie outside the memory."""
    x = at_end_of_page(np.arange(10, 10 + last, dtype=dtype))
    flags = at_end_of_page(rng.integers(0, 2, N).astype(np.int8))
    out = at_end_of_page(np.zeros(2 * N, dtype))
    i = np.arange(N)
    for n in (0, (first + last) // 2, N):
        some_of_parts[(1,)](x, x, flags, out, n, N=N, FIRST=first, LAST=last)
        part = (i >= first) & (i < last)
        assert_same(out[:N], np.where(part & (i < n), i + 10, 4).astype(dtype))
        assert_same(out[N:], np.where(part & (flags != 0), i + 10, 5).astype(dtype))


@triton.jit
def far_perhaps(x, index, y):
    i = tl.arange(0, 64)
    a = tl.load(x + i)
    far = tl.load(index + i) & ((1 << 40) - 1)
    tl.store(x + 50 + far * (1 << 24), a + 100, mask=i == 3)
    tl.store(y + i, a)


def test_ranges_whose_product_is_no_int64(backend):
    """The bounds of the index times its factor do not fit in 64 bits: nothing is known of where the
    store goes, and the load is before it."""
    x, y = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    far_perhaps[(1,)](x, np.zeros(64, np.int64), y)
    assert_same(y, np.arange(64, dtype=np.int32))
    assert x[50] == 103
