"""Commands and programs in the tutorial and on the page for C++ programmers do what they say."""

import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]
TUTORIAL = (ROOT / "docs" / "triton-c-tutorial.md").read_text()
KERNELS = ROOT / "examples" / "triton-c"


def blocks(language, text=TUTORIAL):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


def squeezed(text):
    return re.sub(r"\s+", " ", text).strip()


@pytest.mark.parametrize("command", blocks("sh"))
def test_command(command, tmp_path):
    path = f"{ROOT / 'build' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, text=True, capture_output=True,
                          timeout=300, env={**os.environ, "PATH": path,
                                            "TRITON_CACHE_DIR": str(tmp_path)})
    if "--syntax-only" in command:
        assert done.returncode == 1
        assert "add.tc:4:" in done.stderr and "expanded from macro 'SIZE'" in done.stderr
    else:
        assert done.returncode == 0, done.stderr
        assert done.stdout


def test_kernels_are_those_of_the_files():
    files = squeezed("\n".join(path.read_text() for path in sorted(KERNELS.glob("*.tc"))))
    shown = [squeezed(block) for block in blocks("c")]
    assert len(shown) == 4
    # The plain loop is written out for one of the four products.
    assert [block for block in shown if block not in files] == [
        block for block in shown if "pb += TK * ldb" in block]


def test_host_is_that_of_the_example():
    source = squeezed((ROOT / "examples" / "cpp" / "matmul_triton_c.cpp").read_text())
    (shown,) = blocks("cpp")
    assert squeezed(shown) in source
    assert source.count("\n") < 100


def test_python_program(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    scope = {}
    (program,) = blocks("python")
    exec(compile(program, "tutorial", "exec"), scope)
    assert abs(scope["c"] - scope["a"] @ scope["b"]).max() < 1e-3
