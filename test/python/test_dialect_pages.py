"""The pages that are generated of the dialects: every operation has a summary, a description and an
example, and examples parse and verify.

An example is the ```mlir block of an operation. Layouts that it names are those below; values that
it does not define are arguments of whatever type it takes them for. One that begins with a function
is a module's.
"""

import pathlib
import re
import subprocess

import pytest

import tritium

BUILD = pathlib.Path(tritium.__file__).absolute().parents[2]
COMMAND = BUILD / "bin" / "tritium-opt"
DIALECTS = ["dbg", "tt", "ttg", "ttng"]
OPERATION = re.compile(r"^### `(\S+)` \(.*?\)$(.*?)(?=^##)", re.MULTILINE | re.DOTALL)
EXAMPLE = re.compile(r"^```mlir\n(.*?)^```", re.MULTILINE | re.DOTALL)
BLOCKED = ("#ttg.blocked<{{sizePerThread = [{}], threadsPerWarp = [32], warpsPerCTA = [4], "
           "order = [0]}}>\n")
SHARED = "#ttg.shared<{{vec = {0}, perPhase = 1, maxPhase = {0}, order = {1}}}>\n"
LAYOUTS = ("#blocked = " + BLOCKED.format(1) + "#blocked1 = " + BLOCKED.format(2) +
           "#blocked2 = " + BLOCKED.format(4) +
           "#mma = #ttg.mma<{version = 2, warpsPerCTA = [4, 1]}>\n"
           "#shared = " + SHARED.format(8, [1, 0]) + "#shared_t = " + SHARED.format(8, [0, 1]) +
           "#shared1 = " + SHARED.format(1, [0]) + "#shared_plain = " + SHARED.format(1, [1, 0]))
OTHER_TYPE = re.compile(r"use of value '(%\w+)' expects different type than prior uses: '(.*?)' vs")


def operations():
    for dialect in DIALECTS:
        page = (BUILD / "docs" / f"{dialect}.md").read_text() + "\n## end\n"
        for name, text in OPERATION.findall(page):
            yield name, text.split("#### ")[0]


def complaint(example):
    """What tritium-opt says of an example in a kernel; nothing: it is right."""
    isWhole = example.startswith("tt.func")
    types = {}
    defined = set(re.findall(r"%\w+(?=:|(?:, %\w+)* = )", example))
    for name in dict.fromkeys(re.findall(r"%\w+", example)):
        if name not in defined and not isWhole:
            types[name] = "none"
    for _ in range(2 + len(types)):
        made = "".join(f'  {name} = "make"() : () -> {type}\n' for name, type in types.items())
        body = example if isWhole else ("tt.func private @example() {\n" + made + example +
                                        "  tt.return\n}\n")
        text = (LAYOUTS + 'module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 4 : i32} '
                "{\n" + body + "}\n")
        done = subprocess.run([COMMAND, "--allow-unregistered-dialect", "-o", "/dev/null"],
                              input=text, capture_output=True, text=True, timeout=100)
        if done.returncode == 0:
            return None
        other = OTHER_TYPE.search(done.stderr)
        if not other or types.get(other[1]) in (None, other[2]):
            return done.stderr
        types[other[1]] = other[2]
    return done.stderr


@pytest.mark.parametrize("name, text",
                         [pytest.param(*entry, id=entry[0]) for entry in operations()])
def test_operation(name, text):
    assert re.search(r"^_.+_$", text, re.MULTILINE), f"{name} has no summary"
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    prose = re.sub(r"^(_.*_|(Syntax|Traits|Interfaces|Effects):.*)$", "", prose, flags=re.MULTILINE)
    assert re.search(r"\w{3}", prose), f"{name} has no description"
    examples = EXAMPLE.findall(text)
    assert examples, f"{name} has no example"
    for example in examples:
        assert complaint(example) is None, complaint(example)


def test_wrong_example_is_found():
    assert "expected" in complaint("  ttg.async_wait {num = -1 : i32\n")
    assert "mbarrier_init_c2" in complaint(
        "  ttng.mbarrier_init %b, 0 : !ttg.memdesc<1xi64, #shared1, mutable>\n")
