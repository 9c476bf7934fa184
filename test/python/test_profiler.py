"""`tritium.profiler`: times of kernels by scopes, their files and their viewer."""

import json
import pathlib
import subprocess
import sys
import threading

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
import tritium.profiler as proton
from tritium.profiler import viewer


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    yield
    proton.finalize()
    assert not triton.knobs.runtime.launch_enter_hook.calls
    assert not triton.knobs.runtime.launch_exit_hook.calls


def named(grid, metadata, args):
    return {"name": f"double [n={args['n']}]", "flops32": args["n"], "bytes": 8 * args["n"]}


@triton.jit(launch_metadata=named)
def double(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i, i < n) * 2, i < n)


def launch(n=16):
    x = np.ones(n, np.float32)
    double[(1,)](x, n, BLOCK=16)
    assert (x == 2).all()


def tree_of(name="proton"):
    with open(f"{name}.hatchet") as file:
        return json.load(file)


def shape(node):
    """The tree by names, and how often each kernel ran."""
    children = {child["frame"]["name"]: shape(child) for child in node["children"]}
    return children or node["metrics"].get("count")


@pytest.mark.parametrize("mode", ("cpu", "interpret", "sim:sm_80"))
def test_scopes_and_kernels(monkeypatch, mode):
    monkeypatch.setenv("TRITIUM_BACKEND", mode)
    assert proton.start() == 0
    launch()
    with proton.scope("outer", {"rows": 3}):
        launch()
        with proton.scope("inner"):
            launch()
            launch()
    with proton.scope("outer", {"rows": 4}):
        launch()
    proton.finalize()
    root, devices = tree_of()
    assert shape(root) == {"double": 1, "outer": {"double": 2, "inner": {"double": 2}}}
    of = {child["frame"]["name"]: child["metrics"] for child in root["children"]}
    assert of["outer"] == {"count": 2, "rows": 7}
    kernel = of["double"]
    assert kernel["time (ns)"] > 0 and kernel["device_type"] == "CPU" and kernel["device_id"] == "0"
    assert "flops32" not in kernel
    assert devices["CPU"]["0"]["num_sms"] >= 1


def test_metadata_of_the_kernel():
    proton.start("named", hook="triton")
    launch()
    launch()
    launch(8)
    proton.finalize()
    root, _ = tree_of("named")
    assert shape(root) == {"double [n=16]": 2, "double [n=8]": 1}
    assert root["children"][0]["metrics"]["flops32"] == 32
    assert root["children"][0]["metrics"]["bytes"] == 256


def test_sessions_that_are_not_active_record_nothing():
    first, second = proton.start("a"), proton.start("b")
    assert (first, second) == (0, 1)
    launch()
    proton.deactivate(first)
    launch()
    proton.deactivate()
    launch()
    proton.activate(first)
    launch()
    assert shape(proton.data.get(second)[0]) == {"double": 2}
    proton.finalize(first)
    launch()
    proton.finalize()
    assert shape(tree_of("a")[0]) == {"double": 2}
    assert shape(tree_of("b")[0]) == {"double": 2}
    assert proton.start() == 0


def test_launches_by_the_functions_that_do_them():
    proton.start(context="python")
    with proton.scope("not shown"):
        launch()
    root = proton.data.get()[0]
    names = []
    while root["children"]:
        assert len(root["children"]) == 1
        root = root["children"][0]
        names.append(root["frame"]["name"])
    assert names[-1] == "double" and ":launch@" in names[-2]
    assert ":test_launches_by_the_functions_that_do_them@" in names[-3]


def test_states_stand_below_scopes():
    proton.start()
    with proton.state("warm"):
        with proton.scope("layer"):
            launch()
    with proton.scope("layer"):
        launch()
    assert shape(proton.data.get()[0]) == {"layer": {"warm": {"double": 1}, "double": 1}}


def test_scopes_entered_by_hand():
    proton.start()
    proton.enter_scope("a", metrics={"rows": 2})
    proton.enter_scope("b")
    assert proton.context.depth() == 2
    launch()
    with pytest.raises(ValueError, match="'a' is left, and the thread is in 'b'"):
        proton.exit_scope("a")
    proton.exit_scope()
    proton.exit_scope("a", metrics={"late": 1})
    with pytest.raises(ValueError, match="is in no scope"):
        proton.exit_scope()
    root = proton.data.get()[0]
    assert shape(root) == {"a": {"b": {"double": 1}}}
    assert root["children"][0]["metrics"] == {"count": 1, "rows": 2, "late": 1}


def test_decorators():
    @proton.scope("part")
    def part():
        launch()

    @proton.profile(name="whole")
    def whole():
        part()
        return 5

    assert whole() == 5
    launch()
    proton.finalize()
    assert shape(tree_of("whole")[0]) == {"part": {"double": 1}}


def test_time_of_the_host():
    proton.start()
    with proton.cpu_timed_scope("here"):
        launch()
    here = proton.data.get()[0]["children"][0]
    assert here["metrics"]["cpu_time (ns)"] >= here["children"][0]["metrics"]["time (ns)"] > 0


def test_scopes_belong_to_threads():
    proton.start()
    inside, done = threading.Event(), threading.Event()

    def other():
        with proton.scope("other"):
            inside.set()
            done.wait(10)

    thread = threading.Thread(target=other)
    thread.start()
    inside.wait(10)
    launch()
    done.set()
    thread.join()
    assert shape(proton.data.get()[0]) == {"double": 1}


def test_a_launch_that_fails_is_not_recorded():
    proton.start()
    with pytest.raises(triton.TritonError):
        double[(1,)]("no array", 16, BLOCK=16)
    launch()
    assert shape(proton.data.get()[0]) == {"double": 1}


def test_a_trace():
    proton.start("t", data="trace")
    with proton.scope("a"):
        launch()
    launch()
    proton.finalize()
    with open("t.chrome_trace") as file:
        events = json.load(file)["traceEvents"]
    assert [event["args"]["call_stack"] for event in events] == [["ROOT", "a", "double"],
                                                                 ["ROOT", "double"]]
    assert events[0]["ts"] + events[0]["dur"] <= events[1]["ts"]


@pytest.mark.parametrize("options, message", [
    ({"context": "deep"}, "context must be one of 'shadow', 'python'; got 'deep'"),
    ({"data": "table"}, "data must be one of 'tree', 'trace'; got 'table'"),
    ({"backend": "instrumentation"}, "tritium.profile.clocks=.scopes.. has clocks inside kernels"),
    ({"mode": "pcsampling"}, "mode must be one of None, ''; got 'pcsampling'"),
    ({"hook": "launch"}, "hook must be one of None, 'triton'; got 'launch'")])
def test_options_that_are_not_there(options, message):
    with pytest.raises(ValueError, match=message):
        proton.start(**options)
    with pytest.raises(ValueError, match="no session 0"):
        proton.data.get()


def test_disabled(monkeypatch):
    monkeypatch.setattr(triton.knobs.proton, "disable", True)
    assert proton.start() is None
    proton.deactivate(0)
    proton.activate(0)
    with proton.scope("a", {"rows": 1}):
        launch()
    proton.finalize()
    assert not (pathlib.Path("proton.hatchet")).exists()


@pytest.fixture
def recorded():
    """A file in which all times are known."""
    def node(name, metrics, *children):
        return {"frame": {"name": name, "type": "function"}, "metrics": metrics,
                "children": list(children)}

    def kernel(name, nanoseconds, count=1, **more):
        return node(name, {"time (ns)": nanoseconds, "count": count, "device_id": "0",
                           "device_type": "CUDA", **more})

    root = node("ROOT", {"count": 0, "time (ns)": 0},
                node("layer", {}, kernel("dir/f.py:mm@3", 3000, 2, flops16=6e9, bytes=4.8e6),
                     kernel("add", 1000)),
                kernel("copy", 4000, bytes=19.2e6))
    h200 = {"arch": "90", "num_sms": 132, "clock_rate": 1980000, "memory_clock_rate": 3201000,
            "bus_width": 6144}
    with open("r.hatchet", "w") as file:
        json.dump([root, {"CUDA": {"0": h200}}], file)
    return "r.hatchet"


def shown(capsys, *arguments):
    status = viewer.main([*arguments])
    captured = capsys.readouterr()
    return captured.out if status == 0 else captured.err


def test_viewer_sums_and_rates(recorded, capsys):
    # 6 * 10^9 FLOP in 3 us are 2000 TFLOP/s, and 2000 / (132 * 1.98e9 * 4096) of the peak.
    assert shown(capsys, "-m", "time/us,tflop16/s,gbyte/s,util", recorded) == """\
8.000 750.000 3000.000 - ROOT
├─ 4.000 1500.000 1200.000 - layer
│  ├─ 3.000 2000.000 1600.000 1.868 dir/f.py:mm@3
│  └─ 1.000 - - - add
└─ 4.000 - 4800.000 0.976 copy
"""


def test_viewer_averages_and_shares(recorded, capsys):
    assert shown(capsys, "-m", "avg_time/us,time/%", "-d", "1", "--print-sorted", "-f",
                 "file_function", recorded) == """\
- 100.000 ROOT
├─ - 50.000 layer
└─ 4.000 50.000 copy
By avg_time/us:
4.000 50.000 copy
1.500 37.500 f.py:mm
1.000 12.500 add
"""


@pytest.mark.parametrize("arguments, kept", [
    (["-i", "add"], ["ROOT", "layer", "add"]),
    (["-i", "layer"], ["ROOT", "layer", "dir/f.py:mm@3", "add"]),
    (["-e", "layer"], ["ROOT", "copy"]),
    (["-t", "2"], ["ROOT", "layer", "dir/f.py:mm@3", "copy"])])
def test_viewer_leaves_out(recorded, capsys, arguments, kept):
    lines = shown(capsys, "-m", "time/us", *arguments, recorded).splitlines()
    assert [line.split(" ")[-1] for line in lines] == kept


def test_viewer_lists(recorded, capsys):
    assert shown(capsys, "-l", recorded).split() == ["bytes", "count", "flops16", "time"]


@pytest.mark.parametrize("arguments, message", [
    (["-m", "tflop8/s", "r.hatchet"], "metric 'tflop8/s' is not in the profile; there are: bytes"),
    (["-i", "a", "-e", "b", "r.hatchet"], "include and exclude cannot be given both"),
    (["-i", "(", "r.hatchet"], "unterminated"),
    (["none.hatchet"], "No such file"),
    (["t.json"], "t.json holds no tree of a profile")])
def test_viewer_errors(recorded, capsys, arguments, message):
    with open("t.json", "w") as file:
        file.write("{}")
    assert message in shown(capsys, *arguments)


def test_a_script_in_a_session(tmp_path):
    (tmp_path / "script.py").write_text("""
import sys
import numpy as np
import triton
import triton.language as tl
import triton.profiler as proton

@triton.jit
def add_one(x):
    tl.store(x, tl.load(x) + 1)

with proton.scope(sys.argv[1]):
    add_one[(1,)](np.zeros(1, np.float32))
""")
    done = subprocess.run([sys.executable, "-m", "tritium.profiler.proton", "-n", "s",
                           "script.py", "here"], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert shape(tree_of(tmp_path / "s")[0]) == {"here": {"add_one": 1}}


def test_launches_of_a_block():
    with triton.profile() as run:
        launch()
        launch()
        with pytest.raises(ValueError, match="behind its 'with'"):
            run.kernels
    launch()
    kernel, = run.kernels
    assert (kernel.name, kernel.launches, kernel.device) == ("double [n=16]", 2, "CPU")
    assert 0 < kernel.least <= kernel.most <= kernel.seconds < 10
    head, line, note = run.table().splitlines()
    assert head.split()[0] == "share" and line.split()[0] == "100.0%"
    assert line.endswith("  double [n=16]") and "by its clock" in note
    run.write_trace("trace.json")
    with open("trace.json") as file:
        events = json.load(file)["traceEvents"]
    assert [event["name"] for event in events] == ["double [n=16]"] * 2
    assert events[0]["ts"] + events[0]["dur"] <= events[1]["ts"]


def test_a_block_without_launches():
    with triton.profile() as run:
        pass
    assert run.kernels == [] and run.table().startswith(" share")


def test_the_command_profile(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import sys, numpy as np, triton, triton.language as tl\n"
                      "@triton.jit\ndef fill(x):\n    tl.store(x, 1.0)\n"
                      "fill[(1,)](np.zeros(1, np.float32))\nsys.exit(int(sys.argv[1]))\n")
    for status in (0, 3):
        done = subprocess.run([sys.executable, "-m", "tritium", "profile", "--trace",
                               tmp_path / "trace", script, str(status)], capture_output=True,
                              text=True)
        assert done.returncode == status and done.stderr.splitlines()[1].endswith("  fill")
        assert len(json.loads((tmp_path / "trace").read_text())["traceEvents"]) == 1
    done = subprocess.run([sys.executable, "-m", "tritium", "profile"], capture_output=True,
                          text=True)
    assert done.returncode == 2 and "name a script" in done.stderr


def test_the_command_profile_counts_on_a_simulated_gpu(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import numpy as np, triton, triton.language as tl\n"
                      "@triton.jit\ndef copy(x, y):\n    i = tl.arange(0, 64)\n"
                      "    v = tl.load(x + i)\n    tl.store(y + i, v)\n"
                      "a = np.ones(64, np.float32)\nb = np.zeros_like(a)\n"
                      "for _ in range(3): copy[(1,)](a, b)\nassert (a == b).all()\n")
    command = [sys.executable, "-m", "tritium", "profile", "--target", "sim:sm_90"]
    done = subprocess.run([*command, script], capture_output=True, text=True)
    assert done.returncode == 0 and "Warning" not in done.stderr, done.stderr
    head, *rows = done.stderr.splitlines()
    assert rows[0].split()[0] == "100.0%" and rows[0].endswith("copy (3 launches)")
    # 256 bytes are 8 sectors, three times.
    load, = (row for row in rows if row.endswith("script.py:5  v = tl.load(x + i)"))
    assert load.split()[2:4] == ["24", "24"] and rows[0].split()[2:4] == ["48", "48"]
    assert "Counted: 3 launches" in rows[-2]
    done = subprocess.run([*command[:-1], "cpu", script], capture_output=True, text=True)
    assert done.returncode == 2 and "--target names a simulated GPU" in done.stderr
