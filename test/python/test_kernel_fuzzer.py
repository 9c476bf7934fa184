"""The fuzzer of kernels: what its second texts say, and that it notices what is wrong."""

import pathlib
import re
import signal
import subprocess
import sys

import numpy as np
import pytest

FUZZER = pathlib.Path(__file__).parents[2] / "fuzz" / "kernels"
sys.path.insert(0, str(FUZZER))

import judge
from generate import Generator
from generate_device import DeviceGenerator
from generate_index import IndexGenerator
from generate_language import LanguageGenerator
from layout import Room
from numpy_model import (Memory, Undefined, block, divide, load, remainder, scaled, shift_right,
                         store)


def case_of(body, parameters, arrays, scalars=None, grid=(1,)):
    """A case of arrays by name: element type and what they are filled with."""
    described = {name: {"dtype": dtype, "fill": fill, "written": fill == "same", "view": None}
                 for name, (dtype, fill) in arrays.items()}
    heads = [f"{name} = {name}_ptr + {name}_base" for name in arrays]
    names = [f"{name}_ptr" for name in arrays] + [f"{name}_base" for name in arrays] + parameters
    lines = "\n".join("    " + line for line in heads + body)
    source = ("import tritium as triton\nimport tritium.language as tl\n\n\n@triton.jit\n"
              f"def kernel({', '.join(names)}):\n{lines}\n")
    return {"kind": "indices", "seed": 1, "grid": grid, "arrays": described,
            "scalars": scalars or {}, "options": {}, "backends": ["interpret", "cpu"]}, source


def stored(body, scalars=None, dtype="int32"):
    """What the second text stores to `y[0..]`, of eight lanes `i`."""
    case, source = case_of(["i = tl.arange(0, 8)", *body], list(scalars or {}),
                           {"x": ("int32", "same"), "y": (dtype, "same")}, scalars)
    layout = judge.prepared(case, source, True).layout
    low, high = layout.memory["y"].reach
    return low, layout.memory["y"].elements(low, high + 1)


FAR = 2 ** 31 - 4  # Four of the lanes of i + FAR are beyond 31 bits.
BEYOND = (np.arange(8) + FAR).astype(np.int64)


def test_sum_wraps_as_data():
    assert (stored([f"tl.store(y + i, i + {FAR})"])[1] == BEYOND.astype(np.int32)).all()


def test_sum_in_an_address_does_not_wrap():
    low, values = stored([f"tl.store(y + (i + {FAR}), i)"])
    assert low == FAR and (values == np.arange(8)).all()


def test_comparison_of_an_index_sees_it_unwrapped():
    body = [f"o = i + {FAR}", "tl.store(x + o, 1)", "tl.store(y + i, (o > 0).to(tl.int32))"]
    assert stored(body)[1].all()
    assert list(stored(body[:1] + body[2:])[1]) == [1] * 4 + [0] * 4  # o is no index here


def test_comparison_through_sums_and_conversions():
    body = [f"o = i + {FAR}", "tl.store(x + o, 1)",
            "tl.store(y + i, ((o + 1).to(tl.int64) * 2 > 0).to(tl.int32))"]
    assert stored(body)[1].all()


def test_other_operations_see_what_wraps():
    body = [f"o = i + {FAR}", "tl.store(x + o, 1)", "tl.store(y + i, o // 2)"]
    wrapped = BEYOND.astype(np.int32).astype(np.int64)
    assert list(stored(body)[1]) == [int(v / 2) for v in wrapped]


def test_loops_carry_indices_unwrapped():
    body = ["o = i", "for t in range(0, 2):", f"    o = o + {2 ** 30}", "tl.store(x + o, 1)",
            "tl.store(y + i, (o > 0).to(tl.int32))"]
    assert stored(body)[1].all()


def test_narrow_and_unsigned_sums_wrap_in_addresses():
    low, values = stored(["tl.store(y + (i.to(tl.uint8) + 252), i)"])
    assert (low, values.size) == (0, 256) and values[252] == 0 and values[0] == 4
    low, values = stored([f"tl.store(y + (i.to(tl.uint32) + {2 ** 32 - 4}).to(tl.int64) % 100, i)"])
    assert values[0] == 4


def test_left_operand_decides_shift():
    x, one = np.array([-8], np.int8), np.array([1], np.int8)
    assert shift_right(x, one, True) == -4 and shift_right(x, one, False) == 124
    assert list(stored(["tl.store(y + i, ((i - 8) >> (i.to(tl.uint32) & 1)).to(tl.int32))"])[1]) \
        == [-8, -4, -6, -3, -4, -2, -2, -1]


def test_division_truncates_and_never_traps():
    x = np.array([-7, 7, -7, 5, -128], np.int8)
    y = np.array([2, -2, 0, 0, -1], np.int8)
    with np.errstate(all="ignore"):
        assert list(divide(x, y)) == [-3, -3, 0, 0, -128]
        assert list(remainder(x, y)) == [-1, 1, -7, 5, 0]


def test_memory_tells_what_is_not_certain():
    memory = Memory(np.zeros(8, np.int32))
    twice = np.array([3, 3])
    store(memory, twice, np.array([5, 5]))
    with pytest.raises(Undefined, match="two values"):
        store(memory, twice, np.array([5, 6]))
    memory.program = 1
    with pytest.raises(Undefined, match="reads what another"):
        load(memory, twice)
    with pytest.raises(Undefined, match="outside"):
        load(memory, np.array([8]))


def test_loops_and_kernels_end_where_they_are_left():
    body = ["s = i", "for t in range(0, 9):", "    if t == 2:", "        s = s * 10",
            "        continue", "    if t == 4:", "        break", "    s = s + 1",
            "tl.store(y + i, s)", "if tl.max(s) > 0:", "    return", "tl.store(y + i, 0)"]
    assert list(stored(body)[1]) == [(n + 2) * 10 + 1 for n in range(8)]


def test_elements_are_values():
    body = ["v = i + 0", "w = v", "v[2] = 100", "v[5:] += 1", "v[w[::-1] // 4] = i",
            "tl.store(y + i, v * 1000 + w)"]
    assert list(stored(body)[1]) == [7000, 3001, 100002, 3003, 4004, 6005, 7006, 8007]


FUNCTIONS = """import tritium as triton
import tritium.language as tl


@triton.jit
def affine(a, b, c, d):
    return a * c, c * b + d


@triton.jit
def steps(x, y):
    r = y
    while x > 1:
        x = x // 2
        if x == 2:
            return r
        r = r + 1
    return r


"""


def stored_by(lines):
    """As `stored`, with the functions."""
    case, source = case_of(["i = tl.arange(0, 8)", *lines], [], {"y": ("int32", "same")})
    source = FUNCTIONS + source[source.index("@triton.jit"):]
    memory = judge.prepared(case, source, True).layout.memory["y"]
    return list(memory.elements(*(memory.reach[0], memory.reach[1] + 1)))


@pytest.mark.parametrize("reverse", (False, True))
def test_scans_keep_the_order(reverse):
    """x -> 2 x + i, one after the other."""
    expected, x = [], 0
    for n in reversed(range(8)) if reverse else range(8):
        x = 2 * x + n
        expected.append(x)
    assert stored_by([f"a, b = tl.associative_scan((i * 0 + 2, i), 0, affine, reverse={reverse})",
                      "tl.store(y + i, b)"]) == (expected[::-1] if reverse else expected)
    assert stored_by(["a, b = tl.reduce((i * 0 + 2, i), 0, affine)", "tl.store(y + i, b + i * 0)"]
                     ) == [sum(n << 7 - n for n in range(8))] * 8


def test_elements_take_their_own_ways():
    assert stored_by(["tl.store(y + i, tl.map_elementwise(steps, i, i * 0))"]) \
        == [0, 0, 1, 1, 0, 0, 2, 2]


def test_numbers_and_groups_of_scaled_operands():
    packed = np.array([[0x21, 0xf7]], np.uint8)
    assert scaled("e2m1", 1, True, packed).tolist() == [[0.5, 1, 6, -6]]
    assert scaled("e2m1", 0, False, packed).tolist() == [[0.5, 1, 6, -6]]
    assert scaled("e2m1", 0, True, packed).tolist() == [[0.5, 6], [1, -6]]
    scales = np.array([[127, 129]], np.uint8)
    assert scaled("bf16", 0, True, np.ones((4, 1)), scales).tolist() == [[1], [1], [4], [4]]


def test_blocks_end_where_their_array_does():
    position, inside = block(0, [3, 4], [10, 1], [-1, 3], (2, 2))
    assert position.tolist() == [[-7, -6], [3, 4]]
    assert inside.tolist() == [[False, False], [True, False]]
    position, inside = block(0, [3, 4], [10, 1], [0, 2], (1, 2), np.array([2, 5]))
    assert position.tolist() == [[22, 23], [52, 53]]
    assert inside.tolist() == [[True, True], [False, False]]


@pytest.mark.parametrize("kind", (Generator, DeviceGenerator, IndexGenerator, LanguageGenerator))
def test_every_kernel_has_a_second_text(kind):
    for seed in range(60):
        generator = kind(seed)
        assert compile(judge.second_text(generator.case(), generator.source), "second", "exec")


CONSTRUCTS = {
    "remainder in an address": r"(load|store)\([^,]*%",
    "quotient in an operand of dot": r"tl\.dot\(.*//",
    "shift in an operand of dot": r"tl\.dot\(.*>>",
    "narrow type": r"\.to\(tl\.int8\)", "unsigned type": r"\.to\(tl\.uint(8|16|32)\)",
    "edge of 8 bits": r"\b12[5-9]\b", "edge of 16 bits": r"\b3276[5-9]\b",
    "edge of 32 bits": r"\b21474836(4[5-9]|5\d)\b", "mask of data": r"x\d+ = .*mask=.*v\d+",
    "gathered rows": r"tl\.load\(index_\w+ \+ .*\[:, None\]",
    "scattered rows": r"store\(.*tl\.load\(permutation",
    "read, change and write": r"tl\.store\((q\d+), .*tl\.load\(\1", "views": r"right\d+"}

# Of kernels of the kind `language`.
LANGUAGE = {
    "break": r" break\n", "continue": r" continue\n", "return": r" return\n",
    "scan of one tile": r"scan\(v\d+, \d, odd", "scan of a tuple": r"scan\(\(.*affine",
    "scan from the end": r"scan\(.*reverse=True", "scan with a lambda": r"scan\(.*lambda",
    "reduction of a tuple": r"tl\.reduce\(\(", "kept axis": "keep_dims=True",
    "function of elements": r"tl\.map_elementwise\(f", "histogram": r"tl\.histogram\(",
    "masked histogram": r"tl\.histogram\(.*mask=", "sort": r"tl\.sort\(", "topk": r"tl\.topk\(",
    "flip": r"tl\.flip\(", "gather": r"tl\.gather\(", "scaled product": r"tl\.dot_scaled\(",
    "numbers in pairs along M or N": "hs_k_pack=False", "8-bit floats": r"float8e\w+_ptr",
    "atomic on 8 bits": r"atomic_\w+\(\w+_u?int8_ptr", "atomic on 16 bits":
    r"atomic_\w+\(\w+_u?int16_ptr", "exchange on 16 bits": r"atomic_cas\(own_u?int16_ptr",
    "descriptor": r"d\d+\.load\(\[-3", "stored block": r"d\d+\.store\(\[", "atomic of a block":
    r"d\d+\.atomic_", "gathered rows": r"d\d+\.gather\(", "scattered rows": r"d\d+\.scatter\(",
    "moved block pointer": r"tl\.advance\(", "slice": r"v\d+\[\d+:\]", "element": r"= v\d+\[\d+\]",
    "assigned elements": r"v\d+\[.*\] = ", "changed elements": r"v\d+\[.*\] \+= "}


def test_generator_makes_what_it_is_for():
    for kind, constructs in ((IndexGenerator, CONSTRUCTS), (LanguageGenerator, LANGUAGE)):
        # Without the functions that every kernel has.
        kernels = "\n".join(kind(seed).source.partition("def kernel")[2] for seed in range(400))
        assert not [name for name, pattern in constructs.items() if not re.search(pattern, kernels)]


class Faulty:
    """A launch that leaves something else than it should."""

    def __init__(self, change):
        self.change = change

    def __getitem__(self, grid):
        return self.change


@pytest.fixture
def storing():
    case, source = case_of(["i = tl.arange(0, 8)", "tl.store(y + i, i)"], [],
                           {"y": ("int32", "same")})
    return judge.prepared(case, source, True)


def test_wrong_value_is_noticed(storing):
    def launch(y, base):
        y[:] = [0, 1, 2, 3, 4, 5, 6, 8]
    storing.launch(Faulty(launch))
    assert "y[7] is np.int32(8) on cpu and should be np.int32(7)" in storing.difference("cpu")


def test_bytes_beside_an_array_are_noticed(storing):
    def launch(y, base):
        y[:] = range(8)
        room = storing.layout.rooms[0]
        inside = next(side for side in room.around if side.size)
        inside[-1 if inside is room.around[0] else 0] = 0
    storing.launch(Faulty(launch))
    assert "bytes beside y were written" in storing.difference("cpu")


@pytest.mark.parametrize("atEnd, index", ((True, 4), (False, -1)))
def test_pages_beside_an_array_may_not_be_touched(atEnd, index):
    code = (f"import sys; sys.path.insert(0, {str(FUZZER)!r})\n"
            "import ctypes, numpy as np\nfrom layout import Room\n"
            f"a = Room().place(np.arange(4), {atEnd})\n"
            f"ctypes.c_int64.from_address(a.ctypes.data + 8 * {index}).value")
    child = subprocess.run([sys.executable, "-c", code])
    assert child.returncode == -signal.SIGSEGV


def test_premises_of_the_analyses_are_in_the_sources():
    """The list of the mutation run follows the sources."""
    script = FUZZER.parents[1] / "utils" / "mutate_analysis.py"
    checked = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr


def test_room_holds_the_largest_array():
    assert Room().place(np.zeros(2 ** 16, np.int64), True).size == 2 ** 16
