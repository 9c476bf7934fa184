"""Measuring by turns: what is compared runs alternately, so that noise of the machine hits all.

For the demo and for `bench`. A figure is a median with the quartiles around it; a ratio is taken in
each turn, of two runs that follow each other, and its median and quartiles are those of the turns.
"""

import os
import pathlib
import statistics
import time
import typing

# CPUs in use by others from which on a measurement is not one of this program alone.
BUSY = 0.25


class Spread(typing.NamedTuple):
    """The middle of some numbers, and the quartiles between which half of them lie."""

    median: float
    low: float
    high: float

    def __format__(self, form):
        return f"{self.median:{form}} ({self.low:{form}} to {self.high:{form}})"


def spread(values):
    """The Spread of one number or more."""
    values = list(values)
    if len(values) == 1:
        return Spread(*values * 3)
    return Spread(statistics.median(values), *statistics.quantiles(values, n=4)[::2])


def timed(function, clock, settle):
    """The seconds of a call; with `settle` the median of the calls that follow so many seconds."""
    end = time.perf_counter() + settle
    while time.perf_counter() < end:
        function()
    times, end = [], end + settle / 2
    while not times or time.perf_counter() < end:
        start = clock()
        function()
        times.append(clock() - start)
        if not settle:
            break
    return statistics.median(times)


def turns(*functions, seconds, clock, least=5, settle=0.0):
    """The seconds of a call by `clock`: for each function a list, one number a turn.

    Every function has run once before. The one that begins changes from turn to turn. Goes on for
    `seconds` for each function, and for `least` turns. `settle`: for so long a function runs in
    each turn before it is timed, where several threads take part: those of the function before it
    may still spin, waiting for more work (OpenBLAS's for 30 ms), and take a CPU from it.
    """
    for function in functions:
        function()
    times = [[] for _ in functions]
    order = list(range(len(functions)))
    end = time.perf_counter() + seconds * len(functions)
    while time.perf_counter() < end or len(times[0]) < least:
        for i in order:
            times[i].append(timed(functions[i], clock, settle))
        order.append(order.pop(0))
    return times


def faster(ours, theirs):
    """How many times as fast `ours` is as `theirs`, turn by turn."""
    return spread(b / a for a, b in zip(ours, theirs))


def cpuName():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return "unknown CPU"


class Others:
    """How many CPUs other processes, and a hypervisor's other guests, use from now on."""

    def __init__(self):
        self.start = self.read()

    @staticmethod
    def read():
        """Seconds: of the clock, of all CPUs, of this process and the children that have ended."""
        line = pathlib.Path("/proc/stat").read_text().splitlines()[0].split()
        # The time of other guests of the hypervisor is "steal".
        user, nice, system, _, _, irq, softirq, steal = map(int, line[1:9])
        ticks = user + nice + system + irq + softirq + steal
        own = os.times()
        return (time.perf_counter(), ticks / os.sysconf("SC_CLK_TCK"),
                own.user + own.system + own.children_user + own.children_system)

    def cpus(self):
        now = self.read()
        elapsed, busy, own = (b - a for a, b in zip(self.start, now))
        return max(busy - own, 0) / max(elapsed, 1e-9)
