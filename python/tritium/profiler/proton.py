"""Runs a script in a session: `python -m tritium.profiler.proton [OPTION...] SCRIPT ...`."""

import argparse
import sys

from .. import __main__ as runner
from . import session


def main(arguments=None):
    """The program; answers its exit status."""
    parser = argparse.ArgumentParser(prog="python -m tritium.profiler.proton",
                                     description="Runs a script, whose `import triton` gets "
                                     "Tritium, and writes the times of its kernels.")
    parser.add_argument("-n", "--name", help="path of the file, without its suffix")
    parser.add_argument("-b", "--backend", choices=["cupti"])
    parser.add_argument("-c", "--context", choices=["shadow", "python"], default="shadow")
    parser.add_argument("-d", "--data", choices=["tree", "trace"], default="tree")
    parser.add_argument("-k", "--hook", choices=["triton"])
    parser.add_argument("script", nargs=argparse.REMAINDER, metavar="SCRIPT [ARGUMENT...]",
                        help="a script, or -m MODULE")
    options = parser.parse_args(arguments)
    if not options.script:
        parser.error("a script is to be named")
    number = session.start(options.name, context=options.context, data=options.data,
                           backend=options.backend, hook=options.hook)
    try:
        return runner.main(["run", *options.script])
    finally:
        session.finalize(number)


if __name__ == "__main__":
    sys.exit(main())
