"""Removes the premises of the analyses, one at a time, and looks whether a test notices.

    utils/mutate_analysis.py                  every premise of utils/premises.py
    utils/mutate_analysis.py --only Strides   those whose name contains one of the words
    utils/mutate_analysis.py --check          only that every premise is found in the sources
    utils/mutate_analysis.py --table docs/fuzzing.md

A premise is an expression in the sources. All of them are replaced at once by a choice between
what stands there and what would stand there without the premise; the choice is made by an
environment variable, so that one build serves all runs. For each premise the checks run in the
order of CHECKS until one fails, which is then said to notice it. The sources are put back at the
end, whatever happens. A premise that nothing notices is not needed, or not tested: the exit status
is then 1.
"""

import argparse
import dataclasses
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import tempfile
import time

from premises import PREMISES

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
PYTHON = ROOT / ".venv" / "bin" / "python"
VARIABLE = "TRITIUM_WITHOUT_PREMISE"
TARGETS = ("AnalysisTests", "ConversionTests", "tritium", "tritium-tool", "tritium-opt",
           "tritium_python")
PRELUDE = f"""#include <cstdlib>
#include <cstring>
static bool without(const char *premise) {{
  static const char *chosen = std::getenv("{VARIABLE}");
  return chosen && !std::strcmp(chosen, premise);
}}
"""
FUZZ = [PYTHON, "fuzz/kernels/fuzz.py", "--seed", "1", "--first"]
# What may notice, cheapest first: name, command, seconds.
CHECKS = (
    ("unit tests", [BUILD / "bin/AnalysisTests", "--gtest_brief=1"], 120),
    ("CPU against interpreter", [BUILD / "bin/ConversionTests", "--gtest_brief=1"], 300),
    ("IR tests", [PYTHON, "-c", "from lit.main import main; main()", "-q", BUILD / "test",
                  "--filter", "Dialect|Conversion"], 400),
    ("random indices", [*FUZZ, "--kind", "indices", "--count", "600", "--backends",
                        "cpu,sim:sm_80,sim:sm_90"], 600),
    ("random kernels for GPUs", [*FUZZ, "--kind", "device", "--count", "150"], 300),
    ("integration", [PYTHON, "-m", "pytest", "-q", "-x", "test/integration/test_memory.py",
                     "test/integration/test_index_arithmetic.py"], 400))


@dataclasses.dataclass
class Outcome:
    premise: object
    noticed: str  # the check, or "" for none


def position(premise, text):
    """Where the premise's expression stands in its file. ValueError if nowhere, or twice."""
    whole = premise.after + premise.text
    if text.count(whole) != 1:
        raise ValueError(f"{premise.name}: {premise.file} has its text {text.count(whole)} times, "
                         f"not once:\n{whole}")
    return text.index(whole) + len(premise.after)


def with_choices(text, premises):
    """The text of a file with a choice at each premise."""
    last = len(text)
    for at, premise in sorted(((position(each, text), each) for each in premises),
                              key=lambda pair: -pair[0]):
        end = at + len(premise.text)
        if end > last:
            raise ValueError(f"{premise.name}: its text overlaps the next premise's")
        choice = f'(without("{premise.name}") ? ({premise.weakened}) : ({premise.text}))'
        text, last = text[:at] + choice + text[end:], at
    return PRELUDE + text


def changed_sources(premises):
    """Texts of files, before and after, by path."""
    sources = {}
    for file in dict.fromkeys(premise.file for premise in premises):
        path = ROOT / file
        text = path.read_text() if path.exists() else ""
        sources[path] = (text, with_choices(text, [each for each in premises
                                                   if each.file == file]))
    return sources


def run(command, log, seconds, premise=""):
    """The exit status; 124 after that many seconds: what hangs is noticed, too."""
    log.write(f"\n$ {' '.join(map(str, command))}   # without {premise or 'nothing'}\n")
    log.flush()
    with tempfile.TemporaryDirectory(prefix="mutate-") as cache:
        environment = {**os.environ, VARIABLE: premise, "TRITON_CACHE_DIR": cache}
        try:
            return subprocess.run(command, cwd=ROOT, stdout=log, stderr=log, timeout=seconds,
                                  stdin=subprocess.DEVNULL, env=environment).returncode
        except subprocess.TimeoutExpired:
            return 124


def build(command, log):
    if run([*shlex.split(command), *TARGETS], log, 7200):
        raise SystemExit(f"the build failed; see {log.name}")


def notice(checks, log, premise):
    """The name of the check that fails without the premise; "" if all pass."""
    return next((name for name, command, seconds in checks
                 if run(command, log, seconds, premise)), "")


def table(outcomes):
    lines = ["| premise | without it | noticed by |", "|---|---|---|"]
    lines += [f"| {each.premise.name} | {each.premise.guards} | {each.noticed or '**nothing**'} |"
              for each in outcomes]
    return "\n".join(lines) + "\n"


def write_table(path, outcomes):
    """Replaces the table of a page, which is its last part."""
    path.write_text(path.read_text().partition("| premise |")[0] + table(outcomes))


def try_all(premises, options, log):
    checks = [each for each in CHECKS if not options.checks or each[0] in options.checks]
    if failing := notice(checks, log, ""):
        raise SystemExit(f"{failing}: fails with all premises in place; see {log.name}")
    outcomes, end = [], time.monotonic() + options.seconds
    for premise in premises:
        if time.monotonic() > end:
            break
        outcomes.append(Outcome(premise, notice(checks, log, premise.name)))
        print(f"{premise.name}: {outcomes[-1].noticed or 'NOTHING'}", flush=True)
    return outcomes


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[""], help="parts of the names to take")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--checks", nargs="*", help="only these, by name")
    parser.add_argument("--seconds", type=float, default=float("inf"),
                        help="begin no further premise after that time")
    parser.add_argument("--build", default=f"ninja -C {BUILD}", help="the command that builds")
    parser.add_argument("--table", type=pathlib.Path, help="a page for the result")
    options = parser.parse_args()
    try:
        sources = changed_sources(PREMISES)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    if options.check:
        return 0
    chosen = [premise for premise in PREMISES
              if any(part in premise.name for part in options.only)]
    # What ends the run from outside must not leave the sources as they are.
    ends = [number for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
            if signal.getsignal(number) != signal.SIG_IGN]
    for number in ends:
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    with tempfile.NamedTemporaryFile("w", prefix="mutate-", suffix=".log", delete=False) as log:
        print(f"log: {log.name}", flush=True)
        try:
            for path, (_, changed) in sources.items():
                path.write_text(changed)
            build(options.build, log)
            outcomes = try_all(chosen, options, log)
        finally:
            for number in ends:
                signal.signal(number, signal.SIG_IGN)
            for path, (before, _) in sources.items():
                path.write_text(before)
    if options.table:
        write_table(options.table, outcomes)
    missed = [each for each in outcomes if not each.noticed]
    print(f"{len(outcomes) - len(missed)} of {len(outcomes)} noticed, "
          f"{len(chosen) - len(outcomes)} not tried; build again before you go on")
    return 1 if missed or not outcomes else 0


if __name__ == "__main__":
    sys.exit(main())
