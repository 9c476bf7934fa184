"""The clocks in kernels on a GPU: how long warps are in each `tl.scope`, or on each source line.

Kernels that are compiled while TRITIUM_CLOCKS is set read the clock of their multiprocessor where
one part of their text ends and another begins, and add up the differences for each part.
"""

import json
import linecache
import os
import threading

from .. import _C, knobs

KINDS = ("scopes", "lines")

_HEAD = f"{'share':>6} {'us':>10} {'times':>9} {'clocks':>9}  kernel, part"
_NOTE = ("Share is of the clocks of all warps, us that share of what the launches took, times how "
         "often a warp came\nto the part, clocks how many it was there each time. Clocks take "
         "registers and keep loads and stores in order.")


class Part:
    """A part of a kernel's text: a scope with those inside of it, a line, or the rest.

    Attributes:
        name: of the scope, behind those of the scopes around it, "tile/load"; "FILE:LINE" of a
            line; "" of the rest.
        file, line, last: where it is; "", 0 and 0 of the rest.
        clocks: that all warps together were in it.
        times: how often warps came to it from another part.
        share: its clocks of those of the kernel.
        groups: the same shares of the clocks of each group of warps, by its name, if warps of the
            kernel run code of their own.
    """

    def __init__(self, kernel, found, inside):
        self.file, self.line, self.last = found["file"], found["line"], found["last"]
        self.name = found["name"] or (f"{os.path.basename(self.file)}:{self.line}"
                                      if self.line else "")
        self.is_scope = bool(found["name"])
        by_warp = [sum(clocks) for clocks in zip(*(part["clocks"] for part in inside))]
        self.clocks, self.times = sum(by_warp), sum(found["times"])
        self.share = self.clocks / kernel.clocks if kernel.clocks else 0.0
        self.groups = {name: sum(by_warp[warps]) / total if total else 0.0
                       for name, warps, total in kernel.groups}

    def __repr__(self):
        return f"<{self.name or 'rest'}: {self.share:.1%}>"

    @property
    def label(self):
        if not self.line:
            return "the rest"
        if self.is_scope:
            return f"{os.path.basename(self.file)}  scope {self.name}"
        return f"{self.name}  {linecache.getline(self.file, self.line).strip()}"


class Clocked:
    """What the launches of one compiled form of a kernel counted.

    Attributes:
        name, target: of the kernel, and what it was compiled for.
        warps: how many ran.
        clocks: of all of them together.
        gigahertz: clocks by nanoseconds of the GPU's time.
        parts: a `Part` for each scope or line in which clocks were counted, in the order of the
            text, and the rest, last.
    """

    def __init__(self, found):
        self.name, self.target, self.warps = found["kernel"], found["target"], found["runs"]
        parts = found["parts"]
        by_warp = [sum(clocks) for clocks in zip(*(part["clocks"] for part in parts))]
        self.clocks = sum(by_warp)
        self.gigahertz = self.clocks / found["nanoseconds"] if found["nanoseconds"] else 0.0
        self.groups, first = [], 0
        for group in found["groups"]:
            warps = slice(first, first + group["warps"])
            self.groups.append((group["name"], warps, sum(by_warp[warps])))
            first += group["warps"]
        made = [Part(self, part, [other for other in parts if _is_in(other, part)])
                for part in parts]
        self.parts = [part for part in (*made[1:], made[0]) if part.clocks]

    def part(self, name):
        """The part of that name; those of one name are one in the table of a simulated GPU, too."""
        found = [part for part in self.parts if part.name == name]
        if not found:
            raise KeyError(f"kernel '{self.name}' counted nothing in {name!r}; there are: "
                           f"{', '.join(repr(part.name) for part in self.parts)}")
        return found[0]

    def __repr__(self):
        return f"<{self.name}: {self.parts}>"


def _is_in(other, part):
    """Whether the text of a part is another one's, or in it."""
    return other is part or bool(part["line"] and other["file"] == part["file"]
                                 and part["line"] <= other["line"]
                                 and other["last"] <= part["last"])


class Recorder:
    """Kernels have clocks while it is open.

    Args:
        kind: "scopes" or "lines".
    """

    def __init__(self, kind):
        if kind not in KINDS:
            raise ValueError(f"clocks must be 'scopes' or 'lines', found {kind!r}")
        self._kind, self._before = kind, None

    _open = threading.Lock()

    def open(self):
        if not self._open.acquire(blocking=False):
            raise RuntimeError("a profile with clocks is open already: kernels count for one alone")
        try:
            _C.take_clocks()  # what others counted
        except BaseException:
            self._open.release()
            raise
        self._before = knobs.compilation.clocks
        knobs.compilation.clocks = self._kind

    def close(self):
        """A `Clocked` for each form of a kernel, the one with the most clocks first."""
        knobs.compilation.clocks = self._before or None
        self._open.release()
        found = [Clocked(each) for each in json.loads(_C.take_clocks())]
        return sorted(found, key=lambda each: -each.clocks)


def _row(part, seconds):
    each = f"{part.clocks / part.times:9.0f}" if part.times else f"{'-':>9}"
    took = f"{part.share * seconds * 1e6:10.2f}" if seconds else f"{'-':>10}"
    return f"{part.share:6.1%} {took} {part.times:9} {each}  "


def table(found, seconds, without):
    """Text: a line for each kernel, and below it one for each of its parts.

    Args:
        found: a list of `Clocked`.
        seconds: what the launches of a kernel took together, by its name.
        without: the same of as many launches without clocks; {}: nobody knows.
    """
    if not found:
        return "No kernel with clocks ran: on a GPU, those have some in which tl.scope is used."
    rows = [_HEAD]
    for kernel in found:
        # Forms of one kernel share its time as they share its clocks.
        all_clocks = sum(other.clocks for other in found if other.name == kernel.name)
        took = seconds.get(kernel.name, 0.0) * kernel.clocks / (all_clocks or 1)
        about = [f"{kernel.warps} warps", f"{kernel.gigahertz:.2f} GHz"]
        if without.get(kernel.name) and seconds.get(kernel.name):
            about.append(f"{seconds[kernel.name] / without[kernel.name]:.2f} x the time without "
                         "clocks")
        rows.append(f"{1:6.1%} " + (f"{took * 1e6:10.2f}" if took else f"{'-':>10}")
                    + f" {kernel.warps:9} {kernel.clocks / kernel.warps:9.0f}  {kernel.name} "
                    f"({', '.join(about)})")
        for part in kernel.parts:
            rows.append(_row(part, took) + "  " + part.label)
            rows += [f"{share:6.1%} {'':10} {'':9} {'':9}      of the warps '{name}'"
                     for name, share in part.groups.items()]
    return "\n".join([*rows, _NOTE])
