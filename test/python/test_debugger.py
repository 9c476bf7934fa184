"""The debugger's prompt: kernels stop at their lines, with their variables as arrays."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

KERNEL = '''\
import numpy as np
import triton
import triton.language as tl


@triton.jit
def twice(value):
    doubled = value * 2
    return doubled


@triton.jit
def add(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    p = y_ptr + i
    BREAK
    y = twice(x)
    for step in range(2):
        y += step
    tl.store(p, y, mask=i < LIMIT)


x = np.arange(10, dtype=np.float32)
y = np.zeros(10, dtype=np.float32)
add[(3,)](x, y, 10, BLOCK=4)
print("written", y.tolist())
'''
WRITTEN = "written [1.0, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 15.0, 17.0, 19.0]"
BREAK_LINE, CALL_LINE, DOUBLED_LINE = 17, 18, 8


def run(folder, commands, text=KERNEL, how=("debug",), before="pass", limit="n", **environment):
    """Runs the program with these lines as its input; answers (status, what it wrote)."""
    script = folder / "kernel.py"
    script.write_text(text.replace("BREAK", before).replace("LIMIT", limit))
    done = subprocess.run(
        [sys.executable, "-m", "tritium", *(part.format(script=script) for part in how),
         str(script)], input="\n".join([*commands, ""]), capture_output=True, text=True,
        timeout=120, env={**os.environ, "TRITON_CACHE_DIR": str(folder / "cache"), **environment})
    return done.returncode, done.stdout + done.stderr


def answers(text):
    """What stands behind each prompt."""
    return [part.strip() for part in text.split("(tritium) ")]


def test_breakpoint_in_a_kernel_stops_one_program(tmp_path):
    status, text = run(tmp_path, ["p x", "p pid, i.tolist(), BLOCK, n", "p p", "c"], how=("run",),
                       before="breakpoint(pid=(2,))", TRITON_INTERPRET="1")
    assert status == 0, text
    head, x, names, p, end = answers(text)
    assert f"kernel.py({BREAK_LINE})add() program (2, 0, 0) of (3, 1, 1)" in head
    assert "-> breakpoint(pid=(2,))" in head
    # Elements that the mask left out are masked.
    assert "data=[8.0, 9.0, --, --]" in x and "float32" in x
    assert names == "((2, 0, 0), [8, 9, 10, 11], 4, np.int32(10))"
    assert p == "<pointer<float32> y_ptr + array([ 8,  9, 10, 11])>"
    assert end == WRITTEN


@pytest.mark.parametrize("environment", [{}, {"TRITON_INTERPRET": "1", "PYTHONBREAKPOINT": "0"}])
def test_breakpoint_is_nothing_elsewhere(tmp_path, environment):
    status, text = run(tmp_path, [], how=("run",), before="breakpoint()", **environment)
    assert (status, text.strip()) == (0, WRITTEN)


def test_code_for_the_cpu_is_the_same_with_a_breakpoint(tmp_path):
    wanted = "\nprint(compiled.asm['ttir'])"
    text = KERNEL.replace("add[(3,)]", "compiled = add[(3,)]") + wanted
    with_it, without = (run(tmp_path, [], text=text, how=("run",), before=before)
                        for before in ("breakpoint()", "pass"))
    assert with_it == without and "tt.store" in with_it[1] and "dbg." not in with_it[1]


def test_steps_and_frames(tmp_path):
    status, text = run(
        tmp_path, ["n", "s", "n", "w", "p value[0]", "u", "p x[0]", "p doubled", "d", "r", "n",
                   "n", "p step, y[0]", "n", "p y[0]", "c"],
        how=("debug", "--break", "{script}:" + str(BREAK_LINE), "--pid", "1"))
    assert status == 0, text
    (first, at_call, in_twice, at_return, where, value, up, x, doubled, down, after, in_loop, again,
     step, store, y, end) = answers(text)
    assert f"({BREAK_LINE})add() program (1, 0, 0)" in first
    assert f"({CALL_LINE})add()" in at_call
    assert f"({DOUBLED_LINE})twice()" in in_twice and "-> doubled = value * 2" in in_twice
    assert "-> return doubled" in at_return
    assert [line.split("(")[1] for line in where.splitlines()[::2]] == ["18)add", "9)twice"]
    assert "4.0" in value and f"({CALL_LINE})add()" in up and "4.0" in x
    assert doubled == "*** NameError: name 'doubled' is not defined"
    assert "twice()" in down and "-> for step in range(2):" in after
    assert "-> y += step" in in_loop and "-> y += step" in again
    assert step == "(np.int32(1), np.float32(8.0))" and "-> tl.store" in store
    assert y == "np.float32(9.0)" and end == WRITTEN


def test_stops_at_the_first_statement_unless_places_are_named(tmp_path):
    status, text = run(tmp_path, ["p BLOCK", "b 21", "b", "c", "p i[0]", "cl 1", "c"])
    assert status == 0, text
    first, block, number, listed, hit, i, _, end = answers(text)
    assert "-> i = tl.program_id(0)" in first and block == "4" and number == "Breakpoint 1"
    assert listed.endswith("kernel.py:21") and "-> tl.store" in hit and "0" in i
    assert end == WRITTEN


def test_an_access_out_of_bounds_stops_there(tmp_path):
    status, text = run(tmp_path, ["e", "p i[3], p.offsets[3]", "p p.values", "c"],
                       how=("debug", "--break", "{script}:1"), limit="n + 1")
    _, element, offset, values, _ = [*answers(text), ""][:5]
    head = answers(text)[0]
    assert status == 1 and "*** store of 4 bytes" in head and "-> tl.store" in head
    assert "by lane [2] is outside every argument" in head
    assert "element [2]" in element and "i = np.int32(10)" in element
    assert "11" in offset and "data=[17.0, 19.0, --, --]" in values
    assert "InterpreterError" in text


def test_a_failed_assertion_stops_there(tmp_path):
    status, text = run(tmp_path, ["e", "q"], how=("debug", "--break", "{script}:1"),
                       before='tl.device_assert(x < 5, "small")')
    head, element = answers(text)[:2]
    assert "assertion failed" in head and "small" in head and "-> tl.device_assert" in head
    assert "element [1]" in element and "x = np.float32(5.0)" in element
    assert "DeviceAssertion" in text and status == 1


def test_variables_cannot_be_written(tmp_path):
    status, text = run(tmp_path, ["n", "n", "x[0] = 7", "x = 7", "mine = x + 1", "mine[0]", "c"],
                       how=("debug",))
    assert status == 0, text
    element, name, _, mine, end = answers(text)[3:]
    assert element.startswith("*** ValueError") and "read-only" in element
    assert name.startswith("*** 'x' belongs to the kernel, and its variables cannot be written")
    assert "1.0" in mine and end == WRITTEN


def test_quitting_ends_the_launch(tmp_path):
    status, text = run(tmp_path, ["q"])
    assert status == 130 and "written" not in text and "the program was ended" in text
    # The end of the input quits, too.
    assert run(tmp_path, [])[0] == 130


def test_kinds_of_variables(tmp_path):
    text = KERNEL[:KERNEL.index("@triton.jit\ndef add")] + '''
@triton.jit
def kinds(x_ptr, n, INFINITE: tl.constexpr, TYPE: tl.constexpr):
    block = tl.make_block_ptr(x_ptr, shape=(n, 4), strides=(4, 1), offsets=(0, 0),
                              block_shape=(2, 4), order=(1, 0))
    tile = tl.load(block)
    pair = (tile, (n, None), "text")
    column = tl.sum(tile, 1)[:, None].to(tl.bfloat16)
    byte = tl.full((4,), 200, tl.uint8)
    flag = n > 3
    if flag:
        for i in tl.static_range(2):
            breakpoint(pid=0)
    tl.store(x_ptr, 1.0)


kinds[(1,)](np.arange(16, dtype=np.float32), 4, INFINITE=float("inf"), TYPE=tl.float16)
'''
    status, text = run(tmp_path, ["p block.block_shape, block.offsets[1], block.base.name",
                                  "p pair[0][1, 2], pair[1:]", "p INFINITE, TYPE, i, flag, byte[0]",
                                  "whatis column", "e 1,2", "vars", "c", "p i", "c"],
                       text=text, how=("run",), TRITON_INTERPRET="1")
    assert status == 0, text
    _, block, pair, known, column, element, variables, _, i, _ = answers(text)
    assert block == "((2, 4), np.int64(0), 'x_ptr')"
    assert pair == "(np.float32(6.0), ((np.int32(4), None), 'text'))"
    assert known == "(inf, fp16, 0, np.True_, np.uint8(200))" and column == "bfloat16[2x1]"
    assert element.splitlines()[1:] == ["  byte = np.uint8(200)", "  column = np.float32(22.0)",
                                        "  tile = np.float32(6.0)"]
    assert "byte: uint8[4] = " in variables and "INFINITE = inf" in variables and i == "1"


TRITON_C = '''\
float half_of(float v) {
  float h = v / 2;
  return h;
}
__global__ void scale(float *x, int n) {
  int i[SIZE] = get_program_id(0) * SIZE + 0 ... SIZE;
  bool inside[SIZE] = i < n;
  float *p[SIZE] = x + i;
  float v[SIZE] = *?(inside)p;
  float h = half_of(3);
  BREAK
  *?(inside)p = 2 * v;
}
'''
HOST = '''\
import numpy as np, tritium, pathlib
kernel = tritium.c.kernel(pathlib.Path(__file__).with_name("scale.tc"), defines={"SIZE": 4})
x = np.arange(6, dtype=np.float32)
kernel(x, 6, grid=(2,))
print("written", x.tolist())
'''


def test_triton_c(tmp_path):
    file = tmp_path / "scale.tc"
    file.write_text(TRITON_C.replace("BREAK", "breakpoint(1);"))
    status, text = run(tmp_path, ["p p.name, p.offsets.tolist(), v[1], h", "vars", "n", "c"],
                       text=HOST, how=("run",), TRITON_INTERPRET="1")
    assert status == 0, text
    head, values, variables, after, end = answers(text)
    assert "scale.tc(11)scale() program (1, 0, 0) of (2, 1, 1)" in head
    assert values == "('x', [4, 5, 6, 7], np.float32(5.0), np.float32(1.5))"
    assert "inside: " in variables and "n: int32 = np.int32(6)" in variables
    assert "-> *?(inside)p = 2 * v;" in after and end == "written [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]"
    file.write_text(TRITON_C.replace("BREAK", ";"))
    status, text = run(tmp_path, ["p v", "u", "c"], text=HOST,
                       how=("debug", "--break", f"{file}:2", "--pid", "0"))
    head, value, up, end = answers(text)
    assert "scale.tc(2)half_of()" in head and value == "np.float32(3.0)"
    assert "scale.tc(10)scale()" in up and "written" in end


@pytest.mark.parametrize("arguments, wanted", [
    ([], "name a script"),
    (["--break", "{script}"], "a place is FILE:LINE, found '{script}'"),
    (["--break", "{script}:999"], "has 27 lines, found line 999"),
    (["--break", "nowhere.py:3"], "there is no file nowhere.py"),
    (["--pid", "1,x"], "a program is one to three numbers of the grid as 3,0,0, found '1,x'"),
])
def test_bad_commands(tmp_path, arguments, wanted):
    script = tmp_path / "kernel.py"
    script.write_text(KERNEL)
    words = [word.format(script=script) for word in arguments]
    done = subprocess.run([sys.executable, "-m", "tritium", "debug", *words,
                           *([str(script)] if words else [])], capture_output=True, text=True)
    assert done.returncode == 2 and wanted.format(script=script) in done.stderr


@pytest.mark.parametrize("argument", ["n", "(1, 2, 3, 4)", "-1", '"x"'])
def test_a_program_that_cannot_be_meant(tmp_path, argument):
    status, text = run(tmp_path, [], how=("run",), before=f"breakpoint(pid={argument})")
    assert status == 1 and "'pid' of breakpoint is the program that stops" in text
    assert re.search(rf"kernel.py:{BREAK_LINE}:", text)


def test_the_command_runs_this(tmp_path):
    tool = pathlib.Path(__file__).parents[2] / "build/bin/tritium"
    done = subprocess.run([tool, "debug", "--help"], capture_output=True, text=True,
                          env={**os.environ, "PATH": f"{pathlib.Path(sys.executable).parent}:"
                                                     f"{os.environ['PATH']}"})
    assert done.returncode == 0 and "usage: tritium debug" in done.stdout
