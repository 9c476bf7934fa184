"""Hints that do not hold are errors that name the program, the element and the value: in the
interpreter always, in compiled code under TRITON_DEBUG=1. Each has a twin that holds."""

import pathlib
import re

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl


@pytest.fixture
def checking(backend, monkeypatch):
    """A back end as it is when it checks hints."""
    if backend != "interpret":
        monkeypatch.setenv("TRITON_DEBUG", "1")
    return backend


def line_of(marker):
    text = pathlib.Path(__file__).read_text().splitlines()
    return next(number for number, line in enumerate(text, 1) if line.endswith("# " + marker))


def refused(message, marker, launch):
    """The launch ends with this message, at the line that is marked."""
    with pytest.raises(triton.DeviceAssertionError) as caught:
        launch()
    text = str(caught.value)
    assert message in text, text
    assert f"{pathlib.Path(__file__).name}:{line_of(marker)}: " in text, text


#===-- One row -------------------------------------------------------------===#


@triton.jit
def one_row(table_ptr, out_ptr, KIND: tl.constexpr, VALUE: tl.constexpr, N: tl.constexpr):
    offs = tl.arange(0, N)
    row = table_ptr + tl.program_id(0) * N
    x = tl.load(row + offs)
    if KIND == "multiple":
        x = tl.multiple_of(x, VALUE)  # MULTIPLE
    elif KIND == "contiguous":
        x = tl.max_contiguous(x, VALUE)  # CONTIGUOUS
    elif KIND == "constant":
        x = tl.max_constancy(x, VALUE)  # CONSTANT
    elif KIND == "aligned runs":
        x = tl.max_contiguous(tl.multiple_of(x, 4 * VALUE), VALUE)  # RUNS
    tl.store(out_ptr + tl.program_id(0) * N + offs, x)


def launch_row(table, kind, value):
    table = np.array(table)
    out = np.zeros_like(table)
    one_row[(len(table),)](table, out, KIND=kind, VALUE=value, N=table.shape[1])
    np.testing.assert_array_equal(out, table)


COUNT = np.arange(12, dtype=np.int32)
#: kind, value, a row of which it holds, element and what stands there where it does not
ROWS = [
    ("multiple", 16, 16 * COUNT - 32, 5, 21),
    ("multiple", 16, 16 * COUNT - 32, 0, -33),
    ("multiple", 12, 12 * COUNT, 11, 40),
    ("contiguous", 4, COUNT % 4 + 7 * (COUNT // 4), 5, -3),
    ("contiguous", 12, COUNT - 5, 11, 5),
    ("contiguous", 5, COUNT % 5 - 9 * (COUNT // 5), 11, 7),  # the last run is a short one
    ("contiguous", 100, COUNT, 1, 0),
    ("constant", 4, COUNT // 4, 6, 0),
    ("constant", 5, COUNT // 5, 11, 1),
    ("aligned runs", 4, COUNT % 4 + 16 * (COUNT // 4), 4, 12),
]


@pytest.mark.parametrize("kind,value,row,element,found", ROWS)
def test_row(checking, kind, value, row, element, found):
    marker = {"multiple": "MULTIPLE", "contiguous": "CONTIGUOUS", "constant": "CONSTANT",
              "aligned runs": "RUNS"}[kind]
    launch_row([row] * 3, kind, value)
    wrong = row.copy()
    wrong[element] = found
    refused(f" does not hold: element {element} of program (2, 0, 0) is {found}", marker,
            lambda: launch_row([row, row, wrong, row], kind, value))


def test_the_message_shows_the_call(checking):
    with pytest.raises(triton.DeviceAssertionError, match=re.escape(
            "kernel 'one_row': tl.multiple_of(x, VALUE) does not hold: "
            "element 1 of program (0, 0, 0) is 3")):
        launch_row([[2, 3]], "multiple", 2)


@pytest.mark.parametrize("dtype,found,shown", [
    (np.int8, -7, "-7"), (np.uint8, 249, "249"), (np.int16, -301, "-301"),
    (np.uint32, 0xfffffffe, "4294967294"), (np.int64, -(1 << 40) - 2, "-1099511627778"),
    (np.uint64, (1 << 64) - 2, "18446744073709551614")])
def test_values_are_shown_in_their_type(checking, dtype, found, shown):
    row = np.zeros(8, dtype)
    row[3] = found
    refused(f"element 3 of program (0, 0, 0) is {shown}", "MULTIPLE",
            lambda: launch_row([row], "multiple", 4))


def test_runs_do_not_wrap(checking):
    """255 is not followed by 0: an address that is made of them jumps back."""
    launch_row([np.array([252, 253, 254, 255], np.uint8)], "contiguous", 4)
    refused("element 2 of program (0, 0, 0) is 0", "CONTIGUOUS",
            lambda: launch_row([np.array([254, 255, 0, 1], np.uint8)], "contiguous", 4))


@pytest.mark.parametrize("dtype", (np.float16, np.float32, np.float64))
def test_constancy_of_floats(checking, dtype):
    """One value is one pattern of bits: a NaN is one, and the zeros are two."""
    launch_row([np.array([np.nan, np.nan, 1, 1], dtype)], "constant", 2)
    refused("element 3 of program (0, 0, 0) is 1.5", "CONSTANT",
            lambda: launch_row([np.array([2, 2, 1, 1.5], dtype)], "constant", 2))
    refused("element 1 of program (0, 0, 0) is -0", "CONSTANT",
            lambda: launch_row([np.array([0, -0.0], dtype)], "constant", 2))


#===-- What counts up of itself --------------------------------------------===#


@triton.jit
def blocks(out_ptr, start, N: tl.constexpr):
    offs = tl.multiple_of(start + tl.program_id(0) * N + tl.arange(0, N), N)  # BLOCKS
    tl.store(out_ptr + offs - start, offs)


def test_only_the_first_of_a_known_run_is_a_multiple(checking):
    out = np.zeros(64, np.int32)
    blocks[(4,)](out, 32, N=16)
    assert out.tolist() == list(range(32, 96))
    refused("element 0 of program (0, 0, 0) is 33", "BLOCKS",
            lambda: blocks[(1,)](out, 33, N=16))


@triton.jit
def wrapped(x_ptr, out_ptr, m, N: tl.constexpr):
    rows = tl.program_id(0) * N + tl.arange(0, N)
    r = tl.max_contiguous(tl.multiple_of(rows % m, N), N)  # WRAPPED
    tl.store(out_ptr + rows, tl.load(x_ptr + r))


def test_rows_that_wrap(checking):
    """As kernels of matmul write it, which takes for granted that blocks divide the rows."""
    x = np.arange(32, dtype=np.float32)
    out = np.zeros(64, np.float32)
    wrapped[(4,)](x, out, 32, N=16)
    np.testing.assert_array_equal(out, np.tile(x, 2))
    # Of two programs, since of several that fail any may be the first to say so.
    refused("tl.max_contiguous(tl.multiple_of(rows % m, N), N) does not hold: element 8 of program "
            "(1, 0, 0) is 0", "WRAPPED", lambda: wrapped[(2,)](x[:24], out, 24, N=16))


#===-- Two dimensions, pointers, scalars -----------------------------------===#


@triton.jit
def two_dimensions(table_ptr, out_ptr, KIND: tl.constexpr, ROWS: tl.constexpr, V: tl.constexpr,
                   M: tl.constexpr, N: tl.constexpr):
    offs = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(table_ptr + offs)
    if KIND == "multiple":
        x = tl.multiple_of(x, (ROWS, V))  # MULTIPLE 2
    elif KIND == "contiguous":
        x = tl.max_contiguous(x, (ROWS, V))  # CONTIGUOUS 2
    else:
        x = tl.max_constancy(x, (ROWS, V))  # CONSTANT 2
    tl.store(out_ptr + offs, x)


@pytest.mark.parametrize("kind,rows,columns,table,place,found", [
    ("multiple", 1, 8, lambda r, c: 8 * (r + c), (3, 5), 9),
    ("contiguous", 1, 4, lambda r, c: 3 * r + c, (5, 7), 99),
    ("contiguous", 2, 1, lambda r, c: r + 5 * c, (1, 2), 10),
    ("contiguous", 4, 1, lambda r, c: r + 5 * c, (5, 0), 9),  # rows 4 and 5 are a short run
    ("constant", 3, 1, lambda r, c: r // 3 + c, (4, 6), 8),
    ("constant", 3, 8, lambda r, c: r // 3 + 0 * c, (4, 6), 8),
    ("constant", 1, 2, lambda r, c: r + c // 2, (0, 1), -1),
])
def test_two_dimensions(checking, kind, rows, columns, table, place, found):
    right = np.fromfunction(table, (6, 8), dtype=np.int32).astype(np.int32)
    wrong = right.copy()
    wrong[place] = found
    out = np.zeros_like(right)

    def launch(x):
        two_dimensions[(1,)](x, out, KIND=kind, ROWS=rows, V=columns, M=6, N=8)

    launch(right)
    np.testing.assert_array_equal(out, right)
    refused(f"does not hold: element {place} of program (0, 0, 0) is {found}",
            kind.upper() + ("ANT 2" if kind == "const" else " 2"), lambda: launch(wrong))


@triton.jit
def any_shape(x_ptr, KIND: tl.constexpr, VALUES: tl.constexpr, SHAPE: tl.constexpr,
              COUNT: tl.constexpr):
    x = tl.reshape(tl.load(x_ptr + tl.arange(0, COUNT)), SHAPE)
    if KIND == "multiple":
        x = tl.multiple_of(x, VALUES)
    elif KIND == "contiguous":
        x = tl.max_contiguous(x, VALUES)
    else:
        x = tl.max_constancy(x, VALUES)


def first_misfit(x, kind, values):
    """The first element of which the hint does not hold, element by element."""
    for place in np.ndindex(x.shape):
        for d, value in enumerate(values):
            first, within = list(place), place[d] % value
            first[d] -= within
            fits = {"multiple": x[place] % value == 0,
                    "contiguous": x[place] == x[tuple(first)] + within,
                    "constant": x[place] == x[tuple(first)]}
            if not fits[kind]:
                return place
    return None


@pytest.mark.parametrize("seed", range(9))
def test_random_shapes(checking, seed):
    rng = np.random.default_rng(seed)
    kind = ("multiple", "contiguous", "constant")[seed % 3]
    shape = tuple(int(n) for n in rng.integers(2, 10, 1 + seed // 3))
    values = tuple(int(n) for n in rng.integers(1, 7, len(shape)))
    places = np.indices(shape)
    if kind == "multiple":
        right = rng.integers(-5, 6, shape) * np.lcm.reduce(values)
    elif kind == "contiguous":
        right = sum(i % v + 17 * (i // v) for i, v in zip(places, values))
    else:
        right = sum(5 * (i // v) for i, v in zip(places, values))
    found = 0
    for _ in range(6):
        x = np.array(right, np.int32)
        if found:
            x[tuple(rng.integers(0, shape))] += rng.integers(1, 4)
        place = first_misfit(x, kind, values)

        def launch():
            any_shape[(1,)](x, KIND=kind, VALUES=values, SHAPE=shape, COUNT=x.size)

        if place is None:
            launch()
            found = found or 1
            continue
        found = 2
        shown = place if len(place) > 1 else place[0]
        with pytest.raises(triton.DeviceAssertionError,
                           match=re.escape(f"element {shown} of program (0, 0, 0) is {x[place]}")):
            launch()


@triton.jit
def pointers(x_ptr, table_ptr, out_ptr, KIND: tl.constexpr, VALUE: tl.constexpr, N: tl.constexpr):
    offs = tl.arange(0, N)
    p = x_ptr + tl.load(table_ptr + offs)
    if KIND == "multiple":
        p = tl.multiple_of(p, VALUE)  # BYTES
    else:
        p = tl.max_contiguous(p, VALUE)  # NEIGHBOURS
    tl.store(out_ptr + offs, tl.load(p))


def aligned(count, dtype, bytes=64):
    memory = np.zeros(count * np.dtype(dtype).itemsize + bytes, np.uint8)
    begin = -memory.ctypes.data % bytes
    return memory[begin:begin + count * np.dtype(dtype).itemsize].view(dtype)


def test_pointers(checking):
    """A pointer is a multiple in bytes, and counts up by its elements."""
    if checking.startswith("cuda"):
        pytest.skip("host arrays lie elsewhere on the device")
    x, out = aligned(64, np.float32), np.zeros(8, np.float32)
    x[:] = np.arange(64)
    fours = np.arange(8, dtype=np.int32) * 4
    pointers[(1,)](x, fours, out, KIND="multiple", VALUE=16, N=8)
    np.testing.assert_array_equal(out, x[fours])
    fours[6] = 25
    def at(offset):  # A simulated GPU has addresses of its own.
        return "0x" if checking.startswith("sim") else f"{x.ctypes.data + offset:#x}"
    refused(f"element 6 of program (0, 0, 0) is {at(100)}", "BYTES",
            lambda: pointers[(1,)](x, fours, out, KIND="multiple", VALUE=16, N=8))
    pairs = np.array([4, 5, 9, 10, 0, 1, 7, 8], np.int32)
    pointers[(1,)](x, pairs, out, KIND="contiguous", VALUE=2, N=8)
    np.testing.assert_array_equal(out, x[pairs])
    refused(f"element 2 of program (0, 0, 0) is {at(36)}", "NEIGHBOURS",
            lambda: pointers[(1,)](x, pairs, out, KIND="contiguous", VALUE=4, N=8))


@triton.jit
def scalars(out_ptr, n, rows_ptr):
    n = tl.multiple_of(n, 8)  # SCALAR
    if tl.program_id(0) == 1:
        row = tl.load(rows_ptr)
        n += tl.multiple_of(row, 4)  # BRANCH
    tl.store(out_ptr + tl.program_id(0), n)


def test_scalars(checking):
    out, rows = np.zeros(2, np.int32), np.array([12], np.int32)
    scalars[(2,)](out, 24, rows)
    assert out.tolist() == [24, 36]
    refused("tl.multiple_of(n, 8) does not hold: the value of program (0, 0, 0) is 20", "SCALAR",
            lambda: scalars[(1,)](out, 20, rows))
    rows[0] = -6
    refused("tl.multiple_of(row, 4) does not hold: the value of program (1, 0, 0) is -6", "BRANCH",
            lambda: scalars[(2,)](out, 24, rows))
    # Where nothing is stated, nothing is checked.
    scalars[(1,)](out, 24, rows)


@triton.jit
def constants(out_ptr, STRIDE: tl.constexpr, ACTIVE: tl.constexpr, n):
    if n > 0:
        tl.store(out_ptr, tl.multiple_of(STRIDE, 16) + ACTIVE)  # CONSTEXPR


def test_constants(checking):
    out = np.zeros(1, np.int32)
    constants[(1,)](out, STRIDE=48, ACTIVE=1, n=5)
    assert out[0] == 49
    constants[(1,)](out, STRIDE=40, ACTIVE=1, n=-5)
    refused("the value of program (0, 0, 0) is 40", "CONSTEXPR",
            lambda: constants[(1,)](out, STRIDE=40, ACTIVE=1, n=5))


#===-- assume --------------------------------------------------------------===#


@triton.jit
def assuming(out_ptr, n, m, u, KIND: tl.constexpr):
    if KIND == "left":
        tl.assume(n > 0)  # LEFT
    elif KIND == "right":
        tl.assume(4 <= n)  # RIGHT
    elif KIND == "both":
        tl.assume((n > 0) & (m < n))  # BOTH
    elif KIND == "unsigned":
        tl.assume(u <= 7)  # UNSIGNED
    else:
        tl.assume((n > 0) | (m > 0))  # EITHER
    tl.store(out_ptr, n)


@pytest.mark.parametrize("kind,n,m,u,message", [
    ("left", -3, 0, 0, "tl.assume(n > 0) does not hold: the left side of program (0, 0, 0) is -3"),
    ("right", 3, 0, 0, "tl.assume(4 <= n) does not hold: the right side of program (0, 0, 0) is 3"),
    ("both", 5, 9, 0, "does not hold: the left side of program (0, 0, 0) is 9"),
    ("unsigned", 5, 9, 1 << 31, "the left side of program (0, 0, 0) is 2147483648"),
    ("either", -2, -9, 0, "assertion failed in program (0, 0, 0): tl.assume((n > 0) | (m > 0)) "
                          "does not hold"),
])
def test_assume(checking, kind, n, m, u, message):
    out = np.zeros(1, np.int32)
    assuming[(1,)](out, 4, 1, np.uint32(7), KIND=kind)
    assert out[0] == 4
    refused(message, kind.upper(), lambda: assuming[(1,)](out, n, m, np.uint32(u), KIND=kind))
    assert out[0] == 4


#===-- Functions and loops -------------------------------------------------===#


@triton.jit
def stated(x, N: tl.constexpr):
    return tl.multiple_of(x, N)  # CALLEE


@triton.jit
def in_a_loop(table_ptr, out_ptr, n, N: tl.constexpr):
    total = tl.zeros((N,), tl.int32)
    for i in range(n):
        total += stated(tl.load(table_ptr + i * N + tl.arange(0, N)), 2)
    tl.store(out_ptr + tl.arange(0, N), total)


def test_functions_and_loops(checking):
    table = 2 * np.arange(32, dtype=np.int32).reshape(4, 8)
    out = np.zeros(8, np.int32)
    in_a_loop[(1,)](table, out, 4, N=8)
    assert out.tolist() == table.sum(0).tolist()
    table[3, 2] = 7
    in_a_loop[(1,)](table, out, 3, N=8)
    refused("tl.multiple_of(x, N) does not hold: element 2 of program (0, 0, 0) is 7", "CALLEE",
            lambda: in_a_loop[(1,)](table, out, 4, N=8))


@triton.jit
def carried(out_ptr, start, n, m, N: tl.constexpr):
    offs = (start + tl.arange(0, N)) % m
    for i in range(n):
        known = tl.max_contiguous(tl.multiple_of(offs, N), N)  # CARRIED
        tl.store(out_ptr + known, i)
        offs = (offs + N) % m


def test_both_hints_of_a_value_that_a_loop_carries(checking):
    out = np.full(32, -1, np.int32)
    carried[(1,)](out, 8, 3, 32, N=8)
    assert out.tolist() == [-1] * 8 + [0] * 8 + [1] * 8 + [2] * 8
    refused("tl.multiple_of(offs, N) does not hold: element 0 of program (0, 0, 0) is 4",
            "CARRIED", lambda: carried[(1,)](out, 4, 3, 32, N=8))


#===-- Unchecked -----------------------------------------------------------===#


def test_compiled_code_does_not_check_by_default(compiled_backend, monkeypatch):
    monkeypatch.delenv("TRITON_DEBUG", raising=False)
    launch_row([[2, 3]], "multiple", 2)


#===-- device_asserts ------------------------------------------------------===#


@triton.jit
def look_up(x_ptr, places_ptr, out_ptr, n, limit):
    i = tl.arange(0, 1024)
    tl.device_assert(n < limit, "n is small")
    places = tl.max_contiguous(tl.multiple_of(tl.load(places_ptr + i), 16), 16)
    tl.assume(n > 48)
    tl.store(out_ptr + i, tl.load(x_ptr + places))


NUMBERS = np.arange(1024, dtype=np.int32)


@pytest.mark.parametrize("places", (NUMBERS[::-1].copy(), NUMBERS % 7))
def test_what_device_asserts_do_not_assume(backend, places):
    """With Triton's own meaning of debug, hints that do not hold change nothing. On a GPU this
    look-up would read 16 bytes at once."""
    if backend == "interpret":
        pytest.skip("the interpreter checks hints always")
    out = np.zeros(1024, np.int32)
    look_up[(1,)](NUMBERS.copy(), places, out, 7, 100, device_asserts=True)
    assert out.tolist() == places.tolist()


def test_device_asserts_stop_the_kernel(backend, unrecorded):
    if backend == "cuda":
        pytest.skip("the device would be lost to all that follows")
    out = np.zeros(1024, np.int32)
    with pytest.raises(Exception, match="n is small|trapped"):
        look_up[(1,)](NUMBERS.copy(), NUMBERS.copy(), out, 64, 3, device_asserts=True)
    assert not out.any()


def test_debug_of_compiled_kernels_is_device_asserts():
    source = triton.compiler.ASTSource(look_up, {
        "x_ptr": "*i32", "places_ptr": "*i32", "out_ptr": "*i32", "n": "i32", "limit": "i32"})
    kernel = triton.compile(source, options={"debug": True})
    out, places = np.zeros(1024, np.int32), NUMBERS % 7
    kernel[(1,)](NUMBERS.copy(), places, out, 7, 100)
    assert out.tolist() == places.tolist()
    with pytest.raises(triton.DeviceAssertionError, match="n is small"):
        kernel[(1,)](NUMBERS.copy(), places, out, 7, 3)
    gpu = triton.compile(source, triton.compiler.GPUTarget("cuda", 90, 32), {"debug": True})
    assert "trap" in gpu.asm["ptx"] and "tt.assume" not in gpu.asm["ttir"]
