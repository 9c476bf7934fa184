"""Checks the tree: clang-format, clang-tidy over changed C++ files, Python that compiles,
files that are too long, trailing spaces.

    utils/lint.py          clang-tidy over the files that differ from the main branch
    utils/lint.py --all    clang-tidy over every file (slow)
"""

import ast
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MAX_LINES = 800
MAX_COLUMNS = 100
CXX = (".h", ".hpp", ".cpp", ".c")


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True,
                          text=True).stdout.splitlines()


def changedFiles():
    base = git("merge-base", "HEAD", "origin/main") or git("merge-base", "HEAD", "main")
    return set(git("diff", "--name-only", *base)) if base else set()


def lintText(name):
    problems = []
    text = (ROOT / name).read_text(errors="replace")
    lines = text.splitlines()
    if len(lines) > MAX_LINES:
        problems.append(f"{name}: {len(lines)} lines; split it (the limit is {MAX_LINES})")
    for number, line in enumerate(lines, 1):
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


def main():
    # The fuzzers' corpus is wrong on purpose.
    files = [name for name in git("ls-files")
             if (ROOT / name).is_file() and not name.startswith("fuzz/corpus/")]
    texts = [name for name in files
             if name.endswith((*CXX, ".py", ".td", ".md", ".txt", ".cmake", ".sh", ".mlir"))]
    problems = [problem for name in texts for problem in lintText(name)]
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
        tidy = subprocess.run(["clang-tidy-19", "-p", "build", "--quiet", *tidied], cwd=ROOT,
                              capture_output=True, text=True)
        problems += [line for line in tidy.stdout.splitlines()
                     if "warning:" in line or "error:" in line]
    print("\n".join(problems))
    print(f"{len(problems)} problems in {len(files)} files")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
