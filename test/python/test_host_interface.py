"""What programs derive from, ask for and inspect on the host."""

import concurrent.futures
import dataclasses
import enum
import inspect
import os
import subprocess
import types

import numpy as np
import pytest

import tritium as triton
import tritium.language as tl
from tritium.language import random, standard
from tritium.language.core import _unwrap_if_constexpr, get_int_dtype
from tritium.language.extra import libdevice
from tritium.language.standard import (_argmax_combine_tie_break_left,
                                       _argmin_combine_tie_break_left, _log2, _sum_combine)
from tritium.runtime import cache, driver
from tritium.runtime.interpreter import InterpretedFunction


@triton.jit
def add_to(out_ptr, x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out_ptr + i, tl.load(out_ptr + i, mask) + tl.load(x_ptr + i, mask), mask)


def configs(*blocks, **more):
    return [triton.Config({"BLOCK": block}, **more) for block in blocks]


def grid(args):
    return (triton.cdiv(args["n"], args["BLOCK"]),)


def arrays(n=1000):
    return np.full(n, 5, np.float32), np.arange(n, dtype=np.float32)


class Choosing(triton.runtime.Autotuner):
    """Chooses by itself, as libraries do that keep choices of their own."""

    def __init__(self, fn, arg_names, configs, key, reset_to_zero, restore_value, pre_hook=None,
                 post_hook=None, prune_configs_by=None, warmup=None, rep=None,
                 use_cuda_graph=False, do_bench=None):
        super().__init__(fn, arg_names, configs, key, reset_to_zero, restore_value, pre_hook,
                         post_hook, prune_configs_by, warmup, rep, use_cuda_graph, do_bench)

    def run(self, *args, **kwargs):
        self.nargs = dict(zip(self.arg_names, args))
        key = tuple(self.nargs[name] for name in self.keys)
        if key not in self.cache:
            self.configs_timings = {config: self._bench(*args, config=config, **kwargs)
                                    for config in self.prune_configs(kwargs)}
            self.cache[key] = min(self.configs_timings, key=self.configs_timings.get)
            self.pre_hook({**self.nargs, **kwargs, **self.cache[key].all_kwargs()},
                          reset_only=True)
        self.best_config = self.cache[key]
        launched = self.fn.run(*args, **kwargs, **self.best_config.all_kwargs())
        self.nargs = None
        return launched


def test_a_tuner_that_chooses_by_itself():
    def bench(call, quantiles):
        call()
        call()
        return [1.0, 1.0, 1.0]

    tuned = Choosing(add_to, add_to.arg_names, configs(16, 64), ["n"], None, ["out_ptr"],
                     do_bench=bench)
    assert tuned.base_fn is add_to.fn and not tuned.user_defined_pre_hook
    out, x = arrays()
    for times in (1, 2):
        tuned[grid](out, x, 1000)
        assert np.array_equal(out, 5 + times * x)
    assert list(tuned.configs_timings.values()) == [[1.0] * 3] * 2 and len(tuned.cache) == 1
    zeroing = Choosing(add_to, add_to.arg_names, configs(16, 64), ["n"], ["out_ptr"], None,
                       do_bench=bench)
    zeroing[grid](out, x, 1000)
    assert np.array_equal(out, x)


def test_bench_of_a_config_that_cannot_be_used():
    @triton.jit
    def picky(out_ptr, n, BLOCK: tl.constexpr):
        tl.static_assert(BLOCK > 16, "BLOCK is too small")
        tl.store(out_ptr, n)

    seen = []
    tuned = Choosing(picky, picky.arg_names, configs(16, 64), ["n"], None, None,
                     pre_hook=lambda args, reset_only=False: None,
                     post_hook=lambda args, exception: seen.append(type(exception)), rep=1)
    out = np.zeros(1, np.float32)
    tuned[(1,)](out, 3)
    times = list(tuned.configs_timings.values())
    assert times[0] == [float("inf")] * 3 and 0 < times[1][0] < 1e3 and out[0] == 3
    assert seen[0] is triton.CompileTimeAssertionFailure and set(seen[1:]) == {type(None)}
    with pytest.raises(triton.ArgumentError, match="the launch gives BLOCK"):
        tuned.nargs = {"out_ptr": out, "n": 3}
        tuned._bench(out, 3, config=tuned.configs[0], grid=(1,), BLOCK=4)


def test_cached_choice_of_a_subclass():
    """As flash-linear-attention has it: a choice that is known is put into `configs`."""
    class Cached(triton.runtime.autotuner.Autotuner):
        def __init__(self, fn, arg_names, configs, key, reset_to_zero, restore_value, **kwargs):
            super().__init__(fn, arg_names, configs, key, reset_to_zero, restore_value, **kwargs)
            self.kernel_name = fn.fn.__name__

        def run(self, *args, **kwargs):
            self.configs = configs(32)
            return super().run(*args, **kwargs)

    tuned = Cached(add_to, add_to.arg_names, configs(16, 64), key=["n"], reset_to_zero=None,
                   restore_value=None, warmup=1, rep=1, cache_results=True)
    out, x = arrays()
    tuned[grid](out, x, 1000)
    assert tuned.kernel_name == "add_to" and tuned.source == "only"
    assert np.array_equal(out, 5 + x) and tuned.best_config.kwargs == {"BLOCK": 32}


class Entry(triton.runtime.KernelInterface[triton.runtime.jit.T]):
    """Keeps compiled kernels itself and launches them with all arguments."""

    def __init__(self, fn):
        self.fn = fn
        self.arg_names = fn.arg_names
        self.launched = 0
        self.compiled = None

    def run(self, *args, **kwargs):
        if self.compiled is None:
            self.compiled = self.fn.run(*args, **kwargs)
            return self.compiled
        bound = self.fn.signature.bind(*args, **{k: v for k, v in kwargs.items()
                                                 if k in self.arg_names})
        self.launched += 1
        self.compiled[kwargs["grid"]](*bound.arguments.values())
        return self.compiled


def test_an_interface_of_a_program():
    entry = Entry(add_to)
    out, x = arrays(100)
    for times in (1, 2, 3):
        entry[(2,)](out, x, 100, BLOCK=64)
        assert np.array_equal(out, 5 + times * x)
    assert entry.launched == 2
    entry.compiled[(2,)](out, x, 100)
    assert np.array_equal(out, 5 + 4 * x)
    with pytest.raises(triton.ArgumentError, match="takes 3 run-time arguments, but got 2"):
        entry.compiled[(2,)](out, x)
    heuristic = triton.runtime.Heuristics(entry, entry.arg_names, {"BLOCK": lambda args: 64})
    heuristic[(2,)](out, x, 100)
    assert heuristic.base_fn is add_to.fn and np.array_equal(out, 5 + 5 * x)
    for decorate in (triton.autotune(configs(16), key=[]), triton.heuristics({})):
        with pytest.raises(triton.ArgumentError, match="decorates a kernel: put it above @jit"):
            decorate(add_to.fn)
    assert isinstance(triton.heuristics({})(Entry(add_to)), triton.runtime.Heuristics)


def test_parameters():
    @triton.jit(do_not_specialize=["n"])
    def kernel(x_ptr: tl.const, n, BLOCK: tl.constexpr = 4):
        pass

    assert kernel.signature == inspect.signature(kernel.fn) and kernel.module == __name__
    assert [p.is_const for p in kernel.params] == [True, False, False]
    assert [p.do_not_specialize for p in kernel.params] == [False, True, False]


def test_hooks_before_launches():
    @triton.jit
    def kernel(out_ptr, n):
        tl.store(out_ptr, n)

    out, seen = np.zeros(1, np.float32), []
    kernel[(1,)](out, 1)
    kernel.add_pre_run_hook(lambda *args, **kwargs: seen.append((args, kwargs)))
    for launch in (kernel[(1,)], lambda *a, **k: kernel.run(*a, grid=(1,), **k)):
        launch(out, 2, num_warps=2)
    assert [args[1] for args, _ in seen] == [2, 2] and seen[0][1] == {"num_warps": 2}
    assert out[0] == 2 and isinstance(kernel, triton.JITFunction)
    with pytest.raises(triton.ArgumentError, match="missing argument 'n'"):
        kernel[(1,)](out)


def test_driver(monkeypatch):
    monkeypatch.setenv("TRITIUM_BACKEND", "cpu")
    active = driver.driver.active
    properties = active.utils.get_device_properties(active.get_current_device())
    assert properties["multiprocessor_count"] == triton.num_threads()
    assert properties["max_num_regs"] in (16, 32) and properties["warpSize"] == 1
    assert 1 << 28 < properties["max_shared_mem"] < 1 << 48
    with pytest.raises(ValueError, match="one device, 0; got 1"):
        active.utils.get_device_properties(1)
    found = [b.driver for b in triton.backends.backends.values() if b.driver.is_active()]
    assert found == [driver.CPUDriver]


def test_folders_of_the_cuda_driver(monkeypatch):
    listed = (" libcuda.so.1 (libc6,x86-64) => /a/b/libcuda.so.1\n libc.so.6 => /c/libc.so.6\n"
              " libcuda.so.1 (libc6) => /a/b/libcuda.so.1\n")
    monkeypatch.setattr(subprocess, "run",
                        lambda *args, **kwargs: types.SimpleNamespace(stdout=listed))
    assert driver.libcuda_dirs() == ["/a/b"]


def test_another_driver():
    target = triton.compiler.GPUTarget("cuda", 90, 32)
    try:
        driver.set_active(types.SimpleNamespace(get_current_target=lambda: target))
        assert driver.active.get_current_target() == target
        info = tl.target_info
        assert info.current_target() == target and info.is_cuda() and not info.is_hip()
        assert info.cuda_capability_geq(9) and not info.cuda_capability_geq(9, 1)
        driver.reset_active()
        assert driver.active.get_current_target().backend == "cpu" and not info.is_cuda()
        assert not info.cuda_capability_geq(7, 5)
    finally:
        driver.reset_active()


def test_backends(monkeypatch):
    target = triton.compiler.GPUTarget("cuda", 90, 32)
    backend = triton.compiler.make_backend(target)
    assert isinstance(backend, triton.backends.BaseBackend) and backend.binary_ext == "cubin"
    options = backend.parse_options({"num_warps": 8, "num_stages": None, "unknown": 1})
    assert (options.num_warps, options.num_stages, options.warp_size) == (8, 3, 32)
    assert options.arch == "sm_90" and options.enable_fp_fusion
    assert options.hash() != backend.parse_options({}).hash()
    monkeypatch.setenv("TRITON_DEFAULT_FP_FUSION", "0")
    assert not backend.parse_options({}).enable_fp_fusion
    # The usual values are those that the compiler takes.
    source = triton.compiler.ASTSource(add_to, {"out_ptr": "*fp32", "x_ptr": "*fp32", "n": "i32"},
                                       {"BLOCK": 64})
    plain = triton.compile(source, target=target)
    asked = triton.compile(source, target=target,
                           options=dataclasses.asdict(backend.parse_options({})))
    assert plain.asm["ptx"] == asked.asm["ptx"]
    other = triton.compiler.GPUTarget("hip", "gfx942", 64)
    with pytest.raises(ValueError, match="no back end 'hip'; there are: cuda, cpu"):
        triton.compiler.make_backend(other)
    with pytest.raises(ValueError, match="does not compile for"):
        triton.backends.CPUBackend(target)
    assert backend.hash() != triton.compiler.make_backend(
        triton.compiler.GPUTarget("cpu", "native", 1)).hash()


def test_a_file_as_source(tmp_path):
    source = triton.compiler.ASTSource(add_to, {"out_ptr": "*fp32", "x_ptr": "*fp32", "n": "i32"},
                                       {"BLOCK": 64})
    path = tmp_path / "add_to.ttir"
    path.write_text(triton.compile(source).asm["ttir"])
    file = triton.compiler.IRSource(path)
    assert file.ext == "ttir" and "tt.load" in file.src
    assert triton.compile(file).name == "add_to"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(triton.CompilationError, match="is no text"):
        triton.compiler.IRSource(path)


def test_cache_of_a_program(tmp_path):
    manager = cache.get_cache_manager("ab" * 32)
    assert manager.cache_dir.startswith(cache.default_cache_dir() + os.sep)
    assert manager.get_file("a.so") is None and not manager.has_file("a.so")
    path = manager.put(b"\x00code", "a.so")
    assert path == manager.get_file("a.so") and open(path, "rb").read() == b"\x00code"
    assert open(manager.put("text", "b", binary=False)).read() == "text"
    assert manager.get_group("all") is None
    manager.put_group("all", {"a.so": path, "gone": path + "x"})
    assert manager.get_group("all") == {"a.so": path}
    assert sorted(os.listdir(manager.cache_dir)) == ["__grp__all", "a.so", "b"]
    same = cache.FileCacheManager(manager.key)
    assert same.get_file("a.so") == path
    assert cache.get_cache_manager("cd" * 32).get_file("a.so") is None
    for other, folder in ((cache.get_dump_manager, cache.default_dump_dir()),
                          (cache.get_override_manager, cache.default_override_dir())):
        assert other("ab" * 32).cache_dir == os.path.join(folder, manager.key)
    assert triton._C.version() in cache.triton_key()


def test_async_compile():
    arguments = (np.ones(4, np.float32), np.ones(4, np.float32), 4)

    @triton.jit
    def broken(out_ptr):
        tl.store(out_ptr, nowhere)  # noqa: F821

    with concurrent.futures.ThreadPoolExecutor(2) as executor:
        with triton.AsyncCompileMode(executor) as mode:
            futures = [add_to.warmup(*arguments, BLOCK=block, grid=(1,)) for block in (16, 32)]
            assert all(isinstance(future, triton.FutureKernel) for future in futures)
            with pytest.raises(RuntimeError, match="active already"):
                mode.__enter__()
        assert [future.result().name for future in futures] == ["add_to"] * 2
        assert add_to.warmup(*arguments, BLOCK=16, grid=(1,)) is futures[0].result()
        with pytest.raises(triton.CompilationError, match="nowhere"):
            with triton.AsyncCompileMode(executor):
                broken.warmup(arguments[0], grid=(1,))
        with triton.AsyncCompileMode(executor, ignore_errors=True):
            left_out = broken.warmup(arguments[0], grid=(1,))
        assert left_out.result(ignore_errors=True) is None
        with pytest.raises(ZeroDivisionError):
            with triton.AsyncCompileMode(executor):
                broken.warmup(arguments[0], grid=(1,))
                1 / 0


def test_allocators():
    from tritium.runtime import _allocation

    assert isinstance(_allocation._allocator.get(), _allocation.NullAllocator)
    with pytest.raises(RuntimeError, match="16 bytes, and no allocator is set"):
        _allocation._allocator.get()(16, 8, None)
    for take, variable in ((triton.set_allocator, _allocation._allocator),
                           (_allocation.set_profile_allocator, _allocation._profile_allocator)):
        with pytest.raises(TypeError, match=f"{take.__name__} needs a function, but got int"):
            take(3)
        take(allocate := lambda size, alignment, stream: None)
        assert variable.get() is allocate
    _allocation.set_profile_allocator(None)
    assert isinstance(_allocation._profile_allocator.get(), _allocation.NullAllocator)
    triton.set_allocator(_allocation.NullAllocator())


def test_interpreted_functions(monkeypatch):
    assert not isinstance(add_to, InterpretedFunction)
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    assert isinstance(add_to, InterpretedFunction) and not isinstance(3, InterpretedFunction)
    with pytest.raises(TypeError, match="kernels are made by @triton.jit"):
        InterpretedFunction(add_to.fn)


def test_types():
    assert tl.int32.int_signedness is tl.dtype.SIGNEDNESS.SIGNED
    assert tl.uint8.int_signedness is tl.int1.int_signedness is tl.dtype.SIGNEDNESS.UNSIGNED
    kinds = [tl.int1.kind(), tl.uint8.kind(), tl.float8e5.kind()]
    assert kinds == [tl.dtype.KIND.BOOLEAN, tl.dtype.KIND.INTEGRAL, tl.dtype.KIND.FLOATING]
    with pytest.raises(TypeError, match="void is neither"):
        tl.void.kind()
    assert tl.float8e4nv.is_fp8e4nv() and not tl.float8e5.is_fp8e4nv() and tl.void.is_void()
    assert tl.dtype.is_dtype("fp32") and tl.dtype.is_dtype("uint8") and not tl.dtype.is_dtype("f")
    every = [tl.dtype.SINT_TYPES, tl.dtype.UINT_TYPES, tl.dtype.FP_TYPES, tl.dtype.OTHER_TYPES]
    assert sorted(sum(every, [])) == sorted(
        str(getattr(tl, name)) for name in tl.__all__
        if type(getattr(tl, name)) is tl.dtype)
    assert set(tl.dtype.FP_TYPES) - set(tl.dtype.STANDARD_FP_TYPES) == {
        "fp8e5", "fp8e4nv", "fp8e4b8", "fp8e4b15", "fp8e5b16"}
    names = [d.codegen_name for d in (tl.float32, tl.bfloat16, tl.int8)]
    assert names == ["float32", "bfloat16", "int8"] and tl.float16.cache_key_part == "fp16"


def test_types_of_signatures():
    assert tl.str_to_ty("*fp32") == tl.pointer_type(tl.float32) and tl.str_to_ty("u1") == tl.int1
    assert tl.str_to_ty("*ki8", None) == tl.pointer_type(tl.int8, const=True)
    assert tl.str_to_ty("constexpr", 5).value == 5
    items = tl.str_to_ty(("i32", "constexpr", ("*i8",)), (None, 7, (None,)))
    assert list(items)[0] == tl.int32 and items[1].value == 7
    assert items[2].types == [tl.pointer_type(tl.int8)] and items.fields is None
    for text, message in (("tensordesc<fp32[8]>", "no type on the host"), ("i33", "no type 'i33'")):
        with pytest.raises(ValueError, match=message):
            tl.str_to_ty(text)
    assert tl.constexpr(3).type == tl.constexpr_type(3) != tl.constexpr_type(4)
    assert tl.tuple((1, 2)).values == [1, 2] and tl.tuple([1]) == (1,)


def test_integers_by_width():
    assert tl.core.get_int_dtype(32, False) == tl.uint32
    assert tl.core.get_int_dtype(tl.constexpr(8), signed=tl.constexpr(True)) == tl.int8
    assert tl.core.get_int_dtype(1, True) == tl.int1
    with pytest.raises(ValueError, match="no type 'int33'"):
        tl.core.get_int_dtype(33, True)


def test_constexpr_on_the_host():
    assert tl.core._unwrap_if_constexpr(tl.constexpr(3)) == 3 == tl.core._constexpr_to_value(3)
    assert tl.core.CONSTEXPR_0.value == 0
    yes, no = tl.constexpr(True), tl.constexpr(False)
    assert yes.logical_and(no).value is False and no.logical_or(yes).value is True
    assert yes.__not__().value is False and abs(tl.constexpr(-3)).value == 3
    assert [item.value for item in tl.constexpr((1, 2))] == [1, 2]


def test_result_that_must_be_used():
    @triton.must_use_result("use it")
    def f():
        pass

    assert f._must_use_result == "use it" and triton.must_use_result(add_to) is add_to


@triton.jit
def typed(out_ptr):
    tl.store(out_ptr, tl.full((), -1, get_int_dtype(8, False)).to(tl.int32))
    tl.store(out_ptr + 1, _unwrap_if_constexpr(5))
    tl.store(out_ptr + 2, tl.core._unwrap_if_constexpr(tl.load(out_ptr + 1)))


def test_functions_of_the_core_in_a_kernel():
    out = np.zeros(3, np.int32)
    typed[(1,)](out)
    assert out.tolist() == [255, 5, 5]


def halved(value, *, plus=tl.constexpr(0)):
    """A function that a program has marked for Triton's front end."""
    assert isinstance(value, tl.constexpr) and isinstance(plus, tl.constexpr)
    return tl.constexpr(None if value.value is None else value.value // 2 + plus.value)


halved.__triton_builtin__ = True


@triton.jit
def calls_halved(out_ptr, N: tl.constexpr):
    tl.static_assert(halved(None) is None)
    tl.store(out_ptr + tl.arange(0, halved(N)), halved(N, plus=1))


def test_functions_that_take_constexprs():
    out = np.zeros(8, np.int32)
    calls_halved[(1,)](out, 8)
    assert out.tolist() == [5, 5, 5, 5, 0, 0, 0, 0]


def test_constexpr_function():
    @triton.constexpr_function
    def twice(n):
        """Of a number."""
        return 2 * n

    class Holder:
        number = 3
        times = triton.constexpr_function(lambda self, n: self.number * n)

    assert isinstance(twice, triton.runtime.jit.ConstexprFunction) and twice.fn(2) == 4
    assert twice.src.startswith("def twice(n):") and twice.__doc__ == "Of a number."
    assert twice(tl.constexpr(4)) == 8 and Holder().times(n=tl.constexpr(4)) == 12


@triton.jit
def reductions(out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = i * 7 % 11
    best, where = tl.reduce((x, i), 0, _argmax_combine_tie_break_left)
    least, where_least = tl.reduce((x, i), 0, _argmin_combine_tie_break_left)
    tl.store(out_ptr, tl.reduce(x, 0, _sum_combine))
    tl.store(out_ptr + 1, tl.reduce(x, 0, standard._elementwise_max))
    tl.store(out_ptr + 2, where)
    tl.store(out_ptr + 3, where_least)
    tl.store(out_ptr + 4, standard._log2(BLOCK) * 100 + _log2(9))
    tl.store(out_ptr + 5, standard.sum(x, 0) + random.N_ROUNDS_DEFAULT)
    tl.store(out_ptr + 6, libdevice.abs(tl.min(x, 0) - 5.0))


@pytest.mark.parametrize("backend", ["cpu", "interpret", "sim:sm_80"])
def test_functions_of_the_standard_module(backend, monkeypatch):
    monkeypatch.setenv("TRITIUM_BACKEND", backend)
    out = np.zeros(7, np.int32)
    reductions[(1,)](out, 16)
    x = np.arange(16) * 7 % 11
    assert out.tolist() == [x.sum(), 10, x.argmax(), x.argmin(), 403, x.sum() + 10, 5]
    with pytest.raises(ValueError, match="takes a positive int, but got 0"):
        _log2(0)


class Base:
    inherited = 1000


@dataclasses.dataclass
class Choice(Base):
    size: int
    act: object = None

    def doubled(self):
        return 2 * self.size

    @property
    def squared(self):
        return self.size ** 2


class Mode(enum.Enum):
    FAST = "fast"


@triton.jit
def act(x):
    return x + 0.5


CHOICE = tl.constexpr(Choice(7, act))
LIST = tl.constexpr([10, 20])
MODE = tl.constexpr(Mode.FAST)


def test_constexprs_that_are_objects():
    @triton.jit
    def kernel(out_ptr):
        if MODE.name == "FAST":
            tl.store(out_ptr, CHOICE.act(CHOICE.size + CHOICE.doubled() + CHOICE.squared
                                         + CHOICE.inherited + LIST[1]))

    out = np.zeros(1, np.float32)
    kernel[(1,)](out)
    assert out[0] == 7 + 14 + 49 + 1000 + 20 + 0.5
    CHOICE.value.size = 8
    try:
        kernel[(1,)](out)
    finally:
        CHOICE.value.size = 7
    assert out[0] == 8 + 16 + 64 + 1000 + 20 + 0.5


def test_a_constexpr_for_a_parameter_that_is_none():
    """It stays a compile-time value, and another one is another variant."""
    @triton.jit
    def kernel(out_ptr, n):
        tl.static_assert(isinstance(n, tl.constexpr))
        tl.store(out_ptr, n)

    out = np.zeros(1, np.float32)
    for n in (3, 2.5):
        kernel[(1,)](out, tl.constexpr(n))
        assert out[0] == n
    with pytest.raises(triton.CompileTimeAssertionFailure):
        kernel[(1,)](out, 3)
    with pytest.raises(triton.ArgumentError, match=r"'n': \w+\.Choice\(.* as a run-time value"):
        kernel[(1,)](out, Choice(3))


class Mode(enum.Enum):
    FAST = 1
    EXACT = 2


MODE = triton.language.constexpr(Mode.FAST)


@triton.jit
def compares_objects(out):
    if MODE == Mode.FAST:
        tl.store(out, 1)


def test_objects_are_compared_in_a_kernel():
    out = np.zeros(1, np.int32)
    compares_objects[(1,)](out)
    assert out[0] == 1


class Form(str, enum.Enum):
    ROW = "row"


@triton.jit
def takes_text(out, form, count):
    if form == "row":
        tl.store(out, count)


@pytest.mark.parametrize("count", [np.float32(2), tl.constexpr(np.float32(2))])
def test_text_of_an_enum_and_numbers_of_numpy(count):
    out = np.zeros(1, np.int32)
    takes_text[(1,)](out, Form.ROW, count)
    assert out[0] == 2
