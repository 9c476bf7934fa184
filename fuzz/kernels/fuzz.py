"""Random kernels on back ends, whose results must be those of a second text in NumPy.

    fuzz.py --seconds 60            for a time, from a random first seed
    fuzz.py --seed 17 --count 100   the seeds 17 .. 116
    fuzz.py --kind device           kernels for GPUs; tiles; indices; language (else each in turn)
    fuzz.py --backends cpu,sim:sm_80
    fuzz.py --judge interpret       a back end says what is right, not NumPy
    fuzz.py --run FILE              a failing case again (fuzz/kernels/failures/SEED.py)
    fuzz.py --reduce FILE           drops lines from it while it fails in the same way
    fuzz.py --show SEED             a kernel and its second text

Kernels run in a child process: one that crashes or hangs is a failure like any other.
"""

import argparse
import ast
import importlib.util
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

from generate import Generator
from generate_device import DeviceGenerator
from generate_index import IndexGenerator
from generate_language import LanguageGenerator

os.environ.setdefault("TRITIUM_VERIFY", "1")
FOLDER = pathlib.Path(__file__).resolve().parent / "failures"
SECONDS_A_KERNEL = 200
BATCH = 200  # Kernels that a child runs.
SHOWN = 400  # Characters of a failure; the saved case has all.
KINDS = {"tiles": Generator, "device": DeviceGenerator, "indices": IndexGenerator,
         "language": LanguageGenerator}
# The kinds that seeds take in turn, unless one is chosen.
TURNS = ("indices", "tiles", "language", "device")


def load_kernel(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel


def drawn(seed, options):
    """The case of a seed, its kernel's source, and what it must do."""
    import judge
    kind = KINDS[options.kind or TURNS[seed % len(TURNS)]]
    for attempt in itertools.count():
        generator = kind(seed, attempt)
        case = generator.case()
        if options.backends:
            case["backends"] = options.backends.split(",")
        if options.judge != "numpy":
            case["backends"] = [options.judge, *case["backends"]]
        case["judge"] = options.judge
        try:
            return case, generator.source, judge.prepared(case, generator.source,
                                                          options.judge == "numpy")
        except judge.Undefined:
            if kind is not IndexGenerator:
                raise


def check(path, case, prepared):
    """Runs one case on all its back ends; returns (kind of failure, text) or nothing."""
    import tritium as triton
    kernel = load_kernel(path)
    os.environ["TRITIUM_SIM_SEED"] = str(case["seed"])
    for backend in case["backends"]:
        os.environ["TRITIUM_BACKEND"] = backend
        try:
            prepared.launch(kernel)
        except triton.OutOfResources:
            continue  # Small GPUs have not enough shared memory for all that is drawn.
        except Exception as error:
            if prepared.accepts(error):
                continue
            return f"error on {backend}", f"{type(error).__name__}: {error}"
        if text := prepared.difference(backend):
            return f"mismatch on {backend}", text
    return None


def worker(first, count, options):
    """Runs seeds and reports each on one line of JSON."""
    with tempfile.TemporaryDirectory(prefix="tritium-fuzz-") as folder:
        os.environ.setdefault("TRITON_CACHE_DIR", folder)
        for seed in range(first, first + count):
            print(json.dumps({"start": seed}), flush=True)
            case, source, prepared = drawn(seed, options)
            path = pathlib.Path(folder) / f"kernel_{seed}.py"
            path.write_text(source)
            failure = check(path, case, prepared)
            path.unlink()
            print(json.dumps({"done": seed, "failure": failure}), flush=True)
            if failure and options.first:
                break


def save(seed, failure, options):
    case, source, _ = drawn(seed, options)
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"seed_{seed}.py"
    note = "\n".join("# " + line for line in f"{failure[0]}: {failure[1]}".splitlines())
    path.write_text(f"{note}\nCASE = {case!r}\n\n{source}")
    return path


def command(*arguments):
    return [sys.executable, str(pathlib.Path(__file__).resolve()), *map(str, arguments)]


def campaign(first, count, seconds, options):
    """Runs seeds in child processes until the count or the time is used up."""
    end = time.monotonic() + seconds if seconds else float("inf")
    seed, last, passed, failures = first, first + count, 0, []
    flags = ["--judge", options.judge, *(["--kind", options.kind] if options.kind else []),
             *(["--backends", options.backends] if options.backends else []),
             *(["--first"] if options.first else [])]
    while seed < last and time.monotonic() < end and not (failures and options.first):
        batch = min(BATCH, last - seed)
        # Lines go through a file: a child that hangs must not block the reader.
        with tempfile.TemporaryFile("w+") as out:
            child = subprocess.Popen(command("--worker", seed, batch, *flags), stdout=out)
            size, quiet = 0, time.monotonic()
            while child.poll() is None and time.monotonic() < end + SECONDS_A_KERNEL:
                time.sleep(0.05)
                if os.fstat(out.fileno()).st_size != size:
                    size, quiet = os.fstat(out.fileno()).st_size, time.monotonic()
                    if quiet > end:
                        break
                elif time.monotonic() - quiet > SECONDS_A_KERNEL:
                    break
            hung = child.poll() is None and time.monotonic() - quiet > SECONDS_A_KERNEL
            stopped = child.poll() is None
            if stopped:
                child.kill()
            child.wait()
            out.seek(0)
            running = None
            for line in out.read().splitlines():
                try:
                    report = json.loads(line)
                except ValueError:
                    continue
                if not isinstance(report, dict):
                    continue
                if "start" in report:
                    running = report["start"]
                elif "done" in report:
                    running, seed = None, report["done"] + 1
                    if report["failure"]:
                        failures.append((report["done"], report["failure"]))
                        print(f"seed {report['done']}: {report['failure'][0]}: "
                              f"{report['failure'][1].strip()[:SHOWN]}", flush=True)
                    else:
                        passed += 1
            if running is not None and (hung or not stopped):
                kind = "hang" if hung else f"crash ({child.returncode})"
                failures.append((running, (kind, "")))
                print(f"seed {running}: {kind}", flush=True)
                seed = running + 1
            elif not stopped and child.returncode != 0:
                print(f"the worker failed before its first kernel ({child.returncode})")
                return passed, failures + [(seed, ("worker", ""))]
    return passed, failures


def read_case(path):
    tree = ast.parse(path.read_text())
    for node in tree.body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "CASE":
            return ast.literal_eval(node.value)
    raise SystemExit(f"{path} has no CASE")


def outcome(path):
    """The kind of failure of a saved case, found in a child process."""
    child = subprocess.run(command("--run", path), capture_output=True, text=True,
                           timeout=4 * SECONDS_A_KERNEL)
    if child.returncode < 0:
        return f"crash ({child.returncode})"
    for line in child.stdout.splitlines():
        if line.startswith("FAILED "):
            return line.removeprefix("FAILED ").split(": ")[0]
    return None


def blocks(lines, body):
    """Spans of lines that may go together: a line, or a header with its deeper lines."""
    def depth(line):
        return len(line) - len(line.lstrip())
    for i in range(len(lines) - 1, body - 1, -1):
        j = i + 1
        while j < len(lines) and lines[j].strip() and depth(lines[j]) > depth(lines[i]):
            j += 1
        yield i, j


def reduce(path):
    """Drops statements while the failure stays of the same kind."""
    kind = outcome(path)
    if not kind:
        raise SystemExit(f"{path} does not fail")
    print(f"reducing: {kind}")
    smaller = path.with_name(path.stem + "_reduced.py")
    lines = path.read_text().splitlines()
    smaller.write_text("\n".join(lines) + "\n")
    trial = path.with_name(path.stem + "_trial.py")
    changed = True
    while changed:
        changed = False
        body = next(i for i, line in enumerate(lines) if line.startswith("def kernel")) + 1
        for i, j in list(blocks(lines, body)):
            # An array's base comes from the layout: it stays as long as its parameter.
            if j > len(lines) or "_base" in lines[i]:
                continue
            candidate = lines[:i] + lines[j:]
            trial.write_text("\n".join(candidate) + "\n")
            try:
                compile(trial.read_text(), trial, "exec")
            except SyntaxError:
                continue
            if outcome(trial) == kind:
                lines, changed = candidate, True
                smaller.write_text("\n".join(lines) + "\n")
    trial.unlink(missing_ok=True)
    print(f"{len(lines)} lines: {smaller}")


def run_saved(path):
    import judge
    case, source = read_case(path), path.read_text()
    try:
        prepared = judge.prepared(case, source, case["judge"] == "numpy")
    except judge.Undefined as error:
        print(f"no single result: {error}")
        return 2
    failure = check(path, case, prepared)
    print(f"FAILED {failure[0]}: {failure[1]}" if failure else "agrees")
    return 1 if failure else 0


def show(seed, options):
    import judge
    case, source, _ = drawn(seed, options)
    print(source, judge.second_text(case, source), sep="\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--count", type=int, default=1 << 40)
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--backends", help="comma-separated; else the kernel's own")
    parser.add_argument("--judge", default="numpy", help="numpy, or a back end")
    parser.add_argument("--first", action="store_true", help="end with the first failure")
    parser.add_argument("--report", type=pathlib.Path, help="write counts as JSON")
    parser.add_argument("--run", type=pathlib.Path)
    parser.add_argument("--reduce", type=pathlib.Path)
    parser.add_argument("--show", type=int, metavar="SEED")
    parser.add_argument("--worker", type=int, nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        return worker(*options.worker, options)
    if options.run:
        return run_saved(options.run)
    if options.reduce:
        return reduce(options.reduce)
    if options.show is not None:
        return show(options.show, options)
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(1 << 32)
    if not options.seconds and options.count == 1 << 40:
        options.seconds = 60
    print(f"first seed: {options.seed}", flush=True)
    start = time.monotonic()
    passed, failures = campaign(options.seed, options.count, options.seconds, options)
    rate = (passed + len(failures)) / (time.monotonic() - start)
    for seed, failure in failures:
        print(f"  {save(seed, failure, options)}: {failure[0]}")
    print(f"{passed} kernels agree, {len(failures)} fail; {rate:.1f} a second")
    if options.report:
        names = [f"seed {seed}: {kind}" for seed, (kind, _) in failures]
        options.report.write_text(json.dumps({"passed": passed, "failures": names}))
    return 1 if failures or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
