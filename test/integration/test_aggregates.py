"""Classes with @triton.aggregate: made, handed on, combined, and refused."""

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from support import kernels_from


@triton.aggregate
class Pair:
    a: tl.tensor
    n: tl.constexpr

    def __init__(self, a, n):
        self.a = a
        if n > 2:
            self.a += 100
        self.n = n

    @triton.jit
    def times(self):
        return self.a * self.n

    @triton.jit
    def __add__(self, other):
        return Pair(self.a + other.a, self.n)

    @triton.jit
    def __radd__(self, other):
        return Pair(self.a + other, self.n)

    @triton.jit
    def __lt__(self, other):
        return self.a < other.a

    @triton.jit
    def __gt__(self, other):
        return self.a + 1 > other

    @triton.jit
    def __rsub__(self, other):
        return other - self.a * 2

    @triton.jit
    def __neg__(self):
        return tl.aggregate_replace(self, a=-self.a)

    @triton.jit
    def __getitem__(self, i):
        return self.a + i

    @triton.jit
    def __call__(self, x, y):
        return self.a * x + y

    @staticmethod
    @triton.jit
    def of(x):
        return Pair(x, 2)


@triton.jit
def methods(x_ptr, out_ptr, N: tl.constexpr):
    offs = tl.arange(0, N)
    p = Pair(tl.load(x_ptr + offs), 3)
    tl.store(out_ptr + offs, p.times())
    tl.store(out_ptr + N + offs, (p + Pair.of(offs)).a)
    tl.store(out_ptr + 2 * N + offs, (-p).a)
    tl.store(out_ptr + 3 * N + offs, (7 + p).a)
    tl.store(out_ptr + 4 * N + offs, p[5] + p.n)
    tl.store(out_ptr + 5 * N + offs, p(2, y=1))
    tl.store(out_ptr + 6 * N + offs, (Pair(offs, 1) < p).to(tl.int32))
    tl.store(out_ptr + 7 * N + offs, p.of(offs).n + isinstance(p, Pair) + isinstance(3, Pair))
    # The aggregate's own method, where the left side is none.
    tl.store(out_ptr + 8 * N + offs, (offs < Pair(offs, 1)).to(tl.int32))
    tl.store(out_ptr + 9 * N + offs, 1000 - p)


def test_methods(backend, rng):
    n = 16
    x = rng.integers(-200, 50, n).astype(np.int32)
    out = np.zeros((10, n), np.int32)
    methods[(1,)](x, out, N=n)
    i, a = np.arange(n), x + 100
    wanted = [a * 3, a + i + 100, -a, 7 + a + 100, a + 8, a * 2 + 1, i < a, np.full(n, 3),
              np.ones(n), 1000 - a * 2]
    assert out.tolist() == [row.astype(np.int32).tolist() for row in wanted]


@triton.aggregate
class Sum:
    total: tl.tensor
    rounds: tl.tensor
    STEP: tl.constexpr = 2


@triton.aggregate
class Named(Sum):
    inner: Pair
    rest: tl.tuple = (5, 6)


@triton.jit
def grow(state, x):
    return tl.aggregate_replace(state, total=state.total + x, rounds=state.rounds + state.STEP)


@triton.jit
def carried(x_ptr, out_ptr, n, N: tl.constexpr):
    offs = tl.arange(0, N)
    state = Named(tl.zeros((N,), tl.int32), 0, inner=Pair(offs, 1))
    for i in range(n):
        x = tl.load(x_ptr + i * N + offs)
        if i == 2:
            state = tl.aggregate_replace(state, inner=Pair(state.inner.a + x, 1))
        else:
            state = grow(state, x)
    tl.store(out_ptr + offs, state.total)
    tl.store(out_ptr + N + offs, state.inner.a)
    tl.store(out_ptr + 2 * N + offs, state.rounds + state.rest[1])


@pytest.mark.parametrize("n", (0, 2, 5))
def test_loops_and_branches_carry_them(backend, rng, n):
    lanes = 16
    x = rng.integers(-50, 50, (5, lanes)).astype(np.int32)
    out = np.zeros((3, lanes), np.int32)
    carried[(1,)](x, out, n, N=lanes)
    rows = [row for row in range(n) if row != 2]
    assert (out[0] == x[rows].sum(0)).all()
    assert (out[1] == np.arange(lanes) + (x[2] if n > 2 else 0)).all()
    assert (out[2] == 2 * len(rows) + 6).all()


@triton.aggregate
class Chosen:
    x: tl.tensor
    y: tl.tensor

    def __init__(self, flag, x):
        if flag > 0:
            self.y = x
            self.x = x + 1
        else:
            self.x = x
            self.y = x * 2
        if flag > 5:
            return
        self.y += 1000


@triton.jit
def choose(out_ptr, flag):
    c = Chosen(flag, 7)
    tl.store(out_ptr, c.x)
    tl.store(out_ptr + 1, c.y)


@pytest.mark.parametrize("flag,wanted", [(-1, [7, 1014]), (1, [8, 1007]), (6, [8, 7])])
def test_an_init_that_branches(backend, flag, wanted):
    out = np.zeros(2, np.int32)
    choose[(1,)](out, flag)
    assert out.tolist() == wanted


def test_a_class_that_changes_is_compiled_anew():
    text = ("@triton.aggregate\nclass A:\n    a: tl.tensor\n    K: tl.constexpr = 3\n"
            "@triton.jit\ndef kernel(out):\n    p = A(1)\n    tl.store(out, p.a + p.K)\n")
    module = kernels_from(text)
    out = np.zeros(1, np.int32)
    module.kernel[(1,)](out)
    assert out[0] == 4
    module.A.K = 10
    module.kernel[(1,)](out)
    assert out[0] == 11


CLASS = ("@triton.aggregate\nclass A:\n    a: tl.tensor\n    k: tl.constexpr = 3\n"
         "@triton.aggregate\nclass B:\n    a: A\n    b: tl.tensor\n"
         "    def __init__(self, a, how):\n        self.a = a\n"
         "        if how == 1:\n            self.b = 1\n"
         "        if how == 2:\n            self.c = 1\n"
         "        if how == 3:\n            return a\n"
         "        if how == 4:\n            self = 5\n"
         "@triton.aggregate\nclass C:\n    a: tl.tensor\n    b: tl.tensor\n"
         "    def __init__(self, n):\n        self.a = n\n        if n > 2:\n            return\n"
         "        self.b = 1\n"
         "    @triton.jit\n    def get(self):\n        return self.b\n")


@pytest.mark.parametrize("body,message", [
    ("A()", "the field 'a' of .*A.* is missing"),
    ("A(1, 2, 3)", "has 2 fields, but 3 values are given"),
    ("A(1, b=2)", "has no field 'b'"),
    ("A(1, k=n)", "the field 'k' of 'A' is declared tl.constexpr, .* found int32"),
    ("A('text')", "the field 'a' of 'A' is declared tl.tensor, found constexpr 'text'"),
    ("B(5, 1)", "the field 'a' of 'B' is declared '.*A.*', found constexpr 5"),
    ("B(A(1), 0)", "__init__ of 'B' does not set the field 'b'"),
    ("B(A(1), 2)", "'B' has no field 'c'; its fields are 'a', 'b'"),
    ("B(A(1), 3)", "__init__ returns nothing"),
    ("B(A(1), 4)", "__init__ of 'B' binds its first parameter anew"),
    ("C(n)",
     "returns of '__init__' have different types: C.* and C.*; set all fields on every path"),
    ("while True:\n        n += 1\n        f = tl.aggregate_replace(C(1), b=n).get\n"
     "        if n > 20:\n            break\n    tl.store(out, f())",
     "'f' is the method 'get', which holds a value of the (if|loop) that binds it"),
    ("A(1).z", r"A\(a=int32, k=constexpr 3\) has no attribute 'z'"),
    ("x = A(1)\n    x.a = 2", "the fields of an aggregate are set in its __init__ alone; "
                              r"tl.aggregate_replace\(x, a=...\) makes another one"),
    ("tl.aggregate_replace(3, a=1)", "takes an aggregate, found constexpr 3"),
    ("tl.aggregate_replace(A(1), z=1)", "'A' has no field 'z'"),
    ("A(1) + A(2)", "TypeError: '\\+' is not defined on A.*; its class needs a method __radd__"),
    ("A(1) + 2", "TypeError: '\\+' is not defined on A.*; its class needs a method __add__"),
    ("A(1) == A(1)", "'==' is not defined on A.*; its class needs a method __eq__"),
    ("-A(1)", "unary '-' is not defined on A.*; its class needs a method __neg__"),
    ("A(1)[0]", "a subscript is not defined on A"),
    ("len(A(1))", r"len\(\) is not defined on A"),
    ("A(1)(2)", "a call is not defined on A"),
    ("x, y = A(1)", "cannot iterate over A"),
    ("x = A(1)\n    if n > 3:\n        x = A(1, 4)\n    tl.store(out, x.a)",
     "'x' has different types on two paths"),
    ("x = A(1)\n    for i in range(n):\n        x = A(2, 4)\n    tl.store(out, x.a)",
     "the type of 'x' changes in the loop"),
])
def test_messages(body, message):
    kernel = kernels_from(f"{CLASS}@triton.jit\ndef kernel(out, n):\n    {body}\n").kernel
    with pytest.raises(triton.CompilationError, match=message):
        kernel[(1,)](np.zeros(1, np.int32), 7)


def test_no_class():
    with pytest.raises(triton.ArgumentError, match="@aggregate needs a class, but got function"):
        triton.aggregate(lambda: None)
