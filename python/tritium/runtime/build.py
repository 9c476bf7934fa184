"""`triton.runtime.build`: C of programs, compiled and loaded as extension modules of Python.

No launch of a kernel comes here; Triton has it for launchers, and programs for theirs.
"""

import hashlib
import importlib.util
import os
import platform
import shutil
import subprocess
import sysconfig
import tempfile

from .. import knobs
from ..errors import TritonError
from .cache import get_cache_manager

__all__ = ["compile_module_from_src", "platform_key"]


def platform_key():
    """What tells machines apart that run each other's modules from those that do not."""
    return ",".join(platform.uname()[i] for i in (4, 0)) + f",{sysconfig.get_config_var('SOABI')}"


def _compiler():
    for name in [knobs.build.cc] if knobs.build.cc else ("clang", "gcc", "cc"):
        if path := shutil.which(name):
            return path
    raise TritonError("there is no C compiler: " + (
        f"knobs.build.cc (CC) is {knobs.build.cc!r}, which is no program" if knobs.build.cc
        else "clang, gcc and cc are not in PATH; knobs.build.cc (CC) may name one"))


def _build(name, src, srcdir, library_dirs=(), include_dirs=(), libraries=(), ccflags=()):
    """Compiles the C file `src` to a module `name` in the folder `srcdir`; returns its path.
    `knobs.build.impl`, a function of the same arguments, does it instead."""
    if knobs.build.impl is not None:
        return knobs.build.impl(name, src, srcdir, library_dirs, include_dirs, libraries, ccflags)
    made = os.path.join(srcdir, name + sysconfig.get_config_var("EXT_SUFFIX"))
    folders = [*include_dirs, srcdir, sysconfig.get_paths()["include"]]
    command = [_compiler(), src, "-O3", "-shared", "-fPIC", "-o", made,
               *(f"-I{folder}" for folder in folders), *(f"-L{path}" for path in library_dirs),
               *(f"-l{library}" for library in libraries), *ccflags]
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode:
        raise TritonError(f"module '{name}' does not compile:\n{ran.stderr}")
    return made


def compile_module_from_src(src, name, library_dirs=None, include_dirs=None, libraries=None,
                            ccflags=None):
    """The extension module `name` whose C text is `src`, compiled once and kept in the cache."""
    options = [list(option or ()) for option in (library_dirs, include_dirs, libraries, ccflags)]
    key = hashlib.sha256(repr((src, name, options, platform_key())).encode()).hexdigest()
    manager = get_cache_manager(key)
    file = name + sysconfig.get_config_var("EXT_SUFFIX")
    path = manager.get_file(file)
    if path is None:
        with tempfile.TemporaryDirectory() as folder:
            text = os.path.join(folder, "main.c")
            with open(text, "w") as written:
                written.write(src)
            with open(_build(name, text, folder, *options), "rb") as built:
                path = manager.put(built.read(), file)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
