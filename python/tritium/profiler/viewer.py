"""Shows what a profiled program recorded: `python -m tritium.profiler.viewer [OPTION...] FILE`.

The file is a tree of `tritium.profiler` (or of Triton's). Each line has the metrics of a scope or a
kernel with all that is below it.
"""

import argparse
import json
import re
import sys

from .._gpu_limits import peak_seconds

_TIMES = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_RATE = re.compile(r"([gt]?)(flop|byte)(\d*)/s")
_SCALES = {"": 1.0, "g": 1e9, "t": 1e12}
_LABELS = ("device_id", "device_type")
_FORMATS = {
    "full": lambda name: name,
    "file_function_line": lambda name: name.rpartition("/")[2],
    "function_line": lambda name: name.rpartition(":")[2],
    "file_function": lambda name: name.rpartition("/")[2].partition("@")[0],
}


class Frame:
    """A node of a tree.

    Attributes:
        name: of the scope or the kernel.
        metrics: its own.
        sums: the numbers of itself and of all below it.
        children: Frames.
        shown: what `parse` computed, one number (or None) for each of its metrics.
    """

    def __init__(self, literal):
        self.name = literal["frame"]["name"]
        self.metrics = literal["metrics"]
        self.children = [Frame(child) for child in literal["children"]]
        self.sums = {name: value for name, value in self.metrics.items() if name not in _LABELS}
        for child in self.children:
            for name, value in child.sums.items():
                self.sums[name] = self.sums.get(name, 0) + value
        self.shown = []

    def keep(self, wanted):
        """Leaves out children for which `wanted` is false and that have no child left."""
        self.children = [child for child in self.children if child.keep(wanted) or wanted(child)]
        return self.children

    def drop(self, unwanted):
        """Leaves out children for which `unwanted` is true, with all below them."""
        self.children = [child for child in self.children if not unwanted(child)]
        for child in self.children:
            child.drop(unwanted)

    def every(self):
        yield self
        for child in self.children:
            yield from child.every()


def read(filename):
    """(the root `Frame`, the description of the devices) of a file."""
    with open(filename) as file:
        try:
            root, devices = json.load(file)
            return Frame(root), devices
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{filename} holds no tree of a profile: start(data='tree') "
                             "and finalize() write one") from error


def available(root):
    """The names of the metrics of a tree, without their units."""
    return sorted({name.partition("(")[0].strip().lower() for name in root.sums})


def _sum(frame, name):
    """The sum of the metric of that name, whatever its unit; None without it."""
    for key, value in frame.sums.items():
        if name in (key.lower(), key.partition("(")[0].strip().lower()):
            return value
    return None


def _seconds(frame):
    return frame.sums.get("time (ns)", 0) * 1e-9


def _utilisation(frame, devices):
    """The time that a kernel's arithmetic or its memory needs at least, by that which it took."""
    kind, index = (frame.metrics.get(label) for label in _LABELS[::-1])
    if kind is None or not _seconds(frame):
        return None
    least = peak_seconds(devices[kind][index], frame.metrics)
    return None if least is None else least / _seconds(frame)


def _value(frame, metric, devices, total):
    kind, _, unit = metric.partition("/")
    rate = _RATE.fullmatch(metric)
    if metric == "util":
        return _utilisation(frame, devices)
    if kind == "time" and unit in _TIMES:
        return _seconds(frame) / _TIMES[unit]
    if kind == "time" and unit == "%":
        return 100 * _seconds(frame) / total if total else None
    if kind == "avg_time" and unit in _TIMES:
        count = frame.metrics.get("count")
        return _seconds(frame) / count / _TIMES[unit] if count and not frame.children else None
    if rate:
        work = _sum(frame, rate[2] + "s" + rate[3])
        return work / _seconds(frame) / _SCALES[rate[1]] if work and _seconds(frame) else None
    return _sum(frame, metric)


def _check(metric, root):
    known = available(root)
    kind, _, unit = metric.partition("/")
    rate = _RATE.fullmatch(metric)
    derived = ((kind in ("time", "avg_time") and unit in (*_TIMES, "%")) or metric == "util"
               or (rate and rate[2] + "s" + rate[3] in known))
    if not derived and metric not in known:
        raise ValueError(f"metric {metric!r} is not in the profile; there are: {', '.join(known)}, "
                         "and what --help says is made of them")


def parse(metrics, filename, include=None, exclude=None, threshold=None):
    """Reads a file and computes the metrics.

    Args:
        metrics: a list of names, as of `--metrics`.
        include, exclude: patterns of names of nodes that are shown with what is above and below
            them, or not shown; one of them.
        threshold: kernels and scopes whose first metric is less are not shown.

    Returns (tree, metrics), as `print_tree` takes them.
    """
    if include and exclude:
        raise ValueError("include and exclude cannot be given both")
    root, devices = read(filename)
    metrics = [metric.lower() for metric in metrics]
    for metric in metrics:
        _check(metric, root)
    total = _seconds(root)
    for frame in root.every():
        frame.shown = [_value(frame, metric, devices, total) for metric in metrics]
    if include:
        def wanted(frame):
            return any(re.fullmatch(include, below.name) for below in frame.every())
        _keep_paths(root, wanted, include)
    if exclude:
        root.drop(lambda frame: re.fullmatch(exclude, frame.name))
    if threshold is not None:
        root.keep(lambda frame: frame.shown[0] is not None and frame.shown[0] >= threshold)
    return root, metrics


def _keep_paths(frame, wanted, pattern):
    """Leaves only nodes on a path through one whose name fits."""
    if re.fullmatch(pattern, frame.name):
        return
    frame.children = [child for child in frame.children if wanted(child)]
    for child in frame.children:
        _keep_paths(child, wanted, pattern)


def _line(frame, naming):
    numbers = ["-" if value is None else f"{value:.3f}" for value in frame.shown]
    return " ".join([*numbers, naming(frame.name)])


def _lines(frame, naming, depth, lead=""):
    if depth > 0:
        for number, child in enumerate(frame.children):
            last = number == len(frame.children) - 1
            yield lead + ("└─ " if last else "├─ ") + _line(child, naming)
            yield from _lines(child, naming, depth - 1, lead + ("   " if last else "│  "))


def print_tree(tree, metrics, depth=100, format=None, print_sorted=False):
    """Prints what `parse` answered.

    Args:
        depth: how many levels below the root.
        format: how much of the names of functions is shown, a key of `--format`.
        print_sorted: whether a list follows, by the first metric, greatest first.
    """
    naming = _FORMATS[format or "full"]
    print(_line(tree, naming))
    for line in _lines(tree, naming, depth):
        print(line)
    if print_sorted:
        print(f"By {metrics[0]}:")
        kernels = [frame for frame in tree.every() if not frame.children and frame is not tree]
        for frame in sorted(kernels, key=lambda frame: -(frame.shown[0] or 0)):
            print(_line(frame, naming))


def main(arguments=None):
    """The program; answers its exit status."""
    parser = argparse.ArgumentParser(prog="python -m tritium.profiler.viewer",
                                     description=__doc__.partition("\n")[0])
    parser.add_argument("file")
    parser.add_argument("-l", "--list", action="store_true", help="only list the metrics")
    parser.add_argument("-m", "--metrics", default="time/ms", help=(
        "separated by commas: names that --list shows; time/s, /ms, /us, /ns, /%%; avg_time/...; "
        "flop/s, gflop/s, tflop/s, flop8/s and so on; byte/s, gbyte/s, tbyte/s; util, the time "
        "that the GPU would need at least by the time that it took (default: time/ms)"))
    parser.add_argument("-i", "--include", help="pattern of names that alone are shown, with what "
                        "is above and below")
    parser.add_argument("-e", "--exclude", help="pattern of names that are not shown")
    parser.add_argument("-t", "--threshold", type=float, help="least value of the first metric")
    parser.add_argument("-d", "--depth", type=int, default=100, help="levels below the root")
    parser.add_argument("-f", "--format", choices=_FORMATS, default="full",
                        help="how much of the names of functions is shown")
    parser.add_argument("--print-sorted", action="store_true",
                        help="a list of the kernels follows, by the first metric")
    options = parser.parse_args(arguments)
    try:
        if options.list:
            print("\n".join(available(read(options.file)[0])))
            return 0
        tree, metrics = parse(options.metrics.split(","), options.file, options.include,
                              options.exclude, options.threshold)
    except (OSError, ValueError, re.error) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1
    print_tree(tree, metrics, options.depth, options.format, options.print_sorted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
