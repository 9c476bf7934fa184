"""What a launch costs on the CPU, by how the kernel is used.

    bench/launch.py                  a table in Markdown
    bench/launch.py --against CMD    beside another build; CMD (old/.venv/bin/python) runs its
                                     Python

The kernels do nothing, on one program: what is measured is the launch, in the thread's own time.
Each number is the median of blocks of launches, for which the cases take turns, less that of an
empty call. With --against the builds take turns, too, each time in a new process, and the number is
the median of the processes, with the least and the greatest.
"""

import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import tritium as triton
import tritium.language as tl

MANY = 2000
BLOCK, BLOCKS, PROCESSES = 2000, 15, 5
OFFSET = SCALE = 3


@triton.jit
def plain(a, b, c, n, f):
    pass


@triton.jit
def sized(a, b, c, n, SIZE: tl.constexpr):
    pass


@triton.jit
def naming(a, b, c, n, SIZE: tl.constexpr):
    tl.static_assert(SIZE * SCALE + OFFSET >= 0)


@triton.autotune([triton.Config({"SIZE": size}) for size in (64, 128)], key=["n"])
@triton.jit
def tuned(a, b, c, n, SIZE: tl.constexpr):
    pass


@triton.autotune([triton.Config({"SIZE": size}) for size in (64, 128)], key=["n"])
@triton.jit
def activated(a, b, c, n, ACTIVATION: tl.constexpr, SIZE: tl.constexpr):
    pass


def grid(meta):
    return (meta["n"] // 16,)


def nothing(*args, **kwargs):
    pass


def cases():
    """Name -> a function that launches once."""
    a, b, c = (np.zeros(16, np.float32) for _ in range(3))
    whole = np.zeros(64, np.float32)
    left, right = whole[:32], whole[32:]
    counts, halves = np.zeros(16, np.int32), np.zeros(16, np.float16)
    bytes_ = np.zeros(64, np.uint8).view(np.float32)
    for size in range(MANY):
        sized[(1,)](a, b, c, 16, size)
        naming[(1,)](a, b, c, 16, size)
    order = iter([])

    def another():
        nonlocal order
        size = next(order, None)
        if size is None:
            order = iter([i * 997 % MANY for i in range(MANY)])
            size = next(order)
        sized[(1,)](a, b, c, 16, size)

    def looked_up():
        globals()["changing"] = order
        naming[(1,)](a, b, c, 16, 0)

    return {
        "an empty call": lambda: nothing(a, b, c, 16, 0.5),
        "one variant": lambda: plain[(1,)](a, b, c, 16, 0.5),
        "two views of one array": lambda: plain[(1,)](left, right, c, 16, 0.5),
        "arrays of three types": lambda: plain[(1,)](a, counts, halves, 16, 0.5),
        "a view of bytes": lambda: plain[(1,)](a, b, bytes_, 16, 0.5),
        f"the first of {MANY} variants": lambda: sized[(1,)](a, b, c, 16, 0),
        f"{MANY} variants, another each time": another,
        f"{MANY} variants, a global changes each time": looked_up,
        "one variant, the grid a function": lambda: plain[grid](a, b, c, 16, 0.5),
        "autotuned": lambda: tuned[(1,)](a, b, c, 16),
        "autotuned, the grid a function": lambda: tuned[grid](a, b, c, 16),
        "autotuned, a string by keyword": lambda: activated[(1,)](a, b, c, 16, ACTIVATION="relu"),
    }


def measure():
    """Name -> microseconds."""
    found = cases()
    for function in found.values():
        function()
    times = {name: [] for name in found}
    for _ in range(BLOCKS):
        for name, function in found.items():
            begin = time.thread_time_ns()
            for _ in range(BLOCK):
                function()
            times[name].append((time.thread_time_ns() - begin) / BLOCK / 1e3)
    medians = {name: statistics.median(list_) for name, list_ in times.items()}
    empty = medians.pop("an empty call")
    return {name: median - empty for name, median in medians.items()}


def compare(commands):
    """Each build's numbers, by name."""
    runs = [[] for _ in commands]
    for _ in range(PROCESSES):
        for command, list_ in zip(commands, runs):
            text = subprocess.run([*shlex.split(command), __file__, "--json"], check=True,
                                  stdout=subprocess.PIPE, text=True).stdout
            list_.append(json.loads(text))
    return [{name: [run[name] for run in list_] for name in list_[0]} for list_ in runs]


def shown(values):
    values = sorted(values)
    return f"{statistics.median(values):.2f} ({values[0]:.2f} to {values[-1]:.2f})"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--against", metavar="CMD")
    parser.add_argument("--json", action="store_true", help="numbers of one run, as JSON")
    arguments = parser.parse_args()
    if arguments.json:
        with tempfile.TemporaryDirectory(prefix="tritium-bench-") as cache:
            os.environ |= {"TRITIUM_NUM_THREADS": "1", "TRITON_CACHE_DIR": cache}
            print(json.dumps(measure()))
        return
    commands = [shlex.quote(sys.executable)]
    if arguments.against:
        commands.insert(0, arguments.against)
    builds = compare(commands)
    heads = ["before", "now"] if arguments.against else ["us"]
    print(f"| a launch, us over an empty call | {' | '.join(heads)} |")
    print("|---" * (len(heads) + 1) + "|")
    for name in builds[0]:
        print(f"| {name} | {' | '.join(shown(build[name]) for build in builds)} |")


if __name__ == "__main__":
    main()
