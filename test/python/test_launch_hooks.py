"""`knobs.runtime.*_hook`, `launch_metadata`, `repr`: what programs have called around launches."""

import numpy as np
import pytest
import tritium as triton
import tritium.language as tl

runtime = triton.knobs.runtime


@pytest.fixture(autouse=True)
def no_hooks_are_left():
    with runtime.scope():
        yield
    assert "__getitem__" not in vars(triton.JITFunction)


def kernel(**options):

    @triton.jit(**options)
    def double(x_ptr, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(x_ptr + i, tl.load(x_ptr + i, i < n) * 2, i < n)

    return double


def launched(double, grid=(1,), **options):
    x = np.ones(16, np.float32)
    double[grid](x, 16, BLOCK=16, **options)
    return x[0]


@pytest.mark.parametrize("mode", ("cpu", "interpret", "sim:sm_80"))
def test_order_and_what_they_get(monkeypatch, mode):
    monkeypatch.setenv("TRITIUM_BACKEND", mode)
    told = []
    for name in "ab":
        runtime.launch_enter_hook.add(lambda data, name=name: told.append(("enter", name, data)))
        runtime.launch_exit_hook.add(lambda data, name=name: told.append(("exit", name, data)))
    double = kernel(launch_metadata=lambda grid, metadata, args: {
        "bytes": 8 * args["n"], "grid": grid, "warps": metadata.num_warps, "B": args["BLOCK"]})
    assert launched(double, num_warps=2) == 2
    assert [what[:2] for what in told] == [("enter", "a"), ("enter", "b"), ("exit", "b"),
                                           ("exit", "a")]
    data = told[0][2].get()
    assert data == told[3][2].get()
    assert data["function"].n_regs >= 0
    assert {k: v for k, v in data.items() if k != "function"} == {
        "name": "double", "stream": 0, "bytes": 128, "grid": (1,), "warps": 2, "B": 16}


def test_assigned_and_removed():
    told = []
    double = kernel()
    assert launched(double) == 2
    runtime.launch_enter_hook = told.append
    assert launched(double) == 2 and len(told) == 1
    runtime.launch_enter_hook = None
    assert launched(double) == 2 and len(told) == 1
    runtime.launch_exit_hook.add(told.append)
    runtime.launch_exit_hook.add(told.append)
    assert launched(double) == 2 and len(told) == 2
    runtime.launch_exit_hook.remove(told.append)
    assert launched(double) == 2 and len(told) == 2
    with pytest.raises(TypeError, match="must be a function or None, found 3"):
        runtime.launch_enter_hook = 3


def test_scope_puts_them_back():
    told = []
    runtime.launch_enter_hook.add(told.append)
    with runtime.scope():
        runtime.launch_enter_hook.remove(told.append)
        runtime.launch_exit_hook = told.append
        launched(kernel())
    assert len(told) == 1
    launched(kernel())
    assert len(told) == 2
    runtime.reset()
    launched(kernel())
    assert len(told) == 2


def test_name_of_a_specialisation():
    names = []
    runtime.launch_enter_hook.add(lambda data: names.append(data.get()["name"]))
    launched(kernel(
        repr=lambda spec: f"double_{spec.constants['BLOCK']}_{spec.signature['x_ptr']}"))
    assert names == ["double_16_*fp32"]


def test_grid_of_a_function():
    grids = []

    def grid(args):
        grids.append(args["BLOCK"])
        return triton.cdiv(args["n"], args["BLOCK"]),

    runtime.launch_enter_hook.add(lambda data: grids.append(data.get()["grid"]))
    assert launched(kernel(launch_metadata=lambda grid, _, args: {"grid": grid}), grid) == 2
    assert grids == [16, (1,)]


def test_tuned_and_compiled_kernels():
    told = []
    tuned = triton.autotune([triton.Config({"BLOCK": 16})], key=["n"])(kernel())
    x = np.ones(16, np.float32)
    tuned[(1,)](x, 16)  # what is remembered of it does not go past hooks
    runtime.launch_enter_hook.add(told.append)
    tuned[(1,)](x, 16)
    compiled = kernel().warmup(tl.float32, 16, BLOCK=16, grid=(1,))
    assert len(told) == 1
    compiled[(1,)](x, 16)
    assert len(told) == 2 and x[0] == 8


def test_run_of_a_compiled_kernel():
    """What programs hand to a launch that is Triton's own; all of the kernel's arguments are there,
    also those that are constants."""
    double, x = kernel(), np.ones(32, np.float32)
    signature = {"x_ptr": "*fp32", "n": "i32", "BLOCK": "constexpr"}
    source = triton.compiler.ASTSource(double, signature, {"BLOCK": 16})
    compiled = triton.compile(source)
    assert compiled.src is source and compiled.src.fn is double
    told = []
    given = (2, 1, 1, 0, compiled.function, compiled.metadata)
    for metadata in (None, compiled.launch_metadata((2, 1, 1), 0, x, 32, 16)):
        assert metadata is None
        compiled.run(*given, metadata, told.append, told.append, x, 32, 16)
    assert told == 4 * [None] and (x == 4).all()
    told.clear()
    runtime.launch_enter_hook.add(lambda data: told.append(data.get()["name"]))
    metadata = compiled.launch_metadata((2, 1, 1), 0, x, 32, 16)
    compiled.run(*given, metadata, runtime.launch_enter_hook, None, x, 32)
    assert told == [compiled.name] and (x == 8).all()


def test_variants():
    told = []

    def hook(**what):
        told.append(what)
        return refuse

    double, refuse = kernel(), False
    runtime.jit_post_compile_hook = hook
    assert launched(double) == launched(double) == 2
    assert len(told) == 1
    assert told[0]["fn"].jit_function is double and told[0]["fn"].name == double.__qualname__
    assert told[0]["compile"]["signature"]["x_ptr"] == "*fp32"
    assert told[0]["repr"].endswith("(x_ptr: *fp32)") or "n: i32" in told[0]["repr"]
    assert not told[0]["is_manual_warmup"] and not told[0]["already_compiled"]
    double.warmup(tl.float16, 16, BLOCK=16, grid=(1,))
    assert len(told) == 2 and told[1]["is_manual_warmup"]
    runtime.jit_post_compile_hook, runtime.jit_cache_hook, refuse = None, hook, True
    double[(1,)](x := np.ones(16, np.int32), 16, BLOCK=16)
    assert len(told) == 3 and x[0] == 1  # the hook has kept it from being launched


def test_a_kernel_that_fails_tells_no_end():
    told = []
    runtime.launch_enter_hook.add(lambda data: told.append("enter"))
    runtime.launch_exit_hook.add(lambda data: told.append("exit"))
    with pytest.raises(triton.ArgumentError):
        kernel()[(1,)](np.ones(16, np.float32))
    assert told == []
