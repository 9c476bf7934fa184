"""Choosing launch options by measurement (`autotune`)."""

import functools
import os
import threading
import time
import warnings
import weakref

from . import _C, explanation, knobs, simulation, testing
from ._heuristics import Heuristics, Wrapper, names_of
from ._hooks import hooks
from .errors import (ArgumentError, AutotunerError, CompileTimeAssertionFailure, OutOfResources,
                     PTXASError)
from .jit import JITFunction, KernelInterface
from .tools.tensor_descriptor import TensorDescriptor

__all__ = ["Config", "autotune", "Autotuner"]

_autotuners = weakref.WeakSet()


def _forget_tunings():
    """In a forked child: a thread that was choosing is not there to let go of the lock, unless it
    has forked itself, in a function that it calls."""
    for tuner in list(_autotuners):
        if tuner._choosing.acquire(blocking=False):
            tuner._choosing.release()
        else:
            tuner._choosing = threading.RLock()
            tuner.nargs = None


os.register_at_fork(after_in_child=_forget_tunings)


class Config:
    """One choice that `autotune` tries.

    Args:
        kwargs: a dict, parameter name -> value.
        num_warps, num_stages, maxnreg: launch options, without effect on a CPU.
        num_ctas: CTAs of a program on a GPU, which have a slice of its rows each: 1, 2, 4, 8, or
            None: what the compiler chooses.
        pre_hook: called with the dict of arguments before each launch of this choice.
        persistent: whether CTAs of a GPU loop over the programs of the grid: True, False, or None:
            where the compiler expects to gain.
        warp_specialize: whether a warp of its own starts copies by TMA: True, False, or None:
            where the compiler expects to gain.

        dynamic_scheduling: whether CTAs that loop over programs take the next one from a counter:
            True, False, or None: where some programs take longer than others.
        split_k: parts, 2 to 64, of each program that adds up over a loop, which run side by side
            on a GPU; None: it is whole.
        stream_k: whether programs that add up over a loop, and are left over where each
            multiprocessor of a GPU has as many, have several parts: True, False, or None: no.

    Beyond Triton: `persistent`, `warp_specialize`, `dynamic_scheduling`, `split_k` and `stream_k`.

    Example:
        >>> config = triton.Config({"BLOCK": 64}, num_warps=8)
        >>> config.kwargs
        {'BLOCK': 64}
        >>> config
        Config(BLOCK: 64, num_warps: 8, num_stages: 3)
    """

    def __init__(self, kwargs, num_warps=4, num_stages=3, num_ctas=None, maxnreg=None,
                 pre_hook=None, ir_override=None, persistent=None, warp_specialize=None,
                 dynamic_scheduling=None, split_k=None, stream_k=None):
        self.kwargs = dict(kwargs)
        self.num_warps = num_warps
        self.num_stages = num_stages
        self.num_ctas = num_ctas
        self.maxnreg = maxnreg
        self.pre_hook = pre_hook
        self.ir_override = ir_override
        self.persistent = persistent
        self.warp_specialize = warp_specialize
        self.dynamic_scheduling = dynamic_scheduling
        self.split_k = split_k
        self.stream_k = stream_k

    def all_kwargs(self):
        """Parameters and options together, as a launch takes them: a dict."""
        options = {"num_warps": self.num_warps, "num_stages": self.num_stages,
                   "num_ctas": self.num_ctas, "maxnreg": self.maxnreg,
                   "ir_override": self.ir_override, "persistent": self.persistent,
                   "warp_specialize": self.warp_specialize,
                   "dynamic_scheduling": self.dynamic_scheduling, "split_k": self.split_k,
                   "stream_k": self.stream_k}
        return {**self.kwargs, **{k: v for k, v in options.items() if v is not None}}

    def __eq__(self, other):
        return isinstance(other, Config) and self.all_kwargs() == other.all_kwargs() and (
            self.pre_hook == other.pre_hook)

    def __hash__(self):
        return hash((tuple(sorted((k, str(v)) for k, v in self.all_kwargs().items())),
                     self.pre_hook))

    def __str__(self):
        return ", ".join(f"{name}: {value}" for name, value in self.all_kwargs().items())

    def __repr__(self):
        return f"Config({self})"


def _zero(array):
    array.zero_() if hasattr(array, "zero_") else array.fill(0)


def _copy(array):
    return array.clone() if hasattr(array, "clone") else array.copy()


def _assign(array, copy):
    if hasattr(array, "copy_"):
        array.copy_(copy)
    else:
        array[...] = copy


class Autotuner(_C.TunerBase, Wrapper):
    """A kernel that measures its configs and keeps the fastest. See `autotune`.

    Attributes:
        configs: what it chooses from.
        cache: key -> the config that was chosen for it, of this process.
        best_config: the config of the last launch.
        configs_timings: config -> [least, 20 % quantile, 80 % quantile] in ms (or what
            `do_bench` returned), of the last choice; inf where the config was dropped.
            Empty if nothing was measured.
        dropped: config -> why it could not be used, or was not measured, of the last choice.
        source: where the last choice came from: "measured", "recorded" (on disk), "first"
            (TRITIUM_TUNING, the interpreter, or a grid with a zero, for which nothing runs and the
            next call chooses anew), "only" (there was one config).
        bench_time, compile_time: seconds that the last choice took, and its compiling.
        nargs: the arguments by name, while configs are pruned and measured; else None.
        pre_hook, post_hook: what `autotune` was given; else methods that do for `_bench` what
            reset_to_zero and restore_value say (user_defined_pre_hook and
            user_defined_post_hook tell which).
        do_bench: what `autotune` was given, else `triton.testing.do_bench`.
        use_cuda_graph, cache_results: kept, without effect.

    A class that derives from it may define `run(*args, grid, warmup, **kwargs)`: keep choices in
    `cache`, or choose by `prune_configs(kwargs)` and `_bench(*args, config=config, **kwargs)`,
    and launch by `self.fn.run(*args, **kwargs, **config.all_kwargs())`.
    """

    def __init__(self, fn, arg_names, configs, key, reset_to_zero, restore_value, pre_hook=None,
                 post_hook=None, prune_configs_by=None, warmup=None, rep=None,
                 use_cuda_graph=False, do_bench=None, cache_results=False):
        kernel = fn
        while isinstance(kernel, Heuristics):
            kernel = kernel.fn
        if not isinstance(kernel, JITFunction):
            raise ArgumentError("@autotune decorates a kernel: put it above @jit (or @heuristics), "
                                f"not above a {type(kernel).__qualname__}")
        super().__init__(fn, arg_names)
        self.configs = list(configs) or [Config({})]
        self.keys = list(key)
        prune = prune_configs_by or {}
        self.perf_model = prune.get("perf_model")
        self.configs_top_k = prune.get("top_k", 1.0)
        self.early_config_prune = prune.get("early_config_prune")
        self.may_repeat = not (reset_to_zero is restore_value is pre_hook is None)
        self.reset_to_zero = list(reset_to_zero or ())
        self.restore_value = list(restore_value or ())
        for option, names in (("key", self.keys), ("reset_to_zero", self.reset_to_zero),
                              ("restore_value", self.restore_value)):
            for name in names:
                if name not in self.arg_names:
                    text = (f"autotune of kernel '{self.__name__}': {option} names {name!r}, which "
                            f"is no parameter of it; they are: {', '.join(self.arg_names)}")
                    # A name too many in the key does no harm, and old programs have some.
                    if option != "key":
                        raise ArgumentError(text)
                    warnings.warn(text, stacklevel=4)
        self.user_defined_pre_hook = pre_hook is not None
        self.user_defined_post_hook = post_hook is not None
        # The class has them as methods; one kept here would refer back to the tuner.
        if self.user_defined_pre_hook:
            self.pre_hook = pre_hook
        if self.user_defined_post_hook:
            self.post_hook = post_hook
        self.restore_copies = {}
        self.num_warmups = warmup
        self.num_reps = rep
        self.use_cuda_graph, self.cache_results = use_cuda_graph, cache_results
        self._measures_natively = do_bench is None
        self.do_bench = do_bench or functools.partial(testing.do_bench, warmup=warmup or 25,
                                                      rep=rep or 100)
        self.cache = {}
        self.best_config = None
        self.configs_timings = {}
        self.dropped = {}
        self.source = None
        self.bench_time = self.compile_time = 0.0
        self.nargs = None
        self._choosing = threading.RLock()
        _autotuners.add(self)

    def _key(self, named):
        """What the choice is made for: values of the key arguments, types of the arrays."""
        names = [name for name in self.keys if name in named]
        key = [named[name] for name in names]
        for name, value in zip(names, key):
            if getattr(type(value), "__hash__", None) is None:
                raise ArgumentError(
                    f"kernel '{self.__name__}': argument '{name}' is in autotune's key, but a "
                    f"{type(value).__qualname__} cannot be told from another; name numbers there "
                    "(types of arrays count by themselves)")
        key += [str(value.dtype) for value in named.values() if hasattr(value, "dtype")]
        return tuple(key)

    def _key_text(self, named):
        parts = [f"{name}={named[name]!r}" for name in self.keys if name in named]
        parts += [f"{name}: {value.dtype}" for name, value in named.items()
                  if hasattr(value, "dtype")]
        return ", ".join(parts)

    def prune_configs(self, kwargs):
        """The configs that `prune_configs_by` leaves for the arguments in `nargs`."""
        configs = self.configs
        if self.early_config_prune:
            configs = list(self.early_config_prune(configs, self.nargs, **kwargs))
            if not configs:
                raise AutotunerError(f"kernel '{self.__name__}': early_config_prune left none of "
                                     f"the {len(self.configs)} configs")
        if self.perf_model:
            top = self.configs_top_k
            if isinstance(top, float) and top <= 1.0:
                top = max(1, int(len(self.configs) * top))
            elif not isinstance(top, int):
                raise ArgumentError(f"kernel '{self.__name__}': top_k must be an int, or a float "
                                    f"up to 1.0, but got {top!r}")
            if len(configs) > top:
                cost = {config: self.perf_model(**{**self.nargs, **kwargs, **config.all_kwargs()})
                        for config in configs}
                configs = sorted(configs, key=cost.get)[:top]
        return configs

    def _check_conflicts(self, configs, kwargs):
        for config in configs:
            if conflicts := sorted(kwargs.keys() & config.kwargs.keys()):
                raise ArgumentError(
                    f"kernel '{self.__name__}': the launch gives {', '.join(conflicts)}, which "
                    "autotune chooses; leave it out")

    def _candidate(self, config, grid, args, kwargs):
        """The launch under `config`, bound but not run."""
        fn, everything = self.fn, {**kwargs, **config.all_kwargs()}
        named = {**self.nargs, **everything}
        # The hook may give descriptors the block shapes of the config.
        if config.pre_hook and any(isinstance(v, TensorDescriptor) for v in named.values()):
            config.pre_hook(named)
        while isinstance(fn, Heuristics):
            everything = fn._computed(args, everything)
            fn = fn.fn
        return fn._candidate(grid, args, everything)

    def _hooks(self, configs, kwargs):
        """The functions that the tuner calls before and after each run, and to measure."""
        def everything(index):
            return {**self.nargs, **kwargs, **configs[index].all_kwargs()}

        def before(index):
            if configs[index].pre_hook:
                configs[index].pre_hook(everything(index))
            if self.user_defined_pre_hook:
                self.pre_hook(everything(index))

        def after(index, failure):
            self.post_hook(everything(index), exception=failure)

        def measure(index, run):
            times = self.do_bench(run, quantiles=(0.5, 0.2, 0.8))
            return [float(t) for t in (times if isinstance(times, (list, tuple)) else [times])]

        needs_before = self.user_defined_pre_hook or any(c.pre_hook for c in configs)
        return (before if needs_before else None,
                after if self.user_defined_post_hook else None,
                None if self._measures_natively else measure)

    def pre_hook(self, args, reset_only=False):
        for name in self.reset_to_zero:
            if args[name] is not None:
                _zero(args[name])
        if not reset_only:
            self.restore_copies = {name: _copy(args[name]) for name in self.restore_value
                                   if args[name] is not None}

    def post_hook(self, args, exception):
        for name, copy in self.restore_copies.items():
            _assign(args[name], copy)
        self.restore_copies = {}

    def _bench(self, *args, config, **meta):
        """The times of a config for these arguments, with `nargs` set: what `do_bench` answers,
        or infinity thrice where the config cannot be used. Arrays that are not named in
        reset_to_zero or restore_value are as the runs leave them."""
        self._check_conflicts([config], meta)
        given = {**meta, **config.all_kwargs()}
        everything = {**self.nargs, **given}

        def call():
            if config.pre_hook:
                config.pre_hook(everything)
            self.pre_hook(everything)
            failure = None
            try:
                self.fn.run(*args, **given)
            except Exception as error:
                failure = error
                raise
            finally:
                self.post_hook(everything, exception=failure)

        try:
            return self.do_bench(call, quantiles=(0.5, 0.2, 0.8))
        except (OutOfResources, CompileTimeAssertionFailure, PTXASError):
            return [float("inf")] * 3

    def _choose(self, named, args, grid, kwargs):
        """(config, whether it is for other calls, too)."""
        configs = self.prune_configs(kwargs)
        self._check_conflicts(configs, kwargs)
        if len(configs) == 1:
            self.configs_timings, self.dropped, self.source = {}, {}, "only"
            return configs[0], True
        begin = time.perf_counter()
        best, self.source, note, timings, self.compile_time, is_passing = _C.tune(
            [self._candidate(config, grid, args, kwargs) for config in configs],
            [str(config) for config in configs], self._key_text(named), self.reset_to_zero,
            self.restore_value, float(self.num_warmups or 0), float(self.num_reps or 0),
            knobs.autotuning.cache, self.may_repeat, *self._hooks(configs, kwargs))
        self.bench_time = time.perf_counter() - begin
        known = dict(zip(configs, timings))
        self.dropped = {c: t for c, t in known.items() if isinstance(t, str)}
        self.configs_timings = {c: [float("inf")] * 3 if isinstance(t, str) else t
                                for c, t in known.items() if t is not None}
        if self.source == "first":
            self.configs_timings = {}
        if note:
            warnings.warn(f"autotune of kernel '{self.__name__}': {note}", stacklevel=5)
        if self.user_defined_pre_hook and self.source == "measured":
            self.pre_hook({**self.nargs, **kwargs, **configs[best].all_kwargs()},
                          reset_only=True)
        return configs[best], not is_passing

    def run(self, *args, grid, warmup=False, **kwargs):
        if warmup:
            return self.warmup(*args, grid=grid, **kwargs)
        named = self._named(args, kwargs)
        key = self._key(named)
        config, is_kept = self.cache.get(key), True
        if config is None:
            with self._choosing:
                config = self.cache.get(key)
                if config is None:
                    self.nargs = dict(zip(self.arg_names, args))
                    try:
                        config, is_kept = self._choose(named, args, grid, kwargs)
                    finally:
                        self.nargs = None
                    if is_kept:
                        self.cache[key] = config
                        self._tell(key, config)
        self.best_config = config
        self._check_conflicts([config], kwargs)
        self._prepare_arrays(config, args, kwargs)
        given = config.all_kwargs()
        launched = self.fn.run(*args, grid=grid, **{**kwargs, **given})
        # From now on such a call need not come here, unless there is more to do for it.
        if (is_kept and config.pre_hook is None and type(self.fn).run is JITFunction.run
                and type(self).run is Autotuner.run):
            self._remember(self.fn, self.fn.pre_run_hooks, self.keys, args, kwargs, key, config,
                           given)
        return launched

    def _tell(self, key, config):
        """Tells `knobs.autotuning.listener` of a choice."""
        listener = hooks.get("autotuning_listener")
        if listener is not None:
            listener(fn=self.fn, key=key, best_config=config,
                     configs_timings=dict(self.configs_timings), duration=self.bench_time,
                     cache_hit=self.source == "recorded")

    def _prepare_arrays(self, config, args, kwargs):
        if config.pre_hook:
            config.pre_hook({**dict(zip(self.arg_names, args)), **kwargs, **config.all_kwargs()})

    def simulate(self, grid, /, *args, **kwargs):
        """As `JITFunction.simulate`, under the config that was chosen for these arguments, or
        else the first that pruning leaves: the time of a simulation says nothing about a GPU's,
        so nothing is measured. `best_config` is that config afterwards."""
        own = simulation.take_options(kwargs, self.arg_names)
        return self.fn.simulate(grid, *args, **self._unmeasured(args, kwargs), **own)

    def explain(self, grid, /, *args, **kwargs):
        """As `JITFunction.explain`, under the config that `simulate` would take."""
        own = explanation.take_options(kwargs, self.arg_names)
        return self.fn.explain(grid, *args, **self._unmeasured(args, kwargs), **own)

    def _unmeasured(self, args, kwargs):
        """The keywords with those of a config that is chosen without measuring."""
        config = self.cache.get(self._key(self._named(args, kwargs)))
        if config is None:
            with self._choosing:
                self.nargs = dict(zip(self.arg_names, args))
                try:
                    config = self.prune_configs(kwargs)[0]
                finally:
                    self.nargs = None
        self.best_config = config
        self._check_conflicts([config], kwargs)
        self._prepare_arrays(config, args, kwargs)
        return {**kwargs, **config.all_kwargs()}

    def _named(self, args, kwargs):
        return {**dict(zip(self.arg_names, args)),
                **{name: value for name, value in kwargs.items() if name in self.arg_names}}

    def warmup(self, *args, grid=None, **kwargs):
        """Compiles every config that pruning leaves; returns a list of `CompiledKernel`s."""
        with self._choosing:
            self.nargs = dict(zip(self.arg_names, args))
            try:
                configs = self.prune_configs(kwargs)
            finally:
                self.nargs = None
        return [self.fn.run(*args, grid=grid, warmup=True, **{**kwargs, **config.all_kwargs()})
                for config in configs]


hooks.through(Autotuner, KernelInterface.__getitem__)


def autotune(configs, key, prune_configs_by=None, reset_to_zero=None, restore_value=None,
             pre_hook=None, post_hook=None, warmup=None, rep=None, use_cuda_graph=False,
             do_bench=None, cache_results=False):
    """Decorates a kernel: finds the fastest config when the values of the arguments in `key`
    (or the element types of the arrays) are new, and uses it from then on.

    Args:
        configs: `Config`s. One alone is used without measuring.
        key: names of arguments.
        prune_configs_by: a dict with `perf_model` (cost of a config, from all arguments by
            name) and `top_k` (how many it leaves: an int, or a float up to 1.0, a share), and
            `early_config_prune(configs, named_args, **kwargs)`, which returns a list.
        reset_to_zero: names of arrays that are zero before each measured run, and before the
            launch that made the choice necessary.
        restore_value: names of arrays that are put back before each measured run. Arrays that
            the kernel both reads and writes are, without being named. Kernels that write
            through pointers that they load from memory are measured only if one of
            reset_to_zero, restore_value (an empty list does) and pre_hook is given.
        pre_hook: `f(args, reset_only=False)`, called before each measured run with all
            arguments by name, and with reset_only=True after the last.
        post_hook: `f(args, exception)`, called after each measured run.
        warmup, rep: for how many ms each config runs before it is measured, and while.
        do_bench: `f(call, quantiles)`, which measures `call()` and returns a time in ms or a
            list of times, the first of which counts.
        use_cuda_graph, cache_results: taken, without effect: results are always kept.

    Configs are compiled in parallel threads and measured by turns. One that does not compile
    or run is dropped; if none is left, the error (an `AutotunerError`, or the error that all
    have in common) says why. Where ptxas says that some spill registers, or that their products
    of warp groups wait for one another, and others do not, those others are measured. All arrays
    are as they were afterwards.

    Times are kept on disk, with the compiled kernels, for this kernel, machine, key and
    config: a second process measures nothing. TRITON_CACHE_AUTOTUNING=0 keeps nothing.
    TRITON_PRINT_AUTOTUNING=1 prints a table. For a choice that is the same at each run set
    TRITIUM_TUNING=first (the first config that compiles) or recorded (the config that the
    record on disk says, else the first); `always` measures all although there is a record.

    Example:
        >>> configs = [triton.Config({"BLOCK": block}) for block in (64, 128)]
        >>> @triton.autotune(configs, key=["n"])
        ... @triton.jit
        ... def double(x, n, BLOCK: tl.constexpr):
        ...     i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        ...     tl.store(x + i, 2 * tl.load(x + i, mask=i < n), mask=i < n)
        >>> x = np.ones(300, dtype=np.float32)
        >>> compiled = double[lambda args: (triton.cdiv(300, args["BLOCK"]),)](x, 300)
        >>> x.sum().item()
        600.0
        >>> double.best_config in configs
        True
    """
    return lambda fn: Autotuner(fn, names_of(fn, "autotune"), configs, key, reset_to_zero,
                                restore_value, pre_hook, post_hook, prune_configs_by, warmup,
                                rep, use_cuda_graph, do_bench, cache_results)
