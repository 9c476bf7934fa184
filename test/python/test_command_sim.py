"""`tritium sim`: PTX with no GPU."""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import tritium

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = pathlib.Path(tritium.__file__).absolute().parents[2] / "bin" / "tritium"
FIXTURE = ROOT / "unittests" / "Simulator" / "ptx" / "kernels.ptx"


def run(*arguments):
    return subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True,
                          timeout=100)


def test_help():
    done = run("sim", "--help")
    assert done.returncode == 0 and "--counters" in done.stdout
    assert done.stdout == run("help", "sim").stdout


def test_prints_and_counts(tmp_path):
    done = run("sim", FIXTURE, "--entry", "saxpy", "--grid", 2, "--block", 64,
               "--arg", "f32[128]=iota", "--arg", "const f32[128]=2", "--arg", "f32:3",
               "--arg", "i32:128", "--print", "0:3", "--dump", f"0={tmp_path / 'y'}",
               "--json", tmp_path / "counters.json")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "argument 0: 6 7 8\n"
    y = np.fromfile(tmp_path / "y", np.float32)
    assert np.array_equal(y, np.arange(128, dtype=np.float32) + 6)
    counters = json.loads((tmp_path / "counters.json").read_text())
    assert counters["total"]["global_bytes_read"] == 1024
    assert any(line["source"].startswith("kernels.cu:") for line in counters["lines"])


def test_fault():
    done = run("sim", FIXTURE, "--entry", "saxpy", "--block", 64, "--arg", "f32[60]=zero",
               "--arg", "f32[64]=zero", "--arg", "f32:3", "--arg", "i32:64")
    assert done.returncode == 1
    assert "out-of-bounds access in kernel 'saxpy' at kernels.cu:" in done.stderr
    assert "argument 0" in done.stderr


@pytest.mark.parametrize("arguments, words", [
    ([], "needs either a PTX file or --launch"),
    ([FIXTURE, "--arg", "x32:1"], "is no type"),
    ([FIXTURE, "--grid", "1,2,3,4"], "--grid wants"),
    ([FIXTURE, "--print", "0"], "is no memory"),
    ([FIXTURE, "--arg", "f32[4294967296]=zero"], "at most 4 GiB"),
    ([FIXTURE, "--arg", "bytes:123"], "two digits"),
    ([FIXTURE], "say --entry, one of: saxpy"),
    ([FIXTURE, "--launch", "x"], "either a PTX file or --launch"),
    ([FIXTURE, "--wrong"], "no option '--wrong'"),
])
def test_wrong_command_line(arguments, words):
    done = run("sim", *arguments)
    assert done.returncode == 2 and words in done.stderr


def test_folder(tmp_path):
    done = run("sim", tmp_path)
    assert (done.returncode, done.stdout) == (1, "") and "cannot read" in done.stderr


def test_recorded_launch(tmp_path):
    """A launch of a script is kept, and runs again; cut anywhere it is an error.

    The output is buffer 2, as among the arguments, wherever in memory it lies (here before the
    inputs)."""
    code = ("import sys; sys.path.insert(0, sys.argv[1])\nimport numpy as np\n"
            "import vector_add\nall = np.ones(2100, 'f4')\n"
            "vector_add.add_kernel[(1,)](all[700:1400], all[1400:], all[:700], 700, 1024)\n")
    environment = {**os.environ, "TRITIUM_BACKEND": "sim:sm_80",
                   "TRITIUM_SIM_RECORD": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code, str(ROOT / "examples")], env=environment,
                   check=True, timeout=100)
    launch, = tmp_path.glob("add_kernel.*.0.launch")
    done = run("sim", "--launch", launch, "--dump", f"2={tmp_path / 'sum'}")
    assert (done.returncode, done.stderr) == (0, "")
    assert np.all(np.fromfile(tmp_path / "sum", np.float32) == 2)
    whole = launch.read_bytes()
    for size in (0, 10, 40, 150, 250, 1000, len(whole) - 1):
        launch.write_bytes(whole[:size])
        done = run("sim", "--launch", launch)
        assert done.returncode == 1 and done.stderr.startswith(str(launch)), size


def test_broken_file(tmp_path):
    path = tmp_path / "cut.ptx"
    path.write_text(FIXTURE.read_text()[:5000])
    done = run("sim", path)
    assert done.returncode == 1 and "cut.ptx:" in done.stderr and "error:" in done.stderr


def test_own_code(tmp_path):
    ptx = tmp_path / "add.ptx"
    done = run("compile", ROOT / "examples" / "vector_add.py", "--signature",
               "*fp32:16,*fp32:16,*fp32:16,i32", "--constexpr", "BLOCK_SIZE=1024",
               "--target", "cuda:80", "--emit", "ptx", "-o", ptx)
    assert done.returncode == 0, done.stderr
    done = run("sim", ptx, "--grid", 3, "--arg", "f32[3000]=iota", "--arg", "f32[3000]=1",
               "--arg", "f32[3000]=zero", "--arg", "i32:3000", "--print", "2:3")
    assert (done.returncode, done.stdout) == (0, "argument 2: 1 2 3\n"), done.stderr


def test_architecture(tmp_path):
    ptx = tmp_path / "copy.ptx"
    text = """.version 8.0
.target sm_TARGET
.address_size 64
.visible .entry k(.param .u64 p) {
  .reg .b32 %r<3>; .reg .b64 %rd<2>;
  .shared .align 4 .b8 big[BYTES];
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, 5;
  redux.sync.add.s32 %r2, %r1, 0xffffffff;
  st.global.u32 [%rd1], %r2;
  ret;
}
"""

    def sim(target, size, *arguments):
        ptx.write_text(text.replace("TARGET", target).replace("BYTES", str(size)))
        return run("sim", ptx, "--block", 32, "--arg", "i32[1]=zero", "--no-races", *arguments)

    done = sim("80", 1024, "--arch", "sm_86", "--counters")
    assert done.returncode == 0 and "sm_86: " in done.stdout and "sm_80: " not in done.stdout
    done = sim("75", 1024)
    assert done.returncode == 1
    assert "'redux.sync.add.s32': needs sm_80 or newer, but this is for sm_75" in done.stderr
    assert "PTX line 9" in done.stderr
    done = sim("80", 1024, "--arch", "sm_75")
    assert "the file is for sm_80 and newer: sm_75 cannot run it" in done.stderr
    done = sim("80", 120000, "--arch", "sm_86")
    assert "sm_86 has 101376" in done.stderr
    assert sim("80", 120000, "--arch", "80").returncode == 0
    done = sim("80", 1024, "--arch", "sm_70")
    assert done.returncode == 2 and "--arch wants" in done.stderr


def occupancy(ptx, *arguments):
    """By architecture, of a kernel without parameters."""
    done = run("sim", ptx, "--block", 32, "--json", "-", *arguments)
    assert done.returncode == 0, done.stderr
    return {each["architecture"]: each for each in json.loads(done.stdout)["occupancy"]}


def test_registers_of_architectures_with_a_letter(tmp_path):
    """PTX for sm_90a is assembled for sm_90a; where it does not run, that is the reason."""
    ptx = tmp_path / "k.ptx"
    text = ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k() { ret; }\n"
    ptx.write_text(text)
    found = occupancy(ptx)
    assert found[80]["registers_from"] == (
        "assumed: the PTX is for sm_90a, which sm_80 does not run")
    if found[90]["registers_from"] == "assumed: there is no ptxas":
        pytest.skip("no ptxas")
    assert found[90]["registers_by_ptxas"] and found[90]["registers"] < 32
    # What ptxas does not take.
    ptx.write_text(text.replace(".version 8.0", ".version 7.0"))
    found = occupancy(ptx)
    assert not found[90]["registers_by_ptxas"] and found[90]["registers"] == 32
    assert found[90]["registers_from"].startswith("assumed: ptxas ")
    assert "failed with status" in found[90]["registers_from"]


def test_no_ptxas(monkeypatch):
    monkeypatch.setenv("TRITON_PTXAS_PATH", "none")
    done = run("sim", FIXTURE, "--entry", "saxpy", "--block", 64, "--arg", "f32[64]=zero",
               "--arg", "f32[64]=zero", "--arg", "f32:3", "--arg", "i32:64", "--counters")
    assert done.stdout.count("(assumed: there is no ptxas)") == 4
    assert "(assumed: the PTX is for sm_80, which sm_75 does not run)" in done.stdout
    assert "memory: argument 1, 256 bytes at 0x7f1000000000" in done.stdout


def test_deep_initial_value(tmp_path):
    path = tmp_path / "deep.ptx"
    path.write_text(".version 8.0\n.target sm_80\n.address_size 64\n.global .b32 x[4] = "
                    + "{" * 400_000 + ";\n.visible .entry k() { ret; }\n")
    done = run("sim", path, "--grid", 1, "--block", 32)
    assert done.returncode == 1
    assert f"{path}:4:" in done.stderr
    assert "initial values are nested more than 32 deep" in done.stderr


@pytest.mark.parametrize("grid, words", [
    ("2147483648", "at most 2^31-1 blocks along x"),
    ("99999999999999999999", "wants a number"),
    ("1,65536", "65535 along y and z"),
    ("1,65535,65535", "the simulator runs at most 2^31-1 blocks; this grid has 4294836225"),
    ("4294967296,4294967296,4294967296", "at most 2^31-1 blocks"),
])
def test_wide_grids(tmp_path, grid, words):
    path = tmp_path / "k.ptx"
    path.write_text(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n")
    done = run("sim", path, "--grid", grid, "--block", 32)
    assert done.returncode in (1, 2) and words in done.stderr
    done = run("sim", path, "--grid", "4,0", "--block", 32, "--json", "-")
    assert done.returncode == 0 and json.loads(done.stdout)["ctas"] == 0
    done = run("sim", path, "--grid", "70000,2", "--block", 32, "--json", "-")
    assert json.loads(done.stdout)["total"]["warp_instructions"] == 140000
