"""Matrix multiplication, C = activation(A @ B), for row-major matrices of any size.

A C++ program can load this file as it is: see examples/cpp.
"""

import tritium as triton
import tritium.language as tl


@triton.jit
def leaky_relu(x):
    return tl.where(x >= 0, x, 0.01 * x)


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K,
           BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
           GROUP_M: tl.constexpr = 4, ACTIVATION: tl.constexpr = ""):
    """One BM x BN tile of C a program; the grid has cdiv(M, BM) * cdiv(N, BN) programs."""
    # Programs that run one after another work on GROUP_M rows of tiles, so that they
    # share tiles of B while these are in the cache.
    pid = tl.program_id(0) + tl.program_id(1) * tl.num_programs(0)
    tiles_m = tl.cdiv(M, BM)
    tiles_n = tl.cdiv(N, BN)
    group = pid // (GROUP_M * tiles_n)
    first_m = group * GROUP_M
    rows_in_group = tl.minimum(tiles_m - first_m, GROUP_M)
    within = pid % (GROUP_M * tiles_n)
    tile_m = first_m + within % rows_in_group
    tile_n = within // rows_in_group

    rows = tile_m * BM + tl.arange(0, BM)
    cols = tile_n * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    a_ptrs = a_ptr + rows[:, None] * K + depth[None, :]
    b_ptrs = b_ptr + depth[:, None] * N + cols[None, :]
    sums: tl.constexpr = tl.int32 if a_ptr.dtype.element_ty == tl.int8 else tl.float32
    acc = tl.zeros((BM, BN), dtype=sums)
    for k in range(0, K, BK):
        a = tl.load(a_ptrs, mask=(rows[:, None] < M) & (depth[None, :] < K - k), other=0.0)
        b = tl.load(b_ptrs, mask=(depth[:, None] < K - k) & (cols[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += BK
        b_ptrs += BK * N
    if ACTIVATION == "leaky_relu":
        acc = leaky_relu(acc)
    elif ACTIVATION == "relu":
        acc = tl.maximum(acc, 0.0)
    elif ACTIVATION == "sigmoid":
        acc = tl.sigmoid(acc)
    c_ptrs = c_ptr + rows[:, None] * N + cols[None, :]
    tl.store(c_ptrs, acc, mask=(rows[:, None] < M) & (cols[None, :] < N))


# What tuning chooses from for each new size of the matrices.
tuned_matmul = triton.autotune(
    configs=[triton.Config({"BM": BM, "BN": BN, "BK": BK, "GROUP_M": group}, num_warps=warps,
                           num_stages=stages)
             for BM, BN, BK, group, warps, stages in
             ((64, 64, 32, 4, 4, 4), (64, 128, 32, 8, 4, 4), (128, 64, 32, 8, 4, 4),
              (128, 128, 32, 8, 8, 3), (32, 64, 64, 8, 2, 5))],
    key=["M", "N", "K"])(matmul)


def multiply(a, b, activation="", c=None, BM=64, BN=64, BK=32):
    """Returns activation(a @ b) in a's dtype, of int8 in int32.

    activation is "leaky_relu", "relu", "sigmoid" or "" for none.
    """
    import numpy as np
    M, K = a.shape
    N = b.shape[1]
    c = np.empty((M, N), np.int32 if a.dtype == np.int8 else a.dtype) if c is None else c
    grid = (triton.cdiv(M, BM) * triton.cdiv(N, BN),)
    matmul[grid](a, b, c, M, N, K, BM=BM, BN=BN, BK=BK, ACTIVATION=activation)
    return c


def multiply_tuned(a, b, activation=""):
    """The same by the tile that is the fastest for matrices of these sizes."""
    import numpy as np
    M, K = a.shape
    N = b.shape[1]
    c = np.empty((M, N), a.dtype)
    tuned_matmul[lambda meta: (triton.cdiv(M, meta["BM"]) * triton.cdiv(N, meta["BN"]),)](
        a, b, c, M, N, K, ACTIVATION=activation)
    return c


if __name__ == "__main__":
    import numpy as np
    rng = np.random.default_rng(0)
    a = rng.standard_normal((1000, 517), dtype=np.float32)
    b = rng.standard_normal((517, 333), dtype=np.float32)
    expected = a @ b
    triton.testing.assert_close(multiply(a, b), expected, atol=5e-4)
    triton.testing.assert_close(multiply_tuned(a, b), expected, atol=5e-4)
    expected = np.where(expected >= 0, expected, 0.01 * expected)
    triton.testing.assert_close(multiply(a, b, "leaky_relu"), expected, atol=5e-4)
    print("matmul: 1000x517 @ 517x333 agrees with NumPy")
