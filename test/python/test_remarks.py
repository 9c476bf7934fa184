"""The examples of docs/remarks.md, and the ways to see remarks."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import textwrap

import pytest

import tritium as triton
import tritium.language as tl
from tritium.compiler import ASTSource, GPUTarget

ROOT = pathlib.Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "remarks.md").read_text()
BLOCKS = re.findall(r"^```python\n(.*?)^```\n+(?:> ([^\n]*)\n)?", PAGE, re.M | re.S)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The kernels of the page, by name."""
    path = tmp_path_factory.mktemp("remarks") / "page.py"
    definitions = "\n".join(code for code, _ in BLOCKS)
    definitions = re.sub(r"^remarks\(.*\)$", "", definitions, flags=re.M)
    path.write_text("import tritium as triton\nimport tritium.language as tl\n" + definitions)
    spec = importlib.util.spec_from_file_location("page", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compiled(kernel, signature, target=90, options=None, **constants):
    types, attributes = {}, {}
    names = [name for name in kernel.arg_names if name not in constants]
    for name, item in zip(names, signature.split(", "), strict=True):
        types[name], _, hint = item.partition(":")
        if hint:
            attributes[name] = [["tt.divisibility", int(hint)]]
    machine = ("cpu", target, 1) if isinstance(target, str) else ("cuda", target, 32)
    return triton.compile(ASTSource(kernel, types, constants, attributes), GPUTarget(*machine),
                          options)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_example(number, page):
    code, expected = BLOCKS[number]
    seen = []

    def remarks(kernel, signature, kind="missed", **arguments):
        options = {name: arguments.pop(name)
                   for name in ("num_warps", "num_stages", "num_ctas", "waves_per_eu",
                                "extern_libs") if name in arguments}
        target = arguments.pop("target", 90)
        seen.extend(r.message for r in compiled(kernel, signature, target, options,
                                                **arguments).remarks if r.kind == kind)

    (call,) = re.findall(r"^remarks\(.*\)$", code, re.M)
    eval(call, {**vars(page), "remarks": remarks})
    assert expected in seen


def test_nothing_where_all_is_well(page):
    kernel = compiled(page.copy, "*fp32:16, *fp32:16", BLOCK=1024)
    assert [r for r in kernel.remarks if r.kind != "applied"] == []


def test_counting_is_no_exchange():
    """Zeros that a histogram counts from are no tile that changes hands."""
    @triton.jit
    def count(x, out, n, BLOCK: tl.constexpr):
        b = tl.arange(0, 128)
        for i in range(n):
            tl.store(out + i * 128 + b, tl.histogram(tl.load(x + tl.arange(0, BLOCK)) + i, 128))

    kernel = compiled(count, "*i32:16, *i32:16, i32", BLOCK=1024)
    assert "ttg.local_count" in kernel.asm["ttgir"]
    assert [r for r in kernel.remarks if r.pass_ == "convert-layout"] == []


def test_a_promise_ends_a_remark(page):
    @triton.jit
    def promised(x, out, pitch, BLOCK: tl.constexpr):
        c = tl.arange(0, BLOCK)
        r = tl.multiple_of(tl.program_id(0) * tl.load(pitch), 8)
        tl.store(out + tl.program_id(0) * BLOCK + c, tl.load(x + r + c))

    kernel = compiled(promised, "*fp16:16, *fp16:16, *i32", BLOCK=4096)
    assert [r for r in kernel.remarks if r.kind != "applied"] == []


def test_fields(page):
    (remark,) = [r for r in compiled(page.shifted, "*fp32, *fp32:16", BLOCK=1024).remarks
                 if r.kind == "missed"]
    assert (remark.pass_, remark.arguments) == (
        "coalesce", {"access": "load", "bytes": "4", "possible": "16", "case": "narrow",
                     "elements": "4", "multiples": "x"})
    place, line, caret, end = remark.rendered.split("\n")
    assert place == (f"{remark.file}:{remark.line}:{remark.column}: remark: "
                     f"{remark.message} [coalesce]")
    assert line[remark.column - 1:].startswith("tl.load(x + i)") and end == ""
    assert caret == " " * (remark.column - 1) + "^"
    assert str(remark) == remark.rendered


@pytest.mark.parametrize("setting, shown", [("remarks", 1), ("applied", 1), ("warnings", 0),
                                            ("remarks,applied", 2)])
def test_variable(setting, shown, page, monkeypatch, capfd):
    monkeypatch.setenv("MLIR_ENABLE_DIAGNOSTICS", setting)
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    compiled(page.shifted, "*fp32, *fp32:16", BLOCK=1024)
    assert capfd.readouterr().err.count(": remark: ") == shown


def test_variable_when_the_kernel_comes_from_the_cache(page, tmp_path):
    """Each process prints, whether it compiles or finds what another one has compiled."""
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent("""
        import tritium as triton
        from tritium.compiler import ASTSource, GPUTarget
        import tritium.language as tl

        @triton.jit
        def shifted(x, out, BLOCK: tl.constexpr):
            i = tl.arange(0, BLOCK)
            tl.store(out + i, tl.load(x + i))

        source = ASTSource(shifted, {"x": "*fp32", "out": "*fp32"}, {"BLOCK": 1024},
                           {"out": [["tt.divisibility", 16]]})
        print(triton.compile(source, GPUTarget("cuda", 90, 32)).metadata.cached)
        """))
    environment = {**os.environ, "TRITON_CACHE_DIR": str(tmp_path / "cache")}
    environment.pop("TRITON_ALWAYS_COMPILE", None)
    shown = []
    for setting in ("remarks", "remarks", "applied", ""):
        run = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True,
                             env={**environment, "MLIR_ENABLE_DIAGNOSTICS": setting,
                                  "PYTHONPATH": os.pathsep.join(sys.path)})
        shown.append((run.stdout.strip(), run.stderr))
    (first, text), (second, again), (_, applied), (_, nothing) = shown
    assert (first, second) == ("False", "True")
    assert text.count("remark: ") >= 1 and "tl.load(x + i)" in text
    assert again == text and nothing == "" and applied not in ("", text)


def test_command(page):
    tool = pathlib.Path(triton.__file__).parents[2] / "bin" / "tritium"
    run = subprocess.run(
        [tool, "compile", page.__file__, "--kernel", "shifted", "--signature", "*fp32,*fp32:16",
         "--constexpr", "BLOCK=1024", "--target", "cuda:90", "--remarks", "-o", os.devnull],
        check=True, capture_output=True, text=True, env={**os.environ, "TRITON_CACHE_DIR": ""})
    assert run.stderr.count("remark: ") == 1
    assert "    tl.store(out + i, tl.load(x + i))\n                      ^\n" in run.stderr


