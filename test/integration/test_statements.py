"""`else` of loops, `with`, dictionaries, names that a `break` leaves, loops without an end."""

import os
import subprocess
import sys

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from support import kernels_from


@triton.jit
def last_values(x_ptr, out_ptr):
    i = 0
    while True:
        v = tl.load(x_ptr + i)
        i += 1
        if v > 10:
            w = v * 2
            break
        if v < 0:
            w = v - 1
            break
    tl.store(out_ptr, v)
    tl.store(out_ptr + 1, w)
    tl.store(out_ptr + 2, i)


@pytest.mark.parametrize("x", ([3, 5, 11], [40], [0, -7], [1, 2, 3, 4, -1]))
def test_a_break_leaves_its_names(backend, x):
    out = np.zeros(3, np.int32)
    last_values[(1,)](np.array(x, np.int32), out)
    assert out.tolist() == [x[-1], x[-1] * 2 if x[-1] > 10 else x[-1] - 1, len(x)]


@triton.jit
def tiles_at_break(x_ptr, out_ptr, N: tl.constexpr):
    row = 0
    while True:
        while True:
            tile = tl.load(x_ptr + row * N + tl.arange(0, N))
            row += 1
            if tl.max(tile, 0) > 0:
                kind = 3
                break
        if tl.min(tile, 0) > 0:
            break
    tl.store(out_ptr + tl.arange(0, N), tile + kind)
    tl.store(out_ptr + N, row)


def test_a_break_leaves_tiles(backend):
    x = np.zeros((5, 16), np.int32)
    x[1, 3], x[2, 4], x[3], x[4] = 5, 6, 7, 8
    out = np.zeros(17, np.int32)
    tiles_at_break[(1,)](x, out, N=16)
    assert out.tolist() == [10] * 16 + [4]


@pytest.mark.parametrize("body", [
    "while True:\n        if n > 3:\n            break\n        v = n\n    tl.store(out, v)",
    "while n < 9:\n        v = n\n        n += 1\n    tl.store(out, v)"])
def test_names_that_may_be_unbound(body):
    kernel = kernels_from(f"@triton.jit\ndef kernel(out, n):\n    {body}\n").kernel
    with pytest.raises(triton.CompilationError, match="'v' may be undefined here"):
        kernel[(1,)](np.zeros(1, np.int32), 7)


@triton.jit
def with_else(out_ptr, n, limit, K: tl.constexpr):
    s = 0
    for i in range(n):
        if i == limit:
            break
        s += 1
    else:
        s += 100
    tl.store(out_ptr, s)
    s = 0
    for i in tl.static_range(K):
        for j in range(n):
            s += 1
        else:
            if s > limit:
                break
    else:
        s += 1000
    tl.store(out_ptr + 1, s)
    while s > 5:
        s -= 7
        if s == limit:
            break
    else:
        s = -s - 100
    tl.store(out_ptr + 2, s)
    for i in range(n):
        s += 1
    else:
        s *= 2
    tl.store(out_ptr + 3, s)


def in_python(n, limit, k):
    out, s = [], 0
    for i in range(n):
        if i == limit:
            break
        s += 1
    else:
        s += 100
    out.append(s)
    s = 0
    for i in range(k):
        s += n
        if s > limit:
            break
    else:
        s += 1000
    out.append(s)
    while s > 5:
        s -= 7
        if s == limit:
            break
    else:
        s = -s - 100
    out.append(s)
    out.append((s + n) * 2)
    return out


@pytest.mark.parametrize("n,limit,k", [(6, 9, 2), (6, 3, 3), (0, 0, 4), (5, 4, 0), (10, 2, 1)])
def test_else_of_loops(backend, n, limit, k):
    out = np.zeros(4, np.int32)
    with_else[(1,)](out, n, limit, K=k)
    assert out.tolist() == in_python(n, limit, k)


class Recorded:
    """A context manager of Python's, which is entered while the kernel is compiled."""

    def __init__(self, value):
        self.value = value

    def __enter__(self):
        return self.value

    def __exit__(self, *exception):
        assert exception == (None, None, None)


@triton.aggregate
class Region:
    out_ptr: tl.tensor
    at: tl.constexpr

    @triton.jit
    def __enter__(self):
        tl.store(self.out_ptr + self.at, 1)
        return self.at * 10

    @triton.jit
    def __exit__(self, kind, value, traceback):
        tl.store(self.out_ptr + self.at, tl.load(self.out_ptr + self.at) + 5)


@triton.jit
def in_regions(out_ptr, n):
    with Recorded(4) as four, Region(out_ptr, 1) as ten:
        x = n + four + ten
        for i in range(n):
            if i == 2:
                break
            with Region(out_ptr, 2):
                tl.store(out_ptr + 2, tl.load(out_ptr + 2) + i)
        tl.store(out_ptr + 1, tl.load(out_ptr + 1) + 100)
    with Recorded(0):
        tl.store(out_ptr, x)


@triton.jit
def in_both(out_ptr):
    with Written(out_ptr, 2), Written(out_ptr, 3):
        tl.store(out_ptr, 0)


@triton.aggregate
class Written:
    out_ptr: tl.tensor
    digit: tl.constexpr

    @triton.jit
    def __enter__(self):
        tl.store(self.out_ptr + 1, tl.load(self.out_ptr + 1) * 10 + self.digit)

    @triton.jit
    def __exit__(self, kind, value, traceback):
        tl.store(self.out_ptr, tl.load(self.out_ptr) * 10 + self.digit)


def test_the_last_one_entered_is_left_first(backend):
    out = np.zeros(2, np.int32)
    in_both[(1,)](out)
    assert out.tolist() == [32, 23]


@pytest.mark.parametrize("n", (0, 1, 5))
def test_with(backend, n):
    out = np.zeros(3, np.int32)
    in_regions[(1,)](out, n)
    assert out.tolist() == [n + 14, 106, 0 if n == 0 else min(n, 2) - 1 + 6]


SINES = {2: 20, "k": 30, (tl.float32, 1): 40}


@triton.jit
def dictionaries(out_ptr, n, D: tl.constexpr):
    table = {1: n, "two": n + 1, (3, tl.int32): (n, 7), True: n + 5}
    empty = {}
    total = table[1] + table["two"] + table[3, tl.int32][1] + table.get("none", 100)
    for key, value in {"a": 1, "b": 2}.items():
        total += value * (3 if key == "b" else 1)
    tl.static_assert(len(table) == 3 and "two" in table and 9 not in table and not empty)
    tl.static_assert(isinstance(table, dict) and dict(a=2, b=3)["b"] == 3)
    tile = tl.full(**{"shape": (4,), "value": D["k"], "dtype": tl.int32})
    tl.store(out_ptr, total + tl.sum(tile))


def test_dict_displays(backend):
    out = np.zeros(1, np.int32)
    dictionaries[(1,)](out, 3, D=SINES)
    assert out[0] == 8 + 4 + 7 + 100 + 7 + 120


@triton.jit
def carried(out_ptr, n):
    state = {"count": 0, 2: (n, 1.5)}
    for i in range(n):
        if i % 2 == 0:
            state = {"count": state["count"] + i, 2: (7, state[2][1] * 2)}
    tl.store(out_ptr, state["count"] + state[2][0])
    tl.store(out_ptr + 1, (state[2][1] * 2).to(tl.int32))


@pytest.mark.parametrize("n", (0, 5))
def test_dictionaries_are_carried(backend, n):
    out = np.zeros(2, np.int32)
    carried[(1,)](out, n)
    assert out.tolist() == ([6 + 7, 24] if n else [0, 3])


@pytest.mark.parametrize("body,message", [
    ("x = {'a': n}\n    for i in range(n):\n        x = {'b': x['a']}\n    tl.store(out, x['b'])",
     r"enters as the dictionary {'a': int32} and becomes the dictionary {'b': int32}"),
    ("x = {1, 2}", "a set is not supported in a kernel; use a tuple instead"),
    ("x = {i: i for i in (1, 2)}", "a comprehension of a dict is not supported"),
    ("x = {**n}", r"'\*\*' in a dict display is not supported"),
    ("x = {n: 1}", "the key of a dictionary must be known at compile time, found int32"),
    ("x = {1: 1}[2]", "KeyError: 2"),
    ("x = {1: 1}[n]", "the key of a dictionary must be known at compile time"),
    ("x = tl.full(**{1: 1})", r"the keys of what '\*\*' spreads are names, found 1"),
    ("with C():\n        return", "'return' within a 'with' block is not supported"),
    ("for i in range(n):\n        with C():\n            break",
     "'break' out of a 'with' block is not supported"),
    ("for i in range(n):\n        with C():\n            continue",
     "'continue' out of a 'with' block is not supported"),
    ("with n:\n        pass", "int32 has no attribute '__enter__'"),
])
def test_messages(body, message):
    kernel = kernels_from(f"@triton.jit\ndef kernel(out, n):\n    {body}\n").kernel
    with pytest.raises(triton.CompilationError, match=message):
        kernel[(1,)](np.zeros(1, np.int32), 7)


ENDLESS = """
import numpy as np
import tritium as triton
import tritium.language as tl

@triton.jit
def forever(x_ptr, out_ptr):
    i = tl.load(x_ptr)
    while {condition}:
        {body}
    tl.store(out_ptr, 1)

x, out = np.arange(4, dtype=np.int32), np.zeros(1, np.int32)
forever.warmup(x, out, grid=(1,))
print("begins", flush=True)
forever[(1,)](x, out)
print("ended")
"""


@pytest.mark.parametrize("backend", ("interpret", "cpu", "sim:sm_80"))
@pytest.mark.parametrize("condition,body", [
    ("i > -10", "i = i & 3"), ("i < 9", "i = i * 1"),
    ("True", "i += 1\n        if i < -5 and i > 5:\n            break")])
def test_a_loop_without_an_end_is_not_left_out(tmp_path, backend, condition, body):
    script = tmp_path / "script.py"
    script.write_text(ENDLESS.format(condition=condition, body=body))
    # A launch without an end is none to repeat.
    environment = {name: value for name, value in os.environ.items()
                   if name != "TRITIUM_SIM_RECORD"}
    process = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE,
                               env={**environment, "TRITIUM_BACKEND": backend})
    try:
        assert process.stdout.readline() == b"begins\n"
        with pytest.raises(subprocess.TimeoutExpired):
            process.communicate(timeout=1.5)  # the kernel is compiled
        assert process.poll() is None
    finally:
        process.kill()
        process.communicate()
