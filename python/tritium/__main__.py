"""`python -m tritium run SCRIPT ...`: runs a script whose `import triton` gets Tritium."""

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import runpy
import shutil
import subprocess
import sys

from ._addresses import asks_only

_USAGE = """usage: python -m tritium run SCRIPT [ARGUMENT...]
       python -m tritium run -m MODULE [ARGUMENT...]

       python -m tritium COMMAND [ARGUMENT...]

Runs a Python script or module unmodified; its `import triton` and `import triton.language`
get Tritium. Other commands (compile, cache, ...) are those of the `tritium` program, which runs.
"""


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
        return importlib.import_module(self._own(spec.name))

    @staticmethod
    def _own(name):
        return "tritium" + name[len("triton"):]

    def exec_module(self, module):
        pass


def install_alias():
    """From now on `import triton` gives tritium."""
    sys.meta_path.insert(0, _Alias())


def _run_program(arguments):
    """Runs the `tritium` program that belongs to this Python, or is in PATH."""
    beside = os.path.join(os.path.dirname(sys.executable), "tritium")
    program = beside if os.access(beside, os.X_OK) else shutil.which("tritium")
    if program is None:
        print(f"python -m tritium {arguments[0]}: the tritium program is neither beside "
              f"{sys.executable} nor in PATH", file=sys.stderr)
        return 2
    return subprocess.run([program, *arguments]).returncode


def main(arguments):
    if not arguments or arguments[0] in ("-h", "--help"):
        print(_USAGE, end="")
        return 0 if arguments else 2
    if arguments[0] != "run":
        return _run_program(arguments)
    if len(arguments) < 2 or (arguments[1] == "-m" and len(arguments) < 3):
        print(_USAGE, end="", file=sys.stderr)
        return 2
    install_alias()
    if arguments[1] == "-m":
        sys.argv = arguments[2:]
        sys.path.insert(0, "")
        runpy.run_module(arguments[2], run_name="__main__", alter_sys=True)
    else:
        sys.argv = arguments[1:]
        runpy.run_path(arguments[1], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
