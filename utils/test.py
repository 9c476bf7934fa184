"""Runs the test suites and counts what passed.

    utils/test.py                      every suite
    utils/test.py --suites "unit lit"  some of them
    utils/test.py --one NAME           one test: a file under test/, a pytest id, or a
                                       GoogleTest filter such as Lexer.*

Logs go to build/logs, the counts of the whole run to build/logs/summary.txt. The exit
status is 0 only if nothing failed.
"""

import argparse
import concurrent.futures
import dataclasses
import fnmatch
import functools
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
ASAN = ROOT / "build-asan"
LOGS = BUILD / "logs"
PYTHON = ROOT / ".venv" / "bin" / "python"
# The package has no __main__, and its script holds the path at which the .venv was made.
LIT = [PYTHON, "-c", "from lit.main import main; main()"]
# What runs at once: CI's machine has two cores, and most parts of the suites use one.
WORKERS = 2
FUZZ_SECONDS = 20
SIMULATED = ("sm_80", "sm_90")
MUTANT_SECONDS = 40
FRESH_KERNELS = 500
MAX_SHOWN = 20
MAX_LINES_SHOWN = 25
SANITIZED = ("PythonParserTests", "PythonIRGenTests", "TritonCParserTests", "SemaTests",
             "SimulatorTests", "RuntimeTests")
# Tests of the bindings and of launches that run on an instrumented runtime.
BOUND = ("python/test_cache", "python/test_jit", "python/test_arguments", "python/test_simulator",
         "python/test_aliasing", "python/test_autotune", "python/test_torch",
         "python/test_streaming", "python/test_triton_c", "python/test_launch_conditions",
         "integration/test_memory")
# They show the simulator all memory of the process, and with it the sanitizer's own.
WHOLE_MEMORY = ("test_pointers_in_memory", "test_addresses_of_the_host")
WHOLE_MEMORY_THREADED = "HostTest.SimulatedGPU"
THREADED = ("CAPITests", "RuntimeTests")
# With the longest input, and the folder of first inputs.
FUZZERS = {"parser-fuzzer": (4096, "parser"), "frontend-fuzzer": (600, "parser"),
           "triton-c-fuzzer": (4096, "triton-c"), "simulator-fuzzer": (1 << 20, "ptx")}
# The prebuilt LLVM and clang are not instrumented: containers and arenas that cross into
# them would be reported. An allocation that fails answers null, as tests of it expect.
ASAN_OPTIONS = ("detect_container_overflow=0:allow_user_poisoning=0:detect_leaks=0:"
                "allocator_may_return_null=1")


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

    def fail(self, name, detail=""):
        self.failed += 1
        self.failures.append((name, detail))

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


def atOnce(parts, log):
    """Runs the parts of a suite, WORKERS at a time: (name, function of its log) each. What they
    counted; their logs stand in `log`, one behind the other."""
    def one(part):
        name, work = part
        own = log.with_name(f"{log.stem}-{name}.log")
        own.unlink(missing_ok=True)
        own.touch()
        return own, work(own)

    count = Count()
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        for own, each in pool.map(one, parts):
            count.add(each)
            with open(log, "ab") as out:
                out.write(own.read_bytes())
    return count


def googleTests(programs, env=None):
    """Parts that run every case of some GoogleTest programs."""
    return [(pathlib.Path(program).name, functools.partial(googleTest, program, env=env))
            for program in programs]


def googleTest(program, log, env=None):
    """Runs every case of a GoogleTest program."""
    name = pathlib.Path(program).name
    report = LOGS / f"{name}.json"
    report.unlink(missing_ok=True)
    status = run([program, f"--gtest_output=json:{report}"], log, 900, env)
    count = Count()
    try:
        suites = json.loads(report.read_text())["testsuites"]
    except (OSError, ValueError):
        suites = []
    for case in (case for suite in suites for case in suite["testsuite"]):
        if case.get("failures"):
            detail = "\n".join(failure["failure"] for failure in case["failures"])
            count.fail(f"{name}: {case['classname']}.{case['name']}", detail)
        elif case.get("result") == "SKIPPED" or case["status"] == "NOTRUN":
            count.skipped += 1
        else:
            count.passed += 1
    if status != 0 and not count.failed:
        count.fail(f"{name} (exit status {status})", end(log))
    return count


def plainTest(command, log):
    """Runs a program that is one test: it passes if it exits with 0."""
    count = Count()
    status = run(command, log, 900)
    if status == 0:
        count.passed += 1
    else:
        count.fail(f"{pathlib.Path(command[0]).name} (exit status {status})", end(log))
    return count


def end(log, lines=40):
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])


def registeredTests(build):
    """GoogleTest programs and the commands of other tests, as CMake registered them."""
    listing = subprocess.run(
        ["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True)
    tests = json.loads(listing.stdout).get("tests", []) if listing.returncode == 0 else []
    commands = [test["command"] for test in tests if "command" in test]
    # CMake registers each case of a GoogleTest program; one run of the program has them all.
    isCase = [any(word.startswith("--gtest_filter") for word in command) for command in commands]
    programs = dict.fromkeys(command[0] for command, case in zip(commands, isCase) if case)
    return list(programs), [command for command, case in zip(commands, isCase) if not case]


def unit(log):
    programs, others = registeredTests(BUILD)
    # lit is a suite of its own.
    others = [command for command in others
              if "lit" not in pathlib.Path(command[0]).name and "lit.main" not in command]
    parts = googleTests(programs) + [(str(i), functools.partial(plainTest, command))
                                     for i, command in enumerate(others)]
    count = atOnce(parts, log)
    if not programs:
        count.fail("no unit tests found: is the build complete?")
    return count


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
            count.fail(test["name"], test.get("output", ""))
    if not tests or (status != 0 and not count.failed):
        count.fail(f"lit (exit status {status})", end(log))
    return count


def pytest(paths, name, log, extra=(), env=None, program=("-m", "pytest")):
    report = LOGS / f"{name}.xml"
    report.unlink(missing_ok=True)
    status = run([PYTHON, *program, "-q", "-rf", "--tb=short", f"--junitxml={report}",
                  *extra, *paths], log, 1800, env)
    count = Count()
    try:
        cases = xml.etree.ElementTree.parse(report).getroot().iter("testcase")
    except (OSError, xml.etree.ElementTree.ParseError):
        cases = []
    for case in cases:
        failure = case.find("failure")
        failure = failure if failure is not None else case.find("error")
        if failure is not None:
            count.fail(f"{case.get('classname')}::{case.get('name')}", failure.text or "")
        elif case.find("skipped") is not None:
            count.skipped += 1
        else:
            count.passed += 1
    if status != 0 and not count.failed:
        count.fail(f"{name} (pytest's exit status {status})", end(log))
    return count


def sharedPytest(paths, name, log, extra=(), env=None):
    """As pytest(), in processes that share the files of tests."""
    claims = LOGS / f"claims-{name}"
    shutil.rmtree(claims, ignore_errors=True)
    claims.mkdir()
    program = ["utils/share_tests.py", str(claims)]
    return atOnce([(str(i), lambda own, i=i: pytest(paths, f"{name}-{i}", own, extra, env, program))
                   for i in range(WORKERS)], log)


def python(log):
    return sharedPytest(["test/python"], "python", log)


def integration(log):
    return sharedPytest(["test/integration"], "integration", log)


def simulator(log):
    """The integration suite's kernels on simulated GPUs, one process for each; then, whether
    it is found that one of their barriers, waits or masks is missing."""
    launches = LOGS / "launches"
    shutil.rmtree(launches, ignore_errors=True)
    launches.mkdir()

    def one(name, own):
        backend = f"sim:{name}"
        # -k: what does not ask for a back end is about the host, and has run already.
        return pytest(["test/integration"], f"simulator-{name}", own, ["-k", backend],
                      {"TRITIUM_TEST_BACKENDS": backend,
                       "TRITIUM_SIM_RECORD": str(launches) if name == SIMULATED[0] else ""})

    count = atOnce([(name, functools.partial(one, name)) for name in SIMULATED], log)
    count.add(plainTest([BUILD / "bin" / "ptx-mutants", launches, "--seconds", str(MUTANT_SECONDS),
                         "--least", "95"], log))
    return count


def seedOfCommit():
    """A number that each commit has of its own; without git, each state of the sources."""
    head = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True, text=True)
    if head.returncode == 0:
        return int(head.stdout[:8], 16)
    digest = hashlib.sha256()
    for folder in ("include", "lib", "runtime", "python", "fuzz"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(path.read_bytes())
    return int(digest.hexdigest()[:8], 16)


def kernels(log):
    """Random kernels on the CPU back end, on simulated GPUs and on the interpreter against NumPy,
    and against a C compiler."""
    fresh = ["--seed", str(seedOfCommit()), "--count", str(FRESH_KERNELS)]
    print(f"   This commit's kernels: fuzz/kernels/fuzz.py {' '.join(fresh)}\n"
          f"   and in C: fuzz/kernels/against_c.py {' '.join(fresh[:2])} --count 100", flush=True)
    everywhere = ["--backends", "interpret,cpu,sim:sm_80,sim:sm_90"]
    # Always the same seeds, so that a change that breaks one is found by the run that tests it,
    # and beside them new ones for each commit.
    runs = [("fuzz.py", ["--kind", "device", "--seed", "1", "--count", "200"], {}),
            ("fuzz.py", ["--kind", "device", "--seed", "1001", "--count", "200"], {}),
            ("fuzz.py", ["--kind", "tiles", "--seed", "1", "--count", "300"], {}),
            ("fuzz.py", ["--kind", "language", "--seed", "1", "--count", "150"], {}),
            ("fuzz.py", ["--kind", "indices", "--seed", "1", "--count", "500", *everywhere], {}),
            ("fuzz.py", fresh, {}),
            ("against_c.py", ["--seed", "1", "--count", "100"], {"TRITIUM_BACKEND": "interpret"}),
            ("against_c.py", ["--seed", "1", "--count", "100"], {"TRITIUM_BACKEND": "cpu"}),
            ("against_c.py", [*fresh[:2], "--count", "100"], {"TRITIUM_BACKEND": "cpu"})]

    def one(i, script, arguments, env, own):
        report = LOGS / f"kernels-{i}.json"
        report.unlink(missing_ok=True)
        status = run([PYTHON, f"fuzz/kernels/{script}", *arguments, "--report", report], own, 1200,
                     env)
        result = {"passed": 0, "failures": []}
        try:
            result = json.loads(report.read_text())
        except (OSError, ValueError):
            pass
        count = Count(passed=result["passed"])
        for name in result["failures"]:
            count.fail(f"{script}: {name}")
        if status != 0 and not count.failed:
            count.fail(f"fuzz/kernels/{script} (exit status {status})", end(own))
        return count

    return atOnce([(str(i), functools.partial(one, i, *each)) for i, each in enumerate(runs)], log)


def buildSanitized(targets, log):
    if not (ASAN / "build.ninja").exists():
        if run(["cmake", "--preset", "asan"], log, 300):
            return False
    return run(["ninja", "-C", ASAN, *targets], log, 3600) == 0


def instrumented(log):
    """The front ends, Sema, the simulator and the runtime, all instrumented, by themselves."""
    if not buildSanitized(SANITIZED, log):
        count = Count()
        count.fail("build with sanitizers", end(log))
        return count
    env = {"ASAN_OPTIONS": f"{ASAN_OPTIONS}:abort_on_error=1",
           "UBSAN_OPTIONS": "print_stacktrace=1"}
    return atOnce(googleTests([ASAN / "bin" / name for name in SANITIZED], env), log)


def sanitizerLibrary(name):
    found = subprocess.run(["clang++-19", f"-print-file-name=libclang_rt.{name}-x86_64.so"],
                           capture_output=True, text=True)
    return found.stdout.strip()


def bound(log):
    """Python on instrumented bindings and an instrumented runtime; kernels run on the CPU."""
    env = {"ASAN_OPTIONS": f"{ASAN_OPTIONS}:abort_on_error=1",
           "UBSAN_OPTIONS": "print_stacktrace=1",
           "LD_PRELOAD": sanitizerLibrary("asan"), "PYTHONPATH": str(BUILD / "python-asan")}
    select = f"not ({' or '.join(WHOLE_MEMORY)}) and (cpu or not integration)"

    return sharedPytest([f"test/{name}.py" for name in BOUND], "sanitizers", log, ["-k", select],
                        env)


def threaded(log):
    """Launches and compilations from many threads; a race that is seen is the exit status."""
    env = {"TSAN_OPTIONS": "allocator_may_return_null=1:second_deadlock_stack=1:"
                           f"suppressions={ROOT}/utils/tsan.supp",
           "GTEST_FILTER": f"-{WHOLE_MEMORY_THREADED}"}
    return atOnce(googleTests([BUILD / "bin" / f"{name}-tsan" for name in THREADED], env), log)


def sanitizers(log):
    """Address, undefined behaviour and threads."""
    targets = ["tritium_python-asan", *(f"{name}-tsan" for name in THREADED)]
    if run(["ninja", "-C", BUILD, *targets], log, 3600) != 0:
        count = Count()
        count.fail("build of the instrumented runtime", end(log))
        return count
    count = bound(log)
    count.add(threaded(log))
    count.add(instrumented(log))
    return count


def parser(log):
    """libFuzzer on the parsers and on the whole front end of Python's syntax."""
    if not buildSanitized(FUZZERS, log):
        count = Count()
        count.fail("build of the fuzzers", end(log))
        return count
    env = {"ASAN_OPTIONS": ASAN_OPTIONS}

    def one(name, length, corpus, own):
        seeds = ROOT / "fuzz" / "corpus" / corpus
        found = ASAN / f"corpus-{name}"
        found.mkdir(exist_ok=True)
        options = [f"-max_total_time={FUZZ_SECONDS}", "-timeout=20", "-rss_limit_mb=4096",
                   f"-max_len={length}", f"-artifact_prefix={LOGS}/{name}-"]
        status = run([ASAN / "bin" / name, *options, found, seeds], own, FUZZ_SECONDS + 120, env)
        count = Count(passed=int(status == 0))
        if status != 0:
            count.fail(f"{name} (exit status {status}; the input lies in build/logs)", end(own))
        return count

    return atOnce([(name, functools.partial(one, name, *each)) for name, each in FUZZERS.items()],
                  log)


SUITES = {
    "unit": ("C++ unit tests", unit),
    "lit": ("IR and diagnostics (lit)", lit),
    "python": ("Python package", python),
    "integration": ("kernels on every back end", integration),
    "simulator": ("kernels on simulated GPUs", simulator),
    "kernels": ("random kernels", kernels),
    "sanitizers": ("unit tests, bindings and threads with sanitizers", sanitizers),
    "parser": ("parser fuzzing", parser),
}


def showFailures(count, log):
    for name, detail in count.failures[:MAX_SHOWN]:
        print(f"   FAILED {name}")
        for line in detail.strip().splitlines()[-MAX_LINES_SHOWN:]:
            print(f"   | {line}")
    if count.failed > MAX_SHOWN:
        print(f"   ... and {count.failed - MAX_SHOWN} more")
    print(f"   The whole output: {log}\n   One test alone: make test T=NAME", flush=True)


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
            showFailures(count, log)
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
    for program in registeredTests(BUILD)[0]:
        listing = subprocess.run([program, "--gtest_list_tests"], capture_output=True, text=True)
        suite, names = "", []
        for line in listing.stdout.splitlines():
            if line.startswith("  "):
                names.append(suite + line.split("#")[0].strip())
            else:
                suite = line.split("#")[0].strip()
        if any(fnmatch.fnmatchcase(test, name) for test in names):
            return subprocess.run([program, f"--gtest_filter={name}"], cwd=ROOT).returncode
    return subprocess.run([PYTHON, "-m", "pytest", "-v", "test", "-k", name], cwd=ROOT).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suites", default=" ".join(SUITES))
    parser.add_argument("--one", metavar="NAME")
    options = parser.parse_args()
    LOGS.mkdir(parents=True, exist_ok=True)
    os.environ["PATH"] = f"{ROOT}/.venv/bin:{os.environ['PATH']}"
    # Every pass's output is verified.
    os.environ["TRITIUM_VERIFY"] = "1"
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
