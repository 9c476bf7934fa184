"""Measuring and comparing."""

import csv
import functools
import os
import sys
import time
import warnings

from ._events import event_clock
from ._gpu_limits import (get_dram_gbps, get_max_simd_tflops, get_max_tensorcore_tflops, nvsmi,
                          set_gpu_clock)

__all__ = ["do_bench", "do_bench_cudagraph", "do_bench_proton", "do_bench_cudagraph_proton",
           "assert_close", "Benchmark", "Mark", "perf_report", "get_dram_gbps",
           "get_max_simd_tflops", "get_max_tensorcore_tflops", "nvsmi", "set_gpu_clock",
           "cuda_memcheck"]


def _quantile(sorted_values, q):
    """The q-quantile of ascending values, by linear interpolation."""
    position = q * (len(sorted_values) - 1)
    low = int(position)
    high = min(low + 1, len(sorted_values) - 1)
    return sorted_values[low] + (sorted_values[high] - sorted_values[low]) * (position - low)


def _host_times(preparations, fn):
    times = []
    for prepare in preparations:
        prepare()
        begin = time.perf_counter()
        fn()
        times.append((time.perf_counter() - begin) * 1e3)
    return times


def _gpu_times(events):
    """The same by events of a GPU; runs are queued without a wait."""

    def clock(preparations, fn):
        pairs = []
        for prepare in preparations:
            prepare()
            begin = events.record()
            fn()
            pairs.append((begin, events.record()))
        return [events.milliseconds(*pair) for pair in pairs]

    return clock


def _clock(active):
    """A function that answers the milliseconds of `fn()` after each of the preparations."""
    if active.get_current_target().backend == "cpu":
        return _host_times
    return _gpu_times(event_clock())


def do_bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean"):
    """The time that `fn()` takes, in milliseconds.

    Args:
        fn: a function without arguments.
        warmup: for how long it runs first, in ms.
        rep: for how long it is measured, in ms.
        grad_to_none: tensors whose `.grad` is set to None before each run.
        quantiles: a list of quantiles to return instead of one number.
        return_mode: "min", "max", "mean", "median", or "all" for the list of times.

    Before each measured run a buffer larger than the caches near the cores is overwritten,
    so that every run finds its data where a first use would. On a GPU, times are those
    between two events in the current stream.

    Example:
        >>> import time
        >>> triton.testing.do_bench(lambda: time.sleep(0.01), warmup=1, rep=20) >= 10
        True
        >>> len(triton.testing.do_bench(lambda: time.sleep(0.01), 1, 20, quantiles=[0.2, 0.8]))
        2
    """
    _check_mode(return_mode)
    from .runtime.driver import active

    cache = active.get_empty_cache_for_benchmark()
    clock = _clock(active)
    fn()
    estimate = max(clock([lambda: None], fn)[0], 1e-4)
    for _ in range(max(1, min(int(warmup / estimate), 10000))):
        fn()

    def prepare():
        for tensor in grad_to_none or ():
            tensor.grad = None
        active.clear_cache(cache)

    times = clock([prepare] * max(1, min(int(rep / estimate), 2000)), fn)
    return _summary(times, quantiles, return_mode)


def _check_mode(return_mode):
    if return_mode not in ("min", "max", "mean", "median", "all"):
        raise ValueError(f"return_mode must be min, max, mean, median or all, not {return_mode!r}")


def _summary(times, quantiles, return_mode):
    if return_mode == "all" and quantiles is None:
        return times
    times.sort()
    if quantiles is not None:
        found = [_quantile(times, q) for q in quantiles]
        return found[0] if len(found) == 1 else found
    return {"min": times[0], "max": times[-1], "mean": sum(times) / len(times),
            "median": _quantile(times, 0.5)}[return_mode]


@functools.lru_cache(None)
def _note(text):
    warnings.warn(text, stacklevel=3)


def do_bench_cudagraph(fn, rep=20, grad_to_none=None, quantiles=None, return_mode="mean"):
    """The time that `fn()` takes on a GPU, in milliseconds, without that of its launches: a CUDA
    graph has many calls of it, and the caches keep what they hold between them.

    The arguments are those of `do_bench`. Needs torch. Where kernels run on a CPU there are no
    graphs, and it measures as `do_bench`, which it says once.
    """
    _check_mode(return_mode)
    from .runtime.driver import active

    if active.get_current_target().backend == "cpu":
        _note("do_bench_cudagraph measures as do_bench where kernels run on a CPU: there are no "
              "CUDA graphs")
        return do_bench(fn, rep=rep, grad_to_none=grad_to_none, quantiles=quantiles,
                        return_mode=return_mode)
    if "torch" not in sys.modules:
        raise RuntimeError("do_bench_cudagraph needs torch, which captures CUDA graphs")
    torch = sys.modules["torch"]
    with torch.cuda.stream(torch.cuda.Stream()):
        fn()
        for tensor in grad_to_none or ():
            tensor.detach_()
            tensor.requires_grad_(True)
            tensor.grad = None
        clock = _gpu_times(event_clock())
        calls = max(1, int(rep / max(min(clock([lambda: None] * 5, fn)), 1e-4)))
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(calls):
                for tensor in grad_to_none or ():
                    tensor.grad = None
                fn()
        torch.cuda.synchronize()
        times = [time / calls for time in clock([lambda: None] * 10, graph.replay)]
    return _summary(times, quantiles, return_mode)


def do_bench_proton(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None,
                    return_mode="mean"):
    """`do_bench`: the profiler would not time kernels apart from what is between them either. It
    says so once."""
    _note("do_bench_proton measures as do_bench: the profiler times kernels by events, too")
    return do_bench(fn, warmup, rep, grad_to_none, quantiles, return_mode)


def do_bench_cudagraph_proton(fn, rep=20, grad_to_none=None, quantiles=None, return_mode="mean"):
    """`do_bench_cudagraph`, as `do_bench_proton` is `do_bench`."""
    _note("do_bench_cudagraph_proton measures as do_bench_cudagraph: the profiler sees no kernels "
          "of a graph")
    return do_bench_cudagraph(fn, rep, grad_to_none, quantiles, return_mode)


def cuda_memcheck(**target_kwargs):
    """Decorates a test: with any of the keywords at one of its values the test would run under
    NVIDIA's memory checker. It runs as it is, which it says once: the interpreter
    (TRITON_INTERPRET=1) and the simulator check every access."""

    def decorate(test):
        @functools.wraps(test)
        def run(*args, **kwargs):
            if target_kwargs.items() <= kwargs.items():
                _note("cuda_memcheck runs tests as they are: the interpreter "
                      "(TRITON_INTERPRET=1) and the simulator check every access")
            return test(*args, **kwargs)

        return run

    return decorate


def assert_close(x, y, atol=None, rtol=None, err_msg=""):
    """Raises AssertionError unless |x - y| <= atol + rtol * |y| everywhere.

    Args:
        x, y: arrays, tensors or numbers of one shape; NaN equals NaN.
        atol: absolute tolerance, default 1e-2; rtol: relative, default 0. Either may be a
            function of x's dtype.
        err_msg: what the error starts with.

    Example:
        >>> triton.testing.assert_close([1.0, 2.0], [1.0, 2.005])
        >>> try:
        ...     triton.testing.assert_close(1.0, 1.1, atol=0.01, err_msg="sum")
        ... except AssertionError as error:
        ...     found = str(error)
        >>> "sum" in found
        True
    """
    import numpy as np

    def to_array(value):
        value = value.numpy() if hasattr(value, "numpy") else value
        return np.asarray(value)

    x, y = to_array(x), to_array(y)
    atol = atol(x.dtype) if callable(atol) else (1e-2 if atol is None else atol)
    rtol = rtol(x.dtype) if callable(rtol) else (0.0 if rtol is None else rtol)
    wide = np.complex128 if "complex" in x.dtype.name else np.float64
    np.testing.assert_allclose(x.astype(wide), y.astype(wide), atol=atol, rtol=rtol,
                               equal_nan=True, err_msg=err_msg)


class Benchmark:
    """What `perf_report` runs: a function over a range of x, one line for each provider.

    Args:
        x_names: arguments that take the x value.
        x_vals: their values; tuples give each of x_names its own.
        line_arg: the argument that names the line.
        line_vals, line_names: its values, and what the legend calls them.
        plot_name: title of the plot and name of the files.
        args: a dict of the other arguments.
        xlabel, ylabel: of the axes; x_log, y_log: logarithmic axes.
        styles: a (colour, line style) for each line.

    Example:
        >>> benchmark = triton.testing.Benchmark(
        ...     x_names=["n"], x_vals=[10, 1000], line_arg="provider", line_vals=["numpy"],
        ...     line_names=["NumPy"], plot_name="sum", args={})
        >>> benchmark.x_vals
        [10, 1000]
    """

    def __init__(self, x_names, x_vals, line_arg, line_vals, line_names, plot_name, args,
                 xlabel="", ylabel="", x_log=False, y_log=False, styles=None):
        self.x_names = x_names
        self.x_vals = x_vals
        self.line_arg = line_arg
        self.line_vals = line_vals
        self.line_names = line_names
        self.plot_name = plot_name
        self.args = args
        self.xlabel = xlabel
        self.ylabel = ylabel
        self.x_log = x_log
        self.y_log = y_log
        self.styles = styles


class Mark:
    """A function with its benchmarks; `run` measures them."""

    def __init__(self, fn, benchmarks):
        self.fn = fn
        self.benchmarks = benchmarks

    def _rows(self, bench, kwargs):
        """A header and one row for each x: x, the values, the low and high bounds."""
        header = [*bench.x_names, *bench.line_names]
        header += [f"{name}-{end}" for name in bench.line_names for end in ("min", "max")]
        rows = []
        for x in bench.x_vals:
            xs = list(x) if isinstance(x, (list, tuple)) else [x] * len(bench.x_names)
            if len(xs) != len(bench.x_names):
                raise ValueError(f"{bench.plot_name}: {len(bench.x_names)} names for the x value "
                                 f"{x!r}")
            values, bounds = [], []
            for line in bench.line_vals:
                result = self.fn(**dict(zip(bench.x_names, xs)), **{bench.line_arg: line},
                                 **bench.args, **kwargs)
                value, low, high = result if isinstance(result, (list, tuple)) else (
                    result, None, None)
                values.append(value)
                bounds += [low, high]
            rows.append([*xs, *values, *bounds])
        return header, rows

    @staticmethod
    def _plot(bench, header, rows, path, show):
        try:
            import matplotlib

            if not show:
                matplotlib.use("Agg")
            import matplotlib.pyplot as plt
        except ImportError:
            return
        # A label may have several lines, a caption below the axis.
        figure, axes = plt.subplots(layout="constrained")
        first = len(bench.x_names)
        x = [row[0] for row in rows]
        for i, name in enumerate(bench.line_names):
            colour, style = bench.styles[i] if bench.styles else (None, None)
            line, = axes.plot(x, [row[first + i] for row in rows], label=name, color=colour,
                              linestyle=style)
            low = [row[header.index(f"{name}-min")] for row in rows]
            high = [row[header.index(f"{name}-max")] for row in rows]
            if None not in low and None not in high:
                axes.fill_between(x, low, high, alpha=0.15, color=line.get_color())
        axes.set_xlabel(bench.xlabel or bench.x_names[0])
        axes.set_ylabel(bench.ylabel)
        axes.set_title(bench.plot_name)
        axes.set_xscale("log" if bench.x_log else "linear")
        axes.set_yscale("log" if bench.y_log else "linear")
        axes.legend()
        if path:
            figure.savefig(os.path.join(path, f"{bench.plot_name}.png"))
        if show:
            plt.show()
        plt.close(figure)

    def run(self, show_plots=False, print_data=False, save_path="", return_df=False, **kwargs):
        """Measures every point.

        Args:
            show_plots: shows the plots in windows.
            print_data: prints the tables.
            save_path: a folder for `<plot_name>.csv` and `<plot_name>.png`.
            return_df: returns the table (a list of them for several benchmarks): a pandas
                DataFrame, or, without pandas, a list of dicts.
            kwargs: passed on to the function.

        A plot needs matplotlib; without it none is made.
        """
        single = isinstance(self.benchmarks, Benchmark)
        tables = []
        for bench in [self.benchmarks] if single else self.benchmarks:
            header, rows = self._rows(bench, kwargs)
            if save_path:
                os.makedirs(save_path, exist_ok=True)
                with open(os.path.join(save_path, f"{bench.plot_name}.csv"), "w",
                          newline="") as file:
                    csv.writer(file).writerows([header, *rows])
            if save_path or show_plots:
                self._plot(bench, header, rows, save_path, show_plots)
            shown = len(bench.x_names) + len(bench.line_names)
            if print_data:
                print(f"{bench.plot_name}:")
                for row in [header, *rows]:
                    print("  ".join(f"{v:>12.6g}" if isinstance(v, (int, float))
                                    else f"{v!s:>12}" for v in row[:shown]))
            tables.append([dict(zip(header, row[:shown])) for row in rows])
        if not return_df:
            return None
        try:
            import pandas

            tables = [pandas.DataFrame(table) for table in tables]
        except ImportError:
            pass
        return tables[0] if single else tables


def perf_report(benchmarks):
    """Decorates a function that measures one point; the result's `run` measures all.

    Args:
        benchmarks: a `Benchmark` or a list of them.

    Example:
        >>> @triton.testing.perf_report(triton.testing.Benchmark(
        ...     x_names=["n"], x_vals=[10, 1000], line_arg="provider", line_vals=["numpy"],
        ...     line_names=["NumPy"], plot_name="squares", args={}))
        ... def squares(n, provider):
        ...     return n * n
        >>> table = squares.run(return_df=True)
        >>> len(table)
        2
    """
    return lambda fn: Mark(fn, benchmarks)
