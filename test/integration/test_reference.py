"""The published kernels that the language was described with, as they stand there."""

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from support import assert_same, kernels_from, random_array

COPY = """
@triton.jit
def kernel_230423_01(
    x_ptr,
    y_ptr,
    n,
    BLOCK_SIZE_N: tl.constexpr,
):
    idx = tl.program_id(0)
    offsets = idx * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(y_ptr + offsets, x, mask=mask)


@triton.jit
def kernel_230424_01(
    x_ptr,
    y_ptr,
    N: tl.constexpr,  # static shape
    BLOCK_SIZE_N: tl.constexpr,
):
    tiles = (N + BLOCK_SIZE_N - 1) // BLOCK_SIZE_N
    for i in range(tiles):
        offsets = i * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
        mask = offsets < N
        x = tl.load(x_ptr + offsets, mask=mask)
        tl.store(y_ptr + offsets, x, mask=mask)


@triton.jit
def kernel_230424_02(
    x_ptr,
    y_ptr,
    M: tl.constexpr,  # static shape
    N: tl.constexpr,  # static shape
    BLOCK_SIZE_M: tl.constexpr,
):
    rows = tl.arange(0, BLOCK_SIZE_M)
    cols = tl.arange(0, N)
    tiles = (M + BLOCK_SIZE_M - 1) // BLOCK_SIZE_M
    for i in range(tiles):
        # 2D tile, mask
        offsets = i * BLOCK_SIZE_M * N + N * rows[:, None] + cols[None, :]
        mask = (i * BLOCK_SIZE_M + rows < M)[:, None]
        x = tl.load(x_ptr + offsets, mask=mask)
        tl.store(y_ptr + offsets, x, mask=mask)


@triton.jit
def kernel_230423_04(
    x_ptr,
    y_ptr,
    N: tl.constexpr,  # static shape
    BLOCK_SIZE_N: tl.constexpr,
):
    idx = tl.program_id(0)
    offsets = idx * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    mask = offsets < N
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(y_ptr + offsets, x, mask=mask)


@triton.jit
def kernel_230423_05(
    x_ptr,
    y_ptr,
    n,
    BLOCK_SIZE_N: tl.constexpr,
):
    tiles = (n + BLOCK_SIZE_N - 1) // BLOCK_SIZE_N
    for i in range(tiles):
        offsets = i * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
        mask = offsets < n
        x = tl.load(x_ptr + offsets, mask=mask)
        tl.store(y_ptr + offsets, x, mask=mask)


@triton.jit
def kernel_230423_07(
    x_ptr,
    y_ptr,
    n,
    BLOCK_SIZE_N: tl.constexpr,
):
    tiles = (n + BLOCK_SIZE_N - 1) // BLOCK_SIZE_N
    # We know for sure tiles except for the last tile won't out-of-bounds.
    # Drop mask so that Triton can vectorize it, i.e. use ldg.128.
    for i in range(tiles - 1):
        offsets = i * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
        x = tl.load(x_ptr + offsets)
        tl.store(y_ptr + offsets, x)
    # Last tile, aware of mask, no vectorization.
    offsets = (tiles - 1) * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(y_ptr + offsets, x, mask=mask)
"""

OTHERS = """
@triton.jit
def kernel_230424_03(
    x_ptr,
    y_ptr,
    N: tl.constexpr,  # static shape
):
    cols = tl.arange(0, N)
    mask = cols < N
    x = tl.load(x_ptr + cols, mask=mask, other=0.0)
    total = tl.sum(x, axis=0)
    tl.store(y_ptr, total)


@triton.jit
def kernel_230424_04(
    x_ptr,
    y_ptr,
    N: tl.constexpr,  # static shape
    BLOCK_SIZE_N: tl.constexpr,
):
    pid = tl.program_id(0)
    cols = pid * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    mask = cols < N
    x = tl.load(x_ptr + cols, mask=mask, other=0.0)
    total = tl.sum(x, axis=0)
    tl.atomic_add(y_ptr, total)


@triton.jit
def kernel_230424_05(
    x_ptr,
    y_ptr,
    N: tl.constexpr,  # static shape
):
    off = tl.arange(0, N)
    x_ptrs = x_ptr + off[:, None] * N + off[None, :]
    y_ptrs = y_ptr + off[None, :] * N + off[:, None]
    x = tl.load(x_ptrs)
    tl.store(y_ptrs, x)


@triton.jit
def kernel_230424_06(
    x_ptr,
    y_ptr,
    N: tl.constexpr,  # static shape
):
    off = tl.arange(0, N)
    x = tl.load(x_ptr + off)
    x = tl.sigmoid(x)
    tl.store(y_ptr + off, x)


@triton.jit
def kernel_230429_01(
    a_ptr,
    b_ptr,
    d_ptr,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
):
    offs_m = tl.arange(0, M)
    offs_n = tl.arange(0, N)
    offs_k = tl.arange(0, K)
    a_ptrs = a_ptr + (offs_m[:, None] * K + offs_k[None, :])
    b_ptrs = b_ptr + (offs_k[:, None] * N + offs_n[None, :])
    d_ptrs = d_ptr + (offs_m[:, None] * N + offs_n[None, :])
    a = tl.load(a_ptrs)
    b = tl.load(b_ptrs)
    d = tl.dot(a, b)
    tl.store(d_ptrs, d)
"""

PIPELINED = """
@triton.jit
def process(data):
    return data * 2 + 1


@triton.jit
def fixed_grid_kernel(data_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(0)
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    data = tl.load(data_ptr + offsets, mask=mask)
    result = process(data)
    tl.store(data_ptr + offsets, result, mask=mask)


@triton.jit
def grid_stride_kernel(data_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(0)
    num_programs = tl.num_programs(0)
    n_blocks = triton.cdiv(n_elements, BLOCK_SIZE)
    for block_idx in range(pid, n_blocks, num_programs):
        offsets = block_idx * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
        mask = offsets < n_elements
        data = tl.load(data_ptr + offsets, mask=mask)
        result = process(data)
        tl.store(data_ptr + offsets, result, mask=mask)


@triton.jit
def kernel_with_pipelining(data_ptr, n_elements, BLOCK_SIZE: tl.constexpr,
                           num_stages: tl.constexpr):
    pid = tl.program_id(0)
    num_programs = tl.num_programs(0)
    n_blocks = triton.cdiv(n_elements, BLOCK_SIZE)
    for block_idx in tl.range(pid, n_blocks, num_programs, num_stages=num_stages):
        offsets = block_idx * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
        mask = offsets < n_elements
        data = tl.load(data_ptr + offsets, mask=mask)  # Stage 1: Load
        result = process(data)                          # Stage 2: Compute
        tl.store(data_ptr + offsets, result, mask=mask) # Stage 3: Store


@triton.jit
def softmax_kernel(output_ptr, input_ptr, input_row_stride, output_row_stride, n_rows, n_cols,
                   BLOCK_SIZE: tl.constexpr, num_stages: tl.constexpr):
    # starting row of the program
    row_start = tl.program_id(0)
    row_step = tl.num_programs(0)
    for row_idx in tl.range(row_start, n_rows, row_step, num_stages=num_stages):
        # The stride represents how much we need to increase the pointer to advance 1 row
        row_start_ptr = input_ptr + row_idx * input_row_stride
        # The block size is the next power of two greater than n_cols, so we can fit each
        # row in a single block
        col_offsets = tl.arange(0, BLOCK_SIZE)
        input_ptrs = row_start_ptr + col_offsets
        # Load the row into SRAM, using a mask since BLOCK_SIZE may be > than n_cols
        mask = col_offsets < n_cols
        row = tl.load(input_ptrs, mask=mask, other=-float('inf'))
        # Subtract maximum for numerical stability
        row_minus_max = row - tl.max(row, axis=0)
        # Note that exponentiation in Triton is fast but approximate (i.e., think __expf in CUDA)
        numerator = tl.exp(row_minus_max)
        denominator = tl.sum(numerator, axis=0)
        softmax_output = numerator / denominator
        # Write back output to DRAM
        output_row_start_ptr = output_ptr + row_idx * output_row_stride
        output_ptrs = output_row_start_ptr + col_offsets
        tl.store(output_ptrs, softmax_output, mask=mask)
"""

ANNOUNCEMENT = """
@triton.jit
def softmax(Y, stride_ym, stride_yn, X, stride_xm, stride_xn, M, N):
    # row index
    m = tl.program_id(0)
    # col indices
    # this specific kernel only works for matrices that
    # have less than BLOCK_SIZE columns
    BLOCK_SIZE = 1024
    n = tl.arange(0, BLOCK_SIZE)
    # the memory address of all the elements
    # that we want to load can be computed as follows
    X = X + m * stride_xm + n * stride_xn
    # load input data; pad out-of-bounds elements with 0
    x = tl.load(X, mask=n < N, other=-float('inf'))
    # compute numerically-stable softmax
    z = x - tl.max(x, axis=0)
    num = tl.exp(z)
    denom = tl.sum(num, axis=0)
    y = num / denom
    # write back to Y
    Y = Y + m * stride_ym + n * stride_yn
    tl.store(Y, y, mask=n < N)


@triton.jit
def matmul(A, B, C, M, N, K, stride_am, stride_ak,
           stride_bk, stride_bn, stride_cm, stride_cn,
           **META):
    # extract metaparameters
    BLOCK_M, GROUP_M = META['BLOCK_M'], META['GROUP_M']
    BLOCK_N = META['BLOCK_N']
    BLOCK_K = META['BLOCK_K']
    # programs are grouped together to improve L2 hit rate
    _pid_m = tl.program_id(0)
    _pid_n = tl.program_id(1)
    pid_m = _pid_m // GROUP_M
    pid_n = (_pid_n * GROUP_M) + (_pid_m % GROUP_M)
    # rm (resp. rn) denotes a range of indices
    # for rows (resp. col) of C
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    # rk denotes a range of indices for columns
    # (resp. rows) of A (resp. B)
    rk = tl.arange(0, BLOCK_K)
    # the memory addresses of elements in the first block of
    # A and B can be computed using numpy-style broadcasting
    A = A + (rm[:, None] * stride_am + rk[None, :] * stride_ak)
    B = B + (rk [:, None] * stride_bk + rn[None, :] * stride_bn)
    # initialize and iteratively update accumulator
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(K, 0, -BLOCK_K):
        a = tl.load(A)
        b = tl.load(B)
        # block level matrix multiplication
        acc += tl.dot(a, b)
        # increment pointers so that the next blocks of A and B
        # are loaded during the next iteration
        A += BLOCK_K * stride_ak
        B += BLOCK_K * stride_bk
    # fuse leaky ReLU if desired
    # acc = tl.where(acc >= 0, acc, alpha * acc)
    # write back result
    C = C + (rm[:, None] * stride_cm + rn[None, :] * stride_cn)
    mask = (rm[:, None] < M) & (rn[None, :] < N)
    tl.store(C, acc, mask=mask)
"""

INSIDE = """
@triton.jit
def add(X,Y,Z,N,BS:tl.constexpr):
    pid = tl.program_id(0)
    o = pid*BS + tl.arange(0,BS)
    m = o < N
    x = tl.load(X+o, m); y = tl.load(Y+o, m)
    tl.store(Z+o, x+y, m)


@triton.jit
def norm(X, Y, N, BS: tl.constexpr, USE_BF16: tl.constexpr):
    pid = tl.program_id(0)
    o = pid*BS + tl.arange(0, BS)
    x = tl.load(X+o, o < N)
    if USE_BF16: x = x.to(tl.bfloat16)
    tl.store(Y+o, x, o < N)
"""


def elements(x):
    return [s // x.itemsize for s in x.strides]


@pytest.mark.parametrize("name,grid,arguments", [
    ("kernel_230423_01", 8, (1000, 128)), ("kernel_230424_01", 1, (1000, 128)),
    ("kernel_230423_04", 8, (1000, 128)), ("kernel_230423_05", 1, (1000, 128)),
    ("kernel_230423_07", 1, (1000, 128))])
@pytest.mark.parametrize("warps", (1, 2, 4, 16))
def test_copies(backend, rng, name, grid, arguments, warps):
    x = random_array(rng, 1000, "float32")
    y = np.zeros_like(x)
    getattr(kernels_from(COPY), name)[(grid,)](x, y, *arguments, num_warps=warps)
    assert_same(y, x)


def test_copy_of_a_multiple_of_16(backend, rng):
    x = random_array(rng, 1008, "float32")
    y = np.zeros_like(x)
    kernels_from(COPY).kernel_230423_05[(1,)](x, y, 1008, 128, num_warps=1)
    assert_same(y, x)


def test_copy_of_a_matrix(backend, rng):
    x = random_array(rng, (1000, 32), "float32")
    y = np.zeros_like(x)
    kernels_from(COPY).kernel_230424_02[(1,)](x, y, 1000, 32, 128, num_warps=16)
    assert_same(y, x)


def test_sum(backend, rng):
    x = random_array(rng, 128, "float32")
    y = np.zeros(1, np.float32)
    kernels_from(OTHERS).kernel_230424_03[(1,)](x, y, 128, num_warps=4)
    np.testing.assert_allclose(y, x.sum(), rtol=1e-5, atol=1e-5)


def test_sum_by_atomics(backend, rng):
    x = random_array(rng, 128, "float32")
    y = np.zeros(1, np.float32)
    kernels_from(OTHERS).kernel_230424_04[(4,)](x, y, 128, 32, num_warps=1)
    np.testing.assert_allclose(y, x.sum(), rtol=1e-5, atol=1e-5)


def test_transpose(backend, rng):
    x = rng.integers(0, 10, (16, 16)).astype(np.float32)
    y = np.empty_like(x)
    kernels_from(OTHERS).kernel_230424_05[(1,)](x, y, 16, num_warps=1)
    assert_same(y, x.T)


def test_sigmoid(backend, rng):
    x = random_array(rng, 32, "float32")
    y = np.empty_like(x)
    kernels_from(OTHERS).kernel_230424_06[(1,)](x, y, 32, num_warps=1)
    np.testing.assert_allclose(y, 1 / (1 + np.exp(-x.astype(np.float64))), rtol=3e-7)


def test_dot(backend, rng):
    a, b = (random_array(rng, (16, 16), "float16") for _ in range(2))
    d = np.empty((16, 16), np.float16)
    kernels_from(OTHERS).kernel_230429_01[(1,)](a, b, d, 16, 16, 16, num_warps=1)
    np.testing.assert_allclose(d.astype(np.float64), a.astype(np.float64) @ b, atol=1e-2)


@pytest.mark.parametrize("name,grid,options", [
    ("fixed_grid_kernel", 10, {}), ("grid_stride_kernel", 4, {}),
    ("kernel_with_pipelining", 4, {"num_stages": 3})])
def test_fixed_grid_and_grid_stride(backend, rng, name, grid, options):
    x = random_array(rng, 10000, "float32")
    expected = x * 2 + 1
    getattr(kernels_from(PIPELINED), name)[(grid,)](x, 10000, BLOCK_SIZE=1024, **options)
    # The product and the sum may be one fused operation.
    np.testing.assert_allclose(x, expected, rtol=1e-6, atol=2e-7)


def test_tutorial_softmax(backend, rng):
    x = random_array(rng, (37, 781), "float32")
    y = np.empty_like(x)
    kernels_from(PIPELINED).softmax_kernel[(8,)](y, x, 781, 781, 37, 781, BLOCK_SIZE=1024,
                                                 num_stages=4, num_warps=8)
    e = np.exp(x - x.max(axis=1, keepdims=True))
    np.testing.assert_allclose(y, e / e.sum(axis=1, keepdims=True), rtol=3e-6)


def test_announced_softmax(backend, rng):
    x = random_array(rng, (583, 931) if backend != "interpret" else (20, 931), "float32")
    y = np.empty_like(x)
    kernels_from(ANNOUNCEMENT).softmax[(x.shape[0],)](y, *elements(y), x, *elements(x), *x.shape)
    e = np.exp(x - x.max(axis=1, keepdims=True))
    np.testing.assert_allclose(y, e / e.sum(axis=1, keepdims=True), rtol=3e-6)


def test_announced_matmul(backend, rng):
    a, b = random_array(rng, (128, 64), "float32"), random_array(rng, (64, 128), "float32")
    c = np.zeros((128, 128), np.float32)
    # The program's rows and columns of tiles follow from GROUP_M: 4 x 4 tiles of 32.
    kernels_from(ANNOUNCEMENT).matmul[(8, 2)](
        a, b, c, 128, 128, 64, *elements(a), *elements(b), *elements(c), BLOCK_M=32, BLOCK_N=32,
        BLOCK_K=16, GROUP_M=2)
    np.testing.assert_allclose(c, a.astype(np.float64) @ b, atol=1e-4)


def test_add_on_one_line(backend, rng):
    x, y = random_array(rng, (2, 1000), "float32")
    z = np.zeros_like(x)
    kernels_from(INSIDE).add[(8,)](x, y, z, 1000, 128)
    assert_same(z, x + y)


@pytest.mark.parametrize("bf16", (True, False))
def test_norm(backend, rng, bf16):
    import ml_dtypes
    x = random_array(rng, 1000, "float32")
    y = np.zeros_like(x)
    kernels_from(INSIDE).norm[(8,)](x, y, 1000, BS=128, USE_BF16=bf16)
    assert_same(y, x.astype(ml_dtypes.bfloat16).astype(np.float32) if bf16 else x)
