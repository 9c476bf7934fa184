"""`python -m tritium run SCRIPT ...`: runs a script whose `import triton` gets Tritium."""

import os
import runpy
import shutil
import subprocess
import sys

from ._alias import install_as_triton

#: The name by which older programs know it.
install_alias = install_as_triton

_USAGE = """usage: python -m tritium run SCRIPT [ARGUMENT...]
       python -m tritium run -m MODULE [ARGUMENT...]

       python -m tritium debug [OPTION...] SCRIPT [ARGUMENT...]
       python -m tritium profile [OPTION...] SCRIPT [ARGUMENT...]
       python -m tritium COMMAND [ARGUMENT...]

Runs a Python script or module unmodified; its `import triton` and `import triton.language`
get Tritium; `debug` stops its kernels, `profile` times them. Other
commands (compile, cache, ...) are those of the `tritium` program, which runs.
"""


def find_program():
    """The `tritium` program that belongs to this Python, or is in PATH; None: there is none."""
    beside = os.path.join(os.path.dirname(sys.executable), "tritium")
    return beside if os.access(beside, os.X_OK) else shutil.which("tritium")


def _run_program(arguments):
    """Runs that program."""
    program = find_program()
    if program is None:
        print(f"python -m tritium {arguments[0]}: the tritium program is neither beside "
              f"{sys.executable} nor in PATH", file=sys.stderr)
        return 2
    return subprocess.run([program, *arguments]).returncode


def main(arguments):
    if not arguments or arguments[0] in ("-h", "--help"):
        print(_USAGE, end="")
        return 0 if arguments else 2
    if arguments[0] == "debug":
        from .debugger.command import main as debug

        return debug(arguments[1:])
    if arguments[0] == "profile":
        from .profiler.launches import main as profile

        return profile(arguments[1:])
    if arguments[0] != "run":
        return _run_program(arguments)
    if len(arguments) < 2 or (arguments[1] == "-m" and len(arguments) < 3):
        print(_USAGE, end="", file=sys.stderr)
        return 2
    install_as_triton()
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
