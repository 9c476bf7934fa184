"""The decorator, what it makes, variants, and the names that kernels find outside."""

import concurrent.futures
import math
import os
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import tritium as triton
import tritium.language as tl

SCALE = tl.constexpr(3)
PLAIN = 5
NAMES = ("a", "b")


@triton.jit
def helper(x):
    return x * SCALE


@triton.jit
def uses_globals(out_ptr):
    tl.store(out_ptr, helper(PLAIN) + len(NAMES))


@triton.constexpr_function
def doubled(n):
    return 2 * n


class Settings:
    WIDTH = 7


def launch_one(kernel, *args, **kwargs):
    out = np.zeros(1, np.float64)
    kernel[(1,)](out, *args, **kwargs)
    return out[0]


def test_globals():
    assert launch_one(uses_globals) == 17


def test_changed_globals_are_noticed(monkeypatch):
    assert launch_one(uses_globals) == 17
    monkeypatch.setattr(sys.modules[__name__], "PLAIN", 6)
    assert launch_one(uses_globals) == 20
    monkeypatch.setattr(sys.modules[__name__], "SCALE", tl.constexpr(10))
    assert launch_one(uses_globals) == 62
    monkeypatch.undo()
    assert launch_one(uses_globals) == 17


def test_closures():
    def make(n):
        @triton.jit
        def kernel(out_ptr):
            tl.store(out_ptr, n)

        return kernel

    first, second = make(11), make(12)
    assert (launch_one(first), launch_one(second), launch_one(first)) == (11, 12, 11)


def test_modules_classes_host_functions():
    @triton.jit
    def kernel(out_ptr):
        size: tl.constexpr = doubled(Settings.WIDTH) + triton.next_power_of_2(5)
        tl.store(out_ptr, size + math.pi * 0 + tl.cdiv(7, 2) + triton.cdiv(9, 2))

    assert launch_one(kernel) == 14 + 8 + 4 + 5


def test_errors_in_host_functions_are_shown():
    @triton.constexpr_function
    def broken(n):
        raise ValueError("no such size")

    @triton.jit
    def kernel(out_ptr):
        tl.store(out_ptr, broken(3))

    with pytest.raises(triton.CompilationError, match="no such size"):
        launch_one(kernel)


def test_unusable_globals_are_explained():
    table = {1, 2}

    @triton.jit
    def kernel(out_ptr):
        tl.store(out_ptr, len(table))

    with pytest.raises(triton.CompilationError, match="type set"):
        launch_one(kernel)


def test_errors_have_a_place():
    @triton.jit
    def kernel(out_ptr):
        tl.store(out_ptr, nowhere)  # noqa: F821

    with pytest.raises(triton.CompilationError) as caught:
        launch_one(kernel)
    error = caught.value
    line = kernel.starting_line_number + 2
    assert error.file == __file__ and error.line == line
    assert "nowhere" in error.message and f"test_jit.py:{line}" in str(error) and "^" in str(error)


def test_static_assert():
    @triton.jit
    def kernel(out_ptr, N: tl.constexpr):
        tl.static_assert(N > 4, "N is too small")
        tl.store(out_ptr, N)

    assert launch_one(kernel, N=5) == 5
    with pytest.raises(triton.CompileTimeAssertionFailure, match="N is too small"):
        launch_one(kernel, N=3)


def test_device_assert_names_the_program(monkeypatch):
    @triton.jit
    def kernel(out_ptr):
        tl.device_assert(tl.program_id(0) < 2, "too far")
        tl.store(out_ptr + tl.program_id(0), 1)

    out = np.zeros(8, np.int32)
    kernel[(8,)](out)
    for backend in ("cpu", "interpret"):
        monkeypatch.setenv("TRITIUM_BACKEND", backend)
        with pytest.raises(AssertionError, match=r"kernel 'kernel'.*program \(2, 0, 0\): too far"):
            kernel[(8,)](out, debug=True)
        monkeypatch.setenv("TRITON_DEBUG", "1")
        with pytest.raises(triton.DeviceAssertionError) as caught:
            kernel[(8,)](out)
        assert caught.value.file == __file__
        assert caught.value.line == kernel.starting_line_number + 2
        monkeypatch.delenv("TRITON_DEBUG")


def test_decorator_forms():
    @triton.jit(do_not_specialize=["n"], debug=True)
    def kernel(out_ptr, n, m: tl.constexpr = 4):
        """Doc."""
        tl.static_assert(isinstance(n, tl.tensor))
        tl.store(out_ptr, n + m)

    assert launch_one(kernel, 1) == 5
    assert kernel.__name__ == "kernel" and kernel.__doc__ == "Doc."
    assert kernel.arg_names == ["out_ptr", "n", "m"]
    assert [p.is_constexpr for p in kernel.params] == [False, False, True]
    assert kernel.params[2].default == 4 and kernel.params[1].do_not_specialize
    assert kernel.src.startswith("def kernel(")
    with pytest.raises(RuntimeError, match=r"kernel\[grid\]"):
        kernel(1, 2)
    assert list(kernel.signature.parameters) == kernel.arg_names and kernel.module == __name__


@pytest.mark.parametrize("option", ["do_not_specialize", "do_not_specialize_on_alignment"])
def test_option_that_names_no_parameter(option):
    """Lists that several kernels share name parameters that some of them do not have."""
    def kernel(out_ptr, n):
        tl.store(out_ptr, n)

    for name in ("k", 2):
        with pytest.warns(UserWarning, match=f"kernel 'kernel': {option} names {name!r}, which is "
                                             "no parameter of it; they are: out_ptr, n"):
            assert launch_one(triton.jit(**{option: [name]})(kernel), 7) == 7


def test_functions_without_source():
    namespace = {"triton": triton, "tl": tl}
    with pytest.raises(triton.TritonError, match="cannot find the source text of kernel 'k'"):
        exec("@triton.jit\ndef k(x):\n    pass\n", namespace)


def test_variants():
    @triton.jit
    def kernel(out_ptr, n, N: tl.constexpr):
        tl.store(out_ptr, n * N)

    out = np.zeros(1, np.int64)
    kernels = [kernel[(1,)](out, n, N=2) for n in (1, 2, 3, 16, 32, 2 ** 40)]
    hashes = [k.hash for k in kernels]
    assert hashes[1] == hashes[2] and hashes[3] == hashes[4]
    assert len(set(hashes)) == 4
    assert kernels[1] is kernels[2]
    assert out[0] == 2 ** 41


def test_compiled_kernel():
    @triton.jit
    def kernel(x_ptr, out_ptr, N: tl.constexpr):
        i = tl.arange(0, N)
        tl.store(out_ptr + i, tl.load(x_ptr + i) * 2)

    x, out = np.arange(16, dtype=np.float32), np.zeros(16, np.float32)
    compiled = kernel[(1,)](x, out, N=16, num_warps=8)
    assert compiled.name == "kernel"
    assert "tt.load" in compiled.asm["ttir"] and "define" in compiled.asm["llir"]
    assert "kernel" in compiled.asm["asm"] and compiled.asm["obj"].startswith(b"\x7fELF")
    assert set(compiled.asm) == {"ttir", "plan", "llir", "asm", "obj"}
    with pytest.raises(KeyError):
        compiled.asm["ptx"]
    assert compiled.metadata.num_warps == 8 and compiled.metadata.target == "cpu"
    names = [(p.name, p.read, p.written) for p in compiled.metadata.parameters]
    assert names == [("x_ptr", True, False), ("out_ptr", False, True)]
    assert compiled.n_spills == 0 and isinstance(compiled.remarks, list)
    out[:] = 0
    compiled[(1,)](x, out)
    np.testing.assert_array_equal(out, x * 2)
    with pytest.raises(triton.ArgumentError):
        compiled[(1,)](x)


def test_warmup():
    @triton.jit
    def kernel(out_ptr, n, N: tl.constexpr):
        tl.store(out_ptr, n + N)

    out = np.zeros(1, np.float32)
    compiled = kernel.warmup(out, 3, N=4, grid=(1,))
    assert out[0] == 0
    assert kernel[(1,)](out, 3, N=4) is compiled and out[0] == 7
    assert kernel.warmup(tl.float32, 3, N=4, grid=(1,)).metadata.parameters[0].type == "*fp32"


def test_compile_ahead(tmp_path):
    @triton.jit
    def kernel(x_ptr, n, N: tl.constexpr):
        tl.store(x_ptr + tl.arange(0, N), n)

    source = triton.ASTSource(kernel, {"x_ptr": "*fp32", "n": "i32"}, {"N": 8},
                              {(0,): [["tt.divisibility", 16]]})
    compiled = triton.compile(source)
    x = np.zeros(8, np.float32)
    compiled[(1,)](x, 5)
    assert x.tolist() == [5] * 8
    path = tmp_path / "kernel.ttir"
    path.write_text(compiled.asm["ttir"])
    again = triton.compile(str(path))
    again[(1,)](x, 6)
    assert x.tolist() == [6] * 8
    haswell = triton.compile(source, target=triton.compiler.GPUTarget("cpu", "haswell", 1))
    assert haswell.metadata.cpu == "haswell" and "zmm" not in haswell.asm["asm"]
    with pytest.raises(triton.ArgumentError, match="no parameter 'M'"):
        triton.compile(triton.ASTSource(kernel, {"M": "i32"}))
    with pytest.raises(triton.TritonError, match="nosuchcpu"):
        triton.compile(source, target=triton.compiler.GPUTarget("cpu", "nosuchcpu", 1))


def test_hooks_and_run():
    calls = []

    @triton.jit
    def kernel(out_ptr, n):
        tl.store(out_ptr, n)

    kernel.add_pre_run_hook(lambda *args, **kwargs: calls.append(args))
    out = np.zeros(1, np.int32)
    kernel.run(out, 5, grid=(1,))
    assert out[0] == 5 and len(calls) == 1


def test_library_stubs():
    with pytest.raises(RuntimeError, match=r"tl\.load can only be called inside a kernel"):
        tl.load(3)
    for name in tl.__all__:
        value = getattr(tl, name)
        if callable(value):
            assert value.__doc__, name
    for name in triton.__all__:
        value = getattr(triton, name)
        if callable(value):
            assert value.__doc__, name
    assert triton.cdiv(7, 2) == 4 and tl.cdiv(8, 2) == 4
    assert [triton.next_power_of_2(n) for n in (0, 1, 2, 3, 5, 1024)] == [1, 1, 2, 4, 8, 1024]


def test_constexpr_arithmetic():
    n = tl.constexpr(6)
    assert (n + 1).value == 7 and (2 * n).value == 12 and (n // 4).value == 1
    assert bool(n == 6) and not bool(n < 3) and (-n).value == -6
    assert list(range(n)) == list(range(6)) and tl.constexpr(n).value == 6


def test_dtypes():
    assert str(tl.float32) == "fp32" and repr(tl.bfloat16) == "tl.bfloat16"
    assert tl.float16.primitive_bitwidth == 16 and tl.int1.itemsize == 1
    assert tl.int8.get_int_min_value() == -128 and tl.uint16.get_int_max_value() == 65535
    assert tl.float8e5.is_fp8() and tl.bfloat16.is_bf16() and tl.uint32.is_int_unsigned()
    assert tl.pointer_type(tl.float16).is_ptr() and tl.pi32_t.element_ty == tl.int32
    assert tl.dtype("fp32") == tl.float32 and tl.float32 != tl.float64
    with pytest.raises(ValueError, match="no type 'float31'"):
        tl.dtype("float31")


def test_threads_launch_at_once():
    @triton.jit
    def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out_ptr + i, tl.load(x_ptr + i, i < n) + BLOCK, i < n)

    def work(seed):
        x = np.random.default_rng(seed).standard_normal(5000).astype(np.float32)
        out = np.zeros_like(x)
        for block in (16, 32, 64, 128):
            kernel[(triton.cdiv(5000, block),)](x, out, 5000, BLOCK=block)
            np.testing.assert_array_equal(out, x + np.float32(block))

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(16)))


def test_other_threads_run_during_a_launch():
    @triton.jit
    def kernel(out_ptr, n):
        total = 0
        for i in range(n):
            total = (total * 1103515245 + i) ^ (total >> 3)
        tl.store(out_ptr, total)

    out = np.zeros(1, np.int32)
    kernel[(1,)](out, 3)
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.wait(0.001):
            ticks.append(1)

    thread = threading.Thread(target=tick)
    thread.start()
    kernel[(1,)](out, 200_000_001)
    during = len(ticks)
    stop.set()
    thread.join()
    assert during >= 2


def test_fork():
    @triton.jit
    def kernel(out_ptr):
        tl.store(out_ptr + tl.program_id(0), tl.program_id(0))

    out = np.zeros(1000, np.int32)
    kernel[(1000,)](out)
    child = os.fork()
    if child == 0:
        out[:] = 0
        kernel[(1000,)](out)
        os._exit(0 if (out == np.arange(1000)).all() else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_number_of_threads():
    before = triton.num_threads()
    triton.set_num_threads(3)
    assert triton.num_threads() == 3
    triton.set_num_threads(0)
    assert triton.num_threads() == before


def test_import_needs_no_numpy():
    code = "import sys; import tritium, tritium.language; assert 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_scripts_that_import_triton(tmp_path):
    (tmp_path / "script.py").write_text(textwrap.dedent("""
        import sys
        import numpy as np
        import triton
        import triton.language as tl
        from triton.language import constexpr
        from triton.runtime import driver
        import tritium

        assert triton is tritium and tl is tritium.language and sys.argv[1:] == ["x"]

        @triton.jit
        def kernel(out, N: constexpr):
            tl.store(out + tl.arange(0, N), tl.arange(0, N))

        if __name__ == "__main__":
            out = np.zeros(4, np.int32)
            kernel[(1,)](out, 4)
            print(out.tolist(), driver.active.get_current_target().backend)
    """))
    result = subprocess.run([sys.executable, "-m", "tritium", "run", "script.py", "x"],
                            cwd=tmp_path, capture_output=True, text=True)
    assert result.stdout == "[0, 1, 2, 3] cpu\n", result.stderr


def test_what_a_grid_function_is_given():
    """All arguments by name, with defaults and options, in a dict of its own."""
    @triton.jit
    def kernel(out, n, scale=2, other=None, N: tl.constexpr = 4):
        tl.store(out + tl.arange(0, N), n * scale)

    out, seen = np.zeros(4, np.int32), []

    def grid(meta):
        seen.append(dict(meta))
        meta.clear()
        return (1,)

    def given(call):
        call()
        return {name: value for name, value in seen[-1].items() if name != "out"}

    defaults = {"scale": 2, "other": None, "N": 4}
    assert given(lambda: kernel[grid](out, 3)) == {**defaults, "n": 3}
    assert given(lambda: kernel[grid](out, n=5, num_warps=2)) == {
        **defaults, "n": 5, "num_warps": 2}
    assert given(lambda: kernel[grid](out, 3, 4, N=2)) == {
        "n": 3, "scale": 4, "other": None, "N": 2}
    assert seen[-1]["out"] is out and list(out) == [12, 12, 10, 10]
    # The argument that is missing is no name that the function sees.
    with pytest.raises(triton.ArgumentError, match="missing argument 'n'"):
        kernel[grid](out)
    assert "n" not in seen[-1]
