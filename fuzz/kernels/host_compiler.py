"""C by this machine's compiler: what random programs of Triton-C are compared with."""

import ctypes
import pathlib
import shutil
import subprocess
import tempfile

COMPILERS = ["clang-19", "clang", "gcc", "cc"]
# Integers wrap around, and products are not fused into sums, as in Triton-C.
FLAGS = ["-w", "-O1", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off", "-shared", "-fPIC"]


def find():
    """The compiler's path; None: there is none."""
    return next(filter(None, map(shutil.which, COMPILERS)), None)


def load(text, *options):
    """The text as a library."""
    with tempfile.TemporaryDirectory() as folder:
        source, library = pathlib.Path(folder, "programs.c"), pathlib.Path(folder, "programs.so")
        source.write_text(text)
        subprocess.run([find(), *FLAGS, *options, source, "-o", library], check=True)
        return ctypes.CDLL(str(library))
