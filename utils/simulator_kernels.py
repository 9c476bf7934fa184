"""Kernels of our own compiler that utils/check_simulator.py runs on a GPU and on the simulator.

`write(folder, arch)` compiles them: own_NAME.ptx, .json with the launch, .npz with the data."""

import json
import pathlib
import sys

import numpy as np
import tritium as triton
import tritium.language as tl
from tritium.compiler import ASTSource, GPUTarget

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "examples"))

from attention import attention_kernel  # noqa: E402
from layer_norm import layer_norm_kernel  # noqa: E402
from matmul import matmul  # noqa: E402
from softmax import softmax_kernel  # noqa: E402
from vector_add import add_kernel  # noqa: E402


@triton.jit
def transpose(x, out, N: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    j = tl.program_id(1) * B + tl.arange(0, B)
    tile = tl.load(x + i[:, None] * N + j[None, :])
    tl.store(out + j[:, None] * N + i[None, :], tl.trans(tile))


@triton.jit
def strided(x, out, STEP: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i * STEP, tl.load(x + i * STEP) + 1)


@triton.jit
def row_sums(x, out, n, R: tl.constexpr, B: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)
    c = tl.arange(0, B)
    v = tl.load(x + r[:, None] * n + c[None, :], c[None, :] < n, other=0)
    tl.store(out + r, tl.sum(v, axis=1))


@triton.jit
def column_maxima(x, out, R: tl.constexpr, B: tl.constexpr):
    r, c = tl.arange(0, R), tl.arange(0, B)
    v = tl.load(x + r[:, None] * B + c[None, :])
    tl.store(out + c, tl.max(v, axis=0))


@triton.jit
def count(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(out + tl.load(x + i, i < n, other=0), 1, mask=i < n)


@triton.jit
def take(x, index, out, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + tl.load(index + i)))


@triton.jit
def divide(x, y, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    a, b = tl.load(x + i, i < n, other=0), tl.load(y + i, i < n, other=1)
    tl.store(out + i, a // b * 7 + a % b, i < n)


@triton.jit
def noise(out, seed, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.randint(seed, i))


@triton.jit
def collatz(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, i < n, other=1)
    steps = tl.zeros((B,), tl.int32)
    while tl.max(v, axis=0) > 1:
        steps += (v > 1).to(tl.int32)
        v = tl.where(v > 1, tl.where(v % 2 == 1, 3 * v + 1, v // 2), v)
    tl.store(out + i, steps, i < n)


@triton.jit
def product(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, WIDE: tl.constexpr):
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    x = tl.load(a + i[:, None] * K + k[None, :])
    y = tl.load(b + k[:, None] * N + j[None, :])
    tl.store(c + i[:, None] * N + j[None, :], tl.dot(x, y, out_dtype=WIDE))


def cases(random):
    """name -> kernel, types of its parameters, constants, grid, arguments, options."""
    def f32(*shape):
        return random.uniform(-1, 1, shape).astype(np.float32)

    def whole(kind, high, *shape):
        return random.integers(0, high, shape).astype(kind)

    def zeros(kind, *shape):
        return np.zeros(shape, kind)

    i32 = np.int32
    square = dict(M=64, N=64, K=64)
    brain = whole(np.float32, 8, 2, 4096).view(np.uint32) >> 16
    return {
        "add": (add_kernel, "*fp32 *fp32 *fp32 i32", dict(BLOCK_SIZE=1024), (5,),
                [f32(5000), f32(5000), zeros("f4", 5000), i32(5000)]),
        "add_unaligned": (add_kernel, "*fp16 *fp16 *fp16 i32", dict(BLOCK_SIZE=512), (10,),
                          [whole("f2", 99, 4999), whole("f2", 99, 4999), zeros("f2", 4999),
                           i32(4999)]),
        "transpose": (transpose, "*i32 *i32", dict(N=128, B=64), (2, 2),
                      [whole("i4", 2**31, 128, 128), zeros("i4", 128, 128)]),
        "transpose8": (transpose, "*i8 *i8", dict(N=128, B=64), (2, 2),
                       [whole("i1", 127, 128, 128), zeros("i1", 128, 128)]),
        "strided": (strided, "*i32 *i32", dict(STEP=3, B=256), (4,),
                    [whole("i4", 2**31, 3072), zeros("i4", 3072)]),
        "row_sums": (row_sums, "*i32 *i32 i32", dict(R=4, B=512), (4,),
                     [whole("i4", 2**20, 16, 500), zeros("i4", 16), i32(500)]),
        "column_maxima": (column_maxima, "*i32 *i32", dict(R=64, B=64), (1,),
                          [whole("i4", 2**31, 64, 64), zeros("i4", 64)]),
        "count": (count, "*i32 *i32 i32", dict(B=256), (20,),
                  [whole("i4", 64, 5000), zeros("i4", 64), i32(5000)]),
        "take": (take, "*i32 *i32 *i32", dict(B=512), (8,),
                 [whole("i4", 2**31, 4096), whole("i4", 4096, 4096), zeros("i4", 4096)]),
        "divide": (divide, "*i32 *i32 *i32 i32", dict(B=256), (20,),
                   [whole("i4", 2**31, 5000), whole("i4", 999, 5000) + i32(1), zeros("i4", 5000),
                    i32(5000)]),
        "noise": (noise, "*i32 i32", dict(B=512), (4,), [zeros("i4", 2048), i32(7)]),
        "collatz": (collatz, "*i32 *i32 i32", dict(B=128), (16,),
                    [whole("i4", 9000, 2000), zeros("i4", 2000), i32(2000)]),
        "product_half": (product, "*fp16 *fp16 *fp32", dict(square, WIDE=tl.float32), (1,),
                         [whole("f2", 8, 4096), whole("f2", 8, 4096), zeros("f4", 4096)]),
        "product_brain": (product, "*bf16 *bf16 *fp32", dict(square, WIDE=tl.float32), (1,),
                          [brain[0].astype(np.uint16), brain[1].astype(np.uint16),
                           zeros("f4", 4096)]),
        "product_half_fractions": (
            product, "*fp16 *fp16 *fp32", dict(square, WIDE=tl.float32), (1,),
            [f32(4096).astype("f2"), f32(4096).astype("f2"), zeros("f4", 4096)]),
        "product_brain_fractions": (
            product, "*bf16 *bf16 *fp32", dict(square, WIDE=tl.float32), (1,),
            [(f32(4096).view(np.uint32) >> 16).astype(np.uint16),
             (f32(4096).view(np.uint32) >> 16).astype(np.uint16), zeros("f4", 4096)]),
        "product_single": (product, "*fp32 *fp32 *fp32", dict(square, WIDE=tl.float32), (1,),
                           [whole("f4", 8, 4096), whole("f4", 8, 4096), zeros("f4", 4096)]),
        "product_bytes": (product, "*i8 *i8 *i32", dict(square, WIDE=tl.int32), (1,),
                          [whole("i1", 127, 4096), whole("i1", 127, 4096), zeros("i4", 4096)]),
        "matmul": (matmul, "*fp16 *fp16 *fp32 i32 i32 i32", dict(BM=64, BN=64, BK=32), (4,),
                   [whole("f2", 8, 128 * 128), whole("f2", 8, 128 * 128),
                    zeros("f4", 128 * 128), i32(128), i32(128), i32(128)]),
        "matmul_edges": (matmul, "*fp16 *fp16 *fp32 i32 i32 i32", dict(BM=64, BN=64, BK=32), (4,),
                         [whole("f2", 8, 100 * 70), whole("f2", 8, 70 * 90),
                          zeros("f4", 100 * 90), i32(100), i32(90), i32(70)]),
        "softmax": (softmax_kernel, "*fp32 *fp32 i32 i32 i32", dict(BLOCK_SIZE=1024), (8,),
                    [zeros("f4", 8, 781), f32(8, 781), i32(781), i32(781), i32(781)]),
        "layer_norm": (layer_norm_kernel, "*fp32 *fp32 *fp32 *fp32 *fp32 *fp32 i32 i32 fp32",
                       dict(BLOCK_SIZE=1024), (4,),
                       [f32(4, 1000), zeros("f4", 4, 1000), f32(1000), f32(1000), zeros("f4", 4),
                        zeros("f4", 4), i32(1000), i32(1000), np.float32(1e-5)]),
        "attention": (attention_kernel, "*fp16 *fp16 *fp16 *fp16 fp32 i32",
                      dict(D=64, BM=64, BN=64, CAUSAL=True), (2, 1),
                      [(f32(128, 64)).astype(np.float16) for _ in range(3)] +
                      [zeros("f2", 128, 64), np.float32(0.125), i32(128)]),
    }


# Results that approximate instructions or tensor cores enter: a relative and an absolute
# bound. 64 products below 1 go through four mma.sync, each off by at most 17 2^-23 m + 2^-22 d
# (docs/simulator.md), and m and d are below 16 here.
TENSOR_CORE = 4 * (17 * 2**-23 + 2**-22) * 16
BOUNDS = {"softmax": (1e-5, 1e-6), "layer_norm": (1e-5, 1e-6), "attention": (4e-3, 4e-4),
          "product_half_fractions": (0, TENSOR_CORE),
          "product_brain_fractions": (0, TENSOR_CORE)}


def write(folder, arch):
    folder.mkdir(parents=True, exist_ok=True)
    for name, (kernel, types, constants, grid, arguments) in cases(
            np.random.default_rng(2)).items():
        names = [p for p in kernel.arg_names if p not in constants]
        types = dict(zip(names, types.split()))
        for parameter in kernel.arg_names:
            if parameter not in types and parameter not in constants:
                types[parameter] = "constexpr"
        attributes = {parameter: [["tt.divisibility", 16]]
                      for parameter, value in zip(names, arguments)
                      if isinstance(value, np.ndarray)
                      or (isinstance(value, np.integer) and value % 16 == 0)}
        made = triton.compile(ASTSource(kernel, types, constants, attributes),
                              GPUTarget("cuda", arch, 32))
        (folder / f"own_{name}.ptx").write_text(made.asm["ptx"])
        launch = {"entry": made.metadata.name, "grid": [*grid, 1, 1][:3],
                  "block": [32 * made.metadata.num_warps, 1, 1], "shared": made.metadata.shared,
                  "bounds": BOUNDS.get(name, (0, 0))}
        (folder / f"own_{name}.json").write_text(json.dumps(launch) + "\n")
        np.savez_compressed(folder / f"own_{name}.npz", *arguments)
