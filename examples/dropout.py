"""Dropout by a mask in memory, and by one that is a function of a seed: nothing has to be stored
to repeat that."""

import numpy as np

import tritium as triton
import tritium.language as tl


@triton.jit
def masked_dropout_kernel(x_ptr, keep_ptr, output_ptr, n_elements, p, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    keep = tl.load(keep_ptr + offsets, mask=mask)
    tl.store(output_ptr + offsets, tl.where(keep, x / (1 - p), 0.0), mask=mask)


@triton.jit
def dropout_kernel(x_ptr, output_ptr, n_elements, p, seed, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    # A number in [0, 1) for each element, from Philox with the element's index as counter.
    keep = tl.rand(seed, offsets) > p
    tl.store(output_ptr + offsets, tl.where(keep, x / (1 - p), 0.0), mask=mask)


def masked_dropout(x, keep, p):
    """x / (1 - p) where `keep`, an array of booleans or integers, is not 0; else 0."""
    output = np.empty_like(x)
    masked_dropout_kernel[(triton.cdiv(x.size, 1024),)](x, keep, output, x.size, p,
                                                        BLOCK_SIZE=1024)
    return output


def dropout(x, p, seed, output=None):
    """Zeroes each element with probability p and scales the others by 1 / (1 - p)."""
    output = np.empty_like(x) if output is None else output
    dropout_kernel[(triton.cdiv(x.size, 4096),)](x, output, x.size, p, seed, BLOCK_SIZE=4096)
    return output


def philox_uniform(seed, offsets):
    """What tl.rand(seed, offsets) yields, in NumPy: ten rounds of Philox 4x32."""
    c0 = offsets.astype(np.uint64)
    c1, c2, c3 = (np.zeros_like(c0) for _ in range(3))
    k0, k1 = np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32 & 0xFFFFFFFF)
    low, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    for _ in range(10):
        a, b = c0 * np.uint64(0xD2511F53), c2 * np.uint64(0xCD9E8D57)
        c0, c2 = (b >> shift) ^ c1 ^ k0, (a >> shift) ^ c3 ^ k1
        c1, c3 = b & low, a & low
        k0, k1 = (k0 + np.uint64(0x9E3779B9)) & low, (k1 + np.uint64(0xBB67AE85)) & low
    bits = c0.astype(np.uint32).view(np.int32)
    return np.where(bits < 0, ~bits, bits).astype(np.float32) * np.float32(4.6566127342e-10)


def dropout_numpy(x, p, seed):
    keep = philox_uniform(seed, np.arange(x.size)) > np.float32(p)
    return np.where(keep, x / (np.float32(1) - np.float32(p)), np.float32(0))


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    x = rng.standard_normal(98432, dtype=np.float32)
    keep = rng.random(x.size) > 0.25
    triton.testing.assert_close(masked_dropout(x, keep, 0.25), np.where(keep, x / 0.75, 0),
                                atol=1e-6)
    y = dropout(x, 0.5, seed=123)
    assert np.array_equal(y, dropout(x, 0.5, seed=123))
    assert np.array_equal(y == 0, dropout_numpy(x, 0.5, seed=123) == 0)
    triton.testing.assert_close(y, dropout_numpy(x, 0.5, seed=123), atol=1e-6)
    print(f"dropout: kept {np.count_nonzero(y) / y.size:.4f} of the elements, the same as NumPy's")
