"""`break`, `continue`, and `return` within loops: known and unknown, with tiles, effects and calls.

Random programs with them are in test_random_control.py."""

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from support import kernels_from


@triton.jit
def first_above(x_ptr, n, limit):
    for i in range(n):
        if tl.load(x_ptr + i) > limit:
            return i
    return -1


@triton.jit
def search(x_ptr, out_ptr, n, limit):
    tl.store(out_ptr, first_above(x_ptr, n, limit))


@pytest.mark.parametrize("limit", (-1.0, 0.0, 4.0, 6.5, 7.0))
@pytest.mark.parametrize("n", (0, 1, 5, 8))
def test_return_in_a_loop(backend, n, limit):
    x = np.arange(8, dtype=np.float32)
    out = np.full(1, -5, np.int32)
    search[(1,)](x, out, n, limit)
    above = np.flatnonzero(x[:n] > limit)
    assert out[0] == (above[0] if above.size else -1)


@triton.jit
def rows_until(x_ptr, out_ptr, rows, N: tl.constexpr):
    cols = tl.arange(0, N)
    total = tl.zeros((N,), dtype=tl.float32)
    count = 0
    for row in range(rows):
        x = tl.load(x_ptr + row * N + cols)
        if tl.max(x, 0) > 50:
            break
        if tl.min(x, 0) < -50:
            continue
        total += x
        count += 1
        tl.store(out_ptr + (row + 1) * N + cols, x * 2)
    tl.store(out_ptr + cols, total)
    tl.store(out_ptr + (rows + 1) * N, count)
    tl.store(out_ptr + (rows + 1) * N + 1, row)


@pytest.mark.parametrize("n", (16, 80))
@pytest.mark.parametrize("large,small", [(None, None), (3, None), (None, 2), (4, 1), (0, None),
                                         (2, 4), (5, 5)])
def test_tiles_and_effects(backend, rng, n, large, small):
    rows = 6
    x = rng.integers(-9, 10, (rows, n)).astype(np.float32)
    if small is not None:
        x[small, n // 2] = -60
    if large is not None:
        x[large, 3] = 60
    out = np.zeros((rows + 2, n), np.float32)
    rows_until[(1,)](x, out, rows, N=n)
    stop = rows if large is None else large
    summed = [row for row in range(stop) if row != small]
    expected = np.zeros_like(out)
    expected[0] = x[summed].sum(0)
    expected[[row + 1 for row in summed]] = x[summed] * 2
    expected[rows + 1, :2] = len(summed), min(stop, rows - 1)
    assert (out == expected).all()


@triton.jit
def count_to(out_ptr, start, stop, step, most):
    count = 0
    for i in range(start, stop, step):
        if count == most:
            break
        count += 1
    tl.store(out_ptr, count)
    tl.store(out_ptr + 1, i)


@pytest.mark.parametrize("start,stop,step", [
    (0, 10, 3), (10, 0, -3), (2**31 - 5, 2**31 - 1, 3), (-(2**31) + 9, -(2**31), -4),
    (-(2**31), 2**31 - 1, 2**31 - 1), (2**31 - 1, -(2**31), -(2**31)), (2**63 - 4, 2**63 - 1, 2)])
@pytest.mark.parametrize("most", (0, 1, 2, 100))
def test_counters_at_the_end_of_their_type(backend, start, stop, step, most):
    out = np.zeros(2, np.int64)
    count_to[(1,)](out, start, stop, step, most)
    values = list(range(start, stop, step))
    assert out.tolist() == [min(most, len(values)), values[min(most, len(values) - 1)]]


@triton.jit
def pair_of(x, n):
    """Tuples of tiles and numbers leave two loops at once."""
    for i in range(n):
        for j in tl.static_range(3):
            if i * 3 + j == 4:
                return x * (i + 1), j, "inside"
        if i == 5:
            return x, i, "inside"
    return x - 1, 7, "inside"


@triton.jit
def returns_pairs(x_ptr, out_ptr, n, N: tl.constexpr):
    cols = tl.arange(0, N)
    x, j, where = pair_of(tl.load(x_ptr + cols), n)
    tl.static_assert(where == "inside")
    tl.store(out_ptr + cols, x)
    tl.store(out_ptr + N, j)


@pytest.mark.parametrize("n", (0, 1, 2, 9))
def test_results_of_every_kind(backend, n):
    x = np.arange(16, dtype=np.float32)
    out = np.zeros(17, np.float32)
    returns_pairs[(1,)](x, out, n, N=16)
    assert out.tolist() == [*(x * 2 if n > 1 else x - 1), 1 if n > 1 else 7]


@triton.jit
def known_exits(out_ptr, n, STOP: tl.constexpr):
    total = 0
    names = 0
    for i in tl.static_range(10):
        if i == STOP:
            break
        if i % 2:
            continue
        names += 1
        total += n
    tl.static_assert(names == (min(STOP, 10) + 1) // 2)
    for i in range(n):
        if STOP > 100:
            break
        total += 1
    tl.store(out_ptr, total)


@pytest.mark.parametrize("stop", (0, 3, 9, 10, 11))
def test_known_exits_stay_known(backend, stop):
    out = np.zeros(1, np.int32)
    known_exits[(1,)](out, 5, STOP=stop)
    assert out[0] == 5 * ((min(stop, 10) + 1) // 2) + 5


def test_a_loop_whose_exits_are_known_not_to_be_taken_is_a_counted_loop():
    plain = known_exits.warmup(np.zeros(1, np.int32), 5, STOP=3, grid=(1,))
    assert "scf.for" in plain.asm["ttir"] and "scf.while" not in plain.asm["ttir"]
    left = search.warmup(np.zeros(1, np.float32), np.zeros(1, np.int32), 5, 1.0, grid=(1,))
    assert "scf.while" in left.asm["ttir"]


@triton.jit
def chase(next_ptr, out_ptr, at, n):
    """The condition must not be evaluated once the loop is left: it would read past the end."""
    steps = 0
    while tl.load(next_ptr + at) >= 0:
        at = tl.load(next_ptr + at)
        steps += 1
        if steps > 2:
            continue
        if at >= n:
            break
    tl.store(out_ptr, at)
    tl.store(out_ptr + 1, steps)


@pytest.mark.parametrize("links", [[1, 2, 3, 4, -1], [1, 9, 0, 1, 0], [-1, 0, 0, 0, 0]])
def test_while(backend, links):
    out = np.zeros(2, np.int32)
    chase[(1,)](np.array(links, np.int32), out, 0, 5)
    at = steps = 0
    while links[at] >= 0:
        at = links[at]
        steps += 1
        if steps > 2:
            continue
        if at >= 5:
            break
    assert out.tolist() == [at, steps]


@pytest.mark.parametrize("body,message", [
    ("    while True:\n        n += 1\n        if n < 0:\n            continue",
     "this condition is always true, so the loop would never end"),
    ("    for i in range(n):\n        if i == 3:\n            return i\n",
     "a kernel returns nothing, found"),
    ("    for i in tl.static_range(3):\n        if i < n:\n            break\n        y = i\n"
     "    tl.store(out, y)", "'y' may be undefined here"),
    ("    for i in range(n):\n        if i == 3:\n            out = 0.5\n            break\n"
     "    tl.store(out, 1)", "the type of 'out' changes in the loop|has different types"),
])
def test_messages(body, message):
    kernel = kernels_from(f"@triton.jit\ndef kernel(out, n):\n{body}\n").kernel
    with pytest.raises(triton.CompilationError, match=message):
        kernel[(1,)](np.zeros(1, np.int32), 3)


def test_returns_of_different_types():
    kernel = kernels_from(
        "@triton.jit\ndef f(n):\n    for i in range(n):\n        if i == 3:\n"
        "            return 0.5\n    return n\n"
        "@triton.jit\ndef kernel(out, n):\n    tl.store(out, f(n))\n").kernel
    with pytest.raises(triton.CompilationError, match="the returns of 'f' have different types"):
        kernel[(1,)](np.zeros(1, np.int32), 3)


@triton.jit
def halvings(n):
    """Only a return ends the loop."""
    steps = 0
    while True:
        if n <= 1:
            return steps
        n = n // 2
        steps += 1


@triton.jit
def count_halvings(out_ptr, n):
    tl.store(out_ptr, halvings(n))


@pytest.mark.parametrize("n", (0, 1, 2, 100, 2**31 - 1))
def test_a_loop_that_only_a_return_ends(backend, n):
    out = np.zeros(1, np.int32)
    count_halvings[(1,)](out, n)
    assert out[0] == max(n.bit_length() - 1, 0)


@triton.jit
def row_of(x_ptr, n):
    rows = tl.make_tensor_descriptor(x_ptr, [8, 8], [8, 1], [1, 8])
    for i in range(n):
        if i == 3:
            halves = tl.make_tensor_descriptor(x_ptr + 32, [4, 8], [8, 1], [1, 8])
            return halves
    return rows


@triton.jit
def descriptors_from_loops(x_ptr, out_ptr, n):
    tl.store(out_ptr + tl.arange(0, 8)[None, :], row_of(x_ptr, n).load([1, 0]))


@pytest.mark.parametrize("n", (0, 3, 4))
def test_descriptors_leave_loops(backend, n):
    x, out = np.arange(64, dtype=np.int32), np.zeros(8, np.int32)
    descriptors_from_loops[(1,)](x, out, n)
    assert out.tolist() == list(range(40, 48) if n > 3 else range(8, 16))
