"""Tensor descriptors and tuples in the signatures of `ASTSource`."""

import collections

import numpy as np
import pytest

import tritium as triton
import tritium.language as tl
from tritium.compiler import ASTSource, GPUTarget
from tritium.tools.tensor_descriptor import TensorDescriptor

H200 = GPUTarget("cuda", 90, 32)


@triton.jit
def doubled(source, target, i, j):
    tl.static_assert(source.block_shape[0] == 8 and source.dtype == tl.float32)
    target.store([i, j], source.load([i, j]) * 2)


@triton.jit
def summed(out_ptr, t, n):
    tl.static_assert(t[1][1] == 7)
    tl.store(out_ptr, t[0] + tl.load(t[1][0]) + t[1][1] + n)


@triton.jit
def by_name(out_ptr, point):
    tl.store(out_ptr, point.x * 10 + point.y)


Point = collections.namedtuple("Point", "x y")
BLOCK = "tensordesc<fp32[8, 16]>"
TUPLE = {"out_ptr": "*fp32", "t": ("i32", ("*fp32", "constexpr")), "n": "i32"}


def test_descriptors():
    """Compiled ahead it takes what a descriptor consists of; elements outside are left alone."""
    x = np.arange(12 * 24, dtype=np.float32).reshape(12, 24)
    launched, ahead = np.zeros_like(x), np.zeros_like(x)
    doubled[(1,)](TensorDescriptor.from_tensor(x, [8, 16]),
                  TensorDescriptor.from_tensor(launched, [8, 16]), 8, 16)
    signature = {"source": BLOCK, "target": BLOCK, "i": "i32", "j": "i32"}
    compiled = triton.compile(ASTSource(doubled, signature))
    compiled[(1,)](x, 12, 24, 24, ahead, 12, 24, 24, 8, 16)
    np.testing.assert_array_equal(ahead, launched)
    assert ahead[8:, 16:].any() and not ahead[:8].any()
    described = {p.name: (p.type, p.divisibility) for p in compiled.metadata.parameters}
    assert described["source"] == ("*fp32", 16) and described["source.shape[0]"] == ("i32", 1)
    assert described["source.strides[0]"] == ("i64", 4)
    assert "source.strides[1]" not in described


def test_a_layout_changes_nothing():
    texts = [triton.compile(ASTSource(doubled, {
        "source": kind, "target": BLOCK, "i": "i32", "j": "i32"}), target=H200).asm["ptx"]
        for kind in (BLOCK, "tensordesc<fp32[8,16],NVMMASharedLayout(swizzle_byte_width=64)>")]
    assert texts[0] == texts[1]


def test_tuples():
    """Items are constants by their paths; alignment, too, is said by a path."""
    x, out = np.array([2.0], np.float32), np.zeros(1, np.float32)
    source = ASTSource(summed, TUPLE, {(1, 1, 1): 7}, {(1, 1, 0): [["tt.divisibility", 4]]})
    compiled = triton.compile(source)
    compiled[(1,)](out, 100, x, 20)
    assert out[0] == 129
    assert [p.divisibility for p in compiled.metadata.parameters] == [1, 1, 4, 1]
    whole = triton.compile(ASTSource(by_name, {"out_ptr": "*i32"}, {"point": Point(4, 2)}))
    parts = triton.compile(ASTSource(by_name, {"out_ptr": "*i32", "point": Point("i32", "i32")}))
    out = np.zeros(1, np.int32)
    whole[(1,)](out)
    assert out[0] == 42
    parts[(1,)](out, 3, 5)
    assert out[0] == 35


@pytest.mark.parametrize("changed, constants, message", [
    ({}, {}, r"'t\[1\]\[1\]' is a constexpr, but the constants have no value at \(1, 1, 1\)"),
    ({}, {(1, 1, 1): 7, (1, 4): 3}, r"no tuple with an item at \(1, 4\)"),
    ({"t": (3, "i32")}, {}, r"'t\[0\]' must be a text or a tuple"),
    ({"t": "tensordesc<fp16>"}, {}, r"no tensor descriptor; write .*'tensordesc<fp16\[64, 64\]>'"),
    ({"t": "tensordesc<fp16[]>"}, {}, "no tensor descriptor"),
    ({"t": "tensordesc_im2col<fp16[8, 8]>"}, {}, "no tensor descriptor"),
    ({"t": "tensordesc<fp99[8]>"}, {}, "signature of 't'.*no type 'fp99'"),
    ({"t": ("i32", "i33")}, {}, r"signature of 't\[1\]'.*no type 'i33'"),
    ({"t": "tensordesc<fp32[8, 0]>"}, {}, r"must be positive, found shape \[8, 0\]"),
    ({"t": ()}, {}, r"subscript 0 is out of range for \(\)|subscript 1 is out of range"),
    ({"t": ("i32", "i32")}, {7: 1}, "no parameter 7"),
])
def test_errors(changed, constants, message):
    with pytest.raises((triton.ArgumentError, triton.CompilationError), match=message):
        triton.compile(ASTSource(summed, {**TUPLE, **changed}, constants))


def test_a_number_that_does_not_fit():
    compiled = triton.compile(ASTSource(by_name, {"out_ptr": "*i32", "point": ("i32", "u64")},
                                        {"point": Point(1, 2)}))
    compiled[(1,)](np.zeros(1, np.int32))
    source = ASTSource(summed, {**TUPLE, "n": "u8"}, {(1, 1, 1): 7})
    compiled, x = triton.compile(source), np.zeros(1, np.float32)
    compiled[(1,)](x, -2**31, x, 255)
    for t, n in ((2**31, 0), (0, 256), (0, -1), (2**63, 0)):
        with pytest.raises(triton.ArgumentError, match="it was compiled for a '.*' of type .* but"):
            compiled[(1,)](x, t, x, n)
