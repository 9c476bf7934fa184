"""`with tl.scope(NAME):` in kernels: it changes no code, and a simulated GPU counts by it."""

import re
import subprocess
import sys

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl
from explaining import tritium
from tritium import _scopes


@triton.jit
def twice(x):
    with tl.scope("double"):
        return_value = x * 2
    return return_value


@triton.jit
def scoped(x, y, n, ROUNDS: tl.constexpr, NAME: tl.constexpr):
    i = tl.arange(0, 128)
    total = tl.zeros((128,), tl.float32)
    for k in range(n):
        with tl.scope("load"):
            part = tl.load(x + k * 128 + i)
        with tl.scope("work") as nothing, tl.scope(name="add"):
            total += twice(part)
            if k > 100:
                with tl.scope(NAME):
                    total += 1
    for r in tl.static_range(ROUNDS):
        with tl.scope(f"round {r}"):
            total += r
    while n < 0:
        with tl.scope("never"):
            n += 1
    with tl.scope("store"):
        tl.store(y + i, total)


@triton.jit
def plain(x, y, n, ROUNDS: tl.constexpr, NAME: tl.constexpr):
    i = tl.arange(0, 128)
    total = tl.zeros((128,), tl.float32)
    for k in range(n):
        part = tl.load(x + k * 128 + i)
        total += part * 2
        if k > 100:
            total += 1
    for r in tl.static_range(ROUNDS):
        total += r
    while n < 0:
        n += 1
    tl.store(y + i, total)


def arrays(n=3):
    x = np.arange(128 * n, dtype=np.float32)
    return x, np.zeros(128, np.float32), n


@pytest.mark.parametrize("backend", ("cpu", "interpret", "sim:sm_90"))
def test_results(backend, monkeypatch):
    monkeypatch.setenv("TRITIUM_BACKEND", backend)
    x, y, n = arrays()
    scoped[(1,)](x, y, n, ROUNDS=2, NAME="late")
    assert (y == 2 * x.reshape(n, 128).sum(0) + 1).all()


@pytest.mark.parametrize("target, stage", [("cpu", "asm"), ("cuda:90", "ptx")])
def test_the_code_is_the_same(target, stage):
    def code(kernel):
        text = tritium("compile", __file__, "--kernel", kernel, "--signature", "*fp32,*fp32,i32",
                       "--constexpr", "ROUNDS=2", "--constexpr", "NAME=late", "--target", target,
                       "--emit", stage, "-o", "-").replace("scoped", "plain")
        # Lines stand elsewhere.
        return [row for row in re.findall(r"^\s+[a-z@].*", text, re.M)]

    assert len(code("plain")) > 20
    assert code("scoped") == code("plain")


@pytest.mark.parametrize("body, message", [
    ("with tl.scope(i): pass", "the name of tl.scope is a text that is known at compile time, "
                               "found int32"),
    ("with tl.scope(3): pass", "found constexpr 3"),
    ("with tl.scope(None): pass", "found None"),
    ("with tl.scope(''): pass", "one line of printable ASCII"),
    ("with tl.scope('a\\nb'): pass", "one line of printable ASCII"),
    ("with tl.scope(): pass", "name"),
    ("with tl.scope('a', 'b'): pass", "takes"),
    ("with tl.scope(label='a'): pass", "label"),
    ("tl.scope('load')", 'marks nothing by itself; write with tl.scope\\("load"\\)'),
    ("with tl.scope('load'): return", "return"),
    ("with tl.scope('load').start: pass", "start"),
    ("tl.store(x, tl.scope('load'))", "the scope 'load'"),
    ("with tl.scope: pass", "__enter__"),
    ("with 'load': pass", "__enter__"),
])
def test_wrong_use(body, message, tmp_path, monkeypatch):
    (tmp_path / "wrong_scopes.py").write_text(
        "import tritium as triton, tritium.language as tl\n@triton.jit\ndef kernel(x):\n"
        f"    i = tl.program_id(0)\n    {body}\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "wrong_scopes", raising=False)
    import wrong_scopes

    with pytest.raises(triton.CompilationError, match=message) as raised:
        wrong_scopes.kernel[(1,)](np.zeros(1, np.float32))
    assert "wrong_scopes.py:5" in str(raised.value)


def test_it_is_of_kernels():
    with pytest.raises(RuntimeError, match="tl.scope can only be used inside a kernel"):
        with tl.scope("load"):
            pass


def test_a_simulated_gpu_counts_by_scopes():
    counted = scoped.simulate((1,), *arrays(), ROUNDS=2, NAME="late")
    scopes = counted.scopes
    assert [name for name in scopes if name in ("load", "work/add", "store")] == [
        "load", "work/add", "store"]
    # 512 bytes are 16 sectors: three times as many are loaded as stored.
    assert scopes["load"].global_sectors == 3 * counted.scopes["store"].global_sectors == 48
    assert scopes["store"].classes["global_store"] >= 1
    assert "never" not in scopes or scopes["never"].warp_instructions < 10
    for name, first in (("load", "part = tl.load("), ("store", "tl.store(y + i, total)")):
        with open(__file__) as file:
            (line,) = [i for i, row in enumerate(file, 1)
                       if first in row and row.startswith("    " * (3 if name == "load" else 2))
                       and i < plain.fn.__code__.co_firstlineno]
        assert vars(scopes[name]) == {key: value for key, value in vars(counted.line(line)).items()
                                      if key in vars(scopes[name])}
    assert plain.simulate((1,), *arrays(), ROUNDS=2, NAME="late").scopes == {}


def test_an_explanation_has_shares_of_scopes():
    explained = scoped.explain((1,), *arrays(), ROUNDS=2, NAME="late", keep_options=True)
    shares = {name: scope.get("share", 0) for name, scope in explained.scopes.items()}
    lines = {line["line"]: line for line in explained.json["lines"]}
    (load,) = [line for line in lines.values() if "part = tl.load(" in line.get("text", "")]
    assert shares["load"] == load["share"]["value"] > 0
    assert explained.scopes["load"]["instructions"] == load["instructions"]["value"]
    assert 0.1 < sum(shares.values()) <= 1.01
    assert explained.scopes["store"]["instructions"] > 0
    assert plain.explain((1,), *arrays(), ROUNDS=2, NAME="late", keep_options=True).scopes == {}


def test_scopes_in_a_text(tmp_path):
    path = tmp_path / "text.py"
    path.write_text("def f():\n  with tl.scope('a'), open('x'), scope(name='b'):\n    x = 1\n"
                    "    with scope(N + 1):\n      y = (2 +\n           3)\n"
                    "    def g():\n      with tl.scope('c'): z = 1\n"
                    "  with g.scope('a', 1), scopes('b'): pass\n")
    assert [tuple(scope) for scope in _scopes.scopes_of(str(path))] == [
        ("a/b", str(path), 3, 8), ("a/b/N + 1", str(path), 5, 6), ("c", str(path), 8, 8)]
    path.with_name("no.py").write_text("def f(:\n")
    assert _scopes.scopes_of(str(path.with_name("no.py"))) == ()
    assert _scopes.scopes_of("/no/such/file") == () == _scopes.scopes_of("")


def test_the_table_of_tritium_profile(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import numpy as np, triton, triton.language as tl\n"
                      "@triton.jit\ndef copy(x, y):\n    i = tl.arange(0, 64)\n"
                      "    with tl.scope('in'):\n        v = tl.load(x + i)\n"
                      "    with tl.scope('out'):\n        w = v + 1\n        tl.store(y + i, w)\n"
                      "a = np.ones(64, np.float32)\nb = np.zeros_like(a)\n"
                      "for _ in range(3): copy[(1,)](a, b)\nassert (a + 1 == b).all()\n")
    done = subprocess.run([sys.executable, "-m", "tritium", "profile", "--target", "sim:sm_90",
                           script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = re.findall(r"^( *[\d.]+%(?: +\d+){6})  +(.*)$", done.stderr, re.M)
    rows = {label: counts.split() for counts, label in found}
    into, out = rows["script.py  scope in"], rows["script.py  scope out"]
    assert into[2:4] == out[2:4] == ["24", "24"]
    lines = [rows[name] for name in rows if re.match(r"script.py:[89] ", name)]
    assert len(lines) == 2 and int(out[1]) == sum(int(row[1]) for row in lines)
