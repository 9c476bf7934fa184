"""What the kernels of a script did on a simulated GPU, by source line and by `tl.scope`:
`tritium profile --target`.

The script runs with its launches kept as files (TRITIUM_SIM_RECORD), which then run once more for
their counters. The simulator counts what a GPU would have to do; it has no clock.
"""

import collections
import json
import linecache
import os
import pathlib
import subprocess
import tempfile

from .. import _scopes

_COUNTS = ("warp_instructions", "global_sectors", "global_sectors_ideal", "shared_wavefronts",
           "shared_wavefronts_ideal", "bank_conflicts")
_HEAD = (f"{'share':>6} {'instr':>10} {'sectors':>9} {'ideal':>9} {'wavefr.':>9} {'ideal':>9} "
         f"{'conflicts':>9}  kernel, line")
_NOTE = ("Share is of the instructions that warps issue. Counted: {} launches; of a kernel at most "
         "a dozen are,\nand none with more than 8 MiB of arrays.")


class Kernel:
    """The launches of one kernel that were counted.

    Attributes:
        name, launches: what it is called, how many there were.
        total: a Counter of what `Counters` of tritium.simulation names.
        lines: the same by "FILE:LINE", in the order of the file; "" for what belongs to no line.
    """

    @property
    def scopes(self):
        """The same by (FILE, NAME) of each `tl.scope` in which a line was counted."""
        places = {source: source.rpartition(":") for source in self.lines}
        return _scopes.tally(((places[source][0], int(places[source][2])), counts)
                             for source, counts in self.lines.items() if source)

    def __init__(self, name):
        self.name, self.launches = name, 0
        self.total = collections.Counter()
        self.lines = collections.defaultdict(collections.Counter)

    def add(self, counters):
        self.launches += 1
        for into, counts in [(self.total, counters["total"]),
                             *((self.lines[line["source"]], line) for line in counters["lines"])]:
            into.update({name: counts[name] for name in _COUNTS})


def run(target, script, tool):
    """Runs `script(environment)` on the target and counts its launches with `tool`.

    Returns (its status, a list of `Kernel`, the one with the most instructions first).
    """
    with tempfile.TemporaryDirectory() as folder:
        status = script({"TRITIUM_BACKEND": target, "TRITIUM_SIM_RECORD": folder})
        kernels = {}
        for launch in sorted(pathlib.Path(folder).glob("*.launch")):
            counted = launch.with_suffix(".json")
            done = subprocess.run([tool, "sim", "--launch", launch, "--json", counted],
                                  capture_output=True, text=True)
            if done.returncode:
                raise RuntimeError(f"{tool} sim --launch {launch.name}: {done.stderr.strip()}")
            counters = json.loads(counted.read_text())
            kernels.setdefault(counters["kernel"], Kernel(counters["kernel"])).add(counters)
    return status, sorted(kernels.values(), key=lambda each: -each.total["warp_instructions"])


def _row(counts, total, label):
    share = counts["warp_instructions"] / total if total else 0.0
    return (f"{share:6.1%} {counts['warp_instructions']:10} "
            + " ".join(f"{counts[name]:9}" for name in _COUNTS[1:]) + f"  {label}")


def table(kernels):
    """Text: a line for each kernel, and below it one for each of its source lines."""
    total = sum(kernel.total["warp_instructions"] for kernel in kernels)
    rows = [_HEAD]
    for kernel in kernels:
        rows.append(_row(kernel.total, total, f"{kernel.name} ({kernel.launches} launches)"))
        for source, counts in kernel.lines.items():
            file, _, line = source.rpartition(":")
            text = linecache.getline(file, int(line)).strip() if line.isdecimal() else ""
            rows.append(_row(counts, total, f"  {os.path.basename(source) or 'no line'}  {text}"))
        for (file, name), counts in kernel.scopes.items():
            rows.append(_row(counts, total, f"  {os.path.basename(file)}  scope {name}"))
    return "\n".join([*rows, _NOTE.format(sum(kernel.launches for kernel in kernels))])
