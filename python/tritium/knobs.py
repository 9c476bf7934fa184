"""Settings, each a mirror of an environment variable.

`knobs.cache.dir = "/tmp/x"` sets TRITON_CACHE_DIR for this process. A group has `copy()`,
`reset()` (as the variable says), and `scope()`, a context that restores it at the end. Groups and
settings come from the compiler's own table, include/tritium/Support/Settings.def.
"""

import contextlib
import os

from . import _C
from ._hooks import hooks

__all__ = ["cache", "compilation", "runtime", "language", "autotuning"]

_TRUE = ("1", "true", "on", "yes", "y")
_FALSE = ("0", "false", "off", "no", "n")
_KINDS = {"flag": bool, "integer": int, "number": float, "text": str}


class _Knob:
    """One setting: its variable, how it reads, what it is when the variable is not set."""

    def __init__(self, setting):
        self.variable = setting["variable"]
        self.kind = _KINDS[setting["type"]]
        self.usual = setting["usual"]
        self.__doc__ = setting["doc"]

    def _default(self):
        if self.kind is bool:
            return self.usual in _TRUE
        if self.usual == "":
            return None
        if self.usual == "~":
            return os.path.expanduser("~")
        if self.usual.startswith("~/"):
            return os.path.join(cache.home_dir or os.path.expanduser("~"), self.usual[2:])
        return self.kind(self.usual)

    def __get__(self, group, owner=None):
        if group is None:
            return self
        text = os.environ.get(self.variable)
        if text is None:
            return self._default()
        if self.kind is bool:
            word = text.lower()
            return word in _TRUE if word in _TRUE + _FALSE else self._default()
        return self.kind(text)

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


class _Hook:
    """A hook of `knobs.runtime`, which no variable mirrors."""

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, group, owner=None):
        return self if group is None else hooks.get(self.name)

    def __set__(self, group, value):
        hooks.set(self.name, value)

    def __delete__(self, group):
        hooks.set(self.name, None)


class _Hooked(_Group):
    """A group with the hooks of launches and compilations; docs/scripts.md says what they get."""

    launch_enter_hook = _Hook()
    launch_exit_hook = _Hook()
    jit_cache_hook = _Hook()
    jit_post_compile_hook = _Hook()

    def reset(self):
        """Unsets the variables of the group and takes its hooks out."""
        hooks.reset()
        return super().reset()

    @contextlib.contextmanager
    def scope(self):
        """What is set inside, hooks as well, is as before at the end."""
        before = hooks.values()
        try:
            with super().scope():
                yield self
        finally:
            hooks.restore(before)


def _group(name, doc, base=_Group):
    """The settings whose knobs are `name.attribute`."""
    knobs = {setting["knob"].partition(".")[2]: _Knob(setting) for setting in _C.settings()
             if setting["knob"].startswith(name + ".")}
    return type(name, (base,), {"__doc__": doc, **knobs})()


cache = _group("cache", "Where files go.")
compilation = _group("compilation", "How kernels are compiled.")
runtime = _group("runtime", "How kernels run. A change holds from the next launch on.", _Hooked)
language = _group("language", "What the language means where it leaves a choice.")
autotuning = _group("autotuning", "What `autotune` does.")
