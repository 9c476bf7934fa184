"""The shape of the tree: tests lie where what they test lies, and nothing of the core is long.

A folder of unittests/ or test/ has the path of a folder of lib/, or of runtime/, whatever the case
of its letters; each pass of a dialect has a file test/Dialect/<dialect>/<pass>.mlir. A file of the
core has at most 500 lines, a function 80.
"""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORE = ("include/", "lib/", "runtime/", "tools/", "python/bindings/")
MAX_LINES, MAX_LINES_OF_CORE, MAX_FUNCTION = 800, 500, 80
# Suites that run the whole, and what tests read.
WHOLE = {"test/Acceptance", "test/integration", "test/python"}
DATA = {"Inputs", "ptx"}
TESTS = {".cpp", ".mlir", ".test"}
PASS = re.compile(r'Pass<"(?:tt-|ttg-|ttng-)?([\w-]+)"')
# Strings and characters hide braces; so do comments.
TEXT = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'|//[^\n]*', re.S)
FUNCTION = re.compile(r"^ {0,4}[\w:<>,&*~ \[\]]*?\b(\w+)\([^;{}]*?\)"
                      r"(?: const)?(?: override| final)?(?:\s*:[^;{]*)?\s*\{\n", re.M)
STATEMENTS = ("if", "for", "while", "switch")


def mirrorProblems(root=ROOT):
    """Tests that lie elsewhere than what they test, and passes without one."""
    code = {path.relative_to(root / "lib").as_posix().lower()
            for path in (root / "lib").rglob("*") if path.is_dir()}
    code |= {path.relative_to(root).as_posix().lower()
             for path in [root / "runtime", *(root / "runtime").rglob("*")] if path.is_dir()}
    for top in ("unittests", "test"):
        folders = {path.parent for path in (root / top).rglob("*") if path.suffix in TESTS}
        for folder in sorted(folders):
            name = folder.relative_to(root).as_posix()
            if (name not in WHOLE and folder.name not in DATA
                    and folder.relative_to(root / top).as_posix().lower() not in code):
                yield f"{name}: no folder of lib/ or runtime/ is called so; tests mirror those"
    for table in sorted((root / "include" / "tritium" / "Dialect").glob("*/Transforms/Passes.td")):
        dialect = table.parent.parent.name
        for name in PASS.findall(table.read_text()):
            test = f"test/Dialect/{dialect}/{name}.mlir"
            if not (root / test).exists():
                yield f"{table.relative_to(root)}: pass '{name}' has no {test}"


def lengthProblems(name, text):
    """What of a file is too long."""
    lines, isCore = text.count("\n"), name.startswith(CORE)
    limit = MAX_LINES_OF_CORE if isCore else MAX_LINES
    if lines > limit:
        yield f"{name}: {lines} lines; split it (the limit is {limit})"
    if not isCore or not name.endswith((".cpp", ".hpp", ".h", ".c")):
        return
    code = TEXT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    for match in FUNCTION.finditer(code):
        if match[1] in STATEMENTS:
            continue
        depth, end = 1, match.end()
        while depth and end < len(code):
            depth += (code[end] == "{") - (code[end] == "}")
            end += 1
        length = code.count("\n", match.start(), end) + 1
        if length > MAX_FUNCTION:
            first = code.count("\n", 0, match.start()) + 1
            yield (f"{name}:{first}: {match[1]} has {length} lines; split it "
                   f"(the limit is {MAX_FUNCTION})")
