"""Kernels on torch tensors against torch, each in one line; then what a launch costs.

    python utils/gpu_smoke.py [--quick]     quick: small sizes, no timing (for sanitizers)
"""

import sys
import time
import traceback

import torch
import tritium as triton
import tritium.language as tl

QUICK = "--quick" in sys.argv


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)


@triton.jit
def softmax(out, x, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + row * stride + c, c < n, other=-float("inf")).to(tl.float32)
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * stride + c, (e / tl.sum(e, axis=0)).to(out.dtype.element_ty), c < n)


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        kk = k + tl.arange(0, BK)
        x = tl.load(a + m[:, None] * K + kk[None, :],
                    (m[:, None] < M) & (kk[None, :] < K), other=0.0)
        y = tl.load(b + kk[:, None] * N + n[None, :],
                    (kk[:, None] < K) & (n[None, :] < N), other=0.0)
        total = tl.dot(x, y, total)
    tl.store(c + m[:, None] * N + n[None, :], total.to(c.dtype.element_ty),
             (m[:, None] < M) & (n[None, :] < N))


@triton.jit
def transpose(x, out, M, N, B: tl.constexpr):
    m = tl.program_id(0) * B + tl.arange(0, B)
    n = tl.program_id(1) * B + tl.arange(0, B)
    v = tl.load(x + m[:, None] * N + n[None, :], (m[:, None] < M) & (n[None, :] < N))
    tl.store(out + n[:, None] * M + m[None, :], v.T, (n[:, None] < N) & (m[None, :] < M))


@triton.jit
def histogram(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out + tl.load(x + i, i < n, other=0), 1, i < n)


@triton.jit
def nothing(a, b, c, d, e, f, n, m, k, s0, s1, s2, BLOCK: tl.constexpr, W: tl.constexpr):
    pass


def check_add():
    n = 10007 if QUICK else 1 << 24
    x, y = torch.randn(2, n, device="cuda")
    out = torch.empty_like(x)
    add[(triton.cdiv(n, 1024),)](x, y, out, n, BLOCK=1024)
    torch.testing.assert_close(out, x + y, rtol=0, atol=0)


def check_stream():
    stream = torch.cuda.Stream()
    x = torch.ones(1 << 20, device="cuda")
    out = torch.empty_like(x)
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        for _ in range(20):
            x.mul_(1.0)
        x.add_(1.0)
        add[(1024,)](x, x, out, x.numel(), BLOCK=1024)
    stream.synchronize()
    assert (out == 4).all()


def check_graph():
    x = torch.ones(4096, device="cuda")
    out = torch.zeros_like(x)
    add[(4,)](x, x, out, 4096, BLOCK=1024)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        add[(4,)](x, x, out, 4096, BLOCK=1024)
    x.fill_(3)
    graph.replay()
    torch.cuda.synchronize()
    assert (out == 6).all()


def check_softmax():
    for columns, kind in ((781, torch.float32), (1024, torch.float16), (3000, torch.float16)):
        x = torch.randn(64, columns, device="cuda", dtype=kind)
        out = torch.empty_like(x)
        softmax[(64,)](out, x, columns, columns, BLOCK=triton.next_power_of_2(columns))
        torch.testing.assert_close(out, torch.softmax(x.float(), 1).to(kind), rtol=2e-3, atol=1e-5)


def check_matmul():
    for size in ((64, 64, 64), (100, 72, 56), (256, 256, 256)):
        M, N, K = size
        for kind in (torch.float16, torch.float32):
            a = torch.randn(M, K, device="cuda").to(kind)
            b = torch.randn(K, N, device="cuda").to(kind)
            c = torch.empty(M, N, device="cuda", dtype=kind)
            matmul[(triton.cdiv(M, 64), triton.cdiv(N, 64))](a, b, c, M, N, K, BM=64, BN=64, BK=32)
            expected = (a.double() @ b.double()).to(kind)
            torch.testing.assert_close(c, expected, rtol=1e-2, atol=3e-1)


def check_transpose():
    x = torch.randn(200, 333, device="cuda")
    out = torch.empty(333, 200, device="cuda")
    transpose[(4, 6)](x, out, 200, 333, B=64)
    assert torch.equal(out, x.T)


def check_atomics():
    x = torch.randint(0, 10, (5000,), device="cuda", dtype=torch.int32)
    out = torch.zeros(10, device="cuda", dtype=torch.int32)
    histogram[(5,)](x, out, 5000, BLOCK=1024)
    assert torch.equal(out, torch.bincount(x, minlength=10).to(torch.int32))


def check_limits():
    x = torch.zeros(4, device="cuda")
    try:
        add[(1, 70000)](x, x, x, 4, BLOCK=4)
    except triton.GridError:
        return
    raise AssertionError("a grid over the limits was launched")


def check_metadata():
    x = torch.zeros(1024, device="cuda")
    kernel = add[(1,)](x, x, x, 1024, BLOCK=1024)
    assert kernel.n_regs > 0, kernel.n_regs
    print(f"   add: {kernel.n_regs} registers, {kernel.n_spills} spills, "
          f"{kernel.metadata.target}, compiled in {kernel.metadata.compile_ms:.1f} ms")


def time_launches():
    x = torch.randn(1024, device="cuda")
    calls = {"14 arguments": lambda: nothing[(1,)](x, x, x, x, x, x, 1024, 77, 3, 5, 1, 128,
                                                   BLOCK=128, W=2),
             "4 arguments": lambda: add[(1,)](x, x, x, 1024, BLOCK=1024),
             "torch.add": lambda: torch.add(x, x, out=x)}
    for name, call in calls.items():
        best = []
        for _ in range(200):
            call()
        for _ in range(9):
            torch.cuda.synchronize()
            begin = time.perf_counter()
            for _ in range(500):
                call()
            best.append((time.perf_counter() - begin) / 500 * 1e6)
        best.sort()
        print(f"   launch, {name}: {best[len(best) // 2]:.2f} us (least {best[0]:.2f})")


def main():
    failed = 0
    for name, check in list(globals().items()):
        if not name.startswith("check_") or (QUICK and name == "check_graph"):
            continue
        try:
            check()
            torch.cuda.synchronize()
            print("ok  ", name[6:], flush=True)
        except Exception:
            failed += 1
            print("FAIL", name[6:])
            print("    " + traceback.format_exc(limit=-2).replace("\n", "\n    "), flush=True)
    if not QUICK:
        time_launches()
    print(f"{failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
