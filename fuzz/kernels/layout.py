"""Where the arrays of an index kernel lie: each is as long as what the second text uses of it, and
next to a page that may not be touched.

Index 0 of an array need not lie in it: kernels add an argument `NAME_base` to the pointer that they
get. So an array may be used from -40 on, or around 2^31, and be as short as what is used.
"""

import ctypes
import mmap
import random

import numpy as np

from numpy_model import Shifted, Window, element_type

TABLE = 1 << 12
CANARY = 0xA5
PAGE = mmap.PAGESIZE
ROOM = 1 << 19  # Bytes between the two guard pages.


def table(array, seed):
    """What the elements of an array repeat."""
    dtype = element_type(array["dtype"])
    rng = np.random.default_rng(seed)
    fill = array["fill"]
    if fill == "permutation":
        return np.arange(TABLE).astype(dtype) ^ 1
    if fill == "same":
        return np.full(TABLE, 3, dtype)
    if fill == "small":
        return rng.integers(0, 64, TABLE).astype(dtype)
    if fill == "exact" or dtype.kind not in "iu":
        return rng.integers(-4, 5, TABLE).astype(dtype)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, TABLE, dtype=dtype, endpoint=True)


def windows(case):
    """The arrays of a case as the second text sees them, by name."""
    memory = {}
    for i, (name, array) in enumerate(case["arrays"].items()):
        if array["view"]:
            whole, distance = array["view"]
            memory[name] = Shifted(memory[whole], distance)
        else:
            memory[name] = Window(table(array, (case["seed"], i)))
    return memory


class Room:
    """Memory between two pages that may not be touched."""

    def __init__(self):
        libc = ctypes.CDLL(None, use_errno=True)
        libc.mmap.restype = ctypes.c_void_p
        libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [
            ctypes.c_long]
        libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        anonymous = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        start = libc.mmap(None, ROOM + 2 * PAGE, 0, anonymous, -1, 0)
        if start in (None, ctypes.c_void_p(-1).value) or libc.mprotect(
                start + PAGE, ROOM, mmap.PROT_READ | mmap.PROT_WRITE):
            raise MemoryError("no memory for guarded arrays")
        self.bytes = np.frombuffer((ctypes.c_char * ROOM).from_address(start + PAGE), np.uint8)

    def place(self, elements, atEnd):
        """A copy of the elements that ends, or begins, where the room does."""
        size = elements.nbytes
        first = ROOM - size if atEnd else 0
        self.bytes[max(first - PAGE, 0):first + size + PAGE] = CANARY
        self.around = [self.bytes[max(first - PAGE, 0):first],
                       self.bytes[first + size:first + size + PAGE]]
        array = self.bytes[first:first + size].view(elements.dtype)
        array[:] = elements
        return array

    def isIntact(self):
        """Whether the bytes around the array are as they were."""
        return all((side == CANARY).all() for side in self.around)


class Layout:
    """The arrays and arguments for launches of a case whose second text has run on `memory`."""

    rooms = []

    def __init__(self, case, memory):
        self.case, self.memory = case, memory
        rng = random.Random(case["seed"])
        self.wholes, self.firsts = {}, {}
        for i, (name, array) in enumerate(case["arrays"].items()):
            if not array["view"]:
                self.add_whole(name, i, rng)
        self.views = self.cut_views(rng)
        self.bases = {name: self.base(name) for name in case["arrays"]}

    def add_whole(self, name, i, rng):
        window = self.memory[name]
        low, high = window.reach or [0, 0]
        high += 1
        if rng.random() < 0.5:
            # A beginning that vector instructions like, and a pointer that needs no moving.
            low = 0 if 0 <= low < 1000 else low - low % 16
        if rng.random() < 0.3:
            high += -(high - low) % 16
        elements = np.resize(table(self.case["arrays"][name], (self.case["seed"], i)), TABLE)
        self.wholes[name] = (low, elements[np.arange(low, high) % TABLE], rng.random() < 0.6)

    def cut_views(self, rng):
        """(beginning, end) of each argument in the array that it lies in."""
        cuts = {}
        for name, array in self.case["arrays"].items():
            if array["view"]:
                whole = array["view"][0]
                size = self.wholes[whole][1].size
                at, other = rng.randrange(size), rng.randrange(size)
                cuts[name] = (at, size)
                # Side by side, or one in the other.
                cuts[whole] = (0, rng.choice([max(at, 1), size, other + 1]))
        return cuts

    def base(self, name):
        view = self.case["arrays"][name]["view"]
        whole, distance = view or (name, 0)
        return distance - self.wholes[whole][0] - self.views.get(name, (0, 0))[0]

    def arrays(self):
        """Fresh arrays, by name."""
        rooms = self.rooms
        while len(rooms) < len(self.wholes):
            rooms.append(Room())
        wholes = {name: room.place(elements, atEnd) for room, (name, (_, elements, atEnd))
                  in zip(rooms, self.wholes.items())}
        self.placed = wholes
        result = {}
        for name, array in self.case["arrays"].items():
            whole = wholes[array["view"][0] if array["view"] else name]
            first, last = self.views.get(name, (0, whole.size))
            result[name] = whole[first:last]
        return result

    def results(self):
        """What the launch left, and what it should have left, by name."""
        for room, (name, (low, elements, _)) in zip(self.rooms, self.wholes.items()):
            expected = self.memory[name].elements(low, low + elements.size)
            if not self.case["arrays"][name]["written"]:
                expected = elements
            yield name, self.placed[name], expected, room.isIntact()
