"""Settings, each a mirror of an environment variable.

`knobs.cache.dir = "/tmp/x"` sets TRITON_CACHE_DIR for this process. A group has `copy()`,
`reset()` (as the variable says), and `scope()`, a context that restores it at the end. Groups and
settings come from the compiler's own table, include/tritium/Support/Settings.def. A setting that
is known there as one without an effect says so, once, to a program that sets it.
"""

import contextlib
import functools
import importlib
import os
import sys
import types
import warnings

from . import _C
from ._hooks import hooks

__all__ = ["amd", "autotuning", "build", "cache", "compilation", "language", "nvidia", "proton",
           "propagate_env", "redis", "refresh_knobs", "runtime"]

_TRUE = ("1", "true", "on", "yes", "y")
_FALSE = ("0", "false", "off", "no", "n")
_KINDS = {"flag": bool, "integer": int, "number": float, "text": str, "chosen": str, "class": str}
_classes = {}  # MODULE:CLASS -> a class that was assigned, which need not be found by that name


@functools.lru_cache(None)
def _say_once(text):
    # Past the frames of this module, to who set it.
    depth = 1
    while sys._getframe(depth).f_globals is globals():
        depth += 1
    warnings.warn(text, stacklevel=depth + 1)


class _Knob:
    """One setting: its variable, how it reads, what it is when the variable is not set."""

    def __init__(self, setting):
        self.variable = setting["variable"]
        self.kind = _KINDS[setting["type"]]
        self.is_chosen = setting["type"] == "chosen"
        self.is_class = setting["type"] == "class"
        self.usual = setting["usual"]
        self.has_effect = setting["effect"] != "nothing"
        self.path = setting["knob"]
        self.__doc__ = setting["doc"]

    def _default(self):
        if self.kind is bool or self.is_chosen:
            return self.usual in _TRUE
        if self.usual == "":
            return None
        if self.usual == "~":
            return os.path.expanduser("~")
        if self.usual.startswith("~/"):
            return os.path.join(cache.home_dir or os.path.expanduser("~"), self.usual[2:])
        return self.kind(self.usual)

    def _value(self, text):
        word = text.lower()
        if self.kind is bool or (self.is_chosen and word in _TRUE + _FALSE):
            return word in _TRUE if word in _TRUE + _FALSE else self._default()
        if self.is_class:
            return _class_named(self.variable, text) if text else None
        return self.kind(text)

    def __get__(self, group, owner=None):
        if group is None:
            return self
        text = os.environ.get(self.variable)
        return self._default() if text is None else self._value(text)

    def __set__(self, group, value):
        if value is None:
            os.environ.pop(self.variable, None)
            return
        if isinstance(value, type) and self.is_class:
            name = f"{value.__module__}:{value.__qualname__}"
            _classes[name] = value
            value = name
        os.environ[self.variable] = str(int(value) if isinstance(value, bool) or self.kind is bool
                                        else value)
        self.tell(f"knobs.{self.path}")

    def __delete__(self, group):
        os.environ.pop(self.variable, None)

    def tell(self, name):
        """Says so where the setting is set and has no effect."""
        text = os.environ.get(self.variable)
        if not self.has_effect and text and self._value(text) != self._default():
            _say_once(f"{name} has no effect: {self.__doc__}")


def _class_named(variable, text):
    """The class that MODULE:CLASS names."""
    if text in _classes:
        return _classes[text]
    module, _, path = text.partition(":")
    try:
        return functools.reduce(getattr, path.split("."), importlib.import_module(module))
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(f"{variable} is {text!r}, and must name a class as MODULE:CLASS: "
                         f"{error}") from error


class _Held:
    """A setting that is an object of Python's, which no variable mirrors."""

    def __set_name__(self, owner, name):
        self.name = name
        self.value = None

    def __get__(self, group, owner=None):
        return self if group is None else self.value

    def __set__(self, group, value):
        if value is not None and not callable(value):
            raise TypeError(f"knobs.{type(group).__name__}.{self.name} is called: it must be a "
                            f"function or None, found {value!r}")
        self.value = value

    def __delete__(self, group):
        self.value = None


class _Unheeded(_Held):
    """A function that is kept and never called, which the one who sets it is told."""

    def __init__(self, reason):
        self.reason = reason

    def __set__(self, group, value):
        super().__set__(group, value)
        if value is not None:
            _say_once(f"knobs.{type(group).__name__}.{self.name} is not called: {self.reason}")


class _Hook:
    """A hook, which no variable mirrors."""

    def __init__(self, name=None):
        self.name = name

    def __set_name__(self, owner, name):
        self.name = self.name or name

    def __get__(self, group, owner=None):
        return self if group is None else hooks.get(self.name)

    def __set__(self, group, value):
        hooks.set(self.name, value)

    def __delete__(self, group):
        hooks.set(self.name, None)


class _Group:
    @classmethod
    def _members(cls, kind):
        return {name: member for base in reversed(cls.__mro__)
                for name, member in vars(base).items() if isinstance(member, kind)}

    @property
    def knobs(self):
        """The group's settings and their values."""
        return {name: getattr(self, name) for name in self._members(_Knob)}

    def copy(self):
        return type(self)()

    def reset(self):
        """Unsets the variables of the group and takes its hooks out."""
        for member in self._members((_Knob, _Held, _Hook)).values():
            member.__delete__(self)
        return self

    @contextlib.contextmanager
    def scope(self):
        """What is set inside, hooks as well, is as before at the end."""
        variables = [knob.variable for knob in self._members(_Knob).values()]
        before = {name: os.environ.get(name) for name in variables}
        held = {member: member.value for member in self._members(_Held).values()}
        hooked = hooks.values([hook.name for hook in self._members(_Hook).values()])
        try:
            yield self
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value
            for member, value in held.items():
                member.value = value
            hooks.restore(hooked)


class _Hooked(_Group):
    """A group with the hooks of launches and compilations; docs/scripts.md says what they get."""

    launch_enter_hook = _Hook()
    launch_exit_hook = _Hook()
    kernel_load_start_hook = _Hook()
    kernel_load_end_hook = _Hook()
    kernel_unload_hook = _Hook()
    jit_cache_hook = _Hook()
    jit_post_compile_hook = _Hook()
    add_stages_inspection_hook = _Unheeded(
        "the compiler orders its passes itself; CompiledKernel.asm has the stages, and "
        "TRITON_OVERRIDE_DIR takes edited ones")


class _Compilation(_Group):
    listener = _Hook("compilation_listener")


class _Autotuning(_Group):
    listener = _Hook("autotuning_listener")


class _Build(_Group):
    impl = _Held()


def _group(name, doc, base=_Group):
    """The settings whose knobs are `name.attribute`."""
    knobs = {setting["knob"].partition(".")[2]: _Knob(setting) for setting in _C.settings()
             if setting["knob"].startswith(name + ".")}
    return type(name, (base,), {"__doc__": doc, **knobs})()


build = _group("build", "How `triton.runtime.build` compiles C.", _Build)
redis = _group("redis", "Where `RedisRemoteCacheBackend` keeps files.")
cache = _group("cache", "Where files go.")
compilation = _group("compilation", "How kernels are compiled.", _Compilation)
runtime = _group("runtime", "How kernels run. A change holds from the next launch on.", _Hooked)
language = _group("language", "What the language means where it leaves a choice.")
autotuning = _group("autotuning", "What `autotune` does.", _Autotuning)
nvidia = _group("nvidia", "NVIDIA's tools and libraries.")
amd = _group("amd", "Settings of another vendor's GPUs, without effect.")
proton = _group("proton", "Settings of the profiler; all but `disable` without effect.")


def refresh_knobs():
    """Nothing is to be done: variables are read each time that a setting counts."""


class _Knobs(types.ModuleType):
    """This module, for the assignment that it has an answer to."""

    @property
    def propagate_env(self):
        """True: a setting is its variable, which processes started from now on have too."""
        return True

    @propagate_env.setter
    def propagate_env(self, value):
        if not value:
            _say_once("knobs.propagate_env = False has no effect: a setting is its environment "
                      "variable, which processes that are started inherit; knobs.<group>.scope() "
                      "sets it for a while")


sys.modules[__name__].__class__ = _Knobs


def _tell_of_the_environment():
    for group in (build, cache, compilation, runtime, nvidia, amd, proton):
        for knob in group._members(_Knob).values():
            knob.tell(knob.variable)


_tell_of_the_environment()
