"""What the kernels of test/Acceptance do, counted by the simulator."""

import json
import pathlib
import subprocess

import pytest

import tritium as triton

ROOT = pathlib.Path(__file__).parents[2]
TOOL = pathlib.Path(triton.__file__).parents[2] / "bin" / "tritium"
KERNELS = ROOT / "test" / "Acceptance" / "Inputs" / "kernels.py"
COPY = ("f32[1000]=iota", "f32[1000]=zero")


def counters(*args, **kwargs):
    """The totals of a run that has no fault."""
    return report(*args, **kwargs)["total"]


def report(tmp_path, kernel, signature, constants, grid, arguments, warps=4, arch=80):
    ptx = tmp_path / "k.ptx"
    subprocess.run([TOOL, "compile", KERNELS, "--kernel", kernel, "--signature", signature,
                    *(f"--constexpr={name}={value}" for name, value in constants.items()),
                    "--option", f"num_warps={warps}", "--target", f"cuda:{arch}", "-o", ptx],
                   check=True)
    shared = subprocess.run([TOOL, "sim", ptx, "--grid", str(grid), "--shared", "65536", "--json",
                             tmp_path / "counters.json",
                             *(word for argument in arguments for word in ("--arg", argument))],
                            capture_output=True, text=True)
    assert shared.returncode == 0, shared.stdout + shared.stderr
    return json.loads((tmp_path / "counters.json").read_text())


@pytest.mark.parametrize("arch", [80, 90])
@pytest.mark.parametrize("kernel, constants, bound", [
    ("copy_loop_static", {"N": 1000, "BLOCK": 128}, ()),
    ("copy_loop", {"BLOCK": 128}, ("i32:1000",)),
    ("copy_last_tile", {"BLOCK": 128}, ("i32:1000",)),
])
def test_copies_move_each_byte_once(tmp_path, kernel, constants, bound, arch):
    total = counters(tmp_path, kernel, "*fp32:16,*fp32:16" + ",i32" * len(bound), constants, 1,
                     COPY + bound, warps=1, arch=arch)
    assert total["global_bytes_read"] == total["global_bytes_written"] == 4000
    assert total["global_sectors"] == total["global_sectors_ideal"] == 250
    assert total["barriers"] <= 1


def test_threads_with_copies_do_nothing(tmp_path):
    total = counters(tmp_path, "copy", "*fp32:16,*fp32:16,i32", {"BLOCK": 128}, 8,
                     COPY + ("i32:1000",), warps=16)
    assert total["global_bytes_read"] == total["global_bytes_written"] == 4000
    assert total["divergent_branches"] == 0


def test_a_sum_takes_one_barrier(tmp_path):
    total = counters(tmp_path, "total", "*fp32:16,*fp32:16", {"N": 128}, 1,
                     ("f32[128]=iota", "f32[1]=zero"))
    assert total["barriers"] == 4  # one of each warp
    assert total["bank_conflicts"] == 0


def test_one_atomic_a_program(tmp_path):
    total = counters(tmp_path, "total_atomic", "*fp32:16,*fp32:16", {"N": 128, "BLOCK": 32}, 4,
                     ("f32[128]=iota", "f32[1]=zero"), warps=1)
    assert (total["atomics"], total["barriers"], total["shared_wavefronts"]) == (4, 0, 0)


def test_a_transpose_has_no_bank_conflicts(tmp_path):
    total = counters(tmp_path, "transpose", "*fp32:16,*fp32:16", {"N": 16}, 1,
                     ("f32[256]=iota", "f32[256]=zero"), warps=1)
    assert total["bank_conflicts"] == 0
    assert total["global_sectors"] == total["global_sectors_ideal"]


def test_a_product_is_one_pass(tmp_path):
    total = counters(tmp_path, "dot", "*fp16:16,*fp16:16,*fp16:16", {"M": 16, "N": 16, "K": 16}, 1,
                     ("i16[256]=iota",) * 3, warps=1)
    assert total["matrix_operations"] == 2
    assert total["bank_conflicts"] == 0
    assert total["global_sectors"] == total["global_sectors_ideal"]


def test_matmul_has_one_barrier_a_step(tmp_path):
    steps = {}
    for k in (128, 256):
        total = counters(tmp_path, "matmul",
                         "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,i32:16",
                         {"T": 64, "TK": 32}, 1,
                         (f"i16[{64 * k}]=zero", f"i16[{64 * k}]=zero", "i16[4096]=zero",
                          f"i32:{k}", f"i32:{k}", "i32:64", "i32:64"))
        steps[k] = total["barriers"] / 4
    assert steps[256] - steps[128] == (256 - 128) / 32


@pytest.mark.parametrize("arch", [80, 90])
@pytest.mark.parametrize("step", [32, 64])
def test_matmul_has_no_bank_conflicts(tmp_path, step, arch):
    k = 128
    counted = report(tmp_path, "matmul", "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,i32:16",
                     {"T": 64, "TK": step}, 1,
                     (f"i16[{64 * k}]=zero", f"i16[{64 * k}]=zero", "i16[4096]=zero",
                      f"i32:{k}", f"i32:{k}", "i32:64", "i32:64"), arch=arch)
    # A pass of a copy past the L1 cache takes bytes of one line of global memory, of which a
    # row of 32 halves is a half: a copy of 16 bytes a lane takes 8 passes, not 4, wherever
    # it goes.
    copies = 2 * 4 * (k // step) if step == 32 else 0
    assert counted["total"]["bank_conflicts"] == copies * 4
    epilogue = max((line for line in counted["lines"] if line["shared_wavefronts"]),
                   key=lambda line: line["line"])
    assert epilogue["bank_conflicts"] == 0
    # The result is written and read 16 bytes a lane; without stmatrix written 8 bytes a lane.
    assert epilogue["shared_requests"] == 2 * 64 * 64 * 2 // 512 * (1 if arch == 90 else 1.5)


def test_softmax_reads_and_writes_once(tmp_path):
    total = counters(tmp_path, "softmax", "*fp32:16,*fp32:16,i32:16,i32:16", {"BLOCK": 1024}, 2,
                     ("f32[2048]=iota", "f32[2048]=zero", "i32:1024", "i32:1024"))
    assert total["global_bytes_read"] == total["global_bytes_written"] == 8192
    assert total["barriers"] / 4 / 2 <= 2
