"""Clocks in kernels: `tritium.profile(clocks=)`. On the simulated GPU, whose clock counts the
instructions of warps, or with TRITIUM_TEST_BACKENDS=cuda and torch on one of compute capability
9.0, where what is printed is measured."""

import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from explaining import tritium

IS_GPU = os.environ.get("TRITIUM_TEST_BACKENDS") == "cuda"
torch = pytest.importorskip("torch") if IS_GPU else None
#: Threads wait for others by the simulator's turns: a test of times wants one warp.
only_simulated = pytest.mark.skipif(IS_GPU, reason="counts instructions")
only_gpu = pytest.mark.skipif(not IS_GPU, reason="wants a GPU")


@pytest.fixture(autouse=True)
def backend(monkeypatch):
    monkeypatch.delenv("TRITIUM_CLOCKS", raising=False)
    if not IS_GPU:
        monkeypatch.setenv("TRITIUM_BACKEND", "sim:sm_90")


def array(values):
    return torch.tensor(values, device="cuda") if IS_GPU else values


def values(array):
    return array.cpu().numpy() if IS_GPU else array


@triton.jit
def stages(x, y, n, ROUNDS: tl.constexpr):
    i = tl.arange(0, 256)
    total = tl.zeros((256,), tl.float32)
    for k in range(n):
        with tl.scope("round"):
            with tl.scope("load"):
                part = tl.load(x + (tl.program_id(0) * n + k) * 256 + i)
            with tl.scope("work"):
                for r in tl.static_range(ROUNDS):
                    part = part * part - 0.5 * part
                total += part
    with tl.scope("store"):
        tl.store(y + tl.program_id(0) * 256 + i, total)


@triton.jit
def unnamed(x, y):
    i = tl.arange(0, 256)
    tl.store(y + i, tl.load(x + i) + 1)


@triton.jit
def product(a, b, c, M, N, K, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr):
    rm = tl.program_id(0) * TM + tl.arange(0, TM)
    rn = tl.program_id(1) * TN + tl.arange(0, TN)
    rk = tl.arange(0, TK)
    acc = tl.zeros((TM, TN), tl.float32)
    for k in tl.range(0, tl.cdiv(K, TK), warp_specialize=True):
        with tl.scope("copies"):
            at = k * TK + rk
            x = tl.load(a + rm[:, None] * K + at[None, :],
                        mask=(rm < M)[:, None] & (at < K)[None, :], other=0.0)
            y = tl.load(b + at[:, None] * N + rn[None, :],
                        mask=(at < K)[:, None] & (rn < N)[None, :], other=0.0)
        with tl.scope("dot"):
            acc = tl.dot(x, y, acc)
    with tl.scope("out"):
        tl.store(c + rm[:, None] * N + rn[None, :], acc.to(tl.float16),
                 mask=(rm < M)[:, None] & (rn < N)[None, :])


@triton.jit
def named(x, ROUNDS: tl.constexpr):
    i = tl.arange(0, 256)
    with tl.scope("all"), tl.scope("inner"):
        for r in tl.static_range(ROUNDS):
            with tl.scope(f"round {r}"):
                tl.store(x + i, tl.load(x + i) + 1)
    with tl.scope("all"):
        tl.store(x + i, tl.load(x + i) * 2)


def run_stages(programs=2, n=4, rounds=8):
    x = np.random.default_rng(1).random((programs, n, 256), np.float32)
    y = array(np.zeros((programs, 256), np.float32))
    compiled = stages[(programs,)](array(x), y, n, ROUNDS=rounds, num_warps=1)
    wanted = x
    for _ in range(rounds):
        wanted = wanted * wanted - np.float32(0.5) * wanted
    np.testing.assert_allclose(values(y), wanted.sum(1), rtol=1e-4)
    return compiled


def run_product(size=512, tile=(128, 128, 64)):
    rng = np.random.default_rng(2)
    a, b = (rng.integers(-2, 3, (size, size)).astype(np.float16) for _ in range(2))
    c = array(np.zeros((size, size), np.float16))
    tm, tn, tk = tile
    compiled = product[(size // tm, size // tn)](array(a), array(b), c, size, size, size, TM=tm,
                                                 TN=tn, TK=tk, num_warps=4)
    np.testing.assert_array_equal(values(c), (a.astype(np.float32) @ b).astype(np.float16))
    return compiled


def test_a_warp_is_in_one_part_at_a_time():
    with triton.profile(clocks="scopes") as run:
        run_stages()
        run_stages()
    kernel, = run.clocked
    print(run.table())
    assert (kernel.name, kernel.warps) == ("stages", 4)
    names = [part.name for part in kernel.parts]
    assert names == ["round", "round/load", "round/work", "store", ""]
    inside = [part for part in kernel.parts if part.name != "round"]
    own = kernel.part("round").clocks - sum(kernel.part(name).clocks for name in names[1:3])
    assert sum(part.clocks for part in inside) + own == kernel.clocks
    # In each of 4 warps 4 rounds load once; where they end the next one would begin.
    assert kernel.part("round/load").times == 20 and kernel.part("round/work").times == 16
    assert kernel.part("store").times == 4
    assert all(part.groups == {} for part in kernel.parts)
    assert "scope round/load" in run.table() and "x the time" not in run.table()


@only_simulated
@pytest.mark.parametrize("rounds", (2, 40))
def test_the_shares_are_those_of_the_simulator(rounds):
    with triton.profile(clocks="scopes") as run:
        run_stages(rounds=rounds)
    kernel, = run.clocked
    x, y = np.zeros((2, 4, 256), np.float32), np.zeros((2, 256), np.float32)
    counted = stages.simulate((2,), x, y, 4, ROUNDS=rounds, num_warps=1)
    for name in ("round/load", "round/work", "store"):
        wanted = counted.scopes[name].warp_instructions
        # The clocks' own instructions count, as well: a few for each change.
        part = kernel.part(name)
        assert wanted <= part.clocks <= wanted + 12 * part.times + 8, (name, wanted, part.clocks)


@only_simulated
def test_lines():
    with triton.profile(clocks="lines") as run:
        run_stages(rounds=40)
    kernel, = run.clocked
    with open(__file__) as file:
        number, = [i for i, line in enumerate(file, 1) if "part = part * part -" in line][:1]
    line = kernel.part(f"test_profile_scopes.py:{number}")
    assert line.file == __file__ and line.line == line.last == number
    assert line.share == max(part.share for part in kernel.parts) > 0.4
    assert sum(part.clocks for part in kernel.parts) == kernel.clocks
    assert "part = part * part - 0.5 * part" in run.table()


def test_no_decision_changes_and_off_means_nothing():
    off = run_stages()
    with triton.profile(clocks="scopes"):
        on = run_stages()
    again = run_stages()
    with triton.profile() as run:
        run_stages()
    assert on.asm["ttgir"] == off.asm["ttgir"]
    assert "%clock64" in on.asm["ptx"] and "tritium_clocks" in on.asm["ptx"]
    for compiled in (off, again):
        assert "clock" not in compiled.asm["ptx"].rpartition("\n//")[0]
    assert again.asm["ptx"] == off.asm["ptx"]
    assert run.clocked == [] and "clocks" not in run.table()


def test_kernels_without_scopes():
    x, y = array(np.ones(256, np.float32)), array(np.zeros(256, np.float32))
    with triton.profile(clocks="scopes") as run:
        compiled = unnamed[(1,)](x, y)
    assert (values(y) == 2).all() and "clock64" not in compiled.asm["ptx"]
    assert run.clocked == [] and "No kernel with clocks ran" in run.table()
    with triton.profile(clocks="lines") as run:
        unnamed[(1,)](x, y)
    assert [part.line > 0 for part in run.clocked[0].parts][0]


def test_names():
    x = array(np.zeros(256, np.float32))
    with triton.profile(clocks="scopes") as run:
        named[(1,)](x, ROUNDS=3)
    assert (values(x) == 6).all()
    kernel, = run.clocked
    # Of lines with several names the first is shown, and that it is not alone.
    assert [part.name for part in kernel.parts if part.line] == [
        "all/inner", "all/inner/round 0 ...", "all"]


def test_counts_are_of_one_profile():
    for launches in (1, 3):
        with triton.profile(clocks="scopes") as run:
            for _ in range(launches):
                run_stages()
        assert run.clocked[0].warps == 2 * launches


def test_groups_of_warps():
    with triton.profile(clocks="scopes") as run:
        compiled = run_product()
    assert "ttg.warp_groups" in compiled.asm["ttgir"]
    kernel, = run.clocked
    print(run.table())
    (first, second), = [[name for name, *_ in kernel.groups]]
    dot, copies = kernel.part("dot"), kernel.part("copies")
    shares = {name: (dot.groups[name], copies.groups[name]) for name in (first, second)}
    starts, = [name for name in shares if "load" in name or "cop" in name]
    computes, = set(shares) - {starts}
    # What starts copies never multiplies; both wait for each other in the loop's own line.
    assert shares[starts][0] == 0 < shares[starts][1]
    assert shares[computes][0] > 0.1 and shares[computes][1] < 0.1
    assert f"of the warps '{starts}'" in run.table()


@pytest.mark.parametrize("kind", ("scopes", "lines"))
@pytest.mark.parametrize("target", ("cuda:75", "cuda:80", "cuda:90"))
def test_ptxas_takes_it(kind, target, monkeypatch, tmp_path):
    monkeypatch.setenv("TRITIUM_CLOCKS", kind)
    for kernel, signature, constants in (
            ("stages", "*fp32,*fp32,i32", ["ROUNDS=3"]),
            ("product", "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16",
             ["TM=64", "TN=64", "TK=64"])):
        named = [word for constant in constants for word in ("--constexpr", constant)]
        ptx = tritium("compile", __file__, "--kernel", kernel, "--signature", signature, *named,
                      "--target", target, "--emit", "ptx", "-o", "-")
        assert "%clock64" in ptx and "%globaltimer" in ptx
        # One for each of the sums: in local memory if there are many.
        assert ("local_depot" in ptx) >= (kind == "lines")


def test_wrong_settings(monkeypatch):
    with pytest.raises(ValueError, match="clocks must be 'scopes' or 'lines', found 'all'"):
        triton.profile(clocks="all")
    monkeypatch.setenv("TRITIUM_CLOCKS", "scope")
    with pytest.raises(triton.OptionError, match="TRITIUM_CLOCKS must be scopes or lines, but is "
                                                 "'scope'"):
        run_stages()


@only_simulated
def test_the_host_has_no_clocks(monkeypatch):
    monkeypatch.setenv("TRITIUM_BACKEND", "cpu")
    with triton.profile(clocks="scopes") as run:
        run_stages()
    assert run.clocked == [] and "No kernel with clocks ran" in run.table()


SCRIPT = """import numpy as np, triton, triton.language as tl
@triton.jit
def copy(x, y):
    i = tl.arange(0, 64)
    with tl.scope('in'):
        v = tl.load(x + i)
    with tl.scope('out'):
        tl.store(y + i, v + 1)
a = np.ones(64, np.float32)
b = np.zeros_like(a)
for _ in range(3): copy[(1,)](a, b)
assert (a + 1 == b).all()
"""


def profile_of(tmp_path, *options):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    return subprocess.run([sys.executable, "-m", "tritium", "profile", *options, script],
                          capture_output=True, text=True)


def test_the_command(tmp_path):
    trace = tmp_path / "trace.json"
    done = profile_of(tmp_path, "--clocks", "scopes", "--trace", trace)
    assert done.returncode == 0, done.stderr
    shown = re.findall(r"^ *[\d.]+%.*?  (script\.py  scope \S+|copy)", done.stderr, re.M)
    assert shown == ["copy", "copy", "script.py  scope in", "script.py  scope out"]
    event = json.loads(trace.read_text())["traceEvents"][0]
    shares = event["args"]["share of clocks, all launches"]
    assert {"in", "out"} <= shares.keys() and abs(sum(shares.values()) - 1) < 1e-6
    refused = profile_of(tmp_path, "--clocks", "lines", "--target", "sim:sm_90")
    assert refused.returncode == 2 and "counts by line and by scope in any case" in refused.stderr


@only_gpu
@pytest.mark.parametrize("kind", ("scopes", "lines"))
def test_times_on_a_gpu(kind):
    size, launches = 4096, 10
    a, b = (torch.randn(size, size, device="cuda", dtype=torch.float16) for _ in range(2))
    c = torch.empty_like(a)

    def launch():
        product[(size // 128, size // 128)](a, b, c, size, size, size, TM=128, TN=128, TK=64,
                                            num_warps=8)

    profiles = []
    for clocks in (None, kind):
        with triton.profile(clocks=clocks):
            launch()  # compiles
        with triton.profile(clocks=clocks) as run:
            for _ in range(launches):
                launch()
        profiles.append(run)
    plain, clocked = profiles
    print(clocked.table(plain))
    kernel, = clocked.clocked
    assert 0.5 < kernel.gigahertz < 3
    assert torch.allclose(c, a @ b, rtol=1e-2, atol=0.5)
    if kind == "scopes":
        assert clocked.kernels[0].seconds < 1.5 * plain.kernels[0].seconds


@only_gpu
def test_a_captured_graph_counts():
    x = torch.ones(2 * 4 * 256, device="cuda")
    y = torch.zeros(512, device="cuda")
    with triton.profile(clocks="scopes") as run:
        stages[(2,)](x, y, 4, ROUNDS=8, num_warps=1)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            stages[(2,)](x, y, 4, ROUNDS=8, num_warps=1)
        for _ in range(5):
            graph.replay()
        torch.cuda.synchronize()
    assert run.clocked[0].warps == 2 * 6


# Kernels count for one profile alone, and the next one may begin when it has ended.
def test_one_profile_at_a_time():
    with triton.profile(clocks="scopes"):
        with pytest.raises(RuntimeError, match="a profile with clocks is open already"):
            with triton.profile(clocks="lines"):
                pass
    with triton.profile(clocks="lines"):
        pass
