"""What programs have called around launches and compilations: the hooks of `knobs.runtime`.

While there is none, a launch does not come through Python at all. While there is one, launches do
whose `kernel[grid]` is evaluated then.
"""

import collections

__all__ = ["HookChain", "JitFunctionInfo", "LaunchMetadata", "hooks"]

JitFunctionInfo = collections.namedtuple("JitFunctionInfo", "module name jit_function")


class HookChain:
    """Functions that are called one after the other, with the same arguments.

    Args:
        reversed: whether the one that was added last is called first.
    """

    def __init__(self, reversed=False):
        self.calls = []
        self.reversed = reversed
        self._changed = lambda: None

    def add(self, call):
        """Adds `call`, if it is not there."""
        if call not in self.calls:
            self.calls.append(call)
            self._changed()

    def remove(self, call):
        """Takes `call` out, if it is there."""
        if call in self.calls:
            self.calls.remove(call)
            self._changed()

    def __call__(self, *args, **kwargs):
        for call in list(reversed(self.calls) if self.reversed else self.calls):
            call(*args, **kwargs)


class LaunchMetadata:
    """What a launch's hooks are given: `get()` is a dict with the kernel's "name", its "function"
    (the `CompiledKernel`), the "stream", and what the kernel's own `launch_metadata` says."""

    def __init__(self, data):
        self.data = data
        self._more = []

    def add(self, compute, args):
        """`compute(*args)` is a dict that belongs to it, computed when somebody asks."""
        self._more.append((compute, args))

    def get(self):
        while self._more:
            compute, args = self._more.pop(0)
            self.data = {**self.data, **compute(*args)}
        return self.data


class Hooks:
    """The hooks of this process.

    Attributes:
        launch_enter_hook, launch_exit_hook: chains, called with a `LaunchMetadata` before and after
            each launch.
        jit_cache_hook, jit_post_compile_hook: None, or a function of `key`, `repr`, `fn` (a
            `JitFunctionInfo`), `compile` (a dict), `is_manual_warmup` and `already_compiled`
            (False), called when a launch or `warmup` meets a variant of the kernel for the first
            time since there are hooks, and has compiled it. If the former returns True the kernel
            is not launched, and the latter not called.
    """

    def __init__(self):
        self._classes = []  # those whose __getitem__ is native
        self._met = set()
        self.reset()

    def reset(self):
        """No hooks."""
        self._values = {"launch_enter_hook": HookChain(), "launch_exit_hook": HookChain(True),
                        "jit_cache_hook": None, "jit_post_compile_hook": None}
        self._update()

    def values(self):
        """What `restore` takes."""
        return {name: (value, list(value.calls) if isinstance(value, HookChain) else None)
                for name, value in self._values.items()}

    def restore(self, values):
        for name, (value, calls) in values.items():
            if calls is not None:
                value.calls[:] = calls
            self._values[name] = value
        self._update()

    def get(self, name):
        return self._values[name]

    def set(self, name, value):
        if value is None and name.startswith("launch"):
            value = HookChain(name == "launch_exit_hook")
        if value is not None and not callable(value):
            raise TypeError(f"knobs.runtime.{name} is called: it must be a function or None, found "
                            f"{value!r}")
        self._values[name] = value
        self._update()

    def through(self, cls, getitem):
        """While there are hooks, `cls.__getitem__` is not the native one, but `getitem`."""
        self._classes.append((cls, getitem))

    def are_there(self):
        return any(bool(value.calls) if isinstance(value, HookChain) else value is not None
                   for value in self._values.values())

    def _update(self):
        for value in self._values.values():
            if isinstance(value, HookChain):
                value._changed = self._update
        there = self.are_there()
        self._met = self._met if there else set()
        for cls, getitem in self._classes:
            if there:
                cls.__getitem__ = getitem
            elif "__getitem__" in vars(cls):
                del cls.__getitem__

    def meet(self, kernel, compiled, is_warmup):
        """Tells of a variant that is new; whether it may be launched."""
        before, after = self._values["jit_cache_hook"], self._values["jit_post_compile_hook"]
        if compiled.hash in self._met or (before is None and after is None):
            return True
        self._met.add(compiled.hash)
        metadata = compiled.metadata
        signature = {p.name: p.type for p in metadata.parameters}
        options = {"num_warps": metadata.num_warps, "num_ctas": metadata.num_ctas,
                   "num_stages": metadata.num_stages}
        described = {"fn": JitFunctionInfo(kernel.module, kernel.__qualname__, kernel),
                     "repr": f"{kernel.__qualname__}["
                             + ", ".join(f"{k}={v}" for k, v in options.items()) + "]("
                             + ", ".join(f"{k}: {v}" for k, v in signature.items()) + ")",
                     "key": compiled.hash, "is_manual_warmup": is_warmup,
                     "compile": {"key": compiled.hash, "signature": signature, **options,
                                 "is_warmup": is_warmup}}
        if before is not None and before(already_compiled=False, **described):
            return False
        if after is not None:
            after(already_compiled=False, **described)
        return True

    def around(self, told, launch, args, kwargs={}):
        """`launch(*args, **kwargs)` between the hooks, which are given `told`."""
        self._values["launch_enter_hook"](told)
        launched = launch(*args, **kwargs)
        self._values["launch_exit_hook"](told)
        return launched


hooks = Hooks()
