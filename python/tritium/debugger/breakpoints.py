"""The statements before which programs stop."""

import dataclasses
import os

from .. import _C

_all = []


@dataclasses.dataclass
class Breakpoint:
    """A line of a file, for every program or for `pid` alone (-1: any number there)."""

    file: str
    line: int
    pid: tuple = (-1, -1, -1)

    def __str__(self):
        shown = ", ".join("*" if each < 0 else str(each) for each in self.pid)
        return f"{self.file}:{self.line}" + (f", program ({shown})" if max(self.pid) >= 0 else "")


def parse_pid(text):
    """(3, 0, -1) for "3,0"; ValueError if that names no program."""
    parts = [part.strip() for part in text.strip("() ").split(",")] if text else []
    if len(parts) > 3 or not all(part.isdecimal() for part in parts):
        raise ValueError(f"a program is one to three numbers of the grid as 3,0,0, found {text!r}")
    return tuple([*map(int, parts), -1, -1, -1][:3])


def parse(place, pid=""):
    """The `Breakpoint` at FILE:LINE; ValueError if that is none, or there is no such line."""
    file, _, line = place.rpartition(":")
    if not file or not line.isdecimal():
        raise ValueError(f"a place is FILE:LINE, found {place!r}")
    path = os.path.realpath(file)
    if not os.path.isfile(path):
        raise ValueError(f"there is no file {file}")
    with open(path, "rb") as text:
        count = sum(1 for _ in text)
    if not 1 <= int(line) <= count:
        raise ValueError(f"{file} has {count} lines, found line {line}")
    return Breakpoint(path, int(line), parse_pid(pid))


def all_of_them():
    return list(_all)


def add(breakpoint):
    """Adds it; answers its number."""
    _all.append(breakpoint)
    _tell()
    return len(_all)


def remove(number=None):
    """Takes the one of that number out, or all."""
    if number is None:
        _all.clear()
    elif number < 1:
        raise IndexError(number)
    else:
        del _all[number - 1]
    _tell()


def replace(file, breakpoints):
    """`breakpoints` are those of the file from now on."""
    path = os.path.realpath(file)
    _all[:] = [each for each in _all if each.file != path] + list(breakpoints)
    _tell()


def _tell():
    _C.set_breakpoints([(each.file, each.line, each.pid) for each in _all])
