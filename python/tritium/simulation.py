"""What a kernel did on the simulated GPU: `kernel.simulate(grid, ...)` answers it."""

import collections
import json

from . import _C, _scopes
from .errors import OptionError

__all__ = ["Counters", "LineCounters", "Occupancy", "Simulation"]


class Counters:
    """Counts of one kernel or of one source line, as attributes.

    Attributes:
        warp_instructions, thread_instructions: PTX instructions that ran.
        classes: warp instructions by class ("float", "global_load", ...), a dict.
        global_requests, global_sectors, global_sectors_ideal: requests of warps to global
            memory, 32-byte sectors that they touch, the fewest that hold as many bytes.
        global_bytes_read, global_bytes_written: bytes.
        shared_requests, shared_wavefronts, shared_wavefronts_ideal: requests to shared memory,
            passes over its banks, passes without conflicts.
        bank_conflicts: passes that conflicts cost.
        shared_bytes_read, shared_bytes_written: bytes.
        barriers, atomics, matrix_operations: of warps; of threads; of warps.
        branches, divergent_branches: branches that lanes took; where not all of them did.
    """

    def __init__(self, counts):
        self.__dict__.update(counts)

    def __repr__(self):
        return (f"<{self.warp_instructions} warp instructions, {self.global_sectors} global "
                f"sectors, {self.bank_conflicts} bank conflicts>")


class LineCounters(Counters):
    """The counts of one source line.

    Attributes:
        source: "kernel.py:12"; "" for code that belongs to no line.
        file: the path, or "".
        line: the number of the line, or 0.
    """

    def __init__(self, counts):
        super().__init__(counts)
        self.file = self.source.rpartition(":")[0]

    def __repr__(self):
        return f"<{self.source or 'no source line'}: {super().__repr__()[1:-1]}>"


class Occupancy:
    """How much of the kernel a multiprocessor of the architecture holds at once.

    Attributes:
        architecture: 80 for sm_80.
        ctas, warps: how many there are at once.
        most_warps: how many there could be.
        limited_by: "threads", "registers", "shared memory" or "CTAs".
        registers: of a thread, that this holds for.
        registers_by_ptxas: whether ptxas has allocated them.
        registers_from: "ptxas", or why it was not asked: "assumed: there is no ptxas".
    """

    def __init__(self, values):
        self.__dict__.update(values)

    def __repr__(self):
        return (f"<sm_{self.architecture}: {self.ctas} CTAs, {self.warps} of {self.most_warps} "
                f"warps, limited by {self.limited_by}>")


def _by_scope(lines):
    """What lines in scopes of one name counted together; `Counters` by the name."""
    found = {}
    for line in lines:
        numbers = {name: value for name, value in vars(line).items()
                   if isinstance(value, int) and name != "line"}
        classes = {"classes." + name: count for name, count in line.classes.items()}
        if line.line:
            found[line.file, line.line] = numbers | classes
    sums = collections.defaultdict(collections.Counter)
    for (_, name), counts in _scopes.tally(found.items()).items():
        sums[name].update(counts)
    for counts in sums.values():
        counts["classes"] = {key.removeprefix("classes."): counts.pop(key)
                             for key in list(counts) if key.startswith("classes.")}
    return {name: Counters(counts) for name, counts in sums.items()}


class Simulation(Counters):
    """The counts of a kernel's launch; the attributes of `Counters` are those of all lines.

    Attributes:
        kernel: its name.
        ctas, threads: CTAs of the grid, threads of a CTA.
        declared_registers: 32-bit registers that the PTX names, not allocated ones.
        static_shared, dynamic_shared: bytes of shared memory of a CTA.
        local_bytes: bytes of local memory of a thread.
        lines: a `LineCounters` for each source line, in order.
        scopes: the `Counters` of each `tl.scope` whose lines ran, by its name, behind those of the
            scopes around it: "tile/load".
        instructions: the `Counters` of each PTX instruction, by its name, which is the opcode and
            what says where it goes: "st.shared", "ldmatrix", "wgmma.mma_async",
            "cp.async.bulk.tensor".
        occupancy: an `Occupancy`.
        memory: for each array a dict of its "name", "address" and "bytes" on the simulated GPU.
        host_addresses: whether these are the host's, on which sectors then depend.
        most_loads: how often warps execute the load of global memory that they execute most.
    """

    def __init__(self, text, encoded):
        everything = json.loads(encoded)
        super().__init__(everything.pop("total"))
        self.lines = [LineCounters(line) for line in everything.pop("lines")]
        self.scopes = _by_scope(self.lines)
        self.instructions = {counts.pop("name"): Counters(counts)
                             for counts in everything.pop("instructions")}
        self.occupancy = Occupancy(everything.pop("occupancy")[0])
        self.__dict__.update(everything)
        self._text = text
        self._encoded = encoded

    def line(self, number):
        """The counts of one line of the kernel's file. Raises KeyError if none of its code ran."""
        for line in self.lines:
            if line.line == number:
                return line
        raise KeyError(f"no instruction of line {number} ran; there are: "
                       + ", ".join(str(line.line) for line in self.lines if line.line))

    def as_text(self):
        """A table of everything, as `tritium sim --counters` prints it."""
        return self._text

    def to_json(self):
        """Everything as JSON text."""
        return self._encoded

    def __repr__(self):
        return f"<simulation of {self.kernel}: {super().__repr__()[1:-1]}>"


def _check_names(checks):
    if checks is None or checks is True:
        return None
    if checks is False:
        return "none"
    names = checks.split(",") if isinstance(checks, str) else list(checks)
    if not all(isinstance(name, str) for name in names):
        raise OptionError(f"checks={checks!r}: it wants names, True or False")
    return ",".join(names) or "none"


def _number(name, value):
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 64:
        raise OptionError(f"{name}={value!r}: it wants an int of at least 0")
    return value


_OPTIONS = ("arch", "checks", "seed", "step_limit")


def take_options(kwargs, arg_names=()):
    """Takes the simulator's own options out of the keywords of a call."""
    return {name: kwargs.pop(name) for name in _OPTIONS
            if name in kwargs and name not in arg_names}


def native_options(arch="sm_80", checks=None, seed=0, step_limit=0):
    """The options as the extension takes them."""
    if not isinstance(arch, str):
        raise OptionError(f"arch={arch!r}: it wants a name such as 'sm_80'")
    return (arch, _check_names(checks), _number("seed", seed), _number("step_limit", step_limit))


def run(candidate, **options):
    """Runs what `KernelBase._candidate` made."""
    return Simulation(*_C.simulate(candidate, *native_options(**options)))
