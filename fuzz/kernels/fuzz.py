"""Random kernels on the interpreter and on a back end, whose results must agree.

    fuzz.py --seconds 60            for a time, from a random first seed
    fuzz.py --seed 17 --count 100   the seeds 17 .. 116
    fuzz.py --gpu                   kernels for GPUs, simulated, instead of the CPU's
    fuzz.py --run FILE              a failing case again (fuzz/kernels/failures/SEED.py)
    fuzz.py --reduce FILE           drops lines from it while it fails in the same way

Kernels run in a child process: one that crashes or hangs is a failure like any other.
"""

import argparse
import ast
import importlib.util
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

from generate import ATOMIC_SLOTS, INPUT_BOUND, Generator
from generate_device import DeviceGenerator

os.environ.setdefault("TRITIUM_VERIFY", "1")
FOLDER = pathlib.Path(__file__).resolve().parent / "failures"
SECONDS_A_KERNEL = 200
def load_kernel(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel


def element_type(name):
    import ml_dtypes
    import numpy as np
    special = {"bfloat16": ml_dtypes.bfloat16, "float8e4nv": ml_dtypes.float8_e4m3fn,
               "float8e5": ml_dtypes.float8_e5m2}
    return np.dtype(special.get(name, name))


def inputs(case):
    """Arrays to load from."""
    import numpy as np
    rng = np.random.default_rng(case["seed"])
    shift = case.get("shift", 0)
    size = sum(case["margins"]) + shift
    arrays = []
    for dtype in case["loads"]:
        kind = element_type(dtype)
        if kind.kind in "iu":
            info = np.iinfo(kind)
            data = rng.integers(info.min, info.max, size, dtype=kind, endpoint=True)
        else:
            data = rng.integers(-INPUT_BOUND, INPUT_BOUND + 1, size).astype(kind)
        arrays.append(data[shift:])
    return arrays


def written(case):
    """Arrays to store to, by name."""
    import numpy as np
    programs = int(np.prod(case["grid"]))
    scratch = np.arange(case["slice"] * 8, dtype=np.int32)
    arrays = {"scratch": scratch, "atomic": np.zeros(ATOMIC_SLOTS, np.int32)}
    if "alias" in case:
        arrays = {"scratch": scratch, "alias": scratch[case["alias"]:],
                  "atomic": arrays["atomic"], "sums": np.zeros(512, np.float32)}
    for i, (dtype, _) in enumerate(case["outputs"]):
        arrays[f"out{i}"] = np.full(case["size"] * programs, 3, element_type(dtype))
    return arrays


def execute(kernel, case, backend):
    """Runs the kernel on fresh data; returns every array that it may have written."""
    arrays = written(case)
    previous = os.environ.get("TRITIUM_BACKEND")
    os.environ["TRITIUM_BACKEND"] = backend
    os.environ["TRITIUM_SIM_SEED"] = str(case["seed"])
    try:
        kernel[tuple(case["grid"])](*inputs(case), *arrays.values(), *case["scalars"],
                                    **case["options"])
    finally:
        if previous is None:
            del os.environ["TRITIUM_BACKEND"]
        else:
            os.environ["TRITIUM_BACKEND"] = previous
    return arrays


def difference(ours, oracle, case, backend):
    """The first disagreement as text, or nothing."""
    import numpy as np
    errors = {f"out{i}": error for i, (_, error) in enumerate(case["outputs"])}
    for name, x in ours.items():
        y, error = oracle[name], errors.get(name, 0)
        if x.dtype.kind in "iu":
            wrong = x != y
        else:
            wide = np.abs(x.astype(np.float64) - y.astype(np.float64))
            wrong = ~(wide <= error) & ~((x != x) & (y != y)) & (x != y)
        if wrong.any():
            i = int(np.argmax(wrong))
            return (f"{name}[{i}] is {x[i]!r} on {backend} and {y[i]!r} in the interpreter "
                    f"({np.count_nonzero(wrong)} of {x.size} differ)")
    return None


def check(path, case):
    """Runs one case on all its back ends; returns (kind of failure, text) or nothing."""
    import tritium as triton
    oracle = None
    for backend in ("interpret", *case["backends"]):
        try:
            result = execute(load_kernel(path), case, backend)
        except triton.OutOfResources:
            continue  # Small GPUs have not enough shared memory for all that is drawn.
        except Exception as error:
            return f"error on {backend}", f"{type(error).__name__}: {error}"
        oracle = oracle or result
        if text := difference(result, oracle, case, backend):
            return f"mismatch on {backend}", text
    return None


def worker(first, count, kind):
    """Runs seeds and reports each on one line of JSON."""
    with tempfile.TemporaryDirectory(prefix="tritium-fuzz-") as folder:
        os.environ.setdefault("TRITON_CACHE_DIR", folder)
        for seed in range(first, first + count):
            print(json.dumps({"start": seed}), flush=True)
            generator = kind(seed)
            path = pathlib.Path(folder) / f"kernel_{seed}.py"
            path.write_text(generator.source)
            failure = check(path, generator.case())
            path.unlink()
            print(json.dumps({"done": seed, "failure": failure}), flush=True)


def save(seed, failure, kind):
    generator = kind(seed)
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"seed_{seed}.py"
    note = "\n".join("# " + line for line in f"{failure[0]}: {failure[1]}".splitlines())
    path.write_text(f"{note}\nCASE = {generator.case()!r}\n\n{generator.source}")
    return path


def command(*arguments):
    return [sys.executable, str(pathlib.Path(__file__).resolve()), *map(str, arguments)]


def campaign(first, count, seconds, kind):
    """Runs seeds in child processes until the count or the time is used up."""
    end = time.monotonic() + seconds if seconds else float("inf")
    seed, last, passed, failures = first, first + count, 0, []
    flags = ["--gpu"] if kind is DeviceGenerator else []
    while seed < last and time.monotonic() < end:
        batch = min(50, last - seed)
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
                              f"{report['failure'][1]}", flush=True)
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
            return line.removeprefix("FAILED ").split(":")[0]
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
            if j > len(lines):
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


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--count", type=int, default=1 << 40)
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--report", type=pathlib.Path, help="write counts as JSON")
    parser.add_argument("--run", type=pathlib.Path)
    parser.add_argument("--reduce", type=pathlib.Path)
    parser.add_argument("--worker", type=int, nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    kind = DeviceGenerator if options.gpu else Generator
    if options.worker:
        return worker(*options.worker, kind)
    if options.run:
        failure = check(options.run, read_case(options.run))
        print(f"FAILED {failure[0]}: {failure[1]}" if failure else "agrees")
        return 1 if failure else 0
    if options.reduce:
        return reduce(options.reduce)
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(1 << 32)
    if not options.seconds and options.count == 1 << 40:
        options.seconds = 60
    print(f"first seed: {options.seed}", flush=True)
    passed, failures = campaign(options.seed, options.count, options.seconds, kind)
    for seed, failure in failures:
        print(f"  {save(seed, failure, kind)}: {failure[0]}")
    print(f"{passed} kernels agree, {len(failures)} fail")
    if options.report:
        names = [f"seed {seed}: {kind}" for seed, (kind, _) in failures]
        options.report.write_text(json.dumps({"passed": passed, "failures": names}))
    return 1 if failures or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
