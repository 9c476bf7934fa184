"""`tritium debug`: runs a program whose kernels stop."""

import argparse
import os
import socket
import sys

from .. import _C
from . import breakpoints

_DESCRIPTION = """Runs a Python script or module unmodified, as `tritium run` does, with its kernels
in the interpreter, where they stop: at the places that --break names, or at the first statement of
the first program; at breakpoint() in a kernel; at an access out of bounds and at a failed
device_assert."""

_EPILOG = """A place may be in a file of Triton-C that the script launches. docs/debugger.md has the
commands of the prompt, and how an editor attaches.

example:
  tritium debug --break softmax.py:21 --pid 3 softmax.py"""


def _parser():
    parser = argparse.ArgumentParser(
        prog="tritium debug", description=_DESCRIPTION, epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--break", dest="places", metavar="FILE:LINE", action="append", default=[],
                        help="stop before this line of a kernel; may be repeated")
    parser.add_argument("--pid", metavar="X[,Y[,Z]]", default="",
                        help="only the program at this point of the grid stops there")
    parser.add_argument("--dap", action="store_true",
                        help="speak the Debug Adapter Protocol with an editor on standard input "
                        "and output; the editor names the script")
    parser.add_argument("--dap-port", metavar="PORT", type=int,
                        help="the same with the first one that connects to this port of the "
                        "loopback; 0: any port, which is printed")
    parser.add_argument("program", metavar="SCRIPT [ARGUMENT...]", nargs=argparse.REMAINDER,
                        help="a script, or -m MODULE")
    return parser


def prepare():
    """Kernels that are made from now on run in the interpreter, check what they assert, and can
    stop anywhere."""
    os.environ.pop("TRITIUM_BACKEND", None)
    os.environ["TRITON_INTERPRET"] = "1"
    os.environ.setdefault("TRITON_DEBUG", "1")
    _C.debug_all(True)


def _serve(port):
    from .adapter import serve
    from .protocol import Connection

    if port is None:
        # What else writes to standard output must not disturb the editor.
        writer = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)
        return serve(Connection(sys.stdin.buffer, writer))
    with socket.create_server(("127.0.0.1", port)) as server:
        print(f"tritium debug: waits for an editor at 127.0.0.1:{server.getsockname()[1]}",
              flush=True)
        stream = server.accept()[0].makefile("rwb")
    return serve(Connection(stream, stream))


def main(arguments):
    """The command; answers its exit status."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.dap or options.dap_port is not None:
        return _serve(options.dap_port)
    program = options.program[1:] if options.program[:1] == ["--"] else options.program
    if not program or program == ["-m"]:
        parser.error("name a script, or -m MODULE")
    if program[0].endswith((".tc", ".cu")):
        parser.error(f"{program[0]} has kernels and nothing that launches them: name the script "
                     f"that does, and --break {program[0]}:LINE")
    try:
        pid = breakpoints.parse_pid(options.pid)
        for place in options.places:
            breakpoints.add(breakpoints.parse(place, options.pid))
    except ValueError as error:
        parser.error(str(error))
    prepare()
    if not options.places:
        _C.stop_next(pid)
    from ..__main__ import main as run

    try:
        return run(["run", *program])
    except KeyboardInterrupt:
        print("tritium debug: the program was ended", file=sys.stderr)
        return 130
