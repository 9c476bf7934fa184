"""What the CPU benchmarks compare with: C by the compiler that does best, Debian's OpenBLAS."""

import ctypes
import functools
import shutil
import subprocess
import time

from turns import spread, turns

# Each baseline in C is built in all of these ways, and the fastest of them counts. With 512-bit
# vectors gcc calls libmvec's functions of 16 lanes.
COMPILERS = {
    "gcc": ("gcc", "-ffast-math"),
    "gcc, 512 bits": ("gcc", "-ffast-math", "-mprefer-vector-width=512"),
    "clang": ("clang-19", "-ffast-math", "-fveclib=libmvec"),
    "clang, 512 bits": ("clang-19", "-ffast-math", "-fveclib=libmvec",
                        "-mprefer-vector-width=512"),
}


class Baselines:
    """Functions in C, each built by every compiler there is, and sgemm."""

    def __init__(self, root, output):
        self.variants = {}
        for name, (compiler, *options) in COMPILERS.items():
            if shutil.which(compiler):
                build = output / f"baselines-{name.replace(', ', '-').replace(' ', '-')}"
                library = self.build(compiler, options, root / "bench" / "baselines.c", build)
                library.softmax.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_int64] * 2
                library.softmaxBF16.argtypes = library.softmax.argtypes
                library.layerNorm.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_int64] * 2
                library.add.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_int64]
                library.sum.argtypes = [ctypes.c_void_p, ctypes.c_int64]
                library.sum.restype = ctypes.c_double
                # Not by -ffast-math, which makes two steps of a chain into one.
                peak = self.build(compiler, ["-ffp-contract=fast"], root / "bench" / "peak.c",
                                  build.with_name(f"{build.name}-peak"))
                library.fmaChains = peak.fmaChains
                library.fmaChains.restype = ctypes.c_double
                library.fmaChains.argtypes = [ctypes.c_int64, ctypes.c_void_p]
                self.variants[name] = library
        if not self.variants:
            raise SystemExit("no C compiler for the baselines: install gcc or clang-19")

    @functools.cached_property
    def blas(self):
        blas = ctypes.CDLL("libopenblas.so.0")
        blas.openblas_get_corename.restype = ctypes.c_char_p
        blas.openblas_set_num_threads(1)
        return blas

    @staticmethod
    def build(compiler, options, source, output):
        library = output.with_suffix(".so")
        subprocess.run([compiler, "-O3", "-march=native", *options, "-shared", "-fPIC", source,
                        "-o", library, "-lmvec", "-lm"], check=True)
        return ctypes.CDLL(str(library))

    def fastest(self, call):
        """The name of the compiler whose `call(library)` takes the shortest, and that call."""
        calls = {name: lambda library=library: call(library)
                 for name, library in self.variants.items()}
        times = turns(*calls.values(), seconds=0.4, clock=time.thread_time)
        _, name = min(zip((spread(list_).median for list_ in times), calls))
        return name, calls[name]

    def core(self):
        """Whose kernels OpenBLAS runs."""
        return self.blas.openblas_get_corename().decode()

    def sgemm(self, a, b, c):
        M, K = a.shape
        N = b.shape[1]
        one, zero = ctypes.c_float(1), ctypes.c_float(0)
        self.blas.cblas_sgemm(101, 111, 111, M, N, K, one, a.ctypes.data_as(ctypes.c_void_p), K,
                              b.ctypes.data_as(ctypes.c_void_p), N, zero,
                              c.ctypes.data_as(ctypes.c_void_p), N)
