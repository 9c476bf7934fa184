"""docs/passes: every pass has a page, whose examples are what the pass does.

An example is a line `tritium-opt OPTIONS` turns, a block of IR, into, and a second block. The lines
of the second must be printed for the first, neighbours as neighbours; a line `...` stands for any
number of them, and the module around is left out. Names of values and layouts may be any, but are
the same where the page's are.
"""

import pathlib
import re
import subprocess

import pytest

import tritium

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = pathlib.Path(tritium.__file__).absolute().parents[2] / "bin" / "tritium-opt"
PAGES = sorted((ROOT / "docs" / "passes").glob("*.md"))
EXAMPLE = re.compile(r"`tritium-opt ([^`]*)` turns\n+```mlir\n(.*?)```\n+into\n+```mlir\n(.*?)```",
                     re.DOTALL)
NAME = re.compile(r"[%#][A-Za-z_]\w*(?![\w.])|%\d+")


def tritium_opt(options, text):
    done = subprocess.run([COMMAND, *options.split()], input=text, capture_output=True, text=True,
                          timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stdout


def lines(text):
    stripped = [line.strip() for line in text.splitlines()]
    return [line for line in stripped if line and not line.startswith("module")]


def match_line(expected, found, bound):
    """Whether the lines are the same under `bound`, names of the page to names in the output;
    returns it with the names that are new, or None."""
    bound = dict(bound)
    split_expected, split_found = NAME.split(expected), NAME.split(found)
    if split_expected != split_found:
        return None
    for ours, theirs in zip(NAME.findall(expected), NAME.findall(found)):
        if bound.setdefault(ours, theirs) != theirs:
            return None
    return bound


def difference(expected, found):
    """The first line of `expected` that `found` lacks, or None."""
    at, bound = 0, {}
    blocks = [lines(block) for block in re.split(r"^\s*\.\.\.\s*$", expected, flags=re.MULTILINE)]
    for block in filter(None, blocks):
        furthest = 0
        for start in range(at, len(found) - len(block) + 1):
            names = bound
            for number, line in enumerate(block):
                names = match_line(line, found[start + number], names)
                if names is None:
                    furthest = max(furthest, number)
                    break
            else:
                at, bound = start + len(block), names
                break
        else:
            return block[furthest]
    return None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples(page):
    text = page.read_text()
    assert text.startswith(f"# {page.stem}\n")
    examples = EXAMPLE.findall(text)
    assert examples and len(examples) == text.count("```mlir") // 2
    for options, before, after in examples:
        assert f"--{page.stem}" in options
        printed = tritium_opt(options, before)
        missing = difference(after, lines(printed))
        assert missing is None, f"'{missing}' is not printed:\n{printed}"


def test_every_pass_has_a_page():
    declared = [name for path in (ROOT / "include").glob("**/Passes.td")
                for name in re.findall(r': Pass<"([^"]*)"', path.read_text())]
    assert len(declared) >= 18 and sorted(declared) == sorted(page.stem for page in PAGES)


def test_what_is_not_printed_is_found():
    found = lines("%0 = a %1\n%2 = b %0 {c = #ttg.x<1>}\nend")
    assert difference("%p = a %q\n%r = b %p {c = #ttg.x<1>}\n", found) is None
    assert difference("%p = a %q\n...\nend", found) is None
    assert difference("%p = a %q\n%r = b %q {c = #ttg.x<1>}", found) == "%r = b %q {c = #ttg.x<1>}"
    assert difference("%p = a %q\nend", found) == "end"
    assert difference("%p = a %q\n%r = b %p {c = #ttg.x<2>}", found) is not None
