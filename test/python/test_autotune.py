"""autotune: what is chosen, what survives it, what is kept on disk."""

import json
import os
import pathlib
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest

import tritium as triton
import tritium.language as tl


@triton.jit
def add_to(out_ptr, x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.load(out_ptr + i, i < n) + tl.load(x_ptr + i, i < n)
    tl.store(out_ptr + i, total, i < n)


@triton.jit
def picky(out_ptr, x_ptr, n, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK > 16, "BLOCK is too small")
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, i < n), i < n)


def grid(meta):
    return (triton.cdiv(meta["n"], meta["BLOCK"]),)


def configs(*blocks, **options):
    return [triton.Config({"BLOCK": block}, **options) for block in blocks]


def arrays(n=1000):
    return np.full(n, 5, np.float32), np.arange(n, dtype=np.float32)


def test_in_place_kernel_runs_once():
    """14.11: the runs that measure leave no trace, with nothing named by the user."""
    tuned = triton.autotune(configs(16, 64, 256), key=["n"])(add_to)
    out, x = arrays()
    tuned[grid](out, x, 1000)
    assert tuned.source == "measured" and len(tuned.configs_timings) == 3
    assert np.array_equal(out, 5 + x)
    tuned[grid](out, x, 1000)
    assert np.array_equal(out, 5 + 2 * x)


def test_atomics_and_overlap():
    @triton.jit
    def count(out_ptr, BLOCK: tl.constexpr):
        tl.atomic_add(out_ptr + tl.arange(0, 4), 1)

    @triton.jit
    def shift(out_ptr, x_ptr, n, BLOCK: tl.constexpr):
        i = tl.arange(0, 128)
        tl.store(out_ptr + i, tl.load(x_ptr + i, i < n) + 1, i < n)

    out = np.zeros(4, np.int32)
    tuned = triton.autotune(configs(1, 2), key=[])(count)
    tuned[(3,)](out)
    assert tuned.source == "measured" and out.tolist() == [3] * 4
    # Written through one argument, read through another.
    x = np.zeros(100, np.float32)
    tuned = triton.autotune(configs(1, 2), key=[])(shift)
    tuned[(1,)](x, x, 100)
    assert tuned.source == "measured" and np.array_equal(x, np.ones(100, np.float32))


def test_key_and_types_choose_anew():
    tuned = triton.autotune(configs(16, 64), key=["n"])(add_to)
    for n, dtype, choices in ((100, np.float32, 1), (100, np.float32, 1), (200, np.float32, 2),
                              (100, np.float64, 3)):
        out, x = (a.astype(dtype) for a in arrays(n))
        tuned[grid](out, x, n)
        assert len(tuned.cache) == choices
        assert tuned.best_config in tuned.configs
    tuned = triton.autotune(configs(16, 64), key=["x_ptr"])(add_to)
    with pytest.raises(triton.ArgumentError, match="'x_ptr' is in autotune's key"):
        tuned[grid](out, x, n)


def test_config_that_does_not_compile_is_dropped(capsys, monkeypatch):
    monkeypatch.setenv("TRITON_PRINT_AUTOTUNING", "1")
    tuned = triton.autotune(configs(16, 64, 128), key=["n"])(picky)
    out, x = arrays()
    tuned[grid](out, x, 1000)
    assert np.array_equal(out, x)
    dropped, = tuned.dropped.items()
    assert dropped[0].kwargs == {"BLOCK": 16} and "BLOCK is too small" in dropped[1]
    assert tuned.configs_timings[dropped[0]] == [float("inf")] * 3
    table = capsys.readouterr().out.splitlines()
    assert "kernel 'picky', key n=1000" in table[0] and len(table) == 4
    assert "dropped:" in table[1] and "too small" in table[1]
    assert sum(line.startswith("* BLOCK: ") and "1.00 x" in line for line in table) == 1


def test_every_reason_is_told():
    tuned = triton.autotune(configs(8, 16), key=[])(picky)
    out, x = arrays()
    with pytest.raises(triton.CompileTimeAssertionFailure, match="too small"):
        tuned[grid](out, x, 1000)

    @triton.jit
    def never(out_ptr, BLOCK: tl.constexpr):
        if BLOCK == 1:
            tl.store(out_ptr, nowhere)  # noqa: F821
        else:
            tl.static_assert(False, "not this one")

    tuned = triton.autotune(configs(1, 2), key=[])(never)
    with pytest.raises(triton.AutotunerError) as caught:
        tuned[(1,)](out)
    text = str(caught.value)
    assert "none of its 2 configurations" in text
    assert "BLOCK: 1" in text and "nowhere" in text and "not this one" in text
    assert "test_autotune.py:" in text


def test_launch_errors_stay_themselves():
    tuned = triton.autotune(configs(16, 64), key=["n"])(add_to)
    out, x = arrays()
    with pytest.raises(triton.ArgumentError, match="missing argument 'n'"):
        tuned[(1,)](out, x)
    with pytest.raises(triton.OptionError, match="did you mean 'num_warps'"):
        tuned[(1,)](out, x, 1000, num_warp=4)
    with pytest.raises(triton.ArgumentError, match="the launch gives BLOCK"):
        tuned[(1,)](out, x, 1000, BLOCK=4)
    read_only = out.copy()
    read_only.flags.writeable = False
    with pytest.raises(triton.ArgumentError, match="read-only"):
        tuned[(1,)](read_only, x, 1000)
    assert np.array_equal(out, arrays()[0])


def test_reset_to_zero_and_restore_value():
    tuned = triton.autotune(configs(16, 64), key=["n"], reset_to_zero=["out_ptr"],
                            restore_value=["x_ptr"])(add_to)
    out, x = arrays()
    tuned[grid](out, x, 1000)
    assert np.array_equal(out, x)
    with pytest.raises(triton.ArgumentError, match="restore_value names 'y'"):
        triton.autotune(configs(16), key=[], restore_value=["y"])(add_to)
    with pytest.warns(UserWarning, match="key names 'm'"):
        triton.autotune(configs(16), key=["m"])(add_to)


def test_hooks(monkeypatch):
    monkeypatch.setenv("TRITIUM_TUNING", "always")
    calls = []

    def pre_hook(args, reset_only=False):
        assert args["n"] == 1000 and args["out_ptr"] is out
        calls.append("last" if reset_only else "pre")

    def post_hook(args, exception):
        assert exception is None and args["BLOCK"] in (16, 64)
        calls.append("post")

    chosen = []
    out, x = arrays()
    tuned = triton.autotune(
        configs(16, 64, pre_hook=lambda args: chosen.append(args["BLOCK"])), key=["n"],
        pre_hook=pre_hook, post_hook=post_hook)(add_to)
    tuned[grid](out, x, 1000)
    assert calls[-1] == "last" and calls.count("pre") == calls.count("post") > 4
    assert chosen[-1] == tuned.best_config.kwargs["BLOCK"] and {16, 64} == set(chosen)
    assert np.array_equal(out, 5 + x)

    def broken(args, reset_only=False):
        raise ZeroDivisionError("in the hook")

    out, x = arrays()
    tuned = triton.autotune(configs(16, 64), key=["n"], pre_hook=broken)(add_to)
    with pytest.raises(ZeroDivisionError, match="in the hook"):
        tuned[grid](out, x, 1000)
    assert np.array_equal(out, arrays()[0]) and not tuned.cache


def test_do_bench():
    def bench(call, quantiles):
        call()
        call()
        seen.append(quantiles)
        return {1: 3.0, 2: 1.0, 3: 2.0}[len(seen)]

    seen = []
    tuned = triton.autotune(configs(16, 64, 32), key=["n"], do_bench=bench)(add_to)
    out, x = arrays()
    tuned[grid](out, x, 1000)
    assert seen == [(0.5, 0.2, 0.8)] * 3 and np.array_equal(out, 5 + x)
    assert tuned.best_config.kwargs == {"BLOCK": 64}
    assert tuned.configs_timings[tuned.configs[2]] == [2.0] * 3

    def failing(call, quantiles):
        call()
        raise RuntimeError("no clock")

    tuned = triton.autotune(configs(64, 128), key=["n"], do_bench=failing)(add_to)
    out, x = arrays()
    with pytest.raises(RuntimeError, match="no clock"):
        tuned[grid](out, x, 1000)
    assert np.array_equal(out, arrays()[0])


def test_pruning():
    seen = []

    def early(found, named, **kwargs):
        assert set(named) == {"out_ptr", "x_ptr"} and kwargs == {"n": 1000}
        seen.append(len(found))
        return found[1:]

    tuned = triton.autotune(
        configs(16, 32, 64, 128), key=["n"], prune_configs_by={
            "early_config_prune": early, "perf_model": lambda BLOCK, **_: -BLOCK, "top_k": 2,
        })(add_to)
    out, x = arrays()
    tuned[grid](out, x, n=1000)
    assert seen == [4] and {c.kwargs["BLOCK"] for c in tuned.configs_timings} == {64, 128}
    assert len(tuned.warmup(out, x, n=1000, grid=(1,))) == 2
    none = triton.autotune(configs(16, 32), key=["n"], prune_configs_by={
        "early_config_prune": lambda found, named, **kwargs: []})(add_to)
    with pytest.raises(triton.AutotunerError, match="left none of the 2 configs"):
        none[grid](out, x, n=1000)


def test_heuristics_below():
    kernel = triton.heuristics({"BLOCK": lambda args: args["SIZE"] * 2})(scaled)
    tuned = triton.autotune([triton.Config({"SIZE": 8}), triton.Config({"SIZE": 32})],
                            key=["n"])(kernel)
    out = np.zeros(100, np.float32)
    tuned[grid](out, 100)
    assert np.array_equal(out, np.arange(100, dtype=np.float32))
    with pytest.raises(triton.ArgumentError, match="decorates a kernel"):
        triton.autotune(configs(1), key=[])(lambda: 0)


@triton.jit
def scaled(out_ptr, n, SIZE: tl.constexpr, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK == 2 * SIZE)
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, i, i < n)


def test_one_config_is_not_measured():
    tuned = triton.autotune(configs(64), key=["n"], do_bench=None)(add_to)
    out, x = arrays()
    tuned[grid](out, x, 1000)
    assert tuned.source == "only" and tuned.configs_timings == {} and np.array_equal(out, 5 + x)


def test_deterministic_choices(monkeypatch):
    out, x = arrays()

    def source():
        tuned = triton.autotune(configs(16, 64, 256), key=["n"])(add_to)
        tuned[grid](out, x, 1000)
        return tuned.source, tuned.best_config.kwargs["BLOCK"]

    monkeypatch.setenv("TRITIUM_TUNING", "recorded")
    assert source() == ("first", 16)
    monkeypatch.setenv("TRITIUM_TUNING", "first")
    assert source() == ("first", 16)
    monkeypatch.setenv("TRITIUM_TUNING", "measure")
    how, best = source()
    assert how == "measured"
    assert source() == ("recorded", best)
    monkeypatch.setenv("TRITIUM_TUNING", "recorded")
    assert source() == ("recorded", best)
    monkeypatch.setenv("TRITIUM_TUNING", "always")
    assert source()[0] == "measured"
    monkeypatch.setenv("TRITIUM_TUNING", "fisrt")
    with pytest.raises(triton.OptionError, match="there are: measure, always, first, recorded"):
        source()
    monkeypatch.delenv("TRITIUM_TUNING")
    monkeypatch.setenv("TRITIUM_BACKEND", "interpret")
    assert source() == ("first", 16)


def test_bare_addresses():
    class Bare:
        """An array without an extent."""

        def __init__(self, array):
            self.array, self.dtype = array, tl.float32

        def data_ptr(self):
            return self.array.ctypes.data

    out, x = arrays()
    tuned = triton.autotune(configs(16, 64), key=["n"])(add_to)
    with pytest.warns(UserWarning, match="'out_ptr', whose extent is not known"):
        tuned[grid](Bare(out), Bare(x), 1000)
    assert tuned.source == "first" and np.array_equal(out, 5 + x)
    tuned = triton.autotune(configs(32, 64), key=["n"])(picky)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tuned[grid](Bare(out), Bare(x), 1000)
    assert tuned.source == "measured" and np.array_equal(out, x)


def test_pointers_in_memory():
    """What the kernel writes through a pointer that it loads cannot be put back."""
    @triton.jit
    def indirect(table, BLOCK: tl.constexpr):
        p = tl.load(table).to(tl.pointer_type(tl.float32))
        tl.store(p, tl.load(p) + 1)

    target = np.zeros(1, np.float32)
    table = np.array([target.ctypes.data], np.int64)
    tuned = triton.autotune(configs(1, 2), key=[])(indirect)
    with pytest.warns(UserWarning, match="writes through pointers that it loads"):
        tuned[(1,)](table)
    assert tuned.source == "first" and target[0] == 1
    tuned = triton.autotune(configs(1, 2), key=[], restore_value=[])(indirect)
    tuned[(1,)](table)
    assert tuned.source == "measured"


def test_threads_choose_once():
    tuned = triton.autotune(configs(16, 64), key=["n"])(picky)
    tuned.configs += configs(32, 256)
    outs = [np.zeros(1000, np.float32) for _ in range(4)]
    x = np.arange(1000, dtype=np.float32)
    threads = [threading.Thread(target=lambda out=out: tuned[grid](out, x, 1000)) for out in outs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(out, x) for out in outs) and len(tuned.cache) == 1


SCRIPT = """
import numpy as np
import tritium as triton
import tritium.language as tl

FACTOR = tl.constexpr({factor})

@triton.autotune([triton.Config({{"BLOCK": b}}) for b in {blocks}], key=["n"])
@triton.jit
def kernel(out_ptr, n, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK != 8, "eight")
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(out_ptr + i, i < n) + i * FACTOR, i < n)

out = np.ones({n}, np.float32)
kernel[lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]),)](out, {n})
assert np.array_equal(out, 1 + np.arange({n}, dtype=np.float32) * {factor}), out
print(kernel.source, kernel.best_config.kwargs["BLOCK"])
"""


class Program:
    def __init__(self, folder):
        self.folder = folder
        self.cache = folder / "cache"

    def start(self, n=500, blocks=(8, 16, 64, 128), factor=3, **environment):
        path = self.folder / "script.py"
        text = SCRIPT.format(n=n, blocks=tuple(blocks), factor=factor)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
        return subprocess.Popen([sys.executable, path], stdout=subprocess.PIPE, text=True,
                                env={**os.environ, "TRITON_CACHE_DIR": str(self.cache),
                                     **environment})

    def run(self, **choices):
        process = self.start(**choices)
        output, _ = process.communicate(timeout=100)
        assert process.returncode == 0
        self.source, best = output.split()[-2:]
        self.best = int(best)
        return self.source

    def records(self):
        return list(self.cache.glob("tuning/*/*.json"))


@pytest.fixture
def program(tmp_path):
    return Program(tmp_path)


def test_second_process_tunes_nothing(program):
    assert program.run() == "measured"
    best = program.best
    assert program.run() == "recorded" and program.best == best
    record = json.loads(program.records()[0].read_text())["record"]
    assert record["kernel"] == "kernel" and record["key"].startswith("n=500")
    assert len(record["timings"]) == 4 and "eight" in str(record["timings"])
    # Fewer configs are known already; another one, key or machine is not.
    assert program.run(blocks=(16, 128)) == "recorded"
    assert program.run(blocks=(16, 128, 256)) == "measured"
    assert program.run(n=600) == "measured"
    assert program.run(TRITIUM_NUM_THREADS="1") == "measured"
    assert program.run(TRITON_CACHE_AUTOTUNING="0") == "measured"
    assert program.run() == "recorded"


def test_what_the_kernel_saw_counts(program):
    assert program.run(factor=3) == "measured"
    assert program.run(factor=4) == "measured"
    assert program.run(factor=3) == "recorded" and program.run(factor=4) == "recorded"


@pytest.mark.parametrize("damage", ["empty", "text", "cut", "time", "form"])
def test_damaged_records(program, damage):
    assert program.run() == "measured"
    path, = program.records()
    text = path.read_text()
    content = json.loads(text)
    label = next(k for k, v in content["record"]["timings"].items() if isinstance(v, list))
    content["record"]["timings"][label][0] = 1e-9
    path.write_text({"empty": "", "text": "\x00\xff{", "cut": text[:len(text) // 2],
                     "time": json.dumps(content), "form": "[1, 2]"}[damage])
    assert program.run() == "measured"
    assert program.run() == "recorded"


def test_unusable_cache(program):
    for place in ("/proc/no/such", "/dev/null"):
        program.cache = pathlib.Path(place)
        assert program.run() == "measured"


def test_read_only_cache(program):
    """Nobody can write there: every process tunes, none fails. (Root ignores modes, so a
    file stands where the folder must be.)"""
    program.cache.mkdir()
    (program.cache / "tuning").write_text("")
    assert program.run() == "measured"
    assert program.run() == "measured"


def test_processes_at_once(program):
    processes = [program.start() for _ in range(3)]
    for process in processes:
        output, _ = process.communicate(timeout=100)
        assert process.returncode == 0 and output.startswith(("measured", "recorded"))
    assert len(program.records()) == 1
    assert program.run() == "recorded"


#===-- Launches that need no new choice -----------------------------------===#

@pytest.fixture
def runs(monkeypatch):
    """The calls that Autotuner.run is made for: those that the extension does not launch."""
    seen, run = [], triton.tune.Autotuner.run

    def counted(self, *args, **kwargs):
        seen.append((args, kwargs))
        return run(self, *args, **kwargs)

    monkeypatch.setattr(triton.tune.Autotuner, "run", counted)
    return seen


def test_a_known_call_runs_no_python(runs):
    tuned = triton.autotune(configs(16, 64), key=["n"])(add_to)
    out, x = arrays()
    asked = []

    def counting(meta):
        asked.append(meta)
        return grid(meta)

    first = tuned[counting](out, x, 1000)
    asked.clear()
    for _ in range(3):
        assert tuned[counting](out, x, n=1000) is first
    assert len(runs) == 1 and np.array_equal(out, 5 + 4 * x)
    assert asked[0]["BLOCK"] == tuned.best_config.kwargs["BLOCK"] and asked[0]["num_warps"] == 4
    assert asked[0]["n"] == 1000 and asked[0]["x_ptr"] is x


def test_the_key_tells_calls_apart(runs):
    tuned = triton.autotune(configs(16, 64), key=["n"])(add_to)
    out, x = arrays()
    for count, n in ((1, 1000), (1, 1000), (2, 999), (2, 1000), (2, 999)):
        tuned[grid](out, x, n)
        assert len(tuned.cache) == count
    assert len(runs) == 2
    tuned[grid](out.astype(np.float64), x, 1000)  # another type of array
    assert len(runs) == 3 and len(tuned.cache) == 3
    tuned.best_config = None
    tuned[grid](out, x, 999)
    assert tuned.best_config is tuned.cache[next(k for k in tuned.cache if k[0] == 999)]


def test_strings_and_none_in_the_key(runs):
    @triton.autotune(configs(16, 64), key=["mode"])
    @triton.jit
    def modal(out_ptr, mode: tl.constexpr, BLOCK: tl.constexpr):
        tl.store(out_ptr, 1 if mode == "one" else 2)

    out = np.zeros(1, np.int32)
    for mode, value, count in (("one", 1, 1), ("two", 2, 2), (None, 2, 3), ("one", 1, 3),
                               ("".join(["o", "ne"]), 1, 4), (None, 2, 4)):
        modal[(1,)](out, mode)
        assert out[0] == value and len(runs) == count
    assert len(modal.cache) == 3


def test_what_the_cache_does_not_have_any_more_is_chosen_anew(runs):
    tuned = triton.autotune(configs(16, 64), key=["n"])(add_to)
    out, x = arrays()
    for count in (1, 2):
        for _ in range(3):
            tuned[grid](out, x, 1000)
        assert len(runs) == count
        tuned.cache.clear()
    tuned.cache = {}
    tuned[grid](out, x, 1000)
    key, config = tuned.cache.popitem()
    other = next(c for c in tuned.configs if c is not config)
    tuned.cache[key] = other
    tuned[grid](out, x, 1000)
    assert tuned.best_config is other


def test_names_that_the_config_gives_are_refused_each_time(runs):
    tuned = triton.autotune(configs(16, 64), key=["n"])(add_to)
    out, x = arrays()
    tuned[grid](out, x, 1000)
    for _ in range(2):
        with pytest.raises(triton.ArgumentError, match="the launch gives BLOCK"):
            tuned[grid](out, x, 1000, BLOCK=16)
        with pytest.raises(triton.ArgumentError, match="missing argument 'n'"):
            tuned[(1,)](out, x)
        with pytest.raises(triton.OptionError, match="m"):
            tuned[grid](out, x, 1000, m=3)
        with pytest.raises(triton.GridError):
            tuned[(-1,)](out, x, 1000)
    before = out.copy()
    tuned[grid](out, x, 1000, num_warps=8)  # an option: the config's counts
    assert np.array_equal(out, before + x)


def test_hooks_see_every_launch(runs):
    called = []
    tuned = triton.autotune(configs(16, 64, pre_hook=called.append), key=["n"])(add_to)
    out, x = arrays()
    for _ in range(3):
        tuned[grid](out, x, 1000)
    launches = len(called)
    tuned[grid](out, x, 1000)
    assert len(called) == launches + 1
    tuned = triton.autotune(configs(16, 64), key=["n"])(add_to)
    tuned[grid](out, x, 1000)
    seen = []
    tuned.fn.add_pre_run_hook(lambda *args, **kwargs: seen.append(kwargs["BLOCK"]))
    try:
        tuned[grid](out, x, 1000)
        tuned[grid](out, x, 1000)
    finally:
        tuned.fn.pre_run_hooks.clear()
    assert seen == [tuned.best_config.kwargs["BLOCK"]] * 2


def test_a_subclass_that_runs_otherwise_keeps_doing_so():
    class Loud(triton.tune.Autotuner):
        calls = 0

        def run(self, *args, **kwargs):
            Loud.calls += 1
            return super().run(*args, **kwargs)

    tuned = Loud(add_to, add_to.arg_names, configs(16, 64), ["n"], None, None)
    out, x = arrays()
    for _ in range(3):
        tuned[grid](out, x, 1000)
    assert Loud.calls == 3


def test_defaults_and_globals_count_for_known_calls(runs):
    @triton.autotune(configs(16, 64), key=[])
    @triton.jit
    def shifted(out_ptr, by=3, BLOCK: tl.constexpr = 1):
        tl.store(out_ptr, by + SHIFT)

    global SHIFT
    out = np.zeros(1, np.int32)
    for SHIFT in (tl.constexpr(10), tl.constexpr(20)):
        shifted[(1,)](out)
        shifted[(1,)](out)
        assert out[0] == 3 + SHIFT.value
    shifted[(1,)](out, 4)
    assert out[0] == 24 and len(runs) == 1


SHIFT = tl.constexpr(0)
