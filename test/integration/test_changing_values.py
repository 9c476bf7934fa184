"""Compile-time values that are objects of Python, and what happens when they change."""

import collections
import dataclasses
import math
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl


@dataclasses.dataclass
class Config:
    rows: object
    more: object = None


class Slotted:
    __slots__ = ("rows",)

    def __init__(self, rows):
        self.rows = rows


class Classic:
    width = 3

    def __init__(self, rows):
        self.state = {"rows": rows}

    @property
    def rows(self):
        return self.state["rows"]

    def __bool__(self):
        return self.state["rows"] > 0

    def scaled(self, factor):
        return self.state["rows"] * factor

    def from_global(self):
        return FACTOR


class Fresh:
    def __init__(self, rows):
        self.rows = rows


FACTOR = 5
NESTED = [[1, 2], [3]]
GROWING = [1, 2]
TABLE = {"a": [1], "b": 2}
ORDERED = collections.OrderedDict(a=1, b=2)
CONSTANT = tl.constexpr(3)
PAIR = ([1], 2)
SLOTTED = tl.constexpr(Slotted(1))
CLASSIC = tl.constexpr(Classic(1))
HELD = tl.constexpr(Config([1, 2], more={"deep": Config(4)}))


@triton.constexpr_function
def reads_global(n):
    return n * FACTOR


CALLS = []


@triton.constexpr_function
def settled(n):
    return math.prod(range(1, n + 1))


@triton.constexpr_function
def counted(n):
    CALLS.append(n)
    return n


@triton.constexpr_function
def makes_fresh(n):
    return Fresh(n * FACTOR)


def launch(kernel, *args):
    out = np.zeros(1, np.int32)
    kernel[(1,)](out, *args)
    return out[0]


def test_a_copy_is_as_deep_as_the_name(backend):
    """Two kernels get one object; between them something inside changes, and changes back."""
    def make():
        @triton.jit
        def kernel(out_ptr, c: tl.constexpr):
            tl.store(out_ptr, c["list"][0] * 100 + c["config"].rows * 10 + c["table"]["x"])
        return kernel

    inner = {"list": [1], "config": Config(2), "table": {"x": 3}}
    assert launch(make(), inner) == 123
    inner["list"][0], inner["config"].rows, inner["table"]["x"] = 4, 5, 6
    again = {"list": [1], "config": Config(2), "table": {"x": 3}}
    assert launch(make(), again) == 123
    assert launch(make(), inner) == 456


def test_attributes_beside_the_fields_of_a_dataclass():
    @triton.jit
    def kernel(out_ptr, c: tl.constexpr):
        tl.store(out_ptr, c.rows + c.extra)

    config = Config(1)
    config.extra = 10
    assert launch(kernel, config) == 11
    config.extra = 20
    assert launch(kernel, config) == 21


def assigning(holder, name, value):
    def change():
        old = getattr(holder, name)
        setattr(holder, name, value)
        return lambda: setattr(holder, name, old)
    return change


def setting(container, key, value):
    def change():
        old = dict(container) if isinstance(container, dict) else list(container)
        container[key] = value

        def undo():
            if key not in old and isinstance(old, dict):
                del container[key]
            else:
                container[key] = old[key]
        return undo
    return change


def appending(container, value):
    def change():
        container.append(value)
        return container.pop
    return change


@triton.jit
def slots_kernel(out_ptr):
    tl.store(out_ptr, SLOTTED.rows)


@triton.jit
def property_kernel(out_ptr):
    tl.store(out_ptr, CLASSIC.rows)


@triton.jit
def method_kernel(out_ptr):
    tl.store(out_ptr, CLASSIC.scaled(2))


@triton.jit
def class_kernel(out_ptr):
    tl.store(out_ptr, CLASSIC.width)


@triton.jit
def method_of_globals_kernel(out_ptr):
    tl.store(out_ptr, CLASSIC.from_global())


@triton.jit
def function_of_globals_kernel(out_ptr):
    tl.store(out_ptr, reads_global(2))


@triton.jit
def nested_kernel(out_ptr):
    tl.store(out_ptr, NESTED[0][1] + len(NESTED) * 100 + len(NESTED[1]) * 1000)


@triton.jit
def growing_kernel(out_ptr):
    tl.store(out_ptr, len(GROWING))


@triton.jit
def table_kernel(out_ptr):
    tl.store(out_ptr, TABLE["a"][0] + len(TABLE) * 10)


@triton.jit
def ordered_kernel(out_ptr):
    tl.store(out_ptr, ORDERED["a"] + len(ORDERED) * 10)


@triton.jit
def pair_kernel(out_ptr):
    tl.store(out_ptr, PAIR[0][0] + PAIR[1] * 10)


@triton.jit
def constant_kernel(out_ptr):
    tl.store(out_ptr, CONSTANT)


@triton.jit
def held_kernel(out_ptr):
    tl.store(out_ptr, HELD.rows[1] + HELD.more["deep"].rows * 10)


@triton.jit
def fresh_kernel(out_ptr):
    tl.store(out_ptr, makes_fresh(2).rows)


@triton.jit
def missing_kernel(out_ptr):
    tl.store(out_ptr, getattr(CLASSIC, "extra", 7))


@triton.jit
def truth_kernel(out_ptr):
    if CLASSIC:
        tl.store(out_ptr, 1)
    else:
        tl.store(out_ptr, 2)


@pytest.mark.parametrize("kernel,change,before,after", [
    (missing_kernel, setting(vars(CLASSIC.value), "extra", 4), 7, 4),
    (truth_kernel, setting(CLASSIC.value.state, "rows", 0), 1, 2),
    (slots_kernel, assigning(SLOTTED.value, "rows", 2), 1, 2),
    (property_kernel, setting(CLASSIC.value.state, "rows", 2), 1, 2),
    (method_kernel, setting(CLASSIC.value.state, "rows", 2), 2, 4),
    (class_kernel, assigning(Classic, "width", 4), 3, 4),
    (class_kernel, setting(vars(CLASSIC.value), "width", 4), 3, 4),
    (method_of_globals_kernel, setting(globals(), "FACTOR", 7), 5, 7),
    (function_of_globals_kernel, setting(globals(), "FACTOR", 7), 10, 14),
    (nested_kernel, setting(NESTED[0], 1, 7), 1202, 1207),
    (nested_kernel, appending(NESTED[1], 7), 1202, 2202),
    (nested_kernel, appending(NESTED, 7), 1202, 1302),
    (growing_kernel, appending(GROWING, 7), 2, 3),
    (table_kernel, setting(TABLE["a"], 0, 5), 21, 25),
    (ordered_kernel, setting(ORDERED, "a", 5), 21, 25),
    (pair_kernel, setting(PAIR[0], 0, 5), 21, 25),
    (constant_kernel, assigning(CONSTANT, "value", 5), 3, 5),
    (held_kernel, setting(HELD.value.rows, 1, 5), 42, 45),
    (held_kernel, assigning(HELD.value.more["deep"], "rows", 5), 42, 52),
    (fresh_kernel, setting(globals(), "FACTOR", 7), 10, 14),
], ids=lambda value: getattr(value, "__name__", ""))
def test_changes_are_seen(kernel, change, before, after):
    first = launch(kernel)
    undo = change()
    try:
        second = launch(kernel)
    finally:
        undo()
    assert (first, second, launch(kernel)) == (before, after, before)


def test_added_keys_of_a_dictionary_are_seen():
    assert launch(table_kernel) == 21
    TABLE["c"] = 0
    try:
        assert launch(table_kernel) == 31
    finally:
        del TABLE["c"]


def test_lists_that_lambdas_capture():
    captured = [1, 2]
    total = triton.constexpr_function(lambda: sum(captured))

    @triton.jit
    def kernel(out_ptr):
        tl.store(out_ptr, total())

    assert launch(kernel) == 3
    captured.append(4)
    assert launch(kernel) == 7


def test_functions_that_cannot_change_are_called_once():
    @triton.jit
    def kernel(out_ptr):
        tl.store(out_ptr, settled(4) + counted(1))

    CALLS.clear()
    assert launch(kernel) == 25
    first = len(CALLS)
    launch(kernel)
    assert len(CALLS) == first + 1  # it reads a list that may change
    names = kernel._names
    assert len(names._questions._asked) == 1


@pytest.mark.parametrize("kernel", [fresh_kernel, method_kernel, property_kernel, nested_kernel,
                                    held_kernel, table_kernel, class_kernel, missing_kernel,
                                    truth_kernel])
def test_what_has_not_changed_is_not_compiled_again(kernel):
    out = np.zeros(1, np.int32)
    first = kernel[(1,)](out)
    assert all(kernel[(1,)](out) is first for _ in range(3))


def test_a_change_of_a_list_is_watched_once():
    """However many variants read it: a long list costs each launch no more than once."""
    @triton.jit
    def kernel(out_ptr, N: tl.constexpr):
        tl.store(out_ptr, GROWING[0] + N)

    seen = []
    watch = kernel._names.watch
    kernel._names.watch = lambda *what: (seen.append(what), watch(*what))
    for n in range(5):
        launch(kernel, n)
    assert (GROWING,) in seen and (GROWING, 0, 1) not in seen


def test_subclasses_of_dictionaries():
    @triton.jit
    def kernel(out_ptr, c: tl.constexpr):
        tl.store(out_ptr, c["a"] + c["missing"])

    table = collections.defaultdict(int, a=3)
    assert launch(kernel, table) == 3
    table["a"] = 4
    assert launch(kernel, table) == 4
    table["missing"] = 10
    assert launch(kernel, table) == 14


@triton.jit
def takes_any(out_ptr, c: tl.constexpr):
    tl.store(out_ptr, 1)


def endless():
    table, values, config, array = {}, [], Config(1), np.zeros(1)
    table["self"], config.rows = table, config
    values.append(values)
    mixed = [array]
    mixed.append(mixed)
    deep = ()
    for _ in range(100):
        deep = (deep,)
    return [table, values, config, mixed, deep, {"list": values}]


@pytest.mark.parametrize("value", endless(), ids=["dict", "list", "dataclass", "arrays", "deep",
                                                  "in-dict"])
def test_values_without_an_end(value):
    message = "'c': it is a .* holds itself, or is nested more than 64 deep"
    with pytest.raises(triton.ArgumentError, match=message):
        launch(takes_any, value)


def test_globals_without_an_end():
    values = []
    values.append(values)

    @triton.jit
    def kernel(out_ptr):
        tl.store(out_ptr, len(values))

    with pytest.raises(triton.CompilationError, match="holds itself, or is nested more than 64"):
        launch(kernel)


def test_a_repr_that_raises():
    @dataclasses.dataclass(repr=False)
    class Silent:
        rows: int

        def __repr__(self):
            raise RuntimeError("no")

    @triton.jit
    def kernel(out_ptr, c: tl.constexpr):
        tl.store(out_ptr, c.rows)

    assert launch(kernel, Silent(3)) == 3
    assert launch(kernel, {"a": Silent(3)}.get("a")) == 3


def test_objects_that_have_every_attribute():
    class Anything:
        rows = 3

        def __getattr__(self, name):
            if name.startswith("_"):
                raise AttributeError(name)
            return 7

    @triton.jit
    def kernel(out_ptr, c: tl.constexpr):
        tl.store(out_ptr, c["a"].rows)

    assert launch(kernel, {"a": Anything()}) == 3


@pytest.mark.parametrize("value", ["\ud800", ("a", "\udfff")])
def test_halves_of_surrogate_pairs(value):
    with pytest.raises(triton.ArgumentError, match=r"'c': the text '\\u.* surrogate pair.*UTF-8"):
        launch(takes_any, value)


def test_surrogates_in_a_dictionary():
    assert launch(takes_any, {"\ud800": 1}) == 1


def test_numbers_of_numpy_in_a_dataclass():
    @triton.jit
    def kernel(out_ptr, c: tl.constexpr):
        tl.store(out_ptr, c.rows + c.more)

    assert launch(kernel, Config(np.int32(4), np.int64(5))) == 9


def test_methods_as_arguments():
    @triton.jit
    def kernel(out_ptr, f: tl.constexpr):
        tl.store(out_ptr, f(3))

    classic = Classic(2)
    assert launch(kernel, classic.scaled) == 6
    classic.state["rows"] = 5
    assert launch(kernel, classic.scaled) == 15


def test_named_tuples_on_disk(tmp_path):
    """Names of fields are part of what is compiled, also in the cache of another process."""
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent("""
        import collections, sys
        import numpy as np
        import tritium as triton
        import tritium.language as tl
        Pair = collections.namedtuple("Pair", sys.argv[1])
        @triton.jit
        def kernel(pair, out_ptr):
            tl.store(out_ptr, tl.load(pair.first) * 10 + tl.load(pair.second))
        out = np.zeros(1, np.int32)
        one, two = np.full(1, 1, np.int32), np.full(1, 2, np.int32)
        kernel[(1,)](Pair(one, two), out)
        print(out[0])
    """))
    environment = {**os.environ, "TRITIUM_CACHE_DIR": str(tmp_path / "cache")}
    printed = [subprocess.run([sys.executable, script, fields], env=environment, text=True,
                              capture_output=True, check=True).stdout.strip()
               for fields in ("first second", "second first", "first second")]
    assert printed == ["12", "21", "12"]
