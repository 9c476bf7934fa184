"""Settings, each a mirror of an environment variable.

`knobs.cache.dir = "/tmp/x"` sets TRITON_CACHE_DIR for this process. A group has `copy()`,
`reset()` (as the variable says), and `scope()`, a context that restores it at the end.
"""

import contextlib
import os

__all__ = ["cache", "compilation", "runtime", "language", "autotuning"]

_TRUE = ("1", "true", "on", "yes", "y")


class _Knob:
    """One setting: its variable, how it reads, what it is when the variable is not set."""

    def __init__(self, variable, kind=str, default=None):
        self.variable = variable
        self.kind = kind
        self.default = default

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, group, owner=None):
        if group is None:
            return self
        text = os.environ.get(self.variable)
        if text is None:
            return self.default() if callable(self.default) else self.default
        return text.lower() in _TRUE if self.kind is bool else self.kind(text)

    def __set__(self, group, value):
        if value is None:
            os.environ.pop(self.variable, None)
        elif self.kind is bool:
            os.environ[self.variable] = "1" if value else "0"
        else:
            os.environ[self.variable] = str(value)

    def __delete__(self, group):
        os.environ.pop(self.variable, None)


class _Group:
    @property
    def knobs(self):
        """The group's settings and their values."""
        return {name: getattr(self, name) for name, knob in vars(type(self)).items()
                if isinstance(knob, _Knob)}

    def copy(self):
        return type(self)()

    def reset(self):
        """Unsets the variables of the group."""
        for knob in vars(type(self)).values():
            if isinstance(knob, _Knob):
                os.environ.pop(knob.variable, None)
        return self

    @contextlib.contextmanager
    def scope(self):
        """What is set inside is as before at the end."""
        variables = [knob.variable for knob in vars(type(self)).values()
                     if isinstance(knob, _Knob)]
        before = {name: os.environ.get(name) for name in variables}
        try:
            yield self
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value


def _home():
    return os.environ.get("TRITON_HOME") or os.path.expanduser("~")


class _Cache(_Group):
    """Where files go."""

    home_dir = _Knob("TRITON_HOME", str, lambda: os.path.expanduser("~"))
    dir = _Knob("TRITON_CACHE_DIR", str, lambda: os.path.join(_home(), ".tritium", "cache"))
    dump_dir = _Knob("TRITON_DUMP_DIR", str, lambda: os.path.join(_home(), ".tritium", "dump"))
    override_dir = _Knob("TRITON_OVERRIDE_DIR", str,
                         lambda: os.path.join(_home(), ".tritium", "override"))


class _Compilation(_Group):
    """How kernels are compiled."""

    override = _Knob("TRITON_KERNEL_OVERRIDE", bool, False)
    dump_ir = _Knob("TRITON_KERNEL_DUMP", bool, False)
    always_compile = _Knob("TRITON_ALWAYS_COMPILE", bool, False)
    cpu = _Knob("TRITIUM_CPU", str, "native")


class _Runtime(_Group):
    """How kernels run. A change holds from the next launch on."""

    interpret = _Knob("TRITON_INTERPRET", bool, False)
    debug = _Knob("TRITON_DEBUG", bool, False)
    backend = _Knob("TRITIUM_BACKEND", str, None)
    num_threads = _Knob("TRITIUM_NUM_THREADS", int, None)
    wait_seconds = _Knob("TRITIUM_WAIT_SECONDS", float, 10.0)


class _Language(_Group):
    """What the language means where it leaves a choice."""

    fp32_default = _Knob("TRITON_F32_DEFAULT", str, None)
    default_fp_fusion = _Knob("TRITON_DEFAULT_FP_FUSION", bool, True)


class _Autotuning(_Group):
    """What `autotune` does."""

    print = _Knob("TRITON_PRINT_AUTOTUNING", bool, False)
    cache = _Knob("TRITON_CACHE_AUTOTUNING", bool, True)
    tuning = _Knob("TRITIUM_TUNING", str, "measure")


cache = _Cache()
compilation = _Compilation()
runtime = _Runtime()
language = _Language()
autotuning = _Autotuning()
