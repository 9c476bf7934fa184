"""The names by which the compiler knows objects of Python."""

import collections
import dataclasses
import gc
import threading
import weakref

import numpy as np
import pytest
import tritium.language as tl
from tritium import _objects


@dataclasses.dataclass
class Config:
    rows: object


class Slotted:
    __slots__ = ("rows",)

    def __init__(self, rows):
        self.rows = rows


class Fresh:
    def __init__(self, rows):
        self.rows = rows


def test_one_name_is_never_given_twice():
    names = set()
    for i in range(50):
        class Local:
            pass
        value = Local()
        names.add(_objects.name_of(value))
        names.add(_objects.name_of(Local))
        del Local, value
        gc.collect()
    assert len(names) == 100


def test_what_is_gone_is_forgotten():
    value = Fresh(1)
    name, gone = _objects.name_of(value), weakref.ref(value)
    assert _objects.named(name) is value
    del value
    gc.collect()
    assert gone() is None
    with pytest.raises(LookupError, match="Fresh.* is gone; launch the kernel with it again"):
        _objects.named(name)
    for i in range(3000):
        _objects.name_of(Config(i))
        _objects.name_of(Slotted(i))
    assert len(_objects._copies) <= 1024 and len(_objects._unweak) <= 1024
    assert len(_objects._labels) == len(_objects._labelled)


def test_names_tell_contents_apart():
    values = [Config(1), Config(True), Config(1.0), Config("1"), Config((1,)), Config([1]),
              Config({1: 2}), Config({1: 2, 3: 4}), Config({3: 4, 1: 2}), Config(-0.0), Config(0.0),
              Config(b"1"), Config(None), Config("None"), Config(1 << 90), Config(np.int32(1)),
              Config(np.int64(1)), Config(tl.int32), Config("\ud800"), Config("x" * 300),
              Config("y" * 300), {"rows": 1}, collections.OrderedDict(rows=1)]
    names = [_objects.name_of(value) for value in values]
    assert len(set(names)) == len(values)
    assert [_objects.name_of(value) for value in values] == names
    assert _objects.name_of(Config(float("nan"))) == _objects.name_of(Config(float("nan")))
    assert all(len(name) < 300 for name in names)


def test_names_from_many_threads():
    values, found, gate = [Fresh(i) for i in range(200)], [], threading.Barrier(8)

    def work():
        gate.wait()
        found.append([_objects.name_of(value) for value in values])

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(names == found[0] for names in found) and len(set(found[0])) == 200
