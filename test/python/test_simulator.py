"""Kernels on the simulated GPU: TRITIUM_BACKEND=sim:sm_NN, and kernel.simulate()."""

import json
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import tritium
import tritium as triton
import tritium.language as tl

ARCHITECTURES = ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90")


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)  # LOAD X
    y = tl.load(y_ptr + offs, mask=offs < n)  # LOAD Y
    tl.store(out_ptr + offs, x + y, mask=offs < n)  # STORE


@triton.jit
def endless(x_ptr):
    while tl.load(x_ptr) >= 0:  # AGAIN
        tl.store(x_ptr, 1)


@triton.jit
def asserting(x_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.device_assert(x < 5, "x must be below five")  # ASSERT
    tl.store(x_ptr + tl.arange(0, N), x + 1)


@triton.jit
def printing(x_ptr, N: tl.constexpr):
    tl.device_print("x is", tl.load(x_ptr + tl.arange(0, N)))


@triton.jit
def gather(pointers, out_ptr, N: tl.constexpr):
    """Each program copies from the array that its pointer leads to."""
    source = tl.load(pointers + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    offs = tl.arange(0, N)
    tl.store(out_ptr + tl.program_id(0) * N + offs, tl.load(source + offs))  # GATHER


@triton.jit
def reverse(x_ptr, out_ptr, N: tl.constexpr):
    offs = tl.arange(0, N)
    tl.store(out_ptr + N - 1 - offs, tl.load(x_ptr + offs))


@triton.jit
def columns(x_ptr, out_ptr, N: tl.constexpr):
    offs = tl.arange(0, N)
    tl.store(out_ptr + offs, tl.load(x_ptr + offs * N))  # STRIDED


@triton.jit
def collide(out_ptr):
    tl.store(out_ptr, tl.program_id(0))  # COLLIDE


@triton.jit
def seeded(out_ptr, seed, arch):
    tl.store(out_ptr, seed + arch)


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, N: tl.constexpr):
    rows, columns = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    a = tl.load(a_ptr + rows * N + columns)
    b = tl.load(b_ptr + rows * N + columns)
    tl.store(c_ptr + rows * N + columns, tl.dot(a, b))  # DOT


@pytest.fixture
def simulated(monkeypatch):
    monkeypatch.setenv("TRITIUM_BACKEND", "sim:sm_80")


def line_of(marker):
    text = pathlib.Path(__file__).read_text().splitlines()
    return next(number for number, line in enumerate(text, 1) if line.endswith("# " + marker))


def arrays(n=1000):
    x = np.arange(n, dtype=np.float32)
    return x, 2 * x, np.zeros_like(x)


# -- Launches ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [f"sim:{arch}" for arch in ARCHITECTURES] + ["sim", "sim:80"])
def test_launch(monkeypatch, name):
    monkeypatch.setenv("TRITIUM_BACKEND", name)
    monkeypatch.setenv("TRITON_PTXAS_PATH", "/nowhere")
    x, y, out = arrays()
    compiled = add[(8,)](x, y, out, 1000, BLOCK=128, num_warps=2)
    assert np.array_equal(out, 3 * x)
    assert list(compiled.asm) == ["ttir", "ttgir", "llir", "ptx"]
    arch = name[4:].removeprefix("sm_") or "80"
    assert f".target sm_{arch}" in compiled.asm["ptx"]
    assert ".reqntid 64" in compiled.asm["ptx"] or ".maxntid 64" in compiled.asm["ptx"]


@pytest.mark.parametrize("name", ["sim:sm_70", "sim:", "simulator", "sim:sm_80x", "sim sm_80"])
def test_unknown_back_end(monkeypatch, name):
    monkeypatch.setenv("TRITIUM_BACKEND", name)
    with pytest.raises(triton.OptionError, match="no such back end.*sim:sm_80"):
        add[(8,)](*arrays(), 1000, BLOCK=128)


def test_back_end_is_read_at_each_launch(monkeypatch):
    x, y, out = arrays()
    assert "obj" in add[(8,)](x, y, out, 1000, BLOCK=128).asm
    monkeypatch.setenv("TRITIUM_BACKEND", "sim:sm_90")
    assert "ptx" in add[(8,)](x, y, out, 1000, BLOCK=128).asm
    monkeypatch.setenv("TRITIUM_BACKEND", "cpu")
    assert "obj" in add[(8,)](x, y, out, 1000, BLOCK=128).asm


def test_code_comes_from_the_cache(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("""
import numpy as np, tritium, tritium.language as tl
@tritium.jit
def one(x):
    tl.store(x, 1)
x = np.zeros(1, np.int32)
print(one[(1,)](x).metadata.cached, x[0])
""")
    for cached in (False, True):
        done = subprocess.run([sys.executable, script], capture_output=True, text=True,
                              env={**os.environ, "TRITIUM_BACKEND": "sim:sm_80"}, timeout=100)
        assert done.stdout == f"{cached} 1\n", done.stderr


def test_triton_c(simulated):
    scale = tritium.c.kernel("""
__global__ void scale(float *x, int n) {
  int i[128] = get_program_id(0) * 128 + 0 ... 128;
  bool inside[128] = i < n;
  float *p[128] = x + i;
  *?(inside)p = *?(inside)p * 2;
}
""")
    x = np.arange(300, dtype=np.float32)
    scale(x, 300, grid=3)
    assert np.array_equal(x, 2 * np.arange(300))
    with pytest.raises(triton.SimulatorError, match=r":6:.*out-of-bounds") as caught:
        scale(x, 301, grid=3)
    assert caught.value.line == 6


def test_output(simulated, capsys):
    printing[(2,)](np.array([7, 11], np.int32), N=2)
    assert re.findall(r"pid \((\d), 0, 0\) idx \((\d)\) x is: (\d+)", capsys.readouterr().out) == [
        ("0", "0", "7"), ("0", "1", "11"), ("1", "0", "7"), ("1", "1", "11")]


def test_assertion(simulated):
    x = np.arange(5, dtype=np.int32)
    asserting[(1,)](x, N=5, debug=True)
    with pytest.raises(triton.DeviceAssertionError, match="x must be below five") as caught:
        asserting[(1,)](x, N=5, debug=True)
    assert caught.value.line == line_of("ASSERT")
    # What stands behind the assertion does not run.
    assert x.tolist() == [1, 2, 3, 4, 5]


def test_overlapping_arguments(simulated):
    x = np.arange(1000, dtype=np.float32)
    reverse[(1,)](x, x, N=1000)
    assert np.array_equal(x, np.arange(1000)[::-1])


def test_pointers_in_memory(simulated):
    sources = [np.full(64, value, np.float32) for value in (1, 2, 3)]
    pointers = np.array([source.ctypes.data for source in sources], np.int64)
    out = np.zeros(3 * 64, np.float32)
    gather[(3,)](pointers, out, N=64)
    assert np.array_equal(out, np.repeat([1, 2, 3], 64))
    # No memory of the process: a fault, not a crash.
    pointers[1] = 4096
    with pytest.raises(triton.SimulatorError, match="out-of-bounds") as caught:
        gather[(3,)](pointers, out, N=64)
    assert caught.value.line == line_of("GATHER")


# -- Faults --------------------------------------------------------------------------------------


def test_array_too_small(simulated):
    x, y, out = arrays()
    with pytest.raises(triton.SimulatorError) as caught:
        add[(8,)](x, y[:900], out, 1000, BLOCK=128)
    error = caught.value
    assert isinstance(error, triton.TritonError)
    assert error.line == line_of("LOAD Y") and error.file == __file__ and error.column > 0
    text = str(error)
    assert text.splitlines()[1].strip().startswith("y = tl.load") and "^" in text
    # Program 7 begins at element 896: its lane 4 is the first one outside.
    for word in ("kernel 'add'", "'y_ptr' (3600 bytes", "CTA (7, 0, 0) warp 0 lane 4", "PTX line",
                 "[100 times]", hex(0x7f1000000000 + 3600)):
        assert word in text, text


def test_read_only_array(simulated):
    x, y, out = arrays()
    out.flags.writeable = False
    with pytest.raises(triton.ArgumentError, match="'out_ptr'.*read-only"):
        add[(8,)](x, y, out, 1000, BLOCK=128)


def test_race_names_both_parties(simulated):
    with pytest.raises(triton.SimulatorError, match="global-memory race") as caught:
        collide[(2,)](np.zeros(1, np.int32))
    text = str(caught.value)
    assert caught.value.line == line_of("COLLIDE")
    assert "CTA (1, 0, 0)" in text and "note: written here: CTA (0, 0, 0)" in text


def test_checks_can_be_switched_off(simulated, monkeypatch):
    monkeypatch.setenv("TRITIUM_SIM_CHECKS", "undefined")
    collide[(2,)](np.zeros(1, np.int32))
    monkeypatch.setenv("TRITIUM_SIM_CHECKS", "rases")
    with pytest.raises(triton.OptionError, match="no checks 'rases'"):
        collide[(2,)](np.zeros(1, np.int32))


def test_schedule_by_seed(simulated, monkeypatch):
    monkeypatch.setenv("TRITIUM_SIM_CHECKS", "none")
    seen = set()
    for seed in range(1, 30):
        monkeypatch.setenv("TRITIUM_SIM_SEED", str(seed))
        last = np.zeros(1, np.int32)
        collide[(4,)](last)
        seen.add(int(last[0]))
    assert len(seen) > 1
    monkeypatch.setenv("TRITIUM_SIM_SEED", "one")
    with pytest.raises(triton.OptionError, match="TRITIUM_SIM_SEED=one"):
        collide[(4,)](last)


def test_endless_loop(simulated, monkeypatch):
    monkeypatch.setenv("TRITIUM_SIM_STEP_LIMIT", "20000")
    with pytest.raises(triton.SimulatorError, match="step limit.*20000") as caught:
        endless[(1,)](np.zeros(1, np.int32))
    assert abs(caught.value.line - line_of("AGAIN")) <= 1


@pytest.mark.parametrize("grid,message", [
    ((1, 65536), "over the limits of a GPU"), ((1, 1, 65536), "over the limits of a GPU"),
    ((1 << 31,), "from 0 to 2147483647"),
])
def test_grid_over_the_limits(simulated, grid, message):
    with pytest.raises(triton.GridError, match=message):
        add[grid](*arrays(), 1000, BLOCK=128)


def test_clusters(simulated):
    with pytest.raises(triton.OptionError, match="clusters begin with compute capability 9.0"):
        add[(8,)](*arrays(), 1000, BLOCK=128, num_ctas=2)


@pytest.mark.parametrize("options, message", [
    ({"launch_pdl": True}, "dependent launches begin with compute capability 9.0"),
    ({"warp_size": 64}, "'warp_size' must be 32 on an NVIDIA GPU"),
    ({"arch": "sm_10"}, "'arch' is 'sm_10', but this GPU is sm_80"),
    ({"arch": 90}, "'arch' is 'sm_90', but this GPU is sm_80")])
def test_what_the_architecture_lacks(simulated, options, message):
    with pytest.raises(triton.OptionError, match=message):
        add[(8,)](*arrays(), 1000, BLOCK=128, **options)
    for arch in ("sm_80", "sm80"):
        add[(8,)](*arrays(), 1000, BLOCK=128, warp_size=32, arch=arch, launch_pdl=False)


def test_shared_memory_over_the_limit(simulated):
    a = np.zeros((256, 256), np.float32)
    with pytest.raises(triton.OutOfResources, match="shared memory.*limit: "):
        matmul[(1,)](a, a, np.zeros_like(a), N=256, num_warps=8)


# -- simulate() ----------------------------------------------------------------------------------


def test_counters():
    x, y, out = arrays(1024)
    result = add.simulate((8,), x, y, out, 1024, BLOCK=128)
    assert np.array_equal(out, 3 * x)
    assert (result.kernel, result.ctas, result.threads) == ("add", 8, 128)
    # Three arrays of 1024 floats: 4096 bytes or 128 sectors each.
    assert result.global_bytes_read == 8192 and result.global_bytes_written == 4096
    assert result.global_sectors == result.global_sectors_ideal == 3 * 128
    load = result.line(line_of("LOAD X"))
    assert load.file == __file__ and load.global_bytes_read == 4096
    assert load.classes["global_load"] == load.global_requests
    store = result.line(line_of("STORE"))
    assert store.global_bytes_written == 4096 and store.classes["float"] == 32
    with pytest.raises(KeyError, match="no instruction of line 1 ran"):
        result.line(1)
    assert result.warp_instructions == sum(line.warp_instructions for line in result.lines)
    assert result.occupancy.architecture == 80 and result.occupancy.warps == 64


def test_uncoalesced_loads():
    x, out = np.zeros(128 * 128, np.float32), np.zeros(128, np.float32)
    line = columns.simulate((1,), x, out, N=128, num_warps=4).line(line_of("STRIDED"))
    # Each of the 128 elements lies in a sector of its own.
    assert line.global_sectors == 128 + 16 and line.global_sectors_ideal == 16 + 16


def test_counters_do_not_depend_on_where_arrays_lie():
    """Wherever the host has put them, arrays lie at the same addresses of the simulated GPU."""
    memory = np.zeros(40000, np.float32)
    memory = memory[-memory.ctypes.data // 4 % 128:]  # at a multiple of 512
    results = []
    for x, y, out in ((0, 2000, 4000), (4, 2024, 4008), (9000, 36, 3000), (20000, 30000, 28)):
        x, y, out = memory[x:][:1000], memory[y:][:1000], memory[out:][:1000]
        results.append(add.simulate((8,), x, y, out, 1000, BLOCK=128))
    assert len({result.to_json() for result in results}) == 1
    result = results[0]
    assert [(each["name"], each["bytes"]) for each in result.memory] == [
        ("x_ptr", 4000), ("y_ptr", 4000), ("out_ptr", 4000)]
    assert all(each["address"] % 512 == 0 for each in result.memory) and not result.host_addresses
    assert f"memory: y_ptr, 4000 bytes at {result.memory[1]['address']:#x}" in result.as_text()
    # What the alignment that kernels are compiled for tells apart stays.
    shifted = add.simulate((8,), memory[1:1001], memory[2000:3000], memory[4000:5000], 1000,
                           BLOCK=128)
    assert shifted.memory[0]["address"] == result.memory[0]["address"] + 4
    assert shifted.global_sectors == result.global_sectors + 32


def test_views_of_one_array_keep_their_distance():
    memory = np.arange(400, dtype=np.float32)
    # Parts that touch, and that overlap.
    result = reverse.simulate((1,), memory[:128], memory[128:256], N=128)
    assert np.array_equal(memory[128:256], np.arange(128)[::-1])
    first, second = (each["address"] for each in result.memory)
    assert second - first == 128 * 4
    memory[:] = np.arange(400)
    result = reverse.simulate((1,), memory[100:228], memory[:128], N=128)
    (whole,) = result.memory
    assert (whole["name"], whole["bytes"]) == ("out_ptr, x_ptr", 228 * 4)
    assert np.array_equal(memory[:128], np.arange(100, 228)[::-1])


def test_addresses_of_the_host():
    """A kernel that follows pointers that it loads needs the host's addresses, and says so."""
    arrays = [np.arange(64, dtype=np.float32) + i for i in range(2)]
    pointers = np.array([array.ctypes.data for array in arrays], np.int64)
    out = np.zeros(128, np.float32)
    result = gather.simulate((2,), pointers, out, N=64)
    assert np.array_equal(out, np.concatenate(arrays))
    assert result.host_addresses and "these addresses are the host's" in result.as_text()
    assert [each["address"] for each in result.memory] == [pointers.ctypes.data, out.ctypes.data]


def test_registers_of_occupancy(monkeypatch):
    """ptxas says how many registers a thread gets, where there is one."""
    arguments = (*arrays(), 1000)
    monkeypatch.setenv("TRITON_PTXAS_PATH", "none")
    assumed = add.simulate((8,), *arguments, BLOCK=128)
    assert (assumed.occupancy.registers, assumed.occupancy.registers_by_ptxas) == (32, False)
    assert assumed.occupancy.registers_from == "assumed: there is no ptxas"
    assert "32 registers a thread (assumed: there is no ptxas)" in assumed.as_text()
    monkeypatch.delenv("TRITON_PTXAS_PATH")
    found = add.simulate((8,), *arguments, BLOCK=128).occupancy
    if found.registers_from == "assumed: there is no ptxas":
        pytest.skip("no ptxas")
    assert found.registers_by_ptxas and found.registers_from == "ptxas"
    assert found.registers == add.simulate((8,), *arguments, BLOCK=128).occupancy.registers != 32


@triton.jit
def looped_product(a_ptr, b_ptr, c_ptr, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n = tl.arange(0, BM), tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        a = tl.load(a_ptr + m[:, None] * K + k[None, :])  # LOAD A
        b = tl.load(b_ptr + k[:, None] * BN + n[None, :])  # LOAD B
        acc = tl.dot(a, b, acc)  # PRODUCT
    tl.store(c_ptr + m[:, None] * BN + n[None, :], acc)  # RESULT


@pytest.mark.parametrize("arch", ["sm_75", "sm_80", "sm_90"])
@pytest.mark.parametrize("stages", [1, 3])
def test_copies_and_fragments_stand_at_the_load(arch, stages):
    """However they are interleaved with the product, instructions belong to the line that they
    are for."""
    a, b = np.ones((64, 128), np.float16), np.ones((128, 64), np.float16)
    c = np.zeros((64, 64), np.float32)
    result = looped_product.simulate((1,), a, b, c, 128, BM=64, BN=64, BK=32, num_stages=stages,
                                     arch=arch)
    assert (c == 128).all()
    own = set(result.line(line_of("PRODUCT")).classes)
    if arch == "sm_90":  # a warp group's product has fences and waits of its own
        assert "matrix" in own and own.isdisjoint({"async_copy", "global_load", "shared_store"})
    else:
        assert own == {"matrix"}
    loads = [result.line(line_of(f"LOAD {name}")) for name in "AB"]
    stored = result.line(line_of("RESULT")).classes
    assert ("async_copy" in stored) == (arch == "sm_90")
    for name in ("matrix_memory", "async_copy"):
        of_loads = result.classes.get(name, 0) - stored.get(name, 0)
        assert sum(load.classes.get(name, 0) for load in loads) == of_loads
        assert loads[0].classes.get(name) == loads[1].classes.get(name)
    assert [load.global_bytes_read for load in loads] == [a.nbytes, b.nbytes]


def test_text_and_json():
    result = add.simulate(lambda meta: (tritium.cdiv(meta["n"], meta["BLOCK"]),), *arrays(), 1000,
                          BLOCK=128, arch="sm_90", num_warps=8)
    everything = json.loads(result.to_json())
    assert everything["total"]["warp_instructions"] == result.warp_instructions
    assert everything["threads"] == 256 and everything["occupancy"][0]["architecture"] == 90
    text = result.as_text()
    assert f"{__file__}:{line_of('STORE')}" in text and "kernel add: 8 CTAs" in text
    assert "add" in repr(result) and str(line_of("STORE")) in repr(result.lines)


@pytest.mark.parametrize("arch", ["sm_80", "sm_90"])
def test_counters_by_instruction(arch):
    a, b = np.ones((64, 128), np.float16), np.ones((128, 64), np.float16)
    c = np.zeros((64, 64), np.float32)
    result = looped_product.simulate((1,), a, b, c, 128, BM=64, BN=64, BK=32, num_stages=3,
                                     arch=arch)
    found = result.instructions
    by = "cp.async.bulk.tensor" if arch == "sm_90" else "st.global"
    assert found[by].global_bytes_written == c.nbytes
    assert sum(counts.global_bytes_read for counts in found.values()) == a.nbytes + b.nbytes
    for name in ("bank_conflicts", "warp_instructions", "shared_requests"):
        assert sum(getattr(counts, name) for counts in found.values()) == getattr(result, name)
    if arch == "sm_90":
        # 64 x 64 x 16, by the four warps of a group.
        assert found["wgmma.mma_async"].warp_instructions == 4 * 128 // 16
    else:
        assert found["mma"].warp_instructions == 64 * 64 * 128 // (16 * 8 * 16)
        assert found["ldmatrix"].shared_requests == found["ldmatrix"].warp_instructions
    moved = found[by].global_bytes_read + c.nbytes
    assert (f"{by}: {found[by].warp_instructions}, {moved} bytes of global memory"
            in result.as_text())


def test_matrix_operations():
    a = np.eye(64, dtype=np.float16)
    c = np.zeros((64, 64), np.float32)
    result = matmul.simulate((1,), a, a, c, N=64)
    assert np.array_equal(c, np.eye(64))
    # m16n8k16: 4 x 8 x 4 of them.
    assert result.matrix_operations == result.line(line_of("DOT")).matrix_operations == 128
    assert result.barriers > 0 and result.shared_wavefronts > 0


@tritium.jit
def products(a, b, c, K, M: tl.constexpr, N: tl.constexpr, STEP: tl.constexpr, OUT: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, STEP)
    total = tl.zeros((M, N), OUT)
    for start in range(0, K, STEP):
        x = tl.load(a + (start + k)[None, :] * M + m[:, None])
        y = tl.load(b + (start + k)[:, None] * N + n[None, :])
        total = tl.dot(x, y, total)
    tl.store(c + m[:, None] * N + n[None, :], total)  # SUMS


@pytest.mark.parametrize("dtype,m,n,step,free", [
    ("int8", 128, 128, 128, True), ("int8", 128, 256, 128, True), ("float32", 64, 128, 32, True),
    ("float32", 64, 256, 32, True), ("float32", 64, 256, 16, True),
    ("int8", 64, 128, 128, False), ("int8", 128, 128, 64, False)])
def test_operands_that_are_turned_have_no_bank_conflicts(dtype, m, n, step, free):
    """Elements that both lie across k, for warp groups; where rows have 128 bytes along k and
    across, or elements four."""
    K = 512
    a = np.arange(K * m).astype(np.int8).astype(dtype).reshape(K, m)
    b, out = np.ones((K, n), dtype), tl.int32 if dtype == "int8" else tl.float32
    c = np.zeros((m, n), np.int32 if dtype == "int8" else np.float32)
    result = products.simulate((1,), a, b, c, K, M=m, N=n, STEP=step, OUT=out, arch="sm_90")
    assert np.array_equal(c, a.T.astype(c.dtype) @ b.astype(c.dtype))
    total = json.loads(result.to_json())["total"]
    # 64 rows by N: one for 32 bytes along k, in four warps.
    assert total["matrix_operations"] == K * a.itemsize // 32 * 4 * (m // 64)
    # Panels of 32-bit results for TMA have some (docs/passes/ttng-store-boxes.md).
    sums = result.line(line_of("SUMS"))
    assert (total["bank_conflicts"] == sums.bank_conflicts) == free
    # In rows of 64 bytes every other one is in half of the banks.
    turned = total["shared_wavefronts"] - sums.shared_wavefronts
    assert turned <= 2 * (total["shared_wavefronts_ideal"] - sums.shared_wavefronts_ideal)


def test_simulate_finds_faults():
    x, y, out = arrays()
    with pytest.raises(triton.SimulatorError, match="out-of-bounds"):
        add.simulate((8,), x, y[:900], out, 1000, BLOCK=128)
    with pytest.raises(triton.SimulatorError, match="race"):
        collide.simulate((2,), np.zeros(1, np.int32))
    collide.simulate((2,), np.zeros(1, np.int32), checks="undefined")
    collide.simulate((2,), np.zeros(1, np.int32), checks=False)
    seen = set()
    for seed in range(1, 30):
        last = np.zeros(1, np.int32)
        collide.simulate((4,), last, checks=[], seed=seed)
        seen.add(int(last[0]))
    assert len(seen) > 1


def test_parameters_go_before_options():
    out = np.zeros(1, np.int32)
    seeded.simulate((1,), out, seed=40, arch=2)
    assert out[0] == 42


@pytest.mark.parametrize("options, words", [
    ({"arch": "sm_70"}, "no such architecture; there are: sm_75"),
    ({"arch": 80}, "arch=80"),
    ({"checks": "everything"}, "no checks 'everything'"),
    ({"checks": [1]}, "checks="),
    ({"seed": -1}, "seed=-1"),
    ({"seed": 1.5}, "seed=1.5"),
    ({"step_limit": "many"}, "step_limit='many'"),
    ({"step_limt": 3}, "no parameter or option 'step_limt'"),
    ({"num_warps": 3}, "power of two"),
])
def test_wrong_options(options, words):
    with pytest.raises(triton.OptionError, match=re.escape(words)):
        add.simulate((8,), *arrays(), 1000, BLOCK=128, **options)


def test_step_limit():
    with pytest.raises(triton.SimulatorError, match="step limit"):
        add.simulate((8,), *arrays(), 1000, BLOCK=128, step_limit=100)


def test_wrong_calls():
    with pytest.raises(triton.ArgumentError):
        add.simulate((8,), *arrays())
    with pytest.raises(TypeError):
        add.simulate()


# -- simulate() on everything that can be launched -----------------------------------------------


def test_simulate_on_a_grid():
    x, y, out = arrays(300)
    whole = add.simulate((3,), x, y, out, 300, BLOCK=128)
    assert np.array_equal(out, 3 * x)
    for launcher in (add[(3,)], add[3], add[lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]),)]):
        out[:] = 0
        result = launcher.simulate(x, y, out, 300, BLOCK=128, arch="sm_80", seed=3)
        assert np.array_equal(out, 3 * x)
        assert (result.ctas, result.global_sectors) == (3, whole.global_sectors)
    with pytest.raises(triton.SimulatorError, match="out-of-bounds"):
        add[(3,)].simulate(x, y, out, 301, BLOCK=128)
    with pytest.raises(triton.OptionError, match="no such architecture"):
        add[(3,)].simulate(x, y, out, 300, BLOCK=128, arch="sm_12")
    with pytest.raises(triton.ArgumentError, match="missing argument 'n'"):
        add[(3,)].simulate(x, y, out, BLOCK=128)


def autotuned(calls=None):
    """The kernel `add` with two configs."""
    def note(arguments):
        if calls is not None:
            calls.append(arguments["BLOCK"])
    configs = [triton.Config({"BLOCK": block}, num_warps=warps, pre_hook=note)
               for block, warps in ((64, 2), (128, 4))]
    return triton.autotune(configs, key=["n"])(add)


def test_simulate_an_autotuned_kernel(monkeypatch):
    x, y, out = arrays(300)
    calls = []
    kernel = autotuned(calls)
    grid = lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]),)
    # Nothing has been chosen: the first config, and no measuring.
    result = kernel.simulate(grid, x, y, out, 300)
    assert np.array_equal(out, 3 * x)
    assert (result.ctas, result.threads, calls) == (5, 64, [64])
    assert kernel.best_config is kernel.configs[0] and not kernel.cache
    # What was chosen for these arguments, and only for them.
    kernel.cache[kernel._key({"x_ptr": x, "y_ptr": y, "out_ptr": out, "n": 300})] = (
        kernel.configs[1])
    out[:] = 0
    result = kernel[grid].simulate(x, y, out, 300, arch="sm_90")
    assert np.array_equal(out, 3 * x)
    assert (result.ctas, result.threads, result.occupancy.architecture) == (3, 128, 90)
    assert kernel.simulate(grid, x, y, out, 299).threads == 64
    with pytest.raises(triton.SimulatorError, match="out-of-bounds"):
        kernel.simulate(grid, x, y, out, 301)
    with pytest.raises(triton.ArgumentError, match="BLOCK, which autotune chooses"):
        kernel.simulate(grid, x, y, out, 300, BLOCK=32)


def test_simulate_with_heuristics():
    x, y, out = arrays(300)
    kernel = triton.heuristics({"BLOCK": lambda arguments: 32 if arguments["n"] < 400 else 64})(add)
    assert kernel.simulate((10,), x, y, out, 300, seed=1).ctas == 10
    assert np.array_equal(out, 3 * x)
    tuned = triton.autotune([triton.Config({}, num_warps=1)], key=[])(kernel)
    out[:] = 0
    assert tuned[(10,)].simulate(x, y, out, 300).threads == 32
    assert np.array_equal(out, 3 * x)


SCALE = """
__global__ void scale(float *x, int n) {
  int i[T] = get_program_id(0) * T + 0 ... T;
  bool inside[T] = i < n;
  float *p[T] = x + i;
  *?(inside)p = *?(inside)p * 2;
}
"""


def test_simulate_triton_c():
    scale = tritium.c.kernel(SCALE, defines={"T": [32, 64]}, num_warps=1)
    x = np.ones(100, np.float32)
    grid = lambda options: (-(-100 // options.T),)
    result = scale.simulate(x, 100, grid=grid, arch="sm_75")
    assert (result.kernel, result.ctas, result.occupancy.architecture) == ("scale", 4, 75)
    assert np.array_equal(x, np.full(100, 2)) and scale.option("T") == 32
    assert result.line(6).global_bytes_read == 400
    # The choice that a launch made holds here, too.
    scale(np.ones(100, np.float32), 100, grid=grid)
    assert scale.simulate(x, 100, grid=grid).ctas == {32: 4, 64: 2}[scale.option("T")]
    with pytest.raises(triton.SimulatorError, match=r":6:.*out-of-bounds"):
        scale.simulate(x, 101, grid=grid)
    with pytest.raises(triton.OptionError, match="step_limit"):
        scale.simulate(x, 100, grid=grid, step_limit=-1)
    with pytest.raises(triton.ArgumentError):
        scale.simulate(x, grid=grid)
    with pytest.raises(ZeroDivisionError):
        scale.simulate(x, 100, grid=lambda options: (1 // 0,))


def test_simulate_triton_c_with_a_table():
    look = tritium.c.kernel("""
      char __constant__* TABLE = calloc(32);
      void look(float *out, int i) {
        int __constant__* p = (int __constant__*)TABLE;
        *out = *(p + i);
      }""", constants={"TABLE": np.arange(8, dtype=np.int32)})
    out = np.zeros(1, np.float32)
    look.simulate(out, 3, grid=1)
    assert out[0] == 3
