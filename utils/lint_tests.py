"""Finds tests that cannot fail, or fail by chance: with no assertion, the same as another, timed.

    utils/lint_tests.py        prints what it finds in test/ and unittests/

A test asserts if it, or a function of the same folder or of what that imports from `support`, has
an assertion. Lit files check what comes out against text of their own; a file that is another's
but for its RUN lines should be one file with several RUN lines. Unit tests count work: how long
something takes, bench/ measures.
"""

import ast
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
GTEST = re.compile(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)\s*\{", re.M)
CXX_FUNCTION = re.compile(r"^[\w:<>,&*~ \[\]]*?\b(\w+)\([^;]*?\)(?: const)?(?: override)? \{", re.M)
# Raw strings, strings, characters, comments.
CXX_TEXT = re.compile(r'''R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+'|//[^\n]*''',
                      re.S)
CXX_ASSERTS = re.compile(r"\b(?:EXPECT|ASSERT)_\w+\(|\b(?:FAIL|ADD_FAILURE|GTEST_FAIL)\(")
# A span of time as a number; a deadline for something that waits is none.
CLOCK = re.compile(r"\bchrono::duration<(?:double|float)\b|\bduration_cast\b")


def withoutTexts(source):
    """The same lines with strings, characters and comments blank."""
    return CXX_TEXT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), source)


def bodyFrom(text, brace):
    """The text from a brace to the one that closes it."""
    depth = 0
    for i in range(brace, len(text)):
        depth += (text[i] == "{") - (text[i] == "}")
        if depth == 0:
            return text[brace:i + 1]
    return text[brace:]


def closure(asserting, calls):
    """The names that assert, themselves or through what they call."""
    known = set(asserting)
    while True:
        more = {name for name, called in calls.items() if name not in known and called & known}
        if not more:
            return known
        known |= more


def cxxProblems(folder):
    """GoogleTest cases of one folder."""
    texts = {path: withoutTexts(path.read_text()) for path in sorted(folder.iterdir())
             if path.suffix in (".cpp", ".h")}
    calls, asserting = collections.defaultdict(set), set()
    for text in texts.values():
        for match in CXX_FUNCTION.finditer(text):
            body = bodyFrom(text, match.end() - 1)
            calls[match[1]] |= set(re.findall(r"\b(\w+)\s*(?:<[^;()]*>)?\(", body))
            if CXX_ASSERTS.search(body):
                asserting.add(match[1])
    known = closure(asserting, calls)
    for path, text in texts.items():
        for match in GTEST.finditer(text):
            body = bodyFrom(text, match.end() - 1)
            called = set(re.findall(r"\b(\w+)\s*(?:<[^;()]*>)?\(", body))
            if not CXX_ASSERTS.search(body) and not called & known:
                line = text[:match.start()].count("\n") + 1
                yield path, line, f"{match[1]}.{match[2]} asserts nothing"
        if found := CLOCK.search(text):
            line = text[:found.start()].count("\n") + 1
            yield path, line, "a unit test measures time: count work, or measure in bench/"


def nameOf(function):
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def asserts(node):
    """Whether a function's own text can fail a test."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Assert):
            return True
        if isinstance(inner, ast.Call):
            name = nameOf(inner.func)
            if name in ("raises", "warns", "fail") or name.startswith("assert_"):
                return True
            # A subprocess whose exit status counts.
            if any(k.arg == "check" and getattr(k.value, "value", False) for k in inner.keywords):
                return True
    return False


def pythonProblems(folder):
    """Tests of pytest in one folder."""
    functions = [(path, node) for path in sorted(folder.glob("*.py"))
                 for node in ast.walk(ast.parse(path.read_text()))
                 if isinstance(node, ast.FunctionDef)]
    calls, asserting = collections.defaultdict(set), set()
    for _, node in functions:
        calls[node.name] |= {nameOf(inner.func) for inner in ast.walk(node)
                             if isinstance(inner, ast.Call)}
        if asserts(node):
            asserting.add(node.name)
    # A name that several files have asserts only where its own text does.
    known = closure({name for name in asserting if not name.startswith("test")}, calls)
    for path, node in functions:
        called = {nameOf(inner.func) for inner in ast.walk(node) if isinstance(inner, ast.Call)}
        if node.name.startswith("test_") and not asserts(node) and not called & known:
            yield path, node.lineno, f"{node.name} asserts nothing"


def litProblems(folder):
    """Lit files: each checks something, and no two are the same."""
    contents = {}
    for path in sorted(path for path in folder.rglob("*") if path.suffix in (".mlir", ".test")):
        if "Inputs" in path.parts:
            continue
        lines = path.read_text().splitlines()
        runs = "\n".join(line for line in lines if "RUN:" in line)
        if not re.search(r"FileCheck|verify-diagnostics|\bnot\b", runs):
            yield path, 1, ("compares with nothing of its own: FileCheck or -verify-diagnostics "
                            "say what is expected")
        rest = "\n".join(line for line in lines if "RUN:" not in line)
        if rest in contents:
            yield path, 1, (f"is {contents[rest].name} but for its RUN lines: make it another "
                            f"RUN line there")
        contents.setdefault(rest, path)


def problems(root=ROOT):
    """What is wrong, one line each."""
    found = [*litProblems(root / "test")]
    for folder in ("python", "integration"):
        found += pythonProblems(root / "test" / folder)
    for folder in sorted(path.parent for path in (root / "unittests").rglob("CMakeLists.txt")):
        found += cxxProblems(folder)
    return [f"{path.relative_to(root)}:{line}: {message}" for path, line, message in found]


if __name__ == "__main__":
    found = problems()
    print("\n".join(found) or "every test can fail")
    sys.exit(bool(found))
