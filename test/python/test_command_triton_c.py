"""The `tritium` command on Triton-C files."""

import os
import pathlib
import subprocess

import pytest

import tritium

COMMAND = pathlib.Path(tritium.__file__).absolute().parents[2] / "bin" / "tritium"

KERNELS = """
__global__ void scale(TYPE *x, TYPE *out, int n, float factor) {
#if TM == 7
#error seven
#endif
  int i[TM] = get_program_id(0) * TM + 0 ... TM;
  bool inside[TM] = i < n;
  TYPE *px[TM] = x + i;
  TYPE *pout[TM] = out + i;
  *?(inside)pout = *?(inside)px * factor;
}
__global__ void other(int *x) { *x = VALUE; }
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "dot.tc"
    path.write_text(KERNELS)
    return path


def run(*arguments, **environment):
    return subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True,
                          timeout=100, env={**os.environ, **environment})


def test_help():
    for arguments in (["tune", "--help"], ["help", "tune"], ["run", "k.tc", "--help"]):
        result = run(*arguments)
        assert result.returncode == 0 and result.stdout.startswith("usage: tritium"), arguments
    text = run("compile", "--help").stdout
    for option in ("-DNAME", "-I FOLDER", "--num-warps", "--syntax-only", "--kernel"):
        assert option in text
    text = run("tune", "--help").stdout
    for option in ("-DNAME", "-I FOLDER", "--num-warps", "--key", "--arg", "--grid", "--recorded"):
        assert option in text
    assert "tune" in run("--help").stdout and "TRITIUM_TUNING" in run("--help").stdout


def test_compile(file):
    result = run("compile", file, "-DTYPE=half", "-DTM=64", "--emit", "ttir")
    assert result.returncode == 0, result.stderr
    assert "@scale" in result.stdout and "64x" in result.stdout
    plain = run("compile", file, "-D", "TYPE=float", "-DTM=64")
    hinted = run("compile", file, "-DTYPE=float", "-DTM=64", "--signature", ":16,*fp32:16,,")
    assert "scale_entry" in plain.stdout and hinted.returncode == 0, hinted.stderr
    other = run("compile", file, "--kernel=other", "-DVALUE", "-DTM=1", "-DTYPE=int", "--emit=ttir")
    assert "@other" in other.stdout, other.stderr


def test_lists_make_files(file, tmp_path):
    out = tmp_path / "out.s"
    result = run("compile", file, "-DTYPE=half", "-DTM=[64, 128]", "--num-warps", "2,4", "-o", out)
    assert result.returncode == 0, result.stderr
    assert sorted(path.name for path in tmp_path.glob("out*")) == [
        f"out.TM{m}-num_warps{w}.s" for m in (128, 64) for w in (2, 4)]
    assert f"TM=64, num_warps=2: {tmp_path}/out.TM64-num_warps2.s" in result.stdout
    result = run("compile", file, "-DTYPE=half", "-DTM=[64,128]")
    assert result.returncode == 2 and "2 configurations; say -o FILE" in result.stderr
    result = run("compile", file, "-DTYPE=half", "-DTM=[7,8]", "-o", tmp_path / "part.s")
    assert result.returncode == 1 and "seven" in result.stderr
    assert "1 of 2 configurations do not compile" in result.stderr
    assert (tmp_path / "part.TM8.s").exists()


def test_includes(file, tmp_path):
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "value.h").write_text("#define VALUE 42\n")
    file.write_text('#include "value.h"\nvoid k(int *x) { *x = VALUE; }\n')
    result = run("compile", file, "-I", tmp_path / "inc", "--emit=ttir")
    assert result.returncode == 0 and "42" in result.stdout, result.stderr
    assert run("compile", file, "--emit=ttir").returncode == 1


def test_syntax_only(file):
    result = run("compile", "--syntax-only", file, "-DTYPE=float", "-DTM=[8,16]")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    file.write_text("void k(float *x) {\n  float a[4] = 0;\n  float b[8] = a;\n}\n")
    result = run("compile", "--syntax-only", file)
    assert result.returncode == 1 and not result.stdout
    assert result.stderr.startswith(f"{file}:3:") and "error: " in result.stderr
    assert "  float b[8] = a;\n" in result.stderr and "^" in result.stderr


def test_definitions_that_nothing_uses(file):
    result = run("compile", file, "-DTYPE=float", "-DTM=8", "-DTYPPE=1", "--emit=ttir")
    assert result.returncode == 0
    assert "warning: kernel 'scale' has no macro 'TYPPE'" in result.stderr
    assert "did you mean 'TYPE'?" in result.stderr


ARGUMENTS = ["--arg", "x=n:iota", "--arg", "out=n", "--arg", "n=1000", "--arg", "factor=2.5",
             "--grid", "cdiv(n, TM)"]


def test_run(file):
    result = run("run", file, "-DTYPE=half", "-DTM=64", *ARGUMENTS, "--print", "4")
    assert result.returncode == 0, result.stderr
    assert result.stdout == "x[1000]: 0 1 2 3 ...\nout[1000]: 0 2.5 5 7.5 ...\n"


@pytest.mark.parametrize("kind,shown", [("char", "2"), ("short", "2"), ("long", "2"),
                                        ("float", "2.5"), ("double", "2.5"), ("bfloat16", "2.5"),
                                        ("unsigned char", "2"), ("unsigned", "2")])
def test_run_types(file, kind, shown):
    result = run("run", file, f"-DTYPE={kind}", "-DTM=64", *ARGUMENTS, "--arg", "x=n:ones",
                 "--print", "1")
    assert f"out[1000]: {shown} ..." in result.stdout, result.stderr


def test_tune(file):
    tune = ["tune", file, "-DTYPE=float", "-DTM=[7,64,128]", *ARGUMENTS]
    result = run(*tune)
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert "kernel 'scale', key n=1000: 3 configurations" in lines[0]
    assert "TM=7" in lines[1] and "dropped:" in lines[1] and "seven" in lines[1]
    assert lines[-1] in ("TM=64 (measured)", "TM=128 (measured)")
    again = run(*tune, "--recorded").stdout
    assert again == lines[-1].replace("measured", "recorded") + "\n"
    assert "nothing to choose" in run("tune", file, "-DTYPE=float", "-DTM=64", *ARGUMENTS).stdout
    assert "removed" in run("cache", "clear").stdout
    assert "(measured)" in run(*tune, "--recorded").stdout


@pytest.mark.parametrize("arguments,status,message", [
    (["compile", "{k}", "-D=3"], 2, "-D wants NAME"),
    (["compile", "{k}", "-DTM=[]", "-DTYPE=int"], 1, "the list of 'TM' is empty"),
    (["compile", "{k}", "-DTYPE=int", "-DTM=8", "--kernel", "scal"], 1, "scal"),
    (["compile", "{k}", "-DTYPE=int", "-DTM=8", "--signature", ":16,,,,:16"], 2,
     "has more items than"),
    (["compile", "{k}", "-DTYPE=int", "-DTM=8", "--signature", "*fp32"], 2,
     "is for parameter 'x', which is int"),
    (["compile", "{k}", "--constexpr", "TM=8"], 2, "takes -DNAME=TEXT"),
    (["compile", "k.py", "-DTM=8"], 2, "are for files in Triton-C"),
    (["compile", "{k}", "--num-warps", "x"], 2, "--num-warps wants numbers"),
    (["compile", "/nowhere.tc"], 1, "/nowhere.tc: no such file"),
    (["compile", "{k}", "-DTM=8"], 1, "TYPE"),
    (["tune", "{k}"], 2, "say --grid"),
    (["tune", "k.py", "--grid", "1"], 2, "@triton.autotune"),
    (["tune", "--grid", "1"], 2, "name a file"),
    (["run", "{k}", "-DTYPE=int", "-DTM=8", "--grid", "1"], 2, "add --arg x=VALUE"),
    (["run", "{k}", "-DTYPE=int", "-DTM=8", "--grid", "1", "--arg", "y=1", "--arg", "x=8", "--arg",
      "out=8", "--arg", "n=8", "--arg", "factor=2"], 2, "has no parameter 'y'; it takes (int* x"),
    (["run", "{k}", "-DTYPE=int", "-DTM=8", "--grid", "cdiv(n, TN)", "--arg", "x=8", "--arg",
      "out=8", "--arg", "n=8", "--arg", "factor=2"], 2, "'TN' is neither an integer macro"),
    (["run", "{k}", "-DTYPE=int", "-DTM=8", "--grid", "n / 0", "--arg", "x=8", "--arg",
      "out=8", "--arg", "n=8", "--arg", "factor=2"], 2, "division by zero"),
    (["run", "{k}", "-DTYPE=int", "-DTM=8", "--grid", "0", "--arg", "x=8", "--arg",
      "out=8", "--arg", "n=8", "--arg", "factor=2"], 2, "'0' is 0"),
    (["run", "{k}", "-DTYPE=int", "-DTM=8", "--grid", "1", "--arg", "x=8:sevens", "--arg",
      "out=8", "--arg", "n=8", "--arg", "factor=2"], 2, "no such content 'sevens'"),
])
def test_errors(file, arguments, status, message):
    result = run(*[a.format(k=file) for a in arguments])
    assert message in result.stderr, result.stderr
    assert result.returncode == status and not result.stdout
