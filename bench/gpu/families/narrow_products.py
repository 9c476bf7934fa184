"""Products of weights of 4 and 8 bits."""

import torch

from .case import Work, case, config, normal, start, tl, triton


@triton.jit
def int4_kernel(
    a_ptr, b_ptr, scale_ptr, zero_ptr, c_ptr, M, N, K, sam, sbk, ssg, szg, scm,
    GROUP: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GM: tl.constexpr,
):  # fmt: skip
    """Eight weights along k in a word; a scale and a zero for each group of k and each column."""
    pid = tl.program_id(0)
    width = GM * tl.cdiv(N, BN)
    first = pid // width * GM
    size = min(tl.cdiv(M, BM) - first, GM)
    om = (first + (pid % width) % size) * BM + tl.arange(0, BM)
    on = ((pid % width) // size) * BN + tl.arange(0, BN)
    ok = tl.arange(0, BK)
    a_ptrs = a_ptr + om[:, None] * sam + ok[None, :]
    b_ptrs = b_ptr + (ok // 8)[:, None] * sbk + on[None, :]
    shift = (ok % 8) * 4
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        a = tl.load(a_ptrs, mask=om[:, None] < M, other=0.0)
        b = tl.load(b_ptrs)
        group = k * BK // GROUP
        scale = tl.load(scale_ptr + group * ssg + on)
        zeros = tl.load(zero_ptr + group * szg + on // 8)
        zero = (zeros >> ((on % 8) * 4)) & 0xF
        b = (b >> shift[:, None]) & 0xF
        b = ((b - zero[None, :]) * scale[None, :]).to(a.dtype)
        acc += tl.dot(a, b)
        a_ptrs += BK
        b_ptrs += (BK // 8) * sbk
    mask = (om[:, None] < M) & (on[None, :] < N)
    c_ptrs = c_ptr + om[:, None] * scm + on[None, :]
    tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=mask)


def packed(x, dim):
    """Eight numbers of 4 bits along a dimension in each word, the first lowest."""
    x = x.unflatten(dim, (-1, 8)).movedim(dim + 1, -1).long()
    words = (x << (4 * torch.arange(8, device=x.device))).sum(-1)
    return torch.where(words >= 1 << 31, words - (1 << 32), words).int()


def int4(device, M, N, K, group=128):
    a = normal(device, M, K)
    b = torch.randint(0, 16, (K, N), device=device)
    zeros = torch.randint(0, 16, (K // group, N), device=device)
    scales = (torch.rand(K // group, N, device=device) / 8).half()
    words, zero_words = packed(b, 0), packed(zeros, 1)
    c = torch.empty(M, N, device=device, dtype=a.dtype)

    def launch(BM, BN, **options):
        start(int4_kernel, (triton.cdiv(M, BM) * triton.cdiv(N, BN),), a, words, scales,
              zero_words, c, M, N, K, a.stride(0), words.stride(0), scales.stride(0),
              zero_words.stride(0), c.stride(0), GROUP=group, BM=BM, BN=BN,
              **options)  # fmt: skip

    def reference():
        wide = (b - zeros.repeat_interleave(group, 0)) * scales.repeat_interleave(group, 0).float()
        return (a.float() @ wide,)

    return Work(launch, (c,), reference)


@case([config(4, 3, BM=16, BN=64, BK=128, GM=8), config(4, 4, BM=16, BN=128, BK=64, GM=8),
       config(8, 3, BM=16, BN=256, BK=64, GM=8)],
      full=dict(M=16, N=14336, K=4096), small=dict(M=5, N=256, K=256), bound=5e-3)  # fmt: skip
def int4_weights_16_rows(device, **sizes):
    return int4(device, **sizes)


@case([config(4, 3, BM=64, BN=128, BK=64, GM=8), config(8, 3, BM=128, BN=128, BK=64, GM=8),
       config(4, 4, BM=64, BN=64, BK=128, GM=8)],
      full=dict(M=1024, N=8192, K=4096), small=dict(M=70, N=256, K=256), bound=5e-3)  # fmt: skip
def int4_weights_1024_rows(device, **sizes):
    return int4(device, **sizes)


@triton.jit
def int8_kernel(
    a_ptr, b_ptr, as_ptr, bs_ptr, c_ptr, M, N, K, sam, sbn, scm,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GM: tl.constexpr,
):  # fmt: skip
    """A factor for each row of a and each column of b, behind the loop."""
    pid = tl.program_id(0)
    width = GM * tl.cdiv(N, BN)
    first = pid // width * GM
    size = min(tl.cdiv(M, BM) - first, GM)
    om = (first + (pid % width) % size) * BM + tl.arange(0, BM)
    on = ((pid % width) // size) * BN + tl.arange(0, BN)
    ok = tl.arange(0, BK)
    a_ptrs = a_ptr + (om % M)[:, None] * sam + ok[None, :]
    b_ptrs = b_ptr + (on % N)[None, :] * sbn + ok[:, None]
    acc = tl.zeros((BM, BN), dtype=tl.int32)
    for k in range(0, tl.cdiv(K, BK)):
        a = tl.load(a_ptrs, mask=ok[None, :] < K - k * BK, other=0)
        b = tl.load(b_ptrs, mask=ok[:, None] < K - k * BK, other=0)
        acc += tl.dot(a, b)
        a_ptrs += BK
        b_ptrs += BK
    rows = tl.load(as_ptr + om, mask=om < M, other=0.0)
    columns = tl.load(bs_ptr + on, mask=on < N, other=0.0)
    c = acc.to(tl.float32) * rows[:, None] * columns[None, :]
    mask = (om[:, None] < M) & (on[None, :] < N)
    c_ptrs = c_ptr + om[:, None] * scm + on[None, :]
    tl.store(c_ptrs, c.to(c_ptr.dtype.element_ty), mask=mask)


@case([config(8, 3, BM=128, BN=256, BK=128, GM=8), config(4, 4, BM=128, BN=128, BK=128, GM=8),
       config(4, 4, BM=64, BN=128, BK=128, GM=8)],
      full=dict(M=2048, N=8192, K=4096), small=dict(M=70, N=90, K=200), bound=5e-3)  # fmt: skip
def int8_rows_columns(device, M, N, K):
    a, b = (torch.randint(-127, 128, (n, K), device=device, dtype=torch.int8) for n in (M, N))
    rows, columns = (torch.rand(n, device=device) / 127 for n in (M, N))
    c = torch.empty(M, N, device=device, dtype=torch.float16)

    def launch(BM, BN, **options):
        start(int8_kernel, (triton.cdiv(M, BM) * triton.cdiv(N, BN),), a, b, rows, columns, c, M,
              N, K, a.stride(0), b.stride(0), c.stride(0), BM=BM, BN=BN, **options)  # fmt: skip

    def reference():
        return (((a.float() * rows[:, None]) @ (b.float() * columns[:, None]).T),)

    return Work(launch, (c,), reference)


@triton.jit
def fp8_blocks_kernel(
    a_ptr, b_ptr, as_ptr, bs_ptr, c_ptr, M, N, K, sam, sbn, ssm, ssn, scm,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GM: tl.constexpr,
):  # fmt: skip
    """A factor for 128 of a row of a, and for 128x128 of b, in the loop."""
    pid = tl.program_id(0)
    width = GM * tl.cdiv(N, BN)
    first = pid // width * GM
    size = min(tl.cdiv(M, BM) - first, GM)
    om = (first + (pid % width) % size) * BM + tl.arange(0, BM)
    on = ((pid % width) // size) * BN + tl.arange(0, BN)
    ok = tl.arange(0, BK)
    a_ptrs = a_ptr + (om % M)[:, None] * sam + ok[None, :]
    b_ptrs = b_ptr + (on % N)[None, :] * sbn + ok[:, None]
    rows = as_ptr + (om % M) * ssm
    columns = bs_ptr + ((on % N) // 128) * ssn
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        a = tl.load(a_ptrs, mask=ok[None, :] < K - k * BK, other=0.0)
        b = tl.load(b_ptrs, mask=ok[:, None] < K - k * BK, other=0.0)
        group = k * BK // 128
        scale = tl.load(rows + group)[:, None] * tl.load(columns + group)[None, :]
        acc += tl.dot(a, b) * scale
        a_ptrs += BK
        b_ptrs += BK
    mask = (om[:, None] < M) & (on[None, :] < N)
    c_ptrs = c_ptr + om[:, None] * scm + on[None, :]
    tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=mask)


@case([config(4, 3, BM=64, BN=128, BK=128, GM=32), config(8, 3, BM=128, BN=128, BK=128, GM=8),
       config(4, 4, BM=128, BN=128, BK=128, GM=8)],
      full=dict(M=2048, N=4096, K=7168), small=dict(M=70, N=200, K=256), bound=1e-2)  # fmt: skip
def fp8_block_scales(device, M, N, K):
    a, b = (normal(device, n, K, dtype=torch.float8_e4m3fn) for n in (M, N))
    rows = torch.rand(M, triton.cdiv(K, 128), device=device)
    blocks = torch.rand(triton.cdiv(N, 128), triton.cdiv(K, 128), device=device)
    c = torch.empty(M, N, device=device, dtype=torch.bfloat16)

    def launch(BM, BN, **options):
        start(fp8_blocks_kernel, (triton.cdiv(M, BM) * triton.cdiv(N, BN),), a, b, rows, blocks, c,
              M, N, K, a.stride(0), b.stride(0), rows.stride(0), blocks.stride(0), c.stride(0),
              BM=BM, BN=BN, **options)  # fmt: skip

    def reference():
        wide = [a.float() * rows.repeat_interleave(128, 1)[:, :K],
                b.float() * blocks.repeat_interleave(128, 0)[:N].repeat_interleave(128, 1)[:, :K]]
        return (wide[0] @ wide[1].T,)

    return Work(launch, (c,), reference)
