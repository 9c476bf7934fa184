"""Every function of `tl.extra.libdevice` in every type that it takes, of zeros, subnormals, the
largest numbers, infinities and NaN among others, on every back end."""

import functools
import itertools
import re

import numpy as np
import pytest
import tritium as triton
from libdevice_expected import APPROXIMATIONS, EXPECTED, wide
from support import (adversarial_floats, adversarial_ints, assert_identical, compute, is_gpu,
                     kernels_from, ulp_error)
from tritium.compiler import ASTSource, GPUTarget
from tritium.language.extra import libdevice

TYPES = {"int32", "uint32", "int64", "uint64", "float32", "float64"}


@functools.cache
def overloads(name):
    """The types that it takes, as it says itself when it is asked for something else."""
    for count in range(1, 5):
        with pytest.raises(triton.CompilationError) as error:
            compute(f"libdevice.{name}({', '.join(['None'] * count)})", np.zeros(1), out="float64")
        if listed := re.search(r"takes (.*), found", str(error.value)):
            return [tuple(types.split(", ")) for types in re.findall(r"\(([^()]*)\)", listed[1])]
    raise AssertionError(f"{name} takes no number of arguments")


def numbers(dtype):
    if dtype not in ("float32", "float64"):
        return adversarial_ints(dtype)
    ordinary = [1.5, -2.5, 2.5, -3.7, 0.75, 7.5, -0.1, 20.5, -20.0, 100.25, 1e-5, -1e5, 30000.75]
    return np.concatenate([adversarial_floats(dtype), np.array(ordinary, dtype)])


@functools.cache
def arguments(name, types):
    """All pairs; of more numbers a thousand."""
    columns = [numbers(dtype) for dtype in types]
    if name in ("jn", "yn"):
        columns[0] = np.array([-1, 0, 1, 2, 5], types[0])
    if len(columns) < 3:
        indices = np.array(list(itertools.product(*(range(len(c)) for c in columns))))
    else:
        counts = [len(c) for c in columns]
        indices = np.random.default_rng(3).integers(0, counts, (1000, len(columns)))
    return tuple(column[index] for column, index in zip(columns, indices.T))


@functools.cache
def expected_of(name, types):
    function = EXPECTED[name][0] if name in EXPECTED else wide(APPROXIMATIONS[name])
    with np.errstate(all="ignore"):
        return function(*arguments(name, types))


def assert_approximate(result, expected, dtype):
    """Infinities and NaN where they are; numbers that are hardly beside 0 may be 0."""
    with np.errstate(all="ignore"):
        rounded = (expected * (1 + 1e-5)).astype(dtype)  # one beside the largest may overflow
        close = np.abs(result - expected) <= np.abs(expected) * 1e-5 + 1e-37
    same = (result == rounded) | (np.isnan(result) & np.isnan(rounded)) | close
    assert same.all(), (result[~same][:5], expected[~same][:5])


def test_every_function_is_expected():
    assert len(libdevice.__all__) == 198
    assert set(libdevice.__all__) == set(EXPECTED) | set(APPROXIMATIONS)
    taken = {dtype for name in libdevice.__all__ for types in overloads(name) for dtype in types}
    assert taken == TYPES


@pytest.mark.parametrize("name", libdevice.__all__)
def test_every_type(name, backend):
    for types in overloads(name):
        operands, expected = arguments(name, types), expected_of(name, types)
        out = types[-1] if name in ("jn", "yn") else types[0]
        names = ", ".join("abcd"[:len(types)])
        call = f"libdevice.{name}({names})"
        if name in APPROXIMATIONS:
            assert_approximate(compute(call, *operands, out=out), expected, out)
            continue
        units = EXPECTED[name][1 if out == "float64" else 2]
        if not units:
            result = compute(call, *operands, out=expected.dtype).view(expected.dtype)
            assert_identical(result, expected, *operands)
            continue
        result = compute(call, *operands, out=out)
        slack = 4 if is_gpu(backend) and out == "float32" else 0
        assert ulp_error(result, expected) <= units + slack, types
        zero = (expected == 0) & (result == 0)
        wrong = zero & (np.signbit(result) != np.signbit(expected))
        assert not wrong.any(), ([v[wrong][:5] for v in operands], result[wrong][:5])


# As machine code: PTX, which ptxas assembles where there is one.

GROUPS = 25
POINTERS = {"int32": "*i32", "uint32": "*u32", "int64": "*i64", "uint64": "*u64",
            "float32": "*fp32", "float64": "*fp64"}


@pytest.mark.parametrize("arch", [80, 90])
@pytest.mark.parametrize("group", range(GROUPS))
def test_assembles(group, arch):
    names = libdevice.__all__[group::GROUPS]
    calls = [(name, types) for name in names for types in overloads(name)]
    kernel = kernels_from(
        "from tritium.language.extra import libdevice\n"
        f"@triton.jit\ndef kernel(out, {', '.join(POINTERS)}):\n    i = tl.arange(0, 128)\n"
        + "".join(f"    tl.store(out + {128 * k} + i, libdevice.{name}("
                  + ", ".join(f"tl.load({dtype} + {128 * j} + i)" for j, dtype in enumerate(types))
                  + "))\n" for k, (name, types) in enumerate(calls))).kernel
    source = ASTSource(kernel, {"out": "*fp64"} | POINTERS, {})
    compiled = triton.compile(source, GPUTarget("cuda", arch, 32))
    assert ".entry kernel(" in compiled.asm["ptx"]
    if compiled.n_regs == 0:
        pytest.skip("no ptxas")
    assert compiled.asm["cubin"][:4] == b"\x7fELF"
