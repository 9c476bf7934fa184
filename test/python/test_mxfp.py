"""triton.tools.mxfp against ml_dtypes."""

import types

import ml_dtypes
import numpy as np
import pytest

from tritium.tools.mxfp import MXFP4Tensor, MXScaleTensor


def test_e2m1():
    values = np.concatenate([np.linspace(-7, 7, 2801), [0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5, -5,
                                                        1e30, -0.0, np.inf, -np.inf]])
    numbers = MXFP4Tensor(data=values.astype(np.float32))
    expected = np.clip(values, -6, 6).astype(ml_dtypes.float4_e2m1fn)
    assert numbers.data.dtype == np.uint8 and numbers.size == values.shape
    assert np.array_equal(numbers.to(np.float32), expected.astype(np.float32))
    assert np.array_equal(np.signbit(numbers.to(np.float32)), np.signbit(values))
    # Rounded once, not to float32 first.
    beside = np.array([0.25, 0.75, 2.5, 5.0])
    for towards, rounded in ((0, [0, 0.5, 2, 4]), (6, [0.5, 1, 3, 6])):
        found = MXFP4Tensor(data=np.nextafter(beside, towards)).to(np.float32)
        assert found.tolist() == rounded
    every = MXFP4Tensor(size=16)
    every.data = np.arange(16, dtype=np.uint8)
    assert np.array_equal(every.to("float32"),
                          every.data.view(ml_dtypes.float4_e2m1fn).astype(np.float32))
    with pytest.raises(ValueError, match="e2m1 has no NaN"):
        MXFP4Tensor(data=np.array([np.nan]))
    with pytest.raises(ValueError, match="as float32, not as float16"):
        every.to("float16")
    with pytest.raises(ValueError, match="give the numbers"):
        MXFP4Tensor()


@pytest.mark.parametrize("shape,dim,packed_shape", [
    ((4, 6), 1, (4, 3)), ((4, 6), 0, (2, 6)), ((3, 5), 0, (2, 5)), ((3, 5), 1, (3, 3)),
    ((2, 3, 4), -1, (2, 3, 2)), ((2, 3, 4), 1, (2, 2, 4)), ((781,), 0, (391,)), ((1,), 0, (1,))])
def test_packing(shape, dim, packed_shape):
    np.random.seed(3)
    numbers = MXFP4Tensor(size=shape).random()
    assert numbers.data.shape == shape and numbers.data.max() <= 15
    packed = numbers.to_packed_tensor(dim)
    assert packed.shape == packed_shape and packed.dtype == np.uint8
    first, second = (np.moveaxis(numbers.data, dim, -1)[..., i::2] for i in (0, 1))
    halves = np.moveaxis(packed, dim, -1)
    assert np.array_equal(halves & 15, first)
    assert np.array_equal((halves >> 4)[..., :second.shape[-1]], second)
    assert np.array_equal(numbers.unpack_packed_tensor(packed, dim, shape), numbers.data)


def test_e8m0():
    values = np.array([1, 2, 3, 0.75, 2.0 ** -127, 2.0 ** 127, 1e-45, 3e38], np.float32)
    scales = MXScaleTensor(data=values)
    assert scales.data.tolist() == [127, 128, 128, 126, 0, 254, 0, 254]
    assert np.isnan(MXScaleTensor(data=np.array([-1, 0, np.nan, np.inf])).to(np.float32)).all()
    every = MXScaleTensor(size=(256,))
    every.data = np.arange(256, dtype=np.uint8)
    expected = every.data.view(ml_dtypes.float8_e8m0fnu).astype(np.float32)
    assert np.array_equal(every.to(np.float32), expected, equal_nan=True)


def test_random_scales():
    np.random.seed(5)
    scales = MXScaleTensor(size=(64, 64)).random(low=1 / 128, high=2.0)
    assert set(np.unique(scales.data)) == set(range(120, 129))
    some = MXScaleTensor(size=10000).random()
    assert some.data.min() == 0 and some.data.max() == 254


def test_tensors_of_torch(monkeypatch):
    """Where a program gives tensors it gets tensors."""
    class Tensor:
        __module__ = "torch"
        device = "cuda:0"

        def __init__(self, array):
            self.array, self.shape = array, array.shape

        def double(self):
            return Tensor(self.array.astype(np.float64))

        def cpu(self):
            return self

        def numpy(self):
            return self.array

        def to(self, device):
            assert device == "cuda:0"
            return self

    monkeypatch.setitem(__import__("sys").modules, "torch", types.SimpleNamespace(
        from_numpy=Tensor, uint8="uint8",
        randint=lambda low, high, size, dtype: Tensor(np.full(size, high - 1, np.uint8))))
    numbers = MXFP4Tensor(data=Tensor(np.array([1.0, -3.0], np.float16)))
    assert isinstance(numbers.data, Tensor) and numbers.data.array.tolist() == [2, 13]
    assert numbers.to("torch.float32").array.tolist() == [1, -3]
    assert numbers.to_packed_tensor(0).array.tolist() == [0xd2]
    assert MXFP4Tensor(size=(2,), device="cuda:0").random().data.array.tolist() == [15, 15]
