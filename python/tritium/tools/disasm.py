"""`triton.tools.disasm`: the machine code of kernels as text, by NVIDIA's tools."""

import os
import shutil
import subprocess
import tempfile

from .. import knobs
from ..errors import TritonError

__all__ = ["extract", "get_sass", "path_to_cuobjdump", "path_to_nvdisasm"]


def _find(name, chosen):
    for path in (chosen, name, f"/usr/local/cuda/bin/{name}"):
        if path and (found := shutil.which(path)):
            return found
    return None


def path_to_cuobjdump():
    """Of `knobs.nvidia.cuobjdump`, else in PATH or /usr/local/cuda/bin; None: there is none."""
    return _find("cuobjdump", knobs.nvidia.cuobjdump)


def path_to_nvdisasm():
    """Of `knobs.nvidia.nvdisasm`, else in PATH or /usr/local/cuda/bin; None: there is none."""
    return _find("nvdisasm", knobs.nvidia.nvdisasm)


def _run(command):
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode:
        raise TritonError(f"{command[0]} failed with status {ran.returncode}: "
                          f"{(ran.stderr or ran.stdout).strip()}")
    return ran.stdout


def extract(file_path, fun=None):
    """The machine code in a cubin file, of the function `fun` or of all: text."""
    if disassembler := path_to_nvdisasm():
        # A function is chosen by its number in the file, which its name does not tell.
        if fun is None:
            return _run([disassembler, file_path])
    if dump := path_to_cuobjdump():
        return _run([dump, "-sass", *(["-fun", fun] if fun else []), file_path])
    tools = "cuobjdump is not there" if disassembler else "neither nvdisasm nor cuobjdump is there"
    raise TritonError(f"machine code cannot be shown as text: {tools}; they come with the CUDA "
                      "toolkit, and TRITON_NVDISASM_PATH and TRITON_CUOBJDUMP_PATH name them")


def get_sass(cubin_asm, fun=None):
    """The same of a cubin's bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kernel.cubin")
        with open(path, "wb") as file:
            file.write(cubin_asm)
        return extract(path, fun)
