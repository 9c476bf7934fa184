"""Whether the simulator notices that a kernel for compute capability 9.0 lacks something: of each
kernel ptx-mutants takes one barrier, arrival, expectation of bytes, wait, commit or fence away at a
time. The launches are long enough that each buffer is filled again, and each CTA has several
programs: in a shorter one it makes no difference who has to wait for the next filling."""

import pathlib
import re
import subprocess

import numpy as np
import pytest
import test_narrow_products as narrow
import test_persistent as persistent
import test_program_counter as counter
import test_store_boxes as stores
import test_warp_groups as groups

import tritium as triton
import tritium.language as tl

MUTANTS = pathlib.Path(__file__).parents[2] / "build" / "bin" / "ptx-mutants"


def bytes_product(**options):
    random = np.random.default_rng(3)
    a, b = (narrow.matrix(*shape, np.int8, lambda shape: random.integers(-5, 6, shape), False, 32)
            for shape in ((64, 640), (640, 64)))
    c, kernel = narrow.launch(a, b, 64, 64, 640, (64, 64, 64), np.int32, **options)
    np.testing.assert_array_equal(c, a.astype(np.int32) @ b.astype(np.int32))
    return kernel


# What survives, and why, is in docs/simulator.md.
@pytest.mark.parametrize("launch, survivors", [
    (lambda: groups.run_product(128, 64, 512, 128, num_warps=8), {}),
    (lambda: groups.run_product(64, 64, 512, warp_specialize=True), {}),
    (lambda: groups.run_product(128, 64, 512, 128, num_warps=8, warp_specialize=True), {}),
    (lambda: persistent.multiply(128, 256, 384), {}),
    (lambda: persistent.multiply(192, 256, 384, warp_specialize=True), {}),
    (lambda: stores.run_loop(256, 512, 320, 1, "", (64, 128, 64)), {}),
    (lambda: stores.run_loop(768, 256, 320, 1, "", (128, 128, 64), 8, warp_specialize=True), {}),
    (bytes_product, {"barrier": 1}),
    (lambda: counter.attend(4, heads=1, tm=64, tn=64, d=64, warps=4, counts=False),
     {"barrier": 2, "wgmma.fence": 1}),
    (lambda: counter.attend(3, heads=1, counts=False),
     {"warp barrier": 1, "wait for a phase": 1, "wgmma.fence": 1}),
], ids=["product", "copying warp", "8 warps and a copying warp", "programs",
        "programs and a copying warp", "stores", "stores by warp", "bytes", "attention",
        "attention and a counter"])
def test_found(tmp_path, monkeypatch, launch, survivors):
    monkeypatch.setenv("TRITIUM_BACKEND", "sim:sm_90")
    monkeypatch.setenv("TRITIUM_SIM_MULTIPROCESSORS", "1")
    monkeypatch.setenv("TRITIUM_SIM_RECORD", str(tmp_path))
    launch()
    found, left = counted(tmp_path)
    assert sum(found.values()) > 10
    assert left == survivors


def counted(launches):
    """By kind: how many mutants are found, and how many survive."""
    said = subprocess.run([MUTANTS, launches, "--no-masks", "--least", "0"], capture_output=True,
                          text=True)
    assert said.returncode == 0, said.stdout + said.stderr
    counts = re.findall(r"^(\S.*?) +(\d+) found, (\d+) survive", said.stdout, re.MULTILINE)
    assert counts, said.stdout
    return ({kind: int(found) for kind, found, _ in counts if int(found)},
            {kind: int(left) for kind, _, left in counts if int(left)})


@triton.jit
def counts_columns(x_ptr, parts_ptr, counts_ptr, out_ptr, B: tl.constexpr):
    """The program that comes last to a column adds up what all have written there."""
    i = tl.arange(0, B)
    programs = tl.num_programs(0)
    tl.store(parts_ptr + tl.program_id(0) * B + i, tl.load(x_ptr + tl.program_id(0) * B + i))
    is_last = tl.atomic_add(counts_ptr + i, 1) == programs - 1
    total = tl.zeros((B,), tl.float32)
    for p in range(0, programs):
        total += tl.load(parts_ptr + p * B + i, mask=is_last, other=0)
    tl.store(out_ptr + i, total, mask=is_last)


@triton.jit
def waits_for_columns(x_ptr, parts_ptr, counts_ptr, out_ptr, B: tl.constexpr):
    """Program 0 waits for the others, which add to floats in vectors, and adds up what they wrote.
    """
    i = tl.arange(0, B)
    programs = tl.num_programs(0)
    if tl.program_id(0) == 0:
        while tl.min(tl.atomic_add(counts_ptr + i, 0.0, sem="acquire"), 0) < programs - 1:
            pass
        total = tl.load(x_ptr + i)
        for p in range(1, programs):
            total += tl.load(parts_ptr + p * B + i)
        tl.store(out_ptr + i, total)
    else:
        tl.store(parts_ptr + tl.program_id(0) * B + i, tl.load(x_ptr + tl.program_id(0) * B + i))
        tl.atomic_add(counts_ptr + i, 1.0, sem="release")


# An atomic of a tile is ordered by fences around its elements.
@pytest.mark.parametrize("kernel, counts", [(counts_columns, np.int32),
                                            (waits_for_columns, np.float32)])
@pytest.mark.parametrize("warps", [1, 4])
def test_fences_of_tile_atomics(tmp_path, monkeypatch, kernel, counts, warps):
    monkeypatch.setenv("TRITIUM_BACKEND", "sim:sm_90")
    monkeypatch.setenv("TRITIUM_SIM_RECORD", str(tmp_path))
    x = np.random.default_rng(1).integers(0, 99, (6, 64 * warps)).astype(np.float32)
    out = np.zeros(64 * warps, np.float32)
    made = kernel[(6,)](x, np.zeros_like(x), np.zeros(64 * warps, counts), out, 64 * warps,
                        num_warps=warps)
    np.testing.assert_array_equal(out, x.sum(0))
    assert ("red.relaxed.gpu.global.add.v2.f32" in made.asm["ptx"]) == (counts is np.float32)
    found, left = counted(tmp_path)
    assert found["fence"] == 2 and "fence" not in left


@triton.jit
def counts_rows(x_ptr, out_ptr, n, N: tl.constexpr, BINS: tl.constexpr):
    bins = tl.arange(0, BINS)
    for i in range(0, n):
        counts = tl.histogram(tl.load(x_ptr + i * N + tl.arange(0, N)), BINS)
        tl.store(out_ptr + i * BINS + bins, counts)


# Between zeros, counts, and who reads them, threads meet. Before the next zeros they do, too,
# though each thread makes zero what it alone has read.
@pytest.mark.parametrize("warps", [1, 4])
def test_barriers_of_histograms(tmp_path, monkeypatch, warps):
    monkeypatch.setenv("TRITIUM_BACKEND", "sim:sm_90")
    monkeypatch.setenv("TRITIUM_SIM_RECORD", str(tmp_path))
    x = np.random.default_rng(1).integers(0, 256, (3, 1024)).astype(np.int32)
    out = np.zeros((3, 256), np.int32)
    counts_rows[(1,)](x, out, 3, 1024, 256, num_warps=warps)
    np.testing.assert_array_equal(out, np.stack([np.bincount(row, minlength=256) for row in x]))
    assert counted(tmp_path) == ({"barrier": 2}, {"barrier": 1})
