"""Triton-C from Python: definitions, arguments, grids, tuning, the old host forms."""

import os
import subprocess
import sys
import warnings

import numpy as np
import pytest

import tritium
import tritium as triton
import tritium.language as tl

ADD = """
__global__ void add(TYPE *x, TYPE *y, TYPE *out, int n) {
  int i[SIZE] = get_program_id(0) * SIZE + 0 ... SIZE;
  bool inside[SIZE] = i < n;
  TYPE *px[SIZE] = x + i;
  TYPE *py[SIZE] = y + i;
  TYPE *pout[SIZE] = out + i;
  *?(inside)pout = *?(inside)px + *?(inside)py;
}
"""
ACCUMULATE = """
__global__ void accumulate(float *out, int n, float step) {
  int i[SIZE] = get_program_id(0) * SIZE + 0 ... SIZE;
  bool inside[SIZE] = i < n;
  float *p[SIZE] = out + i;
  *?(inside)p = *?(inside)p + step;
}
"""
SCALAR = """
void scalar(TYPE x, float *out) { *out = x; }
"""


def blocks(n):
    return lambda opt: (triton.cdiv(n, opt.SIZE),)


def arrays(n=1000, dtype=np.float32):
    x = np.arange(n).astype(dtype)
    return x, (2 * x).astype(dtype), np.zeros(n, dtype)


def test_definitions_and_grid():
    add = tritium.c.kernel(ADD, defines={"TYPE": "float", "SIZE": 128})
    assert add.name == "add" and add.choices == [""]
    assert [name for name, _ in add.parameters] == ["x", "y", "out", "n"]
    x, y, out = arrays()
    compiled = add(x, y, out, 1000, grid=blocks(1000))
    assert np.array_equal(out, x + y) and "ttir" in compiled.asm
    out[:] = 0
    add(x, y, out, 1000, grid=(8, 1, 1))
    add(x, y, out, 1000, grid=[8])
    add(x, y, out, 1000, grid=8)
    assert np.array_equal(out, x + y)


@pytest.mark.parametrize("given,dtype", [
    (np.float16, np.float16), (np.dtype("float64"), np.float64), (tl.float32, np.float32),
    (np.int8, np.int8), (tl.int16, np.int16), ("int", np.int32), (np.int64, np.int64),
    (np.uint32, np.uint32)])
def test_host_types(given, dtype):
    add = tritium.c.kernel(ADD, defines={"TYPE": given, "SIZE": 64})
    x, y, out = arrays(40, dtype)
    add(x, y, out, 40, grid=blocks(40))
    assert np.array_equal(out, x + y)


def test_values_become_text():
    source = """
    void values(float *out) {
    #if FLAG
      *out = HALF + SUM;
    #else
      *out = -1;
    #endif
    }"""
    out = np.zeros(1, np.float32)
    for flag, expected in ((True, 5.5), (False, -1), (np.bool_(True), 5.5)):
        tritium.c.kernel(source, defines={"FLAG": flag, "HALF": 0.5, "SUM": "(2 + 3)"})(
            out, grid=(1,))
        assert out[0] == expected
    for bad in (None, (1, 2), {}, int):
        with pytest.raises(triton.ArgumentError, match="macro 'FLAG' cannot be"):
            tritium.c.kernel(source, defines={"FLAG": bad})
    with pytest.raises(triton.OptionError, match="is no name of a macro"):
        tritium.c.kernel(source, defines={"A B": 1})
    with pytest.raises(triton.OptionError, match="more than one line"):
        tritium.c.kernel(source, defines={"FLAG": "1\n#error"})


@pytest.mark.parametrize("kind", ["half", "float", "double", "int", "char", "long", "bool"])
def test_scalars_convert(kind):
    scalar = tritium.c.kernel(SCALAR, defines={"TYPE": kind})
    out = np.zeros(1, np.float32)
    for value in (1, True, 1.0, np.float64(1), np.int8(1)):
        out[0] = 0
        scalar(value, out, grid=(1,))
        assert out[0] == 1, value
    with pytest.raises(triton.ArgumentError, match=f"parameter 'x' is {kind}"):
        scalar(out, out, grid=(1,))
    with pytest.raises(triton.ArgumentError):
        scalar("1", out, grid=(1,))
    with pytest.raises(triton.ArgumentError, match=r"takes 2 arguments .*but got 1"):
        scalar(1, grid=(1,))


def test_scalars_keep_their_value():
    out = np.zeros(1, np.float32)
    half = tritium.c.kernel(SCALAR, defines={"TYPE": "half"})
    half(0.1, out, grid=(1,))
    assert out[0] == np.float32(np.float16(0.1))
    for kind, value in (("half", 1e6), ("int", 2 ** 31), ("int", 2.5), ("char", -129),
                        ("unsigned int", -1), ("bool", 2)):
        with pytest.raises(triton.ArgumentError, match="out of its range|whole number"):
            tritium.c.kernel(SCALAR, defines={"TYPE": kind})(value, out, grid=(1,))


def test_pointers():
    add = tritium.c.kernel(ADD, defines={"TYPE": "float", "SIZE": 128})
    x, y, out = arrays()
    add(x.ctypes.data, y.ctypes.data, out.ctypes.data, 1000, grid=blocks(1000))
    assert np.array_equal(out, x + y)
    with pytest.raises(triton.ArgumentError, match="'x' is .*but got an array of int32"):
        add(x.astype(np.int32), y, out, 1000, grid=(1,))
    maybe = tritium.c.kernel("void k(float *x, int *out) { *out = x ? 1 : 2; }")
    flag = np.zeros(1, np.int32)
    for nothing in (0, None):
        maybe(nothing, flag, grid=(1,))
        assert flag[0] == 2
    maybe(x, flag, grid=(1,))
    assert flag[0] == 1


def test_conformance_11_tuning_lists():
    """Lists make candidates, another key chooses anew, in-place results are right."""
    kernel = tritium.c.kernel(ACCUMULATE, defines={"SIZE": [32, 64, 128, 256]}, num_warps=[2, 4])
    assert len(kernel.choices) == 8 and kernel.choices[0] == "SIZE=32, num_warps=2"
    out = np.full(1000, 5, np.float32)
    kernel(out, 1000, 2, grid=blocks(1000))
    assert kernel.source == "measured" and len(kernel.timings) == 8
    assert np.all(out == 7)
    kernel.timings = {}
    kernel(out, 1000, 3, grid=blocks(1000))  # the float is no key
    assert np.all(out == 10) and kernel.timings == {}
    assert f"SIZE={kernel.option('SIZE')}" in kernel.best
    kernel(out, 500, 1, grid=blocks(500))
    assert kernel.timings and np.all(out[:500] == 11) and np.all(out[500:] == 10)


def test_keys():
    source = """
    void k(float *out, int n %s, int m) { *(out + n - 1) = m + SIZE; }"""
    out = np.zeros(4, np.float32)

    def choices(source, **options):
        kernel = tritium.c.kernel(source, defines={"SIZE": [0, 1]}, **options)
        count = 0
        for n, m in ((1, 1), (1, 2), (2, 2), (2, 1)):
            kernel.timings = None
            kernel(out, n, m, grid=(1,))
            count += kernel.timings is not None
        return count

    assert choices(source % "") == 4
    assert choices(source % "__retune") == 2
    assert choices(source % "__retune", key=["m"]) == 2
    assert choices(source % "", key=["n"]) == 2
    assert choices(source % "", autotune_key=["m"]) == 2
    with pytest.raises(triton.OptionError, match="names 'nn', which is no parameter.*mean 'n'"):
        choices(source % "", key=["nn"])


def test_one_candidate_is_not_measured():
    kernel = tritium.c.kernel(ACCUMULATE, defines={"SIZE": [64]}, num_warps=[4])
    out = np.zeros(100, np.float32)
    kernel(out, 100, 1, grid=blocks(100))
    assert kernel.source is None and kernel.choices == [""] and np.all(out == 1)


def test_candidates_that_do_not_compile():
    source = ACCUMULATE.replace(
        "float *p", "#if SIZE == 64\n#error not sixty-four\n#endif\nfloat *p")
    kernel = tritium.c.kernel(source, defines={"SIZE": [64, 128]})
    out = np.zeros(100, np.float32)
    kernel(out, 100, 1, grid=blocks(100))
    assert "not sixty-four" in kernel.dropped["SIZE=64"] and np.all(out == 1)
    source = """
    void k(float *out) {
      float a[SIZE] = 0;
      float b[SIZE + 1] = a;
      *(out + 0 ... SIZE) = a;
    }"""
    kernel = tritium.c.kernel(source, defines={"SIZE": [64, 128]})
    with pytest.raises(triton.AutotunerError) as caught:
        kernel(out, grid=(1,))
    text = str(caught.value)
    assert "none of its 2 configurations" in text and text.count("error:") == 2
    assert "SIZE=64:" in text and "SIZE=128:" in text


def test_unknown_options():
    x, y, out = arrays()
    add = tritium.c.kernel(ADD, defines={"TYPE": "float", "SIZE": 128, "SIZZ": 2})
    with pytest.warns(UserWarning, match="no macro 'SIZZ'.*did you mean 'SIZE'"):
        add(x, y, out, 1000, grid=(8,))
    assert np.array_equal(out, x + y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # once is enough
        add(x, y, out, 1000, grid=(8,))
    # A macro that only the grid looks at is none too many.
    add = tritium.c.kernel(ADD, defines={"TYPE": "float", "SIZE": 128, "WIDTH": 8})
    add(x, y, out, 1000, grid=lambda opt: (opt.WIDTH,))
    assert np.array_equal(out, x + y)
    with pytest.raises(triton.OptionError, match="did you mean 'num_warps'"):
        add(x, y, out, 1000, grid=(8,), num_warp=4)
    with pytest.raises(AttributeError, match="asks for 'SIZ', which no option defines; there are"):
        add(x, y, out, 1000, grid=lambda opt: (opt.SIZ,))
    with pytest.raises(ZeroDivisionError):
        add(x, y, out, 1000, grid=lambda opt: (1 // 0,))
    for bad in ((), (1, 2, 3, 4), "1", (-1,), (1.5,), (2 ** 31,)):
        with pytest.raises(triton.GridError):
            add(x, y, out, 1000, grid=bad)
    before = out.copy()
    add(x, y, out, 1000, grid=(0,))
    assert np.array_equal(out, before)


@pytest.mark.parametrize("keyword", ["configs", "autotune_configs", "autotune_vals"])
def test_old_host_forms(tmp_path, keyword):
    """`triton.kernel`, `triton.config`, `triton.read`, `opt.d`."""
    x, y, out = arrays()
    kernel = triton.kernel(ADD, defines={"TYPE": "float", "SIZE": [64, 128]}, num_warps=[2, 4])
    kernel(x, y, out, 1000, grid=lambda opt: [triton.cdiv(1000, opt.d("SIZE")), 1, 1])
    assert np.array_equal(out, x + y) and len(kernel.choices) == 4

    path = tmp_path / "two.c"
    path.write_text("#define UNIT 3\n" + ACCUMULATE + "__global__ void other(float *out) {\n"
                    "  *out = UNIT; }\n")
    source = triton.read(str(path), kernel_names=["other"])
    out = np.zeros(4, np.float32)
    triton.kernel(source, device="cpu", defines={"SIZE": 1})(out, grid=lambda opt: (opt.SIZE,))
    assert out[0] == 3
    configs = [triton.config(defines={"SIZE": str(size)}, num_warps=w)
               for size, w in ((16, 4), (32, 8))]
    kernel = triton.kernel(triton.read(str(path), kernel_names=["accumulate"]), device=0,
                           autotune_key=["n"], **{keyword: configs})
    kernel(out, 4, 1., grid=lambda opt: [triton.cdiv(4, opt.SIZE), opt.num_warps // opt.num_warps])
    assert out.tolist() == [4, 1, 1, 1]
    assert kernel.choices == ["SIZE=16, num_warps=4", "SIZE=32, num_warps=8"]


def test_files(tmp_path):
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "step.h").write_text("#define STEP 2\n")
    path = tmp_path / "k.tc"
    path.write_text('#include "step.h"\nvoid k(float *out) { *out += STEP; }\n')
    out = np.zeros(1, np.float32)
    tritium.c.kernel(path, include_paths=[tmp_path / "inc"])(out, grid=(1,))
    tritium.c.kernel(str(path), include_paths=[str(tmp_path / "inc")])(out, grid=(1,))
    assert out[0] == 4
    # An included file is part of what is compiled.
    (tmp_path / "inc" / "step.h").write_text("#define STEP 10\n")
    tritium.c.kernel(path, include_paths=[tmp_path / "inc"])(out, grid=(1,))
    assert out[0] == 14
    with pytest.raises(triton.CompilationError, match="no such file"):
        tritium.c.kernel("nowhere.tc")
    path.write_text("void k(float *out) {\n  *out = 1\n}\n")
    with pytest.raises(triton.CompilationError) as caught:
        tritium.c.kernel(path)
    assert caught.value.file == str(path) and caught.value.line == 2
    assert str(caught.value).startswith(f"{path}:2:") and "expected ';'" in str(caught.value)


def test_tunable_constants():
    source = "const tunable int SIZE = {16, 64};\n" + ACCUMULATE
    kernel = tritium.c.kernel(source)
    assert kernel.choices == ["SIZE=16", "SIZE=64"]
    out = np.zeros(100, np.float32)
    kernel(out, 100, 2, grid=blocks(100))
    assert np.all(out == 2) and kernel.option("SIZE") in (16, 64)
    one = tritium.c.kernel(source, defines={"SIZE": 32})
    one(out, 100, 2, grid=blocks(100))
    assert one.choices == [""] and np.all(out == 4)
    bare = "const tunable int SIZE;\n" + ACCUMULATE
    with pytest.raises(triton.TritonError, match="SIZE"):
        tritium.c.kernel(bare)
    tritium.c.kernel(bare, defines={"SIZE": [8, 16]})(out, 100, 2, grid=blocks(100))
    assert np.all(out == 6)


def test_constant_tables():
    source = """
    char __constant__* TABLE = calloc(32);
    void look(int *out, int i) {
      int __constant__* p = (int __constant__*)TABLE;
      *out = *(p + i);
    }"""
    kernel = tritium.c.kernel(source)
    out = np.zeros(1, np.int32)
    with pytest.raises(triton.ArgumentError, match="'TABLE' has not been filled"):
        kernel(out, 3, grid=(1,))
    kernel.fill("TABLE", np.arange(8, dtype=np.int32) * 10)
    kernel(out, 3, grid=(1,))
    assert out[0] == 30
    kernel.fill("TABLE", np.arange(4, dtype=np.int32))
    kernel(out, 3, grid=(1,))
    assert out[0] == 3
    kernel(out, 7, grid=(1,))
    assert out[0] == 0
    tritium.c.kernel(source, constants={"TABLE": np.full(8, 9, np.int32)})(out, 1, grid=(1,))
    assert out[0] == 9
    with pytest.raises(triton.ArgumentError, match="has 32 bytes, but got 36"):
        kernel.fill("TABLE", np.zeros(9, np.int32))
    with pytest.raises(triton.ArgumentError, match="no constant table 'TABEL'; there are: TABLE"):
        kernel.fill("TABEL", b"")


def test_promises(monkeypatch):
    source = """
    void k(float *x __aligned(64), float *out __readonly, int n __multipleof(8)) {
      int i[4] = 0 ... 4;
      *(out + i) = *(x + i) + n;
    }"""
    memory = np.zeros(64, np.float32)
    at = -memory.ctypes.data % 64 // 4
    aligned, askew, out = memory[at:at + 8], memory[at + 1:at + 9], np.zeros(8, np.float32)
    tritium.c.kernel(source)(aligned, out, 8, grid=(1,))
    monkeypatch.setenv("TRITON_DEBUG", "1")
    kernel = tritium.c.kernel(source)
    with pytest.raises(triton.ArgumentError, match="'x' is promised to be aligned to 64 bytes"):
        kernel(askew, out, 8, grid=(1,))
    with pytest.raises(triton.ArgumentError,
                       match="'n' is promised to be a multiple of 8, but.*12"):
        kernel(aligned, out, 12, grid=(1,))
    with pytest.raises(triton.ArgumentError, match="'out' is promised to be read-only, but"):
        kernel(aligned, out, 8, grid=(1,))


def test_settings_of_now(monkeypatch):
    kernel = tritium.c.kernel(ACCUMULATE, defines={"SIZE": [16, 32]})
    out = np.zeros(40, np.float32)
    monkeypatch.setenv("TRITIUM_BACKEND", "interpret")
    kernel(out, 40, 1, grid=blocks(40))
    assert kernel.source == "first" and kernel.option("SIZE") == 16
    monkeypatch.setenv("TRITIUM_BACKEND", "cpu")
    kernel(out, 40, 1, grid=blocks(40))
    assert kernel.source == "measured" and np.all(out == 2)


PROGRAM = """
import numpy as np, tritium
k = tritium.c.kernel('''{source}''', defines={{"SIZE": [16, 64]}})
out = np.zeros(100, np.float32)
k(out, 100, 1, grid=lambda opt: (-(-100 // opt.SIZE),))
assert np.all(out == 1)
print(k.source, k.best)
"""


def test_second_process_tunes_nothing(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(PROGRAM.format(source=ACCUMULATE))

    def run():
        result = subprocess.run([sys.executable, script], capture_output=True, text=True,
                                timeout=100, env={**os.environ})
        assert result.returncode == 0, result.stderr
        return result.stdout.split(maxsplit=1)

    source, best = run()
    assert source == "measured"
    assert run() == ["recorded", best]
    script.write_text(PROGRAM.format(source=ACCUMULATE.replace("+ step", "+ 1 * step")))
    assert run()[0] == "measured"
