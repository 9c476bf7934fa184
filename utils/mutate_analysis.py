"""Removes the premises of the analyses, one at a time, and looks whether a test notices.

    utils/mutate_analysis.py                  every premise of utils/premises.py
    utils/mutate_analysis.py --only ranges    those whose name contains the word
    utils/mutate_analysis.py --check          only that every premise is found in the sources
    utils/mutate_analysis.py --list
    utils/mutate_analysis.py --table docs/mutation.md

A premise is a piece of source text and what stands in its place without it. For each one the
sources are changed, what depends on them is built, and the checks run in the order of CHECKS until
one fails, which is then said to notice it. The sources are put back at the end, whatever happens.
A premise that nothing notices is either not needed or not tested: the exit status is then 1.
"""

import argparse
import dataclasses
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time

from premises import PREMISES

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
PYTHON = ROOT / ".venv" / "bin" / "python"
TARGETS = ("AnalysisTests", "tritium", "tritium-tool", "tritium-opt", "tritium_python")
FUZZ = [PYTHON, ROOT / "fuzz/kernels/fuzz.py", "--seed", "1"]
# What may notice, cheapest first: name, command, seconds.
CHECKS = (
    ("unit tests", [BUILD / "bin/AnalysisTests"], 120),
    ("lit", [PYTHON, "-c", "from lit.main import main; main()", "-q", BUILD / "test",
             "--filter", "Dialect|Conversion|Analysis|Pipeline"], 400),
    ("known wrong results", [PYTHON, "-m", "pytest", "-q", "-x",
                             "test/integration/test_indices.py"], 400),
    ("random indices", [*FUZZ, "--kind", "indices", "--count", "400", "--first", "--backends",
                        "cpu,sim:sm_80,sim:sm_90"], 400),
    ("random tiles", [*FUZZ, "--kind", "tiles", "--count", "200", "--first", "--backends",
                      "cpu"], 200),
    ("random kernels for GPUs", [*FUZZ, "--kind", "device", "--count", "150", "--first"], 300),
    ("integration", [PYTHON, "-m", "pytest", "-q", "-x", "test/integration/test_memory.py",
                     "test/integration/test_dot.py"], 400))


@dataclasses.dataclass
class Outcome:
    premise: object
    noticed: str  # the check, or "" for none
    seconds: float


def changed(premise):
    """The file of a premise, its text, and the text without the premise. ValueError if the
    sources have no such place, or several."""
    path = ROOT / premise.file
    text = path.read_text() if path.exists() else ""
    count = text.count(premise.text)
    if count != 1:
        raise ValueError(f"{premise.name}: {premise.file} has its text {count} times, not once:\n"
                         f"{premise.text}")
    return path, text, text.replace(premise.text, premise.weakened)


def check():
    """Messages about premises that the sources do not have."""
    errors = []
    for premise in PREMISES:
        try:
            changed(premise)
        except ValueError as error:
            errors.append(str(error))
    names = [premise.name for premise in PREMISES]
    errors += [f"two premises are called {name}" for name in set(names) if names.count(name) > 1]
    return errors


def run(command, log, seconds):
    log.write(f"$ {' '.join(map(str, command))}\n")
    log.flush()
    try:
        return subprocess.run(command, cwd=ROOT, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                              timeout=seconds).returncode
    except subprocess.TimeoutExpired:
        return 124  # A compiler or a kernel that hangs is noticed, too.


def build(command, log):
    if run([*shlex.split(command), *TARGETS], log, 3600):
        raise RuntimeError(f"the build failed; see {log.name}")


def attempt(premise, options, log):
    path, text, weakened = changed(premise)
    start = time.monotonic()
    path.write_text(weakened)
    try:
        build(options.build, log)
        chosen = [each for each in CHECKS if not options.checks or each[0] in options.checks]
        noticed = next((name for name, command, seconds in chosen if run(command, log, seconds)),
                       "")
    finally:
        path.write_text(text)
    return Outcome(premise, noticed, time.monotonic() - start)


def table(outcomes):
    lines = ["| premise | what it guards | noticed by |", "|---|---|---|"]
    lines += [f"| {each.premise.name} | {each.premise.guards} | {each.noticed or '**nothing**'} |"
              for each in outcomes]
    return "\n".join(lines) + "\n"


def write_table(path, outcomes):
    """Replaces the table of a page, which is its last part."""
    head = path.read_text().partition("| premise |")[0]
    path.write_text(head + table(outcomes))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="a part of the names to take")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--checks", nargs="*", help="only these checks, by name")
    parser.add_argument("--seconds", type=float, default=float("inf"),
                        help="begin no further premise after that time")
    parser.add_argument("--build", default=f"ninja -C {BUILD}", help="the command that builds")
    parser.add_argument("--table", type=pathlib.Path, help="a page for the result")
    options = parser.parse_args()
    if errors := check():
        print("\n".join(errors), file=sys.stderr)
        return 2
    chosen = [premise for premise in PREMISES if options.only in premise.name]
    if options.list:
        print("\n".join(f"{premise.name}: {premise.guards}" for premise in chosen))
    if options.list or options.check:
        return 0
    outcomes, end = [], time.monotonic() + options.seconds
    with tempfile.NamedTemporaryFile("w", prefix="mutate-", suffix=".log", delete=False) as log:
        print(f"log: {log.name}")
        build(options.build, log)
        for name, command, seconds in CHECKS:
            if (not options.checks or name in options.checks) and run(command, log, seconds):
                print(f"{name} fail without any change", file=sys.stderr)
                return 2
        for premise in chosen:
            if time.monotonic() > end:
                break
            outcomes.append(attempt(premise, options, log))
            print(f"{premise.name}: noticed by {outcomes[-1].noticed or 'NOTHING'} "
                  f"({outcomes[-1].seconds:.0f} s)", flush=True)
        build(options.build, log)
    if options.table:
        write_table(options.table, outcomes)
    missed = [each for each in outcomes if not each.noticed]
    print(f"{len(outcomes) - len(missed)} of {len(outcomes)} noticed, "
          f"{len(chosen) - len(outcomes)} not tried")
    return 1 if missed or not outcomes else 0


if __name__ == "__main__":
    sys.exit(main())
