"""What programs have called around launches and compilations: the hooks of `knobs.runtime`, and
the listeners of `knobs.compilation` and `knobs.autotuning`.

While there is none, a launch does not come through Python at all. While there is one, launches do
whose `kernel[grid]` is evaluated then.
"""

import collections
import dataclasses
import warnings

__all__ = ["CompileTimes", "HookChain", "JitFunctionInfo", "LaunchMetadata", "hooks"]

JitFunctionInfo = collections.namedtuple("JitFunctionInfo", "module name jit_function")


@dataclasses.dataclass
class CompileTimes:
    """How long a compilation took, in microseconds.

    Attributes:
        ir_initialization, store_results: 0, as they are not told from the rest.
        lowering_stages: a list of (name, time).
    """

    ir_initialization: int = 0
    lowering_stages: list = dataclasses.field(default_factory=list)
    store_results: int = 0

    @property
    def total_lowering(self):
        return sum(time for _, time in self.lowering_stages)

    @property
    def total(self):
        return self.ir_initialization + self.total_lowering + self.store_results


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
        kernel_load_start_hook, kernel_load_end_hook: chains, called with `module`, `function`,
            `name`, `metadata_group` and `hash` around the first launch of a variant since there
            are such hooks; the very first one loads it. module and function are None before.
        kernel_unload_hook: a chain that nobody calls, which `add` says.
        compilation_listener: None, or a function of `src` (an `ASTSource`, or what
            `triton.compile` was given), `metadata` and `metadata_group` (dicts), `times`
            (`CompileTimes`) and `cache_hit`, called where the two hooks above are, and by
            `triton.compile`.
        autotuning_listener: None, or a function of `fn`, `key`, `best_config`,
            `configs_timings`, `duration` (in seconds) and `cache_hit`, called when a configuration
            has been chosen.
    """

    # Whether what was added last is called first.
    _CHAINS = {"launch_enter_hook": False, "launch_exit_hook": True,
               "kernel_load_start_hook": False, "kernel_load_end_hook": True,
               "kernel_unload_hook": False}
    _SINGLE = ("jit_cache_hook", "jit_post_compile_hook", "compilation_listener",
               "autotuning_listener")
    # No launch needs to come through Python for these.
    _ELSEWHERE = ("kernel_unload_hook", "autotuning_listener")

    def __init__(self):
        self._classes = []  # those whose __getitem__ is native
        self._met = set()
        self._loaded = set()
        self._values = {name: HookChain(last_first) for name, last_first in self._CHAINS.items()}
        self._values.update(dict.fromkeys(self._SINGLE))
        self._update()

    def values(self, names):
        """What `restore` takes."""
        return {name: (self._values[name], list(self._values[name].calls)
                       if isinstance(self._values[name], HookChain) else None) for name in names}

    def restore(self, values):
        for name, (value, calls) in values.items():
            if calls is not None:
                value.calls[:] = calls
            self._values[name] = value
        self._update()

    def get(self, name):
        return self._values[name]

    def set(self, name, value):
        if value is None and name in self._CHAINS:
            value = HookChain(self._CHAINS[name])
        if value is not None and not callable(value):
            path = f"runtime.{name}" if name.endswith("hook") else name.replace("_", ".")
            raise TypeError(f"knobs.{path} is called: it must be a function or None, found "
                            f"{value!r}")
        self._values[name] = value
        self._update()
        if name == "kernel_unload_hook" and (not isinstance(value, HookChain) or value.calls):
            self._tell_of_unloading()

    @staticmethod
    def _tell_of_unloading():
        warnings.warn("knobs.runtime.kernel_unload_hook is not called: kernels stay loaded while "
                      "something may launch them, and nobody is told when they are not",
                      stacklevel=4)

    def through(self, cls, getitem):
        """While there are hooks, `cls.__getitem__` is not the native one, but `getitem`."""
        self._classes.append((cls, getitem))

    def are_there(self):
        return any(bool(value.calls) if isinstance(value, HookChain) else value is not None
                   for name, value in self._values.items() if name not in self._ELSEWHERE)

    def _update(self):
        for name, value in self._values.items():
            if isinstance(value, HookChain):
                value._changed = (self._tell_of_unloading if name == "kernel_unload_hook"
                                  else self._update)
        there = self.are_there()
        self._met = self._met if there else set()
        self._loaded = self._loaded if there else set()
        for cls, getitem in self._classes:
            if there:
                cls.__getitem__ = getitem
            elif "__getitem__" in vars(cls):
                del cls.__getitem__

    def meet(self, kernel, compiled, is_warmup):
        """Tells of a variant that is new; whether it may be launched."""
        before, after = self._values["jit_cache_hook"], self._values["jit_post_compile_hook"]
        if compiled.hash in self._met or not (before or after
                                              or self._values["compilation_listener"]):
            return True
        self._met.add(compiled.hash)
        self.listen(compiled)
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

    def listen(self, compiled):
        """Tells `compilation_listener` of a kernel that was compiled or found."""
        listener = self._values["compilation_listener"]
        if listener is None:
            return
        metadata = compiled.metadata
        took = [] if metadata.cached else [("compile", round(metadata.compile_ms * 1000))]
        listener(src=compiled.src, metadata=metadata._asdict(),
                 metadata_group=compiled.metadata_group, times=CompileTimes(lowering_stages=took),
                 cache_hit=metadata.cached)

    def loading(self, compiled, launch):
        """`launch`, between the hooks of loading if it is the first one of the variant."""
        start, end = (self._values[f"kernel_load_{when}_hook"] for when in ("start", "end"))
        hooked = any(getattr(hook, "calls", True) for hook in (start, end))
        if compiled.hash in self._loaded or not hooked:
            return launch

        def load(*args, **kwargs):
            self._loaded.add(compiled.hash)
            about = (compiled.name, compiled.metadata_group, compiled.hash)
            start(None, None, *about)
            launched = launch(*args, **kwargs)
            end(compiled.module, compiled.function, *about)
            return launched

        return load

    def around(self, told, launch, args, kwargs={}):
        """`launch(*args, **kwargs)` between the hooks, which are given `told`."""
        self._values["launch_enter_hook"](told)
        launched = launch(*args, **kwargs)
        self._values["launch_exit_hook"](told)
        return launched


hooks = Hooks()
