"""Numbers of the microscaled formats (OCP MX) on the host, for programs that make operands of
`tl.dot_scaled` and check its results.

Arrays are torch's where a program gives a tensor or a device, else NumPy's.
"""

import sys

import numpy as np

__all__ = ["MXFP4Tensor", "MXScaleTensor"]

_E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6], np.float32)  # by the lower three bits
_E8M0_BIAS, _E8M0_NAN = 127, 255


def _is_torch(array):
    return type(array).__module__.partition(".")[0] == "torch"


class _Codes:
    """Numbers as one byte each.

    Attributes:
        data: the bytes, an array of uint8.
        size: its shape. device: where torch has it; None of NumPy's.
    """

    def __init__(self, data=None, size=None, device=None):
        if data is None and size is None:
            raise ValueError("give the numbers, as data, or the size of an array to fill")
        self.device = data.device if device is None and _is_torch(data) else device
        self.size = tuple([size] if isinstance(size, int) else data.shape if size is None else size)
        if data is not None:
            values = data.double().cpu().numpy() if _is_torch(data) else np.asarray(data)
            self.data = self._as_given(self._encoded(values.astype(np.float64)))

    def _as_given(self, array):
        """A NumPy array as an array of the kind that the program uses."""
        if self.device is None:
            return array
        return sys.modules["torch"].from_numpy(array).to(self.device)

    def _bytes(self, array=None):
        array = self.data if array is None else array
        return array.cpu().numpy() if _is_torch(array) else np.asarray(array)

    def _random_bytes(self, low, high):
        """Bytes from low to high, both included; by torch's generator where torch is used."""
        if self.device is None:
            return np.random.randint(low, high + 1, self.size, np.uint8)
        torch = sys.modules["torch"]
        return torch.randint(low, high + 1, self.size, dtype=torch.uint8).numpy()

    def to(self, dtype):
        """The numbers as float32, which `dtype` has to be."""
        if str(np.dtype(dtype) if self.device is None else dtype).rpartition(".")[2] != "float32":
            raise ValueError(f"the numbers are to be had as float32, not as {dtype}")
        return self._as_given(self._decoded(self._bytes()))


class MXFP4Tensor(_Codes):
    """Numbers of four bits: a sign, two bits of the exponent, one of the mantissa (e2m1).

    Args:
        data: floats, rounded to the nearest, ties to even; beyond 6 to 6.
        size: instead of data: the shape to be filled by `random`.
        device: torch's device for it.
    """

    def random(self):
        """Fills it with random numbers."""
        self.data = self._as_given(self._random_bytes(0, 15))
        return self

    @staticmethod
    def _encoded(values):
        if np.isnan(values).any():
            raise ValueError("e2m1 has no NaN")
        magnitude = np.abs(values)
        middles = (_E2M1[1:] + _E2M1[:-1]) / 2
        code = np.searchsorted(middles, magnitude)  # a tie gives the lower number
        tie = magnitude == np.append(middles, np.nan)[code]
        code += tie & (code % 2 == 1)
        return (np.signbit(values).astype(np.uint8) << 3 | code.astype(np.uint8)).astype(np.uint8)

    @staticmethod
    def _decoded(codes):
        return np.where(codes & 8, -1, 1).astype(np.float32) * _E2M1[codes & 7]

    def to_packed_tensor(self, dim):
        """Two numbers in a byte, neighbours along `dim`, the first in the lower half. An odd
        extent is filled up with 0."""
        codes = np.moveaxis(self._bytes(), dim, -1)
        if codes.shape[-1] % 2:
            codes = np.concatenate([codes, np.zeros_like(codes[..., :1])], -1)
        packed = codes[..., ::2] | codes[..., 1::2] << 4
        return self._as_given(np.ascontiguousarray(np.moveaxis(packed, -1, dim)))

    def unpack_packed_tensor(self, packed_tensor, dim, original_shape):
        """The bytes of single numbers that `to_packed_tensor(dim)` has packed."""
        packed = np.moveaxis(self._bytes(packed_tensor), dim, -1)
        codes = np.stack([packed & 15, packed >> 4], -1).reshape(*packed.shape[:-1], -1)
        codes = np.moveaxis(codes[..., :original_shape[dim]], -1, dim)
        return self._as_given(np.ascontiguousarray(codes))


class MXScaleTensor(_Codes):
    """Powers of two of eight bits, 2^-127 to 2^127, or NaN (e8m0): scales of groups of numbers.

    Args:
        data: positive floats, of which the power of two counts that is not above, or 2^-127;
            others are NaN.
        size: instead of data: the shape to be filled by `random`.
        device: torch's device for it.
    """

    def random(self, low=None, high=None):
        """Fills it with random powers of two from `low` to `high`, positive numbers; without
        them of all powers."""
        exponents = [usual if bound is None else int(np.frexp(bound)[1]) - 1
                     for bound, usual in ((low, -_E8M0_BIAS), (high, _E8M0_BIAS))]
        low, high = (min(max(e + _E8M0_BIAS, 0), _E8M0_NAN - 1) for e in exponents)
        self.data = self._as_given(self._random_bytes(low, high))
        return self

    @staticmethod
    def _encoded(values):
        is_scale = np.isfinite(values) & (values > 0)
        exponent = np.frexp(np.where(is_scale, values, 1))[1] - 1 + _E8M0_BIAS
        return np.where(is_scale, np.clip(exponent, 0, _E8M0_NAN - 1), _E8M0_NAN).astype(np.uint8)

    @staticmethod
    def _decoded(codes):
        exponents = np.minimum(codes, _E8M0_NAN - 1).astype(np.int32) - _E8M0_BIAS
        powers = np.ldexp(np.float32(1), exponents)
        return np.where(codes == _E8M0_NAN, np.float32(np.nan), powers).astype(np.float32)
