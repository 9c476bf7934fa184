"""Stops interpreted kernels at their own lines, with their variables as arrays.

    @triton.jit
    def add(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + i, mask=i < n)
        breakpoint(pid=(3, 0))
        tl.store(y_ptr + i, x + 1, mask=i < n)

    $ TRITON_INTERPRET=1 python script.py           # stops in program 3
    $ tritium debug --break script.py:7 script.py   # the same, without a change of the text

docs/debugger.md has the commands of the prompt, and how editors attach.
"""

import os
import threading

from .stop import Stop

__all__ = ["Stop", "set_handler", "stopped"]

RUN, STEP, NEXT, OUT, QUIT = range(5)

_lock = threading.RLock()  # one program shows itself at a time
_handler = None


def _forget_prompts():
    """In a forked child: who shows a program is not there to let go of the lock."""
    global _lock
    _lock = threading.RLock()


os.register_at_fork(after_in_child=_forget_prompts)


def set_handler(handler):
    """Who is shown the programs that stop; None: the prompt.

    Args:
        handler: a function of a `Stop`, on the thread that runs the program, which goes on when it
            returns: RUN, STEP, NEXT, OUT or QUIT.
    """
    global _handler
    _handler = handler


def stopped(described):
    """What the native library calls with a program that has stopped."""
    with _lock:
        if _handler is not None:
            return _handler(Stop(described))
        if os.environ.get("PYTHONBREAKPOINT") == "0":
            return RUN
        from .prompt import interact

        return interact(Stop(described))
