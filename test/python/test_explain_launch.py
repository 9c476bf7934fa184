"""kernel.explain(grid, *args): what became of a launch on arrays."""

import json
import mmap

import numpy as np
import pytest
from explaining import problems

import tritium as triton
import tritium.language as tl


@triton.jit
def scale(x, out, n, factor, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) * factor, mask=i < n)


@triton.jit
def named(x, target):
    tl.store(x, target)


N = 1 << 16


@pytest.fixture(scope="module")
def arrays():
    return np.arange(N, dtype=np.float32), np.full(N, 7, np.float32)


def explain(arrays, **keywords):
    return scale.explain((N // 1024,), *arrays, N, 2.0, BLOCK=1024, **keywords)


def test_a_launch_on_arrays_that_stay_as_they_are(arrays):
    made = explain(arrays)
    assert list(problems(made.json)) == [] and json.loads(made.to_json()) == made.json
    assert (arrays[1] == 7).all() and (arrays[0] == np.arange(N)).all()
    assert made.json["target"] == "cuda:90" and made.json["launch"]["grid"] == [N // 1024, 1, 1]
    # One row, that of the load and the store, each of whose sectors has 8 elements.
    (line,) = [line for line in made.json["lines"] if "tl.store" in line.get("text", "")]
    assert line["counters"]["global_sectors"] == 2 * N // 8
    assert made.json["files"][0] == __file__
    assert made.hints == made.json["hints"]


def test_text_and_page(arrays, tmp_path):
    made = explain(arrays)
    assert str(made).startswith("scale  cuda:90") and made.text() == str(made)
    assert "BLOCK: tl.constexpr" in made.text(all_lines=True) not in str(made)
    path = tmp_path / "page.html"
    assert made.html(path) is None and path.read_text(encoding="utf-8") == made.html()
    assert "<title>" in made.html()
    assert "us estimated" in repr(made)


def test_targets(arrays):
    assert explain(arrays, target="cuda:80").json["code_for"] == "sm_80"
    for target in ("cpu", None):
        made = explain(arrays, target=target).json
        assert "asm" in made["stages"] and "counters" not in made
    with pytest.raises(triton.TritonError, match="cuda:banana"):
        explain(arrays, target="cuda:banana")
    with pytest.raises(triton.OptionError, match="wants a name"):
        explain(arrays, target=90)


def test_no_changes_are_tried(arrays):
    assert "hints" not in explain(arrays, keep_options=True).json


def test_a_parameter_by_the_name_of_a_keyword():
    made = named.explain((1,), np.zeros(1, np.int32), target=3)
    assert made.json["signature"][1]["name"] == "target"


def test_from_the_grid_and_through_decorators(arrays):
    assert scale[(64,)].explain(*arrays, N, 2.0, BLOCK=1024).json["launch"]["grid"] == [64, 1, 1]
    tuned = triton.autotune([triton.Config({"BLOCK": 512})], key=["n"])(scale)
    assert tuned.explain((128,), *arrays, N, 2.0).json["signature"][4]["value"] == "512"
    assert tuned[(128,)].explain(*arrays, N, 2.0).json["launch"]["grid"] == [128, 1, 1]
    guessed = triton.heuristics({"BLOCK": lambda named: 256})(scale)
    assert guessed.explain((256,), *arrays, N, 2.0).json["signature"][4]["value"] == "256"
    assert guessed[(256,)].explain(*arrays, N, 2.0).json["launch"]["grid"] == [256, 1, 1]
    assert (arrays[1] == 7).all()


def test_compared(arrays):
    one = explain(arrays)
    other = explain(arrays, num_warps=1)
    compared = one.compare(other)
    assert compared.json["choices"]["num_warps"]["b"] == 1
    assert compared.worse == compared.json["worse"] and "num warps" in str(compared)
    assert one.compare(one.to_json()).json["lines"] == []
    with pytest.raises(triton.OptionError, match="wants an Explanation"):
        one.compare(3)
    with pytest.raises(triton.OptionError, match="b: is no JSON"):
        one.compare("{")


def test_what_is_no_launch(arrays):
    with pytest.raises(triton.ArgumentError):
        scale.explain((1,), arrays[0])
    # No programs, no launch.
    assert "launch" not in scale.explain((0,), *arrays, N, 2.0, BLOCK=1024).json


def test_the_grid_follows_the_extents_that_are_tried():
    n = 1 << 20
    x, out = np.arange(n, dtype=np.float32), np.zeros(n, np.float32)
    made = scale.explain(lambda names: (triton.cdiv(n, names["BLOCK"]),), x, out, n, 2.0,
                         BLOCK=32, num_warps=1)
    (hint,) = [hint for hint in made.hints if hint["code"] == "BLOCK"]
    assert hint["title"] == "BLOCK=64" and not out.any()
    # A grid of numbers stays, and leaves half of the programs with nothing to do.
    made = scale.explain((n // 32,), x, out, n, 2.0, BLOCK=32, num_warps=1)
    assert [hint for hint in made.hints if hint["code"] == "BLOCK"] == []


@triton.jit
def behind(addresses, sizes, BLOCK: tl.constexpr):
    """Doubles arrays whose addresses stand in memory."""
    array = tl.load(addresses + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    i = tl.arange(0, BLOCK)
    inside = i < tl.load(sizes + tl.program_id(0))
    tl.store(array + i, 2 * tl.load(array + i, mask=inside), mask=inside)


def addressesOf(arrays):
    return np.array([array.ctypes.data for array in arrays], np.int64)


def copyAt(values, offset):
    """A copy that begins so many bytes behind a sector's first, which are 32."""
    memory = np.zeros(values.nbytes + 64, np.uint8)
    copy = memory[-memory.ctypes.data % 32 + offset:][:values.nbytes].view(values.dtype)
    copy[:] = values
    return copy


# Also where arguments have the middle of a sector, its first and its last byte being the host's.
@pytest.mark.parametrize("offset", [0, 8, 24])
def test_memory_that_no_argument_names(offset):
    arrays = [copyAt(np.arange(size, dtype=np.float32), 0) for size in (256, 1024)]
    sizes = copyAt(np.array([array.size for array in arrays], np.int32), offset)
    addresses = copyAt(addressesOf(arrays), offset)
    made = behind.explain((2,), addresses, sizes, BLOCK=1024)
    assert list(problems(made.json)) == []
    assert all((array == np.arange(array.size)).all() for array in arrays)
    (line,) = [line for line in made.json["lines"] if "2 * tl.load" in line.get("text", "")]
    assert line["counters"]["global_sectors"] == 2 * (256 + 1024) // 8
    counters = made.json["counters"]
    assert counters["host_addresses"] and made.json["model"]
    # Of two programs each has an array of its own; what a mask leaves out of one is not reached.
    reached = {"by_all": 4 * (256 + 1024), "by_half": 4 * (256 + 1024) // 2}
    assert counters["other_read"] == counters["other_written"] == reached
    assert "cannot be compared" in made.json["launch"]["not_tried"] and "not tried:" in str(made)
    assert all(hint["certainty"] == "estimated" for hint in made.hints)


@pytest.mark.parametrize("argument", [False, True])
def test_memory_that_processes_share_stays_as_it_is(argument):
    """Also where it is an argument that is only read, and written by its address in memory."""
    shared = np.frombuffer(mmap.mmap(-1, 4096), np.float32)
    sizes = np.array([shared.size], np.int32)
    shared[:] = 3
    given = shared.view(np.int32) if argument else sizes
    made = behind.explain((1,), addressesOf([shared]), given, BLOCK=1024)
    if not argument:
        assert "is read-only" in made.json["launch"]["not_counted"]
    assert (shared == 3).all()


def test_time_of_memory_that_no_argument_names():
    """All of it counts, not what the arguments have."""
    arrays = [np.zeros(1024, np.float32) for _ in range(4096)]
    sizes = np.full(len(arrays), 1024, np.int32)
    model = behind.explain((len(arrays),), addressesOf(arrays), sizes, BLOCK=1024).json["model"]
    (clocks,) = [each["clocks"] for each in model["resources"] if each["name"] == "memory"]
    assert clocks > 2 * 4096 * 4096 / 132 / 40  # bytes of a multiprocessor, at most 40 a clock


def test_what_goes_wrong_in_memory_that_no_argument_names():
    made = behind.explain((1,), np.array([64], np.int64), np.array([8], np.int32), BLOCK=1024)
    assert "outside every buffer" in made.json["launch"]["not_counted"]


@triton.jit
def writes_another(x, other, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    if B != 32:
        c = tl.load(other + i, mask=i < n)
        for _ in range(60):
            c = c * 1.5 + v
        tl.store(other + i, c, mask=i < n)
    tl.store(out + i, v + 1, mask=i < n)


def test_what_only_a_changed_kernel_writes_stays():
    """Several trials at once would save, write and put back the same array."""
    n = 1 << 14
    x, other, out = np.full(n, 0.5, np.float32), np.zeros(n, np.float32), np.zeros(n, np.float32)
    for _ in range(4):
        writes_another.explain(lambda meta: (triton.cdiv(n, meta["B"]),), x, other, out, n, B=32)
        assert not other.any() and not out.any()
