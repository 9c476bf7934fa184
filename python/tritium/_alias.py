"""Tritium in place of Triton: what `import triton` gives."""

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
import types

from ._addresses import asks_only


class _Alias(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Answers `import triton.x` with tritium.x, the same module object."""

    def find_spec(self, name, path=None, target=None):
        if name != "triton" and not name.startswith("triton."):
            return None
        own = self._own(name)
        if asks_only() and own not in sys.modules and importlib.util.find_spec(own) is None:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        module = importlib.import_module(self._own(spec.name))
        spec.loader_state = module.__spec__
        return module

    @staticmethod
    def _own(name):
        return "tritium" + name[len("triton"):]

    def exec_module(self, module):
        # The import system has put its own there, which says of another package what is relative
        # to it.
        module.__spec__ = module.__spec__.loader_state
        _name_as_triton()


def _name_as_triton():
    """Gives modules of the language, and what all modules here define, the paths that they have as
    Triton's: torch's compiler writes them into programs, and tells by them what is Triton's own."""
    for path, module in list(sys.modules.items()):
        is_own = path.partition(".")[0] == "tritium" and isinstance(module, types.ModuleType)
        if not is_own or path == "tritium._C":  # whose functions keep their paths
            continue
        name = "triton" + path[len("tritium"):]
        for value in list(vars(module).values()):
            if getattr(value, "__module__", None) == path and hasattr(value, "__qualname__"):
                value.__module__ = name
        if path.startswith("tritium.language") and module.__name__ == path:
            module.__name__ = name


def _keep_compilation_of_torch_here():
    """Has torch's compiler compile in this process: its workers are others, whose `import triton`
    is not this one."""
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    config = sys.modules.get("torch._inductor.config")
    if config is not None:
        config.compile_threads = 1


def install_as_triton():
    """From now on `import triton` gives tritium, in this process; torch's compiler uses it too.

    Raises ImportError if something else has been imported as triton.
    """
    there = sys.modules.get("triton")
    if there is not None and there is not sys.modules["tritium"]:
        raise ImportError("install_as_triton() comes too late: triton is imported already, from "
                          f"{getattr(there, '__file__', None)}. Call it first, before anything "
                          "imports triton")
    if not any(isinstance(finder, _Alias) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Alias())
        _name_as_triton()
    _keep_compilation_of_torch_here()
