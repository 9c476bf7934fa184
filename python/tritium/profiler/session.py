"""Sessions: what is recorded from `start` to `finalize`, and how it is written."""

import collections
import functools
import itertools
import json
import pathlib
import threading
import time
import traceback

from .. import knobs
from .._events import event_clock
from .._locks import table_lock
from ..runtime import driver
from . import scope

DEFAULT_PROFILE_NAME = "proton"

#: Metrics of a kernel's own `launch_metadata` that are kept.
KERNEL_METRICS = ("flops", "flops8", "flops16", "flops32", "flops64", "bytes")

#: Launches whose events have not been read before the oldest are.
MAX_PENDING = 4096

#: The launches that a trace has at most: the latest ones.
MAX_EVENTS = 1 << 16

_SUFFIX = {"tree": ".hatchet", "trace": ".chrome_trace"}
_numbers = itertools.count()
_sessions = {}
_lock = table_lock()
_local = threading.local()


class Node:
    """A scope or a kernel of the tree, with sums of its metrics."""

    def __init__(self):
        self.metrics = {}
        self.children = {}

    def at(self, path):
        node = self
        for name in path:
            node = node.children.setdefault(name, Node())
        return node

    def add(self, metrics):
        for name, value in (metrics or {}).items():
            self.metrics[name] = (self.metrics.get(name, 0) + value
                                  if not isinstance(value, str) else value)

    def literal(self, name):
        """The node as hatchet's `GraphFrame.from_literal` takes it."""
        return {"frame": {"name": name, "type": "function"}, "metrics": dict(self.metrics),
                "children": [child.literal(name) for name, child in self.children.items()]}


class Session:
    """What `start` began.

    Args:
        name: the file's path, without its suffix.
        by_python: whether kernels belong to the functions that launch them, not to scopes.
        data: "tree" or "trace".
        with_metadata: whether a kernel's `launch_metadata` names it and gives its metrics.
    """

    def __init__(self, name, by_python, data, with_metadata):
        self.name = name
        self.by_python = by_python
        self.data = data
        self.with_metadata = with_metadata
        self.active = True
        self.began = time.perf_counter_ns()
        self._root = Node()
        self._devices = {}
        self._events = collections.deque(maxlen=MAX_EVENTS)
        self._pending = []

    def add(self, path, metrics):
        if not self.by_python:
            self._root.at(path).add(metrics)

    def launched(self, path, told, took, begin):
        """Records a launch: `took` answers its nanoseconds, once it has ended."""
        about = told.get() if self.with_metadata else told.data
        metrics = {name: about[name] for name in KERNEL_METRICS if name in about}
        self._pending.append((path, str(about["name"]), metrics, took, begin, _device()))
        if len(self._pending) > MAX_PENDING:
            self._settle(MAX_PENDING // 2)

    def _settle(self, count):
        for path, name, metrics, took, begin, (kind, index) in self._pending[:count]:
            nanoseconds = took()
            self._root.at((*path, name)).add(
                {**metrics, "count": 1, "time (ns)": nanoseconds, "device_id": index,
                 "device_type": kind})
            self._devices.setdefault(kind, {}).setdefault(index, _described(kind, index))
            if self.data == "trace":
                self._events.append({"name": name, "cat": "kernel", "ph": "X", "pid": kind,
                                     "tid": f"device {index}", "ts": (begin - self.began) / 1e3,
                                     "dur": nanoseconds / 1e3,
                                     "args": {"call_stack": ["ROOT", *path, name], **metrics}})
        del self._pending[:count]

    def tree(self):
        """[root, devices], as the file of a tree holds it."""
        with _lock:
            self._settle(len(self._pending))
            root = self._root.literal("ROOT")
            root["metrics"] = {"count": 0, "time (ns)": 0, **root["metrics"]}
            return [root, self._devices]

    def trace(self):
        """What Chrome's viewer shows."""
        self.tree()
        return {"displayTimeUnit": "us", "traceEvents": list(self._events)}

    def write(self, output_format):
        written = self.trace() if self.data == "trace" else self.tree()
        path = pathlib.Path(self.name + (_SUFFIX[self.data] if output_format in ("", None)
                                         else "." + output_format))
        path.write_text(json.dumps(written))


def _device():
    """The kind and the number of the device that kernels run on."""
    active = driver.active
    if active.get_current_target().backend == "cpu":
        return "CPU", "0"
    return "CUDA", str(active.get_current_device())


def _described(kind, index):
    properties = driver.active.utils.get_device_properties(int(index))
    target = driver.active.get_current_target()
    described = {"arch": str(target.arch), "num_sms": properties["multiprocessor_count"]}
    for name, ours in (("clock_rate", "sm_clock_rate"), ("memory_clock_rate", "mem_clock_rate"),
                       ("bus_width", "mem_bus_width")):
        if ours in properties:
            described[name] = properties[ours]
    return described


def _callers():
    """The functions that led to this launch, outermost first: `file:function@line`."""
    ours = str(pathlib.Path(__file__).parent.parent)
    return tuple(f"{frame.filename}:{frame.name}@{frame.lineno}"
                 for frame in traceback.extract_stack() if not frame.filename.startswith(ours))


def _active():
    return [session for session in _sessions.values() if session.active]


def _begin_launch(told):
    clock = event_clock() if _device()[0] == "CUDA" else None
    if not hasattr(_local, "launches"):
        _local.launches = []
    # Nothing runs now.
    is_captured = clock is not None and clock.is_capturing()
    event = clock.record() if clock and not is_captured else None
    _local.launches.append((is_captured, clock, event, time.perf_counter_ns()))


def _end_launch(told):
    end = time.perf_counter_ns()
    is_captured, clock, event, begin = _local.launches.pop()
    if is_captured:
        return
    if clock is None:
        took = functools.partial(int, end - begin)
    else:
        reached = clock.record()

        def took():
            return round(clock.milliseconds(event, reached) * 1e6)

    with _lock:
        for session in _active():
            path = _callers() if session.by_python else scope.path()
            session.launched(path, told, took, begin)


def _attend():
    """The hooks of launches are there while a session is active; numbers begin anew without one."""
    global _numbers
    if not _sessions:
        _numbers = itertools.count()
    enter, leave = knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook
    if _active():
        enter.add(_begin_launch)
        leave.add(_end_launch)
    else:
        enter.remove(_begin_launch)
        leave.remove(_end_launch)


def add(path, metrics):
    """Adds metrics to a node of all active sessions."""
    if metrics:
        with _lock:
            for session in _active():
                session.add(path, metrics)


def find(session):
    """The session of that number; ValueError if there is none."""
    if session not in _sessions:
        raise ValueError(f"there is no session {session}; there are: {sorted(_sessions)}")
    return _sessions[session]


def _require(what, value, known, hint=""):
    if value not in known:
        names = ", ".join(repr(name) for name in known)
        raise ValueError(f"profiler: {what} must be one of {names}; got {value!r}{hint}")


def start(name=None, *, context="shadow", data="tree", backend=None, mode=None, hook=None):
    """Begins a session and answers its number; the first one's is 0.

    Args:
        name: the path of the file that `finalize` writes, without its suffix; "proton" if None.
        context: "shadow", kernels belong to the scopes that they are launched in; "python", to the
            functions that launch them.
        data: "tree", sums by scope and kernel, for `tritium.profiler.viewer` and hatchet, in
            NAME.hatchet; "trace", each launch, for Chrome's viewer, in NAME.chrome_trace.
        backend: None, or "cupti", which is taken for it: kernels are timed by events.
        mode: None or "".
        hook: "triton": a kernel is named as its `launch_metadata` says, whose metrics are kept.

    While `knobs.proton.disable` is set there are no sessions, and the answer is None.
    """
    inside = "; tritium.profile(clocks='scopes') has clocks inside kernels"
    _require("context", context, ("shadow", "python"))
    _require("data", data, tuple(_SUFFIX))
    _require("backend", backend, (None, "cupti"), inside if backend == "instrumentation" else "")
    _require("mode", mode, (None, ""))
    _require("hook", hook, (None, "triton"))
    if knobs.proton.disable:
        return None
    with _lock:
        number = next(_numbers)
        _sessions[number] = Session(str(name or DEFAULT_PROFILE_NAME), context == "python", data,
                                    hook == "triton")
        _attend()
    return number


def _of(session):
    if knobs.proton.disable:
        return []
    return list(_sessions.values()) if session is None else [find(session)]


def activate(session=None):
    """The session, or all, records from now on."""
    with _lock:
        for each in _of(session):
            each.active = True
        _attend()


def deactivate(session=None):
    """The session, or all, records nothing until `activate`; what it has stays."""
    with _lock:
        for each in _of(session):
            each.active = False
        _attend()


def discard(session):
    """Ends the session; what it has recorded is in the answer alone, a `Session`."""
    with _lock:
        found = find(session)
        del _sessions[session]
        _attend()
    return found


def finalize(session=None, output_format=""):
    """Ends the session, or all, and writes what they have recorded.

    Args:
        output_format: the file's suffix, if it is to be another one.
    """
    with _lock:
        for number, each in list(_sessions.items()):
            if session in (None, number):
                del _sessions[number]
                each.write(output_format)
        _attend()


def profile(function=None, **options):
    """A decorator: each call runs in a session of its own, which is deactivated behind it.

    Args:
        options: `start`'s.
    """
    if function is None:
        return functools.partial(profile, **options)

    @functools.wraps(function)
    def profiled(*args, **kwargs):
        session = start(options.get("name"), **{key: value for key, value in options.items()
                                                if key != "name"})
        try:
            return function(*args, **kwargs)
        finally:
            deactivate(session)

    return profiled
