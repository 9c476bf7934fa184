"""Scopes of a thread: named parts of a program, to which kernels' times belong."""

import functools
import threading
import time

_local = threading.local()


class Frame:
    """A scope that a thread is in.

    Args:
        name: as it stands in the tree.
        metrics: a dict, name -> number, which is added to the scope's node.
        is_state: whether it stands below the scopes that are entered later.
    """

    def __init__(self, name, metrics=None, is_state=False):
        self.name = str(name)
        self.metrics = dict(metrics or {})
        self.is_state = is_state


def _frames():
    if not hasattr(_local, "frames"):
        _local.frames = []
    return _local.frames


def path():
    """The names of the scopes that the current thread is in, outermost first, its states last."""
    frames = _frames()
    return tuple([frame.name for frame in frames if not frame.is_state]
                 + [frame.name for frame in frames if frame.is_state])


def _enter(name, metrics=None, is_state=False):
    from . import session

    _frames().append(Frame(name, metrics, is_state))
    session.add(path(), {"count": 1, **metrics} if metrics else None)
    return len(_frames()) - 1


def _leave(name, is_state=False):
    frames = _frames()
    if not frames or frames[-1].is_state != is_state or name not in (None, frames[-1].name):
        found = f"in '{frames[-1].name}'" if frames else "in no scope"
        wanted = "the innermost scope" if name is None else f"'{name}'"
        raise ValueError(f"scopes are left innermost first: {wanted} is left, and the thread is "
                         f"{found}")
    frames.pop()
    return len(frames)


class scope:
    """A named part of the program, `with scope(name, metrics):` or a decorator.

    Args:
        name: of its node in the tree.
        metrics: a dict, name -> number, which is added to the node each time; `flops8`, `flops16`,
            `flops32`, `flops64`, `flops` and `bytes` are what the viewer makes rates of.
    """

    def __init__(self, name, metrics=None):
        self._name = str(name)
        self._metrics = metrics

    def __enter__(self):
        _enter(self._name, self._metrics)
        return self

    def __exit__(self, *exception):
        _leave(self._name)

    def __call__(self, function):
        @functools.wraps(function)
        def scoped(*args, **kwargs):
            with type(self)(self._name, self._metrics):
                return function(*args, **kwargs)

        return scoped


class cpu_timed_scope(scope):
    """A scope whose time on the host is added to its node, as `cpu_time (ns)`."""

    def __enter__(self):
        super().__enter__()
        self._begin = time.perf_counter_ns()
        return self

    def __exit__(self, *exception):
        from . import session

        took = time.perf_counter_ns() - self._begin
        session.add(path(), {"cpu_time (ns)": took})
        super().__exit__(*exception)


class state(scope):
    """A scope that stands below all others: what runs in it is told apart wherever it runs."""

    def __enter__(self):
        _enter(self._name, self._metrics, is_state=True)
        return self

    def __exit__(self, *exception):
        _leave(self._name, is_state=True)


def enter_scope(name, *, triton_op=False, metrics=None):
    """Enters a scope of the current thread, to be left by `exit_scope`; answers its depth.

    Args:
        triton_op: taken; each launch is a node of its own in any case.
    """
    return _enter(name, metrics)


def exit_scope(name=None, *, triton_op=False, metrics=None):
    """Leaves the innermost scope; ValueError if that is another one than `name`.

    Args:
        metrics: a dict, name -> number, added to the scope's node.
    """
    from . import session

    session.add(path(), metrics)
    return _leave(name)


def enter_state(name):
    """Enters a state of the current thread, to be left by `exit_state`."""
    return _enter(name, is_state=True)


def exit_state():
    """Leaves the innermost state."""
    return _leave(None, is_state=True)
