"""What `tritium explain` predicts beside what a GPU takes.

    predictions.py --measure FILE.json     times of all launches of explain_launches.py, on a GPU
    predictions.py --measure FILE.json --of changes rates
                                           of those in these lists, beside what FILE.json has;
                                           --jobs: processes that compile first
    predictions.py FILE.json               the tables, with predictions made here
    predictions.py --estimate FILE.json    predictions for an H200 of launches that were not
                                           measured: those of explain_held_out.json; what stands
                                           there stays

Needs `test/python` of the repository; to measure, torch, and Tritium as PYTHONPATH has it. Times
are those of the kernel alone, microseconds, with nothing of the arguments in the L2: the model
counts what comes from memory.
"""

import argparse
import concurrent.futures
import json
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "test" / "python")]

from explain_launches import (  # noqa: E402
    CHANGES,
    HELD_OUT_AT_LAST,
    HELD_OUT_OF_THE_SUITE,
    NULLS,
    ONCE_HELD_OUT,
    PAIRS,
    TIMED,
    examples_and_suite,
)
from explain_rates import RATES  # noqa: E402
from made_launches import MadeLaunch, model_of, torch_array  # noqa: E402

def launches(lists=("known",)):
    """The rows of these lists, by what the table calls them; a fast one is "NAME, fast"."""
    known = {row.name: row for row in TIMED + NULLS + PAIRS + ONCE_HELD_OUT}
    known |= {f"{row.name}, fast": row.faster() for row in PAIRS if row.fast}
    others = {"changes": CHANGES, "rates": RATES, "at-last": HELD_OUT_AT_LAST,
              "suite": HELD_OUT_OF_THE_SUITE,
              **{name: [row for row in RATES if row.kernel == f"rates {name}"]
                 for name in ("again", "counts", "counts_of", "shared_changes", "conversions")}}
    all_lists = {"known": known} | {name: {row.name: row for row in rows}
                                    for name, rows in others.items()}
    return {name: row for each in lists for name, row in all_lists[each].items()}


# ---------------------------------------------------------------- measured


def torch_launch(row):
    """A function that makes the launch."""
    launch = MadeLaunch(row, torch_array)
    if not row.own_code:
        return launch
    compiled = compile_for(row.target, launch)
    return lambda: compiled[launch.grid](*launch.arguments.values())


def compile_for(target, launch):
    """Code for an older GPU than the one that runs it, whose driver assembles it."""
    from tritium import knobs
    from tritium.compiler import ASTSource, GPUTarget, compile

    promised = {name: [["tt.divisibility", 16]] for name, kind in launch.types.items()
                if kind.endswith(":16")}
    source = ASTSource(launch.kernel,
                       {name: kind.split(":")[0] for name, kind in launch.types.items()},
                       launch.constants, promised)
    with knobs.nvidia.scope():
        knobs.nvidia.ptxas = "none"
        return compile(source, GPUTarget("cuda", int(target.split(":")[1]), 32), launch.options)


def compile_part(lists, part, count):
    """Launches every `count`-th once, so that its code is in the cache."""
    for row in list(launches(lists).values())[part::count]:
        try:
            torch_launch(row)()
        except Exception as error:  # is said when it is measured
            print(row.name, repr(error), flush=True)


def compile_ahead(lists, jobs):
    """Launches all once, in `jobs` processes, each with a part of them."""
    started = [subprocess.Popen([sys.executable, __file__, "--compile", f"{part}/{jobs}", "--of",
                                 *lists]) for part in range(jobs)]
    for process in started:
        process.wait()


def measure(path, lists):
    import torch
    from timing import cold

    before = json.loads(path.read_text()) if path.exists() else {}
    times, failed = before.get("microseconds", {}), {}
    for name, row in launches(lists).items():
        try:
            launch = torch_launch(row)
            launch()
            times[name] = round(1000 * statistics.median(cold(launch) for _ in range(3)), 2)
        except Exception as error:  # a table with a gap is worth more than none
            failed[name] = str(error).strip().splitlines()[0] if str(error).strip() else repr(error)
        print(name, times.get(name, failed.get(name)), flush=True)
        path.write_text(json.dumps({"device": torch.cuda.get_device_name(0), "microseconds": times,
                                    "failed": failed}, indent=1) + "\n")


# ---------------------------------------------------------------- predicted


def estimates(rows, gpu, jobs):
    """Microseconds, by the names of the rows."""

    def estimated(row):
        # Rows for other GPUs are predicted for Hopper, which measured them.
        target = row.target if row.own_code else "cuda:90"
        return model_of(row, "--gpu", gpu, target=target)["microseconds"]["expected"]

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return dict(zip(rows, pool.map(estimated, rows.values())))


def estimate(path, jobs):
    known = json.loads(path.read_text()) if path.exists() else {}
    rows = {name: row for name, row in launches(["at-last", "suite"]).items()
            if name not in known}
    known |= {name: round(time, 1) for name, time in estimates(rows, "H200", jobs).items()}
    path.write_text(json.dumps(known, indent=1) + "\n")


def tables(path, jobs):
    measured = json.loads(path.read_text())
    times = measured["microseconds"]
    gpu = next(name for name in ("H100", "H200") if name in measured["device"])
    rows = {name: row for name, row in launches(["known", "suite", "at-last", "changes"]).items()
            if name in times}
    expected = estimates(rows, gpu, jobs)

    def near(names):
        close = [name for name in names if abs(expected[name] / times[name] - 1) <= 0.2]
        return f"{len(close)} of {len(names)}"

    for title, part in (("Examples and the suite", examples_and_suite()),
                        ("Once held out", ONCE_HELD_OUT), ("Held out", HELD_OUT_AT_LAST),
                        ("Changes", CHANGES)):
        names = [row.name for row in part if row.name in rows]
        print(f"{title}: within 20 % {near(names)}\n\n"
              f"| {gpu} | predicted, us | measured, us | ratio |\n|---|---|---|---|")
        for name in names:
            print(f"| {name} | {expected[name]:.1f} | {times[name]:.1f} | "
                  f"{expected[name] / times[name]:.2f} |")
        print()
    changed = {row.name for row in CHANGES}
    print("All but changes: within 20 %", near([name for name in rows if name not in changed]))
    print("\n| change | predicted | measured | ratio |\n|---|---|---|---|")
    right = count = 0
    for row in PAIRS:
        fast = f"{row.name}, fast"
        if row.name not in rows or fast not in rows:
            continue
        guess, truth = expected[row.name] / expected[fast], times[row.name] / times[fast]
        right, count = right + (abs(guess / truth - 1) <= 0.15), count + 1
        print(f"| {row.name} | {guess:.2f} | {truth:.2f} | {guess / truth:.2f} |")
    print(f"\nwithin 15 %: {right} of {count}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--estimate", action="store_true")
    parser.add_argument("--of", nargs="+", metavar="LIST",
                        default=["known", "changes", "rates", "at-last", "suite"])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--compile", metavar="PART/JOBS", help=argparse.SUPPRESS)
    parser.add_argument("path", type=pathlib.Path, nargs="?")
    given = parser.parse_args()
    if given.compile:
        compile_part(given.of, *map(int, given.compile.split("/")))
    elif given.path is None:
        parser.error("which FILE.json?")
    elif given.measure:
        compile_ahead(given.of, given.jobs)
        measure(given.path, given.of)
    elif given.estimate:
        estimate(given.path, given.jobs)
    else:
        tables(given.path, given.jobs)


if __name__ == "__main__":
    main()
