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
     {"barrier": 2}),
    (lambda: counter.attend(3, heads=1, counts=False), {"warp barrier": 1, "wait for a phase": 1}),
], ids=["product", "copying warp", "8 warps and a copying warp", "programs",
        "programs and a copying warp", "stores", "stores by warp", "bytes", "attention",
        "attention and a counter"])
def test_found(tmp_path, monkeypatch, launch, survivors):
    monkeypatch.setenv("TRITIUM_BACKEND", "sim:sm_90")
    monkeypatch.setenv("TRITIUM_SIM_MULTIPROCESSORS", "1")
    monkeypatch.setenv("TRITIUM_SIM_RECORD", str(tmp_path))
    launch()
    said = subprocess.run([MUTANTS, tmp_path, "--no-masks", "--least", "0"], capture_output=True,
                          text=True)
    assert said.returncode == 0, said.stdout + said.stderr
    counts = re.findall(r"^(\S.*?) +(\d+) found, (\d+) survive", said.stdout, re.MULTILINE)
    assert sum(int(found) for _, found, _ in counts) > 10, said.stdout
    assert {kind: int(left) for kind, _, left in counts if int(left)} == survivors
