"""do_bench, assert_close, perf_report, autotune, heuristics, knobs."""

import csv
import os
import time

import numpy as np
import pytest

import tritium as triton
import tritium.language as tl
from tritium import testing


def test_do_bench():
    spent = []

    def work():
        start = time.perf_counter()
        time.sleep(0.002)
        spent.append((time.perf_counter() - start) * 1e3)

    ms = testing.do_bench(work, warmup=4, rep=20)
    # However long a busy machine lets a run take, the mean lies within what the runs saw.
    assert 2 <= min(spent) <= ms <= 1.1 * max(spent) and len(spent) > 2
    modes = {mode: testing.do_bench(lambda: time.sleep(0.001), warmup=1, rep=10, return_mode=mode)
             for mode in ("min", "max", "median", "all")}
    assert isinstance(modes["all"], list) and modes["min"] <= modes["max"]
    low, high = testing.do_bench(lambda: None, warmup=1, rep=1, quantiles=[0.1, 0.9])
    assert low <= high
    with pytest.raises(ValueError, match="return_mode"):
        testing.do_bench(lambda: None, return_mode="average")


def test_assert_close():
    x = np.array([1.0, np.nan, 3.0], np.float32)
    testing.assert_close(x, x + 0.005)
    with pytest.raises(AssertionError):
        testing.assert_close(x, x + 0.02)
    testing.assert_close(x, x * 1.05, atol=0, rtol=0.1)
    testing.assert_close(x, x + 1, atol=lambda dtype: 2 if dtype == np.float32 else 0)
    with pytest.raises(AssertionError, match="sizes"):
        testing.assert_close(x, x + 1, err_msg="sizes")


def test_perf_report(tmp_path, capsys):
    @testing.perf_report(testing.Benchmark(
        x_names=["n"], x_vals=[1, 2, 4], line_arg="provider", line_vals=["a", "b"],
        line_names=["A", "B"], plot_name="plot", args={"scale": 10}, ylabel="GB/s", x_log=True))
    def bench(n, provider, scale, extra=0):
        value = n * scale + (provider == "b") + extra
        return (value, value - 1, value + 1) if provider == "a" else value

    frame = bench.run(print_data=True, save_path=str(tmp_path), return_df=True, extra=0.5)
    assert list(frame["A"]) == [10.5, 20.5, 40.5] and list(frame["B"]) == [11.5, 21.5, 41.5]
    assert "plot:" in capsys.readouterr().out
    rows = list(csv.reader(open(tmp_path / "plot.csv")))
    assert rows[0][:3] == ["n", "A", "B"] and rows[2][:3] == ["2", "20.5", "21.5"]
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


@triton.jit
def fill(out_ptr, n, value, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(out_ptr + i, i < n) + value, i < n)


def test_autotune():
    timings = {16: 3.0, 64: 1.0, 32: 2.0}
    seen = []

    def bench(call, quantiles):
        call()
        block = tuned.configs[len(seen)].kwargs["BLOCK"]
        seen.append(block)
        return [timings[block]] * 3

    tuned = triton.autotune([triton.Config({"BLOCK": b}) for b in (16, 64, 32)], key=["n"],
                            restore_value=["out_ptr"], do_bench=bench)(fill)
    out = np.zeros(100, np.float32)
    grid = lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]),)  # noqa: E731
    tuned[grid](out, 100, 2.0)
    assert out.tolist() == [2.0] * 100
    assert tuned.best_config.kwargs == {"BLOCK": 64} and seen == [16, 64, 32]
    tuned[grid](out, 100, 2.0)
    assert len(seen) == 3 and out[0] == 4


def test_autotune_measures_by_itself():
    tuned = triton.autotune([triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 128})],
                            key=["n"], reset_to_zero=["out_ptr"])(fill)
    out = np.ones(64, np.float32)
    tuned[lambda meta: (triton.cdiv(64, meta["BLOCK"]),)](out, 64, 3.0)
    assert out.tolist() == [3.0] * 64 and len(tuned.configs_timings) == 2


def test_heuristics():
    kernel = triton.heuristics({"BLOCK": lambda args: triton.next_power_of_2(args["n"])})(fill)
    out = np.zeros(20, np.float32)
    assert "32" in kernel[(1,)](out, 20, 1.0).asm["ttir"]
    assert out.sum() == 20


def test_knobs(monkeypatch):
    monkeypatch.delenv("TRITON_CACHE_DIR", raising=False)
    monkeypatch.setenv("TRITON_HOME", "/somewhere")
    assert triton.knobs.cache.dir == "/somewhere/.tritium/cache"
    with triton.knobs.runtime.scope():
        triton.knobs.runtime.debug = True
        assert os.environ["TRITON_DEBUG"] == "1" and triton.knobs.runtime.debug is True
    assert "TRITON_DEBUG" not in os.environ and triton.knobs.runtime.debug is False
    assert set(triton.knobs.cache.knobs) == {
        "home_dir", "dir", "dump_dir", "override_dir", "manager_class", "remote_manager_class"}
