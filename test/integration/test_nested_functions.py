"""Functions within kernels, starred targets, comprehensions, and Python's builtins over tuples."""

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from support import kernels_from


@triton.jit
def apply(function, x):
    return function(x)


@triton.jit
def closures(x_ptr, out_ptr, n, N: tl.constexpr, SCALE: tl.constexpr):
    cols = tl.arange(0, N)
    x = tl.load(x_ptr + cols)
    shift = n

    def scaled(v, times=SCALE):
        return v * times + shift

    double = lambda v: scaled(v) * 2  # noqa: E731
    tl.store(out_ptr + cols, scaled(x))
    shift = n + 1  # as in Python, the function sees it
    tl.store(out_ptr + N + cols, apply(double, x))
    total = x
    for i in range(3):
        def add(v, i=i):
            if i == 1:
                return v
            return v + i + shift
        total = add(total)
        shift += 1
    tl.store(out_ptr + 2 * N + cols, total)


def test_closures(backend):
    x = np.arange(16, dtype=np.int32)
    out = np.zeros((3, 16), np.int32)
    closures[(1,)](x, out, 5, N=16, SCALE=3)
    assert (out[0] == x * 3 + 5).all()
    assert (out[1] == (x * 3 + 6) * 2).all()
    assert (out[2] == x + 0 + 6 + 2 + 8).all()


@triton.jit
def assigned(out_ptr, n):
    k = 100
    total = 0
    for _ in range(n):
        parts = [(total := total + k) for k in (1, 2)]
        last = [(lambda x: x + k)(k) for k in (3, 4)][-1]
        f = lambda step=(k := k + 5): step  # noqa: E731
        total += f() - parts[0] + last

        def g(step=(k := k + 1)):
            return step
    tl.store(out_ptr, total)
    tl.store(out_ptr + 1, k)


def assigned_in_python(n):
    k = 100
    total = 0
    for _ in range(n):
        parts = [(total := total + i) for i in (1, 2)]
        total += (k := k + 5) - parts[0] + 8
        k += 1
    return [total, k]


@pytest.mark.parametrize("n", (0, 1, 4))
def test_assignments_within_expressions(backend, n):
    out = np.zeros(2, np.int32)
    assigned[(1,)](out, n)
    assert out.tolist() == assigned_in_python(n)


@triton.jit
def combines(x_ptr, out_ptr, N: tl.constexpr, LIMIT: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(out_ptr, tl.reduce(x, 0, lambda a, b: tl.minimum(a + b, LIMIT)))


def test_a_lambda_combines(backend):
    x = np.arange(1, 17, dtype=np.int32)
    out = np.zeros(1, np.int32)
    combines[(1,)](x, out, N=16, LIMIT=100)
    assert out[0] == 100


@triton.jit
def sequences(x_ptr, out_ptr, n):
    first, *middle, last = (1, 2, 3, 4, n)
    tl.static_assert(len(middle) == 3)
    pairs = [a * 10 + b for a in (1, 2) for b in (3, 4, 5) if a + b != 6]
    tl.static_assert(pairs == (13, 14, 23, 25))
    tl.static_assert(sum(pairs) == 75 and sum((1, 2), 10) == 13)
    tl.static_assert(sorted((3, 1, 2)) == (1, 2, 3))
    tl.static_assert(sorted((3, 1, 2), reverse=True) == (3, 2, 1))
    tl.static_assert(any((0, 3)) and not any(()) and all(()) and not all((1, 0)))
    tl.static_assert(round(2.5) == 2 and round(-3.5) == -4 and round(7) == 7)
    tl.static_assert(pow(2, 5) == 32 and divmod(-7, 2) == (-4, 1))
    total = 0
    for i, (a, b) in enumerate(zip(middle, reversed((n, 20, 30))), 1):
        total += i * a * b
    tl.store(out_ptr, total)
    tl.store(out_ptr + 1, sum((first, last, n)))
    tl.store(out_ptr + 2, any((n == 5, n == 7)))
    tl.store(out_ptr + 3, all((n > 5, n < 7)))
    tl.store(out_ptr + 4, all((n > 5, False)))
    (*head, _), tail = (1, 2, 3), 4
    tl.store(out_ptr + 5, len(head) + tail)


def test_sequences(backend):
    out = np.zeros(6, np.int32)
    sequences[(1,)](np.zeros(1, np.int32), out, 7)
    assert out.tolist() == [2 * 30 + 2 * 3 * 20 + 3 * 4 * 7, 1 + 7 + 7, 1, 0, 0, 6]


@triton.jit
def matrix_product(x_ptr, y_ptr, out_ptr):
    i = tl.arange(0, 16)
    at = i[:, None] * 16 + i[None, :]
    product = tl.load(x_ptr + at) @ tl.load(y_ptr + at)
    product @= tl.load(y_ptr + at)
    tl.store(out_ptr + at, product)


def test_matrix_products(backend, rng):
    x, y = (rng.integers(-3, 4, (16, 16)).astype(np.float32) for _ in range(2))
    out = np.zeros((16, 16), np.float32)
    matrix_product[(1,)](x, y, out)
    assert (out == x @ y @ y).all()


@pytest.mark.parametrize("dtype", ("int8", "int32", "uint16", "int64", "float16", "float32",
                                   "float64"))
@pytest.mark.parametrize("power", (1, 2, 3, 4, 7, -2, 0.5, -1.5, 0))
def test_powers(backend, dtype, power):
    is_float = dtype.startswith("float")
    kernel = kernels_from(f"""@triton.jit
def kernel(x_ptr, out_ptr):
    i = tl.arange(0, 16)
    tl.store(out_ptr + i, tl.load(x_ptr + i) ** {power})
""").kernel
    x = np.arange(1, 17).astype(dtype)
    out = np.zeros(16, dtype if is_float or isinstance(power, int) else np.float32)
    if not is_float and power not in (1, 2, 3, 4, 7):
        if isinstance(power, int):
            with pytest.raises(triton.CompilationError, match="integers to known powers of at"):
                kernel[(1,)](x, out)
        return
    kernel[(1,)](x, out)
    with np.errstate(over="ignore"):
        expected = x ** np.array(power, dtype) if is_float else x ** np.array(power).astype(dtype)
    np.testing.assert_allclose(out, expected, rtol={"float16": 2e-3, "float32": 3e-7,
                                                    "float64": 4e-16}.get(dtype, 0))


@pytest.mark.parametrize("dtype", ("float16", "float32", "float64"))
def test_powers_of_tiles(backend, rng, dtype):
    kernel = kernels_from("""@triton.jit
def kernel(x_ptr, y_ptr, out_ptr):
    i = tl.arange(0, 16)
    tl.store(out_ptr + i, tl.load(x_ptr + i) ** tl.load(y_ptr + i))
""").kernel
    x, y = rng.uniform(0.1, 4, 16).astype(dtype), rng.uniform(-3, 3, 16).astype(dtype)
    out = np.zeros(16, dtype)
    kernel[(1,)](x, y, out)
    np.testing.assert_allclose(out, x.astype(np.float64) ** y.astype(np.float64),
                               rtol={"float16": 1e-3, "float32": 3e-7, "float64": 4e-16}[dtype])


@pytest.mark.parametrize("body,message", [
    ("a, b, *c = (1,)", "cannot unpack 1 values into 2 names and a starred one"),
    ("f = lambda x, y: x\n    tl.store(out, f(1))", "argument 'y' of '<lambda>' is missing"),
    ("f = lambda x: g(x)\n    g = lambda x: f(x)\n    tl.store(out, f(1))",
     "recursion is not supported"),
    ("f = make(n)\n    tl.store(out, f(1))",
     "'<lambda>' was defined in a function that has returned; its names are gone"),
    ("def f(x):\n        return x + y\n    tl.store(out, f(1))", "undefined name 'y'"),
    ("x = tl.arange(0, 4)\n    def f():\n        x[0] = 1\n    f()",
     "'x' belongs to the function around this one"),
    ("y = tl.map_elementwise(lambda a: a if a > n else n, tl.arange(0, 4))",
     "uses a value of the function around it that is known only at run time"),
    ("if n > 3:\n        f = lambda x: x\n    tl.store(out, f(1))", "'f' may be undefined here"),
    ("fs = [lambda x: x + k for k in (1, 2)]\n    tl.store(out, fs[0](1))",
     "'k' is bound by a comprehension that has ended; .* as a default: lambda ..., k=k: ..."),
    ("while True:\n        n += 1\n        f = lambda x=n * 2: x\n        if n > 9:\n"
     "            break\n    tl.store(out, f())",
     "'f' is the function '<lambda>', which holds a value of the (if|loop) that binds it"),
    ("while True:\n        n += 1\n        f = slice(n * 2)\n        break\n    tl.store(out, f)",
     "'f' is a slice, which holds a value of the (if|loop) that binds it"),
    ("f = last(n)\n    tl.store(out, f())",
     "this returns the function '<lambda>', which holds a value of the 'if' or the loop around it"),
    ("tl.store(out, sum(tl.arange(0, 4)))", "tl.sum adds the elements of a tile"),
    ("tl.store(out, sorted((n, 1))[0])", "sorted.. sorts values that are known at compile time"),
    ("tl.store(out, round(n))", "round.. rounds compile-time numbers, found int32"),
    ("y = [i for i in (1, n) if i > 2]", "the condition of a comprehension must be known"),
    ("tl.store(out, tl.arange(0, 4) ** tl.arange(0, 4))", "integers to known powers of at least 1"),
])
def test_messages(body, message):
    kernel = kernels_from(f"""@triton.jit
def make(n):
    return lambda x: x + n

@triton.jit
def last(n):
    while True:
        n += 1
        if n > 9:
            return lambda x=n * 2: x

@triton.jit
def kernel(out, n):
    {body}
""").kernel
    with pytest.raises(triton.CompilationError, match=message):
        kernel[(1,)](np.zeros(1, np.int32), 3)
