"""Intel's oneDNN, called by ctypes, on arrays as they lie in memory.

`make bench` fetches it from PyPI (requirements-bench.txt). Found where pip puts it, or where
ONEDNN_LIBRARY says; it needs gcc's libgomp, and runs on the thread that calls it with
OMP_NUM_THREADS=1.
"""

import ctypes
import os
import pathlib
import sys

import numpy as np

# Of dnnl_types.h and dnnl_common_types.h.
TYPES = {"fp16": 1, "bf16": 2, "fp32": 3, "int32": 4, "int8": 5}
SOURCE, RESULT, WEIGHTS, SCALE, SHIFT = 1, 17, 33, 51, 52
CPU, INFERENCE, SOFTMAX = 1, 96, 0x30000
SCALE_AND_SHIFT, MAY_ROUND_TO_BF16 = 6, 1


def libraryPath():
    named = os.environ.get("ONEDNN_LIBRARY")
    places = [named] if named else [f"{sys.prefix}/lib/libdnnl.so.3"]
    return next((place for place in places if pathlib.Path(place).exists()), None)


class OneDNN:
    """Primitives of one engine. Each method returns a function that computes, or None where the
    library does not take these types."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        for name in ("dnnl_memory_desc_create_with_strides", "dnnl_matmul_primitive_desc_create",
                     "dnnl_softmax_forward_primitive_desc_create",
                     "dnnl_layer_normalization_forward_primitive_desc_create",
                     "dnnl_memory_create", "dnnl_primitive_create", "dnnl_primitive_execute"):
            getattr(self.library, name).restype = ctypes.c_int
        self.engine, self.stream = ctypes.c_void_p(), ctypes.c_void_p()
        self.library.dnnl_engine_create(ctypes.byref(self.engine), CPU, ctypes.c_size_t(0))
        self.library.dnnl_stream_create(ctypes.byref(self.stream), self.engine, 1)
        self.kept = []  # the arrays that primitives point into

    @classmethod
    def find(cls):
        path = libraryPath()
        return cls(path) if path else None

    def version(self):
        self.library.dnnl_version.restype = ctypes.POINTER(ctypes.c_int * 3)
        return ".".join(map(str, self.library.dnnl_version().contents))

    def described(self, array, dtype):
        shape = (ctypes.c_int64 * 12)(*array.shape)
        strides = (ctypes.c_int64 * 12)(*(s // array.itemsize for s in array.strides))
        descriptor = ctypes.c_void_p()
        self.library.dnnl_memory_desc_create_with_strides(
            ctypes.byref(descriptor), array.ndim, shape, TYPES[dtype], strides)
        return descriptor

    def prepared(self, create, operands, *arguments):
        """What runs the primitive whose description `create` makes; `operands`: (which, array,
        descriptor)."""
        primitiveOf, primitive = ctypes.c_void_p(), ctypes.c_void_p()
        if create(ctypes.byref(primitiveOf), self.engine, *arguments):
            return None
        if self.library.dnnl_primitive_create(ctypes.byref(primitive), primitiveOf):
            return None

        class Argument(ctypes.Structure):
            _fields_ = [("which", ctypes.c_int), ("memory", ctypes.c_void_p)]

        given = (Argument * len(operands))()
        for slot, (which, array, descriptor) in zip(given, operands):
            memory = ctypes.c_void_p()
            self.library.dnnl_memory_create(ctypes.byref(memory), descriptor, self.engine,
                                            ctypes.c_void_p(array.ctypes.data))
            slot.which, slot.memory = which, memory
            self.kept.append(array)
        execute, wait = self.library.dnnl_primitive_execute, self.library.dnnl_stream_wait

        def run():
            execute(primitive, self.stream, len(operands), given)
            wait(self.stream)
        return run

    def matmul(self, a, b, c, dtype, to, roundsToBF16=False):
        """c = a @ b of two or three dimensions; fp32 may be rounded to bf16 first."""
        described = [self.described(x, t) for x, t in ((a, dtype), (b, dtype), (c, to))]
        attributes = ctypes.c_void_p()
        self.library.dnnl_primitive_attr_create(ctypes.byref(attributes))
        if roundsToBF16:
            self.library.dnnl_primitive_attr_set_fpmath_mode(attributes, MAY_ROUND_TO_BF16)
        return self.prepared(self.library.dnnl_matmul_primitive_desc_create,
                             list(zip((SOURCE, WEIGHTS, RESULT), (a, b, c), described)),
                             *described[:2], None, described[2], attributes)

    def softmax(self, x, y, dtype, to):
        """Of the last axis."""
        described = self.described(x, dtype), self.described(y, to)
        return self.prepared(self.library.dnnl_softmax_forward_primitive_desc_create,
                             list(zip((SOURCE, RESULT), (x, y), described)), INFERENCE, SOFTMAX,
                             *described, x.ndim - 1, None)

    def layerNorm(self, x, y, scale, shift, dtype):
        described = self.described(x, dtype), self.described(y, dtype)
        ofWeights = self.described(scale, "fp32")
        operands = [*zip((SOURCE, RESULT), (x, y), described),
                    (SCALE, scale, ofWeights), (SHIFT, shift, ofWeights)]
        return self.prepared(self.library.dnnl_layer_normalization_forward_primitive_desc_create,
                             operands, INFERENCE, *described, None, ctypes.c_float(1e-5),
                             SCALE_AND_SHIFT, None)

    def attention(self, q, k, v, o, dtype):
        """Of each head by a product, a softmax and a product; q is scaled already."""
        heads, n, _ = q.shape
        scores = np.empty((n, n), np.float32)
        weights = np.empty((n, n), q.dtype) if dtype != "fp32" else scores
        steps = []
        for head in range(heads):
            steps += [self.matmul(q[head], k[head].T, scores, dtype, "fp32"),
                      self.softmax(scores, weights, "fp32", dtype),
                      self.matmul(weights, v[head], o[head], dtype, dtype)]
        if None in steps:
            return None

        def run():
            for step in steps:
                step()
        return run
