"""Choosing launch options by rule (`heuristics`) or by measurement (`autotune`)."""

from . import knobs, testing
from .errors import CompileTimeAssertionFailure, OutOfResources
from .jit import KernelInterface, _GridCall

__all__ = ["Config", "autotune", "heuristics", "Autotuner", "Heuristics"]


class Config:
    """One choice that `autotune` tries.

    Args:
        kwargs: a dict, parameter name -> value.
        num_warps, num_stages, num_ctas, maxnreg: launch options, without effect on a CPU.
        pre_hook: called with the dict of arguments before each launch of this choice.
    """

    def __init__(self, kwargs, num_warps=4, num_stages=3, num_ctas=1, maxnreg=None,
                 pre_hook=None, ir_override=None):
        self.kwargs = dict(kwargs)
        self.num_warps = num_warps
        self.num_stages = num_stages
        self.num_ctas = num_ctas
        self.maxnreg = maxnreg
        self.pre_hook = pre_hook
        self.ir_override = ir_override

    def all_kwargs(self):
        """Parameters and options together, as a launch takes them."""
        options = {"num_warps": self.num_warps, "num_stages": self.num_stages,
                   "num_ctas": self.num_ctas, "maxnreg": self.maxnreg,
                   "ir_override": self.ir_override}
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


class _Wrapper(KernelInterface):
    """A kernel around another one."""

    def __init__(self, fn):
        self.fn = fn
        self.arg_names = fn.arg_names
        self.__name__ = fn.__name__
        self.__doc__ = fn.__doc__

    def __getitem__(self, grid):
        return _GridCall(self, grid)

    def _kernel_source(self, owner):
        return self.fn._kernel_source(owner)


class Heuristics(_Wrapper):
    """A kernel some of whose parameters are computed from the others. See `heuristics`."""

    def __init__(self, fn, values):
        super().__init__(fn)
        self.values = values

    def run(self, *args, grid, warmup=False, **kwargs):
        for name, compute in self.values.items():
            kwargs[name] = compute({**dict(zip(self.arg_names, args)), **kwargs})
        return self.fn.run(*args, grid=grid, warmup=warmup, **kwargs)


def heuristics(values):
    """Decorates a kernel: each parameter in `values` is given by a function of the dict of
    arguments."""
    return lambda fn: Heuristics(fn, values)


class Autotuner(_Wrapper):
    """A kernel that measures its configs and keeps the fastest. See `autotune`.

    Attributes:
        cache: the best config for each key that was met.
        best_config: the config of the last launch.
        configs_timings: config -> times in ms, of the last measurement.
    """

    def __init__(self, fn, configs, key, prune_configs_by=None, reset_to_zero=None,
                 restore_value=None, pre_hook=None, post_hook=None, do_bench=None):
        super().__init__(fn)
        self.configs = list(configs) or [Config({})]
        self.keys = list(key)
        prune = prune_configs_by or {}
        self.perf_model = prune.get("perf_model")
        self.top_k = prune.get("top_k", 1.0)
        self.early_config_prune = prune.get("early_config_prune")
        self.reset_to_zero = list(reset_to_zero or ())
        self.restore_value = list(restore_value or ())
        self.pre_hook = pre_hook
        self.post_hook = post_hook
        self.do_bench = do_bench or (lambda call, quantiles: testing.do_bench(
            call, warmup=5, rep=20, quantiles=quantiles))
        self.cache = {}
        self.best_config = None
        self.configs_timings = {}

    def _key(self, named):
        key = [named[name] for name in self.keys if name in named]
        key += [str(value.dtype) for value in named.values() if hasattr(value, "dtype")]
        return tuple(key)

    def _prune(self, named, kwargs):
        configs = self.configs
        if self.early_config_prune:
            configs = self.early_config_prune(configs, named, **kwargs)
        if self.perf_model and configs:
            top = self.top_k
            if isinstance(top, float) and top <= 1.0:
                top = max(1, int(len(self.configs) * top))
            if len(configs) > top:
                cost = {c: self.perf_model(**named, **kwargs, **c.all_kwargs()) for c in configs}
                configs = sorted(configs, key=cost.get)[:top]
        return configs

    def _measure(self, config, named, args, grid, kwargs):
        saved = {name: named[name].copy() if hasattr(named[name], "copy")
                 else named[name].clone() for name in self.restore_value}

        def restore():
            for name in self.reset_to_zero:
                named[name][...] = 0
            for name, value in saved.items():
                named[name][...] = value

        def call():
            restore()
            everything = {**named, **config.all_kwargs()}
            if config.pre_hook:
                config.pre_hook(everything)
            if self.pre_hook:
                self.pre_hook(everything)
            self.fn.run(*args, grid=grid, **{**kwargs, **config.all_kwargs()})
            if self.post_hook:
                self.post_hook(everything, exception=None)

        try:
            return self.do_bench(call, quantiles=(0.5, 0.2, 0.8))
        except (OutOfResources, CompileTimeAssertionFailure):
            return [float("inf")] * 3
        finally:
            restore()

    def run(self, *args, grid, warmup=False, **kwargs):
        named = {**dict(zip(self.arg_names, args)),
                 **{name: value for name, value in kwargs.items() if name in self.arg_names}}
        key = self._key(named)
        if key not in self.cache:
            configs = self._prune(named, kwargs) if len(self.configs) > 1 else self.configs
            if len(configs) > 1 and not warmup:
                self.configs_timings = {config: self._measure(config, named, args, grid, kwargs)
                                        for config in configs}
                best = min(self.configs_timings, key=lambda c: self.configs_timings[c][0])
                if knobs.autotuning.print:
                    print(f"Triton autotuning for function {self.__name__},\nwith key as {key},\n"
                          f"best config selected: {best};")
            else:
                best = configs[0]
            self.cache[key] = best
        config = self.best_config = self.cache[key]
        if config.pre_hook and not warmup:
            config.pre_hook({**named, **config.all_kwargs()})
        return self.fn.run(*args, grid=grid, warmup=warmup,
                           **{**kwargs, **config.all_kwargs()})


def autotune(configs, key, prune_configs_by=None, reset_to_zero=None, restore_value=None,
             pre_hook=None, post_hook=None, warmup=None, rep=None, use_cuda_graph=False,
             do_bench=None, cache_results=False):
    """Decorates a kernel: measures each config when the values of the arguments in `key` (or
    the element types) are new, and keeps the fastest.

    Args:
        configs: `Config`s.
        key: names of arguments.
        prune_configs_by: a dict with `perf_model` (cost of a config) and `top_k` (how many it
            leaves), `early_config_prune(configs, named_args, **kwargs)`.
        reset_to_zero, restore_value: names of arrays that are zeroed, or put back, around
            each measured launch.
        pre_hook, post_hook: called around each measured launch.
        do_bench: `f(call, quantiles=...)` that measures, in ms.
        warmup, rep, use_cuda_graph, cache_results: taken, without effect.
    """
    return lambda fn: Autotuner(fn, configs, key, prune_configs_by, reset_to_zero,
                                restore_value, pre_hook, post_hook, do_bench)
