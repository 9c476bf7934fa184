"""Checks the tree: clang-format, clang-tidy over changed C++ files, Python that compiles,
trailing spaces, tests that cannot fail (lint_tests.py), includes that docs/architecture.md does not
allow (lint_includes.py), tests that lie elsewhere than what they test and files and functions that
are too long (lint_structure.py).

    utils/lint.py          clang-tidy over the files that differ from the main branch
    utils/lint.py --all    clang-tidy over every file (slow)

What clang-tidy says of a file is kept in build/lint until the file, a header of ours that it
includes, its command or the settings change.
"""

import ast
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

import lint_includes
import lint_structure
import lint_tests

ROOT = pathlib.Path(__file__).resolve().parent.parent
MAX_COLUMNS = 100
CXX = (".h", ".hpp", ".cpp", ".c")


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True,
                          text=True).stdout.splitlines()


@functools.cache
def changedFiles():
    base = git("merge-base", "HEAD", "origin/main") or git("merge-base", "HEAD", "main")
    return set(git("diff", "--name-only", *base)) if base else set()


def lintText(name):
    text = (ROOT / name).read_text(errors="replace")
    problems = list(lint_structure.lengthProblems(name, text))
    for number, line in enumerate(text.splitlines(), 1):
        if line != line.rstrip():
            problems.append(f"{name}:{number}: trailing space")
        # IR inside of unit tests stays on lines of its own length.
        if (len(line) > MAX_COLUMNS and name.endswith((*CXX, ".py"))
                and not name.endswith("Test.cpp")):
            problems.append(f"{name}:{number}: {len(line)} columns (the limit is {MAX_COLUMNS})")
    if name.endswith(".py"):
        try:
            ast.parse(text, name)
        except SyntaxError as error:
            problems.append(f"{name}:{error.lineno}: {error.msg}")
    return problems


@functools.cache
def contentHash(path):
    path = pathlib.Path(path)
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "none"


def headersOfSources():
    """By source file: the files of the tree that it includes, as the last build saw it."""
    listed = subprocess.run(["ninja", "-C", "build", "-t", "deps"], cwd=ROOT, capture_output=True,
                            text=True).stdout
    build, inside = str(ROOT / "build"), str(ROOT) + os.sep
    headers, paths = {}, []
    for line in [*listed.splitlines(), ""]:
        if line.startswith("    /usr/"):
            continue
        if line.startswith(" "):
            path = os.path.normpath(os.path.join(build, line.strip()))
            if path.startswith(inside):
                paths.append(path)
        elif paths:
            headers[paths[0]] = sorted(paths)
            paths = []
    return headers


class Tidy:
    """clang-tidy with its answers of before."""

    def __init__(self):
        self.folder = ROOT / "build" / "lint"
        self.folder.mkdir(parents=True, exist_ok=True)
        commands = ROOT / "build" / "compile_commands.json"
        self.commands = {os.path.normpath(entry["file"]): entry.get("command")
                         for entry in json.loads(commands.read_text())}
        self.headers = headersOfSources()
        self.version = subprocess.run(["clang-tidy-19", "--version"], capture_output=True,
                                      text=True).stdout

    def key(self, source):
        parts = [self.version, self.commands.get(source), contentHash(ROOT / ".clang-tidy")]
        parts += [f"{path}: {contentHash(path)}" for path in self.headers.get(source, [source])]
        return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()

    def __call__(self, name):
        """Problems of one file."""
        source = str(ROOT / name)
        kept = self.folder / self.key(source)
        if kept.exists():
            return json.loads(kept.read_text())
        tidy = subprocess.run(["clang-tidy-19", "-p", "build", "--quiet", name], cwd=ROOT,
                              capture_output=True, text=True)
        problems = [line for line in tidy.stdout.splitlines()
                    if "warning:" in line or "error:" in line]
        # Without the build's headers nobody knows when the answer ends to be true.
        if source in self.headers:
            kept.write_text(json.dumps(problems))
        return problems


# Where the product's code stands; tests set variables by name.
PRODUCT = ("include/", "lib/", "runtime/", "tools/", "python/")
SETTINGS = "include/tritium/Support/Settings.def"
# Variables of the system, which are none of ours.
SYSTEM = r'getenv\("(?:HOME|PATH)"\)'


def settingProblems(files):
    """The environment is read through the table of settings, and nowhere else."""
    names = re.findall(r'^SETTING\(\w+, "(\w+)"', (ROOT / SETTINGS).read_text(), re.M)
    quoted = re.compile("[\"'](?:" + "|".join(names) + ")[\"']")
    for name in files:
        if not name.startswith(PRODUCT) or name == SETTINGS or not name.endswith((*CXX, ".py")):
            continue
        for number, line in enumerate((ROOT / name).read_text().splitlines(), 1):
            isRead = re.search(r"getenv\(", re.sub(SYSTEM, "", line))
            if isRead and name != "lib/Support/Settings.cpp":
                yield f"{name}:{number}: getenv outside of Support/Settings"
            if quoted.search(line):
                yield f"{name}:{number}: a variable by its name; use Support/Settings (or knobs)"


# What the runtime may not name outside of the folder of a back end.
BACKENDS = re.compile(r'\b(?:cuda|simulator)::|\bk(?:CUDA|Simulator)\b|"(?:cuda|sim)[:"]|'
                      r'TRITIUM_CUDA_MEMORY|#include "(?:\.\./)*backends/')


def backendProblems(files):
    """Machines are known to the runtime through Backend.h, and by no name."""
    for name in files:
        if (not name.startswith("runtime/") or name.startswith("runtime/backends/")
                or not name.endswith(CXX)):
            continue
        for number, line in enumerate((ROOT / name).read_text().splitlines(), 1):
            if BACKENDS.search(line):
                yield f"{name}:{number}: a back end by its name; ask through runtime/Backend.h"


def main():
    # The fuzzers' corpus is wrong on purpose.
    files = [name for name in git("ls-files")
             if (ROOT / name).is_file() and not name.startswith("fuzz/corpus/")]
    texts = [name for name in files
             if name.endswith((*CXX, ".py", ".td", ".md", ".txt", ".cmake", ".sh", ".mlir"))]
    problems = [problem for name in texts for problem in lintText(name)] + lint_tests.problems()
    problems += [*settingProblems(files), *backendProblems(files),
                 *lint_includes.problems(files), *lint_structure.mirrorProblems()]
    sources = [name for name in files if name.endswith(CXX)]
    formatted = subprocess.run(["clang-format-19", "--dry-run", "--Werror", *sources], cwd=ROOT,
                               capture_output=True, text=True)
    if formatted.returncode:
        names = sorted({line.split(":")[0] for line in formatted.stderr.splitlines()
                        if ": error:" in line})
        problems += [f"{name}: not formatted (make format)" for name in names]
    tidied = [name for name in sources if name.endswith(".cpp")
              and ("--all" in sys.argv or name in changedFiles())]
    if tidied:
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for found in pool.map(Tidy(), tidied):
                problems += found
    problems = list(dict.fromkeys(problems))
    print("\n".join(problems))
    print(f"{len(problems)} problems in {len(files)} files")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
