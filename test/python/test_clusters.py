"""Kernels of long rows, each of which a cluster of CTAs does: on a simulated GPU, or with
TRITIUM_TEST_BACKENDS=cuda on one."""

import os
import subprocess
import sys

import numpy as np
import pytest

import tritium as triton
import tritium.language as tl
from row_kernels import check_softmax, rows, softmax

BACKEND = "cuda" if os.environ.get("TRITIUM_TEST_BACKENDS") == "cuda" else "sim:sm_90"


@pytest.fixture(autouse=True)
def backend(monkeypatch):
    monkeypatch.setenv("TRITIUM_BACKEND", BACKEND)


def why_not(kernel):
    """Why a program of the kernel is no cluster, if a remark says so."""
    return [r.message for r in kernel.remarks
            if r.pass_ == "spread-programs" and r.kind == "missed"]


@triton.jit
def layer_norm(y, means, x, w, b, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + row * n + c, mask=c < n, other=0).to(tl.float32)
    mean = tl.sum(v, axis=0) / n
    d = tl.where(c < n, v - mean, 0)
    scale = tl.rsqrt(tl.sum(d * d, axis=0) / n + eps)
    out = d * scale * tl.load(w + c, mask=c < n) + tl.load(b + c, mask=c < n)
    tl.store(y + row * n + c, out, mask=c < n)
    tl.store(means + row, mean)


@triton.jit
def largest(values, places, x, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + row * n + c, mask=c < n, other=-float("inf"))
    most, at = tl.max(v, axis=0, return_indices=True)
    tl.store(values + row, most)
    tl.store(places + row, at)


@triton.jit
def centred(y, x, n, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Rows, less their means, several in a program."""
    r = tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, BLOCK)
    at = r[:, None] * n + c[None, :]
    inside = (c < n)[None, :]
    v = tl.load(x + at, mask=inside, other=0)
    tl.store(y + at, v - (tl.sum(v, axis=1) / n)[:, None], mask=inside)


ROW = """
import triton
import triton.language as tl

@triton.jit
def total(y, x, BLOCK: tl.constexpr):
    tl.store(y, tl.sum(tl.load(x + tl.arange(0, BLOCK)), 0))
"""


def test_longest_rows():
    kernel = check_softmax(2, 65536, np.float16)
    assert (kernel.metadata.num_ctas, kernel.metadata.num_warps) == (8, 4)
    assert not why_not(kernel)


@pytest.mark.parametrize("ctas", [2, 4, 8])
@pytest.mark.parametrize("columns", [4096, 3001])
def test_softmax(ctas, columns):
    assert check_softmax(5, columns, num_ctas=ctas).metadata.num_ctas == ctas


def test_rows_that_fit_are_not_spread():
    assert check_softmax(2, 2048).metadata.num_ctas == 1
    assert check_softmax(1, 65536, num_ctas=1, num_warps=16).metadata.num_ctas == 1


def test_layer_norm():
    count, n = 3, 5000
    x, w, b = rows(count, n), rows(1, n + 1)[0, 1:], rows(1, n + 2)[0, 2:]
    y, means = np.zeros_like(x), np.zeros(count, np.float32)
    kernel = layer_norm[(count,)](y, means, x, w, b, n, 1e-5, BLOCK=8192, num_ctas=4)
    assert kernel.metadata.num_ctas == 4
    mean = x.mean(1, keepdims=True)
    expected = (x - mean) / np.sqrt(x.var(1, keepdims=True) + 1e-5) * w + b
    np.testing.assert_allclose(y, expected, 1e-4, 1e-4)
    np.testing.assert_allclose(means, mean[:, 0], 1e-4, 1e-5)


def test_places_are_those_of_the_row():
    count, n = 4, 4000
    x = np.round(rows(count, n))  # so that the largest is there several times
    values, places = np.zeros(count, np.float32), np.zeros(count, np.int32)
    kernel = largest[(count,)](values, places, x, n, BLOCK=4096, num_ctas=4)
    assert kernel.metadata.num_ctas == 4
    assert (values == x.max(1)).all() and (places == x.argmax(1)).all()


def test_several_rows_in_a_program():
    x = rows(8, 1000)
    y = np.zeros_like(x)
    kernel = centred[(1, 2)](y, x, 1000, ROWS=4, BLOCK=1024, num_ctas=4)
    assert kernel.metadata.num_ctas == 4
    np.testing.assert_allclose(y, x - x.mean(1, keepdims=True), 1e-5, 1e-5)


def test_options_that_do_not_fit():
    x = rows(1, 4096)
    for options, why in (({"num_ctas": 2, "persistent": True}, "leave persistent=True out"),
                         ({"num_ctas": 16}, "at most 8"), ({"num_ctas": 8}, "is too short")):
        n = 128 if "short" in why else 4096
        compiled = softmax[(1,)](np.zeros_like(x), x, n, n, n, BLOCK=n, **options)
        assert compiled.metadata.num_ctas == 1
        assert any(why in reason for reason in why_not(compiled)), why_not(compiled)


def test_code_for_other_launchers(tmp_path):
    (tmp_path / "row.py").write_text(ROW)
    command = [sys.executable, "-m", "tritium", "compile", str(tmp_path / "row.py"), "--target",
               "cuda:90", "--signature", "*fp32,*fp32", "--constexpr", "BLOCK=65536"]
    for options, has in (((), False), (("--option", "num_ctas=4"), True)):
        done = subprocess.run([*command, *options, "-o", "-"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert (".reqnctapercluster 4" in done.stdout) is has


def test_bits_are_those_of_every_run():
    x = rows(3, 4096)
    results = []
    for _ in range(2):
        y = np.zeros_like(x)
        softmax[(3,)](y, x, 4096, 4096, 4096, BLOCK=4096, num_ctas=4)
        results.append(y.tobytes())
    assert results[0] == results[1]


@triton.jit
def scanned(y, x, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    v = tl.load(x + c)
    tl.store(y + c, tl.cumsum(v, 0) / tl.sum(v, 0))


@triton.jit
def shifted(x, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    v = tl.load(x + c + 1)
    tl.store(x + c, v)
    tl.store(x + BLOCK + 1, tl.sum(v, 0))


@triton.jit
def in_a_loop(y, x, n, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    total = 0.0
    for i in range(n):
        total += tl.sum(tl.load(x + i * BLOCK + c), 0)
    tl.store(y, total)


@triton.jit
def counted(counts, x, BLOCK: tl.constexpr):
    v = tl.load(x + tl.arange(0, BLOCK))
    tl.atomic_add(counts, tl.sum(v, 0))


@pytest.mark.parametrize("kernel, arguments, why", [
    (scanned, lambda x: (np.zeros(4096, np.float32), x), "other places of the row"),
    (shifted, lambda x: (x,), "accessed before at another place"),
    (in_a_loop, lambda x: (np.zeros(1, np.float32), np.tile(x[:4096], 2), 2),
     "stands in a loop or branch"),
    (counted, lambda x: (np.zeros(1, np.float32), x), "done once for a program"),
])
def test_what_stays_on_one_cta(kernel, arguments, why):
    compiled = kernel[(1,)](*arguments(rows(1, 4098)[0]), BLOCK=4096, num_ctas=2)
    assert compiled.metadata.num_ctas == 1
    assert any(why in reason for reason in why_not(compiled)), why_not(compiled)


def test_in_place():
    x = rows(2, 4096)
    kernel = softmax[(2,)](x, x, 4096, 4096, 4096, BLOCK=4096, num_ctas=2)
    # What another CTA stores it stores behind the barriers of the sum.
    assert kernel.metadata.num_ctas == 2
    np.testing.assert_allclose(x.sum(1), 1, 1e-4)


@triton.jit
def scaled_by(y, x, w, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    s = tl.sum(tl.load(x + c), 0)
    tl.store(y + c, s * tl.load(w + BLOCK - 1 - c))


def test_arrays_that_overlap():
    x, w = rows(2, 4096)
    y = np.zeros_like(x)
    assert scaled_by[(1,)](y, x, w, BLOCK=4096, num_ctas=2).metadata.num_ctas == 2
    expected = x.sum() * w[::-1]
    np.testing.assert_allclose(y, expected, 1e-3)
    # Here one CTA might store what another one has yet to load.
    scaled_by[(1,)](w, x, w, BLOCK=4096, num_ctas=2)
    np.testing.assert_allclose(w, expected, 1e-3)


@triton.jit
def scaled(y, x, w, LENGTH: tl.constexpr, WEIGHTS: tl.constexpr):
    """A long tile that is no row of what is reduced."""
    c = tl.arange(0, LENGTH)
    total = tl.sum(tl.load(w + tl.arange(0, WEIGHTS)), axis=0)
    tl.store(y + c, tl.load(x + c) * total)


def test_tiles_that_are_no_rows():
    x, w = rows(1, 65536), np.ones(256, np.float32)
    y = np.zeros_like(x)
    kernel = scaled[(1,)](y, x, w, 65536, 256, num_warps=16)
    np.testing.assert_array_equal(y, 256 * x)
    assert kernel.metadata.num_ctas == 1
