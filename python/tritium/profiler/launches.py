"""How long kernels took: `with tritium.profile() as run:`, and `tritium profile SCRIPT`."""

import argparse
import collections
import json
import os
import sys

from . import clocks as _clocks
from . import session, simulated


class Kernel:
    """The launches of one kernel.

    Attributes:
        name: as its `launch_metadata` says.
        launches, seconds: how many there were, and how long they took together.
        least, most: seconds of the shortest and of the longest, of those that the trace has.
        device: "CUDA" or "CPU".
    """

    def __init__(self, name, device):
        self.name, self.device = name, device
        self.launches, self.seconds, self.least, self.most = 0, 0.0, float("inf"), 0.0

    def __repr__(self):
        return f"<{self.name}: {self.launches} launches, {self.seconds * 1e3:.3f} ms>"


class profile:
    """Times the kernels that are launched while it is open: on a GPU between two events of the
    current stream, on the host by its clock. Without it a launch costs nothing more.

    Args:
        clocks: "scopes" or "lines": kernels on a GPU are compiled to read the clock of their
            multiprocessor where a `tl.scope`, or a source line, begins and ends, and `clocked` has
            what each of these took. A simulated GPU counts the instructions of warps as clocks.

    Example:
        >>> @triton.jit
        ... def fill(x, value, N: tl.constexpr):
        ...     tl.store(x + tl.arange(0, N), value)
        >>> x = np.zeros(4, dtype=np.float32)
        >>> with triton.profile() as run:
        ...     compiled = fill[(1,)](x, 1.0, N=4)
        ...     compiled = fill[(1,)](x, 2.0, N=4)
        >>> run.kernels[0].launches
        2
    """

    def __init__(self, clocks=None):
        self._session = self._trace = None
        self._number = None
        self._clocks = None if clocks is None else _clocks.Recorder(clocks)
        self._clocked = []

    def __enter__(self):
        if self._clocks is not None:
            self._clocks.open()
        self._number = session.start("profile", data="trace", hook="triton")
        return self

    def __exit__(self, *exception):
        if self._number is not None:
            self._session = session.discard(self._number)
            self._number = None
        if self._clocks is not None:
            self._clocked = self._clocks.close()

    def _recorded(self):
        if self._number is not None:
            raise ValueError("the kernels that are on their way are not timed yet: a profile can "
                             "be read behind its 'with'")
        if self._session is None:
            return {"displayTimeUnit": "us", "traceEvents": []}
        if self._trace is None:
            self._trace = self._session.trace()
            shares = {kernel.name: {part.name or "rest": part.share for part in kernel.parts}
                      for kernel in reversed(self._clocked)}
            for event in self._trace["traceEvents"]:
                if event["name"] in shares:
                    event["args"]["share of clocks, all launches"] = shares[event["name"]]
        return self._trace

    @property
    def kernels(self):
        """A `Kernel` for each, the one that took longest first."""
        found = {}
        for event in self._recorded()["traceEvents"]:
            kernel = found.setdefault((event["name"], event["pid"]),
                                      Kernel(event["name"], event["pid"]))
            seconds = event["dur"] * 1e-6
            kernel.least, kernel.most = min(kernel.least, seconds), max(kernel.most, seconds)
            kernel.launches += 1
            kernel.seconds += seconds
        return sorted(found.values(), key=lambda kernel: -kernel.seconds)

    @property
    def clocked(self):
        """With `clocks`, a `tritium.profiler.clocks.Clocked` for each compiled form of a kernel
        that has clocks, the one with the most first; else none."""
        self._recorded()
        return list(self._clocked)

    def table(self, without=None):
        """Text: a line for each kernel; with `clocks`, also one for each of its scopes or lines.

        Args:
            without: a profile of the same launches without clocks, to say what these cost.
        """
        kernels = self.kernels
        total = sum(kernel.seconds for kernel in kernels) or 1.0
        lines = [f"{'share':>6} {'total ms':>10} {'launches':>8} {'mean us':>10} {'least us':>10} "
                 f"{'most us':>10}  kernel"]
        for kernel in kernels:
            lines.append(
                f"{kernel.seconds / total:6.1%} {kernel.seconds * 1e3:10.3f} {kernel.launches:8} "
                f"{kernel.seconds / kernel.launches * 1e6:10.2f} {kernel.least * 1e6:10.2f} "
                f"{kernel.most * 1e6:10.2f}  {kernel.name}")
        devices = collections.Counter(kernel.device for kernel in kernels)
        lines += [] if "CPU" not in devices else [
            "Kernels on the host are timed by its clock, from the launch to its return."]
        if self._clocks is not None:
            lines.append(_clocks.table(self.clocked, _seconds(kernels),
                                       _seconds(without.kernels if without else [])))
        return "\n".join(lines)

    def write_trace(self, path):
        """Writes the launches for Chrome's viewer (chrome://tracing, ui.perfetto.dev)."""
        with open(path, "w") as file:
            json.dump(self._recorded(), file)


def _seconds(kernels):
    """What the launches of each kernel took on a GPU, by its name."""
    seconds = collections.Counter()
    for kernel in kernels:
        if kernel.device != "CPU":
            seconds[kernel.name] += kernel.seconds
    return seconds


def main(arguments):
    """The command `tritium profile`; answers its exit status."""
    parser = argparse.ArgumentParser(prog="tritium profile", description=(
        "Runs a Python script or module unmodified, as `tritium run` does, and prints how long "
        "each of its kernels took."))
    parser.add_argument("--trace", metavar="FILE", help="write the launches for Chrome's viewer")
    parser.add_argument("--clocks", choices=_clocks.KINDS, help="run the script once more, with "
                        "kernels that read clocks on the GPU, and print how long they are in each "
                        "tl.scope, or on each source line")
    parser.add_argument("program", metavar="SCRIPT [ARGUMENT...]", nargs=argparse.REMAINDER,
                        help="a script, or -m MODULE")
    parser.add_argument("--target", metavar="sim:sm_90", help="run on this simulated GPU, and "
                        "print what its kernels do by source line instead of times")
    options = parser.parse_args(arguments)
    if not options.program or options.program == ["-m"]:
        parser.error("name a script, or -m MODULE")
    if options.target:
        if not options.target.startswith("sim") or options.trace or options.clocks:
            parser.error("--target names a simulated GPU, as sim:sm_90, which has no times to "
                         "trace and no clocks, and counts by line and by scope in any case")
        return _simulate(options, parser)
    with profile() as run:
        status = _run(options.program)
    if options.clocks and not status:
        plain = run
        with profile(clocks=options.clocks) as run:
            status = _run(options.program)
        print(run.table(plain), file=sys.stderr)
    else:
        print(run.table(), file=sys.stderr)
    if options.trace:
        run.write_trace(options.trace)
    return status


def _run(program):
    """The script's exit status, however it ends itself."""
    from ..__main__ import main as run

    try:
        return run(["run", *program])
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)


def _simulate(options, parser):
    from ..__main__ import find_program

    tool = find_program()
    if tool is None:
        parser.error("the tritium program is neither beside this Python nor in PATH")

    def script(environment):
        os.environ.update(environment)
        return _run(options.program)

    status, kernels = simulated.run(options.target, script, tool)
    print(simulated.table(kernels), file=sys.stderr)
    return status
