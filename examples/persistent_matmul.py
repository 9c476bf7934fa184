"""C = A @ B^T by a fixed number of programs, each of which computes several tiles.

Three ways to reach the matrices: by pointers, by tensor descriptors that the host makes, and by
descriptors that the kernel makes. B is stored as N x K, so that both operands lie along K.
"""

import numpy as np

import tritium as triton
import tritium.language as tl
from tritium.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def tile_position(tile, tiles_m, tiles_n, GROUP_M: tl.constexpr):
    """Row and column of a tile: tiles that follow each other share GROUP_M rows of tiles."""
    group = tile // (GROUP_M * tiles_n)
    rows = tl.minimum(tiles_m - group * GROUP_M, GROUP_M)
    within = tile % (GROUP_M * tiles_n)
    return group * GROUP_M + within % rows, within // rows


@triton.jit
def pointers_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr,
                    BK: tl.constexpr, GROUP_M: tl.constexpr):
    tiles_m = tl.cdiv(M, BM)
    tiles_n = tl.cdiv(N, BN)
    # With `flatten` the loads for a program's next tile start before its tile is finished.
    for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0), flatten=True):
        tile_m, tile_n = tile_position(tile, tiles_m, tiles_n, GROUP_M)
        rows = tile_m * BM + tl.arange(0, BM)
        cols = tile_n * BN + tl.arange(0, BN)
        # Beyond the last row the first is loaded again, which saves a mask; it is not stored.
        a_rows = tl.where(rows < M, rows, 0)
        b_rows = tl.where(cols < N, cols, 0)
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(0, K, BK):
            depth = k + tl.arange(0, BK)
            a = tl.load(a_ptr + a_rows[:, None] * K + depth[None, :], mask=depth[None, :] < K,
                        other=0.0)
            b = tl.load(b_ptr + b_rows[:, None] * K + depth[None, :], mask=depth[None, :] < K,
                        other=0.0)
            acc = tl.dot(a, b.T, acc)
        tl.store(c_ptr + rows[:, None] * N + cols[None, :], acc.to(c_ptr.dtype.element_ty),
                 mask=(rows[:, None] < M) & (cols[None, :] < N))


@triton.jit
def compute_tiles(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                  GROUP_M: tl.constexpr, HALVES: tl.constexpr):
    tiles_m = tl.cdiv(M, BM)
    tiles_n = tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0), flatten=True):
        tile_m, tile_n = tile_position(tile, tiles_m, tiles_n, GROUP_M)
        row, col = tile_m * BM, tile_n * BN
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(0, K, BK):
            acc = tl.dot(a.load([row, k]), b.load([col, k]).T, acc)
        if HALVES:
            # Two stores of half a tile need half the memory that one goes through.
            left, right = tl.split(tl.permute(tl.reshape(acc, (BM, 2, BN // 2)), (0, 2, 1)))
            c.store([row, col], left.to(c.dtype))
            c.store([row, col + BN // 2], right.to(c.dtype))
        else:
            c.store([row, col], acc.to(c.dtype))


def describe_launch(grid, kernel, args):
    """What a profiler shows of a launch."""
    M, N, K = args["M"], args["N"], args["K"]
    return {"name": f"{kernel.name} [M={M}, N={N}, K={K}]", "flops": 2 * M * N * K}


def set_block_shapes(args):
    """Before a launch: the blocks of the descriptors are those of the chosen tile."""
    BM, BN, BK = args["BM"], args["BN"], args["BK"]
    args["a"].block_shape = [BM, BK]
    args["b"].block_shape = [BN, BK]
    args["c"].block_shape = [BM, BN // 2 if args["HALVES"] else BN]


CONFIGS = [triton.Config({"BM": BM, "BN": BN, "BK": BK, "GROUP_M": 4, "HALVES": halves},
                         num_warps=warps, num_stages=stages, pre_hook=set_block_shapes)
           for BM, BN, BK, warps, stages in ((64, 64, 64, 4, 3), (128, 128, 64, 8, 3))
           for halves in (True, False)]


@triton.autotune(configs=CONFIGS, key=["M", "N", "K"])
@triton.jit(launch_metadata=describe_launch)
def host_descriptors_kernel(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                            GROUP_M: tl.constexpr, HALVES: tl.constexpr):
    """a, b and c are descriptors."""
    compute_tiles(a, b, c, M, N, K, BM, BN, BK, GROUP_M, HALVES)


@triton.jit
def kernel_descriptors_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr,
                              BK: tl.constexpr, GROUP_M: tl.constexpr, HALVES: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, shape=[N, K], strides=[K, 1], block_shape=[BN, BK])
    c = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[N, 1],
                                  block_shape=[BM, BN // 2 if HALVES else BN])
    compute_tiles(a, b, c, M, N, K, BM, BN, BK, GROUP_M, HALVES)


def programs(M, N, BM, BN):
    """As many as the device runs at once, or fewer if there are fewer tiles."""
    driver = triton.runtime.driver.active
    properties = driver.utils.get_device_properties(driver.get_current_device())
    return (min(properties["multiprocessor_count"], triton.cdiv(M, BM) * triton.cdiv(N, BN)),)


def multiply_by_pointers(a, b, BM=64, BN=64, BK=64):
    """a @ b.T for float16 matrices with rows in one piece."""
    (M, K), N = a.shape, b.shape[0]
    c = np.empty((M, N), a.dtype)
    pointers_kernel[programs(M, N, BM, BN)](a, b, c, M, N, K, BM=BM, BN=BN, BK=BK, GROUP_M=4)
    return c


def multiply_by_host_descriptors(a, b):
    """The same; rows are multiples of 16 bytes, as those of c."""
    (M, K), N = a.shape, b.shape[0]
    c = np.empty((M, N), a.dtype)
    # The launch puts the chosen block shapes in place of these.
    descriptors = (TensorDescriptor.from_tensor(matrix, [1, 1]) for matrix in (a, b, c))
    host_descriptors_kernel[lambda meta: programs(M, N, meta["BM"], meta["BN"])](
        *descriptors, M, N, K)
    return c


def multiply_by_kernel_descriptors(a, b, BM=64, BN=64, BK=64, halves=False):
    (M, K), N = a.shape, b.shape[0]
    c = np.empty((M, N), a.dtype)
    kernel_descriptors_kernel[programs(M, N, BM, BN)](a, b, c, M, N, K, BM=BM, BN=BN, BK=BK,
                                                      GROUP_M=4, HALVES=halves)
    return c


def matmul_numpy(a, b):
    return (a.astype(np.float32) @ b.T.astype(np.float32)).astype(a.dtype)


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    a = rng.standard_normal((1000, 520)).astype(np.float16)
    b = rng.standard_normal((336, 520)).astype(np.float16)
    for multiply in (multiply_by_pointers, multiply_by_host_descriptors,
                     multiply_by_kernel_descriptors):
        triton.testing.assert_close(multiply(a, b), matmul_numpy(a, b), rtol=2e-3, atol=1e-2)
    print("persistent matmul: 1000x520 @ (336x520)^T agrees with NumPy")
