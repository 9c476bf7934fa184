"""The `tritium` command."""

import os
import pathlib
import shlex
import subprocess

import pytest

import tritium

BUILD = pathlib.Path(tritium.__file__).absolute().parents[2]
COMMAND = BUILD / "bin" / "tritium"

KERNELS = """
import triton
import triton.language as tl

@triton.jit
def scale(x_ptr, n, factor, BLOCK: tl.constexpr, MODE: tl.constexpr = "mul"):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, i < n)
    if MODE == "mul":
        x = x * factor
    tl.store(x_ptr + i, x, i < n)

@triton.jit
def other(x_ptr):
    tl.store(x_ptr, 1)
"""


@pytest.fixture
def kernels(tmp_path):
    path = tmp_path / "kernels.py"
    path.write_text(KERNELS)
    return path


def run(*arguments):
    return subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True,
                          timeout=60)


def compile_scale(kernels, *more):
    return run("compile", kernels, "--kernel", "scale", "--signature", "*fp32:16,i32,fp32",
               "--constexpr", "BLOCK=64", *more)


def test_help():
    assert run().returncode == 2
    for arguments in (["--help"], ["help"], ["compile", "--help"], ["help", "compile"],
                      ["cache", "-h"], ["help", "run"]):
        result = run(*arguments)
        assert result.returncode == 0 and result.stdout.startswith("usage: tritium"), arguments
    text = run("compile", "--help").stdout
    for option in ("--kernel", "--signature", "--constexpr", "--target", "--emit", "--from", "-o"):
        assert option in text
    assert run("--version").stdout.startswith(f"tritium {tritium._C.version()} (")


@pytest.mark.parametrize("stage,text", [("ttir", "tt.load"), ("plan", "store %"),
                                        ("llir", "define"), ("asm", "scale_entry")])
def test_stages(kernels, stage, text):
    result = compile_scale(kernels, "--emit", stage)
    assert result.returncode == 0, result.stderr
    assert text in result.stdout


def test_object(kernels, tmp_path):
    out = tmp_path / "scale.o"
    assert compile_scale(kernels, "--emit", "obj", "-o", out).returncode == 0
    assert out.read_bytes().startswith(b"\x7fELF")
    assert compile_scale(kernels, "--emit=obj").returncode == 2


def test_from_tile_ir(kernels, tmp_path):
    path = tmp_path / "scale.ttir"
    assert compile_scale(kernels, "--emit", "ttir", f"-o{path}").returncode == 0
    result = run("compile", "--from", path, "--emit", "asm", "--target", "cpu:haswell")
    assert result.returncode == 0, result.stderr
    assert "ymm" in result.stdout and "zmm" not in result.stdout
    path.write_text("nonsense")
    result = run("compile", "--from", path)
    assert result.returncode == 1 and result.stderr


def test_signature_literals_and_hints(kernels):
    plain = compile_scale(kernels, "--emit", "ttir").stdout
    copy = run("compile", kernels, "--kernel=scale", "--signature=*fp32:16,i32,fp32,64,'copy'",
               "--emit=ttir")
    assert copy.returncode == 0, copy.stderr
    assert "mulf" in plain and "mulf" not in copy.stdout
    one = run("compile", kernels, "--kernel=scale", "--signature=*fp32, i32:1, 2.5, 64",
              "--emit=ttir")
    assert one.returncode == 0, one.stderr
    assert "2.5" in one.stdout


@pytest.mark.parametrize("arguments,status,message", [
    (["compile"], 2, "name one file"),
    (["compile", "{k}"], 2, "say --kernel, one of: scale, other"),
    (["compile", "{k}", "--kernel", "scal"], 1, "no kernel 'scal' in this file; there are: scale"),
    (["compile", "{k}", "--kernel", "scale"], 2, "nothing is said of parameter 'x_ptr'"),
    (["compile", "{k}", "--kernel", "scale", "--signature", "*fp31,i32,fp32"], 2, "'*fp31'"),
    (["compile", "{k}", "--kernel", "scale", "--signature", "*fp32:8,i32,fp32"], 2, "hint"),
    (["compile", "{k}", "--kernel", "scale", "--signature", "*fp32,i32,fp32,i32"], 2,
     "'BLOCK', a constexpr"),
    (["compile", "{k}", "--kernel", "other", "--signature", "*fp32,i32"], 2, "has 2 items"),
    (["compile", "{k}", "--kernel", "scale", "--constexpr", "BLCK=3"], 1, "did you mean 'BLOCK'"),
    (["compile", "{k}", "--kernel", "scale", "--constexpr", "BLOCK"], 2, "NAME=VALUE"),
    (["compile", "{k}", "--emit", "ptx"], 2,
     "'ptx'; there are: ttir, llir, header, json, plan, asm, obj"),
    (["compile", "{k}", "--target", "vulkan"], 2, "no target 'vulkan'"),
    (["compile", "{k}", "--kernel"], 2, "--kernel needs a value"),
    (["compile", "{k}", "--frob"], 2, "no option --frob"),
    (["compile", "/nowhere.py"], 1, "/nowhere.py"),
    (["compile", "{k}", "--kernel", "other", "--signature", "fp32"], 1, "kernels.py:15"),
    (["cache"], 2, "say ls, path or clear"),
    (["frob"], 2, "no command 'frob'"),
])
def test_errors(kernels, arguments, status, message):
    result = run(*[a.format(k=kernels) for a in arguments])
    assert message in result.stderr, result.stderr
    assert result.returncode == status and not result.stdout


def test_cache(kernels, tmp_path):
    assert run("cache", "path").stdout == os.environ["TRITON_CACHE_DIR"] + "\n"
    assert run("cache", "ls").stdout == ""
    assert compile_scale(kernels).returncode == 0
    (line,) = run("cache", "ls").stdout.splitlines()
    assert "scale" in line and "cpu" in line
    (path,) = run("cache", "ls", "--paths").stdout.splitlines()
    assert pathlib.Path(path).is_file()
    pathlib.Path(path).write_bytes(b"x")
    assert "damaged" in run("cache", "ls").stdout
    assert run("cache", "clear", "--kernel", "none").stdout == "removed 0 entries\n"
    assert run("cache", "clear").stdout == "removed 1 entry\n"
    assert run("cache", "ls").stdout == ""


def test_run(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import sys, triton\nprint(triton.__name__, sys.argv[1:])\n")
    environment = {**os.environ, "PATH": f"{pathlib.Path(os.sys.executable).parent}:/usr/bin:/bin"}
    result = subprocess.run([COMMAND, "run", script, "a", "--b"], capture_output=True, text=True,
                            env=environment)
    assert result.stdout == "tritium ['a', '--b']\n", result.stderr


def examples(command):
    """The examples in a command's help text, in their order."""
    text = run(command, "--help").stdout
    if command == "run":
        text += run("run", "kernel.tc", "--help").stdout
    found, isExample = [], False
    for line in text.replace("\\\n", " ").splitlines():
        isExample |= line in ("example:", "examples:")
        if isExample and line.startswith("  tritium "):
            found.append(shlex.split(line)[1:])
    return found


@pytest.mark.parametrize("command,count", [("compile", 2), ("sim", 2), ("tune", 1), ("cache", 0),
                                           ("run", 0)])
def test_examples_in_help_texts(tmp_path, command, count):
    (tmp_path / "examples").symlink_to(pathlib.Path(__file__).parents[2] / "examples")
    found = examples(command)
    assert len(found) == count
    for arguments in found:
        done = subprocess.run([COMMAND, *arguments], cwd=tmp_path, capture_output=True, text=True,
                              timeout=100, env={**os.environ, "TRITON_CACHE_DIR": str(tmp_path)})
        assert done.returncode == 0, (arguments, done.stderr)
