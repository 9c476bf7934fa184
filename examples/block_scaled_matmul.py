"""C = A @ B^T of microscaled matrices: 4-bit or 8-bit floats with a power of two for each 32.

`tl.dot_scaled` multiplies them as they are. Both matrices lie along K. The scales of 128 rows and 4
groups are one block of 512 bytes, in the order in which tensor cores with such formats take them;
the kernel puts them back into rows.
"""

import ml_dtypes
import numpy as np

import tritium as triton
import tritium.language as tl
from tritium.tools.mxfp import MXFP4Tensor, MXScaleTensor
from tritium.tools.tensor_descriptor import TensorDescriptor

GROUP = 32  # numbers that share a scale
LARGEST = {"e2m1": 6, "e4m3": 448, "e5m2": 57344}


@triton.jit
def load_scales(desc, row, group, ROWS: tl.constexpr, GROUPS: tl.constexpr):
    """The scales of ROWS rows and GROUPS groups, as a matrix."""
    block = desc.load([row // 128, group // 4, 0, 0])
    parts = tl.reshape(block, (ROWS // 128, GROUPS // 4, 32, 4, 4))
    # A block has row r + 32 q, group g at [r, q, g].
    return tl.reshape(tl.permute(parts, (0, 3, 2, 1, 4)), (ROWS, GROUPS))


@triton.jit
def block_scaled_matmul_kernel(a_desc, a_scale_desc, b_desc, b_scale_desc, c_desc, K,
                               A_FORMAT: tl.constexpr, B_FORMAT: tl.constexpr, BM: tl.constexpr,
                               BN: tl.constexpr, BK: tl.constexpr):
    """Grid: (cdiv(M, BM), cdiv(N, BN)). Two numbers of e2m1 are one byte."""
    A_PACK: tl.constexpr = 2 if A_FORMAT == "e2m1" else 1
    B_PACK: tl.constexpr = 2 if B_FORMAT == "e2m1" else 1
    row = tl.program_id(0) * BM
    col = tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in tl.range(0, K, BK, num_stages=3):
        a = a_desc.load([row, k // A_PACK])
        b = b_desc.load([col, k // B_PACK])
        a_scale = load_scales(a_scale_desc, row, k // 32, BM, BK // 32)
        b_scale = load_scales(b_scale_desc, col, k // 32, BN, BK // 32)
        acc = tl.dot_scaled(a, a_scale, A_FORMAT, b.T, b_scale, B_FORMAT, acc)
    c_desc.store([row, col], acc.to(c_desc.dtype))


class Microscaled:
    """A matrix in a microscaled format.

    Attributes:
        form: "e2m1", "e4m3" or "e5m2".
        shape: its rows and columns.
        numbers: as the kernel loads them, bytes of two numbers for "e2m1".
        scales: as the kernel loads them.
        values: what the numbers and scales stand for, in float32.
    """

    def __init__(self, matrix, form):
        """Scales each 32 numbers of a row so that the largest nearly fills the format."""
        rows, cols = matrix.shape
        self.form, self.shape = form, matrix.shape
        groups = matrix.reshape(rows, cols // GROUP, GROUP)
        largest = np.abs(groups).max(axis=2)
        # The power of two at or below; the tiny number is for groups of zeros.
        scales = MXScaleTensor(data=np.maximum(largest / LARGEST[form] * 2, 2.0 ** -126))
        powers = scales.to(np.float32)[:, :, None]
        scaled = (groups / powers).reshape(rows, cols)
        if form == "e2m1":
            fours = MXFP4Tensor(data=scaled)
            self.numbers, numbers = fours.to_packed_tensor(dim=1), fours.to(np.float32)
        else:
            self.numbers = scaled.astype({"e4m3": ml_dtypes.float8_e4m3fn,
                                          "e5m2": ml_dtypes.float8_e5m2}[form])
            numbers = self.numbers.astype(np.float32)
        self.scales = scale_blocks(scales.data)
        self.values = (numbers.reshape(groups.shape) * powers).reshape(rows, cols)

    def descriptors(self, block_rows, block_depth):
        """Those of the numbers and of the scales."""
        pack = 2 if self.form == "e2m1" else 1
        return (TensorDescriptor.from_tensor(self.numbers, [block_rows, block_depth // pack]),
                TensorDescriptor.from_tensor(
                    self.scales, [block_rows // 128, block_depth // GROUP // 4, 32, 16]))


def scale_blocks(scales):
    """rows x groups as blocks of 128 x 4, what is missing filled up: (rows / 128, groups / 4, 32,
    16)."""
    rows, groups = scales.shape
    scales = np.pad(scales, [(0, -rows % 128), (0, -groups % 4)])
    parts = scales.reshape(-(-rows // 128), 4, 32, -(-groups // 4), 4).transpose(0, 3, 2, 1, 4)
    return np.ascontiguousarray(parts).reshape(*parts.shape[:3], 16)


def block_scaled_matmul(a, b, dtype=np.float32, BM=128, BN=128, BK=128):
    """a @ b.T of two Microscaled matrices; BM, BN and BK are multiples of 128."""
    (M, K), N = a.shape, b.shape[0]
    c = np.empty((M, N), dtype)
    block_scaled_matmul_kernel[triton.cdiv(M, BM), triton.cdiv(N, BN)](
        *a.descriptors(BM, BK), *b.descriptors(BN, BK), TensorDescriptor.from_tensor(c, [BM, BN]),
        K, A_FORMAT=a.form, B_FORMAT=b.form, BM=BM, BN=BN, BK=BK)
    return c


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((300, 512)), rng.standard_normal((260, 512))
    for forms in (("e2m1", "e2m1"), ("e4m3", "e4m3"), ("e4m3", "e2m1")):
        x, y = Microscaled(a, forms[0]), Microscaled(b, forms[1])
        product = block_scaled_matmul(x, y)
        triton.testing.assert_close(product, x.values @ y.values.T, rtol=1e-5, atol=1e-3)
        error = np.abs(product - a @ b.T).mean() / np.abs(a @ b.T).mean()
        print(f"block-scaled matmul: {' by '.join(forms)} agrees with NumPy; the formats "
              f"themselves cost {error:.1%}")
