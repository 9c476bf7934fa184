"""Kernels compiled for every architecture: ptxas, where there is one, takes what is emitted."""

import pytest

import tritium as triton
import tritium.language as tl
from tritium.compiler import ASTSource, GPUTarget


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)


@triton.jit
def softmax(x, out, stride, n, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    row = tl.program_id(0) * stride
    v = tl.load(x + row + c, c < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row + c, e / tl.sum(e, axis=0), c < n)


@triton.jit
def matmul(a, b, c, K, B: tl.constexpr):
    i = tl.arange(0, B)
    total = tl.zeros((B, B), tl.float32)
    for k in range(0, K, B):
        x = tl.load(a + i[:, None] * K + (k + i)[None, :])
        y = tl.load(b + (k + i)[:, None] * B + i[None, :])
        total = tl.dot(x, y, total)
    tl.store(c + i[:, None] * B + i[None, :], total)


@triton.jit
def count(x, out, B: tl.constexpr):
    tl.atomic_add(out + tl.load(x + tl.arange(0, B)), 1)


SOURCES = {
    "add": (add, {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32"}, {"BLOCK": 1000}),
    "softmax": (softmax, {"x": "*fp32", "out": "*fp32", "stride": "i32", "n": "i32"},
                {"BLOCK": 781}),
    "matmul": (matmul, {"a": "*fp16", "b": "*fp16", "c": "*fp32", "K": "i32"}, {"B": 64}),
    "count": (count, {"x": "*i32", "out": "*i32"}, {"B": 256}),
}


@pytest.mark.parametrize("arch", [75, 80, 86, 89, 90, 100])
@pytest.mark.parametrize("name", SOURCES)
def test_assembles(name, arch, monkeypatch):
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    kernel = triton.compile(ASTSource(*SOURCES[name]), GPUTarget("cuda", arch, 32))
    assert f".entry {name}(" in kernel.asm["ptx"]
    if kernel.n_regs == 0:
        pytest.skip("no ptxas")
    assert kernel.asm["cubin"][:4] == b"\x7fELF"
    # Products on 7.5 are done without tensor cores, from registers that do not suffice.
    assert kernel.n_spills == 0 or (name, arch) == ("matmul", 75)
