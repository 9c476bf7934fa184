"""Runs the test suites and counts what passed.

    utils/test.py                      every suite
    utils/test.py --suites "unit lit"  some of them
    utils/test.py --one NAME           one test: a file under test/, a pytest id, or a
                                       GoogleTest filter such as Lexer.*

Logs go to build/logs, the counts of the whole run to build/logs/summary.txt. The exit
status is 0 only if nothing failed.
"""

import argparse
import dataclasses
import fnmatch
import json
import os
import pathlib
import subprocess
import sys
import time
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
ASAN = ROOT / "build-asan"
LOGS = BUILD / "logs"
PYTHON = ROOT / ".venv" / "bin" / "python"
FUZZ_SECONDS = 20
SANITIZED = ("FrontendTests", "SemaTests", "RuntimeTests")


@dataclasses.dataclass
class Count:
    """How many test cases of a suite passed, failed and were skipped."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failures: list = dataclasses.field(default_factory=list)

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.failures += other.failures

    def fail(self, name):
        self.failed += 1
        self.failures.append(name)

    def __str__(self):
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.passed} passed, {self.failed} failed{skipped}"


def run(command, log, timeout, env=None):
    """Runs a command with its output in a log; returns its status (124: out of time)."""
    with open(log, "ab") as out:
        out.write(f"$ {' '.join(map(str, command))}\n".encode())
        out.flush()
        try:
            return subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, cwd=ROOT,
                timeout=timeout, env={**os.environ, **(env or {})}).returncode
        except subprocess.TimeoutExpired:
            out.write(f"\nstopped after {timeout} s\n".encode())
            return 124


def googleTest(command, log, env=None):
    """Runs one GoogleTest program (or any other: then it counts as one test)."""
    name = pathlib.Path(command[0]).name
    report = LOGS / f"{name}.json"
    report.unlink(missing_ok=True)
    status = run([*command, f"--gtest_output=json:{report}"], log, 900, env)
    count = Count()
    try:
        suites = json.loads(report.read_text())["testsuites"]
    except (OSError, ValueError):
        suites = []
    for case in (case for suite in suites for case in suite["testsuite"]):
        if case.get("failures"):
            count.fail(f"{name}: {case['classname']}.{case['name']}")
        elif case.get("result") == "SKIPPED" or case["status"] == "NOTRUN":
            count.skipped += 1
        else:
            count.passed += 1
    if status != 0 and not count.failed:
        count.fail(f"{name} (exit status {status})")
    elif not suites and status == 0:
        count.passed += 1
    return count


def ctestCommands(build):
    listing = subprocess.run(
        ["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True)
    tests = json.loads(listing.stdout).get("tests", []) if listing.returncode == 0 else []
    return [test["command"] for test in tests if "command" in test]


def unit(log):
    count = Count()
    commands = ctestCommands(BUILD)
    if not commands:
        count.fail("no unit tests found: is the build complete?")
    for command in commands:
        count.add(googleTest(command, log))
    return count


# The package has no __main__.
LIT = [PYTHON, "-c", "from lit.main import main; main()"]


def lit(log, paths=()):
    report = LOGS / "lit.json"
    report.unlink(missing_ok=True)
    status = run([*LIT, "-v", "-o", report, *(paths or [BUILD / "test"])],
                 log, 900)
    count = Count()
    try:
        tests = json.loads(report.read_text())["tests"]
    except (OSError, ValueError):
        tests = []
    for test in tests:
        if test["code"] in ("PASS", "XFAIL", "FLAKYPASS"):
            count.passed += 1
        elif test["code"] in ("UNSUPPORTED", "SKIPPED", "EXCLUDED"):
            count.skipped += 1
        else:
            count.fail(test["name"])
    if not tests or (status != 0 and not count.failed):
        count.fail(f"lit (exit status {status})")
    return count


def pytest(paths, name, log, extra=()):
    report = LOGS / f"{name}.xml"
    report.unlink(missing_ok=True)
    status = run([PYTHON, "-m", "pytest", "-q", "-rf", "--tb=short", f"--junitxml={report}",
                  *extra, *paths], log, 1800)
    count = Count()
    try:
        cases = xml.etree.ElementTree.parse(report).getroot().iter("testcase")
    except (OSError, xml.etree.ElementTree.ParseError):
        cases = []
    for case in cases:
        if case.find("failure") is not None or case.find("error") is not None:
            count.fail(f"{case.get('classname')}::{case.get('name')}")
        elif case.find("skipped") is not None:
            count.skipped += 1
        else:
            count.passed += 1
    if status != 0 and not count.failed:
        count.fail(f"{name} (pytest's exit status {status})")
    return count


def python(log):
    return pytest(["test/python"], "python", log)


def integration(log):
    return pytest(["test/integration"], "integration", log)


def kernels(log):
    """Random kernels on the CPU back end and the interpreter."""
    report = LOGS / "kernels.json"
    report.unlink(missing_ok=True)
    status = run([PYTHON, "fuzz/kernels/fuzz.py", "--seconds", str(FUZZ_SECONDS),
                  "--report", report], log, 300)
    count = Count()
    try:
        result = json.loads(report.read_text())
        count.passed = result["passed"]
        for name in result["failures"]:
            count.fail(name)
    except (OSError, ValueError):
        pass
    if status != 0 and not count.failed:
        count.fail(f"fuzz/kernels (exit status {status})")
    return count


def buildSanitized(targets, log):
    if not (ASAN / "build.ninja").exists():
        if run(["cmake", "--preset", "asan"], log, 300):
            return False
    return run(["ninja", "-C", ASAN, *targets], log, 1800) == 0


def sanitizers(log):
    """Front end, Sema and runtime under address and undefined-behaviour sanitizers."""
    count = Count()
    if not buildSanitized(SANITIZED, log):
        count.fail("build with sanitizers")
        return count
    # The prebuilt LLVM is not instrumented: containers that cross into it would be
    # reported as overflows.
    env = {"ASAN_OPTIONS": "detect_container_overflow=0:detect_leaks=0:abort_on_error=1",
           "UBSAN_OPTIONS": "print_stacktrace=1"}
    commands = {pathlib.Path(command[0]).name: command for command in ctestCommands(ASAN)}
    for name in SANITIZED:
        if name in commands:
            result = googleTest(commands[name], log, env)
            result.failures = [f"sanitizers: {failure}" for failure in result.failures]
            count.add(result)
        else:
            count.fail(f"{name} is not registered with ctest")
    return count


def parser(log):
    """libFuzzer on the parser, from the kernels in this repository."""
    count = Count()
    if not buildSanitized(["ParserFuzzer"], log):
        count.fail("build of ParserFuzzer")
        return count
    corpus = ASAN / "corpus"
    corpus.mkdir(exist_ok=True)
    binary = next(ASAN.rglob("ParserFuzzer"))
    env = {"ASAN_OPTIONS": "detect_container_overflow=0:detect_leaks=0"}
    status = run([binary, f"-max_total_time={FUZZ_SECONDS}", "-timeout=10", "-rss_limit_mb=2048",
                  "-max_len=4096", f"-artifact_prefix={LOGS}/", corpus, ROOT / "examples"],
                 log, FUZZ_SECONDS + 120, env)
    if status == 0:
        count.passed = 1
    else:
        count.fail(f"ParserFuzzer (exit status {status}; the input lies in build/logs)")
    return count


SUITES = {
    "unit": ("C++ unit tests", unit),
    "lit": ("IR and diagnostics (lit)", lit),
    "python": ("Python package", python),
    "integration": ("kernels on every back end", integration),
    "kernels": ("random kernels", kernels),
    "sanitizers": ("unit tests with sanitizers", sanitizers),
    "parser": ("parser fuzzing", parser),
}


def showEnd(log, lines=60):
    text = log.read_text(errors="replace").splitlines()
    for line in text[-lines:]:
        print(f"   | {line}")


def runSuites(names):
    total = Count()
    begin = time.monotonic()
    for name in names:
        title, suite = SUITES[name]
        log = LOGS / f"test-{name}.log"
        log.unlink(missing_ok=True)
        print(f"-- {title} ...", flush=True)
        start = time.monotonic()
        count = suite(log)
        print(f"   {count} ({time.monotonic() - start:.0f} s)", flush=True)
        if count.failed:
            for failure in count.failures[:40]:
                print(f"   FAILED {failure}")
            print(f"   The end of {log}:")
            showEnd(log)
            print("   What to do: run one alone with  make test T=NAME", flush=True)
        total.add(count)
    minutes, seconds = divmod(round(time.monotonic() - begin), 60)
    print(f"-- all suites: {minutes}:{seconds:02d}")
    (LOGS / "summary.txt").write_text(f"{total}\n")
    print(total)
    return total.failed


def runOne(name):
    """Runs one test with its output on the terminal."""
    path = ROOT / name.split("::")[0]
    if path.exists():
        relative = path.relative_to(ROOT)
        isPytest = str(relative).startswith(("test/python", "test/integration"))
        if isPytest:
            return subprocess.run([PYTHON, "-m", "pytest", "-v", name], cwd=ROOT).returncode
        inBuild = BUILD / relative
        return subprocess.run([*LIT, "-a", inBuild], cwd=ROOT).returncode
    for command in ctestCommands(BUILD):
        listing = subprocess.run([*command, "--gtest_list_tests"], capture_output=True, text=True)
        suite, names = "", []
        for line in listing.stdout.splitlines():
            if line.startswith("  "):
                names.append(suite + line.split("#")[0].strip())
            else:
                suite = line.split("#")[0].strip()
        if any(fnmatch.fnmatchcase(test, name) for test in names):
            return subprocess.run([*command, f"--gtest_filter={name}"], cwd=ROOT).returncode
    return subprocess.run([PYTHON, "-m", "pytest", "-v", "test", "-k", name], cwd=ROOT).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suites", default=" ".join(SUITES))
    parser.add_argument("--one", metavar="NAME")
    options = parser.parse_args()
    LOGS.mkdir(parents=True, exist_ok=True)
    os.environ["PATH"] = f"{ROOT}/.venv/bin:{os.environ['PATH']}"
    # The tests' compiled kernels stay out of the user's cache.
    os.environ["TRITON_CACHE_DIR"] = str(BUILD / "test-cache")
    if options.one:
        return runOne(options.one)
    names = options.suites.split()
    if unknown := [name for name in names if name not in SUITES]:
        print(f"no such suite: {' '.join(unknown)}; there are: {' '.join(SUITES)}")
        return 2
    return 1 if runSuites(names) else 0


if __name__ == "__main__":
    sys.exit(main())
