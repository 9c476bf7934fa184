"""Many matrix products of different sizes in one launch, by a fixed number of programs.

The kernel gets the addresses of all matrices as an array. Tiles are numbered through all
products, and each program takes every num_programs-th of them.
"""

import numpy as np

import tritium as triton
import tritium.language as tl

# The products are written through addresses that tuning cannot look behind; restore_value=[] says
# that a kernel may run more than once all the same.
CONFIGS = [triton.Config({"BM": BM, "BN": BN, "BK": 32, "PROGRAMS": programs}, num_warps=4)
           for BM, BN, programs in ((64, 64, 16), (32, 64, 16), (64, 64, 128))]


@triton.jit
def tiles_of(sizes_ptr, product, first, BM: tl.constexpr, BN: tl.constexpr):
    """M, N and K of a product whose first tile has the number `first`, how many tiles are side by
    side, and the number of the first tile behind it."""
    M = tl.load(sizes_ptr + 3 * product)
    N = tl.load(sizes_ptr + 3 * product + 1)
    K = tl.load(sizes_ptr + 3 * product + 2)
    tiles_n = tl.cdiv(N, BN)
    return M, N, K, tiles_n, first + tl.cdiv(M, BM) * tiles_n


@triton.jit
def grouped_matmul_kernel(a_addresses, b_addresses, c_addresses, sizes_ptr, strides_ptr, n_products,
                          BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                          PROGRAMS: tl.constexpr):
    """float16 products. sizes: M, N, K of each; strides: those of the rows of a, b and c."""
    tile = tl.program_id(0)
    # The number of the first tile of the product.
    first = 0
    for product in range(n_products):
        M, N, K, tiles_n, behind = tiles_of(sizes_ptr, product, first, BM, BN)
        while tile >= first and tile < behind:
            a_stride = tl.load(strides_ptr + 3 * product)
            b_stride = tl.load(strides_ptr + 3 * product + 1)
            c_stride = tl.load(strides_ptr + 3 * product + 2)
            a_ptr = tl.load(a_addresses + product).to(tl.pointer_type(tl.float16))
            b_ptr = tl.load(b_addresses + product).to(tl.pointer_type(tl.float16))
            c_ptr = tl.load(c_addresses + product).to(tl.pointer_type(tl.float16))
            rows = (tile - first) // tiles_n * BM + tl.arange(0, BM)
            cols = (tile - first) % tiles_n * BN + tl.arange(0, BN)
            depth = tl.arange(0, BK)
            acc = tl.zeros((BM, BN), dtype=tl.float32)
            for k in range(0, K, BK):
                a = tl.load(a_ptr + rows[:, None] * a_stride + (k + depth)[None, :],
                            mask=(rows[:, None] < M) & (k + depth[None, :] < K), other=0.0)
                b = tl.load(b_ptr + (k + depth)[:, None] * b_stride + cols[None, :],
                            mask=(k + depth[:, None] < K) & (cols[None, :] < N), other=0.0)
                acc = tl.dot(a, b, acc)
            tl.store(c_ptr + rows[:, None] * c_stride + cols[None, :], acc.to(tl.float16),
                     mask=(rows[:, None] < M) & (cols[None, :] < N))
            tile += PROGRAMS
        first = behind


@triton.jit
def grouped_matmul_descriptors_kernel(a_addresses, b_addresses, c_addresses, sizes_ptr, strides_ptr,
                                      n_products, BM: tl.constexpr, BN: tl.constexpr,
                                      BK: tl.constexpr, PROGRAMS: tl.constexpr):
    """The same with tensor descriptors, which need no masks: matrices begin, and their rows
    follow one another, at multiples of 16 bytes."""
    tile = tl.program_id(0)
    first = 0
    for product in range(n_products):
        M, N, K, tiles_n, behind = tiles_of(sizes_ptr, product, first, BM, BN)
        if tile >= first and tile < behind:
            a = tl.make_tensor_descriptor(
                tl.load(a_addresses + product).to(tl.pointer_type(tl.float16)), shape=[M, K],
                strides=[tl.load(strides_ptr + 3 * product), 1], block_shape=[BM, BK])
            b = tl.make_tensor_descriptor(
                tl.load(b_addresses + product).to(tl.pointer_type(tl.float16)), shape=[K, N],
                strides=[tl.load(strides_ptr + 3 * product + 1), 1], block_shape=[BK, BN])
            c = tl.make_tensor_descriptor(
                tl.load(c_addresses + product).to(tl.pointer_type(tl.float16)), shape=[M, N],
                strides=[tl.load(strides_ptr + 3 * product + 2), 1], block_shape=[BM, BN])
            while tile < behind:
                row = (tile - first) // tiles_n * BM
                col = (tile - first) % tiles_n * BN
                acc = tl.zeros((BM, BN), dtype=tl.float32)
                for k in range(0, K, BK):
                    acc = tl.dot(a.load([row, k]), b.load([k, col]), acc)
                c.store([row, col], acc.to(tl.float16))
                tile += PROGRAMS
        first = behind


tuned_kernel, tuned_descriptors_kernel = (
    triton.autotune(configs=CONFIGS, key=["n_products"], restore_value=[])(kernel)
    for kernel in (grouped_matmul_kernel, grouped_matmul_descriptors_kernel))


def addresses(matrices):
    """Where the matrices lie; on a GPU they would have to be in its memory."""
    return np.array([matrix.ctypes.data for matrix in matrices], np.int64)


def grouped_matmul(a, b, kernel=tuned_kernel):
    """The products of two lists of float16 matrices with rows in one piece."""
    c = [padded(np.zeros((x.shape[0], y.shape[1]), np.float16)) for x, y in zip(a, b)]
    sizes = np.array([(*z.shape, x.shape[1]) for x, z in zip(a, c)], np.int32)
    strides = np.array([[m.strides[0] // m.itemsize for m in row] for row in zip(a, b, c)],
                       np.int32)
    kernel[lambda meta: (meta["PROGRAMS"],)](addresses(a), addresses(b), addresses(c), sizes,
                                             strides, len(a))
    return c


def padded(matrix):
    """A copy whose rows begin at multiples of 16 bytes, as descriptors need it."""
    rows, cols = matrix.shape
    memory = np.zeros(rows * triton.cdiv(cols, 8) * 8 + 8, matrix.dtype)
    # NumPy's arrays begin at multiples of 16 bytes, but for what it does not promise.
    begin = -memory.ctypes.data % 16 // memory.itemsize
    copy = memory[begin:begin + rows * triton.cdiv(cols, 8) * 8].reshape(rows, -1)[:, :cols]
    copy[:] = matrix
    return copy


def matmul_numpy(a, b):
    return (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16)


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    sizes = [(512, 256, 128), (100, 333, 50), (7, 64, 517), (256, 256, 256)]
    a = [padded(rng.standard_normal((M, K)).astype(np.float16)) for M, N, K in sizes]
    b = [padded(rng.standard_normal((K, N)).astype(np.float16)) for M, N, K in sizes]
    for kernel in (tuned_kernel, tuned_descriptors_kernel):
        for x, y, z in zip(a, b, grouped_matmul(a, b, kernel)):
            triton.testing.assert_close(z, matmul_numpy(x, y), rtol=2e-3, atol=1e-2)
    print(f"grouped matmul: {len(sizes)} products of different sizes agree with NumPy")
